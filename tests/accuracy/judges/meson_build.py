"""Meson's own parser: the first assignment of each name, targets, tests, projects and options."""

import json
import sys

from mesonbuild import mparser

TARGETS = [
    "executable",
    "library",
    "shared_library",
    "static_library",
    "build_target",
    "both_libraries",
    "shared_module",
    "jar",
    "custom_target",
    "run_target",
    "alias_target",
]


class Walk:
    def __init__(self, path: str) -> None:
        self.path = path

        self.seen: set[str] = set()

    def put(self, node: object, name: str, kind: str) -> None:
        if kind == "variable" and name in self.seen:
            return
        self.seen.add(name)
        print(json.dumps({"path": self.path, "line": node.lineno, "name": name, "kind": kind}))

    def visit(self, node: object) -> None:
        if type(node) is mparser.AssignmentNode:
            self.put(
                node,
                node.var_name if isinstance(node.var_name, str) else node.var_name.value,
                "variable",
            )
        if isinstance(node, mparser.FunctionNode):
            called = node.func_name if isinstance(node.func_name, str) else node.func_name.value
            first = node.args.arguments[:1]
            if (
                first
                and isinstance(first[0], mparser.StringNode)
                and called in (*TARGETS, "project", "option", "test", "benchmark")
            ):
                kind = called if called in ("project", "option") else "target"
                self.put(first[0], first[0].value, kind)
        for value in vars(node).values():
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, mparser.BaseNode):
                    self.visit(child)
        for child in (
            getattr(getattr(node, "args", None), "kwargs", {}).values()
            if isinstance(node, mparser.FunctionNode)
            else ()
        ):
            self.visit(child)


def main() -> None:
    for path in sys.stdin.read().splitlines():
        try:
            with open(path, encoding="utf-8") as file:
                block = mparser.Parser(file.read(), path).parse()
        except Exception as error:
            print(json.dumps({"path": path, "error": str(error)[:80]}))
            continue
        Walk(path).visit(block)


main()
