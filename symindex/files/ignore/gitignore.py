"""git's ignore rules: which paths below a root do not belong to the user's repository.

The precedence is git's: nearer files before farther ones, later lines before earlier ones, then `.git/info/exclude`, then the
user's global excludes (`files/ignore/git_repository` finds these). A walk descends from the top and asks about each path by
itself, as git does, so nothing below an ignored folder is asked about.
"""

from functools import lru_cache
from typing import Final

from symindex.files.access.regular import read_up_to
from symindex.files.ignore.git_index import Tracked
from symindex.files.ignore.glob_set import MOST_EXPRESSIONS, GlobSet
from symindex.files.ignore.selection import Chooser, Selection, chooser_of
from symindex.files.skips import Skip, SkipReason
from symindex.text.counts import count_of

IGNORE_NAME: Final = ".gitignore"

MOST_BYTES: Final = 1_048_576
"""How much of an ignore file is read. The longest in use have some 100 kB."""

MOST_FILES: Final = 100
"""How many ignore files are in force in a folder at most."""


class IgnoreFile:
    """The patterns of one ignore file.

    base: its folder relative to the walk's root, empty or ending with a slash.
    prefix: for a file above the root, the root relative to that folder; empty or ending with a slash.
    room, n_asked, n_left_out: as in GlobSet.
    """

    def __init__(self, text: str, base: str = "", prefix: str = "", room: int = MOST_EXPRESSIONS) -> None:
        self._base_length = len(base)
        self._prefix = prefix
        self._excludes, globs = _read_patterns(text, room)
        self.n_left_out, self.n_asked, self._last = globs.n_left_out, globs.n_asked, globs.last

    def __bool__(self) -> bool:
        return bool(self._excludes)

    def decide(self, path: str) -> bool | None:
        """Whether `path` (relative to the root; a folder ends with a slash) is ignored; `None` if no pattern says."""
        if self._base_length or self._prefix:
            path = self._prefix + path[self._base_length :]
        last = self._last(path if path.isascii() else _as_bytes(path))
        return self._excludes[last] if last >= 0 else None


@lru_cache(maxsize=8)
def _read_patterns(text: str, room: int) -> tuple[list[bool], GlobSet]:
    """For each pattern whether it excludes, and their globs. Trees hold many copies of one ignore file, so a few are cached."""
    excludes: list[bool] = []
    globs: list[str] = []
    for line in _as_bytes(text.removeprefix("\ufeff")).split("\n"):
        if not line or line.startswith("#"):
            continue
        pattern = _without_trailing_spaces(line.removesuffix("\r"))
        glob = pattern.removeprefix("!")
        if glob:
            globs.append(glob)
            excludes.append(glob == pattern)
    return excludes, GlobSet(globs, room)


def _as_bytes(text: str) -> str:
    """One character for each byte of UTF-8: git's `?` and `[...]` match single bytes."""
    return text if text.isascii() else text.encode().decode("latin-1")


def _without_trailing_spaces(line: str) -> str:
    """Trailing spaces do not count unless a backslash precedes them."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if backslashes % 2 else bare


class IgnoreRules:
    """The user's selection, and the ignore files that are in force in one folder, nearest first.

    tracked: what git tracks, which no file takes out. is_shut: the folder is ignored, and entered for what is tracked in it.
    everywhere: the text of the user's own ignore file, which counts in each repository.
    """

    def __init__(
        self,
        files: tuple[IgnoreFile, ...] = (),
        chooser: Chooser | None = None,
        tracked: Tracked | None = None,
        is_shut: bool = False,
        everywhere: str = "",
    ) -> None:
        self._files, self._tracked, self._is_shut, self._everywhere = files, tracked, is_shut, everywhere
        self._chooser = chooser
        # The chooser comes first, so that no ignore file overrides it.
        self._deciders: tuple[IgnoreFile | Chooser, ...] = files if chooser is None else (chooser, *files)

    def __bool__(self) -> bool:
        return self._is_shut or self._chooser is not None or any(self._files)

    def with_open(
        self, number: int, shown: str, skips: list[Skip], base: str = "", prefix: str = "", is_users: bool = False
    ) -> "IgnoreRules":
        """These rules with those of a nearer ignore file.

        number: its descriptor. shown: its path, for what is not applied of it and is added to `skips`. base, prefix: as in
        `IgnoreFile`. is_users: it is the user's own. Raises OSError where it cannot be read.
        """
        if len(self._files) >= MOST_FILES:
            skips.append(_left_out(shown, f"{MOST_FILES} other ignore files are in force there"))
            return self
        data = read_up_to(number, MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            skips.append(_left_out(shown, f"what stands beyond {MOST_BYTES:,} bytes"))
            data = data[: data.rfind(b"\n", 0, MOST_BYTES) + 1]
        room = MOST_EXPRESSIONS - sum(file.n_asked for file in self._files)
        text = data.decode("utf-8", "replace")
        file = IgnoreFile(text, base, prefix, room)
        if file.n_left_out:
            skips.append(_left_out(shown, f"{count_of(file.n_left_out, 'glob')}: too many with wildcards inside, or too long"))
        everywhere = text if is_users else self._everywhere
        return IgnoreRules((file, *self._files), self._chooser, self._tracked, self._is_shut, everywhere) if file else self

    def under(self, selection: Selection) -> "IgnoreRules":
        """These rules with a selection before them."""
        return IgnoreRules(self._files, chooser_of(selection), self._tracked, self._is_shut, self._everywhere)

    def tracking(self, tracked: Tracked) -> "IgnoreRules":
        """These rules in a repository that tracks files."""
        return IgnoreRules(self._files, self._chooser, tracked, self._is_shut, self._everywhere)

    def shut(self) -> "IgnoreRules":
        """The rules in an ignored folder that holds tracked files: only these are let through."""
        return IgnoreRules((), self._chooser, self._tracked, True, self._everywhere)

    def at_repository(self, tracked: Tracked, base: str) -> "IgnoreRules":
        """The rules at the root of another repository: of those around it only the user's own count there, as git has it. base:
        its folder, as in `IgnoreFile`."""
        users = IgnoreFile(self._everywhere, base) if self._everywhere else None
        return IgnoreRules((users,) if users else (), self._chooser, tracked, everywhere=self._everywhere)

    def is_unchosen(self, path: str) -> bool:
        """Whether the selection leaves `path` out."""
        return self._chooser is not None and self._chooser.decide(path) is True

    def is_ignored(self, path: str) -> bool:
        """Whether `path` (relative to the root; a folder ends with a slash) is ignored, or left out by the selection."""
        return self.is_named(path) and (self._tracked is None or self.is_unchosen(path) or not self._tracked.holds(path))

    def is_named(self, path: str) -> bool:
        """Whether a rule or the selection leaves `path` out, be it tracked or not."""
        for decider in self._deciders:
            decision = decider.decide(path)
            if decision is not None:
                return decision
        return self._is_shut


def _left_out(shown: str, detail: str) -> Skip:
    return Skip(shown, SkipReason.IGNORE_LIMIT, detail)
