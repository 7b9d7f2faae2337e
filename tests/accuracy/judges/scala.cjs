// Scalameta: every definition; values in methods and blocks are left out.
const { parseSource } = require("scalameta-parsers");
const kinds = {
  "Defn.Class": "class", "Defn.Trait": "trait", "Defn.Object": "object", "Defn.Def": "def", "Decl.Def": "def", "Defn.Type": "type",
  "Decl.Type": "type", "Defn.Enum": "enum", "Defn.EnumCase": "case", "Pkg.Object": "packageObject", "Defn.Given": "given", "Defn.Macro": "def",
};
require("./lines.cjs").each((text, put) => {
  const tree = parseSource(text);
  if (tree.error) throw new Error(tree.error);
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const line = (node) => {
    let low = 0, high = starts.length;
    while (high - low > 1) { const middle = (low + high) >> 1; if (starts[middle] <= node.pos.start) low = middle; else high = middle; }
    return low + 1;
  };
  const visit = (node, scope, inside) => {
    if (!node || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach((each) => visit(each, scope, inside));
    const kind = kinds[node.type];
    if (kind && node.name && node.name.value) {
      put(line(node.name), node.name.value, scope, kind);
      const name = [...scope, node.name.value];
      if (kind === "class") for (const clause of (node.ctor && (node.ctor.paramClauses || node.ctor.paramss)) || [])
        for (const each of clause.values || clause) if ((each.mods || []).some((mod) => /ValParam|VarParam/.test(mod.type))) put(line(each.name), each.name.value, name, "parameter");
      return Object.entries(node).forEach(([key, value]) => key !== "pos" && visit(value, name, inside || kind === "def"));
    }
    const bound = node.type === "Defn.Val" && node.rhs && node.rhs.type === "Term.Function"; // a function, even in a method
    if (/^(Defn|Decl)\.(Val|Var)$/.test(node.type) && (!inside || bound))
      for (const part of node.pats || []) if (part.type === "Pat.Var") put(line(part), part.name.value, scope, bound ? "bound" : "value");
    if (["Term.Function", "Term.PartialFunction", "Term.Block", "Case"].includes(node.type)) inside = true;
    Object.entries(node).forEach(([key, value]) => key !== "pos" && visit(value, scope, inside || /^Defn\.(Val|Var)$/.test(node.type)));
  };
  visit(tree, [], false);
});
