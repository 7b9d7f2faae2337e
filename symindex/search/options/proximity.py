"""The option `proximity`: the words of a query are near each other, in one field, with at most a
given number of other words between them.

It concerns words that must match together: all words of a plain query, or the parts of each `AND`.
Of more than two words, each is near another, and all are connected. A term after `NOT` and a filter
(`kind:`) are not in a text, so they do not count. Words match as they do without the option: by
their stems, and as beginnings of longer words.

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


class _NearbyTerms(NamedTuple):
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
    for clause_groups in clauses.values():
        if len(clause_groups) > MOST_WORDS:
            raise RequestError(
                f"proximity: {len(clause_groups)} words: at most {MOST_WORDS} are looked for near"
                " each other"
            )
        if not _shared_fields(clause_groups):
            names = " and ".join(
                sorted(
                    {field for group in clause_groups for field, _ in group.alternatives if field}
                )
            )
            raise RequestError(
                f"proximity: words of {names} are never in one field: name the same field, or none"
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
            node: [_places(counter, groups, between, meant) for counter in counters]
            for node, groups in clauses.items()
        }
        if isinstance(query, Everything | Name | Words):
            return [
                _rows(part.index, part_places)
                for part, part_places in zip(parts, places[query], strict=True)
            ]
        return rows_matching(parts, query, tolerance, places)

    return narrow


def _rows(index: Index, places: I64) -> Mask:
    """Returns for each row whether it is at one of the places."""
    mask = np.zeros(index.n_symbols, dtype=bool)
    mask[index.row_at[places]] = True
    return mask


def _clauses(query: Query) -> Mapping[Query, list[_NearbyTerms]]:
    """Returns the groups that must be near each other: all words of a plain query, or the parts of
    each `AND`."""
    if isinstance(query, Everything | Name):
        return {}
    if isinstance(query, Words):
        every = [_NearbyTerms((("", (word,)),)) for word in question_of(query.texts).words]
        return {query: every} if len(every) > 1 else {}
    return {node: groups for node in _ands(query) if len(groups := _parts_of(node)) > 1}


def _ands(node: Node) -> Iterator[And]:
    if isinstance(node, And):
        yield node
    for part in () if isinstance(node, Term | Not) else node.parts:
        yield from _ands(part)


def _parts_of(node: And) -> list[_NearbyTerms]:
    """Yields the parts of an `AND` that are text, each once; a nested `AND` has its own."""
    groups: list[_NearbyTerms] = []
    for part in deciding(node.parts):
        if isinstance(part, And):
            groups += _parts_of(part)
        elif alternatives := tuple(_texts(part)):
            groups.append(_NearbyTerms(alternatives))
    return list(dict.fromkeys(groups))


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


def _covers(term_field: str, field: str) -> bool:
    """Whether a term may match in a field. term_field: the field that the term names, or empty."""
    return (
        not term_field
        or term_field == field
        or (term_field == "content" and field in ("signature", "doc"))
    )


def _shared_fields(groups: Sequence[_NearbyTerms]) -> list[str]:
    return [
        field
        for field in _SINGLE
        if all(
            any(_covers(term_field, field) for term_field, _ in group.alternatives)
            for group in groups
        )
    ]


def _places(
    counter: Counter,
    nearby_groups: Sequence[_NearbyTerms],
    between: int,
    meant: Callable[[str], Meaning],
) -> I64:
    """Returns the places of the symbols in which all groups are near each other in one field."""
    index = counter.index
    for field in _shared_fields(nearby_groups):
        groups = [
            [words for term_field, words in nearby.alternatives if _covers(term_field, field)]
            for nearby in nearby_groups
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
        is_near = _nearness(tests, between)
        texts = TextsWith(counter, numbers, is_near, is_near, stop_words)
        if field == _TITLE:
            counter.add(Field.SIGNATURE, texts.in_qualified_names(), 1.0)
        else:
            add_texts(counter, texts, (field,))
    return counter.result().places


def _test(word: str, meant: Callable[[str], Meaning]) -> Callable[[str], bool]:
    """Whether a word of a text is one of the words that are meant."""
    if "*" in word:
        return lambda text_word: matches_wildcard(word, text_word)
    meaning = meant(word)
    stems = {stem(similar) for similar in meaning.words}
    part = meaning.part

    def is_meant(text_word: str) -> bool:
        if text_word in meaning.words or stem(text_word) in stems:
            return True
        return part != "" and (part in text_word if meaning.inside else text_word.startswith(part))

    return cache(is_meant)


def _numbers(
    index: Index, group: Sequence[tuple[str, ...]], meant: Callable[[str], Meaning]
) -> AnyOf:
    """Returns the words by which the alternatives of a group are looked up: the longest of each."""
    every: list[AnyOf] = []
    for words in group:
        word = max(words, key=lambda text: (text not in STOP_WORDS, len(text)))
        if "*" in word:
            every.append(AnyOf.pattern(index, word))
        else:
            texts, names = in_texts(index, meant(word)), in_names(index, meant(word))
            in_both = _union(texts.full, texts.less), _union(names.full, names.less)
            every.append(AnyOf(*in_both, _test(word, meant), word in STOP_WORDS))
    # A word that docs do not store may be in any of them.
    return AnyOf(
        _union(*(alternative.in_texts for alternative in every)),
        _union(*(alternative.in_names for alternative in every)),
        lambda word: any(alternative.holds(word) for alternative in every),
        any(alternative.is_stop for alternative in every),
    )


def _union(*numbers: I64) -> I64:
    return distinct_of(np.concatenate(numbers)).astype(np.int64)


def _nearness(
    groups: Sequence[Sequence[Sequence[Callable[[str], bool]]]], between: int
) -> Callable[[str], bool]:
    """Whether a text contains something of each group in one cluster without a gap wider than a
    given number of words."""

    def is_near(text: str) -> bool:
        words = words_of(text)
        spans: dict[tuple[int, int], set[int]] = {}
        for number, group in enumerate(groups):
            for tests in group:
                for start_word in range(len(words) - len(tests) + 1):
                    if all(
                        test(word) for test, word in zip(tests, words[start_word:], strict=False)
                    ):
                        spans.setdefault((start_word, start_word + len(tests)), set()).add(number)
        end, in_cluster, count = 0, set[int](), 0
        for (start, span_end), numbers in sorted(spans.items()):
            if in_cluster and start - end > between:
                in_cluster, count = set(), 0
            in_cluster, count, end = in_cluster | numbers, count + 1, max(end, span_end)
            if len(in_cluster) == len(groups) and count >= len(groups):
                return True
        return False

    return is_near
