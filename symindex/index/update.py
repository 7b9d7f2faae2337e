"""IndexUpdater: brings the stored index of a tree up to date with the disk.

Changed files become an overlay (`index/overlay`), which is searchable at once and stored a moment
later. Nothing stored is changed in place, so a process that is killed at any moment leaves either
the old state or the new one.
"""

import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from symindex.errors import (
    DamagedIndexError,
    IndexFileError,
    OutdatedIndexError,
    StorageError,
    UnwritableError,
    shown,
)
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.skips import SkipReason
from symindex.files.spot_check import SpotCheck
from symindex.files.walk import Walk
from symindex.index.changes import Changes, compare
from symindex.index.columns.columns import Index
from symindex.index.overlay import Layers, live_sources
from symindex.index.store import FILE_NAME, Store, is_cut, is_sound, writing
from symindex.settings import Settings
from symindex.workers.isolation import python_command

if TYPE_CHECKING:
    import subprocess

    from symindex.workers.pool import SpareWorker

LOCK_SECONDS: Final = 600.0
"""Longest wait for another process that writes the same index, in seconds."""

MANY: Final = 0.3
"""Share of changed files above which the index is rebuilt: an overlay would be merged at once."""

Progress = Callable[[int, int], None]
"""Called with the number of files done, and of all files."""


class IndexUpdater:
    """The stored index of one tree.

    layers: as last loaded or made, `None` before; searches use them from any thread. is_partial:
    whether a part of what is stored could not be loaded. unstored: why the layers of the last
    refresh could not be stored; else empty. notices: problems that were repaired, until somebody
    takes them. n_repairs: how often a damaged index was dropped.
    """

    def __init__(
        self, root: Path, folder: PrivateFolder, languages: Languages, rules: bytes
    ) -> None:
        self.root = root
        self.store: Store = Store(folder, rules)
        self.languages = languages
        self.layers: Layers | None = None
        self.is_partial: bool = False
        self.unstored: str = ""
        self._damage = ""
        self.notices: list[str] = []
        self.n_repairs: int = 0
        self._rules = rules
        # Protects what is in memory. If both locks are needed, the right to write is taken first.
        self._lock = threading.RLock()
        self._merger: threading.Thread | None = None
        self._spare: SpareWorker | None = None

    def load(self) -> Layers | None:
        """Returns the stored layers, from memory if those are the same; `None` if none are usable.
        Running searches keep the layers that they have."""
        with self._lock:
            if self.layers is not None and self.store.is_current:
                return self.layers
            try:
                layers, problems = self.store.load()
            except OutdatedIndexError:
                return None
            except IndexFileError as error:
                self._note([str(error)])
                return None
            self._note(problems)
            self.is_partial = bool(problems)
            if layers is not None:
                self.layers = layers
            return layers

    def check_length(self) -> None:
        """Raises DamagedIndexError if a file of the index has been cut short since it was opened,
        or a merge has found it damaged."""
        layers = self.layers
        if self._damage:
            raise DamagedIndexError(self._damage)
        if layers is not None and any(is_cut(part.index) for part in layers.snapshot.parts):
            raise DamagedIndexError("cut short")

    def check_all(self) -> None:
        """Raises DamagedIndexError if the index is not what was written. For callers that output it
        piece by piece."""
        if self.layers is not None:
            _check_sound(self.layers)

    def mark_suspect(self, error: Exception) -> bool:
        """Returns whether an error in reading is due to a damaged index. If so, drops the index, so
        that the next refresh rebuilds the unusable part, and adds a notice."""
        with self._lock:
            layers, self._damage = self.layers, ""
            if layers is None:
                return False
            is_damaged = not _is_sound(layers)
            if not is_damaged and not isinstance(error, DamagedIndexError):
                return False
            self.n_repairs += 1
            self.layers = None
            self.store.distrust(is_refused=not is_damaged)
            if not is_damaged:
                self._note(
                    [f"{self.store.folder / FILE_NAME}: damaged ({error}); it will be rebuilt"]
                )
            return True

    def _note(self, problems: list[str]) -> None:
        self.notices.extend(
            problem for problem in map(shown, problems) if problem not in self.notices
        )

    def refresh(
        self,
        walked: Walk | SpotCheck,
        settings: Settings,
        progress: Progress | None,
        rebuild: bool,
        background: bool,
    ) -> Changes | None:
        """Brings `layers` up to date with a walk or a spot check. Returns the changes, or `None`
        for a spot check without an index.

        background: merges may continue after the return. If the new layers cannot be stored,
        `unstored` says why. Raises StorageError if another process does not release the index, or
        the index is not the user's own.
        """
        self.unstored = ""
        layers = None if rebuild else self.load()
        changes = compare(walked, layers, settings.file_seconds, self.languages.chosen)
        if changes is None or layers is None or changes.is_any:
            with self._writing():
                previous, layers = layers, None if rebuild else self.load()
                if layers is not previous:  # Another process may have done the work meanwhile.
                    changes = compare(walked, layers, settings.file_seconds, self.languages.chosen)
                if changes is None:
                    return None
                began_ns = walked.began_ns if isinstance(walked, Walk) else 0
                changes.removed = [
                    path for path in changes.removed if not self._has_appeared(path, began_ns)
                ]
                if layers is None or changes.is_any:
                    self._apply(layers, changes, settings, progress)
        self._tidy(background)
        return changes

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Holds the right to write. If the folder cannot be written nobody has that right, and
        nothing is stored."""
        with ExitStack() as stack:
            try:
                stack.enter_context(writing(self.store.folder, LOCK_SECONDS))
            except UnwritableError as error:
                self.unstored = str(error)
            yield

    def _store_base(self, base: Index) -> None:
        """Makes a complete index the only layer, and stores it if possible."""
        with self._lock:
            if not self.unstored:
                try:
                    self.layers = self.store.save_base(base)
                    return
                except UnwritableError as error:
                    self.unstored = str(error)
            self.layers = Layers(base, b"")

    def _has_appeared(self, path: str, began_ns: int) -> bool:
        """Whether a file that the walk did not see has appeared since: another process has indexed
        it."""
        try:
            status = os.lstat(self.root / path)
        except OSError:
            return False
        return stat.S_ISREG(status.st_mode) and status.st_ctime_ns >= began_ns

    def _apply(
        self, layers: Layers | None, changes: Changes, settings: Settings, progress: Progress | None
    ) -> None:
        if layers is None:
            self._build(changes, settings, progress)
            return
        fresh: list[FileSymbols] = []
        touched: dict[str, tuple[int, int, int]] = {}
        for result in self._read(changes, settings, progress):
            if result.unchanged:
                touched[result.path] = (result.size, result.mtime_ns, result.stamp)
            elif self._is_there(result):
                fresh.append(result)
            elif layers.snapshot.find(result.path) is not None:
                # It has disappeared since the walk.
                changes.removed.append(result.path)
        if len(fresh) + len(changes.removed) <= MANY * changes.kept + 1:
            overlay = layers.update(fresh, touched, changes.removed)
            with self._lock:
                self.layers = layers.with_overlay(overlay)  # Searches find it from here on.
                if not self.unstored:
                    try:
                        self.store.save_overlay(overlay)
                    except UnwritableError as error:
                        self.unstored = str(error)
            return
        # Imported here because most refreshes find nothing to build.
        from symindex.index.build import build_index
        from symindex.index.intake import hand_over

        _check_sound(layers)
        sources = []
        gone = {result.path for result in fresh}.union(changes.removed)
        for index, numbers in live_sources(layers.snapshot.parts):
            unchanged = [number for number in numbers.tolist() if index.paths[number] not in gone]
            sources.append((index, np.array(unchanged, dtype=np.int64)))
        self._store_base(build_index(hand_over(fresh), sources, self._rules, touched))

    def _build(self, changes: Changes, settings: Settings, progress: Progress | None) -> None:
        """Builds the first index, or another one from nothing. Files are taken in while the workers
        read on."""
        # Imported here because most refreshes find nothing to build.
        from symindex.index.build import build_index
        from symindex.index.intake import Intake
        from symindex.index.scratch import Scratch

        with Scratch.in_folder(self.store.folder) as scratch:
            intake = Intake(scratch)

            def take(results: list[FileSymbols]) -> None:
                intake.add(filter(self._is_there, results))

            take(self._read(changes, settings, progress, take))
            base = build_index(intake, salt=self._rules)
        self._store_base(base)

    def _is_there(self, result: FileSymbols) -> bool:
        """Whether a file that was read still exists."""
        return result.skip != SkipReason.UNREADABLE or os.path.lexists(self.root / result.path)

    def _read(
        self,
        changes: Changes,
        settings: Settings,
        progress: Progress | None,
        take: Callable[[list[FileSymbols]], None] | None = None,
    ) -> list[FileSymbols]:
        from symindex.workers.parsing import read_files

        total = len(changes.read)
        return read_files(
            self.root,
            [
                (ReadTask(file.path, changes.known_digest.get(file.path, b"")), file.size)
                for file in changes.read
            ],
            max_file_bytes=settings.max_file_bytes,
            file_seconds=settings.file_seconds,
            languages=self.languages,
            progress=(lambda done: progress(done, total)) if progress is not None else None,
            spare=self._spare,
            meanwhile=_load_build,
            take=take,
        )

    def _tidy(self, background: bool) -> None:
        """Joins or merges overlays if there are enough of them."""
        layers = self.layers
        if (
            self.unstored
            or layers is None
            or not (layers.wants_merge or layers.wants_join)
            or (self._merger and self._merger.is_alive())
        ):
            return
        if not background:
            try:
                self._merge(layers)
            except UnwritableError as error:  # The stored index is as good as before.
                self.unstored = str(error)
            return
        self._merger = threading.Thread(target=self._merge_quietly, args=(layers,), daemon=True)
        self._merger.start()

    def _merge_quietly(self, layers: Layers) -> None:
        try:
            self._merge(layers)
        except DamagedIndexError as error:  # The next answer has it rebuilt.
            self._damage = str(error)
        except (
            StorageError,
            IndexFileError,
        ) as error:
            # The stored index is as good as before; the next change tries again.
            self._note([str(error)])

    def _merge(self, layers: Layers) -> None:
        """Joins or merges layers. The long part needs no lock; overlays added meanwhile stay on
        top."""
        _check_sound(layers)
        base = layers.merged(self._rules) if layers.wants_merge else None
        joined = layers.joined() if base is None else None
        with writing(self.store.folder, LOCK_SECONDS), self._lock:
            now = self.load()
            if (
                now is None
                or now.checksum != layers.checksum
                or any(o.first <= layers.last < o.last for o in now.overlays)
            ):
                return  # Another process has merged meanwhile.
            later = [overlay for overlay in now.overlays if overlay.first > layers.last]
            if joined is not None:
                self.store.save_overlay(joined)
                self.layers = Layers(now.base, now.checksum, [joined, *later])
            elif base is not None:
                self.layers = self.store.save_base(base, later)

    def keep_worker(self, worker: "SpareWorker | None" = None) -> None:
        """Keeps a worker process for the next change, from now on until `close`. worker: one that
        was started ahead."""
        from symindex.workers.pool import SpareWorker

        if self._spare is not None and worker is not None:
            worker.close()
        self._spare = self._spare or worker or SpareWorker()

    def leave_worker(self) -> None:
        """Forgets the kept worker without ending it."""
        self._spare = None

    def close(self) -> None:
        """Drops the layers and the kept worker; waits for a running merge."""
        spare, self._spare = self._spare, None
        if spare is not None:
            spare.close()
        if self._merger is not None:
            self._merger.join()
        self.layers = None


def _load_build() -> None:
    """Imports the next step while files are read: it takes as long as a small file."""
    import symindex.index.build  # noqa: F401


def _is_sound(layers: Layers) -> bool:
    return all(is_sound(part.index) for part in layers.snapshot.parts)


def _check_sound(layers: Layers) -> None:
    """Raises DamagedIndexError for a wrong checksum. Called before a merge: an index built from
    damaged layers would get a valid one."""
    if not _is_sound(layers):
        raise DamagedIndexError("wrong checksum")


def start_build(root: Path, folder: PrivateFolder) -> None:
    """Starts a process that makes the index of `root` in `folder`, unless another process is
    writing it or none can. The process outlives this one."""
    import subprocess  # Imported here because an index usually exists.

    try:
        with writing(folder, wait_seconds=0):
            pass
    except StorageError:
        return
    arguments = ["index", "--root", str(root), "--index-dir", str(folder.path.parent)]
    nowhere = subprocess.DEVNULL
    with suppress(OSError):  # Otherwise the next search makes it.
        command = python_command("symindex.__main__", arguments)
        process = subprocess.Popen(
            command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
        )
        _BUILDING[:] = [process, *(earlier for earlier in _BUILDING if earlier.poll() is None)]


_BUILDING: Final[list["subprocess.Popen[bytes]"]] = []
"""Started processes that may still run: an unreferenced Popen would warn."""
