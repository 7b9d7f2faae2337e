"""Finds symbols of one qualified name that are parts of one type, by a language's patterns over
signatures (`parts`, `file_parts`)."""

import re
from collections.abc import Sequence
from typing import Final

from symindex.extract.languages.rules import rules_of
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.overloading import Overloads
from symindex.resolve.tree import Row, Tree, rows_of

_SHOWN: Final = 3
"""Most overloads that a notice names."""

_COPIES = SymbolFlag.TEST | SymbolFlag.VENDORED


def other_parts(tree: Tree, row: Row, namesakes: Sequence[Row]) -> list[Row]:
    """Returns the other parts of a type, ordered by place; without tests and copies, unless it is
    one itself."""
    whole = _whole_of(tree, row)
    if whole is None:
        return []
    alien = SymbolFlag(0) if row.flags & _COPIES else _COPIES
    parts = [
        namesake
        for namesake in namesakes
        if namesake != row and not namesake.flags & alien and _whole_of(tree, namesake) == whole
    ]
    return sorted(
        parts,
        key=lambda namesake: (
            namesake.file.path != row.file.path,
            namesake.file.path,
            namesake.line,
        ),
    )


def are_parts_of_one(tree: Tree, row: Row, other: Row) -> bool:
    """Whether two symbols are parts of one type; one may be a test or a copy."""
    whole = _whole_of(tree, row)
    return whole is not None and whole == _whole_of(tree, other)


def largest_parts(tree: Tree, rows: Sequence[Row]) -> list[Row]:
    """Returns the symbols in their order, with only the largest part of each type."""
    largest: dict[object, Row] = {}
    for row in rows:
        whole = _whole_of(tree, row) or row
        largest[whole] = max(
            largest.get(whole, row), row, key=lambda part: part.lines[1] - part.lines[0]
        )
    return list(largest.values())


def _whole_of(tree: Tree, row: Row) -> tuple[str, str, str] | None:
    """Returns the identity of the type that a symbol is a part of, equal for all parts; `None` if
    it is not a part."""
    language = row.file.known_language
    definition = tree.languages.by_id.get(language)
    if definition is None or KINDS[row.kind].quality:
        return None
    rules, signature = rules_of(definition), row.index.signature(row.number)
    if rules.parts.is_in(signature):
        return language, row.qualified_name, ""
    return (
        (language, row.qualified_name, row.file.path) if rules.file_parts.is_in(signature) else None
    )


def members_of_part(part: Row, container: str) -> list[Row]:
    """Returns the members in one part of a type."""
    first, last = part.lines
    return [
        member
        for member in rows_of(part.file)
        if member.container == container and first <= member.line <= last
    ]


def created_by(tree: Tree, row: Row) -> Row | None:
    """Returns the type that code names to call a constructor; `None` for anything else, and for a
    constructor that has the name of its type."""
    own_name = row.container.rpartition(".")[2]
    if row.kind is not SymbolKind.CONSTRUCTOR or row.name == own_name:
        return None
    around = [one for one in rows_of(row.file) if one.qualified_name == row.container]
    return next((one for one in around if KINDS[one.kind].quality == 0), None)


def overloads_of(resolver: Resolver, row: Row) -> list[Row]:
    """Returns the functions of one type that have a function's name, in order; none if it is the
    only one."""
    return sorted(Overloads(resolver, row).rows, key=lambda one: one.index.places(one.number)[0])


def overloads_named(resolver: Resolver, row: Row, text: str) -> list[Row]:
    """Returns the overloads that a name means together, in order; none for an id or a place, which
    means one of them. row: the symbol, or one of the symbols, that the text leads to."""
    bare = text.strip().strip("`")
    is_id = "#" in bare and row.id.endswith(bare)
    return [] if is_id or _PLACE.fullmatch(bare) else overloads_of(resolver, row)


_PLACE: Final = re.compile(r".+:\d+", re.DOTALL)


def tell_overloads(resolver: Resolver, row: Row) -> str:
    """Returns a notice with the signature of a function that names the others of its name and type;
    empty if there are none."""
    others = [one for one in overloads_of(resolver, row) if one != row]
    if not others:
        return ""
    n_all = len(others) + 1
    shown = _shown(others)
    return f"{row.id} is one of {n_all} overloads, `{_signature(row)}`; the others: {shown}"


def tell_together(rows: Sequence[Row]) -> str:
    """Returns a notice that an answer is about several overloads."""
    name = rows[0].qualified_name
    return f"this answer is about all {len(rows)} overloads of {name}: {_shown(rows)}"


def _shown(rows: Sequence[Row]) -> str:
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return ", ".join(row.id for row in rows[:_SHOWN]) + more


def _signature(row: Row) -> str:
    return row.index.signature(row.number).replace("`", "'")
