"""Symbols to columns: builds an index from the files that were read, and from what older indexes hold of all others.

The result depends on the files alone: tables are ordered, so it does not matter which symbols came from where. What a file has in
details is passed on block by block, so that the memory needed beyond the result stays small.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import NOTE_ODD_ENCODING, NOTE_SYNTAX_ERRORS, Columns, Index
from symindex.index.details import BLOCK_BYTES, NUMBERS, Block, pack_block
from symindex.index.fold import fold, squash
from symindex.index.signature import build_slices
from symindex.index.strings import U32
from symindex.index.words import build_words, is_odd
from symindex.source.records import DIGEST_BYTES, PACKED_NUMBERS, FileSymbols
from symindex.source.skips import SKIP_CODES

I64 = NDArray[np.int64]


Source = tuple[Index, I64]
"""An index to take files from, and their numbers in it, in order."""


def build_index(
    read: Iterable[FileSymbols],
    kept: Sequence[Source] = (),
    salt: bytes = b"",
    touched: Mapping[str, tuple[int, int]] | None = None,
) -> Index:
    """The index of the files `read`, and of those `kept` with what older indexes know of them.

    salt: what beside the files decides the content (the version, the grammars); it goes into the generation.
    touched: the new size and mtime of kept files that were only touched.
    """
    inputs = [_fresh(sorted(read, key=lambda file: file.path)), *(_kept(index, numbers) for index, numbers in kept)]
    if touched:
        for file in (file for source in inputs[1:] for file in source.files):
            if file.path in touched:
                file.size, file.mtime_ns = touched[file.path]
    return Index(_join(inputs, salt))


@dataclass
class _Input:
    """Some files and their symbols, by path and place.

    counts: symbols by file. names, containers: tables of texts, and each symbol's number in them. traits: kind + 256 * flags.
    details: the raw details of the files, in the order of `files`: numbers (NUMBERS a symbol), signatures, docs.
    """

    files: list[FileSymbols]
    counts: I64
    names: list[str]
    name: U32
    containers: list[str]
    container: U32
    traits: NDArray[np.uint16]
    name_row: U32
    details: Iterator[Block]


def _fresh(files: list[FileSymbols]) -> _Input:
    numbers = np.frombuffer(b"".join([file.symbols.numbers for file in files]), dtype="<u4").reshape(-1, len(PACKED_NUMBERS))
    kind, flags, name_row = (numbers[:, PACKED_NUMBERS.index(column)] for column in ("kind", "flags", "name_row"))
    counts = np.array([file.symbols.count for file in files], dtype=np.int64)
    of_file = np.repeat(np.array([file.flags for file in files], dtype=np.uint32), counts)
    names, name = _number_texts(b"".join([file.symbols.names for file in files]))
    containers, container = _number_texts(b"".join([file.symbols.containers for file in files]))
    traits = (kind | (flags | of_file) << 8).astype(np.uint16)
    # A copy of the column, or it would keep all of them in memory.
    return _Input(files, counts, names, name, containers, container, traits, name_row.copy(), map(_details_of, files))


_WANTED: Final = [PACKED_NUMBERS.index(column) for column in NUMBERS]


def _details_of(file: FileSymbols) -> Block:
    packed = np.frombuffer(file.symbols.numbers, dtype="<u4").reshape(-1, len(PACKED_NUMBERS))
    numbers, name_row = packed[:, _WANTED], packed[:, PACKED_NUMBERS.index("name_row")]
    start_row, end_row = NUMBERS.index("start_row"), NUMBERS.index("end_row")
    numbers[:, start_row] = name_row - numbers[:, start_row]
    numbers[:, end_row] -= name_row
    return Block(numbers, file.symbols.signatures, file.symbols.docs)


def _number_texts(blob: bytes) -> tuple[list[str], U32]:
    """The distinct texts of a blob of texts with a NUL byte behind each, and each one's number."""
    table: dict[str, int] = {}
    number = [table.setdefault(text, len(table)) for text in blob.decode().split("\0")[:-1]]
    return list(table), np.array(number, dtype=np.uint32)


def _kept(kept: Index, numbers: I64) -> _Input:
    of_file = np.zeros(kept.n_files, dtype=bool)
    of_file[numbers] = True
    all_counts = np.diff(kept.file_first)
    rows = kept.row_at[np.repeat(of_file, all_counts)]
    name_of_row = kept.spread_names(np.arange(len(kept.names), dtype=np.uint32))
    names, name = _used(kept.names.all, name_of_row[rows])
    containers, container = _used(kept.containers.all, kept.container[rows])
    return _Input(
        files=[kept.file(number) for number in numbers.tolist()],
        counts=all_counts[numbers].astype(np.int64),
        names=names,
        name=name,
        containers=containers,
        container=container,
        traits=np.array(kept.columns.traits_of, dtype=np.uint16)[kept.traits[rows]]
        if len(rows)
        else np.empty(0, dtype=np.uint16),
        name_row=kept.name_row[rows].astype(np.uint32),
        details=_kept_details(kept, numbers),
    )


def _used(texts: list[str], numbers: NDArray[Any]) -> tuple[list[str], U32]:
    """The texts that are used, and the numbers anew."""
    used = np.zeros(len(texts), dtype=bool)
    used[numbers] = True
    anew = np.cumsum(used, dtype=np.uint32) - np.uint32(1)
    return [texts[number] for number in np.flatnonzero(used).tolist()], anew[numbers]


def _kept_details(kept: Index, numbers: I64) -> Iterator[Block]:
    of_block = np.searchsorted(kept.block_first, numbers, side="right") - 1
    before = -1
    for file, number in zip(numbers.tolist(), of_block.tolist(), strict=True):
        if number != before:
            block = kept.block(number).unpack()
            ends = [np.flatnonzero(np.frombuffer(texts, dtype=np.uint8) == 0) + 1 for texts in block[1:]]
            edges = [np.concatenate(([0], end)) for end in ends]
            base = int(kept.file_first[kept.block_first[number]])
            before = number
        low, high = int(kept.file_first[file]) - base, int(kept.file_first[file + 1]) - base
        signatures, docs = (texts[edge[low] : edge[high]] for texts, edge in zip(block[1:], edges, strict=True))
        yield Block(block.numbers[low:high], signatures, docs)


def _join(sources: Sequence[_Input], salt: bytes) -> Columns:
    """All files of all sources in the order of their paths, and their symbols in the order of rows."""
    files = [file for source in sources for file in source.files]
    order = sorted(range(len(files)), key=lambda i: files[i].path)
    rank = np.empty(len(files), dtype=np.int64)
    rank[order] = np.arange(len(files))
    counts = np.concatenate([source.counts for source in sources])
    file_first = np.concatenate(([0], np.cumsum(counts[order]))).astype("<u4")
    # The places of the symbols, source by source, file by file.
    first_here = np.cumsum(counts) - counts
    place = (np.arange(int(counts.sum())) + np.repeat(file_first[rank].astype(np.int64) - first_here, counts)).astype("<u4")
    names, name = _merge([(source.names, source.name) for source in sources], key=_name_key)
    containers, container = _merge([([*source.containers, ""], source.container) for source in sources], key=str)
    traits_of, traits = np.unique(np.concatenate([source.traits for source in sources]), return_inverse=True)
    name_row = np.concatenate([source.name_row for source in sources])
    blocks = _Blocks()
    parts = _in_order(sources, order)
    for _ in order:
        blocks.add(next(parts))
    by_row = np.lexsort((place, name))
    ordered = [files[i] for i in order]
    name_first = np.concatenate(([0], np.cumsum(np.bincount(name, minlength=len(names)))))
    return Columns(
        generation=_generation(ordered, salt),
        traits_of=traits_of.tolist(),
        **_name_columns(names),
        **_string_columns("container", containers),
        name_first=_pack(name_first, "<u4"),
        place=_pack(place[by_row], "<u4"),
        traits=_pack_narrow(traits[by_row]),
        container=_pack_narrow(container[by_row]),
        name_row=_pack_narrow(name_row[by_row]),
        **_file_columns(ordered),
        file_first=_pack(file_first, "<u4"),
        **blocks.columns(),
    )


def _in_order(sources: Sequence[_Input], order: list[int]) -> Iterator[Block]:
    """The details of the files of all sources, merged; those of each source come in order."""
    ends = np.cumsum([len(source.files) for source in sources])
    for i in order:
        yield next(sources[int(np.searchsorted(ends, i, side="right"))].details)


def _name_key(name: str) -> tuple[str, str, str]:
    folded = fold(name)
    return squash(folded), folded, name


def _merge(tables: Sequence[tuple[list[str], U32]], key: Any) -> tuple[list[str], I64]:
    """One ordered table of the distinct texts, and all numbers, translated."""
    merged = sorted({text for texts, _ in tables for text in texts}, key=key)
    number = {text: i for i, text in enumerate(merged)}
    translated = [
        np.array([number[text] for text in texts], dtype=np.int64)[numbers] for texts, numbers in tables if len(numbers)
    ]
    return merged, np.concatenate([*translated, np.empty(0, dtype=np.int64)])


class _Blocks:
    """Details in the making: takes them file by file and packs a block when it has enough."""

    def __init__(self) -> None:
        self._waiting: list[Block] = []
        self._size = 0
        self._packed: list[bytes] = []
        self._files: list[int] = []

    def add(self, details: Block) -> None:
        """The next file's."""
        self._waiting.append(details)
        self._size += len(details.signatures) + len(details.docs)
        if self._size >= BLOCK_BYTES:
            self._flush()

    def _flush(self) -> None:
        numbers, signatures, docs = zip(*self._waiting, strict=True)
        self._packed.append(pack_block(Block(np.concatenate(numbers), b"".join(signatures), b"".join(docs))))
        self._files.append(len(self._waiting))
        self._waiting, self._size = [], 0

    def columns(self) -> dict[str, Any]:
        """The columns by block."""
        if self._waiting:
            self._flush()
        blob = b"".join(self._packed)
        offsets = np.cumsum([0, *map(len, self._packed)])
        return {
            "block_blob": memoryview(blob),
            "block_offset": _pack(offsets, "<u4"),
            "block_first": _pack(np.cumsum([0, *self._files]), "<u4"),
        }


def _name_columns(names: list[str]) -> dict[str, Any]:
    columns = _string_columns("name", names)
    odd = np.array([i for i, name in enumerate(names) if is_odd(name)], dtype=np.int64)
    offsets = np.frombuffer(columns["name_offset"], dtype="<u4")
    slices, slice_counts = build_slices(columns["name_blob"], offsets, odd, names)
    words, word_counts, name_words = build_words(names, odd)
    return {
        **columns,
        **_string_columns("word", words),
        "name_word_count": _pack(word_counts, "<u1"),
        "name_words": _pack_narrow(name_words),
        "odd_names": _pack(odd, "<u4"),
        "name_slices": _pack(slices, "<u8"),
        "slice_counts": _pack(slice_counts, "<u4"),
    }


def _string_columns(table: str, texts: Sequence[str]) -> dict[str, Any]:
    encoded = [text.encode() + b"\0" for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype="<u4")
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return {f"{table}_blob": memoryview(b"".join(encoded)), f"{table}_offset": memoryview(offsets.tobytes())}


def _file_columns(files: list[FileSymbols]) -> dict[str, Any]:
    languages = sorted({file.language for file in files} | {""})
    language_number = {language: i for i, language in enumerate(languages)}
    skip_number = {str(reason): 1 + i for i, reason in enumerate(SKIP_CODES)}
    return {
        "language_ids": languages,
        "skip_details": {i: file.detail for i, file in enumerate(files) if file.detail},
        **_string_columns("path", [file.path for file in files]),
        "file_size": _pack([file.size for file in files], "<u8"),
        "file_mtime": _pack([file.mtime_ns for file in files], "<i8"),
        "file_digest": memoryview(b"".join(file.digest.ljust(DIGEST_BYTES, b"\0") for file in files)),
        "file_language": _pack([language_number[file.language] for file in files], "<u1"),
        "file_notes": _pack([_notes(file) for file in files], "<u1"),
        "file_skip": _pack([skip_number[file.skip] if file.skip else 0 for file in files], "<u1"),
    }


def _notes(file: FileSymbols) -> int:
    return NOTE_SYNTAX_ERRORS * file.has_error | NOTE_ODD_ENCODING * bool(file.odd_encoding)


def _pack(values: Any, dtype: str) -> memoryview:
    return memoryview(np.ascontiguousarray(np.asarray(values, dtype=dtype)).tobytes())


def _pack_narrow(values: NDArray[Any]) -> memoryview:
    largest = int(values.max()) if len(values) else 0
    return _pack(values, "<u1" if largest < 2**8 else "<u2" if largest < 2**16 else "<u4")


def _generation(files: Sequence[FileSymbols], salt: bytes) -> int:
    """The sum of what is hashed of each file, so that a change of some files is a matter of these."""
    return (sum(map(file_hash, files)) + _hash(salt)) % 2**64


def file_hash(file: FileSymbols) -> int:
    """64 bits of what decides a file's symbols."""
    return _hash(f"{file.path}\0{file.language}\0{file.skip}\0".encode() + file.digest.ljust(DIGEST_BYTES, b"\0"))


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
