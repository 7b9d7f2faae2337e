"""Versions in their order: `1.10` after `1.9`, `2.0.0-rc.1` before `2.0.0`, `v` and what stands behind `+` left out.

As of semver.org, part 11, for any number of parts; a part that is missing is 0.
"""

import re
from functools import total_ordering
from typing import Final

_VERSION: Final = re.compile(r"[vV=]?\s*(\d+(?:\.\d+)*)(?:[-._]?([A-Za-z][\w.-]*|\d[\w.-]*))?(?:\+.*)?")
_PART: Final = re.compile(r"\d+|[A-Za-z]+")
_LONGEST: Final = 100

_AFTER: Final = frozenset({"post", "rev", "r", "final", "ga", "sp", "release"})
"""Words that do not make a version an early one."""


@total_ordering
class Version:
    """A version to compare. `key` orders it."""

    def __init__(self, text: str) -> None:
        """Raises ValueError for what is no version."""
        found = _VERSION.fullmatch(text.strip()) if len(text) <= _LONGEST else None
        if found is None:
            raise ValueError(f"{text!r} is no version")
        numbers = [int(part) for part in found[1].split(".")]
        while len(numbers) > 1 and numbers[-1] == 0:
            numbers.pop()
        more = _PART.findall(found[2] or "")
        is_early = bool(more) and not more[0].isdigit() and more[0].lower() not in _AFTER
        parts = tuple((0, int(part), "") if part.isdigit() else (1, 0, part.lower()) for part in more)
        self.key = (tuple(numbers), -1 if is_early else int(bool(more)), parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.key == other.key

    def __lt__(self, other: "Version") -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(self.key)
