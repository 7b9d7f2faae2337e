"""Where an identifier occurs in code, by its name alone: a request to a response.

Nothing of this is stored: the files that the index knows are looked through when somebody asks, first their bytes for the letters
of the name, then what holds them for identifiers, until the page is full or the time is over.
"""

import os
import re
import unicodedata
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.explore.enclosing import enclose, ranges_in_index, ranges_of
from symindex.explore.mention_job import FileToLook, Looked, MentionSetup
from symindex.explore.mentions import Lookers
from symindex.explore.reference_cursor import FileKey, Position, make_token, read_token
from symindex.explore.tree import IndexedFile, Tree
from symindex.extract.languages.packed import pack_languages
from symindex.extract.path_flags import path_flags
from symindex.files.skips import Skip, SkipReason, tell_unread
from symindex.index.arrays import U8, Mask
from symindex.index.columns import Index
from symindex.protocol import FileReferences, Reference, ReferencesRequest, ReferencesResponse, SymbolFlag, check_request
from symindex.search.answer import suggest
from symindex.search.filters import Filter, PartFilter, path_filter
from symindex.text.separators import BETWEEN_NAMES
from symindex.text.whole_words import forms_of

SECONDS: Final = 10.0
"""How long an answer may take; then it holds what was found by then."""

LEAST_FILE_SECONDS: Final = 2.0
"""However little time there is for all, a file may take this long: the first of a language waits for its grammar."""

MOST_NAME: Final = 4_000
"""Characters, with what qualifies it."""

_SHOWN_PATHS: Final = 3
"""How many of the files that could not be read are named."""

Progress = Callable[[int, int], object]


def find_references(
    tree: Tree,
    request: ReferencesRequest,
    max_file_bytes: int,
    file_seconds: float,
    *,
    seconds: float = SECONDS,
    progress: Progress | None = None,
    n_workers: int | None = None,
) -> ReferencesResponse:
    """The response to a request.

    max_file_bytes: what is larger is not looked at. file_seconds: the processor's time for one file; what takes longer is left
    out, and named. seconds: for all; then the answer holds what was found, and its token goes on from there. progress: told how
    many files are done, of how many. n_workers: processes at most; as many as this process may use cores, unless told.
    Raises RequestError for what has no possible answer, StorageError where no process can be started.
    """
    check_request(request)
    name = last_part(request.name)
    page = _Page(request, name)
    if name != unicodedata.normalize("NFC", request.name.strip()):
        page.notices.append(f"only {name} is looked for, the last part of {_shorten(request.name.strip())}")
    candidates = _candidates(tree, request, page)
    keys = [candidate.key for candidate in candidates]
    first, after = 0, None
    if request.pagination_id is not None:
        first, after = read_token(request, name, tree.snapshot.generation, keys)
        page.go_on(after)
    if not is_searchable(name):
        page.notices.append(f"{_shorten(name)} is no identifier: only these are looked for")
        candidates = []
    left = candidates[first:]
    file_seconds = min(file_seconds, max(seconds / 2, LEAST_FILE_SECONDS))
    setup = _setup(tree, name, max_file_bytes)
    sizes = [candidate.size for candidate in left]
    with Lookers(setup, file_seconds, sizes, lambda number: _order(tree, left[number]), n_workers) as lookers:
        for seen in lookers.in_order(seconds, progress):
            candidate = left[seen.number]
            if seen.looked is not None:
                page.add(candidate, seen.looked, after if seen.number == 0 else None)
            if page.is_full:
                break
            page.n_looked, page.last = seen.number + 1, candidate.key
    page.n_files = len(left)
    return page.response(tree, candidates)


def last_part(text: str) -> str:
    """The identifier that a name, a qualified name or a symbol's id ends with. Raises RequestError where there is none."""
    text = unicodedata.normalize("NFC", text.strip())
    if not text:
        raise RequestError("the name is empty: give an identifier, as `parse` or `Parser.parse`")
    if len(text) > MOST_NAME:
        raise RequestError(f"the name {_shorten(text)} has {len(text):,} characters: at most {MOST_NAME:,} are looked for")
    path, mark, rest = text.partition("#")
    if mark and path and not path.endswith((".", ":")):
        text = re.sub(r"~\d+\Z", "", rest) or text
    return BETWEEN_NAMES.split(text)[-1]


def is_searchable(name: str) -> bool:
    """Whether it may be an identifier, as far as its form tells: a title of a test is none, nor is a sign or a number."""
    return not re.search(r"[\s\0-\x1f\x7f]", name) and re.search(r"[^\W\d]", name) is not None


class _Candidate(NamedTuple):
    """A file that may hold references. size: in bytes."""

    key: FileKey
    file: IndexedFile
    size: int
    language: str


def _candidates(tree: Tree, request: ReferencesRequest, page: "_Page") -> list[_Candidate]:
    """The files that are looked through, in their order."""
    wanted = Filter((), frozenset(tree.languages.get(word).id for word in request.languages or ()), tuple(request.paths or ()))
    found: list[_Candidate] = []
    silent: dict[str, int] = {}
    for part in tree.snapshot.parts:
        index = part.index
        lets_through = PartFilter(part, wanted).files
        is_code: Mask = (index.u8("file_skip") == 0) & (index.u8("file_language") != 0)
        numbers = np.flatnonzero(is_code if lets_through is None else is_code & lets_through).tolist()
        ranks, sizes = _ranks(index, tree), np.frombuffer(index.columns.file_size, dtype="<u8")
        ids, language_of = index.columns.language_ids, index.columns.file_language
        for number in numbers:
            language = ids[language_of[number]]
            known = tree.languages.by_id.get(language)
            if known is None or not known.rules.identifiers:
                silent[language] = silent.get(language, 0) + 1
                continue
            file = IndexedFile(part, number)
            found.append(_Candidate((int(ranks[number]), file.path), file, int(sizes[number]), language))
    for language, count in sorted(silent.items()):
        page.notices.append(f"{_files(count)} left out: grammars/{language}/language.toml says no identifiers")
    return sorted(found, key=lambda candidate: candidate.key)


def _ranks(index: Index, tree: Tree) -> U8:
    """By file: 1 where its path says that it is a test, generated or somebody else's."""
    key = ("aside",)
    known = index.memo.get(key)
    if known is None:
        ids, language_of = index.columns.language_ids, index.columns.file_language
        flags = [path_flags(path, tree.languages.by_id.get(ids[language_of[at]])) for at, path in enumerate(index.paths.all)]
        known = index.memo[key] = (np.array(flags, dtype=np.uint32) & _ASIDE != 0).astype(np.uint8)
    return known


_ASIDE: Final = (SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED).value


def _setup(tree: Tree, name: str, max_file_bytes: int) -> MentionSetup:
    roots = [os.fsencode(os.path.realpath(root)) for root in tree.roots.values()]
    return MentionSetup(roots, pack_languages(tree.languages), list(forms_of(name)), max_file_bytes)


def _order(tree: Tree, candidate: _Candidate) -> FileToLook:
    part, number = candidate.file.part, candidate.file.number
    known = part.index.file(number)
    root = list(tree.roots).index(part.prefix)
    return FileToLook(root, known.path, known.size, known.language, known.digest, tree.texts.get(candidate.key[1]))


class _Page:
    """A page in the making. last: the last file that was looked through whole; n_looked: how many were, of n_files."""

    def __init__(self, request: ReferencesRequest, name: str) -> None:
        self.request, self.name = request, name
        self.notices: list[str] = []
        self.files: list[FileReferences] = []
        self.is_full = False
        self.last: FileKey | None = None
        self.n_looked = self.n_files = 0
        self._n_items = 0
        self._last_item: tuple[FileKey, Reference] | None = None
        self._before: Position | None = None
        self._goes_on_in: str | None = None
        self._unread: list[str] = []

    def go_on(self, position: Position) -> None:
        """There is a page before this one."""
        self._before = position
        self._goes_on_in = position.file[1] if position.line is not None else None
        if position.has_changed:
            self.notices.append("the index has changed since the last page; this one goes on behind the last place shown")

    def add(self, candidate: _Candidate, looked: Looked, after: Position | None) -> None:
        """What there is in the next file. after: what of it is on earlier pages."""
        path = candidate.key[1]
        if looked.problem:
            self._unread.append(f"{path} ({looked.problem})")
            return
        mentions = looked.mentions
        if after is not None and after.line is not None:
            behind = (after.line, after.column)
            mentions = [mention for mention in mentions if (mention.line, mention.column) > behind]
        room = None if self.request.max_items is None else self.request.max_items - self._n_items
        if room is not None and len(mentions) > room:
            self.is_full = True
            mentions = mentions[:room]
        if not mentions:
            return
        symbols = looked.symbols
        ranges = ranges_of(symbols) if symbols is not None else ranges_in_index(candidate.file.part.index, candidate.file.number)
        items = [
            Reference(
                line=mention.line,
                column=mention.column,
                text=mention.text,
                container=standing.container or None,
                definition=standing.is_definition,
            )
            for mention, standing in zip(mentions, enclose(ranges, [mention.start_byte for mention in mentions]), strict=True)
        ]
        self.files.append(FileReferences(file_path=path, language=candidate.language, items=items))
        self._n_items += len(items)
        self._last_item = candidate.key, items[-1]

    def response(self, tree: Tree, candidates: list[_Candidate]) -> ReferencesResponse:
        """The answer."""
        is_over = not self.is_full and self.n_looked == self.n_files
        before = self._before
        shown = self._n_items + (before.shown if before is not None else 0)
        n_files = len(self.files) + (before.files if before is not None else 0)
        if self.files and self.files[0].file_path == self._goes_on_in:
            n_files -= 1
        is_counted = (before is None or before.is_counted) and not self._unread
        if not is_over and not self.is_full:
            looked_at = f"{self.n_looked:,} of {self.n_files:,} files were looked through, the next page goes on from there"
            self.notices.append(f"out of time: at least {shown:,} references; {looked_at}")
        if self._unread:
            named = ", ".join(self._unread[:_SHOWN_PATHS])
            more = f" and {len(self._unread) - _SHOWN_PATHS:,} more" if len(self._unread) > _SHOWN_PATHS else ""
            self.notices.append(f"{_files(len(self._unread))} not looked into: {named}{more}")
        nothing = is_over and not shown
        if nothing:
            self._say_why(tree, candidates)
        if is_over and is_searchable(self.name):
            self.notices += filter(None, [tell_unread(self._left_out(tree, nothing), "more" if shown else "some")])
        token = None
        if not is_over:
            token = make_token(self.request, self.name, tree.snapshot.generation, self._position(shown, n_files, is_counted))
        return ReferencesResponse(
            request=self.request,
            name=self.name,
            files=self.files,
            total=shown if is_over and is_counted else None,
            total_files=n_files if is_over and is_counted else None,
            at_least=shown + self.is_full,
            has_more=not is_over,
            pagination_id=token,
            notices=self.notices or UNSET,
            suggestions=(self._suggestions(tree) if nothing else []) or UNSET,
        )

    def _position(self, shown: int, n_files: int, is_counted: bool) -> Position:
        """Where the next page goes on."""
        if self.is_full:
            assert self._last_item is not None
            key, item = self._last_item
            return Position(key, item.line, item.column, shown, n_files, is_counted)
        assert self.last is not None
        return Position(self.last, None, 0, shown, n_files, is_counted)

    def _say_why(self, tree: Tree, candidates: list[_Candidate]) -> None:
        if not is_searchable(self.name):
            return
        if not candidates:
            filtered = bool(self.request.languages or self.request.paths)
            self.notices.append(
                "no file matches the filters on language and path" if filtered else "the index holds no file with code"
            )
        elif not re.fullmatch(r"\w+", self.name):
            self.notices.append(f"{self.name} is no plain identifier: uses by a sign alone, as of operators, are not found")
        elif self.request.languages or self.request.paths:
            n_files = tree.snapshot.n_files
            self.notices.append(f"only {len(candidates):,} of {n_files:,} files match the filters on language and path")

    def _left_out(self, tree: Tree, nothing: bool) -> list[Skip]:
        """The files that were not read for the index and let through by the filters. What is minified is of no interest unless
        nothing was found."""
        wanted = {tree.languages.get(word).id for word in self.request.languages or ()}
        lets_through = path_filter(self.request.paths or [])
        return [
            skip
            for skip in tree.unread()
            if (nothing or skip.reason != SkipReason.MINIFIED)
            and lets_through(skip.path)
            and (not wanted or any(language.id in wanted for language in tree.languages.by_name(os.path.basename(skip.path))))
        ]

    def _suggestions(self, tree: Tree) -> list[str]:
        return [name for name in suggest(tree.snapshot, self.name) if name != self.name and is_searchable(name)]


def _shorten(text: str) -> str:
    return text if len(text) <= 100 else text[:100] + "…"


def _files(count: int) -> str:
    return "1 file was" if count == 1 else f"{count:,} files were"
