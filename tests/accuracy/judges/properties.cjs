// dot-properties: keys.
const { parseLines } = require("dot-properties");
require("./lines.cjs").each((text, put) => {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const line = (offset) => {
    let low = 0, high = starts.length;
    while (high - low > 1) { const middle = (low + high) >> 1; if (starts[middle] <= offset) low = middle; else high = middle; }
    return low + 1;
  };
  // A pair ends with its value, which may continue over several lines; escapes stay as written.
  for (const each of parseLines(text, true))
    if (each.type === "PAIR" || (each.key !== undefined && each.range)) put(line(each.range[0]), text.slice(each.range[0]).match(/^\s*((?:\\[\s\S]|[^\s:=\\])*)/)[1], [], "key");
});
