"""Where an identifier occurs in code, by its name alone: a request to a response.

Nothing of this is stored. The files of the index are looked through for each request, first their bytes for the name, then those
that hold it for identifiers, until the page is full or the time is over.
"""

import os
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.explore.mention_job import FileMentions, FileToSearch, MentionSetup, SymbolRange
from symindex.explore.mentions import MentionSearch
from symindex.explore.reference_cursor import FIRST_PAGE, FileKey, Position, make_token, read_token
from symindex.explore.tree import IndexedFile, Tree
from symindex.extract.containment import OpenRanges
from symindex.extract.languages.registry import pack_languages
from symindex.extract.path_flags import path_flags
from symindex.files.skips import Skip, SkipReason, tell_unread
from symindex.index.arrays import U8, Mask
from symindex.index.columns import Index
from symindex.index.rows import FileRows
from symindex.protocol import FileReferences, Reference, ReferencesRequest, ReferencesResponse, SymbolFlag
from symindex.requests import check_request
from symindex.search.filters import Filter, PartFilter, shown_path_filter
from symindex.search.nearest import suggest
from symindex.text.escaping import shorten
from symindex.text.separators import BETWEEN_NAMES
from symindex.text.whole_words import forms_of
from symindex.workers.pool import LEAST_FILE_SECONDS

MOST_NAME: Final = 4_000
"""Characters, with what qualifies the name."""

_SHOWN_PATHS: Final = 3
"""How many of the files that could not be read are named."""

_ASIDE: Final = (SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED).value


def find_references(
    tree: Tree,
    request: ReferencesRequest,
    max_file_bytes: int,
    file_seconds: float,
    *,
    seconds: float,
    progress: Callable[[int, int], object] | None = None,
) -> ReferencesResponse:
    """The response to a request.

    max_file_bytes: larger files are not looked into. file_seconds: the processor's time for one file; a file that takes longer is
    named in the answer. seconds: for all; then the answer holds what was found, and its token goes on from there. progress: told
    how many files are done, and of how many. Raises RequestError for what has no possible answer, StorageError where no process
    can be started.
    """
    check_request(request)
    name = last_part(request.name)
    candidates, notices = _candidates(tree, request)
    if name != unicodedata.normalize("NFC", request.name.strip()):
        notices.insert(0, f"only {name} is looked for, the last part of {shorten(request.name.strip(), 100)}")
    first, before = 0, FIRST_PAGE
    if request.pagination_id is not None:
        first, before = read_token(request, name, tree.snapshot.generation, [candidate.key for candidate in candidates])
        if before.has_changed:
            notices.append("the index has changed since the last page; this one goes on behind the last place shown")
    if not is_searchable(name):
        notices.append(f"{shorten(name, 100)} is no identifier: only these are looked for")
        candidates = []
    page = _Page(request, name, notices, before, n_files=len(candidates[first:]))
    roots = [os.fsencode(os.path.realpath(root)) for root in tree.roots.values()]
    setup = MentionSetup(roots, pack_languages(tree.languages), list(forms_of(name)), max_file_bytes)
    file_seconds = min(file_seconds, max(seconds / 2, LEAST_FILE_SECONDS))
    sizes = [candidate.size for candidate in candidates[first:]]
    with MentionSearch(setup, file_seconds, sizes, lambda at: _order(tree, candidates[first + at])) as search:
        for searched in search.in_order(seconds, progress):
            candidate = candidates[first + searched.number]
            if searched.found is not None:
                page.add(candidate, searched.found)
            if page.is_full:
                break
            page.n_searched, page.last = searched.number + 1, candidate.key
    return page.response(tree, len(candidates))


def last_part(text: str) -> str:
    """The identifier that a name, a qualified name or a symbol's id ends with. Raises RequestError where there is none."""
    text = unicodedata.normalize("NFC", text.strip())
    if not text:
        raise RequestError("the name is empty: give an identifier, as `parse` or `Parser.parse`")
    if len(text) > MOST_NAME:
        raise RequestError(f"the name {shorten(text, 100)} has {len(text):,} characters: at most {MOST_NAME:,} are looked for")
    path, mark, rest = text.partition("#")
    if mark and path and not path.endswith((".", ":")):
        text = re.sub(r"~\d+\Z", "", rest) or text
    return BETWEEN_NAMES.split(text)[-1]


def is_searchable(name: str) -> bool:
    """Whether it may be an identifier, by its form: the title of a test is none, nor is a sign or a number."""
    return not re.search(r"[\s\0-\x1f\x7f]", name) and re.search(r"[^\W\d]", name) is not None


class _Candidate(NamedTuple):
    """A file that may hold references. size: in bytes."""

    key: FileKey
    file: IndexedFile
    size: int


def _candidates(tree: Tree, request: ReferencesRequest) -> tuple[list[_Candidate], list[str]]:
    """The files that are looked through, in their order, and what to say of files that are not."""
    wanted = Filter((), frozenset(tree.languages.id_of(word) for word in request.languages or ()), tuple(request.paths or ()))
    found: list[_Candidate] = []
    without_rules: dict[str, int] = {}
    documents = 0
    for part in tree.snapshot.parts:
        index = part.index
        lets_through = PartFilter(part, wanted).files
        is_code: Mask = (index.u8("file_skip") == 0) & (index.u8("file_language") != 0)
        numbers = np.flatnonzero(is_code if lets_through is None else is_code & lets_through).tolist()
        ranks, sizes = _ranks(index, tree), np.frombuffer(index.columns.file_size, dtype="<u8")
        for number in numbers:
            language = index.language_of(number)
            known = tree.languages.by_id.get(language)
            if known is None:  # a document, not code
                documents += 1
                continue
            if not known.rules.identifiers:
                without_rules[language] = without_rules.get(language, 0) + 1
                continue
            file = IndexedFile(part, number)
            found.append(_Candidate((int(ranks[number]), file.path), file, int(sizes[number])))
    left_out = [
        f"{_files(count)} left out: grammars/{language}/language.toml says no identifiers"
        for language, count in sorted(without_rules.items())
    ]
    if documents and request.languages:  # else nobody has asked for them
        left_out.append(f"{_files(documents)} left out: references are looked for in code, not in documents")
    return sorted(found, key=lambda candidate: candidate.key), left_out


def _ranks(index: Index, tree: Tree) -> U8:
    """By file: 1 where its path says that it is a test, generated or vendored, else 0."""
    key = ("aside",)
    known = index.memo.get(key)
    if known is None:
        flags = [path_flags(path, tree.languages.by_id.get(index.language_of(at))) for at, path in enumerate(index.paths.all)]
        known = index.memo[key] = (np.array(flags, dtype=np.uint32) & _ASIDE != 0).astype(np.uint8)
    return known


def _order(tree: Tree, candidate: _Candidate) -> FileToSearch:
    file = candidate.file
    known = file.known
    root = list(tree.roots).index(file.part.prefix)
    return FileToSearch(root, known.path, known.language, known.digest, tree.texts.get(candidate.key[1]))


class _Page:
    """A page in the making. n_searched: how many of its `n_files` files were looked through whole; last: the last of them.
    before: where the page before ended."""

    def __init__(self, request: ReferencesRequest, name: str, notices: list[str], before: Position, n_files: int) -> None:
        self.is_full = False
        self.last: FileKey | None = None
        self.n_searched = 0
        self._request, self._name, self._notices, self._before, self._n_files = request, name, notices, before, n_files
        self._files: list[FileReferences] = []
        self._n_items = 0
        self._last_item: tuple[FileKey, Reference] | None = None
        self._unread: list[str] = []

    def _goes_on_in(self, path: str) -> bool:
        """Whether a file is the one in which the page before has ended."""
        return self._before.line is not None and self._before.file[1] == path

    def add(self, candidate: _Candidate, found: FileMentions) -> None:
        """What the next file holds."""
        path = candidate.key[1]
        if found.problem:
            self._unread.append(f"{path} ({found.problem})")
            return
        mentions = found.mentions
        if self._goes_on_in(path):
            behind = self._before.line, self._before.column
            mentions = [mention for mention in mentions if (mention.line, mention.column) > behind]
        if self._request.max_items is not None:
            room = self._request.max_items - self._n_items
            self.is_full = len(mentions) > room
            mentions = mentions[:room]
        if not mentions:
            return
        ranges = _ranges_in_index(candidate.file) if found.symbols is None else _ranges_read(found.symbols)
        scopes = _enclosing_scopes(ranges, [mention.start_byte for mention in mentions])
        items = [
            Reference(line=mention.line, column=mention.column, text=mention.text, container=scope or None, definition=is_name)
            for mention, (scope, is_name) in zip(mentions, scopes, strict=True)
        ]
        self._files.append(FileReferences(file_path=path, language=candidate.file.known_language, items=items))
        self._n_items += len(items)
        self._last_item = candidate.key, items[-1]

    def response(self, tree: Tree, n_candidates: int) -> ReferencesResponse:
        """The answer. n_candidates: how many files all pages look through."""
        before, notices = self._before, self._notices
        is_over = not self.is_full and self.n_searched == self._n_files
        shown = before.shown + self._n_items
        n_files = before.files + len(self._files)
        if self._files and self._goes_on_in(self._files[0].file_path):
            n_files -= 1
        is_counted = before.is_counted and not self._unread
        if not is_over and not self.is_full:
            searched = f"{self.n_searched:,} of {self._n_files:,} files were looked through, the next page goes on from there"
            notices.append(f"out of time: at least {shown:,} references; {searched}")
        if self._unread:
            named = ", ".join(self._unread[:_SHOWN_PATHS])
            more = f" and {len(self._unread) - _SHOWN_PATHS:,} more" if len(self._unread) > _SHOWN_PATHS else ""
            notices.append(f"{_files(len(self._unread))} not looked into: {named}{more}")
        finds_nothing = is_over and not shown
        if is_over and is_searchable(self._name):
            why = _why_nothing(tree, self._request, self._name, n_candidates) if finds_nothing else ""
            unread = tell_unread(_left_out(tree, self._request, finds_nothing), "more" if shown else "some")
            notices += filter(None, [why, unread])
        token = None
        if not is_over:
            key, item = self._last_item if self.is_full and self._last_item else (self.last, None)
            assert key is not None
            line, column = (item.line, item.column) if item is not None else (None, 0)
            position = Position(key, line, column, shown, n_files, is_counted)
            token = make_token(self._request, self._name, tree.snapshot.generation, position)
        similar = suggest(tree.snapshot, self._name) if finds_nothing else []
        return ReferencesResponse(
            request=self._request,
            name=self._name,
            files=self._files,
            total=shown if is_over and is_counted else None,
            total_files=n_files if is_over and is_counted else None,
            at_least=shown + self.is_full,
            has_more=not is_over,
            pagination_id=token,
            notices=notices or UNSET,
            suggestions=[name for name in similar if name != self._name and is_searchable(name)] or UNSET,
        )


class _Ranges(NamedTuple):
    """The symbols of a file, in the order of their names: where each and its name stand, in bytes. scope: the container and the
    name of one, by its number."""

    scope: Callable[[int], tuple[str, str]]
    starts: Sequence[int]
    ends: Sequence[int]
    name_starts: Sequence[int]
    name_ends: Sequence[int]


def _ranges_in_index(file: IndexedFile) -> _Ranges:
    index, rows = file.part.index, FileRows(file.part.index, file.number, file.number + 1)

    def scope(at: int) -> tuple[str, str]:  # called for few
        row = int(rows.numbers[at])
        return index.containers[index.container_at(row)], index.name_at(row)

    return _Ranges(scope, *(column.tolist() for column in rows.places))


def _ranges_read(symbols: Sequence[SymbolRange]) -> _Ranges:
    columns = [*zip(*map(msgspec.structs.astuple, symbols), strict=True)][:4] or [()] * 4
    return _Ranges(lambda at: (symbols[at].container, symbols[at].name), *columns)


def _enclosing_scopes(ranges: _Ranges, places: Sequence[int]) -> Iterator[tuple[str, bool]]:
    """For each place, which come in their order: the qualified name of the innermost symbol around it, empty outside of all; and
    whether it is the name of a symbol, which stands in what that symbol stands in."""
    starts, ends = ranges.starts, ranges.ends
    opened = OpenRanges(starts, ends, sorted(range(len(starts)), key=lambda number: (starts[number], -ends[number], -number)))
    for place in places:
        around = opened.at(place)
        named = bisect_right(ranges.name_starts, place) - 1
        if named >= 0 and place < ranges.name_ends[named]:
            yield ranges.scope(named)[0], True
        else:
            yield ".".join(filter(None, ranges.scope(around[-1]))) if around else "", False


def _why_nothing(tree: Tree, request: ReferencesRequest, name: str, n_candidates: int) -> str:
    """What explains that no file holds a name; empty where nothing does."""
    is_filtered = bool(request.languages or request.paths)
    if not n_candidates:
        return "no file matches the filters on language and path" if is_filtered else "the index holds no file with code"
    if not re.fullmatch(r"\w+", name):
        return f"{name} is no plain identifier: uses by a sign alone, as of operators, are not found"
    if is_filtered:
        return f"only {n_candidates:,} of {tree.snapshot.n_files:,} files match the filters on language and path"
    return ""


def _left_out(tree: Tree, request: ReferencesRequest, finds_nothing: bool) -> list[Skip]:
    """The files that the filters let through and that were not read for the index. Minified ones only matter where nothing was
    found."""
    lets_through = shown_path_filter(request.paths or [], tree.snapshot)
    wanted = {tree.languages.id_of(word) for word in request.languages or ()}
    return [
        skip
        for skip in tree.unread()
        if (finds_nothing or skip.reason != SkipReason.MINIFIED)
        and lets_through(skip.path)
        and (not wanted or any(language.id in wanted for language in tree.languages.by_name(os.path.basename(skip.path))))
    ]


def _files(count: int) -> str:
    return "1 file was" if count == 1 else f"{count:,} files were"
