"""Turns a request into what a scan searches for, and in which files.

A scan finds files by texts that the file of every hit must contain. A query without such texts (an
empty one, `kind:class`, `NOT test`) can only be answered by an index, and so can a request for the
first hits by name or date.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from symindex.extract.languages.registry import Languages
from symindex.files.walk import FoundFile
from symindex.search.language.pasted_names import is_word, place_of, readings_of
from symindex.search.language.query import LISTED, And, Name, Or, Query, Term, Words, parse_name
from symindex.search.options.read import SCORE
from symindex.search.unindexed.prefilter import Atom, Prefilter, make_atom
from symindex.text.words import STOP_WORDS, beginnings_of, deciding, stem, words_of

if TYPE_CHECKING:
    from symindex.search.answer.plan import Plan

_Groups = list[list[Atom]]
"""Groups of a Prefilter; empty if a scan cannot narrow the search."""


def make_prefilter(plan: "Plan") -> Prefilter | None:
    """Returns what files with hits of a plan contain; `None` if a scan cannot answer it. Several
    phrasings would need too many files: their best hits are not known before all are read."""
    needs_index = plan.options.sort_by != SCORE or plan.phrasings
    groups = [] if needs_index else _groups_of(plan.query)
    return Prefilter(groups, _name_of(plan.query)) if groups else None


def _name_of(query: Query) -> str:
    """Returns the name of the hits, or that of their container for a query that lists members;
    empty if the query has none."""
    if isinstance(query, Name):
        bare = query.name if is_word(query) else readings_of(query)[-1].query.name
        return bare or query.name or query.qualifiers[-1]
    if (
        isinstance(query, Term)
        and query.field in ("", "name")
        and not query.is_phrase
        and not query.is_wildcard
    ):
        return parse_name(query.text).name
    if isinstance(query, Words):
        return max(query.texts, key=len)
    if isinstance(query, And):
        return max(map(_name_of, query.parts), key=len)
    return ""


def _groups_of(query: Query) -> _Groups:
    if isinstance(query, Name) and not is_word(query):
        place = place_of(query.literal)
        if place is not None and (place.line or len(place.parts) > 1):
            return _group_of(place.parts[-1].partition(".")[0], True)
        readings = readings_of(query)
        if len(readings) > 1:  # the file contains the name of the reading that is meant
            atoms = [
                make_atom(name, False)
                for name in dict.fromkeys(reading.query.name for reading in readings)
            ]
            return [[atom for atom in atoms if atom is not None]] if all(atoms) else []
    if isinstance(query, Name):
        # The first qualifiers may match nothing. A part without an atom does not narrow the search,
        # but another part may.
        return [
            *(group for part in query.qualifiers[-1:] for group in _group_of(part, True)),
            *_group_of(query.name, False),
        ]
    if isinstance(query, And):
        return [group for part in query.parts for group in _groups_of(part)]
    if isinstance(query, Or):
        alternatives = [_groups_of(part) for part in query.parts]
        if not all(alternatives):
            return []
        # From each alternative, take the group with the longest texts.
        most_selective = (
            max(groups, key=lambda group: min(len(atom.text) for atom in group))
            for groups in alternatives
        )
        return [[atom for group in most_selective for atom in group]]
    if isinstance(query, Words):
        # Any of the words is enough.
        atoms = [
            make_atom(_beginning(word), True) for word in deciding(words_of(" ".join(query.texts)))
        ]
        return [[atom for atom in atoms if atom is not None]] if all(atoms) else []
    return _groups_of_term(query) if isinstance(query, Term) else []


def _beginning(word: str) -> str:
    """Returns the beginning that all words of a stem share (`search/words/meaning`)."""
    return min(beginnings_of(stem(word)), key=len)


def _group_of(text: str, in_path: bool) -> _Groups:
    atom = make_atom(text, in_path)
    return [[atom]] if atom is not None else []


def _groups_of_term(term: Term) -> _Groups:
    if term.field in (*LISTED, "path"):
        return []
    text = term.text.partition("#")[2] if term.field == "id" else term.text
    in_path = term.field == ""
    if not term.is_phrase and not term.is_wildcard and term.field == "name":
        return _group_of(parse_name(text).name, in_path)
    if (
        not term.is_wildcard
        and term.field in ("", "doc", "signature", "content")
        and (words := words_of(text))
    ):
        if len(words) > 1 or term.is_phrase:
            return [group for word in words for group in _group_of(word, in_path)]
        return (
            []
            if words[0] in STOP_WORDS and not term.field
            else _group_of(_beginning(words[0]), in_path)
        )
    if term.is_path_glob:
        return []
    if term.is_wildcard and term.field in ("", "name"):
        query = parse_name(text)
        parts = [*((part, True) for part in query.qualifiers), (query.name, in_path)]
        return [
            group
            for part, may_be_path in parts
            for group in _group_of(max(part.split("*"), key=len), may_be_path)
        ]
    # White space may be folded, dots and the numbers of ids are not in the file, and `*` is any
    # text.
    return _group_of(max(re.split(r"[\s.*~]+", text), key=len), in_path)


def file_filter(
    plan: "Plan", languages: Languages, prefix: str = ""
) -> Callable[[FoundFile], bool]:
    """Returns a test of whether a file passes the request's filters on path and language. The
    language is only tested if the file's name determines it.

    prefix: see `path_filter`. Raises RequestError for an unknown language or an invalid glob.
    """
    language_ids = {languages.id_of(word) for word in plan.language_words}
    is_path: Callable[[str], bool] | None = None
    if plan.paths:
        from symindex.search.answer.filters import (
            path_filter,
        )  # imported here, because it loads numpy, which is slow

        is_path = path_filter(plan.paths, prefix)

    def lets_through(file: FoundFile) -> bool:
        if is_path is not None and not is_path(file.path):
            return False
        return not language_ids or languages.may_be(file.path, language_ids)

    return lets_through
