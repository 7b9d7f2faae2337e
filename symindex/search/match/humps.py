"""The tier humps of `search/match/names` for many names at once: the same rules and the same scores.

A needle is divided among the words of all names side by side. What it shares with a word is asked once for each distinct word
(`index/word_postings`). Odd names, and those of very many words, go through `search/match/names` one by one.
"""

from functools import cached_property
from math import inf
from typing import Final

import numpy as np

from symindex.index.arrays import F64, I64, Intp, Mask
from symindex.index.columns import Index
from symindex.index.name_bitmaps import word_begins
from symindex.search.match.automaton import Automaton
from symindex.search.match.bulk import Points, gather, odd_among, place_in, to_points
from symindex.search.match.names import (
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
from symindex.text.folding import fold

FEW: Final = 8
"""So many names are looked at one by one in the time that an automaton takes to set up."""

LONG: Final = 48
"""Longer needles reach too few names."""


def score_humps(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points of names that match by their humps."""
    if not _is_for_many(needle, numbers):
        return _one_by_one(index, needle, numbers)
    points = np.empty(len(numbers), dtype=np.int32)
    is_odd = np.zeros(len(numbers), dtype=bool)
    is_odd[odd_among(index, numbers)] = True
    points[~is_odd] = _Humps(index, needle).score(numbers[~is_odd])
    points[is_odd] = _one_by_one(index, needle, numbers[is_odd])
    return points


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


_Moves = tuple[tuple[int, range, float], ...]
"""What a word can take of a needle: from so many letters to any of those, and the cost."""


class _Humps:
    """A needle, and what each distinct word shares with it."""

    def __init__(self, index: Index, needle: Needle) -> None:
        self._index = index
        self._needle = needle
        self._letters = needle.squashed.encode()
        self._ends = run_ends(needle.runs)
        self._n_words = len(index.words.table)

    def score(self, numbers: I64) -> Points:
        """The points of names that match."""
        costs = self._costs(numbers)
        if self._needle.capitals:
            costs += np.where(self._has_capitals(numbers), 0.0, OTHER_CASE)
        counts, words = self._index.words.of_names(numbers)
        lengths = np.add.reduceat(self._index.words.table.lengths[words], np.cumsum(counts) - counts, dtype=np.int64)
        coverage = len(self._letters) / lengths
        return to_points(place_in(BANDS[Tier.HUMPS], 0.4 * coverage + 0.6 / (1.0 + costs)))

    def reach(self, numbers: I64, is_prefix: bool) -> Mask:
        """By name: whether the needle can be divided among its words. is_prefix: it may all fall to one of them."""
        reached: Mask = self._reading(is_prefix).read(numbers) == 0
        odd = odd_among(self._index, numbers)
        reached[odd] = _can_divide_each(self._index, self._needle, numbers[odd], is_prefix)
        return reached

    def _reading(self, is_prefix: bool) -> Automaton[int]:
        """A state has a bit for each number of letters that the words may have taken; the accepted one is 0."""
        size = len(self._letters)
        classes, class_of = self._classes
        # By class: from so many letters to any of those.
        moves = [
            [(at, sum(1 << length for length in lengths if is_prefix or length - at < size)) for at, lengths, _ in some]
            for some in classes
        ]

        def step(state: int, kind: int) -> int:
            behind = state
            for at, reached in moves[kind]:
                if state >> at & 1:
                    behind |= reached
            return 0 if behind >> size else behind

        return Automaton(self._index.words, class_of, len(classes), 1, 0, step)

    def _costs(self, numbers: I64) -> F64:
        """By name: the least cost of dividing the letters among its words. A state has, for each number of letters that the words
        may have taken, the least cost of that."""
        size = len(self._letters)
        classes, class_of = self._classes

        def step(state: tuple[float, ...], kind: int) -> tuple[float, ...]:
            skipped = SKIPPED_WORD if len(state) > 1 else LATE_START
            before = state if len(state) > 1 else (0.0,) + (inf,) * size
            behind = [cost + skipped for cost in before]
            behind[size] = before[size] + TRAILING_WORD
            for at, lengths, cost in classes[kind]:
                for length in lengths:
                    if length - at < size and before[at] + cost < behind[length]:
                        behind[length] = before[at] + cost
            return tuple(behind)

        reading = Automaton(self._index.words, class_of, len(classes), (0.0,), (), step)
        last = reading.read(numbers)
        return np.array([state[size] if len(state) > size else inf for state in reading.states])[last]

    @cached_property
    def _classes(self) -> tuple[list[_Moves], Intp]:
        """What words can take of the letters, each such class once; and by word, the number of its class."""
        edges, moves = self._neighbours()
        number_of: dict[_Moves, int] = {}
        class_of = np.repeat([number_of.setdefault(some, len(number_of)) for some in moves], np.diff(edges)).astype(np.intp)
        classes = list(number_of)
        for at, words in self._scattered.items():
            old_of = class_of[words]
            for old in np.flatnonzero(np.bincount(old_of)).tolist():
                class_of[words[old_of == old]] = len(classes)
                classes.append((*classes[old], (at, range(self._ends[at], self._ends[at] + 1), SKIPPED_LETTERS)))
        return classes, class_of

    def _neighbours(self) -> tuple[list[int], list[_Moves]]:
        """Where, among the words, those begin that begin with the same letters of the needle; and what these can take."""
        edges = sorted({0, self._n_words}.union(*((low, high) for _, _, low, high in self._beginnings)))
        place_of = {edge: place for place, edge in enumerate(edges)}
        taken: list[dict[int, int]] = [{} for _ in edges[1:]]
        for at, stop, low, high in self._beginnings:
            for place in range(place_of[low], place_of[high]):
                taken[place][at] = stop  # more letters come later
        return edges, [tuple((at, range(at + 1, stop + 1), 0.0) for at, stop in some.items()) for some in taken]

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

    def _has_capitals(self, numbers: I64) -> Mask:
        """By name: whether the needle's letters are beginnings of its words in the very case they were typed in."""
        letters = self._needle.capitals.encode()
        plain, _, names, _ = gather(self._index, numbers)
        places = np.flatnonzero(word_begins(plain))
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
