"""The object of a repository: its index and its source pack, for one content and one version of
symindex.

    bytes 0-7    SYMFLEET
    bytes 8-11   FORMAT_VERSION
    bytes 12-15  length of the head
    then         the head (MessagePack): sizes and digests of the pieces
    then         the pieces: the index as a file (`index/store`), the table of the source pack, and
                 the pack's frames

Its name has the key, which says what was read, and the digest of the head. The head has the digest
of each piece, so any range that is read can be checked. There are no times and no commits in it:
two commits with the same files share one object.
"""

import hashlib
import struct
from collections.abc import Sequence
from typing import Final

import msgspec

from symindex.errors import IndexFileError
from symindex.fleet.stored.source_pack import PackTable, pack_table, ranges
from symindex.text.decoding import decode

FORMAT_VERSION: Final = 1
FOLDER: Final = "repositories"
DIGEST_BYTES: Final = 16

_MAGIC: Final = b"SYMFLEET"
_START: Final = struct.Struct("<8sII")

HEAD_BYTES: Final = 65_536
"""Bytes of the first read of an object: the head of all but the largest repositories."""

MOST_HEAD_BYTES: Final = 64_000_000

_MEND: Final = "run `symindex fleet index --verify`"


class Piece(msgspec.Struct, array_like=True, frozen=True):
    """A piece of an object: its size in bytes, and its digest."""

    n_bytes: int
    digest: bytes

    @classmethod
    def of(cls, data: bytes) -> "Piece":
        return cls(len(data), digest_of_piece(data))


class Head(msgspec.Struct, array_like=True, frozen=True):
    """The head of an object.

    rules: digest of symindex's version and its languages. files, symbols, source_bytes: what was
    indexed. left_out: reason -> number of files that were not read. skips: the first of those that
    the index does not name. generation: of the index. index, table, frames: the pieces, in this
    order.
    """

    rules: bytes
    files: int
    symbols: int
    source_bytes: int
    left_out: dict[str, int]
    skips: list[tuple[str, str]]
    generation: int
    index: Piece
    table: Piece
    frames: list[Piece]

    def places(self, start: int) -> list[tuple[int, int]]:
        """Returns the start and the size of each piece: the index, the table, the frames. start: of
        the first one."""
        pieces = [self.index, self.table, *self.frames]
        return [*ranges((piece.n_bytes for piece in pieces), start)]


def digest_of_piece(data: bytes) -> bytes:
    """Returns the digest by which pieces and heads are checked."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def name_of(key: str, head: bytes, folder: str = FOLDER) -> str:
    """Returns the name of an object. key: in hexadecimal digits."""
    return f"{folder}/{key}/{digest_of_piece(head).hex()}"


def key_of(name: str) -> str:
    """Returns the key in the name of an object."""
    return name.removeprefix(f"{FOLDER}/").partition("/")[0]


def make_object(
    key: str,
    rules: bytes,
    index: tuple[bytes, int],
    counts: tuple[int, int, int],
    left_out: tuple[dict[str, int], list[tuple[str, str]]],
    source: tuple[PackTable, Sequence[bytes]],
    folder: str = FOLDER,
) -> tuple[str, list[bytes]]:
    """Returns the name of an object, and its content in pieces. index: a file of `index/store`,
    and its generation. counts: files, symbols, and bytes of source. left_out: as in the head, with
    skips."""
    table, frames = pack_table(source[0]), source[1]
    head = msgspec.msgpack.encode(
        Head(
            rules,
            *counts,
            dict(sorted(left_out[0].items())),
            left_out[1],
            index[1],
            Piece.of(index[0]),
            Piece.of(table),
            [*map(Piece.of, frames)],
        )
    )
    start = _START.pack(_MAGIC, FORMAT_VERSION, len(head))
    return name_of(key, head, folder), [start, head, index[0], table, *frames]


def head_length(data: bytes, name: str) -> int:
    """Returns how many bytes the start and the head of an object have, from its first bytes. Raises
    IndexFileError."""
    if len(data) < _START.size:
        raise IndexFileError(f"{name}: cut short; {_MEND}")
    magic, version, length = _START.unpack_from(data)
    if magic != _MAGIC:
        raise IndexFileError(f"{name}: not an object of a fleet; {_MEND}")
    if version != FORMAT_VERSION:
        raise IndexFileError(
            f"{name}: format version {version}, not {FORMAT_VERSION}; index it with this version"
        )
    if length > MOST_HEAD_BYTES:
        raise IndexFileError(f"{name}: damaged (a head of {length:,} bytes); {_MEND}")
    return _START.size + int(length)


def read_head(data: bytes, name: str) -> Head:
    """Returns the head of an object. data: exactly its first `head_length` bytes. Raises
    IndexFileError if it is not the one that the name promises."""
    head = data[_START.size :]
    if not name.endswith(digest_of_piece(head).hex()):
        raise IndexFileError(f"{name}: damaged (wrong digest); {_MEND}")
    try:
        return decode(head, Head)
    except ValueError as error:
        raise IndexFileError(f"{name}: damaged ({error}); {_MEND}") from None


def check_head(data: bytes, name: str) -> bytes:
    """Returns the first `head_length` bytes of an object. Raises like `read_head`."""
    read_head(data, name)
    return data


def check_piece(data: bytes, piece: Piece, name: str) -> bytes:
    """Returns a piece. Raises IndexFileError if it is not what the head promises."""
    if digest_of_piece(data) != piece.digest:
        raise IndexFileError(f"{name}: damaged (wrong digest of a piece); {_MEND}")
    return data


def check_object(data: bytes, name: str) -> None:
    """Checks every byte of an object. Raises IndexFileError."""
    length = head_length(data, name)
    head = read_head(data[:length], name)
    pieces = [head.index, head.table, *head.frames]
    end = length
    for (start, n_bytes), piece in zip(head.places(length), pieces, strict=True):
        end = start + n_bytes
        check_piece(data[start:end], piece, name)
    if end != len(data):
        raise IndexFileError(f"{name}: damaged ({len(data) - end:,} bytes too many); {_MEND}")
