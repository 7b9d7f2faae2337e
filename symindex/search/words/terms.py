"""The terms of a boolean query that are text: where a word, a phrase or a wildcard stands in the
fields that hold words."""

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
from symindex.search.answer.text_scan import texts_holding
from symindex.search.language.query import Term, parse_name
from symindex.search.language.wildcards import NAME_POINTS, names_matching
from symindex.search.match.names import POINTS
from symindex.search.words.bm25f import count_live
from symindex.search.words.kept import find_kept_word
from symindex.search.words.meaning import Meaning, Tolerance
from symindex.search.words.misspelt import near_words
from symindex.search.words.occurrences import (
    ANY,
    FIELDS,
    SAID,
    Counter,
    Occurrences,
    places_of_names,
)
from symindex.search.words.phrases import find_phrase, patterns_of
from symindex.search.words.weights import MISSPELT, NAME, SHORTEST_BEGINNING
from symindex.text.folding import fold
from symindex.text.words import words_of

TEXT_FIELDS: Final = ("", *FIELDS)
"""The fields of terms that are text."""

USUAL: Final = Tolerance()


def find_in_parts(
    parts: Sequence[Part], counters: Sequence[Counter], term: Term, tolerance: Tolerance = USUAL
) -> list[Occurrences]:
    """The occurrences of a term in each part of a snapshot. A word without any may be a part of
    others, unless it must be whole."""
    members: Sequence[I16 | None] = members_of(parts, term) or [None] * len(parts)
    whole = tolerance.whole
    fields = (term.field,) if term.field else SAID if whole else ANY
    found = [
        find_term(counter, term, part, some, whole)
        for counter, part, some in zip(counters, parts, members, strict=True)
    ]
    words = words_of(term.text)
    if len(words) == 1 and tolerance.misspelt and not (term.is_phrase or term.is_wildcard):
        found = with_misspelt(parts, counters, found, words[0], tolerance.edits, fields)
    if (
        whole
        or len(words) != 1
        or term.is_phrase
        or term.is_wildcard
        or term.field in ("name", "container", "path")
    ):
        return found
    if len(words[0]) < SHORTEST_BEGINNING or any(map(count_live, parts, found)):
        return found
    inside = Meaning((), words[0], inside=True)
    return [
        find_kept_word(counter, inside, (term.field,) if term.field else ANY)
        for counter in counters
    ]


def find_term(
    counter: Counter, term: Term, part: Part, members: I16 | None, whole: bool = False
) -> Occurrences:
    """Where a term stands, by place. members: by row, the points of what it means, if it means
    members (`members_of`). whole: as of Tolerance."""
    index, fields = counter.index, (term.field,) if term.field else SAID if whole else ANY
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
    found = (
        find_kept_word(counter, Meaning.of(words[0], whole), fields)
        if is_one
        else find_phrase(counter, words, fields)
    )
    return (
        found
        if term.field
        else msgspec.structs.replace(found, exact=_places_written(index, term.text))
    )


def with_misspelt(
    parts: Sequence[Part],
    counters: Sequence[Counter],
    found: Sequence[Occurrences],
    word: str,
    edits: int | None,
    fields: Sequence[str] = SAID,
) -> list[Occurrences]:
    """The occurrences of a word and of the words near it, which count less. edits: see
    `likely_words`."""
    others = near_words(parts, word, edits)
    if not others:
        return list(found)
    near = [find_kept_word(counter, Meaning(others), tuple(fields)) for counter in counters]
    near = [msgspec.structs.replace(each, counts=each.counts * MISSPELT) for each in near]
    return [
        either(part.index, one, other) for part, one, other in zip(parts, found, near, strict=True)
    ]


def _places_written(index: Index, name: str) -> I64:
    """The places of the symbols of a name in any case."""
    return places_of_names(index, np.array(index.names_written(name), dtype=np.int64))[0]


def either(index: Index, one: Occurrences, other: Occurrences) -> Occurrences:
    """Where either stands."""
    places = distinct(np.concatenate((one.places, other.places)), index.n_symbols)
    counts = np.zeros(len(places), dtype=np.float32)
    in_name = np.zeros(len(places), dtype=bool)
    for each in (one, other):
        at = np.searchsorted(places, each.places)
        counts[at] += each.counts
        in_name[at] |= each.in_name
    return Occurrences(places, counts, in_name, np.concatenate((one.exact, other.exact)))


def _find_names(index: Index, term: Term, members: I16 | None) -> Occurrences:
    """By the tiers of names: each counts as much as its points say."""
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
    """A wildcard is a whole name, a whole container, a path, or a word or several of any field but
    these."""
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
    found = find_phrase(counter, patterns, fields) if patterns else counter.result()
    if not term.field:
        found = either(index, found, _find_names(index, term, members))
        if term.is_path_glob:
            found = either(index, found, _find_parts(counter, Term("path", term.text), prefix))
    return found


def _find_literal(counter: Counter, text: str, fields: Sequence[str]) -> Occurrences:
    """A text that has no words, such as `->`, wherever it stands. All texts are read for it. One of
    marks alone, which are folded away, stands nowhere."""
    if not (wanted := fold(text).replace("\0", "")):
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
    stored = {each for name in fields for each in FIELDS[name]}
    for number, each in enumerate((Field.SIGNATURE, Field.DOC)):
        if each in stored:
            counter.add(
                each, np.flatnonzero(texts_holding(index, pattern, wanted.encode())[number]), 1.0
            )
    if Field.DOC in stored and counter.texts is not None:
        every = np.arange(index.n_symbols)
        counter.add(
            Field.DOC, counter.texts.holding(every, lambda content: wanted in fold(content)), 1.0
        )
    return counter.result()
