"""Trees that are kept indexed for as long as somebody wants them: each opened once, whoever asks, and followed in the background.

What is stored is there at once. Then a process of its own brings it up to date (`building`), and from there on this one follows
the changes; where these are very many, it leaves them to such a process again.
"""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from symindex.errors import RequestError, SymindexError, shown
from symindex.files.skips import TRIED_AGAIN
from symindex.index.overlay import Layers
from symindex.session.build_process import Building, CancelledError
from symindex.session.indexed_root import IndexedRoot

if TYPE_CHECKING:
    from symindex.files.watch.watcher import Watcher

MANY_FILES: Final = 500
"""More changed files than this are read in another process; beside those that are tried again and again."""

RETRY_SECONDS: Final = 2.0
"""How often a tree that is not there is looked for."""

LOOK_SECONDS: Final = 0.02
"""How often it is looked whether the following has begun."""

FAILED_SECONDS: Final = 30.0
"""How long after a failed run it is tried again."""

State = Literal["opening", "indexing", "ready", "cancelled", "failed"]


EventKind = Literal["begin", "report", "end", "notice", "error", "ready"]


class Event(NamedTuple):
    """What has happened to a tree.

    kind: `begin`, `report`, `end`: of a run that reads files, with the files that are done and all; `notice` and `error`:
        something to tell the user; `ready`: the index shows the tree as it is. What follows a run is part of it, so its `end`
        comes after `ready`.
    """

    kind: EventKind
    root: Path
    done: int = 0
    total: int = 0
    text: str = ""


Listener = Callable[[Event], object]
"""Called in threads of the background; must not take long."""


class _TooManyError(Exception):
    """Ends a refresh that another process will do."""


class WatchedTree:
    """One tree. Made by `WatchedTrees`.

    state: how far it is. indexed: `None` until it could be opened.
    """

    def __init__(self, root: Path, index_dir: str | None) -> None:
        self.root = root
        self.state: State = "opening"
        self.indexed: IndexedRoot | None = None
        self._index_dir = index_dir
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._wakes = threading.Event()
        self._building: Building | None = None
        self._watcher: Watcher | None = None
        self._rebuild = self._is_mending = False
        self._is_reading = False
        self._n_tried_again = 0
        self._said = ""
        self._told: set[str] = set()
        self._teller: threading.Thread | None = None
        self._thread = threading.Thread(target=self._run, name="symindex-tree", daemon=True)

    @property
    def layers(self) -> Layers | None:
        """The index, as it is now; `None` where there is none yet."""
        return self.indexed.layers if self.indexed is not None else None

    def mend(self, error: Exception) -> bool:
        """After reading the index has led to an error: whether it is the index's fault. Then it is made anew."""
        self._is_mending = True
        try:
            if self.indexed is None or not self.indexed.mend(error):
                return False
            self.reindex()
        finally:
            self._is_mending = False
        self._say("notice", text=f"{self.root}: the index was damaged, and is built anew")
        return True

    @property
    def is_being_built(self) -> bool:
        """Whether an index is being made, or will be at once; or one that is damaged is made anew on the way."""
        if self.indexed is None:  # what is to be made anew waits for a root that may never be there
            return False
        return self.state == "indexing" or self._rebuild or self._is_mending or self.indexed.is_refreshing

    @property
    def is_catching_up(self) -> bool:
        """Whether the tree is still to be looked at as a whole: the index may lack what has changed since it was made."""
        if self.state != "ready" or self.indexed is None:
            return self.state in ("opening", "indexing")
        return self.indexed.last_walk is None and not self.warnings

    @property
    def times_mistrusted(self) -> int:
        """As of `Upkeep`."""
        return self.indexed.times_mistrusted if self.indexed is not None else 0

    @property
    def warnings(self) -> list[str]:
        """Why changes are seen late, or not at all, a line each; none where all is well."""
        return self._watcher.notices if self._watcher is not None else []

    def listen(self, listener: Listener) -> None:
        """From now on it is told what happens."""
        with self._lock:
            self._listeners = [*self._listeners, listener]

    def unlisten(self, listener: Listener) -> None:
        """The end of that; whoever listens twice, as a client does that knows a folder by two names, still does once."""
        with self._lock:
            others = self._listeners
            at = next((number for number, other in enumerate(others) if other is listener), len(others))
            self._listeners = [*others[:at], *others[at + 1 :]]

    @property
    def is_wanted(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def start(self) -> None:
        """Begins, in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ends everything; returns when its processes have ended."""
        self._stopped.set()
        self._wakes.set()
        self.cancel()
        if self._thread.ident is not None:
            self._thread.join()
        if self.indexed is not None:
            self.indexed.close()

    def cancel(self) -> None:
        """Ends the reading of files, if some are being read; the index stays as it was until `reindex`."""
        building = self._building
        if building is not None:
            building.cancel()

    def reindex(self) -> None:
        """Reads every file again."""
        self._rebuild = True
        self._wakes.set()

    def tell(self, paths: Iterable[str]) -> None:
        """Files, relative to the root, that somebody says have changed. The following finds them itself, but not everywhere, and
        perhaps later."""
        with self._lock:
            self._told.update(paths)
            if self.state == "ready" and self._told and self._teller is None:
                self._teller = threading.Thread(target=self._take_told, name="symindex-told", daemon=True)
                self._teller.start()

    def _take_told(self) -> None:
        while True:
            with self._lock:
                paths, self._told = self._told, set()
                if not paths or self._stopped.is_set() or self.indexed is None:
                    self._teller = None
                    return
            try:
                self.indexed.refresh(self._progress, paths=paths)
            except _TooManyError:
                self._wakes.set()
            except SymindexError as error:
                self._say("error", text=str(error))

    def _say(self, kind: EventKind, done: int = 0, total: int = 0, text: str = "") -> None:
        if kind == "error":
            if text == self._said:  # it is tried again and again; the user knows
                return
            self._said = text
        for listener in dict.fromkeys(self._listeners):
            listener(Event(kind, self.root, done, total, shown(text)))

    def _run(self) -> None:
        try:
            self._follow()
        except Exception as error:  # a fault of ours, which must not have searches wait for good
            self.state, self._rebuild = "failed", False
            self._say("error", text=f"{self.root}: is not followed any more ({type(error).__name__})")
            raise

    def _follow(self) -> None:
        self._open()
        while not self._stopped.is_set():
            self._wakes.clear()
            self._build()
            if self.state == "ready" and self.indexed is not None and not self._stopped.is_set():
                watcher = self._watcher = self.indexed.follow(on_error=self._fail, on_progress=self._progress)
                self.tell([])
                self._end_when_followed(watcher)
                self._tell_what_hinders(watcher)
            else:
                self._wakes.wait(FAILED_SECONDS if self.state == "failed" else None)
            if self.indexed is not None:
                self.indexed.unfollow()

    def _end_when_followed(self, watcher: "Watcher") -> None:
        """Tells the end of a run once the tree was looked at as a whole again: who then asks has this process to himself."""
        while not (watcher.has_looked or watcher.standing or self._wakes.wait(LOOK_SECONDS)):
            pass
        self._end("")

    def _tell_what_hinders(self, watcher: "Watcher") -> None:
        """Until there is something to do: tells why changes are not seen, as when the root is not there."""
        said: list[str] = []
        while not self._wakes.wait(RETRY_SECONDS):
            standing = watcher.standing
            for notice in standing:
                if notice not in said:
                    self._say("notice", text=notice)
            said = standing

    def _open(self) -> None:
        """Opens the tree, and its index if one is stored; waits for a root that is not there."""
        while not self._stopped.is_set():
            try:
                workspace = IndexedRoot(self.root, self._index_dir, on_problem=self._tell_problem)
                if workspace.root != self.root:  # nobody has looked whether that may be read
                    raise RequestError(f"{self.root}: has become a link, which is not followed: open the folder itself")
                self.indexed = workspace
                workspace.load()
                return
            except SymindexError as error:
                self.state = "failed"
                self._say("error", text=str(error))
            self._stopped.wait(RETRY_SECONDS)

    def _tell_problem(self, problem: str) -> None:
        self._say("error", text=problem)

    def _build(self) -> None:
        workspace = self.indexed
        if workspace is None:
            return
        self.state = "indexing"
        rebuild, self._rebuild = self._rebuild, False
        building = self._building = Building(self.root, workspace.folder.parent, rebuild)
        if self._stopped.is_set():
            self.state = "cancelled"
            return
        if self.layers is None:
            self._begin(0)
        try:
            notices = building.run(self._report)
        except CancelledError:
            self.state = "cancelled"
            self._end("cancelled")
            return
        except SymindexError as error:
            self.state = "failed"
            self._say("error", text=str(error))
            self._end("failed")
            return
        finally:
            self._building = None
        workspace.load()
        self._n_tried_again = self._count_tried_again()
        self.state, self._said = "ready", ""
        for notice in notices:
            self._say("notice", text=notice)
        self._say("ready")

    def _count_tried_again(self) -> int:
        """How many files a run could not read. The next look tries them again, and must not ask for a run because of them: that
        would go on for good."""
        layers = self.layers
        return sum(len(layers.snapshot.files_left_out(reason)) for reason in TRIED_AGAIN) if layers is not None else 0

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
        """Of a refresh that failed while the tree is followed, in the thread that follows."""
        if isinstance(error, _TooManyError):
            self._wakes.set()
        elif isinstance(error, SymindexError):
            self._say("error", text=str(error))
        else:
            self._say("error", text=f"{self.root}: an update failed: {' '.join(str(error).split()) or type(error).__name__}")


class WatchedTrees:
    """All trees that somebody wants; may be used from any thread."""

    def __init__(self) -> None:
        self._trees: dict[tuple[Path, str | None], WatchedTree] = {}
        self._lock = threading.Lock()

    def take(self, root: Path, index_dir: str | None, listener: Listener) -> WatchedTree:
        """The tree below a folder, followed from now on until everybody who took it has left it."""
        with self._lock:
            tree = self._trees.get((root, index_dir))
            if tree is None:
                tree = self._trees[root, index_dir] = WatchedTree(root, index_dir)
                tree.listen(listener)
                tree.start()
            else:
                tree.listen(listener)
            return tree

    def leave(self, tree: WatchedTree, listener: Listener) -> None:
        """Somebody does not want a tree any more. Waits for its end, where it is followed for nobody else."""
        with self._lock:
            tree.unlisten(listener)
            if tree.is_wanted:
                return
            self._trees = {key: other for key, other in self._trees.items() if other is not tree}
        tree.stop()
