"""Brings repositories up to date, whatever they are: one, or many at once.

One that fails does not stop the others; its error is what it gets. Whoever reads the files takes
`held`, so that no other process replaces them meanwhile.
"""

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from symindex.errors import RequestError, StorageError, SymindexError
from symindex.files.access.private_folder import PrivateFolder
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.archive_source import sync_archive
from symindex.fleet.sources.checkout import LOCK, Checkout, RepositoryFolder
from symindex.fleet.sources.files import remove_folder
from symindex.fleet.sources.git_program import Run
from symindex.fleet.sources.git_source import sync_git
from symindex.fleet.sources.local_reference import read_reference

AT_ONCE: Final = 8
"""How many repositories are brought up to date at once. A server is slow, and refuses crowds."""

MOST_AT_ONCE: Final = 64

_FOLDER_NAME: Final = re.compile(r"[0-9a-f]{32}")

OnResult = Callable[[Repository, Checkout | SymindexError], None]


def sync(
    repository: Repository,
    folder: Path,
    limits: Limits,
    *,
    known_commit: str = "",
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Checkout:
    """Brings a repository up to date and returns where its files are.

    folder: ours. known_commit: a commit whose files the caller does not need, because
    they are indexed already. is_cancelled: asked about five times a second. Raises RequestError if
    the catalogue, the repository or a limit must be changed, and StorageError if it may work later.
    """
    if repository.kind == "folder":
        return _folder(repository)
    own = RepositoryFolder(repository, folder)
    run = Run.begin(own.path, limits.seconds, is_cancelled)
    if repository.kind == "archive":
        return sync_archive(repository, own, limits, run)
    return sync_git(repository, own, limits, known_commit, run)


def sync_all(
    repositories: Sequence[Repository],
    folder: Path,
    limits: Limits,
    on_result: OnResult,
    n_at_once: int = AT_ONCE,
    known_commits: Mapping[str, str] | None = None,
) -> None:
    """Brings many repositories up to date.

    on_result: gets each repository with its checkout or its error, in the calling thread, as they
    come. known_commits: by the names of repositories. If `on_result` raises, or the user
    interrupts, what runs is ended and nothing else begins.
    """
    if not 1 <= n_at_once <= MOST_AT_ONCE:
        raise RequestError(f"{n_at_once} repositories at once: expected 1 to {MOST_AT_ONCE}")
    known = known_commits or {}
    cancelled = threading.Event()

    def bring(repository: Repository) -> Checkout | SymindexError:
        try:
            return sync(
                repository,
                folder,
                limits,
                known_commit=known.get(repository.name, ""),
                is_cancelled=cancelled.is_set,
            )
        except SymindexError as error:
            return error

    waiting = iter(repositories)
    running: dict[Future[Checkout | SymindexError], Repository] = {}
    executor = ThreadPoolExecutor(n_at_once, "sync")
    try:
        while True:
            while len(running) < 2 * n_at_once and (following := next(waiting, None)):
                running[executor.submit(bring, following)] = following
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                on_result(running.pop(done), done.result())
    finally:
        cancelled.set()
        executor.shutdown(cancel_futures=True)


@contextmanager
def held(repository: Repository, folder: Path, wait_seconds: float) -> Iterator[None]:
    """Keeps other processes from replacing the files of a repository within the block. Raises
    StorageError if one is at it for longer than `wait_seconds`."""
    if repository.kind == "folder":  # it is not ours
        yield
        return
    with RepositoryFolder(repository, folder).locked(wait_seconds):
        yield


def remove_unlisted(repositories: Iterable[Repository], folder: Path) -> int:
    """Deletes the files of repositories that a catalogue has no more. Returns how many there were.

    folder: that of one catalogue alone. One that another process uses stays for the next time.
    Raises StorageError.
    """
    listed = {repository.folder_name for repository in repositories}
    n_removed = 0
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise StorageError(f"{folder}: cannot be read: {error.strerror or error}") from None
    for name in names:
        if name in listed or not _FOLDER_NAME.fullmatch(name):
            continue
        with PrivateFolder(folder / name).locked(LOCK, 0.0) as is_free:
            if is_free:
                remove_folder(folder / name)
                n_removed += 1
    return n_removed


def _folder(repository: Repository) -> Checkout:
    """Returns a folder as it is: nothing is copied. Its commit says what is checked out, and not
    that the files are those of the commit."""
    path = Path(repository.location)
    if not path.is_dir():
        raise RequestError(f"{path}: there is no such folder: check the path in the catalogue")
    reference = read_reference(path, "")
    if reference is None:
        return Checkout(path)
    return Checkout(path, reference.target, branch=reference.branch)
