"""Keeps trees indexed in the background while a client has them open. Clients share trees.

The stored index can be used at once. A separate process brings it up to date
(`workspace/build_process`). Then this process watches the tree and updates the index; if very many
files have changed, it leaves that to another build process.
"""

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from symindex.background import n_answered
from symindex.errors import RequestError, SymindexError, shown
from symindex.files.locations import check_own_folders
from symindex.files.skips import TRIED_AGAIN
from symindex.index.overlay import Layers
from symindex.workers.freed_memory import give_back_memory, share_heaps
from symindex.workspace.build_process import Building, CancelledError
from symindex.workspace.indexed_root import IndexedRoot

if TYPE_CHECKING:
    from symindex.files.watch.watcher import Watcher

MANY_FILES: Final = 500
"""Largest number of changed files that this process reads itself. Files that are tried again at
each refresh do not count."""

RETRY_SECONDS: Final = 2.0
"""Pause between two looks for a missing tree."""

LOOK_SECONDS: Final = 0.02
"""Pause between two checks whether the watcher has looked at the whole tree."""

FAILED_SECONDS: Final = 30.0
"""Pause between a failed build and the next one."""

MOST_FILES: Final = 10_000
"""Largest number of open files that a server asks for: enough for 2,500 trees. macOS allows no more
than 10,240."""

State = Literal["opening", "indexing", "ready", "cancelled", "failed"]

EventKind = Literal["begin", "report", "end", "notice", "error", "ready"]


class TreeEvent(NamedTuple):
    """An event in a tree.

    kind: `begin`, `report` and `end` of a build, with the files done and in all; `notice` and
    `error`, with a text for the user; `ready`: the index shows the tree as it is. A build ends when
    the tree is being watched, so `end` comes after `ready`. cancel: ends the build.
    """

    kind: EventKind
    root: Path
    cancel: Callable[[], object]
    done: int = 0
    total: int = 0
    text: str = ""


Listener = Callable[[TreeEvent], object]
"""Called in background threads; must be quick."""


Share = Callable[[IndexedRoot], Callable[[], object]]
"""Starts to answer the commands of others about a root; returns a function that ends it."""


class _TooManyError(Exception):
    """Ends a refresh that is left to another process."""


class WatchedTree:
    """One tree, made by `WatchedTrees`.

    indexed: `None` until the tree is open. listeners: one for each client that has the tree open; a
    new tuple replaces it. done, total: files of the running build. error: the latest one; empty
    once the index shows the tree as it is.
    """

    def __init__(self, root: Path, index_dir: str | None, share: Share | None = None) -> None:
        self.root = root
        self._share = share
        self._end_sharing: Callable[[], object] = lambda: None
        self.state: State = "opening"
        self.indexed: IndexedRoot | None = None
        self._index_dir = index_dir
        self.listeners: tuple[Listener, ...] = ()
        self.done: int = 0
        self.total: int = 0
        self.error: str = ""
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._wakes = threading.Event()
        self._building: Building | None = None
        self._watcher: Watcher | None = None
        self._rebuild = self._is_repairing = False
        self._is_reading = self._is_late = False
        self._n_tried_again = 0
        self._reported: set[str] = set()
        self._updater: threading.Thread | None = None
        self._thread = threading.Thread(target=self._run, name="symindex-tree", daemon=True)

    @property
    def layers(self) -> Layers | None:
        """The current index; `None` before the first."""
        return self.indexed.layers if self.indexed is not None else None

    def whole_layers(self) -> Layers | None:
        """See `IndexedRoot.whole_layers`."""
        return self.indexed.whole_layers() if self.indexed is not None else None

    def repair(self, error: Exception) -> bool:
        """See `repair.Repairable`."""
        self._is_repairing = True
        try:
            if self.indexed is None or not self.indexed.repair(error):
                return False
            self.reindex()
        finally:
            self._is_repairing = False
        self._say("notice", text=f"{self.root}: the index was damaged, and is being rebuilt")
        return True

    @property
    def is_being_built(self) -> bool:
        """Whether an index is being built, or is about to be."""
        if self.indexed is None:  # the root may never appear
            return False
        return (
            self.state == "indexing"
            or self._rebuild
            or self._is_repairing
            or self.indexed.is_refreshing
        )

    @property
    def will_have_index(self) -> bool:
        """Whether waiting helps: it is being opened, or its first index is being built."""
        return self.state == "opening" or (self.layers is None and self.is_being_built)

    @property
    def is_behind(self) -> bool:
        """Whether the index has not been compared with the whole tree yet, or is not open yet."""
        if self.indexed is None or self.layers is None:
            return self.state == "opening"
        return self.state in ("opening", "indexing") or (
            self.state == "ready" and self.indexed.walk is None and not self.warnings
        )

    @property
    def why_incomplete(self) -> str:
        """The notice for every answer; empty if the index shows the tree as it is."""
        if self.will_have_index:
            return "the index is still being built; this answer is incomplete"
        why = f"; {self.error}" if self.state == "failed" and self.error else ""
        if self.layers is None:
            return (
                f"there is no index (indexing: {self.state}); a search finds only names that"
                f" are in the files exactly as typed{why}"
            )
        if self.is_behind:
            return (
                "changes since the index was made are still being read; this answer may be"
                " incomplete"
            )
        if self.state in ("cancelled", "failed"):
            return (
                f"the index could not be brought up to date (indexing: {self.state}); later"
                f" changes may be missing{why}"
            )
        return "the most recent changes may be missing" if self._is_late else ""

    @property
    def n_repairs(self) -> int:
        """How often its index was found damaged."""
        return self.indexed.n_repairs if self.indexed is not None else 0

    @property
    def warnings(self) -> list[str]:
        """Reasons why changes are noticed late or not at all, a line each."""
        return self._watcher.notices if self._watcher is not None else []

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and the processes, and waits for them."""
        self._stopped.set()
        self._wakes.set()
        self.cancel()
        if self._thread.ident is not None:
            self._thread.join()
        self._end_sharing()
        if self.indexed is not None:
            self.indexed.close()

    def cancel(self) -> None:
        """Ends a running build. The index stays as it was until `reindex`."""
        building = self._building
        if building is not None:
            building.cancel()

    def reindex(self) -> None:
        """Reads every file again."""
        self._rebuild = True
        self._wakes.set()

    def report_changes(self, paths: Iterable[str]) -> None:
        """Reads files, relative to the root, that a client has reported as changed. The watcher
        would find them later, if at all."""
        with self._lock:
            self._reported.update(paths)
            if self.state == "ready" and self._reported and self._updater is None:
                self._updater = threading.Thread(
                    target=self._update_reported, name="symindex-told", daemon=True
                )
                self._updater.start()

    @property
    def has_reported_changes(self) -> bool:
        """Whether files that a client has reported are still being read."""
        return self._updater is not None

    def settle(self, seconds: float) -> bool:
        """Waits until the index shows everything written before this call, or `seconds` have
        passed. Returns whether it does. If it takes longer, or would need a slow walk of the tree,
        `why_incomplete` says so."""
        watcher, indexed = self._watcher, self.indexed
        if (
            self.state == "ready"
            and watcher is not None
            and indexed is not None
            and indexed.walk is not None
        ):
            try:
                self._is_late = not (
                    (watcher.is_prompt or watcher.is_cheap) and indexed.settle(seconds)
                )
                return not self._is_late
            except SymindexError as error:  # the root is gone: its last index answers
                self._fail(error)
        return False

    def _update_reported(self) -> None:
        while True:
            with self._lock:
                paths, self._reported = self._reported, set()
                if not paths or self._stopped.is_set() or self.indexed is None:
                    self._updater = None
                    return
            try:
                self.indexed.refresh(self._progress, paths=paths)
            except (_TooManyError, SymindexError) as error:
                self._fail(error)

    def _say(self, kind: EventKind, done: int = 0, total: int = 0, text: str = "") -> None:
        event = TreeEvent(kind, self.root, self.cancel, done, total, shown(text))
        if kind == "error":
            if event.text == self.error:  # repeated at each attempt; the user knows it
                return
            self.error = event.text
        elif kind in ("begin", "report", "end"):
            self.done, self.total = done, total
        for listener in dict.fromkeys(self.listeners):
            listener(event)

    def _run(self) -> None:
        try:
            self._follow()
        except Exception as error:  # a bug of ours; searches must not wait forever
            self.state, self._rebuild = "failed", False
            self._say("error", text=f"{self.root}: is no longer watched ({type(error).__name__})")
            raise

    def _follow(self) -> None:
        indexed = self._open()
        while indexed is not None and not self._stopped.is_set():
            self._wakes.clear()
            self._build(indexed)
            if self.state == "ready" and not self._stopped.is_set():
                watcher = self._watcher = indexed.follow(
                    on_error=self._fail, on_progress=self._progress
                )
                self.report_changes([])
                # The build ends once the watcher has looked at the whole tree: then searches have
                # this process to themselves.
                while not (
                    watcher.has_looked or watcher.hindrance or self._wakes.wait(LOOK_SECONDS)
                ):
                    pass
                self._end("")
                if self._share is not None:  # only once: the watcher may change, the root does not
                    self._end_sharing, self._share = self._share(indexed), None
                self._report_obstacles(watcher)
            else:
                self._wakes.wait(FAILED_SECONDS if self.state == "failed" else None)
            indexed.unfollow()

    def _report_obstacles(self, watcher: "Watcher") -> None:
        """Waits until there is something to do. Meanwhile reports why changes are not noticed, for
        instance because the root is missing, and gives back memory once no answers are made for a
        while."""
        reported, n_before, n_tidied = "", 0, 0
        while not self._wakes.wait(RETRY_SECONDS):
            n_last, n_before = n_before, n_answered()
            if n_last == n_before != n_tidied:
                n_tidied = n_before
                give_back_memory()
            last_reported, reported = reported, watcher.hindrance
            if reported not in ("", last_reported):
                self._say("notice", text=reported)

    def _open(self) -> IndexedRoot | None:
        """Opens the tree, and its index if one is stored; waits for a missing root. Returns `None`
        after `stop`."""
        while not self._stopped.is_set():
            try:
                check_own_folders(self.root)
                indexed = IndexedRoot(
                    self.root,
                    self._index_dir,
                    on_problem=lambda problem: self._say("error", text=problem),
                )
                # the link's target may be outside of the readable folders
                if indexed.root != self.root:
                    raise RequestError(
                        f"{self.root}: has become a link, which is not followed: open the folder"
                        " itself"
                    )
                self.indexed = indexed
                indexed.load()
                return indexed
            except SymindexError as error:
                self.state = "failed"
                self._say("error", text=str(error))
            self._stopped.wait(RETRY_SECONDS)
        return None

    def _build(self, indexed: IndexedRoot) -> None:
        self.state = "indexing"
        rebuild, self._rebuild = self._rebuild, False
        building = self._building = Building(self.root, indexed.folder.parent, rebuild)
        if self._stopped.is_set():
            self.state = "cancelled"
            return
        if self.layers is None:
            self._begin(0)
        try:
            notices = building.run(self._report)
        except (CancelledError, SymindexError) as error:
            self.state = "cancelled" if isinstance(error, CancelledError) else "failed"
            if self.state == "failed":
                self._say("error", text=str(error))
            self._end(self.state)
            return
        finally:
            self._building = None
        indexed.load()
        # Each refresh tries these files again. If they counted as changes, one build would follow
        # another for ever.
        snapshot = self.layers.snapshot if self.layers is not None else None
        self._n_tried_again = (
            sum(len(snapshot.files_left_out(reason)) for reason in TRIED_AGAIN)
            if snapshot is not None
            else 0
        )
        self.state, self.error = "ready", ""
        for notice in notices:
            self._say("notice", text=notice)
        self._say("ready")

    def _begin(self, total: int) -> None:
        if not self._is_reading:
            self._is_reading = True
            self._say("begin", 0, total)

    def _report(self, done: int, total: int) -> None:
        self._begin(total)
        self._say("report", done, total)

    def _end(self, text: str) -> None:
        if self._is_reading:
            self._is_reading = False
            self._say("end", text=text)

    def _progress(self, done: int, total: int) -> None:
        if total > MANY_FILES + self._n_tried_again:
            raise _TooManyError

    def _fail(self, error: Exception) -> None:
        """Reports a failed refresh. Runs in the watcher's thread."""
        if isinstance(error, _TooManyError):
            self._wakes.set()
        elif isinstance(error, SymindexError):
            self._say("error", text=str(error))
        else:
            self._say(
                "error",
                text=(
                    f"{self.root}: an update failed:"
                    f" {' '.join(str(error).split()) or type(error).__name__}"
                ),
            )


def allow_many_files() -> None:
    """Raises the limit of open files of this process to what the system allows, at most
    `MOST_FILES`: each tree takes four, and the usual limit of 1,024, or 256 on macOS, is only a
    default."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


class WatchedTrees:
    """All trees that clients have open. Any thread may use it. share: called with the root of each
    tree once it is open."""

    def __init__(self, share: Share | None = None) -> None:
        share_heaps()
        allow_many_files()
        self._share = share
        self._trees: dict[tuple[Path, str | None], WatchedTree] = {}
        self._lock = threading.Lock()

    def take(self, root: Path, index_dir: str | None, listener: Listener) -> WatchedTree:
        """Returns the tree of a folder, which is watched until each client that took it has left
        it."""
        with self._lock:
            tree = self._trees.setdefault(
                (root, index_dir), WatchedTree(root, index_dir, self._share)
            )
            tree.listeners += (listener,)
            if len(tree.listeners) == 1:
                tree.start()
            return tree

    def leave(self, tree: WatchedTree, listener: Listener) -> None:
        """Closes a tree for one client. Waits for its end if no other client has it open."""
        with self._lock:
            listeners = list(tree.listeners)
            with suppress(ValueError):
                listeners.remove(listener)  # once: a client may have the tree open under two names
            tree.listeners = tuple(listeners)
            if listeners:
                return
            self._trees = {
                key: open_tree for key, open_tree in self._trees.items() if open_tree is not tree
            }
        tree.stop()
