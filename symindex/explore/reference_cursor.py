"""Where a page of references starts, and the token that says so.

References have an order that does not depend on what was found: that of their files, then that of their lines. So a token only
says behind which place to go on; it survives a restart, and an index that has changed.
"""

import hashlib
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from symindex.errors import TokenError
from symindex.protocol import ReferencesRequest
from symindex.search.cursor import check_version, seal, unseal

TOKEN_VERSION: Final = 1

PATH_BYTES: Final = 64
"""How much of a path a token keeps; the cut only matters where the file is gone."""

FileKey = tuple[int, str]
"""The order of files: 1 for tests, vendored and generated code, else 0; the path as it is shown."""


class Position(NamedTuple):
    """The place that a page goes on behind. file: of the last file. line, column: of the last item shown there, `None` where the
    whole file is done. shown, files: how many items, and files with some, all pages so far have. is_counted: those are all that
    there are up to here. has_changed: the index is not the one of the page before."""

    file: FileKey
    line: int | None
    column: int
    shown: int
    files: int
    is_counted: bool
    has_changed: bool = False


class _Token(msgspec.Struct, array_like=True, frozen=True):
    """request: fingerprint of all that decides the items, not of the page size. generation: of the index. path: its beginning;
    digest: of all of it. line: 0 where the whole file is done. The others as of Position."""

    sort: Literal["refs"]
    version: int
    request: bytes
    generation: bytes
    rank: int
    path: bytes
    digest: bytes
    line: int
    column: int
    shown: int
    files: int
    is_counted: bool


def _fingerprint(request: ReferencesRequest, name: str) -> bytes:
    # Not the size of a page: a token says behind which reference the next one begins, however many it holds.
    fields = (name, request.languages or [], request.paths or [])
    return hashlib.blake2b(msgspec.msgpack.encode(fields), digest_size=6).digest()


def _generation(generation: int) -> bytes:
    return (generation % 2**48).to_bytes(6, "little")


def _encode(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")


def _digest(path: str) -> bytes:
    return hashlib.blake2b(_encode(path), digest_size=6).digest()


def make_token(request: ReferencesRequest, name: str, generation: int, position: Position) -> str:
    """The token of the page behind a position. name: what is looked for. generation: of the snapshot."""
    rank, path = position.file
    return seal(
        _Token(
            "refs",
            TOKEN_VERSION,
            _fingerprint(request, name),
            _generation(generation),
            rank,
            _encode(path)[:PATH_BYTES],
            _digest(path),
            position.line or 0,
            position.column,
            position.shown,
            position.files,
            position.is_counted,
        )
    )


def read_token(request: ReferencesRequest, name: str, generation: int, files: Sequence[FileKey]) -> tuple[int, Position]:
    """Where the page of a request's token starts: the number of the first of these files that may have items on it, and what of
    that file is behind.

    Raises TokenError for a token of another request, and for anything that was not given out.
    """
    assert request.pagination_id is not None
    token = unseal(request.pagination_id, _Token)
    check_version(token.version, TOKEN_VERSION)
    if token.request != _fingerprint(request, name):
        raise TokenError(
            f"pagination_id belongs to another request than references of {name!r} with these filters: repeat the "
            "request it came from unchanged, or start again without it"
        )
    first, is_there = _find(token, files)
    has_changed = token.generation != _generation(generation)
    line: int | None = token.line or None
    if is_there and line is None:
        first, is_there = first + 1, False
    key = files[first] if is_there else (token.rank, "")
    return first, Position(
        key, line if is_there else None, token.column, token.shown, token.files, token.is_counted and not has_changed, has_changed
    )


def _find(token: _Token, files: Sequence[FileKey]) -> tuple[int, bool]:
    """The number of the token's file, or of the one that would follow it, and whether it is there."""
    sought = token.rank, token.path
    after = len(files)
    for number, (rank, path) in enumerate(files):
        key = rank, _encode(path)[:PATH_BYTES]
        if key == sought and _digest(path) == token.digest:
            return number, True
        if key >= sought and after == len(files):
            after = number
    return after, False
