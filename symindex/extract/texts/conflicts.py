"""Reads a file with the markers of an unfinished merge as if these lines were blank, so that both
sides are found.

What both sides come from (the base, in the style `diff3`) is neither, and is left out. Where each
side begins the same block, which is closed once behind them, that of the first is closed before the
second begins.
"""

import re
from collections.abc import Callable
from typing import Final

from symindex.extract.texts.repaired_text import Edit

_OPENING: Final = b"<<<<<<< "
_MOST_CONFLICTS: Final = 10_000
_MARKER: Final = re.compile(rb"(?m)^(?:<{7} [^\n]*|\|{7}(?: [^\n]*)?|={7}|>{7}(?: [^\n]*)?)\r?$")


def find_conflicts(source: bytes, open_blocks: Callable[[bytes], bytes]) -> list[Edit]:
    """The edits that leave both sides of each conflict; none where a file has no whole conflict.

    open_blocks: what closes the blocks that a text opens and does not close.
    """
    if _OPENING not in source or (
        not source.startswith(_OPENING) and b"\n" + _OPENING not in source
    ):
        return []
    edits: list[Edit] = []
    marks: list[re.Match[bytes]] = []
    for mark in _MARKER.finditer(source):
        sign = mark[0][:1]
        if sign == b"<":
            marks = [mark]
        elif marks:
            marks.append(mark)
        if sign == b">" and marks:
            edits += _edits_of(source, marks, open_blocks)
            marks = []
            if len(edits) > _MOST_CONFLICTS:
                break
    return edits


def hide_markers(source: bytes) -> bytes:
    """A source with blanks in place of its markers."""
    return _MARKER.sub(lambda mark: b" " * len(mark[0]), source)


def _edits_of(
    source: bytes, marks: list[re.Match[bytes]], open_blocks: Callable[[bytes], bytes]
) -> list[Edit]:
    """The edits of one conflict, whose markers come in the order of its style or are none."""
    signs = b"".join(mark[0][:1] for mark in marks)
    if signs not in (b"<=>", b"<|=>"):
        return []
    first, last = (
        source[marks[0].end() : marks[1].start()],
        source[marks[-2].end() : marks[-1].start()],
    )
    edits = [Edit(*mark.span()) for mark in marks]
    if signs == b"<|=>":
        edits = [edits[0], Edit(marks[1].start(), marks[2].end()), edits[3]]
    closers = open_blocks(first)
    if closers and closers == open_blocks(last):
        edits.append(Edit(marks[1].start(), marks[1].start(), closers))
    return edits
