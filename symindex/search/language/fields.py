"""The fields that contain facts rather than text: `kind`, `type`, `lang`, `is`, `space`, `id`, the
repository, and the metadata of items.

Each field is a function from a part of a snapshot and a term to the rows that match. Values are
words of closed lists, in any case, in which `*` is any text; ids and metadata are texts.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.errors import one_of
from symindex.extract.languages.registry import Languages
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.rows import Rows
from symindex.index.snapshot import Part
from symindex.protocol.kinds import TOLD_FLAGS, SymbolKind
from symindex.search.answer.filters import kind_traits, language_files
from symindex.search.answer.items import rows_where, types_of, values_of
from symindex.search.language.query import Node, Term, map_terms
from symindex.search.language.repositories import rows_of_repositories
from symindex.search.options.scopes import read_types, rows_of_types
from symindex.text.folding import fold
from symindex.text.patterns.wildcard import matches_wildcard
from symindex.text.words import stem, words_of

SPACES: Final = ("project", "user", "system")

FLAGS: Final = {str(flag.name).lower(): flag.value for flag in TOLD_FLAGS}
"""The words of `is`, and their bits."""


def _meant(noun: str, term: Term, allowed: Collection[str]) -> list[str]:
    """Returns the words of a list that a term means. Raises RequestError, which lists the words, if
    there are none."""
    typed = term.text.lower()
    if term.is_wildcard:
        words = [word for word in allowed if matches_wildcard(typed, word.lower())]
    else:
        words = [word for word in allowed if word.lower() == typed]
    if not words:
        raise one_of(noun, term.text, allowed)
    return words


def _kind(part: Part, term: Term) -> Mask:
    return kind_traits(part.index, tuple(_meant("kind", term, list(SymbolKind))))[part.index.traits]


def _language(part: Part, term: Term) -> Mask:
    """Matches ids of languages: `with_language_ids` has replaced other names by ids, and refused
    unknown ones."""
    index = part.index
    in_index = [language for language in index.columns.language_ids if language]
    pattern = term.text.lower()
    ids = (
        {language for language in in_index if matches_wildcard(pattern, language)}
        if term.is_wildcard
        else {*term.text.split(",")} - {""}
    )
    mask: Mask = index.spread_files(language_files(index, frozenset(ids)))
    return mask


def _flag(part: Part, term: Term) -> Mask:
    index = part.index
    bits = sum(FLAGS[word] for word in _meant("flag", term, FLAGS))
    traits = np.array([traits >> 8 & bits != 0 for traits in index.columns.traits_of], dtype=bool)
    mask: Mask = traits[index.traits]
    return mask


def _space(part: Part, term: Term) -> Mask:
    return np.full(part.index.n_symbols, part.space.word in _meant("space", term, SPACES))


def _type(part: Part, term: Term) -> Mask:
    """Matches a kind of symbols, a type of items, or a word for several. `search/answer/universe`
    decides whether there is such a type."""
    if not term.is_wildcard:
        return rows_of_types(part, read_types(term.text))
    types = {*types_of(part), *map(str, SymbolKind)}
    pattern = term.text.lower()
    return rows_of_types(
        part, tuple(word for word in sorted(types) if matches_wildcard(pattern, word.lower()))
    )


def _metadata(part: Part, term: Term) -> Mask:
    """Matches items with a text in a field: all of its words, the whole phrase, or a wildcard."""
    folded = fold(term.text)
    words = {stem(word) for word in words_of(term.text)}

    def holds(text: str) -> bool:
        if term.is_wildcard:
            return matches_wildcard(folded, fold(text))
        if term.is_phrase or not words:
            return folded in fold(text)
        return words <= {stem(word) for word in words_of(text)}

    return rows_where(part.index, lambda fact: any(map(holds, values_of(fact, term.field))))


def _id(part: Part, term: Term) -> Mask:
    """Matches the whole id, in the case of the source tree."""
    index, prefix = part.index, part.prefix

    def matches(symbol_id: str) -> bool:
        return (
            matches_wildcard(term.text, symbol_id) if term.is_wildcard else symbol_id == term.text
        )

    rows = _rows_of_path(index, term, prefix)
    mask = np.zeros(index.n_symbols, dtype=bool)
    mask[rows] = [
        matches(symbol_id) or (prefix != "" and matches(prefix + symbol_id))
        for symbol_id in _ids(index, rows)
    ]
    of_items: Mask = mask | rows_where(index, lambda fact: matches(fact.id))
    return of_items


def with_language_ids(node: Node, languages: Languages) -> Node:
    """Returns the tree with ids instead of other names of languages. Raises RequestError for an
    unknown language."""

    def with_id(term: Term) -> Term:
        is_language = term.field == "lang" and not term.is_wildcard
        return Term("lang", ",".join(sorted(languages.ids_of(term.text)))) if is_language else term

    return map_terms(node, with_id)


_ROWS_AT_ONCE: Final = 4_096
"""Ids that are made between two checks for cancellation."""


def _ids(index: Index, rows: I64) -> Iterator[str]:
    """Yields the ids of rows, which are in order and include all rows of each of their files. They
    equal those of `Index.symbol_id`, but many are made at once."""
    counts: Counter[str] = Counter()
    last = None
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        check_wanted()
        batch = Rows(index, rows[start : start + _ROWS_AT_ONCE])
        for path, container, name in zip(batch.paths, batch.containers, batch.names, strict=True):
            if name != last:  # rows of one name are consecutive
                counts.clear()
                last = name
            symbol_id = f"{path}#{container}.{name}" if container else f"{path}#{name}"
            counts[symbol_id] += 1
            yield f"{symbol_id}~{counts[symbol_id]}" if counts[symbol_id] > 1 else symbol_id


def _rows_of_path(index: Index, term: Term, prefix: str) -> I64:
    """Returns the rows of the files that may have an id, by the part of the id before its first
    `*`."""
    begins, star, _ = term.text.partition("*") if term.is_wildcard else (term.text, "", "")

    def may_be(path: str) -> bool:
        return begins.startswith(f"{path}#") or (star != "" and f"{path}#".startswith(begins))

    files = [may_be(path) or (prefix != "" and may_be(prefix + path)) for path in index.paths.all]
    return np.flatnonzero(index.spread_files(np.array(files, dtype=bool)))


FACTS: Final[dict[str, Callable[[Part, Term], Mask]]] = {
    "kind": _kind,
    "type": _type,
    "lang": _language,
    "is": _flag,
    "space": _space,
    "id": _id,
    "repo": rows_of_repositories,
    "branch": rows_of_repositories,
}


def rows_of_fact(part: Part, term: Term) -> Mask:
    """Returns, by row, whether a term of a field of facts matches it."""
    return FACTS.get(term.field, _metadata)(part, term)
