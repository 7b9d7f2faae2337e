"""ptsd, a parser of Thrift's own grammar: types, their fields, constants, services and their
functions."""

import json
import sys

from ptsd import ast
from ptsd.parser import Parser

KINDS = {
    ast.Typedef: "typedef", ast.Enum: "enum", ast.Senum: "senum", ast.Const: "const", ast.Struct: "struct",
    ast.Exception_: "exception", ast.Service: "service", ast.Function: "function", ast.Field: "field", ast.EnumDef: "value",
}  # fmt: skip


def put(path: str, text: str, node: ast.Node, scope: str) -> None:
    line = text.count("\n", 0, node.name._lexspan[0]) + 1
    print(
        json.dumps(
            {
                "path": path,
                "line": line,
                "name": node.name.value,
                "container": scope,
                "kind": KINDS[type(node)],
            }
        )
    )
    if isinstance(node, ast.Enum | ast.Struct | ast.Exception_ | ast.Service):
        members = (
            getattr(node, "values", None)
            or getattr(node, "fields", None)
            or getattr(node, "functions", None)
            or []
        )
        for member in members:
            if type(member) in KINDS:
                put(path, text, member, node.name.value)


def main() -> None:
    parser = Parser()
    for path in sys.stdin.read().splitlines():
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        try:
            tree = parser.parse(text)
        except Exception as error:
            print(json.dumps({"path": path, "error": f"{type(error).__name__} {error}"[:80]}))
            continue
        for definition in tree.body:
            if type(definition) in KINDS:
                put(path, text, definition, "")


main()
