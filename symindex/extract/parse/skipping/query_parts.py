"""Runs only the patterns of a query that may match.

- Patterns that begin with a whole file are tried at the root alone. tree-sitter looks at each
  pattern under way at every node, and these would be under way up to the end of the file.
- Patterns that ask for words are tried around these words alone (`word_search`), and are compiled
  when one of the words is met: one query for each set of patterns that ask for the same word and
  begin with the same type of node. Where possible, a wildcard replaces that type: the query is run
  on such nodes alone, and compiles in a part of the time.
- While there is little source of a language, only those patterns are compiled whose types of nodes
  are in its trees, each below the parent that the pattern has it in, and whose words are in the
  source.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import tree_sitter

from symindex.errors import GrammarError
from symindex.extract.languages.language import HOW_TO_BEGIN
from symindex.extract.parse.patterns import Match, Pattern, PatternSet
from symindex.extract.parse.skipping.pattern_words import ANY, PatternText, blank_patterns, pair
from symindex.extract.parse.skipping.word_search import TooSlow, WordSearch

SMALL_BYTES: Final = 16_000
"""Most source of a language, in bytes, that is read with only the patterns that may match. A tree
has few small files of a rare language, and reading these takes less time than compiling the whole
query; more source is read faster by all patterns in one query."""

_MOST_NESTED: Final = 60
"""Deepest tree that is read with some of the patterns: a deeper one is read with all, so that the
number of matches under way depends on the file alone."""

_ROOT_DEPTH: Final = 1
"""Depth in the tree of the node that is a whole file: the root, or below it where a file may
contain several (YAML)."""


class QueryParts:
    """A query, divided into sets of patterns that are compiled when they are needed."""

    def __init__(
        self,
        language_id: str,
        grammar: tree_sitter.Language,
        text: str,
        patterns: Sequence[PatternText],
        depth: int,
        root: str,
        search_words: bool,
    ) -> None:
        """patterns: those of the text; empty to run the query as a whole. depth: how deep in a tree
        patterns begin, 0 for anywhere. root: the type of the node that is a whole file.
        search_words: patterns that ask for words are tried around these alone."""
        self.grammar = grammar
        self.depth = depth
        self._language_id, self._text = language_id, text
        self._texts = patterns
        worded = [
            (number, pattern)
            for number, pattern in enumerate(self._texts)
            if pattern.words and search_words
        ]
        self._words = WordSearch(worded) if worded else None
        self._worded = tuple(number for number, _ in worded)
        self._parts: dict[tuple[tuple[int, ...], int], PatternSet] = {}
        self._parts_at: dict[tuple[tuple[int, ...], str], list[PatternSet]] = {}
        plain = [number for number in range(len(self._texts)) if number not in self._worded]
        at_root = tuple(number for number in plain if self._texts[number].roots == {root})
        self._groups = [
            (tuple(number for number in plain if number not in at_root), depth),
            (at_root, _ROOT_DEPTH),
        ]
        self._small_parts: list[PatternSet] = []
        self._small_bytes = 0

    @cached_property
    def _always(self) -> list[PatternSet]:
        """The patterns that do not wait for a word. Raises GrammarError for one that is wrong."""
        parts = [self.part(numbers, depth) for numbers, depth in self._groups if numbers]
        parts = parts or [self.part((), self.depth)]
        if not any(part.patterns for part in parts) and not self._worded:
            raise GrammarError(
                f"grammars/{self._language_id}/symbols.scm: no pattern in it; {HOW_TO_BEGIN}"
            )
        return parts

    @property
    def is_compiled(self) -> bool:
        """Whether all patterns are compiled, except those that wait for a word."""
        return "_always" in self.__dict__

    def compile(self) -> None:
        """Compiles all patterns, except those that wait for a word. Raises GrammarError for one
        that is wrong."""
        assert self._always

    def part(self, numbers: tuple[int, ...], depth: int = 0) -> PatternSet:
        part = self._parts.get((numbers, depth))
        if part is None:
            numbers_kept = set(numbers)
            text = blank_patterns(
                self._text,
                [
                    pattern
                    for number, pattern in enumerate(self._texts)
                    if number not in numbers_kept
                ],
            )
            part = self._parts[numbers, depth] = PatternSet(
                self._language_id, self.grammar, text, depth, numbers if self._texts else None
            )
        return part

    def _parts_for(self, numbers: tuple[int, ...], root: str) -> list[PatternSet]:
        """Returns those of some patterns that begin with a type of node, to be run on nodes of this
        type."""
        parts = self._parts_at.get((numbers, root))
        if parts is None:
            texts = [
                (number, self._texts[number])
                for number in numbers
                if root in self._texts[number].roots
            ]
            typed = tuple(number for number, pattern in texts if not pattern.root_at)
            parts = [self.part(typed)] if typed else []
            untyped = tuple(number for number, pattern in texts if pattern.root_at)
            if untyped:
                parts.append(self._part_of_any(untyped, root))
            self._parts_at[numbers, root] = parts
        return parts

    def _part_of_any(self, numbers: tuple[int, ...], root: str) -> PatternSet:
        """Compiles patterns with a wildcard instead of their root."""
        text = blank_patterns(
            self._text,
            [pattern for number, pattern in enumerate(self._texts) if number not in numbers],
        )
        wildcard = ANY.ljust(len(root))
        for number in numbers:
            start = self._texts[number].root_at
            text = text[:start] + wildcard + text[start + len(root) :]
        return PatternSet(self._language_id, self.grammar, text, 0, numbers)

    @property
    def patterns(self) -> list[Pattern]:
        """All patterns, in the order of the query. Raises GrammarError for one that is wrong."""
        worded = self.part(self._worded).patterns if self._worded else []
        always = [pattern for part in self._always for pattern in part.patterns]
        return sorted([*always, *worded], key=lambda pattern: pattern.number)

    def matches(self, tree: tree_sitter.Tree, source: bytes) -> tuple[list[Match], bool]:
        """Returns the matches in the tree of a source, and whether there were too many to keep
        all."""
        matches: list[Match] = []
        has_lost = False
        small = self._small_parts_for(tree, source)
        if small is not None and any([part.run(tree.root_node, matches) for part in small]):
            small = None
            matches.clear()
        if small is None:
            for part in self._always:
                has_lost = part.run(tree.root_node, matches) or has_lost
        if self._words is not None:
            has_lost = self._run_around_words(self._words, tree, source, matches) or has_lost
        return matches, has_lost

    def _small_parts_for(self, tree: tree_sitter.Tree, source: bytes) -> list[PatternSet] | None:
        """Returns the patterns that may match in a tree; `None` if all patterns should be tried."""
        self._small_bytes += len(source)
        if self._small_bytes > SMALL_BYTES or self.is_compiled or not self._texts:
            return None
        node_types = _nodes_held(tree)
        if node_types is None:
            return None
        fit = {
            number
            for numbers, _ in self._groups
            for number in numbers
            if self._texts[number].can_match(node_types, source)
        }
        compiled = {pattern.number for part in self._small_parts for pattern in part.patterns}
        for numbers, depth in self._groups:
            fresh = tuple(number for number in numbers if number in fit and number not in compiled)
            if fresh:
                self._small_parts.append(self.part(fresh, depth))
        return [
            part
            for part in self._small_parts
            if any(pattern.number in fit for pattern in part.patterns)
        ]

    def _run_around_words(
        self, words: WordSearch, tree: tree_sitter.Tree, source: bytes, matches: list[Match]
    ) -> bool:
        """Adds the matches of patterns that wait for words. Returns whether there were too many to
        keep all."""
        has_lost, n_before = False, len(matches)
        try:
            for numbers, root in words.roots(tree, source):
                if not self.depth or _is_within(root, self.depth):
                    for part in self._parts_for(numbers, root.type):
                        has_lost = part.run_at(root, matches) or has_lost
        except TooSlow:
            del matches[n_before:]
            return self.part(self._worded, self.depth).run(tree.root_node, matches)
        return has_lost


def _nodes_held(tree: tree_sitter.Tree) -> set[str] | None:
    """Returns the types of a tree's nodes, and the pairs of parents and children; `None` if the
    tree is too deep."""
    node_types: set[str] = set()
    cursor = tree.walk()
    around = [""]
    while True:
        kind = cursor.node.type  # type: ignore[union-attr]  # a cursor is always at a node
        node_types.add(kind)
        node_types.add(pair(around[-1], kind))
        if cursor.goto_first_child():
            around.append(kind)
            if cursor.depth > _MOST_NESTED:
                return None
            continue
        while not cursor.goto_next_sibling():
            around.pop()
            if not cursor.goto_parent():
                return node_types


def _is_within(node: tree_sitter.Node, depth: int) -> bool:
    """Whether a node is at most this deep in its tree."""
    around = node.parent
    while around is not None and depth > 0:
        around, depth = around.parent, depth - 1
    return around is None
