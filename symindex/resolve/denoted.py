"""What an expression denotes, and where it is written."""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple

from symindex.extract.file_bindings import Import
from symindex.protocol.kinds import CALLABLE_KINDS, KINDS, SymbolKind
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row

OF_TYPES: Final = ("type", "inherit", "implement")
"""Roles of names that mean types."""


class Kind(Enum):
    """What an expression denotes. VALUE: a value of one of the types `rows`. SYMBOL: one of the
    symbols. MODULE: the files `paths`. FOREIGN: something that the tree does not define."""

    SYMBOL = "symbol"
    VALUE = "value"
    MODULE = "module"
    FOREIGN = "foreign"
    UNKNOWN = "unknown"


class Written(NamedTuple):
    """A type as a file writes it, inside a container."""

    file: FileFacts
    container: str
    text: str


class Denoted(NamedTuple):
    """What an expression denotes.

    written: of a value, its type as it is written, if it has arguments, and so perhaps elements.
    is_package: whether it is a package or namespace: `paths` are its whole name, and the path of a
    file that names it.
    is_boxed: whether it is a box that holds a value of the types. is_wrapped: whether a value is in
    one of another type that gives access to it, and has members of its own.
    """

    kind: Kind
    rows: tuple[Row, ...] = ()
    paths: tuple[str, ...] = ()
    is_package: bool = False
    is_boxed: bool = False
    is_wrapped: bool = False
    is_pointed: bool = False
    written: Written | None = None


UNKNOWN: Final = Denoted(Kind.UNKNOWN)
FOREIGN: Final = Denoted(Kind.FOREIGN)
DOUBTFUL: Final = Denoted(Kind.UNKNOWN, paths=("doubtful",))
"""Unknown, and less likely a value that the tree defines: what a function of a library returns."""


class Place(NamedTuple):
    """Where an expression is written.

    file: its file. container: the qualified name of the symbol around it. local: what local
    declarations say about its first names: for each, expressions of types (after a colon) and
    values (after an equals sign), nearest first; `?` says that nothing more is known. imports: the
    imports of functions, which the index does not have. is_type: whether a type is written here, so
    that a member with its name, or something else that shares it, is not meant. is_free: whether
    no function around binds the name, so that what they define does not count.
    """

    file: FileFacts
    container: str = ""
    local: Mapping[str, list[str]] = MappingProxyType({})
    imports: Sequence[Import] = ()
    is_type: bool = False
    is_free: bool = False


def united(found: Sequence[Denoted]) -> Denoted:
    """Joins alternatives: the symbols or values of all; UNKNOWN if one is unknown."""
    unique = list(dict.fromkeys(found))
    if len(unique) == 1:
        return unique[0]
    if any(one.kind is Kind.UNKNOWN for one in unique):
        return UNKNOWN
    known = [one for one in unique if one.kind is not Kind.FOREIGN]
    if not known:
        collections = [one for one in unique if one.written is not None]
        return collections[0] if len(collections) == 1 else FOREIGN
    if len(known) < len(unique) or any(one.kind is not known[0].kind for one in known):
        return known[0] if len(known) == 1 else UNKNOWN
    rows = dict.fromkeys(row for one in known for row in one.rows)
    return known[0]._replace(rows=tuple(rows), paths=known[0].paths, written=None)


def fitting(denoted: Denoted, is_called: bool) -> Denoted:
    """Leaves out the fields that a call does not mean, and the methods that anything else does not,
    where a type has both under one name."""
    rows = tuple(row for row in denoted.rows if (row.kind in CALLABLE_KINDS) == is_called)
    return denoted._replace(rows=rows) if rows and denoted.kind is Kind.SYMBOL else denoted


def opened(receiver: Denoted, before: str) -> Denoted:
    """Returns what a box holds, where a question mark before a name opens it; UNKNOWN where the
    code before the name is not known."""
    before = before.rstrip(". ")
    if not receiver.is_boxed or before.endswith("?"):
        return receiver._replace(is_boxed=False)
    return receiver if before.strip("…") else UNKNOWN


def is_type(row: Row) -> bool:
    """Whether a symbol is a type, or a single object with members, which may have bases as well."""
    return KINDS[row.kind].quality == 0 or row.kind is SymbolKind.OBJECT


def is_callable(row: Row) -> bool:
    return row.kind in CALLABLE_KINDS


def with_type(rows: Sequence[Row]) -> list[Row]:
    """Returns the first of several definitions of a name; with a module, the type that is called
    like it."""
    types = [row for row in rows if is_type(row)]
    has_companion = bool(rows) and rows[0].kind is SymbolKind.MODULE
    return [*rows[:1], *(types[:1] if has_companion else [])]


def has_members(row: Row) -> bool:
    return row.kind not in CALLABLE_KINDS


def is_named_as_its_type(row: Row) -> bool:
    """Whether a symbol is a constructor that has the name of its type, which the name means."""
    return row.kind is SymbolKind.CONSTRUCTOR and row.name == row.container.rpartition(".")[2]


def is_accessor(row: Row) -> bool:
    """Whether a property is a function that gets or sets it."""
    return re.search(rf"\b{re.escape(row.name)}\s*\(", row.index.signature(row.number)) is not None
