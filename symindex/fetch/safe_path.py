"""Checks relative paths that somebody else has chosen, before anything is read or written there.

The id of an item, or a path in a registry, may come from anybody. An accepted path means the same
file on every system, and none that another program would use as its own: `.git` contains programs
that git runs.
"""

import re
import unicodedata
from typing import Final

from symindex.errors import RequestError, is_unicode
from symindex.files.file_names import is_device

LONGEST_PATH: Final = 1_000
MOST_PARTS: Final = 32
LONGEST_PART: Final = 200
"""Longest name in a path, in bytes. File systems allow 255, but an unfinished file has a longer
name."""

_FORBIDDEN: Final = re.compile(r'[<>:"|?*]')
_ENCODED: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_FOREIGN: Final = re.compile(r"\.git|git~[0-9]+", re.IGNORECASE)
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of characters that are invisible or reverse the text around them. Some file
systems ignore them in names."""


def split_path(path: str, what: str = "path") -> list[str]:
    """Returns the parts of a relative path with forward slashes. what: the word for the path in
    errors. Raises RequestError, which says what is wrong with it."""
    fault = _fault(path)
    if fault:
        shown = path if len(path) <= 100 else f"{path[:100]}..."
        raise RequestError(
            f"{what} {shown!r} {fault}: expected a relative path such as tools/deploy.md"
        )
    return path.split("/")


def _fault(path: str) -> str:
    if not path:
        return "is empty"
    if len(path) > LONGEST_PATH:
        return f"has {len(path):,} characters, more than {LONGEST_PATH:,}"
    if not is_unicode(path):
        return "is not Unicode"
    if "\0" in path:
        return "contains NUL"
    if any(unicodedata.category(char) in _HIDDEN for char in path):
        return "contains invisible characters"
    if "\\" in path:
        return "contains a backslash"
    if path.startswith("/"):
        return "is absolute"
    if re.match("[A-Za-z]:", path):
        return "begins with a drive"
    if _ENCODED.search(path):
        return "contains percent-encoded characters"
    if forbidden := _FORBIDDEN.search(path):
        return f"contains {forbidden[0]}"
    parts = path.split("/")
    if len(parts) > MOST_PARTS:
        return f"has {len(parts):,} parts, more than {MOST_PARTS}"
    return next((fault for part in parts if (fault := _fault_of_part(part))), "")


def _fault_of_part(part: str) -> str:
    if part in ("", ".", ".."):
        return f"contains {part!r} as a part" if part else "contains an empty part"
    if part != part.strip() or part.endswith("."):
        return f"contains {part!r}, which begins or ends with a blank or a dot"
    if len(part.encode()) > LONGEST_PART:
        return f"contains a part of {len(part.encode()):,} bytes, more than {LONGEST_PART}"
    if is_device(part):
        return f"contains {part!r}, a device on Windows"
    if _FOREIGN.fullmatch(unicodedata.normalize("NFKC", part)):
        return f"contains {part!r}, where git keeps programs that it runs"
    return ""
