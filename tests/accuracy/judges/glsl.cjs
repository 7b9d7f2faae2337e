// @shaderfrog/glsl-parser: structs, blocks, variables of the file and functions; macros by their lines.
const { parser } = require("@shaderfrog/glsl-parser");
const { visit } = require("@shaderfrog/glsl-parser/ast");
require("./lines.cjs").each((text, put) => {
  // To this parser, lines of the preprocessor are not GLSL.
  const bare = text.replace(/^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*/gm, (found) => found.replace(/[^\n]/g, " "));
  for (const found of text.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)\b(\(?)[ \t]*(?=[^\s/])/gm))
    put(text.slice(0, found.index).split("\n").length, found[1], [], found[2] ? "macro" : "constant");
  const tree = parser.parse(bare, { quiet: true, includeLocation: true, stage: "fragment" });
  const at = (node) => node.location.start.line;
  const fields = (list, scope) => {
    for (const each of list) for (const one of (each.declaration || each).quantified || []) put(at(one.identifier), one.identifier.identifier, scope, "field");
  };
  const struct = (node) => {
    if (!node || node.type !== "struct") return;
    put(at(node.typeName || node), node.typeName && node.typeName.identifier, [], "struct");
    for (const each of node.declarations || []) for (const one of each.declaration.declarations || []) put(at(one.identifier), one.identifier.identifier, [node.typeName.identifier], "field");
  };
  for (const node of tree.program) {
    if (node.type === "function") put(at(node.prototype.header.name), node.prototype.header.name.identifier, [], "function");
    if (node.type !== "declaration_statement") continue;
    const each = node.declaration;
    if (each.type === "function_prototype" || (each.type === "function" && each.header)) put(at(each.header.name), each.header.name.identifier, [], "prototype");
    if (each.type === "interface_declarator") {
      put(at(each.interface_type), each.interface_type.identifier, [], "block");
      for (const one of each.declarations) for (const name of one.declaration.declarations || []) put(at(name.identifier), name.identifier.identifier, [each.interface_type.identifier], "field");
      if (each.identifier) put(at(each.identifier.identifier || each.identifier), (each.identifier.identifier || each.identifier).identifier, [], "variable");
    }
    if (each.type === "declarator_list") {
      struct(each.specified_type.specifier.specifier || each.specified_type.specifier);
      for (const one of each.declarations) put(at(one.identifier), one.identifier.identifier, [], "variable");
    }
  }
});
