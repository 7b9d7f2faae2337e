"""Answers a search for text in files with a page of rows, one for each symbol that contains a
hit."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Final, Literal

import msgspec

from symindex.errors import one_of
from symindex.explore.grep.hits import FileHits, ParsedHits, TextScan
from symindex.explore.grep.near_texts import NearTexts, find_near
from symindex.explore.grep.reading import FileKey, key_of, not_looked_into
from symindex.explore.references.mentions import most_file_seconds
from symindex.explore.references.reference_cursor import find_marked, mark_of
from symindex.explore.references.scopes import enclosing_scopes, ranges_in_index, ranges_read
from symindex.files.skips import Skip, SkipReason, tell_not_looked_into
from symindex.protocol.grep import WHERE, FileText, GrepRequest, GrepResponse, TextRow
from symindex.protocol.search import TextCount, add_notices
from symindex.requests import check_limit, check_texts, check_types
from symindex.resolve.tree import Tree, find_file
from symindex.search.answer.cursor import check_same, digest, seal, unseal
from symindex.search.answer.filters import shown_path_filter
from symindex.text.counts import count_of
from symindex.text.patterns.byte_pattern import MOST_LINES, BytePattern, byte_pattern

TOKEN_VERSION: Final = 2

_SHOWN_PATHS: Final = 3


class _Token(msgspec.Struct, array_like=True, frozen=True):
    """The content of a token. request: digest of everything that decides the rows. rank, path,
    digest: the last file shown, as in FileMark. line: of its last row. lines, files: lines and
    files with hits before that file."""

    sort: Literal["text"]
    version: int
    request: bytes
    rank: int
    path: bytes
    digest: bytes
    line: int
    lines: int
    files: int


def grep(
    tree: Tree,
    request: GrepRequest,
    max_file_bytes: int,
    file_seconds: float,
    *,
    seconds: float,
    progress: Callable[[int, int], object] | None = None,
) -> GrepResponse:
    """Answers a request. The arguments are those of
    `explore/references/references.find_references`."""
    check_types(request)
    check_limit("max_items", request.max_items)
    check_texts(request.paths or [], ("pattern", request.pattern))
    if request.where not in WHERE:
        raise one_of("where", str(request.where), WHERE)
    pattern = byte_pattern(request.pattern, request.regex, request.ignore_case)
    previous = _read_token(request)
    page = _Page(request, previous)
    began = time.monotonic()
    if request.where != "all":
        parsed = _grep_parsed(
            tree, request, page, max_file_bytes, min(file_seconds, seconds), seconds, progress
        )
        return _or_near(tree, request, parsed, max_file_bytes, seconds - (time.monotonic() - began))
    scan = TextScan(tree, request, pattern, max_file_bytes, seconds)
    first = page.go_on([key for key, _ in scan.counts])
    for key, _ in scan.counts[first:]:
        hits = scan.hits(key)
        if hits is not None:
            page.add(hits)
        if page.is_full:
            break
    total = sum(count for _, count in scan.counts)
    response = page.response(
        total if scan.is_whole else None, len(scan.counts) if scan.is_whole else None, total
    )
    _tell_paths(tree, request, response, scan.reading.n_files)
    _tell_cut(response, scan.cut)
    left_out = _left_out(tree, request, bool(total), scan.reading.too_large)
    _tell_unread(response, [*left_out, *scan.reading.unread])
    _tell_time(response, scan.reading.n_read, scan.reading.n_files)
    left = seconds - (time.monotonic() - began)
    response = _or_near(tree, request, response, max_file_bytes, left)
    _tell_unindexed(tree, response)
    return response


def _or_near(
    tree: Tree, request: GrepRequest, response: GrepResponse, max_bytes: int, seconds: float
) -> GrepResponse:
    """Returns the response; if nothing was found, or only in tests, with the places that contain
    most words of the text."""
    is_message = (
        not request.regex and request.where in ("all", "strings") and request.pagination_id is None
    )
    if not is_message or seconds <= 0:
        return response
    if response.at_least:
        is_aside = len(request.pattern.split()) > 1 and all(
            key_of(tree, file.file_path)[0] for file in response.files
        )
        if is_aside:
            near = find_near(tree, request, max_bytes, seconds, _rows_of, only_code=True)
            response.near = near.files
            add_notices(response, _more_near(near))
        return response
    near = find_near(tree, request, max_bytes, seconds, _rows_of)
    if near.files:
        response.files, response.is_near = near.files, True
        response.at_least = sum(len(file.items) for file in near.files)
        add_notices(response, _more_near(near))
        if near.n_read < near.n_files:
            done = (
                f"{near.n_read:,} of {count_of(near.n_files, 'file was', 'files were')} searched"
                " for its words"
            )
            add_notices(response, [f"{done}: others may contain more of them"])
    return response


def _more_near(near: NearTexts) -> list[str]:
    """Returns notices about places that are not shown."""
    templates = count_of(near.n_more, "other text matches", "other texts match")
    places = count_of(near.n_more_places, "other place is", "other places are")
    return [
        *([f"{templates} as well, but not shown: {_NARROW}"] if near.n_more else []),
        *([f"{places} good enough and not shown: {_NARROW}"] if near.n_more_places else []),
    ]


_NARROW: Final = "narrow the search to paths"


def count_text(
    tree: Tree, text: str, max_bytes: int, seconds: float, mentioned: str = ""
) -> TextCount:
    """Counts the lines and files of the index that contain a text, as far as the time allows.
    mentioned: as in `FilePass`."""
    request = GrepRequest(pattern=text)
    scan = TextScan(
        tree._replace(listed=dict),
        request,
        BytePattern(text.encode()),
        max_bytes,
        seconds,
        mentioned,
    )
    return TextCount(
        text=text,
        lines=sum(n for _, n in scan.counts),
        files=len(scan.counts),
        is_whole=scan.is_whole,
    )


def _grep_parsed(
    tree: Tree,
    request: GrepRequest,
    page: "_Page",
    max_bytes: int,
    file_seconds: float,
    seconds: float,
    progress: Callable[[int, int], object] | None,
) -> GrepResponse:
    with ExitStack() as stack:
        most_seconds = most_file_seconds(file_seconds, seconds)
        parsed = stack.enter_context(ParsedHits(tree, request, max_bytes, most_seconds, page.go_on))
        for hits in parsed.each(seconds, progress):
            page.add(hits)
            if page.is_full:
                break
    is_over = not page.is_full and parsed.n_searched == parsed.n_files and not parsed.cut
    response = page.response(
        page.n_lines if is_over else None, page.n_files if is_over else None, page.n_lines
    )
    _tell_paths(tree, request, response, parsed.n_files)
    _tell_cut(response, parsed.cut)
    left_out = _left_out(tree, request, is_found=bool(page.n_lines), only_indexed=True)
    _tell_unread(response, [*left_out, *parsed.unread])
    add_notices(response, parsed.notices)
    if not page.is_full:
        _tell_time(response, parsed.n_searched, parsed.n_files)
    return response


def _left_out(
    tree: Tree,
    request: GrepRequest,
    is_found: bool,
    too_large: Mapping[str, str] | None = None,
    *,
    only_indexed: bool = False,
) -> list[str]:
    """Returns the files that a request selects but that were not searched because of their names
    or, if nothing was found or the request names them, their sizes; and the folders that could not
    be listed. too_large: files that no skip names, by path, each with the limit. only_indexed:
    whether only files in the index were searched, so that one that could not be read when the index
    was made is missing."""
    lets_through = shown_path_filter(request.paths, tree.snapshot) if request.paths else None
    reasons = {SkipReason.BAD_NAME}
    if not is_found:
        reasons.add(SkipReason.TOO_LARGE)
    if only_indexed:
        reasons.add(SkipReason.UNREADABLE)
    skips = [skip for skip in tree.unread() if skip.reason in reasons]
    left_out = {
        path: why
        for path, why in (too_large or {}).items()
        if not is_found or path in (request.paths or ())
    }
    left_out |= {
        skip.path or ".": str(skip.reason)
        for skip in skips
        if lets_through is None or _is_folder(skip) or lets_through(skip.path)
    }
    left_out |= {skip.path or ".": str(skip.reason) for skip in tree.unlisted()}
    return [f"{path} ({why})" for path, why in left_out.items()]


def _is_folder(skip: Skip) -> bool:
    return not skip.path or skip.path.endswith("/")


def _tell_unindexed(tree: Tree, response: GrepResponse) -> None:
    """Adds a notice about files with rows in folders that could not be read when the index was
    made."""
    folders = tuple(
        skip.path
        for skip in tree.unread()
        if skip.reason is SkipReason.UNREADABLE and _is_folder(skip)
    )
    paths = [
        file.file_path
        for file in response.files
        if file.file_path.startswith(folders) and find_file(tree, file.file_path) is None
    ]
    if paths:
        more = f" and {len(paths) - _SHOWN_PATHS:,} more" if len(paths) > _SHOWN_PATHS else ""
        notice = (
            "the index could not read the folder of"
            f" {', '.join(paths[:_SHOWN_PATHS])}{more}: languages and symbols are left out"
        )
        add_notices(response, [notice])


def _tell_paths(tree: Tree, request: GrepRequest, response: GrepResponse, n_files: int) -> None:
    """Adds notices about paths whose files were not searched, or that are no files at all."""
    notices = not_looked_into(tree, request)
    if request.paths and not n_files and not notices:
        shown = ", ".join(f"`{path.strip('/')}`" for path in request.paths[:_SHOWN_PATHS])
        notices = [f"nothing was searched: no file matches {shown}"]
    add_notices(response, notices)


def _tell_cut(response: GrepResponse, paths: Sequence[str]) -> None:
    if paths:
        shown = ", ".join(paths[:_SHOWN_PATHS])
        more = f" and {len(paths) - _SHOWN_PATHS:,} more" if len(paths) > _SHOWN_PATHS else ""
        notice = f"only the first {MOST_LINES:,} lines with it were searched in {shown}{more}"
        add_notices(response, [notice])


def _tell_unread(response: GrepResponse, unread: Sequence[str]) -> None:
    if unread:
        add_notices(response, [tell_not_looked_into(unread)])


def _tell_time(response: GrepResponse, n_searched: int, n_files: int) -> None:
    if n_searched < n_files:
        done = f"{n_searched:,} of {count_of(n_files, 'file was', 'files were')} searched"
        add_notices(response, [f"out of time: {done}; narrow with paths"])


class _Page:
    """A page that is being filled. after: where the page before ended. n_lines, n_files: lines and
    files with hits that were added to this page, shown or not, and to those before."""

    def __init__(self, request: GrepRequest, after: _Token | None) -> None:
        self.after = after
        self.is_full = False
        self.n_lines = after.lines if after is not None else 0
        self.n_files = after.files if after is not None else 0
        self._request = request
        self._files: list[FileText] = []
        self._n_rows = 0
        self._last: tuple[FileKey, int, int, int] | None = None
        self._goes_on_in: FileKey | None = None
        self._changed: list[str] = []

    def go_on(self, files: Sequence[FileKey]) -> int:
        """Returns the number of the first file that may have rows on the page. files: in order."""
        if self.after is None:
            return 0
        first, is_there = find_marked(self.after, files)
        self._goes_on_in = files[first] if is_there else None
        return first

    def add(self, hits: FileHits) -> None:
        """Adds the hits of the next file."""
        rows = list(_rows_of(hits, self._request.each_line))
        before = self.n_lines, self.n_files
        self.n_lines += len(hits.mentions)
        self.n_files += 1
        if self.after is not None and hits.key == self._goes_on_in:
            rows = [row for row in rows if row.line > self.after.line]
        if self._request.max_items is not None:
            room = self._request.max_items - self._n_rows
            self.is_full = len(rows) > room
            rows = rows[:room]
        if not rows:
            return
        if hits.has_changed:
            self._changed.append(hits.key[1])
        self._files.append(FileText(file_path=hits.key[1], language=_language_of(hits), items=rows))
        self._n_rows += len(rows)
        self._last = hits.key, rows[-1].line, *before

    def response(self, total: int | None, total_files: int | None, at_least: int) -> GrepResponse:
        token = None
        if self.is_full and self._last is not None:
            key, *position = self._last
            request = _digest(self._request)
            token = seal(_Token("text", TOKEN_VERSION, request, *mark_of(key), *position))
        response = GrepResponse(
            request=self._request,
            files=self._files,
            total=total,
            total_files=total_files,
            at_least=at_least,
            has_more=self.is_full,
            pagination_id=token,
        )
        for path in self._changed[:_SHOWN_PATHS]:
            add_notices(
                response, [f"{path} has changed since it was indexed: its symbols are left out"]
            )
        if len(self._changed) > _SHOWN_PATHS:
            more = count_of(len(self._changed) - _SHOWN_PATHS, "more file has", "more files have")
            add_notices(response, [f"{more} changed since then"])
        return response


def _language_of(hits: FileHits) -> str:
    return hits.file.known_language if hits.file is not None else ""


def _rows_of(hits: FileHits, each_line: bool = False) -> Iterator[TextRow]:
    """Yields a row for each symbol with a hit, or for each line, in the order of their first
    hits."""
    scopes: list[tuple[str, str]] = [("", "")] * len(hits.mentions)
    places = [mention.start_byte for mention in hits.mentions]
    if hits.symbols is not None:
        scopes = [
            (scope.qualified_name, scope.kind)
            for scope in enclosing_scopes(ranges_read(hits.symbols), places)
        ]
    elif hits.file is not None and not hits.has_changed:
        enclosing = enclosing_scopes(ranges_in_index(hits.file), places)
        scopes = [(scope.qualified_name, scope.kind) for scope in enclosing]
    rows: dict[tuple[str, str, int], TextRow] = {}
    for mention, (name, kind) in zip(hits.mentions, scopes, strict=True):
        key = (name, kind, mention.line if each_line else 0)
        row = rows.get(key)
        if row is None:
            rows[key] = TextRow(
                line=mention.line,
                column=mention.column,
                text=mention.text,
                container=name or None,
                kind=kind or None,
            )
        elif mention.line != row.line and (not row.lines or row.lines[-1] != mention.line):
            row.lines.append(mention.line)
    yield from rows.values()


def _digest(request: GrepRequest) -> bytes:
    same = (
        request.pattern,
        request.regex,
        request.ignore_case,
        request.where,
        request.languages or [],
        request.paths or [],
    )
    return digest(msgspec.msgpack.encode((*same, request.each_line)))


def _read_token(request: GrepRequest) -> _Token | None:
    if request.pagination_id is None:
        return None
    token = unseal(request.pagination_id, _Token, TOKEN_VERSION)
    check_same(token.request == _digest(request), "search for text than this one")
    return token
