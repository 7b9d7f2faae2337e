"""The option `proximity`: the words of a query are near each other, in one field, with at most a
given number of other words between them.

It concerns words that must be together: all words of a plain query, or the parts of each `AND`. Of
more than two words, each is near another, and all are connected. A term behind `NOT`, or a filter
(`kind:`), has no place in a text. Words mean what they mean without the option: their stems count,
and longer words that begin with them.

Positions are not stored. The word index tells which symbols contain all of the words in one field,
and their texts are read; the texts of sections and items are read from files
(`search/answer/contents`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

import msgspec
import numpy as np

from symindex.errors import RequestError
from symindex.index.columns.arrays import I64, Mask, distinct_of
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part
from symindex.index.words.text_words import Field
from symindex.search.answer.filters import Narrowing
from symindex.search.language.boolean import deciding, rows_matching
from symindex.search.language.query import And, Everything, Name, Node, Not, Query, Term, Words
from symindex.search.words.bm25f import mean_lengths
from symindex.search.words.meaning import Meaning, Tolerance, in_names, in_texts
from symindex.search.words.misspelt import near_words
from symindex.search.words.occurrences import FIELDS, Counter
from symindex.search.words.phrases import AnyOf, TextsWith, add_texts, patterns_of
from symindex.search.words.plain import find_meant, question_of
from symindex.text.patterns.wildcard import matches_wildcard
from symindex.text.words import STOP_WORDS, stem, words_of

MOST_WORDS: Final = 20
"""Most words that are searched for near each other: a longer query is a text, not a question."""

_TITLE: Final = "title"
_SINGLE: Final = (_TITLE, "name", "container", "path", "signature", "doc")
"""The texts in which words can be near each other. The title is the qualified name."""


class _Wanted(NamedTuple):
    """A part of an `AND`: alternatives, each a field, and one word or several adjacent ones."""

    alternatives: tuple[tuple[str, tuple[str, ...]], ...]


def near_each_other(query: Query, between: int, typos: bool, tolerance: Tolerance) -> Narrowing:
    """Leaves out rows in which the words of a query are not near each other. typos: see
    `words/plain.find_meant`. Raises RequestError for a query without two words that must be
    together."""
    clauses = _clauses(query)
    if not clauses:
        raise RequestError(
            "proximity needs two words at least that must both match, as in: thread orchestrator; "
            "add a word to the query, or leave proximity out"
        )
    for wanted in clauses.values():
        if len(wanted) > MOST_WORDS:
            raise RequestError(
                f"proximity: {len(wanted)} words: at most {MOST_WORDS} are looked for near each"
                " other"
            )
        if not _shared_fields(wanted):
            named = " and ".join(
                sorted({field for each in wanted for field, _ in each.alternatives if field})
            )
            raise RequestError(
                f"proximity: words of {named} are never in one field: name the same field, or none"
            )

    def narrow(parts: Sequence[Part]) -> list[Mask]:
        lengths = mean_lengths(parts)
        counters = [Counter(part.index, lengths, part.texts) for part in parts]

        @cache
        def meant(word: str) -> Meaning:
            meaning = Meaning.of(word, True)
            if not tolerance.whole:
                meaning = find_meant(parts, counters, word, typos, tolerance.edits).meaning
            if not tolerance.misspelt:
                return meaning
            return msgspec.structs.replace(
                meaning, words=(*meaning.words, *near_words(parts, word, tolerance.edits))
            )

        places = {
            node: [_places(each, wanted, between, meant) for each in counters]
            for node, wanted in clauses.items()
        }
        if isinstance(query, Everything | Name | Words):
            return [
                _rows(part.index, held) for part, held in zip(parts, places[query], strict=True)
            ]
        return rows_matching(parts, query, tolerance, places)

    return narrow


def _rows(index: Index, places: I64) -> Mask:
    """Returns for each row whether it is at one of the places."""
    mask = np.zeros(index.n_symbols, dtype=bool)
    mask[index.row_at[places]] = True
    return mask


def _clauses(query: Query) -> Mapping[Query, list[_Wanted]]:
    """Returns the groups that must be near each other: all words of a plain query, or the parts of
    each `AND`."""
    if isinstance(query, Everything | Name):
        return {}
    if isinstance(query, Words):
        every = [_Wanted((("", (word,)),)) for word in question_of(query.texts).words]
        return {query: every} if len(every) > 1 else {}
    return {node: wanted for node in _ands(query) if len(wanted := _parts_of(node)) > 1}


def _ands(node: Node) -> Iterator[And]:
    if isinstance(node, And):
        yield node
    for part in () if isinstance(node, Term | Not) else node.parts:
        yield from _ands(part)


def _parts_of(node: And) -> list[_Wanted]:
    """Yields the parts of an `AND` that are text, each once; a nested `AND` has its own."""
    found: list[_Wanted] = []
    for part in deciding(node.parts):
        if isinstance(part, And):
            found += _parts_of(part)
        elif alternatives := tuple(_texts(part)):
            found.append(_Wanted(alternatives))
    return list(dict.fromkeys(found))


def _texts(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields the terms of text below a node, as fields and words."""
    if isinstance(node, Term):
        if (not node.field or node.field in FIELDS) and (words := _words(node)):
            yield node.field, words
    elif not isinstance(node, Not):
        for part in node.parts:
            yield from _texts(part)


def _words(term: Term) -> tuple[str, ...]:
    return patterns_of(term.text) if term.is_wildcard else tuple(words_of(term.text))


def _covers(named: str, field: str) -> bool:
    """Whether a term that names a field, or none, may match in another."""
    return not named or named == field or (named == "content" and field in ("signature", "doc"))


def _shared_fields(wanted: Sequence[_Wanted]) -> list[str]:
    return [
        field
        for field in _SINGLE
        if all(any(_covers(named, field) for named, _ in each.alternatives) for each in wanted)
    ]


def _places(
    counter: Counter, wanted: Sequence[_Wanted], between: int, meant: Callable[[str], Meaning]
) -> I64:
    """Returns the places of the symbols in which all groups are near each other in one field."""
    index = counter.index
    for field in _shared_fields(wanted):
        groups = [
            [words for named, words in each.alternatives if _covers(named, field)]
            for each in wanted
        ]
        tests = [[[_test(word, meant) for word in words] for words in group] for group in groups]
        numbers = [_numbers(index, group, meant) for group in groups]
        stop_words = b"|".join(
            sorted(
                {
                    word.encode()
                    for group in groups
                    for words in group
                    for word in words
                    if word in STOP_WORDS
                }
            )
        )
        stands_in = _nearness(tests, between)
        texts = TextsWith(counter, numbers, stands_in, stands_in, stop_words)
        if field == _TITLE:
            counter.add(Field.SIGNATURE, texts.in_qualified_names(), 1.0)
        else:
            add_texts(counter, texts, (field,))
    return counter.result().places


def _test(word: str, meant: Callable[[str], Meaning]) -> Callable[[str], bool]:
    """Whether a word of a text is one of the words that are meant."""
    if "*" in word:
        return lambda other: matches_wildcard(word, other)
    meaning = meant(word)
    stems = {stem(each) for each in meaning.words}
    part = meaning.part

    def is_meant(other: str) -> bool:
        if other in meaning.words or stem(other) in stems:
            return True
        return part != "" and (part in other if meaning.inside else other.startswith(part))

    return cache(is_meant)


def _numbers(
    index: Index, group: Sequence[tuple[str, ...]], meant: Callable[[str], Meaning]
) -> AnyOf:
    """Returns the words by which the alternatives of a group are looked up: the longest of each."""
    every: list[AnyOf] = []
    for words in group:
        word = max(words, key=lambda each: (each not in STOP_WORDS, len(each)))
        if "*" in word:
            every.append(AnyOf.pattern(index, word))
        else:
            texts, names = in_texts(index, meant(word)), in_names(index, meant(word))
            in_both = _union(texts.full, texts.less), _union(names.full, names.less)
            every.append(AnyOf(*in_both, _test(word, meant), word in STOP_WORDS))
    # A word that docs do not store may be in any of them.
    return AnyOf(
        _union(*(each.in_texts for each in every)),
        _union(*(each.in_names for each in every)),
        lambda word: any(each.holds(word) for each in every),
        any(each.is_stop for each in every),
    )


def _union(*numbers: I64) -> I64:
    return distinct_of(np.concatenate(numbers)).astype(np.int64)


def _nearness(
    groups: Sequence[Sequence[Sequence[Callable[[str], bool]]]], between: int
) -> Callable[[str], bool]:
    """Whether a text contains something of each group in one cluster without a gap wider than a
    given number of words."""

    def stands_in(text: str) -> bool:
        words = words_of(text)
        spans: dict[tuple[int, int], set[int]] = {}
        for number, group in enumerate(groups):
            for tests in group:
                for at in range(len(words) - len(tests) + 1):
                    if all(test(word) for test, word in zip(tests, words[at:], strict=False)):
                        spans.setdefault((at, at + len(tests)), set()).add(number)
        end, held, count = 0, set[int](), 0
        for (start, behind), numbers in sorted(spans.items()):
            if held and start - end > between:
                held, count = set(), 0
            held, count, end = held | numbers, count + 1, max(end, behind)
            if len(held) == len(groups) and count >= len(groups):
                return True
        return False

    return stands_in
