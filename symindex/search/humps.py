"""The tier humps of `search/names` for many names at once: the same rules and the same scores.

A needle in one run is divided among the words of all names side by side, word by word from the last one. Needles that show their
runs (`inBkOff`), names that are not ASCII or have very many words go through `search/names` one by one.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import I64, U8, Index
from symindex.index.fold import fold
from symindex.index.signature import begins_word
from symindex.search.bulk import FEW, gather, odd_among, place_in, to_points
from symindex.search.names import (
    BANDS,
    LATE_START,
    OTHER_CASE,
    POINTS,
    SKIPPED_WORD,
    TRAILING_WORD,
    Needle,
    Tier,
    match_humps,
)

MANY_WORDS: Final = 12
"""Names of more words are too few to be worth arrays."""

LONG: Final = 24
"""Longer needles reach too few names."""

Costs = NDArray[np.float32]


def score_humps(index: Index, needle: Needle, numbers: I64) -> NDArray[np.int32]:
    """The points of names that may match by their humps; 0 for those that do not."""
    if len(numbers) <= FEW or len(needle.runs) > 1 or not needle.text.isascii() or len(needle.squashed) > LONG:
        return _one_by_one(index, needle, numbers)
    plain, lower, starts, lengths = gather(index, numbers)
    words = _Words(plain, starts)
    costs = _least_costs(words, lower, needle.squashed.encode(), is_hump=True)
    if needle.capitals:
        in_case = np.isfinite(_least_costs(words, plain, needle.capitals.encode(), is_hump=False))
        costs += np.where(in_case, np.float32(0.0), np.float32(OTHER_CASE))
    separators = np.concatenate(([0], np.cumsum((lower == 95) | (lower == 45))))
    coverage = len(needle.squashed) / np.maximum(lengths - (separators[starts + lengths] - separators[starts]), 1)
    scores = place_in(BANDS[Tier.HUMPS], 0.4 * coverage + 0.6 / (1.0 + costs.astype(np.float64)))
    points = np.where(np.isfinite(costs) & (words.counts >= 2), to_points(scores), 0).astype(np.int32)
    others = np.union1d(odd_among(index, numbers), np.flatnonzero(words.counts > MANY_WORDS))
    points[others] = _one_by_one(index, needle, numbers[others])
    return points


def _one_by_one(index: Index, needle: Needle, numbers: I64) -> NDArray[np.int32]:
    return np.array([round(POINTS * match_humps(needle, name, fold(name))) for name in index.names.take(numbers)], dtype=np.int32)


class _Words:
    """The words of some names. counts: by name. starts, sizes: by word, the first MANY_WORDS of a name, in the order of the
    names; number: the word's number in its name."""

    def __init__(self, plain: U8, names: I64) -> None:
        places = np.flatnonzero(begins_word(plain, np.arange(len(plain))))
        owner = np.searchsorted(names, places, side="right") - 1
        self.counts = np.bincount(owner, minlength=len(names))
        first = np.cumsum(self.counts) - self.counts
        number = np.arange(len(places)) - first[owner]
        ends = np.append(places[1:], len(plain))
        name_ends = np.append(names[1:], len(plain))
        kept = number < MANY_WORDS
        self.starts, self.sizes = places[kept], (np.minimum(ends, name_ends[owner]) - places)[kept]
        self.number, self.owner = number[kept], owner[kept]

    def table(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """By word's number and name: a value for each word, 0 where there is none."""
        table = np.zeros((MANY_WORDS, len(self.counts)), dtype=np.int8)
        table[self.number, self.owner] = values
        return table


def _least_costs(words: _Words, data: U8, letters: bytes, is_hump: bool) -> Costs:
    """By name: the least cost of dividing the letters into beginnings of its words, in order; infinite where that cannot be.

    is_hump: the letters fall to two words or more.
    """
    size = len(letters)
    shared = [words.table(_shared_prefix(words, data, letters[at:])) for at in range(size)]
    width = int(min(words.counts.max(initial=0), MANY_WORDS))
    endless = np.full(len(words.counts), np.inf, dtype=np.float32)
    # behind[at]: the least cost of dividing letters[at:] among the words behind the one that is looked at
    behind: list[Costs] = [endless] * size
    for word in range(width - 1, -1, -1):
        done = (TRAILING_WORD * np.maximum(words.counts - word - 1, 0)).astype(np.float32)
        following = [*behind, done]
        exists = words.counts > word
        behind = []
        for at in range(size):
            best = following[at] + np.float32(LATE_START if word == 0 else SKIPPED_WORD)
            for length in range(1, size - at + 1):
                if is_hump and at == 0 and length == size:
                    continue
                best = np.where(shared[at][word] >= length, np.minimum(best, following[at + length]), best)
            behind.append(np.where(exists, best, endless))
    return behind[0]


def _shared_prefix(words: _Words, data: U8, letters: bytes) -> NDArray[np.int8]:
    """By word: how many of its first bytes are those of `letters`."""
    shared = np.zeros(len(words.starts), dtype=np.int8)
    going = np.flatnonzero(words.sizes > 0)
    for step, letter in enumerate(letters):
        going = going[words.sizes[going] > step]
        going = going[data[words.starts[going] + step] == letter]
        if not len(going):
            break
        shared[going] = step + 1
    return shared
