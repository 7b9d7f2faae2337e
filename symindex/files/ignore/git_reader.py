"""Runs git in the one repository that belongs to a tree. Nothing else reads a repository.

Before git is asked, the folder is located (`git_folder`) and looked at (`git_inspection`). git gets
it by name, with the folders of its references and objects, so it looks for nothing itself. After
each answer what decides is compared with what was looked at; an answer that was given meanwhile
from something else is thrown away.
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
"""How often a question is repeated while another process changes the repository."""


class GitReader:
    """One repository. top: its folder of files."""

    def __init__(self, program: str, top: Path) -> None:
        self.top = top
        self._program = program
        self._look()

    @classmethod
    def of(cls, root: Path) -> Self:
        """The repository that a folder lies in. root: without links. Raises RequestError where
        there is none, where it belongs to another tree, and where there is no git."""
        top = find_upwards(root, ".git")
        if not os.path.lexists(top / ".git"):
            raise RequestError(
                f"{root}: not in a git repository, so nothing is known of earlier versions of its"
                " files"
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
        """What git says. folder: in which it is run; default: the top. `None` where git cannot be
        started. Raises RequestError where the repository is another by now."""
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
            f"{self.top}: its git repository changes while it is read; try again when that is over"
        )

    def check_name(self, name: str) -> None:
        """Raises RequestError where what git may read for a name of a revision, which is any file
        of its folder, is a link, or nothing that can be read."""
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
                            f"{path}: is no reference of git: give a tag, a branch or a hash"
                        )

    def _look(self) -> None:
        try:
            found = git_folder(self.top)
            if found is None:
                raise RequestError(
                    f"{self.top}: has no git repository any more; leave the version out"
                )
            _check_owner(self._program, found)
            self._stamps: Stamps = inspect_git(found, self._program)
        except ForeignGitError as error:
            raise RequestError(str(error)) from None
        except OSError as error:
            raise RequestError(
                f"{self.top / '.git'}: cannot be read: {error.strerror or error}"
            ) from None
        self._found, self._variables = found, _variables(found)


def _variables(found: GitFolder) -> dict[str, str]:
    """Environment variables by which git reads this folder and looks for no other."""
    around = {"GIT_CEILING_DIRECTORIES": str(found.top.parent)}
    if not hasattr(
        os, "geteuid"
    ):  # only git knows whose it is, and looks at that where it finds the folder itself
        return {**around, "GIT_CONFIG_GLOBAL": os.path.expanduser("~/.gitconfig")}
    return {
        **around,
        "GIT_DIR": str(found.folder),
        "GIT_COMMON_DIR": str(found.common),
        "GIT_OBJECT_DIRECTORY": str(found.common / "objects"),
        "GIT_WORK_TREE": str(found.top),
    }


def _check_owner(program: str, found: GitFolder) -> None:
    """Raises ForeignGitError for a repository of another user, unless this user has declared it
    safe (`safe.directory`). git itself checks the owner only where it finds the folder by
    itself."""
    if not hasattr(os, "geteuid"):
        return
    own = {os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        own.add(int(os.environ["SUDO_UID"]))
    strange = [
        path
        for path in (found.top, found.top / ".git", found.folder, found.common)
        if os.lstat(path).st_uid not in own
    ]
    if not strange:
        return
    answer = run_git(
        program,
        ["-C", found.top.anchor, "config", "--null", "--get-all", "safe.directory"],
        65_536,
        2.0,
    )
    safe: set[str] = set()
    for named in (
        os.fsdecode(answer.said).split("\0")[:-1]
        if answer is not None and not answer.is_late
        else ()
    ):
        safe = safe | {os.path.expanduser(named)} if named else set()
    if not safe & {"*", str(found.top), str(found.folder)}:
        raise ForeignGitError(
            f"{strange[0]}: belongs to another user; if you trust it: git config --global --add"
            f" safe.directory {found.top}"
        )
