"""The order of versions: by precedence as semantic versioning has it, with more or fewer numbers; what is none comes before."""

import re
from typing import Final

_VERSION: Final = re.compile(r"[vV]?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")

Key = tuple[int, tuple[int, ...], int, tuple[tuple[int, int, str], ...], str]


def version_key(version: str) -> Key:
    """A key that sorts versions, the newest last. What is after `+` decides only between equals."""
    parts = _VERSION.fullmatch(version) if version.isascii() else None
    if parts is None:
        return (0, (), 0, (), version)
    numbers = [int(part) for part in parts[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    marks = parts[2].split(".") if parts[2] else []
    before = tuple((0, int(mark), "") if mark.isdigit() else (1, 0, mark) for mark in marks)
    return (1, tuple(numbers), 0 if before else 1, before, version)


def is_prerelease(version: str) -> bool:
    """Whether a version comes before the release of its numbers."""
    return version_key(version)[2] == 0


def newest(versions: list[str]) -> str:
    """The newest release, or the newest of all where there is no release."""
    return max([version for version in versions if not is_prerelease(version)] or versions, key=version_key)
