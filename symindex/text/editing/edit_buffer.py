"""A text while it is edited: its lines in UTF-8, and positions in the units of the editor.

Lines end as in the Language Server Protocol: with a line feed, a carriage return, or both. Half a
surrogate pair, which JSON can contain and UTF-8 cannot, is stored as the three bytes to which
Python encodes it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, Literal, TypeAlias

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
"""The unit of columns: bytes, 16-bit units or characters."""

Place: TypeAlias = tuple[int, int]
"""A 0-based line, and a column in the units of an Encoding."""

_TOLERANT: Final = "surrogatepass"


def encode(text: str) -> bytes:
    """Encodes a text from JSON in UTF-8."""
    return text.encode("utf-8", _TOLERANT)


def count_units(data: bytes, encoding: Encoding) -> int:
    """Returns the length of a piece of a line in units."""
    if encoding == "utf-8" or data.isascii():
        return len(data)
    try:
        text = data.decode("utf-8", _TOLERANT)
    except UnicodeDecodeError:  # it comes from a file
        text = data.decode("utf-8", "replace")
    # Each character beyond 16 bits is a pair, and four bytes of UTF-8.
    return len(text) + (
        sum(character > "\uffff" for character in text) if encoding == "utf-16" else 0
    )


def find_byte(line: bytes, units: int, encoding: Encoding) -> int:
    """Returns the byte offset of a column in a line, at most the length of the line.

    A column inside a character means its beginning.
    """
    if line.isascii() or encoding == "utf-8":
        offset = min(units, len(line))
        while offset < len(line) and line[offset] & 0xC0 == 0x80:
            offset -= 1
        return offset
    offset = count = 0
    for character in line.decode("utf-8", _TOLERANT):
        count += 2 if encoding == "utf-16" and character > "\uffff" else 1
        if count > units:
            break
        offset += len(character.encode("utf-8", _TOLERANT))
    return offset


class Buffer:
    """A text and its lines. encoding: the unit of columns."""

    def __init__(self, data: bytes, encoding: Encoding) -> None:
        self.encoding = encoding
        self._lines = data.splitlines(keepends=True)
        self._starts: list[int] | None = None

    @property
    def data(self) -> bytes:
        return b"".join(self._lines)

    def replace(self, start: Place | None, end: Place | None, text: bytes) -> None:
        """Replaces the text between two places, or the whole text if none are given.

        Places beyond the end of a line or of the text mean that end. Two places in the wrong order
        are exchanged.
        """
        self._starts = None
        if start is None or end is None:
            self._lines = text.splitlines(keepends=True)
            return
        start, end = sorted((max(line, 0), max(column, 0)) for line, column in (start, end))
        first, first_byte = self._locate(start)
        last, last_byte = self._locate(end)
        # Half of a line end may now be joined with the line before or after.
        low, high = max(first - 1, 0), min(last + 2, len(self._lines))
        lines_before = self._lines[low:first]
        head = self._lines[first][:first_byte] if first < len(self._lines) else b""
        tail = self._lines[last][last_byte:] if last < len(self._lines) else b""
        lines_after = self._lines[last + 1 : high]
        self._lines[low:high] = b"".join(
            [*lines_before, head, text, tail, *lines_after]
        ).splitlines(keepends=True)

    def _locate(self, place: Place) -> tuple[int, int]:
        """Returns the line of a place, and the byte in it."""
        line = max(place[0], 0)
        return (line, self.byte_in_line(place)) if line < len(self._lines) else self._end()

    def _end(self) -> tuple[int, int]:
        """Returns the line and the byte of the end of the text. After a line end, the end is on a
        line of its own."""
        if self._lines and not self._lines[-1].endswith((b"\n", b"\r")):
            return len(self._lines) - 1, len(self._lines[-1])
        return len(self._lines), 0

    def line(self, number: int) -> bytes:
        """Returns a line without its end; empty beyond the end of the text."""
        return self._lines[number].rstrip(b"\r\n") if 0 <= number < len(self._lines) else b""

    def line_start(self, number: int) -> int:
        """Returns the byte offset of a line in the text."""
        starts = self._line_starts()
        return starts[min(number, len(starts) - 1)]

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *accumulate(map(len, self._lines))]
        return self._starts

    def byte_in_line(self, place: Place) -> int:
        """Returns the byte offset of a place in its line."""
        return find_byte(self.line(max(place[0], 0)), max(place[1], 0), self.encoding)

    def places(self, offsets: Sequence[int]) -> list[Place]:
        """Returns the places of byte offsets in the text."""
        starts = self._line_starts()
        places = []
        for offset in offsets:
            line = max(bisect_right(starts, offset) - 1, 0)
            if line < len(self._lines):
                places.append(
                    (line, count_units(self._lines[line][: offset - starts[line]], self.encoding))
                )
            else:
                line, byte = self._end()
                places.append((line, count_units(self._lines[line], self.encoding) if byte else 0))
        return places
