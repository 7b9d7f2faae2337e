"""Annotated fixtures: reads the marks in a source file, compares them with the extracted symbols,
and rewrites them.

`fixtures/README.md` describes the format. A mark is a comment line below the code that it
describes; all marks together list every symbol of the file.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from symindex.extract.languages.language import Language
from symindex.extract.records import Symbol
from symindex.extract.symbols import extract_symbols
from symindex.protocol.kinds import TOLD_FLAGS

CLOSERS = {
    "/*": " */", "(*": " *)", "<!--": " -->", "{-": " -}", "{#": " #}", "{{!": " }}", "<#": " #>", "<%#": " %>", "<%!--": " --%>"
}  # fmt: skip
"""The end of a comment line, by its beginning; other comments have no end."""

_LEAD = (
    r"^[ \t]*(?P<opens>\#|//|--|;+|/\*|%+|!|\"|'|\\|\*|\(\*|<!--|\{-|\{\#|\{\{!|<\#|<%\#|<%!--)?"
)
MARK = re.compile(
    _LEAD + r"[ \t]*(?P<carets>\^+|<-+)[ \t]+(?P<kind>[A-Za-z]+)[ \t]+(?P<rest>\S.*)$"
)
DETAIL = re.compile(_LEAD + r"[ \t]*~ (?P<key>signature|doc|range)(?: (?P<value>.*))?$")
FLAG_NAMES = {flag.name.lower(): flag for flag in TOLD_FLAGS if flag.name}


@dataclass(frozen=True)
class Mark:
    """The claims of a mark about one symbol. row: 0-based, of the code line without marks. column,
    width: in characters."""

    row: int
    column: int
    width: int
    label: str
    details: tuple[tuple[str, str], ...] = ()


def read_marks(text: str) -> tuple[str, list[Mark]]:
    """Returns the source without its marks, and the marks in order."""
    code: list[str] = []
    marks: list[Mark] = []
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if (match := MARK.match(bare)) is not None and code:
            carets = match["carets"]
            under_start = carets.startswith("<")
            column = len(bare) - len(bare.lstrip()) if under_start else match.start("carets")
            width = len(carets) - 1 if under_start else len(carets)
            marks.append(
                Mark(len(code) - 1, column, width, f"{match['kind']} {_closed(match, 'rest')}")
            )
        elif (match := DETAIL.match(bare)) is not None and marks:
            last = marks.pop()
            detail = (match["key"], _closed(match, "value"))
            marks.append(
                Mark(last.row, last.column, last.width, last.label, (*last.details, detail))
            )
        else:
            code.append(line)
    return "".join(code), marks


def _closed(match: re.Match[str], group: str) -> str:
    """Returns the text of a group without the end of the comment."""
    return (
        (match[group] or "")
        .rstrip(" \t")
        .removesuffix(CLOSERS.get(match["opens"], "").strip() or "\0")
        .rstrip(" \t")
    )


def mark_of(symbol: Symbol, code: str, wanted_details: tuple[str, ...] = ()) -> Mark:
    """Returns the right mark for a symbol."""
    lines = code.encode().split(b"\n")
    column = len(lines[symbol.name_row][: symbol.name_column].decode())
    shown = code.encode()[symbol.name_start : symbol.name_end].decode().split("\n")[0]
    flags = "".join(f" !{name}" for name, flag in FLAG_NAMES.items() if symbol.flags & flag)
    values = {
        "signature": symbol.signature,
        "doc": symbol.doc.replace("\n", " / "),
        "range": f"{symbol.start_row - symbol.name_row:+d}..{symbol.end_row - symbol.name_row:+d}",
    }
    details = tuple((key, values[key]) for key in wanted_details)
    return Mark(
        symbol.name_row,
        column,
        len(shown),
        f"{symbol.kind} {symbol.qualified_name}{flags}",
        details,
    )


def compare(language: Language, text: str) -> list[str]:
    """Returns the differences between a fixture's marks and its symbols, a readable line each."""
    code, marks = read_marks(text)
    got = _got_marks(language, code, marks)
    describe = _describer(code)
    expected = sorted(marks, key=_place)
    missing = [f"- {describe(mark)}" for mark in expected if mark not in got]
    extra = [f"+ {describe(mark)}" for mark in got if mark not in expected]
    return missing + extra


def _got_marks(language: Language, code: str, marks: list[Mark]) -> list[Mark]:
    wanted = {(mark.row, mark.column): tuple(key for key, _ in mark.details) for mark in marks}
    got = []
    for symbol in extract_symbols(language, code.encode())[0]:
        bare = mark_of(symbol, code)
        got.append(mark_of(symbol, code, wanted.get((bare.row, bare.column), ())))
    return got


def _place(mark: Mark) -> tuple[int, int]:
    return mark.row, mark.column


def _describer(code: str):  # type: ignore[no-untyped-def]
    lines = code.split("\n")

    def describe(mark: Mark) -> str:
        details = "".join(f" ~ {key} {value}" for key, value in mark.details)
        return f"{lines[mark.row].strip()[:60]!r} column {mark.column}+{mark.width}: {mark.label}{details}"

    return describe


def rewrite(language: Language, text: str, comment: str) -> str:
    """Returns the fixture with the right marks. Details that the old marks claim stay, with current
    values.

    comment: the language's line comment, or the beginning of a block comment.
    """
    code, marks = read_marks(text)
    got = sorted(_got_marks(language, code, marks), key=_place)
    out: list[str] = []
    for row, line in enumerate(code.splitlines(keepends=True)):
        out.append(line if line.endswith("\n") else line + "\n")
        for mark in (mark for mark in got if mark.row == row):
            out.extend(_lines_of(mark, line, comment))
    return "".join(out)


def _lines_of(mark: Mark, line: str, comment: str) -> list[str]:
    close = CLOSERS.get(comment, "")
    before = line[: mark.column]
    indent = before[: len(before) - len(before.lstrip())]
    room = mark.column - len(indent) - len(comment)
    if room >= 0:
        pad = "".join(
            "\t" if character == "\t" else " " for character in before[len(indent) + len(comment) :]
        )
        text = f"{indent}{comment}{pad}{'^' * mark.width}"
    elif mark.column >= len(comment):
        text = f"{comment}{' ' * (mark.column - len(comment))}{'^' * mark.width}"
    else:
        blank = "".join(character if character.isspace() else " " for character in before)
        text = f"{blank}{comment} <{'-' * mark.width}"
    lines = [f"{text} {mark.label}{close}\n"]
    lead = f"{indent}{comment}"
    lines.extend(f"{lead} ~ {key} {value}".rstrip() + f"{close}\n" for key, value in mark.details)
    return lines


def fixture_files(root: Path) -> list[Path]:
    """Returns every annotated source file below `fixtures/symbols`."""
    return sorted(path for path in root.rglob("*") if path.is_file() and path.name != "README.md")
