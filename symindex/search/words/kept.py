"""Where the words of the last searches stand: who asks, asks again in nearly the same words, and so
does every further page."""

import threading
from collections import OrderedDict
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from symindex.index.columns.columns import Index
from symindex.search.words.meaning import Meaning
from symindex.search.words.occurrences import ANY, Counter, Lengths, Occurrences, find_word

MOST_PLACES: Final = 2_000_000
"""Of all that is kept for one index; a place takes 13 bytes."""


_Key: TypeAlias = tuple[Meaning, tuple[str, ...], Lengths]
"""All that decides where a word stands and what that counts: the lengths are those of a
snapshot."""


class _KeptWords:
    """The last used of one index."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._words: OrderedDict[_Key, Occurrences] = OrderedDict()
        self._n_places = 0

    def get(self, key: _Key) -> Occurrences | None:
        with self._lock:
            if found := self._words.get(key):
                self._words.move_to_end(key)
            return found

    def put(self, key: _Key, found: Occurrences) -> None:
        with self._lock:
            if key in self._words:
                return
            self._words[key] = found
            self._n_places += _size(key, found)
            while self._n_places > MOST_PLACES:
                self._n_places -= _size(*self._words.popitem(last=False))


def _size(key: _Key, found: Occurrences) -> int:
    return len(found.places) + _ALWAYS * (1 + len(key[0].words))


_ALWAYS: Final = 50
"""What each word of a key costs, as so many places: a key may hold all words that are near to
one."""

_KEPT: Final[WeakKeyDictionary[Index, _KeptWords]] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


def find_kept_word(
    counter: Counter, meaning: Meaning, fields: tuple[str, ...] = ANY
) -> Occurrences:
    """As `find_word`."""
    with _LOCK:
        words = _KEPT.setdefault(counter.index, _KeptWords())
    key = (meaning, fields, counter.lengths)
    found = words.get(key)
    if found is None:
        words.put(key, found := find_word(counter, meaning, fields))
    return found
