"""Scores the tier humps of `search/match/names` for many names at once, with the same scores as the
rule for one name.

An automaton reads the names word by word, all names side by side, and divides the needle among
their words. How a word changes the state depends only on what it shares with the needle, which is
found once for each distinct word (`index/words/name_words`). The words fall into few classes, so
there are few transitions. Each transition is computed when it is first needed; afterwards, a word
of a name costs one look-up in a table.
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
from symindex.search.match.division import (
    LATE_START,
    MOST_VOWELS,
    OTHER_CASE,
    SKIPPED_VOWELS,
    SKIPPED_WORD,
    TRAILING_WORD,
    VOWELS,
    run_ends,
)
from symindex.search.match.names import BANDS, Needle, Tier, divides, match_humps
from symindex.text.made_once import made_once

FEW: Final = 8
"""Most names that are scored one by one: for as few as these, setting up the automaton takes
longer."""

LONG: Final = 48
"""Longest needle, in letters, for which the automaton is used: longer ones match too few names."""


def score_humps(index: Index, needle: Needle, numbers: I64) -> Points:
    """Returns the points of names that match by their humps."""
    if not _is_for_many(needle, numbers):
        return one_by_one(index, needle, numbers, match_humps)
    return with_odd(index, needle, numbers, _Humps(index, needle).score(numbers), match_humps)


def can_divide(index: Index, needle: Needle, numbers: I64, is_prefix: bool) -> Mask:
    """Returns, by name, whether the runs of the needle begin words of the name, in order.

    is_prefix: whether all runs may begin one and the same word, which is otherwise no match by
    humps.
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
"""States that the table has room for at first."""

_State = TypeVar("_State", bound=Hashable)

_Moves = tuple[tuple[int, range, float], ...]
"""What a word can take of a needle. Each move has the number of letters taken before the word, the
possible numbers after it, and its cost."""


class _Humps:
    """A needle, and what each distinct word of an index shares with it. Odd names have no words
    here, so their results are meaningless and are replaced."""

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
        """Returns, by name, whether the needle can be divided among its words. is_prefix: see
        `can_divide`.

        A state has one bit for each number of letters that the words may have taken. The accepted
        state is 0.
        """
        size = len(self._letters)
        moves = [
            [
                (
                    taken,
                    sum(1 << length for length in lengths if is_prefix or length - taken < size),
                )
                for taken, lengths, _ in class_moves
            ]
            for class_moves in self._classes[0]
        ]

        def step(state: int, word_class: int) -> int:
            after = state
            for taken, reached in moves[word_class]:
                if state >> taken & 1:
                    after |= reached
            return 0 if after >> size else after

        reached: Mask = self._read(numbers, 1, 0, step)[0] == 0
        return reached

    def _costs(self, numbers: I64) -> F64:
        """Returns, by name, the least cost of dividing the letters among its words.

        A state has, for each number of letters that the words may have taken, the least cost so
        far.
        """
        size = len(self._letters)
        classes, _ = self._classes

        def step(state: tuple[float, ...], word_class: int) -> tuple[float, ...]:
            skipped = SKIPPED_WORD if len(state) > 1 else LATE_START
            costs_before = state if len(state) > 1 else (0.0,) + (inf,) * size
            costs_after = [cost + skipped for cost in costs_before]
            costs_after[size] = costs_before[size] + TRAILING_WORD
            for taken, lengths, cost in classes[word_class]:
                for length in lengths:
                    if length - taken < size and costs_before[taken] + cost < costs_after[length]:
                        costs_after[length] = costs_before[taken] + cost
            return tuple(costs_after)

        last, states = self._read(numbers, (0.0,), (), step)
        return np.array([state[size] if len(state) > size else inf for state in states])[last]

    def _read(
        self, numbers: I64, start: _State, accepted: _State, step: Callable[[_State, int], _State]
    ) -> tuple[Intp, list[_State]]:
        """Returns, by name, the number of the state after its last word, and the states by number,
        `accepted` first.

        start: the state before the first word. accepted: a state that no word changes. step:
        returns the state after a word of a class.
        """
        words, (classes, class_of) = self._index.words, self._classes
        n_classes = len(classes)
        states = [accepted, start]
        number_of = {accepted: 0, start: 1}
        # Indexed by state number * n_classes + class: the number of the next state * n_classes.
        table = np.full(_STATES * n_classes, _UNKNOWN, dtype=np.intp)
        table[:n_classes] = 0

        def learn(steps: Intp) -> None:
            nonlocal table
            is_new = np.zeros(len(table), dtype=bool)
            is_new[steps] = True
            for place in np.flatnonzero(is_new).tolist():
                number, word_class = divmod(place, n_classes)
                state = step(states[number], word_class)
                if state not in number_of:
                    number_of[state] = len(states)
                    states.append(state)
                    if len(states) * n_classes > len(table):
                        table = np.concatenate((table, np.full_like(table, _UNKNOWN)))
                table[place] = number_of[state] * n_classes

        def read(batch: I64) -> Intp:
            counts = words.counts[batch]
            order = np.argsort(counts, kind="stable")[::-1]
            first_words = words.first[batch[order]].astype(np.intp)
            state = np.full(len(batch), n_classes)
            # How many names have a first word, a second word and so on.
            longer = len(batch) - np.cumsum(np.bincount(counts))
            for number, count in enumerate(longer[:-1].tolist()):
                steps = state[:count] + class_of[words.flat[first_words[:count] + number]]
                after = state[:count]
                np.take(table, steps, out=after)
                if count and after.min() == _UNKNOWN:
                    learn(steps[after == _UNKNOWN])
                    np.take(table, steps, out=after)
            last = np.empty(len(batch), dtype=np.intp)
            last[order] = state // n_classes
            return last

        return in_batches(numbers, read, np.intp), states

    @made_once
    def _classes(self) -> tuple[list[_Moves], Intp]:
        """The classes of words, which are what words can take of the letters; and the class of each
        word."""
        edges, moves = self._neighbours()
        number_of: dict[_Moves, int] = {}
        class_of = np.repeat(
            [number_of.setdefault(word_moves, len(number_of)) for word_moves in moves],
            np.diff(edges),
        ).astype(np.intp)
        classes = list(number_of)
        for start, words in self._contracted():
            old_of = class_of[words]
            for old in np.flatnonzero(np.bincount(old_of)).tolist():
                class_of[words[old_of == old]] = len(classes)
                classes.append(
                    (
                        *classes[old],
                        (start, range(self._ends[start], self._ends[start] + 1), SKIPPED_VOWELS),
                    )
                )
        return classes, class_of

    def _neighbours(self) -> tuple[list[int], list[_Moves]]:
        """Divides the words into ranges that begin with the same letters of the needle. Returns the
        edges of the ranges, and what the words of each range can take."""
        # The parts of the needle inside one run that begin words: start, end, and the range of
        # these words.
        beginnings = []
        for start, end in enumerate(self._ends):
            low, high = 0, self._n_words
            for stop in range(start + 1, end + 1):
                low, high = self._index.words.range_of(self._letters[start:stop], low, high)
                if low == high:
                    break
                beginnings.append((start, stop, low, high))
        edges = sorted({0, self._n_words}.union(*((low, high) for _, _, low, high in beginnings)))
        place_of = {edge: place for place, edge in enumerate(edges)}
        reached: list[dict[int, int]] = [{} for _ in edges[1:]]
        for start, stop, low, high in beginnings:
            for place in range(place_of[low], place_of[high]):
                reached[place][start] = stop  # longer parts follow
        return edges, [
            tuple((start, range(start + 1, stop + 1), 0.0) for start, stop in moves.items())
            for moves in reached
        ]

    def _contracted(self) -> Iterator[tuple[int, I64]]:
        """Yields the starts of runs that may leave out vowels, each with the words that begin with
        it and such vowels."""
        left_out = [
            "".join(vowels_left_out)
            for count in range(1, MOST_VOWELS + 1)
            for vowels_left_out in product(VOWELS, repeat=count)
        ]
        for start in self._needle.contracted:
            first, last = self._letters[start : start + 1], self._letters[start + 1 : start + 2]
            ranges = [
                self._index.words.range_of(first + vowels.encode() + last) for vowels in left_out
            ]
            yield start, np.concatenate([np.arange(low, high) for low, high in ranges])

    def _has_capitals(self, numbers: I64) -> Mask:
        """Returns, by name, whether the needle's letters, in the case they were typed in, are
        beginnings of its words."""
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
            for taken in range(len(letters) - 1, -1, -1):
                going = these[reached[taken][owner[these]]]
                for length in range(1, len(letters) - taken + 1):
                    going = going[
                        (sizes[going] >= length)
                        & (plain[places[going] + length - 1] == letters[taken + length - 1])
                    ]
                    if not len(going):
                        break
                    reached[taken + length, owner[going]] = True
        all_taken: Mask = reached[len(letters)]
        return all_taken
