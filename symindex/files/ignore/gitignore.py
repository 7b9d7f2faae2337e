"""Ignore rules: which paths below a root git does not track, or searchers do not search.

The precedence is git's: nearer files before farther ones, later lines before earlier ones, then
`.git/info/exclude`, then the user's global excludes (`files/ignore/git_repository` finds these). A
walk descends from the top and checks each path by itself, as git does, so nothing below an ignored
folder is checked. As in ripgrep and fd, `.ignore` and `.rgignore` take precedence over all of git's
files, whether git tracks a file or not, and apply in nested repositories.
"""

from functools import lru_cache
from typing import Any, Final

from symindex.files.access.regular import read_up_to
from symindex.files.ignore.git_index import Tracked
from symindex.files.ignore.glob_set import MOST_EXPRESSIONS, GlobSet
from symindex.files.ignore.selection import Chooser, Selection, chooser_of
from symindex.files.skips import Skip, SkipReason
from symindex.text.counts import count_of

IGNORE_NAME: Final = ".gitignore"

SEARCH_NAMES: Final = (".ignore", ".rgignore")
"""The files with rules for searchers; a later one takes precedence."""

RULE_NAMES: Final = (IGNORE_NAME, *SEARCH_NAMES)

MOST_BYTES: Final = 1_048_576
"""How many bytes of an ignore file to read. The longest in use have some 100 kB."""

MOST_FILES: Final = 100
"""Most ignore files in force in one folder."""


class IgnoreFile:
    """The patterns of one ignore file.

    base: its folder relative to the walk's root, empty or ending with a slash. prefix: for a file
    above the root, the root relative to that folder; empty or ending with a slash. room, n_asked,
    n_left_out: as in GlobSet.
    """

    def __init__(
        self, text: str, base: str = "", prefix: str = "", room: int = MOST_EXPRESSIONS
    ) -> None:
        self._base_length = len(base)
        self._prefix = prefix
        self._excludes, globs = _read_patterns(text, room)
        self.n_left_out: int = globs.n_left_out
        self.n_asked: int = globs.n_asked
        self._last = globs.last

    def __bool__(self) -> bool:
        return bool(self._excludes)

    def decide(self, path: str) -> bool | None:
        """Whether `path` (relative to the root; a folder's ends with a slash) is ignored; `None` if
        no pattern matches."""
        if self._base_length or self._prefix:
            path = self._prefix + path[self._base_length :]
        last = self._last(path if path.isascii() else _as_bytes(path))
        return self._excludes[last] if last >= 0 else None


@lru_cache(maxsize=8)
def _read_patterns(text: str, room: int) -> tuple[list[bool], GlobSet]:
    """Returns for each pattern whether it excludes, and the set of their globs. Trees contain many
    copies of the same ignore file, so a few are cached."""
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
    """Returns one character per byte of UTF-8: git's `?` and `[...]` match single bytes."""
    return text if text.isascii() else text.encode().decode("latin-1")


def _without_trailing_spaces(line: str) -> str:
    """Removes trailing spaces, except one after a backslash."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if backslashes % 2 else bare


class IgnoreRules:
    """The user's selection and the ignore files in force in one folder, nearest first.

    files: git's ignore files. searchers: for each of SEARCH_NAMES, its files. tracked: the paths
    that git tracks, which no ignore file excludes. is_shut: whether the folder is ignored, and
    entered only for the tracked files in it. everywhere: the text of the user's own ignore file,
    which applies in every repository.
    """

    def __init__(
        self,
        files: tuple[IgnoreFile, ...] = (),
        chooser: Chooser | None = None,
        tracked: Tracked | None = None,
        is_shut: bool = False,
        everywhere: str = "",
        searchers: tuple[tuple[IgnoreFile, ...], ...] = ((),) * len(SEARCH_NAMES),
    ) -> None:
        self._files, self._tracked, self._is_shut, self._everywhere = (
            files,
            tracked,
            is_shut,
            everywhere,
        )
        self._chooser, self._searchers = chooser, searchers
        self._for_searchers = tuple(file for tier in reversed(searchers) for file in tier)

    def _with(self, **changed: Any) -> "IgnoreRules":
        current = {
            "files": self._files,
            "chooser": self._chooser,
            "tracked": self._tracked,
            "is_shut": self._is_shut,
            "everywhere": self._everywhere,
            "searchers": self._searchers,
        }
        return IgnoreRules(**(current | changed))

    def __bool__(self) -> bool:
        return (
            self._is_shut
            or self._chooser is not None
            or bool(self._files)
            or bool(self._for_searchers)
        )

    def with_open(
        self,
        number: int,
        shown: str,
        skips: list[Skip],
        base: str = "",
        prefix: str = "",
        is_users: bool = False,
    ) -> "IgnoreRules":
        """Returns these rules with those of a nearer ignore file.

        number: its descriptor. shown: its path, whose name tells whose rules it contains; what
        cannot be applied is added to `skips` under it. base, prefix: as in `IgnoreFile`. is_users:
        whether it is the user's own file. Raises OSError if it cannot be read.
        """
        in_force = (*self._files, *self._for_searchers)
        if len(in_force) >= MOST_FILES:
            skips.append(_left_out(shown, f"{MOST_FILES} other ignore files are in force there"))
            return self
        data = read_up_to(number, MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            skips.append(_left_out(shown, f"the part beyond {MOST_BYTES:,} bytes"))
            data = data[: data.rfind(b"\n", 0, MOST_BYTES) + 1]
        room = MOST_EXPRESSIONS - sum(file.n_asked for file in in_force)
        text = data.decode("utf-8", "replace")
        file = IgnoreFile(text, base, prefix, room)
        if file.n_left_out:
            skips.append(
                _left_out(
                    shown,
                    f"{count_of(file.n_left_out, 'glob')}: too many with wildcards inside, or too"
                    " long",
                )
            )
        if not file:
            return self
        name = shown[shown.rfind("/") + 1 :]
        if name in SEARCH_NAMES and not is_users:
            tiers = zip(SEARCH_NAMES, self._searchers, strict=True)
            return self._with(
                searchers=tuple(
                    (file, *tier) if name == tier_name else tier for tier_name, tier in tiers
                )
            )
        return self._with(
            files=(file, *self._files), everywhere=text if is_users else self._everywhere
        )

    def under(self, selection: Selection) -> "IgnoreRules":
        """Returns these rules, preceded by a selection."""
        return self._with(chooser=chooser_of(selection))

    def tracking(self, tracked: Tracked) -> "IgnoreRules":
        """Returns these rules for a repository that tracks files."""
        return self._with(tracked=tracked)

    def shut(self) -> "IgnoreRules":
        """Returns the rules for an ignored folder that contains tracked files: only these are
        admitted."""
        return self._with(files=(), is_shut=True)

    def at_repository(self, tracked: Tracked, base: str) -> "IgnoreRules":
        """Returns the rules at the root of a nested repository: of the git rules around it only the
        user's own file applies there, as in git. base: its folder, as in `IgnoreFile`."""
        users = IgnoreFile(self._everywhere, base) if self._everywhere else None
        return self._with(files=(users,) if users else (), tracked=tracked, is_shut=False)

    def is_deselected(self, path: str) -> bool:
        """Whether the selection excludes `path`."""
        return self._chooser is not None and self._chooser.decide(path) is True

    def is_ignored(self, path: str) -> bool:
        """Whether `path` (relative to the root; a folder's ends with a slash) is ignored, or
        excluded by the selection."""
        if self._chooser is not None and self._chooser.decide(path):
            return True
        decision = self._first(self._for_searchers, path)
        return (
            decision
            if decision is not None
            else self._is_named_by_git(path) and not self.is_tracked(path)
        )

    def is_for_git_alone(self, path: str) -> bool:
        """Whether git's rules ignore `path`, but it is read because it is tracked or contains
        tracked files."""
        return (
            self._first(self._for_searchers, path) is None
            and self._is_named_by_git(path)
            and self.is_tracked(path)
        )

    def is_hidden(self, path: str) -> bool:
        """Whether rules for searchers ignore `path`."""
        return self._first(self._for_searchers, path) is True

    def is_tracked(self, path: str) -> bool:
        """Whether git tracks this file, or something in this folder, in the repository around
        it."""
        return self._tracked is not None and self._tracked.holds(path)

    def _is_named_by_git(self, path: str) -> bool:
        decision = self._first(self._files, path)
        return self._is_shut if decision is None else decision

    @staticmethod
    def _first(files: tuple[IgnoreFile, ...], path: str) -> bool | None:
        """Returns the decision of the nearest file that decides."""
        for file in files:
            decision = file.decide(path)
            if decision is not None:
                return decision
        return None


def _left_out(shown: str, detail: str) -> Skip:
    return Skip(shown, SkipReason.IGNORE_LIMIT, detail)
