"""Automata that read names word by word: which of very many names a needle can be divided among.

What a name may still become is a number, its state; what a word does to it depends on the word's class alone. So there are few
steps to work out, each once, and to read a word of a name is to look up a number.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import I64
from symindex.index.words import Words

Mask = NDArray[np.bool_]

ACCEPTED: Final = -1
"""The state of what needs no more words."""

AT_ONCE: Final = 32_768
"""So many names are read at a time: what is made of them stays in the processor's cache."""

_UNKNOWN: Final = -2

_STATES: Final = 64
"""So many states there is room for at first."""


class Automaton:
    """class_of: by word, its class, from 0 up to `n_classes`. step: the state behind a word of some class, ACCEPTED or any number
    from 0 up; names begin in the state `start`."""

    def __init__(
        self, words: Words, class_of: NDArray[np.intp], n_classes: int, start: int, step: Callable[[int, int], int]
    ) -> None:
        self._words = words
        self._class_of = class_of
        self._n_classes = n_classes
        self._step = step
        self._states = [start]
        self._number_of = {start: 0, ACCEPTED: ACCEPTED}
        self._next = np.full(_STATES * n_classes, _UNKNOWN, dtype=np.intp)

    def accepts(self, numbers: I64) -> Mask:
        """By name: whether some of its words, from the first on, lead to ACCEPTED. Names without words are not accepted."""
        some = [self._read(numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
        return np.concatenate(some) if some else np.zeros(0, dtype=bool)

    def _read(self, numbers: I64) -> Mask:
        accepted = np.zeros(len(numbers), dtype=bool)
        left = self._words.counts[numbers]
        names = np.flatnonzero(left)
        left, at = left[names], self._words.first[numbers[names]].astype(np.intp)
        state = np.zeros(len(names), dtype=np.intp)
        while len(names):
            state = self._follow(state * self._n_classes + self._class_of[self._words.flat[at]])
            is_accepted = state == ACCEPTED
            accepted[names[is_accepted]] = True
            left = left - np.uint8(1)
            goes_on = np.flatnonzero((left > 0) & ~is_accepted)
            names, left, at, state = names[goes_on], left[goes_on], at[goes_on] + 1, state[goes_on]
        return accepted

    def _follow(self, keys: NDArray[np.intp]) -> NDArray[np.intp]:
        """The numbers of the states behind steps: number of the state before * n_classes + class."""
        behind = self._next[keys]
        unknown = keys[behind == _UNKNOWN]
        if not len(unknown):
            return behind
        is_new = np.zeros(len(self._next), dtype=bool)
        is_new[unknown] = True
        for key in np.flatnonzero(is_new).tolist():
            number, kind = divmod(key, self._n_classes)
            state = self._step(self._states[number], kind)
            if state not in self._number_of:
                self._number_of[state] = len(self._states)
                self._states.append(state)
                if len(self._states) * self._n_classes > len(self._next):
                    self._next = np.concatenate((self._next, np.full_like(self._next, _UNKNOWN)))
            self._next[key] = self._number_of[state]
        return self._next[keys]
