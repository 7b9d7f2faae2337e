"""Executes the tree of a query: which rows match, and with how many points."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.index.columns.arrays import U8
from symindex.index.snapshot import Snapshot
from symindex.index.words.text_words import Field
from symindex.search.answer.filters import Filter, PartFilter
from symindex.search.language.choose_reading import choose_reading
from symindex.search.language.pasted_names import is_word, pointed_to
from symindex.search.language.qualifiers import best_tier, member_points, qualify
from symindex.search.language.query import And, Everything, Name, Query, Term, Words
from symindex.search.match.lookup import NameHits, Points, join_hits, strong_tiers, weak_names
from symindex.search.match.names import (
    BAND_TOLERANCE,
    BANDS,
    OTHER_CASE_STEPS,
    POINTS,
    Needle,
    Tier,
)
from symindex.search.names.centrality import CountUses, are_aside, central_points
from symindex.search.names.data_rows import holds_code
from symindex.search.names.declarations import yield_to_definitions
from symindex.search.names.file_names import files_called
from symindex.search.names.hits import Listed, PartHits, RowHits, Selection, TieredHits
from symindex.search.names.weakness import by_tier, by_tier_before
from symindex.search.words.meaning import Tolerance
from symindex.text.folding import squashed
from symindex.text.words import words_of

WEAK_BELOW: Final = 10
"""Weak tiers (typo, subsequence) are used if the strong ones find fewer hits than this, and no hit
begins with the typed text (in the same case if it has a capital: `thread` does not begin with
`THRE`)."""

_BEGINS: Final = round((BANDS[Tier.PREFIX][0] - BAND_TOLERANCE) * POINTS)
_BEGINS_AS_TYPED: Final = round(OTHER_CASE_STEPS[-1] * POINTS)
"""Least points of a hit that begins with the needle; and of a hit that begins with it in the same
case, or equals it in another case."""


def select(
    snapshot: Snapshot,
    query: Query,
    request_filter: Filter,
    weak: bool | None,
    typos: bool = True,
    at_least: int | None = None,
    edits: int | None = None,
    is_described: bool = False,
    whole: bool = False,
    count_uses: CountUses | None = None,
) -> Selection:
    """Returns the hits of a query.

    request_filter: the request's filters. weak: forces or forbids the weak tiers; `None` lets the
    strong hits decide. typos: whether the tier typo is one of the weak tiers. at_least: this many
    of the best hits are enough; the total may then be too small. edits: the most edits in a word,
    which also excludes scattered letters. is_described: whether the rows are only sections and
    items, which are found by their texts as much as by their names. whole: see Tolerance, for
    trees. count_uses: for rows that no word orders, tells which of several symbols of a name files
    use.
    """
    # Later overlays may hide all files of an overlay, and an overlay may only remove some. Files
    # without symbols mention names.
    parts = [part for part in snapshot.parts if part.n_files or part is snapshot.parts[0]]
    if not parts:  # no folder has an index, and no file was read
        return Selection([])
    filters = PartFilter.of_parts(parts, request_filter)
    listed = _listed_by(snapshot, filters, is_described, count_uses)
    if isinstance(query, Everything):
        return Selection(
            [Listed(*of_part) for of_part in zip(filters, listed, strict=True)],
            memo=snapshot.memo,
        )
    if isinstance(query, Words) and any(map(words_of, query.texts)):
        return _select_words(snapshot, filters, query, weak, edits)
    if isinstance(
        query, Words
    ):  # words without letters, for example `->`, are searched for as they are
        query = And(tuple(Term("", text) for text in query.texts))
    if not isinstance(query, Name):
        from symindex.search.language.boolean import select_boolean  # imported here, as above

        tolerance = Tolerance(bool(weak), edits, whole)
        hits = select_boolean(filters, query, listed, tolerance)
        is_empty = (
            isinstance(query, Term) and not query.field and not any(part.total for part in hits)
        )
        if is_empty and isinstance(query, Term) and (name := pointed_to(query.text)) is not None:
            return select(
                snapshot,
                name,
                request_filter,
                weak,
                typos,
                at_least,
                edits,
                is_described,
                whole,
                count_uses,
            )
        return Selection(yield_to_definitions(hits), memo=snapshot.memo)
    if not query.name:
        return Selection(_members(filters, query), memo=snapshot.memo)
    return _select_name(
        snapshot, filters, query, listed, weak, typos, at_least, edits, is_described
    )


def _select_words(
    snapshot: Snapshot,
    filters: list[PartFilter],
    query: Words,
    weak: bool | None,
    edits: int | None,
) -> Selection:
    """Returns the hits of a question in plain words; see `select`."""
    # Imported here, because most searches are for a name.
    from symindex.search.words.plain import select_plain

    in_words = select_plain(
        filters, query.texts, typos=weak is not False, edits=edits, forced=weak is True
    )
    return Selection(
        yield_to_definitions(in_words.hits),
        notices=in_words.notices,
        memo=snapshot.memo,
        weakness=in_words.weakness,
    )


def _select_name(
    snapshot: Snapshot,
    filters: list[PartFilter],
    query: Name,
    listed: Sequence[Callable[[], Points]],
    weak: bool | None,
    typos: bool,
    at_least: int | None,
    edits: int | None,
    is_described: bool,
) -> Selection:
    """Returns the hits of one word; see `select`. listed: by part, the points of its rows without a
    word."""
    notices: tuple[str, ...] = ()
    if is_word(query):
        selection = Selection([_strong(chosen, query, at_least) for chosen in filters], bool(weak))
    else:
        chosen = choose_reading(
            filters,
            query,
            lambda name: [_strong(part_filter, name, None) for part_filter in filters],
            lambda number: listed[number](),
            may_guess=weak is not False,
        )
        query, notices, selection = chosen.query, chosen.notices, Selection(chosen.hits, bool(weak))
        if chosen.is_place:
            return Selection(selection.hits, notices=notices, memo=snapshot.memo)
    joins_words = is_described and typos
    if weak or (
        weak is None
        and (not _is_enough(selection, query) or _is_wide(selection, query, typos, at_least))
    ):
        begins = _reaches(selection, _BEGINS)
        selection = Selection(
            [_with_weak(hits, query, typos, edits) for hits in selection.hits], True
        )
        joins_words = joins_words or (typos and not begins)
    if (
        joins_words
        and query.is_plain
        and (in_words := _in_words(filters, query.name, bool(weak) and is_described, edits)).total
    ):
        from symindex.search.words.plain import fuse  # imported here, as above

        weakness = None if is_described else by_tier_before(selection.hits)
        return Selection(
            yield_to_definitions(fuse(selection, in_words)),
            selection.weak,
            (*notices, *in_words.notices),
            memo=snapshot.memo,
            weakness=weakness,
        )
    # Hits by the name alone have equal points if they have equal names.
    hits = selection.hits if query.is_plain else yield_to_definitions(selection.hits)
    ranks = tuple(_file_ranks(chosen, query) for chosen in filters)
    return Selection(
        hits,
        selection.weak,
        notices,
        ranks,
        is_name=query.is_plain,
        memo=snapshot.memo,
        weakness=by_tier,
    )


def _in_words(
    filters: Sequence[PartFilter], name: str, forced: bool, edits: int | None
) -> Selection:
    """Returns the hits of the parts of a name as words, all of them. forced: also words similar to
    these."""
    from symindex.search.words.plain import select_plain  # imported here, as above

    words = words_of(name)
    return (
        select_plain(filters, [name], typos=False, some=False, edits=edits, forced=forced)
        if words
        else Selection([])
    )


def _listed_by(
    snapshot: Snapshot,
    filters: Sequence[PartFilter],
    is_described: bool,
    count_uses: CountUses | None,
) -> list[Callable[[], Points]]:
    """Returns for each part the points of its rows if no word decides. Symbols and sections get
    them by how central they are, which is counted once for all parts together. Items are all equal,
    unless they are listed with symbols."""

    def of_part(number: int) -> Points:
        points, index = central(number), filters[number].index
        if is_described and len(index.columns.item_places):
            points = points.copy()
            points[index.row_at[index.items[0]]] = POINTS
        return points

    def central(number: int) -> Points:
        cached = snapshot.memo.get("central")
        if cached is None:
            parts = [chosen.part for chosen in filters]
            cached = central_points(parts)
            if count_uses is not None:
                cached = central_points(parts, count_uses(parts, cached))
            snapshot.memo["central"] = cached
        points: Points = cached[number]
        return points

    return [partial(of_part, number) for number in range(len(filters))]


def _file_ranks(chosen: PartFilter, query: Name) -> U8:
    """Returns for each file: 0 if its name is the query, because of several definitions the one in
    that file is usually meant; 2 for examples and benchmarks; otherwise 1."""
    index, name = chosen.index, squashed(query.name)
    ranks = are_aside(index) + np.uint8(1)
    files = files_called(index, name) if name else ()
    if not len(files):
        return ranks
    words = [index.text_words.find(word) for word in words_of(query.name)]
    marks_of_words = [
        index.text_words.marked(np.array([word]), Field.BASE) for word in words if word is not None
    ]
    if words and len(marks_of_words) == len(words):
        ranks[files[np.logical_and.reduce([marks[files] for marks in marks_of_words])]] = 0
    return ranks


def _is_enough(strong: Selection, query: Name) -> bool:
    begins = _BEGINS_AS_TYPED if query.is_plain and Needle(query.name).capitals else _BEGINS
    return strong.total >= WEAK_BELOW or _reaches(strong, begins)


def _is_wide(strong: Selection, query: Name, typos: bool, at_least: int | None) -> bool:
    """Whether an editor, which filters rows itself and never counts them, has room for names that
    only contain the letters of a needle of several parts (`getCtx`: `getContext`)."""
    is_for_editor = not typos and at_least is not None
    return (
        is_for_editor
        and strong.total < (at_least or 0)
        and query.is_plain
        and len(Needle(query.name).runs) > 1
    )


def _reaches(selection: Selection, points: int) -> bool:
    return any(hits.total and hits.best(1)[1].max() >= points for hits in selection.hits)


def _dense(chosen: PartFilter, points: Points) -> PartHits:
    """Returns the hits for the points of all rows."""
    if not chosen.lets_all:
        points = np.where(chosen.mask, points, 0)
    rows = np.flatnonzero(points)
    return RowHits(chosen, rows, points[rows].astype(np.int32))


def _members(filters: list[PartFilter], query: Name) -> list[PartHits]:
    every = [np.where(chosen.mask, member_points(chosen.index, query), 0) for chosen in filters]
    least = best_tier(every)
    hits = [
        _dense(chosen, np.where(points >= least, points, 0))
        for chosen, points in zip(filters, every, strict=True)
    ]
    return yield_to_definitions(hits)


def _strong(chosen: PartFilter, query: Name, at_least: int | None) -> PartHits:
    check_wanted()

    def is_enough(tier: NameHits) -> bool:
        return (
            at_least is not None
            and query.is_plain
            and holds_code(TieredHits(chosen, [tier]), at_least)
        )

    hits = TieredHits(chosen, strong_tiers(chosen.index, Needle(query.name), is_enough))
    if query.is_plain:
        return hits
    rows, points = hits.everything()
    qualified = RowHits(chosen, rows, qualify(chosen.index, query, rows, points))
    if query.literal == query.name:
        return qualified
    # A name itself may contain a separator: test titles, `operator->`.
    literal = TieredHits(chosen, strong_tiers(chosen.index, Needle(query.literal)))
    return qualified.join(RowHits(chosen, *literal.everything()), best=True)


def _with_weak(strong: PartHits, query: Name, typos: bool, edits: int | None) -> PartHits:
    check_wanted()
    chosen = strong.chosen
    weak = weak_names(chosen.index, Needle(query.name, edits), typos, scattered=edits is None)
    if isinstance(strong, TieredHits):
        return TieredHits(chosen, [join_hits([*strong.tiers, weak])])
    rows, points = TieredHits(chosen, [weak]).everything()
    weaker = RowHits(chosen, rows, qualify(chosen.index, query, rows, points))
    return RowHits(chosen, *strong.everything()).join(weaker, best=False)
