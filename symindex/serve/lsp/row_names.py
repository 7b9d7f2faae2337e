"""What a row is called. Editors filter again what they get: VS Code keeps only rows whose name holds the letters of the query in
order, separators and all. So a qualified query, and only that, is answered with qualified names, in the separators typed.
"""

from symindex.search.qualifiers import matched_parts, path_parts
from symindex.search.query import Name, Query, separators_of
from symindex.text.folding import is_in_order


class Naming:
    """Names rows of an answer to one query."""

    def __init__(self, query: Query) -> None:
        self._typed = query.literal.lower() if isinstance(query, Name) else None
        self._is_plain = self._typed is not None and self._typed.isascii() and self._typed.isalnum()
        self._query = query if isinstance(query, Name) and query.qualifiers else None
        # `::Session` asks for a name at the top.
        self._leading = _leading_of(query) if isinstance(query, Name) and not query.qualifiers else ""
        self._separators = separators_of(query) if isinstance(query, Name) else []

    def keeps(self, shown: str) -> bool:
        """Whether a row of that name is kept by an editor that looks for the letters that were typed, in order."""
        if self._is_plain and shown.isascii():  # a search finds no others by letters alone
            return True
        return self._typed is None or is_in_order(self._typed, shown.lower())

    def name(self, name: str, container: str, path: str) -> tuple[str, str]:
        """Name and container as they are shown."""
        query = self._query
        if query is None:
            return self._leading + name, container
        containers = container.split(".") if container else []
        for parts in (containers, path_parts(path) + containers):
            matched = matched_parts(parts, query.qualifiers)
            if matched:
                return self._join(parts, matched, name), ""
        return name, container  # found as a name that itself holds what looks like a separator

    def _join(self, parts: list[str], matched: list[int], name: str) -> str:
        """From the first part that was asked for on."""
        # An empty part, as a leading separator makes one, has matched nothing.
        separators = self._separators[-len(matched) :]
        text = ""
        for number in range(matched[0], len(parts)):
            typed = sum(at <= number for at in matched) - 1
            text += parts[number] + separators[min(typed, len(separators) - 1)]
        return text + name


def _leading_of(query: Name) -> str:
    """The separator that was typed before all else."""
    if query.literal == query.name:
        return ""
    return next((separator for separator in separators_of(query) if query.literal.startswith(separator)), "")
