"""A watcher reports which files of a tree may have changed: from the system's events, or by sweeps
where there are none.

It never reports too little. Its first report, once it watches, is "look at everything", which finds
earlier changes. The same report follows wherever something may have been missed: many changes at
once, a folder that is gone, changed ignore rules, a root that was deleted and made again, a commit
or checkout, and from time to time in a quiet tree, in case the system lost an event. So a listener
that looks at what is reported, in this order, ends up with what is on disk.
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
from symindex.files.walk import FoundFile, Wanted, walk_tree
from symindex.files.watch.change import CannotWatchError
from symindex.files.watch.events import MANY_PATHS, BusyTreeError, Events, remote_type

TICK_SECONDS: Final = 0.5
"""How often the root's identity is checked, and the rule files that are in no watched folder."""

SAFETY_SECONDS: Final = 60.0
"""When a quiet tree is looked at again, in case the system lost an event. The time doubles while
nothing happens at all."""

LONGEST_SAFETY_SECONDS: Final = 960.0

REMOTE_SECONDS: Final = 5.0
"""The same where other machines may change files without an event."""

SWEEP_SECONDS: Final = 1.0
"""The shortest time between two sweeps, where nothing can be watched."""

SWEEP_SHARE: Final = 0.05
"""The share of a core for sweeps, and for looks at what git or another machine may have changed."""

SAFETY_SHARE: Final = 0.005
"""The same for looks at a quiet tree."""

RETRY_SECONDS: Final = 60.0
"""How long to sweep before the system is asked for events again; doubled each time that it
refuses."""

LONGEST_RETRY_SECONDS: Final = 600.0

CHEAP_SECONDS: Final = 0.05
"""What a look at the whole tree may take where an answer waits for it."""

OWED_SECONDS: Final = 1.0
"""When a listener that failed is called again; doubled each time that it fails, up to
`SAFETY_SECONDS`."""

STOP_SECONDS: Final = 10.0
"""How long `stop` waits for a listener that is at work."""

Listener = Callable[[frozenset[str] | None], object]
"""Called with the paths of files that may have changed, relative to the root; `None` means
everything."""

_Stamps = tuple[tuple[int, ...], ...]
"""Stamps of some files, which change when the files do; a missing one has an empty stamp."""


class Watcher:
    """Follows one tree, in a thread of its own, from `start` to `stop`.

    Args:
        root: the tree. wanted: as for `walk_tree`; changes of other files are not reported. It may
        be replaced at any time: `on_change(None)`
            follows once the watching fits it.
        on_change: called in the watcher's thread, never twice at a time. It may raise anything:
        that goes to `on_error`, and
            `on_change(None)` follows a little later.
        on_error: called with what `on_change` raised. `notices` holds the last one, too.
        rule_files: more files whose change means that everything has to be looked at.

    hindrance: of the watching itself: why there are only sweeps, or that there is no root; empty
    where nothing hinders it.
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
        self.wanted = self._watched = wanted
        self._on_change = on_change
        self._on_error = on_error
        self._rule_files = tuple(rule_files)
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self.hindrance = ""
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
        # Of `settle`: the calls so far, those whose changes were told, and whether that can be
        # known.
        self._settling = threading.Condition()
        self._n_asked = self._n_settled = 0
        self._events: Events | None = None

    def start(self) -> None:
        """Begins, and returns at once: the first `on_change(None)` means that the tree is watched.
        A running watcher goes on."""
        if self.is_watching:
            return
        if self._thread is not None:
            self._thread.join()
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, name="symindex-watch", daemon=True)
        self._thread.start()
        # A thread that returns from native code while the interpreter shuts down would crash the
        # process.
        atexit.register(self.stop)

    def stop(self) -> None:
        """Ends the watching. Waits at most `STOP_SECONDS` for an `on_change` that is running, after
        which the thread ends."""
        self._stop.set()
        with self._settling:
            if self._events is not None:
                self._events.wake()
        atexit.unregister(self.stop)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(STOP_SECONDS)

    @property
    def is_watching(self) -> bool:
        """Whether changes are followed, by events or sweeps."""
        return self._thread is not None and self._thread.is_alive() and not self._stop.is_set()

    @property
    def is_prompt(self) -> bool:
        """Whether the system tells at once of everything that happens in the tree."""
        events = self._events
        return events is not None and events.is_prompt and not self._is_remote

    def settle(self, seconds: float) -> bool:
        """Waits, at most for so long, until the listener was told of all that has happened in the
        tree before this call. Whether that is certain; it never is where the tree is swept, or
        other machines change it."""
        latest = time.monotonic() + seconds
        with self._settling:
            self._n_asked += 1
            asked = self._n_asked
            while self.is_watching:
                if self._n_settled >= asked:
                    return not self._failure
                if self._events is None or not self.is_prompt:
                    return False
                self._tick_at = 0.0  # the rule files are looked at, too
                self._events.wake()
                if (
                    not self._settling.wait(latest - time.monotonic())
                    and time.monotonic() >= latest
                ):
                    return False
        return False

    def _mark_settled(self, asked: int) -> None:
        with self._settling:
            self._n_settled = max(self._n_settled, asked)
            self._settling.notify_all()

    @property
    def is_cheap(self) -> bool:
        """Whether a look at the whole tree takes but a moment."""
        return self.has_looked and self._look_cost <= CHEAP_SECONDS

    @property
    def has_looked(self) -> bool:
        """Whether `on_change(None)` was called since the beginning."""
        return self._looked_at > 0

    @property
    def notices(self) -> list[str]:
        """What is wrong, a line each: the hindrance, and the failure of the listener, until it
        succeeds."""
        return [*filter(None, (self.hindrance, self._failure))]

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with in_background():
                    self._watch()
            except Exception as error:  # the watching goes on, whatever happens to the tree
                self._report(error)
                self._stop.wait(SWEEP_SECONDS)

    def _watch(self) -> None:
        """Watches or sweeps until everything has to be looked at again."""
        if not _is_listable(self.root):
            self.hindrance = f"{self.root}: is not there, or cannot be listed; waiting for it"
            self._stop.wait(TICK_SECONDS)
            return
        self._watched = self.wanted
        # Stamps first, then the watch, then the look: a change in between is noticed by one or the
        # other.
        rules = [*self._rule_files, *files_above(self.root)]
        git = git_state(self.root)
        self._rules, self._git = (rules, _stamps(self.root, rules)), (git, _stamps(None, git))
        events = self._open_events()
        if events is None:
            seen, cost = self._list()
            self._look()
            self._sweep(seen, cost)
            return
        asked = self._n_asked
        self._events = events
        try:
            self._look()
            self._mark_settled(asked)
            self._follow(events)
        finally:
            with self._settling:
                self._events = None
                self._settling.notify_all()
            events.close()

    def _open_events(self) -> Events | None:
        """The system's events; `None` where there are none, or it is too early to ask for them
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
        except BusyTreeError:  # until it rests, sweeps have to do
            self.hindrance = ""
            self._ask_at = time.monotonic() + max(SWEEP_SECONDS, 2 * self._look_cost)
            return None
        except CannotWatchError as error:
            self._give_up(error, RETRY_SECONDS)
            return None
        remote = remote_type(self.root)
        self._is_remote = bool(remote)
        late = (
            f"{self.root}: what other machines change on {remote} raises no events, and is found"
            " later"
        )
        self.hindrance = late if remote else ""
        return events

    def _give_up(self, error: CannotWatchError, seconds: float) -> None:
        self.hindrance = (
            f"{self.root}: cannot be watched, and is looked through now and then: {error}"
        )
        self._ask_at = time.monotonic() + min(seconds * 2**self._n_refusals, LONGEST_RETRY_SECONDS)
        self._n_refusals += 1

    def _follow(self, events: Events) -> None:
        """Passes on the system's events, until everything has to be looked at."""
        began = time.monotonic()
        look_at = began + self._patience()
        try:
            while not self._stop.is_set():
                asked = self._n_asked
                paths = events.wait(lambda: self._stop.is_set() or self._is_due(look_at))
                self._has_heard |= bool(paths) or (paths is None and time.monotonic() < look_at)
                if paths is None:
                    return
                if paths:
                    self._tell(paths)
                self._mark_settled(asked)
        except CannotWatchError as error:
            self._give_up(error, SWEEP_SECONDS)
        finally:
            if time.monotonic() > began + RETRY_SECONDS:
                self._n_refusals = 0

    def _patience(self) -> float:
        """How long to trust that the system reports everything."""
        if self._is_remote:
            return max(REMOTE_SECONDS, self._look_cost / SWEEP_SHARE)
        self._safety = (
            SAFETY_SECONDS if self._has_heard else min(self._safety * 2, LONGEST_SAFETY_SECONDS)
        )
        self._has_heard = False
        return max(self._safety, self._look_cost / SAFETY_SHARE)

    def _is_due(self, look_at: float) -> bool:
        """Whether everything has to be looked at, for a reason that is no event. Called many times
        a second."""
        now = time.monotonic()
        if now < self._tick_at:
            return False
        self._tick_at = now + TICK_SECONDS
        if (
            self.wanted != self._watched
            or now >= look_at
            or (self._owed_at is not None and now >= self._owed_at)
        ):
            return True
        if _stamps(self.root, self._rules[0]) != self._rules[1]:
            return True
        # git's own files change with every commit. The events have reported most of that, so this
        # can wait.
        return (
            now >= self._looked_at + self._look_cost / SWEEP_SHARE
            and _stamps(None, self._git[0]) != self._git[1]
        )

    def _sweep(self, seen: dict[str, FoundFile], cost: float) -> None:
        """Compares the tree with what it was, now and then, until everything has to be looked at,
        or events are asked for again."""
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
            found, cost = self._list()
            if not _is_listable(self.root):
                return
            paths = {path for path, file in found.items() if seen.get(path) != file} | (
                seen.keys() - found.keys()
            )
            seen = found
            if paths:
                self._tell(frozenset(paths) if len(paths) <= MANY_PATHS else None)

    def _list(self) -> tuple[dict[str, FoundFile], float]:
        """The files of the tree by path, and how many seconds of the processor it took to list
        them."""
        began = time.thread_time()
        walk = walk_tree(self.root, self._watched)
        return {file.path: file for file in walk.files}, time.thread_time() - began

    def _look(self) -> None:
        began = time.thread_time()
        self._tell(None)
        self._looked_at, self._look_cost = time.monotonic(), time.thread_time() - began

    def _tell(self, paths: frozenset[str] | None) -> None:
        """Calls the listener. After a failure, it has to look at everything."""
        if self._stop.is_set():
            return
        try:
            self._on_change(paths if self._owed_at is None else None)
        except Exception as error:  # a listener may fail; it is called again
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
    """The identity of the root, if there is one, and stamps of the files."""
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
