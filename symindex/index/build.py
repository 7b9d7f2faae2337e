"""Builds an index: turns newly read files, and files kept from older indexes, into columns.

The result depends on the files alone: tables are sorted, so it does not matter which symbols came
from where. Details are passed on file by file, so that the memory beyond the result stays small.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat, takewhile
from typing import Any, Final

import numpy as np

from symindex.extract.records import DIGEST_BYTES, FileSymbols
from symindex.files.skips import SKIP_CODES
from symindex.index.columns.arrays import I64, U16, U32, Numbers
from symindex.index.columns.columns import Index
from symindex.index.columns.details import SymbolDetails, pack_block
from symindex.index.columns.documents import document_columns, kept_documents
from symindex.index.columns.integer_columns import (
    join_ranges,
    pack,
    pack_narrow,
    pack_runs,
    pack_small,
    pack_wide,
)
from symindex.index.columns.item_columns import item_columns
from symindex.index.columns.layout import (
    NOTE_CONFLICTED,
    NOTE_ODD_ENCODING,
    NOTE_SYNTAX_ERRORS,
    RARE,
    Columns,
)
from symindex.index.columns.mapped import let_go
from symindex.index.columns.name_bitmaps import build_slices
from symindex.index.columns.strings import (
    InternTable,
    StringTable,
    digest_paths,
    folded_order,
    pack_texts,
    plain_order,
)
from symindex.index.intake import BuildInput, Intake, TextTables
from symindex.index.kept_files import KeptFiles, kept_input
from symindex.index.words.build_mentions import mention_columns
from symindex.index.words.build_words import word_columns
from symindex.index.words.name_words import build_words, find_odd
from symindex.index.words.text_words import Field
from symindex.workers.freed_memory import give_back_memory

_BLOCK_BYTES: Final = 1 << 19
"""Bytes of text at which a block of details ends, with the file that reaches them."""


def build_index(
    read: Iterable[FileSymbols] | Intake,
    sources: Sequence[KeptFiles] = (),
    salt: bytes = b"",
    touched: Mapping[str, tuple[int, int, int]] | None = None,
    prefixes: Sequence[str] = (),
    is_prose: bool = False,
) -> Index:
    """Returns the index of the files in `read`, and of the files kept from `sources`.

    read: files, or an intake, which is used up. An iterator that drops what it has yielded
    (`hand_over`) saves memory. salt: what besides the files decides the content (the version, the
    grammars); part of the generation. touched: the new size, mtime and stamp of kept files that
    were only touched. prefixes: new prefixes of paths, one for each of `sources`. is_prose: whether
    the symbols are sections and items.
    """
    intake = read if isinstance(read, Intake) else Intake.of(read)
    tables = intake.tables
    inputs = [intake.taken()]
    pairs = [*zip(sources, chain(prefixes, repeat("")), strict=False)]
    # Before the symbols, so that the tables of both are not in memory together.
    documents = _documents(intake.documents, pairs, salt, touched)
    for (index, numbers), prefix in pairs:
        inputs.append(kept_input(index, numbers, tables, prefix))
    if touched:
        for file in (
            file for source in inputs[1:] for file in source.files if file.path in touched
        ):
            file.size, file.mtime_ns, file.stamp = touched[file.path]
    give_back = partial(_give_back, [index for index, _ in sources])
    return Index(_join(inputs, tables, salt, documents, is_prose, give_back))


def _documents(
    fresh: Intake | None,
    sources: Sequence[tuple[KeptFiles, str]],
    salt: bytes,
    touched: Mapping[str, tuple[int, int, int]] | None,
) -> Index | None:
    """Returns the index of the sections and items of the same files, `None` if there are none.
    sources: with the prefix of each."""
    kept, prefixes = [], []
    for (index, numbers), prefix in sources:
        if (of_source := kept_documents(index, numbers)) is not None:
            kept.append(of_source)
            prefixes.append(prefix)
    if not fresh and not kept:
        return None
    made = build_index(fresh or [], kept, salt, touched, prefixes, is_prose=True)
    _give_back([], made.n_symbols)
    return made


def _give_back(indexes: Sequence[Index], n_symbols: int) -> None:
    """Returns memory to the system during a large build: what was freed, and what was read of older
    indexes."""
    if n_symbols > _LARGE:
        give_back_memory()
        for index in indexes:
            let_go(index.columns)


_LARGE: Final = 100_000
"""Number of symbols above which the memory counts more than the milliseconds that this takes."""


def _join(
    sources: Sequence[BuildInput],
    tables: TextTables,
    salt: bytes,
    documents: Index | None,
    is_prose: bool,
    give_back: Callable[[int], None],
) -> Columns:
    """Joins all sources: their files by path, and their symbols in the order of rows. give_back:
    called with the number of symbols when memory can be given back."""
    # Imported here because a search builds nothing.
    from concurrent.futures import ThreadPoolExecutor

    n_files = [len(source.files) for source in sources]
    files = [file for source in sources for file in source.files]
    order = sorted(range(len(files)), key=[file.path for file in files].__getitem__)
    ordered = [files[i] for i in order]
    # Compresses in parallel with everything that follows: it does not need the interpreter's lock.
    compressing = ThreadPoolExecutor(1)
    is_over: list[bool] = []  # An error stops the compression.
    try:
        # The details of each source come in order.
        of_file = np.repeat(np.arange(len(sources)), n_files)[order].tolist()
        details = (next(sources[source].details) for source in of_file)
        blocks = compressing.submit(_block_columns, takewhile(lambda _: not is_over, details))
        folders, bases, columns = _file_columns(ordered)
        # An update computes it from the changed files.
        generation = (sum(map(file_hash, ordered)) + salt_hash(salt)) % 2**64
        columns |= document_columns(documents, [file.path for file in ordered])
        for source in sources:
            source.files = []
        del files, ordered
        place = _places(sources, order)
        columns |= _by_symbol(sources, order, place, tables, give_back)
        give_back(len(place))
        columns |= _word_columns(sources, place, tables, folders, bases, is_prose)
        give_back(len(place))
        columns |= _mention_columns(sources, order)
        columns |= item_columns(
            zip((source.items for source in sources), _by_source(sources, place), strict=True)
        )
        return Columns(generation=generation, **columns, **blocks.result())
    finally:
        is_over.append(True)
        compressing.shutdown()


def _in_blocks(details: Iterable[SymbolDetails]) -> Iterator[list[SymbolDetails]]:
    block: list[SymbolDetails] = []
    size = 0
    for file in details:
        block.append(file)
        size += len(file.signatures) + len(file.docs) + len(file.bindings)
        if size >= _BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block


def _block_columns(details: Iterable[SymbolDetails]) -> dict[str, Any]:
    blob, offsets, first = bytearray(), [0], [0]
    for files in _in_blocks(details):
        blob += pack_block(files)
        offsets.append(len(blob))
        first.append(first[-1] + len(files))
    return {
        "block_blob": memoryview(blob).toreadonly(),
        "block_offset": pack(offsets, "<u4"),
        "block_first": pack(first, "<u4"),
    }


def _places(sources: Sequence[BuildInput], order: list[int]) -> U32:
    """Returns the places of the symbols, source by source, file by file."""
    counts = np.concatenate([source.counts for source in sources])
    file_first = np.concatenate(([0], np.cumsum(counts[order])))
    return join_ranges(file_first[_ranks(np.array(order, dtype=np.int64))], counts).astype("<u4")


def _word_columns(
    sources: Sequence[BuildInput],
    place: U32,
    tables: TextTables,
    folders: list[str],
    bases: list[str],
    is_prose: bool,
) -> dict[str, Any]:
    texts = list(zip((source.words for source in sources), _by_source(sources, place), strict=True))
    table_texts = {
        Field.CONTAINER: tables.containers.texts,
        Field.FOLDER: folders,
        Field.BASE: bases,
    }
    return word_columns(tables.words, texts, table_texts, len(place), is_prose)


def _by_source(sources: Sequence[BuildInput], place: U32) -> list[U32]:
    """Splits the places of the symbols by source."""
    return np.split(place, np.cumsum([source.counts.sum() for source in sources])[:-1])


def _mention_columns(sources: Sequence[BuildInput], order: list[int]) -> dict[str, Any]:
    ranks = np.split(
        _ranks(np.array(order, dtype=np.int64)),
        np.cumsum([len(source.counts) for source in sources])[:-1],
    )
    return mention_columns(
        [(source.mentions, rank) for source, rank in zip(sources, ranks, strict=True)]
    )


def _by_symbol(
    sources: Sequence[BuildInput],
    order: list[int],
    place: U32,
    tables: TextTables,
    give_back: Callable[[int], None],
) -> dict[str, Any]:
    """Returns the columns by row and by place, and those of names and containers; sorts the
    texts."""
    counts = np.concatenate([source.counts for source in sources])
    file_first = np.concatenate(([0], np.cumsum(counts[order]))).astype("<u4")
    # Reads one column at a time. Older indexes add their texts to the table of a column when it is
    # read, so each table is sorted afterwards, and the columns of names are made before the next
    # table grows.
    columns = map(np.concatenate, zip(*(source.symbols for source in sources), strict=True))
    by_place = _ranks(place)
    numbers = next(columns)
    name = tables.names.sort(folded_order)[numbers]
    name_rows = pack_small(np.bincount(name, minlength=len(tables.names.texts)))
    by_row = np.lexsort((place, name))
    del name
    of_names = _columns_of_names(tables.names.hand_over())
    place_low, place_high = pack_wide(place[by_row])
    give_back(len(place))
    numbers = next(columns)
    tables.containers.number([""])
    container_runs, container_counts = pack_runs(
        tables.containers.sort(plain_order)[numbers][by_place]
    )
    del numbers
    give_back(len(place))
    traits_of, traits = _most_first(next(columns))
    traits = traits[by_row]
    return {
        **_table_columns("container", tables.containers.texts),
        **of_names,
        "traits_of": traits_of,
        "name_rows": name_rows,
        "place_low": place_low,
        "place_high": place_high,
        "traits": pack(np.minimum(traits, RARE), "<u1"),
        "rare_traits": pack(traits[traits >= RARE], "<u2"),
        "container_runs": container_runs,
        "container_counts": container_counts,
        "line_steps": pack_small(_line_steps(next(columns)[by_place], file_first)),
        "name_columns": pack_small(next(columns)[by_place]),
        "file_places": pack_small(counts[order]),
    }


def _most_first(values: U32) -> tuple[list[int], U16]:
    """Returns the distinct values, the most frequent first, and the number of each value among
    these."""
    distinct, number, counts = np.unique(values, return_inverse=True, return_counts=True)
    most_first = np.lexsort((distinct, -counts))
    return distinct[most_first].tolist(), _ranks(most_first).astype(np.uint16)[number]


def _line_steps(lines: U32, file_first: U32) -> U32:
    """Returns by place the line, less that of the symbol before it in the file, modulo 2**32."""
    steps = np.diff(lines, prepend=np.uint32(0))
    first = file_first[:-1][np.diff(file_first) > 0]
    steps[first] = lines[first]
    return steps


def _ranks(order: Numbers) -> I64:
    """Returns the position of each number in an order of all numbers."""
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _table_columns(table: str, texts: Sequence[str]) -> dict[str, Any]:
    """Returns the two columns of a table of strings (`index/columns/layout`)."""
    blob, sizes = pack_texts(texts)
    return {f"{table}_blob": blob, f"{table}_sizes": sizes}


def _columns_of_names(names: list[str]) -> dict[str, Any]:
    columns = _table_columns("name", names)
    blob = columns["name_blob"]
    offsets = StringTable(blob, columns["name_sizes"]).offset
    odd = find_odd(blob, offsets)
    slices, slice_counts = build_slices(blob, offsets, odd, names)
    words, word_counts, name_words = build_words(blob, offsets, odd)
    return {
        **columns,
        **_table_columns("word", words),
        "name_word_count": pack(word_counts, "<u1"),
        "name_words": pack_narrow(name_words),
        "odd_names": pack(odd, "<u4"),
        "name_slices": pack(slices, "<u8"),
        "slice_counts": pack(slice_counts, "<u4"),
    }


def _file_columns(files: list[FileSymbols]) -> tuple[list[str], list[str], dict[str, Any]]:
    """Returns the distinct folders, the base of each path, and the columns by file."""
    languages = sorted({file.language for file in files} | {""})
    language_number = {language: i for i, language in enumerate(languages)}
    skip_number = {str(reason): 1 + i for i, reason in enumerate(SKIP_CODES)}
    folders, bases, of_paths = _path_columns([file.path for file in files])
    return (
        folders,
        bases,
        {
            "language_ids": languages,
            "broken_lines": {
                i: file.broken_line for i, file in enumerate(files) if file.broken_line
            },
            "skip_details": {
                i: detail
                for i, file in enumerate(files)
                if (detail := file.detail or file.odd_encoding)
            },
            **of_paths,
            "file_size": pack([file.size for file in files], "<u8"),
            "file_mtime": pack([file.mtime_ns for file in files], "<i8"),
            "file_stamp": pack([file.stamp for file in files], "<u8"),
            "file_digest": memoryview(
                b"".join(file.digest.ljust(DIGEST_BYTES, b"\0") for file in files)
            ),
            "file_language": pack([language_number[file.language] for file in files], "<u1"),
            "file_notes": pack(
                [
                    NOTE_SYNTAX_ERRORS * file.has_error
                    | NOTE_ODD_ENCODING * bool(file.odd_encoding)
                    | NOTE_CONFLICTED * file.is_conflicted
                    for file in files
                ],
                "<u1",
            ),
            "file_skip": pack(
                [skip_number[file.skip] if file.skip else 0 for file in files], "<u1"
            ),
        },
    )


def _path_columns(paths: list[str]) -> tuple[list[str], list[str], dict[str, Any]]:
    folder_of, bases = [], []
    for path in paths:
        folder, slash, base = path.rpartition("/")
        folder_of.append(folder + slash)
        bases.append(base)
    folders = InternTable()
    numbers = folders.number(folder_of)
    places = folders.sort(plain_order)
    return (
        folders.texts,
        bases,
        {
            **_table_columns("folder", folders.texts),
            "path_folder": pack_narrow(places[numbers]),
            **_table_columns("base", bases),
            "path_digest": digest_paths("\0".join([*paths, ""]).encode()),
        },
    )


def file_hash(file: FileSymbols) -> int:
    """Returns 64 bits of everything that decides a file's symbols."""
    return _hash(
        f"{file.path}\0{file.language}\0{file.skip}\0".encode()
        + file.digest.ljust(DIGEST_BYTES, b"\0")
    )


def salt_hash(salt: bytes) -> int:
    """Returns the part of a generation that does not depend on the files."""
    return _hash(salt)


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
