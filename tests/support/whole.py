"""Pages of whole results: what a reader returns for each case of a test, in every field.

A page has the cases in any order: `=== ` and the name of the case, then its lines. `--update`
rewrites a case; read the difference.
"""

from functools import cache
from pathlib import Path

from symindex.extract.records import FileSymbols

BEGIN = "=== "


@cache
def _cases(page: Path) -> dict[str, str]:
    if not page.exists():
        return {}
    pieces = f"\n{page.read_text('utf-8')}".split(f"\n{BEGIN}")[1:]
    return {
        name: lines.rstrip("\n") for name, _, lines in (piece.partition("\n") for piece in pieces)
    }


def check_whole(page: Path, case: str, content: str, update: bool) -> None:
    """Compares what was found with the page."""
    cases = _cases(page)
    if update and cases.get(case) != content:
        cases[case] = content
        text = "\n".join(f"{BEGIN}{name}\n{lines}" for name, lines in sorted(cases.items()))
        page.write_text(f"{text}\n", "utf-8")
    assert content == cases.get(case)


def whole_file(result: FileSymbols) -> str:
    """Returns everything that was read of a file, one symbol on each line: its kind, its flags, its
    name, its range and that of its name in bytes, its signature and its doc."""
    marks = (
        f"language {result.language}, broken at line {result.broken_line}"
        f"{', with errors' * result.has_error}{', conflicted' * result.is_conflicted}"
    )
    rows = [
        f"{symbol.kind} {int(symbol.flags)} {symbol.qualified_name}"
        f" {symbol.start_byte}-{symbol.end_byte} {symbol.name_start}-{symbol.name_end}"
        f" {symbol.signature!r}{f' {symbol.doc!r}' if symbol.doc else ''}"
        for symbol in result.symbols
    ]
    return "\n".join([marks, *rows])
