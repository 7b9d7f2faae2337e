"""Which occurrences of a name are of one symbol, as far as names can tell.

Types are not known here. What is known: where the symbol can be seen at all; that a method is taken
from something and a function is not; that what is taken from `self` belongs to the type around it;
that a file which defines a namesake means its own, and a function with a parameter or a variable of
the name, that; and, in languages that import names, that a file has no others from elsewhere. What
contradicts one of these is another symbol. What none of them decides may be another symbol wherever
there are namesakes.
"""

import itertools
import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Final

from symindex.explore.excerpts import NOT_BOUND, NOT_KNOWN, Mention
from symindex.explore.references.module_paths import is_of_module, is_relative, module_of
from symindex.explore.references.receivers import ABOVE, OF_ALL, OWN, first_name, last_name
from symindex.explore.references.scopes import Scope, scopes_around
from symindex.explore.references.shadows import OF_TYPES, Shadows
from symindex.explore.resolve.names import symbols_named
from symindex.explore.resolve.type_parts import other_parts
from symindex.explore.tree import Row, Tree
from symindex.extract.languages.schema import RoleRules
from symindex.extract.parse.roles import DEFINING
from symindex.extract.path_flags import path_flags
from symindex.protocol.kinds import CALLABLE_KINDS, KINDS, SymbolFlag, SymbolKind
from symindex.text.folding import fold, squash
from symindex.text.imports import Origin

_NAMES: Final = re.compile(r"\w+")

_FILE_ENDING: Final = re.compile(r"\.\w{1,5}\Z")

DISTINCTIVE: Final = re.compile(r"[^\W_]_[^\W_]|[a-z0-9][A-Z]")
"""Of a name of several words."""

_MEMBER_KINDS: Final = frozenset(
    {SymbolKind.METHOD, SymbolKind.FIELD, SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER}
)


_FREE_KINDS: Final = frozenset({SymbolKind.FUNCTION, SymbolKind.VARIABLE})

_OUTER_KINDS: Final = frozenset(
    {*CALLABLE_KINDS, SymbolKind.MODULE, SymbolKind.NAMESPACE, SymbolKind.PACKAGE}
)


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
        rules = known.rules.roles if known is not None else RoleRules()
        self._family = tree.languages.relatives_of(self._language)
        self._is_member = bool(row.container) and row.kind in _MEMBER_KINDS
        self._is_type = KINDS[row.kind].quality == 0
        self._is_fixed = self._is_type or row.kind in CALLABLE_KINDS
        self._is_common = not DISTINCTIVE.search(row.name.strip("_"))
        self._needs_receiver = (
            rules.methods_have_receivers and row.kind is not SymbolKind.ENUM_MEMBER
        )
        self._imports_names, self._types_apart = rules.imports_names, rules.types_apart
        self._scope = rules.private if row.flags & SymbolFlag.PRIVATE else ""
        self._container = row.container.rpartition(".")[2]
        namesakes = [
            meant.row
            for meant in symbols_named(tree, last_name(row.name) if rules.dotted else row.name)
        ]
        namesakes = [
            each for each in namesakes if each != row and each.file.known_language in self._family
        ]
        self._is_called = row.kind in CALLABLE_KINDS
        self._kinds: dict[str, frozenset[SymbolKind]] = {}
        self._has_paths = bool(rules.values) and not rules.modules_by_dot
        self._is_free = self._is_taken_from_no_value(rules)
        self._modules_by_dot = rules.modules_by_dot
        self._has_twin_by_use = self._is_member and any(
            each.qualified_name == row.qualified_name
            and (each.kind in CALLABLE_KINDS) != self._is_called
            for each in namesakes
        )
        others = [each for each in namesakes if not self._is_part(each) and not _is_title(each)]
        self._path_words = rules.path_words
        self._own_module = module_of(self._path, row.container)
        alike = (
            [each for each in others if each.kind in _FREE_KINDS or self._is_alike(each)]
            if rules.path_words
            else []
        )
        self._modules_of_others = {module_of(each.file.path, each.container) for each in alike}
        self.n_namesakes = len(others)
        self._types = frozenset(
            each.container.rpartition(".")[2] for each in others if each.container
        ) - {self._container}
        containers = {each.container for each in others if each.container} - {row.container}
        self._has_like_type = any(each.rpartition(".")[2] == self._container for each in containers)
        self._containers = frozenset(
            each.container for each in others if each.container and self._is_alike(each)
        )
        self._alike_tops = frozenset(
            each.file.path for each in others if not each.container and self._is_alike(each)
        )
        self._is_for_tests = self._is_test(self._path) and not all(
            self._is_test(each.file.path) for each in others
        )
        self._paths = frozenset(each.file.path for each in others)
        self._other_places = frozenset((each.file.path, each.container) for each in others)
        self._twins = frozenset(
            each.file.path for each in others if each.qualified_name == row.qualified_name
        )
        self._top_of = frozenset(each.file.path for each in others if not each.container)
        self._whole_names = bool(rules.dotted)
        self._modules = _module_names(
            self._path, row.qualified_name.rpartition(".")[0] if rules.dotted else row.container
        )
        self._places = _module_names(self._path, row.qualified_name.rpartition(".")[0])
        self._places = frozenset(fold(each.replace("-", "_")) for each in self._places)
        self._top_places = self._places | {
            fold(root.name.replace("-", "_")) for root in tree.roots.values()
        }
        self._other_tops = frozenset().union(
            *(_module_names(each.file.path, "") for each in others if not each.container)
        )
        self._other_modules = frozenset().union(
            *(_module_names(each.file.path, each.container) for each in others)
        )

    def _is_taken_from_no_value(self, rules: RoleRules) -> bool:
        """Whether it is a function or a variable of a file or a module, which no value has."""
        row = self.row
        if self._is_member or row.kind not in _FREE_KINDS:
            return False
        if rules.extensions and re.search(rules.extensions, row.index.signature(row.number)):
            return False
        around = (
            [meant.row.kind for meant in symbols_named(self._tree, row.container)]
            if row.container
            else []
        )
        return not row.container or (bool(around) and all(kind in _OUTER_KINDS for kind in around))

    def _is_alike(self, other: Row) -> bool:
        """Whether a bare name may mean either: types, modules, or callables that are called without
        a receiver."""
        if (
            self._is_type
            or KINDS[other.kind].quality == 0
            or SymbolKind.MODULE in (self.row.kind, other.kind)
        ):
            return self._is_type == (KINDS[other.kind].quality == 0)
        return other.kind in CALLABLE_KINDS and not (
            self._needs_receiver and other.kind in _MEMBER_KINDS
        )

    def _is_part(self, other: Row) -> bool:
        """Whether a namesake is the symbol itself: a declaration of it, an overload, or another
        part of a type."""
        if (
            other.qualified_name != self.row.qualified_name
            or other.file.known_language not in self._family
        ):
            return False
        if self._types_apart and self._is_type != (KINDS[other.kind].quality == 0):
            return False
        is_declared = bool((other.flags | self.row.flags) & SymbolFlag.DECLARATION)
        if other.file.path == self._path or (is_declared and not self._imports_names):
            return True
        return bool(other_parts(self._tree, self.row, [other]))

    def judge(
        self, path: str, language: str, mentions: Sequence[Mention], scopes: Sequence[Scope]
    ) -> list[Verdict]:
        """What is to be said of the occurrences in a file. scopes: what stands around each."""
        if language not in self._family or not self._is_seen_in(path):
            return [Verdict.OTHER] * len(mentions)
        pairs = [*zip(mentions, scopes, strict=True)]
        shadows = Shadows(pairs, self.row.qualified_name, path == self._path)
        if self._is_member:
            hides = self._hides(pairs, shadows, language)
            return [
                self._of_definition(path, scope)
                if scope.names
                else self._of_clause(path, scope)
                if mention.role in DEFINING
                else Verdict.OTHER
                if hides(mention, scope)
                else self._of_member(path, mention, scope)
                for mention, scope in pairs
            ]
        bare = self._of_bare(path, mentions)
        return [
            # A field that embeds a type is named by it.
            self._of_definition(path, scope)
            if scope.names and mention.role != "inherit"
            else self._of_clause(path, scope)
            if mention.role in DEFINING
            else Verdict.OTHER
            if mention.is_module
            else Verdict.OTHER
            if self._is_hidden_by_nearer(path, mention, scope)
            else (Verdict.MAY_BE if shadows.may_hide(mention, scope) else Verdict.OTHER)
            if shadows.hide(mention, scope)
            else self._of_top(path, mention, scope, bare)
            for mention, scope in pairs
        ]

    def _of_clause(self, path: str, scope: Scope) -> Verdict:
        """The verdict on the head of a further clause or on a specification: it is in the symbol's
        code, or beside it."""
        is_own = path == self._path and scope.qualified_name in (
            self.row.qualified_name,
            self.row.container,
        )
        return Verdict.IS if is_own else Verdict.OTHER

    def _is_hidden_by_nearer(self, path: str, mention: Mention, scope: Scope) -> bool:
        """Whether a bare name means a namesake of its sort in what is nearer around it, or at the
        top of its file."""
        if mention.receiver or mention.binding >= 0:  # then `Shadows` tell
            return False
        own_depth = _depth_of((self.row.container,), scope)
        is_of_top = (
            bool(self.row.container)
            and not own_depth
            and path == self._path
            and path in self._alike_tops
        )
        nearer = set(self._containers).intersection(scopes_around(scope.qualified_name))
        if mention.binding == NOT_BOUND:
            nearer = {each for each in nearer if not self._is_function(each)}
        return is_of_top or _depth_of(nearer, scope) > own_depth

    def _types_around(self, mention: Mention, scope: Scope) -> set[str]:
        """The names of what is around a mention and has a member of the symbol's name; no
        functions, where blocks tell."""
        around = [
            each
            for each in scopes_around(scope.qualified_name)
            if each.rpartition(".")[2] in self._types
        ]
        is_told = mention.binding == NOT_BOUND
        return {
            each.rpartition(".")[2] for each in around if not (is_told and self._is_function(each))
        }

    def _is_module(self, qualified_name: str) -> bool:
        return SymbolKind.MODULE in self._kinds_of(qualified_name)

    def _is_function(self, qualified_name: str) -> bool:
        """Whether what has a name is called, so that what is in it is not seen in all of it."""
        kinds = self._kinds_of(qualified_name)
        return bool(kinds) and kinds <= CALLABLE_KINDS

    def _kinds_of(self, qualified_name: str) -> frozenset[SymbolKind]:
        if qualified_name not in self._kinds:
            self._kinds[qualified_name] = frozenset(
                each.row.kind for each in symbols_named(self._tree, qualified_name)
            )
        return self._kinds[qualified_name]

    def _hides(
        self, pairs: Sequence[tuple[Mention, Scope]], shadows: Shadows, language: str
    ) -> Callable[[Mention, Scope], bool]:
        """Whether a bare name is of a variable, where members are used by bare names. A type's own
        body binds its members."""
        if self._needs_receiver:
            return lambda mention, scope: False
        if any(mention.binding != NOT_KNOWN for mention, _ in pairs):
            known = self._tree.languages.by_id.get(language)
            calls_apart = known is not None and known.rules.roles.calls_apart
            return lambda mention, scope: (
                not (calls_apart and mention.role == "call") and shadows.hide(mention, scope)
            )
        if self.row.kind is not SymbolKind.METHOD:
            return lambda mention, scope: False
        within = [
            (mention, scope)
            for mention, scope in pairs
            if scope.qualified_name != self.row.container
        ]
        around = Shadows(within, self.row.qualified_name, False)
        return lambda mention, scope: mention.role == "read" and around.hide(mention, scope)

    def _is_test(self, path: str) -> bool:
        return bool(
            path_flags(path, self._tree.languages.by_id.get(self._language)) & SymbolFlag.TEST
        )

    def _is_seen_in(self, path: str) -> bool:
        if self._is_for_tests and not self._is_test(
            path
        ):  # a namesake is meant that is for no tests
            return False
        is_local = (
            self.row.kind in _FREE_KINDS
            and bool(self.row.container)
            and self._is_function(self.row.container)
        )
        if self._scope == "file" or is_local:
            return path == self._path
        return self._scope != "folder" or _folder(path) == _folder(self._path)

    def _of_bare(self, path: str, mentions: Sequence[Mention]) -> Verdict:
        """What is to be said of a name in a file that is taken from nothing, by what the file
        imports and defines."""
        if path == self._path:
            return Verdict.IS
        imports = [
            self._of_module(path, each.receiver)
            for each in mentions
            if each.role == "import" and not each.is_module
        ]
        if Verdict.IS in imports:
            return Verdict.IS
        if imports and all(verdict is Verdict.OTHER for verdict in imports):
            return Verdict.OTHER
        if path in self._top_of:
            return Verdict.OTHER
        if self.imports_elsewhere(mentions):
            return Verdict.MAY_BE
        if self._imports_names:
            return (
                Verdict.MAY_BE
                if imports or any(each.imports_all for each in mentions)
                else Verdict.OTHER
            )
        return (
            Verdict.IS if not imports and _folder(path) == _folder(self._path) else self._undecided
        )

    def _of_whole_name(self, module: str) -> Verdict | None:
        """What a whole qualified name says, in a language that writes them: that of the symbol, or
        that of a namesake."""
        whole = f"{module}.{last_name(self.row.name)}"
        if not self._whole_names or not module or whole == self.row.qualified_name:
            return Verdict.IS if self._whole_names and module else None
        return (
            Verdict.OTHER
            if any(each.row.qualified_name == whole for each in symbols_named(self._tree, whole))
            else None
        )

    def _of_module(self, path: str, module: str) -> Verdict:
        """Whether a name that a file imports from there is the symbol, by the names of its folders
        and its file."""
        if verdict := self._of_whole_name(module):
            return verdict
        if module.startswith(".") and "/" in module:
            place = posixpath.normpath(posixpath.join(_folder(path), _FILE_ENDING.sub("", module)))
            if place == _FILE_ENDING.sub("", self._path):
                return Verdict.IS
            if place in (_FILE_ENDING.sub("", other) for other in self._paths):
                return Verdict.OTHER
        names = _NAMES.findall(_FILE_ENDING.sub("", module) if "/" in module else module)
        if (
            not names
        ):  # the folder of the file, or one above, which may hand on what stands below it
            if _folder(path) == _folder(self._path):
                return Verdict.IS
            return Verdict.OTHER if _folder(path) in map(_folder, self._paths) else Verdict.MAY_BE
        mine = _shared_end(names, self._path, self.row.container)
        others = max((_shared_end(names, *other) for other in self._other_places), default=0)
        if mine < others:
            return Verdict.OTHER
        if self.is_foreign(Origin(module)):
            return Verdict.MAY_BE
        if mine > others:
            return Verdict.IS
        return Verdict.MAY_BE if mine or self._imports_names else self._undecided

    def _of_definition(self, path: str, scope: Scope) -> Verdict:
        if scope.qualified_name != self.row.container:
            return Verdict.OTHER
        if path == self._path:
            return Verdict.IS
        is_elsewhere = self._is_member or (scope.names == "declaration" and not self._imports_names)
        return Verdict.IS if is_elsewhere and path not in self._twins else Verdict.OTHER

    def _of_member(self, path: str, mention: Mention, scope: Scope) -> Verdict:
        receiver = mention.receiver
        if receiver in OF_ALL or (mention.is_variable and self._is_called):
            return Verdict.OTHER
        if self._has_twin_by_use and self._is_called != (
            mention.role == "call"
        ):  # a method and a field of one name
            return Verdict.OTHER
        if mention.is_label and self.row.kind is SymbolKind.METHOD:
            return Verdict.OTHER
        if mention.role == "import":  # few are, and then from their type
            return Verdict.IS if last_name(receiver) == self._container else Verdict.OTHER
        around = scope.qualified_name.split(".")
        is_inside = self._container in around and path not in self._twins
        if self._has_like_type:
            is_inside = f"{scope.qualified_name}.".startswith(f"{self.row.container}.")
        is_own = not receiver or receiver in OWN - ABOVE
        within = self._types_around(mention, scope)
        if (
            is_inside
            and is_own
            and not within.isdisjoint(around[around.index(self._container) + 1 :])
        ):
            return Verdict.OTHER  # a type within has such a member of its own
        if receiver in ABOVE:
            return Verdict.OTHER if is_inside else Verdict.MAY_BE
        if receiver in OWN or (not receiver and not self._needs_receiver):
            if is_inside:
                return Verdict.IS
            return self._by_the_name if not within and path not in self._twins else Verdict.OTHER
        # in a type's own body it may be the member; elsewhere it is written where a value gets its
        # fields
        if not receiver:
            if scope.qualified_name == self.row.container and path not in self._twins:
                return Verdict.IS
            return (
                Verdict.MAY_BE
                if mention.role == "write" and not mention.is_bound
                else Verdict.OTHER
            )
        name = last_name(receiver)
        if self._is_taken_from_elsewhere(mention):
            return (
                Verdict.MAY_BE
                if name == self._container or name not in self._types
                else Verdict.OTHER
            )
        if name == self._container:
            return Verdict.MAY_BE if self._twins or self._has_like_type else Verdict.IS
        if squash(fold(name)) == squash(
            fold(self._container)
        ):  # as in `cart.total`, which may be of any type
            return self._by_the_name
        return (
            Verdict.OTHER
            if name in self._types and not receiver.endswith(")")
            else self._by_the_name
        )

    def _of_top(self, path: str, mention: Mention, scope: Scope, bare: Verdict) -> Verdict:
        """Of a symbol that is no member. bare: what is to be said of a name in this file that is
        taken from nothing."""
        receiver = mention.receiver
        if mention.is_variable and self._is_fixed:
            return Verdict.OTHER
        if mention.is_label or (
            self._is_never_written(path)
            and mention.role == "write"
            and not (receiver or mention.is_bound)
        ):
            return Verdict.OTHER
        if mention.role == "import":
            return self._of_module(path, receiver) if path != self._path else Verdict.OTHER
        if receiver and (verdict := self._of_whole_name(receiver)):
            return verdict
        if mention.is_of_value and self._is_free and not self._modules_by_dot:
            return Verdict.OTHER
        if receiver in OF_ALL:
            return Verdict.OTHER if self.row.container else bare
        if (
            receiver
            and not mention.is_of_value
            and (verdict := self._of_path(path, receiver, scope))
        ):
            return verdict
        if receiver:
            if receiver in OWN or receiver.endswith((")", "]")):
                return Verdict.OTHER if not self._is_type else self._undecided
            name = last_name(receiver)
            if self._is_taken_from_elsewhere(mention):
                return (
                    Verdict.MAY_BE
                    if self._imports_names or name in self._modules
                    else Verdict.OTHER
                )
            is_own, is_others = name in self._modules, name in self._other_modules
            is_told = path != self._path or (self._has_paths and not mention.is_of_value)
            if is_own != is_others and (is_own or is_told):
                return Verdict.IS if is_own else Verdict.OTHER
            return Verdict.OTHER if self._is_free and _is_value(mention) else self._by_the_name
        if (
            self._types_apart and path in self._twins and mention.role != "import"
        ):  # it defines both a type and a value
            return bare if self._is_type == (mention.role in OF_TYPES) else Verdict.OTHER
        return bare

    def _of_path(self, path: str, receiver: str, scope: Scope) -> Verdict | None:
        """What a path says, where the language has words that begin one."""
        if not self._path_words:
            return None
        modules = [each for each in scopes_around(scope.qualified_name) if self._is_module(each)]
        around = module_of(path, modules[-1] if modules else "")
        verdict = is_of_module(
            receiver, self._path_words, around, self._own_module, self._modules_of_others
        )
        if verdict is not None:
            return Verdict.IS if verdict else Verdict.OTHER
        return Verdict.MAY_BE if is_relative(receiver, self._path_words) else None

    def is_foreign(self, origin: Origin) -> bool:
        """Whether no word says that a module is where the symbol stands: neither its last, nor, of
        several, its first one."""
        words = [fold(word) for word in origin.words]
        if origin.is_relative or not words:
            return False
        return words[-1] not in self._places or words[0] not in self._top_places

    def imports_elsewhere(self, mentions: Sequence[Mention]) -> bool:
        """Whether a file imports the name from where the symbol does not stand, by what it
        mentions."""
        imports = [
            each.receiver for each in mentions if each.role == "import" and not each.is_module
        ]
        return any(self.is_foreign(Origin(module)) for module in imports)

    def _is_taken_from_elsewhere(self, mention: Mention) -> bool:
        """Whether what a name is taken from is imported from elsewhere, or named with a place that
        is not the symbol's."""
        module, name = mention.origin
        names = _NAMES.findall(mention.receiver)
        if module:
            is_type = len(names) == 1 and name == self._container and self._is_member
            return self.is_foreign(
                Origin(module)
                if is_type
                else Origin(".".join(filter(None, (module, name, *names[1:]))))
            )
        is_path = (
            first_name(mention.receiver)
            and not mention.receiver.endswith((")", "]"))
            and mention.receiver[:1] not in OF_ALL
        )
        return (
            bool(is_path)
            and self._is_member
            and len(names) > 1
            and names[-1] == self._container
            and self.is_foreign(Origin(".".join(names[:-1])))
        )

    def _is_never_written(self, path: str) -> bool:
        """Whether a bare name that a file writes is another symbol: types and functions are
        defined, not written."""
        return self._is_fixed and (path != self._path or not self._imports_names)

    def type_name(self, around: str) -> str:
        """The name of a member's type in the code of a symbol: with what is around it, where
        another type has its last name."""
        outer = self.row.container.rpartition(".")[0]
        is_within = not outer or f"{around}.".startswith(f"{outer}.")
        return (
            ".".join(self.row.container.split(".")[-2:])
            if self._has_like_type and not is_within
            else self._container
        )

    @property
    def is_unique(self) -> bool:
        """Whether no other symbol has its qualified name."""
        return not self._twins

    @property
    def _undecided(self) -> Verdict:
        return Verdict.MAY_BE if self.n_namesakes else Verdict.IS

    @property
    def _by_the_name(self) -> Verdict:
        """Of what is taken from anything: a name of one word may be that of any library's
        member."""
        return Verdict.MAY_BE if self.n_namesakes or self._is_common else Verdict.IS


def _depth_of(containers: Iterable[str], scope: Scope) -> int:
    """How many names the longest of some containers has that is around a place."""
    around = f"{scope.qualified_name}."
    return max(
        (each.count(".") + 1 for each in containers if each and around.startswith(f"{each}.")),
        default=0,
    )


def _is_title(row: Row) -> bool:
    """Whether a name is the title of a test, which defines no identifier:
    `TEST_CASE("create_dir")`."""
    signature = row.index.signature(row.number) if row.flags & SymbolFlag.TEST else ""
    return any(f"{quote}{row.name}{quote}" in signature for quote in "\"'`")


def _module_names(path: str, container: str) -> frozenset[str]:
    """The names by which code may call what a symbol stands in: its folders, its file, its
    container."""
    return frozenset([*path.rpartition(".")[0].split("/"), *container.split(".")]) - {""}


def _is_value(mention: Mention) -> bool:
    """Whether a name is taken from a value, not from a module: that is imported, or it is a name in
    capitals, or one of all."""
    first = first_name(mention.receiver)
    return (
        mention.is_of_value
        and not mention.origin[0]
        and bool(first)
        and not first[:1].isupper()
        and first not in _TOPS
    )


_TOPS: Final = frozenset({"window", "global", "globalThis", "exports", "module", "root", "_G"})
"""Values that hold what is defined at the top, in whatever language."""


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _shared_end(names: Sequence[str], path: str, container: str) -> int:
    """How many of the last parts of a module's name are the last ones of a path, with or without
    the name of the file, or of a container."""
    parts = path.rpartition(".")[0].replace("-", "_").split("/")
    best = max(_common_end(names, each) for each in (parts, parts[:-1], container.split(".")))
    return 1 if not best and names[-1] in parts else best


def _common_end(names: Sequence[str], parts: Sequence[str]) -> int:
    pairs = zip(reversed(names), reversed(parts), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
