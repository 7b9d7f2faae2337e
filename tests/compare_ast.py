"""Compares what symindex finds in Python files with what Python's own `ast` sees.

    python -m tests.compare_ast FOLDER [--files 1000] [--show 10]

Expected: every `def`, `async def` and `class` at module and class level, also inside `if`, `try`,
`with`, `for`, `while` and `match` there, by (line of the name, name). Found: our functions,
methods, constructors, properties, classes and enums, without those flagged local and those bound to
a lambda. Prints recall and precision, and examples of every difference. Counts the files that `ast`
cannot read, and leaves them out.
"""

import argparse
import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

from symindex.extract.languages.registry import load_languages
from symindex.extract.symbols import extract_symbols
from symindex.protocol.kinds import SymbolFlag, SymbolKind

KINDS = {
    SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.PROPERTY, SymbolKind.CLASS, SymbolKind.ENUM,
}  # fmt: skip


def definitions(body: list[ast.stmt]) -> Iterator[tuple[int, str]]:
    """Returns (line of the name, name) of each definition, in any block of a module or class."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
            if isinstance(node, ast.ClassDef):
                yield from definitions(node.body)
        else:
            for field in ("body", "orelse", "finalbody"):
                yield from definitions(getattr(node, field, []))
            for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
                yield from definitions(part.body)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--show", type=int, default=10)
    args = parser.parse_args()
    language = load_languages().get(".py")
    both, missed, extra, unread, n_files = 0, [], [], 0, 0
    for path in sorted(args.folder.rglob("*.py")):
        if n_files == args.files:
            break
        data = path.read_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = set(definitions(ast.parse(data).body))
        except (SyntaxError, ValueError, RecursionError):
            unread += 1
            continue
        n_files += 1
        extracted = {
            (symbol.name_row + 1, symbol.name)
            for symbol in extract_symbols(language, data)[0]
            if symbol.kind in KINDS
            and not symbol.flags & SymbolFlag.LOCAL
            and symbol.signature.startswith(("def ", "async ", "class "))
        }
        both += len(expected & extracted)
        missed += [f"{path}:{line} {name}" for line, name in sorted(expected - extracted)]
        extra += [f"{path}:{line} {name}" for line, name in sorted(extracted - expected)]
    recall, precision = both / max(both + len(missed), 1), both / max(both + len(extra), 1)
    print(
        f"{n_files} files ({unread} that ast cannot read left out), {both + len(missed)} definitions"
    )
    print(
        f"recall {recall:.5f} ({len(missed)} missed), precision {precision:.5f} ({len(extra)} extra)"
    )
    for title, places in (("missed", missed), ("extra", extra)):
        print("\n".join(f"  {title}: {place}" for place in places[: args.show]))


if __name__ == "__main__":
    main()
