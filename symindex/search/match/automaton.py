"""Automata that read names word by word: which of very many names a needle can be divided among.

What a name may still become is a number, its state; what a word does to it depends on the word's class alone. So there are few
steps to work out, each once, and to read a word of a name is to look up a number.
"""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

import numpy as np

from symindex.index.arrays import I64, Intp
from symindex.index.word_postings import Words

AT_ONCE: Final = 32_768
"""So many names are read at a time: what is made of them stays in the processor's cache."""

_UNKNOWN: Final = -1

_START: Final = 1
"""The number of the state in which names begin; that of the accepted state is 0."""

_STATES: Final = 64
"""So many states there is room for at first."""


State = TypeVar("State", bound=Hashable)


class Automaton(Generic[State]):
    """class_of: by word, its class, from 0 up to `n_classes`. start: the state in which names begin. accepted: a state that no
    further words change. step: the state behind a word of some class.

    states: those that were met, `accepted` first.
    """

    def __init__(
        self,
        words: Words,
        class_of: Intp,
        n_classes: int,
        start: State,
        accepted: State,
        step: Callable[[State, int], State],
    ) -> None:
        self._words = words
        self._class_of = class_of
        self._n_classes = n_classes
        self._step = step
        self.states = [accepted, start]
        self._number_of = {accepted: 0, start: _START}
        # By number of a state times n_classes, plus the class: the number of the state behind it times n_classes.
        self._next = np.full(_STATES * n_classes, _UNKNOWN, dtype=np.intp)
        self._next[:n_classes] = 0

    def read(self, numbers: I64) -> Intp:
        """By name: the number, in `states`, of that behind its last word."""
        some = [self._read(numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
        return np.concatenate(some) if some else np.zeros(0, dtype=np.intp)

    def _read(self, numbers: I64) -> Intp:
        counts = self._words.counts[numbers]
        order = np.argsort(counts, kind="stable")[::-1]
        at = self._words.first[numbers[order]].astype(np.intp)
        state = np.full(len(numbers), _START * self._n_classes)
        # So many names have a first word, a second one and so on.
        longer = len(numbers) - np.cumsum(np.bincount(counts))
        for number, count in enumerate(longer[:-1].tolist()):
            words = self._words.flat[at[:count] + number]
            self._follow(state[:count], self._class_of[words])
        last = np.empty(len(numbers), dtype=np.intp)
        last[order] = state // self._n_classes
        return last

    def _follow(self, state: Intp, classes: Intp) -> None:
        """Goes on from states, given as their numbers times n_classes, by a word each."""
        steps = state + classes
        np.take(self._next, steps, out=state)
        if len(state) and state.min() == _UNKNOWN:
            self._learn(steps[state == _UNKNOWN])
            np.take(self._next, steps, out=state)

    def _learn(self, steps: Intp) -> None:
        is_new = np.zeros(len(self._next), dtype=bool)
        is_new[steps] = True
        for step in np.flatnonzero(is_new).tolist():
            number, kind = divmod(step, self._n_classes)
            state = self._step(self.states[number], kind)
            if state not in self._number_of:
                self._number_of[state] = len(self.states)
                self.states.append(state)
                if len(self.states) * self._n_classes > len(self._next):
                    self._next = np.concatenate((self._next, np.full_like(self._next, _UNKNOWN)))
            self._next[step] = self._number_of[state] * self._n_classes
