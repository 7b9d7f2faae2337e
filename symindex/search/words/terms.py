"""The terms of a boolean query that are text: where a word, a phrase or a wildcard stands in the fields that hold words."""

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from symindex.index.arrays import I64
from symindex.index.columns import Index
from symindex.index.snapshot import Part
from symindex.index.words.text_words import Field
from symindex.search.match.names import POINTS
from symindex.search.query import Term, parse_name
from symindex.search.text_fields import check_wildcard, containers_matching, files_matching, literal_pattern, name_points
from symindex.search.text_scan import texts_holding
from symindex.search.words.bm25f import count_live
from symindex.search.words.meaning import Meaning
from symindex.search.words.occurrences import ANY, FIELDS, Counter, Lengths, Occurrences, find_word, places_of_names
from symindex.search.words.phrases import find_phrase, patterns_of
from symindex.search.words.weights import NAME, SHORTEST_BEGINNING
from symindex.text.words import words_of

TEXT_FIELDS: Final = ("", *FIELDS)
"""The fields of terms that are text."""


def find_in_parts(parts: Sequence[Part], term: Term, lengths: Lengths) -> list[Occurrences]:
    """Where a term stands in each part of a snapshot. A word that stands nowhere may stand inside others."""
    found = [find_term(part.index, term, lengths, part.prefix) for part in parts]
    words = words_of(term.text)
    if len(words) != 1 or term.is_phrase or term.is_wildcard or term.field in ("name", "container", "path"):
        return found
    if len(words[0]) < SHORTEST_BEGINNING or any(map(count_live, parts, found)):
        return found
    inside = Meaning((), words[0], inside=True)
    return [find_word(part.index, inside, lengths, (term.field,) if term.field else ANY) for part in parts]


def find_term(index: Index, term: Term, lengths: Lengths, prefix: str) -> Occurrences:
    """Where a term stands, by place. prefix: what stands before the paths where they are shown."""
    fields = (term.field,) if term.field else ANY
    if term.is_wildcard:
        return _find_wildcard(index, term, fields, lengths, prefix)
    words = words_of(term.text)
    if term.is_phrase and not (term.field == "path" and "/" in term.text):
        return find_phrase(index, words, lengths, fields) if words else _find_literal(index, term.text, fields, lengths)
    if term.field == "name":
        return _find_names(index, term)
    if term.field in ("container", "path"):
        return _find_parts(index, term, lengths, prefix)
    if not words:
        return _find_literal(index, term.text, fields, lengths)
    if not term.field and parse_name(term.text).qualifiers:
        return either(index, find_phrase(index, words, lengths, fields), _find_names(index, term))
    is_one = len(words) == 1
    found = find_word(index, Meaning.of(words[0]), lengths, fields) if is_one else find_phrase(index, words, lengths, fields)
    return found if term.field else msgspec.structs.replace(found, exact=_places_written(index, term.text))


def _places_written(index: Index, name: str) -> I64:
    """The places of the symbols of a name in any case."""
    return places_of_names(index, np.array(index.names_written(name), dtype=np.int64))[0]


def either(index: Index, one: Occurrences, other: Occurrences) -> Occurrences:
    """Where either stands."""
    counts = np.zeros(index.n_symbols, dtype=np.float32)
    in_name = np.zeros(index.n_symbols, dtype=bool)
    for each in (one, other):
        counts[each.places] += each.counts
        in_name[each.places] |= each.in_name
    places = np.flatnonzero(counts > 0)
    return Occurrences(places, counts[places], in_name[places], np.concatenate((one.exact, other.exact)))


def _find_names(index: Index, term: Term) -> Occurrences:
    """By the tiers of names: each counts as much as its points say."""
    points = name_points(index, term)
    rows = np.flatnonzero(points)
    places = index.place[rows].astype(np.int64)
    order = np.argsort(places)
    of_rows = points[rows[order]]
    counts = (of_rows * np.float32(NAME / POINTS)).astype(np.float32)
    return Occurrences(places[order], counts, np.ones(len(rows), dtype=bool), places[order][of_rows == POINTS])


def _find_parts(index: Index, term: Term, lengths: Lengths, prefix: str) -> Occurrences:
    counter = Counter(index, lengths)
    if term.field == "container":
        counter.add(Field.CONTAINER, np.flatnonzero(containers_matching(index, term)), 1.0)
    else:
        counter.add(Field.BASE, np.flatnonzero(files_matching(index, term, prefix)), 1.0)
    return counter.result()


def _find_wildcard(index: Index, term: Term, fields: Sequence[str], lengths: Lengths, prefix: str) -> Occurrences:
    """A wildcard is a whole name, a whole container, a path, or a word or several of any field but these."""
    check_wildcard(term.text)
    if term.field == "name":
        return _find_names(index, term)
    if term.field in ("container", "path"):
        return _find_parts(index, term, lengths, prefix)
    if not term.field and parse_name(term.text).qualifiers:
        names = _find_names(index, term)
        return either(index, names, _find_parts(index, Term("path", term.text), lengths, prefix)) if term.is_path_glob else names
    patterns = patterns_of(term.text)
    found = find_phrase(index, patterns, lengths, fields) if patterns else Counter(index, lengths).result()
    if not term.field:
        found = either(index, found, _find_names(index, term))
        if term.is_path_glob:
            found = either(index, found, _find_parts(index, Term("path", term.text), lengths, prefix))
    return found


def _find_literal(index: Index, text: str, fields: Sequence[str], lengths: Lengths) -> Occurrences:
    """A text that has no words, such as `->`, wherever it stands. All texts are read for it."""
    counter, pattern = Counter(index, lengths), literal_pattern(text)
    if "name" in fields:
        counter.add_names(np.flatnonzero(index.names.holding(pattern)), 1.0)
    for field, table in (("container", index.containers), ("path", index.paths)):
        if field in fields:
            counter.add(Field.CONTAINER if field == "container" else Field.BASE, np.flatnonzero(table.holding(pattern)), 1.0)
    stored = {each for name in fields for each in FIELDS[name]}
    for number, each in enumerate((Field.SIGNATURE, Field.DOC)):
        if each in stored:
            counter.add(each, np.flatnonzero(texts_holding(index, pattern, text.encode())[number]), 1.0)
    return counter.result()
