"""Whether a value may be of a type that overrides or inherits a member, so that the member may be
meant though a supertype declares the value."""

from functools import cached_property
from typing import Final

from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import Denoted, Kind
from symindex.resolve.inheritance import heirs_of
from symindex.resolve.tree import Row

MOST_HEIRS: Final = 40
"""Most subtypes of a member's type whose other supertypes are looked at."""

_INTERFACES: Final = (SymbolKind.INTERFACE, SymbolKind.TRAIT)


class VirtualMember:
    """A member, and the types whose values may have it.

    own: the type that defines it; `None` if it is no member.
    """

    def __init__(self, resolver: Resolver, row: Row, own: Row | None) -> None:
        self._resolver, self._row, self._own = resolver, row, own
        self._interfaces: dict[Row, bool] = {}

    def may_have(self, receiver: Denoted) -> bool:
        """Whether a value may be of a subtype of its declared type that defines the member. What is
        taken from an interface itself is a function of such a value."""
        own = self._own
        is_method = self._row.kind in CALLABLE_KINDS and all(
            row.kind in _INTERFACES for row in receiver.rows
        )
        is_of_value = receiver.kind is Kind.VALUE or (receiver.kind is Kind.SYMBOL and is_method)
        if own is None or not is_of_value:
            return False
        lineage, _ = self._resolver.lineages.of(own)
        if interface := self._resolver.files.explicit_type(self._row):
            lineage = tuple(row for row in lineage if row == own or row.name == interface)
        rows = self._open_types(receiver)
        return any(row in lineage[1:] or self._may_be(own, row) for row in rows)

    def may_inherit(self, receiver: Denoted) -> bool:
        """Whether a value may be of a subtype of its declared type that inherits the member."""
        is_of_value = receiver.kind is Kind.VALUE and self._row.kind in CALLABLE_KINDS
        return is_of_value and not self._beside.isdisjoint(self._open_types(receiver))

    def _open_types(self, receiver: Denoted) -> list[Row]:
        """Returns the types whose values may be of another: interfaces alone, where types implement
        these by having their methods, as embedding a type makes no subtype of it."""
        return [
            row
            for row in receiver.rows
            if row.kind in (*_INTERFACES, SymbolKind.TYPE) or not self._is_implicit(row)
        ]

    def _is_implicit(self, row: Row) -> bool:
        files = self._resolver.files
        rules = files.rules_of(files.of(row))
        return rules is not None and rules.implicit_interfaces

    @cached_property
    def _beside(self) -> frozenset[Row]:
        """The other supertypes of the subtypes of the member's type: a value of one may be of such
        a subtype, which inherits the member."""
        own, heirs = self._own, dict[Row, None]()
        level = [own] if own is not None else []
        while level and len(heirs) < MOST_HEIRS:
            found = heirs_of(self._resolver, level)
            below = [heir.row for row in level for heir in found[row] if heir.row is not None]
            level = [row for row in dict.fromkeys(below) if row not in heirs and row != own]
            heirs.update(dict.fromkeys(level))
        lineages = [self._resolver.lineages.of(row)[0] for row in [*heirs][:MOST_HEIRS]]
        return frozenset(row for lineage in lineages for row in lineage[1:]) - {own, *heirs}

    def _may_be(self, own: Row, interface: Row) -> bool:
        """Returns `_implements`, found once for each interface."""
        if interface not in self._interfaces:
            self._interfaces[interface] = self._implements(own, interface)
        return self._interfaces[interface]

    def _implements(self, own: Row, interface: Row) -> bool:
        """Whether a type implements an interface by having its methods, in a language where that
        is enough."""
        files = self._resolver.files
        rules = files.rules_of(files.of(own))
        if rules is None or not (rules.implicit_interfaces or rules.protocols):
            return False
        is_implicit = rules.implicit_interfaces and interface.kind is SymbolKind.INTERFACE
        is_interface = is_implicit or files.is_protocol(interface)
        if not is_interface or interface == own or self._row.kind not in CALLABLE_KINDS:
            return False
        lineage, _ = self._resolver.lineages.of(interface)
        names = {
            row.name
            for one in lineage
            for row in files.of(one).rows
            if row.container == one.qualified_name and row.kind in CALLABLE_KINDS
        }
        return self._row.name in names and all(
            self._resolver.member_of_type(own, name).kind is Kind.SYMBOL for name in names
        )
