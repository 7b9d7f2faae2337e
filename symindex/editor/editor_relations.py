"""The relations of symbols, for an editor: references, implementations, supertypes and subtypes,
callers and callees.

A name means what the code binds it to (`explore/definition`), else the symbols that have it. Places
are in the editor's units; for an unsaved document, its current text counts.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from symindex.editor.editor_positions import Match, NamePlace, place_rows
from symindex.editor.merged_view import Folder, FoldersView, OpenDocument
from symindex.errors import RequestError
from symindex.explore.definition import Meaning, meaning_of
from symindex.explore.references.module_judge import Verdict
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.reference_page import is_searchable
from symindex.explore.relations.calls import callees, callers
from symindex.explore.relations.members import overrides
from symindex.explore.relations.resolving import is_callable, is_type
from symindex.explore.relations.types import all_subtypes, subtypes, supertypes
from symindex.explore.relations.uses import Limits, RelatedSymbol, Use, UseSearch
from symindex.explore.targets.target import find_target
from symindex.explore.targets.type_parts import overloads_of
from symindex.protocol.kinds import SymbolFlag
from symindex.resolve.tree import IndexedFile, Row, Tree, find_file, read_shown
from symindex.text.editing.edit_buffer import Buffer, Encoding, Place, count_units
from symindex.workers.document_messages import Word

SECONDS: float = 10.0
"""Time limit of one answer, in seconds. An answer that reaches it has a notice and contains what
was found by then."""

MOST_CANDIDATES: Final = 5
"""Largest number of symbols with one name that are offered for a hierarchy."""

Relation = Literal["subtypes", "supertypes", "callers", "callees"]


class SymbolItem(NamedTuple):
    """A symbol of a hierarchy. match: `None` for code outside of all symbols, whose first place
    counts. id: the symbol's id in answers, empty for that code. first, last: its lines, 0-based.
    places: of its calls, or of the calls to it. others, is_unsure: as in
    `protocol/hierarchy.RelatedItem`."""

    match: Match | None
    id: str
    first: int
    last: int
    places: Sequence[NamePlace] = ()
    others: int = 0
    is_unsure: bool = False


class Definitions(NamedTuple):
    """What the name at a place means. matches: the symbols, likeliest first. places: where a local
    name is bound, or the beginnings of a module's files. is_bound: whether the code tells; else the
    symbols only have the name."""

    matches: list[Match]
    places: list[NamePlace]
    is_bound: bool


class Editor(NamedTuple):
    """An editor's documents. named_at: returns the name at a place of one, and the symbols with
    that name, the likeliest first. opened: the open documents by key. encoding: the unit of
    columns."""

    named_at: Callable[[str, Place], tuple[Word, list[Match]]]
    opened: Mapping[str, OpenDocument]
    encoding: Encoding


class Relations:
    """Answers one request of an editor.

    Args:
        editor: the editor's documents.
        view, tree: the folders at one moment.
        limits: of the search for uses.
    """

    def __init__(self, editor: Editor, view: FoldersView, tree: Tree, limits: Limits) -> None:
        self._editor, self._view, self._tree, self._limits = editor, view, tree, limits
        self._search = UseSearch(tree, limits)
        self._notices: list[str] = []

    @property
    def notices(self) -> list[str]:
        """The files that could not be searched, and other limits that were reached."""
        return [*self._notices, *self._search.notices()]

    def references(self, key: str, place: Place, with_definitions: bool) -> list[NamePlace]:
        """Returns the places where the name at a place of a document is used. If it is clear which
        symbol is meant, uses of other symbols are left out."""
        name, rows, meaning = self._meant(key, place)
        if not is_searchable(name):
            return []
        if meaning is not None and meaning.local >= 0:
            return self._places(self._uses_of_local(name, meaning, with_definitions))
        rows = [row for row in rows if not row.flags & SymbolFlag.DECLARATION] or rows
        are_overloads = len(rows) > 1 and {*rows} <= {*overloads_of(self._search.resolver, rows[0])}
        judge = (
            ReferenceJudge(self._tree, rows[0], are_overloads)
            if len(rows) == 1 or are_overloads
            else None
        )
        language = self._language_of(key)
        languages = self._tree.languages.relatives_of(language) if language else ()
        by_file: dict[str, list[Use]] = {}
        for use in self._search.find([name], languages=[*languages]):
            by_file.setdefault(use.file.path, []).append(use)
        references: list[Use] = []
        unknown: list[Use] = []
        for path, uses in by_file.items():
            if judge is not None:
                mentions, scopes = [use.mention for use in uses], [use.scope for use in uses]
                verdicts = judge.judge(path, uses[0].file.known_language, mentions, scopes)
                of_verdict = [*zip(uses, verdicts, strict=True)]
                unknown += [use for use, verdict in of_verdict if verdict is Verdict.UNKNOWN]
                left_out = (Verdict.OTHER, Verdict.UNKNOWN)
                uses = [use for use, verdict in of_verdict if verdict not in left_out]
            references += uses
        if all(use.defines or use.mention.role == "import" for use in references):
            references += unknown
        return self._places([use for use in references if with_definitions or not use.defines])

    def definitions(self, key: str, place: Place) -> Definitions:
        """Returns what the name at a place of a document means."""
        word, matches = self._editor.named_at(key, place)
        meaning = self._meaning(key, word) if word.name else None
        if meaning is None:
            return Definitions(matches, [], False)
        file = meaning.use.file
        if meaning.local >= 0:
            places = self._places_in(file, [(meaning.local, word.name)])
            return Definitions([], places, True)
        if meaning.paths:
            return Definitions([], self._beginnings(file, meaning.paths), meaning.is_sure)
        if meaning.rows:
            return Definitions(self._matches(meaning.rows), [], meaning.is_sure)
        return Definitions([] if meaning.library else matches, [], bool(meaning.library))

    def _meaning(self, key: str, word: Word) -> Meaning | None:
        """Returns what a name in a document means; `None` if its file is not in the index, or the
        name is in no code."""
        place = self._place_of(key)
        path = self._prefix_of(place[0]) + place[1] if place is not None else ""
        file = find_file(self._tree, path) if path else None
        if file is None:
            return None
        uses = self._search.find([word.name], only=[file])
        names = [(use.mention.start_byte, use.name) for use in uses]
        for use, found in zip(uses, self._places_in(file, names), strict=False):
            if tuple(found.start) == tuple(word.start):
                return meaning_of(self._search, use, uses)
        return None

    def _uses_of_local(self, name: str, meaning: Meaning, with_definitions: bool) -> list[Use]:
        """Returns the uses of a local name, which are all in one file."""
        return [
            use
            for use in self._search.find([name], only=[meaning.use.file])
            if use.mention.bound_at == meaning.local
            and (with_definitions or use.mention.start_byte != meaning.local)
        ]

    def _beginnings(self, file: IndexedFile, paths: Sequence[str]) -> list[NamePlace]:
        """Returns the beginnings of files of the folder that a file is in."""
        folder, prefix = self._view.folders[file.part.prefix], file.part.prefix
        return [
            NamePlace(folder, path.removeprefix(prefix), None, (0, 0), (0, 0)) for path in paths
        ]

    def implementations(self, key: str, place: Place) -> list[Match]:
        """Returns all subtypes of the type at a place, or the overrides and implementations of the
        member there."""
        rows: dict[Row, None] = {}
        for row in self._rows_at(key, place, lambda row: is_type(row) or bool(row.container)):
            if is_type(row):
                rows.update(dict.fromkeys(all_subtypes(self._search, row)))
            else:
                members = overrides(self._search, row)
                rows.update(dict.fromkeys(m.row for m in members if m.row is not None))
        return self._matches(list(rows))

    def types_at(self, key: str, place: Place) -> list[SymbolItem]:
        """Returns the types that the name at a place may mean."""
        return self._items(self._rows_at(key, place, is_type))

    def callables_at(self, key: str, place: Place) -> list[SymbolItem]:
        """Returns the functions and other callables that the name at a place may mean."""
        return self._items(self._rows_at(key, place, is_callable))

    def related(self, symbol_id: str, relation: Relation) -> list[SymbolItem]:
        """Returns the direct relations of one kind of a symbol. Raises RequestError if the symbol
        no longer exists."""
        target = find_target(self._tree, symbol_id, self._limits.max_file_bytes)
        if not target.rows:
            raise RequestError(f"{symbol_id} no longer exists: ask for its hierarchy again")
        row = target.rows[0]
        find: dict[Relation, Callable[[], list[RelatedSymbol]]] = {
            "subtypes": lambda: subtypes(self._search, [row])[row],
            "supertypes": lambda: supertypes(self._search, row),
            "callers": lambda: callers(self._search, [row])[row],
            "callees": lambda: callees(self._search, row),
        }
        items: list[SymbolItem] = []
        for related in find[relation]():
            places = self._places(related.uses)
            symbols: list[SymbolItem] = []
            if related.row is not None:
                symbols = self._items([related.row])
            elif relation == "callers" and places:  # outside of all symbols of that file
                symbols = [SymbolItem(None, "", places[0].start[0], places[0].start[0])]
            items += [
                item._replace(places=places, others=related.others, is_unsure=related.is_unsure)
                for item in symbols
            ]
        return items

    def _meant(self, key: str, place: Place) -> tuple[str, list[Row], Meaning | None]:
        """Returns the name at a place, and the symbols that it means: the one that is defined
        there, those that the code binds it to, or all symbols with the name, the likeliest first;
        and its meaning by the code, if that is known."""
        word, matches = self._editor.named_at(key, place)
        file, start = self._place_of(key), tuple(word.start)
        defined_here = [
            match
            for match in matches
            if (match.folder, match.path) == file and (match.line, match.start) == start
        ]
        if defined_here or not word.name:
            return word.name, self._rows(defined_here), None
        meaning = self._meaning(key, word)
        if meaning is not None and (meaning.rows or meaning.local >= 0):
            return word.name, [*meaning.rows], meaning
        return word.name, self._rows(matches), meaning

    def _rows_at(self, key: str, place: Place, is_selected: Callable[[Row], bool]) -> list[Row]:
        name, meant, _ = self._meant(key, place)
        rows = [row for row in meant if is_selected(row)]
        if len(rows) > MOST_CANDIDATES:
            self._notices.append(
                f"{len(rows)} symbols are called {name}: the answer is about the"
                f" {MOST_CANDIDATES} likeliest"
            )
        return rows[:MOST_CANDIDATES]

    def _place_of(self, key: str) -> tuple[Folder, str] | None:
        document = self._editor.opened.get(key)
        return document.place if document is not None else None

    def _language_of(self, key: str) -> str:
        """Returns the language of an open document; empty if it is outside of the folders."""
        place = self._place_of(key)
        file = (
            find_file(self._tree, self._prefix_of(place[0]) + place[1])
            if place is not None
            else None
        )
        return file.known_language if file is not None else ""

    def _prefix_of(self, folder: Folder) -> str:
        return next(
            (
                prefix
                for prefix, followed in self._view.folders.items()
                if followed.name == folder.name
            ),
            "",
        )

    def _rows(self, matches: Sequence[Match]) -> list[Row]:
        """Returns the symbols of matches, except those that have disappeared: the tree may be newer
        than the matches."""
        parts = {id(part) for part in self._tree.snapshot.parts}
        rows: list[Row] = []
        for match in matches:
            row = Row(match.part, match.row)
            rows += (
                [row]
                if id(match.part) in parts
                else find_target(self._tree, row.id, self._limits.max_file_bytes).rows[:1]
            )
        return rows

    def _items(self, rows: Sequence[Row]) -> list[SymbolItem]:
        matches = self._matches(rows)
        return [
            SymbolItem(match, row.id, row.lines[0] - 1, row.lines[1] - 1)
            for match, row in zip(matches, rows, strict=True)
        ]

    def _matches(self, rows: Sequence[Row]) -> list[Match]:
        numbers = np.array([row.part.base + row.number for row in rows], dtype=np.int64)
        return place_rows(self._view, self._tree.snapshot, numbers, self._editor.encoding)

    def _places(self, uses: Sequence[Use]) -> list[NamePlace]:
        """Returns the places of names in the editor's units. A file that can no longer be read
        gives a notice."""
        by_file: dict[str, list[Use]] = {}
        for use in uses:
            by_file.setdefault(use.file.path, []).append(use)
        return [
            place
            for of_file in by_file.values()
            for place in self._places_in(
                of_file[0].file, [(use.mention.start_byte, use.name) for use in of_file]
            )
        ]

    def _places_in(self, file: IndexedFile, names: Sequence[tuple[int, str]]) -> list[NamePlace]:
        """Returns the places of names in a file. names: with the start of each in bytes."""
        try:
            text = read_shown(self._tree, file.path, self._limits.max_file_bytes)
        except RequestError as error:
            self._search.note_unread(file.path, str(error))
            return []
        # In the index, a byte order mark is a blank; in an editor, it is nothing.
        mark = 3 if text.has_mark else 0
        encoding = self._editor.encoding
        buffer = Buffer(text.data[mark:], encoding)
        prefix = file.part.prefix
        folder, inside = self._view.folders[prefix], file.path.removeprefix(prefix)
        document = self._view.unsaved.get((folder.name, inside))
        starts = buffer.places([max(0, start - mark) for start, _ in names])
        ends = [
            (line, column + count_units(name.encode(), encoding))
            for (line, column), (_, name) in zip(starts, names, strict=True)
        ]
        return [
            NamePlace(folder, inside, document[0] if document else None, *pair)
            for pair in zip(starts, ends, strict=True)
        ]
