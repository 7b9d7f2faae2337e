"""The weak tiers of `search/names`, typo and subsequence, for many names at once: the same rules and the same scores.

Odd names (`index/words`) go through `search/names` one by one.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import I64, Index
from symindex.index.fold import fold
from symindex.index.signature import begins_word, initial, letter, letters_of, pair
from symindex.search.bulk import AT_ONCE, Points, gather, odd_among, place_in, to_points
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
    some = [_edits_of_names(index, needle, numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
    best = np.concatenate([np.empty(0), *some])
    near, odd = best < limit + 1, odd_among(index, numbers)
    numbers, best, odd = numbers[near], best[near], numbers[odd]
    by_word, of_word = _edits_of_words(index, needle)
    every = np.union1d(numbers, by_word)
    of_every = np.full(len(every), float(_FAR))
    of_every[np.searchsorted(every, numbers)] = best
    at = np.searchsorted(every, by_word)
    of_every[at] = np.where(of_every[at] > 1.0, np.minimum(of_every[at], of_word + WORD_EDITS), of_every[at])
    points = to_points(place_in(BANDS[Tier.TYPO], 1.0 - of_every / (limit + 1.0)))
    _, of_odd = _one_by_one(index, odd, lambda name: match_typo(needle, name, fold(name)))
    order = np.argsort(np.append(every, odd))
    return np.append(every, odd)[order], np.append(points, of_odd)[order]


def _one_by_one(index: Index, numbers: I64, score: Callable[[str], float]) -> tuple[I64, Points]:
    names = index.names.take(numbers)
    return numbers, np.array([round(POINTS * score(name)) for name in names], dtype=np.int32)


def _may_be_near(index: Index, needle: Needle) -> I64:
    """The names of which the whole or the beginning may be so near. An edit takes away at most one letter and three pairs of
    neighbours, and leaves one of the needle's pieces."""
    letters = {bit for bit in map(letter, needle.squashed) if bit is not None}
    pairs = {pair(*two) for two in pairwise(needle.folded)}
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
    best = np.minimum(whole, head + PREFIX_EDITS)
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

    The table of the usual algorithm, with a column for each text instead of a number, and only near its diagonal.
    """
    data = np.frombuffer(blob, dtype=np.uint8)
    size = len(needle)
    whole = np.full(len(starts), _FAR, dtype=np.int8)
    head = whole.copy()
    alive = np.arange(len(starts))
    far = np.int8(limit + 1)
    # rows[i]: the edits between the first i letters of the needle and the letters of the text that have been read
    rows = np.full((size + 1, len(alive)), far, dtype=np.int8)
    rows[: limit + 1] = np.arange(limit + 1, dtype=np.int8)[:, None]
    rows_before = rows
    letters_before = np.zeros(len(alive), dtype=np.uint8)
    for read in range(1, size + limit + 1):
        going = np.flatnonzero((lengths[alive] >= read) & (rows[max(read - 1 - limit, 0) : read + limit].min(axis=0) <= limit))
        if len(going) < len(alive):
            alive, rows, rows_before, letters_before = alive[going], rows[:, going], rows_before[:, going], letters_before[going]
        if not len(alive):
            break
        letters = _SMALL[data[starts[alive] + (read - 1)]]
        now = np.full_like(rows, far)
        if read <= limit:
            now[0] = read
        for i in range(max(read - limit, 1), min(read + limit, size) + 1):
            same = letters == needle[i - 1]
            best = np.minimum(rows[i], now[i - 1]) + np.int8(1)
            np.minimum(best, rows[i - 1] + ~same, out=best)
            if i > 1 and read > 1:
                swapped = (letters == needle[i - 2]) & (letters_before == needle[i - 1])
                np.minimum(best, np.where(swapped, rows_before[i - 2] + np.int8(1), far), out=best)
            np.minimum(best, far, out=now[i])
        rows_before, rows, letters_before = rows, now, letters
        if read >= size - limit:
            ended = lengths[alive] == read
            within = now[size] <= limit
            whole[alive[ended & within]] = now[size][ended & within]
            shorter = alive[~ended & within]
            head[shorter] = np.minimum(head[shorter], now[size][~ended & within])
    return whole, head


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
