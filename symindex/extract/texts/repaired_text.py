"""A source that was repaired before it was parsed: its edits, and the way back to places of the
file.

Blanks take as many bytes as the text that they hide. Inserted text moves all that follows, so every
place found in a repaired source is moved back before anything else reads it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from operator import attrgetter
from typing import Final, NamedTuple

from symindex.extract.captures import Captures


class Edit(NamedTuple):
    """One edit of a source. The range is hidden by blanks that begin with the text; if the range is
    empty, the text is inserted."""

    start: int
    end: int
    text: bytes = b""


class RepairedText:
    """A source with edits. edits: in any order, with ranges of the source. n_hidden: the number of
    bytes that they blank."""

    def __init__(self, source: bytes, edits: Iterable[Edit]) -> None:
        blanked = bytearray(source)
        self.n_hidden: int = 0
        self._inserted: list[Edit] = []
        for edit in edits:
            if edit.start < edit.end:
                blanked[edit.start : edit.end] = _hidden(source[edit.start : edit.end], edit.text)
                self.n_hidden += len(source[edit.start : edit.end].strip())
            elif edit.text:
                self._inserted.append(edit)
        self._inserted.sort(
            key=attrgetter("start")
        )  # edits of one place stay in the order in which they were made
        self._lengths = [0, *accumulate(len(edit.text) for edit in self._inserted)]
        self._starts = [
            edit.start + n_inserted
            for edit, n_inserted in zip(self._inserted, self._lengths, strict=False)
        ]
        self.source: bytes = self.with_inserts(bytes(blanked))

    def with_inserts(self, data: bytes) -> bytes:
        """Returns another text of the source's length, with the same insertions."""
        pieces, place = [], 0
        for edit in self._inserted:
            pieces += [data[place : edit.start], edit.text]
            place = edit.start
        return b"".join([*pieces, data[place:]]) if pieces else data

    @property
    def inserted(self) -> list[int]:
        """The starts of the inserted texts, in the repaired source."""
        return self._starts

    def repaired_place(self, place: int) -> int:
        """Translates a place of the source to the repaired source."""
        return place + self._lengths[bisect_right(self._inserted, place, key=attrgetter("start"))]

    def original(self, place: int) -> int:
        """Translates a place of the repaired source to the source. A place in an inserted text
        becomes the place of the insertion."""
        number = bisect_left(self._starts, place)
        return (
            max(self._inserted[number - 1].start, place - self._lengths[number])
            if number
            else place
        )


def _hidden(text: bytes, filler: bytes) -> bytes:
    """Returns blanks of the length of a text, with its line breaks, beginning with the filler if
    the first line has room for it."""
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
    """Moves captures from a repaired source to the places of the file. original: translates a
    place."""
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
