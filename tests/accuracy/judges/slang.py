"""slang: modules, packages, classes, functions, types, parameters, ports, nets and variables of
SystemVerilog."""

import json
import sys

import pyslang

KINDS = {
    "ModuleDeclaration": "module", "InterfaceDeclaration": "interface", "PackageDeclaration": "package",
    "ProgramDeclaration": "program", "ClassDeclaration": "class", "TypedefDeclaration": "typedef",
    "FunctionDeclaration": "function", "TaskDeclaration": "task",
}  # fmt: skip


def read(path: str) -> None:
    syntax = getattr(pyslang, "syntax", pyslang)
    tree = syntax.SyntaxTree.fromFile(path)
    tree = tree[0] if isinstance(tree, tuple) else tree
    manager = tree.sourceManager
    if any(diagnostic.isError() for diagnostic in tree.diagnostics):
        print(json.dumps({"path": path, "error": "syntax"}))
        return

    def put(token: object, kind: str) -> None:
        name = token.valueText
        location = token.location
        if (
            name
            and not manager.isMacroLoc(location)
            and manager.getFileName(location).endswith(path.rpartition("/")[2])
        ):
            print(
                json.dumps(
                    {
                        "path": path,
                        "line": manager.getLineNumber(location),
                        "name": name,
                        "kind": kind,
                    }
                )
            )

    def visit(node: object) -> None:
        kind = str(getattr(node, "kind", "")).rpartition(".")[2]
        if kind not in KINDS:
            return
        if hasattr(node, "header"):
            put(node.header.name, KINDS[kind])
        elif hasattr(node, "prototype"):
            name = node.prototype.name
            put(
                name.identifier if hasattr(name, "identifier") else name.getLastToken(), KINDS[kind]
            )
        else:
            put(node.name, KINDS[kind])

    tree.root.visit(visit)


def main() -> None:
    for path in sys.stdin.read().splitlines():
        read(path)


main()
