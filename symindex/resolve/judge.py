"""Whether uses of a name are bound to one symbol: the answer of the resolver, where it has one."""

from enum import Enum
from functools import cached_property
from typing import NamedTuple

from symindex.extract.file_bindings import Import
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve.denoted import (
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    can_inherit,
    fitting,
    is_type,
    united,
)
from symindex.resolve.enclosing import type_around
from symindex.resolve.excerpts import Mention
from symindex.resolve.expressions import chain_of
from symindex.resolve.files import FileFacts
from symindex.resolve.inheritance import aliases_of
from symindex.resolve.resolver import ABOVE_WORDS, MOST_DEPTH, Resolver
from symindex.resolve.tree import Row, Tree
from symindex.text.receivers import MOST_RECEIVER, first_name


class Bound(NamedTuple):
    """What a use denotes. receiver: what its receiver denotes; UNKNOWN where a value cannot be of a
    subtype."""

    denoted: Denoted
    receiver: Denoted = UNKNOWN


def bound_use(resolver: Resolver, path: str, mention: Mention, container: str) -> Bound:
    """Returns what a name that is used in a file denotes.

    container: the qualified name of the symbol around the use.
    """
    file = resolver.files.at(path)
    if mention.is_label or mention.is_module or file is None or not resolver.files.rules_of(file):
        return Bound(UNKNOWN)
    resolver.work.begin()
    place = _place(file, mention, container)
    if mention.role == "import":
        return Bound(_imported(resolver, place, mention))
    if not mention.receiver:
        is_local = mention.is_bound or mention.binding >= 0
        if is_local:
            return Bound(UNKNOWN)
        return Bound(_meant(resolver.name(place, mention.name), mention))
    chain = chain_of(mention.receiver)
    if not chain or not first_name(mention.receiver):
        return Bound(UNKNOWN)
    receiver = resolver.followed(place, chain)
    if receiver.kind in (Kind.FOREIGN, Kind.UNKNOWN):
        return Bound(receiver)
    is_super = len(chain) == 1 and chain[0].name in ABOVE_WORDS
    member = _meant(resolver.member(receiver, mention.name), mention)
    return Bound(member, UNKNOWN if is_super else receiver)


def _imported(resolver: Resolver, place: Place, mention: Mention) -> Denoted:
    """Returns what a name in an import denotes: by its own statement, if others import the same
    name from elsewhere."""
    imports = dict.fromkeys((*place.imports, *place.file.bindings.imports))
    named = [one for one in imports if mention.name in (one.name, one.local)]
    own = [one for one in named if one.module[-MOST_RECEIVER:] == mention.receiver] or named
    return united(
        [resolver.exports.imported(place.file, one, MOST_DEPTH) for one in own] or [UNKNOWN]
    )


def _meant(denoted: Denoted, mention: Mention) -> Denoted:
    return fitting(denoted, mention.role == "call")


def _place(file: FileFacts, mention: Mention, container: str) -> Place:
    name = first_name(mention.receiver)
    local = {name: mention.local} if name and mention.local else {}
    return Place(file, container, local, [Import(*one) for one in mention.imports])


class Answer(Enum):
    """Whether a use is bound to a symbol. POSSIBLE: to it or to another. UNKNOWN: nothing is known
    about its receiver."""

    OWN = "own"
    POSSIBLE = "possible"
    OTHER = "other"
    UNKNOWN = "unknown"


class BoundUse:
    """Says of uses of one symbol's name whether they are bound to it.

    row: the symbol.
    """

    def __init__(self, tree: Tree, row: Row) -> None:
        self.row = row
        self._resolver = Resolver(tree)
        self._file = self._resolver.files.of(row)
        self.is_ruled: bool = self._resolver.files.rules_of(self._file) is not None

    @cached_property
    def aliases(self) -> list[str]:
        """The other names under which files import the symbol."""
        return aliases_of(self._resolver, self.row) if self.is_ruled else []

    @cached_property
    def _own_type(self) -> Row | None:
        """Returns the type that the symbol is a member of."""
        rows = self._file.by_name.get(self.row.container, [])
        types = [row for row in rows if can_inherit(self._resolver.files, row)]
        if types or not self.row.container:
            return types[0] if types else None
        return type_around(self._resolver.files, Place(self._file, self.row.container))

    @cached_property
    def _is_anonymous(self) -> bool:
        """Whether the symbol is a member of a type without a name, whose bases are not known."""
        around = self._file.by_name.get(self.row.container, [])
        is_member = self.row.kind in (SymbolKind.METHOD, SymbolKind.PROPERTY)
        return is_member and bool(around) and not any(map(is_type, around))

    @cached_property
    def _is_open(self) -> bool:
        """Whether the symbol is a member that its language adds to types of libraries."""
        return self._resolver.is_added_elsewhere(self.row)

    def answer(self, path: str, mention: Mention, container: str) -> Answer:
        """Says whether a use is bound to the symbol.

        container: the qualified name of the symbol around the use.
        """
        if not mention.receiver and not mention.imports:
            return Answer.UNKNOWN  # other rules decide on what its file or package defines
        use = bound_use(self._resolver, path, mention, container)
        if self._is_virtual(use.receiver):
            return Answer.POSSIBLE
        if use.denoted.kind is Kind.FOREIGN:
            return Answer.UNKNOWN if self._is_open else Answer.OTHER
        if use.denoted.kind is not Kind.SYMBOL or not use.denoted.rows:
            return Answer.UNKNOWN
        same = [self._is_same(row) for row in use.denoted.rows]
        if not any(same) and self._is_anonymous and use.receiver.kind is Kind.VALUE:
            return Answer.UNKNOWN
        if same[0] and self._resolver.packages.are_variants(use.denoted.rows):
            return Answer.OWN
        return Answer.OWN if all(same) else Answer.POSSIBLE if any(same) else Answer.OTHER

    def _is_same(self, row: Row) -> bool:
        own = self.row
        is_overload = row.kind in CALLABLE_KINDS and own.kind in CALLABLE_KINDS
        return row == own or (
            row.qualified_name == own.qualified_name
            and row.file.path == own.file.path
            and (is_overload or can_inherit(self._resolver.files, own))
        )

    def _is_virtual(self, denoted: Denoted) -> bool:
        """Whether a value may be of a subtype, whose member is the symbol."""
        own = self._own_type
        if own is None or denoted.kind is not Kind.VALUE:
            return False
        lineage, _ = self._resolver.lineages.of(own)
        return any(row in lineage[1:] or self._implements(own, row) for row in denoted.rows)

    def _implements(self, own: Row, interface: Row) -> bool:
        """Whether a type implements an interface by having its methods, in a language where that
        is enough."""
        rules = self._resolver.files.rules_of(self._file)
        if rules is None or not rules.implicit_interfaces:
            return False
        is_interface = interface.kind is SymbolKind.INTERFACE and interface != own
        if not is_interface or self.row.kind not in CALLABLE_KINDS:
            return False
        lineage, _ = self._resolver.lineages.of(interface)
        names = {
            row.name
            for one in lineage
            for row in self._resolver.files.of(one).rows
            if row.container == one.qualified_name
        }
        return self.row.name in names and all(
            self._resolver.member_of_type(own, name).kind is Kind.SYMBOL for name in names
        )
