// graphql-js: types, fields, values, operations, fragments, directives.
const { parse } = require("graphql");
require("./lines.cjs").each((text, put) => {
  for (const node of parse(text).definitions) {
    if (!node.name) continue;
    put(node.name.loc.startToken.line, node.name.value, [], node.kind);
    for (const part of [...(node.fields || []), ...(node.values || [])]) put(part.name.loc.startToken.line, part.name.value, [node.name.value], node.values ? "value" : "field");
  }
});
