// unified-latex: sections, macros, environments, theorems and labels.
const { getParser } = require("@unified-latex/unified-latex-util-parse");
const levels = /^(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)$/;
const commands = /^(new|renew|provide)command$|^DeclareRobustCommand$|^DeclareMathOperator$|^(New|Renew|Provide|Declare)DocumentCommand$/;
require("./lines.cjs").each((text, put, path) => {
  const raw = (nodes) => text.slice(nodes[0].position.start.offset, nodes[nodes.length - 1].position.end.offset).replace(/\s+/g, " ").trim();
  const visit = (nodes) => {
    nodes.forEach((node, at) => {
      const filled = (node.args || []).filter((each) => each.openMark === "{" && each.content.length && each.content[0].position);
      const first = filled[0] && filled[0].content, last = filled.length && filled[filled.length - 1].content;
      const line = (list) => list[0].position.start.line;
      if (node.type === "macro" && typeof node.content === "string") {
        const name = node.content;
        if (levels.test(name) && last && !/^\\(@|def\b)/.test(raw(last))) put(line(last), raw(last), null, "section");
        else if (commands.test(name) && first && first[0].type === "macro") put(line(first), first[0].content, null, "macro");
        else if (/^(new|renew)(environment|theorem)$|^(New|Renew|Provide|Declare)DocumentEnvironment$/.test(name) && first) put(line(first), raw(first), null, "environment");
        else if (name === "newcounter" && first) put(line(first), raw(first), null, "counter");
        else if (name === "label" && first) put(line(first), raw(first), null, "label");
        else if (/^([egx]?def|let)$/.test(name) || commands.test(name)) {
          let next = nodes.slice(at + 1, at + 6).find((each) => each.type !== "whitespace" && each.content !== "*");
          if (next && next.type === "group") next = next.content[0];
          // After these macros, the name is computed.
          if (next && next.type === "macro" && !/^(csname|expandafter|noexpand|string)$/.test(next.content)) put(next.position.start.line, next.content, null, "macro");
        }
      }
      for (const each of node.args || []) visit(each.content);
      if (Array.isArray(node.content)) visit(node.content);
    });
  };
  // In packages, `@` is a letter.
  visit(getParser({ flags: { atLetter: /\.(sty|cls|def|clo|ltx|fd|cfg)$/.test(path), autodetectExpl3AndAtLetter: true } }).parse(text).content);
});
