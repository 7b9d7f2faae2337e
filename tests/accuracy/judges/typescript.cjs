// The TypeScript compiler: the declarations that its parser finds, also for JavaScript.
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

// Returns a name in quotes. An escape stays as written, unless it is the number of a letter or a digit.
const spelled = (node) => node.getText().slice(1, -1).replace(/(?<!\\)\\u(?:\{([\da-f]{1,6})\}|([\da-f]{4}))/gi, (whole, wide, short) => {
  const letter = String.fromCodePoint(parseInt(wide || short, 16));
  return /[\p{L}\p{N}]/u.test(letter) ? letter : whole;
});
const computed = (node) => (ts.isComputedPropertyName(node.name) || ts.isNumericLiteral(node.name) ? "computed" : "");
const isLoop = (node) => ts.isForStatement(node) || ts.isForInStatement(node) || ts.isForOfStatement(node) || ts.isWhileStatement(node);

function nameOf(node) {
  const name = node.name;
  if (node.kind === K.Constructor) return ["constructor", node.getChildren().find((child) => child.kind === K.ConstructorKeyword) || node];
  if (!name) {
    const unnamed = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node), words = (unnamed && node.modifiers) || [];
    const at = words.find((word) => word.kind === K.DefaultKeyword);
    return at ? ["default", at] : null;
  }
  if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isNumericLiteral(name)) return [name.text, name];
  if (ts.isStringLiteralLike(name)) return [spelled(name), name];
  if (ts.isComputedPropertyName(name)) return [name.getText(), name];
  return null;
}

// Whether a member belongs to an object type that is an interface or an alias or part of its union or intersection, or that is the
// type of a member or a variable.
function inDeclaredType(node, local) {
  let at = node.parent;
  const through = [ts.isTypeLiteralNode, ts.isIntersectionTypeNode, ts.isUnionTypeNode, ts.isParenthesizedTypeNode, ts.isArrayTypeNode, ts.isPropertySignature];
  while (at && through.some((is) => is(at))) at = at.parent;
  return ts.isInterfaceDeclaration(at) || ts.isTypeAliasDeclaration(at) || ts.isPropertyDeclaration(at) || (!local && ts.isVariableDeclaration(at));
}

// Whether an object literal has a name: that of a variable, or of a member of a named object.
function named(object) {
  let at = object.parent;
  while (ts.isParenthesizedExpression(at) || ts.isAsExpression(at) || ts.isSatisfiesExpression(at)) at = at.parent;
  if (ts.isPropertyAssignment(at)) return named(at.parent);
  return ts.isVariableDeclaration(at) || ts.isExportAssignment(at) || ts.isBinaryExpression(at) || ts.isPropertyDeclaration(at);
}

// Returns how deep a member of an object is below the node that names the object; 0 if none does.
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

const suites = /^([fxd]?describe|[fx]?context|suite)(\.(?!add$|on$)|$)/, cases = /^([fx]?it|[fx]?test|x?specify)(\.|$)/;
function testOf(node) {
  if (!ts.isCallExpression(node) || node.arguments.length < 2) return null;
  const title = node.arguments[0];
  if (!ts.isStringLiteralLike(title) && !ts.isTemplateExpression(title)) return null;
  if (!node.arguments.slice(1).some(isFunction)) return null;
  const callee = node.expression.getText();
  return suites.test(callee) ? "suite" : cases.test(callee) ? "case" : null;
}
const titleOf = (node) => spelled(node).replace(/\s+/g, " ");

const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
const strip = (node) => {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || (ts.isSatisfiesExpression && ts.isSatisfiesExpression(node)))) node = node.expression;
  return node;
};

// Whether a function wraps a module: it is called in place, or passed to a function that is, or to a loader. A wrapper is only a fence:
// its declarations are as local as those next to it. If its value is a field of a class, it is an ordinary function.
const loaders = /^(define|require|requirejs|jQuery|\$)$/;
function isFence(node) {
  if (!isFunction(node) || !ts.isBlock(node.body)) return false;
  let at = node;
  while (ts.isParenthesizedExpression(at.parent)) at = at.parent;
  const member = ts.isPropertyAccessExpression(at.parent) && at.parent.expression === at;
  const called = member ? at.parent : at, call = called.parent;
  if (!ts.isCallExpression(call)) return false;
  if (call.expression === called) return !ts.isPropertyDeclaration(call.parent);
  if (member) return false;
  return isFunction(strip(call.expression)) || (ts.isIdentifier(call.expression) && loaders.test(call.expression.text));
}

// A function passed to one of these calls is the function that the call returns.
const keepers = /^(memo|forwardRef|observer|lazy|useCallback|debounce|throttle|memoize|memoizeOne|once|curry|cache|promisify|asyncHandler|catchAsync|expressAsyncHandler)$/;
function kept(value) {
  if (!value || !ts.isCallExpression(value) || !value.arguments.length) return false;
  const callee = value.expression, name = ts.isPropertyAccessExpression(callee) ? callee.name : callee, [first] = value.arguments;
  const inner = ts.isCallExpression(first) && first.arguments.length ? first.arguments[0] : first;
  return ts.isIdentifier(name) && keepers.test(name.text) && isFunction(inner);
}

// Whether a value is the result of a fence, whose content belongs to the scope around the statement.
function fenced(value) {
  if (value && ts.isBinaryExpression(value) && value.operatorToken.kind === K.EqualsToken) return true; // it has the name of the member
  if (value && ts.isBinaryExpression(value)) value = strip(value.right);
  if (!value || !ts.isCallExpression(value)) return false;
  const callee = strip(value.expression);
  return isFunction(callee) || (ts.isPropertyAccessExpression(callee) && isFunction(strip(callee.expression)));
}

// Whether a variable takes its value from another file: by a `require`, or a member of one, possibly in a compiler's wrapper.
const wrappers = /(^|\.)_*(interopRequire|interopNamespace|importDefault|importStar|toESM)\w*$/;
function isImport(value) {
  if (!value) return false;
  if (ts.isAwaitExpression(value)) return ts.isCallExpression(value.expression) && value.expression.expression.kind === K.ImportKeyword;
  while (ts.isPropertyAccessExpression(value)) value = value.expression;
  if (!ts.isCallExpression(value)) return false;
  if (ts.isIdentifier(value.expression) && value.expression.text === "require") return true;
  return wrappers.test(value.expression.getText()) && value.arguments.length > 0 && isImport(value.arguments[0]);
}

// The values that CommonJS exports, except those that only pass on a name or prepare one (`void 0`).
const exportedValues = [
  ts.isCallExpression, ts.isNewExpression, ts.isStringLiteralLike, ts.isTemplateExpression, ts.isNumericLiteral, ts.isArrayLiteralExpression,
  ts.isObjectLiteralExpression, ts.isRegularExpressionLiteral,
  (node) => ts.isBinaryExpression(node) && !ts.isAssignmentOperator(node.operatorToken.kind),
  (node) => node.kind === K.TrueKeyword || node.kind === K.FalseKeyword,
];

// Returns the container for a path of names: the object's own, without words for the class or the module.
function onto(scope, target) {
  const names = target.split(/\s*\.\s*/).filter((name) => name !== "prototype" && name !== "this");
  while (names[0] === "module" || names[0] === "exports") names.shift();
  return [...scope, ...names];
}
// Returns the object that a call of `extend` or `assign` extends, and the object with the new members.
function extendedBy(call) {
  if (!ts.isPropertyAccessExpression(call.expression) || !/^(extend|assign)$/.test(call.expression.name.text)) return null;
  const [first, second] = call.arguments;
  if (call.arguments.length === 1 && ts.isObjectLiteralExpression(first) && call.expression.name.text === "extend") return [call.expression.expression, first];
  const named = call.arguments.length === 2 && (ts.isIdentifier(first) || ts.isPropertyAccessExpression(first));
  return named && ts.isObjectLiteralExpression(second) ? [first, second] : null;
}
const handsOn = (value) => ts.isCallExpression(value) && value.arguments.some((each) => isFunction(each) || ts.isObjectLiteralExpression(each));
const handedOn = (node) => ts.isFunctionExpression(node) && ts.isCallExpression(node.parent) && node.parent.arguments.includes(node) && ts.isExpressionStatement(node.parent.parent);

// Returns the scripts of a component, at their places.
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
  const seen = new Set(); // variables declared again in the same place
  const once = (name, scope, kind) => {
    const key = [...scope, name].join("."), again = seen.has(key);
    seen.add(key);
    return again ? "again" : kind;
  };
  const bind = (pattern, scope, kind) => {
    if (ts.isIdentifier(pattern)) row(pattern, pattern.text, scope, once(pattern.text, scope, kind));
    else for (const part of pattern.elements) if (part.name) bind(part.name, scope, kind);
  };
  // local: whether the node is in a function's body, where values are not symbols
  const visit = (node, scope, local, literal) => {
    if (ts.isVariableDeclaration(node) && !ts.isCatchClause(node.parent)) {
      const value = strip(node.initializer);
      const list = node.parent, constant = (list.flags & ts.NodeFlags.Const) !== 0;
      if (isImport(node.initializer)) return;
      const inFor = list.parent && (ts.isForStatement(list.parent) || ts.isForInStatement(list.parent) || ts.isForOfStatement(list.parent));
      if (ts.isIdentifier(node.name)) {
        const either = value && ts.isBinaryExpression(value) && [K.BarBarToken, K.QuestionQuestionToken].includes(value.operatorToken.kind);
        const kind = isFunction(either ? strip(value.right) : value) || kept(value) ? "function" : value && ts.isClassExpression(value) ? "class" : constant ? "const" : "variable";
        if (!inFor && (!local || kind === "function" || kind === "class")) row(node.name, node.name.text, scope, kind === "variable" || kind === "const" ? once(node.name.text, scope, kind) : kind);
        const own = local && kind !== "function" && kind !== "class"; // a value in a function is not a symbol, and qualifies nothing
        const inside = own || fenced(value) ? scope : [...scope, node.name.text];
        return ts.forEachChild(node, (child) => visit(child, inside, local, !local));
      }
      if (!local && !inFor) bind(node.name, scope, constant ? "const" : "variable");
    }
    const kind = kinds[node.kind];
    if (kind && node.kind !== K.Constructor && ts.isObjectLiteralExpression(node.parent || node)) {
      const found = nameOf(node); // a method of an object
      if (found) row(found[1], found[0], scope, computed(node) || (named(node.parent) ? "objectMethod" : "unnamedObject"));
      return ts.forEachChild(node, (child) => visit(child, found && !computed(node) ? [...scope, found[0]] : scope, true));
    }
    if (ts.isPropertyAssignment(node)) {
      const found = nameOf(node), value = strip(node.initializer);
      if (found && isFunction(value)) row(found[1], found[0], scope, computed(node) || (named(node.parent) ? "objectFunction" : "unnamedObject"));
      else if (found && !local && !ts.isComputedPropertyName(node.name) && !ts.isNumericLiteral(node.name)) {
        const deep = depth(node.parent); // data counts two levels deep in a variable, one level elsewhere
        if ((deep === 1 || deep === 2) && found[0] !== "__proto__") row(found[1], found[0], scope, "data");
      }
      const holds = value && (ts.isObjectLiteralExpression(value) || isFunction(value) || ts.isClassExpression(value));
      return ts.forEachChild(node, (child) => visit(child, found && holds && !computed(node) ? [...scope, found[0]] : scope, local, literal));
    }
    const test = testOf(node);
    if (test) {
      const title = titleOf(node.arguments[0]);
      if (title.trim()) row(node.arguments[0], title, scope, test);
      return ts.forEachChild(node, (child) => visit(child, title.trim() ? [...scope, title] : scope, local || test === "case"));
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken && ts.isIdentifier(node.left)) {
      const value = strip(node.right);
      if (isFunction(value) || ts.isClassExpression(value)) {
        row(node.left, node.left.text, scope, isFunction(value) ? "function" : "class");
        return ts.forEachChild(node, (child) => visit(child, [...scope, node.left.text], local));
      }
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(node.left)) {
      const value = strip(node.right), target = node.left.expression.getText();
      const name = target === "module" && value.name ? value.name : node.left.name; // an export of a module has its own name
      if (isFunction(value) || (value && ts.isClassExpression(value))) {
        const path = /^[\w.$]+$/.test(target), on = onto(scope, target);
        row(name, name.text, path ? on : scope, path ? "assigned" : "assignedElsewhere");
        return ts.forEachChild(node, (child) => visit(child, path ? [...on, name.text] : scope, local));
      }
    }
    if (!local && ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(node.left)) {
      const exports = /^(module\.)?exports$/.test(node.left.expression.getText());
      if (exports && exportedValues.some((is) => is(node.right)) && !isImport(node.right)) row(node.left.name, node.left.name.text, scope, "exported");
    }
    if (!local && ts.isCallExpression(node) && node.arguments.length === 3 && /\.defineProperty$/.test(node.expression.getText())) {
      const [target, name, how] = node.arguments, on = target.getText();
      if (/^[\w$]+(\.[\w$]+)*$/.test(on) && !/^(module\.)?exports$/.test(on) && ts.isStringLiteralLike(name) && ts.isObjectLiteralExpression(how))
        row(name, name.text, [on.replace(/\.prototype$/, "")], "defined");
    }
    if (ts.isExportAssignment(node) && !node.isExportEquals) {
      const value = strip(node.expression), at = node.getChildren().find((child) => child.kind === K.DefaultKeyword);
      if (isFunction(value) || ts.isClassExpression(value) || ts.isObjectLiteralExpression(value) || handsOn(value)) row(at, "default", scope, "default");
    }
    // Data of a class or a namespace, and objects, if they are assigned to a member.
    if (!local && ts.isBinaryExpression(node) && ts.isExpressionStatement(node.parent) && node.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(node.left)) {
      const target = node.left.expression.getText();
      if (/^[A-Z$][\w$]*(\.[\w$]+)?$/.test(target) || /^[\w$.]+\.prototype$/.test(target) || (/^[\w$]+(\.[\w$]+)?$/.test(target) && ts.isObjectLiteralExpression(node.right)))
        if (!/^(module\.)?exports$/.test(target) && !/^(prototype|exports)$/.test(node.left.name.text)) row(node.left.name, node.left.name.text, onto(scope, target), "assignedData");
    }
    // An object that is assigned to a member is named by its path; one that is the default export is named `default`.
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken && ts.isPropertyAccessExpression(node.left) && ts.isObjectLiteralExpression(strip(node.right))) {
      const whole = onto(scope, node.left.getText());
      return ts.forEachChild(node.right, (child) => visit(child, whole, local));
    }
    if (ts.isExportAssignment(node) && !node.isExportEquals && (ts.isObjectLiteralExpression(strip(node.expression)) || handsOn(strip(node.expression)) || isFunction(strip(node.expression))))
      return ts.forEachChild(node, (child) => visit(child, [...scope, "default"], local));
    // Objects that `extend` and similar calls add to another one are named by its path, too.
    const extended = ts.isCallExpression(node) && ts.isExpressionStatement(node.parent) && extendedBy(node);
    if (extended) {
      const whole = onto(scope, extended[0].getText());
      return ts.forEachChild(node, (child) => visit(child, child === extended[1] ? whole : scope, local));
    }
    // Names that traces show for values which a function returns or a statement passes on.
    if ((ts.isFunctionExpression(node) || ts.isClassExpression(node)) && node.name && (ts.isReturnStatement(node.parent) || handedOn(node) || (ts.isClassExpression(node) && (ts.isArrowFunction(node.parent) || ts.isParenthesizedExpression(node.parent))))) {
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
      return ts.forEachChild(node, (child) => visit(child, ts.isParameter(child) ? scope : inside, local || callable));
    }
    ts.forEachChild(node, (child) => visit(child, scope, local || (ts.isFunctionLike(node) && !isFence(node)) || (isLoop(node) && ts.isBlock(child)), literal));
  };
  visit(file, [], false);
  if (out.length) console.log(out.join("\n"));
}
