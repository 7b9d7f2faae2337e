"""The tier humps of `search/match/names` for many names at once: the same rules and the same
scores.

A needle is divided among the words of all names side by side, by an automaton that reads them word
by word. How a word changes the state depends on what it shares with the needle, which is found once
for each distinct word (`index/words/name_words`), and of which there are few classes. So there are
few transitions. Each is computed when it is first needed; from then on a word of a name costs a
look-up in a table.
"""

from collections.abc import Callable, Hashable, Iterator
from itertools import product
from math import inf
from typing import Final, TypeVar

import numpy as np

from symindex.index.columns.arrays import F64, I64, Intp, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.name_bitmaps import word_begins
from symindex.search.match.bulk import (
    Points,
    gather,
    in_batches,
    one_by_one,
    place_in,
    to_points,
    with_odd,
)
from symindex.search.match.names import (
    BANDS,
    LATE_START,
    MOST_VOWELS,
    OTHER_CASE,
    SKIPPED_VOWELS,
    SKIPPED_WORD,
    TRAILING_WORD,
    VOWELS,
    Needle,
    Tier,
    divides,
    match_humps,
    run_ends,
)
from symindex.text.made_once import made_once

FEW: Final = 8
"""Up to so many names are scored one by one faster than an automaton is set up."""

LONG: Final = 48
"""Longer needles reach too few names."""


def score_humps(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points of names that match by their humps."""
    if not _is_for_many(needle, numbers):
        return one_by_one(index, needle, numbers, match_humps)
    return with_odd(index, needle, numbers, _Humps(index, needle).score(numbers), match_humps)


def can_divide(index: Index, needle: Needle, numbers: I64, is_prefix: bool) -> Mask:
    """By name: whether the runs of the needle begin words of it, in order.

    is_prefix: all runs may begin one and the same word, which is otherwise no match by humps.
    """
    rule = divides if is_prefix else match_humps
    if not _is_for_many(needle, numbers):
        return one_by_one(index, needle, numbers, rule) > 0
    points = _Humps(index, needle).reach(numbers, is_prefix).astype(np.int32)
    return with_odd(index, needle, numbers, points, rule) > 0


def _is_for_many(needle: Needle, numbers: I64) -> bool:
    return (
        len(numbers) > FEW
        and needle.text.isascii()
        and needle.squashed.isalnum()
        and len(needle.squashed) <= LONG
    )


_UNKNOWN: Final = -1

_STATES: Final = 64
"""The table's room for states at first."""

_State = TypeVar("_State", bound=Hashable)

_Moves = tuple[tuple[int, range, float], ...]
"""What a word can take of a needle: from a number of letters taken before to any of those behind,
and the cost."""


class _Humps:
    """A needle, and what each distinct word shares with it. Odd names have no words here; what is
    said of them is void."""

    def __init__(self, index: Index, needle: Needle) -> None:
        self._index = index
        self._needle = needle
        self._letters = needle.squashed.encode()
        self._ends = run_ends(needle.runs)
        self._n_words = len(index.words.table)

    def score(self, numbers: I64) -> Points:
        costs = self._costs(numbers)
        if self._needle.capitals:
            costs += np.where(self._has_capitals(numbers), 0.0, OTHER_CASE)
        counts, words = self._index.words.of_names(numbers)
        edges = np.append(0, np.cumsum(self._index.words.table.lengths[words], dtype=np.int64))
        ends = np.cumsum(counts)
        lengths = np.maximum(edges[ends] - edges[ends - counts], 1)
        coverage = len(self._letters) / lengths
        return to_points(place_in(BANDS[Tier.HUMPS], 0.4 * coverage + 0.6 / (1.0 + costs)))

    def reach(self, numbers: I64, is_prefix: bool) -> Mask:
        """By name: whether the needle can be divided among its words. is_prefix: as of
        `can_divide`.

        A state has a bit for each number of letters that the words may have taken; the accepted one
        is 0.
        """
        size = len(self._letters)
        moves = [
            [
                (at, sum(1 << length for length in lengths if is_prefix or length - at < size))
                for at, lengths, _ in some
            ]
            for some in self._classes[0]
        ]

        def step(state: int, kind: int) -> int:
            behind = state
            for at, reached in moves[kind]:
                if state >> at & 1:
                    behind |= reached
            return 0 if behind >> size else behind

        reached: Mask = self._read(numbers, 1, 0, step)[0] == 0
        return reached

    def _costs(self, numbers: I64) -> F64:
        """By name: the least cost of dividing the letters among its words. A state holds, for each
        number of letters that the words may have taken, the least cost of that."""
        size = len(self._letters)
        classes, _ = self._classes

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

        last, states = self._read(numbers, (0.0,), (), step)
        return np.array([state[size] if len(state) > size else inf for state in states])[last]

    def _read(
        self, numbers: I64, start: _State, accepted: _State, step: Callable[[_State, int], _State]
    ) -> tuple[Intp, list[_State]]:
        """By name: the number of the state behind its last word; and the states by number,
        `accepted` first.

        start: the state before the first word. accepted: a state that no word changes. step: the
        state behind a word of a class.
        """
        words, (classes, class_of) = self._index.words, self._classes
        n_classes = len(classes)
        states = [accepted, start]
        number_of = {accepted: 0, start: 1}
        # By number of a state times n_classes, plus the class: the number of the state behind it
        # times n_classes.
        table = np.full(_STATES * n_classes, _UNKNOWN, dtype=np.intp)
        table[:n_classes] = 0

        def learn(steps: Intp) -> None:
            nonlocal table
            is_new = np.zeros(len(table), dtype=bool)
            is_new[steps] = True
            for place in np.flatnonzero(is_new).tolist():
                number, kind = divmod(place, n_classes)
                state = step(states[number], kind)
                if state not in number_of:
                    number_of[state] = len(states)
                    states.append(state)
                    if len(states) * n_classes > len(table):
                        table = np.concatenate((table, np.full_like(table, _UNKNOWN)))
                table[place] = number_of[state] * n_classes

        def read(some: I64) -> Intp:
            counts = words.counts[some]
            order = np.argsort(counts, kind="stable")[::-1]
            at = words.first[some[order]].astype(np.intp)
            state = np.full(len(some), n_classes)
            # How many names have a first word, a second one and so on.
            longer = len(some) - np.cumsum(np.bincount(counts))
            for number, count in enumerate(longer[:-1].tolist()):
                steps = state[:count] + class_of[words.flat[at[:count] + number]]
                behind = state[:count]
                np.take(table, steps, out=behind)
                if count and behind.min() == _UNKNOWN:
                    learn(steps[behind == _UNKNOWN])
                    np.take(table, steps, out=behind)
            last = np.empty(len(some), dtype=np.intp)
            last[order] = state // n_classes
            return last

        return in_batches(numbers, read, np.intp), states

    @made_once
    def _classes(self) -> tuple[list[_Moves], Intp]:
        """The classes of words, which are what words can take of the letters; and by word, the
        number of its class."""
        edges, moves = self._neighbours()
        number_of: dict[_Moves, int] = {}
        class_of = np.repeat(
            [number_of.setdefault(some, len(number_of)) for some in moves], np.diff(edges)
        ).astype(np.intp)
        classes = list(number_of)
        for at, words in self._contracted():
            old_of = class_of[words]
            for old in np.flatnonzero(np.bincount(old_of)).tolist():
                class_of[words[old_of == old]] = len(classes)
                classes.append(
                    (*classes[old], (at, range(self._ends[at], self._ends[at] + 1), SKIPPED_VOWELS))
                )
        return classes, class_of

    def _neighbours(self) -> tuple[list[int], list[_Moves]]:
        """The ranges of words that begin with the same letters of the needle, by their edges; and
        what the words of each can take."""
        # The parts of the needle that lie within a run and begin words: start, end, and the range
        # of the words.
        beginnings = []
        for at, end in enumerate(self._ends):
            low, high = 0, self._n_words
            for stop in range(at + 1, end + 1):
                low, high = self._index.words.range_of(self._letters[at:stop], low, high)
                if low == high:
                    break
                beginnings.append((at, stop, low, high))
        edges = sorted({0, self._n_words}.union(*((low, high) for _, _, low, high in beginnings)))
        place_of = {edge: place for place, edge in enumerate(edges)}
        taken: list[dict[int, int]] = [{} for _ in edges[1:]]
        for at, stop, low, high in beginnings:
            for place in range(place_of[low], place_of[high]):
                taken[place][at] = stop  # more letters come later
        return edges, [
            tuple((at, range(at + 1, stop + 1), 0.0) for at, stop in some.items()) for some in taken
        ]

    def _contracted(self) -> Iterator[tuple[int, I64]]:
        """The starts of runs that may leave out vowels, each with the words that begin with it but
        for these."""
        left_out = [
            "".join(some)
            for count in range(1, MOST_VOWELS + 1)
            for some in product(VOWELS, repeat=count)
        ]
        for at in self._needle.contracted:
            first, last = self._letters[at : at + 1], self._letters[at + 1 : at + 2]
            ranges = [
                self._index.words.range_of(first + vowels.encode() + last) for vowels in left_out
            ]
            yield at, np.concatenate([np.arange(low, high) for low, high in ranges])

    def _has_capitals(self, numbers: I64) -> Mask:
        """By name: whether the needle's letters, in the case they were typed in, are beginnings of
        its words."""
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
                    going = going[
                        (sizes[going] >= length)
                        & (plain[places[going] + length - 1] == letters[at + length - 1])
                    ]
                    if not len(going):
                        break
                    reached[at + length, owner[going]] = True
        whole: Mask = reached[len(letters)]
        return whole
