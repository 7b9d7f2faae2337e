"""Boolean queries: a tree to the scores of all rows.

A word or phrase without a field is looked for in the name, then in container, path, signature and doc, each weighing less; a
wildcard without a field in the name; a term with a field only there. `AND` and `OR` combine: the mean of the parts that say
something about the name, or the best of them. Parts that only filter (`kind:`, `lang:`, `NOT ...`) do not change the score.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from symindex.errors import RequestError, one_of
from symindex.index.columns import Index, StringTable
from symindex.index.fold import fold
from symindex.search.filters import Mask, kind_mask, language_mask, path_mask
from symindex.search.lookup import Scores, path_parts, strong_scores
from symindex.search.names import Needle, match_strong
from symindex.search.query import And, Node, Not, Or, Term, parse_name

BEST: Final = 0.95
"""The highest score of a boolean query's hit: 1.0 is kept for names that are the query."""

WEIGHTS: Final = {"container": 0.4, "path": 0.3, "signature": 0.2, "doc": 0.1}
"""What a term is worth that was found elsewhere than in the name."""

SPACES: Final = ("project", "user", "system")


@dataclass(frozen=True)
class _Found:
    """The rows that a part of the query matches; scores: `None` where the part only filters."""

    mask: Mask
    scores: Scores | None


def evaluate(index: Index, node: Node) -> Scores:
    """The scores of all rows; 0.0 for those that do not match. Raises RequestError for an impossible field value."""
    found = _evaluate(index, node)
    if found.scores is None:
        return np.where(found.mask, 0.5, 0.0)
    return np.where(found.mask, np.clip(found.scores * BEST, 0.01, BEST).round(4), 0.0)


def _evaluate(index: Index, node: Node) -> _Found:
    if isinstance(node, Term):
        return _evaluate_term(index, node)
    if isinstance(node, Not):
        return _Found(~_evaluate(index, node.part).mask, None)
    parts = [_evaluate(index, part) for part in node.parts]
    scored = [part.scores for part in parts if part.scores is not None]
    if isinstance(node, And):
        mask = np.logical_and.reduce([part.mask for part in parts])
        return _Found(mask, np.mean(scored, axis=0) if scored else None)
    assert isinstance(node, Or)
    mask = np.logical_or.reduce([part.mask for part in parts])
    return _Found(mask, np.max(scored, axis=0) if scored else None)


def _evaluate_term(index: Index, term: Term) -> _Found:
    if term.field:
        return _FIELD_READERS[term.field](index, term)
    by_name = _name(index, term)
    if term.is_wildcard or by_name.scores is None:
        return by_name
    scores = by_name.scores
    for field, weight in WEIGHTS.items():
        # Beside names, a bare word is looked for as it stands: abbreviations of folders would match everything.
        reader = _FIELD_READERS[field]
        plain = term if field in ("signature", "doc") else Term("", term.text, is_phrase=True)
        scores = np.maximum(scores, np.where(reader(index, plain).mask, weight, 0.0))
    return _Found(scores > 0, scores)


def _name(index: Index, term: Term) -> _Found:
    if term.is_phrase or term.is_wildcard:
        by_name = np.where(index.folded.holding(_pattern(term, whole=True)), 0.9, 0.0)
        scores = by_name[index.u32("name")] if len(by_name) else np.zeros(index.n_symbols)
    else:
        scores = strong_scores(index, parse_name(term.text))
    return _Found(scores > 0, scores)


def _container(index: Index, term: Term) -> _Found:
    if term.is_phrase or term.is_wildcard:
        hits = index.containers.holding(_pattern(term, whole=True))
    else:
        hits = _with_part(index.containers, term.text, lambda container: container.split("."))
    return _Found(hits[index.u32("container")], None)


def _path(index: Index, term: Term) -> _Found:
    if term.is_wildcard:
        return _Found(path_mask(index, [term.text]), None)
    if term.is_phrase or "/" in term.text:
        hits = index.paths.holding(_pattern(Term("", term.text, is_phrase=True), whole=False))
    else:
        hits = _with_part(index.paths, term.text, lambda path: [*path_parts(path), path.rsplit("/", 1)[-1]])
    return _Found(hits[index.u32("file")] if len(hits) else np.zeros(0, dtype=bool), None)


def _with_part(table: StringTable, word: str, divide: Callable[[str], list[str]]) -> Mask:
    """The texts one of whose parts the word matches by a strong tier."""
    needle = Needle(word)
    matches: dict[str, bool] = {}
    hits = np.zeros(len(table), dtype=bool)
    for number, text in enumerate(table.all):
        for part in divide(text):
            if part not in matches:
                matches[part] = match_strong(needle, part, fold(part)) > 0
            if matches[part]:
                hits[number] = True
                break
    return hits


def _kind(index: Index, term: Term) -> _Found:
    return _Found(kind_mask(index, [term.text]), None)


def _lang(index: Index, term: Term) -> _Found:
    wanted = {language for language in index.columns.language_ids if language and language == term.text}
    return _Found(language_mask(index, wanted), None)


def _signature(index: Index, term: Term) -> _Found:
    return _Found(index.signatures.holding(_pattern(term, whole=False))[index.u32("signature")], None)


def _doc(index: Index, term: Term) -> _Found:
    return _Found(index.docs.holding(_pattern(term, whole=False))[index.u32("doc")], None)


def _id(index: Index, term: Term) -> _Found:
    """The whole id; with a wildcard, whatever it stands for."""
    path = term.text.partition("#")[0]
    rows = np.flatnonzero(path_mask(index, [path])) if "*" not in path else np.arange(index.n_symbols)
    pattern = re.compile(".*".join(re.escape(part) for part in term.text.split("*")), re.DOTALL)
    mask = np.zeros(index.n_symbols, dtype=bool)
    mask[[row for row in rows.tolist() if pattern.fullmatch(index.symbol_id(row))]] = True
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
    "id": _id,
    "space": _space,
}


def _pattern(term: Term, whole: bool) -> re.Pattern[bytes]:
    """What to scan a table's folded texts for. whole: a wildcard must match all of a text; a phrase is found anywhere; a word
    of prose at its beginning only (`test` is not in `latest`)."""
    wanted = fold(term.text).encode().replace(b"\0", b"")
    if not term.is_wildcard:
        return re.compile(re.escape(wanted) if term.is_phrase or whole else _WORD_START + re.escape(wanted))
    if len(wanted) > WILDCARD_BYTES:
        raise RequestError(f"wildcard of {len(wanted)} bytes: at most {WILDCARD_BYTES} are read")
    gap = rb"[^\0]" if whole else rb"[0-9a-z_\x80-\xff]"
    first, *middle, last = (re.escape(part) for part in wanted.split(b"*"))
    # Atomic groups: where a piece is found first is as good as where it is found later, so nothing is tried twice.
    if not any((first, *middle, last)):
        return re.compile(rb"(?<![^\0])" if whole else gap)
    pieces = b"".join(rb"(?>" + gap + rb"*?" + piece + rb")" for piece in middle if piece)
    if whole:
        return re.compile(rb"(?<![^\0])" + first + pieces + rb"[^\0]*" + last + rb"(?=\0)")
    return re.compile((_WORD_START if first else b"") + first + pieces + gap + rb"*?" + last)


_WORD_START: Final = rb"(?<![0-9a-z\x80-\xff])"

WILDCARD_BYTES: Final = 200
"""The longest wildcard."""
