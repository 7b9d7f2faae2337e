"""Why nothing was found: which filter, or which part of the query, left nothing; what each alone would find; and what is near.

All is counted for the request as it was asked. Searches are few and stop after a time, since an empty answer must come as soon as
any other; what was not tried is said.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET

from symindex.extract.languages.registry import Languages
from symindex.files.skips import Skip, tell_unread
from symindex.files.walk import Walk
from symindex.index.report import why_index_empty
from symindex.index.snapshot import Snapshot
from symindex.protocol import SearchRequest
from symindex.search.answer import make_filter
from symindex.search.contents import Contents
from symindex.search.execute import select
from symindex.search.filters import Filter, PartFilter, shown_path_filter
from symindex.search.nearest import nearest_names, nearest_paths
from symindex.search.options.read import NARROWING, read_options
from symindex.search.parse_query import lower_case_operators
from symindex.search.query import And, Name, Node, Not, Or, Query, Term, Words
from symindex.search.read_query import read_query
from symindex.search.universe import Universe, universe_of
from symindex.search.words.terms import TEXT_FIELDS
from symindex.text.escaping import shorten
from symindex.text.words import words_of

MOST_SEARCHES: Final = 16
SECONDS: Final = 0.1
"""So many searches explain an answer, and none begins after this time."""

MOST_LINES: Final = 6
MOST_TOLD: Final = 3
"""Lines, and near names, languages and globs in one."""

LONGEST: Final = 60
"""The most characters of a part of a query, or of a glob, that are repeated."""

NOWHERE: Final = {
    "": "no symbol holds it",
    "name": "no name is like it",
    "container": "no container is like it",
    "path": "no path is like it",
    "doc": "no doc holds it",
    "signature": "no signature holds it",
    "content": "no signature or doc holds it",
    "kind": "no symbol is of this kind",
    "type": "no symbol is of this kind",
    "lang": "no symbol is in this language",
    "is": "no symbol is it",
    "space": "the index holds the project",
    "id": "no symbol has this id",
}
"""What is said of a term that finds nothing, by its field."""


def explain_empty(
    request: SearchRequest, snapshot: Snapshot, walk: Walk | None, languages: Languages, unread: Sequence[Skip],
    contents: Contents | None = None,
) -> list[str]:  # fmt: skip
    """The explanation of an empty answer, in short lines. walk: the last walk of the tree. unread: files whose code is missing
    from the index. contents: as of `answer.find`."""
    if snapshot.n_symbols == 0:
        return [why_index_empty(walk, snapshot)]
    tries = _Tries(snapshot, request, languages, contents)
    meant = lower_case_operators(request.query)
    lines = [f"operators are upper case: {meant}"] if meant else []
    lines += [*_impossible(tries), *_hidden(tries)]
    lines += [*_of_query(tries)]
    if tries.n_refused:
        lines = [*lines[: MOST_LINES - 1], "not all parts were tried"]
    return [*lines[:MOST_LINES], *filter(None, [tell_unread(unread, "it")])]


class _Tries:
    """Searches that explain, as many as there is time for. n_refused: how many were not made."""

    def __init__(
        self, snapshot: Snapshot, request: SearchRequest, languages: Languages, contents: Contents | None
    ) -> None:  # fmt: skip
        self.request = request
        self.languages = languages
        self.query = read_query(request, languages)
        universe = universe_of(request, self.query, read_options(request))
        self.snapshot = universe.of(snapshot)
        if contents is not None and universe is not Universe.SYMBOLS:
            self.snapshot = contents.beside(self.snapshot)
        self.wanted = make_filter(request, languages)
        self.filters = [field for field in NARROWING if getattr(request, field)]
        self.n_refused = 0
        self.weak = read_options(request).weak
        self._left = MOST_SEARCHES
        self._end = time.monotonic() + SECONDS

    def has_time(self) -> bool:
        if self._left and time.monotonic() < self._end:
            return True
        self.n_refused += 1
        return False

    def total(self, query: Query, wanted: Filter, weak: bool | None = False) -> int | None:
        """How many hits there are; `None` where that was not tried."""
        if not self.has_time():
            return None
        self._left -= 1
        return select(self.snapshot, query, wanted, weak).total

    def whole(self, without: Sequence[str], weak: bool | None = None) -> int | None:
        """The hits of the request without some of its fields."""
        bare = msgspec.structs.replace(self.request, **{field: None if field == "kinds" else UNSET for field in without})
        return self.total(self.query, make_filter(bare, self.languages, self.query), self.weak if weak is None else weak)

    def chosen(self) -> list[PartFilter]:
        """The request's filter by part."""
        return PartFilter.of_parts(self.snapshot.parts, self.wanted)


def _impossible(tries: _Tries) -> Iterator[str]:
    """Filters that nothing in the index passes, whatever the query."""
    snapshot, request = tries.snapshot, tries.request
    none = [kind for kind in request.kinds or () if not _has(snapshot, Filter((kind,)))]
    if none:
        yield f"no symbol is of kind {_listed([*map(_code, none)])}"
    absent = [
        word for word in request.languages or () if not _has(snapshot, Filter((), frozenset({tries.languages.id_of(word)})))
    ]
    if absent:
        yield f"no symbol is in {_listed([*map(_code, absent)])}: the tree has {_languages_of(snapshot)}"
    if not request.paths:
        return
    wanted = [glob for glob in request.paths if not glob.startswith("!")]
    unmatched = [glob for glob in wanted if not _matches_a_file(snapshot, [glob])]
    for glob in unmatched[:MOST_TOLD]:
        yield f"{_code(glob)} matches no file{_near(nearest_paths(snapshot, _literal(glob)))}"
    if not unmatched and not _matches_a_file(snapshot, request.paths):
        yield "the globs together leave no file"


def _has(snapshot: Snapshot, wanted: Filter) -> bool:
    return any(bool(PartFilter(part, wanted).mask.any()) for part in snapshot.parts if part.n_symbols)


def _languages_of(snapshot: Snapshot) -> str:
    """The languages of most symbols."""
    counts: dict[str, int] = {}
    for part in snapshot.parts:
        per_file = np.diff(part.index.file_first) * (1 if part.live is None else part.live)
        by_language = np.bincount(part.index.u8("file_language"), per_file, len(part.index.columns.language_ids))
        for language, count in zip(part.index.columns.language_ids, by_language.tolist(), strict=True):
            counts[language] = counts.get(language, 0) + int(count)
    most = sorted((language for language in counts if counts[language]), key=lambda language: (-counts[language], language))
    return _listed(most)


def _matches_a_file(snapshot: Snapshot, globs: Sequence[str]) -> bool:
    matches = shown_path_filter([*globs], snapshot)
    return any(matches(part.prefix + part.index.paths.all[number]) for part in snapshot.parts for number in part.live_files())


def _literal(glob: str) -> str:
    """A glob up to its first wildcard."""
    return glob[: min((at for at in map(glob.find, "*?[{") if at >= 0), default=len(glob))].removeprefix("./")


def _hidden(tries: _Tries) -> Iterator[str]:
    """What the request would find without its filters, each and all."""
    if tries.filters and (every := tries.whole(tries.filters)):
        alone = [(field, tries.whole([field])) for field in tries.filters] if len(tries.filters) > 1 else []
        told = [f"without {_filter(tries.request, field)}: {total:,}" for field, total in alone if total is not None]
        all_of_them = "any filter" if alone else _filter(tries.request, tries.filters[0])
        yield "; ".join([*told, f"without {all_of_them}: {every:,}"])
    if tries.weak is False and isinstance(tries.query, Name) and (total := tries.whole([], weak=True)):
        yield f"with fuzzy matches: {total:,}"


def _filter(request: SearchRequest, field: str) -> str:
    values = getattr(request, field)
    return f"{field} {_listed([_code(str(value)) for value in values])}" if isinstance(values, list) else field


class _Piece(NamedTuple):
    """A part of the query. said: as it is told. nowhere: what is said where it finds nothing; empty for a group, of which the
    parts are looked at. names, paths: the text that names and paths near it are like; empty for none."""

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
    hidden = [f"{part.piece.said} {part.unfiltered:,}" for part in found if not part.total and part.unfiltered]
    some = [f"{part.piece.said} {part.total:,}" for part in found if part.total and not part.negates]
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
            unfiltered = total if total or not tries.filters else tries.total(meant, Filter()) or 0
            yield _Found(piece, total, unfiltered)


def _divided(query: Query) -> list[_Piece]:
    """The parts of a query that are explained one by one. The answer suggests names near a name."""
    if isinstance(query, And | Or):
        return [_piece(part) for part in dict.fromkeys(query.parts)]
    if isinstance(query, Words):
        return [_Piece(Words((text,)), _code(text), NOWHERE[""], text) for text in dict.fromkeys(query.texts)]
    if isinstance(query, Name) and query.qualifiers:
        pieces = [_around(text) for text in dict.fromkeys(query.qualifiers)]
        named = [_Piece(Term("name", query.name), _code(query.name), NOWHERE["name"])] if query.name else []
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
    name = node.text.rpartition("#")[2].rpartition(".")[2] if node.field == "id" else node.text if is_text else ""
    return _Piece(node, said, NOWHERE[node.field], name, node.text if node.field == "path" else "")


def _nothing(tries: _Tries, piece: _Piece) -> str:
    """A line on a part that finds nothing, with what is near."""
    query, more = piece.query, ""
    if isinstance(query, Term) and query.field == "lang":
        more = f": the tree has {_languages_of(tries.snapshot)}"
    elif isinstance(query, Term) and query.is_phrase and len(words := words_of(query.text)) > 1:
        total = tries.total(And(tuple(Term(query.field, word) for word in words)), tries.wanted)
        more = f"; without the quotes: {total:,}" if total else ""
    elif (piece.names or piece.paths) and tries.has_time():
        names = nearest_names(tries.chosen(), piece.names) if piece.names else []
        paths = nearest_paths(tries.snapshot, piece.paths) if piece.paths else []
        more = _near([*names, *paths][:MOST_TOLD])
    return f"{piece.said}: {piece.nowhere}{more}"


def _near(names: Sequence[str]) -> str:
    return f"; nearest: {', '.join(map(_code, names))}" if names else ""


def _code(text: str) -> str:
    return f"`{shorten(text, LONGEST)}`"


def _listed(words: Sequence[str], most: int = MOST_TOLD) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(shorten(word, LONGEST + 20) for word in words[:most]) + more
