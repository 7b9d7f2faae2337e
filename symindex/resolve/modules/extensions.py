"""Members that code adds to types from outside, where a language allows it for any type."""

import re
from collections.abc import Sequence
from typing import Final

from symindex.resolve.reading.expressions import split, types_in
from symindex.resolve.reading.files import FileFacts, Files
from symindex.resolve.reading.overloads import Arguments, are_alike, fitting_overloads
from symindex.resolve.tree import Row

_ALL_TYPES: Final = frozenset({"Any", "Object"})
"""Types that are above all others."""


def are_allowed(files: Files, file: FileFacts) -> bool:
    """Whether code in a file may use members that are defined outside of their types."""
    rules = files.rules_of(file)
    return rules is not None and rules.extensions


def find(files: Files, lineage: Sequence[Row], name: str) -> tuple[Row, ...]:
    """Returns the members of a name that the tree may add to a type from outside.

    lineage: the type and its supertypes.
    """
    types = _ALL_TYPES.union(row.name for row in lineage)
    family = files.family(files.of(lineage[0]))
    return tuple(
        row
        for row in files.named(name)
        if row.container
        and row.file.known_language in family
        and is_extension(files, row)
        and (_last(row.container) in types or _is_of_parameter(files, row))
    )


def without_hidden(files: Files, rows: Sequence[Row], given: Arguments | None) -> tuple[Row, ...]:
    """Leaves out the functions that are added to a type from outside and that one of its own hides,
    which has parameters of the same types, where these alone tell functions apart.

    rows: of one name. given: the arguments of a call; `None` if they are not known.
    """
    rules = files.rules_of(files.of(rows[0])) if rows else None
    added = [row for row in rows if is_extension(files, row)]
    own = [row for row in rows if row not in added]
    if rules is None or rules.overriding != "types" or not (own and added):
        return tuple(rows)
    shown = [row for row in added if not any(are_alike(row, one, True) for one in own)]
    return fitting_overloads((*own, *shown), given) or tuple(rows)


def is_extension(files: Files, row: Row) -> bool:
    """Whether a symbol is a member that is added to its type from outside."""
    file = files.of(row)
    return are_allowed(files, file) and file.is_extension(row)


def are_apart(files: Files, one: Row, other: Row) -> bool:
    """Whether one of two members of a name is added to their type from outside, and one is not."""
    return is_extension(files, one) is not is_extension(files, other)


def receiver_of(files: Files, row: Row) -> str | None:
    """Returns the type of the first parameter of a function that is called as a member of its
    argument, as it is written; `None` for any other symbol."""
    language = files.tree.languages.by_id.get(row.file.known_language)
    pattern = language.rules.roles.extensions if language is not None else ""
    signature = row.index.signature(row.number) if pattern else ""
    sign = re.search(pattern, signature) if pattern else None
    return split(signature[sign.end() :], ",)")[0] if sign is not None else None


def have_receivers(files: Files, file: FileFacts) -> bool:
    """Whether code in a file may call functions as members of an argument."""
    language = files.tree.languages.by_id.get(file.file.known_language)
    return language is not None and bool(language.rules.roles.extensions)


def is_of_conversion(files: Files, row: Row) -> bool:
    """Whether a symbol is a member of a type that values of others are converted to without being
    named: by the type itself or by a function."""
    rules = files.rules_of(files.of(row))
    if rules is None or not rules.conversions or not row.container:
        return False
    name = _last(row.container)
    types = files.of(row).by_name.get(row.container, ())
    return any(_matches(rules.conversions, type_row) for type_row in types) or any(
        name in types_in(fact.type)
        and fact.symbol >= 0
        and _matches(rules.conversions, file.rows[fact.symbol])
        for file in files.mentioning([name])
        for fact in file.bindings.types
        if fact.symbol < len(file.rows) and not fact.name
    )


def _matches(pattern: str, row: Row) -> bool:
    return re.search(pattern, row.index.signature(row.number)) is not None


def _is_of_parameter(files: Files, row: Row) -> bool:
    """Whether a member is added to values of a type parameter."""
    return files.of(row).parameter(row.qualified_name, _last(row.container)) is not None


def _last(container: str) -> str:
    return container.rpartition(".")[2]
