"""Divides a query at ` | `: what follows the bar only leaves out hits of what precedes it.

`parse | lang:go` finds those hits of `parse` that are in Go. In `parse lang:go`, which is a boolean
query, `parse` is a word of names, paths, signatures and docs instead.
"""

import re
from typing import Final

from symindex.errors import RequestError
from symindex.search.language.parse_query import QUERY_CHARACTERS, parse_in_field
from symindex.search.language.query import And, Node, Not, Term

NARROWING_FIELDS: Final = ("kind", "lang", "path", "is", "space", "repo", "branch")
"""The fields that may follow a bar. A text with any other term is not narrowed: the bar in `int |
None` is part of a type."""

_BAR: Final = re.compile(r"(?:^|\s)\|\s")


def divide_at_bars(text: str) -> tuple[str, Node | None]:
    """Returns the query without what narrows it, and the tree that all hits must match; `None` if
    nothing narrows the query. There may be several bars."""
    bars = [*_BAR.finditer(text)] if len(text) <= QUERY_CHARACTERS else []
    nodes: list[Node] = []
    for bar in reversed(bars):
        try:
            node = parse_in_field(text[bar.end() :], "")
        except RequestError:
            break
        if not _only_narrows(node):
            break
        nodes.insert(0, node)
        text = text[: bar.start()]
    return text, And(tuple(nodes)) if len(nodes) > 1 else nodes[0] if nodes else None


def _only_narrows(node: Node) -> bool:
    if isinstance(node, Term):
        return node.field in NARROWING_FIELDS
    return all(map(_only_narrows, (node.part,) if isinstance(node, Not) else node.parts))
