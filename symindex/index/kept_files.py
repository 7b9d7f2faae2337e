"""Takes files from older indexes into a build.

An older index stays mapped until the build ends, so whatever can be read again is not kept: each
column is read when its turn comes, postings are read for a range of words at a time, and details
block by block. What a build keeps of each index are the new numbers of its texts. So the memory of
a merge depends little on the number of its symbols and files.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from symindex.extract.records import FileSymbols
from symindex.index.columns.arrays import I64, U32, Mask, Numbers
from symindex.index.columns.columns import Index
from symindex.index.columns.details import PackedBlock, SymbolDetails
from symindex.index.columns.documents import kept_items
from symindex.index.columns.layout import Columns
from symindex.index.columns.mapped import let_go
from symindex.index.columns.strings import InternTable, StringTable
from symindex.index.intake import BuildInput, TextTables
from symindex.index.words.build_mentions import KeptMentions
from symindex.index.words.kept_postings import KeptPostings

KeptFiles = tuple[Index, I64]
"""An older index, and the numbers of the files to take from it, in order."""


def kept_input(index: Index, numbers: I64, tables: TextTables, prefix: str = "") -> BuildInput:
    """Returns some files of an older index as the input of a build. prefix: new prefix of their
    paths. Raises DamagedIndexError, also while the input is read."""
    columns = index.columns
    # What an Index has read stays with it, so this one is used here alone.
    index = Index(columns)
    of_file = np.zeros(index.n_files, dtype=bool)
    of_file[numbers] = True
    counts = np.diff(index.file_first)
    is_kept = np.repeat(of_file, counts)
    return BuildInput(
        _files(index, numbers, prefix),
        counts[numbers].astype(np.int64),
        _symbols(columns, is_kept, tables),
        _details(columns, numbers),
        KeptPostings(columns, is_kept),
        KeptMentions(lambda: Index(columns).mentions, of_file),
        kept_items(index, is_kept),
    )


def _files(index: Index, numbers: I64, prefix: str) -> list[FileSymbols]:
    files = [index.file(number) for number in numbers.tolist()]
    for file in files if prefix else ():
        file.path = prefix + file.path
    return files


def _symbols(columns: Columns, is_kept: Mask, tables: TextTables) -> Iterator[U32]:
    """Yields `BuildInput.symbols`. Each column is read when it is asked for, and only then the
    texts in it enter their table."""
    # Has no variables, because a generator keeps them until it is read again.
    yield _names(Index(columns), is_kept, tables.names)
    yield _containers(Index(columns), is_kept, tables.containers)
    yield _traits(Index(columns))[is_kept]
    yield Index(columns).name_rows_of_files(0, len(columns.file_skip))[is_kept].astype(np.uint32)
    yield Index(columns).name_columns.all()[is_kept]


def _names(index: Index, is_kept: Mask, interned: InternTable) -> U32:
    every = index.spread_names(np.arange(len(index.names), dtype=np.uint32))
    return _interned(interned, index.names, every[index.row_at[is_kept]])


def _containers(index: Index, is_kept: Mask, interned: InternTable) -> U32:
    return _interned(interned, index.containers, index.container_runs.all()[is_kept])


def _interned(interned: InternTable, table: StringTable, numbers: Numbers) -> U32:
    """Translates numbers of a table of texts to numbers of the intern table, to which only the
    texts that occur are added."""
    used = np.zeros(len(table), dtype=bool)
    used[numbers] = True
    number = np.zeros(len(table), dtype=np.uint32)
    number[used] = interned.number(table.take(np.flatnonzero(used)))
    translated: U32 = number[numbers]
    return translated


def _traits(index: Index) -> U32:
    traits: U32 = np.array(index.columns.traits_of, dtype=np.uint32)[index.traits[index.row_at]]
    return traits


def _details(columns: Columns, numbers: I64) -> Iterator[SymbolDetails]:
    """Yields the details of files. At most one block is unpacked, and none after its last file."""
    index = Index(columns)
    of_block = np.searchsorted(index.block_first, numbers, side="right") - 1
    edges = [0, *(np.flatnonzero(np.diff(of_block)) + 1).tolist(), len(numbers)]
    for start, end in pairwise(edges if len(numbers) else []):
        files = _unpacked(index, int(of_block[start]), numbers[start:end])
        files.reverse()
        while files:
            yield files.pop()
    let_go(columns)


def _unpacked(index: Index, block_number: int, files: I64) -> list[SymbolDetails]:
    """Returns the details of some files of one block."""
    first_file, end_file = index.block_first[block_number : block_number + 2].tolist()
    first = index.file_first[first_file : end_file + 1].astype(np.int64)
    # `Index.block` would keep it.
    n_symbols, n_files = int(first[-1] - first[0]), end_file - first_file
    block = PackedBlock(index.packed_block(block_number), n_symbols, n_files)
    edges = first - first[0]
    every = block.numbers(0, block.count)
    cuts = [
        (texts.data, (texts.ends + 1)[edges].tolist()) for texts in (block.signatures, block.docs)
    ]
    bindings, details = block.bindings, []
    for place in (files - first_file).tolist():
        signatures, docs = (data[ends[place] : ends[place + 1]] for data, ends in cuts)
        of_file = bindings[place].encode() + b"\0"
        details.append(
            SymbolDetails(every[edges[place] : edges[place + 1]], signatures, docs, of_file)
        )
    return details
