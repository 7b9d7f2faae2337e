"""Finds words that are next to each other: phrases, identifiers of several parts, and wildcards.

The posting lists tell which symbols contain all of the words. If there are several words, the texts
of these symbols are read: positions are not stored, because they would double the lists, and few
queries need them. The texts of sections and items are read from their files
(`search/answer/contents`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from symindex.cancellation import check_wanted
from symindex.index.columns.arrays import I64
from symindex.index.columns.columns import Index
from symindex.index.columns.rows import docs_at, signatures_at
from symindex.index.columns.strings import StringTable
from symindex.index.words.text_words import Field
from symindex.search.answer.text_scan import texts_containing
from symindex.search.language.query import Everything, Name, Node, Not, Query, Term, Words
from symindex.search.language.wildcards import numbers_matching
from symindex.search.words.occurrences import (
    ANY,
    FIELDS,
    Counter,
    Occurrences,
    names_with,
    places_of,
    places_of_names,
    signatures_with,
)
from symindex.text.folding import fold, strip_marks
from symindex.text.patterns.wildcard import matches_wildcard
from symindex.text.snippets import Run
from symindex.text.words import STOP_WORDS, words_of

if TYPE_CHECKING:
    from symindex.search.options.read import Options

_PART: Final = re.compile(r"[^\W_*]*(?:\*+[^\W_*]*)+|[^\W_]+")


def patterns_of(text: str) -> tuple[str, ...]:
    """Returns the words of a wildcard in order, folded, in which `*` is any letters and digits:
    `file-s*` has two."""
    runs = _PART.findall(strip_marks(text))
    return tuple(part for run in runs for part in ([fold(run)] if "*" in run else words_of(run)))


def find_phrase(
    counter: Counter, patterns: Sequence[str], fields: Sequence[str] = ANY
) -> Occurrences:
    """Returns where words are next to each other, in order, in one of some fields. patterns: words
    as returned by `patterns_of`."""

    def test(in_doc: bool) -> Callable[[str], bool]:
        if not any("*" in text for text in patterns):
            return _holds_side_by_side(patterns)
        wildcard = _expression(patterns, in_doc)
        return lambda text: wildcard.search(_joined(words_of(text))) is not None

    words = [AnyOf.pattern(counter.index, pattern) for pattern in patterns]
    stop_words = rb"[^0-9a-z\0]*".join(re.escape(text.encode()) for text in patterns)
    texts = TextsWith(
        counter,
        words,
        test(in_doc=False),
        test(in_doc=True),
        stop_words,
        is_sure=len(patterns) == 1,
    )
    add_texts(counter, texts, fields)
    return counter.result()


def _holds_side_by_side(words: Sequence[str]) -> Callable[[str], bool]:
    """Returns a test of whether a text contains words next to each other. Dividing a text into
    words is slow, so an expression first excludes most texts."""
    joined = _joined(words)
    near = re.compile(r"[\W_]*".join(map(re.escape, words)))

    def holds(text: str) -> bool:
        if text.isascii() and near.search(text.lower()) is None:
            return False
        return joined in _joined(words_of(text))

    return holds


def add_texts(counter: Counter, texts: "TextsWith", fields: Sequence[str]) -> None:
    """Counts the symbols that have matching texts in some fields, in full."""
    if "name" in fields:
        counter.add_names(texts.in_names(), 1.0)
    if "container" in fields:
        counter.add(Field.CONTAINER, texts.in_containers(), 1.0)
    if "path" in fields:
        counter.add(Field.BASE, texts.in_paths(), 1.0)
    stored = {field for name in fields for field in FIELDS[name]}
    if Field.SIGNATURE in stored:
        counter.add(Field.SIGNATURE, texts.in_signatures(), 1.0)
    if Field.DOC in stored:
        counter.add(Field.DOC, texts.in_docs(), 1.0)


class AnyOf(NamedTuple):
    """A set of words, any of which matches: their numbers in the two tables of an index, a test for
    a word, and whether one of them is a stop word, which is not stored for docs."""

    in_texts: I64
    in_names: I64
    holds: Callable[[str], bool]
    is_stop: bool

    @classmethod
    def pattern(cls, index: Index, pattern: str) -> "AnyOf":
        """Returns the words that a pattern of `patterns_of` matches."""
        numbers = _numbers(index.text_words.table, pattern), _numbers(index.words.table, pattern)
        return cls(*numbers, lambda word: matches_wildcard(pattern, word), pattern in STOP_WORDS)


class TextsWith:
    """The texts of an index that contain a word of each of several sets and pass a test. Each
    method returns the sorted numbers of the names, containers, files or places with such a text.

    stands_in, stands_in_doc: the test, and the test for docs. stop_words: an expression that
    matches in every folded doc to be tested if all words are stop words. is_sure: whether texts
    with the words need no test.
    """

    def __init__(
        self,
        counter: Counter,
        words: Sequence[AnyOf],
        stands_in: Callable[[str], bool],
        stands_in_doc: Callable[[str], bool],
        stop_words: bytes,
        is_sure: bool = False,
    ) -> None:
        self._index, self._in_files = counter.index, counter.texts
        self._words = words
        self._stands_in, self._stands_in_doc = stands_in, stands_in_doc
        self._stop_words = stop_words
        self._is_sure = is_sure

    def _confirmed(self, candidates: I64, read: Callable[[I64], Sequence[str]]) -> I64:
        return candidates if self._is_sure else self._reading(candidates, read, self._stands_in)

    def _reading(
        self, candidates: I64, read: Callable[[I64], Sequence[str]], holds: Callable[[str], bool]
    ) -> I64:
        results = [np.empty(0, dtype=np.int64)]
        for start in range(0, len(candidates), _AT_ONCE):
            check_wanted()
            batch = candidates[start : start + _AT_ONCE]
            results.append(
                batch[np.fromiter(map(holds, read(batch)), dtype=bool, count=len(batch))]
            )
        return np.concatenate(results)

    def in_names(self) -> I64:
        candidates = reduce(_common, map(self._names_with, self._words))
        return self._confirmed(candidates, self._index.names.take)

    def _names_with(self, words: AnyOf) -> I64:
        return names_with(self._index, words.in_names, words.holds)

    def in_qualified_names(self) -> I64:
        """Returns places. A name and its containers are one text here."""
        index, by_word = self._index, []
        for words in self._words:
            containers = np.flatnonzero(index.text_words.marked(words.in_texts, Field.CONTAINER))
            of_names = places_of_names(index, self._names_with(words))[0]
            by_word.append(self._either(places_of(index, Field.CONTAINER, containers), of_names))

        def read(places: I64) -> Sequence[str]:
            return [*map(index.qualified_name, index.row_at[places].tolist())]

        return self._confirmed(reduce(_common, by_word), read)

    def in_containers(self) -> I64:
        table = self._index.containers
        marked = [
            self._index.text_words.marked(word.in_texts, Field.CONTAINER) for word in self._words
        ]
        return self._confirmed(np.flatnonzero(np.logical_and.reduce(marked)), table.take)

    def in_paths(self) -> I64:
        index, words = self._index, self._index.text_words
        marked = [
            words.marked(word.in_texts, Field.BASE)
            | words.marked(word.in_texts, Field.FOLDER)[index.folder_of]
            for word in self._words
        ]
        return self._confirmed(np.flatnonzero(np.logical_and.reduce(marked)), index.paths.take)

    def in_signatures(self) -> I64:
        index = self._index
        by_word = []
        for words in self._words:
            of_names = signatures_with(index, self._names_with(words))
            by_word.append(self._either(self._places(words.in_texts, Field.SIGNATURE), of_names))
        return self._confirmed(reduce(_common, by_word), partial(signatures_at, index))

    def in_docs(self) -> I64:
        index = self._index
        by_word = [
            self._either(
                self._places(words.in_texts, Field.SUMMARY), self._places(words.in_texts, Field.DOC)
            )
            for words in self._words
            if not words.is_stop  # stop words are not stored
        ]
        if not by_word:
            candidates = np.flatnonzero(
                texts_containing(index, re.compile(self._stop_words), b"")[1]
            )
            confirmed = self._reading(candidates, partial(docs_at, index), self._stands_in)
            return self._and_in_files(confirmed, np.arange(index.n_symbols), self._stands_in)
        candidates = reduce(_common, by_word)
        if self._is_sure:
            return candidates
        return self._and_in_files(
            self._reading(candidates, partial(docs_at, index), self._stands_in_doc),
            candidates,
            self._stands_in_doc,
        )

    def _and_in_files(self, confirmed: I64, candidates: I64, holds: Callable[[str], bool]) -> I64:
        """Adds the candidates whose texts in their files pass a test to those already confirmed."""
        if self._in_files is None:
            return confirmed
        unread = np.setdiff1d(candidates, confirmed, assume_unique=True)
        return np.union1d(confirmed, self._in_files.holding(unread, holds)).astype(np.int64)

    def _either(self, first: I64, second: I64) -> I64:
        mask = np.zeros(self._index.n_symbols, dtype=bool)
        mask[first] = mask[second] = True
        return np.flatnonzero(mask)

    def _places(self, numbers: I64, field: Field) -> I64:
        listed = self._index.text_words.numbers(numbers, (field,)).get(field)
        return (
            np.empty(0, dtype=np.int64) if listed is None else places_of(self._index, field, listed)
        )


def _expression(patterns: Sequence[str], in_doc: bool) -> re.Pattern[str]:
    """Returns an expression that matches the patterns in words with blanks around each. In a doc,
    `*` does not match a common English word, because these are not stored."""
    uncommon = rf"(?!(?:{'|'.join(sorted(STOP_WORDS))}) )" if in_doc else ""
    words = []
    for pattern in patterns:
        first, *middle, last = (
            (re.escape(piece) for piece in pattern.split("*"))
            if "*" in pattern
            else (re.escape(pattern), "")
        )
        # As in globs: the first place where a piece is found is as good as any later one.
        pieces = "".join(f"(?>[^ ]*?{piece})" for piece in middle if piece)
        words.append(f"{uncommon}{first}{pieces}[^ ]*{last}" if "*" in pattern else first)
    return re.compile(" " + " ".join(words) + " ")


def _joined(words: Sequence[str]) -> str:
    return " ".join(["", *words, ""])


_AT_ONCE: Final = 1_000


def _common(first: I64, second: I64) -> I64:
    return np.intersect1d(first, second, assume_unique=True)


def _numbers(table: StringTable, text: str) -> I64:
    """Returns the numbers of the words in a table that a pattern matches."""
    if "*" not in text:
        number = table.find(text)
        return np.array([] if number is None else [number], dtype=np.int64)
    first = text.partition("*")[0]
    beginning = range(table.place_of(first), table.place_of(first + _LAST)) if first else None
    return numbers_matching(table, text, beginning)


_LAST: Final = chr(0x10FFFF)
"""Sorts after every continuation of a beginning."""


MOST_RUNS: Final = 50
"""Most runs of words that snippets are cut around."""


def searched_words(query: Query, options: "Options") -> tuple[Run, ...]:
    """Returns the words around which a snippet is cut: single words, and runs of words that must be
    next to each other. Common English words only count inside runs."""
    runs = [*_of_query(query), *(run for node in options.fields for run in _of_node(node))]
    deciding = [run for run in runs if len(run) > 1 or run[0] not in STOP_WORDS]
    return tuple(dict.fromkeys(deciding or runs))[:MOST_RUNS]


def _of_query(query: Query) -> Iterator[Run]:
    if isinstance(query, Everything):
        return
    if isinstance(query, Name | Words):
        texts = (query.literal,) if isinstance(query, Name) else query.texts
        yield from ((word,) for text in texts for word in words_of(text))
    else:
        yield from _of_node(query)


def _of_node(node: Node) -> Iterator[Run]:
    if isinstance(node, Term):
        if not node.field or node.field in FIELDS:
            run = patterns_of(node.text) if node.is_wildcard else tuple(words_of(node.text))
            if run:
                yield run
    elif not isinstance(node, Not):
        for part in node.parts:
            yield from _of_node(part)
