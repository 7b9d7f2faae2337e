"""A watcher says which files of a tree may have changed: from the system's events, or by a sweep where there are none.

What it says is never too little. The first word, once it watches, is "look at everything": what changed before is found then.
The same is said wherever something may have been missed: many changes at once, a folder that has gone, changed ignore rules, a
root that was deleted and made again, a commit or checkout, and from time to time a quiet tree, for what the system lost without
a word. So a listener that looks at what it is told, in the order it is told, ends up with what is on disk.
"""

import atexit
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Literal

from symindex.files.ignore.git_repository import files_above, git_state
from symindex.files.walk import FoundFile, Wanted, walk_tree
from symindex.files.watch.events import MANY_PATHS, BusyTreeError, CannotWatchError, Events, remote_type

TICK_SECONDS: Final = 0.5
"""How often the root's identity, and the rule files that no watched folder holds, are looked at."""

SAFETY_SECONDS: Final = 60.0
"""A quiet tree is looked at this long after the last look, in case the system lost an event; then after twice as long, and so on
while nothing happens at all."""

LONGEST_SAFETY_SECONDS: Final = 960.0

REMOTE_SECONDS: Final = 5.0
"""The same where other machines change files without an event."""

SWEEP_SECONDS: Final = 1.0
"""The shortest time between two sweeps, where nothing can be watched."""

SWEEP_SHARE: Final = 0.05
"""The largest part of a core that sweeps may take, and what is looked at because git or another machine may have changed it."""

SAFETY_SHARE: Final = 0.005
"""The same for looks at a quiet tree."""

RETRY_SECONDS: Final = 60.0
"""How long to sweep before the system is asked again for events; doubled each time that it refuses."""

LONGEST_RETRY_SECONDS: Final = 600.0

OWED_SECONDS: Final = 1.0
"""How long after a failed listener it is asked to look at everything; doubled each time that it fails, up to `SAFETY_SECONDS`."""

STOP_SECONDS: Final = 10.0
"""How long `stop` waits for a listener that is at work."""

Mode = Literal["events", "sweep", ""]

Listener = Callable[[frozenset[str] | None], object]
"""Called with the paths of files that may have changed, relative to the root; `None`: look at everything."""


_Stamps = tuple[tuple[int, ...], ...]
"""What tells whether files are still the ones they were; a missing one has an empty stamp."""


class Watcher:
    """Follows one tree, in a thread of its own, from `start` to `stop`; a context manager does both.

    Args:
        root: the tree.
        wanted: as for `walk_tree`; other files wake nobody.
        on_change: called in the watcher's thread, never twice at a time. Raises what it likes: `on_error` is told, and it is
            asked to look at everything a little later.
        on_error: told what `on_change` raised. Default: `notices` holds the last one.
        rule_files: more files whose change means that everything has to be looked at.
    """

    def __init__(
        self,
        root: Path,
        wanted: Wanted,
        on_change: Listener,
        on_error: Callable[[Exception], object] | None = None,
        rule_files: Iterable[Path] = (),
    ) -> None:
        self.root = root
        self._wanted = self._watched = wanted
        self._on_change = on_change
        self._on_error = on_error
        self._rule_files = tuple(rule_files)
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._mode: Mode = ""
        self._why = ""
        self._failure = ""
        self._rules: tuple[list[Path], _Stamps] = ([], ())
        self._git: tuple[list[Path], _Stamps] = ([], ())
        self._tick_at = 0.0
        self._looked_at = 0.0
        self._look_cost = 0.0
        self._has_heard = False
        self._safety = SAFETY_SECONDS
        self._is_remote = False
        self._owed_at: float | None = None
        self._n_failures = 0
        self._ask_at = 0.0
        self._n_refusals = 0

    def __enter__(self) -> "Watcher":
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Begins, and returns at once: `on_change(None)` tells when the tree is watched. A running watcher goes on."""
        if self.is_watching:
            return
        if self._thread is not None:
            self._thread.join()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._stop,), name="symindex-watch", daemon=True)
        self._thread.start()
        # A thread that comes back from foreign code while the interpreter ends would bring the process down.
        atexit.register(self.stop)

    def stop(self) -> None:
        """Ends the watching: soon, or when `on_change` returns, if it is at work; that is waited for at most `STOP_SECONDS`."""
        self._stop.set()
        atexit.unregister(self.stop)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(STOP_SECONDS)

    def want(self, wanted: Wanted) -> None:
        """Other files count from now on: `on_change` is asked to look at everything once the watching is as they need it."""
        if wanted != self._wanted:
            self._wanted = wanted

    @property
    def is_watching(self) -> bool:
        """Whether changes are followed, by events or sweeps."""
        return self._thread is not None and self._thread.is_alive() and not self._stop.is_set()

    @property
    def mode(self) -> Mode:
        """How changes are noticed; empty before the first look, while the root is not there, and after the end."""
        return self._mode if self.is_watching else ""

    @property
    def has_looked(self) -> bool:
        """Whether `on_change` was asked to look at everything since the beginning."""
        return self._looked_at > 0

    @property
    def notices(self) -> list[str]:
        """What is not as it should be, a line each: `standing`, and that the listener failed, until it succeeds."""
        return [*self.standing, self._failure] if self._failure else self.standing

    @property
    def standing(self) -> list[str]:
        """What hinders the watching itself: why there are only sweeps, a root that is not there."""
        return [self._why] if self._why else []

    def _run(self, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                self._watch(stop)
            except Exception as error:  # the watching outlives whatever happens to the tree meanwhile
                self._report(error)
                stop.wait(SWEEP_SECONDS)

    def _watch(self, stop: threading.Event) -> None:
        """Watches or sweeps until everything has to be looked at again."""
        if not _is_listable(self.root):
            self._mode, self._why = "", f"{self.root}: is not there, or cannot be listed; waiting for it"
            stop.wait(TICK_SECONDS)
            return
        self._watched = self._wanted
        # Stamps first, then the watch, then the look: what changes in between is seen by the one or the other.
        rules = [*self._rule_files, *files_above(self.root)]
        git = git_state(self.root)
        self._rules, self._git = (rules, _stamps(self.root, rules)), (git, _stamps(None, git))
        events = self._open_events()
        if events is None:
            seen, cost = self._list()
            self._look(stop)
            self._sweep(stop, seen, cost)
            return
        try:
            self._look(stop)
            self._follow(stop, events)
        finally:
            events.close()

    def _open_events(self) -> Events | None:
        """The system's events; `None` where there are none, and while it is not yet time to ask for them again."""
        if time.monotonic() < self._ask_at:
            return None
        try:
            if os.environ.get("WATCHFILES_FORCE_POLLING", "").lower() not in ("", "false", "disable", "disabled"):
                raise CannotWatchError("WATCHFILES_FORCE_POLLING is set")
            events = Events(self.root, self._watched)
        except BusyTreeError:  # until it rests, sweeps tell what is there
            self._mode, self._why = "sweep", ""
            self._ask_at = time.monotonic() + max(SWEEP_SECONDS, 2 * self._look_cost)
            return None
        except CannotWatchError as error:
            self._give_up(error, RETRY_SECONDS)
            return None
        remote = remote_type(self.root)
        self._is_remote = bool(remote)
        self._mode = "events"
        self._why = f"{self.root}: what other machines change on {remote} raises no events, and is found later" if remote else ""
        return events

    def _give_up(self, error: CannotWatchError, seconds: float) -> None:
        self._mode, self._why = "sweep", f"{self.root}: cannot be watched, and is looked through now and then: {error}"
        self._ask_at = time.monotonic() + min(seconds * 2**self._n_refusals, LONGEST_RETRY_SECONDS)
        self._n_refusals += 1

    def _follow(self, stop: threading.Event, events: Events) -> None:
        """Passes on what the system says, until everything has to be looked at."""
        began = time.monotonic()
        look_at = began + self._patience()
        try:
            while not stop.is_set():
                paths = events.wait(lambda: stop.is_set() or self._is_due(look_at))
                self._has_heard |= paths is not None or time.monotonic() < look_at
                if paths is None:
                    return
                if paths:
                    self._tell(stop, paths)
        except CannotWatchError as error:
            self._give_up(error, SWEEP_SECONDS)
        finally:
            if time.monotonic() > began + RETRY_SECONDS:
                self._n_refusals = 0

    def _patience(self) -> float:
        """How long to trust that the system tells everything."""
        if self._is_remote:
            return max(REMOTE_SECONDS, self._look_cost / SWEEP_SHARE)
        self._safety = SAFETY_SECONDS if self._has_heard else min(self._safety * 2, LONGEST_SAFETY_SECONDS)
        self._has_heard = False
        return max(self._safety, self._look_cost / SAFETY_SHARE)

    def _is_due(self, look_at: float) -> bool:
        """Whether everything has to be looked at, for a reason that is no event. Asked many times a second."""
        now = time.monotonic()
        if now < self._tick_at:
            return False
        self._tick_at = now + TICK_SECONDS
        if self._wanted is not self._watched or now >= look_at or (self._owed_at is not None and now >= self._owed_at):
            return True
        if _stamps(self.root, self._rules[0]) != self._rules[1]:
            return True
        # git's own files change with every commit; the events have told most of it, so this can wait.
        return now >= self._looked_at + self._look_cost / SWEEP_SHARE and _stamps(None, self._git[0]) != self._git[1]

    def _sweep(self, stop: threading.Event, seen: dict[str, FoundFile], cost: float) -> None:
        """Compares what is there with what was there, now and then, until it is time to look at everything, or to ask again."""
        while True:
            stop.wait(min(max(SWEEP_SECONDS, cost / SWEEP_SHARE), max(self._ask_at - time.monotonic(), 0)))
            if stop.is_set() or time.monotonic() >= self._ask_at or self._is_due(float("inf")):
                return
            found, cost = self._list()
            if not _is_listable(self.root):
                return
            paths = {path for path, file in found.items() if seen.get(path) != file} | (seen.keys() - found.keys())
            seen = found
            if paths:
                self._tell(stop, frozenset(paths) if len(paths) <= MANY_PATHS else None)

    def _list(self) -> tuple[dict[str, FoundFile], float]:
        """The files of the tree by their paths, and the seconds that it took to list them."""
        began = time.perf_counter()
        walk = walk_tree(self.root, self._watched)
        return {file.path: file for file in walk.files}, time.perf_counter() - began

    def _look(self, stop: threading.Event) -> None:
        began = time.thread_time()
        self._tell(stop, None)
        self._looked_at, self._look_cost = time.monotonic(), time.thread_time() - began

    def _tell(self, stop: threading.Event, paths: frozenset[str] | None) -> None:
        """Tells the listener; what it could not take is owed to it, and then everything has to be looked at."""
        if stop.is_set():
            return
        try:
            self._on_change(paths if self._owed_at is None else None)
        except Exception as error:  # a listener's error is its own: reported, and asked again
            if stop.is_set():
                return
            self._owed_at = time.monotonic() + min(OWED_SECONDS * 2**self._n_failures, SAFETY_SECONDS)
            self._n_failures += 1
            self._report(error)
        else:
            self._owed_at, self._n_failures, self._failure = None, 0, ""

    def _report(self, error: Exception) -> None:
        self._failure = f"{self.root}: an update failed: {' '.join(str(error).split()) or type(error).__name__}"
        if self._on_error is not None:
            with suppress(Exception):
                self._on_error(error)


def _is_listable(root: Path) -> bool:
    try:
        with os.scandir(root):
            return True
    except OSError:
        return False


def _stamps(root: Path | None, files: list[Path]) -> _Stamps:
    """The identity of a root, and what tells whether files have changed."""
    stamps: list[tuple[int, ...]] = []
    for path in files if root is None else [root, *files]:
        try:
            status = os.stat(path)
        except OSError:
            stamps.append(())
        else:
            identity = (status.st_dev, status.st_ino)
            stamps.append(identity if path is root else (*identity, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return tuple(stamps)
