"""Finds the member that a type inherits, for a text that names it by the type: `Cat.run`, where
only a supertype of `Cat` defines `run`."""

from collections.abc import Sequence
from typing import Final

from symindex.explore.targets.names import symbols_named
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import Denoted, Kind, is_type
from symindex.resolve.tree import Row, Tree
from symindex.text.escaping import shorten
from symindex.text.separators import BETWEEN_NAMES

MOST_TYPES: Final = 5
"""Most types of one name whose supertypes are searched."""


def find_inherited(tree: Tree, name: str, types: Sequence[Row] | None = None) -> list[Row]:
    """Returns the members that a qualified name means by the type that inherits them; none if the
    type has a member of this name itself, or may have it from a library.

    types: those that the part before the last may mean; by default those of the name.
    """
    parts = [part for part in BETWEEN_NAMES.split(name) if part]
    if len(parts) < 2 or not parts[-1].isidentifier():
        return []
    container = ".".join(parts[:-1])
    if types is None:
        types = [meant.row for meant in symbols_named(tree, container)]
    types = [
        row for row in types if is_type(row) and f".{row.qualified_name}".endswith(f".{container}")
    ]
    resolver = Resolver(tree)
    found: dict[Row, None] = {}
    for row in types[:MOST_TYPES]:
        if resolver.own_members(row, parts[-1]):
            return []
        member = resolver.member(Denoted(Kind.VALUE, (row,)), parts[-1])
        if member.kind is Kind.SYMBOL:
            found.update(dict.fromkeys(member.rows))
    return [*found]


def tell_inherited(asked: str, row: Row) -> str:
    """Returns a notice that a type inherits what is shown."""
    return f"{shorten(asked, 100)} is inherited: {row.container or row.id} defines {row.name}"
