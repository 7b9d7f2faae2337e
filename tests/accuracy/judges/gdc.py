"""gdc: every declaration of a D module, as the compiler describes it in JSON."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SCOPES = {"class", "struct", "interface", "union", "enum", "template", "mixin"}
KINDS = SCOPES | {"function", "constructor", "destructor", "variable", "enum member", "alias"}


def walk(path: str, members: list, scope: list[str], outer: str) -> None:
    for each in members:
        kind, name = each.get("kind"), each.get("name", "")
        if kind == "template":  # what bears its name is listed inside it
            inner = [one for one in each.get("members", []) if one.get("name") == name]
            for one in inner or [each]:
                one = {**one, "line": one.get("line", each.get("line"))}
                walk(path, [{**one, "kind": one["kind"] if one["kind"] != "template" else "eponymous"}], scope, outer)
            continue
        shown = kind in KINDS and name and not name.startswith("__") and "line" in each
        if shown or kind == "eponymous":
            kind = "field" if kind == "variable" and outer in SCOPES else kind
            print(json.dumps({"path": path, "line": each["line"], "name": name, "container": None, "kind": kind}))
        if kind in SCOPES and "members" in each:
            walk(path, each["members"], [*scope, name], kind)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.stdin.read().splitlines():
            out = Path(folder) / "out.json"
            command = ["gdc", "-fsyntax-only", "-Xf", str(out), path]
            done = subprocess.run(command, capture_output=True, check=False, cwd=folder)
            if done.returncode or not out.exists():
                print(json.dumps({"path": path, "error": done.stderr.decode("utf-8", "replace")[:100]}))
                continue
            for module in json.loads(out.read_text()):
                walk(path, module.get("members", []), [], "module")


main()
