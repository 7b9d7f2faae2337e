"""Why a file is not in the index. Every file that is left out has one of these reasons."""

import os
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from symindex.text.counts import count_of


class SkipReason(StrEnum):
    """A reason, in the words that users see. Stored by its position: append only."""

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
    DESELECTED = "left out by the settings (include, exclude, languages)"
    MEMORY = "needed more memory than a worker may take"
    KILLED = "not read yet: its worker was killed from outside"
    IGNORE_LIMIT = "ignore rules that are not applied"
    ATTRIBUTES_LIMIT = "attributes that are not applied"
    WORKTREE = "another working tree of a repository (open it as the root to search it)"
    REPOSITORY = "what git itself keeps (a bare repository)"
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
"""The reasons by which code is missing that a user may search for; the others leave out what is no
code, or is unwanted."""

SKIP_CODES: Final = tuple(SkipReason)

TRIED_AGAIN: Final = frozenset((SkipReason.UNREADABLE, SkipReason.KILLED))
"""The reasons that lie outside the file: the next refresh tries again, though the file has not
changed."""


def time_limit_words(file_seconds: float) -> str:
    """The detail of a file that was given up: its time limit."""
    return f"{file_seconds:g} s"


def escaped_name(path: str) -> str:
    """A path whose bytes are no UTF-8, with these as escapes (`bad\\xff.py`): the way in which such
    a file is named."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def name_of_escaped(path: str) -> str:
    """The path of which `escaped_name` has made this one."""
    return os.fsdecode(_ESCAPED.sub(lambda byte: bytes((int(byte[1], 16),)), os.fsencode(path)))


_ESCAPED: Final = re.compile(rb"\\x([89a-f][0-9a-f])")


class Skip(NamedTuple):
    """A file or folder that was left out. path: relative to the root, with forward slashes; a
    folder's ends with one. detail: what the operating system or the limit said; may be empty."""

    path: str
    reason: SkipReason
    detail: str = ""


_NAMED: Final = 3
"""How many files are named."""


def tell_unread(skips: Sequence[Skip], what: str) -> str:
    """A notice that some files were not read and might hold what was not found; empty for none.
    what: a plural, as `references`."""
    if not skips:
        return ""
    shown = ", ".join(f"{skip.path} ({skip.reason})" for skip in skips[:_NAMED])
    more = f" and {len(skips) - _NAMED:,} more" if len(skips) > _NAMED else ""
    return f"{files_were(len(skips))} not read and may hold {what}: {shown}{more}"


def tell_not_looked_into(files: Sequence[str]) -> str:
    """A notice of some files that were not looked into, each with the reason behind it."""
    more = f" and {len(files) - _NAMED:,} more" if len(files) > _NAMED else ""
    return f"{files_were(len(files))} not looked into: {', '.join(files[:_NAMED])}{more}"


def files_were(count: int) -> str:
    """The beginning of a sentence about some files: `1 file was`, `2,000 files were`."""
    return count_of(count, "file was", "files were")


def tell_skip(skip: Skip) -> str:
    """What is left out, in a line."""
    return (
        f"{skip.path}: {skip.reason} ({skip.detail})"
        if skip.detail
        else f"{skip.path}: {skip.reason}"
    )
