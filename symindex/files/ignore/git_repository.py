"""Collects the ignore files in force at a root: those of the repository around it, and the user's.

They may be above the root, and some are named by other files: `.git` as a file in worktrees and
submodules, `commondir`, `core.excludesFile`. A tree that was copied or unpacked may contain such
files as well. So git's folder counts only if it belongs to the tree (`git_folder`), git is asked
only if it can read its configuration quickly (`git_inspection`), and a file outside the tree that
the tree's own configuration names counts only if it is a regular file of this user or of root.

Rules for searchers (`.ignore`, `.rgignore`) count in all folders above, as in ripgrep, unless
another user has put them there.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from symindex.files.access.beneath import Beneath, read_beneath
from symindex.files.access.owners import may_decide
from symindex.files.access.regular import closing, open_regular
from symindex.files.change_stamp import change_stamp
from symindex.files.ignore import git_command
from symindex.files.ignore.git_command import find_git, run_git
from symindex.files.ignore.git_folder import ForeignGitError, GitFolder, git_folder
from symindex.files.ignore.git_index import MOST_BYTES as MOST_INDEX
from symindex.files.ignore.git_index import Tracked
from symindex.files.ignore.git_inspection import check_config
from symindex.files.ignore.gitignore import IGNORE_NAME, SEARCH_NAMES, IgnoreRules
from symindex.files.locations import find_upwards
from symindex.files.skips import Skip, SkipReason

_MOST_BYTES: Final = 65_536
"""How many bytes of git's answer to read: it consists of some paths."""

_NOTHING_FOUND: Final = 1
_USAGE: Final = 129
"""Exit codes of git: the key is unset; the options are unknown to an older git."""

Answer = list[tuple[str, str]]
"""Pairs of scope and value; later pairs take precedence."""

_silent: dict[tuple[object, ...], tuple[Answer, str]] = {}
"""The results of `ask_git` for trees where git failed, so that nobody waits again, by everything
that may mend it: the tree, the program and the stamp of the tree's configuration."""


class _IgnorePlace(NamedTuple):
    """An ignore file that applies before the root's own.

    top: the folder below which no link is followed; `None` for the user's own file, which may be a
    link. below: the path components from the folder that the patterns refer to down to the root.
    is_users: whether it applies in every repository.
    """

    top: Path | None
    path: str
    below: tuple[str, ...]
    is_users: bool = False

    @property
    def whole(self) -> Path:
        return self.top / self.path if self.top is not None else Path(self.path)


def rules_above(root: Path, skips: list[Skip]) -> IgnoreRules:
    """Returns the rules in force at `root` before its own ignore file: global excludes,
    `.git/info/exclude`, and the ignore files from the repository's top down to the root's parent.
    Adds what cannot be applied to `skips`."""
    rules = IgnoreRules()
    for place in _places_above(root, skips):
        if not os.path.lexists(place.whole):
            continue
        shown = os.fsencode(place.whole).decode("utf-8", "replace")
        try:
            with closing(_open(place, root)) as number:
                prefix = "".join(part + "/" for part in place.below)
                rules = rules.with_open(
                    number, shown, skips, prefix=prefix, is_users=place.is_users
                )
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            skips.append(Skip(shown, SkipReason.IGNORE_LIMIT, error.strerror or str(error)))
    top = find_upwards(root, ".git")
    git = _own_git_folder(top, [])
    if git is None:
        return rules
    folder = git.folder
    prefix = "".join(part + "/" for part in root.relative_to(top).parts)
    return rules.tracking(Tracked(lambda: read_beneath(folder, "index", MOST_INDEX), "", prefix))


def _open(place: _IgnorePlace, root: Path) -> int:
    if place.top is None:
        return open_regular(place.path, follow=True)
    with Beneath(place.top) as tree:
        number = tree.open_file(place.path)
    if not may_decide(os.fstat(number), root):
        os.close(number)
        raise OSError(0, "belongs to another user")
    return number


def files_above(root: Path) -> list[Path]:
    """Returns the files that `rules_above` reads, and git's configurations, which name one of them,
    whether they exist or not."""
    top = find_upwards(root, ".git")
    git = _own_git_folder(top, [])
    configurations = [Path(_user_folder(), "config"), Path(os.path.expanduser("~/.gitconfig"))]
    if git is not None:
        configurations.append(git.common / "config")
    return [*(place.whole for place in _places_above(root, [])), *configurations]


def git_state(root: Path) -> list[Path]:
    """Returns the files that git writes after changing many others: by a checkout, a merge, a
    reset."""
    top = find_upwards(root, ".git")
    git = _own_git_folder(top, [])
    folder = git.folder if git is not None else top / ".git"
    return [folder / "HEAD", folder / "index"]


def _places_above(root: Path, skips: list[Skip]) -> Iterator[_IgnorePlace]:
    """Yields the ignore files that apply before the root's own, farthest first."""
    top = find_upwards(root, ".git")
    parts = root.relative_to(top).parts
    git = _own_git_folder(top, skips)
    yield _global_excludes(root, top, git, parts, skips)
    if git is not None:
        yield _IgnorePlace(git.common, "info/exclude", parts)
    for depth in range(len(parts)):
        yield _IgnorePlace(top, "/".join((*parts[:depth], IGNORE_NAME)), parts[depth:])
    for folder in reversed(root.parents):
        for name in SEARCH_NAMES:
            yield _IgnorePlace(folder, name, root.relative_to(folder).parts)


def _own_git_folder(top: Path, skips: list[Skip]) -> GitFolder | None:
    """Returns the git folder of a tree; `None` if there is none, or if it belongs to another tree,
    which is added to `skips`."""
    try:
        return git_folder(top)
    except ForeignGitError as error:
        skips.append(Skip(".git/info/exclude", SkipReason.IGNORE_LIMIT, str(error)))
        return None


def ask_git(root: Path, top: Path, git: GitFolder | None) -> tuple[Answer, str]:
    """Returns the values of `core.excludesFile` for a folder, each with its scope.

    If git fails or is too slow, returns its answer without the tree's own configuration, and a
    reason instead of "". top: the top of the repository. git: its folder there.
    """
    program = find_git(top)
    if program is None:
        return [], ""
    key = root, program, *_stamp_of_config(git)
    if key not in _silent:
        try:
            if git is not None:
                check_config(git, program)
            answer = _ask(program, root if git is not None else Path(root.anchor))
        except ForeignGitError as error:
            answer = str(error)
        if not isinstance(answer, str):
            return answer, ""
        otherwise = _ask(program, Path(root.anchor))
        _silent[key] = (
            ([], answer) if isinstance(otherwise, str) else (otherwise, f"{answer}: see .git")
        )
    return _silent[key]


def _stamp_of_config(git: GitFolder | None) -> tuple[int, ...]:
    if git is None:
        return ()
    try:
        status = os.stat(git.common / "config")
    except OSError:
        return ()
    return status.st_size, status.st_mtime_ns, change_stamp(status)


def _ask(program: str, folder: Path) -> Answer | str:
    """Returns git's answer in a folder, or why it gave none. An older git that does not know the
    options gives an empty answer."""
    words = [
        "-C",
        str(folder),
        "config",
        "--null",
        "--show-scope",
        "--path",
        "--get-all",
        "core.excludesFile",
    ]
    answer = run_git(program, words, _MOST_BYTES + 1, git_command.SECONDS)
    if answer is None:
        return []
    if answer.is_late:
        return f"git did not name it within {git_command.SECONDS:g} s"
    if len(answer.said) > _MOST_BYTES:
        return f"git named it with more than {_MOST_BYTES:,} bytes"
    if not answer.said and answer.code not in (0, _NOTHING_FOUND, _USAGE):
        return "git failed to name it"
    fields = os.fsdecode(answer.said).split("\0")
    return list(zip(fields[0:-1:2], fields[1::2], strict=False))


def _global_excludes(
    root: Path, top: Path, git: GitFolder | None, parts: tuple[str, ...], skips: list[Skip]
) -> _IgnorePlace:
    """Locates git's `core.excludesFile`: asks git if it is installed, else returns the default."""
    answer, why = ask_git(root, top, git)
    if why:
        skips.append(Skip("core.excludesFile", SkipReason.IGNORE_LIMIT, why))
    for scope, value in reversed(answer):
        if scope not in ("local", "worktree"):
            if os.path.isabs(value):
                return _IgnorePlace(None, value, parts, True)
            continue
        if value and (source := _named_by_tree(top, value)) is not None:
            return source._replace(below=parts)
    return _IgnorePlace(None, os.path.join(_user_folder(), "ignore"), parts, True)


def _user_folder() -> str:
    """Returns the folder of the user's own files for git."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(config, "git")


def _named_by_tree(top: Path, value: str) -> _IgnorePlace | None:
    """Locates a file that the tree's own configuration names: inside the tree, where no link is
    followed, or outside. Returns `None` for a file on another machine or of the kernel, which a
    user would not share between trees."""
    path = Path(os.path.normpath(os.path.join(top, value)))
    if top in path.parents:
        return _IgnorePlace(top, path.relative_to(top).as_posix(), ())
    if path.anchor.startswith(("//", "\\\\")) or path.parts[1:2] in (
        ("proc",),
        ("dev",),
        ("sys",),
        ("net",),
    ):
        return None
    real = Path(os.path.realpath(path))
    return (
        _IgnorePlace(Path(real.anchor), real.relative_to(real.anchor).as_posix(), ())
        if top not in real.parents
        else None
    )
