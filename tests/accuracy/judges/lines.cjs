// Code that the judges from npm share: paths in, lines of JSON out.
const fs = require("fs");
exports.each = (judge) => {
  for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const out = [];
    const put = (line, name, scope, kind) =>
      name && out.push(JSON.stringify({ path, line, name, container: scope === null ? undefined : scope.join("."), kind }));
    try {
      judge(fs.readFileSync(path, "utf8"), put, path);
    } catch (error) {
      out.length = 0;
      out.push(JSON.stringify({ path, error: String(error.message).slice(0, 100) }));
    }
    if (out.length) process.stdout.write(out.join("\n") + "\n");
  }
};
