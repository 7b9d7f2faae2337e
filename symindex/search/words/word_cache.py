"""Caches where the words of the last searches occur, because further pages and the next search use
nearly the same words."""

import threading
from collections import OrderedDict
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from symindex.index.columns.columns import Index
from symindex.search.words.meaning import Meaning
from symindex.search.words.occurrences import ANY, Counter, Lengths, Occurrences, find_word

MOST_PLACES: Final = 2_000_000
"""Places that are cached for one index; a place takes 13 bytes."""


_Key: TypeAlias = tuple[Meaning, tuple[str, ...], Lengths]
"""Everything that decides where a word occurs and what that counts. The lengths are those of a
snapshot."""


class _WordCache:
    """The most recently used words of one index."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._words: OrderedDict[_Key, Occurrences] = OrderedDict()
        self._n_places = 0

    def get(self, key: _Key) -> Occurrences | None:
        with self._lock:
            if occurrences := self._words.get(key):
                self._words.move_to_end(key)
            return occurrences

    def put(self, key: _Key, occurrences: Occurrences) -> None:
        with self._lock:
            if key in self._words:
                return
            self._words[key] = occurrences
            self._n_places += _size(key, occurrences)
            while self._n_places > MOST_PLACES:
                self._n_places -= _size(*self._words.popitem(last=False))


def _size(key: _Key, occurrences: Occurrences) -> int:
    return len(occurrences.places) + _ALWAYS * (1 + len(key[0].words))


_ALWAYS: Final = 50
"""What each word of a key costs, in places: a key may contain all words near another."""

_KEPT: Final[WeakKeyDictionary[Index, _WordCache]] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


def find_cached_word(
    counter: Counter, meaning: Meaning, fields: tuple[str, ...] = ANY
) -> Occurrences:
    """Does the same as `find_word`."""
    with _LOCK:
        words = _KEPT.setdefault(counter.index, _WordCache())
    key = (meaning, fields, counter.lengths)
    occurrences = words.get(key)
    if occurrences is None:
        words.put(key, occurrences := find_word(counter, meaning, fields))
    return occurrences
