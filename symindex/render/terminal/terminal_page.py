"""Styles our own Markdown for a person at a terminal: headings, highlighted code, places that can
be clicked. The text stays the same.

It is made from the Markdown, whose text is already escaped, so nothing of a tree acts on the
terminal. Lines are not wrapped, so that copied text is complete.
"""

import io
import os
import re
import signal
import threading
from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import quote

from rich.console import Console
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text

from symindex.text.escaping import show_text, without_escapes
from symindex.text.snippets import MARK

_FENCE: Final = re.compile(r"(`{3,})(\w*)")
_NUMBERED: Final = re.compile(r"( *\d+)(?: (.*))?")
_SPAN: Final = re.compile(r"(?<!`)(`{1,9}+)(?!`)( ?)(.{1,2000}?)\2(?<!`)\1(?!`)")
_ROW: Final = re.compile(r"(?P<indent> *- )(?P<number>\d+)\b(?!\.)")
_SEPARATOR: Final = re.compile(r"\|(?:-+\|)+")
_CELL: Final = re.compile(r"(?<!\\)\|")
_PLACE: Final = re.compile(r"(?P<path>[^\s`|#]+\.\w+)(?::(?P<line>\d+)|(?P<name>#.+))?")
_LINE_BEHIND: Final = re.compile(r":(\d+)\b")
_BARE_PLACE: Final = re.compile(r"(?<!\S)(?P<path>[^\s`|#():]+\.\w+):(?P<line>\d+)(?![\w:])")
_PATH_LINE: Final = re.compile(r"(?! )[^\s`#>|-][^`|]*\.\w+(?: \(\w+\))?")

MATCH: Final = "bold bright_red"
"""The text between two of `text/snippets.MARK`: a match."""

LONGEST: Final = 50_000
"""Longest block of code that is highlighted, in characters."""

SECONDS: Final = 0.5
"""Longest time for highlighting, in seconds."""

THEME: Final = "ansi_dark"
"""The terminal's own sixteen colours, which its user has chosen."""


def style_page(markdown: str, root: Path | None) -> str:
    """Returns the page with styles. root: the root of its paths, for links; `None` for no links."""
    lines = show_text(markdown).split("\n")
    console = Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
        width=10**6,
    )
    with console.capture() as capture:
        for text in _styled(lines, root):
            console.print(text, soft_wrap=True, highlight=False, markup=False, emoji=False)
    return without_link_ids(capture.get())


def _styled(lines: Sequence[str], root: Path | None) -> Iterator[Text]:
    number, path = 0, ""
    while number < len(lines):
        line = lines[number]
        fence = _FENCE.fullmatch(line)
        end = (
            next((to for to in range(number + 1, len(lines)) if lines[to] == fence[1]), 0)
            if fence is not None
            else 0
        )
        if fence is not None and end:
            yield from _code(lines[number + 1 : end], fence[2])
            number = end + 1
            continue
        if line.startswith("| ") and _SEPARATOR.fullmatch(
            lines[number + 1] if number + 1 < len(lines) else ""
        ):
            end = next(
                (to for to in range(number + 2, len(lines)) if not lines[to].startswith("| ")),
                len(lines),
            )
            yield from _table([line, *lines[number + 2 : end]], root)
            number = end
            continue
        if line.startswith("#"):
            yield _spans(line.lstrip("# "), root, "bold")
        elif line.startswith("> "):
            yield _spans(line[2:], root, "dim")
        elif (
            (span := _SPAN.fullmatch(line)) is not None
            and number + 1 < len(lines)
            and _ROW.match(lines[number + 1]) is not None
        ):
            # The heading of a file whose name means something in Markdown; a name with escapes is
            # not a path.
            is_there = root is not None and os.path.lexists(root / _raw(root, span[3]))
            path = "" if "\\" in span[3] and not is_there else span[3]
            yield Text(span[3], style=link_to(root, path, "") + Style(color="magenta"))
        elif _PATH_LINE.fullmatch(line):
            path = line
            yield Text(line, style=link_to(root, line, "") + Style(color="magenta"))
        else:
            yield _row(line, path, root)
        number += 1
    return


def _table(rows: Sequence[str], root: Path | None) -> Iterator[Text]:
    """Writes a table without its rules: columns as wide as necessary, the first row in bold."""
    cells = [[cell.strip().replace("\\|", "|") for cell in _CELL.split(row)[1:-1]] for row in rows]
    texts = [
        [_spans(cell, root, "" if number else "bold") for cell in row]
        for number, row in enumerate(cells)
    ]
    widths = [
        max(text.cell_len for text in column) for column in zip_longest(*texts, fillvalue=Text())
    ]
    for row in texts:
        line = Text()
        for text, width in zip(row, widths, strict=False):
            line.append_text(text).append(" " * (width - text.cell_len + 2))
        line.rstrip()
        yield line


def _code(lines: Sequence[str], language: str) -> Iterator[Text]:
    """Writes a block of code, highlighted; line numbers stay dim."""
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    has_numbers = bool(lines) and all(match is not None for match in numbered)
    bare = (
        [(match[2] or "") if match is not None else "" for match in numbered]
        if has_numbers
        else [*lines]
    )
    pieces = "\n".join(bare).split(MARK)
    highlighted = _highlighted("".join(pieces), language or "text")
    ends = [*accumulate(map(len, pieces))]
    for number in range(1, len(pieces), 2):
        highlighted.stylize(MATCH, ends[number - 1], ends[number])
    for number, text in enumerate(highlighted.split("\n", allow_blank=True)[: len(bare)]):
        match = numbered[number]
        head = [(f"{match[1]} ", "dim")] if has_numbers and match is not None else []
        yield Text.assemble(*head, text)


def _highlighted(code: str, language: str) -> Text:
    """Colours code, unless it is long or takes long: the patterns of highlighters may backtrack
    without end."""
    if (
        len(code) > LONGEST
        or not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        return Text(code)

    def give_up(*_: object) -> NoReturn:
        raise TimeoutError

    old_handler = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return Syntax("", language, theme=THEME, background_color="default").highlight(code)
    except TimeoutError:
        return Text(code)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old_handler)


def _row(line: str, path: str, root: Path | None) -> Text:
    row = _ROW.match(line)
    if row is None:
        return _spans(line, root, "")
    head = Text(row["indent"])
    head.append(row["number"], style=link_to(root, path, row["number"]) + Style(color="magenta"))
    return head.append_text(_spans(line[row.end() :], root, ""))


def _spans(line: str, root: Path | None, style: str) -> Text:
    """Writes a line with its code spans in colour, without their marks."""
    text, last = Text("", style=style), 0
    for span in _SPAN.finditer(line):
        _append_bare(text, line[last : span.start()], root)
        line_number = _LINE_BEHIND.match(line, span.end())
        if line_number is not None and "." in span[3]:
            text.append(
                span[3] + line_number[0],
                style=link_to(root, span[3], line_number[1]) + Style(color="magenta"),
            )
            last = line_number.end()
            continue
        place = _PLACE.fullmatch(span[3])
        if place is not None and ("/" in place["path"] or place["line"]):
            text.append(
                span[3],
                style=link_to(root, place["path"], place["line"] or "") + Style(color="magenta"),
            )
        elif MARK in span[3]:
            for number, piece in enumerate(span[3].split(MARK)):
                text.append(piece, style=MATCH if number % 2 else "")
        else:
            text.append(span[3], style="cyan")
        last = span.end()
    _append_bare(text, line[last:], root)
    return text


def _append_bare(text: Text, piece: str, root: Path | None) -> None:
    """Appends text outside of code spans, with links for its places."""
    last = 0
    for place in _BARE_PLACE.finditer(piece):
        text.append(piece[last : place.start()])
        text.append(
            place[0], style=link_to(root, place["path"], place["line"]) + Style(color="magenta")
        )
        last = place.end()
    text.append(piece[last:])


def without_link_ids(text: str) -> str:
    """Returns the text with links that are the same each time: rich gives each one a random
    number."""
    return _LINK_ID.sub("\x1b]8;;", text)


_LINK_ID: Final = re.compile(r"\x1b\]8;id=\d+;")
_OF_LIBRARY: Final = re.compile(r"[a-z]+:[^/]")


def link_to(root: Path | None, path: str, line: str) -> Style:
    """Links to a file (OSC 8), which many terminals open on a click; the files of libraries, which
    are elsewhere, get no link."""
    if root is None or not path or _OF_LIBRARY.match(path):
        return Style()
    address = quote((root / _raw(root, path)).as_posix()) + (f"#{line}" if line else "")
    return Style(link=f"file://{address}")


def _raw(root: Path, path: str) -> str:
    """Returns the file name of a path in a page, which may be escaped."""
    return without_escapes(path) if "\\" in path and not os.path.lexists(root / path) else path
