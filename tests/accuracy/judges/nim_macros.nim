## Nim's own parser, by `parseStmt`: routines, types and their members, values of the module; definitions in routines.
import macros, strutils

const list {.strdefine.} = ""

var
  out0 {.compileTime.}: seq[string]
  base {.compileTime.}: int
  path {.compileTime.}: string

proc quoted(text: string): string {.compileTime.} = "\"" & text.multiReplace(("\\", "\\\\"), ("\"", "\\\""), ("\n", " "), ("\t", " ")) & "\""

proc name(node: NimNode): tuple[text: string, line: int] {.compileTime.} =
  case node.kind
  of nnkPostfix: result = name(node[1])
  of nnkPragmaExpr, nnkPar: result = name(node[0])
  of nnkAccQuoted:
    for each in node: result.text.add each.strVal
    result.line = node[0].lineInfoObj.line - base
  of nnkIdent, nnkSym, nnkStrLit, nnkTripleStrLit: result = (node.strVal, node.lineInfoObj.line - base)
  else: discard

proc put(node: NimNode, scope: seq[string], kind: string) {.compileTime.} =
  let (text, line) = name(node)
  if text.len > 0 and text != "_":
    out0.add "{\"path\": " & quoted(path) & ", \"line\": " & $line & ", \"name\": " & quoted(text) & ", \"container\": " &
      quoted(scope.join(".")) & ", \"kind\": \"" & kind & "\"}"

proc fields(node: NimNode, scope: seq[string]) {.compileTime.} =
  case node.kind
  of nnkIdentDefs:
    for each in node[0 ..< node.len - 2]: put(each, scope, "field")
  of nnkEmpty, nnkNilLit: discard
  else:
    for each in node: fields(each, scope)

proc body(node: NimNode): NimNode {.compileTime.} =
  result = node
  while result.kind in {nnkRefTy, nnkPtrTy, nnkDistinctTy} and result.len > 0: result = result[0]

proc visit(node: NimNode, scope: seq[string], inside: bool) {.compileTime.} =
  case node.kind
  of nnkProcDef, nnkFuncDef, nnkMethodDef, nnkIteratorDef, nnkConverterDef, nnkTemplateDef, nnkMacroDef:
    put(node[0], scope, case node.kind
      of nnkMethodDef: "method"
      of nnkTemplateDef, nnkMacroDef: "macro"
      else: "routine")
    visit(node[6], scope & name(node[0]).text, true)
  of nnkTypeDef:
    let inner = body(node[2])
    put(node[0], scope, case inner.kind
      of nnkObjectTy: "object"
      of nnkTupleTy: "object"
      of nnkEnumTy: "enum"
      of nnkTypeClassTy: "concept"
      else: "type")
    let below = scope & name(node[0]).text
    if inner.kind == nnkObjectTy: fields(inner[2], below)
    if inner.kind == nnkTupleTy: fields(inner, below)
    if inner.kind == nnkEnumTy:
      for each in inner:
        put(if each.kind == nnkEnumFieldDef: each[0] else: each, below, "enumField")
  of nnkConstSection, nnkVarSection, nnkLetSection:
    if not inside:
      for each in node:
        if each.kind in {nnkIdentDefs, nnkConstDef, nnkVarTuple}:
          for one in each[0 ..< each.len - 2]: put(one, scope, if node.kind == nnkConstSection: "const" else: "var")
  of nnkStmtList, nnkWhenStmt, nnkElifBranch, nnkElse, nnkTypeSection, nnkIfStmt, nnkElifExpr, nnkElseExpr, nnkBlockStmt,
      nnkForStmt, nnkWhileStmt, nnkTryStmt, nnkExceptBranch, nnkFinally, nnkCaseStmt, nnkOfBranch, nnkPragmaBlock, nnkStaticStmt:
    let local = inside or node.kind in {nnkBlockStmt, nnkForStmt, nnkWhileStmt}
    for each in node: visit(each, scope, local)
  of nnkCall, nnkCommand:
    if node.len > 2 and node[0].kind == nnkIdent and node[^1].kind == nnkStmtList and node[1].kind == nnkStrLit and
        (node[0].strVal == "suite" or node[0].strVal == "test"):
      put(node[1], scope, node[0].strVal)
      visit(node[^1], scope & node[1].strVal, node[0].strVal == "test")
    elif node[^1].kind == nnkStmtList: visit(node[^1], scope, inside or node[0].repr == "runnableExamples")
  else: discard

proc judge() {.compileTime.} =
  for each in staticRead(list).splitLines:
    if each.len == 0: continue
    path = each
    out0 = @[]
    try:
      let tree = parseStmt("discard\n" & staticRead(each))
      base = tree[0].lineInfoObj.line
      visit(tree, @[], false)
      if out0.len > 0: echo out0.join("\n")
    except ValueError:
      echo "{\"path\": " & quoted(path) & ", \"error\": \"syntax\"}"

static: judge()
