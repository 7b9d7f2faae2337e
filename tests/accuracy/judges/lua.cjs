// luaparse: functions by the names that they are bound to, and values of the file, except declarations in a block and new
// assignments to a local.
const lua = require("luaparse");
require("./lines.cjs").each((text, put) => {
  const ast = lua.parse(Buffer.from(text).toString("latin1").replace(/^#![^\n]*/, ""), { locations: true, luaVersion: "5.3", encodingMode: "pseudo-latin1", scope: true });
  const dotted = (node) => node.type === "Identifier" ? [node.name] : node.type === "MemberExpression" ? [...dotted(node.base), node.identifier.name] : [null];
  const target = (node, kind, local) => {
    const names = dotted(node), last = node.type === "MemberExpression" ? node.identifier : node;
    if (names.includes(null)) return;
    put(last.loc.start.line, names[names.length - 1], null, names.length > 1 && kind === "function" ? "method" : names.length > 1 ? "field" : kind);
  };
  const isNew = (node) => node.type !== "Identifier" || !node.isLocal;
  const blocks = new Set(["DoStatement", "IfClause", "ElseifClause", "ElseClause", "ForNumericStatement", "ForGenericStatement", "WhileStatement", "RepeatStatement"]);
  const visit = (node, inside, block) => {
    if (!node || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach((each) => visit(each, inside, block));
    if (node.type === "FunctionDeclaration") {
      if (node.identifier) target(node.identifier, "function");
      return visit(node.body, true, true);
    }
    if (node.type === "LocalStatement" || node.type === "AssignmentStatement")
      node.variables.forEach((each, index) => {
        const value = node.init[index];
        const isFunction = value && value.type === "FunctionDeclaration";
        if (isFunction) target(each, "function");
        else if (!inside && (node.type === "LocalStatement" ? !block : isNew(each))) target(each, node.type === "LocalStatement" ? "local" : "global");
      });
    if (node.type === "TableKeyString") {
      if (node.value.type === "FunctionDeclaration") put(node.key.loc.start.line, node.key.name, null, "tableFunction");
      else if (!inside) put(node.key.loc.start.line, node.key.name, null, "tableField");
    }
    for (const [key, value] of Object.entries(node)) if (key !== "loc") visit(value, inside || node.type === "FunctionDeclaration", block || blocks.has(node.type));
  };
  visit(ast.body, false, false);
});
