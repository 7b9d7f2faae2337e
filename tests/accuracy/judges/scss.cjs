// postcss-scss: mixins, functions, variables; classes, ids and placeholders that are written out in selectors.
const scss = require("postcss-scss");
require("./lines.cjs").each((text, put) => {
  scss.parse(text).walk((node) => {
    const line = node.source.start.line;
    if (node.type === "atrule" && /^(mixin|function)$/.test(node.name)) put(line, node.params.match(/^[\w-]+/)[0], null, node.name);
    if (node.type === "atrule" && /keyframes$/.test(node.name) && !/#\{/.test(node.params)) put(line, node.params, null, "keyframes");
    if (node.type === "decl" && node.prop.startsWith("$")) {
      let at = node.parent, inside = false;
      for (; at; at = at.parent) inside = inside || (at.type === "atrule" && /^(mixin|function)$/.test(at.name));
      if (!inside) put(line, node.prop.slice(1), null, node.parent.type === "root" ? "variable" : "innerVariable");
    }
    if (node.type === "decl" && node.prop.startsWith("--") && !/#\{/.test(node.prop)) put(line, node.prop, null, "property");
    if (node.type === "rule") {
      let at = line;
      for (const part of node.selector.replace(/#\{[^}]*\}/g, "\0").split("\n")) {
        for (const found of part.matchAll(/([.#%])(-?[A-Za-z_][\w-]*)(?!\0)/g))
          if (part[found.index + found[0].length] !== "\0") put(at, found[2], null, { ".": "class", "#": "id", "%": "placeholder" }[found[1]]);
        at++;
      }
    }
  });
});
