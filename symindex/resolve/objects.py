"""Members of objects that only hand on what a name denotes: `query` of `const api = { query }`."""

from collections.abc import Sequence
from enum import Enum
from typing import Final

from symindex.extract.file_bindings import NO_SYMBOL
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.binding.resolver import MOST_DEPTH, Resolver
from symindex.resolve.denoted import Kind, is_type
from symindex.resolve.tree import Row

MOST_KEYS: Final = 10
"""Most names under which objects have a symbol that are searched for."""

_VALUES: Final = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE})


class Gets(Enum):
    """How sure it is that a name is only another one of a symbol. ALWAYS: a member of an object has
    no other value. AT_FIRST: a variable may get another."""

    ALWAYS = "always"
    AT_FIRST = "at first"


def have_member(resolver: Resolver, row: Row) -> bool:
    """Whether an object of the tree has a symbol as a member under its own name."""
    if not _has_objects(resolver, row):
        return False
    fact = f"\t{row.name}\t\t{row.name}"
    found = resolver.files.mentioning([f"{fact}\n", f"{fact}\0"])
    return next(iter(found), None) is not None


def keys_of(resolver: Resolver, row: Row) -> list[str]:
    """Returns the other names under which objects have a symbol: `{ query: ask }`."""
    if row.container or not _has_objects(resolver, row):
        return []
    keys: dict[str, None] = {}
    for file in resolver.files.mentioning([f"\t\t{row.name}{end}" for end in "\n\0"]):
        for fact in file.bindings.types:
            is_key = fact.value == row.name != fact.name and fact.name[:1] not in ("", "<")
            if is_key and fact.symbol != NO_SYMBOL and not is_type(file.rows[fact.symbol]):
                resolver.work.begin()
                members = file.by_name.get(f"{file.rows[fact.symbol].qualified_name}.{fact.name}")
                if members and hand_on(resolver, members[:1], row):
                    keys[fact.name] = None
    return [*keys][:MOST_KEYS]


def hand_on(resolver: Resolver, rows: Sequence[Row], own: Row) -> Gets | None:
    """Says whether some symbols are only other names of one: keys of objects, or values of its name
    that get a member of one: `const { ask } = api`; `None` if not, or in other languages."""
    kinds = {row.kind for row in rows if row.kind is SymbolKind.KEY or row.name == own.name}
    if not kinds or kinds - {SymbolKind.KEY, *_VALUES} or not _has_objects(resolver, own):
        return None
    gets = [resolver.type_of(row, MOST_DEPTH) for row in rows]
    if not all(one.kind is Kind.SYMBOL and {*one.rows} == {own} for one in gets):
        return None
    return Gets.ALWAYS if kinds == {SymbolKind.KEY} else Gets.AT_FIRST


def _has_objects(resolver: Resolver, row: Row) -> bool:
    rules = resolver.files.rules_of(resolver.files.of(row))
    return rules is not None and rules.objects
