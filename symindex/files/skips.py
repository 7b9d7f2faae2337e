"""Why a file is not in the index. Nothing is left out without one of these."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple


class SkipReason(StrEnum):
    """The reason, as it is shown. Stored by position in SKIP_CODES: append only."""

    UNSUPPORTED = "no language for it"
    BINARY = "binary"
    TOO_LARGE = "larger than the size limit"
    MINIFIED = "minified"
    UNREADABLE = "unreadable"
    TIME_LIMIT = "gave no answer within the time limit"
    CRASHED = "ended the process that parsed it"
    SYMLINK = "symbolic link (its target, if inside, is indexed where it lies)"
    NOT_A_FILE = "not a regular file"
    BAD_NAME = "its name is not valid Unicode"
    IGNORED = "ignored by git's rules"
    DEPENDENCIES = "installed dependencies or a cache"
    UNCHOSEN = "left out by the settings (include, exclude, languages)"
    MEMORY = "needed more memory than a worker may take"
    KILLED = "not read yet: its worker was killed from outside"
    IGNORE_LIMIT = "ignore rules that are not applied"


UNREAD: Final = frozenset(
    (
        SkipReason.TOO_LARGE,
        SkipReason.MINIFIED,
        SkipReason.UNREADABLE,
        SkipReason.TIME_LIMIT,
        SkipReason.CRASHED,
        SkipReason.MEMORY,
        SkipReason.KILLED,
    )
)
"""The reasons for which code is not known that somebody may ask for; the others leave out what is none, or what nobody wants."""

SKIP_CODES: Final = tuple(SkipReason)

TRIED_AGAIN: Final = frozenset((SkipReason.UNREADABLE, SkipReason.KILLED))
"""The reasons that lie outside of the file: the next refresh tries again, though the file has not changed."""


def time_limit_words(file_seconds: float) -> str:
    """The detail of a file that was given up: the limit that it was given."""
    return f"{file_seconds:g} s"


class Terms(NamedTuple):
    """What a file's being read depends on, besides the file itself. time_limit: the detail of a file that was given up.
    languages: ids of those that are read; none: all."""

    time_limit: str
    languages: frozenset[str] = frozenset()


class Skip(tuple[str, SkipReason, str]):
    """path (relative, forward slashes; a folder ends with one), reason, detail (may be empty)."""

    __slots__ = ()

    def __new__(cls, path: str, reason: SkipReason, detail: str = "") -> "Skip":
        return super().__new__(cls, (path, reason, detail))

    @property
    def path(self) -> str:
        """Relative to the root, with forward slashes."""
        return self[0]

    @property
    def reason(self) -> SkipReason:
        """Why."""
        return self[1]

    @property
    def detail(self) -> str:
        """What the operating system or the limit said."""
        return self[2]


_NAMED: Final = 3
"""So many files are named."""


def tell_unread(skips: Sequence[Skip], what: str) -> str:
    """That some files might hold what was not found, and were not read. what: as a plural, `references`. Empty for none."""
    if not skips:
        return ""
    shown = ", ".join(f"{skip.path} ({skip.reason})" for skip in skips[:_NAMED])
    more = f" and {len(skips) - _NAMED:,} more" if len(skips) > _NAMED else ""
    files = "1 file was" if len(skips) == 1 else f"{len(skips):,} files were"
    return f"{files} not read and may hold {what}: {shown}{more}"
