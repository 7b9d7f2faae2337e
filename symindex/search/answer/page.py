"""Pages: where one starts, and the token for the next one.

The server stores nothing: the token contains what the next request needs, and survives a restart.
If the index is unchanged, the next page is the next slice of the hits. If it has changed, the page
continues after the last shown item that still exists. If none does, it continues where the last one
would be.
"""

from typing import Final

import msgspec

from symindex.errors import TokenError
from symindex.index.columns.arrays import I64
from symindex.index.snapshot import Snapshot
from symindex.protocol.kinds import expand_kinds
from symindex.search.answer.cursor import check_same, digest, generation_bytes, seal, unseal
from symindex.search.answer.items import facts_of
from symindex.search.answer.plan import Plan
from symindex.search.answer.sort import leading_key, ordered
from symindex.search.names.hits import Selection
from symindex.search.names.rank import Ranking
from symindex.search.names.static_rank import length_of
from symindex.search.options.dates import sum_of_dates
from symindex.search.options.read import Options

TOKEN_VERSION: Final = 7

PATH_BYTES: Final = 56
"""Bytes of the last item's path in a token. The cut only matters if all shown items are gone."""

SHOWN: Final = 6
"""Shown items that a token remembers, the last ones, in 4 bytes each."""


class _PageToken(msgspec.Struct, array_like=True, frozen=True):
    """A page token. version: TOKEN_VERSION. request: `fingerprint`. page_size: `_page_size`.
    generation: the index's. offset: the start of the next page.

    weak: whether the weak tiers were used. shown: digests of the ids of the last items of the page,
    last first. leading, points, quality, name_length, tree, path, row: the sort key of the last
    item. again: how many items directly before it have the same key, because they are on the same
    line.
    """

    version: int
    request: bytes
    page_size: bytes
    generation: bytes
    offset: int
    weak: bool
    shown: list[bytes]
    leading: bytes
    points: int
    quality: int
    name_length: int
    tree: int
    path: bytes
    row: int
    again: int


class PageStart(msgspec.Struct, frozen=True):
    """Where a page starts. changed: whether the index has changed since the last page."""

    start: int
    changed: bool = False


def fingerprint(plan: Plan) -> bytes:
    """Returns 6 bytes that identify the hits of a plan, however its kinds and languages are
    spelt."""
    fields = (
        str(plan.query),
        sorted(expand_kinds(list(plan.kinds))),
        sorted(plan.plain_filter.languages),
        sorted(set(plan.paths)),
        repr(plan.options),
        *(phrasing.text for phrasing in plan.phrasings),
        *([] if plan.narrowing is None else [f"| {plan.narrowing}"]),
    )
    return digest(msgspec.msgpack.encode(fields))


def _page_size(plan: Plan) -> bytes:
    return digest(str(plan.max_items).encode(), 4)


def make_token(
    plan: Plan,
    meaning: bytes,
    snapshot: Snapshot,
    ranking: Ranking,
    end: int,
    weak: bool,
) -> str:
    """Returns the token for the page that starts at `end`, which is at least 1. meaning: the plan's
    `fingerprint`."""
    options = plan.options
    key = _key_at(snapshot, ranking, end - 1, options.sort_by)
    leading, points, quality, length, tree, path, row = key
    shown = _id_digests(snapshot, ranking.rows[max(0, end - SHOWN) : end])[::-1]
    again = _equal_before(snapshot, ranking, end - 1, key, options.sort_by)
    generation = _generation(snapshot, options)
    size = _page_size(plan)
    of_last = (leading, -points, quality, length, tree, path, row)
    return seal(
        _PageToken(TOKEN_VERSION, meaning, size, generation, end, weak, shown, *of_last, again)
    )


def _generation(snapshot: Snapshot, options: Options) -> bytes:
    """Returns the generation of the index; for an answer that depends on dates, which may change
    without the content, combined with the dates."""
    dates = sum_of_dates(snapshot) if options.need_dates else 0
    return generation_bytes(snapshot.generation + dates)


def _id_digests(snapshot: Snapshot, rows: I64) -> list[bytes]:
    """Returns a digest of the id of each row."""
    return [digest(row.symbol_id.encode(), 4) for row in snapshot.details(rows, ("id",))]


def token_of(plan: Plan, meaning: bytes) -> _PageToken | None:
    """Reads the token of a plan; `None` for a first page. meaning: the plan's `fingerprint`. Raises
    TokenError for a token of another query or page size, or one that contradicts `start_index`."""
    if plan.token is None:
        return None
    token = unseal(plan.token, _PageToken, TOKEN_VERSION)
    is_same = (token.request, token.page_size) == (meaning, _page_size(plan))
    check_same(is_same, f"search than {plan.text!r} with these filters and max_items")
    if plan.start_index not in (0, token.offset):
        raise TokenError(
            f"start_index {plan.start_index} and pagination_id (which starts at {token.offset})"
            " contradict each other: give one"
        )
    return token


def find_start(
    token: _PageToken, snapshot: Snapshot, selection: Selection, options: Options
) -> PageStart:
    """Returns where a token's page starts in the present hits."""
    if token.generation == _generation(snapshot, options):
        return PageStart(token.offset)
    ranking = ordered(selection, None, options.sort_by)
    ages_of_shown = {digest: age for age, digest in enumerate(token.shown)}
    ages = [ages_of_shown.get(digest, SHOWN) for digest in _id_digests(snapshot, ranking.rows)]
    youngest = min(ages, default=SHOWN)
    start = (
        ages.index(youngest) + 1
        if youngest < SHOWN
        else _count_up_to(token, snapshot, ranking, options.sort_by)
    )
    return PageStart(start, changed=True)


_Key = tuple[bytes, int, int, int, int, bytes, int]
"""The sort key of an item, as the fields of a token from `leading` to `row`, with negative
points."""


def _key_at(snapshot: Snapshot, ranking: Ranking, place: int, sort_by: str) -> _Key:
    row = snapshot.shown_at(int(ranking.rows[place]))
    part = row.part
    facts = facts_of(part.index, row.number)
    # Items with equal points are ordered by their ids.
    path = row.path if facts is None else facts.id
    return (
        leading_key(part, row.number, sort_by),
        -int(ranking.points[place]),
        int(ranking.qualities[place]),
        length_of(row.name, row.traits),
        part.tree,
        path.encode()[:PATH_BYTES],
        row.line,
    )


def _equal_before(snapshot: Snapshot, ranking: Ranking, place: int, key: _Key, sort_by: str) -> int:
    """Returns how many items directly before one have its key."""
    first = place
    while (
        first
        and ranking.points[first - 1] == ranking.points[place]
        and _key_at(snapshot, ranking, first - 1, sort_by) == key
    ):
        first -= 1
    return place - first


def _count_up_to(token: _PageToken, snapshot: Snapshot, ranking: Ranking, sort_by: str) -> int:
    """Returns how many items precede the next page: those before the token's last item, and that
    item."""
    key = (
        token.leading,
        -token.points,
        token.quality,
        token.name_length,
        token.tree,
        token.path,
        token.row,
    )
    keys = [_key_at(snapshot, ranking, place, sort_by) for place in range(len(ranking))]
    return sum(item_key < key for item_key in keys) + min(keys.count(key), token.again + 1)
