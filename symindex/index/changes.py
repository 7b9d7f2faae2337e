"""Compares a walk of a tree with its index: finds the files to read, and the files that are
gone."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from symindex.extract.records import DIGEST_BYTES, FileSymbols
from symindex.files.skips import SKIP_CODES, TRIED_AGAIN, SkipReason, time_limit_words
from symindex.files.spot_check import SpotCheck
from symindex.files.walk import FoundFile, FoundFiles, Walk
from symindex.index.columns.arrays import I64, Mask, Numbers
from symindex.index.columns.columns import Index
from symindex.index.columns.strings import digest_paths
from symindex.index.overlay import Layers
from symindex.index.snapshot import Part, Snapshot


class Changes(msgspec.Struct):
    """The changes of a tree since its index was made.

    read: files to read. kept: number of files with the same size, mtime and stamp. known_digest:
    path -> digest, of files to read; a file that still has it need not be parsed.
    """

    read: list[FoundFile]
    kept: int
    removed: list[str]
    known_digest: dict[str, bytes]

    @property
    def is_any(self) -> bool:
        return bool(self.read or self.removed)

    def add(self, file: FoundFile, digest: bytes) -> None:
        """Adds a file to read. digest: that of its indexed content; empty or NUL bytes if there is
        none."""
        self.read.append(file)
        if any(digest):
            self.known_digest[file.path] = digest


def compare(
    walked: Walk | SpotCheck, layers: Layers | None, file_seconds: float, languages: frozenset[str]
) -> Changes | None:
    """Returns how a walk differs from an index. A spot check covers only some files, and returns
    `None` without an index.

    file_seconds: the current time limit. languages: ids of those that are read; empty for all.
    """
    if isinstance(walked, SpotCheck):
        return _compare_some(walked, layers) if layers is not None else None
    files = walked.files
    if layers is None:
        return Changes(list(files), 0, [], {})
    parts = layers.snapshot.parts
    again = [_try_again(part.index, time_limit_words(file_seconds), languages) for part in parts]
    if (changes := _compare_alike(files, layers.snapshot, again)) is not None:
        return changes
    paths, stored = _known_files(parts, again)
    number_of = dict(zip(paths, range(len(paths)), strict=True))
    stored_at = np.fromiter(
        (number_of.pop(path, -1) for path in files.paths), dtype=np.int64, count=len(files)
    )
    is_kept = stored_at >= 0
    old = stored[stored_at[is_kept]]
    is_kept[is_kept] = (
        (old["file_size"] == np.asarray(files.sizes)[is_kept])
        & (old["file_mtime"] == np.asarray(files.mtimes)[is_kept])
        & (old["file_stamp"] == np.asarray(files.stamps)[is_kept])
        & ~old["try_again"]
    )
    changes = Changes([], int(np.count_nonzero(is_kept)), list(number_of), {})
    for number in np.flatnonzero(~is_kept).tolist():
        is_usable = stored_at[number] >= 0 and not stored["try_again"][stored_at[number]]
        changes.add(
            files[number], stored["file_digest"][stored_at[number]].tobytes() if is_usable else b""
        )
    return changes


def _compare_some(checked: SpotCheck, layers: Layers) -> Changes:
    snapshot = layers.snapshot
    changes = Changes(
        [],
        snapshot.n_files,
        [path for path in checked.missing if snapshot.find(path) is not None],
        {},
    )
    for file in checked.found:
        place = snapshot.find(file.path)
        stored = place[0].index.file(place[1]) if place is not None else None
        if stored is None or stored.skip:
            changes.add(file, b"")
        elif not _is_same(stored, file):
            changes.add(file, stored.digest)
    changes.kept -= len(changes.removed) + len(changes.read)
    return changes


def _is_same(stored: FileSymbols, file: FoundFile) -> bool:
    return (stored.size, stored.mtime_ns, stored.stamp) == (file.size, file.mtime_ns, file.stamp)


def _compare_alike(files: FoundFiles, snapshot: Snapshot, again: Sequence[Mask]) -> Changes | None:
    """Compares the usual case quickly: the tree has exactly the files of base and overlays, though
    some have changed. Only files that differ from the base are compared one by one. Returns `None`
    if there are other files, or overlays have many. again: by part, which files must be read
    again."""
    index, live = snapshot.parts[0].index, snapshot.parts[0].live
    if sum(part.n_files for part in snapshot.parts[1:]) > _FEW_NEWER:
        return None
    hidden = [] if live is None else np.flatnonzero(~live).tolist()
    newer = {
        part.index.paths[number] for part in snapshot.parts[1:] for number in part.live_files()
    }
    gone = [number for number in hidden if index.paths[number] not in newer]
    added = sorted(path for path in newer if index.paths.find(path) is None)
    every = files.paths
    added_at = [bisect_left(every, path) for path in added]
    if any(
        position == len(every) or every[position] != path
        for position, path in zip(added_at, added, strict=True)
    ):
        return None  # A file that an overlay added is gone.
    if added or gone:  # Reconstructs the paths of the base, assuming that the overlays are right.
        paths = [*every]
        for position in reversed(added_at):
            del paths[position : position + 1]
        for number in gone:
            paths.insert(number, index.paths[number])
        blob = "\0".join([*paths, ""]).encode()
    else:
        blob = files.blob
    if digest_paths(blob) != index.columns.path_digest or len(files) != index.n_files + len(
        added
    ) - len(gone):
        return None
    in_tree = np.delete(np.arange(len(files)), added_at)
    in_base = np.delete(np.arange(index.n_files), gone)
    differs = again[0][in_base] if live is None else again[0][in_base] | ~live[in_base]
    differs |= _have_other_stamps(files, index, in_tree, in_base)
    changes = Changes([], len(files), [], {})
    for position in sorted([*added_at, *in_tree[differs].tolist()]):
        place = snapshot.find(files.paths[position])
        if place is None:
            return None
        stored, is_tried_again = (
            place[0].index.file(place[1]),
            again[snapshot.parts.index(place[0])][place[1]],
        )
        file = files[position]
        if is_tried_again or not _is_same(stored, file):
            changes.add(file, b"" if is_tried_again else stored.digest)
    changes.kept -= len(changes.read)
    return changes


def _have_other_stamps(files: FoundFiles, index: Index, in_tree: I64, in_base: I64) -> Mask:
    """Whether each of these files has another size, mtime or change stamp than in the index."""
    stamps = (
        ("file_size", files.sizes),
        ("file_mtime", files.mtimes),
        ("file_stamp", files.stamps),
    )
    differs = np.zeros(len(in_base), dtype=bool)
    for name, values in stamps:
        stored = np.frombuffer(getattr(index.columns, name), dtype=_STORED[name])
        differs |= stored[in_base] != np.asarray(values)[in_tree]
    return differs


_FEW_NEWER: Final = 64
"""Most files of overlays that are compared one by one. They take 10 ms, as long as a table of
15,000 files."""

_STORED: Final = {
    "file_size": "<u8",
    "file_mtime": "<i8",
    "file_stamp": "<u8",
    "file_digest": f"V{DIGEST_BYTES}",
}


def _known_files(parts: Sequence[Part], again: Sequence[Mask]) -> tuple[list[str], Numbers]:
    """Returns the paths of the live files, and what is stored about each, with `try_again`."""
    paths: list[str] = []
    stored = []
    for part, try_again in zip(parts, again, strict=True):
        index, live, every = part.index, part.live_files(), part.index.paths.all
        paths += [every[number] for number in live]
        of_part = np.empty(index.n_files, dtype=[*_STORED.items(), ("try_again", "?")])
        for name, kind in _STORED.items():
            of_part[name] = np.frombuffer(getattr(index.columns, name), dtype=kind)
        of_part["try_again"] = try_again
        stored.append(of_part[live])
    return paths, np.concatenate(stored)


_TRIED_AGAIN: Final = [1 + SKIP_CODES.index(reason) for reason in TRIED_AGAIN]
_GIVEN_UP: Final = 1 + SKIP_CODES.index(SkipReason.TIME_LIMIT)
_DESELECTED: Final = 1 + SKIP_CODES.index(SkipReason.DESELECTED)


def _try_again(index: Index, time_limit: str, languages: frozenset[str]) -> Mask:
    """Returns a mask over files that must be read again though they have not changed: the reason
    for skipping them may be gone, their time limit was different, or their language was chosen and
    is not any more, or the other way round."""
    is_read = [
        not (language and languages) or language in languages
        for language in index.columns.language_ids
    ]
    skips, is_of_read = (
        index.u8("file_skip"),
        np.array(is_read, dtype=bool)[index.u8("file_language")],
    )
    again: Mask = np.isin(skips, _TRIED_AGAIN) | (is_of_read == (skips == _DESELECTED))
    for number in np.flatnonzero(skips == _GIVEN_UP).tolist():
        again[number] = index.columns.skip_details.get(number) != time_limit
    return again
