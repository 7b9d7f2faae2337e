"""Matches for an editor: the positions of their names in its units, and which of them a name in a
document probably means."""

import re
from collections.abc import Iterator, Set
from functools import cache, partial
from typing import Final, NamedTuple

from symindex.editor.merged_view import Folder, FoldersView
from symindex.editor.odd_places import odd_place, read_text
from symindex.index.columns.arrays import I64
from symindex.index.columns.rows import Rows
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.search.language.query import Query
from symindex.text.editing.edit_buffer import Encoding, Place, count_units
from symindex.text.separators import IN_IMPORTS
from symindex.workers.document_messages import ParsedDocument, Word

_ODD_PLACE: Final = SymbolFlag.ODD_PLACE.value
_DECLARATION: Final = SymbolFlag.DECLARATION.value


class NamePlace(NamedTuple):
    """An occurrence of a name. path: relative to the folder. key: of the unsaved document that
    contains it, if any. start, end: in the editor's units, 0-based."""

    folder: Folder
    path: str
    key: str | None
    start: Place
    end: Place


class Match(NamedTuple):
    """A hit for an editor. part, row: its row in the snapshot. kind: KindRow.code. flags:
    SymbolFlag. path: relative to the folder. container: empty at the top level of a file. key: of
    the unsaved document that contains it, if any. line, start, end: of its name, 0-based, in the
    client's units."""

    part: Part
    row: int
    name: str
    kind: int
    flags: int
    folder: Folder
    path: str
    container: str
    key: str | None
    line: int
    start: int
    end: int

    @property
    def is_declaration(self) -> bool:
        return self.flags & _DECLARATION != 0

    @property
    def place(self) -> NamePlace:
        """Returns the place of its name."""
        start, end = (self.line, self.start), (self.line, self.end)
        return NamePlace(self.folder, self.path, self.key, start, end)

    @property
    def identity(self) -> "tuple[Part, str, str, str]":
        """The qualified name and the file, in a form that can be compared."""
        return self.part, self.path, self.container, self.name

    @property
    def signature(self) -> str:
        return self.part.index.signature(self.row)

    @property
    def doc(self) -> str:
        return self.part.index.doc(self.row)


class MatchedRows(NamedTuple):
    """The result of a search. query: the parsed query. complete: whether every folder has an index.
    scattered: the names that match worst: by single letters far from each other."""

    query: Query
    matches: list[Match]
    complete: bool
    scattered: Set[str]


def place_rows(view: FoldersView, snapshot: Snapshot, rows: I64, encoding: Encoding) -> list[Match]:
    """Returns the matches of rows, in their order. snapshot: the view's snapshot, or the one of its
    sections and items."""
    text_of = cache(read_text)

    def place_in_part(part: Part, rows: Rows) -> Iterator[Match]:
        folder, unsaved = view.folders[part.prefix], view.unsaved
        columns = rows.names, rows.traits, rows.paths, rows.lines, rows.columns, rows.containers
        for row, name, traits, path, line, column, container in zip(
            rows.numbers.tolist(), *columns, strict=True
        ):
            document = unsaved.get((folder.name, path)) if unsaved else None
            key = None
            if document is not None:
                key, place = document[0], _unsaved_place(document[1], name, line, column)
            elif traits >> 8 & _ODD_PLACE:
                place = odd_place(
                    part.index, row, (line, column), encoding, partial(text_of, folder.root, path)
                )
            else:
                units = len(name) if name.isascii() else count_units(name.encode(), encoding)
                place = line, column, column + units
            yield Match(
                part, row, name, traits & 255, traits >> 8, folder, path, container, key, *place
            )

    return snapshot.read(rows, place_in_part)


def without_typedefs(matches: list[Match]) -> list[Match]:
    """Returns the matches without each typedef that surrounds the type of its own name,
    `typedef struct x {…} x`: an editor shows both as one row."""
    typedefs = {match.identity for match in matches if match.is_declaration and match.kind == _TYPE}
    if not typedefs:
        return matches
    types: dict[tuple[Part, str, str, str], list[tuple[int, int]]] = {}
    for match in matches:
        if match.identity in typedefs and not match.is_declaration:
            types.setdefault(match.identity, []).append(match.part.index.lines(match.row))

    def is_around_type(match: Match) -> bool:
        if not (match.is_declaration and match.kind == _TYPE):
            return False
        first, last = match.part.index.lines(match.row)
        return any(
            first <= begins and ends <= last for begins, ends in types.get(match.identity, ())
        )

    return [match for match in matches if not is_around_type(match)]


_TYPE: Final = KINDS[SymbolKind.TYPE].code


def _unsaved_place(
    document: ParsedDocument, name: str, line: int, column: int
) -> tuple[int, int, int]:
    """Returns the line of a name in an unsaved document, and where the name starts and ends. line,
    column: of the name in the index."""
    for symbol, spot in document.everything:
        if (symbol.name_row, symbol.name_column, symbol.name) == (line, column, name):
            return *spot.name_start, spot.name_end[1]
    return line, column, column


def rank_candidates(
    matches: list[Match], place: tuple[Folder, str] | None, word: Word, text: str
) -> list[Match]:
    """Sorts the symbols of a name, the most likely first. There is no type information, so the text
    and the distance decide. First come symbols whose container is the written qualifier. Then the
    distance decides: the same file, the same folder, a file whose path is in the text, the same
    root, another root. A declaration follows all definitions of its qualified name. Equal symbols
    keep their order."""

    def distance(match: Match) -> tuple[int, int]:
        container = match.container.rpartition(".")[2]
        is_written = not word.qualifiers or container == word.qualifiers[-1]
        if place is None or match.folder is not place[0]:
            return (not is_written, 4)
        if match.path == place[1]:
            return (not is_written, 0)
        if match.path.rpartition("/")[0] == place[1].rpartition("/")[0]:
            return (not is_written, 1)
        return (not is_written, 2 if _is_written(match.path, text) else 3)

    furthest: dict[str, tuple[int, int]] = {}
    for match in matches:
        if not match.is_declaration:
            furthest[match.container] = max(
                distance(match), furthest.get(match.container, distance(match))
            )

    def order(match: Match) -> tuple[tuple[int, int], bool]:
        own_distance = distance(match)
        return (
            (max(own_distance, furthest.get(match.container, own_distance)), True)
            if match.is_declaration
            else (own_distance, False)
        )

    return sorted(matches, key=order)


def _is_written(path: str, text: str) -> bool:
    """Whether a text mentions a file or its folder in the way of imports: by two parts of the path
    with a separator between them."""
    *folders, name = path.split("/")
    parts = [*folders, name.partition(".")[0]]
    tails = [parts[-2:], parts[-3:-1]]
    return any(
        len(tail) == 2
        and re.search(r"\b" + IN_IMPORTS.join(map(re.escape, tail)) + r"\b", text) is not None
        for tail in tails
    )
