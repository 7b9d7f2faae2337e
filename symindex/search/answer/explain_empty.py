"""Explains an empty answer: which filter or part of the query matches nothing, how many hits each
would have alone, and which names are similar.

Everything is counted among the rows of the request (`search/answer/universe`). The number of
searches and their time are limited, because an empty answer must not take longer than others; the
explanation says if parts were not tried.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from symindex.errors import RequestError
from symindex.files.left_out import tell_left_out
from symindex.files.skips import Skip, tell_unread
from symindex.files.walk import Walk
from symindex.index.report import why_index_empty
from symindex.index.snapshot import Snapshot, Space
from symindex.protocol.search_options import NARROWING
from symindex.search.answer.contents import Contents
from symindex.search.answer.execute import select
from symindex.search.answer.filters import Filter, PartFilter, shown_path_filter
from symindex.search.answer.items import facts_of
from symindex.search.answer.nearest import nearest_names, nearest_paths
from symindex.search.answer.plan import Plan
from symindex.search.answer.query_pieces import LONGEST, QueryPiece, code, divided
from symindex.search.answer.universe import Universe
from symindex.search.language.parse_query import lower_case_operators
from symindex.search.language.query import And, Name, Not, Query, Term
from symindex.search.language.repositories import unmatched, why_unmatched
from symindex.search.options.scopes import ANY_TYPE, EVERYTHING, rows_of_types
from symindex.text.counts import count_of
from symindex.text.escaping import shorten
from symindex.text.words import words_of

MOST_SEARCHES: Final = 16
SECONDS: Final = 0.1
"""Most searches that explain an answer, and the time in seconds after which no search begins."""

MOST_LINES: Final = 6
MOST_TOLD: Final = 3
"""The most lines, and the most similar names, languages or globs in one line."""

MOST_TYPES: Final = 10
"""The most types of items in one line."""


def explain_empty(
    plan: Plan,
    snapshot: Snapshot,
    walk: Walk | None,
    unread: Sequence[Skip],
    contents: Contents | None = None,
) -> list[str]:
    """Returns the explanation of an empty answer, in short lines. walk: the last walk of the tree.
    unread: files that should be indexed and are not. contents: see `answer.find`."""
    tries = _Tries(snapshot, plan.as_one, contents)
    if not tries.snapshot.n_symbols and tries.universe is not Universe.DOCUMENTS:
        return [why_index_empty(walk, snapshot), *_other_universe(tries)]
    if plan.narrowing is not None and (total := tries.without([]).total):
        left_out = f"{code(f'| {plan.narrowing}')} leaves out all that was found: {total:,}"
        return [left_out, *islice(unmatched(plan.narrowing, snapshot), MOST_LINES)]
    words = lower_case_operators(tries.plan.text)
    lines = [f"operators are upper case: {words}"] if words else []
    lines += [*_no_rows(tries), *_impossible(tries, walk), *_hidden(tries)]
    lines += [*_other_universe(tries), *_explain_query(tries)]
    if tries.n_refused:
        lines = [*lines[: MOST_LINES - 1], "not all parts were tried"]
    elif (n_more := len(lines) - MOST_LINES) > 0:
        lines = [*lines[: MOST_LINES - 1], f"there are {n_more + 1} more reasons"]
    return [*lines, *filter(None, [tell_unread(unread, "it")])]


def explain_hidden(plan: Plan, snapshot: Snapshot, contents: Contents | None = None) -> list[str]:
    """Returns what the filters hide if an answer consists of guesses. contents: see
    `answer.find`."""
    tries = _Tries(snapshot, plan.as_one.strict(), contents)
    return [*_left_out(tries)] if tries.filters else []


class _Attempt(NamedTuple):
    """A request without some of its fields. total: its hits; `None` if it was not tried. about: its
    rows."""

    total: int | None
    about: Universe


class _Tries:
    """Searches that explain an answer, as many as there is time for.

    all_rows, snapshot: all rows, and the rows of the request. bare: the rows of the request without
    its filters. n_refused: how many searches were skipped.
    """

    def __init__(self, snapshot: Snapshot, plan: Plan, contents: Contents | None) -> None:
        self.plan = plan
        self.query, self.options, self.universe = plan.query, plan.options, plan.universe
        self._contents = contents
        self.all_rows = snapshot
        self.snapshot = self.rows(self.universe)
        self.request_filter = plan.plain_filter
        self.filters = [field for field in NARROWING if field in plan.given]
        self.bare = plan.without(("kinds", "type", "scope")).universe
        self.n_refused = 0
        self._left = MOST_SEARCHES
        self._end = time.monotonic() + SECONDS

    def rows(self, about: Universe) -> Snapshot:
        """Returns the rows of a universe."""
        snapshot = about.of(self.all_rows)
        return (
            snapshot
            if self._contents is None or about is Universe.SYMBOLS
            else self._contents.with_texts(snapshot)
        )

    def has_time(self) -> bool:
        if self._left and time.monotonic() < self._end:
            return True
        self.n_refused += 1
        return False

    def total(
        self,
        query: Query,
        request_filter: Filter,
        weak: bool | None = False,
        among: Universe | None = None,
    ) -> int | None:
        """Returns how many hits there are; `None` if that was not tried or is not a possible
        request. among: other rows than the request's."""
        if not self.has_time():
            return None
        self._left -= 1
        try:
            # Each search has rows of its own, because it narrows the rows whose texts it reads.
            return select(self.rows(among or self.universe), query, request_filter, weak).total
        except RequestError:  # a field that only items have, in a search for symbols
            return None

    def without(self, fields: Sequence[str], weak: bool | None = None) -> "_Attempt":
        """Tries the request without some of its fields."""
        bare = self.plan.without(fields)
        weak = self.options.weak if weak is None else weak
        return _Attempt(self.total(self.query, bare.filter, weak, bare.universe), bare.universe)

    def count(self, attempt: "_Attempt") -> str:
        """Returns the number of hits, with the name of the rows if they are not the request's."""
        total, about = attempt.total or 0, attempt.about
        return f"{total:,}" if about is self.universe else count_of(total, about.row, about.rows)

    @property
    def row(self) -> str:
        return self.universe.row

    def chosen(self) -> list[PartFilter]:
        """Returns the request's filter for each part."""
        return PartFilter.of_parts(self.snapshot.parts, self.request_filter)


def _no_rows(tries: _Tries) -> Iterator[str]:
    if not tries.snapshot.n_symbols:
        yield f"no {tries.row} is in the index"


def _impossible(tries: _Tries, walk: Walk | None) -> Iterator[str]:
    """Yields filters that nothing in the index passes, whatever the query."""
    snapshot, plan = tries.snapshot, tries.plan
    none = [kind for kind in plan.kinds if not _has(snapshot, Filter((kind,)))]
    if none:
        yield f"no {tries.row} is of kind {_listed([*map(code, none)])}"
    missing = (
        []
        if not snapshot.n_symbols
        else [word for word in _types_named(tries) if not _has_type(snapshot, word)]
    )
    if missing:
        yield f"no {tries.row} is of type {_listed([*map(code, missing)])}{_types_of_items(tries)}"
    absent = [
        word
        for word in plan.language_words
        if not _has(snapshot, Filter((), frozenset({plan.languages.id_of(word)})))
    ]
    if absent:
        yield (
            f"no {tries.row} is in {_listed([*map(code, absent)])}: the tree has"
            f" {_languages_of(snapshot)}"
        )
    if not plan.paths:
        return
    included = [glob for glob in plan.paths if not glob.startswith("!")]
    unmatched = [glob for glob in included if not _matches_a_file(tries.all_rows, [glob])]
    left_out = {skip.path.rstrip("/"): skip for skip in (walk.skips if walk is not None else ())}
    for glob in unmatched[:MOST_TOLD]:
        if (skip := left_out.get(_literal(glob).strip("/"))) is not None:
            yield f"{code(glob)} matches no file: {tell_left_out(skip)}"
            continue
        yield f"{code(glob)} matches no file{_near(nearest_paths(tries.all_rows, _literal(glob)))}"
    if n_more := len(unmatched[MOST_TOLD:]):
        yield count_of(n_more, "more glob matches no file", "more globs match no file")
    if not unmatched and not _matches_a_file(tries.all_rows, plan.paths):
        yield "together the globs match no file"


def _has(snapshot: Snapshot, request_filter: Filter) -> bool:
    return any(
        bool(PartFilter(part, request_filter).mask.any())
        for part in snapshot.parts
        if part.n_symbols
    )


def _types_named(tries: _Tries) -> list[str]:
    """Returns the types that the options name."""
    types = [*tries.options.types, *(scope.kind for scope in tries.options.scopes)]
    return [word for word in dict.fromkeys(types) if word not in (ANY_TYPE, EVERYTHING)]


def _has_type(snapshot: Snapshot, word: str) -> bool:
    parts = [(part, rows_of_types(part, (word,))) for part in snapshot.parts if part.n_symbols]
    return any(bool((rows & PartFilter(part, Filter()).mask).any()) for part, rows in parts)


def _types_of_items(tries: _Tries) -> str:
    """Returns the types of the project's items, the most frequent first."""
    if tries.universe is Universe.SYMBOLS:
        return ""
    counts: Counter[str] = Counter()
    for part in tries.all_rows.documents.parts:
        if part.space is Space.PROJECT and part.n_symbols:
            rows = np.flatnonzero(PartFilter(part, Filter(("item",))).mask).tolist()
            counts.update(
                facts.type for row in rows if (facts := facts_of(part.index, row)) is not None
            )
    types = _by_frequency(counts)
    return f": the tree has {_listed(types, MOST_TYPES)}" if types else ": the tree has no items"


def _other_universe(tries: _Tries) -> Iterator[str]:
    """Yields how many sections and items match, if the request was for symbols because it named no
    type."""
    names_a_type = tries.plan.kinds or tries.options.types or tries.options.scopes
    documents = tries.all_rows.documents
    if tries.universe is not Universe.SYMBOLS or names_a_type or not documents.n_symbols:
        return
    if total := tries.total(tries.query, tries.request_filter, among=Universe.DOCUMENTS):
        rows = count_of(total, "section or item matches", f"{Universe.DOCUMENTS.rows} match")
        yield f"{rows} with type: all"


def _languages_of(snapshot: Snapshot) -> str:
    """Returns the languages with the most symbols."""
    counts: Counter[str] = Counter()
    for part in snapshot.parts:
        ids = part.index.columns.language_ids
        per_file = np.diff(part.index.file_first) * (1 if part.live is None else part.live)
        by_language = np.bincount(part.index.u8("file_language"), per_file, len(ids))
        counts.update({ids[number]: int(n) for number, n in enumerate(by_language.tolist())})
    return _listed(_by_frequency(counts))


def _by_frequency(counts: Counter[str]) -> list[str]:
    return sorted((+counts).keys(), key=lambda name: (-counts[name], name))


def _matches_a_file(snapshot: Snapshot, globs: Sequence[str]) -> bool:
    matches = shown_path_filter([*globs], snapshot)
    return any(
        matches(part.prefix + part.index.paths.all[number])
        for part in snapshot.parts
        for number in part.live_files()
    )


def _literal(glob: str) -> str:
    """Returns a glob up to its first wildcard."""
    return glob[
        : min((place for place in map(glob.find, "*?[{") if place >= 0), default=len(glob))
    ].removeprefix("./")


def _hidden(tries: _Tries) -> Iterator[str]:
    """Yields the number of hits without each filter, without all filters, and with the weak
    tiers."""
    yield from _left_out(tries)
    if (
        tries.options.weak is False
        and isinstance(tries.query, Name)
        and (total := tries.without([], weak=True).total)
    ):
        yield f"fuzzy matching would find {count_of(total, tries.row, tries.universe.rows)}"


def _left_out(tries: _Tries) -> Iterator[str]:
    """Yields the number of hits without each filter, and without all of them."""
    filters = tries.filters
    everything = tries.without(filters) if filters else _Attempt(None, tries.universe)
    # Without all filters there are at least as many hits as without one, unless the rows differ.
    if everything.total or everything.about is not tries.universe:
        alone = (
            [(_filter(tries.plan, field), tries.without([field])) for field in filters]
            if len(filters) > 1
            else []
        )
        tried = [
            *alone,
            ("any filter" if alone else _filter(tries.plan, filters[0]), everything),
        ]
        if any(attempt.total for _, attempt in tried):
            counts = [
                (filters_left_out, tries.count(attempt))
                for filters_left_out, attempt in tried
                if attempt.total is not None
            ]
            yield "; ".join(
                f"without {filters_left_out}: {count}" for filters_left_out, count in counts
            )


def _filter(plan: Plan, field: str) -> str:
    values = getattr(plan.request, field)
    several = [values] if isinstance(values, str) else values
    return (
        f"{field} {_listed([code(str(value)) for value in several])}"
        if isinstance(several, list)
        else field
    )


class _PieceHits(NamedTuple):
    """The hits of a part alone, and without the filters."""

    piece: QueryPiece
    total: int
    unfiltered: int

    @property
    def negates(self) -> bool:
        """Whether these hits are the ones that the part leaves out."""
        return isinstance(self.piece.query, Not)


def _explain_query(tries: _Tries) -> Iterator[str]:
    """Yields what each part of the query finds."""
    parts = [*_hits_of_pieces(tries)]
    absent = [part.piece for part in parts if not part.unfiltered and not part.negates]
    for piece in absent[:MOST_LINES]:
        yield _not_found(tries, piece)
    hidden = [
        f"{part.piece.text} {part.unfiltered:,}"
        for part in parts
        if not part.total and part.unfiltered
    ]
    matching = [
        f"{part.piece.text} {part.total:,}" for part in parts if part.total and not part.negates
    ]
    if len(parts) > 1 and hidden:
        yield f"found only without the filters: {_listed(hidden, MOST_LINES)}"
    if len(parts) > 1 and matching:
        yield f"each alone finds: {_listed(matching, MOST_LINES)}"
    for part in [part for part in parts if part.negates and part.total][:MOST_LINES]:
        yield f"{part.piece.text} leaves out {part.total:,}"


def _hits_of_pieces(tries: _Tries) -> Iterator[_PieceHits]:
    no_words = {"and", "or", "not"} if lower_case_operators(tries.plan.text) else set()
    waiting = [piece for piece in divided(tries.query) if piece.names.lower() not in no_words]
    while waiting:
        piece = waiting.pop(0)
        meant = piece.query.part if isinstance(piece.query, Not) else piece.query
        total = tries.total(meant, tries.request_filter)
        if total is None:
            return
        if not total and not piece.nowhere and meant is piece.query:
            waiting = [*divided(piece.query), *waiting]
        else:
            unfiltered = (
                total
                if total or not tries.filters
                else tries.total(meant, Filter(), among=tries.bare) or 0
            )
            yield _PieceHits(piece, total, unfiltered)


def _not_found(tries: _Tries, piece: QueryPiece) -> str:
    """Returns a line on a part that finds nothing, with similar names."""
    query, remark = piece.query, ""
    if isinstance(query, Term) and query.field == "lang":
        remark = f": the tree has {_languages_of(tries.snapshot)}"
    elif isinstance(query, Term) and (why := why_unmatched(query, tries.all_rows)):
        return f"{piece.text}: {why}"
    elif isinstance(query, Term) and query.field == "type":
        remark = _types_of_items(tries)
    elif isinstance(query, Term) and query.is_phrase and len(words := words_of(query.text)) > 1:
        total = tries.total(
            And(tuple(Term(query.field, word) for word in words)), tries.request_filter
        )
        remark = f"; without the quotes: {total:,}" if total else ""
    elif (piece.names or piece.paths) and tries.has_time():
        names = nearest_names(tries.chosen(), piece.names) if piece.names else []
        paths = nearest_paths(tries.snapshot, piece.paths) if piece.paths else []
        remark = _near([*names, *paths][:MOST_TOLD])
    return f"{piece.text}: {piece.nowhere.format(row=tries.row)}{remark}"


def _near(names: Sequence[str]) -> str:
    return f"; nearest: {', '.join(map(code, names))}" if names else ""


def _listed(words: Sequence[str], max_words: int = MOST_TOLD) -> str:
    rest = f" and {len(words) - max_words} more" if len(words) > max_words else ""
    return ", ".join(shorten(word, LONGEST + 20) for word in words[:max_words]) + rest
