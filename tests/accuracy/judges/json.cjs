// jsonc-parser: keys to a depth of three, and ids of operations.
const { parseTree } = require("jsonc-parser");
require("./lines.cjs").each((text, put) => {
  const errors = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (!tree || errors.length) throw new Error("syntax");
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const line = (offset) => {
    let low = 0, high = starts.length;
    while (high - low > 1) { const middle = (low + high) >> 1; if (starts[middle] <= offset) low = middle; else high = middle; }
    return low + 1;
  };
  const visit = (node, scope) => {
    for (const { children: [key, value] } of node.children || []) {
      put(line(key.offset), key.value, scope, "key");
      if (value && value.type === "object" && scope.length < 2) visit(value, [...scope, key.value]);
    }
  };
  if (tree.type === "object") visit(tree, []);
});
