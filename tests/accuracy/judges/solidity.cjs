// @solidity-parser/parser: contracts and their members.
const { parse } = require("@solidity-parser/parser");
const kinds = {
  FunctionDefinition: "function", ModifierDefinition: "modifier", EventDefinition: "event", StructDefinition: "struct",
  EnumDefinition: "enum", CustomErrorDefinition: "error", TypeDefinition: "type",
};
require("./lines.cjs").each((text, put) => {
  const visit = (node, scope) => {
    if (node.type === "ContractDefinition") {
      put(node.loc.start.line, node.name, scope, node.kind);
      return node.subNodes.forEach((each) => visit(each, [...scope, node.name]));
    }
    const kind = kinds[node.type];
    if (kind) put(node.loc.start.line, node.isConstructor ? "constructor" : node.isReceiveEther ? "receive" : node.isFallback ? "fallback" : node.name, scope, node.isConstructor ? "constructor" : kind);
    for (const member of node.members || []) put(member.loc.start.line, member.name, [...scope, node.name], node.type === "EnumDefinition" ? "enumValue" : "field");
    for (const variable of node.type === "StateVariableDeclaration" ? node.variables : []) put(variable.identifier.loc.start.line, variable.name, scope, "variable");
    if (node.type === "FileLevelConstant") put(node.loc.start.line, node.name, scope, "variable");
  };
  parse(text, { loc: true }).children.forEach((each) => visit(each, []));
});
