"""Boolean queries: a tree to the points of all rows.

A word or phrase without a field is looked for in the name, then in container, path, signature and doc, each weighing less; a
wildcard without a field in the name; a term with a field only there. `AND` takes the mean of the parts that match names, `OR` the
best of them. Parts that only filter (`kind:`, `lang:`, `NOT ...`) do not change the points.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Final

import msgspec
import numpy as np

from symindex.errors import RequestError
from symindex.index.arrays import I16, Mask
from symindex.index.columns import Index
from symindex.index.strings import StringTable
from symindex.search.fields import FACTS
from symindex.search.filters import path_files
from symindex.search.match.lookup import Points, join_hits, strong_tiers
from symindex.search.match.names import POINTS, Needle, match_strong
from symindex.search.qualifiers import best_tier, member_points, path_parts, qualify
from symindex.search.query import And, Node, Not, Term, parse_name
from symindex.search.text_scan import texts_holding
from symindex.search.wildcards import points_of_qualified
from symindex.text.folding import fold
from symindex.workers.cancellation import check_wanted

BEST: Final = 0.95
"""Points are scaled by this: 1.0 is reserved for names that are the query."""

WEIGHTS: Final = {"container": 4000, "path": 3000, "signature": 2000, "doc": 1000}
"""The points of a term that was found elsewhere than in the name."""

WILDCARD_BYTES: Final = 200
"""The longest wildcard."""


class _Found(msgspec.Struct, frozen=True):
    """The rows that a part of the query matches; points: `None` where the part only filters."""

    mask: Mask
    points: I16 | None = None


def evaluate(index: Index, node: Node, prefix: str = "") -> Points:
    """The points of all rows; 0 for those that do not match. prefix: what stands before the paths where they are shown; paths and
    ids may begin with it or not. Raises RequestError for an impossible field value."""
    found = _evaluate(index, node, prefix)
    if found.points is None:
        return np.where(found.mask, np.int32(POINTS // 2), np.int32(0))
    points = np.clip(np.rint(found.points * np.float32(BEST)), POINTS // 100, POINTS * BEST)
    return np.where(found.mask, points, 0).astype(np.int32)


def _evaluate(index: Index, node: Node, prefix: str) -> _Found:
    check_wanted()
    if isinstance(node, Term):
        return _evaluate_term(index, node, prefix)
    if isinstance(node, Not):
        return _Found(~_evaluate(index, node.part, prefix).mask)
    parts = [_evaluate(index, part, prefix) for part in node.parts]
    masks, scored = [part.mask for part in parts], [part.points for part in parts if part.points is not None]
    if isinstance(node, And):
        mean = np.add.reduce(scored, dtype=np.int32) // len(scored) if scored else None
        return _Found(np.logical_and.reduce(masks), mean.astype(np.int16) if mean is not None else None)
    return _Found(np.logical_or.reduce(masks), np.maximum.reduce(scored) if scored else None)


def _evaluate_term(index: Index, term: Term, prefix: str) -> _Found:
    if term.field not in ("", "name"):
        return _Found(_FIELDS[term.field](index, term, prefix))
    points = _points_of_name(index, term)
    if term.is_path_glob:
        np.maximum(points, WEIGHTS["path"], out=points, where=_path(index, term, prefix))
    if not term.field and not term.is_wildcard:
        check_wanted()
        for field, weight in WEIGHTS.items():
            # A bare word is searched as it stands: as an abbreviation of folders or containers it would match everything. Paths
            # are searched without the prefix.
            plain = term if field in ("signature", "doc") else Term("", term.text, is_phrase=True)
            np.maximum(points, weight, out=points, where=_FIELDS[field](index, plain, ""))
    return _Found(points > 0, points)


def _points_of_name(index: Index, term: Term) -> I16:
    query = parse_name(term.text)
    if term.is_wildcard and query.qualifiers:
        return points_of_qualified(index, query, _pattern(Term("name", query.name or "*"), whole=True))
    if term.is_phrase or term.is_wildcard:
        return index.spread_names(np.where(index.names.holding(_pattern(term, whole=True)), np.int16(9000), np.int16(0)))
    if not query.name:
        members = member_points(index, query)
        return np.where(members >= best_tier([members]), members, 0).astype(np.int16)
    points: I16 = np.zeros(index.n_symbols, dtype=np.int16)
    for text in {query.name, query.literal}:
        rows, of_rows = join_hits(strong_tiers(index, Needle(text))).rows(index)
        if text == query.name:
            of_rows = qualify(index, query, rows, of_rows)
        points[rows] = np.maximum(points[rows], of_rows)
    return points


def _container(index: Index, term: Term, prefix: str) -> Mask:
    if term.is_phrase or term.is_wildcard:
        hits = index.containers.holding(_pattern(term, whole=True))
    else:
        hits = _with_part(index.containers, term.text, ".", lambda container: container.split("."))
    return hits[index.all_containers()]


def _path(index: Index, term: Term, prefix: str) -> Mask:
    if term.is_wildcard:
        return index.spread_files(path_files(index, (term.text,), prefix))
    if term.is_phrase or "/" in term.text:
        hits = index.paths.holding(_pattern(Term("", term.text, is_phrase=True), whole=False))
        if prefix and _wanted(term).startswith(wanted := fold(prefix).encode()):
            hits = hits | index.paths.holding(re.compile(_TEXT_START + re.escape(_wanted(term).removeprefix(wanted))))
    else:
        hits = _with_part(index.paths, term.text, "/", lambda path: [*path_parts(path), path.rsplit("/", 1)[-1]])
    return index.spread_files(hits)


def _with_part(table: StringTable, word: str, mark: str, divide: Callable[[str], list[str]]) -> Mask:
    """The texts one of whose parts, between such marks, the word matches by a strong tier."""
    needle = Needle(word)
    matches = cache(lambda part: match_strong(needle, part, fold(part)) > 0)
    hits = np.zeros(len(table), dtype=bool)
    # Whatever the tier, the part holds the letters in order.
    letters = [re.escape(letter.encode()) for letter in needle.squashed]
    gap = rb"(?>[^\0" + re.escape(mark.encode()) + rb"]*?"
    in_order = re.compile(b"".join([*letters[:1], *(gap + letter + b")" for letter in letters[1:])]))
    candidates = np.flatnonzero(table.holding(in_order)) if letters else np.arange(len(table))
    hits[candidates] = [any(map(matches, divide(text))) for text in table.take(candidates)]
    return hits


def _in_texts(number: int, index: Index, term: Term, prefix: str) -> Mask:
    """Of signatures (0) or docs (1)."""
    by_place = texts_holding(index, _pattern(term, whole=False), b"" if term.is_wildcard else _wanted(term))[number]
    mask: Mask = by_place[index.place[:]]
    return mask


_FIELDS: Final[dict[str, Callable[[Index, Term, str], Mask]]] = {
    "container": _container,
    "path": _path,
    "signature": partial(_in_texts, 0),
    "doc": partial(_in_texts, 1),
    "content": lambda *given: _in_texts(0, *given) | _in_texts(1, *given),
    **FACTS,
}
"""The rows that a term of a field matches; the last argument is the prefix, as of `evaluate`."""


def _wanted(term: Term) -> bytes:
    return fold(term.text).encode().replace(b"\0", b"")


def _pattern(term: Term, whole: bool) -> re.Pattern[bytes]:
    """The pattern for a table's folded texts. whole: a wildcard must match all of a text. A phrase is found anywhere, a word of
    prose only at its beginning (`test` is not in `latest`)."""
    wanted = _wanted(term)
    if not term.is_wildcard:
        return re.compile(re.escape(wanted) if term.is_phrase or whole else _WORD_START + re.escape(wanted))
    if len(wanted) > WILDCARD_BYTES:
        raise RequestError(f"wildcard of {len(wanted)} bytes: at most {WILDCARD_BYTES} are read")
    gap = rb"[^\0]" if whole else rb"[0-9a-z_\x80-\xff]"
    first, *middle, last = (re.escape(part) for part in wanted.split(b"*"))
    # Atomic groups: where a piece is found first is as good as where it is found later, so nothing is tried twice.
    if not any((first, *middle, last)):
        return re.compile(_TEXT_START if whole else gap)
    pieces = b"".join(rb"(?>" + gap + rb"*?" + piece + rb")" for piece in middle if piece)
    if whole:
        return re.compile(_TEXT_START + first + pieces + rb"[^\0]*" + last + rb"(?=\0)")
    return re.compile((_WORD_START if first else b"") + first + pieces + gap + rb"*?" + last)


_TEXT_START: Final = rb"(?<![^\0])"
_WORD_START: Final = rb"(?<![0-9a-z\x80-\xff])"
