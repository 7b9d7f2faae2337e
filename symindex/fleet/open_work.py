"""Opens the work on a fleet and its store, from the catalogue and the options of a command."""

import hashlib
import os
from pathlib import Path

from symindex.errors import RequestError
from symindex.files.user_folders import cache_folder
from symindex.fleet.building.executors import EXECUTORS
from symindex.fleet.catalogue.all_repositories import all_repositories
from symindex.fleet.catalogue.catalogue import Catalogue, read_catalogue
from symindex.fleet.stored.store import Store, almost_url
from symindex.fleet.work import FleetWork, Progress, share_of


def open_store(catalogue: Path, store: str | None) -> Store:
    """Returns the store that an option names, else the catalogue. Raises RequestError."""
    if store:
        return Store(store)
    return Store(_store_of(read_catalogue(catalogue), catalogue))


def catalogued(catalogue: Path) -> list[str]:
    """Returns the names of the repositories that a catalogue and its lists name; none without a
    catalogue. Organisations are not asked."""
    if not catalogue.exists():
        return []
    return [repository.name for repository in read_catalogue(catalogue).repositories]


def _store_of(read: Catalogue, path: Path) -> str:
    if not read.store:
        raise RequestError(f'{path}: names no store: add store = "…", or use --store')
    if "://" in read.store or almost_url(read.store):
        return read.store
    return os.path.join(os.path.dirname(os.path.abspath(path)), os.path.expanduser(read.store))


def open_work(
    catalogue: Path,
    store: str | None,
    executor: str,
    n_workers: int = 0,
    share: tuple[int, int] | None = None,
    progress: Progress | None = None,
) -> FleetWork:
    """Returns the work on a fleet.

    store: instead of the catalogue's. executor: a name in EXECUTORS. share: does only one of so
    many shares of the repositories, counted from 1. Raises RequestError and StorageError.
    """
    read = read_catalogue(catalogue)
    opened = Store(store or _store_of(read, catalogue), creates=True)
    folder = Path(read.source_folder) if read.source_folder else _default_folder(catalogue)
    every = all_repositories(read)
    repositories = every.repositories
    if not repositories and every.is_whole:
        raise RequestError(
            f"{catalogue}: names no repositories, so nothing is changed; add a [[repository]], a"
            " [[list]] or an [[organisation]]"
        )
    return FleetWork(
        opened,
        share_of(repositories, *share) if share is not None else repositories,
        folder,
        read.limits,
        is_whole=every.is_whole and share is None,
        notices=[*read.notices, *every.notices],
        executor=EXECUTORS[executor],
        n_workers=n_workers,
        progress=progress,
    )


def _default_folder(catalogue: Path) -> Path:
    path = os.path.realpath(catalogue)
    digest = hashlib.blake2b(os.fsencode(path), digest_size=8).hexdigest()
    return Path(cache_folder(), "fleet-sources", digest)
