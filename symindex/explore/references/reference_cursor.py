"""The position where a page of references starts, and the token that encodes it.

Certain references come first, then uncertain ones. Both are ordered by file and line, independent
of what was found. So a token only contains the last place, and it survives a restart and a change
of the index.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Protocol

import msgspec

from symindex.protocol.explore import ReferencesRequest
from symindex.search.answer.cursor import check_same, digest, generation_bytes, seal, unseal
from symindex.text.editing.edit_buffer import encode

TOKEN_VERSION: Final = 4

PATH_BYTES: Final = 56
"""Bytes of a path in a token; the cut matters only if the file is gone."""

FileKey = tuple[int, str]
"""Sort key of files: 1 for tests, vendored and generated code, else 0; then the shown path."""


class Counts(NamedTuple):
    """How many occurrences the whole answer has.

    Attributes:
        total, files: all occurrences and their files.
        narrowed: occurrences of the name that mean other symbols. unknown: those whose receiver is
            of unknown type, and which are left out.
        unsure: how many of the total are uncertain.
        roles: how many have each role, in the order of ROLES.
    """

    total: int
    files: int
    narrowed: int
    unknown: int
    unsure: int
    roles: list[int]


class PagePosition(NamedTuple):
    """Where a page ends and the next one starts.

    Attributes:
        file: the last file.
        line, column: of the last item shown in it; line is `None` if the whole file is done.
        shown: items on all pages so far.
        files: files with items on all pages so far.
        is_counted: whether no items were missed so far.
        is_unsure: whether all certain items were shown, so that the next ones are uncertain.
        has_changed: whether the index has changed since the page before.
        counts: those of the whole answer, if a page before counted it.
    """

    file: FileKey
    line: int | None
    column: int
    shown: int
    files: int
    is_counted: bool
    is_unsure: bool = False
    has_changed: bool = False
    counts: Counts | None = None


FIRST_FILE: Final = 0, ""
"""The key of a place before all files."""

FIRST_PAGE: Final = PagePosition(FIRST_FILE, None, 0, 0, 0, True)


class FileMark(Protocol):
    """What a token stores of a file. path: the beginning of its path; digest: of the whole path."""

    @property
    def rank(self) -> int: ...
    @property
    def path(self) -> bytes: ...
    @property
    def digest(self) -> bytes: ...


def mark_of(file: FileKey) -> tuple[int, bytes, bytes]:
    """Returns the fields of a FileMark."""
    data = encode(file[1])
    return file[0], data[:PATH_BYTES], digest(data)


class _Token(msgspec.Struct, array_like=True, frozen=True):
    """The content of a token; other fields are those of PagePosition.

    Attributes:
        request: digest of everything that decides the items, without the page size.
        generation: of the index.
        path: its beginning; digest: of the whole path.
        line: 0 if the whole file is done.
    """

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
    is_unsure: bool
    counts: Counts | None


def _digest_request(request: ReferencesRequest, name: str) -> bytes:
    return digest(
        msgspec.msgpack.encode(
            (
                name,
                request.languages or [],
                request.paths or [],
                request.role or [],
                "#" in request.name and request.name,
                request.all,
            )
        )
    )


def make_token(
    request: ReferencesRequest, name: str, generation: int, position: PagePosition
) -> str:
    """Returns the token of the page after a position. name: what is searched for. generation: of
    the snapshot."""
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
            position.is_unsure,
            position.counts,
        )
    )


def read_token(
    request: ReferencesRequest, name: str, generation: int, files: Sequence[FileKey]
) -> tuple[int, PagePosition]:
    """Returns where the page of a request's token starts: the number of the first file that may
    have items on it, and the end of the page before in that file. files: in order.

    Raises TokenError for a token of another request, and for a token that was not issued here.
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
    return first, PagePosition(
        key,
        line if is_there else None,
        token.column,
        token.shown,
        token.files,
        is_counted,
        token.is_unsure,
        has_changed,
        token.counts if is_counted else None,
    )


def find_marked(token: FileMark, files: Sequence[FileKey]) -> tuple[int, bool]:
    """Returns the number of the token's file, or of the one that would follow it, and whether the
    file exists."""

    def key(file: FileKey) -> tuple[int, bytes]:
        return file[0], encode(file[1])[:PATH_BYTES]

    token_key = token.rank, token.path
    first = bisect_left(files, token_key, key=key)
    for number in range(first, bisect_right(files, token_key, lo=first, key=key)):
        if digest(encode(files[number][1])) == token.digest:
            return number, True
    return first, False
