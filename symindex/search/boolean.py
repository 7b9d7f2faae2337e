"""Boolean queries: a tree to the scores of all rows.

A word or phrase without a field is looked for in the name, then in container, path, signature and doc, each weighing less; a
wildcard without a field in the name; a term with a field only there. `AND` and `OR` combine: the mean of the parts that say
something about the name, or the best of them. Parts that only filter (`kind:`, `lang:`, `NOT ...`) do not change the score.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import translate
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
        by_name = np.where(_matching(index.names, _text_test(term, whole=True)), 0.9, 0.0)
        scores = by_name[index.u32("name")] if len(by_name) else np.zeros(index.n_symbols)
    else:
        scores = strong_scores(index, parse_name(term.text))
    return _Found(scores > 0, scores)


def _container(index: Index, term: Term) -> _Found:
    if term.is_phrase or term.is_wildcard:
        test = _text_test(term, whole=True)
    else:
        needle = Needle(term.text)

        def test(text: str) -> bool:
            return any(match_strong(needle, part, fold(part)) > 0 for part in text.split("."))

    hits = _matching(index.containers, test)
    return _Found(hits[index.u32("container")], None)


def _path(index: Index, term: Term) -> _Found:
    if term.is_wildcard:
        return _Found(path_mask(index, [term.text]), None)
    wanted = fold(term.text)
    needle = Needle(term.text)
    is_part = "/" not in wanted and not term.is_phrase

    def test(path: str) -> bool:
        if not is_part:
            return wanted in fold(path)
        return any(match_strong(needle, part, fold(part)) > 0 for part in [*path_parts(path), path.rsplit("/", 1)[-1]])

    hits = _matching(index.paths, test)
    return _Found(hits[index.u32("file")] if len(hits) else np.zeros(0, dtype=bool), None)


def _kind(index: Index, term: Term) -> _Found:
    return _Found(kind_mask(index, [term.text]), None)


def _lang(index: Index, term: Term) -> _Found:
    wanted = {language for language in index.columns.language_ids if language and language == term.text}
    return _Found(language_mask(index, wanted), None)


def _signature(index: Index, term: Term) -> _Found:
    return _Found(_matching(index.signatures, _text_test(term, whole=False))[index.u32("signature")], None)


def _doc(index: Index, term: Term) -> _Found:
    return _Found(_matching(index.docs, _text_test(term, whole=False))[index.u32("doc")], None)


def _id(index: Index, term: Term) -> _Found:
    test = _text_test(term, whole=True)
    mask = np.array([test(index.symbol_id(row)) for row in range(index.n_symbols)], dtype=bool)
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


def _matching(table: StringTable, test: Callable[[str], bool]) -> Mask:
    return np.fromiter((test(text) for text in table.all), dtype=bool, count=len(table))


def _text_test(term: Term, whole: bool) -> Callable[[str], bool]:
    """Whether a text holds the term, ignoring case. whole: a wildcard must match all of the text; words and phrases never."""
    wanted = fold(term.text)
    if term.is_wildcard:
        if len(wanted) > 200:
            raise RequestError(f"wildcard of {len(wanted)} characters: at most 200 are read")
        pattern = re.compile(translate(_literal_brackets(wanted)) if whole else _inner_wildcard(wanted), re.DOTALL)
        search = pattern.match if whole else pattern.search
        return lambda text: search(fold(text)) is not None
    if term.is_phrase or whole:
        return lambda text: wanted in fold(text)
    # In prose and signatures a word is found at its beginning: `test` is not in `latest`.
    start = re.compile(r"(?<![^\W_])" + re.escape(wanted))
    return lambda text: start.search(fold(text)) is not None


def _literal_brackets(wildcard: str) -> str:
    """Only `*` is special here; `?` and `[` stand for themselves."""
    return wildcard.replace("[", "[[]").replace("?", "[?]")


def _inner_wildcard(wildcard: str) -> str:
    parts = [re.escape(part) for part in wildcard.split("*")]
    return r"(?<![^\W_])" * bool(parts[0]) + r"\w*".join(parts)
