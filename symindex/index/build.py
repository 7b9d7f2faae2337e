"""Symbols to columns: builds an index from the files that were read, and the rows that an older index has of all others.

The result depends on the files alone: tables are ordered, so it does not matter which rows came from where.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import NOTE_ODD_ENCODING, NOTE_SYNTAX_ERRORS, U32, Columns, Index, StringTable
from symindex.index.fold import fold, initials_mask, letter_mask, word_starts
from symindex.protocol import KINDS, SymbolKind
from symindex.source.records import DIGEST_BYTES, FileSymbols
from symindex.source.skips import SKIP_CODES

GENERATION_BYTES: Final = 8

_NUMBERS: Final = ("start_byte", "end_byte", "name_byte", "start_row", "end_row", "name_row", "name_column")
_TABLES: Final = ("name", "container", "signature", "doc")
_LIMIT: Final = 2**32 - 1


def build_index(
    read: Iterable[FileSymbols],
    kept: Index | None,
    kept_paths: Iterable[str],
    salt: bytes,
    touched: Mapping[str, tuple[int, int]] | None = None,
) -> Index:
    """The index of the files `read`, and of `kept_paths` with what `kept` knows of them.

    salt: what beside the files decides the content (the version, the grammars); it goes into the generation.
    touched: the new size and mtime of kept files that were only touched.
    """
    fresh = sorted(read, key=lambda file: file.path)
    old_files = _numbers_of(kept, kept_paths)
    paths = [file.path for file in fresh]
    if kept is not None:
        paths.extend(kept.paths[number] for number in old_files.tolist())
    # place[i]: where the i-th of (fresh files, kept files) stands among all files by path
    order = sorted(range(len(paths)), key=paths.__getitem__)
    place = np.empty(len(paths), dtype=np.int64)
    place[order] = np.arange(len(paths))
    parts = [_fresh_rows(fresh, place[: len(fresh)])]
    if kept is not None and len(old_files):
        parts.append(_kept_rows(kept, old_files, place[len(fresh) :]))
    rows = _join_rows(parts)
    files = _file_columns(fresh, kept, old_files, order)
    for file in files:
        if touched is not None and file.path in touched:
            file.size, file.mtime_ns = touched[file.path]
    return Index(_finish(rows, files, salt))


def _numbers_of(kept: Index | None, paths: Iterable[str]) -> NDArray[np.int64]:
    if kept is None:
        return np.empty(0, dtype=np.int64)
    number = {path: i for i, path in enumerate(kept.paths.all)}
    return np.array(sorted(number[path] for path in paths), dtype=np.int64)


class _Rows:
    """Rows in the making: numeric columns, and for each table of strings the texts and each row's number in them."""

    def __init__(self, numbers: dict[str, NDArray[Any]], texts: dict[str, Sequence[str]], codes: dict[str, U32]) -> None:
        self.numbers = numbers
        self.texts = texts
        self.codes = codes


def _fresh_rows(files: Sequence[FileSymbols], place: NDArray[np.int64]) -> _Rows:
    known: dict[str, dict[str, int]] = {table: {"": 0} if table != "name" else {} for table in _TABLES}
    codes: dict[str, list[int]] = {table: [] for table in _TABLES}
    numbers: dict[str, list[int]] = {column: [] for column in ("file", "kind", "flags", *_NUMBERS)}
    code_of = {kind: KINDS[kind].code for kind in SymbolKind}
    for file, file_place in zip(files, place.tolist(), strict=True):
        for symbol in file.symbols:
            for table in _TABLES:
                texts = known[table]
                codes[table].append(texts.setdefault(getattr(symbol, table), len(texts)))
            numbers["file"].append(file_place)
            numbers["kind"].append(code_of[symbol.kind])
            numbers["flags"].append(symbol.flags)
            numbers["start_byte"].append(symbol.start_byte)
            numbers["end_byte"].append(min(symbol.end_byte, _LIMIT))
            numbers["name_byte"].append(symbol.name_start)
            numbers["start_row"].append(symbol.start_row)
            numbers["end_row"].append(symbol.end_row)
            numbers["name_row"].append(symbol.name_row)
            numbers["name_column"].append(symbol.name_column)
    return _Rows(
        {column: np.array(values, dtype=_dtype(column)) for column, values in numbers.items()},
        {table: list(known[table]) for table in _TABLES},
        {table: np.array(codes[table], dtype="<u4") for table in _TABLES},
    )


def _dtype(column: str) -> str:
    return "<u1" if column in ("kind", "flags") else "<u4"


def _kept_rows(kept: Index, files: NDArray[np.int64], place: NDArray[np.int64]) -> _Rows:
    new_place = np.full(kept.n_files, -1, dtype=np.int64)
    new_place[files] = place
    file_of_row = new_place[kept.u32("file")]
    rows = np.flatnonzero(file_of_row >= 0)
    numbers: dict[str, NDArray[Any]] = {column: kept.u32(column)[rows] for column in _NUMBERS}
    numbers["kind"] = kept.u8("kind")[rows]
    numbers["flags"] = kept.u8("flags")[rows]
    numbers["file"] = file_of_row[rows].astype("<u4")
    tables = {"name": kept.names, "container": kept.containers, "signature": kept.signatures, "doc": kept.docs}
    texts: dict[str, Sequence[str]] = {}
    codes: dict[str, U32] = {}
    for name, table in tables.items():
        used, inverse = np.unique(kept.u32(name)[rows], return_inverse=True)
        texts[name] = _texts_at(table, used)
        codes[name] = inverse.astype("<u4")
    return _Rows(numbers, texts, codes)


def _texts_at(table: StringTable, numbers: NDArray[Any]) -> list[str]:
    every = table.all
    return [every[number] for number in numbers.tolist()]


def _join_rows(parts: list[_Rows]) -> _Rows:
    """All rows in file order, with one ordered list of texts for each table."""
    numbers = {column: np.concatenate([part.numbers[column] for part in parts]) for column in parts[0].numbers}
    texts: dict[str, Sequence[str]] = {}
    codes: dict[str, U32] = {}
    for table in _TABLES:
        ordered = _ordered_texts(table, parts)
        number = {text: i for i, text in enumerate(ordered)}
        translated = []
        for part in parts:
            translation = np.array([number[text] for text in part.texts[table]], dtype="<u4")
            used = part.codes[table]
            translated.append(translation[used] if len(used) else np.empty(0, dtype="<u4"))
        texts[table], codes[table] = ordered, np.concatenate(translated)
    # Rows of one file come from one part, in the order of their names; a stable sort by file is all that is needed.
    order = np.argsort(numbers["file"], kind="stable")
    return _Rows(
        {column: values[order] for column, values in numbers.items()},
        texts,
        {table: values[order] for table, values in codes.items()},
    )


def _ordered_texts(table: str, parts: list[_Rows]) -> list[str]:
    distinct = {text for part in parts for text in part.texts[table]}
    if table == "name":
        return [name for _, name in sorted((fold(name), name) for name in distinct)]
    return sorted(distinct | {""})


def _file_columns(
    fresh: Sequence[FileSymbols], kept: Index | None, old_files: NDArray[np.int64], order: list[int]
) -> list[FileSymbols]:
    """One FileSymbols without symbols for every file, in the order of the paths."""
    rows = list(fresh)
    if kept is not None:
        rows.extend(kept.file(number) for number in old_files.tolist())
    return [rows[i] for i in order]


def _finish(rows: _Rows, files: Sequence[FileSymbols], salt: bytes) -> Columns:
    names = rows.texts["name"]
    folded = [fold(name) for name in names]
    starts = [word_starts(name) for name in names]
    name_codes = rows.codes["name"]
    posting_rows = np.argsort(name_codes, kind="stable").astype("<u4")
    file_numbers = rows.numbers["file"]
    languages = sorted({file.language for file in files} | {""})
    language_number = {language: i for i, language in enumerate(languages)}
    skip_number = {str(reason): 1 + i for i, reason in enumerate(SKIP_CODES)}
    paths = [file.path for file in files]
    digests = b"".join(file.digest.ljust(DIGEST_BYTES, b"\0") for file in files)
    tables: dict[str, memoryview] = {}
    for table, texts in [*rows.texts.items(), ("folded", folded), ("path", paths)]:
        tables[f"{table}_blob"], tables[f"{table}_offset"] = _pack_strings(texts)
    return Columns(
        generation=_generation(files, digests, salt),
        language_ids=languages,
        skip_details={i: file.detail for i, file in enumerate(files) if file.detail},
        **tables,
        name_letters=_pack([letter_mask(text) for text in folded], "<u8"),
        name_initials=_pack([initials_mask(text, at) for text, at in zip(folded, starts, strict=True)], "<u8"),
        posting_start=_pack(np.searchsorted(name_codes[posting_rows], np.arange(len(names) + 1)), "<u4"),
        posting_rows=_pack(posting_rows, "<u4"),
        **{table: _pack(rows.codes[table], "<u4") for table in _TABLES},
        **{column: _pack(values, _dtype(column)) for column, values in rows.numbers.items()},
        ordinal=_pack(_ordinals(rows), "<u2"),
        file_size=_pack([file.size for file in files], "<u8"),
        file_mtime=_pack([file.mtime_ns for file in files], "<i8"),
        file_digest=memoryview(digests),
        file_language=_pack([language_number[file.language] for file in files], "<u1"),
        file_flags=_pack([file.flags for file in files], "<u1"),
        file_notes=_pack([_notes(file) for file in files], "<u1"),
        file_first=_pack(np.searchsorted(file_numbers, np.arange(len(files) + 1)), "<u4"),
        file_skip=_pack([skip_number[file.skip] if file.skip else 0 for file in files], "<u1"),
    )


def _notes(file: FileSymbols) -> int:
    return NOTE_SYNTAX_ERRORS * file.has_error | NOTE_ODD_ENCODING * bool(file.odd_encoding)


def _pack(values: Any, dtype: str) -> memoryview:
    return memoryview(np.ascontiguousarray(np.asarray(values, dtype=dtype)).tobytes())


def _pack_strings(texts: Sequence[str]) -> tuple[memoryview, memoryview]:
    encoded = [text.replace("\0", "").encode() + b"\0" for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype="<u4")
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return memoryview(b"".join(encoded)), memoryview(offsets.tobytes())


def _ordinals(rows: _Rows) -> NDArray[np.uint16]:
    """For each row, how many earlier rows of its file have the same container and name."""
    n = len(rows.codes["name"])
    if n == 0:
        return np.empty(0, dtype="<u2")
    keys = (rows.codes["name"], rows.codes["container"], rows.numbers["file"])
    order = np.lexsort(keys)  # stable, so equal keys stay in row order
    differs = np.ones(n, dtype=bool)
    differs[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    first = np.maximum.accumulate(np.where(differs, np.arange(n), 0))
    ordinals = np.empty(n, dtype="<u2")
    ordinals[order] = np.minimum(np.arange(n) - first, 2**16 - 1)
    return ordinals


def _generation(files: Sequence[FileSymbols], digests: bytes, salt: bytes) -> bytes:
    hasher = hashlib.blake2b(salt, digest_size=GENERATION_BYTES)
    hasher.update(digests)
    for file in files:
        hasher.update(f"{file.path}\0{file.language}\0{file.skip}\0".encode())
    return hasher.digest()
