"""The tier humps of `search/names` for many names at once: the same rules and the same scores.

A needle is divided among the words of all names side by side. What it shares with a word is asked once for each distinct word
(`index/words`). Odd names, and those of very many words, go through `search/names` one by one.
"""

from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import I64, Index, Numbers
from symindex.index.fold import fold
from symindex.index.signature import begins_word
from symindex.search.automaton import ACCEPTED, Automaton
from symindex.search.bulk import AT_ONCE, FEW, Mask, Points, gather, odd_among, place_in, to_points
from symindex.search.names import (
    BANDS,
    LATE_START,
    OTHER_CASE,
    POINTS,
    SKIPPED_LETTERS,
    SKIPPED_WORD,
    TRAILING_WORD,
    Needle,
    Tier,
    divides,
    match_humps,
    run_ends,
)

MANY_WORDS: Final = 12
"""Names of more words are too few to be worth arrays."""

LONG: Final = 48
"""Longer needles reach too few names."""

_UNIT: Final = 4
"""All costs are so many parts of one."""

_LATE, _SKIPPED, _TRAILING, _SCATTERED_COST = (
    np.uint8(round(_UNIT * cost)) for cost in (LATE_START, SKIPPED_WORD, TRAILING_WORD, SKIPPED_LETTERS)
)

_ENDLESS: Final = np.uint8(200)
"""More than names of MANY_WORDS words can cost."""


def score_humps(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points of names that may match by their humps; 0 for those that do not."""
    if not _is_for_many(needle, numbers):
        return _one_by_one(index, needle, numbers)
    humps = _Humps(index, needle)
    points = [humps.score(numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
    return np.concatenate(points)


def can_divide(index: Index, needle: Needle, numbers: I64, is_prefix: bool) -> Mask:
    """By name: whether the runs of the needle begin words of it, in order.

    is_prefix: all may fall to one word, which is otherwise no match by humps.
    """
    if not _is_for_many(needle, numbers):
        return _can_divide_each(index, needle, numbers, is_prefix)
    return _Humps(index, needle).reach(numbers, is_prefix)


def _can_divide_each(index: Index, needle: Needle, numbers: I64, is_prefix: bool) -> Mask:
    names = index.names.take(numbers)
    can = divides if is_prefix else match_humps
    return np.array([can(needle, name, fold(name)) for name in names], dtype=bool)


def _is_for_many(needle: Needle, numbers: I64) -> bool:
    return len(numbers) > FEW and needle.text.isascii() and needle.squashed.isalnum() and len(needle.squashed) <= LONG


def _one_by_one(index: Index, needle: Needle, numbers: I64) -> Points:
    return np.array([round(POINTS * match_humps(needle, name, fold(name))) for name in index.names.take(numbers)], dtype=np.int32)


_Moves = tuple[tuple[int, range], ...]
"""What a word can take of a needle: from so many letters to that many."""


class _Humps:
    """A needle, and what each distinct word shares with it."""

    def __init__(self, index: Index, needle: Needle) -> None:
        self._index = index
        self._needle = needle
        self._letters = needle.squashed.encode()
        self._ends = run_ends(needle.runs)
        self._n_words = len(index.words.table)

    def score(self, numbers: I64) -> Points:
        """The points of some names."""
        points = np.zeros(len(numbers), dtype=np.int32)
        table = self._words_of(numbers)
        costs = self._least_costs(table)
        kept = np.flatnonzero(costs < _ENDLESS)
        costs_kept = costs[kept].astype(np.float64) / _UNIT
        if self._needle.capitals:
            costs_kept += np.where(self._has_capitals(numbers[kept]), 0.0, OTHER_CASE)
        lengths = np.append(self._index.words.lengths, np.uint8(0))[table[:, kept]].sum(axis=0, dtype=np.int64)
        coverage = len(self._letters) / np.maximum(lengths, 1)
        points[kept] = to_points(place_in(BANDS[Tier.HUMPS], 0.4 * coverage + 0.6 / (1.0 + costs_kept)))
        others = self._others(numbers)
        points[others] = _one_by_one(self._index, self._needle, numbers[others])
        return points

    def reach(self, numbers: I64, is_prefix: bool) -> Mask:
        """By name: whether the needle can be divided among its words. is_prefix: it may all fall to one of them."""
        reached = self._automaton(is_prefix).accepts(numbers)
        odd = odd_among(self._index, numbers)
        reached[odd] = _can_divide_each(self._index, self._needle, numbers[odd], is_prefix)
        return reached

    def _automaton(self, is_prefix: bool) -> Automaton:
        """A state has a bit for each number of letters that the words may have taken."""
        size = len(self._letters)
        classes, class_of = self._classes()
        # By class: from so many letters to any of those.
        moves = [
            [(at, sum(1 << length for length in lengths if is_prefix or length - at < size)) for at, lengths in some]
            for some in classes
        ]

        def step(state: int, kind: int) -> int:
            behind = state
            for at, reached in moves[kind]:
                if state >> at & 1:
                    behind |= reached
            return ACCEPTED if behind >> size else behind

        return Automaton(self._index.words, class_of, len(classes), 1, step)

    def _classes(self) -> tuple[list[_Moves], NDArray[np.intp]]:
        """What words can take of the letters, each such class once; and by word, the number of its class."""
        edges, moves = self._neighbours()
        number_of: dict[_Moves, int] = {}
        class_of = np.repeat([number_of.setdefault(some, len(number_of)) for some in moves], np.diff(edges)).astype(np.intp)
        classes = list(number_of)
        for at, words in self._scattered.items():
            old_of = class_of[words]
            for old in np.flatnonzero(np.bincount(old_of)).tolist():
                class_of[words[old_of == old]] = len(classes)
                classes.append((*classes[old], (at, range(self._ends[at], self._ends[at] + 1))))
        return classes, class_of

    def _neighbours(self) -> tuple[list[int], list[_Moves]]:
        """Where, among the words, those begin that begin with the same letters of the needle; and what these can take."""
        edges = sorted({0, self._n_words}.union(*((low, high) for _, _, low, high in self._beginnings)))
        place_of = {edge: place for place, edge in enumerate(edges)}
        taken: list[dict[int, int]] = [{} for _ in edges[1:]]
        for at, stop, low, high in self._beginnings:
            for place in range(place_of[low], place_of[high]):
                taken[place][at] = stop  # more letters come later
        return edges, [tuple((at, range(at + 1, stop + 1)) for at, stop in some.items()) for some in taken]

    @cached_property
    def _beginnings(self) -> list[tuple[int, int, int, int]]:
        """For every part of the needle that lies within a run and begins words: its place, its end, and which words."""
        found = []
        for at, end in enumerate(self._ends):
            low, high = 0, self._n_words
            for stop in range(at + 1, end + 1):
                low, high = self._index.words.range_of(self._letters[at:stop], low, high)
                if low == high:
                    break
                found.append((at, stop, low, high))
        return found

    def _words_of(self, numbers: I64) -> Numbers:
        """The numbers of the names' words, shape (words, names); that behind the last one stands for none."""
        counts, flat = self._index.words.of_names(numbers)
        width = min(int(counts.max(initial=0)), MANY_WORDS)
        table = np.full((width, len(numbers)), self._n_words, dtype=np.int32)
        number = np.arange(len(flat)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = number < width
        table[number[kept], np.repeat(np.arange(len(numbers)), counts)[kept]] = flat[kept]
        return table

    def _others(self, numbers: I64) -> I64:
        """Which of the names are to be looked at one by one."""
        others = self._index.words.counts[numbers] > MANY_WORDS
        others[odd_among(self._index, numbers)] = True
        return np.flatnonzero(others)

    @cached_property
    def _shared(self) -> NDArray[np.uint8]:
        """By letter and word: how many letters of the needle from there on the word begins with, within the run."""
        shared = np.zeros((len(self._letters), self._n_words + 1), dtype=np.uint8)
        for at, stop, low, high in self._beginnings:
            shared[at, low:high] = stop - at
        return shared

    @cached_property
    def _scattered(self) -> dict[int, I64]:
        """By letter that begins a run: the words that hold all of the run, though not side by side."""
        scattered: dict[int, I64] = {}
        at = 0
        for run in self._needle.runs if len(self._needle.runs) > 1 else ():
            letters = run.encode()
            if len(letters) > 1:
                words = self._index.words.in_order(letters)
                low, high = self._index.words.range_of(letters)
                scattered[at] = words[(words < low) | (words >= high)]
            at += len(letters)
        return scattered

    def _least_costs(self, table: Numbers) -> NDArray[np.uint8]:
        """By name: the least cost of dividing the letters among its words, in units; _ENDLESS where that cannot be."""
        size = len(self._letters)
        longest = min(int(self._shared.max(initial=0)), size - 1)
        scattered = {at: np.zeros(self._n_words + 1, dtype=bool) for at in self._scattered}
        for at, words in self._scattered.items():
            scattered[at][words] = True
        # costs[at]: the least cost of having divided so many letters among the words that have been read
        costs = np.full((size + 1, table.shape[1]), _ENDLESS, dtype=np.uint8)
        costs[0] = 0
        for number, words in enumerate(table):
            exists = np.flatnonzero(words < self._n_words)
            words = words[exists]
            before = costs[:, exists]
            shared = self._shared[:, words]
            now = before + (_LATE if number == 0 else _SKIPPED)
            now[size] = before[size] + _TRAILING
            for length in range(1, longest + 1):
                reached = np.where(shared[: size - length + 1] >= length, before[: size - length + 1], _ENDLESS)
                np.minimum(now[length:], reached, out=now[length:])
            for at, is_scattered in scattered.items():
                end = self._ends[at]
                reached = np.where(is_scattered[words], before[at] + _SCATTERED_COST, _ENDLESS)
                np.minimum(now[end], reached, out=now[end])
            costs[:, exists] = np.minimum(now, _ENDLESS)
        least: NDArray[np.uint8] = costs[size]
        return least

    def _has_capitals(self, numbers: I64) -> Mask:
        """By name: whether the needle's letters are beginnings of its words in the very case they were typed in."""
        letters = self._needle.capitals.encode()
        plain, _, names, _ = gather(self._index, numbers)
        places = np.flatnonzero(begins_word(plain, np.arange(len(plain))))
        owner = np.searchsorted(names, places, side="right") - 1
        first = np.searchsorted(owner, np.arange(len(numbers)))
        number = np.arange(len(places)) - first[owner]
        sizes = np.diff(np.append(places, len(plain)))
        reached = np.zeros((len(letters) + 1, len(numbers)), dtype=bool)
        reached[0] = True
        for word in range(int(number.max(initial=-1)) + 1):
            these = np.flatnonzero(number == word)
            for at in range(len(letters) - 1, -1, -1):
                going = these[reached[at][owner[these]]]
                for length in range(1, len(letters) - at + 1):
                    going = going[(sizes[going] >= length) & (plain[places[going] + length - 1] == letters[at + length - 1])]
                    if not len(going):
                        break
                    reached[at + length, owner[going]] = True
        whole: Mask = reached[len(letters)]
        return whole
