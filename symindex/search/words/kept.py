"""Where the words of the last searches stand: who asks, asks again in nearly the same words, and so does every further page."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final
from weakref import WeakKeyDictionary

from symindex.index.columns import Index
from symindex.search.words.meaning import Meaning
from symindex.search.words.occurrences import ANY, Counter, Occurrences, find_word

MOST_PLACES: Final = 2_000_000
"""Of all that is kept for one index; a place takes 13 bytes."""


class _KeptWords:
    """The last used of one index."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._words: OrderedDict[Hashable, Occurrences] = OrderedDict()
        self._n_places = 0

    def get(self, key: Hashable) -> Occurrences | None:
        with self._lock:
            if found := self._words.get(key):
                self._words.move_to_end(key)
            return found

    def put(self, key: Hashable, found: Occurrences) -> None:
        with self._lock:
            if key in self._words:
                return
            self._words[key] = found
            self._n_places += _size(found)
            while self._n_places > MOST_PLACES:
                self._n_places -= _size(self._words.popitem(last=False)[1])


def _size(found: Occurrences) -> int:
    return len(found.places) + _ALWAYS


_ALWAYS: Final = 50
"""What a word costs that stands nowhere, as so many places."""

_KEPT: Final[WeakKeyDictionary[Index, _KeptWords]] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


def find_kept_word(counter: Counter, meaning: Meaning, fields: tuple[str, ...] = ANY) -> Occurrences:
    """As `find_word`."""
    with _LOCK:
        words = _KEPT.setdefault(counter.index, _KeptWords())
    key = (meaning, fields, counter.lengths)
    found = words.get(key)
    if found is None:
        words.put(key, found := find_word(counter, meaning, fields))
    return found
