"""Upkeep: brings the index of a tree up to date with the disk, and keeps what it has stored in order.

A change of some files costs these files: they become an overlay, which is searchable at once and stored a moment later. When the
overlays have grown, they are merged with the base, in the background where somebody follows the tree. Nothing that is stored is
ever changed in place, so a process that is killed at any moment leaves either the old state or the new one.
"""

import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
import numpy as np

from symindex.errors import DamagedIndexError, IndexFileError, OutdatedIndexError, StorageError, shown
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.skips import SkipReason, Terms, time_limit_words
from symindex.files.spot_check import Glance
from symindex.files.walk import FoundFile, Walk
from symindex.index.overlay import Layers, Update, live_sources
from symindex.index.store import FILE_NAME, Store, is_being_written, is_cut, is_sound, writing
from symindex.settings import Settings
from symindex.workers.isolation import python_command

if TYPE_CHECKING:
    import subprocess

    from symindex.workers.pool import SpareWorker

LOCK_SECONDS: Final = 600.0
"""How long to wait for another process that is writing the same index."""

MANY: Final = 0.3
"""When more than this share of the files have changed, the index is built anew: an overlay would be merged at once."""

Progress = Callable[[int, int], None]
"""Called with files done and files in all."""


class Changes(msgspec.Struct):
    """What a walk and an index disagree on. kept: how many files agree in size, mtime and stamp; known_digest: of those that do
    not."""

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

    layers: as they were last loaded or made, `None` before; searches take them from any thread. is_partial: whether some of what
    was stored last could not be loaded. notices: what went wrong and was mended, until somebody takes them. times_mistrusted: how
    often the index was let go because it was damaged.
    """

    def __init__(self, root: Path, folder: PrivateFolder, languages: Languages, rules: bytes) -> None:
        self.root = root
        self.store = Store(folder, rules)
        self.languages = languages
        self.layers: Layers | None = None
        self.is_partial = False
        self._damage = ""
        self.notices: list[str] = []
        self.times_mistrusted = 0
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
            self.is_partial = bool(problems)
            if layers is not None:
                self.layers = layers
            return layers

    def check_length(self) -> None:
        """Raises DamagedIndexError where a file of the index has been cut short since it was opened, or a merge has found it
        damaged."""
        layers = self.layers
        if self._damage:
            raise DamagedIndexError(self._damage)
        if layers is not None and any(is_cut(part.index) for part in layers.snapshot.parts):
            raise DamagedIndexError("cut short")

    def check_all(self) -> None:
        """Raises DamagedIndexError where the index is not what was written: for who reads all of it, and shows it on the way."""
        if self.layers is not None:
            _check_sound(self.layers)

    def mistrust(self, error: Exception) -> bool:
        """After reading the index has led to an error: whether it is the index's fault. Then it is let go, and the next refresh
        makes it anew as far as it is of no use; a notice says so."""
        with self._lock:
            layers, self._damage = self.layers, ""
            is_damaged = layers is not None and not all(is_sound(part.index) for part in layers.snapshot.parts)
            if layers is None or not (is_damaged or isinstance(error, DamagedIndexError)):
                return False
            self.times_mistrusted += 1
            self.layers = None
            self.store.doubt(is_refused=not is_damaged)
            if not is_damaged:
                self._note([f"{self.store.folder / FILE_NAME}: damaged ({error}); it will be rebuilt"])
            return True

    def _note(self, problems: list[str]) -> None:
        self.notices.extend(problem for problem in map(shown, problems) if problem not in self.notices)

    def refresh(
        self, seen: Walk | Glance, settings: Settings, progress: Progress | None, rebuild: bool, background: bool
    ) -> Changes | None:
        """Brings `layers` up to date with a walk, or with a look at some files; returns what had changed; `None` where some files
        are not enough, because there is no index.

        background: merges may go on after the return. Raises StorageError where the index cannot be written.
        """
        terms = Terms(time_limit_words(settings.file_seconds), self.languages.chosen)
        layers = None if rebuild else self.load()
        changes = compare(seen, layers, terms)
        if changes is None or layers is None or changes.is_any:
            with writing(self.store.folder, LOCK_SECONDS):
                # Whoever held the lock may have done the work meanwhile.
                layers = None if rebuild else self.load()
                changes = compare(seen, layers, terms)
                if changes is None:
                    return None
                began_ns = seen.began_ns if isinstance(seen, Walk) else 0
                changes.removed = [path for path in changes.removed if not self._has_appeared(path, began_ns)]
                if layers is None or changes.is_any:
                    self._apply(layers, changes, settings, progress)
        self._tidy(background)
        return changes

    def _has_appeared(self, path: str, began_ns: int) -> bool:
        """Whether a file that was not seen is new since then: another process has seen it, and told it to the index."""
        try:
            status = os.lstat(self.root / path)
        except OSError:
            return False
        return stat.S_ISREG(status.st_mode) and status.st_ctime_ns >= began_ns

    def _apply(self, layers: Layers | None, changes: Changes, settings: Settings, progress: Progress | None) -> None:
        fresh: list[FileSymbols] = []
        touched: dict[str, tuple[int, int, int]] = {}
        for result in self._read(changes, settings, progress):
            if result.unchanged:
                touched[result.path] = (result.size, result.mtime_ns, result.stamp)
            elif result.skip != SkipReason.UNREADABLE or os.path.lexists(self.root / result.path):
                fresh.append(result)
            elif layers is not None and layers.find(result.path) is not None:  # it has gone since it was seen
                changes.removed.append(result.path)
        if layers is not None and len(fresh) + len(changes.removed) <= MANY * changes.kept + 1:
            overlay = layers.update(Update(fresh, touched, changes.removed))
            with self._lock:
                self.layers = layers.with_overlay(overlay)  # found by searches from here on
                self.store.save_overlay(overlay)
            return
        from symindex.index.build import build_index  # here, because most refreshes find nothing to build

        sources = []
        if layers is not None:
            _check_sound(layers)  # what is damaged would get a right checksum
            gone = {result.path for result in fresh}.union(changes.removed)
            for index, numbers in live_sources(layers.snapshot.parts):
                kept = [number for number in numbers.tolist() if index.paths[number] not in gone]
                sources.append((index, np.array(kept, dtype=np.int64)))
        base = build_index(_hand_over(fresh), sources, self._rules, touched)
        with self._lock:
            self.layers = self.store.save_base(base)

    def _read(self, changes: Changes, settings: Settings, progress: Progress | None) -> list[FileSymbols]:
        from symindex.workers.parsing import read_files

        total = len(changes.read)
        return read_files(
            self.root,
            [(ReadTask(file.path, changes.known_digest.get(file.path, b"")), file.size) for file in changes.read],
            max_file_bytes=settings.max_file_bytes,
            file_seconds=settings.file_seconds,
            languages=self.languages,
            progress=(lambda done: progress(done, total)) if progress is not None else None,
            spare=self._spare,
        )

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
        except DamagedIndexError as error:  # the next answer has it built anew
            self._damage = str(error)
        except (StorageError, IndexFileError) as error:  # what is stored is as good as it was; the next change tries again
            self._note([str(error)])

    def _merge(self, layers: Layers) -> None:
        """The long part needs no lock; what was added meanwhile is kept on top."""
        _check_sound(layers)  # what is damaged would get a right checksum
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
        from symindex.workers.pool import SpareWorker

        self._spare = self._spare or SpareWorker()

    def close(self) -> None:
        """Lets go of the layers and of a worker that was kept; waits for a merge that is under way."""
        spare, self._spare = self._spare, None
        if spare is not None:
            spare.close()
        if self._merger is not None:
            self._merger.join()
        self.layers = None


def _check_sound(layers: Layers) -> None:
    if not all(is_sound(part.index) for part in layers.snapshot.parts):
        raise DamagedIndexError("wrong checksum")


_T = TypeVar("_T")

_READING_ERRORS: Final = (
    ArithmeticError, AssertionError, AttributeError, BufferError, DamagedIndexError, LookupError, MemoryError, RuntimeError,
    TypeError, ValueError,
)  # fmt: skip
"""What reading a damaged index may lead to, should a check be missing. No fault of a user is among them, nor what ends an answer
that is not wanted any more."""


def mended(read: Callable[[], _T], mistrust: Callable[[Exception], bool], times_mistrusted: Callable[[], int]) -> _T:
    """What is read from an index; read again where the index was damaged, which an error has shown, here or meanwhile to another
    thread. Other errors go on.

    mistrust, times_mistrusted: as of `Upkeep`.
    """
    before = times_mistrusted()
    try:
        return read()
    except _READING_ERRORS as error:
        if not mistrust(error) and times_mistrusted() == before:
            raise
    return read()


def _hand_over(files: list[FileSymbols]) -> Iterator[FileSymbols]:
    """The files, each of which is let go with the next one."""
    while files:
        yield files.pop()


def start_build(root: Path, folder: PrivateFolder) -> None:
    """Starts a process that makes the index of `root` in `folder` and outlives this one, unless one is being written."""
    import subprocess  # here, because an index is mostly there

    if is_being_written(folder):
        return
    arguments = ["index", "--root", str(root), "--index-dir", str(folder.path.parent)]
    nowhere = subprocess.DEVNULL
    with suppress(OSError):  # then the next search makes it
        process = subprocess.Popen(
            python_command("symindex.__main__", arguments),
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            start_new_session=True,
        )
        _BUILDING[:] = [process, *(other for other in _BUILDING if other.poll() is None)]


_BUILDING: Final[list["subprocess.Popen[bytes]"]] = []
"""The processes that were started and have not been seen to end."""


def compare(seen: Walk | Glance, layers: Layers | None, terms: Terms) -> Changes | None:
    """What a walk and an index disagree on; the same for some files, of which nothing can be said without an index.

    terms: those of today.
    """
    if isinstance(seen, Glance):
        return _compare_some(seen, layers) if layers is not None else None
    files = seen.files
    if layers is None:
        return Changes(list(files), 0, [], {})
    if layers.snapshot.agrees(files, terms):
        return Changes([], len(files), [], {})
    known = layers.snapshot.known_files(terms)
    number_of = dict(zip(known.paths, range(len(known.paths)), strict=True))
    here = np.fromiter((number_of.pop(path, -1) for path in files.paths), dtype=np.int64, count=len(files))
    is_kept = here >= 0
    old = here[is_kept]
    is_kept[is_kept] = (
        (known.sizes[old] == np.asarray(files.sizes)[is_kept])
        & (known.mtimes[old] == np.asarray(files.mtimes)[is_kept])
        & (known.stamps[old] == np.asarray(files.stamps)[is_kept])
        & ~known.try_again[old]
    )
    changes = Changes([], int(np.count_nonzero(is_kept)), list(number_of), {})
    for number in np.flatnonzero(~is_kept).tolist():
        file = files[number]
        changes.read.append(file)
        digest = known.digests[here[number]].tobytes() if here[number] >= 0 and not known.try_again[here[number]] else b""
        if any(digest):
            changes.known_digest[file.path] = digest
    return changes


def _compare_some(seen: Glance, layers: Layers) -> Changes:
    changes = Changes([], layers.snapshot.n_files, [path for path in seen.missing if layers.find(path) is not None], {})
    for file in seen.found:
        place = layers.find(file.path)
        known = place[0].index.file(place[1]) if place is not None else None
        is_kept = known is not None and (known.size, known.mtime_ns, known.stamp) == (file.size, file.mtime_ns, file.stamp)
        if known is not None and not known.skip and is_kept:
            continue
        changes.read.append(file)
        if known is not None and any(known.digest) and not known.skip:
            changes.known_digest[file.path] = known.digest
    changes.kept -= len(changes.removed) + len(changes.read)
    return changes
