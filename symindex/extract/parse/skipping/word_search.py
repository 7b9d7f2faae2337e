"""Finds the nodes on which patterns that ask for words are tried: those around the words in the
source."""

from collections.abc import Iterator
from time import thread_time
from typing import Final, NamedTuple

import tree_sitter

from symindex.extract.parse.skipping.pattern_words import ANY, PatternText

_MOST_CACHED: Final = 5_000
"""Most texts whose patterns are cached."""


_LONG: Final = 3
"""Length of a rare word, in bytes: longer words that contain it are found where it is found."""


_SECONDS: Final = 0.5
_SECONDS_A_BYTE: Final = 5e-7
"""Most time for a search, in seconds, many times what real code needs. Finding a node takes longer
the deeper it is, and hostile source has a word at each of many depths. The first search of a
process also compiles queries."""


class TooSlow(Exception):
    """Raised if the search takes longer than trying all patterns everywhere."""


class _TextPatterns(NamedTuple):
    """The patterns that ask for a text: their numbers, and their roots. places: by the type of the
    text's node, the number of nodes from it to the root and the types of the root. anywhere: the
    same for nodes of any type."""

    patterns: tuple[int, ...]
    places: dict[str, dict[int, frozenset[str]]]
    anywhere: dict[int, frozenset[str]]


class WordSearch:
    """Searches for the words of patterns. patterns: with their numbers in the query."""

    def __init__(self, patterns: list[tuple[int, PatternText]]) -> None:
        self._patterns = [
            (number, tuple(word.encode() for word in pattern.words), pattern)
            for number, pattern in patterns
        ]
        all_words = {word for _, of_pattern, _ in self._patterns for word in of_pattern}
        begun = {
            word
            for _, of_pattern, pattern in self._patterns
            if not pattern.is_whole
            for word in of_pattern
        }
        # A word that begins with another word is found with it, and so is a longer word that
        # contains a word.
        words = {
            word
            for word in all_words
            if not any(word != shorter and word.startswith(shorter) for shorter in all_words)
        }
        self._begun = begun | {
            word
            for word in words
            if any(word != shorter and shorter.startswith(word) for shorter in all_words)
        }
        shortest = [
            word
            for word in words
            if not any(
                word != shorter and len(shorter) >= _LONG and shorter in word for shorter in words
            )
        ]
        self._words = [
            (
                word,
                [
                    (longer.index(word), longer)
                    for longer in words.difference(shortest)
                    if word in longer
                ],
            )
            for word in shortest
        ]
        self._by_text: dict[bytes, _TextPatterns] = {}
        self._by_patterns: dict[tuple[int, ...], _TextPatterns] = {}

    def roots(
        self, tree: tree_sitter.Tree, source: bytes
    ) -> Iterator[tuple[tuple[int, ...], tree_sitter.Node]]:
        """Yields the nodes at which patterns may begin, with the numbers of these patterns. Raises
        TooSlow."""
        top = tree.root_node
        tried = set()
        until = thread_time() + _SECONDS + len(source) * _SECONDS_A_BYTE
        for count, (start, end) in enumerate(self._find(tree, source)):
            if count % 64 == 0 and thread_time() > until:
                raise TooSlow
            node: tree_sitter.Node | None = top.descendant_for_byte_range(start, end)
            if node is None or node.start_byte != start:
                continue
            askers = self._asked(source[start : node.end_byte])
            while node is not None and node.start_byte == start:
                around = node.parent
                for depth, roots in askers.places.get(node.type, askers.anywhere).items():
                    root = around if depth else node
                    for _ in range(depth - 1):
                        root = root.parent if root is not None else None
                    if root is not None and root.type in roots:
                        key = (root.id, askers.patterns)
                        if key not in tried:
                            tried.add(key)
                            yield askers.patterns, root
                node = around

    def _asked(self, text: bytes) -> _TextPatterns:
        """Returns the patterns that ask for a node beginning with this text: the smallest node
        there."""
        askers = self._by_text.get(text)
        if askers is None:
            patterns = [
                (number, pattern)
                for number, words, pattern in self._patterns
                if (text in words if pattern.is_whole else text.startswith(words))
            ]
            numbers = tuple(number for number, _ in patterns)
            askers = self._by_patterns.setdefault(
                numbers, _places(numbers, [pattern for _, pattern in patterns])
            )
            if len(self._by_text) < _MOST_CACHED and len(text) < 100:
                self._by_text[text] = askers
        return askers

    def _find(self, tree: tree_sitter.Tree, source: bytes) -> Iterator[tuple[int, int]]:
        """Yields the ranges of words in the source that the parser has read, in order of the
        words."""
        for part in tree.included_ranges:
            first, last = part.start_byte, min(part.end_byte, len(source))
            for word, longer_words in self._words:
                size = len(word)
                place = source.find(word, first, last)
                while place >= 0:
                    if self._is_whole(source, place, word):
                        yield place, place + size
                    for offset, longer in longer_words:
                        start = place - offset
                        if (
                            start >= first
                            and source.startswith(longer, start)
                            and self._is_whole(source, start, longer)
                        ):
                            yield start, start + len(longer)
                    place = source.find(word, place + 1, last)

    def _is_whole(self, source: bytes, start: int, word: bytes) -> bool:
        """Whether no letter continues the word here: before it, or after it unless patterns ask for
        longer names."""
        if word[:1].isalnum() and start and source[start - 1 : start].isalnum():
            return False
        end = start + len(word)
        return word in self._begun or not (word[-1:].isalnum() and source[end : end + 1].isalnum())


def _places(numbers: tuple[int, ...], patterns: list[PatternText]) -> _TextPatterns:
    places: dict[str, dict[int, frozenset[str]]] = {}
    for place in {place for pattern in patterns for place in pattern.places}:
        depths = places.setdefault(place.type, {})
        depths[place.depth] = depths.get(place.depth, frozenset()) | place.roots
    anywhere = places.pop(ANY, {})
    for depths in places.values():
        for depth, roots in anywhere.items():
            depths[depth] = depths.get(depth, frozenset()) | roots
    return _TextPatterns(numbers, places, anywhere)
