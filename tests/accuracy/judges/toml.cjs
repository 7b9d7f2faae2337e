// toml-eslint-parser: tables and the keys of tables; keys of inline tables are values.
const { parseTOML } = require("toml-eslint-parser");
require("./lines.cjs").each((text, put) => {
  // Escapes stay as written.
  const words = (key) => key.keys.map((each) => (each.type === "TOMLBare" ? each.name : text.slice(each.range[0] + 1, each.range[1] - 1)));
  const [top] = parseTOML(text).body;
  const pair = (each, scope) => {
    const names = words(each.key);
    put(each.key.keys[names.length - 1].loc.start.line, names[names.length - 1], [...scope, ...names.slice(0, -1)], "key");
  };
  for (const each of top.body) {
    if (each.type === "TOMLKeyValue") { pair(each, []); continue; }
    const names = words(each.key), last = each.key.keys[names.length - 1];
    put(last.loc.start.line, names[names.length - 1], names.slice(0, -1), "table");
    each.body.forEach((one) => pair(one, names));
  }
});
