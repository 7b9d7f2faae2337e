// css-tree: classes and ids of selectors, custom properties, keyframes.
const tree = require("css-tree");
require("./lines.cjs").each((text, put) => {
  const ast = tree.parse(text, { positions: true, parseCustomProperty: false, onParseError: () => {} });
  const selector = (node) => tree.walk(node, (part) => {
    if (part.type === "ClassSelector") put(part.loc.start.line, part.name.replace(/\\(.)/g, "$1"), null, "class");
    if (part.type === "IdSelector") put(part.loc.start.line, part.name, null, "id");
  });
  tree.walk(ast, function (node) {
    const rule = node.type === "Rule" && node.prelude.type === "SelectorList" && !(this.atrule && /keyframes$/.test(this.atrule.name));
    if (rule) selector(node.prelude);
    if (rule && node.type === "Rule" && node.prelude.type === "SelectorList")
      node.prelude.children.forEach((each) => {
        if (each.children.size === 1 && each.children.first.type === "TypeSelector" && each.children.first.name !== "*") put(each.loc.start.line, each.children.first.name, null, "element");
      });
    if (node.type === "Declaration" && node.property.startsWith("--")) put(node.loc.start.line, node.property, null, "variable");
    if (node.type === "Atrule" && /keyframes$/.test(node.name) && node.prelude) put(node.loc.start.line, tree.generate(node.prelude), null, "keyframes");
  });
});
