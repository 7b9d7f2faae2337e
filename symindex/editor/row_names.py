"""Chooses the name of each row that an editor shows.

Editors filter the rows of an answer again: VS Code keeps only rows whose name contains the
characters of the query in order, including separators. So a qualified query, and no other, is
answered with qualified names, in the separators of the query.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from symindex.editor.editor_positions import Match
from symindex.index.columns.arrays import I64
from symindex.index.snapshot import Snapshot
from symindex.search.language.qualifiers import matched_parts, path_parts
from symindex.search.language.query import Name, Query, separators_of
from symindex.text.folding import is_in_order

MORE_ROWS: Final = 4
"""Factor by which more hits are read if editors may drop some of them."""

Row = tuple[str, str, Match]
"""The name and the container as an editor shows them, and their match."""


def may_be_dropped(typed: str) -> bool:
    """Whether many hits of a query may lack one of its characters: a search ignores `_`, `-` and
    accents."""
    return not (typed.isascii() and typed.isalnum())


def name_rows(query: Query, matches: list[Match], limit: int | None) -> list[Row]:
    """Returns the rows that editors keep, at most `limit`. If they would keep none, returns rows
    that lack a separator or an accent of the query."""
    if not isinstance(query, Name):
        return [(match.name, match.container, match) for match in matches[:limit]]
    if _is_bare(query):
        rows = [(match.name, match.container, match) for match in matches]
    else:
        rows = [(*_shown(query, match), match) for match in matches]
    is_kept = kept_names(query, [row[0] for row in rows])
    return ([row for row, stays in zip(rows, is_kept, strict=True) if stays] or rows)[:limit]


def places_to_show(snapshot: Snapshot, query: Query, rows: I64, limit: int) -> I64:
    """Returns the positions in `rows` of the rows that `name_rows` would choose from. Only their
    names are read: reading whole rows takes five times as long."""
    if len(rows) <= limit or not isinstance(query, Name) or not _is_bare(query):
        return np.arange(len(rows))
    names = snapshot.read(rows, lambda _, block: block.names)
    places = np.flatnonzero(kept_names(query, names))
    if not len(places):
        places = np.arange(len(rows))
    return places[: limit + limit // _SPARE]


_SPARE: Final = 8
"""One spare row is chosen for each group of this size, because some rows may be typedefs of
others."""


def _is_bare(query: Name) -> bool:
    """Whether the query is a name and nothing else."""
    return not query.qualifiers and query.literal == query.name


def kept_names(query: Name, names: Sequence[str]) -> list[bool]:
    """Returns for each name whether an editor keeps its row: whether the name contains the
    characters of the query in order."""
    literal = query.literal.lower()
    if may_be_dropped(query.literal):
        return [is_in_order(literal, name.lower()) for name in names]
    return [
        name.isascii() or is_in_order(literal, name.lower()) for name in names
    ]  # a search by letters alone finds no other names


def _shown(query: Name, match: Match) -> tuple[str, str]:
    """Returns the name and the container to show."""
    name, container = match.name, match.container
    if not query.qualifiers:
        # `::Session` means a name at the top level: the separator at its beginning is shown, too.
        typed = separators_of(query) if query.literal != query.name else []
        return next(
            (leading for leading in typed if query.literal.startswith(leading)), ""
        ) + name, container
    containers = container.split(".") if container else []
    for parts in (containers, path_parts(match.path) + containers):
        matched = matched_parts(parts, query.qualifiers)
        if matched:
            return _join(query, parts, matched, name), ""
    return name, container  # the name itself contains what looks like a separator


def _join(query: Name, parts: list[str], matched: list[int], name: str) -> str:
    """Returns the qualified name, starting at the first matched part."""
    # An empty part, from a leading separator, matches nothing.
    separators = separators_of(query)[-len(matched) :]
    text = ""
    for number in range(matched[0], len(parts)):
        typed = sum(place <= number for place in matched) - 1
        text += parts[number] + separators[min(typed, len(separators) - 1)]
    return text + name
