// The TypeScript compiler: what its parser calls a declaration, also for JavaScript.
const ts = require("typescript");
const fs = require("fs");
const K = ts.SyntaxKind;
const kinds = {
  [K.FunctionDeclaration]: "function", [K.ClassDeclaration]: "class", [K.InterfaceDeclaration]: "interface",
  [K.TypeAliasDeclaration]: "type", [K.EnumDeclaration]: "enum", [K.EnumMember]: "enumMember",
  [K.MethodDeclaration]: "method", [K.MethodSignature]: "method", [K.PropertyDeclaration]: "property",
  [K.PropertySignature]: "property", [K.GetAccessor]: "accessor", [K.SetAccessor]: "accessor",
  [K.ModuleDeclaration]: "namespace", [K.Constructor]: "constructor",
};
const script = {
  ".ts": ts.ScriptKind.TS, ".mts": ts.ScriptKind.TS, ".cts": ts.ScriptKind.TS, ".tsx": ts.ScriptKind.TSX,
  ".jsx": ts.ScriptKind.JSX,
};

function nameOf(node) {
  const name = node.name;
  if (node.kind === K.Constructor) return ["constructor", node.getChildren().find((child) => child.kind === K.ConstructorKeyword) || node];
  if (!name) return null;
  if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isNumericLiteral(name)) return [name.text, name];
  if (ts.isStringLiteralLike(name)) return [name.text, name];
  if (ts.isComputedPropertyName(name)) return [name.getText(), name];
  return null;
}

// The members of an object type that is the whole of an interface or an alias, or a part of its union or intersection; or that is
// the type of a member or of a variable.
function inDeclaredType(node, local) {
  let at = node.parent;
  const through = [ts.isTypeLiteralNode, ts.isIntersectionTypeNode, ts.isUnionTypeNode, ts.isParenthesizedTypeNode, ts.isArrayTypeNode, ts.isPropertySignature];
  while (at && through.some((is) => is(at))) at = at.parent;
  return ts.isInterfaceDeclaration(at) || ts.isTypeAliasDeclaration(at) || ts.isPropertyDeclaration(at) || (!local && ts.isVariableDeclaration(at));
}

// An object literal that has a name: that of a variable, or of a member of such an object.
function named(object) {
  let at = object.parent;
  while (ts.isParenthesizedExpression(at) || ts.isAsExpression(at) || ts.isSatisfiesExpression(at)) at = at.parent;
  if (ts.isPropertyAssignment(at)) return named(at.parent);
  return ts.isVariableDeclaration(at) || ts.isExportAssignment(at) || ts.isBinaryExpression(at) || ts.isPropertyDeclaration(at);
}

// How deep a member of an object is below what gives the object its name, 0 where nothing does.
function depth(object) {
  let at = object.parent;
  while (ts.isParenthesizedExpression(at) || ts.isAsExpression(at) || ts.isSatisfiesExpression(at)) at = at.parent;
  if (ts.isPropertyAssignment(at)) {
    const outer = depth(at.parent);
    return outer && outer + 1;
  }
  if (ts.isCallExpression(at) && /\.freeze$/.test(at.expression.getText())) at = at.parent;
  if (ts.isVariableDeclaration(at)) return ts.isIdentifier(at.name) ? 1 : 0;
  if (ts.isExportAssignment(at)) return 2;
  return ts.isBinaryExpression(at) && at.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(at.left) ? 2 : 0;
}

const suites = /^(describe|context|suite)(\.|$)/, cases = /^(it|test|specify)(\.|$)/;
function testOf(node) {
  if (!ts.isCallExpression(node) || node.arguments.length < 2 || !ts.isStringLiteralLike(node.arguments[0])) return null;
  if (!node.arguments.slice(1).some(isFunction)) return null;
  const callee = node.expression.getText();
  return suites.test(callee) ? "suite" : cases.test(callee) ? "case" : null;
}

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
const strip = (node) => {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || (ts.isSatisfiesExpression && ts.isSatisfiesExpression(node)))) node = node.expression;
  return node;
};

// Of a component, its scripts where they stand.
const scripts = (path) => {
  const text = fs.readFileSync(path, "utf8"), blank = (part) => part.replace(/[^\n]/g, " ");
  let out = "", at = 0;
  for (const found of text.matchAll(/(<script\b[^>]*>)([\s\S]*?)<\/script>/g)) {
    const begin = found.index + found[1].length;
    out += blank(text.slice(at, begin)) + found[2];
    at = begin + found[2].length;
  }
  return out + blank(text.slice(at));
};
for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const extension = path.slice(path.lastIndexOf("."));
  const file = ts.createSourceFile(path, script[extension] || /^\.[cm]?jsx?$/.test(extension) ? fs.readFileSync(path, "utf8") : scripts(path), ts.ScriptTarget.Latest, true, script[extension] || ts.ScriptKind.JSX);
  if (file.parseDiagnostics.length) {
    console.log(JSON.stringify({ path, error: "" + file.parseDiagnostics[0].messageText }));
    continue;
  }
  const out = [];
  const row = (node, name, scope, kind) => {
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    out.push(JSON.stringify({ path, line, name, container: scope.join("."), kind }));
  };
  const bind = (pattern, scope, kind) => {
    if (ts.isIdentifier(pattern)) row(pattern, pattern.text, scope, kind);
    else for (const part of pattern.elements) if (part.name) bind(part.name, scope, kind);
  };
  // local: inside a function's body, where values are no symbols; asked: this is a place where names are looked for
  const visit = (node, scope, local, literal) => {
    if (ts.isVariableDeclaration(node) && !ts.isCatchClause(node.parent)) {
      const value = strip(node.initializer);
      const list = node.parent, constant = (list.flags & ts.NodeFlags.Const) !== 0;
      const inFor = list.parent && (ts.isForStatement(list.parent) || ts.isForInStatement(list.parent) || ts.isForOfStatement(list.parent));
      if (ts.isIdentifier(node.name)) {
        const kind = isFunction(value) ? "function" : value && ts.isClassExpression(value) ? "class" : constant ? "const" : "variable";
        if (!inFor && (!local || kind === "function" || kind === "class")) row(node.name, node.name.text, scope, kind);
        return ts.forEachChild(node, (child) => visit(child, [...scope, node.name.text], local, !local));
      }
      if (!local && !inFor) bind(node.name, scope, constant ? "const" : "variable");
    }
    const kind = kinds[node.kind];
    if (kind && node.kind !== K.Constructor && ts.isObjectLiteralExpression(node.parent || node)) {
      const found = nameOf(node); // a method of an object
      if (found) row(found[1], found[0], scope, named(node.parent) ? "objectMethod" : "unnamedObject");
      return ts.forEachChild(node, (child) => visit(child, found ? [...scope, found[0]] : scope, true));
    }
    if (ts.isPropertyAssignment(node)) {
      const found = nameOf(node), value = strip(node.initializer);
      if (found && isFunction(value)) row(found[1], found[0], scope, named(node.parent) ? "objectFunction" : "unnamedObject");
      else if (found && !local && !ts.isComputedPropertyName(node.name) && !ts.isNumericLiteral(node.name)) {
        const deep = depth(node.parent); // data is looked up two levels deep in a variable, one level elsewhere
        if (deep === 1 || deep === 2) row(found[1], found[0], scope, "data");
      }
      return ts.forEachChild(node, (child) => visit(child, found ? [...scope, found[0]] : scope, local, literal));
    }
    const test = testOf(node);
    if (test) {
      row(node.arguments[0], node.arguments[0].text, scope, test);
      return ts.forEachChild(node, (child) => visit(child, [...scope, node.arguments[0].text], local || test === "case"));
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(node.left)) {
      const value = strip(node.right), name = node.left.name;
      if (isFunction(value) || (value && ts.isClassExpression(value))) {
        const target = node.left.expression.getText();
        out.push(JSON.stringify({ path, line: file.getLineAndCharacterOfPosition(name.getStart(file)).line + 1, name: name.text, kind: /^[\w.$]+$/.test(target) ? "assigned" : "assignedElsewhere" }));
        return ts.forEachChild(node, (child) => visit(child, [...scope, name.text], local));
      }
    }
    // Data of a class or a namespace, and objects, where they are assigned to a member.
    if (!local && ts.isBinaryExpression(node) && ts.isExpressionStatement(node.parent) && node.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(node.left)) {
      const target = node.left.expression.getText();
      if (/^[A-Z$][\w$]*(\.[\w$]+)?$/.test(target) || (/^[\w$]+(\.[\w$]+)?$/.test(target) && ts.isObjectLiteralExpression(node.right)))
        if (!/^(module\.)?exports$/.test(target) && !/^(prototype|exports)$/.test(node.left.name.text)) row(node.left.name, node.left.name.text, [target], "assignedData");
    }
    // Names by which traces call what a function gives back.
    if ((ts.isFunctionExpression(node) || ts.isClassExpression(node)) && node.name && ts.isReturnStatement(node.parent)) {
      row(node.name, node.name.text, scope, "returned");
      return ts.forEachChild(node, (child) => visit(child, [...scope, node.name.text], ts.isFunctionExpression(node)));
    }
    if (kind) {
      const found = nameOf(node);
      if (found) {
        const signature = ts.isPropertySignature(node) || ts.isMethodSignature(node);
        const inline = signature && !inDeclaredType(node, local) ? "inlineMember" : kind;
        const member = kind === "property" && isFunction(strip(node.initializer)) ? "functionProperty" : inline;
        row(found[1], found[0], scope, member);
      }
      if (kind === "constructor")
        for (const parameter of node.parameters)
          if (ts.isParameterPropertyDeclaration(parameter, node)) row(parameter.name, parameter.name.text, scope, "property");
      const inside = found ? [...scope, found[0]] : scope;
      const callable = ["function", "method", "accessor", "constructor"].includes(kind);
      return ts.forEachChild(node, (child) => visit(child, inside, local || callable));
    }
    ts.forEachChild(node, (child) => visit(child, scope, local || ts.isFunctionLike(node), literal));
  };
  visit(file, [], false);
  if (out.length) console.log(out.join("\n"));
}
