"""The reasons for which a file is not in the index. Every file that is left out has one of them."""

import os
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from symindex.text.counts import count_of


class SkipReason(StrEnum):
    """A reason, in the words that users see. Stored by position: append only."""

    UNSUPPORTED = "no language for it"
    BINARY = "binary"
    TOO_LARGE = "larger than the size limit"
    MINIFIED = "minified"
    UNREADABLE = "unreadable"
    TIME_LIMIT = "gave no answer within the time limit"
    CRASHED = "crashed the process that parsed it"
    SYMLINK = "symbolic link (its target, if inside, is indexed at its own path)"
    NOT_A_FILE = "not a regular file"
    BAD_NAME = "its name is not valid Unicode"
    IGNORED = "ignored by git's rules"
    DEPENDENCIES = "installed dependencies or a cache"
    DESELECTED = "left out by the settings (include, exclude, languages)"
    MEMORY = "needed more memory than a parsing process may use"
    KILLED = "not read yet: the process that parsed it was killed"
    IGNORE_LIMIT = "ignore rules that are not applied"
    ATTRIBUTES_LIMIT = "attributes that are not applied"
    WORKTREE = "another working tree of a repository (open it as the root to search it)"
    REPOSITORY = "a bare git repository"
    HIDDEN = "ignored by rules for searchers (.ignore, .rgignore)"


UNREAD: Final = frozenset(
    (
        SkipReason.TOO_LARGE,
        SkipReason.MINIFIED,
        SkipReason.UNREADABLE,
        SkipReason.TIME_LIMIT,
        SkipReason.CRASHED,
        SkipReason.MEMORY,
        SkipReason.KILLED,
        SkipReason.BAD_NAME,
    )
)
"""The reasons that may hide code that a user searches for. The other reasons concern files that are
not code, or that nobody wants."""

SKIP_CODES: Final = tuple(SkipReason)

TRIED_AGAIN: Final = frozenset((SkipReason.UNREADABLE, SkipReason.KILLED))
"""The reasons outside the file itself: the next refresh tries again although the file has not
changed."""


def time_limit_words(file_seconds: float) -> str:
    """Returns the detail for a file that took too long: its time limit."""
    return f"{file_seconds:g} s"


def escaped_name(path: str) -> str:
    """Returns a path with its invalid UTF-8 bytes as escapes (`bad\\xff.py`), to name such a file
    in messages."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def name_of_escaped(path: str) -> str:
    """Reverses `escaped_name`."""
    return os.fsdecode(_ESCAPED.sub(lambda byte: bytes((int(byte[1], 16),)), os.fsencode(path)))


_ESCAPED: Final = re.compile(rb"\\x([89a-f][0-9a-f])")


class Skip(NamedTuple):
    """A file or folder that was left out.

    path: relative to the root, with forward slashes; a folder's ends with one. detail: the words of
    the operating system, or the limit; may be empty.
    """

    path: str
    reason: SkipReason
    detail: str = ""


_NAMED: Final = 3
"""How many files a notice names."""


def tell_unread(skips: Sequence[Skip], plural: str) -> str:
    """Returns a notice that some files were not read and may contain what was not found; empty if
    there are none. plural: a noun, such as `references`."""
    if not skips:
        return ""
    shown = ", ".join(f"{skip.path or '.'} ({skip.reason})" for skip in skips[:_NAMED])
    rest = f" and {len(skips) - _NAMED:,} more" if len(skips) > _NAMED else ""
    return f"{files_were(len(skips))} not read and may contain {plural}: {shown}{rest}"


def tell_not_looked_into(files: Sequence[str]) -> str:
    """Returns a notice about files that were not searched, each given with its reason."""
    rest = f" and {len(files) - _NAMED:,} more" if len(files) > _NAMED else ""
    return f"{files_were(len(files))} not looked into: {', '.join(files[:_NAMED])}{rest}"


def files_were(count: int) -> str:
    """Begins a sentence about some files: `1 file was`, `2,000 files were`."""
    return count_of(count, "file was", "files were")


def tell_skip(skip: Skip) -> str:
    """Describes one skip on one line."""
    return (
        f"{skip.path}: {skip.reason} ({skip.detail})"
        if skip.detail
        else f"{skip.path}: {skip.reason}"
    )
