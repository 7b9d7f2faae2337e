"""Python's own `ast`: functions and classes, including those in functions, and the names that
modules and classes assign."""

import ast
import json
import sys
import warnings

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def walk(body: list, path: str, scope: list[str], inside: str, seen: set) -> None:
    """Prints the symbols in a body. inside: module, class or function."""
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            is_class = isinstance(node, ast.ClassDef)
            kind = "class" if is_class else "method" if inside == "class" else "function"
            if not is_class and any(
                "overload" in ast.unparse(decorator) or ".setter" in ast.unparse(decorator)
                for decorator in node.decorator_list
            ):
                kind = "again"
            print_row(path, node.lineno, node.name, scope, kind)
            walk(node.body, path, [*scope, node.name], "class" if is_class else "function", set())
            continue
        if inside != "function":
            for target in targets(node):
                if (target.id, tuple(scope)) not in seen:
                    seen.add((target.id, tuple(scope)))
                    print_row(
                        path,
                        target.lineno,
                        target.id,
                        scope,
                        "attribute" if inside == "class" else "variable",
                    )
        walk(getattr(node, "body", []), path, scope, inside, seen)
        for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
            walk(part.body, path, scope, inside, seen)
        for field in ("orelse", "finalbody"):
            walk(getattr(node, field, []), path, scope, inside, seen)


def targets(node: ast.stmt) -> list[ast.Name]:
    """Returns the names that an assignment defines, including those in tuples."""
    if isinstance(node, ast.Assign):
        names = [name for target in node.targets for name in flat(target)]
    elif isinstance(node, ast.AnnAssign):
        names = flat(node.target)
    elif type(node).__name__ == "TypeAlias":
        names = flat(node.name)
    else:
        names = []
    return names


def flat(node: ast.expr) -> list[ast.Name]:
    if isinstance(node, ast.Starred):
        return flat(node.value)
    if isinstance(node, (ast.Tuple, ast.List)):
        return [name for part in node.elts for name in flat(part)]
    return [node] if isinstance(node, ast.Name) else []


def print_row(path: str, line: int, name: str, scope: list[str], kind: str) -> None:
    print(
        json.dumps(
            {"path": path, "line": line, "name": name, "container": ".".join(scope), "kind": kind}
        )
    )


def main() -> None:
    warnings.simplefilter("ignore")
    for path in sys.stdin.read().splitlines():
        try:
            with open(path, "rb") as file:
                tree = ast.parse(file.read())
        except (SyntaxError, ValueError, RecursionError) as error:
            print(json.dumps({"path": path, "error": str(error)}))
            continue
        walk(tree.body, path, [], "module", set())


main()
