"""Symbols to columns: builds an index from the files that were read, and from what older indexes hold of all others.

The result depends on the files alone: tables are ordered, so it does not matter which symbols came from where. What a file has in
details is passed on block by block, so that the memory needed beyond the result stays small.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import numpy as np

from symindex.extract.records import DIGEST_BYTES, PACKED_NUMBERS, FileSymbols, PackedSymbols
from symindex.files.skips import SKIP_CODES
from symindex.index.arrays import I64, U16, U32, Numbers
from symindex.index.columns import Index
from symindex.index.details import Block, Packer, relative_numbers
from symindex.index.integer_columns import Small, pack, pack_narrow, pack_runs, pack_small, pack_wide
from symindex.index.interning import Numbering, folded_order, plain_order, table_columns
from symindex.index.layout import NOTE_ODD_ENCODING, NOTE_SYNTAX_ERRORS, RARE, Columns
from symindex.index.name_bitmaps import build_slices
from symindex.index.strings import StringTable, digest_paths
from symindex.index.word_postings import build_words, find_odd

Source = tuple[Index, I64]
"""An index to take files from, and their numbers in it, in order."""


def build_index(
    read: Iterable[FileSymbols],
    kept: Sequence[Source] = (),
    salt: bytes = b"",
    touched: Mapping[str, tuple[int, int, int]] | None = None,
) -> Index:
    """The index of the files `read`, and of those `kept` with what older indexes know of them.

    read: what nobody else holds is let go on the way, so that an iterator that hands over its files saves their memory.
    salt: what beside the files decides the content (the version, the grammars); it goes into the generation.
    touched: the new size, mtime and stamp of kept files that were only touched.
    """
    names, containers = Numbering(), Numbering()
    inputs = [_fresh(read, names, containers), *(_kept(index, numbers, names, containers) for index, numbers in kept)]
    if touched:
        for file in (file for source in inputs[1:] for file in source.files):
            if file.path in touched:
                file.size, file.mtime_ns, file.stamp = touched[file.path]
    return Index(_join(inputs, names, containers, salt))


@dataclass
class _Input:
    """Some files and their symbols, by path and place.

    counts: symbols by file. name, container: each symbol's number in the numbering of all. traits: kind + 256 * flags.
    details: the raw details of the files, in the order of `files`: numbers (NUMBERS a symbol), signatures, docs.
    """

    files: list[FileSymbols]
    counts: I64
    name: U32
    container: U32
    traits: U32
    name_row: U32
    name_column: U32
    details: Iterator[Block]


_FILES_AT_ONCE: Final = 512
"""What is made of so many files in between stays small."""


def _fresh(read: Iterable[FileSymbols], names: Numbering, containers: Numbering) -> _Input:
    files: list[FileSymbols] = []
    symbols: list[PackedSymbols] = []
    for file in sorted(read, key=lambda file: file.path):
        files.append(msgspec.structs.replace(file, symbols=_NO_SYMBOLS))
        symbols.append(file.symbols)
    counts = np.array([some.count for some in symbols], dtype=np.int64)
    nothing = np.empty(0, dtype=np.uint32)
    name, name_sizes, container, traits = [nothing], [nothing], [nothing], [nothing]
    name_rows, name_columns = [nothing], [nothing]
    for at in range(0, len(files), _FILES_AT_ONCE):
        some = symbols[at : at + _FILES_AT_ONCE]
        blob = b"".join([packed.names for packed in some])
        name.append(names.number_blob(blob))
        name_sizes.append(np.diff(np.flatnonzero(np.frombuffer(blob, dtype=np.uint8) == 0), prepend=-1).astype(np.uint32) - 1)
        container.append(containers.number_blob(b"".join([packed.containers for packed in some])))
        numbers = np.frombuffer(b"".join([packed.numbers for packed in some]), dtype="<u4").reshape(-1, len(PACKED_NUMBERS))
        kind, flags, name_row, name_column = (
            numbers[:, PACKED_NUMBERS.index(column)] for column in ("kind", "flags", "name_row", "name_column")
        )
        of_file = np.array([file.flags for file in files[at : at + _FILES_AT_ONCE]], dtype=np.uint32)
        traits.append(kind | (flags | np.repeat(of_file, counts[at : at + _FILES_AT_ONCE])) << 8)
        name_rows.append(name_row.copy())  # or it would keep all columns in memory
        name_columns.append(name_column.copy())
    # The last to hold names and containers were these.
    waiting = [
        (packed.numbers, sizes, packed.signatures, packed.docs)
        for packed, sizes in zip(symbols, np.split(np.concatenate(name_sizes), np.cumsum(counts))[:-1], strict=True)
    ]
    return _Input(
        files,
        counts,
        np.concatenate(name),
        np.concatenate(container),
        np.concatenate(traits),
        np.concatenate(name_rows),
        np.concatenate(name_columns),
        _fresh_details(waiting, counts),
    )


_NO_SYMBOLS: Final = PackedSymbols()
_Waiting = tuple[bytes, U32, bytes, bytes]
"""Of a file: numbers, sizes of the names, signatures, docs."""


def _fresh_details(waiting: list[_Waiting], counts: I64) -> Iterator[Block]:
    """By file; what has been passed on is let go."""
    waiting.reverse()
    for at in range(0, len(counts), _FILES_AT_ONCE):
        some = waiting[: -_FILES_AT_ONCE - 1 : -1]
        del waiting[-_FILES_AT_ONCE:]
        packed = np.frombuffer(b"".join([file[0] for file in some]), dtype="<u4").reshape(-1, len(PACKED_NUMBERS))
        numbers = relative_numbers(packed, np.concatenate([file[1] for file in some]))
        ends = np.cumsum(counts[at : at + _FILES_AT_ONCE]).tolist()
        for (_, _, signatures, docs), low, high in zip(some, [0, *ends], ends, strict=False):
            yield Block(numbers[low:high], signatures, docs)


def _kept(kept: Index, numbers: I64, names: Numbering, containers: Numbering) -> _Input:
    of_file = np.zeros(kept.n_files, dtype=bool)
    of_file[numbers] = True
    all_counts = np.diff(kept.file_first)
    rows = kept.row_at[np.repeat(of_file, all_counts)]
    name_of_row = kept.spread_names(np.arange(len(kept.names), dtype=np.uint32))
    return _Input(
        files=[kept.file(number) for number in numbers.tolist()],
        counts=all_counts[numbers].astype(np.int64),
        name=_used(names, kept.names, name_of_row[rows]),
        container=_used(containers, kept.containers, kept.container_of(rows)),
        traits=np.array(kept.columns.traits_of, dtype=np.uint32)[kept.traits[rows]]
        if len(rows)
        else np.empty(0, dtype=np.uint32),
        name_row=kept.all_name_rows()[rows],
        name_column=Small(kept.columns.name_columns)[kept.place[rows]],
        details=_kept_details(kept, numbers),
    )


def _used(numbering: Numbering, table: StringTable, numbers: Numbers) -> U32:
    """The numbers of texts of a table as those of the numbering, to which only those that are used are added."""
    used = np.zeros(len(table), dtype=bool)
    used[numbers] = True
    number = np.zeros(len(table), dtype=np.uint32)
    number[used] = numbering.number(table.take(np.flatnonzero(used)))
    translated: U32 = number[numbers]
    return translated


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


def _join(sources: Sequence[_Input], names: Numbering, containers: Numbering, salt: bytes) -> Columns:
    """All files of all sources in the order of their paths, and their symbols in the order of rows."""
    files = [file for source in sources for file in source.files]
    order = sorted(range(len(files)), key=lambda i: files[i].path)
    ordered = [files[i] for i in order]
    with Packer() as packer:  # works beside all that follows
        for details in _in_order(sources, order):
            packer.add(details)
        packer.finish()
        by_symbol = _by_symbol(sources, order, names, containers)
        return Columns(
            generation=_generation(ordered, salt),
            **by_symbol,
            **_columns_of_names(names.texts),
            **table_columns("container", containers.texts),
            **_file_columns(ordered),
            **_block_columns(packer),
        )


def _by_symbol(sources: Sequence[_Input], order: list[int], names: Numbering, containers: Numbering) -> dict[str, Any]:
    """The columns by row and by place; puts the texts in order."""
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    counts = np.concatenate([source.counts for source in sources])
    file_first = np.concatenate(([0], np.cumsum(counts[order]))).astype("<u4")
    # The places of the symbols, source by source, file by file.
    first_here = np.cumsum(counts) - counts
    place = (np.arange(int(counts.sum())) + np.repeat(file_first[rank].astype(np.int64) - first_here, counts)).astype("<u4")
    name = names.sort(folded_order)[np.concatenate([source.name for source in sources])]
    containers.number([""])
    container = containers.sort(plain_order)[np.concatenate([source.container for source in sources])]
    traits_of, traits = _number_traits(np.concatenate([source.traits for source in sources]))
    name_row = np.concatenate([source.name_row for source in sources])
    name_column = np.concatenate([source.name_column for source in sources])
    by_row = np.lexsort((place, name))
    by_place = np.empty(len(place), dtype=np.int64)
    by_place[place] = np.arange(len(place))
    place_low, place_high = pack_wide(place[by_row])
    container_runs, container_counts = pack_runs(container[by_place])
    return {
        "traits_of": traits_of.tolist(),
        "name_rows": pack_small(np.bincount(name, minlength=len(names.texts))),
        "place_low": place_low,
        "place_high": place_high,
        "traits": pack(np.minimum(traits[by_row], RARE), "<u1"),
        "rare_traits": pack(traits[by_row][traits[by_row] >= RARE], "<u2"),
        "container_runs": container_runs,
        "container_counts": container_counts,
        "line_steps": pack_small(_line_steps(name_row[by_place], file_first)),
        "name_columns": pack_small(name_column[by_place]),
        "file_places": pack_small(counts[order]),
    }


def _line_steps(lines: U32, file_first: U32) -> U32:
    """By place: the line less that before it in the file, modulo 2**32."""
    steps = np.diff(lines, prepend=np.uint32(0))
    first = file_first[:-1][np.diff(file_first) > 0]
    steps[first] = lines[first]
    return steps


def _number_traits(traits: U32) -> tuple[U32, U16]:
    """The distinct traits, the most frequent first, and the number of each one given."""
    distinct, number, counts = np.unique(traits, return_inverse=True, return_counts=True)
    order = np.lexsort((distinct, -counts))
    rank = np.empty(len(order), dtype=np.uint16)
    rank[order] = np.arange(len(order))
    return distinct[order], rank[number]


def _in_order(sources: Sequence[_Input], order: list[int]) -> Iterator[Block]:
    """The details of the files of all sources, merged; those of each source come in order."""
    of_file = np.repeat(np.arange(len(sources)), [len(source.files) for source in sources])
    for source in of_file[order].tolist():
        yield next(sources[source].details)


def _block_columns(packer: Packer) -> dict[str, Any]:
    packed, files = packer.result()
    return {
        "block_blob": memoryview(b"".join(packed)),
        "block_offset": pack(np.cumsum([0, *map(len, packed)]), "<u4"),
        "block_first": pack(np.cumsum([0, *files]), "<u4"),
    }


def _columns_of_names(names: list[str]) -> dict[str, Any]:
    columns = table_columns("name", names)
    blob = columns["name_blob"]
    offsets = StringTable(blob, columns["name_sizes"]).offset
    odd = find_odd(blob, offsets)
    slices, slice_counts = build_slices(blob, offsets, odd, names)
    words, word_counts, name_words = build_words(blob, offsets, odd)
    return {
        **columns,
        **table_columns("word", words),
        "name_word_count": pack(word_counts, "<u1"),
        "name_words": pack_narrow(name_words),
        "odd_names": pack(odd, "<u4"),
        "name_slices": pack(slices, "<u8"),
        "slice_counts": pack(slice_counts, "<u4"),
    }


def _file_columns(files: list[FileSymbols]) -> dict[str, Any]:
    languages = sorted({file.language for file in files} | {""})
    language_number = {language: i for i, language in enumerate(languages)}
    skip_number = {str(reason): 1 + i for i, reason in enumerate(SKIP_CODES)}
    return {
        "language_ids": languages,
        "skip_details": {i: file.detail for i, file in enumerate(files) if file.detail},
        **_path_columns([file.path for file in files]),
        "file_size": pack([file.size for file in files], "<u8"),
        "file_mtime": pack([file.mtime_ns for file in files], "<i8"),
        "file_stamp": pack([file.stamp for file in files], "<u8"),
        "file_digest": memoryview(b"".join(file.digest.ljust(DIGEST_BYTES, b"\0") for file in files)),
        "file_language": pack([language_number[file.language] for file in files], "<u1"),
        "file_notes": pack([_notes(file) for file in files], "<u1"),
        "file_skip": pack([skip_number[file.skip] if file.skip else 0 for file in files], "<u1"),
    }


def _path_columns(paths: list[str]) -> dict[str, Any]:
    folder_of, bases = [], []
    for path in paths:
        folder, slash, base = path.rpartition("/")
        folder_of.append(folder + slash)
        bases.append(base)
    folders = Numbering()
    numbers = folders.number(folder_of)
    places = folders.sort(plain_order)
    return {
        **table_columns("folder", folders.texts),
        "path_folder": pack_narrow(places[numbers]),
        **table_columns("base", bases),
        "path_digest": digest_paths("\0".join([*paths, ""]).encode()),
    }


def _notes(file: FileSymbols) -> int:
    return NOTE_SYNTAX_ERRORS * file.has_error | NOTE_ODD_ENCODING * bool(file.odd_encoding)


def _generation(files: Sequence[FileSymbols], salt: bytes) -> int:
    """The sum of what is hashed of each file, so that a change of some files is a matter of these."""
    return (sum(map(file_hash, files)) + _hash(salt)) % 2**64


def file_hash(file: FileSymbols) -> int:
    """64 bits of what decides a file's symbols."""
    return _hash(f"{file.path}\0{file.language}\0{file.skip}\0".encode() + file.digest.ljust(DIGEST_BYTES, b"\0"))


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
