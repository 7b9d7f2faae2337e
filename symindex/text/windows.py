"""Windows: the pieces of a text around what was looked for, with the matches marked.

A piece reaches so far to both sides of a match; pieces that touch are one; the best come first into
what room there is, and stand in the order of the text. They are cut where lines or words end.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

AROUND: Final = 300
"""Characters to either side of a match."""

ROOM: Final = 1_500
"""Characters of all pieces of a text together, about."""

MOST_READ: Final = 200_000
MARK: Final = "\ufdd0"
"""Stands around a match where marks are asked for: a noncharacter, which no text has, so that it is
never the text's own."""
CUT: Final = "…"

_WORD: Final = re.compile(r"\w+")
_BREAK: Final = re.compile(r"\s")


def cut_windows(
    text: str, is_match: Callable[[str], str], room: int = ROOM, marks: bool = False
) -> str:
    """The pieces of a text. is_match: by word of it, which of the words that were looked for it is;
    empty for none. Without a match, the beginning. marks: whether MARK stands around each match."""
    text, mark = text[:MOST_READ], MARK if marks else ""
    matches = [
        (found.start(), found.end(), meant)
        for found in _WORD.finditer(text)
        if (meant := is_match(found[0]))
    ]
    if len(text) <= room:
        return _marked(text, 0, len(text), matches, mark)
    windows: list[list[int]] = []
    for start, end, _ in matches or [(0, 0, "")]:
        low, high = _before(text, start), _behind(text, end)
        if windows and low <= windows[-1][1]:
            windows[-1][1] = max(high, windows[-1][1])
        else:
            windows.append([low, high])
    chosen, left = [], room
    for low, high in sorted(windows, key=lambda each: (*_worth(each, matches), each[0])):
        if left <= 0:
            break
        high = high if high - low <= left else _end_of_word(text, low, low + left)
        chosen.append((low, high))
        left -= high - low
    pieces = [_marked(text, low, high, matches, mark).strip() for low, high in sorted(chosen)]
    before, behind = min(chosen)[0] > 0, max(chosen)[1] < len(text)
    return (f"{CUT} " if before else "") + f"\n{CUT}\n".join(pieces) + (f" {CUT}" if behind else "")


def mark_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text with MARK around some pieces of it, which are in order. spans: where each begins and
    ends."""
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], MARK, text[start:end], MARK]
        at = end
    return "".join([*pieces, text[at:]])


def _worth(window: list[int], matches: list[tuple[int, int, str]]) -> tuple[int, int]:
    """Lower is better."""
    inside = [meant for start, end, meant in matches if window[0] <= start and end <= window[1]]
    return -len({*inside}), -len(inside)


def _before(text: str, at: int) -> int:
    low = max(0, at - AROUND)
    if low == 0:
        return 0
    line = text.find("\n", low, low + AROUND // 3)
    word = _BREAK.search(text, low, at)
    return line + 1 if line >= 0 else word.end() if word is not None else low


def _behind(text: str, at: int) -> int:
    high = min(len(text), at + AROUND)
    return high if high == len(text) else _end_of_word(text, at, high)


def _end_of_word(text: str, low: int, high: int) -> int:
    line = text.rfind("\n", low + (high - low) * 2 // 3, high)
    word = text.rfind(" ", low + 1, high)
    return line if line > low else word if word > low else high


def _marked(text: str, low: int, high: int, matches: list[tuple[int, int, str]], mark: str) -> str:
    pieces, at = [], low
    for start, end, _ in matches:
        if low <= start and end <= high:
            pieces += [text[at:start], mark, text[start:end], mark]
            at = end
    return "".join([*pieces, text[at:high]])
