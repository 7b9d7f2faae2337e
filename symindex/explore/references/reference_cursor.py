"""Where a page of references starts, and the token that says so.

The order of references does not depend on what was found: it is that of their files, then of their
lines. So a token only says behind which place to go on. It survives a restart, and a change of the
index.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Protocol

import msgspec

from symindex.protocol.explore import ReferencesRequest
from symindex.search.answer.cursor import check_same, digest, generation_bytes, seal, unseal
from symindex.text.editing.edit_buffer import encode

TOKEN_VERSION: Final = 1

PATH_BYTES: Final = 64
"""How much of a path a token keeps; the cut only matters where the file is gone."""

FileKey = tuple[int, str]
"""The order of files: 1 for tests, vendored and generated code, else 0; the path as it is shown."""


class Position(NamedTuple):
    """Where a page ends, and the next one goes on.

    file: the last one. line, column: of the last item shown there; line is `None` where the whole
    file is done. shown, files: how many items, and files with some, all pages so far have.
    is_counted: there are no others up to here. has_changed: the index is not the one of the page
    before.
    """

    file: FileKey
    line: int | None
    column: int
    shown: int
    files: int
    is_counted: bool
    has_changed: bool = False


FIRST_PAGE: Final = Position((0, ""), None, 0, 0, 0, True)


class FileMark(Protocol):
    """What a token keeps of a file. path: the beginning of its path; digest: of all of it."""

    @property
    def rank(self) -> int: ...
    @property
    def path(self) -> bytes: ...
    @property
    def digest(self) -> bytes: ...


def mark_of(file: FileKey) -> tuple[int, bytes, bytes]:
    """The fields of a FileMark."""
    data = encode(file[1])
    return file[0], data[:PATH_BYTES], digest(data)


class _Token(msgspec.Struct, array_like=True, frozen=True):
    """request: digest of all that decides the items, not of the page size. generation: of the
    index. path: its beginning; digest: of all of it. line: 0 where the whole file is done. The
    others as of Position."""

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


def _digest_request(request: ReferencesRequest, name: str) -> bytes:
    return digest(
        msgspec.msgpack.encode(
            (
                name,
                request.languages or [],
                request.paths or [],
                request.role or [],
                "#" in request.name and request.name,
            )
        )
    )


def make_token(request: ReferencesRequest, name: str, generation: int, position: Position) -> str:
    """The token of the page behind a position. name: what is looked for. generation: of the
    snapshot."""
    return seal(
        _Token(
            "refs",
            TOKEN_VERSION,
            _digest_request(request, name),
            generation_bytes(generation),
            *mark_of(position.file),
            position.line or 0,
            position.column,
            position.shown,
            position.files,
            position.is_counted,
        )
    )


def read_token(
    request: ReferencesRequest, name: str, generation: int, files: Sequence[FileKey]
) -> tuple[int, Position]:
    """Where the page of a request's token starts: the number of the first of these files, which are
    in order, that may have items on it, and where the page before ended in that file, if it did.

    Raises TokenError for a token of another request, and for anything that was not given out.
    """
    assert request.pagination_id is not None
    token = unseal(request.pagination_id, _Token, TOKEN_VERSION)
    check_same(
        token.request == _digest_request(request, name),
        f"request than references of {name!r} with these filters",
    )
    first, is_there = find_marked(token, files)
    has_changed = token.generation != generation_bytes(generation)
    line: int | None = token.line or None
    if is_there and line is None:
        first, is_there = first + 1, False
    key = files[first] if is_there else (token.rank, "")
    is_counted = token.is_counted and not has_changed
    return first, Position(
        key,
        line if is_there else None,
        token.column,
        token.shown,
        token.files,
        is_counted,
        has_changed,
    )


def find_marked(token: FileMark, files: Sequence[FileKey]) -> tuple[int, bool]:
    """The number of the token's file, or of the one that would follow it, and whether it is
    there."""

    def key(file: FileKey) -> tuple[int, bytes]:
        return file[0], encode(file[1])[:PATH_BYTES]

    wanted = token.rank, token.path
    first = bisect_left(files, wanted, key=key)
    for number in range(first, bisect_right(files, wanted, lo=first, key=key)):
        if digest(encode(files[number][1])) == token.digest:
            return number, True
    return first, False
