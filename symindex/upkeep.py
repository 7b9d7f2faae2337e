"""Upkeep: brings the index of a tree up to date with the disk, and keeps what it has stored in order.

A change of some files costs these files: they become an overlay, which is searchable at once and stored a moment later. When the
overlays have grown, they are merged with the base, in the background where somebody follows the tree. Nothing that is stored is
ever changed in place, so a process that is killed at any moment leaves either the old state or the new one.
"""

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from symindex.errors import IndexFileError, OutdatedIndexError, StorageError
from symindex.index.overlay import Layers, Update, live_sources
from symindex.index.store import Store, is_being_written, writing
from symindex.settings import Settings
from symindex.source.languages import Languages
from symindex.source.origin import path_flags
from symindex.source.records import FileSymbols, ReadTask
from symindex.source.skips import time_limit_words
from symindex.source.walk import FoundFile, Walk

if TYPE_CHECKING:
    from symindex.source.workers import SpareWorker

LOCK_SECONDS: Final = 600.0
"""How long to wait for another process that is writing the same index."""

MANY: Final = 0.3
"""When more than this share of the files have changed, the index is built anew: an overlay would be merged at once."""

Progress = Callable[[int, int], None]
"""Called with files done and files in all."""


class Changes(msgspec.Struct):
    """What a walk and an index disagree on. kept: how many files agree in size and mtime; known_digest: of those that do not."""

    read: list[FoundFile]
    kept: int
    removed: list[str]
    known_digest: dict[str, bytes]

    @property
    def is_any(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.read or self.removed)


class Upkeep:
    """The stored index of one tree.

    layers: as they were last loaded or made, `None` before; searches take them from any thread. notices: what went wrong and was
    mended, until somebody takes them.
    """

    def __init__(self, root: Path, folder: Path, languages: Languages, rules: bytes) -> None:
        self.root = root
        self.store = Store(folder, rules)
        self.languages = languages
        self.layers: Layers | None = None
        self.notices: list[str] = []
        self._rules = rules
        # Of what is in memory; whoever also holds the right to write has taken that first.
        self._lock = threading.RLock()
        self._merger: threading.Thread | None = None
        self._spare: SpareWorker | None = None

    def load(self) -> Layers | None:
        """The layers as they are stored, from memory if those are the same; `None` where there are none that can be used.

        Whoever searches meanwhile goes on with the ones before.
        """
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
            if layers is not None:
                self.layers = layers
            return layers

    def _note(self, problems: list[str]) -> None:
        self.notices.extend(problem for problem in problems if problem not in self.notices)

    def refresh(self, walk: Walk, settings: Settings, progress: Progress | None, rebuild: bool, background: bool) -> Changes:
        """Brings `layers` up to date with a walk; returns what had changed.

        background: merges may go on after the return. Raises StorageError where the index cannot be written.
        """
        limit = time_limit_words(settings.file_seconds)
        layers = None if rebuild else self.load()
        changes = compare(walk, layers, limit)
        if layers is None or changes.is_any:
            with writing(self.store.folder, LOCK_SECONDS):
                # Whoever held the lock may have done the work meanwhile.
                layers = None if rebuild else self.load()
                changes = compare(walk, layers, limit)
                if layers is None or changes.is_any:
                    self._apply(layers, changes, settings, progress)
        self._tidy(background)
        return changes

    def _apply(self, layers: Layers | None, changes: Changes, settings: Settings, progress: Progress | None) -> None:
        results = self._read(changes, settings, progress)
        fresh = [result for result in results if not result.unchanged]
        touched = {result.path: (result.size, result.mtime_ns) for result in results if result.unchanged}
        if layers is not None and len(fresh) + len(changes.removed) <= MANY * changes.kept + 1:
            overlay = layers.update(Update(fresh, touched, changes.removed))
            with self._lock:
                self.layers = layers.with_overlay(overlay)  # found by searches from here on
                self.store.save_overlay(overlay)
            return
        from symindex.index.build import build_index  # here, because most refreshes find nothing to build

        sources = []
        if layers is not None:
            gone = {result.path for result in fresh}.union(changes.removed)
            for index, numbers in live_sources(layers.snapshot.parts):
                kept = [number for number in numbers.tolist() if index.paths[number] not in gone]
                sources.append((index, np.array(kept, dtype=np.int64)))
        base = build_index(fresh, sources, self._rules, touched)
        with self._lock:
            self.layers = self.store.save_base(base)

    def _read(self, changes: Changes, settings: Settings, progress: Progress | None) -> list[FileSymbols]:
        from symindex.source.workers import read_files

        total = len(changes.read)
        results = read_files(
            self.root,
            [(ReadTask(file.path, changes.known_digest.get(file.path, b"")), file.size) for file in changes.read],
            max_file_bytes=settings.max_file_bytes,
            file_seconds=settings.file_seconds,
            progress=(lambda done: progress(done, total)) if progress is not None else None,
            spare=self._spare,
        )
        for result in results:
            result.flags |= path_flags(result.path, self.languages.by_id.get(result.language))
        return results

    def _tidy(self, background: bool) -> None:
        """Joins or merges overlays where there are enough of them."""
        layers = self.layers
        if layers is None or not (layers.wants_merge or layers.wants_join) or (self._merger and self._merger.is_alive()):
            return
        if not background:
            self._merge(layers)
            return
        self._merger = threading.Thread(target=self._merge_quietly, args=(layers,), daemon=True)
        self._merger.start()

    def _merge_quietly(self, layers: Layers) -> None:
        try:
            self._merge(layers)
        except (StorageError, IndexFileError) as error:  # what is stored is as good as it was; the next change tries again
            self._note([str(error)])

    def _merge(self, layers: Layers) -> None:
        """The long part needs no lock; what was added meanwhile is kept on top."""
        base = layers.merged(self._rules) if layers.wants_merge else None
        joined = layers.joined() if base is None else None
        with writing(self.store.folder, LOCK_SECONDS), self._lock:
            now = self.load()
            if now is None or now.checksum != layers.checksum or any(o.first <= layers.last < o.last for o in now.overlays):
                return  # another process has merged meanwhile
            if joined is not None:
                self.store.save_overlay(joined)
                self.layers = now.with_joined(joined)
            elif base is not None:
                self.layers = self.store.save_base(base, [o for o in now.overlays if o.first > layers.last])

    def keep_worker(self) -> None:
        """From now on, until `close`, a worker process is kept for the next change."""
        from symindex.source.workers import SpareWorker

        self._spare = self._spare or SpareWorker()

    def close(self) -> None:
        """Lets go of the layers and of a worker that was kept; waits for a merge that is under way."""
        spare, self._spare = self._spare, None
        if spare is not None:
            spare.close()
        if self._merger is not None:
            self._merger.join()
        self.layers = None


def start_build(root: Path, folder: Path) -> None:
    """Starts a process that makes the index of `root` in `folder` and outlives this one, unless one is being written."""
    if is_being_written(folder):
        return
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from symindex.__main__ import main; main()"
    package_parent = str(Path(__file__).resolve().parent.parent)
    arguments = ["index", "--root", str(root), "--index-dir", str(folder.parent)]
    nowhere = subprocess.DEVNULL
    with suppress(OSError):  # then the next search makes it
        process = subprocess.Popen(
            [sys.executable, "-c", code, package_parent, *arguments],
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            start_new_session=True,
        )
        _BUILDING[:] = [process, *(other for other in _BUILDING if other.poll() is None)]


_BUILDING: Final[list["subprocess.Popen[bytes]"]] = []
"""The processes that were started and have not been seen to end."""


def compare(walk: Walk, layers: Layers | None, time_limit: str) -> Changes:
    """What a walk and an index disagree on. time_limit: that of today, as in the detail of a skip."""
    if layers is not None and layers.snapshot.agrees(walk.files, time_limit):
        return Changes([], len(walk.files), [], {})
    known = layers.snapshot.file_rows(time_limit) if layers is not None else {}
    changes = Changes([], 0, [], {})
    for file in walk.files:
        row = known.pop(file.path, None)
        if row is not None and row.size == file.size and row.mtime_ns == file.mtime_ns and not row.try_again:
            changes.kept += 1
        else:
            changes.read.append(file)
            if row is not None and any(row.digest) and not row.try_again:
                changes.known_digest[file.path] = row.digest
    changes.removed.extend(known)
    return changes
