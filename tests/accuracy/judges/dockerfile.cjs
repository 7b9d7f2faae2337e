// dockerfile-ast: stages, arguments and the environment.
const { DockerfileParser } = require("dockerfile-ast");
require("./lines.cjs").each((text, put) => {
  let stage = [];
  for (const each of DockerfileParser.parse(text).getInstructions()) {
    const word = each.getKeyword();
    if (word === "FROM") {
      const name = each.getBuildStage();
      if (name) put(each.getBuildStageRange().start.line + 1, name, [], "stage");
      stage = name ? [name] : [];
    }
    if (word === "ARG" || word === "ENV")
      for (const one of each.getProperties ? each.getProperties() : [each.getProperty()])
        if (one && one.getName()) put(one.getNameRange().start.line + 1, one.getName(), stage, word === "ARG" ? "argument" : "variable");
  }
});
