"""The workspace: one root folder, kept fresh. The one object with state; every door calls only this.

It joins the pipeline: walk the tree, read what has changed, build the columns, store them, and search them. A refresh that finds
nothing changed writes nothing. Searching never reads the tree.
"""

import hashlib
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET, UnsetType

from symindex import __version__
from symindex.errors import IndexFileError, OutdatedIndexError, RequestError, StorageError
from symindex.index.columns import Index
from symindex.index.snapshot import Snapshot
from symindex.index.store import FILE_NAME, load_index, save_index, writing
from symindex.protocol import SearchRequest, SearchResponse
from symindex.search.answer import answer
from symindex.settings import SETTINGS_NAME, Settings, current_folder, find_root, index_folder, read_settings
from symindex.source.languages import Languages, load_languages
from symindex.source.origin import path_flags
from symindex.source.records import ReadTask
from symindex.source.skips import Skip, SkipReason, time_limit_words
from symindex.source.walk import FoundFile, Walk, check_root, walk_tree

if TYPE_CHECKING:
    from symindex.source.watch import Watcher

LOCK_SECONDS: Final = 600.0
"""How long to wait for another process that is writing the same index."""

Progress = Callable[[int, int], None]
"""Called with files done and files in all."""


class Skipped(msgspec.Struct, kw_only=True):
    """Files or folders that were left out for one reason. paths: the first of them, at most `SHOWN_PATHS`."""

    reason: str
    count: int
    paths: list[str]


SHOWN_PATHS: Final = 100


class RefreshReport(msgspec.Struct, kw_only=True):
    """What a refresh did.

    files: that hold the index's symbols or were looked at for them. read: how many of them were parsed this time.
    bytes: of the index file. skipped: what was left out, by reason. notices: what went wrong and was mended.
    """

    root: str
    files: int
    symbols: int
    bytes: int
    seconds: float
    read: int
    removed: int
    skipped: list[Skipped]
    notices: list[str]


class LanguageCount(msgspec.Struct, kw_only=True):
    """One language's share of the index; with_errors: files in which the grammar met something that it could not read."""

    language: str
    files: int
    symbols: int
    bytes: int
    with_errors: int


class StatusReport(msgspec.Struct, kw_only=True):
    """What the index holds, and what was skipped and why. age_seconds: since the index was last written."""

    root: str
    index_path: str
    index_bytes: int
    age_seconds: float
    generation: str
    files: int
    symbols: int
    languages: list[LanguageCount]
    skipped: list[Skipped]
    unsupported: dict[str, int]
    odd_encoding: list[str]
    columns: dict[str, int]


class _GivenUpError(Exception):
    """Ends a refresh that nobody waits for any more."""


class Workspace:
    """One root folder and its index. Use `symindex.open`, or as a context manager.

    Args:
        root: the folder; every path in answers is relative to it.
        index_dir: where the index is kept, over `symindex.toml` and the user's cache directory.
    """

    def __init__(self, root: str | os.PathLike[str], index_dir: str | os.PathLike[str] | None = None) -> None:
        if not os.fspath(root):
            raise RequestError("the root is empty: name a folder, or leave it out for the current one")
        self.root = check_root(Path(root))
        self.settings: Settings = read_settings(self.root)
        self.folder = index_folder(self.root, index_dir, self.settings)
        if self.folder.parent.exists() and not self.folder.parent.is_dir():
            raise RequestError(f"{self.folder.parent}: a file, not a folder; name a folder for the index")
        self.languages: Languages = load_languages()
        # What the symbols of a file depend on besides its bytes.
        self._rules = hashlib.blake2b(f"{__version__}\0".encode() + self.languages.digest, digest_size=16).digest()
        self._index: Index | None = None
        self._walk: Walk | None = None
        self._notices: list[str] = []
        self._refreshing = threading.Lock()
        self._watcher: Watcher | None = None

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the following, and lets go of the index; a later search opens it again."""
        self.unfollow()
        self._index = None

    def follow(
        self,
        on_update: Callable[[RefreshReport], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
    ) -> "Watcher":
        """Keeps the index current in the background from now on, until `unfollow` or `close`; returns what watches the tree.

        Searches may go on in any thread: each takes the index as it is at that moment.

        on_update: told of every refresh that has changed the index, in a thread of its own. on_error: told what went wrong in
        one, which is then tried again; default: the watcher's `notices` tell.
        """
        from symindex.source.watch import Watcher  # here, because most uses of an index watch nothing

        def check_wanted(done: int, total: int) -> None:
            if not watcher.is_watching:
                raise _GivenUpError

        def update(paths: frozenset[str] | None) -> None:
            if paths is None:
                self._read_settings(on_error)
            report = self.refresh(check_wanted)
            if on_update is not None and (report.read or report.removed):
                on_update(report)

        self.unfollow()
        rule_files = [self.root / SETTINGS_NAME]
        watcher = Watcher(self.root, self.languages, self.settings.max_file_bytes, update, on_error, rule_files)
        self._watcher = watcher
        watcher.start()
        return watcher

    def unfollow(self) -> None:
        """Ends the following. A refresh that is at work is given up; the index is then as the one before left it."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()

    def _read_settings(self, on_error: Callable[[Exception], object] | None) -> None:
        """Takes the settings as they are now, but for the index's place; wrong ones are reported, and change nothing."""
        try:
            settings = read_settings(self.root)
        except RequestError as error:
            if on_error is not None:
                on_error(error)
            return
        self.settings = msgspec.structs.replace(settings, index_dir=self.settings.index_dir)

    @property
    def index(self) -> Index:
        """The index as it was last loaded or refreshed; refreshed when it is first asked for."""
        if self._index is None:
            self._notices = self.refresh().notices
        assert self._index is not None
        return self._index

    @property
    def snapshot(self) -> Snapshot:
        """The index with what has changed since."""
        return Snapshot.of(self.index)

    def load(self) -> None:
        """Opens the stored index as it is, without looking for changed files; makes it only if there is none."""
        self._index = self._load()

    def _load(self) -> Index | None:
        try:
            return load_index(self.folder, self._rules)
        except OutdatedIndexError:
            return None
        except IndexFileError as error:
            if str(error) not in self._notices:
                self._notices.append(str(error))
            return None

    def refresh(self, progress: Progress | None = None, rebuild: bool = False) -> RefreshReport:
        """Brings the index up to date with the disk, and stores it if anything has changed.

        progress: told how far the reading is. rebuild: reads every file again, whatever is known.
        Raises StorageError where the index cannot be written; the one on disk is then as it was.
        """
        with self._refreshing:  # of two at a time the one that has listed the tree later must also be the last to store it
            return self._refresh(progress, rebuild)

    def _refresh(self, progress: Progress | None, rebuild: bool) -> RefreshReport:
        started = time.perf_counter()
        walk = walk_tree(self.root, self.languages, self.settings.max_file_bytes)
        index = self._load() if not rebuild else None
        changes = self._compare(walk, index)
        if index is None or changes.is_any:
            with writing(self.folder, LOCK_SECONDS):
                # Whoever held the lock may have done the work meanwhile.
                index = self._load() if not rebuild else None
                changes = self._compare(walk, index)
                if index is None or changes.is_any:
                    index = self._build(index, changes, progress)
        self._index, self._walk = index, walk
        notices, self._notices = self._notices, []
        return RefreshReport(
            root=_shown(self.root),
            files=index.n_files,
            symbols=index.n_symbols,
            bytes=self._index_bytes(),
            seconds=round(time.perf_counter() - started, 3),
            read=len(changes.read),
            removed=len(changes.removed),
            skipped=_skipped(walk, index),
            notices=notices,
        )

    def _compare(self, walk: Walk, index: Index | None) -> "_Changes":
        return _compare(walk, index, time_limit_words(self.settings.file_seconds))

    def _build(self, index: Index | None, changes: "_Changes", progress: Progress | None) -> Index:
        from symindex.index.build import build_index  # here, because most refreshes find nothing to build
        from symindex.source.workers import read_files

        total = len(changes.read)
        results = read_files(
            self.root,
            [(ReadTask(file.path, changes.known_digest.get(file.path, b"")), file.size) for file in changes.read],
            max_file_bytes=self.settings.max_file_bytes,
            file_seconds=self.settings.file_seconds,
            progress=(lambda done: progress(done, total)) if progress is not None else None,
        )
        fresh = [result for result in results if not result.unchanged]
        for result in fresh:
            language = self.languages.by_id.get(result.language)
            result.flags |= int(path_flags(result.path, language))
        touched = {result.path: (result.size, result.mtime_ns) for result in results if result.unchanged}
        built = build_index(fresh, index, [*changes.kept, *touched], self._rules, touched)
        save_index(self.folder, built, self._rules)
        loaded = self._load()
        if loaded is None:
            raise StorageError(f"{self.folder / FILE_NAME}: was written, but cannot be read back")
        return loaded

    def _index_bytes(self) -> int:
        try:
            return (self.folder / FILE_NAME).stat().st_size
        except OSError:
            return 0

    def search(
        self,
        query: str | SearchRequest,
        *,
        kinds: list[str] | None = None,
        max_items: int | None = None,
        start_index: int = 0,
        pagination_id: str | None = None,
        languages: list[str] | UnsetType = UNSET,
        paths: list[str] | UnsetType = UNSET,
        fuzzy: bool | UnsetType = UNSET,
        include: list[str] | UnsetType = UNSET,
    ) -> SearchResponse:
        """Searches. The first search of a workspace refreshes the index; later ones take it as it is: call `refresh` where the
        tree may have changed.

        query: a whole SearchRequest, or its query with the other fields of SearchRequest as arguments.
        Raises RequestError for what has no possible answer.
        """
        if isinstance(query, SearchRequest):
            request = query
        else:
            request = SearchRequest(
                query=query,
                kinds=kinds,
                max_items=max_items,
                start_index=start_index,
                pagination_id=pagination_id,
                languages=languages,
                paths=paths,
                fuzzy=fuzzy,
                include=include,
            )
        response = answer(self.snapshot, request, self.languages)
        if self._notices:
            response.notices = [*(response.notices or []), *self._notices]
            self._notices = []
        if response.total == 0:
            hint = self._why_empty(request)
            if hint:
                response.notices = [*(response.notices or []), hint]
        return response

    def _why_empty(self, request: SearchRequest) -> str:
        """What explains an empty answer: an empty index, or filters that leave nothing to search in."""
        index = self.index
        if index.n_symbols == 0:
            skips = _skips(self._walk, index)
            if skips:
                return (
                    f"the index is empty: {len(skips):,} skipped, as {skips[0].path} ({skips[0].reason}); see `symindex status`"
                )
            unsupported = dict(self._walk.unsupported) if self._walk is not None else {}
            if unsupported:
                most = sorted(unsupported, key=lambda extension: -unsupported[extension])[:3]
                return f"the index is empty: no language for {', '.join(most)} files; see `symindex languages`"
            if index.n_files:
                return f"the index is empty: {index.n_files:,} files were read, and none holds a symbol"
            return "the index is empty: no source files were found"
        if request.kinds or request.languages or request.paths:
            bare = msgspec.structs.replace(
                request, kinds=None, languages=UNSET, paths=UNSET, pagination_id=None, max_items=1, start_index=0
            )
            without = answer(self.snapshot, bare, self.languages).total
            if without:
                return f"without the filters on kind, language and path there are {without}"
        return ""

    def status(self) -> StatusReport:
        """What the index holds, and what was skipped and why, after a walk of the tree."""
        index = self.index
        walk = walk_tree(self.root, self.languages, self.settings.max_file_bytes)
        path = self.folder / FILE_NAME
        try:
            age = time.time() - path.stat().st_mtime
        except OSError:
            age = 0.0
        return StatusReport(
            root=_shown(self.root),
            index_path=_shown(path),
            index_bytes=self._index_bytes(),
            age_seconds=round(max(age, 0.0), 1),
            generation=f"{index.generation:016x}",
            files=index.n_files,
            symbols=index.n_symbols,
            languages=_count_languages(index),
            skipped=_skipped(walk, index),
            unsupported=_unsupported(walk, index),
            odd_encoding=[file.path for file in index.files() if file.odd_encoding][:SHOWN_PATHS],
            columns=index.column_bytes(),
        )


def _shown(path: Path) -> str:
    """A path for reports, which are text: bytes that are not are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


class _Changes(msgspec.Struct):
    """What a walk and an index disagree on. kept: paths whose size and mtime agree; known_digest: of those that do not."""

    read: list[FoundFile]
    kept: list[str]
    removed: list[str]
    known_digest: dict[str, bytes]

    @property
    def is_any(self) -> bool:
        return bool(self.read or self.removed)


def _compare(walk: Walk, index: Index | None, time_limit: str) -> _Changes:
    known = index.file_rows(time_limit) if index is not None else {}
    changes = _Changes([], [], [], {})
    for file in walk.files:
        row = known.pop(file.path, None)
        if row is not None and row.size == file.size and row.mtime_ns == file.mtime_ns and not row.try_again:
            changes.kept.append(file.path)
        else:
            changes.read.append(file)
            if row is not None and any(row.digest) and not row.try_again:
                changes.known_digest[file.path] = row.digest
    changes.removed.extend(known)
    return changes


def _skips(walk: Walk | None, index: Index) -> list[Skip]:
    """What was left out and why, by reason and path; without what is only counted: ignored files, files without a language."""
    skips: list[Skip] = list(walk.skips) if walk is not None else []
    skips.extend(
        Skip(file.path, SkipReason(file.skip), file.detail)
        for file in index.skipped_files()
        if file.skip != SkipReason.UNSUPPORTED
    )
    return sorted(skips)


def _skipped(walk: Walk, index: Index) -> list[Skipped]:
    by_reason: dict[SkipReason, list[str]] = {}
    for skip in _skips(walk, index):
        by_reason.setdefault(skip.reason, []).append(f"{skip.path} ({skip.detail})" if skip.detail else skip.path)
    report = [Skipped(reason=r, count=len(paths), paths=paths[:SHOWN_PATHS]) for r, paths in by_reason.items()]
    if walk.ignored:
        report.append(Skipped(reason=SkipReason.IGNORED, count=walk.ignored, paths=[]))
    n_unsupported = sum(_unsupported(walk, index).values())
    if n_unsupported:
        report.append(Skipped(reason=SkipReason.UNSUPPORTED, count=n_unsupported, paths=[]))
    return sorted(report, key=lambda row: row.reason)


def _unsupported(walk: Walk, index: Index) -> dict[str, int]:
    """Files without a language, by extension; those without an extension were looked into for a `#!` line."""
    no_extension = sum(file.skip == SkipReason.UNSUPPORTED for file in index.skipped_files())
    return walk.unsupported | ({"(no extension)": no_extension} if no_extension else {})


def _count_languages(index: Index) -> list[LanguageCount]:
    files: Counter[str] = Counter()
    symbols: Counter[str] = Counter()
    n_bytes: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    first = index.file_first.tolist()
    for number, file in enumerate(index.files()):
        if file.language and not file.skip:
            files[file.language] += 1
            symbols[file.language] += first[number + 1] - first[number]
            n_bytes[file.language] += file.size
            errors[file.language] += file.has_error
    return [
        LanguageCount(language=name, files=files[name], symbols=symbols[name], bytes=n_bytes[name], with_errors=errors[name])
        for name in sorted(files, key=lambda name: (-symbols[name], name))
    ]


def open_workspace(root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None) -> Workspace:
    """The workspace of a folder; without `root`, of the nearest folder upwards that holds `symindex.toml` or `.git`."""
    return Workspace(root if root is not None else find_root(current_folder()), index_dir)
