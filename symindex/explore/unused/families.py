"""Whether a base of a type may call its members, or register the type: then its name tells nothing
about its use."""

from symindex.explore.unused.candidates import is_type
from symindex.protocol.kinds import SymbolFlag
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import is_type as can_have_members
from symindex.resolve.reading.expressions import names_of, types_in
from symindex.resolve.tree import Row, Tree


class Families:
    """The bases of types, each found once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._resolver = Resolver(tree)

    def let_go(self, row: Row) -> bool:
        """Whether no base can use a symbol."""
        rules = self._tree.languages.by_id[row.file.known_language].rules.unused
        if is_type(row):
            return not rules.bases or not self._foreign(row, rules.bases, own=True)
        if not row.container or not (rules.bases or row.flags & SymbolFlag.EXPORTED):
            return True
        file = self._resolver.files.of(row)
        return not any(
            self._foreign(one, rules.bases, own=False)
            for one in file.by_name.get(row.container, ())
            if can_have_members(one)
        )

    def _foreign(self, row: Row, plain: list[str], own: bool) -> bool:
        """Whether a type has a base that is not plain; own: whether one of the tree counts, too."""
        types, _ = self._resolver.lineages.of(row)
        for one in types[:1] if own else types:
            file = self._resolver.files.of(one)
            number = file.numbers.get(one)
            for text in file.bases.get(number, ()) if number is not None else ():
                names = names_of(next(iter(types_in(text)), text))
                if names[-1:] and names[-1] in plain:
                    continue
                container = one.qualified_name.rpartition(".")[0]
                if own or not self._resolver.of_type(file, container, text).rows:
                    return True
        return False
