// parse5, which follows the standard: ids, anchors with a name, and landmarks.
const { parse } = require("parse5");
const landmarks = new Set(["main", "nav", "header", "footer", "aside", "search"]);
require("./lines.cjs").each((text, put) => {
  const visit = (node) => {
    const place = node.sourceCodeLocation && (node.sourceCodeLocation.startTag || node.sourceCodeLocation);
    if (place && node.attrs) {
      if (landmarks.has(node.tagName)) put(place.startLine, node.tagName, null, "landmark");
      for (const each of node.attrs) {
        const at = (place.attrs || {})[each.name];
        if (at && each.name === "id") put(at.startLine, each.value, null, "id");
        if (at && each.name === "name" && node.tagName === "a") put(at.startLine, each.value, null, "anchor");
      }
    }
    for (const child of [...(node.childNodes || []), ...(node.content ? [node.content] : [])]) visit(child);
  };
  visit(parse(text, { sourceCodeLocationInfo: true }));
});
