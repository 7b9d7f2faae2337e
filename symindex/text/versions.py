"""Orders versions by the precedence of semantic versioning (semver.org, part 11), with any number
of numbers.

`1.10` comes after `1.9`; `2.0.0-rc.1` comes before `2.0.0`, and so does `2.0rc1`, as Python writes
it; a leading `v` is ignored. A text that is not a version (`python3.11`) comes before all versions,
and its numbers are ordered by value.
"""

import re
from typing import Final

_VERSION: Final = re.compile(
    r"[vV]?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+)|[._]?((?:a|b|c|rc|alpha|beta|pre|dev)[0-9.]*))?(?:\+[0-9A-Za-z.-]+)?"
)
_LONGEST: Final = 100

Key = tuple[int, tuple[int, ...], int, tuple[tuple[int, int, str], ...]]


def version_key(version: str) -> Key:
    """Returns a key that sorts versions, the newest last; equal for versions of the same
    precedence."""
    match = _VERSION.fullmatch(version) if version.isascii() and len(version) <= _LONGEST else None
    if match is None:
        parts = re.findall(r"\d+|[^\d]+", version[:_LONGEST], re.ASCII)
        return (
            0,
            (),
            0,
            tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts),
        )
    numbers = [int(part) for part in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    marks = (
        re.findall(r"[a-z]+|\d+", match[3]) if match[3] else match[2].split(".") if match[2] else []
    )
    prerelease = tuple((0, int(mark), "") if mark.isdigit() else (1, 0, mark) for mark in marks)
    return (1, tuple(numbers), 0 if prerelease else 1, prerelease)


def is_version(text: str) -> bool:
    """Whether a text is a version."""
    return version_key(text)[0] == 1


def is_prerelease(version: str) -> bool:
    """Whether a version comes before the release of the same numbers."""
    return version_key(version)[2] == 0


def newest(versions: list[str]) -> str:
    """Returns the newest release, or the newest version if there is no release."""
    return max(
        [version for version in versions if not is_prerelease(version)] or versions,
        key=lambda version: (version_key(version), version),
    )
