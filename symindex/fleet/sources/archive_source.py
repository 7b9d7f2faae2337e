"""Unpacks the archives of a catalogue, and again when they have changed."""

import hashlib
import os
from pathlib import Path
from typing import Final

from symindex.errors import ArchiveError, RequestError
from symindex.files.change_stamp import change_stamp
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.checkout import FILES, Checkout, RepositoryFolder, new_state
from symindex.fleet.sources.files import remove_folder, remove_others
from symindex.fleet.sources.git_program import Run
from symindex.fleet.sources.tar_archives import unpack_tar
from symindex.packages.found.archives import unpack

ZIP_SUFFIXES: Final = (".zip", ".whl", ".jar")


def sync_archive(
    repository: Repository, folder: RepositoryFolder, limits: Limits, run: Run
) -> Checkout:
    """Unpacks an archive that is new or has changed. Raises RequestError for one that is not there,
    is damaged or exceeds the limits, and StorageError."""
    path = Path(os.path.realpath(repository.location))
    try:
        status = path.stat()
    except OSError as error:
        raise RequestError(
            f"{path}: cannot be read: {error.strerror or error}; check the path in the catalogue"
        ) from None
    stamp = f"{status.st_size} {status.st_mtime_ns} {change_stamp(status)}"
    state = folder.read_state()
    if state is not None and state.target == stamp:
        return folder.checkout(state)
    with folder.locked():
        state = folder.read_state()
        if state is None or state.target != stamp:
            name = hashlib.blake2b(stamp.encode(), digest_size=16).hexdigest()
            place = folder.path / FILES / name
            remove_folder(place)
            notices = _unpack(path, place, limits, run)
            state = new_state(stamp, "", "", "", 0, name, notices)
            folder.write_state(state)
            remove_others(folder.path / FILES, name)
        return folder.checkout(state)


def _unpack(path: Path, into: Path, limits: Limits, run: Run) -> list[str]:
    """Unpacks an archive, and returns what was left out."""
    reader = unpack if path.name.lower().endswith(ZIP_SUFFIXES) else unpack_tar
    try:
        done = reader(
            path,
            into,
            most_members=limits.max_files,
            most_bytes=limits.max_repository_bytes,
            seconds=run.left,
        )
    except ArchiveError as error:
        raise RequestError(str(error)) from None
    return [f"left out: {count:,} {reason}" for reason, count in sorted(done.skipped.items())]
