"""The files of a repository as they are here, and the record that says which they are.

    <folder>/<digest of the source>/
        state.json      which commit the files are of
        git-40/         git's own folder, for hashes of 40 letters; git-64 for the newer ones
        files/<tree>/   the files
        lock

The record is written last, and replaced as a whole. So after a process was killed at any moment,
the record names complete files, or the next run begins again.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.fleet.catalogue.repository import Repository

STATE: Final = "state.json"
FILES: Final = "files"
LOCK: Final = "lock"

LOCK_SECONDS: float = 30.0
"""How long to wait for another process that is at the same repository, in seconds."""

_MOST_STATE_BYTES: Final = 65_536

_FORM: Final = 1
"""Number of the form of the record. A record of another form counts as none."""


class Checkout(msgspec.Struct, frozen=True):
    """The files of a repository.

    root: the folder with the files. commit: its hash; empty for an archive, and for a repository
    without a commit. tree: the hash of git's tree, which is that of the files' names and contents;
    empty for folders and archives. branch: the branch or tag; empty if there is none. committed:
    when the commit was made, in seconds since 1970, or 0. notices: what was left out, and what to
    change in the catalogue. has_files: false if the caller knew the commit already, so that nothing
    was fetched; then `root` may not exist.
    """

    root: Path
    commit: str = ""
    tree: str = ""
    branch: str = ""
    committed: int = 0
    notices: tuple[str, ...] = ()
    has_files: bool = True


class State(msgspec.Struct, frozen=True):
    """The record of the files. target: the hash to which the branch or tag leads, which for an
    annotated tag is that of the tag. files: the name of their folder in `files`."""

    form: int
    target: str
    commit: str
    tree: str
    branch: str
    committed: int
    files: str
    notices: tuple[str, ...] = ()


class RepositoryFolder:
    """Our folder for one repository."""

    def __init__(self, repository: Repository, folder: Path) -> None:
        self.private = PrivateFolder(
            Path(os.path.abspath(folder)) / repository.folder_name,
            otherwise="name another source_folder",
        )
        self.path = self.private.path

    def read_state(self) -> State | None:
        """Returns the record; `None` if there is none, or if its files are gone."""
        try:
            data = self.private.read(STATE, _MOST_STATE_BYTES)
            state = msgspec.json.decode(data, type=State)
        except (OSError, StorageError, msgspec.MsgspecError, ValueError):
            return None
        if state.form != _FORM or not self.files_of(state).is_dir():
            return None
        return state

    def write_state(self, state: State) -> None:
        """Replaces the record. Raises StorageError."""
        try:
            self.private.write(STATE, [msgspec.json.encode(state)])
        except OSError as error:
            raise StorageError(
                f"{self.path}: cannot be written: {error.strerror or error}"
            ) from None

    def files_of(self, state: State) -> Path:
        """Returns the folder of the files that a record names."""
        return self.path / FILES / os.path.basename(state.files)

    def checkout(self, state: State, notices: Sequence[str] = ()) -> Checkout:
        """Returns what callers get of a record."""
        return Checkout(
            self.files_of(state),
            state.commit,
            state.tree,
            state.branch,
            state.committed,
            (*notices, *state.notices),
        )

    def checkout_without_files(
        self, commit: str, branch: str, notices: Sequence[str] = ()
    ) -> Checkout:
        """Returns what callers get of a commit that they know."""
        return Checkout(
            self.path / FILES, commit, branch=branch, notices=tuple(notices), has_files=False
        )

    @contextmanager
    def locked(self, wait_seconds: float | None = None) -> Iterator[None]:
        """Lets the block be the only one that changes this repository. Raises StorageError if
        another process still does after `wait_seconds`; default: `LOCK_SECONDS`."""
        seconds = LOCK_SECONDS if wait_seconds is None else wait_seconds
        try:
            with self.private.locked(LOCK, seconds) as is_ours:
                if not is_ours:
                    raise StorageError(
                        f"{self.path}: another process uses this repository, and was not done"
                        f" within {seconds:g} s: run it again later"
                    )
                yield
        except OSError as error:
            raise StorageError(
                f"{self.path}: cannot be written: {error.strerror or error}"
            ) from None


def new_state(
    target: str,
    commit: str,
    tree: str,
    branch: str,
    committed: int,
    files: str,
    notices: Sequence[str],
) -> State:
    """Returns a record of the present form."""
    return State(_FORM, target, commit, tree, branch, committed, files, tuple(notices))
