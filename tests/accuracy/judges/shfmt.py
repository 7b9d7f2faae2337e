"""shfmt (mvdan.cc/sh): functions, aliases, and the first assignment of each name outside functions,
loops and subshells."""

import json
import subprocess
import sys


def walk(node: object, path: str, inside: bool, seen: set[str]) -> None:
    if isinstance(node, list):
        for child in node:
            walk(child, path, inside, seen)
        return
    if not isinstance(node, dict):
        return
    kind = node.get("Type", "")
    if kind == "FuncDecl":
        put(path, node["Name"], "function")
        inside = True
    elif kind in ("Subshell", "CmdSubst", "ProcSubst", "WhileClause", "ForClause"):
        inside = True
    elif kind == "DeclClause":
        for argument in node.get("Args") or []:
            assign(argument, path, inside, seen, node["Variant"]["Value"])
    elif kind == "CallExpr" and not node.get("Args"):
        for assignment in node.get("Assigns") or []:
            assign(assignment, path, inside, seen, "")
    elif kind == "CallExpr":
        words = [literal(argument) for argument in node["Args"]]
        if words[0] == "alias":
            for word, argument in zip(words[1:], node["Args"][1:], strict=True):
                if "=" in word:
                    put(path, {"Value": word.partition("=")[0], "Pos": argument["Pos"]}, "alias")
    for value in node.values():
        if isinstance(value, (dict, list)):
            walk(value, path, inside, seen)


def literal(word: dict) -> str:
    first = (word.get("Parts") or [{}])[0]
    return first.get("Value", "") if first.get("Type") == "Lit" else ""


def assign(node: dict, path: str, inside: bool, seen: set[str], word: str) -> None:
    name = node.get("Name")
    if not name or inside or node.get("Append") or node.get("Index") or node.get("Naked"):
        return
    if name["Value"] not in seen:
        seen.add(name["Value"])
        put(path, name, word or "variable")


def put(path: str, name: dict, kind: str) -> None:
    print(
        json.dumps({"path": path, "line": name["Pos"]["Line"], "name": name["Value"], "kind": kind})
    )


def main() -> None:
    for path in sys.stdin.read().splitlines():
        with open(path, "rb") as file:
            done = subprocess.run(
                ["shfmt", "-ln=bash", "-tojson"], stdin=file, capture_output=True, check=False
            )
        if done.returncode:
            print(json.dumps({"path": path, "error": done.stderr.decode("utf-8", "replace")[:100]}))
        else:
            walk(json.loads(done.stdout), path, False, set())


main()
