"""A member and what overrides it are one question: who calls the one through its interface calls
the other."""

from collections.abc import Callable, Sequence
from typing import Final

from symindex.explore.tree import Row

_MOST: Final = 6
"""The most symbols of one name that are compared: for each, the types above its own are looked
up."""


def overridden_first(rows: Sequence[Row], above: Callable[[Row], Sequence[Row]]) -> list[Row]:
    """Some symbols of one name, the one first that all others override or inherit from; empty where
    there is none such. above: what a symbol overrides, or inherits from."""
    if not 1 < len(rows) <= _MOST:
        return []
    over = {row: {each.qualified_name for each in above(row)} for row in rows}
    for row in rows:
        if all(row.qualified_name in over[other] for other in rows if other != row):
            return [row, *(other for other in rows if other != row)]
    return []
