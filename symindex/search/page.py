"""A slice of the hits, and the token that leads to the next one.

The token needs no memory on the server's side: it carries what the next request needs to go on, and survives a restart. Where the
index is the same, the next page is the next slice. Where it has changed, the page continues behind the last items shown: the
first of them that still exists marks the place; only if all are gone is it found by the place the last one would have.
"""

import hashlib
from typing import Final

import msgspec

from symindex.errors import TokenError
from symindex.index.snapshot import TREE_SHIFT, Snapshot
from symindex.protocol import SearchRequest
from symindex.search.cursor import check_version, seal, unseal
from symindex.search.execute import Selection
from symindex.search.rank import Ranking, rank
from symindex.search.static_rank import LONGEST

TOKEN_VERSION: Final = 3

PATH_BYTES: Final = 56
"""How much of the last item's path a token keeps; longer paths are cut, and the cut only matters where the items before it
are gone too."""

SHOWN: Final = 6
"""How many of the last items shown a token remembers, 4 bytes each."""


class _Token(msgspec.Struct, array_like=True, frozen=True):
    """version: TOKEN_VERSION. request: fingerprint of all that decides the hits and the page size. generation: of the index.

    offset: where the next page starts. weak: whether the weak tiers had been asked. shown: digests of the ids of the last items
    of the page, last first. points, quality, name_length, tree, path, row: the sort key of the last item; again: how many items
    before it have the same, which stand on the same line.
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
    """Where a page starts. changed: the index is not the one of the page before."""

    start: int
    changed: bool = False


def fingerprint(request: SearchRequest) -> bytes:
    """6 bytes of everything in the request but the place in the list."""
    fields = (
        request.query.strip(),
        sorted(kind.lower() for kind in request.kinds or []),
        request.max_items,
        request.languages or [],
        request.paths or [],
        None if request.fuzzy is msgspec.UNSET else request.fuzzy,
    )
    return hashlib.blake2b(msgspec.msgpack.encode(fields), digest_size=6).digest()


def make_token(request: SearchRequest, snapshot: Snapshot, ranking: Ranking, end: int, weak: bool) -> str:
    """The token for the page that starts at `end`, which is at least 1."""
    key = _key_at(snapshot, ranking, end - 1)
    token = _Token(
        version=TOKEN_VERSION,
        request=fingerprint(request),
        generation=_generation(snapshot),
        offset=end,
        weak=weak,
        shown=[_id_digest(snapshot, row) for row in ranking.rows[max(0, end - SHOWN) : end][::-1].tolist()],
        points=-key[0],
        quality=key[1],
        name_length=key[2],
        tree=key[3],
        path=key[4],
        row=key[5],
        again=_equal_before(snapshot, ranking, end - 1),
    )
    return seal(token)


def _generation(snapshot: Snapshot) -> bytes:
    return (snapshot.generation % 2**48).to_bytes(6, "little")


def _id_digest(snapshot: Snapshot, row: int) -> bytes:
    return hashlib.blake2b(snapshot.symbol_id(row).encode(), digest_size=4).digest()


def read_token(text: str) -> _Token:
    """The token's content. Raises TokenError for anything that no search has given out."""
    token = unseal(text, _Token)
    check_version(token.version, TOKEN_VERSION)
    return token


def check_token(request: SearchRequest, token: _Token) -> None:
    """Raises TokenError where the token belongs to another query, or comes with a `start_index` that contradicts it."""
    if token.request != fingerprint(request):
        raise TokenError(
            f"pagination_id belongs to another search than {request.query!r} with these filters and max_items: repeat the "
            "request it came from unchanged, or start again without it"
        )
    if request.start_index not in (0, token.offset):
        raise TokenError(
            f"start_index {request.start_index} and pagination_id (which starts at {token.offset}) contradict each other: "
            "give one"
        )


def move_token(text: str, giver: SearchRequest, taker: SearchRequest) -> str:
    """The token of a page of one request as if another had got it, which differs in its page size. One that the first has not
    got is left as it is, for the search to refuse."""
    try:
        token = read_token(text)
    except TokenError:
        return text
    return seal(msgspec.structs.replace(token, request=fingerprint(taker))) if token.request == fingerprint(giver) else text


def find_start(token: _Token, snapshot: Snapshot, selection: Selection) -> Position:
    """Where the page that a token asks for starts in the hits as they are now."""
    if token.generation == _generation(snapshot):
        return Position(token.offset)
    ranking = rank(selection, None)
    wanted = {digest: age for age, digest in enumerate(token.shown)}
    youngest, start = len(wanted), -1
    for place, row in enumerate(ranking.rows.tolist()):
        age = wanted.get(_id_digest(snapshot, row))
        if age is not None and age < youngest:
            youngest, start = age, place + 1
    if start < 0:
        start = _count_up_to(token, snapshot, ranking)
    return Position(start, changed=True)


_Key = tuple[int, int, int, int, bytes, int]


def _key_at(snapshot: Snapshot, ranking: Ranking, place: int) -> _Key:
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
    """How many items stand directly before one and have its key."""
    key, first = _key_at(snapshot, ranking, place), place
    while first and ranking.points[first - 1] == ranking.points[place] and _key_at(snapshot, ranking, first - 1) == key:
        first -= 1
    return place - first


def _count_up_to(token: _Token, snapshot: Snapshot, ranking: Ranking) -> int:
    """How many items stand where the token's last item would, or before."""
    key = (-token.points, token.quality, token.name_length, token.tree, token.path, token.row)
    keys = [_key_at(snapshot, ranking, place) for place in range(len(ranking))]
    return sum(other < key for other in keys) + min(keys.count(key), token.again + 1)
