"""Runs git in the one repository that belongs to a tree. Nothing else reads a repository.

Before git runs, its folder is located (`git_folder`) and inspected (`git_inspection`). git is given
the folder by name, along with those of its references and objects, so it searches for nothing.
After each answer the files that matter are compared with what was inspected; if they have changed
meanwhile, the answer is discarded.
"""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from symindex.errors import RequestError
from symindex.files.ignore.git_command import ALONE_SETTINGS, GitAnswer, find_git, run_git
from symindex.files.ignore.git_folder import ForeignGitError, GitFolder, git_folder
from symindex.files.ignore.git_inspection import Stamps, inspect_git, stamp_of
from symindex.files.locations import find_upwards

MOST_TRIES: Final = 5
"""How many times to ask again while another process changes the repository."""


class GitReader:
    """One repository. top: the top folder of its working tree."""

    def __init__(self, program: str, top: Path) -> None:
        self.top = top
        self._program = program
        self._look()

    @classmethod
    def of(cls, root: Path) -> Self:
        """Returns the repository that contains a folder.

        root: without links. Raises RequestError if there is none, if it belongs to another tree, or
        if git is not installed.
        """
        top = find_upwards(root, ".git")
        if not os.path.lexists(top / ".git"):
            raise RequestError(
                f"{root}: not in a git repository, so nothing is known about earlier versions of"
                " its files"
            )
        program = find_git(top)
        if program is None:
            raise RequestError(
                "git is not installed, or not on your search path: versions of files need it"
            )
        return cls(program, top)

    def ask(
        self, words: Sequence[str], most_bytes: int, seconds: float, folder: Path | None = None
    ) -> GitAnswer | None:
        """Runs git and returns its answer; `None` if it cannot be started.

        folder: where to run it; default: the top. Raises RequestError if the repository keeps
        changing.
        """
        for _ in range(MOST_TRIES):
            answer = run_git(
                self._program,
                [*ALONE_SETTINGS, "-C", str(folder or self.top), *words],
                most_bytes,
                seconds,
                self._variables,
            )
            if all(stamp_of(path) == stamp for path, stamp in self._stamps.items()):
                return answer
            self._look()
        raise RequestError(
            f"{self.top}: its git repository keeps changing while it is read; try again later"
        )

    @property
    def outside(self) -> Path:
        """A folder outside of the working tree, where git finds no `.mailmap` or `.gitattributes`
        of a stranger; the top if git itself must find the repository."""
        return Path(self.top.anchor) if "GIT_DIR" in self._variables else self.top

    def check_name(self, name: str) -> None:
        """Raises RequestError if git, looking up a revision by name, might read a link or something
        unreadable. git may take any file of its folder for a revision."""
        parts = name.split("/")
        for place in (self._found.folder, self._found.common):
            for depth in range(len(parts)):
                path = place.joinpath(*parts[: depth + 1])
                with suppress(OSError, ValueError):
                    mode = os.lstat(path).st_mode
                    is_whole = depth == len(parts) - 1
                    if (
                        name != "HEAD"
                        and not stat.S_ISDIR(mode)
                        and not (is_whole and stat.S_ISREG(mode))
                    ):
                        raise RequestError(
                            f"{path}: is not a git reference: give a tag, a branch or a hash"
                        )

    def _look(self) -> None:
        try:
            git = git_folder(self.top)
            if git is None:
                raise RequestError(
                    f"{self.top}: no longer has a git repository; leave out the version"
                )
            _check_owner(self._program, git)
            self._stamps: Stamps = inspect_git(git, self._program)
        except ForeignGitError as error:
            raise RequestError(str(error)) from None
        except OSError as error:
            raise RequestError(
                f"{self.top / '.git'}: cannot be read: {error.strerror or error}"
            ) from None
        self._found, self._variables = git, _variables(git)


def _variables(git: GitFolder) -> dict[str, str]:
    """Returns the environment variables by which git reads this folder and searches for no
    other."""
    around = {"GIT_CEILING_DIRECTORIES": str(git.top.parent)}
    # Without owners only git can tell whose a folder is, and it checks only what it finds itself.
    if not hasattr(os, "geteuid"):
        return {**around, "GIT_CONFIG_GLOBAL": os.path.expanduser("~/.gitconfig")}
    return {
        **around,
        "GIT_DIR": str(git.folder),
        "GIT_COMMON_DIR": str(git.common),
        "GIT_OBJECT_DIRECTORY": str(git.common / "objects"),
        "GIT_WORK_TREE": str(git.top),
    }


def _check_owner(program: str, git: GitFolder) -> None:
    """Raises ForeignGitError for a repository of another user, unless this user has declared it
    safe (`safe.directory`). git itself checks the owner only of a folder that it has found
    itself."""
    if not hasattr(os, "geteuid"):
        return
    our_ids = {os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        our_ids.add(int(os.environ["SUDO_UID"]))
    strange = [
        path
        for path in (git.top, git.top / ".git", git.folder, git.common)
        if os.lstat(path).st_uid not in our_ids
    ]
    if not strange:
        return
    answer = run_git(
        program,
        ["-C", git.top.anchor, "config", "--null", "--get-all", "safe.directory"],
        65_536,
        2.0,
    )
    safe: set[str] = set()
    for entry in (
        os.fsdecode(answer.said).split("\0")[:-1]
        if answer is not None and not answer.is_late
        else ()
    ):
        safe = safe | {os.path.expanduser(entry)} if entry else set()
    if not safe & {"*", str(git.top), str(git.folder)}:
        raise ForeignGitError(
            f"{strange[0]}: belongs to another user; if you trust it: git config --global --add"
            f" safe.directory {git.top}"
        )
