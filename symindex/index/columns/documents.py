"""Documents in an index: the sections and items of its files, as an index of their own inside it.

They are rows like those of symbols, with names, containers, words and details. But a search for
code looks at none of them, so that it neither takes longer nor ranks otherwise for the prose around
the code. What a file says of itself in prose and what it defines come from one read.
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
    """The files that have sections or items, with these as their symbols."""
    return [
        msgspec.structs.replace(
            file,
            symbols=file.documents,
            documents=PackedSymbols(),
            mentions=b"",
            flags=_flags(file),
        )
        for file in files
        if file.documents.count
    ]


def _flags(file: FileSymbols) -> int:
    """The flags of what a file says in prose: folders that begin with a dot, where items mostly
    lie, are not somebody else's."""
    plain = "/".join(part.lstrip(".") for part in file.path.split("/"))
    return path_flags(plain, None) | (file.flags & SymbolFlag.GENERATED)


def fresh_items(files: Sequence[FileSymbols]) -> Items:
    """The items among the symbols of files that were read, which are numbered file by file."""
    numbers: list[int] = []
    facts: list[ItemFacts] = []
    first = 0
    for file in files:
        for row, fact in () if file.documents.count else file.items:  # those are of its documents
            numbers.append(first + row)
            facts.append(fact)
        first += file.symbols.count
    return numbers, facts


def kept_items(index: "Index", is_kept: Any) -> Items:
    """The items among the symbols that are kept of an index, numbered in the order of their places.
    is_kept: by place."""
    places, facts = index.items
    selected = np.flatnonzero(is_kept[places])
    return (np.cumsum(is_kept) - 1)[places[selected]].tolist(), [
        facts[number] for number in selected.tolist()
    ]


def document_columns(index: "Index | None", paths: Sequence[str]) -> dict[str, Any]:
    """The columns of the documents. index: of the files that have some. paths: of all files, in
    order."""
    if index is None or not index.n_files:
        return {"document_files": pack([], "<u4"), "documents": None}
    number_of = {path: number for number, path in enumerate(paths)}
    return {
        "document_files": pack([number_of[path] for path in index.paths.all], "<u4"),
        "documents": index.columns,
    }


def kept_documents(index: "Index", numbers: I64) -> "tuple[Index, I64] | None":
    """The documents of some files of an index, to build from. numbers: of the files."""
    if index.documents is None:
        return None
    is_kept = np.zeros(index.n_files, dtype=bool)
    is_kept[numbers] = True
    return index.documents, np.flatnonzero(is_kept[index.document_files])
