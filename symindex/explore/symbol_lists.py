"""Lists of symbols around one symbol: what contains it, its members, its namesakes, as many as
fit."""

from collections.abc import Sequence
from posixpath import commonprefix

from symindex.explore.nest import Nested
from symindex.explore.targets.lines import line_of
from symindex.explore.targets.names import symbols_named
from symindex.explore.targets.type_parts import members_of_part, other_parts
from symindex.protocol.explore import SymbolLine
from symindex.protocol.kinds import KINDS, SymbolFlag
from symindex.resolve.tree import Row, Tree, rows_of, rows_of_container
from symindex.text.token_budget import best_that_fit, estimate_tokens

NamedRows = list[tuple[Row, str]]
"""Symbols with the names that lists show for them."""


def chain_of(nested: Nested) -> list[SymbolLine]:
    """Returns what contains a symbol, outermost first."""
    chain: list[SymbolLine] = []
    while nested.parent is not None:
        nested = nested.parent
        chain.insert(0, line_of(nested.row))
    return chain


def others_that_fit(rows: Sequence[Row], most: int, room: int) -> list[SymbolLine]:
    """Returns the first symbols that fit, at least one. room: in tokens."""
    lines = [line_of(row, id=row.id) for row in rows[:most]]
    costs = [*map(cost_of, lines)]
    return [lines[number] for number in best_that_fit(costs, [0] * len(lines), room, at_least=1)]


def cost_of(line: SymbolLine, own_path: str = "") -> int:
    """Returns the approximate tokens of a row as Markdown (`render/symbol`). own_path: the file for
    which a row shows no path."""
    if line.id:
        return estimate_tokens(f"- `{line.id}` {line.kind}, line {line.line}: `{line.signature}`\n")
    place = line.line if line.file_path == own_path else f"`{line.file_path}:{line.line}`"
    return estimate_tokens(f"- {place} `{line.signature or line.name}` {line.kind}\n")


def rows_that_fit(symbols: NamedRows, room: int, own_path: str) -> tuple[list[SymbolLine], int]:
    """Returns rows for the symbols that fit, in their order, and their cost in tokens. Rows have
    signatures if all of them fit so, else only names; private symbols are dropped first."""
    lines = [line_of(row, name) for row, name in symbols]
    costs = [cost_of(line, own_path) for line in lines]
    if sum(costs) > room:
        for line in lines:
            line.signature = ""
        costs = [cost_of(line, own_path) for line in lines]
    chosen = best_that_fit(costs, [row.flags & SymbolFlag.PRIVATE for row, _ in symbols], room)
    return [lines[number] for number in chosen], sum(costs[number] for number in chosen)


def members_of(tree: Tree, nested: Nested) -> NamedRows:
    """Returns the members inside a symbol, then those that are written elsewhere."""
    inside = {member.row: member.name for member in nested.members}
    elsewhere = [row for row in _members_elsewhere(tree, nested.row) if row not in inside]
    return [*inside.items(), *((row, row.name) for row in elsewhere)]


def _members_elsewhere(tree: Tree, row: Row) -> list[Row]:
    """Returns what belongs to a type but is written elsewhere: its other parts with their members,
    then members in other files of its language. A member counts for the nearest type of that name,
    not if its own file defines that type, and not if the type's file declares it too."""
    if KINDS[row.kind].quality or row.flags & SymbolFlag.LOCAL:
        return []
    by_path: dict[str, list[Row]] = {}
    language, own_path = row.file.known_language, row.file.path
    declared = {
        member.name for member in rows_of(row.file) if member.container == row.qualified_name
    }
    for member in rows_of_container(tree, row.qualified_name):
        file = member.file
        is_elsewhere = file.path != own_path and file.known_language == language
        if is_elsewhere and member.name not in declared:
            by_path.setdefault(file.path, []).append(member)
    namesakes = [
        match.row
        for match in symbols_named(tree, row.qualified_name)
        if match.qualified_name == row.qualified_name
    ]
    in_parts = [
        symbol
        for part in other_parts(tree, row, namesakes)
        for symbol in (part, *members_of_part(part, row.qualified_name))
    ]
    owners = {namesake.file.path for namesake in namesakes if KINDS[namesake.kind].quality == 0}
    return [
        *in_parts,
        *(
            member
            for path, members in sorted(by_path.items())
            if path not in owners and _nearest(path, owners) == own_path
            for member in members
        ),
    ]


def _nearest(path: str, owners: set[str]) -> str:
    """Returns the file among `owners` that shares the most folders with a path."""
    folders = path.split("/")[:-1]
    return max(
        sorted(owners),
        key=lambda owner: len(commonprefix([folders, owner.split("/")[:-1]])),
        default="",
    )
