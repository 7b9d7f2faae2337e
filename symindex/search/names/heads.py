"""Ranks the head of an answer to a name: its best hits, by which of them is likelier meant.

The tiers say how well a name matches, and a better match stays before a worse one. Within a tier
that says little: nothing about equal names, and about names that begin with the needle only how
much longer they are. So the first HEAD hits are ordered anew within their tiers. HEAD does not
depend on how many rows are requested, so a short answer is the beginning of a long one.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from symindex.index.columns.arrays import F64, I64
from symindex.index.snapshot import Part
from symindex.protocol.kinds import SymbolFlag
from symindex.search.match.lookup import Points
from symindex.search.match.names import (
    AS_FOLDED,
    AS_SQUASHED,
    AS_TYPED,
    BANDS,
    INNER_SUBSTRING,
    POINTS,
    WORD_SUBSTRING,
    Tier,
)
from symindex.search.names.hits import Selection
from symindex.search.names.likelihood import (
    CountedValues,
    PartCandidates,
    likelihoods,
    likelihoods_of_one_name,
)
from symindex.search.names.rank import Ranking, rank

HEAD: Final = 128
"""Number of best hits that are ordered anew."""

_PREFIXES: Final = (AS_TYPED, AS_FOLDED, AS_SQUASHED)
_ELSEWHERE: Final = (BANDS[Tier.HUMPS], WORD_SUBSTRING, INNER_SUBSTRING)
"""Score bands of names that match in the same way. Prefixes have two: inside a word and at its
end."""

_AT_END: Final = 0.6
"""Added to the factor if the needle ends where a word of the name ends; the share of the name that
is covered adds at most the rest up to 1."""

_OF_PREFIX: Final = 0.4
_OF_OTHERS: Final = 0.3
"""Least factor, however little of the name is covered: for prefixes, and for names that match
elsewhere."""

_DEMOTED: Final = 0.5
"""Factor of tests and copies that match elsewhere. Among better matches they come last."""

_WEAK: Final = round(BANDS[Tier.SUBSTRING][0] * POINTS)
"""Fewest points of a strong tier."""

_LAST: Final = (
    SymbolFlag.LOCAL,
    SymbolFlag.DECLARATION,
    SymbolFlag.VENDORED | SymbolFlag.GENERATED,
    SymbolFlag.TEST,
)
"""Flags of symbols that come after all others that match in the same way, the last first."""


def order_heads(selection: Selection, count: int | None) -> Ranking:
    """Returns the `count` best hits in order, or all.

    Passes: rank the head by points; divide it into groups that match in the same way; compute how
    likely each hit of a group is meant; sort within the groups.
    """
    # Data comes last and is in no list, so an answer with more rows than there is code reaches into
    # it.
    n_ranked = (
        count if count is None or count >= HEAD else min(max(selection.reach(count), count), HEAD)
    )
    wide = rank(selection, n_ranked)
    groups, share = (
        _groups(wide.points[:HEAD]) if selection.is_name else _first_of_one_name(selection, wide)
    )
    if count is not None and count < len(
        groups
    ):  # a group that begins later is not part of the answer
        last = int(np.searchsorted(groups, groups[count - 1], side="right"))
        groups, share = groups[:last], share[:last]
    if (groups[1:] == groups[:-1]).any():
        wide = _reordered(selection, wide, groups, share)
    return wide if count is None else wide.first(count)


def _table() -> tuple[I64, F64]:
    """Returns, by points, the group and the factor for the share of the name that is covered; the
    factor is 0 if all names of the group cover the same share."""
    scores = np.arange(POINTS + 1) / POINTS
    groups, shares = POINTS - np.arange(POINTS + 1), np.zeros(POINTS + 1)
    for inside, at_end in _PREFIXES:
        for (least, highest), bonus in ((inside, 0.0), (at_end, _AT_END)):
            in_band = (scores >= least) & (scores <= highest)
            shares[in_band] = (
                _OF_PREFIX + bonus + (1 - _AT_END) * (scores[in_band] - least) / (highest - least)
            )
        groups[(scores >= inside[0]) & (scores <= at_end[1])] = round((1 - at_end[1]) * POINTS)
    for least, highest in _ELSEWHERE:
        in_band = (scores >= least) & (scores <= highest)
        shares[in_band] = _OF_OTHERS + (scores[in_band] - least) / (highest - least)
        groups[in_band] = round((1 - highest) * POINTS)
    return groups, shares


_GROUPS, _SHARES = _table()
_BEGINS: Final = int(_GROUPS[round(AS_SQUASHED[1][1] * POINTS)])
"""The last group of prefixes."""


def _groups(points: Points) -> tuple[I64, F64]:
    """Returns, by hit, the number of its group, in ascending order, and the factor for the share of
    its name that is covered. Hits of a group match in the same way or equally well. points: in
    descending order; negative for data."""
    code = np.maximum(points, 0)
    return np.where(points < 0, POINTS - points.astype(np.int64), _GROUPS[code]), _SHARES[code]


def _first_of_one_name(selection: Selection, ranking: Ranking) -> tuple[I64, F64]:
    """Does the same as `_groups` for a query whose points depend on more than the name: its first
    hits are a group if they are equal and have one name."""
    points = ranking.points[:HEAD]
    n_equal = (
        int(np.argmax(points != points[0]))
        if len(points) and (points != points[0]).any()
        else len(points)
    )
    candidates = _by_part(_parts(selection), ranking.rows[:n_equal])
    parts = _parts(selection)
    names = {
        name
        for number, _, rows in candidates
        for name in parts[number].index.names.take(parts[number].index.name_of(rows))
    }
    n_equal = n_equal if len(names) == 1 else 0
    return np.zeros(n_equal, dtype=np.int64), np.zeros(n_equal)


def _reordered(selection: Selection, ranking: Ranking, groups: I64, share: F64) -> Ranking:
    """Returns the ranking with its first hits, as many as have groups, reordered within these. The
    order is cached with the snapshot, because typing, paging and editors request it repeatedly."""
    n_head = len(groups)
    counted = CountedValues.of(selection.memo, _parts(selection))
    key = (selection.is_name, ranking.rows[:n_head].tobytes(), ranking.points[:n_head].tobytes())
    order = counted.orders.get(key)
    if order is None:
        order = counted.keep_order(key, _order(counted, selection, ranking, groups, share))
    return Ranking(
        np.concatenate((ranking.rows[order], ranking.rows[n_head:])),
        ranking.points,  # the best hit of a group has the most points of the group
        np.concatenate((ranking.qualities[order], ranking.qualities[n_head:])),
    )


def _order(
    counted: CountedValues, selection: Selection, ranking: Ranking, groups: I64, share: F64
) -> I64:
    """Returns the places of the first hits, as many as have groups, in their new order.

    Sort key, from the highest bits: the group, the space, how late the flags put the hit, and its
    likelihood in descending order.
    """
    n_head = len(groups)
    rows = ranking.rows[:n_head]
    parts = _parts(selection)
    candidates = [*_by_part(parts, rows)]
    alike = [*_of_one_name(groups, share, ranking.points)]
    values = np.zeros(n_head)
    is_compared = (share > 0) | (
        ranking.points[:n_head] >= _WEAK
    )  # misspelt names and data keep their order
    for start, end in alike:
        is_compared[start:end] = False
    among = np.flatnonzero(is_compared)
    likely = likelihoods(counted, parts, [*_by_part(parts, rows[among])], len(among))
    values[among] = np.where(share[among] > 0, np.sqrt(likely) * share[among], likely)
    last = _last(parts, candidates, n_head)
    elsewhere = (share > 0) & (groups > _BEGINS)
    values[elsewhere & (last > 0)] *= _DEMOTED
    last[elsewhere] = 0
    for start, end in alike:
        named_alike = [*_by_part(parts, rows[start:end])]
        values[start:end] = likelihoods_of_one_name(counted, parts, named_alike, end - start)
    spaces = (ranking.qualities[:n_head] >> np.uint16(_SPACE_BITS)).astype(np.int64)
    keys = ((groups << 3 | spaces) << 3 | last) << 32 | (
        2**32 - 1 - np.rint(values * _STEPS_OF_VALUES).astype(np.int64)
    )
    return np.argsort(keys, kind="stable")


def _of_one_name(groups: I64, share: F64, points: Points) -> Iterator[tuple[int, int]]:
    """Yields where each group of several hits with exactly the searched name begins and ends."""
    edges = [0, *(np.flatnonzero(np.diff(groups)) + 1).tolist(), len(groups)]
    for start, end in pairwise(edges):
        if end - start > 1 and not share[start] and points[start] >= _WEAK:
            yield start, end


_STEPS_OF_VALUES: Final = 1 << 20
"""Steps in which values are compared, so that equal values are equal on every machine."""

_SPACE_BITS: Final = 10
"""Number of the bit of a ranking's qualities at which the space begins."""


def _last(parts: Sequence[Part], candidates: Sequence[PartCandidates], count: int) -> I64:
    """Returns, by hit, how late its flags put it; 0 for no such flag."""
    last = np.zeros(count, dtype=np.int64)
    for number, positions, rows in candidates:
        index = parts[number].index
        table = index.memo.get(("last of hits",))
        if table is None:
            flags = [of_traits >> 8 for of_traits in index.columns.traits_of]
            places = [
                next((len(_LAST) - rank for rank, flag in enumerate(_LAST) if of_traits & flag), 0)
                for of_traits in flags
            ]
            table = index.memo["last of hits",] = np.array(places, dtype=np.int64)
        last[positions] = table[index.traits[rows]]
    return last


def _parts(selection: Selection) -> list[Part]:
    return [hits.chosen.part for hits in selection.hits]


def _by_part(parts: Sequence[Part], rows: I64) -> Iterator[PartCandidates]:
    """Divides rows of the snapshot by the parts that contain them."""
    if len(parts) == 1:
        yield PartCandidates(0, np.arange(len(rows)), rows - parts[0].base)
        return
    part_of = np.searchsorted([part.base for part in parts], rows, side="right") - 1
    for number in np.unique(part_of).tolist():
        places = np.flatnonzero(part_of == number)
        yield PartCandidates(number, places, rows[places] - parts[number].base)
