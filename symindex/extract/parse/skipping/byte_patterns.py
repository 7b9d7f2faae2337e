"""Patterns of bytes that are searched only where one of their required literals is found."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from symindex.extract.languages.language import Language, compile_bytes, compile_pattern
from symindex.extract.parse.skipping.regex_literals import beginning_literals, required_literals


class BytePatterns:
    """Patterns that are searched in bytes, each only where one of its required literals is
    found."""

    def __init__(self, patterns: Sequence["BytePattern"]) -> None:
        self._patterns = patterns
        self._tests = [
            (only_byte(literal), literal, pattern.search)
            for pattern in patterns
            for literal in pattern.literals
        ]

    def that_may_be_in(self, data: bytes) -> "BytePatterns":
        """Returns the patterns whose literals are in a file at all. These are few, and all of them
        are searched in each of the file's bodies."""
        patterns = []
        for pattern in self._patterns:
            for literal in pattern.literals:  # a generator takes three times as long
                if data.find(literal) >= 0:  # `in` takes twice as long
                    patterns.append(pattern)
                    break
        return BytePatterns(patterns) if len(patterns) < len(self._patterns) else self

    @property
    def literals(self) -> list[bytes]:
        """The literals of all patterns: every match contains one of those of its pattern."""
        return [literal for pattern in self._patterns for literal in pattern.literals]

    def first(self, data: bytes, start: int, end: int) -> int:
        """Returns the start of the first match in a range; `end` if there is none."""
        for literals, begins, match, search in self._patterns:
            limit = end
            for literal in literals:
                place = data.find(literal, start, limit)
                if begins:
                    while 0 <= place < end:
                        if match(data, place, limit) is not None:
                            end = place
                        place = data.find(literal, place + 1, limit)
                elif place >= 0:
                    first_match = search(data, start, limit)
                    if first_match is not None:
                        end = first_match.start()
                    break
        return end

    def match(self, text: bytes) -> bool:
        """Whether a pattern is found in a text."""
        for byte, literal, search in self._tests:
            # Searching for a byte takes a fifth of the time of searching for a text.
            if (byte in text if byte >= 0 else text.find(literal) >= 0) and search(
                text
            ) is not None:
                return True
        return False


def only_byte(literal: bytes) -> int:
    return literal[0] if len(literal) == 1 else -1


class BytePattern(NamedTuple):
    """A pattern. literals: each match contains one of them, and begins with it if `begins`. match:
    tries the pattern at one place. search: finds it anywhere."""

    literals: Sequence[bytes]
    begins: bool
    match: Callable[..., re.Match[bytes] | None]
    search: Callable[..., re.Match[bytes] | None]


def search_for(pattern: str, full_pattern: str = "") -> BytePattern:
    """Prepares the search for a pattern. full_pattern: the expression to search for, if it is
    longer than the pattern that gives the literals."""
    compiled = compile_pattern(pattern)
    literals, beginnings = required_literals(compiled), beginning_literals(compiled)
    regex = compile_bytes(full_pattern or pattern)
    begins = not full_pattern and bool(beginnings) and min(map(len, beginnings)) >= _LEAST_BEGINNING
    if begins:
        literals = beginnings
    # A search would try a pattern for the start of the text at every place.
    search = regex.match if (full_pattern or pattern).startswith(r"\A") else regex.search
    if not 0 < len(literals) <= _MOST_LITERALS:
        return BytePattern([b""], False, regex.match, search)
    return BytePattern([literal.encode() for literal in literals], begins, regex.match, search)


_LEAST_BEGINNING: Final = 3
"""Shortest beginning, in letters, at whose places a pattern is tried: with a shorter one, a search
is faster."""

_MOST_LITERALS: Final = 4
"""Most literals of a pattern that are worth searching for."""


@lru_cache(maxsize=64)
def signs_of(language: Language) -> BytePatterns:
    """Returns the patterns that tell, before a parse, that a file needs repairs; compiled once."""
    return BytePatterns([search_for(pattern) for pattern in language.rules.repair_signs])
