"""Which occurrences of a name are of one symbol, as far as names can tell.

Types are not known here. What is known: where the symbol can be seen at all; that a method is taken from something and a function
is not; that what is taken from `self` belongs to the type around it; and that a file which defines a namesake means its own. What
contradicts one of these is another symbol. What none of them decides may be another symbol wherever there are namesakes.
"""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from symindex.explore.excerpts import Mention
from symindex.explore.receivers import OWN, last_name
from symindex.explore.resolve.names import symbols_named
from symindex.explore.resolve.type_parts import other_parts
from symindex.explore.scopes import Scope
from symindex.explore.tree import Row, Tree
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind

_NAMES: Final = re.compile(r"\w+")

_MEMBER_KINDS: Final = frozenset({SymbolKind.METHOD, SymbolKind.FIELD, SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER})


class Verdict(Enum):
    """Whether an occurrence is of the symbol."""

    IS = "is"
    MAY_BE = "may be"
    OTHER = "other"


class Narrowing:
    """The judge of one symbol's references. row: the symbol."""

    def __init__(self, tree: Tree, row: Row) -> None:
        self.row, self._tree = row, tree
        self._path, self._language = row.file.path, row.file.known_language
        known = tree.languages.by_id.get(self._language)
        rules = known.rules.roles if known is not None else None
        self._family = tree.languages.relatives_of(self._language)
        self._is_member = bool(row.container) and row.kind in _MEMBER_KINDS
        self._needs_receiver = bool(rules and rules.methods_have_receivers) and row.kind is SymbolKind.METHOD
        self._scope = rules.private if rules is not None and row.flags & SymbolFlag.PRIVATE else ""
        self._container = row.container.rpartition(".")[2]
        namesakes = [meant.row for meant in symbols_named(tree, row.name) if meant.row != row]
        others = [each for each in namesakes if not self._is_part(each)]
        self.n_namesakes = len(others)
        self._types = frozenset(each.container.rpartition(".")[2] for each in others if each.container) - {self._container}
        self._paths = frozenset(each.file.path for each in others)
        self._top_of = frozenset(each.file.path for each in others if not each.container)
        self._modules = frozenset([*self._path.rpartition(".")[0].split("/"), *row.container.split(".")])

    def _is_part(self, other: Row) -> bool:
        """Whether a namesake is the symbol itself: a declaration of it, an overload, or another part of a type."""
        if other.qualified_name != self.row.qualified_name or other.file.known_language not in self._family:
            return False
        if (other.flags | self.row.flags) & SymbolFlag.DECLARATION or other.file.path == self._path:
            return True
        return bool(other_parts(self._tree, self.row, [other]))

    def judge(self, path: str, language: str, mentions: Sequence[Mention], scopes: Sequence[Scope]) -> list[Verdict]:
        """What is to be said of the occurrences in a file. scopes: what stands around each."""
        modules = [mention.receiver for mention in mentions if mention.role == "import"]
        is_imported = any(self._is_own_module(path, module) for module in modules)
        if not modules and path != self._path and not self._is_member:  # what stands in one folder may need no import
            is_imported = _folder(path) == _folder(self._path) and path not in self._top_of
        return [self._judge(path, language, *pair, is_imported) for pair in zip(mentions, scopes, strict=True)]

    def _is_own_module(self, path: str, module: str) -> bool:
        """Whether a name that a file imports from there may be the symbol, by the names of its folders and its file."""
        names = _NAMES.findall(module)
        if not names:  # relative to the file
            return _folder(path) == _folder(self._path)
        mine = _shared_end(names, self._path)
        return mine > 0 and mine >= max((_shared_end(names, other) for other in self._paths), default=0)

    def _judge(self, path: str, language: str, mention: Mention, scope: Scope, is_imported: bool) -> Verdict:
        if language not in self._family or not self._is_seen_in(path):
            return Verdict.OTHER
        if scope.names:
            return self._of_definition(path, scope)
        return self._of_member(mention, scope) if self._is_member else self._of_function(path, mention, is_imported)

    def _is_seen_in(self, path: str) -> bool:
        if self._scope == "file":
            return path == self._path
        return self._scope != "folder" or _folder(path) == _folder(self._path)

    def _of_definition(self, path: str, scope: Scope) -> Verdict:
        if scope.qualified_name == self.row.container and (path == self._path or scope.names == "declaration" or self._is_member):
            return Verdict.IS
        return Verdict.OTHER

    def _of_member(self, mention: Mention, scope: Scope) -> Verdict:
        receiver = mention.receiver
        around = scope.qualified_name.split(".")
        if receiver in OWN or (not receiver and not self._needs_receiver):
            if self._container in around:
                return Verdict.IS
            return self._undecided if self._types.isdisjoint(around) else Verdict.OTHER
        if not receiver:
            return Verdict.OTHER if mention.role == "call" else self._undecided
        name = last_name(receiver)
        if name == self._container:
            return Verdict.IS
        return Verdict.OTHER if name in self._types and not receiver.endswith(")") else self._undecided

    def _of_function(self, path: str, mention: Mention, is_imported: bool) -> Verdict:
        receiver = mention.receiver
        if receiver:
            if receiver in OWN or receiver.endswith((")", "]")):
                return Verdict.OTHER if KINDS[self.row.kind].quality else self._undecided
            if last_name(receiver) in self._modules and path != self._path:
                return Verdict.IS
            return self._undecided
        if path == self._path or is_imported:
            return Verdict.IS
        return Verdict.OTHER if path in self._top_of else self._undecided

    @property
    def _undecided(self) -> Verdict:
        return Verdict.MAY_BE if self.n_namesakes else Verdict.IS


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _shared_end(names: Sequence[str], path: str) -> int:
    """How many of the last parts of a module's name are the last ones of a path, with or without the name of the file."""
    parts = path.rpartition(".")[0].replace("-", "_").split("/")
    best = 0
    for end in (len(parts), len(parts) - 1):
        count = 0
        for name, part in zip(reversed(names), reversed(parts[:end]), strict=False):
            if name != part:
                break
            count += 1
        best = max(best, count)
    if not best and names[-1] in parts:
        return 1
    return best
