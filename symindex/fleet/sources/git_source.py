"""Brings a git repository up to date: asks where its branch is, and fetches if that has changed."""

from pathlib import Path
from typing import TypeGuard

from symindex.errors import EmptyFolderError, RequestError
from symindex.fleet.catalogue.addresses import shown_address, transport_of
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.checkout import Checkout, RepositoryFolder, State
from symindex.fleet.sources.git_fetch import fetch, write_no_files
from symindex.fleet.sources.git_program import Run
from symindex.fleet.sources.git_remote import moved_notices, resolve
from symindex.fleet.sources.local_reference import read_reference


def sync_git(
    repository: Repository, folder: RepositoryFolder, limits: Limits, known_commit: str, run: Run
) -> Checkout:
    """Brings a git repository up to date. known_commit: one whose files the caller does not need.
    Raises RequestError and StorageError."""
    state = folder.read_state()
    if transport_of(repository.location) == "file":
        unchanged = _unchanged_here(repository, folder, state, known_commit)
        if unchanged is not None:
            return unchanged
    try:
        resolved = resolve(repository, run)
    except EmptyFolderError as error:
        with folder.locked():
            return folder.checkout(write_no_files(repository, folder, [str(error)]))
    moved = moved_notices(repository, resolved.location)
    if _is_at(state, resolved.target, resolved.branch):
        return folder.checkout(state, moved)
    if known_commit and known_commit == resolved.commit:
        return folder.checkout_without_files(known_commit, resolved.branch, moved)
    with folder.locked():
        state = folder.read_state()  # another process may have been faster
        if not _is_at(state, resolved.target, resolved.branch):
            state = fetch(repository, folder, limits, resolved, run)
        return folder.checkout(state, moved)


def _unchanged_here(
    repository: Repository, folder: RepositoryFolder, state: State | None, known_commit: str
) -> Checkout | None:
    """Returns the checkout of a repository on this machine if its files show that it has not
    changed; `None` if git must be asked."""
    path = Path(repository.location)
    if not path.is_dir():
        raise RequestError(
            f"{shown_address(repository.location)}: there is no such folder any more: check the"
            " path"
        )
    reference = read_reference(path, repository.ref)
    if reference is None:
        return None
    if _is_at(state, reference.target, reference.branch):
        return folder.checkout(state)
    if known_commit == reference.target:
        return folder.checkout_without_files(known_commit, reference.branch)
    return None


def _is_at(state: State | None, target: str, branch: str) -> TypeGuard[State]:
    """Whether our files are those of a branch as it is now."""
    return state is not None and (state.target, state.branch) == (target, branch)
