"""Reads the stored bindings of files: one text for each (`extract/file_bindings`), in the blocks of
details."""

from collections.abc import Iterator, Sequence

from symindex.index.columns.columns import Index
from symindex.index.columns.details import places_of
from symindex.index.columns.integer_columns import last_up_to


def bindings_of(index: Index, number: int) -> str:
    """Returns the packed bindings of a file."""
    block = last_up_to(index.block_first, number)
    return index.block(block).bindings[number - int(index.block_first[block])]


def all_bindings(index: Index) -> Iterator[str]:
    """Yields the packed bindings of all files, in order."""
    first = index.block_first
    for number in range(len(first) - 1):
        count = int(first[number + 1]) - int(first[number])
        if count:
            yield from index.block(number).bindings.between(0, count)


def files_binding(index: Index, texts: Sequence[bytes]) -> Iterator[int]:
    """Yields the files whose packed bindings contain one of the texts, in order."""
    for number in range(len(index.block_first) - 1):
        first = int(index.block_first[number])
        bindings = index.block(number).bindings
        found = {
            first + bindings.number_at(place)
            for text in texts
            for place in places_of(text, bindings.data)
        }
        yield from sorted(found)
