"""Shards: merged indexes of some million symbols, whose paths begin with the repository.

A search costs a millisecond for each index, whatever its size, so thousands of indexes are merged
into few. The digest of a repository's name decides its shard, so a change of one repository touches
one shard. Until a shard is merged anew, what has changed stands beside it.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from symindex.fleet.stored.generation import Generation, Shard
from symindex.index.build import build_index
from symindex.index.columns.columns import Index

FOLDER: Final = "shards"

SHARD_SYMBOLS: Final = 1_000_000
"""Symbols from which a shard is divided. Merging takes some 0.4 kB for each."""

MOST_LOOSE: Final = 12
"""Most repositories that are searched beside the shards. Each costs a search about a
millisecond."""


_Served = tuple[int, str, str, int]
"""A repository that is served: its position, its name, its object, and how many symbols it has."""

_BITS: Final = 64


class Group(NamedTuple):
    """The repositories that belong into one shard.

    prefix: the bits with which their positions begin. members: name -> object.
    """

    prefix: str
    members: dict[str, str]


def groups_of(generation: Generation) -> list[Group]:
    """Divides the served repositories by the bits of their positions, until each group is small
    enough. A division stays until a group has shrunk to half, so that none is made and undone in
    turn."""
    served = sorted(
        (_position(state.name), state.name, state.built.object, state.built.symbols)
        for state in generation.repositories.values()
        if state.built is not None
    )
    prefixes = [shard.prefix for shard in generation.shards]

    def divide(served: Sequence[_Served], prefix: str) -> Iterator[Group]:
        is_divided = any(other != prefix and other.startswith(prefix) for other in prefixes)
        most = SHARD_SYMBOLS // 2 if is_divided else SHARD_SYMBOLS
        if sum(symbols for *_, symbols in served) <= most or len(served) == 1:
            yield Group(prefix, {name: object_ for _, name, object_, _ in served})
            return
        bit = 1 << (_BITS - 1 - len(prefix))
        yield from divide([one for one in served if not one[0] & bit], prefix + "0")
        yield from divide([one for one in served if one[0] & bit], prefix + "1")

    return [group for group in divide(served, "") if group.members]


def _position(name: str) -> int:
    """Returns a number that depends on a name alone; no two names have the same."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=_BITS // 8).digest(), "big")


def find_merges(
    generation: Generation, most_loose: int = MOST_LOOSE
) -> tuple[list[Shard], list[Group]]:
    """Returns the shards that stay, and the groups to merge: as few as leave at most `most_loose`
    repositories beside the shards, and those whose shard is mostly of the past."""
    shard_of = {shard.prefix: shard for shard in generation.shards}
    kept: list[Shard] = []
    merges: list[Group] = []
    loose: list[tuple[int, Group]] = []
    for group in groups_of(generation):
        shard = shard_of.get(group.prefix)
        members = shard.members if shard is not None else {}
        live = sum(group.members.get(name) == object_ for name, object_ in members.items())
        if shard is not None and 2 * live < len(members):
            merges.append(group)
        else:
            loose.append((len(group.members) - live, group))
    loose.sort(key=lambda entry: (-entry[0], entry[1].prefix))
    n_loose = sum(count for count, _ in loose)
    for count, group in loose:
        if n_loose > most_loose:
            merges.append(group)
            n_loose -= count
        elif group.prefix in shard_of:
            kept.append(shard_of[group.prefix])
    return kept, merges


def merge_indexes(indexes: Sequence[Index], rules: bytes) -> Index:
    """Returns one index with the files of several."""
    sources = [(index, np.arange(index.n_files, dtype=np.int64)) for index in indexes]
    return build_index([], sources, rules)
