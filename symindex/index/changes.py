"""What a walk of a tree and its index disagree on: the files to read, and the files that are gone."""

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from symindex.extract.records import DIGEST_BYTES
from symindex.files.skips import SKIP_CODES, TRIED_AGAIN, SkipReason, time_limit_words
from symindex.files.spot_check import SpotCheck
from symindex.files.walk import FoundFile, FoundFiles, Walk
from symindex.index.arrays import Mask, Numbers
from symindex.index.columns import Index
from symindex.index.overlay import Layers
from symindex.index.snapshot import Part
from symindex.index.strings import digest_paths


class Changes(msgspec.Struct):
    """The changes of a tree since its index was made. read: files to be read. kept: how many files agree in size, mtime and
    stamp. known_digest: of files to be read, by path: a file that still has it need not be parsed."""

    read: list[FoundFile]
    kept: int
    removed: list[str]
    known_digest: dict[str, bytes]

    @property
    def is_any(self) -> bool:
        return bool(self.read or self.removed)

    def add(self, file: FoundFile, digest: bytes) -> None:
        """A file to be read. digest: of what the index holds of it; of NUL bytes, or empty, where that is nothing."""
        self.read.append(file)
        if any(digest):
            self.known_digest[file.path] = digest


def compare(seen: Walk | SpotCheck, layers: Layers | None, file_seconds: float, languages: frozenset[str]) -> Changes | None:
    """What a walk and an index disagree on; the same for some files, of which nothing can be said without an index.

    file_seconds: the time limit of today. languages: ids of those that are read; empty means all.
    """
    if isinstance(seen, SpotCheck):
        return _compare_some(seen, layers) if layers is not None else None
    files = seen.files
    if layers is None:
        return Changes(list(files), 0, [], {})
    parts = layers.snapshot.parts
    again = [_try_again(part.index, time_limit_words(file_seconds), languages) for part in parts]
    if len(parts) == 1 and not again[0].any() and _agrees(parts[0].index, files):
        return Changes([], len(files), [], {})
    paths, known = _known_files(parts, again)
    number_of = dict(zip(paths, range(len(paths)), strict=True))
    here = np.fromiter((number_of.pop(path, -1) for path in files.paths), dtype=np.int64, count=len(files))
    is_kept = here >= 0
    old = known[here[is_kept]]
    is_kept[is_kept] = (
        (old["file_size"] == np.asarray(files.sizes)[is_kept])
        & (old["file_mtime"] == np.asarray(files.mtimes)[is_kept])
        & (old["file_stamp"] == np.asarray(files.stamps)[is_kept])
        & ~old["try_again"]
    )
    changes = Changes([], int(np.count_nonzero(is_kept)), list(number_of), {})
    for number in np.flatnonzero(~is_kept).tolist():
        is_usable = here[number] >= 0 and not known["try_again"][here[number]]
        changes.add(files[number], known["file_digest"][here[number]].tobytes() if is_usable else b"")
    return changes


def _compare_some(seen: SpotCheck, layers: Layers) -> Changes:
    snapshot = layers.snapshot
    changes = Changes([], snapshot.n_files, [path for path in seen.missing if snapshot.find(path) is not None], {})
    for file in seen.found:
        place = snapshot.find(file.path)
        known = place[0].index.file(place[1]) if place is not None else None
        if known is None or known.skip:
            changes.add(file, b"")
        elif (known.size, known.mtime_ns, known.stamp) != (file.size, file.mtime_ns, file.stamp):
            changes.add(file, known.digest)
    changes.kept -= len(changes.removed) + len(changes.read)
    return changes


def _agrees(index: Index, files: FoundFiles) -> bool:
    """Whether these, ordered by path, are the files of the index: the usual case, found out quickly."""
    return (
        len(files) == index.n_files
        and np.asarray(files.mtimes).astype("<i8", copy=False).tobytes() == index.columns.file_mtime
        and np.asarray(files.stamps).astype("<u8", copy=False).tobytes() == index.columns.file_stamp
        and np.asarray(files.sizes).astype("<u8", copy=False).tobytes() == index.columns.file_size
        and digest_paths(files.blob) == index.columns.path_digest
    )


_STORED: Final = {"file_size": "<u8", "file_mtime": "<i8", "file_stamp": "<u8", "file_digest": f"V{DIGEST_BYTES}"}


def _known_files(parts: Sequence[Part], again: Sequence[Mask]) -> tuple[list[str], Numbers]:
    """The paths of the files that count, and what is stored of each, with `try_again`."""
    paths: list[str] = []
    known = []
    for part, try_again in zip(parts, again, strict=True):
        index, live, every = part.index, part.live_files(), part.index.paths.all
        paths += [every[number] for number in live]
        of_part = np.empty(index.n_files, dtype=[*_STORED.items(), ("try_again", "?")])
        for name, kind in _STORED.items():
            of_part[name] = np.frombuffer(getattr(index.columns, name), dtype=kind)
        of_part["try_again"] = try_again
        known.append(of_part[live])
    return paths, np.concatenate(known)


_TRIED_AGAIN: Final = [1 + SKIP_CODES.index(reason) for reason in TRIED_AGAIN]
_GIVEN_UP: Final = 1 + SKIP_CODES.index(SkipReason.TIME_LIMIT)
_UNCHOSEN: Final = 1 + SKIP_CODES.index(SkipReason.UNCHOSEN)


def _try_again(index: Index, time_limit: str, languages: frozenset[str]) -> Mask:
    """By file: whether it has to be read though it has not changed. The reason for skipping it may have gone, its time limit was
    another one, or its language was chosen and is not now, or the other way round."""
    is_read = [not (language and languages) or language in languages for language in index.columns.language_ids]
    skips, is_of_read = index.u8("file_skip"), np.array(is_read, dtype=bool)[index.u8("file_language")]
    again: Mask = np.isin(skips, _TRIED_AGAIN) | (is_of_read == (skips == _UNCHOSEN))
    for number in np.flatnonzero(skips == _GIVEN_UP).tolist():
        again[number] = index.columns.skip_details.get(number) != time_limit
    return again
