"""Pages: where one starts, and the token for the next one.

The server keeps nothing: the token holds what the next request needs, and survives a restart. Where the index is the same, the
next page is the next slice of the hits. Where it has changed, the page continues behind the last of the items shown that still
exists. If none does, it continues where the last one would stand.
"""

from typing import Final

import msgspec

from symindex.errors import TokenError
from symindex.index.snapshot import TREE_SHIFT, Snapshot
from symindex.protocol import SearchRequest
from symindex.search.cursor import check_same, digest, generation_bytes, seal, unseal
from symindex.search.hits import Selection
from symindex.search.rank import Ranking, rank
from symindex.search.static_rank import LONGEST

TOKEN_VERSION: Final = 4

PATH_BYTES: Final = 56
"""How much of the last item's path a token keeps. The cut only matters where all items shown are gone."""

SHOWN: Final = 6
"""How many of the last items shown a token remembers, in 4 bytes each."""


class _Token(msgspec.Struct, array_like=True, frozen=True):
    """version: TOKEN_VERSION. request: `fingerprint`. generation: of the index. offset: where the next page starts.

    weak: whether the weak tiers were used. shown: digests of the ids of the last items of the page, last first.
    points, quality, name_length, tree, path, row: the sort key of the last item. again: how many items directly before it have
        the same key, which are on the same line.
    """

    version: int
    request: bytes
    generation: bytes
    offset: int
    weak: bool
    shown: list[bytes]
    points: int
    quality: int
    name_length: int
    tree: int
    path: bytes
    row: int
    again: int


class Position(msgspec.Struct, frozen=True):
    """Where a page starts. changed: whether the index has changed since the page before."""

    start: int
    changed: bool = False


def fingerprint(request: SearchRequest) -> bytes:
    """6 bytes for all that decides the hits and the page size."""
    fields = (
        request.query.strip(),
        sorted(kind.lower() for kind in request.kinds or []),
        request.max_items,
        request.languages or [],
        request.paths or [],
        None if request.fuzzy is msgspec.UNSET else request.fuzzy,
    )
    return digest(msgspec.msgpack.encode(fields))


def make_token(request: SearchRequest, snapshot: Snapshot, ranking: Ranking, end: int, weak: bool) -> str:
    """The token for the page that starts at `end`, which is at least 1."""
    key = _key_at(snapshot, ranking, end - 1)
    shown = [_id_digest(snapshot, row) for row in ranking.rows[max(0, end - SHOWN) : end][::-1].tolist()]
    again = _equal_before(snapshot, ranking, end - 1)
    generation = generation_bytes(snapshot.generation)
    return seal(_Token(TOKEN_VERSION, fingerprint(request), generation, end, weak, shown, -key[0], *key[1:], again))


def _id_digest(snapshot: Snapshot, row: int) -> bytes:
    part, local = snapshot.locate(row)
    return digest(part.index.symbol_id(local).encode(), 4)


def token_of(request: SearchRequest) -> _Token | None:
    """The token that a request comes with. Raises TokenError for one of another query or page size, or for another place than the
    request's `start_index`."""
    if request.pagination_id is None:
        return None
    token = unseal(request.pagination_id, _Token, TOKEN_VERSION)
    check_same(token.request == fingerprint(request), f"search than {request.query!r} with these filters and max_items")
    if request.start_index not in (0, token.offset):
        raise TokenError(
            f"start_index {request.start_index} and pagination_id (which starts at {token.offset}) contradict each other: "
            "give one"
        )
    return token


def move_token(text: str, giver: SearchRequest, taker: SearchRequest) -> str:
    """A token of one request as that of another, which differs in its page size. What is no token of the first is returned as it
    is, for the search to refuse."""
    try:
        token = unseal(text, _Token, TOKEN_VERSION)
    except TokenError:
        return text
    return seal(msgspec.structs.replace(token, request=fingerprint(taker))) if token.request == fingerprint(giver) else text


def find_start(token: _Token, snapshot: Snapshot, selection: Selection) -> Position:
    """Where a token's page starts in the present hits."""
    if token.generation == generation_bytes(snapshot.generation):
        return Position(token.offset)
    ranking = rank(selection, None)
    wanted = {digest: age for age, digest in enumerate(token.shown)}
    ages = [wanted.get(_id_digest(snapshot, row), SHOWN) for row in ranking.rows.tolist()]
    youngest = min(ages, default=SHOWN)
    start = ages.index(youngest) + 1 if youngest < SHOWN else _count_up_to(token, snapshot, ranking)
    return Position(start, changed=True)


def _key_at(snapshot: Snapshot, ranking: Ranking, place: int) -> tuple[int, int, int, int, bytes, int]:
    """What orders an item, as the fields of a token from `points` on have it."""
    part, row = snapshot.locate(int(ranking.rows[place]))
    index = part.index
    file = index.file_at(row)
    return (
        -int(ranking.points[place]),
        int(ranking.qualities[place]),
        min(len(index.name_at(row).encode()), LONGEST),
        int(part.file_order[file]) >> TREE_SHIFT,
        index.paths[file].encode()[:PATH_BYTES],
        index.name_row(row),
    )


def _equal_before(snapshot: Snapshot, ranking: Ranking, place: int) -> int:
    """How many items directly before one have its key."""
    key, first = _key_at(snapshot, ranking, place), place
    while first and ranking.points[first - 1] == ranking.points[place] and _key_at(snapshot, ranking, first - 1) == key:
        first -= 1
    return place - first


def _count_up_to(token: _Token, snapshot: Snapshot, ranking: Ranking) -> int:
    """How many items come before the next page: those that would stand before the token's last item, and it."""
    key = (-token.points, token.quality, token.name_length, token.tree, token.path, token.row)
    keys = [_key_at(snapshot, ranking, place) for place in range(len(ranking))]
    return sum(other < key for other in keys) + min(keys.count(key), token.again + 1)
