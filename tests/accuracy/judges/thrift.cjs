// @creditkarma/thrift-parser: every definition and its members.
console.log = console.warn = console.error = () => {};
const { parse } = require("@creditkarma/thrift-parser");
const kinds = {
  StructDefinition: "struct", UnionDefinition: "union", ExceptionDefinition: "exception", ServiceDefinition: "service",
  EnumDefinition: "enum", ConstDefinition: "const", TypedefDefinition: "typedef",
};
require("./lines.cjs").each((text, put) => {
  const tree = parse(text);
  if (tree.type === "ThriftErrors") throw new Error("syntax");
  for (const node of tree.body) {
    if (!kinds[node.type]) continue;
    const name = node.name.value;
    put(node.name.loc.start.line, name, null, kinds[node.type]);
    for (const each of node.fields || []) put(each.name.loc.start.line, each.name.value, [name], "field");
    for (const each of node.members || []) put(each.name.loc.start.line, each.name.value, [name], "member");
    for (const each of node.functions || []) put(each.name.loc.start.line, each.name.value, [name], "function");
  }
});
