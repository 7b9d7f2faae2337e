"""The scripts and styles of a page whose template its grammar cannot read, and the end of a script
that is still being written.

A tag that is not typed to its end takes with it what stands behind it. Scripts, styles and front
matter are found by how they begin and end (`[blocks].islands`), each alone in a page that is blank
otherwise, so that the query finds them where they stand.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from symindex.extract.languages.language import Language, compile_bytes

_MOST_ISLANDS: Final = 20
_NO_BREAK: Final = re.compile(rb"[^\n]")


class Islands:
    """A language's islands. Each has a pattern for all of it, and what ends one that has no end."""

    def __init__(self, language: Language) -> None:
        islands = language.rules.blocks.islands
        self._find = compile_bytes(
            "|".join(rf"(?P<island{i}>{pattern})" for i, (pattern, _) in enumerate(islands))
        ).finditer
        self._ends = [end.encode() for _, end in islands]

    def pages(self, source: bytes) -> Iterator[bytes]:
        """A page for each island, in which it stands where it does in the source."""
        for found in islice(self._find(source), _MOST_ISLANDS):
            end = self._ends[int((found.lastgroup or "")[len("island") :])]
            island = found[0] if found[0].rstrip().endswith(end.strip()) else found[0] + end
            yield _NO_BREAK.sub(b" ", source[: found.start()]) + island


@lru_cache(maxsize=16)
def islands_of(language: Language) -> Islands | None:
    """The islands of a language; `None` where it has none."""
    return Islands(language) if language.rules.blocks.islands else None
