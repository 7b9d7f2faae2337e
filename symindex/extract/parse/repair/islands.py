"""Finds the scripts and styles of a page whose template the grammar cannot read, and completes a
script that is still being written.

An unfinished tag takes the text after it. So scripts, styles and front matter ("islands") are found
by their beginnings and ends (`[blocks].islands`). Each is parsed in a page that is blank otherwise,
so that the query finds it at its place.
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
    """A language's islands: a pattern for each, and the text that ends an unfinished one."""

    def __init__(self, language: Language) -> None:
        islands = language.rules.blocks.islands
        self._find = compile_bytes(
            "|".join(rf"(?P<island{i}>{pattern})" for i, (pattern, _) in enumerate(islands))
        ).finditer
        self._ends = [end.encode() for _, end in islands]

    def pages(self, source: bytes) -> Iterator[bytes]:
        """Yields a page for each island, blank except for the island at its place in the source."""
        for match in islice(self._find(source), _MOST_ISLANDS):
            end = self._ends[int((match.lastgroup or "")[len("island") :])]
            island = match[0] if match[0].rstrip().endswith(end.strip()) else match[0] + end
            yield _NO_BREAK.sub(b" ", source[: match.start()]) + island


@lru_cache(maxsize=16)
def islands_of(language: Language) -> Islands | None:
    """Returns the islands of a language; `None` if it has none."""
    return Islands(language) if language.rules.blocks.islands else None
