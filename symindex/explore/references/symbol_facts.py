"""What the index and the rules of a language say about one symbol and about its namesakes.

Computed once per symbol; the judge of its references (`narrowing`) asks about each occurrence.
"""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from symindex.errors import RequestError
from symindex.explore.references.module_paths import Module, folder_of, module_names, module_of
from symindex.explore.references.receivers import last_name, own_receivers
from symindex.explore.targets.names import symbols_named
from symindex.explore.targets.type_parts import other_parts
from symindex.extract.languages.language import Language
from symindex.extract.languages.schema import BindingRules, RoleRules
from symindex.extract.path_flags import path_flags
from symindex.protocol.kinds import CALLABLE_KINDS, KINDS, SymbolFlag, SymbolKind
from symindex.resolve.reading.files import is_title
from symindex.resolve.tree import Row, Tree, read_text
from symindex.text.folding import fold_each

DISTINCTIVE: Final = re.compile(r"[^\W_]_[^\W_]|[a-z0-9][A-Z]")
"""Matches inside a name that consists of several words."""

MEMBER_KINDS: Final = frozenset(
    {SymbolKind.METHOD, SymbolKind.FIELD, SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER}
)

FREE_KINDS: Final = frozenset({SymbolKind.FUNCTION, SymbolKind.VARIABLE})

_OUTER_KINDS: Final = frozenset(
    {*CALLABLE_KINDS, SymbolKind.MODULE, SymbolKind.NAMESPACE, SymbolKind.PACKAGE}
)


_OF_VALUES: Final = frozenset({SymbolKind.FIELD, SymbolKind.PROPERTY, SymbolKind.KEY})

_VALUES: Final = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})

MOST_SUPPLIED: Final = 1_000_000
"""Most bytes of a file whose functions tests may be supplied with."""

_MOST_DECORATED: Final = 12
"""Most lines of a function's decorators and the line of its name."""

_LONGEST_DECORATED: Final = 2_000
"""Most characters of these lines, counted from the name."""


class SymbolFacts:
    """The facts about one symbol.

    Attributes:
        family: languages whose code can use the symbol.
        container: the last part of the container's name.
        is_fixed: it is a type or callable, so code defines it but does not assign it; not if it is
            in a variable that a sign marks.
        is_common: its name is one word, so any library may have a member with that name.
        needs_receiver: its language writes a receiver before each member.
        is_key: it is a key of an object, which code does not see by its bare name.
        visibility: `file` or `folder` for a private symbol, else empty.
        is_free: it is a function or variable that is never taken from a value.
    """

    def __init__(self, tree: Tree, row: Row) -> None:
        self.tree = tree
        self.row = row
        self.path: str = row.file.path
        self.language: str = row.file.known_language
        language = tree.languages.by_id.get(self.language)
        self.rules: RoleRules = language.rules.roles if language is not None else RoleRules()
        bindings = language.rules.bindings if language is not None else None
        self._bindings: BindingRules = bindings or BindingRules()
        self.own: frozenset[str]
        self.above: frozenset[str]
        self.own, self.above = own_receivers(bindings)
        self.family: frozenset[str] = tree.languages.relatives_of(self.language)
        self.container: str = row.container.rpartition(".")[2]
        self.is_member: bool = bool(row.container) and row.kind in MEMBER_KINDS
        self.is_type: bool = is_type_kind(row)
        self.is_called: bool = row.kind in CALLABLE_KINDS
        self.is_fixed: bool = self.is_type or (self.is_called and not _is_in_variable(row))
        self.is_common: bool = not DISTINCTIVE.search(row.name.strip("_"))
        is_enum_member = row.kind is SymbolKind.ENUM_MEMBER
        self.needs_receiver: bool = self.rules.methods_have_receivers and not is_enum_member
        is_of_object = self.needs_receiver and bindings is not None and bindings.objects
        self.is_key: bool = is_of_object and row.kind is SymbolKind.KEY and bool(row.container)
        is_private = row.flags & SymbolFlag.PRIVATE and not self._leaves_its_file(language)
        self.visibility: str = self.rules.private if is_private else ""
        self._kinds: dict[str, frozenset[SymbolKind]] = {}
        self.is_free: bool = self._is_taken_from_no_value()

    def _leaves_its_file(self, language: Language | None) -> bool:
        """Whether a symbol is private only as a member of a type that is: values of the type may be
        given to other files."""
        row = self.row
        if language is None or not self.is_member or row.kind is SymbolKind.ENUM_MEMBER:
            return False
        rules = language.rules.visibility
        kinds = [
            match.row.kind.value
            for match in symbols_named(self.tree, row.container)
            if match.row.file.path == self.path
        ]
        head = row.index.signature(row.number).partition(row.name)[0].split()
        is_own = not {*head}.isdisjoint(rules.private_words) or (
            bool(rules.private_names) and re.search(rules.private_names, row.name) is not None
        )
        return not is_own and any(rules.inside.get(kind) == "container" for kind in kinds)

    def _is_taken_from_no_value(self) -> bool:
        """Whether the symbol is a function or variable of a file or module, so no value has it."""
        row = self.row
        if self.is_member or row.kind not in FREE_KINDS:
            return False
        extensions = self.rules.extensions
        if extensions and re.search(extensions, row.index.signature(row.number)):
            return False
        if not row.container:
            return True
        kinds = [match.row.kind for match in symbols_named(self.tree, row.container)]
        return bool(kinds) and all(kind in _OUTER_KINDS for kind in kinds)

    def shares_bare_name_with(self, other: Row) -> bool:
        """Whether a bare name may mean either symbol: both are types, both are modules, or both
        are callables that are called without a receiver."""
        if self.is_type or is_type_kind(other) or SymbolKind.MODULE in (self.row.kind, other.kind):
            return self.is_type == is_type_kind(other)
        return other.kind in CALLABLE_KINDS and not (
            self.needs_receiver and other.kind in MEMBER_KINDS
        )

    def is_part(self, other: Row) -> bool:
        """Whether a namesake is the symbol itself: its declaration, an overload, or another part
        of the type."""
        if (
            other.qualified_name != self.row.qualified_name
            or other.file.known_language not in self.family
        ):
            return False
        is_apart = self.rules.types_apart and self.is_type != is_type_kind(other)
        if is_apart and not (self.rules.types_merge and other.file.path == self.path):
            return False
        is_declared = bool((other.flags | self.row.flags) & SymbolFlag.DECLARATION)
        if other.file.path == self.path or (is_declared and not self.rules.imports_names):
            return True
        return bool(other_parts(self.tree, self.row, [other]))

    def is_test(self, path: str) -> bool:
        """Whether a file contains tests, judging by its path."""
        return bool(
            path_flags(path, self.tree.languages.by_id.get(self.language)) & SymbolFlag.TEST
        )

    def is_visible_in(self, path: str) -> bool:
        """Whether code in a file can use the symbol."""
        is_local = (
            self.row.kind in FREE_KINDS
            and bool(self.row.container)
            and self.is_function(self.row.container)
        )
        if self.visibility == "file" or is_local:
            return path == self.path
        return self.visibility != "folder" or folder_of(path) == folder_of(self.path)

    def may_be_supplied(self, path: str) -> bool:
        """Whether parameters in a file may get the result of the symbol, a function, because they
        have its name: those of tests, in its file, or in a folder that its file is for."""
        folder, _, name = self.path.rpartition("/")
        is_of_folder = path.startswith(f"{folder}/" if folder else "")
        is_of_folder = is_of_folder and name.partition(".")[0] in self._bindings.suppliers
        return (path == self.path or is_of_folder) and self._is_supplied

    @cached_property
    def _is_supplied(self) -> bool:
        pattern, row = self._bindings.supplied, self.row
        if not pattern or not self.is_called or self.is_member:
            return False
        try:
            lines = read_text(self.tree, row.file, MOST_SUPPLIED).lines
        except RequestError:
            return False
        before = "\n".join(["", *lines[max(0, row.line - _MOST_DECORATED) : row.line]])
        before = before.rpartition(f" {row.name}(")[0][-_LONGEST_DECORATED:]
        return re.search(pattern, before) is not None

    def opens(self, receiver: str) -> bool:
        """Whether a receiver hides nothing: one that is cast to any type."""
        pattern = self.rules.opened
        return bool(pattern) and re.search(pattern, receiver) is not None

    def is_module(self, qualified_name: str) -> bool:
        """Whether some symbol with this qualified name is a module."""
        return SymbolKind.MODULE in self._kinds_of(qualified_name)

    def is_in_title(self, row: Row) -> bool:
        """Whether what a symbol is in is a title of tests, which only has the name of a type."""
        return any(
            is_title(match.row) and match.row.file.path == row.file.path
            for match in symbols_named(self.tree, row.container)
        )

    def is_of_field(self, row: Row) -> bool:
        """Whether a symbol is a member of a type without a name, which a field has."""
        kinds = [
            match.row.kind
            for match in symbols_named(self.tree, row.container)
            if match.row.file.path == row.file.path
        ]
        return bool(kinds) and _OF_VALUES.issuperset(kinds)

    def is_function(self, qualified_name: str) -> bool:
        """Whether every symbol with this qualified name is callable, so that names inside it are
        not visible in all of it."""
        kinds = self._kinds_of(qualified_name)
        return bool(kinds) and kinds <= CALLABLE_KINDS

    def _kinds_of(self, qualified_name: str) -> frozenset[SymbolKind]:
        if qualified_name not in self._kinds:
            self._kinds[qualified_name] = frozenset(
                match.row.kind for match in symbols_named(self.tree, qualified_name)
            )
        return self._kinds[qualified_name]


class Namesakes:
    """The other symbols with the symbol's name, grouped by what tells them apart from it.

    Attributes:
        types: names of the types that have a member of this name.
        named_types: those of them that have a name of their own, not that of a field.
        containers: qualified containers whose bare name may mean another symbol.
        top_paths: files that define a namesake outside any container.
        alike_top_paths: those of them whose namesake may be meant by the same bare name.
        twin_paths: files that define a symbol with the same qualified name.
        twin_folders: folders of those of them that a bare name in the same folder may mean.
        places: file and container of each namesake.
        module_names: names by which code may call the places of namesakes.
        modules: modules, in the form of `module_paths`, that define a namesake.
        has_twin_by_use: a method and a field share the qualified name, so calls tell them apart.
        has_like_type: a namesake is in another type with the same last name.
        are_for_others: the symbol is test code and some namesake is not.
    """

    def __init__(self, symbol: SymbolFacts) -> None:
        row, rules = symbol.row, symbol.rules
        namesakes = _namesakes_of(symbol)
        self.has_twin_by_use: bool = symbol.is_member and any(
            namesake.qualified_name == row.qualified_name
            and (namesake.kind in CALLABLE_KINDS) != symbol.is_called
            for namesake in namesakes
        )
        others = [
            namesake
            for namesake in namesakes
            if not symbol.is_part(namesake) and not is_title(namesake)
        ]
        alike = [other for other in others if symbol.shares_bare_name_with(other)]
        self.count: int = len(others)
        # By container.
        containers = {other.container for other in others if other.container}
        self.types: frozenset[str] = _types_of(symbol, others)
        self.named_types: frozenset[str] = self.types - _fields_of(symbol, others)
        self.has_like_type: bool = any(
            name.rpartition(".")[2] == symbol.container for name in containers - {row.container}
        )
        self.containers: frozenset[str] = frozenset(
            other.container for other in alike if other.container
        )
        # By file.
        self.paths: frozenset[str] = frozenset(other.file.path for other in others)
        self.top_paths: frozenset[str] = frozenset(
            other.file.path for other in others if not other.container
        )
        self.alike_top_paths: frozenset[str] = frozenset(
            other.file.path for other in alike if not other.container
        )
        self.twin_paths: frozenset[str] = frozenset(
            other.file.path for other in others if other.qualified_name == row.qualified_name
        )
        self.twin_folders: frozenset[str] = frozenset(
            folder_of(other.file.path)
            for other in others
            if other.qualified_name == row.qualified_name
            and (symbol.shares_bare_name_with(other) or {row.kind, other.kind} <= _VALUES)
            and not (rules.private == "file" and other.flags & SymbolFlag.PRIVATE)
        )
        self.are_for_others: bool = symbol.is_test(symbol.path) and not all(
            symbol.is_test(path) for path in self.paths
        )
        # By module.
        self.places: frozenset[tuple[str, str]] = frozenset(
            (other.file.path, other.container) for other in others
        )
        self.module_names: frozenset[str] = frozenset().union(
            *(module_names(*place) for place in self.places)
        )
        self.modules: set[Module] = {
            module_of(other.file.path, other.container)
            for other in (others if rules.path_words else ())
            if other.kind in FREE_KINDS or symbol.shares_bare_name_with(other)
        }


def _types_of(symbol: SymbolFacts, others: Iterable[Row]) -> frozenset[str]:
    """Returns the names of the other types that have a member of a symbol's name."""
    containers = {
        other.container for other in others if other.container and not symbol.is_in_title(other)
    }
    return frozenset(name.rpartition(".")[2] for name in containers) - {symbol.container}


def _fields_of(symbol: SymbolFacts, others: Iterable[Row]) -> frozenset[str]:
    """Returns the names of the fields whose types have no name and a member of a symbol's name."""
    containers = {one.container for one in others if one.container and symbol.is_of_field(one)}
    return frozenset(name.rpartition(".")[2] for name in containers)


def _namesakes_of(symbol: SymbolFacts) -> list[Row]:
    """Returns the other symbols of the name, in languages of the symbol's family."""
    name = last_name(symbol.row.name) if symbol.rules.dotted else symbol.row.name
    rows = [match.row for match in symbols_named(symbol.tree, name)]
    return [row for row in rows if row != symbol.row and row.file.known_language in symbol.family]


class SymbolPlace:
    """The names by which code may call the place of a symbol: its folders, file and container.

    Attributes:
        names: as written, of the container.
        folded: folded, with what contains the symbol.
        top: `folded`, and the names of the workspace's roots.
    """

    def __init__(self, symbol: SymbolFacts) -> None:
        row = symbol.row
        outer = row.qualified_name.rpartition(".")[0]
        self.names: frozenset[str] = module_names(
            symbol.path, outer if symbol.rules.dotted else row.container
        )
        self.folded: frozenset[str] = _folded(module_names(symbol.path, outer))
        self.top: frozenset[str] = self.folded | _folded(
            root.name for root in symbol.tree.roots.values()
        )


def is_type_kind(row: Row) -> bool:
    """Whether a symbol is a type, by its kind."""
    return KINDS[row.kind].quality == 0


def _is_in_variable(row: Row) -> bool:
    """Whether a function is the value of a variable that begins with a sign: `$f = fn () => 1`."""
    signature = row.index.signature(row.number)
    return not signature[:1].isalnum() and signature[1:].startswith(f"{row.name} ")


def _folded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(fold_each([name.replace("-", "_") for name in names]))
