"""The facts of files that bindings are followed through, each file read once a request."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from symindex.extract.file_bindings import (
    ALL,
    AMBIENT,
    INNER,
    NO_SYMBOL,
    PARAMETER,
    STATIC,
    Base,
    FileBindings,
    Import,
    TypeFact,
    unpack_bindings,
)
from symindex.extract.languages.schema import BindingRules
from symindex.index.columns.file_bindings import bindings_of, files_binding
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.resolve.reading.expressions import is_parameter, names_of, types_in
from symindex.resolve.tree import IndexedFile, Row, Tree, find_file, row_of, rows_of

_OF_SYMBOLS: Final = ("", "<", STATIC, AMBIENT)
"""What the names begin with under which is stored what is known of a symbol itself."""

_VALUES: Final = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.FUNCTION})


_MODULE_WORD: Final = re.compile(r"mod|namespace|package")
"""What languages call a module where they define one; titles of tests have other words."""


def is_title(row: Row) -> bool:
    """Whether a name is the title of a test, which defines no identifier:
    `TEST_CASE("create_dir")`, and `context "a cart" do` or `describe Cart do` around tests."""
    is_module, is_test = row.kind is SymbolKind.MODULE, bool(row.flags & SymbolFlag.TEST)
    if not (is_test or is_module):
        return False
    signature = row.index.signature(row.number)
    if is_module and is_test and _is_of_tests(row.name, signature):
        return True
    name = re.escape(row.name)  # `Frame = namedtuple("Frame")` has it without quotes first
    first = re.search(rf"([\"'`])?(?<!\w){name}(?!\w)(?(1)\1)", signature)
    return first is not None and first[1] is not None


def is_subject(kind: str, flags: int, name: str, signature: str) -> bool:
    """Whether the title of tests is the name of what they test, and so a use of it:
    `describe Cart do`, but not `describe "Cart" do`."""
    if kind != SymbolKind.MODULE or not flags & SymbolFlag.TEST or not name[:1].isupper():
        return False
    is_bare = re.search(rf"(?:\s|\(|::){re.escape(name)}(?!\w)", signature.split(",")[0])
    has_quotes = re.search("[\"'`]", signature.partition(name)[0])
    return bool(is_bare) and not has_quotes and _is_of_tests(name, signature)


def _is_of_tests(name: str, signature: str) -> bool:
    return _MODULE_WORD.search(signature.partition(name)[0]) is None


class FileFacts:
    """The symbols and bindings of one file."""

    def __init__(self, file: IndexedFile) -> None:
        self.file = file

    @property
    def path(self) -> str:
        return self.file.path

    @cached_property
    def bindings(self) -> FileBindings:
        return unpack_bindings(bindings_of(self.file.part.index, self.file.number))

    @cached_property
    def rows(self) -> list[Row]:
        return rows_of(self.file)

    @cached_property
    def numbers(self) -> dict[Row, int]:
        """The number of each symbol in the file."""
        return {row: number for number, row in enumerate(self.rows)}

    @cached_property
    def by_name(self) -> dict[str, list[Row]]:
        """The symbols by qualified name, the last definition first."""
        rows: dict[str, list[Row]] = {}
        for row in reversed(self.rows):
            rows.setdefault(row.qualified_name, []).append(row)
        return rows

    @cached_property
    def types_by_name(self) -> dict[str, list[Row]]:
        """The types, objects and modules by qualified name, the last definition first."""
        of_types = (SymbolKind.OBJECT, SymbolKind.MODULE)
        return {
            name: types
            for name, rows in self.by_name.items()
            if (
                types := [
                    row for row in rows if KINDS[row.kind].quality == 0 or row.kind in of_types
                ]
            )
        }

    @cached_property
    def has_modules(self) -> bool:
        """Whether modules are defined inside the file."""
        return any(row.kind is SymbolKind.MODULE for row in self.rows)

    @cached_property
    def imports(self) -> dict[str, list[Import]]:
        """The imports by local name; those of all names by an empty one."""
        by_local: dict[str, list[Import]] = {}
        for one in self.bindings.imports:
            by_local.setdefault(one.local, []).append(one)
        return by_local

    @cached_property
    def inner_imports(self) -> dict[str, list[Import]]:
        """The imports of all names that count in one symbol, by its qualified name."""
        by_symbol: dict[str, list[Import]] = {}
        for one in self.bindings.imports:
            number = one.local[1:] if one.local[:1] == INNER and one.name == ALL else ""
            if number.isdigit() and int(number) < len(self.rows):
                by_symbol.setdefault(self.rows[int(number)].qualified_name, []).append(one)
        return by_symbol

    @cached_property
    def package(self) -> str:
        """The package that the file declares."""
        own = [one.module for one in self.imports.get("", ()) if not one.name]
        return own[0] if own else ""

    @cached_property
    def bases(self) -> dict[int, list[str]]:
        """The bases by the number of the subtype."""
        by_symbol: dict[int, list[str]] = {}
        for one in self.bindings.bases:
            if one.owner:
                continue
            by_symbol.setdefault(one.symbol, []).append(one.type)
        return by_symbol

    def around(self, base: Base) -> str:
        """Returns the qualified name of the module that states a base for a type elsewhere."""
        return self.rows[base.symbol].qualified_name if 0 <= base.symbol < len(self.rows) else ""

    @cached_property
    def types(self) -> dict[tuple[int, str], list[TypeFact]]:
        """What is known of types, by symbol and name of a member."""
        by_symbol: dict[tuple[int, str], list[TypeFact]] = {}
        for one in self.bindings.types:
            by_symbol.setdefault((one.symbol, one.name), []).append(one)
        return by_symbol

    @cached_property
    def with_members(self) -> frozenset[int]:
        """The numbers of the symbols with members that are no symbols."""
        return frozenset(
            one.symbol
            for one in self.bindings.types
            if one.name[:1] not in ("", "<", STATIC, AMBIENT)
        )

    def is_static(self, row: Row) -> bool:
        """Whether a member is one of its type itself, which values of the type do not have."""
        return (self.numbers.get(row, NO_SYMBOL), STATIC) in self.types

    def is_ambient(self, row: Row) -> bool:
        """Whether a symbol is declared for all files."""
        is_of_all = not row.container and (NO_SYMBOL, AMBIENT) in self.types
        return is_of_all or (self.numbers.get(row, NO_SYMBOL), AMBIENT) in self.types

    def facts_of(self, row: Row, name: str = "") -> list[TypeFact]:
        """Returns what is known of the type of a symbol, or of a member of it that is none."""
        return self.types.get((self.numbers.get(row, NO_SYMBOL), name), [])

    def members_of(self, row: Row) -> list[Row]:
        """Returns the symbols directly in one definition of a type."""
        first, last = row.lines
        return [
            one
            for one in self.rows
            if one.container == row.qualified_name and first <= one.lines[0] <= last
        ]

    def is_extension(self, row: Row) -> bool:
        """Whether a member is defined outside of its type."""
        first, last = row.lines
        return bool(row.container) and not any(
            outer.lines[0] <= first and last <= outer.lines[1]
            for outer in self.by_name.get(row.container, ())
        )

    @cached_property
    def extended(self) -> frozenset[str]:
        """The qualified names to which code elsewhere in the file gives methods."""
        methods = [row for row in self.rows if row.kind is SymbolKind.METHOD]
        return frozenset(row.container for row in methods if self.is_extension(row))

    def parameter(self, container: str, name: str) -> TypeFact | None:
        """Returns what is known of a type parameter of a symbol or of those around it; `None` if
        none of them has one of this name."""
        while container:
            if facts := self._parameters.get((container, PARAMETER.format(name))):
                return max(facts, key=lambda fact: bool(fact.type))
            container = container.rpartition(".")[0]
        return None

    @cached_property
    def _parameters(self) -> dict[tuple[str, str], list[TypeFact]]:
        """What is known of type parameters, by the qualified name of a symbol and their own: of
        several symbols, the last one's."""
        return {
            (self.rows[number].qualified_name, name): facts
            for (number, name), facts in sorted(self.types.items(), key=lambda pair: pair[0])
            if name[:1] == "<" and 0 <= number < len(self.rows)
        }

    @cached_property
    def titles(self) -> frozenset[str]:
        """The qualified names that are titles of tests."""
        return frozenset(row.qualified_name for row in self.rows if is_title(row))

    def parameters(self, row: Row) -> list[str]:
        """Returns the names of the type parameters of a symbol, in order."""
        number = self.numbers.get(row, NO_SYMBOL)
        return [name[1:-1] for symbol, name in self.types if symbol == number and name[:1] == "<"]

    def arity(self, row: Row) -> int:
        """Returns the number of type parameters of a symbol."""
        return len(self.parameters(row))

    def has_members(self, row: Row) -> bool:
        """Whether symbols of the file are inside one of its symbols."""
        return any(name.startswith(f"{row.qualified_name}.") for name in self.by_name)


class Files(NamedTuple):
    """The files of a tree, and what was read of them: by path, and the symbols by name."""

    tree: Tree
    by_path: dict[str, FileFacts]
    by_name: dict[str, list[Row]]

    def at(self, path: str) -> FileFacts | None:
        """Returns the facts of a file; `None` if it is not in the index."""
        if path not in self.by_path:
            file = find_file(self.tree, path)
            if file is None:
                return None
            self.by_path[path] = FileFacts(file)
        return self.by_path[path]

    def of(self, row: Row) -> FileFacts:
        return self.of_file(row.file)

    def of_file(self, file: IndexedFile) -> FileFacts:
        """Returns the facts of a file."""
        if file.path not in self.by_path:
            self.by_path[file.path] = FileFacts(file)
        return self.by_path[file.path]

    def declare(self, package: str) -> bool:
        """Whether a file declares that it is in a package or in one inside of it."""
        sought = f"i\t\t{package}"
        for part in self.tree.snapshot.parts:
            for number in files_binding(part.index, [sought.encode()]):
                file = self.at(IndexedFile.of(part, number).path) if part.counts(number) else None
                if file is not None and f"{file.package}.".startswith(f"{package}."):
                    return True
        return False

    def importing_everywhere(self) -> list[FileFacts]:
        """Returns the files with imports that count in other files too."""
        return [
            file
            for part in self.tree.snapshot.parts
            for number in files_binding(part.index, [f"i\t{ALL}\t".encode()])
            if part.counts(number)
            and (file := self.at(IndexedFile.of(part, number).path)) is not None
            and ALL in file.imports
        ]

    def mentioning(self, names: Iterable[str]) -> Iterator[FileFacts]:
        """Yields the files whose stored bindings contain one of the names."""
        sought = [name.encode() for name in names]
        for part in self.tree.snapshot.parts:
            for number in files_binding(part.index, sought):
                if part.counts(number):
                    file = IndexedFile.of(part, number)
                    yield self.at(file.path) or FileFacts(file)

    def named(self, name: str) -> list[Row]:
        """Returns the symbols of exactly this name, each name found once."""
        if name not in self.by_name:
            self.by_name[name] = [
                row_of(part, facts)
                for part in self.tree.snapshot.parts
                for facts in part.rows_written(name)
                if facts.name == name
            ]
        return self.by_name[name]

    def explicit_type(self, row: Row) -> str:
        """Returns the last name of the interface whose values alone have a member; empty if those
        of its own type have it as well."""
        rules = self.rules_of(self.of(row))
        if rules is None or not rules.explicit or not row.container:
            return ""
        found = re.match(rules.explicit, row.index.signature(row.number))
        return names_of(types_in(found["of"])[0])[-1] if found is not None else ""

    def lack_type(self, names: Sequence[str]) -> bool:
        """Whether no symbol of the tree has the name of a type, which is no parameter either."""
        return len(names) == 1 and not is_parameter(names[0]) and not self.named(names[0])

    def rules_of(self, file: FileFacts) -> BindingRules | None:
        """Returns the rules for the bindings of a file's language; `None` if it has none."""
        language = self.tree.languages.by_id.get(file.file.known_language)
        rules = language.rules.bindings if language is not None else None
        return rules if rules is not None and rules.modules else None

    def is_type(self, row: Row) -> bool:
        """Whether a symbol has members and bases: a type, a single object, or a module that others
        mix in."""
        is_module = row.kind is SymbolKind.MODULE
        has_bases = KINDS[row.kind].quality == 0 or row.kind is SymbolKind.OBJECT
        return has_bases or (is_module and self.has_mixins(row) and not is_title(row))

    def is_variant(self, row: Row) -> bool:
        """Whether a symbol is a member of an enumeration with members of its own."""
        return row.kind is SymbolKind.ENUM_MEMBER and self.of(row).has_members(row)

    def is_protocol(self, row: Row) -> bool:
        """Whether any class implements a class by having its members, as its bases say."""
        file = self.of(row)
        rules = self.rules_of(file)
        if rules is None or not rules.protocols:
            return False
        bases = file.bases.get(file.numbers.get(row, NO_SYMBOL), ())
        return any(
            names_of(name)[-1] in rules.protocols for base in bases for name in types_in(base)
        )

    def is_constructor(self, row: Row) -> bool:
        """Whether a function is used as a type: code outside of it gives it methods."""
        is_function = row.kind is SymbolKind.FUNCTION
        return is_function and row.qualified_name in self.of(row).extended

    def merged(self, rows: Sequence[Row]) -> list[Row]:
        """Returns the first type and the first value among definitions of one name, in a language
        in which these are one symbol; none if one of the two is missing."""
        if len(rows) < 2 or not self.merges(rows[0]):
            return []
        types = [row for row in rows if KINDS[row.kind].quality == 0]
        values = [row for row in rows if row.kind in _VALUES]
        return [*values[:1], *types[:1]] if types and values else []

    def merges(self, row: Row) -> bool:
        """Whether a type and a value of one name are one symbol in a symbol's language."""
        language = self.tree.languages.by_id.get(row.file.known_language)
        return language is not None and language.rules.roles.types_merge

    def has_mixins(self, row: Row) -> bool:
        """Whether the types of a symbol's language mix in modules."""
        language = self.tree.languages.by_id.get(row.file.known_language)
        return language is not None and language.rules.roles.mixins

    def family(self, file: FileFacts) -> frozenset[str]:
        """Returns the languages that share symbols with a file's own."""
        return frozenset(self.tree.languages.relatives_of(file.file.known_language))
