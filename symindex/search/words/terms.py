"""Finds the terms of a boolean query that are text: where a word, a phrase or a wildcard occurs in
the fields that contain words."""

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from symindex.index.columns.arrays import I16, I64
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import distinct
from symindex.index.snapshot import Part
from symindex.index.words.text_words import Field
from symindex.search.answer.text_fields import (
    check_wildcard,
    containers_matching,
    files_matching,
    literal_pattern,
    members_of,
    name_points,
)
from symindex.search.answer.text_scan import texts_containing
from symindex.search.language.query import Term, parse_name
from symindex.search.language.wildcards import NAME_POINTS, names_matching
from symindex.search.match.names import POINTS
from symindex.search.words.bm25f import count_live
from symindex.search.words.meaning import Meaning, Tolerance
from symindex.search.words.misspelt import near_words
from symindex.search.words.occurrences import (
    ANY,
    FIELDS,
    WITHOUT_PATH,
    Counter,
    Occurrences,
    places_of_names,
)
from symindex.search.words.phrases import find_phrase, patterns_of
from symindex.search.words.weights import MISSPELT, NAME, SHORTEST_BEGINNING
from symindex.search.words.word_cache import find_cached_word
from symindex.text.folding import fold
from symindex.text.words import words_of

TEXT_FIELDS: Final = ("", *FIELDS)
"""The fields of terms that are text."""

USUAL: Final = Tolerance()


def find_in_parts(
    parts: Sequence[Part], counters: Sequence[Counter], term: Term, tolerance: Tolerance = USUAL
) -> list[Occurrences]:
    """Returns the occurrences of a term in each part of a snapshot. A word that occurs nowhere may
    be a part of other words, unless it must be whole."""
    members: Sequence[I16 | None] = members_of(parts, term) or [None] * len(parts)
    whole = tolerance.whole
    fields = (term.field,) if term.field else WITHOUT_PATH if whole else ANY
    occurrences = [
        find_term(counter, term, part, of_part, whole)
        for counter, part, of_part in zip(counters, parts, members, strict=True)
    ]
    words = words_of(term.text)
    if len(words) == 1 and tolerance.misspelt and not (term.is_phrase or term.is_wildcard):
        occurrences = with_misspelt(parts, counters, occurrences, words[0], tolerance.edits, fields)
    if (
        whole
        or len(words) != 1
        or term.is_phrase
        or term.is_wildcard
        or term.field in ("name", "container", "path")
    ):
        return occurrences
    if len(words[0]) < SHORTEST_BEGINNING or any(map(count_live, parts, occurrences)):
        return occurrences
    inside = Meaning((), words[0], inside=True)
    return [
        find_cached_word(counter, inside, (term.field,) if term.field else ANY)
        for counter in counters
    ]


def find_term(
    counter: Counter, term: Term, part: Part, members: I16 | None, whole: bool = False
) -> Occurrences:
    """Returns where a term occurs, by place. members: by row, the points of the members that the
    term means, if it means members (`members_of`). whole: see Tolerance."""
    index, fields = counter.index, (term.field,) if term.field else WITHOUT_PATH if whole else ANY
    if term.is_wildcard:
        return _find_wildcard(counter, term, fields, part.prefix, members)
    words = words_of(term.text)
    if term.is_phrase and not (term.field == "path" and "/" in term.text):
        return (
            find_phrase(counter, words, fields)
            if words
            else _find_literal(counter, term.text, fields)
        )
    if term.field == "name" and not (whole and words):
        return _find_names(index, term, members)
    if term.field in ("container", "path"):
        return _find_parts(counter, term, part.prefix)
    if not words:
        return _find_literal(counter, term.text, fields)
    if not term.field and not whole and parse_name(term.text).qualifiers:
        return either(index, find_phrase(counter, words, fields), _find_names(index, term, members))
    is_one = len(words) == 1
    occurrences = (
        find_cached_word(counter, Meaning.of(words[0], whole), fields)
        if is_one
        else find_phrase(counter, words, fields)
    )
    return (
        occurrences
        if term.field
        else msgspec.structs.replace(occurrences, exact=_places_written(index, term.text))
    )


def with_misspelt(
    parts: Sequence[Part],
    counters: Sequence[Counter],
    occurrences: Sequence[Occurrences],
    word: str,
    edits: int | None,
    fields: Sequence[str] = WITHOUT_PATH,
) -> list[Occurrences]:
    """Returns the occurrences of a word and of the words near it, which count less. edits: see
    `likely_words`."""
    words = near_words(parts, word, edits)
    if not words:
        return list(occurrences)
    near = [find_cached_word(counter, Meaning(words), tuple(fields)) for counter in counters]
    near = [msgspec.structs.replace(of_part, counts=of_part.counts * MISSPELT) for of_part in near]
    return [
        either(part.index, own, near_occurrences)
        for part, own, near_occurrences in zip(parts, occurrences, near, strict=True)
    ]


def _places_written(index: Index, name: str) -> I64:
    """Returns the places of the symbols of a name, in any case."""
    return places_of_names(index, np.array(index.names_written(name), dtype=np.int64))[0]


def either(index: Index, first: Occurrences, second: Occurrences) -> Occurrences:
    """Returns the union of two occurrences."""
    places = distinct(np.concatenate((first.places, second.places)), index.n_symbols)
    counts = np.zeros(len(places), dtype=np.float32)
    in_name = np.zeros(len(places), dtype=bool)
    for operand in (first, second):
        index_of = np.searchsorted(places, operand.places)
        counts[index_of] += operand.counts
        in_name[index_of] |= operand.in_name
    return Occurrences(places, counts, in_name, np.concatenate((first.exact, second.exact)))


def _find_names(index: Index, term: Term, members: I16 | None) -> Occurrences:
    """Finds names by their tiers. Each counts in proportion to its points."""
    if term.is_wildcard and members is None and not parse_name(term.text).qualifiers:
        places = np.sort(places_of_names(index, names_matching(index, term.text))[0])
        return Occurrences(
            places, np.full(len(places), _OF_WILDCARD), np.ones(len(places), dtype=bool)
        )
    points = name_points(index, term) if members is None else members
    rows = np.flatnonzero(points)
    places = index.place[rows].astype(np.int64)
    order = np.argsort(places)
    of_rows = points[rows[order]]
    counts = (of_rows * np.float32(NAME / POINTS)).astype(np.float32)
    return Occurrences(
        places[order], counts, np.ones(len(rows), dtype=bool), places[order][of_rows == POINTS]
    )


_OF_WILDCARD: Final = np.float32(NAME / POINTS) * np.float32(NAME_POINTS)


def _find_parts(counter: Counter, term: Term, prefix: str) -> Occurrences:
    index = counter.index
    if term.field == "container":
        counter.add(Field.CONTAINER, np.flatnonzero(containers_matching(index, term)), 1.0)
    else:
        counter.add(Field.BASE, np.flatnonzero(files_matching(index, term, prefix)), 1.0)
    return counter.result()


def _find_wildcard(
    counter: Counter, term: Term, fields: Sequence[str], prefix: str, members: I16 | None
) -> Occurrences:
    """Finds a wildcard: a whole name, a whole container, a path, or one or more words of any other
    field."""
    index, is_qualified = (
        counter.index,
        term.field in ("", "name") and bool(parse_name(term.text).qualifiers),
    )
    if not is_qualified:
        check_wildcard(term.text)
    if term.field == "name":
        return _find_names(index, term, members)
    if term.field in ("container", "path"):
        return _find_parts(counter, term, prefix)
    if is_qualified:
        names = _find_names(index, term, members)
        return (
            either(index, names, _find_parts(counter, Term("path", term.text), prefix))
            if term.is_path_glob
            else names
        )
    patterns = patterns_of(term.text)
    occurrences = find_phrase(counter, patterns, fields) if patterns else counter.result()
    if not term.field:
        occurrences = either(index, occurrences, _find_names(index, term, members))
        if term.is_path_glob:
            occurrences = either(
                index, occurrences, _find_parts(counter, Term("path", term.text), prefix)
            )
    return occurrences


def _find_literal(counter: Counter, text: str, fields: Sequence[str]) -> Occurrences:
    """Finds a text without words, such as `->`, wherever it occurs, for which all texts are read. A
    text of combining marks alone is folded to nothing and occurs nowhere."""
    if not (folded := fold(text).replace("\0", "")):
        return counter.result()
    index, pattern = counter.index, literal_pattern(text)
    if "name" in fields:
        counter.add_names(np.flatnonzero(index.names.holding(pattern)), 1.0)
    for field, table in (("container", index.containers), ("path", index.paths)):
        if field in fields:
            counter.add(
                Field.CONTAINER if field == "container" else Field.BASE,
                np.flatnonzero(table.holding(pattern)),
                1.0,
            )
    stored = {field_number for name in fields for field_number in FIELDS[name]}
    for number, field_number in enumerate((Field.SIGNATURE, Field.DOC)):
        if field_number in stored:
            counter.add(
                field_number,
                np.flatnonzero(texts_containing(index, pattern, folded.encode())[number]),
                1.0,
            )
    if Field.DOC in stored and counter.texts is not None:
        every = np.arange(index.n_symbols)
        counter.add(
            Field.DOC, counter.texts.holding(every, lambda content: folded in fold(content)), 1.0
        )
    return counter.result()
