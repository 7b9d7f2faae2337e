// wgsl_reflect: structs and their members, functions, values and aliases of the file.
import(process.env.NODE_PATH + "/wgsl_reflect/wgsl_reflect.module.js").then(({ WgslParser }) => {
  require("./lines.cjs").each((text, put) => {
    for (const each of new WgslParser().parse(text)) {
      if (!each.name || !/^(struct|alias|const|let|override|var|function)$/.test(each.astNodeType)) continue;
      put(each.line, each.name, [], each.astNodeType);
      for (const member of each.astNodeType === "struct" ? each.members : []) put(member.line, member.name, [each.name], "member");
    }
  });
});
