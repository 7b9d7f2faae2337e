"""Selects the symbols that may be told unused, by what the index and the language say about them.

A symbol that something outside of the code may reach is none: an exported one (unless the request
asks for these), a test, an entry point, a member of an interface.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from symindex.extract.languages.language import Language, compile_pattern
from symindex.index.columns.rows import FileRows, signatures_at
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.resolve.tree import IndexedFile, Row, Tree, rows_of
from symindex.search.answer.filters import Filter, PartFilter


class Reach(StrEnum):
    """From where a symbol can be used, narrowest first."""

    FUNCTION = "local"
    FILE = "private"
    FOLDER = "private to its folder"
    TREE = "not exported"
    ANYWHERE = "exported"


class Candidate(NamedTuple):
    """A symbol that may be unused."""

    row: Row
    reach: Reach


_ASIDE: Final = (
    SymbolFlag.TEST
    | SymbolFlag.GENERATED
    | SymbolFlag.VENDORED
    | SymbolFlag.DECLARATION
    | SymbolFlag.BROKEN
    | SymbolFlag.CONFLICTED
)

_TYPES: Final = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.STRUCT,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.ENUM,
        SymbolKind.TYPE,
    }
)
DATA: Final = frozenset(
    {SymbolKind.FIELD, SymbolKind.PROPERTY, SymbolKind.VARIABLE, SymbolKind.CONSTANT}
)
"""Kinds whose definition does not contain their uses."""

_KINDS: Final = _TYPES | DATA | {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.MACRO}
_HOLDERS: Final = frozenset({SymbolKind.CLASS, SymbolKind.STRUCT})
"""Types whose members are there to be used. What an interface or an enumeration lists is a contract
or a complete set."""

_SPACES: Final = frozenset({SymbolKind.NAMESPACE, SymbolKind.MODULE, SymbolKind.PACKAGE})

_ELIGIBLE: Final = frozenset(KINDS[kind].code for kind in _KINDS)


class CodeFile:
    """A file of a judged language, with its symbols."""

    def __init__(self, file: IndexedFile, language: Language) -> None:
        self.file = file
        self.language = language

    @cached_property
    def rows(self) -> list[Row]:
        return rows_of(self.file)

    @cached_property
    def by_name(self) -> dict[str, list[Row]]:
        """The symbols by qualified name."""
        rows: dict[str, list[Row]] = {}
        for row in self.rows:
            rows.setdefault(row.qualified_name, []).append(row)
        return rows

    @cached_property
    def places(self) -> dict[int, tuple[int, int, int, int]]:
        """The byte offsets of symbols by their rows: start, end, start and end of the name."""
        number = self.file.number
        rows = FileRows(self.file.part.index, number, number + 1)
        columns = (column.tolist() for column in rows.places)
        return dict(zip(rows.numbers.tolist(), zip(*columns, strict=True), strict=True))

    @cached_property
    def signatures(self) -> dict[int, str]:
        """The signatures by row."""
        index = self.file.part.index
        low, high = index.file_first[self.file.number : self.file.number + 2].tolist()
        texts = signatures_at(index, np.arange(low, high))
        return dict(zip(index.row_at[low:high].tolist(), texts, strict=True))

    def around(self, row: Row) -> Row | None:
        """Returns the symbol whose member a symbol is; `None` at the top of the file, or if it is
        defined elsewhere."""
        named = self.by_name.get(row.container, ()) if row.container else ()
        first, last = row.lines
        holding = [one for one in named if one.lines[0] <= first and last <= one.lines[1]]
        return next(iter(holding or named), None)

    def outermost(self, row: Row) -> Row | None:
        """Returns the outermost symbol that encloses a symbol of a function."""
        top = row.container.partition(".")[0]
        first, last = row.lines
        for one in self.rows:
            if one.lines[0] <= first and last <= one.lines[1] and one.number != row.number:
                return one
        return next(iter(self.by_name.get(top, ())), None)


def judged_files(
    tree: Tree, selection: Filter, keeps: Callable[[str], bool]
) -> tuple[list[CodeFile], list[str]]:
    """Returns the files whose symbols can be judged, ordered by path; and the names of the other
    languages of code. keeps: whether a file is selected, by its shown path."""
    files: list[CodeFile] = []
    others: set[str] = set()
    for part in tree.snapshot.parts:
        for number, path, language_id in part.read_files(PartFilter(part, selection).files):
            language = tree.languages.by_id.get(language_id)
            if language is None or language.is_data or not keeps(path):
                continue
            if not language.rules.unused.judged:
                if language.rules.identifiers:
                    others.add(language.rules.name)
                continue
            if any(fnmatchcase(path, glob) for glob in language.rules.unused.declaring):
                continue
            files.append(CodeFile(IndexedFile(part, number, path, language_id), language))
    return sorted(files, key=lambda one: one.file.path), sorted(others)


def candidates_of(
    file: CodeFile, kinds: frozenset[int] | None, exported: bool
) -> Iterator[Candidate]:
    """Yields the symbols of a file that may be unused, in the order of their names in it. kinds:
    KindRow.code of those that are wanted; `None` for all."""
    index = file.file.part.index
    low, high = index.file_first[file.file.number : file.file.number + 2].tolist()
    traits = np.unique(index.traits[index.row_at[low:high]]).tolist()
    if not any(_may_be(index.columns.traits_of[one], exported) for one in traits):
        return
    names = compile_pattern(file.language.rules.unused.names or r"(?!)")
    for row in file.rows:
        code = KINDS[row.kind].code
        if kinds is not None and code not in kinds:
            continue
        if not _may_be(code + 256 * row.flags, exported) or names.search(row.name):
            continue
        reach = _reach(file, row)
        if reach is not None and (exported or reach is not Reach.ANYWHERE):
            yield Candidate(row, reach)


def _may_be(traits: int, exported: bool) -> bool:
    """Whether symbols with these traits may be unused."""
    flags = traits >> 8
    if traits & 255 not in _ELIGIBLE or flags & _ASIDE:
        return False
    return exported or bool(flags & SymbolFlag.LOCAL) or not flags & SymbolFlag.EXPORTED


def _reach(file: CodeFile, row: Row) -> Reach | None:
    """Returns from where a symbol can be used; `None` if that is not known, or if it is there
    whether used or not."""
    around = file.around(row)
    if row.kind in _TYPES and _holds_entry(file, row):
        return None
    if row.flags & SymbolFlag.LOCAL:
        if around is not None and around.kind not in {SymbolKind.FUNCTION, SymbolKind.METHOD}:
            return None
        if row.kind in {SymbolKind.METHOD, *DATA}:
            return None  # a member of a value or of a type without a name
        return Reach.FUNCTION
    if row.container:
        return _reach_of_member(file, row, around)
    if row.kind in {SymbolKind.METHOD, SymbolKind.FIELD, SymbolKind.PROPERTY}:
        return None  # a member of a value or of a type without a name
    if row.flags & SymbolFlag.EXPORTED:
        return Reach.ANYWHERE
    return _private_reach(file) if row.flags & SymbolFlag.PRIVATE else Reach.TREE


def _reach_of_member(file: CodeFile, row: Row, around: Row | None) -> Reach | None:
    rules = file.language.rules
    own_words = rules.visibility.default == "private" or _is_private_itself(file, row)
    if around is not None and around.kind in _SPACES:
        return Reach.ANYWHERE if row.flags & SymbolFlag.EXPORTED else Reach.TREE
    if around is not None and around.kind not in _HOLDERS:
        return None
    if row.flags & SymbolFlag.EXPORTED:
        implicit = rules.bindings.implicit_interfaces
        return None if implicit or around is None else Reach.ANYWHERE
    if not own_words:  # private because its container is, or visible in its package
        return Reach.TREE if not row.flags & SymbolFlag.PRIVATE and around is not None else None
    if rules.visibility.default == "private":
        return _private_reach(file)
    if row.name.startswith("#") or rules.unused.members == "file":
        return Reach.FILE
    return Reach.TREE


def _private_reach(file: CodeFile) -> Reach:
    return {"file": Reach.FILE, "folder": Reach.FOLDER}.get(
        file.language.rules.roles.private, Reach.TREE
    )


def _is_private_itself(file: CodeFile, row: Row) -> bool:
    """Whether its own name or words make a member private."""
    rules = file.language.rules.visibility
    if rules.private_names and compile_pattern(rules.private_names).search(row.name):
        return True
    if not row.flags & SymbolFlag.PRIVATE or not rules.private_words:
        return False
    words = re.findall(r"\w+", file.signatures[row.number].partition("(")[0])
    return not set(rules.private_words).isdisjoint(words)


def _holds_entry(file: CodeFile, row: Row) -> bool:
    """Whether a type has a test or an entry point among its members."""
    names = compile_pattern(file.language.rules.unused.names or r"(?!)")
    inside = f"{row.qualified_name}."
    return any(
        one.qualified_name.startswith(inside)
        and (one.flags & SymbolFlag.TEST or names.search(one.name))
        and one.kind not in {SymbolKind.CONSTRUCTOR, *DATA}
        for one in file.rows
    )


def is_type(row: Row) -> bool:
    """Whether a symbol is a type."""
    return row.kind in _TYPES


def methods_of(rows: Sequence[Row], row: Row) -> list[Row]:
    """Returns the methods of a type, also those that are written elsewhere in the file."""
    inside = f"{row.qualified_name}."
    return [
        one
        for one in rows
        if one.kind is SymbolKind.METHOD and one.qualified_name.startswith(inside)
    ]
