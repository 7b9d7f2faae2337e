"""A source pack: the texts of a repository's indexed files, compressed, so that code can be shown
and searched without a clone.

Files follow one another by path. A frame ends with the file that reaches FRAME_BYTES, so a file is
in one frame, and reading it takes one range of the object. `table` says where each file is.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final

import msgspec

from symindex.errors import IndexFileError, RequestError
from symindex.text.decoding import decode

FRAME_BYTES: Final = 512 * 1024
"""Bytes of text at which a frame ends. Larger frames compress better, smaller ones are read
faster: at half a megabyte, code takes 0.22 of its size."""

MOST_FRAME_BYTES: Final = 64 * 1024 * 1024
"""Most bytes in a frame. A frame has less than FRAME_BYTES and one file."""

LEVEL: Final = 9
"""Level of compression. Level 3 is three times as fast and takes 0.26 of the size."""


class PackTable(msgspec.Struct, array_like=True, frozen=True, dict=True):
    """The files of a pack: their paths in order, their sizes, and the number of each frame's first
    file."""

    paths: list[str]
    sizes: list[int]
    first: list[int]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(self.sizes)]

    def find(self, path: str) -> tuple[int, int, int] | None:
        """Returns the frame of a file, and its range in there; `None` if it is not in the pack."""
        number = bisect_left(self.paths, path)
        if number == len(self.paths) or self.paths[number] != path:
            return None
        frame = bisect_right(self.first, number) - 1
        start = self._starts[number] - self._starts[self.first[frame]]
        return frame, start, start + self.sizes[number]


def pack(files: Iterable[tuple[str, bytes]]) -> tuple[PackTable, list[bytes]]:
    """Returns the table and the frames of a pack. files: by path."""
    import zstandard

    compressor = zstandard.ZstdCompressor(level=LEVEL)
    table, frames = PackTable([], [], []), []
    waiting: list[bytes] = []
    size = 0
    for path, data in files:
        if not waiting:
            table.first.append(len(table.paths))
        table.paths.append(path)
        table.sizes.append(len(data))
        waiting.append(data)
        size += len(data)
        if size >= FRAME_BYTES:
            frames.append(compressor.compress(b"".join(waiting)))
            waiting, size = [], 0
    if waiting:
        frames.append(compressor.compress(b"".join(waiting)))
    return table, frames


def join(packs: Sequence[tuple[PackTable, list[bytes]]]) -> tuple[PackTable, list[bytes]]:
    """Returns one pack with the files of several. The paths of each come after those of the one
    before."""
    joined, frames = PackTable([], [], []), []
    for table, own in packs:
        joined.first.extend(number + len(joined.paths) for number in table.first)
        joined.paths.extend(table.paths)
        joined.sizes.extend(table.sizes)
        frames += own
    return joined, frames


def pack_table(table: PackTable) -> bytes:
    """Returns a table as it is stored. Raises RequestError for one that `unpack` would refuse."""
    import zstandard

    data = msgspec.msgpack.encode(table)
    if len(data) > MOST_FRAME_BYTES:
        raise RequestError(
            f"the table of its files has {len(data):,} bytes, more than {MOST_FRAME_BYTES:,}:"
            " exclude some of them in its symindex.toml"
        )
    return zstandard.ZstdCompressor(level=LEVEL).compress(data)


def read_table(data: bytes) -> PackTable:
    """Returns a stored table. Raises IndexFileError for damage."""
    try:
        table = decode(unpack(data), PackTable)
    except (ValueError, MemoryError) as error:
        raise IndexFileError(f"the table of a source pack is damaged ({error})") from None
    is_sound = (
        len(table.paths) == len(table.sizes)
        and all(size >= 0 for size in table.sizes)
        and table.paths == sorted(table.paths)
        and table.first == sorted(table.first)
        and table.first[:1] == ([0] if table.paths else [])
        and (not table.first or table.first[-1] < len(table.paths))
    )
    if not is_sound:
        raise IndexFileError("the table of a source pack is damaged (it contradicts itself)")
    return table


def unpack(data: bytes) -> bytes:
    """Returns the content of a frame. Raises IndexFileError for damage."""
    import zstandard

    try:
        # A size in the frame goes before the limit that the library is given.
        if zstandard.frame_content_size(data) > MOST_FRAME_BYTES:
            raise IndexFileError(
                f"a source pack is damaged (a frame of more than {MOST_FRAME_BYTES:,} bytes)"
            )
        return zstandard.ZstdDecompressor().decompress(data, max_output_size=MOST_FRAME_BYTES)
    except zstandard.ZstdError as error:
        raise IndexFileError(f"a source pack is damaged ({error})") from None


def ranges(sizes: Iterable[int], start: int) -> Iterator[tuple[int, int]]:
    """Yields the start and the size of pieces that follow one another."""
    for size in sizes:
        yield start, size
        start += size
