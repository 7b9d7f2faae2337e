"""A slice of the hits, and the token that leads to the next one.

The token needs no memory on the server's side: it carries what the next request needs to go on, and survives a restart. Where the
index is the same, the next page is the next slice. Where it has changed, the page continues behind the last items shown: the
first of them that still exists marks the place; only if all are gone is it found by the place the last one would have.

Its bytes, in URL-safe base64 without padding: a MessagePack array (`_Token`), then 4 bytes of CRC-32 over it.
"""

import base64
import binascii
import hashlib
import zlib
from dataclasses import dataclass
from typing import Final

import msgspec

from symindex.errors import TokenError
from symindex.index.columns import Index
from symindex.protocol import SearchRequest
from symindex.search.rank import Ranking

TOKEN_VERSION: Final = 1

PATH_BYTES: Final = 56
"""How much of the last item's path a token keeps; longer paths are cut, and the cut only matters where the items before it
are gone too."""

SHOWN: Final = 6
"""How many of the last items shown a token remembers, 4 bytes each."""


class _Token(msgspec.Struct, array_like=True, frozen=True):
    """version: TOKEN_VERSION. request: fingerprint of all that decides the hits and the page size. generation: of the index.

    offset: where the next page starts. weak: whether the weak tiers had been asked. shown: digests of the ids of the last items
    of the page, last first. score (in ten-thousandths), quality, name_length, path, row, column: the sort key of the last item.
    """

    version: int
    request: bytes
    generation: bytes
    offset: int
    weak: bool
    shown: list[bytes]
    score: int
    quality: int
    name_length: int
    path: bytes
    row: int
    column: int


@dataclass(frozen=True)
class Position:
    """Where a page starts. weak: as the first page had it, `None` on a first page. changed: the index is not the one of
    the page before."""

    start: int
    weak: bool | None = None
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


def make_token(request: SearchRequest, index: Index, ranking: Ranking, end: int, weak: bool) -> str:
    """The token for the page that starts at `end`, which is at least 1."""
    last = end - 1
    row = int(ranking.rows[last])
    token = _Token(
        version=TOKEN_VERSION,
        request=fingerprint(request),
        generation=index.generation[:6],
        offset=end,
        weak=weak,
        shown=[_id_digest(index, int(row)) for row in ranking.rows[max(0, end - SHOWN) : end][::-1]],
        score=round(float(ranking.scores[last]) * 10_000),
        quality=int(ranking.qualities[last]),
        name_length=int(index.names.lengths[index.u32("name")[row]]),
        path=index.paths[int(index.u32("file")[row])].encode()[:PATH_BYTES],
        row=int(index.u32("name_row")[row]),
        column=int(index.u32("name_column")[row]),
    )
    payload = msgspec.msgpack.encode(token)
    payload += zlib.crc32(payload).to_bytes(4, "little")
    return base64.urlsafe_b64encode(payload).rstrip(b"=").decode()


def _id_digest(index: Index, row: int) -> bytes:
    return hashlib.blake2b(index.symbol_id(row).encode(), digest_size=4).digest()


def read_token(text: str) -> _Token:
    """The token's content. Raises TokenError for anything that no search has given out."""
    try:
        payload = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
        body, checksum = payload[:-4], payload[-4:]
        if len(payload) < 5 or zlib.crc32(body).to_bytes(4, "little") != checksum:
            raise ValueError("checksum")
        token = msgspec.msgpack.decode(body, type=_Token)
    except (ValueError, binascii.Error, msgspec.MsgspecError):
        raise TokenError(
            f"pagination_id {_shorten(text)} is not a token of symindex: give back the one of the last answer unchanged"
        ) from None
    if token.version != TOKEN_VERSION:
        raise TokenError(f"pagination_id is of token version {token.version}, not {TOKEN_VERSION}: start again without it")
    return token


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")


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


def find_start(token: _Token, index: Index, ranking: Ranking) -> Position:
    """Where the page that a token asks for starts in the hits as they are now."""
    if token.generation == index.generation[:6]:
        return Position(token.offset, token.weak)
    wanted = {digest: age for age, digest in enumerate(token.shown)}
    youngest, start = len(wanted), -1
    for place, row in enumerate(ranking.rows.tolist()):
        age = wanted.get(_id_digest(index, row))
        if age is not None and age < youngest:
            youngest, start = age, place + 1
    if start < 0:
        start = sum(_key_at(index, ranking, place) <= _key_of(token) for place in range(len(ranking)))
    return Position(start, token.weak, changed=True)


_Key = tuple[int, int, int, bytes, int, int]


def _key_of(token: _Token) -> _Key:
    return (-token.score, token.quality, token.name_length, token.path, token.row, token.column)


def _key_at(index: Index, ranking: Ranking, place: int) -> _Key:
    row = int(ranking.rows[place])
    return (
        -round(float(ranking.scores[place]) * 10_000),
        int(ranking.qualities[place]),
        int(index.names.lengths[index.u32("name")[row]]),
        index.paths[int(index.u32("file")[row])].encode()[:PATH_BYTES],
        int(index.u32("name_row")[row]),
        int(index.u32("name_column")[row]),
    )
