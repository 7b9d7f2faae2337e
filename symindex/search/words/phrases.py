"""Words that stand side by side: phrases, identifiers of several parts, and wildcards.

The posting lists tell which symbols hold all of the words. Where these are several, the texts of these symbols are read:
positions are not stored, because they would double the lists, and few queries need them.
"""

import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final

import numpy as np

from symindex.index.arrays import I64
from symindex.index.columns import Index
from symindex.index.strings import StringTable
from symindex.index.words.text_words import Field
from symindex.search.text_scan import texts_holding
from symindex.search.wildcards import numbers_matching
from symindex.search.words.occurrences import (
    ANY,
    FIELDS,
    Counter,
    Occurrences,
    names_with,
    places_of,
    signatures_with,
)
from symindex.text.folding import fold, strip_marks
from symindex.text.wildcard import matches_wildcard
from symindex.text.words import STOP_WORDS, words_of
from symindex.workers.cancellation import check_wanted

_PART: Final = re.compile(r"[^\W_*]*(?:\*+[^\W_*]*)+|[^\W_]+")


def patterns_of(text: str) -> tuple[str, ...]:
    """The words of a wildcard in order, folded, in which `*` stands for any letters and digits: `file-s*` has two."""
    runs = _PART.findall(strip_marks(text))
    return tuple(part for run in runs for part in ([fold(run)] if "*" in run else words_of(run)))


def find_phrase(counter: Counter, patterns: Sequence[str], fields: Sequence[str] = ANY) -> Occurrences:
    """Where words stand side by side, in order, in one of some fields. patterns: words, as of `patterns_of`."""
    phrase = _Phrase(counter.index, patterns)
    if "name" in fields:
        counter.add_names(phrase.in_names(), 1.0)
    if "container" in fields:
        counter.add(Field.CONTAINER, phrase.in_containers(), 1.0)
    if "path" in fields:
        counter.add(Field.BASE, phrase.in_paths(), 1.0)
    stored = {field for name in fields for field in FIELDS[name]}
    if Field.SIGNATURE in stored:
        counter.add(Field.SIGNATURE, phrase.in_signatures(), 1.0)
    if Field.DOC in stored:
        counter.add(Field.DOC, phrase.in_docs(), 1.0)
    return counter.result()


class _Phrase:
    """A phrase in an index. Each method gives the numbers of what holds it, in order."""

    def __init__(self, index: Index, patterns: Sequence[str]) -> None:
        self._index = index
        self._patterns = patterns
        self._as_it_is = "" if any("*" in text for text in patterns) else _joined(patterns)
        self._wildcard = None if self._as_it_is else _expression(patterns, in_doc=False)
        self._wildcard_in_doc = None if self._as_it_is else _expression(patterns, in_doc=True)
        self._is_stop = [text in STOP_WORDS for text in patterns]
        self._in_texts = [_numbers(index.text_words.table, text) for text in patterns]
        self._in_names = [_numbers(index.words.table, text) for text in patterns]

    def _stands_in(self, text: str) -> bool:
        words = _joined(words_of(text))
        return self._as_it_is in words if self._wildcard is None else self._wildcard.search(words) is not None

    def _stands_in_doc(self, text: str) -> bool:
        words = _joined(words_of(text))
        return self._as_it_is in words if self._wildcard_in_doc is None else self._wildcard_in_doc.search(words) is not None

    def _confirmed(self, candidates: I64, read: Callable[[I64], Sequence[str]]) -> I64:
        return candidates if len(self._patterns) == 1 else self._reading(candidates, read, self._stands_in)

    def _reading(self, candidates: I64, read: Callable[[I64], Sequence[str]], holds: Callable[[str], bool]) -> I64:
        found = [np.empty(0, dtype=np.int64)]
        for at in range(0, len(candidates), _AT_ONCE):
            check_wanted()
            some = candidates[at : at + _AT_ONCE]
            found.append(some[np.fromiter(map(holds, read(some)), dtype=bool, count=len(some))])
        return np.concatenate(found)

    def in_names(self) -> I64:
        candidates = reduce(_common, (self._names_with(number) for number in range(len(self._patterns))))
        return self._confirmed(candidates, self._index.names.take)

    def _names_with(self, number: int) -> I64:
        """The names that have a word which the pattern of a number matches."""
        pattern = self._patterns[number]
        return names_with(self._index, self._in_names[number], lambda word: matches_wildcard(pattern, word))

    def in_containers(self) -> I64:
        table = self._index.containers
        marked = [self._index.text_words.marked(numbers, Field.CONTAINER) for numbers in self._in_texts]
        return self._confirmed(np.flatnonzero(np.logical_and.reduce(marked)), table.take)

    def in_paths(self) -> I64:
        index, words = self._index, self._index.text_words
        marked = [
            words.marked(numbers, Field.BASE) | words.marked(numbers, Field.FOLDER)[index.folder_of] for numbers in self._in_texts
        ]
        return self._confirmed(np.flatnonzero(np.logical_and.reduce(marked)), index.paths.take)

    def in_signatures(self) -> I64:
        index = self._index
        held = []
        for number, in_texts in enumerate(self._in_texts):
            of_names = signatures_with(index, self._names_with(number))
            held.append(self._either(self._places(in_texts, Field.SIGNATURE), of_names))
        return self._confirmed(reduce(_common, held), index.signatures_at)

    def in_docs(self) -> I64:
        index = self._index
        held = [
            self._either(self._places(numbers, Field.SUMMARY), self._places(numbers, Field.DOC))
            for numbers, is_stop in zip(self._in_texts, self._is_stop, strict=True)
            if not is_stop  # these are not stored
        ]
        if not held:
            pattern = re.compile(rb"[^0-9a-z\0]*".join(re.escape(text.encode()) for text in self._patterns))
            candidates = np.flatnonzero(texts_holding(index, pattern, b"")[1])
            return self._reading(candidates, index.docs_at, self._stands_in)
        candidates = reduce(_common, held)
        return candidates if len(self._patterns) == 1 else self._reading(candidates, index.docs_at, self._stands_in_doc)

    def _either(self, one: I64, other: I64) -> I64:
        held = np.zeros(self._index.n_symbols, dtype=bool)
        held[one] = held[other] = True
        return np.flatnonzero(held)

    def _places(self, numbers: I64, field: Field) -> I64:
        held = self._index.text_words.numbers(numbers, (field,)).get(field)
        return np.empty(0, dtype=np.int64) if held is None else places_of(self._index, field, held)


def _expression(patterns: Sequence[str], in_doc: bool) -> re.Pattern[str]:
    """What matches the patterns in words with blanks around each. No `*` stands for a common English word of a doc, as
    these are not stored."""
    uncommon = rf"(?!(?:{'|'.join(sorted(STOP_WORDS))}) )" if in_doc else ""
    words = []
    for pattern in patterns:
        first, *middle, last = (re.escape(piece) for piece in pattern.split("*")) if "*" in pattern else (re.escape(pattern), "")
        # As in globs: what a piece is found behind first is as good as what it is found behind later.
        pieces = "".join(f"(?>[^ ]*?{piece})" for piece in middle if piece)
        words.append(f"{uncommon}{first}{pieces}[^ ]*{last}" if "*" in pattern else first)
    return re.compile(" " + " ".join(words) + " ")


def _joined(words: Sequence[str]) -> str:
    return " ".join(["", *words, ""])


_AT_ONCE: Final = 1_000


def _common(one: I64, other: I64) -> I64:
    return np.intersect1d(one, other, assume_unique=True)


def _numbers(table: StringTable, text: str) -> I64:
    """The numbers of the words in a table that a pattern matches."""
    if "*" not in text:
        number = table.find(text)
        return np.array([] if number is None else [number], dtype=np.int64)
    first = text.partition("*")[0]
    beginning = range(table.place_of(first), table.place_of(first + _LAST)) if first else None
    return numbers_matching(table, text, beginning)


_LAST: Final = chr(0x10FFFF)
"""Behind whatever follows a beginning."""
