"""Blanks the markers of an unfinished merge, so that the symbols of both sides are found.

The common base, which the style `diff3` includes, belongs to neither side and is blanked as well.
If both sides begin the same block, which is closed once after the conflict, the first side's block
is closed before the second side begins.
"""

import re
from collections.abc import Callable
from typing import Final

from symindex.extract.texts.repaired_text import Edit

_OPENING: Final = b"<<<<<<< "
_MOST_CONFLICTS: Final = 10_000
_MARKER: Final = re.compile(rb"(?m)^(?:<{7} [^\n]*|\|{7}(?: [^\n]*)?|={7}|>{7}(?: [^\n]*)?)\r?$")


def find_conflicts(source: bytes, open_blocks: Callable[[bytes], bytes]) -> list[Edit]:
    """Returns the edits that leave both sides of each conflict; none if the file has no complete
    conflict.

    open_blocks: returns the text that closes the open blocks of a text.
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
    """Returns a source with its conflict markers blanked."""
    return _MARKER.sub(lambda mark: b" " * len(mark[0]), source)


def _edits_of(
    source: bytes, marks: list[re.Match[bytes]], open_blocks: Callable[[bytes], bytes]
) -> list[Edit]:
    """Returns the edits of one conflict; none if its markers are not in the order of a known
    style."""
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
