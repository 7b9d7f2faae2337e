"""Fetches one commit of a git repository, and writes its files.

Only the newest commit is fetched, into a git folder of ours without a working tree, and the next
time only what is new since then. The files are written beside the old ones, so whoever reads those
finds them whole until the new ones are complete.
"""

import os
import re
import secrets
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError, StorageError, SymindexError
from symindex.files.access.private_folder import PrivateFolder
from symindex.fleet.catalogue.addresses import shown_address
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.checkout import FILES, RepositoryFolder, State, new_state
from symindex.fleet.sources.files import (
    UNFINISHED,
    make_folder,
    remove_folder,
    remove_others,
    rename_folder,
    size_of,
)
from symindex.fleet.sources.git_faults import git_fault, late_fault
from symindex.fleet.sources.git_program import CancelledError, Run, ask_git, network_environment
from symindex.fleet.sources.git_remote import Resolved
from symindex.fleet.sources.git_tree import ATTRIBUTES, list_files, write_files

MOST_PACKS: Final = 20
"""From so many fetches on the next one begins anew: git keeps what no commit needs any more."""

_MOST_SAID: Final = 100_000
"""Most bytes of what git and the server say about a fetch. A server may send people any text."""

_NEWEST: Final = "refs/symindex/newest"
"""Our name of the commit that was fetched last."""

_NO_COMMIT: Final = "empty"

_FACTS: Final = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (-?[0-9]{1,18})?\n?")


class _Commit(NamedTuple):
    """committed: in seconds since 1970, or 0."""

    commit: str
    tree: str
    committed: int


def fetch(
    repository: Repository, folder: RepositoryFolder, limits: Limits, resolved: Resolved, run: Run
) -> State:
    """Fetches what a repository has new, writes its files, and returns their record, which is
    stored. The caller holds the lock of the folder. Raises RequestError and StorageError."""
    git_folder = folder.path / f"git-{len(resolved.target)}"
    _remove_left_behind(folder, git_folder)
    is_new = not git_folder.is_dir()
    try:
        try:
            state = _fetch(repository, folder, git_folder, limits, resolved, run)
        except CancelledError:
            raise
        except StorageError:
            if is_new or run.left < 1:
                raise
            remove_folder(git_folder)  # our copy may be what is damaged
            state = _fetch(repository, folder, git_folder, limits, resolved, run)
    except SymindexError:
        _remove_left_behind(folder, git_folder)  # half a pack may fill the disk
        raise
    folder.write_state(state)
    remove_others(folder.path / FILES, state.files)
    return state


def write_no_files(repository: Repository, folder: RepositoryFolder, notices: list[str]) -> State:
    """Stores the record of a repository without a commit, and returns it. Raises StorageError."""
    place = folder.path / FILES / _NO_COMMIT
    if not place.is_dir():
        make_folder(place)
    state = new_state("", "", "", repository.ref, 0, _NO_COMMIT, notices)
    folder.write_state(state)
    remove_others(folder.path / FILES, state.files)
    return state


def _fetch(
    repository: Repository,
    folder: RepositoryFolder,
    git_folder: Path,
    limits: Limits,
    resolved: Resolved,
    run: Run,
) -> State:
    if not git_folder.is_dir():
        _make_git_folder(folder, git_folder, resolved, run)
    _fetch_objects(repository, git_folder, limits, resolved, run)
    found = _read_commit(git_folder, resolved, run)
    files = list_files(git_folder, found.commit, resolved.location, limits, run)
    place = folder.path / FILES / found.tree
    left_out = files.left_out
    if not place.is_dir():
        new = place.with_name(f"{found.tree}.{secrets.token_hex(4)}{UNFINISHED}")
        make_folder(new)
        try:
            left_out += write_files(git_folder, files, new, resolved.location, run)
            rename_folder(new, place)
        except BaseException:
            remove_folder(new)
            raise
    # A newer commit may have come since the server was asked.
    target = resolved.target if found.commit == resolved.commit else found.commit
    return new_state(
        target,
        found.commit,
        found.tree,
        resolved.branch,
        found.committed,
        found.tree,
        _left_out_notices(left_out),
    )


def _make_git_folder(
    folder: RepositoryFolder, git_folder: Path, resolved: Resolved, run: Run
) -> None:
    """Makes an empty git folder: without hooks, and with attributes that convert nothing."""
    new = folder.path / f"git.{secrets.token_hex(4)}{UNFINISHED}"
    make_folder(new)
    try:
        form = "sha256" if len(resolved.target) == 64 else "sha1"
        words = ["init", "--bare", "--quiet", "--template=", f"--object-format={form}"]
        answer = ask_git(run, [*words, str(new)], _MOST_SAID)
        if answer.is_late:
            raise late_fault(resolved.location, run.seconds)
        if answer.code:
            raise git_fault(answer.said, str(new))
        PrivateFolder(new / "info").write("attributes", [ATTRIBUTES], synced=False)
        rename_folder(new, git_folder)
    except OSError as error:
        raise StorageError(f"{new}: cannot be written: {error.strerror or error}") from None
    finally:
        remove_folder(new)


def _fetch_objects(
    repository: Repository, git_folder: Path, limits: Limits, resolved: Resolved, run: Run
) -> None:
    before = size_of(git_folder)

    def is_too_much() -> bool:
        return size_of(git_folder) - before > limits.max_repository_bytes

    words = [
        *("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"),
        *("--no-write-fetch-head", "--no-auto-gc", "--force", "--update-shallow"),
    ]
    answer = ask_git(
        run,
        [
            f"--git-dir={git_folder}",
            *words,
            "--",
            resolved.location,
            f"+{resolved.reference}:{_NEWEST}",
        ],
        _MOST_SAID,
        environment=network_environment(repository, resolved.location),
        is_too_much=is_too_much,
    )
    if answer.is_stopped or is_too_much():
        remove_folder(git_folder)
        raise RequestError(
            f"{shown_address(resolved.location)}: git fetches more than"
            f" {limits.max_repository_bytes:,} bytes: raise `max_repository_bytes`, or leave it out"
        )
    if answer.is_late:
        raise late_fault(resolved.location, run.seconds)
    if answer.code:
        raise git_fault(answer.said, resolved.location)


def _read_commit(git_folder: Path, resolved: Resolved, run: Run) -> _Commit:
    """Reads the commit that was fetched. Raises RequestError for a tag of something else."""
    words = ["log", "-1", "--no-show-signature", "--no-decorate", "--format=%H %T %ct"]
    name = f"{_NEWEST}^{{commit}}"
    answer = ask_git(
        run,
        [f"--git-dir={git_folder}", *words, name, "--"],
        _MOST_SAID,
        with_faults=False,
    )
    facts = _FACTS.fullmatch(answer.said)
    if answer.is_late:
        raise late_fault(resolved.location, run.seconds)
    if facts is None:
        raise StorageError(
            f"{shown_address(resolved.location)}: {resolved.branch or 'HEAD'} leads to no commit:"
            " give the branch or the tag of a commit as ref"
        )
    return _Commit(facts[1].decode(), facts[2].decode(), max(0, int(facts[3] or 0)))


def _left_out_notices(left_out: Counter[str]) -> list[str]:
    return [f"left out: {count:,} {reason}" for reason, count in sorted(left_out.items())]


def _remove_left_behind(folder: RepositoryFolder, git_folder: Path) -> None:
    """Removes what killed processes have left: unfinished folders, and locks that git waits for.
    Nobody else is at work here, since the caller holds the lock."""
    for place in (folder.path, folder.path / FILES):
        with suppress(OSError):
            for name in os.listdir(place):
                if name.endswith(UNFINISHED):
                    remove_folder(place / name)
                elif name.endswith((f"{UNFINISHED}.index", ".index.lock")):
                    (place / name).unlink()
    for top, _, names in os.walk(git_folder):
        for name in names:
            if name.endswith(".lock") or name.startswith("tmp_"):
                with suppress(OSError):
                    os.unlink(os.path.join(top, name))
    with suppress(OSError):
        if len(os.listdir(git_folder / "objects/pack")) >= 2 * MOST_PACKS:  # with their indexes
            remove_folder(git_folder)
