"""Runs git for repositories of a fleet: what it may do, and how long.

A server and a repository are strangers. So git runs no hook, filter, credential helper or program
that a configuration names; it reads neither the system's configuration nor the user's, asks nobody
for a password, follows no redirect, and speaks only the one protocol of the address. A token goes
into its environment, where no other user reads it, and only to the server of the address.
"""

import base64
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Self
from urllib.parse import urlsplit

from symindex.errors import RequestError, StorageError
from symindex.files.ignore.git_command import ALONE_SETTINGS, GitAnswer, find_git, run_git
from symindex.fleet.catalogue.addresses import transport_of
from symindex.fleet.catalogue.repository import Repository
from symindex.fleet.catalogue.tokens import read_token

REMOTE_MEMORY: Final = 2_000_000_000
"""Address space of a git that fetches, in bytes. It maps packs, and libraries for https."""

_NOT_OF_TREES: Final = (
    "badDate", "badDateOverflow", "badEmail", "badName", "badTimezone", "missingEmail",
    "missingNameBeforeEmail", "missingSpaceBeforeDate", "missingSpaceBeforeEmail",
    "missingTaggerEntry", "zeroPaddedDate", "zeroPaddedFilemode", "gitmodulesBlob",
    "gitmodulesLarge", "gitmodulesMissing", "gitmodulesName", "gitmodulesParse", "gitmodulesPath",
    "gitmodulesSymlink", "gitmodulesUpdate", "gitmodulesUrl",
)  # fmt: skip
"""Faults of objects that do not matter here: old programs wrote such dates and modes, and nothing
follows a submodule. All other faults refuse a repository."""

_SETTINGS: Final = (
    *ALONE_SETTINGS,
    *("-c", "http.followRedirects=false"),  # git would send the token along
    *("-c", "http.lowSpeedLimit=100"),
    *("-c", "http.lowSpeedTime=60"),
    *("-c", "credential.helper="),
    *("-c", "submodule.recurse=false"),
    *("-c", "fetch.recurseSubmodules=false"),
    *("-c", "fetch.unpackLimit=1"),  # always a pack, and never a file of each object
    *("-c", "transfer.bundleURI=false"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
    *("-c", "core.bigFileThreshold=16m"),  # larger objects are copied in pieces
    *("-c", "core.autocrlf=false"),
    *("-c", "core.symlinks=false"),
    *("-c", "core.fileMode=false"),
    *("-c", "core.longpaths=true"),
    *("-c", "core.protectHFS=true"),
    *("-c", "core.protectNTFS=true"),
    *("-c", "transfer.fsckObjects=true"),
    *(word for fault in _NOT_OF_TREES for word in ("-c", f"fetch.fsck.{fault}=ignore")),
)

_KEPT: Final = (
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
)  # fmt: skip
"""Variables of the user about how servers are reached, which git keeps."""

_SSH: Final = "ssh -oBatchMode=yes -oConnectTimeout=20"


class Run(NamedTuple):
    """One repository being brought up to date.

    folder: ours, in which no program is searched. deadline: when it must end, on the monotonic
    clock. seconds: how long that is from its beginning, for messages. is_cancelled: asked while git
    runs.
    """

    folder: Path
    deadline: float
    seconds: float
    is_cancelled: Callable[[], bool]

    @classmethod
    def begin(cls, folder: Path, seconds: float, is_cancelled: Callable[[], bool]) -> Self:
        """Begins now."""
        return cls(folder, time.monotonic() + seconds, seconds, is_cancelled)

    def within(self, seconds: float) -> Self:
        """Returns a part of it that must end earlier."""
        return self._replace(deadline=min(self.deadline, time.monotonic() + seconds))

    @property
    def left(self) -> float:
        """Seconds that are left; never 0, so that what begins too late ends at once."""
        return max(0.001, self.deadline - time.monotonic())


class CancelledError(StorageError):
    """The bringing up to date was cancelled."""


def git_program(folder: Path) -> str:
    """Returns the path of git. Raises RequestError if it is not installed."""
    program = find_git(folder)
    if program is None:
        raise RequestError(
            "git is not installed, or not on your search path: repositories are fetched with it"
        )
    return program


def ask_git(
    run: Run,
    words: Sequence[str],
    most_bytes: int,
    *,
    environment: Mapping[str, str] | None = None,
    standard_input: bytes = b"",
    is_too_much: Callable[[], bool] | None = None,
    with_faults: bool = True,
) -> GitAnswer:
    """Runs git within the time that is left.

    most_bytes: of its output. environment: from `network_environment` if git speaks with a server.
    is_too_much: ends git when it is true. with_faults: whether the output has what git says about
    faults. Raises CancelledError, StorageError if git cannot run, and RequestError if it is not
    installed.
    """

    def is_over() -> bool:
        return run.is_cancelled() or (is_too_much is not None and is_too_much())

    answer = run_git(
        git_program(run.folder),
        [*_SETTINGS, "-C", os.path.abspath(os.sep), *words],
        most_bytes,
        run.left,
        environment or {"LC_ALL": "C"},
        standard_input,
        with_faults=with_faults,
        is_too_much=is_over,
        most_memory=REMOTE_MEMORY,
    )
    if run.is_cancelled():
        raise CancelledError("cancelled")
    if answer is None:
        raise StorageError("git cannot be started; try again later")
    return answer


def network_environment(repository: Repository, location: str) -> dict[str, str]:
    """Returns the variables for a git that speaks with the server of a repository. Raises
    RequestError for a token that is not there, or that no server can have given."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment = {
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": transport_of(location),
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_SSH_COMMAND": _SSH,
        **kept,
    }
    if repository.token_env:
        parts = urlsplit(location)
        header = authorization_of(repository)
        environment |= {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{parts.scheme}://{parts.netloc}/.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: {header}",
        }
    return environment


def authorization_of(repository: Repository) -> str:
    """Returns the header for the token of a repository. A token with a colon is a user with a
    password; the servers take any user for all others."""
    token = read_token(repository.token_env, repository.place)
    pair = token if ":" in token else f"x-access-token:{token}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"
