"""The folders of one client. Their trees are followed in the background and shared with other
clients."""

import math
import os
import threading
from collections.abc import Callable, Sequence
from itertools import chain, count
from pathlib import Path

from symindex.cancellation import NotWantedError, wait_until
from symindex.editor.merged_view import Folder, prefixed
from symindex.errors import RequestError, shown
from symindex.extract.languages.registry import Languages, load_languages
from symindex.files.access.beneath import read_beneath
from symindex.files.access.regular import read_regular
from symindex.protocol.freshness import PAUSE_SECONDS
from symindex.protocol.status import RootStatus
from symindex.settings import DEFAULTS, LARGEST_FILE_BYTES
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.watched_tree import TreeEvent, WatchedTrees

Place = tuple[Folder, str]
"""A folder, and the path of a file in it."""


class FollowedFolders:
    """Adds, removes and reads folders. Any thread may call its methods.

    Args:
        trees: shares trees with other clients.
        on_event: called in background threads for each event in the folders.
        on_change: called after folders were added or removed.
        allowed: if not empty, only files in these folders are read. That something exists elsewhere
            is not a secret.

    all: never changed in place; a new tuple replaces it. is_closed: ends waiting.
    """

    def __init__(
        self,
        trees: WatchedTrees,
        on_event: Callable[[TreeEvent], object],
        on_change: Callable[[], object],
        allowed: tuple[Path, ...] = (),
    ) -> None:
        self.all: tuple[Folder, ...] = ()
        self.allowed = allowed
        self._trees, self._on_event, self._on_change = trees, on_event, on_change
        self._lock = threading.Lock()
        self.is_closed: bool = False
        self._reported_repairs: dict[Path, int] = {}

    def close(self) -> None:
        """Closes all folders. Callers of `wait_for` get a NotWantedError."""
        self.is_closed = True
        for folder in self.all:
            self._trees.leave(folder.tree, self._on_event)

    def wait_for(self, is_true: Callable[[], bool], seconds: float = math.inf) -> None:
        """Waits until a condition is true, or the time is over. Raises NotWantedError once the
        folders are closed."""

        def is_true_or_closed() -> bool:
            if self.is_closed:
                raise NotWantedError
            return is_true()

        if not is_true_or_closed():  # it nearly always is
            wait_until(is_true_or_closed, PAUSE_SECONDS, seconds)

    @property
    def opened(self) -> list[IndexedRoot]:
        """The roots of the folders that could be opened so far."""
        return [folder.tree.indexed for folder in self.all if folder.tree.indexed is not None]

    @property
    def opened_by_prefix(self) -> list[tuple[str, Folder, IndexedRoot]]:
        """The folders that could be opened so far, with the prefix of their paths in answers."""
        return [
            (prefix, folder, folder.tree.indexed)
            for prefix, folder in prefixed(self.all)
            if folder.tree.indexed is not None
        ]

    @property
    def languages(self) -> Languages:
        """The languages of the first folder; before one is open, all languages."""
        opened = self.opened
        return opened[0].languages if opened else load_languages(check=False)

    def extensions(self) -> frozenset[str]:
        """Returns the extensions of the files that may be indexed, once a folder is open or none
        can be: reading all languages takes long."""
        self.wait_for(
            lambda: bool(self.opened) or all(folder.tree.state != "opening" for folder in self.all)
        )
        return self.languages.extensions

    @property
    def row_limit(self) -> int:
        """The number of rows in an answer if the client sets no limit."""
        return min((root.settings.limit for root in self.opened), default=DEFAULTS.limit)

    @property
    def progress(self) -> tuple[int, int] | None:
        """Files read and files in all, in the trees without an index; `None` if each has one."""
        missing = [folder.tree for folder in self.all if folder.tree.layers is None]
        return (
            (sum(tree.done for tree in missing), sum(tree.total for tree in missing))
            if missing
            else None
        )

    def status_of(self, folder: Folder) -> RootStatus:
        """Reports the state of one of the folders."""
        tree, exists = folder.tree, folder.path.is_dir()
        return RootStatus(
            root=shown(folder.path),
            name=folder.name if len(self.all) > 1 else "",
            state=tree.state if exists else "missing",
            done=tree.done,
            total=tree.total,
            error=tree.error,
            notices=[*map(shown, tree.warnings)] if exists else [],
            report=tree.indexed.status()
            if tree.indexed is not None and tree.layers is not None and exists
            else None,
        )

    def check_any_there(self) -> None:
        """Raises RequestError if none of the folders exists."""
        if self.all and not any(folder.path.is_dir() for folder in self.all):
            names = ", ".join(str(folder.path) for folder in self.all)
            raise RequestError(
                f"{names}: the root does not exist, or no longer does; answers include it"
                " when it is back"
            )

    def add(self, path: Path, name: str, index_dir: str | None) -> None:
        """Adds a folder, unless it was added before. Raises RequestError for one that may not be
        read."""
        root = Path(os.path.realpath(path))
        self._allowed_root(root, path)
        with self._lock:
            if any(folder.path == path for folder in self.all):
                return
            names = {folder.name for folder in self.all}
            name = shown(name or path.name or "root")
            candidates = chain([name], (f"{name}~{number}" for number in count(2)))
            unique = next(candidate for candidate in candidates if candidate not in names)
            tree = self._trees.take(root, index_dir, self._on_event)
            self._reported_repairs[path] = tree.n_repairs
            self.all = (*self.all, Folder(path, root, unique, tree))
            self._on_change()

    def remove(self, path: Path) -> None:
        """Removes a folder. Its stored index stays."""
        with self._lock:
            removed = [folder for folder in self.all if folder.path == path]
            self.all = tuple(folder for folder in self.all if folder.path != path)
            self._on_change()
        for folder in removed:
            self._trees.leave(folder.tree, self._on_event)

    def place_of(self, path: Path | None) -> Place | None:
        """Finds the innermost folder that contains a file, and the path in it; `None` for a path
        that is a folder, which editors may open too."""
        if path is None or any(path in (folder.path, folder.root) for folder in self.all):
            return None
        tops = (
            (top, folder)
            for folder in self.all
            for top in (folder.path, folder.root)
            if path.is_relative_to(top)
        )
        innermost = max(tops, key=lambda pair: len(pair[0].parts), default=None)
        return (
            (innermost[1], path.relative_to(innermost[0]).as_posix())
            if innermost is not None
            else None
        )

    def files_changed(self, paths: Sequence[Path]) -> None:
        """Passes on the client's report of files that have changed on disk."""
        for folder, inside in filter(None, map(self.place_of, paths)):
            folder.tree.report_changes([inside])

    def read(self, path: Path) -> bytes:
        """Reads a file that the client has named. Links are not followed below the folders, nor out
        of the allowed ones. Raises RequestError for a file that may not be read, OSError for one
        that cannot be read."""
        place, real = self.place_of(path), Path(os.path.realpath(path))
        root = self._allowed_root(real, path)
        if place is not None:
            return read_beneath(place[0].root, place[1], LARGEST_FILE_BYTES)
        if root is None:
            return read_regular(path, LARGEST_FILE_BYTES, follow=True)
        return read_beneath(root, real.relative_to(root).as_posix(), LARGEST_FILE_BYTES)

    def _allowed_root(self, real: Path, path: Path) -> Path | None:
        """Returns the allowed folder that contains a resolved path; `None` if all are allowed.
        Raises RequestError, which names the path as given, if none contains it."""
        root = next((root for root in self.allowed if real.is_relative_to(root)), None)
        if root is None and self.allowed:
            raise RequestError(
                f"{path}: is outside of the folders that the server was started with, and is"
                " left out"
            )
        return root

    def reindex(self) -> None:
        """Reads every file of all folders again."""
        for folder in self.all:
            folder.tree.reindex()

    def take_notices(self) -> list[str]:
        """Returns a notice for each index that was found damaged since the last call."""
        with self._lock:
            n_before = self._reported_repairs
            n_now = {folder.path: folder.tree.n_repairs for folder in self.all}
            self._reported_repairs = n_now
        return [
            f"{shown(path)}: the index was damaged, and is being rebuilt"
            for path, n_repairs in n_now.items()
            if n_repairs > n_before.get(path, 0)
        ]
