"""Whether uses of a name are bound to one symbol: the answer of the resolver, where it has one."""

from collections.abc import Sequence

from symindex.explore.binding.expressions import Step, chain_of
from symindex.explore.binding.files import FileFacts
from symindex.explore.binding.resolver import (
    MOST_DEPTH,
    MOST_WORK,
    Denoted,
    Kind,
    Place,
    Resolver,
)
from symindex.explore.excerpts import Mention
from symindex.explore.tree import Row, Tree
from symindex.extract.file_bindings import Import
from symindex.protocol.kinds import KINDS
from symindex.text.receivers import first_name


class BoundUse:
    """Says of uses of one symbol's name whether they are bound to it.

    row: the symbol.
    """

    def __init__(self, tree: Tree, row: Row) -> None:
        self.row = row
        self._resolver = Resolver(tree)
        self._file = self._resolver.files.of(row)
        self.is_ruled: bool = self._resolver.rules_of(self._file) is not None
        self._own_type = self._type_of_member() if self.is_ruled else None

    def _type_of_member(self) -> Row | None:
        """Returns the type that the symbol is a member of."""
        rows = self._file.by_name.get(self.row.container, [])
        types = [row for row in rows if KINDS[row.kind].quality == 0]
        if types or not self.row.container:
            return types[0] if types else None
        return self._resolver.type_around(Place(self._file, self.row.container))

    def is_bound(self, path: str, mention: Mention, container: str) -> bool | None:
        """Whether a use is bound to the symbol; `None` if the resolver does not know.

        container: the qualified name of the symbol around the use.
        """
        resolver = self._resolver
        file = resolver.files.at(path)
        if file is None or resolver.rules_of(file) is None:
            return None
        resolver.steps_left = MOST_WORK
        place = self._place(file, mention, container)
        if mention.role == "import":
            return self._is(self._imported(place, mention))
        if not mention.receiver:
            return self._of_bare_name(place, mention)
        chain = chain_of(mention.receiver)
        if not chain or not first_name(mention.receiver):
            return None
        denoted = resolver.followed(place, chain)
        if denoted.kind in (Kind.UNKNOWN, Kind.FOREIGN):
            is_certain = denoted.kind is Kind.FOREIGN and self._is_imported(place, chain)
            return False if is_certain else None
        if self._is_virtual(denoted):
            return None
        return self._is(resolver.member(denoted, mention.name))

    def _place(self, file: FileFacts, mention: Mention, container: str) -> Place:
        name = first_name(mention.receiver)
        local = {name: mention.local} if name and mention.local else {}
        return Place(file, container, local, [Import(*one) for one in mention.imports])

    def _is_imported(self, place: Place, chain: Sequence[Step]) -> bool:
        """Whether the first name of a chain certainly comes from outside of the tree."""
        return any(one.local == chain[0].name for one in place.imports)

    def _imported(self, place: Place, mention: Mention) -> Denoted:
        found = [
            self._resolver.imported(place.file, one, MOST_DEPTH)
            for one in place.imports
            if mention.name in (one.name, one.local)
        ]
        return found[0] if found else Denoted(Kind.UNKNOWN)

    def _of_bare_name(self, place: Place, mention: Mention) -> bool | None:
        """Judges a name without a receiver that an import brings in: other rules decide on what its
        file or package defines."""
        if not place.imports or mention.is_label or mention.is_bound or mention.binding >= 0:
            return None
        denoted = self._resolver.name(place, mention.name)
        if denoted.kind is Kind.FOREIGN:
            return False
        return self._is(denoted)

    def _is(self, denoted: Denoted) -> bool | None:
        """Whether something denoted is the symbol."""
        if denoted.kind is Kind.FOREIGN:
            return False
        if denoted.kind is not Kind.SYMBOL or not denoted.rows:
            return None
        same = [self._is_same(row) for row in denoted.rows]
        return True if all(same) else None if any(same) else False

    def _is_same(self, row: Row) -> bool:
        own = self.row
        return row == own or (
            row.qualified_name == own.qualified_name and row.file.path == own.file.path
        )

    def _is_virtual(self, denoted: Denoted) -> bool:
        """Whether a value may be of a subtype, whose member is the symbol."""
        own = self._own_type
        if own is None or denoted.kind is not Kind.VALUE:
            return False
        lineage, _ = self._resolver.lineage(own)
        return any(row in lineage[1:] for row in denoted.rows)
