"""Documents in an index: the sections and items of its files, as an index inside the index.

Their rows are like those of symbols, with names, containers, words and details. But a search for
code does not read them, so the prose around the code costs it no time and does not change its
ranking. Both a file's prose and its symbols come from one read.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from symindex.extract.items.item import ItemFacts
from symindex.extract.path_flags import path_flags
from symindex.extract.records import FileSymbols, PackedSymbols
from symindex.index.columns.arrays import I64
from symindex.index.columns.integer_columns import pack
from symindex.index.columns.item_columns import Items
from symindex.protocol.kinds import SymbolFlag

if TYPE_CHECKING:
    from symindex.index.columns.columns import Index


def described(files: Iterable[FileSymbols]) -> list[FileSymbols]:
    """Returns the files with sections or items, and these as their symbols."""
    return [
        msgspec.structs.replace(
            file,
            symbols=file.documents,
            documents=PackedSymbols(),
            mentions=b"",
            bindings=b"",
            flags=_flags(file),
        )
        for file in files
        if file.documents.count
    ]


def _flags(file: FileSymbols) -> int:
    """Returns the flags of a file's sections and items. Items are often in folders that begin with
    a dot, which does not make them somebody else's."""
    plain = "/".join(part.lstrip(".") for part in file.path.split("/"))
    return path_flags(plain, None) | (file.flags & SymbolFlag.GENERATED)


def fresh_items(files: Sequence[FileSymbols]) -> Items:
    """Returns the items among the symbols of newly read files, which are numbered file by file."""
    numbers: list[int] = []
    facts: list[ItemFacts] = []
    first = 0
    for file in files:
        # Items of a file with documents belong to these.
        for row, fact in () if file.documents.count else file.items:
            numbers.append(first + row)
            facts.append(fact)
        first += file.symbols.count
    return numbers, facts


def kept_items(index: "Index", is_kept: Any) -> Items:
    """Returns the items among the symbols kept from an index, numbered by place. is_kept: by
    place."""
    places, facts = index.items
    selected = np.flatnonzero(is_kept[places])
    return (np.cumsum(is_kept) - 1)[places[selected]].tolist(), [
        facts[number] for number in selected.tolist()
    ]


def document_columns(index: "Index | None", paths: Sequence[str]) -> dict[str, Any]:
    """Returns the columns of documents. index: the documents of all files. paths: of all files, in
    order."""
    if index is None or not index.n_files:
        return {"document_files": pack([], "<u4"), "documents": None}
    number_of = {path: number for number, path in enumerate(paths)}
    return {
        "document_files": pack([number_of[path] for path in index.paths.all], "<u4"),
        "documents": index.columns,
    }


def kept_documents(index: "Index", numbers: I64) -> "tuple[Index, I64] | None":
    """Returns the documents of some files of an index, as a source to build from. numbers: of the
    files."""
    if index.documents is None:
        return None
    is_kept = np.zeros(index.n_files, dtype=bool)
    is_kept[numbers] = True
    return index.documents, np.flatnonzero(is_kept[index.document_files])
