"""The name of each row that an editor shows.

Editors filter the rows of an answer again: VS Code keeps only those whose name has the letters of the query in order, separators
included. So a qualified query, and only that, is answered with qualified names, in the separators of the query.
"""

from typing import Final

from symindex.search.qualifiers import matched_parts, path_parts
from symindex.search.query import Name, Query, separators_of
from symindex.session.editor_positions import Match
from symindex.text.folding import is_in_order

MORE_ROWS: Final = 4
"""How many times as many hits are looked at where editors may drop some."""

Row = tuple[str, str, Match]
"""Name and container as they are shown, and what they belong to."""


def may_be_dropped(typed: str) -> bool:
    """Whether many hits of a query may lack a character of it: a search ignores `_`, `-` and accents."""
    return not (typed.isascii() and typed.isalnum())


def name_rows(query: Query, matches: list[Match], limit: int | None) -> list[Row]:
    """The rows that editors keep, at most `limit`; if they keep none, those that lack a separator or an accent of the query."""
    if not isinstance(query, Name):
        return [(match.name, match.container, match) for match in matches[:limit]]
    rows = [(*_shown(query, match), match) for match in matches]
    return ([row for row in rows if keeps(query, row[0])] or rows)[:limit]


def keeps(query: Name, shown: str) -> bool:
    """Whether an editor keeps a row of that name: whether it holds the letters of the query in order."""
    if shown.isascii() and not may_be_dropped(query.literal):  # by letters alone a search finds no others
        return True
    return is_in_order(query.literal.lower(), shown.lower())


def _shown(query: Name, match: Match) -> tuple[str, str]:
    """Name and container to show."""
    name, container = match.name, match.container
    if not query.qualifiers:
        # `::Session` means a name at the top: the separator at its beginning is shown, too.
        typed = separators_of(query) if query.literal != query.name else []
        return next((leading for leading in typed if query.literal.startswith(leading)), "") + name, container
    containers = container.split(".") if container else []
    for parts in (containers, path_parts(match.path) + containers):
        matched = matched_parts(parts, query.qualifiers)
        if matched:
            return _join(query, parts, matched, name), ""
    return name, container  # the name itself holds what looks like a separator


def _join(query: Name, parts: list[str], matched: list[int], name: str) -> str:
    """The qualified name from the first matched part on."""
    # An empty part, as a leading separator makes one, has matched nothing.
    separators = separators_of(query)[-len(matched) :]
    text = ""
    for number in range(matched[0], len(parts)):
        typed = sum(at <= number for at in matched) - 1
        text += parts[number] + separators[min(typed, len(separators) - 1)]
    return text + name
