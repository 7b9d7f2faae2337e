"""Relative paths that others have chosen, checked before anything is read or written under them.

An id of an item, or a path in a registry, may come from anybody. One that is taken means the same
file on every system, and none that another program would take for its own: `.git` holds programs
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
"""In bytes; a name has 255, and what is added for a file that is not finished needs some."""

_FORBIDDEN: Final = re.compile(r'[<>:"|?*]')
_ENCODED: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_FOREIGN: Final = re.compile(r"\.git|git~[0-9]+", re.IGNORECASE)
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Characters that do not show, or turn the text around them. Some file systems ignore them in
names."""


def split_path(path: str, what: str = "path") -> list[str]:
    """The parts of a relative path with forward slashes. what: the word for it in errors. Raises
    RequestError, which says what is wrong with it."""
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
        return "holds NUL"
    if any(unicodedata.category(char) in _HIDDEN for char in path):
        return "holds characters that do not show"
    if "\\" in path:
        return "holds a backslash"
    if path.startswith("/"):
        return "is absolute"
    if re.match("[A-Za-z]:", path):
        return "begins with a drive"
    if _ENCODED.search(path):
        return "holds percent-encoded characters"
    if found := _FORBIDDEN.search(path):
        return f"holds {found[0]}"
    parts = path.split("/")
    if len(parts) > MOST_PARTS:
        return f"has {len(parts):,} parts, more than {MOST_PARTS}"
    return next((fault for part in parts if (fault := _fault_of_part(part))), "")


def _fault_of_part(part: str) -> str:
    if part in ("", ".", ".."):
        return f"holds {part!r} as a part" if part else "holds an empty part"
    if part != part.strip() or part.endswith("."):
        return f"holds {part!r}, which begins or ends with a blank or a dot"
    if len(part.encode()) > LONGEST_PART:
        return f"holds a part of {len(part.encode()):,} bytes, more than {LONGEST_PART}"
    if is_device(part):
        return f"holds {part!r}, a device on Windows"
    if _FOREIGN.fullmatch(unicodedata.normalize("NFKC", part)):
        return f"holds {part!r}, where git keeps what it runs"
    return ""
