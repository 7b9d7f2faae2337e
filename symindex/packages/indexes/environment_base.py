"""The indexes of many packages as few parts: a base that was merged from most of them, and the rest
beside it.

Each part costs a search about a millisecond, whatever it holds. So the process that builds also
merges the indexes of a project's packages into one. That of another set of packages serves as well:
what is not installed here counts for nothing, and what the base lacks stands beside it, until there
is too much of either.
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
"""More packages than this are not left beside the base, nor searched without one."""

_UPPER: Final = 32


@dataclass(frozen=True)
class Base:
    """A merged index. places: the indexes in it that are wanted, by their folders; n_places: how
    many there are in it."""

    index: Index
    places: frozenset[str]
    n_places: int


def merge(indexes: Sequence[tuple[Index, str]], salt: bytes) -> Index:
    """Some indexes as one, each with what its paths begin with from then on."""
    from symindex.index.build import build_index  # here, because a search builds nothing

    sources = [(index, np.arange(index.n_files, dtype=np.int64)) for index, _ in indexes]
    return build_index([], sources, salt, prefixes=[prefix for _, prefix in indexes])


def assemble(
    base: Base | None, prefixes: Mapping[str, str], open_index: Callable[[str], Index | None]
) -> Snapshot:
    """The snapshot of some packages, given by the folders of their indexes and what their paths
    begin with, in order."""
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
            before = base.index.paths.place_of(prefix) if base is not None else 0
            parts.append(
                Part(index, first, None, partial(_order_of_part, index, before, n_files), prefix)
            )
            first += index.n_symbols
            n_files += index.n_files
            generation = generation * 31 + index.columns.generation
    return Snapshot(parts, generation % 2**64)


def _live_files(index: Index, prefixes: Sequence[str]) -> Mask:
    """By file: whether its path begins with one of the prefixes, none of which begins another."""
    live = np.zeros(index.n_files, dtype=bool)
    for prefix in prefixes:
        live[index.paths.place_of(prefix) : index.paths.place_of(prefix[:-1] + "0")] = (
            True  # the character behind the slash
        )
    return live


def _order_of_base(index: Index) -> I64:
    order: I64 = (np.arange(index.n_files, dtype=np.int64) << _UPPER) | (2**_UPPER - 1)
    return order


def _order_of_part(index: Index, before: int, n_files: int) -> I64:
    """Before the file of the base that its paths come before. n_files: of the parts before it."""
    start = (before << _UPPER) + n_files
    order: I64 = np.arange(start, start + index.n_files, dtype=np.int64)
    return order
