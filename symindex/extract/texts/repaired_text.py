"""A source that was mended before it was parsed: what was blanked or put into it, and the way back
to the places of the file.

Blanks take as many bytes as what they hide. What is put in moves all that follows, so what was
found in a mended source is moved back before anything else reads it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from operator import attrgetter
from typing import Final, NamedTuple

from symindex.extract.captures import Captures


class Edit(NamedTuple):
    """A range of a source that is hidden by blanks that begin with the text; where the range is
    empty, the text is put in."""

    start: int
    end: int
    text: bytes = b""


class RepairedText:
    """A source with edits made in it. edits: in any order, with ranges of the source. hidden: how
    many bytes they blank."""

    def __init__(self, source: bytes, edits: Iterable[Edit]) -> None:
        blanked = bytearray(source)
        self.n_hidden = 0
        self._inserted: list[Edit] = []
        for edit in edits:
            if edit.start < edit.end:
                blanked[edit.start : edit.end] = _hidden(source[edit.start : edit.end], edit.text)
                self.n_hidden += len(source[edit.start : edit.end].strip())
            elif edit.text:
                self._inserted.append(edit)
        self._inserted.sort(
            key=attrgetter("start")
        )  # those of one place stay in the order in which they were made
        self._lengths = [0, *accumulate(len(edit.text) for edit in self._inserted)]
        self._starts = [
            edit.start + before for edit, before in zip(self._inserted, self._lengths, strict=False)
        ]
        self.source = self.with_inserts(bytes(blanked))

    def with_inserts(self, data: bytes) -> bytes:
        """Another text of the source's length, with what was put into the source."""
        pieces, at = [], 0
        for edit in self._inserted:
            pieces += [data[at : edit.start], edit.text]
            at = edit.start
        return b"".join([*pieces, data[at:]]) if pieces else data

    @property
    def inserted(self) -> list[int]:
        """Where what was put in begins in the mended source."""
        return self._starts

    def repaired_place(self, place: int) -> int:
        """Where a place of the source is in the mended source."""
        return place + self._lengths[bisect_right(self._inserted, place, key=attrgetter("start"))]

    def original(self, place: int) -> int:
        """Where a place of the mended source is in the source: for what was put in, where that was
        done."""
        number = bisect_left(self._starts, place)
        return (
            max(self._inserted[number - 1].start, place - self._lengths[number])
            if number
            else place
        )


def _hidden(text: bytes, filler: bytes) -> bytes:
    """Blanks in place of a text, with its line breaks; the filler first, where its line has room
    for it."""
    blanks = b"\n".join([b" " * len(line) for line in text.split(b"\n")])
    return (
        filler + blanks[len(filler) :] if len(blanks.partition(b"\n")[0]) >= len(filler) else blanks
    )


_DEFINITION: Final = (
    "start_byte",
    "end_byte",
    "header_byte",
    "name_start",
    "name_end",
    "body_byte",
    "body_end",
    "inside_byte",
    "inside_end",
)
_AROUND: Final = ("start_byte", "end_byte", "whole_start", "whole_end", "body_byte", "body_end")


def move_back(captures: Captures, original: Callable[[int], int]) -> None:
    """Gives what was found in a mended source the places of the file. original: the place in the
    file of one in the source."""
    for rows, fields in (
        (captures.definitions, _DEFINITION),
        (captures.comments, ("start_byte", "end_byte")),
        (captures.scopes, ("start_byte", "end_byte", "header_byte")),
        (captures.markers, ("byte",)),
        (captures.around, _AROUND),
        (captures.wholes.values(), ("start_byte", "end_byte")),
    ):
        for row in rows:
            for field in fields:
                setattr(row, field, original(getattr(row, field)))
    captures.wholes = {
        (original(start), original(end)): whole for (start, end), whole in captures.wholes.items()
    }
    for embedded in captures.embedded.values():
        embedded.stretches = [(original(start), original(end)) for start, end in embedded.stretches]
    captures.embedded = {original(start): embedded for start, embedded in captures.embedded.items()}
