"""The weak tiers of `search/names`, typo and subsequence, for many names at once: the same rules and the same scores.

Odd names (`index/words`) go through `search/names` one by one.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import I64, U8, Index
from symindex.index.fold import fold
from symindex.index.signature import begins_word, initial, letter, letters_of, pair
from symindex.search.bulk import AT_ONCE, Mask, Points, gather, odd_among, place_in, to_points
from symindex.search.names import (
    BANDS,
    POINTS,
    PREFIX_EDITS,
    WORD_EDITS,
    Needle,
    Tier,
    match_subsequence,
    match_typo,
)

Edits = NDArray[np.int8]

_COMPARED: Final = 131_072
"""So many names are compared at a time."""

_FAR: Final = 100
"""Edits of what is too far away."""


def score_typos(index: Index, needle: Needle) -> tuple[I64, Points]:
    """The names that may match by the tier typo, in order, and their points; 0 for those that do not."""
    if not needle.max_typos:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    numbers = _may_be_near(index, needle)
    if not needle.folded.isascii():
        return _one_by_one(index, numbers, lambda name: match_typo(needle, name, fold(name)))
    limit = needle.max_typos
    some = [_edits_of_names(index, needle, numbers[at : at + _COMPARED]) for at in range(0, len(numbers), _COMPARED)]
    best = np.concatenate([np.empty(0), *some])
    odd = numbers[odd_among(index, numbers)]
    numbers, best = numbers[best < limit + 1], best[best < limit + 1]
    by_word, of_word = _edits_of_words(index, needle)
    edits = np.full(len(index.names), float(_FAR))
    edits[numbers] = best
    edits[by_word] = np.where(edits[by_word] > 1.0, np.minimum(edits[by_word], of_word + WORD_EDITS), edits[by_word])
    edits[odd] = _FAR
    near: I64 = np.flatnonzero(edits < limit + 1.0)
    points = to_points(place_in(BANDS[Tier.TYPO], 1.0 - edits[near] / (limit + 1.0)))
    _, of_odd = _one_by_one(index, odd, lambda name: match_typo(needle, name, fold(name)))
    order = np.argsort(np.append(near, odd), kind="stable")
    return np.append(near, odd)[order], np.append(points, of_odd)[order]


def _one_by_one(index: Index, numbers: I64, score: Callable[[str], float]) -> tuple[I64, Points]:
    names = index.names.take(numbers)
    return numbers, np.array([round(POINTS * score(name)) for name in names], dtype=np.int32)


def _may_be_near(index: Index, needle: Needle) -> I64:
    """The names of which the whole or the beginning may be so near. An edit takes away at most one letter and three pairs of
    neighbours, and leaves one of the needle's pieces."""
    letters = {number for number in map(letter, needle.squashed) if number is not None}
    pairs = {number for two in pairwise(needle.folded) if (number := pair(*two)) is not None}
    chosen = index.slices.choose()
    chosen.keep_most(sorted(letters), len(letters) - needle.max_typos)
    chosen.keep_most(sorted(pairs), len(pairs) - 3 * needle.max_typos)
    numbers = chosen.numbers()
    return numbers[index.names.lengths[numbers] >= max(len(needle.folded) - needle.max_typos, 1)]


def _edits_of_names(index: Index, needle: Needle, numbers: I64) -> NDArray[np.float64]:
    """By name: how many edits it is away from the needle, or its nearest beginning and a little more; _FAR for odd names."""
    starts = index.names.offset[numbers].astype(np.int64)
    lengths = index.names.lengths[numbers].astype(np.int64)
    whole, head = count_edits(index.names.blob, starts, lengths, needle.folded.encode(), needle.max_typos)
    best: NDArray[np.float64] = np.minimum(whole, head + PREFIX_EDITS)
    best[odd_among(index, numbers)] = _FAR
    return best


def _edits_of_words(index: Index, needle: Needle) -> tuple[I64, Edits]:
    """The names that have a word near the needle, in order, and how many edits it is away."""
    words = index.words
    size, limit = len(needle.folded), needle.max_typos
    near = np.flatnonzero(np.abs(words.table.lengths.astype(np.int64) - size) <= limit)
    offsets = words.table.offset[near].astype(np.int64)
    whole, _ = count_edits(words.table.blob, offsets, words.table.lengths[near].astype(np.int64), needle.folded.encode(), limit)
    distance = np.full(len(words.table), _FAR, dtype=np.int8)
    distance[near] = whole
    if not (distance <= limit).any():
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int8)
    of_flat = distance[words.flat]
    places = np.flatnonzero(of_flat <= limit)
    owner = np.searchsorted(words.first, places.astype(np.uint32), side="right") - 1
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    return owner[first], np.minimum.reduceat(of_flat[places], first)


def count_edits(blob: memoryview, starts: I64, lengths: I64, needle: bytes, limit: int) -> tuple[Edits, Edits]:
    """Of ASCII texts in `blob`: the edits (optimal string alignment) between each and the needle, and those between its nearest
    beginning and the needle; _FAR where they are more than `limit`. Letters of the texts are taken as small ones.

    The table of the usual algorithm, with a column for each beginning that neighbouring texts share instead of a number, and only
    near its diagonal. What is too far away already is not read on.
    """
    size = len(needle)
    whole = np.full(len(starts), _FAR, dtype=np.int8)
    head = whole.copy()
    table = _Table(needle, limit)
    alive = np.flatnonzero(lengths >= size - limit)
    group = np.zeros(len(alive), dtype=np.int64)  # by text that is alive: its column
    read = 0
    while read < size + limit and len(alive):
        # Before that many letters nothing can be near, and all texts have them: they are taken in pieces.
        step = _PIECE if read + _PIECE < size - limit else 1
        letters = _letters_at(blob, starts[alive] + read, step)
        new = np.ones(len(alive), dtype=bool)
        new[1:] = (letters[1:] != letters[:-1]) | (group[1:] != group[:-1])
        first = np.flatnonzero(new)
        columns = group[first]
        for row in letters[first].view(np.uint8).reshape(-1, step).T:
            table.read(columns, row)
            columns = np.arange(len(first))
        read += step
        group = np.cumsum(new) - 1
        if read >= size - limit:
            edits = table.nearest[group]
            ended = (lengths[alive] == read) & (edits <= limit)
            whole[alive[ended]] = edits[ended]
            shorter = (lengths[alive] > read) & (edits <= limit)
            head[alive[shorter]] = np.minimum(head[alive[shorter]], edits[shorter])
        is_near = table.keep_near()
        kept = is_near[group] & (lengths[alive] > read)
        alive, group = alive[kept], (np.cumsum(is_near) - 1)[group[kept]]
    return whole, head


_PIECE: Final = 2


def _letters_at(blob: memoryview, places: I64, count: int) -> NDArray[Any]:
    """The next `count` letters at each place, small, in one number."""
    pieces = np.ndarray(len(blob) - count + 1, dtype=f"<u{count}", buffer=blob, strides=(1,))
    return _SMALL[pieces[places].view(np.uint8)].view(f"<u{count}")


class _Table:
    """Columns of the table of edits, all at the same number of letters read.

    _rows[i]: the edits between the first i letters of the needle and what was read; _before: a letter earlier.
    """

    def __init__(self, needle: bytes, limit: int) -> None:
        self._needle = needle
        self._limit = limit
        self._far = np.int8(limit + 1)
        self._rows = np.full((len(needle) + 1, 1), self._far, dtype=np.int8)
        self._rows[: limit + 1, 0] = np.arange(limit + 1)
        self._before = self._rows
        self._letters = np.zeros(1, dtype=np.uint8)
        self._read = 0

    def read(self, columns: I64, letters: U8) -> None:
        """Goes on from the columns, each by one letter."""
        rows, before, letters_before = self._rows[:, columns], self._before[:, columns], self._letters[columns]
        self._read += 1
        needle, read, limit = self._needle, self._read, self._limit
        now = np.full_like(rows, self._far)
        if read <= limit:
            now[0] = read
        for i in range(max(read - limit, 1), min(read + limit, len(needle)) + 1):
            best = np.minimum(rows[i], now[i - 1]) + np.int8(1)
            np.minimum(best, rows[i - 1] + (letters != needle[i - 1]), out=best)
            if i > 1 and read > 1:
                swapped = (letters == needle[i - 2]) & (letters_before == needle[i - 1])
                np.minimum(best, np.where(swapped, before[i - 2] + np.int8(1), self._far), out=best)
            np.minimum(best, self._far, out=now[i])
        self._before, self._rows, self._letters = rows, now, letters

    @property
    def nearest(self) -> Edits:
        """By column: the edits between the whole needle and what was read, where they are within the limit."""
        last = self._rows[-1]
        return np.where(last <= self._limit, last, np.int8(_FAR))

    def keep_near(self) -> Mask:
        """Forgets the columns that cannot keep the limit any more; returns which are left."""
        near: Mask = self._rows.min(axis=0) <= self._limit
        self._before, self._rows, self._letters = self._before[:, near], self._rows[:, near], self._letters[near]
        return near


_SMALL: Final = np.frombuffer(bytes(range(256)).lower(), dtype=np.uint8)


def score_subsequences(index: Index, needle: Needle) -> tuple[I64, Points]:
    """The names that may match by the tier subsequence, in order, and their points; 0 for those that do not."""
    if len(needle.squashed) < 2:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    chosen = index.slices.choose([initial(needle.squashed[0])], *letters_of(needle.squashed))
    numbers = chosen.numbers()
    if not needle.squashed.isascii():
        return _one_by_one(index, numbers, lambda name: match_subsequence(needle, name, fold(name)))
    letters = needle.squashed.encode()
    some = [_of_some(index, letters, numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
    points = np.concatenate([np.empty(0, dtype=np.int32), *some])
    odd = odd_among(index, numbers)
    _, points[odd] = _one_by_one(index, numbers[odd], lambda name: match_subsequence(needle, name, fold(name)))
    return numbers, points


def _of_some(index: Index, letters: bytes, numbers: I64) -> Points:
    """The points of some names. Every word that begins with the first letter is a try; each letter is the next one behind that
    before."""
    plain, lower, names, lengths = gather(index, numbers)
    first = np.flatnonzero(lower == letters[0])
    first = first[begins_word(plain, first)]
    owner = np.searchsorted(names, first, side="right") - 1
    ends = (names + lengths)[owner]
    at, gaps = first, np.zeros(len(first), dtype=np.int64)
    for wanted in letters[1:]:
        places = np.append(np.flatnonzero(lower == wanted), len(lower))
        found = places[np.searchsorted(places, at, side="right")] if len(at) else at
        kept = np.flatnonzero(found < ends)
        gaps = gaps[kept] + (found[kept] != at[kept] + 1)
        at, first, owner, ends = found[kept], first[kept], owner[kept], ends[kept]
    share = 0.7 * len(letters) / (at - first + 1) + 0.3 / (1 + gaps)
    points = np.zeros(len(numbers), dtype=np.int32)
    np.maximum.at(points, owner, to_points(place_in(BANDS[Tier.SUBSEQUENCE], share)))
    return points
