"""What passes between the stages: tasks to workers, symbols and what is known of their files back.

Apart from the modules that make them, so that who only handles results (the index, a search) does not load a parser.
"""

import os
import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final, TypeAlias

import msgspec

from symindex.files.access.beneath import Beneath
from symindex.files.change_stamp import change_stamp
from symindex.protocol import KIND_OF_CODE, KINDS, SymbolKind

DIGEST_BYTES: Final = 16
"""Of a file's content: BLAKE2b."""


class Symbol(msgspec.Struct, frozen=True, array_like=True):
    """A named definition. Places are byte offsets and 0-based rows; `name_column` counts bytes.

    container: the qualified name of the enclosing symbol, empty at the top of a file.
    """

    name: str
    kind: SymbolKind
    container: str
    flags: int
    start_byte: int
    end_byte: int
    start_row: int
    end_row: int
    name_start: int
    name_end: int
    name_row: int
    name_column: int
    signature: str
    doc: str

    @property
    def qualified_name(self) -> str:
        """Container and name, joined by a dot."""
        return f"{self.container}.{self.name}" if self.container else self.name


PACKED_NUMBERS: Final = (
    "kind", "flags", "start_byte", "end_byte", "start_row", "end_row", "name_start", "name_end", "name_row", "name_column"
)  # fmt: skip
"""What `PackedSymbols.numbers` holds of each symbol, in this order; kind: KindRow.code."""

_CODES: Final = {kind.value: row.code for kind, row in KINDS.items()}
_LIMIT: Final = 2**32 - 1


NAME_HERE: Final = "\x01"
"""Names are a good part of what signatures say, and stored already."""


class PackedSymbols(msgspec.Struct, array_like=True, frozen=True):
    """The symbols of a file as they travel from a worker and wait for the index: few objects, however many symbols.

    numbers: unsigned 32-bit, little-endian, PACKED_NUMBERS of each symbol. names, containers, signatures, docs: UTF-8, a NUL byte
    behind the text of each symbol; in signatures and docs NAME_HERE stands for the symbol's name where that comes first.
    """

    count: int = 0
    numbers: bytes = b""
    names: bytes = b""
    containers: bytes = b""
    signatures: bytes = b""
    docs: bytes = b""

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Symbol]:
        """The symbols again."""
        texts = [
            [text.decode() for text in blob.split(b"\0")] for blob in (self.names, self.containers, self.signatures, self.docs)
        ]
        numbers = memoryview(self.numbers).cast("I").tolist()
        for i, (name, container, signature, doc) in enumerate(zip(*(column[:-1] for column in texts), strict=True)):
            at = i * len(PACKED_NUMBERS)
            kind, *others = numbers[at : at + len(PACKED_NUMBERS)]
            signature, doc = signature.replace(NAME_HERE, name), doc.replace(NAME_HERE, name)
            yield Symbol(name, KIND_OF_CODE[kind], container, *others, signature, doc)  # type: ignore[call-arg,arg-type]  # as many


SymbolRow: TypeAlias = tuple[str, str, str, str, str, int, int, int, int, int, int, int, int, int]
"""A Symbol: name, container, signature, doc, the kind as plain text, and PACKED_NUMBERS but for the kind. They are made for every
symbol of a tree, only to be packed."""


def pack_rows(rows: Sequence[SymbolRow]) -> PackedSymbols:
    """The symbols, packed. NUL bytes and NAME_HERE inside texts are left out."""
    if not rows:
        return PackedSymbols()
    columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True))
    names, containers, signatures, docs, kinds, flags, starts, ends, *others = columns
    if max(ends) > _LIMIT:
        ends = tuple(min(end, _LIMIT) for end in ends)
    codes = [_CODES[kind] for kind in kinds]
    numbers = array("I", chain.from_iterable(zip(codes, flags, starts, ends, *others, strict=True)))
    if sys.byteorder == "big":
        numbers.byteswap()
    return PackedSymbols(
        len(rows),
        numbers.tobytes(),
        _join(names),
        _join(containers),
        _join_marked(signatures, names),
        _join_marked(docs, names),
    )


def _join_marked(texts: Sequence[str], names: Sequence[str]) -> bytes:
    """The texts with NAME_HERE in the place of the name."""
    if NAME_HERE in "".join(texts):
        texts = [text.replace(NAME_HERE, "") for text in texts]
    return _join([text.replace(name, NAME_HERE, 1) if text else "" for text, name in zip(texts, names, strict=True)])


def _join(texts: Sequence[str]) -> bytes:
    joined = "\0".join([*texts, ""])
    if joined.count("\0") != len(texts):
        joined = "\0".join([*(text.replace("\0", "") for text in texts), ""])
    return joined.encode()


UNSETTLED: Final = -(2**63)
"""The mtime of a file that may change without its mtime's changing: no file has it, so the next check looks at the digest."""

SETTLED_NS: Final = 20_000_000
"""The clock that systems take mtimes from moves in steps of up to 10 ms, and"""

COARSE_NS: Final = 2_000_000_000
"""of up to 2 s where the file system keeps no fractions of a second."""


def settled_mtime(mtime_ns: int, ctime_ns: int, now_ns: int) -> int:
    """The mtime of a file that is about to be read, or UNSETTLED if it was written just now: what is written next, perhaps while
    it is read, may have the same mtime, the same size and the same ctime. The newer of both times tells when that was: an mtime
    can be set back."""
    return UNSETTLED if _is_recent(mtime_ns, now_ns) or _is_recent(ctime_ns, now_ns) else mtime_ns


def _is_recent(time_ns: int, now_ns: int) -> bool:
    return abs(now_ns - time_ns) < (SETTLED_NS if time_ns % 1_000_000_000 else COARSE_NS)


class FileSymbols(msgspec.Struct, array_like=True):
    """What reading one file gave.

    path: relative to the root. size, mtime_ns, stamp: as stat had them before it was read; the mtime by `settled_mtime`, the
        stamp by `files/change_stamp`. A file of which all three are as they were is taken for unchanged.
    digest: of its bytes (BLAKE2b, 16).
    language: its id, empty where it has none. flags: what its head says (generated), as SymbolFlag bits.
    skip: why it has no symbols, empty where it was read; detail: the words of the system or the limit.
    odd_encoding: it is not UTF-8, and how it was read instead, else empty.
    has_error: the grammar could not read all of it; the rest was extracted.
    unchanged: the digest is the one that was expected, and nothing was extracted anew.
    """

    path: str
    size: int
    mtime_ns: int
    stamp: int = 0
    digest: bytes = b""
    language: str = ""
    flags: int = 0
    skip: str = ""
    detail: str = ""
    odd_encoding: str = ""
    has_error: bool = False
    unchanged: bool = False
    symbols: PackedSymbols = PackedSymbols()

    def note_status(self, status: os.stat_result, now_ns: int) -> None:
        """Takes size, mtime and stamp from what the system says of the file, which it was asked at `now_ns` or later."""
        self.size, self.stamp = status.st_size, change_stamp(status)
        self.mtime_ns = settled_mtime(status.st_mtime_ns, status.st_ctime_ns, now_ns)


def given_up(tree: Beneath, path: str, skip: str, detail: str = "") -> FileSymbols:
    """What is known of a file that was not read to its end. skip, detail: as of FileSymbols."""
    result = FileSymbols(path, 0, 0, skip=skip, detail=detail)
    now = time.time_ns()
    with suppress(OSError):  # gone meanwhile; the next refresh sees that
        result.note_status(tree.lstat(path), now)
    return result


class ReadTask(msgspec.Struct, array_like=True, frozen=True):
    """A file to read. known_digest: of its bytes when it was last read, empty if never."""

    path: str
    known_digest: bytes = b""
