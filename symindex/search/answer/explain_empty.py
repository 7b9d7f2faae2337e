"""Why nothing was found: which filter, or which part of the query, left nothing; what each alone
would find; and what is near.

All is counted among the rows that the request is about (`search/answer/universe`); one that leaves
out its types is about symbols, and the answer says so. Searches are few and stop after a time,
since an empty answer must come as soon as any other; what was not tried is said.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.extract.languages.registry import Languages
from symindex.files.left_out import tell_left_out
from symindex.files.skips import Skip, tell_unread
from symindex.files.walk import Walk
from symindex.index.report import why_index_empty
from symindex.index.snapshot import Snapshot, Space
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import make_filter
from symindex.search.answer.contents import Contents
from symindex.search.answer.execute import select
from symindex.search.answer.filters import Filter, PartFilter, shown_path_filter
from symindex.search.answer.items import facts_of
from symindex.search.answer.nearest import nearest_names, nearest_paths
from symindex.search.answer.universe import Universe, universe_of
from symindex.search.language.parse_query import lower_case_operators
from symindex.search.language.query import And, Name, Node, Not, Or, Query, Term, Words
from symindex.search.language.read_query import read_query
from symindex.search.options.read import NARROWING, read_options
from symindex.search.options.scopes import ANY_TYPE, EVERYTHING, rows_of_types
from symindex.search.words.terms import TEXT_FIELDS
from symindex.text.counts import count_of
from symindex.text.escaping import shorten
from symindex.text.words import words_of

MOST_SEARCHES: Final = 16
SECONDS: Final = 0.1
"""So many searches explain an answer, and none begins after this time."""

MOST_LINES: Final = 6
MOST_TOLD: Final = 3
"""Lines, and near names, languages and globs in one."""

MOST_TYPES: Final = 10
"""Types of items in one line."""

LONGEST: Final = 60
"""The most characters of a part of a query, or of a glob, that are repeated."""

NOWHERE: Final = {
    "": "no {row} holds it",
    "name": "no name is like it",
    "container": "no container is like it",
    "path": "no path is like it",
    "doc": "no doc holds it",
    "signature": "no signature holds it",
    "content": "no signature or doc holds it",
    "kind": "no {row} is of this kind",
    "type": "no {row} is of this type",
    "lang": "no {row} is in this language",
    "is": "no {row} is it",
    "space": "nothing that was searched is of it; the option space names spaces",
    "id": "no {row} has this id",
}
"""What is said of a term that finds nothing, by its field. row: what a row is called. Any other
field is one of metadata."""


def explain_empty(
    request: SearchRequest,
    snapshot: Snapshot,
    walk: Walk | None,
    languages: Languages,
    unread: Sequence[Skip],
    contents: Contents | None = None,
) -> list[str]:
    """The explanation of an empty answer, in short lines. walk: the last walk of the tree. unread:
    files whose code is missing from the index. contents: as of `answer.find`."""
    tries = _Tries(snapshot, request, languages, contents)
    if not tries.snapshot.n_symbols and tries.universe is not Universe.DOCUMENTS:
        return [why_index_empty(walk, snapshot), *_elsewhere(tries)]
    meant = lower_case_operators(request.query)
    lines = [f"operators are upper case: {meant}"] if meant else []
    lines += [*_none_at_all(tries), *_impossible(tries, walk), *_hidden(tries), *_elsewhere(tries)]
    lines += [*_of_query(tries)]
    if tries.n_refused:
        lines = [*lines[: MOST_LINES - 1], "not all parts were tried"]
    return [*lines[:MOST_LINES], *filter(None, [tell_unread(unread, "it")])]


def explain_hidden(
    request: SearchRequest,
    snapshot: Snapshot,
    languages: Languages,
    contents: Contents | None = None,
) -> list[str]:
    """Of an answer of nothing but guesses: what its filters hide that matches. contents: as of
    `answer.find`."""
    tries = _Tries(snapshot, msgspec.structs.replace(request, fuzzy=False), languages, contents)
    return [*_left_out(tries)] if tries.filters else []


class _Without(NamedTuple):
    """A request without some of its fields. total: its hits; `None` where that was not tried.
    about: its rows."""

    total: int | None
    about: Universe


class _Tries:
    """Searches that explain, as many as there is time for.

    whole, snapshot: all rows, and those that the request is about. bare: what it is about without
    its filters. n_refused: how many searches were not made.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        request: SearchRequest,
        languages: Languages,
        contents: Contents | None,
    ) -> None:
        self.request = request
        self.languages = languages
        self.query = read_query(request, languages)
        self.options = read_options(request)
        self.universe = universe_of(request, self.query, self.options)
        self._contents = contents
        self.whole = snapshot
        self.snapshot = self.rows(self.universe)
        self.wanted = make_filter(request, languages)
        self.filters = [field for field in NARROWING if getattr(request, field)]
        bare = msgspec.structs.replace(request, kinds=None, type=UNSET, scope=UNSET)
        self.bare = universe_of(bare, self.query, read_options(bare))
        self.n_refused = 0
        self._left = MOST_SEARCHES
        self._end = time.monotonic() + SECONDS

    def rows(self, about: Universe) -> Snapshot:
        """The rows that a request may be about."""
        snapshot = about.of(self.whole)
        return (
            snapshot
            if self._contents is None or about is Universe.SYMBOLS
            else self._contents.beside(snapshot)
        )

    def has_time(self) -> bool:
        if self._left and time.monotonic() < self._end:
            return True
        self.n_refused += 1
        return False

    def total(
        self, query: Query, wanted: Filter, weak: bool | None = False, among: Universe | None = None
    ) -> int | None:
        """How many hits there are; `None` where that was not tried, or cannot be asked. among: rows
        other than the request's."""
        if not self.has_time():
            return None
        self._left -= 1
        try:
            # Rows of its own for each search, which narrows those whose texts it reads.
            return select(self.rows(among or self.universe), query, wanted, weak).total
        except RequestError:  # a field that only items have, among symbols
            return None

    def without(self, fields: Sequence[str], weak: bool | None = None) -> "_Without":
        """The request without some of its fields."""
        bare = msgspec.structs.replace(
            self.request, **{field: None if field == "kinds" else UNSET for field in fields}
        )
        about = universe_of(bare, self.query, read_options(bare))
        wanted = make_filter(bare, self.languages, self.query)
        return _Without(
            self.total(self.query, wanted, self.options.weak if weak is None else weak, about),
            about,
        )

    def count(self, without: "_Without") -> str:
        """How many hits, and of what, where that is not what was asked for."""
        total, about = without.total or 0, without.about
        return f"{total:,}" if about is self.universe else count_of(total, about.row, about.rows)

    @property
    def row(self) -> str:
        return self.universe.row

    def chosen(self) -> list[PartFilter]:
        """The request's filter by part."""
        return PartFilter.of_parts(self.snapshot.parts, self.wanted)


def _none_at_all(tries: _Tries) -> Iterator[str]:
    if not tries.snapshot.n_symbols:
        yield f"no {tries.row} is in the index"


def _impossible(tries: _Tries, walk: Walk | None) -> Iterator[str]:
    """Filters that nothing in the index passes, whatever the query."""
    snapshot, request = tries.snapshot, tries.request
    none = [kind for kind in request.kinds or () if not _has(snapshot, Filter((kind,)))]
    if none:
        yield f"no {tries.row} is of kind {_listed([*map(_code, none)])}"
    missing = (
        []
        if not snapshot.n_symbols
        else [word for word in _types_named(tries) if not _has_type(snapshot, word)]
    )
    if missing:
        yield f"no {tries.row} is of type {_listed([*map(_code, missing)])}{_types_there(tries)}"
    absent = [
        word
        for word in request.languages or ()
        if not _has(snapshot, Filter((), frozenset({tries.languages.id_of(word)})))
    ]
    if absent:
        yield (
            f"no {tries.row} is in {_listed([*map(_code, absent)])}: the tree has"
            f" {_languages_of(snapshot)}"
        )
    if not request.paths:
        return
    wanted = [glob for glob in request.paths if not glob.startswith("!")]
    unmatched = [glob for glob in wanted if not _matches_a_file(tries.whole, [glob])]
    left_out = {skip.path.rstrip("/"): skip for skip in (walk.skips if walk is not None else ())}
    for glob in unmatched[:MOST_TOLD]:
        if (skip := left_out.get(_literal(glob).strip("/"))) is not None:
            yield f"{_code(glob)} matches no file: {tell_left_out(skip)}"
            continue
        yield f"{_code(glob)} matches no file{_near(nearest_paths(tries.whole, _literal(glob)))}"
    if not unmatched and not _matches_a_file(tries.whole, request.paths):
        yield "the globs together leave no file"


def _has(snapshot: Snapshot, wanted: Filter) -> bool:
    return any(
        bool(PartFilter(part, wanted).mask.any()) for part in snapshot.parts if part.n_symbols
    )


def _types_named(tries: _Tries) -> list[str]:
    """The types that the request names beside its query."""
    named = [*tries.options.types, *(scope.kind for scope in tries.options.scopes)]
    return [word for word in dict.fromkeys(named) if word not in (ANY_TYPE, EVERYTHING)]


def _has_type(snapshot: Snapshot, word: str) -> bool:
    parts = [(part, rows_of_types(part, (word,))) for part in snapshot.parts if part.n_symbols]
    return any(bool((rows & PartFilter(part, Filter()).mask).any()) for part, rows in parts)


def _types_there(tries: _Tries) -> str:
    """The types of the project's items, the most frequent first."""
    if tries.universe is Universe.SYMBOLS:
        return ""
    counts: Counter[str] = Counter()
    for part in tries.whole.documents.parts:
        if part.space is Space.PROJECT and part.n_symbols:
            rows = np.flatnonzero(PartFilter(part, Filter(("item",))).mask).tolist()
            counts.update(
                facts.type for row in rows if (facts := facts_of(part.index, row)) is not None
            )
    most = sorted(counts, key=lambda each: (-counts[each], each))
    return f": the tree has {_listed(most, MOST_TYPES)}" if most else ": the tree has no items"


def _elsewhere(tries: _Tries) -> Iterator[str]:
    """The sections and items that match, where the request was for symbols because it named no
    type."""
    request = tries.request
    names_a_type = request.kinds or tries.options.types or tries.options.scopes
    if tries.universe is Universe.SYMBOLS and not names_a_type and tries.whole.documents.n_symbols:
        total = tries.total(tries.query, tries.wanted, among=Universe.DOCUMENTS)
        if total:
            matching = count_of(
                total, "section or item matches", f"{Universe.DOCUMENTS.rows} match"
            )
            yield f"{matching}: type: all"


def _languages_of(snapshot: Snapshot) -> str:
    """The languages of most symbols."""
    counts: dict[str, int] = {}
    for part in snapshot.parts:
        per_file = np.diff(part.index.file_first) * (1 if part.live is None else part.live)
        by_language = np.bincount(
            part.index.u8("file_language"), per_file, len(part.index.columns.language_ids)
        )
        for language, count in zip(
            part.index.columns.language_ids, by_language.tolist(), strict=True
        ):
            counts[language] = counts.get(language, 0) + int(count)
    most = sorted(
        (language for language in counts if counts[language]),
        key=lambda language: (-counts[language], language),
    )
    return _listed(most)


def _matches_a_file(snapshot: Snapshot, globs: Sequence[str]) -> bool:
    matches = shown_path_filter([*globs], snapshot)
    return any(
        matches(part.prefix + part.index.paths.all[number])
        for part in snapshot.parts
        for number in part.live_files()
    )


def _literal(glob: str) -> str:
    """A glob up to its first wildcard."""
    return glob[
        : min((at for at in map(glob.find, "*?[{") if at >= 0), default=len(glob))
    ].removeprefix("./")


def _hidden(tries: _Tries) -> Iterator[str]:
    """What the request would find without its filters, each and all, and with the weak tiers."""
    yield from _left_out(tries)
    if (
        tries.options.weak is False
        and isinstance(tries.query, Name)
        and (total := tries.without([], weak=True).total)
    ):
        yield f"with fuzzy matches: {total:,}"


def _left_out(tries: _Tries) -> Iterator[str]:
    """What the request would find without its filters, each and all."""
    filters = tries.filters
    everything = tries.without(filters) if filters else _Without(None, tries.universe)
    # Without all filters there is at least what there is without one, unless that is about other
    # rows.
    if everything.total or everything.about is not tries.universe:
        alone = (
            [(_filter(tries.request, field), tries.without([field])) for field in filters]
            if len(filters) > 1
            else []
        )
        tried = [
            *alone,
            ("any filter" if alone else _filter(tries.request, filters[0]), everything),
        ]
        if any(each.total for _, each in tried):
            counts = [(said, tries.count(each)) for said, each in tried if each.total is not None]
            yield "; ".join(f"without {said}: {count}" for said, count in counts)


def _filter(request: SearchRequest, field: str) -> str:
    values = getattr(request, field)
    several = [values] if isinstance(values, str) else values
    return (
        f"{field} {_listed([_code(str(value)) for value in several])}"
        if isinstance(several, list)
        else field
    )


class _Piece(NamedTuple):
    """A part of the query. said: as it is told. nowhere: what is said where it finds nothing; empty
    for a group, of which the parts are looked at. names, paths: the text that names and paths near
    it are like; empty for none."""

    query: Query
    said: str
    nowhere: str
    names: str = ""
    paths: str = ""


class _Found(NamedTuple):
    """What a part finds alone, and what it would without the filters."""

    piece: _Piece
    total: int
    unfiltered: int

    @property
    def negates(self) -> bool:
        """Whether that is what it leaves out."""
        return isinstance(self.piece.query, Not)


def _of_query(tries: _Tries) -> Iterator[str]:
    """What each part of the query finds."""
    found = [*_find_each(tries)]
    for part in [part for part in found if not part.unfiltered and not part.negates][:MOST_LINES]:
        yield _nothing(tries, part.piece)
    hidden = [
        f"{part.piece.said} {part.unfiltered:,}"
        for part in found
        if not part.total and part.unfiltered
    ]
    some = [
        f"{part.piece.said} {part.total:,}" for part in found if part.total and not part.negates
    ]
    if len(found) > 1 and hidden:
        yield f"only without the filters something is found by {_listed(hidden, MOST_LINES)}"
    if len(found) > 1 and some:
        yield f"each alone finds: {_listed(some, MOST_LINES)}"
    for part in [part for part in found if part.negates and part.total][:MOST_LINES]:
        yield f"{part.piece.said} leaves out {part.total:,}"


def _find_each(tries: _Tries) -> Iterator[_Found]:
    no_words = {"and", "or", "not"} if lower_case_operators(tries.request.query) else set()
    waiting = [piece for piece in _divided(tries.query) if piece.names.lower() not in no_words]
    while waiting:
        piece = waiting.pop(0)
        meant = piece.query.part if isinstance(piece.query, Not) else piece.query
        total = tries.total(meant, tries.wanted)
        if total is None:
            return
        if not total and not piece.nowhere:
            waiting = [*_divided(piece.query), *waiting]
        else:
            unfiltered = (
                total
                if total or not tries.filters
                else tries.total(meant, Filter(), among=tries.bare) or 0
            )
            yield _Found(piece, total, unfiltered)


def _divided(query: Query) -> list[_Piece]:
    """The parts of a query that are explained one by one. The answer suggests names near a name."""
    if isinstance(query, And | Or):
        return [_piece(part) for part in dict.fromkeys(query.parts)]
    if isinstance(query, Words):
        return [
            _Piece(Words((text,)), _code(text), NOWHERE[""], text)
            for text in dict.fromkeys(query.texts)
        ]
    if isinstance(query, Name) and query.qualifiers:
        pieces = [_around(text) for text in dict.fromkeys(query.qualifiers)]
        named = (
            [_Piece(Term("name", query.name), _code(query.name), NOWHERE["name"])]
            if query.name
            else []
        )
        return [*pieces, *named]
    return [_piece(query)] if isinstance(query, Term | Not) else []


def _around(qualifier: str) -> _Piece:
    either = Or((Term("container", qualifier), Term("path", qualifier)))
    return _Piece(either, _code(qualifier), "no container or path is like it", qualifier, qualifier)


def _piece(node: Node) -> _Piece:
    said = _code(str(node))
    if isinstance(node, Not):
        return _Piece(node, said, "it leaves out nothing")
    if not isinstance(node, Term):
        return _Piece(node, said, "")
    if node.is_phrase and not node.field:
        return _Piece(node, said, "its words stand nowhere side by side")
    is_text = node.field in TEXT_FIELDS and not node.is_wildcard and node.field != "path"
    name = (
        node.text.rpartition("#")[2].rpartition(".")[2]
        if node.field == "id"
        else node.text
        if is_text
        else ""
    )
    nowhere = NOWHERE.get(node.field) or f"no item has it as its {node.field}"
    return _Piece(node, said, nowhere, name, node.text if node.field == "path" else "")


def _nothing(tries: _Tries, piece: _Piece) -> str:
    """A line on a part that finds nothing, with what is near."""
    query, more = piece.query, ""
    if isinstance(query, Term) and query.field == "lang":
        more = f": the tree has {_languages_of(tries.snapshot)}"
    elif isinstance(query, Term) and query.field == "type":
        more = _types_there(tries)
    elif isinstance(query, Term) and query.is_phrase and len(words := words_of(query.text)) > 1:
        total = tries.total(And(tuple(Term(query.field, word) for word in words)), tries.wanted)
        more = f"; without the quotes: {total:,}" if total else ""
    elif (piece.names or piece.paths) and tries.has_time():
        names = nearest_names(tries.chosen(), piece.names) if piece.names else []
        paths = nearest_paths(tries.snapshot, piece.paths) if piece.paths else []
        more = _near([*names, *paths][:MOST_TOLD])
    return f"{piece.said}: {piece.nowhere.format(row=tries.row)}{more}"


def _near(names: Sequence[str]) -> str:
    return f"; nearest: {', '.join(map(_code, names))}" if names else ""


def _code(text: str) -> str:
    return f"`{shorten(text, LONGEST)}`"


def _listed(words: Sequence[str], most: int = MOST_TOLD) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(shorten(word, LONGEST + 20) for word in words[:most]) + more
