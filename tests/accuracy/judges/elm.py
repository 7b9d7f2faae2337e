"""elm-format's parser: definitions, types, their variants and fields. The line of a variant is
searched in the text of its type."""

import json
import os
import re
import subprocess
import sys

ELM = os.path.join(os.environ.get("NODE_PATH", ""), "@avh4/elm-format-linux-x64/elm-format")


class Walk:
    def __init__(self, path: str, lines: list[str]) -> None:
        self.path, self.lines = path, lines

    def put(self, line: int, name: str, scope: str, kind: str) -> None:
        print(
            json.dumps(
                {"path": self.path, "line": line, "name": name, "container": scope, "kind": kind}
            )
        )

    def place(self, node: dict, pattern: str) -> int:
        """Returns the line of the first match of a pattern in a node."""
        first, last = node["sourceLocation"]["start"]["line"], node["sourceLocation"]["end"]["line"]
        return next(
            (
                number
                for number in range(first, last + 1)
                if re.search(pattern, self.lines[number - 1])
            ),
            first,
        )

    def fields(self, record: dict, scope: str) -> None:
        for name in record.get("fields", {}):
            self.put(self.place(record, rf"(?:[{{,]|^)\s*{name}\s*:"), name, scope, "field")

    def visit(self, node: dict) -> None:
        tag, name = node.get("tag"), node.get("name", "")
        if tag == "Definition":
            kind = "function" if node.get("parameters") else "value"
            self.put(self.place(node, rf"^{re.escape(name)}\b(?!\s*:)"), name, "", kind)
        elif tag == "TypeAlias":
            record = node.get("type", {})
            self.put(
                self.place(node, rf"\balias\s+{name}\b"),
                name,
                "",
                "record" if record.get("tag") == "RecordType" else "alias",
            )
            if record.get("tag") == "RecordType":
                self.fields(record, name)
        elif tag == "CustomType":
            self.put(self.place(node, rf"\btype\s+{name}\b"), name, "", "type")
            for variant in node["variants"]:
                self.put(
                    self.place(node, rf"(?:[=|]|^)\s*{variant['name']}\b"),
                    variant["name"],
                    name,
                    "variant",
                )
                for part in variant["parameterTypes"]:
                    if part.get("tag") == "RecordType":
                        self.fields(part, f"{name}.{variant['name']}")


def main() -> None:
    for path in sys.stdin.read().splitlines():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        done = subprocess.run(
            [ELM, "--json", "--stdin"], input=text, capture_output=True, text=True, check=False
        )
        if done.returncode:
            print(json.dumps({"path": path, "error": done.stdout[:80]}))
            continue
        walk, tree = Walk(path, text.split("\n")), json.loads(done.stdout)
        match = re.search(r"(?m)^(?:port |effect )?module\s+([\w.]+)", text)
        if match:
            walk.put(text.count("\n", 0, match.start(1)) + 1, match[1], "", "module")
        for declaration in tree["body"]:
            walk.visit(declaration)


main()
