"""The types that pass between the stages of the pipeline: tasks to workers, and symbols and facts
about their files back.

They are apart from the modules that make them, so that the index and a search do not load a parser.
"""

import os
import sys
import time
from array import array
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final, TypeAlias

import msgspec

from symindex.extract.items.item import ItemFacts
from symindex.extract.word_lists import PackedTokens, pack_prose, pack_tokens
from symindex.files.access.beneath import Beneath
from symindex.files.change_stamp import change_stamp
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolKind

DIGEST_BYTES: Final = 16
"""Length of the digest of a file's content, in bytes (BLAKE2b)."""


class Symbol(msgspec.Struct, frozen=True, array_like=True):
    """A named definition. Positions are byte offsets and 0-based rows; `name_column` counts bytes.

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
    "kind",
    "flags",
    "start_byte",
    "end_byte",
    "start_row",
    "end_row",
    "name_start",
    "name_end",
    "name_row",
    "name_column",
)
"""The numbers of each symbol in `PackedSymbols.numbers`, in this order; kind: KindRow.code."""

_CODES: Final = {kind.value: row.code for kind, row in KINDS.items()}
_LIMIT: Final = 2**32 - 1
_SECTION: Final = SymbolKind.SECTION.value


NAME_HERE: Final = "\x01"
"""Replaces the name in signatures and docs: names are a good part of these, and are stored
anyway."""


class PackedSymbols(msgspec.Struct, array_like=True, frozen=True):
    """The symbols of a file as a worker sends them to the index: few objects, however many symbols.

    numbers: unsigned 32-bit, little-endian, PACKED_NUMBERS of each symbol. names, containers,
    signatures, docs: UTF-8, a NUL byte after the text of each symbol; in signatures and docs
    NAME_HERE replaces the first occurrence of the symbol's name. tokens: those of signatures and
    docs.
    """

    count: int = 0
    numbers: bytes = b""
    names: bytes = b""
    containers: bytes = b""
    signatures: bytes = b""
    docs: bytes = b""
    tokens: PackedTokens = PackedTokens()

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Symbol]:
        """Unpacks the symbols."""
        texts = [
            [text.decode() for text in blob.split(b"\0")]
            for blob in (self.names, self.containers, self.signatures, self.docs)
        ]
        numbers = memoryview(self.numbers).cast("I").tolist()
        for i, (name, container, signature, doc) in enumerate(
            zip(*(column[:-1] for column in texts), strict=True)
        ):
            place = i * len(PACKED_NUMBERS)
            kind, *other_numbers = numbers[place : place + len(PACKED_NUMBERS)]
            signature, doc = signature.replace(NAME_HERE, name), doc.replace(NAME_HERE, name)
            yield Symbol(name, KIND_OF_CODE[kind], container, *other_numbers, signature, doc)  # type: ignore[call-arg,arg-type]  # as many


SymbolRow: TypeAlias = tuple[str, str, str, str, str, int, int, int, int, int, int, int, int, int]
"""A symbol that is about to be packed: name, container, signature, doc, the kind as plain text, and
PACKED_NUMBERS except the kind. A tuple, because one is made for every symbol of a tree."""


def pack_rows(
    rows: Sequence[SymbolRow], contents: Sequence[str] = (), wholes: Collection[int] = ()
) -> PackedSymbols:
    """Packs symbols. Drops NUL bytes and NAME_HERE inside of texts. contents: the texts of sections
    and items, whose words count as well. wholes: the numbers of the rows whose text consists of the
    texts of all other rows."""
    if not rows:
        return PackedSymbols()
    columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True))
    names, containers, signatures, docs, kinds, flags, starts, ends, *other_numbers = columns
    if max(ends) > _LIMIT:
        ends = tuple(min(end, _LIMIT) for end in ends)
    codes = [_CODES[kind] for kind in kinds]
    numbers = array(
        "I", chain.from_iterable(zip(codes, flags, starts, ends, *other_numbers, strict=True))
    )
    if sys.byteorder == "big":
        numbers.byteswap()
    plain = _without_marks(signatures), _without_marks(docs)
    joined = _join(names)
    if contents:
        titles = [name if kind == _SECTION else "" for name, kind in zip(names, kinds, strict=True)]
        tokens = pack_prose(_without_marks(titles), *plain, _without_marks(contents), wholes)
    else:
        tokens = pack_tokens(joined, *plain)
    return PackedSymbols(
        len(rows),
        numbers.tobytes(),
        joined,
        _join(containers),
        _join_marked(plain[0], names),
        _join_marked(plain[1], names),
        tokens,
    )


def _without_marks(texts: Sequence[str]) -> Sequence[str]:
    """Returns the texts without NUL bytes and NAME_HERE, which have a meaning in packed texts."""
    joined = "".join(texts)
    if NAME_HERE not in joined and "\0" not in joined:
        return texts
    return [text.replace(NAME_HERE, "").replace("\0", "") for text in texts]


def _join_marked(texts: Sequence[str], names: Sequence[str]) -> bytes:
    """Returns the texts with NAME_HERE instead of the name."""
    return _join(
        [
            text.replace(name, NAME_HERE, 1) if text else ""
            for text, name in zip(texts, names, strict=True)
        ]
    )


def _join(texts: Sequence[str]) -> bytes:
    joined = "\0".join([*texts, ""])
    if joined.count("\0") != len(texts):
        joined = "\0".join([*(text.replace("\0", "") for text in texts), ""])
    return joined.encode()


UNSETTLED: Final = -(2**63)
"""The mtime that is stored for a file that may change without a new mtime. No file has it, so the
next check compares digests."""

SETTLED_NS: Final = 20_000_000
"""Largest step of the clock that systems take mtimes from, in nanoseconds (10 ms), with a
margin."""

COARSE_NS: Final = 2_000_000_000
"""Largest step on file systems without fractions of a second, in nanoseconds."""


def settled_mtime(mtime_ns: int, ctime_ns: int, now_ns: int) -> int:
    """Returns the mtime of a file that is about to be read, or UNSETTLED if it was written just
    now: the next write, perhaps during the read, may leave the same mtime, size and ctime. Both
    times count, because an mtime can be set back."""
    for time_ns in mtime_ns, ctime_ns:
        if abs(now_ns - time_ns) < (SETTLED_NS if time_ns % 1_000_000_000 else COARSE_NS):
            return UNSETTLED
    return mtime_ns


class FileSymbols(msgspec.Struct, array_like=True):
    """The result of reading one file.

    path: relative to the root. size, mtime_ns, stamp: from stat, before the file was read; the
    mtime by `settled_mtime`, the stamp by `files/change_stamp`. A file is unchanged if all
    three are the same. digest: of its bytes (BLAKE2b, 16). language: its id, empty if it has
    none. flags: those of all its symbols (SymbolFlag bits). skip: why it has no symbols, empty
    if it was read. detail: the system's error, or the limit. odd_encoding: its encoding if not
    UTF-8, else empty. has_error: whether the grammar could not read all of it; the rest was
    extracted. broken_line: where an error first cuts a container, from 1; 0 if none does.
    is_conflicted: whether it has the markers of an unfinished merge. unchanged: whether it has
    the expected digest, so that nothing was extracted. mentions: the names of others that it
    mentions (`extract/word_lists`). bindings: what it binds, packed (`extract/file_bindings`).
    documents: its sections and items. items: the items among `documents`, by number, with their
    metadata.
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
    mentions: bytes = b""
    bindings: bytes = b""
    documents: PackedSymbols = PackedSymbols()
    items: list[tuple[int, ItemFacts]] = []
    broken_line: int = 0
    is_conflicted: bool = False

    def note_status(self, status: os.stat_result, now_ns: int) -> None:
        """Sets size, mtime and stamp from the result of a stat at `now_ns` or later."""
        self.size, self.stamp = status.st_size, change_stamp(status)
        self.mtime_ns = settled_mtime(status.st_mtime_ns, status.st_ctime_ns, now_ns)


def given_up(tree: Beneath, path: str, skip: str, detail: str = "") -> FileSymbols:
    """Returns the result for a file that was not read to its end. skip, detail: as in
    FileSymbols."""
    result = FileSymbols(path, 0, 0, skip=skip, detail=detail)
    now = time.time_ns()
    with suppress(OSError):  # it is gone; the next refresh notices
        result.note_status(tree.lstat(path), now)
    return result


class ReadTask(msgspec.Struct, array_like=True, frozen=True):
    """A file to read. known_digest: the digest of its bytes when it was last read, empty if
    never."""

    path: str
    known_digest: bytes = b""
