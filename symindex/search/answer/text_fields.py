"""Compares names, containers and paths with a term of a boolean query: by the tiers of
`search/match/names`, as wildcards, or as globs."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

import msgspec
import numpy as np

from symindex.errors import RequestError
from symindex.index.columns.arrays import I16, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.strings import StringTable
from symindex.index.snapshot import Part
from symindex.search.answer.filters import path_files
from symindex.search.language.qualifiers import best_tier, member_points, path_parts, qualify
from symindex.search.language.query import Term, parse_name
from symindex.search.language.wildcards import (
    NAME_POINTS,
    names_matching,
    numbers_matching,
    points_of_qualified,
)
from symindex.search.match.lookup import join_hits, strong_tiers
from symindex.search.match.names import Needle, match_strong
from symindex.text.folding import fold

WILDCARD_BYTES: Final = 200
"""Longest wildcard, in bytes."""


def members_of(parts: Sequence[Part], term: Term) -> list[I16] | None:
    """Returns for each part and row the points of the members of the best matches in any part, for
    a term that means members, such as `Auth.` and `Auth.*`; `None` for any other term."""
    query = parse_name(term.text)
    is_members = not query.name.strip("*") if term.is_wildcard else not query.name
    if term.field not in ("", "name") or term.is_phrase or not (is_members and query.qualifiers):
        return None
    query = msgspec.structs.replace(query, name="")
    members = [np.where(part.hidden.live, member_points(part.index, query), 0) for part in parts]
    least = best_tier(members)
    return [np.where(points >= least, points, 0).astype(np.int16) for points in members]


def name_points(index: Index, term: Term) -> I16:
    """Returns for each row the points of its name, by the tiers exact to substring. The term may be
    qualified or a wildcard."""
    query = parse_name(term.text)
    if term.is_wildcard and query.qualifiers:
        return points_of_qualified(index, query)
    if term.is_wildcard:
        points_of_names = np.zeros(len(index.names), dtype=np.int16)
        points_of_names[names_matching(index, term.text)] = NAME_POINTS
        return index.spread_names(points_of_names)
    points: I16 = np.zeros(index.n_symbols, dtype=np.int16)
    for text in {query.name, query.literal}:
        rows, of_rows = join_hits(strong_tiers(index, Needle(text))).rows(index)
        if text == query.name:
            of_rows = qualify(index, query, rows, of_rows)
        points[rows] = np.maximum(points[rows], of_rows)
    return points


def containers_matching(index: Index, term: Term) -> Mask:
    """Returns for each container whether a part of it matches a word by a strong tier, or all of it
    matches a wildcard."""
    if not term.is_wildcard:
        return _with_part(index.containers, term.text, ".", lambda container: container.split("."))
    hits = np.zeros(len(index.containers), dtype=bool)
    hits[numbers_matching(index.containers, term.text)] = True
    return hits


def files_matching(index: Index, term: Term, prefix: str) -> Mask:
    """Returns for each file whether one of its folders or its name matches a word by a strong tier,
    its path contains a text with a slash, or its path matches a glob. prefix: the prefix of the
    paths in answers, with which the text may begin."""
    if term.is_wildcard:
        return path_files(index, (term.text,), prefix)
    if "/" in term.text:
        hits = index.paths.holding(literal_pattern(term.text))
        if prefix and _wanted(term.text).startswith(folded_prefix := fold(prefix).encode()):
            hits = hits | index.paths.holding(
                re.compile(_TEXT_START + re.escape(_wanted(term.text).removeprefix(folded_prefix)))
            )
    else:
        hits = _with_part(
            index.paths, term.text, "/", lambda path: [*path_parts(path), path.rsplit("/", 1)[-1]]
        )
    return hits


def _with_part(
    table: StringTable, word: str, mark: str, divide: Callable[[str], list[str]]
) -> Mask:
    """Returns for each text whether a part of it, between two marks, matches the word by a strong
    tier."""
    needle = Needle(word)
    matches = cache(lambda part: match_strong(needle, part, fold(part)) > 0)
    hits = np.zeros(len(table), dtype=bool)
    # In any tier, the part contains the letters in order.
    letters = [re.escape(letter.encode()) for letter in needle.squashed]
    gap = rb"(?>[^\0" + re.escape(mark.encode()) + rb"]*?"
    in_order = re.compile(
        b"".join([*letters[:1], *(gap + letter + b")" for letter in letters[1:])])
    )
    candidates = np.flatnonzero(table.holding(in_order)) if letters else np.arange(len(table))
    hits[candidates] = [any(map(matches, divide(text))) for text in table.take(candidates)]
    return hits


def _wanted(text: str) -> bytes:
    return fold(text).encode().replace(b"\0", b"")


def literal_pattern(text: str) -> re.Pattern[bytes]:
    """Returns a pattern for a text anywhere in a table's folded texts."""
    return re.compile(re.escape(fold(text).encode().replace(b"\0", b"")))


def check_wildcard(text: str) -> None:
    """Raises RequestError for a wildcard that is too long."""
    if len(folded := fold(text).encode()) > WILDCARD_BYTES:
        raise RequestError(f"wildcard of {len(folded)} bytes: at most {WILDCARD_BYTES} are read")


_TEXT_START: Final = rb"(?<![^\0])"
