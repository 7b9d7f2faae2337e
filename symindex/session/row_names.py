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
    names = RowNames(query)
    rows = [(*names.name(match.name, match.container, match.path), match) for match in matches]
    return ([row for row in rows if names.keeps(row[0])] or rows)[:limit]


class RowNames:
    """The names of the rows of an answer to one query."""

    def __init__(self, query: Query) -> None:
        self._typed = query.literal.lower() if isinstance(query, Name) else None
        self._is_plain = self._typed is not None and self._typed.isascii() and self._typed.isalnum()
        self._query = query if isinstance(query, Name) and query.qualifiers else None
        # `::Session` means a name at the top.
        self._leading = _leading_of(query) if isinstance(query, Name) and not query.qualifiers else ""
        self._separators = separators_of(query) if isinstance(query, Name) else []

    def keeps(self, shown: str) -> bool:
        """Whether an editor keeps a row of that name: whether it holds the letters of the query in order."""
        if self._is_plain and shown.isascii():  # by letters alone a search finds no others
            return True
        return self._typed is None or is_in_order(self._typed, shown.lower())

    def name(self, name: str, container: str, path: str) -> tuple[str, str]:
        """Name and container to show."""
        query = self._query
        if query is None:
            return self._leading + name, container
        containers = container.split(".") if container else []
        for parts in (containers, path_parts(path) + containers):
            matched = matched_parts(parts, query.qualifiers)
            if matched:
                return self._join(parts, matched, name), ""
        return name, container  # the name itself holds what looks like a separator

    def _join(self, parts: list[str], matched: list[int], name: str) -> str:
        """The qualified name from the first matched part on."""
        # An empty part, as a leading separator makes one, has matched nothing.
        separators = self._separators[-len(matched) :]
        text = ""
        for number in range(matched[0], len(parts)):
            typed = sum(at <= number for at in matched) - 1
            text += parts[number] + separators[min(typed, len(separators) - 1)]
        return text + name


def _leading_of(query: Name) -> str:
    """The separator at the beginning of the query."""
    if query.literal == query.name:
        return ""
    return next((separator for separator in separators_of(query) if query.literal.startswith(separator)), "")
