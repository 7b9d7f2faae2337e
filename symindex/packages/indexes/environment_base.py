"""Merges the indexes of many packages into a base, and combines a base and further indexes into a
snapshot.

Each part of a snapshot costs a search about a millisecond, whatever its size. So the process that
builds also merges the indexes of a project's packages into one. The base of a similar set of
packages works as well: packages that are not installed here are masked, and missing ones are
further parts, until there are too many of either.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part, Snapshot

MOST_PARTS: Final = 12
"""Most packages that are searched as parts of their own."""

_UPPER: Final = 32


@dataclass(frozen=True)
class MergedBase:
    """A merged index. places: the folders of those indexes in it that are used here. n_places: how
    many it contains altogether."""

    index: Index
    places: frozenset[str]
    n_places: int


def merge(indexes: Sequence[tuple[Index, str]], salt: bytes) -> Index:
    """Merges indexes into one, each with the new prefix of its paths."""
    from symindex.index.build import build_index  # Imported here because a search builds nothing.

    sources = [(index, np.arange(index.n_files, dtype=np.int64)) for index, _ in indexes]
    return build_index([], sources, salt, prefixes=[prefix for _, prefix in indexes])


def assemble(
    base: MergedBase | None, prefixes: Mapping[str, str], open_index: Callable[[str], Index | None]
) -> Snapshot:
    """Combines a base and single indexes into a snapshot. prefixes: folder of each index -> prefix
    of its paths, in order."""
    parts: list[Part] = []
    first = n_files = generation = 0
    inside = {
        place: prefix
        for place, prefix in prefixes.items()
        if base is not None and place in base.places
    }
    if base is not None:
        live = _live_files(base.index, list(inside.values()))
        parts.append(
            Part(base.index, 0, None if live.all() else live, partial(_order_of_base, base.index))
        )
        first, generation = (
            base.index.n_symbols,
            base.index.columns.generation + sum(int(place[-16:], 16) for place in inside),
        )
    for place, prefix in prefixes.items():
        index = open_index(place) if place not in inside else None
        if index is not None:
            insert_at = base.index.paths.place_of(prefix) if base is not None else 0
            parts.append(
                Part(index, first, None, partial(_order_of_part, index, insert_at, n_files), prefix)
            )
            first += index.n_symbols
            n_files += index.n_files
            generation = generation * 31 + index.columns.generation
    return Snapshot(parts, generation % 2**64)


def _live_files(index: Index, prefixes: Sequence[str]) -> Mask:
    """Returns a mask over the files whose paths begin with one of the prefixes, none of which is a
    prefix of another."""
    live = np.zeros(index.n_files, dtype=bool)
    for prefix in prefixes:
        live[index.paths.place_of(prefix) : index.paths.place_of(prefix[:-1] + "0")] = (
            True  # "0" is the character after the slash.
        )
    return live


def _order_of_base(index: Index) -> I64:
    order: I64 = (np.arange(index.n_files, dtype=np.int64) << _UPPER) | (2**_UPPER - 1)
    return order


def _order_of_part(index: Index, insert_at: int, n_files: int) -> I64:
    """Returns keys that put a part's files before file `insert_at` of the base. n_files: files of
    the parts before it."""
    start = (insert_at << _UPPER) + n_files
    order: I64 = np.arange(start, start + index.n_files, dtype=np.int64)
    return order
