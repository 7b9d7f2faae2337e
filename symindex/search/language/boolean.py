"""Evaluates boolean queries: which symbols a tree matches, and how well.

Terms of text are found by `search/words/terms` and count by BM25F. Terms of facts (`kind:`,
`lang:`), and everything after `NOT`, only filter. Symbols are numbered by their places here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.index.columns.arrays import I64, Mask
from symindex.index.snapshot import Part
from symindex.search.answer.filters import PartFilter
from symindex.search.language.fields import rows_of_fact
from symindex.search.language.query import And, Node, Not, Or, Query, Term
from symindex.search.match.lookup import Points
from symindex.search.names.hits import Listed, PartHits
from symindex.search.words.bm25f import mean_lengths, score_words
from symindex.search.words.meaning import Tolerance
from symindex.search.words.occurrences import Counter, Occurrences
from symindex.search.words.order import WordHits
from symindex.search.words.plain import passing, question_of
from symindex.search.words.terms import TEXT_FIELDS, USUAL, find_in_parts
from symindex.text.words import STOP_WORDS, words_of


def select_boolean(
    filters: Sequence[PartFilter],
    node: Node,
    central: Sequence[Callable[[], Points]],
    tolerance: Tolerance = USUAL,
) -> list[PartHits]:
    """Returns the hits of a tree. central: by part, a function that returns the points of all rows,
    for a tree without words that count. Raises RequestError for an impossible field value."""
    parts = [chosen.part for chosen in filters]
    by_term, masks = _masks(parts, node, tolerance)
    matching = [
        passing(chosen, np.flatnonzero(mask)) for chosen, mask in zip(filters, masks, strict=True)
    ]
    scored = list(
        dict.fromkeys(
            term
            for term, counts in _terms_of(node)
            if counts and term in by_term and term.text.strip("*")
        )
    )
    if not scored:
        return [_listed(*columns) for columns in zip(filters, matching, central, strict=True)]
    alone = set(_alone(node))
    exact = [term in alone for term in scored]
    scores = score_words(parts, [by_term[term] for term in scored], [1.0] * len(scored), exact)
    question = question_of([term.text for term in scored if term.field in ("", "name")])
    hits = zip(filters, scores, matching, strict=True)
    return [
        WordHits.of(chosen, question, of_part, places).own_points()
        for chosen, of_part, places in hits
    ]


def rows_matching(
    parts: Sequence[Part],
    node: Node,
    tolerance: Tolerance = USUAL,
    near: Mapping[Query, Sequence[I64]] | None = None,
) -> list[Mask]:
    """Returns, by part and row, whether a tree matches it. near: for some nodes of the tree, by
    part of the snapshot, the only places where they may match. Raises RequestError for an
    impossible field value."""
    _, masks = _masks(parts, node, tolerance, near or {})
    return [mask[part.index.place[:]] for part, mask in zip(parts, masks, strict=True)]


def _masks(
    parts: Sequence[Part],
    node: Node,
    tolerance: Tolerance,
    near: Mapping[Query, Sequence[I64]] = MappingProxyType({}),
) -> tuple[dict[Term, list[Occurrences]], list[Mask]]:
    """Returns where the terms of text occur, by part, and whether the tree matches, by part and
    place.

    Terms that may read files are found last. Before that, the terms that every match requires
    narrow the files to read.
    """
    lengths = mean_lengths(parts)
    counters = [Counter(part.index, lengths, part.texts) for part in parts]
    every = dict.fromkeys(term for term, _ in _terms_of(node) if term.field in TEXT_FIELDS)
    required = set(_required(node))
    _narrow_to_facts(parts, required)
    by_term = {}
    for term in sorted(every, key=_may_read_files):
        by_term[term] = find_in_parts(parts, counters, term, tolerance)
        if term in required:
            _narrow_to_places(parts, by_term[term])
    by_part = [
        {term: of_term[number] for term, of_term in by_term.items()} for number in range(len(parts))
    ]
    only = [
        {query: places[number] for query, places in near.items()} for number in range(len(parts))
    ]
    return by_term, [
        _evaluate(part, node, occurrences, may)
        for part, occurrences, may in zip(parts, by_part, only, strict=True)
    ]


def _required(node: Node) -> Iterator[Term]:
    """Yields the terms that every match of a tree must match."""
    if isinstance(node, Term):
        yield node
    elif isinstance(node, And):
        for part in deciding(node.parts):
            yield from _required(part)


def _may_read_files(term: Term) -> bool:
    """Whether finding a term may read the texts of sections and items. Such terms are found
    last."""
    return term.field in ("", "doc", "content") and (
        term.is_phrase or term.is_wildcard or len(words_of(term.text)) != 1
    )


def _narrow_to_facts(parts: Sequence[Part], required: Iterable[Term]) -> None:
    for part, term in product(parts, required):
        if part.texts is not None and term.field not in TEXT_FIELDS:
            part.texts.narrow(rows_of_fact(part, term))


def _narrow_to_places(parts: Sequence[Part], occurrences: Sequence[Occurrences]) -> None:
    for part, in_part in zip(parts, occurrences, strict=True):
        if part.texts is not None:
            mask = np.zeros(part.index.n_symbols, dtype=bool)
            mask[part.index.row_at[in_part.places]] = True
            part.texts.narrow(mask)


def _listed(chosen: PartFilter, places: I64, points: Callable[[], Points]) -> Listed:
    return Listed(chosen, points, np.sort(chosen.index.row_at[places].astype(np.int64)))


def _terms_of(node: Node, counts: bool = True) -> Iterator[tuple[Term, bool]]:
    """Yields the terms of a tree, and whether they count: those after a `NOT` do not."""
    if isinstance(node, Term):
        yield node, counts
    else:
        for part in (node.part,) if isinstance(node, Not) else node.parts:
            yield from _terms_of(part, counts and not isinstance(node, Not))


def _alone(node: Node) -> Iterator[Term]:
    """Yields the terms whose exact name comes first: those without another name beside them."""
    if isinstance(node, Term):
        yield node
    elif isinstance(node, And):
        naming_parts = [
            part
            for part in node.parts
            if any(term.field in _NAMING for term, counts in _terms_of(part) if counts)
        ]
        for part in naming_parts if len(naming_parts) == 1 else ():
            yield from _alone(part)
    elif isinstance(node, Or):
        for part in node.parts:
            yield from _alone(part)


_NAMING: Final = ("", "name")
"""The fields of terms that may be a whole name."""


def _evaluate(
    part: Part, node: Node, occurrences: Mapping[Term, Occurrences], only: Mapping[Query, I64]
) -> Mask:
    """Returns, by place, whether the symbol matches. only: for some nodes, the places where they
    may match."""
    check_wanted()
    index = part.index
    if isinstance(node, Term):
        if node not in occurrences:
            return rows_of_fact(part, node)[index.row_at]
        holding = np.zeros(index.n_symbols, dtype=bool)
        holding[occurrences[node].places] = True
        return holding
    if isinstance(node, Not):
        return ~_evaluate(part, node.part, occurrences, only)
    masks = [
        _evaluate(part, operand, occurrences, only)
        for operand in (deciding(node.parts) if isinstance(node, And) else node.parts)
    ]
    mask: Mask = (
        np.logical_and.reduce(masks) if isinstance(node, And) else np.logical_or.reduce(masks)
    )
    if node in only:
        may = np.zeros(index.n_symbols, dtype=bool)
        may[only[node]] = True
        mask = mask & may
    return mask


def deciding(parts: Sequence[Node]) -> Sequence[Node]:
    """Returns the parts of an `AND` without common English words, unless there are no other
    words."""
    common = {
        part
        for part in parts
        if isinstance(part, Term) and _is_word(part) and part.text.lower() in STOP_WORDS
    }
    uncommon = [part for part in parts if part not in common]
    return (
        uncommon if any(isinstance(part, Term) and _is_word(part) for part in uncommon) else parts
    )


def _is_word(term: Term) -> bool:
    return term.field in _PROSE and not (term.is_phrase or term.is_wildcard)


_PROSE: Final = ("", "doc", "content")
"""The fields in which common English words decide nothing."""
