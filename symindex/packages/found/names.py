"""Which names and versions a package can have: the files that say so may be a stranger's, and both
become parts of paths.

Each ecosystem has rules of its own; ours are wider, and allow nothing that leads elsewhere, breaks
a line, or is endless.
"""

import re
from typing import Final

from symindex.text.escaping import shorten

LONGEST_NAME: Final = 300
LONGEST_VERSION: Final = 128

_PART: Final = r"[A-Za-z0-9_~!'()*-][A-Za-z0-9._~!'()*+-]*"

_SHAPES: Final = {
    "pypi": r"[A-Za-z0-9][A-Za-z0-9._-]*",
    "npm": rf"(?:@{_PART}/)?{_PART}",
    "go": rf"{_PART}(?:/{_PART})*",
    "composer": rf"{_PART}/{_PART}",
    "maven": rf"{_PART}:{_PART}",
}

_NAMES: Final = {ecosystem: re.compile(shape, re.ASCII) for ecosystem, shape in _SHAPES.items()}
_PLAIN: Final = re.compile(_PART, re.ASCII)
_VERSION: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+~!@:-]*", re.ASCII)

_LONGEST_SHOWN: Final = 60


def fault_of(ecosystem: str, name: str, version: str) -> str:
    """What is wrong with a name and a version, for a message; empty where nothing is. A version may
    be unknown: empty."""
    if (
        len(name) > LONGEST_NAME
        or ".." in name
        or _NAMES.get(ecosystem, _PLAIN).fullmatch(name) is None
    ):
        return f"{shorten(name, _LONGEST_SHOWN)!r} is no name of a package"
    if version and (
        len(version) > LONGEST_VERSION or ".." in version or _VERSION.fullmatch(version) is None
    ):
        return (
            f"{shorten(version, _LONGEST_SHOWN)!r} is no version (of"
            f" {shorten(name, _LONGEST_SHOWN)})"
        )
    return ""
