"""Reports which files of a tree may have changed: from the system's events, or by sweeps if there
are none.

A watcher never reports too little. Its first report, once it watches, is "check everything", which
covers earlier changes. It reports the same wherever something may have been missed: many changes at
once, a folder that is gone, changed ignore rules, a root that was deleted and made again, a commit
or checkout, and from time to time in a quiet tree, in case the system lost an event. So a listener
that checks what is reported, in this order, ends up with the state on the disk.
"""

import atexit
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from symindex.background import in_background
from symindex.files.ignore.git_repository import files_above, git_state
from symindex.files.walk import FileFilter, FoundFile, walk_tree
from symindex.files.watch.change import CannotWatchError
from symindex.files.watch.events import MANY_PATHS, BusyTreeError, Events, remote_type

TICK_SECONDS: Final = 0.5
"""How often to check the identity of the root, and the rule files outside watched folders, in
seconds."""

SAFETY_SECONDS: Final = 60.0
"""After how many seconds to check a quiet tree again, in case the system lost an event. Doubles
while nothing happens at all."""

LONGEST_SAFETY_SECONDS: Final = 960.0

REMOTE_SECONDS: Final = 5.0
"""After how many seconds to check a tree that other machines may change without an event."""

SWEEP_SECONDS: Final = 1.0
"""Shortest time between two sweeps, in seconds, where nothing can be watched."""

SWEEP_SHARE: Final = 0.05
"""Share of a core for sweeps, and for checking what git or another machine may have changed."""

SAFETY_SHARE: Final = 0.005
"""Share of a core for checking a quiet tree."""

RETRY_SECONDS: Final = 60.0
"""How many seconds to sweep before asking the system for events again. Doubles each time that it
refuses."""

LONGEST_RETRY_SECONDS: Final = 600.0

CHEAP_SECONDS: Final = 0.05
"""Longest check of the whole tree, in seconds, that an answer may wait for."""

OWED_SECONDS: Final = 1.0
"""After how many seconds to call a listener again that has failed. Doubles with each failure, up to
`SAFETY_SECONDS`."""

STOP_SECONDS: Final = 10.0
"""How many seconds `stop` waits for a listener that is running."""

Listener = Callable[[frozenset[str] | None], object]
"""Called with the paths of files that may have changed, relative to the root; `None` means all."""

_Stamps = tuple[tuple[int, ...], ...]
"""Stamps of files, which change when the files do. A missing file has an empty stamp."""


class Watcher:
    """Follows one tree, in a thread of its own, from `start` to `stop`.

    Args:
        root: the root of the tree.
        file_filter: as in `walk_tree`; changes of other files are not reported. It may be
        replaced at any time: `on_change(None)` follows once the watching fits it.
        on_change: called in the watcher's thread, one call at a time. It may raise anything: the
        error goes to `on_error`, and `on_change(None)` follows a little later.
        on_error: called with the error of `on_change`. `notices` includes the last one.
        rule_files: more files whose change means that everything has to be checked.

    hindrance: why there are only sweeps, or that the root does not exist; empty if nothing hinders
    the watching.
    """

    def __init__(
        self,
        root: Path,
        file_filter: FileFilter,
        on_change: Listener,
        on_error: Callable[[Exception], object] | None = None,
        rule_files: Iterable[Path] = (),
    ) -> None:
        self.root = root
        self.file_filter = self._watched = file_filter
        self._on_change = on_change
        self._on_error = on_error
        self._rule_files = tuple(rule_files)
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.hindrance: str = ""
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
        # For `settle`: how many calls there were, and up to which one all changes have been
        # reported.
        self._settling = threading.Condition()
        self._n_asked = self._n_settled = 0
        self._events: Events | None = None

    def start(self) -> None:
        """Starts watching and returns at once: the first `on_change(None)` means that the tree is
        watched. Does nothing if the watcher is running."""
        if self.is_watching:
            return
        if self._thread is not None:
            self._thread.join()
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, name="symindex-watch", daemon=True)
        self._thread.start()
        # A thread that returned from native code while the interpreter shuts down would crash the
        # process.
        atexit.register(self.stop)

    def stop(self) -> None:
        """Stops watching. Waits at most `STOP_SECONDS` for a running `on_change`, after which the
        thread ends."""
        self._stop.set()
        with self._settling:
            if self._events is not None:
                self._events.wake()
        atexit.unregister(self.stop)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(STOP_SECONDS)

    @property
    def is_watching(self) -> bool:
        """Whether the watcher follows changes, by events or sweeps."""
        return self._thread is not None and self._thread.is_alive() and not self._stop.is_set()

    @property
    def is_prompt(self) -> bool:
        """Whether the system reports at once everything that happens in the tree."""
        events = self._events
        return events is not None and events.is_prompt and not self._is_remote

    def settle(self, seconds: float) -> bool:
        """Waits until every change made before this call has been reported, or `seconds` have
        passed.

        Returns whether it is certain that all were. It never is if the tree is swept, or if other
        machines change it.
        """
        latest = time.monotonic() + seconds
        with self._settling:
            self._n_asked += 1
            call = self._n_asked
            while self.is_watching:
                if self._n_settled >= call:
                    return not self._failure
                if self._events is None or not self.is_prompt:
                    return False
                self._tick_at = 0.0  # check the rule files as well
                self._events.wake()
                if (
                    not self._settling.wait(latest - time.monotonic())
                    and time.monotonic() >= latest
                ):
                    return False
        return False

    def _mark_settled(self, call: int) -> None:
        with self._settling:
            self._n_settled = max(self._n_settled, call)
            self._settling.notify_all()

    @property
    def is_cheap(self) -> bool:
        """Whether checking the whole tree takes only a moment."""
        return self.has_looked and self._look_cost <= CHEAP_SECONDS

    @property
    def has_looked(self) -> bool:
        """Whether `on_change(None)` has been called since the start."""
        return self._looked_at > 0

    @property
    def notices(self) -> list[str]:
        """The current problems, one line each: the hindrance, and the failure of the listener until
        it succeeds."""
        return [*filter(None, (self.hindrance, self._failure))]

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with in_background():
                    self._watch()
            except Exception as error:  # watching goes on, whatever happens to the tree
                self._report(error)
                self._stop.wait(SWEEP_SECONDS)

    def _watch(self) -> None:
        """Watches or sweeps until everything has to be checked again."""
        if not _is_listable(self.root):
            self.hindrance = f"{self.root}: does not exist, or cannot be listed; waiting for it"
            self._stop.wait(TICK_SECONDS)
            return
        self._watched = self.file_filter
        # Stamps first, then the watch, then the check: one of them notices a change in between.
        rules = [*self._rule_files, *files_above(self.root)]
        git = git_state(self.root)
        self._rules, self._git = (rules, _stamps(self.root, rules)), (git, _stamps(None, git))
        events = self._open_events()
        if events is None:
            files, cost = self._list()
            self._look()
            self._sweep(files, cost)
            return
        call = self._n_asked
        self._events = events
        try:
            self._look()
            self._mark_settled(call)
            self._follow(events)
        finally:
            with self._settling:
                self._events = None
                self._settling.notify_all()
            events.close()

    def _open_events(self) -> Events | None:
        """Opens the system's events; returns `None` if there are none, or if it is too early to ask
        again."""
        if time.monotonic() < self._ask_at:
            return None
        try:
            if os.environ.get("WATCHFILES_FORCE_POLLING", "").lower() not in (
                "",
                "false",
                "disable",
                "disabled",
            ):
                raise CannotWatchError("WATCHFILES_FORCE_POLLING is set")
            events = Events(self.root, self._watched)
        except BusyTreeError:  # sweeps have to do until it rests
            self.hindrance = ""
            self._ask_at = time.monotonic() + max(SWEEP_SECONDS, 2 * self._look_cost)
            return None
        except CannotWatchError as error:
            self._give_up(error, RETRY_SECONDS)
            return None
        remote = remote_type(self.root)
        self._is_remote = bool(remote)
        late = (
            f"{self.root}: changes by other machines on {remote} raise no events and are found"
            " later"
        )
        self.hindrance = late if remote else ""
        return events

    def _give_up(self, error: CannotWatchError, seconds: float) -> None:
        self.hindrance = f"{self.root}: cannot be watched and is checked from time to time: {error}"
        self._ask_at = time.monotonic() + min(seconds * 2**self._n_refusals, LONGEST_RETRY_SECONDS)
        self._n_refusals += 1

    def _follow(self, events: Events) -> None:
        """Passes on the system's events until everything has to be checked."""
        began = time.monotonic()
        look_at = began + self._patience()
        try:
            while not self._stop.is_set():
                call = self._n_asked
                paths = events.wait(lambda: self._stop.is_set() or self._is_due(look_at))
                self._has_heard |= bool(paths) or (paths is None and time.monotonic() < look_at)
                if paths is None:
                    return
                if paths:
                    self._tell(paths)
                if self._has_new_rules():  # what was told may be of other files by now
                    return
                self._mark_settled(call)
        except CannotWatchError as error:
            self._give_up(error, SWEEP_SECONDS)
        finally:
            if time.monotonic() > began + RETRY_SECONDS:
                self._n_refusals = 0

    def _has_new_rules(self) -> bool:
        return _stamps(self.root, self._rules[0]) != self._rules[1]

    def _patience(self) -> float:
        """Returns for how many seconds to trust that the system reports everything."""
        if self._is_remote:
            return max(REMOTE_SECONDS, self._look_cost / SWEEP_SHARE)
        self._safety = (
            SAFETY_SECONDS if self._has_heard else min(self._safety * 2, LONGEST_SAFETY_SECONDS)
        )
        self._has_heard = False
        return max(self._safety, self._look_cost / SAFETY_SHARE)

    def _is_due(self, look_at: float) -> bool:
        """Whether everything has to be checked for a reason that raises no event. Called many times
        a second."""
        now = time.monotonic()
        if now < self._tick_at:
            return False
        self._tick_at = now + TICK_SECONDS
        if (
            self.file_filter != self._watched
            or now >= look_at
            or (self._owed_at is not None and now >= self._owed_at)
        ):
            return True
        if self._has_new_rules():
            return True
        # git's own files change with every commit. The events have reported most of that, so this
        # can wait.
        return (
            now >= self._looked_at + self._look_cost / SWEEP_SHARE
            and _stamps(None, self._git[0]) != self._git[1]
        )

    def _sweep(self, previous: dict[str, FoundFile], cost: float) -> None:
        """Compares the tree with its earlier state from time to time, until everything has to be
        checked or it is time to ask for events again."""
        while True:
            self._stop.wait(
                min(max(SWEEP_SECONDS, cost / SWEEP_SHARE), max(self._ask_at - time.monotonic(), 0))
            )
            if (
                self._stop.is_set()
                or time.monotonic() >= self._ask_at
                or self._is_due(float("inf"))
            ):
                return
            current, cost = self._list()
            if not _is_listable(self.root):
                return
            paths = {path for path, file in current.items() if previous.get(path) != file} | (
                previous.keys() - current.keys()
            )
            previous = current
            if paths:
                self._tell(frozenset(paths) if len(paths) <= MANY_PATHS else None)

    def _list(self) -> tuple[dict[str, FoundFile], float]:
        """Returns the files of the tree by path, and the processor time for listing them, in
        seconds."""
        began = time.thread_time()
        walk = walk_tree(self.root, self._watched)
        return {file.path: file for file in walk.files}, time.thread_time() - began

    def _look(self) -> None:
        began = time.thread_time()
        self._tell(None)
        self._looked_at, self._look_cost = time.monotonic(), time.thread_time() - began

    def _tell(self, paths: frozenset[str] | None) -> None:
        """Calls the listener. After a failure, the listener has to check everything."""
        if self._stop.is_set():
            return
        try:
            self._on_change(paths if self._owed_at is None else None)
        except Exception as error:  # the listener is called again
            if self._stop.is_set():
                return
            self._owed_at = time.monotonic() + min(
                OWED_SECONDS * 2**self._n_failures, SAFETY_SECONDS
            )
            self._n_failures += 1
            self._report(error)
        else:
            self._owed_at, self._n_failures, self._failure = None, 0, ""

    def _report(self, error: Exception) -> None:
        self._failure = (
            f"{self.root}: an update failed: {' '.join(str(error).split()) or type(error).__name__}"
        )
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
    """Returns the identity of the root, if given, and the stamps of the files."""
    stamps: list[tuple[int, ...]] = []
    for path in files if root is None else [root, *files]:
        try:
            status = os.stat(path)
        except OSError:
            stamps.append(())
        else:
            identity = (status.st_dev, status.st_ino)
            stamps.append(
                identity
                if path is root
                else (*identity, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            )
    return tuple(stamps)
