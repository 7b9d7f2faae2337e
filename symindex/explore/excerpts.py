"""Places in a file as a reader sees them: line, column, and the line's text or the part of a long
one around the place."""

from collections.abc import Sequence
from typing import Final

import msgspec

MOST_TEXT: Final = 200
"""Characters of a line that are shown."""

_MOST_BYTES: Final = 4 * MOST_TEXT
"""Bytes of a line that are read on each side of a name: they hold enough characters."""


NOT_BOUND: Final = -1
NOT_KNOWN: Final = -2
"""Instead of the place that binds a name (`extract/parse/bindings`): nothing binds it, or that is
not known."""


class Mention(msgspec.Struct, array_like=True, frozen=True):
    """A place. start_byte: in the text as it is read for the index. line, column (in characters),
    text: as of `protocol.Reference`. role: empty where it is not known; what else
    `extract/parse/roles.Role` has: with it. name: itself. binding: where the name begins that binds
    it around there; NOT_BOUND where nothing does, NOT_KNOWN where the rules of the language do not
    tell. imports_all: its file imports from elsewhere without naming what. origin: the module and
    the name by which what it is taken from is imported; empty where it is not."""

    start_byte: int
    line: int
    column: int
    text: str
    role: str = ""
    receiver: str = ""
    kin: str = ""
    name: str = ""
    is_bound: bool = False
    is_module: bool = False
    is_label: bool = False
    is_outside: bool = False
    is_of_value: bool = False
    is_variable: bool = False
    binding: int = NOT_KNOWN
    imports_all: bool = False
    origin: tuple[str, str] = ("", "")


def excerpts(text: bytes, starts: Sequence[int]) -> list[Mention]:
    """The places that begin with these bytes, which are in order."""
    mentions = []
    line, line_start, before, column = 1, 0, 0, 1
    for start in starts:
        breaks = text.count(b"\n", before, start)
        if breaks:
            line += breaks
            line_start = before = text.rfind(b"\n", before, start) + 1
            column = 1
        column += len(text[before:start].decode("utf-8", "replace"))
        before = start
        mentions.append(Mention(start, line, column, _excerpt(text, line_start, start)))
    return mentions


def _excerpt(text: bytes, line_start: int, start: int) -> str:
    """The line of a place, or the part of a long one around it, of MOST_TEXT characters at most."""
    first = max(line_start, start - _MOST_BYTES)
    while first > line_start and text[first] & 0xC0 == 0x80:  # in the middle of a character
        first -= 1
    end = text.find(b"\n", start, start + _MOST_BYTES)
    is_whole = end >= 0 or start + _MOST_BYTES >= len(text)
    after = (
        text[start : end if end >= 0 else start + _MOST_BYTES].decode("utf-8", "ignore").rstrip()
    )
    before = text[first:start].decode("utf-8", "replace").lstrip()
    if len(before) + len(after) <= MOST_TEXT and first == line_start and is_whole:
        return before + after
    kept = max(MOST_TEXT // 4, MOST_TEXT - len(after) - 1)
    if len(before) > kept or first > line_start:
        before = "…" + before[-(kept - 1) :]
    room = MOST_TEXT - len(before)
    return before + (after if len(after) <= room and is_whole else after[: room - 1] + "…")
