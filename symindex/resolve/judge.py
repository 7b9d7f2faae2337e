"""Whether uses of a name are bound to one symbol: the answer of the resolver, where it has one."""

import re
from enum import Enum
from functools import cached_property
from typing import Final, NamedTuple

from symindex.extract.file_bindings import GIVEN, NOTHING, SELF
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.resolve import objects
from symindex.resolve.aliases import aliases_of
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.bound_use import bound_use
from symindex.resolve.denoted import (
    DOUBTFUL,
    Denoted,
    Kind,
    Place,
    is_accessor,
    is_callable,
    is_named_as_its_type,
    is_type,
)
from symindex.resolve.held import is_of_context, may_be_held, may_be_of_context
from symindex.resolve.modules import extensions
from symindex.resolve.modules.packages import OF_PACKAGES
from symindex.resolve.overloading import Overloads
from symindex.resolve.reach import (
    is_added_to_language,
    is_around,
    is_associated,
    is_beyond,
    is_in_namesake,
    is_inner_elsewhere,
    is_of_other_type,
    is_of_unnamed,
    is_out_of_reach,
    may_be_injected,
    may_be_put_into,
)
from symindex.resolve.reading.excerpts import NOT_KNOWN, Mention
from symindex.resolve.tree import Row, Tree
from symindex.resolve.uses import (
    Bound,
    bare_in_unnamed,
    held_use,
)
from symindex.resolve.virtual import VirtualMember

_ACCESSORS: Final = {SymbolKind.METHOD, SymbolKind.PROPERTY}
_FIELDS: Final = frozenset({SymbolKind.FIELD, SymbolKind.PROPERTY, SymbolKind.KEY})


class Answer(Enum):
    """Whether a use is bound to a symbol. AMONG: to it or to another function of its name and type.
    POSSIBLE: to it or to another. UNKNOWN: nothing is known about its receiver."""

    OWN = "own"
    AMONG = "among"
    POSSIBLE = "possible"
    OTHER = "other"
    UNKNOWN = "unknown"


class Finding(NamedTuple):
    """Whether a use is bound to a symbol, and what it denotes; `None` if that was not asked."""

    answer: Answer
    bound: Bound | None = None


NOT_FOUND: Final = Finding(Answer.UNKNOWN)


class BoundUse:
    """Says of uses of one symbol's name whether they are bound to it.

    row: the symbol. with_overloads: whether its overloads count as the symbol itself.
    """

    def __init__(self, tree: Tree, row: Row, with_overloads: bool = False) -> None:
        self.row = row
        self._with_overloads = with_overloads
        self.resolver: Resolver = Resolver(tree)
        self._resolver = self.resolver
        self._file = self._resolver.files.of(row)
        self._overloads = Overloads(self._resolver, row)
        self.is_ruled: bool = self._resolver.files.rules_of(self._file) is not None

    @cached_property
    def aliases(self) -> list[str]:
        """The other names under which files import the symbol or objects have it."""
        if not self.is_ruled:
            return []
        keys = objects.keys_of(self._resolver, self.row)
        return [*dict.fromkeys([*aliases_of(self._resolver, self.row), *keys])]

    @cached_property
    def is_of_objects(self) -> bool:
        """Whether an object of the tree has the symbol as a member under its own name."""
        return objects.have_member(self._resolver, self.row)

    @cached_property
    def _parts(self) -> list[Row]:
        """The other definitions of the symbol, if it is a type in several parts."""
        is_type = self._resolver.files.is_type(self.row)
        return self._resolver.packages.parts(self.row) if is_type and self._is_packaged else []

    @cached_property
    def _is_packaged(self) -> bool:
        return self._resolver.is_packaged(self._file)

    @cached_property
    def _is_extension(self) -> bool:
        """Whether the symbol is called as a member of values of a type that does not define it."""
        language = self._resolver.tree.languages.by_id.get(self._file.file.known_language)
        pattern = language.rules.roles.extensions if language is not None else ""
        signature = self.row.index.signature(self.row.number)
        return bool(pattern) and re.search(pattern, signature) is not None

    @cached_property
    def _own_type(self) -> Row | None:
        """Returns the type that the symbol is a member of."""
        rows = self._file.by_name.get(self.row.container, [])
        types = [row for row in rows if self._resolver.files.is_type(row)]
        types = [row for row in types if self._resolver.packages.is_member(self.row, row)] or types
        if types or not self.row.container:
            return types[0] if types else None
        return self._resolver.type_around(Place(self._file, self.row.container))

    @cached_property
    def _virtual(self) -> VirtualMember:
        return VirtualMember(self._resolver, self.row, self._own_type)

    @cached_property
    def is_of_field(self) -> bool:
        """Whether the symbol is a member of a type without a name, that of a field or key."""
        around = self._file.by_name.get(self.row.container, [])
        return bool(around) and all(row.kind in _FIELDS for row in around)

    @cached_property
    def _is_anonymous(self) -> bool:
        """Whether the symbol is a member of a type without a name, whose bases are not known."""
        around = self._file.by_name.get(self.row.container, [])
        is_member = self.row.kind in (SymbolKind.METHOD, SymbolKind.PROPERTY)
        return is_member and bool(around) and not any(map(is_type, around))

    @cached_property
    def is_in_function(self) -> bool:
        """Whether the symbol is a member of a type without a name that a function makes, so that
        no value is called like what the symbol is in."""
        rules = self._resolver.files.rules_of(self._file)
        around = self._file.by_name.get(self.row.container, [])
        has_unnamed = rules is not None and rules.anonymous_types and bool(around)
        return has_unnamed and all(map(is_callable, around))

    @cached_property
    def _calls_own_alone(self) -> bool:
        """Whether the symbol is a method in a language in which bare names call methods of their
        own type alone, and assignments other methods."""
        return self._resolver.calls_own_alone(self._file) and self.row.kind in CALLABLE_KINDS

    @cached_property
    def _is_open(self) -> bool:
        """Whether the symbol is a member that its language adds to types of libraries."""
        return self._resolver.is_added_elsewhere(self.row)

    @cached_property
    def _is_of_library(self) -> bool:
        """Whether the symbol is a member that code declares for a type of a library."""
        return self._resolver.ambient.may_be_of_library(self.row)

    def answer(self, path: str, mention: Mention, container: str) -> Answer:
        """Says whether a use is bound to the symbol. container: of the symbol around the use."""
        return self.finding(path, mention, container).answer

    def finding(self, path: str, mention: Mention, container: str) -> Finding:
        """Says whether a use is bound to the symbol, and by what."""
        if self.is_ruled and self._overloads.are_meant_instead(path, mention, container):
            return Finding(Answer.OTHER)
        if is_of_context(self._resolver, self._resolver.files.at(path), mention):
            return self._of_context(path, mention, container)
        if mention.holders:
            meant = held_use(self._resolver, path, mention, container)
            held = self._found(meant, path, mention, container)
            is_value = mention.is_label or mention.is_bound or held.answer is not Answer.OTHER
            if held.answer is not Answer.UNKNOWN:
                if is_value or self._own_type is not None:
                    return held
            elif self._own_type is not None and (
                mention.holders[0][:1] == "<" or may_be_held(self._resolver, self._file, mention)
            ):
                return held._replace(answer=Answer.POSSIBLE)
        if not mention.receiver and mention.local and self._own_type is not None:
            unnamed = bare_in_unnamed(self._resolver, path, mention, container)
            if unnamed is not None:
                found = self._found(unnamed, path, mention, container)
                if found.answer is not Answer.UNKNOWN:
                    return found
                if unnamed.receiver.kind is not Kind.FOREIGN:
                    return found._replace(answer=Answer.POSSIBLE)
                around = self._around(path, mention, container)
                is_own = around.answer in (Answer.OWN, Answer.AMONG)
                return around._replace(answer=Answer.POSSIBLE) if is_own else around
        return self._around(path, mention, container)

    def _of_context(self, path: str, mention: Mention, container: str) -> Finding:
        """Says whether a use of a name is bound to the symbol whose type the code around tells."""
        if not may_be_of_context(self._resolver, self.row, path, mention):
            return Finding(Answer.OTHER)
        use = bound_use(self._resolver, path, mention, container)
        found = self._found(use, path, mention, container)
        is_known = found.answer is not Answer.UNKNOWN
        return found if is_known else found._replace(answer=Answer.POSSIBLE)

    def _around(self, path: str, mention: Mention, container: str) -> Finding:
        """Says whether a use is bound to the symbol where no type without a name is around it."""
        imports = [one for one in mention.imports if one[0] == mention.name]
        is_import = mention.role == "import" or mention.imports_all
        is_bare = not (mention.receiver or imports or is_import)
        sees_files = self._resolver.packages.sees_files(self._file)
        if is_bare and (
            is_associated(self._resolver, self.row, self._own_type)
            or is_beyond(self._resolver, self.row, path, container)
            or is_of_unnamed(self._resolver, self.row)
        ):
            return Finding(Answer.OTHER)
        if self._calls_own_alone and mention.role == "write" and mention.receiver:
            return Finding(Answer.POSSIBLE)  # it calls another method, whose name ends with a sign
        is_ambient = is_bare and self._resolver.ambient.is_ambient(self.row)
        if is_bare and not (self._is_packaged or sees_files or is_ambient):
            return NOT_FOUND  # other rules decide on what its file or folder defines
        is_value = mention.role != "call" and mention.name[:1].islower()
        is_open = is_bare and not (sees_files or is_ambient)
        if is_open and is_value and mention.binding == NOT_KNOWN:
            return NOT_FOUND  # it may be a variable
        use = bound_use(self._resolver, path, mention, container)
        denoted = self._overloads.here(use.denoted, path, mention, container)
        found = self._found(use._replace(denoted=denoted), path, mention, container)
        if found.answer is Answer.UNKNOWN and not imports:
            facts = (self.row, self._own_type, path, mention, container)
            if is_out_of_reach(self._resolver, *facts):
                return found._replace(answer=Answer.OTHER)
        is_foreign = use.denoted.kind is Kind.FOREIGN
        if is_foreign and may_be_put_into(self._resolver, self.row, mention):
            return Finding(Answer.POSSIBLE, Bound(Denoted(Kind.SYMBOL, (self.row,))))
        is_own_name = path == self._file.path and not (self.row.container or mention.receiver)
        if found.answer is Answer.OTHER and imports and is_own_name and not is_import:
            return found._replace(answer=Answer.POSSIBLE)  # the file defines and imports the name
        rows = found.bound.receiver.rows if found.bound is not None and mention.receiver else ()
        if found.answer is Answer.UNKNOWN and (
            self._is_of_other_value(mention)
            or is_of_other_type(self._resolver, self._own_type, rows)
        ):
            return found._replace(answer=Answer.POSSIBLE)
        is_unlikely = is_bare and found.answer is Answer.UNKNOWN
        is_far = is_around(self._resolver, self.row, path, container)
        is_far = is_far or is_inner_elsewhere(self._resolver, self.row, self._own_type, container)
        if is_unlikely and (is_far or may_be_injected(self._resolver, self.row, container)):
            return found._replace(answer=Answer.POSSIBLE)
        return found

    def is_defined_at(self, path: str, line: int) -> bool | None:
        """As `Overloads.is_defined_at`."""
        return self._overloads.is_defined_at(path, line)

    def defines_overload(self, path: str, line: int) -> bool:
        """Whether a place defines another symbol of this whole name: a function with other
        parameters, a type with other type parameters, or a member of one."""
        if self._with_overloads and any(row.line == line for row in self._overloads.rows):
            return False
        return path == self._file.path and self._overloads.define(line)

    def _found(self, use: Bound, path: str, mention: Mention, container: str) -> Finding:
        if use.denoted.kind is Kind.SYMBOL:
            rows = self._overloads.of_role(use.denoted.rows, mention)
            use = use._replace(denoted=use.denoted._replace(rows=rows))
        answer = self._answer(use, mention, path)
        is_made = mention.role == "call" and is_named_as_its_type(self.row)
        if answer is Answer.UNKNOWN and is_made and self._own_type in use.denoted.rows:
            answer = Answer.OWN
        if answer is Answer.OTHER or self._with_overloads:
            return Finding(answer, use)
        meant = self._overloads.meant(mention, use.denoted, path, container)
        if not meant or meant == (self.row,):
            return Finding(answer, use)
        if self.row not in meant:
            return Finding(Answer.OTHER, use)
        if answer is Answer.UNKNOWN:
            return Finding(answer, use)
        use = use._replace(denoted=use.denoted._replace(rows=meant))
        return Finding(Answer.AMONG if answer is Answer.OWN else answer, use)

    def count_others(self, use: Bound) -> int:
        """Returns how many other symbols a use may denote."""
        is_symbol = use.denoted.kind is Kind.SYMBOL
        own = {self.row, *self._overloads.rows}
        if is_symbol and own.issuperset(use.denoted.rows):
            return len({*use.denoted.rows} - {self.row})
        return sum(self._is_same(row) is False for row in use.denoted.rows) if is_symbol else 0

    def _is_of_other_value(self, mention: Mention) -> bool:
        """Whether a name is taken from what the language calls the value around, where that is not
        known to be one of the type around."""
        rules = self._resolver.files.rules_of(self._file)
        is_this = rules is not None and mention.receiver in (*rules.this, *rules.above)
        return is_this and mention.local.get(SELF, [NOTHING]) != [NOTHING]

    def is_of_given_value(self, mention: Mention) -> bool:
        """Whether a name is taken from the value around in code that a function is given."""
        told = mention.local.get(SELF, [NOTHING])[0]
        return told[:1] == GIVEN and self._is_of_other_value(mention)

    def is_in_namesake(self, path: str, container: str) -> bool:
        """Whether a place is in a type that only has the simple name of the symbol's own."""
        file, own = self._resolver.files.at(path), self._own_type
        if file is None or own is None:
            return False
        return is_in_namesake(self._resolver, own, file, container)

    def _answer(self, use: Bound, mention: Mention, path: str) -> Answer:
        """Says whether what a use denotes is the symbol."""
        if self._virtual.may_have(use.receiver):
            return Answer.POSSIBLE
        is_package = use.denoted.is_package and self.row.kind not in OF_PACKAGES
        if use.denoted.kind is Kind.FOREIGN or is_package:
            are_extended = extensions.are_allowed(self._resolver.files, self._file)
            is_extension = self._is_extension and bool(mention.receiver) and not are_extended
            is_of_library = bool(mention.receiver) and not use.receiver.rows and self._is_of_library
            is_open = self._is_open or is_extension or is_of_library
            is_open = is_open or is_added_to_language(
                self._resolver, self._own_type, mention, use.receiver
            )
            return Answer.UNKNOWN if is_open else Answer.OTHER
        if use.denoted == DOUBTFUL:
            return Answer.POSSIBLE
        if use.denoted.kind is not Kind.SYMBOL or not use.denoted.rows:
            return Answer.UNKNOWN
        same = [self._is_same(row) for row in use.denoted.rows]
        if not any(same):
            if is_gotten := objects.hand_on(self._resolver, use.denoted.rows, self.row):
                return Answer.OWN if is_gotten is objects.Gets.ALWAYS else Answer.POSSIBLE
            if self._virtual.may_inherit(use.receiver):
                return Answer.POSSIBLE
            is_open = self._is_anonymous and use.receiver.kind is Kind.VALUE
            return Answer.UNKNOWN if is_open or None in same else Answer.OTHER
        nearest = self._resolver.packages.nearest_variant(use.denoted.rows, path)
        if nearest is not None and self._is_same(nearest):
            return Answer.OWN
        return Answer.OWN if all(same) else Answer.POSSIBLE

    def _is_same(self, row: Row) -> bool | None:
        """Whether a symbol is the one; `None` if it may be."""
        own = self.row
        if row in self._parts or self._is_merged(row):
            return True
        if row.name == own.name and row in self._resolver.ambient.others(own):
            return True
        is_overload = row.kind in CALLABLE_KINDS and own.kind in CALLABLE_KINDS
        are_members = not (is_type(row) or is_type(own))
        if are_members and self._overloads.are_apart(row):
            return False
        if row == own or (is_one := self._resolver.packages.are_one(row, own)):
            return True
        is_of_type = is_named_as_its_type(own) and row.qualified_name == own.container
        if is_one is None or is_of_type:  # the name of a type may mean its constructor
            return None
        return (
            row.qualified_name == own.qualified_name
            and row.file.path == own.file.path
            and not (is_overload and extensions.are_apart(self._resolver.files, row, own))
            and not self._overloads.are_apart(row)
            and (is_overload or self._overloads.are_one_type(row) or self._is_accessor(row))
        )

    def _is_accessor(self, row: Row) -> bool:
        """Whether the symbol and another of its whole name are what gets and what sets a property,
        or a function and a property, one of which replaces the other; or a member of a type
        without a name and the key of a value of it."""
        rules, kinds = self._resolver.files.rules_of(self._file), {row.kind, self.row.kind}
        if kinds == {SymbolKind.PROPERTY}:
            return is_accessor(row) and is_accessor(self.row)
        if SymbolKind.KEY in kinds and kinds & _FIELDS - {SymbolKind.KEY}:
            return True  # the type of a constant declares what its value has
        return kinds == _ACCESSORS and rules is not None and rules.bare_results

    def _is_merged(self, row: Row) -> bool:
        """Whether a type and a value are one symbol, as they have one name in one place."""
        own, files = self.row, self._resolver.files
        is_near = row.qualified_name == own.qualified_name and row.file.path == own.file.path
        return is_near and len({*files.merged([row, own])} & {row, own}) == 2
