"""Boolean queries: a tree to the scores of all rows.

A word or phrase without a field is looked for in the name, then in container, path, signature and doc, each weighing less; a
wildcard without a field in the name; a term with a field only there. `AND` and `OR` combine: the mean of the parts that say
something about the name, or the best of them. Parts that only filter (`kind:`, `lang:`, `NOT ...`) do not change the score.
"""

import re
from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np

from symindex.errors import RequestError, one_of
from symindex.index.arrays import I16, Mask
from symindex.index.columns import Index
from symindex.index.strings import StringTable
from symindex.search.filters import kind_traits, language_files, path_files
from symindex.search.match.lookup import Points, strong_names
from symindex.search.match.names import POINTS, Needle, match_strong
from symindex.search.qualifiers import best_tier, member_points, path_parts, qualify
from symindex.search.query import And, Name, Node, Not, Or, Term, parse_name
from symindex.search.text_scan import texts_holding
from symindex.text.folding import fold
from symindex.workers.cancellation import check_wanted

BEST: Final = 0.95
"""What the points of a part become: 1.0 is kept for names that are the query."""

WEIGHTS: Final = {"container": 4000, "path": 3000, "signature": 2000, "doc": 1000}
"""What a term is worth, in points, that was found elsewhere than in the name."""

SPACES: Final = ("project", "user", "system")

"""The points of all rows; a boolean query may have many of these at once."""


class _Found(msgspec.Struct, frozen=True):
    """The rows that a part of the query matches; points: `None` where the part only filters."""

    mask: Mask
    points: I16 | None


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
        return _Found(~_evaluate(index, node.part, prefix).mask, None)
    parts = [_evaluate(index, part, prefix) for part in node.parts]
    scored = [part.points for part in parts if part.points is not None]
    if isinstance(node, And):
        mask = np.logical_and.reduce([part.mask for part in parts])
        return _Found(mask, _mean(scored) if scored else None)
    assert isinstance(node, Or)
    mask = np.logical_or.reduce([part.mask for part in parts])
    return _Found(mask, np.maximum.reduce(scored) if scored else None)


def _mean(points: list[I16]) -> I16:
    mean: I16 = (np.add.reduce(points, dtype=np.int32) // len(points)).astype(np.int16)
    return mean


def _evaluate_term(index: Index, term: Term, prefix: str) -> _Found:
    if term.field in _PLACE_READERS:
        return _PLACE_READERS[term.field](index, term, prefix)
    if term.field:
        return _FIELD_READERS[term.field](index, term)
    by_name = _name(index, term)
    if term.is_wildcard or by_name.points is None:
        return by_name
    check_wanted()
    points = by_name.points.copy()
    for field, weight in WEIGHTS.items():
        # Beside names, a bare word is looked for as it stands: abbreviations of folders would match everything.
        reader = _FIELD_READERS[field]
        plain = term if field in ("signature", "doc") else Term("", term.text, is_phrase=True)
        np.maximum(points, weight, out=points, where=reader(index, plain).mask)
    return _Found(points > 0, points)


def _name(index: Index, term: Term) -> _Found:
    if term.is_phrase or term.is_wildcard:
        by_name = np.where(index.names.holding(_pattern(term, whole=True)), np.int16(9000), np.int16(0))
        points = index.spread_names(by_name)
    else:
        points = _points_of_name(index, parse_name(term.text))
    return _Found(points > 0, points)


def _points_of_name(index: Index, query: Name) -> I16:
    """The points of all rows by the strong tiers, qualifiers included."""
    if not query.name:
        members = member_points(index, query)
        return np.where(members >= best_tier([members]), members, 0).astype(np.int16)
    points: I16 = np.zeros(index.n_symbols, dtype=np.int16)
    for text in {query.name, query.literal}:
        numbers, of_names = strong_names(index, Needle(text))
        rows = index.rows_of_names(numbers)
        of_rows = np.repeat(of_names, index.name_first[numbers + 1] - index.name_first[numbers])
        if text == query.name:
            of_rows = qualify(index, query, rows, of_rows)
        points[rows] = np.maximum(points[rows], of_rows)
    return points


def _container(index: Index, term: Term) -> _Found:
    if term.is_phrase or term.is_wildcard:
        hits = index.containers.holding(_pattern(term, whole=True))
    else:
        hits = _with_part(index.containers, term.text, ".", lambda container: container.split("."))
    return _Found(hits[index.all_containers()], None)


def _path(index: Index, term: Term, prefix: str = "") -> _Found:
    if term.is_wildcard:
        return _Found(index.spread_files(path_files(index, (term.text,), prefix)), None)
    if term.is_phrase or "/" in term.text:
        hits = index.paths.holding(_pattern(Term("", term.text, is_phrase=True), whole=False))
        if prefix and _wanted(term).startswith(wanted := fold(prefix).encode()):
            hits = hits | index.paths.holding(re.compile(_TEXT_START + re.escape(_wanted(term).removeprefix(wanted))))
    else:
        hits = _with_part(index.paths, term.text, "/", lambda path: [*path_parts(path), path.rsplit("/", 1)[-1]])
    return _Found(index.spread_files(hits), None)


def _with_part(table: StringTable, word: str, mark: str, divide: Callable[[str], list[str]]) -> Mask:
    """The texts one of whose parts, between such marks, the word matches by a strong tier."""
    needle = Needle(word)
    matches: dict[str, bool] = {}
    hits = np.zeros(len(table), dtype=bool)
    # Whatever the tier, the letters stand in the part in their order.
    letters = [re.escape(letter.encode()) for letter in needle.squashed]
    gap = rb"(?>[^\0" + re.escape(mark.encode()) + rb"]*?"
    in_order = re.compile(b"".join([*letters[:1], *(gap + letter + b")" for letter in letters[1:])]))
    candidates = np.flatnonzero(table.holding(in_order)) if letters else np.arange(len(table))
    for number, text in zip(candidates.tolist(), table.take(candidates), strict=True):
        for part in divide(text):
            if part not in matches:
                matches[part] = match_strong(needle, part, fold(part)) > 0
            if matches[part]:
                hits[number] = True
                break
    return hits


def _kind(index: Index, term: Term) -> _Found:
    hits = kind_traits(index, (term.text,))
    return _Found(hits[index.traits] if index.n_symbols else np.zeros(0, dtype=bool), None)


def _lang(index: Index, term: Term) -> _Found:
    return _Found(index.spread_files(language_files(index, frozenset({term.text}) - {""})), None)


def _signature(index: Index, term: Term) -> _Found:
    return _Found(_in_prose(index, term)[0][index.place[:]], None)


def _doc(index: Index, term: Term) -> _Found:
    return _Found(_in_prose(index, term)[1][index.place[:]], None)


def _in_prose(index: Index, term: Term) -> Mask:
    return texts_holding(index, _pattern(term, whole=False), b"" if term.is_wildcard else _wanted(term))


def _id(index: Index, term: Term, prefix: str = "") -> _Found:
    """The whole id; with a wildcard, whatever it stands for."""
    path = term.text.partition("#")[0]
    rows = np.arange(index.n_symbols)
    if "*" not in path:
        rows = np.flatnonzero(index.spread_files(path_files(index, (path,), prefix))) if path else rows[:0]
    pattern = re.compile(".*".join(re.escape(part) for part in term.text.split("*")), re.DOTALL)
    mask = np.zeros(index.n_symbols, dtype=bool)
    ids = ((row, index.symbol_id(row)) for row in rows.tolist())
    mask[[row for row, known in ids if pattern.fullmatch(known) or (prefix and pattern.fullmatch(prefix + known))]] = True
    return _Found(mask, None)


def _space(index: Index, term: Term) -> _Found:
    if term.text not in SPACES:
        raise one_of("space", term.text, SPACES)
    # An index holds one space; until others are opened beside it, it is the project's.
    return _Found(np.full(index.n_symbols, term.text == "project"), None)


_FIELD_READERS: Final[dict[str, Callable[[Index, Term], _Found]]] = {
    "name": _name,
    "container": _container,
    "path": _path,
    "kind": _kind,
    "lang": _lang,
    "signature": _signature,
    "doc": _doc,
    "space": _space,
}

_PLACE_READERS: Final[dict[str, Callable[[Index, Term, str], _Found]]] = {"path": _path, "id": _id}
"""Fields whose values are shown with what stands before the paths. A word without a field is looked for behind that alone."""


def _wanted(term: Term) -> bytes:
    return fold(term.text).encode().replace(b"\0", b"")


def _pattern(term: Term, whole: bool) -> re.Pattern[bytes]:
    """What to scan a table's folded texts for. whole: a wildcard must match all of a text; a phrase is found anywhere; a word
    of prose at its beginning only (`test` is not in `latest`)."""
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

WILDCARD_BYTES: Final = 200
"""The longest wildcard."""
