"""git's ignore rules: which paths below a root the user's repository does not count as its own.

The patterns of a file (`source/globs`) are joined to one expression, because a walk asks for every path, and the order of git's
precedence is kept: nearer files before farther ones, later lines before earlier ones, then `.git/info/exclude`, then the user's
global excludes. A walk goes from the top and asks for each path by itself, as git does, so what is below an ignored folder is not
asked for.
"""

import os
import re
from pathlib import Path
from typing import Final

from symindex.source.globs import parse_glob
from symindex.source.selection import Chooser, Selection, chooser_of


class IgnoreFile:
    """The patterns of one ignore file.

    base: its folder relative to the walk's root, empty or ending with a slash.
    prefix: for a file above the root, the root relative to that folder; empty or ending with a slash.
    """

    def __init__(self, text: str, base: str = "", prefix: str = "") -> None:
        self._base_length = len(base)
        self._prefix = prefix
        self._excludes: list[bool] = []
        by_path: list[tuple[int, str]] = []
        by_name: list[tuple[int, str]] = []
        # Most patterns are plain names, paths or endings: these are looked up, and the expressions are left with few.
        self._paths: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._endings: dict[str, int] = {}
        for line in _as_bytes(text.removeprefix("\ufeff")).split("\n"):
            if line.startswith("#"):
                continue
            pattern = _without_trailing_spaces(line.removesuffix("\r"))
            bare = pattern.removeprefix("!")
            glob = parse_glob(bare)
            if glob is None:
                continue
            number = len(self._excludes)
            self._excludes.append(not pattern.startswith("!"))
            plain = bare.removesuffix("/").removeprefix("/")
            if not _SPECIAL.search(plain):
                table, key = (self._names if glob.is_name else self._paths), plain
            elif glob.is_name and plain.startswith("*.") and not _SPECIAL_IN_ENDING.search(plain, 2):
                table, key = self._endings, plain[1:]
            else:
                (by_name if glob.is_name else by_path).append((number, glob.regex + (r"/\Z" if glob.only_folders else r"/?\Z")))
                continue
            table[key + "/"] = number
            if not glob.only_folders:
                table[key] = number
        self._by_path = _Alternatives(by_path)
        self._by_name = _Alternatives(by_name)

    def __bool__(self) -> bool:
        return bool(self._excludes)

    def decide(self, path: str) -> bool | None:
        """Whether `path` (relative to the root; a folder ends with a slash) is ignored; `None` if no pattern says."""
        if self._base_length or self._prefix:
            path = self._prefix + path[self._base_length :]
        if not path.isascii():
            path = _as_bytes(path)
        name = path[path.rfind("/", 0, -1) + 1 :]
        last = self._names.get(name, -1)
        if self._endings and (dot := name.rfind(".")) >= 0:
            last = max(last, self._endings.get(name[dot:], -1))
        if self._paths:
            last = max(last, self._paths.get(path, -1))
        if self._by_name.match is not None and self._by_name.match(name):
            last = max(last, self._by_name.last(name))
        if self._by_path.match is not None and self._by_path.match(path):
            last = max(last, self._by_path.last(path))
        return self._excludes[last] if last >= 0 else None


_SPECIAL: Final = re.compile(r"[*?\[\\]")
_SPECIAL_IN_ENDING: Final = re.compile(r"[*?\[\\.]")


class _Alternatives:
    """Several expressions as one. match: whether any does; `None` where there are none. `last` gives the greatest number among
    those that do, -1 for none."""

    def __init__(self, numbered: list[tuple[int, str]]) -> None:
        numbered = numbered[::-1]
        self._numbers = [number for number, _ in numbered]
        # Nearly all paths match none, which is told sooner where no groups stand between the alternatives.
        self.match = re.compile("|".join(regex for _, regex in numbered), re.DOTALL).match if numbered else None
        self._which = re.compile("|".join(f"({regex})" for _, regex in numbered), re.DOTALL).match if numbered else None

    def last(self, text: str) -> int:
        match = self._which(text) if self._which is not None else None
        return -1 if match is None or match.lastindex is None else self._numbers[match.lastindex - 1]


def _as_bytes(text: str) -> str:
    """One character for each byte of UTF-8: to git's `?` and `[...]` a letter beyond ASCII is several."""
    return text if text.isascii() else text.encode().decode("latin-1")


def _without_trailing_spaces(line: str) -> str:
    """Spaces at the end mean nothing unless a backslash stands before them."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if backslashes % 2 else bare


class IgnoreRules:
    """The ignore files that are in force in one folder, nearest first, below what the user has chosen of the tree."""

    def __init__(self, files: tuple[IgnoreFile, ...] = (), chooser: Chooser | None = None) -> None:
        self._files = files
        self._chooser = chooser
        # The chooser is asked first, so that no file takes back what it leaves out.
        self._deciders: tuple[IgnoreFile | Chooser, ...] = files if chooser is None else (chooser, *files)

    def __bool__(self) -> bool:
        return self._chooser is not None or any(self._files)

    def with_file(self, file: IgnoreFile) -> "IgnoreRules":
        """These rules with those of an ignore file that is nearer."""
        return IgnoreRules((file, *self._files), self._chooser)

    def under(self, selection: Selection) -> "IgnoreRules":
        """These rules below a selection."""
        return IgnoreRules(self._files, chooser_of(selection))

    def is_unchosen(self, path: str) -> bool:
        """Whether the selection leaves `path` out, whatever the ignore files say of it."""
        return self._chooser is not None and self._chooser.decide(path) is True

    def is_ignored(self, path: str) -> bool:
        """Whether `path` (relative to the root; a folder ends with a slash) is ignored, or left out by the selection."""
        for decider in self._deciders:
            decision = decider.decide(path)
            if decision is not None:
                return decision
        return False


def rules_above(root: Path) -> IgnoreRules:
    """The rules that hold at `root` before its own ignore file: global excludes, `.git/info/exclude`, and the ignore files of
    the folders from the repository's top down to the root's parent."""
    rules = IgnoreRules()
    for path, below in _places_above(root):
        text = read_ignore_file(path)
        if text is not None:
            rules = rules.with_file(IgnoreFile(text, prefix="".join(part + "/" for part in below)))
    return rules


def files_above(root: Path) -> list[Path]:
    """Where the rules of `rules_above` stand, or would stand; files that do not exist among them."""
    return [path for path, _ in _places_above(root)]


def git_state(root: Path) -> list[Path]:
    """The files that git writes when it has changed many others: after a checkout, a merge, a reset."""
    marker = _repository(root) / ".git"
    named = read_ignore_file(marker) if marker.is_file() else None
    folder = marker.parent / named.removeprefix("gitdir:").strip() if named is not None else marker
    return [folder / "HEAD", folder / "index"]


def _repository(root: Path) -> Path:
    """The nearest folder upwards that holds `.git`, else `root` itself."""
    return next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)


def _places_above(root: Path) -> list[tuple[Path, tuple[str, ...]]]:
    """The ignore files above a root's own, farthest first, each with the names that lead from its folder to the root."""
    top = _repository(root)
    parts = root.relative_to(top).parts
    places = [(_global_excludes(root), parts), (_git_folder(top) / "info" / "exclude", parts)]
    return places + [(top.joinpath(*parts[:depth], ".gitignore"), parts[depth:]) for depth in range(len(parts))]


def _git_folder(top: Path) -> Path:
    """The folder that holds a repository's `info`: in worktrees and submodules `.git` is a file that names it."""
    marker = top / ".git"
    named = read_ignore_file(marker) if marker.is_file() else None
    if named is None:
        return marker
    folder = top / named.removeprefix("gitdir:").strip()
    common = read_ignore_file(folder / "commondir")
    return folder / common.strip() if common is not None else folder


def read_ignore_file(path: Path) -> str | None:
    """The text of an ignore file, `None` where there is none that can be read."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return None


def _global_excludes(root: Path) -> Path:
    """git's `core.excludesFile`, by git's own word where git is there, else its default place."""
    import shutil  # here, because a search that has another process walk does without
    import subprocess

    git = shutil.which("git")
    if git is not None:
        done = subprocess.run(
            [git, "-C", str(root), "config", "--path", "--get", "core.excludesFile"],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode == 0 and done.stdout.strip():
            return Path(done.stdout.rstrip("\n"))
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(config) / "git" / "ignore"
