"""Reads from the text of a query which words and types of nodes each pattern asks for.

The grammar of a language of lists has no definitions, only lists:
`((list . (symbol) @_def . (symbol) @name) (#eq? @_def "define"))`. tree-sitter tries such a pattern
on every list and compares the words last. Searching the source for the words is faster; then the
pattern is tried on the nodes around each word.
"""

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import tree_sitter

from symindex.extract.parse.skipping.regex_literals import beginnings

ANY: Final = "_"
"""The type of a node of any type, as in queries."""


_Needs: TypeAlias = list[frozenset[str]]
"""Requirements of a match: from each set, it contains a type of node or a pair of types."""


class WordPlace(NamedTuple):
    """The place of a word in a pattern: the type of the word's node, the number of nodes from it to
    the root of the pattern, and the types that the root may have."""

    type: str
    depth: int
    roots: frozenset[str]


class PatternText(NamedTuple):
    """A pattern in the text of a query.

    roots: the types of nodes that it begins with; empty if unknown. needs: what each match
    contains. texts: each match contains a text of each of these lists. words: in each match, a node
    at one of `places` begins with one of them; empty if the pattern asks for none. is_whole: the
    node is one of the words, not longer. root_at: where the type of the root is, if a wildcard may
    replace it in a query that is run on nodes of that type alone; else 0.
    """

    start: int
    end: int
    roots: frozenset[str]
    needs: _Needs
    texts: list[list[bytes]]
    words: frozenset[str]
    places: frozenset[WordPlace]
    is_whole: bool = False
    root_at: int = 0

    def can_match(self, node_types: Set[str], source: bytes) -> bool:
        """Whether the tree of a source may contain a match. node_types: the types of its nodes, and
        the pairs of types (`pair`)."""
        if any(node_types.isdisjoint(need) for need in self.needs):
            return False
        return all(any(text in source for text in texts) for texts in self.texts)


def pair(parent: str, child: str) -> str:
    """Returns the name of a pair: a node of one type that is a child of another."""
    return f"{parent}\0{child}"


@dataclass(slots=True)
class _QueryItem:
    """A part of a pattern. types: those of the nodes that it may match; empty if unknown. always:
    the captures that each match has. needs: what each match contains. opened: the token that it
    begins with; -1 if the part is optional."""

    types: frozenset[str]
    always: set[str]
    needs: _Needs
    opened: int = 0


TOKEN: Final = re.compile(
    r""";[^\n]*|"(?:\\.|[^"\\])*"|[()\[\]]|@[\w.-]+|\#[\w!?.-]+|![\w.-]+|[\w.-]{0,60}\w:|[?*+]|\.(?![\w])|[\w./-]+"""
)
"""The tokens of a query, including comments."""

_CLOSING: Final = ('")"', '"]"', '"}"')
"""Texts that end a node: no longer match is possible after them."""

_NO_TYPES: Final[frozenset[str]] = frozenset()


class _QueryReader:
    """Reads the patterns of a query one after the other."""

    def __init__(self, text: str, grammar: tree_sitter.Language) -> None:
        self._tokens = [match for match in TOKEN.finditer(text) if not match[0].startswith(";")]
        self._at = 0
        self._grammar = grammar
        self._types: dict[str, str] = {}
        self._captures: dict[str, set[tuple[str, int]]] = {}
        self._predicates: list[tuple[str, list[str]]] = []
        self._last_repeat = self._last_capture = -1
        self._root_tokens: list[int] = []

    def read(self) -> Iterable[PatternText]:
        """Yields all patterns."""
        while self._at < len(self._tokens):
            first = self._tokens[self._at]
            self._captures, self._predicates = {}, []
            self._last_repeat = self._last_capture = -1
            self._root_tokens = []
            items = self._items("", 0, only_one=True)
            # `_items` has also read the quantifiers and captures that follow the pattern.
            yield self._pattern(first.start(), self._tokens[self._at - 1].end(), items)

    def _pattern(self, start: int, end: int, items: list[_QueryItem]) -> PatternText:
        """Makes the description of a pattern. A pattern that may end before its last node asks for
        no words: tree-sitter chooses between a match and a longer one when it leaves the root, and
        does not if it has skipped the end of the root."""
        roots = _NO_TYPES if len(items) != 1 or _has_any(items[0].types) else items[0].types
        always, needs = _of_all(items)
        tests = [
            (name, capture[1:], values, _words(name, values))
            for name, (capture, *values) in self._predicates
            if capture[1:] in always
        ]
        texts = [
            [word.encode() for word in words] for _, _, _, words in tests if words and all(words)
        ]
        none = PatternText(start, end, roots, needs, texts, frozenset(), frozenset())
        if not roots or self._last_repeat > self._last_capture:
            return none
        best: frozenset[str] = frozenset()
        places: frozenset[WordPlace] = frozenset()
        is_whole = False
        for name, capture, values, words in tests:
            if _worth(words) > _worth(best):
                best = words
                is_whole = name in _WHOLE and len(words) == len(values)
                places = frozenset(
                    WordPlace(node, depth, roots) for node, depth in self._captures[capture]
                )
        return (
            none._replace(words=best, places=places, is_whole=is_whole, root_at=self._root_at())
            if best
            else none
        )

    def _root_at(self) -> int:
        """Returns the place of the type of the only root, 0 if it must stay. tree-sitter skips a
        wildcard root and its forbidden fields, if its first child is not a wildcard and need not be
        first."""
        if len(self._root_tokens) != 1 or self._tokens[self._root_tokens[0]][0] in (
            ANY,
            "ERROR",
            "MISSING",
        ):
            return 0
        number = self._root_tokens[0] + 1
        while (
            (token := self._tokens[number][0]) in ("(", "[") or token[0] == "!" or token[-1] == ":"
        ):
            number += 1
        return self._tokens[self._root_tokens[0]].start() if token in (ANY, ".") else 0

    def _items(self, closing: str, depth: int, only_one: bool = False) -> list[_QueryItem]:
        """Reads the parts up to the closing bracket, and the bracket; with `only_one`, reads one
        part with its quantifiers and captures."""
        items: list[_QueryItem] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at][0]
            if token == closing:
                self._at += 1
                break
            if token[0] == "@":
                for node in items[-1].types or {ANY}:
                    self._captures.setdefault(token[1:], set()).add((node, depth))
                if items[-1].opened >= 0:
                    items[-1].always.add(token[1:])
                self._last_capture = max(self._last_capture, items[-1].opened)
            elif token in ("?", "*", "+"):
                self._last_repeat = self._at
                if token != "+":
                    items[-1] = _QueryItem(items[-1].types, set(), [], -1)
            elif only_one and items:
                break
            elif token in ("(", "["):
                opened = self._at
                self._at += 1
                item = self._bracket(depth) if token == "(" else _one_of(self._items("]", depth))
                if item is not None:
                    item.opened = opened
                    items.append(item)
                continue
            elif token == "_" or token[0] == '"':
                text = ANY if token == "_" else _unquoted(token)
                items.append(_typed(text, [], self._at))
                if token in _CLOSING:
                    self._last_capture = self._at
            self._at += 1
        return items

    def _bracket(self, depth: int) -> _QueryItem | None:
        """Reads the rest of a bracket: a predicate, a group, or a node with its children."""
        token = self._tokens[self._at][0]
        if token[0] == "#":
            self._at += 1
            arguments = []
            while (token_ := self._tokens[self._at][0]) != ")":
                arguments.append(token_)
                self._at += 1
            self._at += 1
            self._predicates.append((token[1:], arguments))
            return None
        if token in ("(", "[") or token[0] == '"':
            items = self._items(")", depth)
            types = items[0].types if len(items) == 1 else _NO_TYPES
            return _QueryItem(types, *_of_all(items))
        if not depth:
            self._root_tokens.append(self._at)
        self._at += 1
        return _typed(self._type(token), self._items(")", depth + 1))

    def _type(self, token: str) -> str:
        """Returns the type of a node; `ANY` if the token covers several, such as a supertype, which
        is in no tree."""
        type_ = self._types.get(token)
        if type_ is None:
            name = token.rpartition("/")[2]
            number = self._grammar.id_for_node_kind(name, True)
            is_one = (
                name != "MISSING"
                and number is not None
                and self._grammar.node_kind_is_visible(number)
            )
            type_ = self._types[token] = name if is_one else ANY
        return type_


def _has_any(types: frozenset[str]) -> bool:
    return not types or ANY in types


def _typed(node_type: str, inner: list[_QueryItem], opened: int = 0) -> _QueryItem:
    """Makes the part for a node of a type with children."""
    always, needs = _of_all(inner)
    types = frozenset([node_type])
    if node_type != ANY:
        inside = [item.types for item in inner if item.opened >= 0 and not _has_any(item.types)]
        needs += [frozenset([pair(node_type, child) for child in children]) for children in inside]
        needs.append(types)
    return _QueryItem(types, always, needs, opened)


def _of_all(items: list[_QueryItem]) -> tuple[set[str], _Needs]:
    """Returns the captures that each match of all parts has, and what it contains."""
    always: set[str] = set()
    needs: _Needs = []
    for item in items:
        always |= item.always
        needs += item.needs
    return always, needs


def _one_of(items: list[_QueryItem]) -> _QueryItem:
    if not items:
        return _QueryItem(_NO_TYPES, set(), [])
    first, *rest = items
    needs = [need for need in first.needs if all(need in alternative.needs for alternative in rest)]
    types = _NO_TYPES
    if all(item.types and item.opened >= 0 for item in items):
        types = types.union(*[item.types for item in items])
        if ANY not in types:
            needs.append(types)
    return _QueryItem(types, first.always.intersection(*[item.always for item in rest]), needs)


def _unquoted(token: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), token[1:-1])


_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
"""The meanings of escaped letters in a query."""


_WHOLE: Final = ("eq?", "any-of?")
"""Predicates that compare a whole text."""


def _words(predicate: str, values: list[str]) -> frozenset[str]:
    """Returns the words that a predicate asks for."""
    if any(value[0] != '"' for value in values):
        return frozenset()
    texts = [_unquoted(value) for value in values]
    if predicate in _WHOLE:
        return _shared(texts)
    return _shared(beginnings(texts[0])) if predicate == "match?" else frozenset()


def _shared(words: Iterable[str]) -> frozenset[str]:
    """Shortens words to common beginnings until they are few; returns none if these would be too
    short."""
    shared, size = frozenset(words), _LONGEST
    while len(shared) > _MOST_WORDS and size >= _SHORTEST_SHARED:
        shared = frozenset(word[:size] for word in shared)
        size -= 1
    return shared if len(shared) <= _MOST_WORDS else frozenset()


_SHORTEST: Final = 2
"""Shortest useful word, in bytes: shorter ones are everywhere."""


def _worth(words: frozenset[str]) -> int:
    """Returns how much a search for these words rules out."""
    shortest = min((len(word.encode()) for word in words), default=0)
    return shortest if shortest >= _SHORTEST else 0


_MOST_WORDS: Final = 12
"""Most words of a pattern: searching for more takes longer than trying the pattern everywhere."""

_LONGEST: Final = 20
_SHORTEST_SHARED: Final = 3
"""Shortest common beginning of several words, in characters."""


def read_patterns(text: str, grammar: tree_sitter.Language) -> list[PatternText]:
    """Returns the patterns of a query. For a broken query, raises IndexError or returns
    nonsense."""
    return list(_QueryReader(text, grammar).read())


def divide(text: str, grammar: tree_sitter.Language) -> list[PatternText]:
    """Returns the patterns of a query; none if it is broken, as compiling it says where."""
    try:
        return read_patterns(text, grammar)
    except (IndexError, ValueError):
        return []


def blank_patterns(text: str, patterns: list[PatternText]) -> str:
    """Blanks some patterns of a query, so that all others keep their lines."""
    pieces: list[str] = []
    end = 0
    for pattern in patterns:
        lines = text[pattern.start : pattern.end].split("\n")
        pieces += text[end : pattern.start], "\n".join([" " * len(line) for line in lines])
        end = pattern.end
    return "".join([*pieces, text[end:]])
