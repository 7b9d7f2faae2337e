"""A language's query (`symbols.scm`), compiled, and its patterns, checked: what each captures and
sets."""

import re
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Final, Literal, TypeAlias, get_args, get_type_hints

import msgspec
import tree_sitter

from symindex.errors import GrammarError, like_it, right_words
from symindex.extract.languages.language import HOW_TO_BEGIN, QUERY_OF, Language
from symindex.extract.parse.grammar import load_by_name
from symindex.extract.parse.pattern_words import ANY, PatternText, pair, read_patterns
from symindex.extract.parse.query_errors import (
    NOT_CODE,
    known_words,
    place_in_query,
    tell_query_error,
)
from symindex.extract.parse.word_search import TooSlow, WordSearch
from symindex.protocol.kinds import SymbolKind

CAPTURES: Final = (
    "name",
    "doc",
    "container",
    "body",
    "header",
    "source",
    "language",
    "whole",
    "part",
)
"""The captures beside `definition.<kind>`. Names that begin with `_` are free for use in
predicates."""


class Settings(msgspec.Struct, frozen=True):
    """What the `#set!` directives of a pattern say, empty where there is none; `grammars/README.md`
    explains each."""

    visibility: Literal["", "exported", "private", "container"] = ""
    flag: Literal["", "test", "deprecated"] = ""
    role: Literal["", "declaration", "clause"] = ""
    extent: Literal["", "rest"] = ""
    doc: Literal["", "body", "attribute"] = ""
    body: Literal["", "none", "empty"] = ""
    scope: Literal["", "function", "signature", "name", "open", "container", "data"] = ""
    header: Literal["", "whole"] = ""
    name: Literal["", "span", "path", "last", "joined", "none"] = ""
    local: Literal["", "none"] = ""
    place: Literal["", "file", "part"] = ""
    source: Literal["", "joined"] = ""
    kind: Literal["", "constant"] = ""
    language: str = ""


PREDICATES: Final = (
    "set!",
    "eq?",
    "not-eq?",
    "any-eq?",
    "any-not-eq?",
    "match?",
    "not-match?",
    "any-match?",
    "any-not-match?",
    "any-of?",
)
"""Those that are applied; tree-sitter takes any, and ignores them. `not-any-of?` is none, as
py-tree-sitter 0.26 lets pass what differs from one of several words."""

SETTINGS: Final = {
    key: [value for value in get_args(hint) if value]
    for key, hint in get_type_hints(Settings).items()
    if hint is not str
}
"""The values of each setting; a `language` is any word."""


class Pattern(msgspec.Struct, frozen=True):
    """One pattern of a query.

    number, line: its place among the patterns, and the line on which it begins, in the query with
    those that it builds on. kind, definition: what it defines, and the capture that says so; both
    empty where it finds something else.
    """

    number: int
    line: int
    kind: str
    definition: str
    captures: frozenset[str]
    settings: Settings


MOST_MATCHES: Final = 1_024
"""How many matches may be under way at a place. No file of real code needs as many; what a grammar
cannot read would take the square of its length without such a limit."""


Match: TypeAlias = tuple[Pattern, dict[str, list[tree_sitter.Node]]]
"""A pattern, and what it captured."""


SMALL_BYTES: Final = 16_000
"""So much source of a language is read with the patterns alone that it may fit. The few small files
that a tree has of a rare language take less time than its query takes to compile; more source is
read faster by all patterns in one query."""

_MOST_NESTED: Final = 60
"""A tree that is deeper is read with all patterns, so that how many matches are under way depends
on the file alone."""

_ROOT_DEPTH: Final = 1
"""How deep in a tree the node stands that is a whole file: the root, or below it where a file may
hold several (of YAML)."""


class _Part:
    """Some of a query's patterns, compiled. text: the query with all others blanked out, so that
    lines are those of the whole. depth: patterns begin at most so deep in a tree; 0: anywhere."""

    def __init__(
        self,
        language_id: str,
        grammar: tree_sitter.Language,
        text: str,
        depth: int,
        numbers: Sequence[int] | None,
    ) -> None:
        try:
            self.query = tree_sitter.Query(grammar, text)
        except tree_sitter.QueryError as error:
            raise GrammarError(tell_query_error(language_id, grammar, text, str(error))) from None
        source = text.encode()
        self._depth = depth
        numbers = range(self.query.pattern_count) if numbers is None else numbers
        self.patterns = [
            _read_pattern(language_id, source, self.query, at, number)
            for at, number in enumerate(numbers)
        ]

        self._cursor = tree_sitter.QueryCursor(self.query, match_limit=MOST_MATCHES)
        self._cursor.set_max_start_depth(0)

    def run(self, root: tree_sitter.Node, found: list[Match]) -> bool:
        """Adds what the patterns find in a tree; whether there was too much of it."""
        cursor = tree_sitter.QueryCursor(self.query, match_limit=MOST_MATCHES)
        if self._depth:
            cursor.set_max_start_depth(self._depth)
        patterns = self.patterns
        found.extend([(patterns[at], nodes) for at, nodes in cursor.matches(root)])
        return bool(cursor.did_exceed_match_limit)

    def run_in(self, root: tree_sitter.Node, start: int, end: int) -> list[Match]:
        """What the patterns find in a range of bytes below a node, or across its ends."""
        cursor = tree_sitter.QueryCursor(self.query, match_limit=MOST_MATCHES)
        cursor.set_byte_range(start, end)
        return [(self.patterns[at], nodes) for at, nodes in cursor.matches(root)]

    def run_at(self, root: tree_sitter.Node, found: list[Match]) -> bool:
        """As `run`, of patterns that begin with this very node."""
        for at, nodes in self._cursor.matches(root):
            found.append((self.patterns[at], nodes))
        return bool(self._cursor.did_exceed_match_limit)


class CompiledQuery:
    """A language's query, ready to run.

    root: patterns that begin with this type of node are tried where a file begins. tree-sitter
    looks at each pattern under way at every node, and these are under way up to the end of the
    file. search_words: patterns that ask for words are tried around these words alone
    (`pattern_words`), and compiled when one of them is met: for each set of patterns that ask for
    the same word and begin with the same type of node, a query. Where it may, a wildcard stands for
    that type: the query is tried on such nodes alone, and takes a part of the time to compile.

    While there is little source of a language, those patterns alone are compiled whose types of
    nodes stand in its trees, each below the one that the pattern has it in, and whose words stand
    in the source.
    """

    def __init__(
        self,
        language_id: str,
        grammar: tree_sitter.Language,
        text: str,
        depth: int = 0,
        root: str = "",
        search_words: bool = False,
    ) -> None:
        text = without_foreign_nodes(text, grammar)
        self.grammar = grammar
        self.depth = depth
        self._language_id, self._text = language_id, text
        self._texts = _divide(text, grammar)
        worded = [
            (number, pattern)
            for number, pattern in enumerate(self._texts)
            if pattern.words and search_words
        ]
        self._words = WordSearch(worded) if worded else None
        self._worded = tuple(number for number, _ in worded)
        self._parts: dict[tuple[tuple[int, ...], int], _Part] = {}
        self._parts_at: dict[tuple[tuple[int, ...], str], list[_Part]] = {}
        others = [number for number in range(len(self._texts)) if number not in self._worded]
        at_root = tuple(number for number in others if self._texts[number].roots == {root})
        self._groups = [
            (tuple(number for number in others if number not in at_root), depth),
            (at_root, _ROOT_DEPTH),
        ]
        self._small_parts: list[_Part] = []
        self._small_bytes = 0
        self.has_parts = all(f"@{capture}" in text for capture in ("whole", "part", "body"))

    @cached_property
    def _always(self) -> list[_Part]:
        """The patterns that ask for no words. Raises GrammarError that says which is wrong."""
        found = [self._part(numbers, depth) for numbers, depth in self._groups if numbers]
        found = found or [self._part((), self.depth)]
        if not any(part.patterns for part in found) and not self._worded:
            raise GrammarError(
                f"grammars/{self._language_id}/symbols.scm: no pattern in it; {HOW_TO_BEGIN}"
            )
        return found

    @property
    def is_compiled(self) -> bool:
        """Whether all patterns are, apart from those that wait for a word."""
        return "_always" in self.__dict__

    def compile(self) -> None:
        """Compiles all patterns that ask for no words. Raises GrammarError that says which is
        wrong."""
        assert self._always

    def _part(self, numbers: tuple[int, ...], depth: int = 0) -> _Part:
        part = self._parts.get((numbers, depth))
        if part is None:
            kept = set(numbers)
            text = _without(
                self._text,
                [pattern for number, pattern in enumerate(self._texts) if number not in kept],
            )
            part = self._parts[numbers, depth] = _Part(
                self._language_id, self.grammar, text, depth, numbers if self._texts else None
            )
        return part

    def _parts_for(self, numbers: tuple[int, ...], root: str) -> list[_Part]:
        """Those of some patterns that begin with a type of node, to be tried on such nodes
        alone."""
        parts = self._parts_at.get((numbers, root))
        if parts is None:
            texts = [
                (number, self._texts[number])
                for number in numbers
                if root in self._texts[number].roots
            ]
            typed = tuple(number for number, pattern in texts if not pattern.root_at)
            parts = [self._part(typed)] if typed else []
            others = tuple(number for number, pattern in texts if pattern.root_at)
            if others:
                parts.append(self._part_of_any(others, root))
            self._parts_at[numbers, root] = parts
        return parts

    def _part_of_any(self, numbers: tuple[int, ...], root: str) -> _Part:
        """Patterns with a wildcard in place of their root."""
        text = _without(
            self._text,
            [pattern for number, pattern in enumerate(self._texts) if number not in numbers],
        )
        wildcard = ANY.ljust(len(root))
        for number in numbers:
            at = self._texts[number].root_at
            text = text[:at] + wildcard + text[at + len(root) :]
        return _Part(self._language_id, self.grammar, text, 0, numbers)

    @property
    def patterns(self) -> list[Pattern]:
        """All patterns, in the order of the query. Raises GrammarError that says which is wrong."""
        worded = self._part(self._worded).patterns if self._worded else []
        always = [pattern for part in self._always for pattern in part.patterns]
        return sorted([*always, *worded], key=lambda pattern: pattern.number)

    @cached_property
    def _comments(self) -> _Part:
        numbers = [
            each.number
            for each in self.patterns
            if "doc" in each.captures and not each.settings.doc
        ]
        return self._part(tuple(numbers))

    def comments_in(self, node: tree_sitter.Node, start: int, end: int) -> list[Match]:
        """The comments in a range of bytes of a node, however deep they stand."""
        return self._comments.run_in(node, start, end)

    def matches(self, tree: tree_sitter.Tree, source: bytes) -> tuple[list[Match], bool]:
        """What the query finds in the tree of a source, and whether there was too much of it."""
        found: list[Match] = []
        has_lost = False
        small = self._small_parts_for(tree, source)
        if small is not None and any([part.run(tree.root_node, found) for part in small]):
            small = None
            found.clear()
        if small is None:
            for part in self._always:
                has_lost = part.run(tree.root_node, found) or has_lost
        if self._words is not None:
            has_lost = self._run_around_words(self._words, tree, source, found) or has_lost
        return found, has_lost

    def _small_parts_for(self, tree: tree_sitter.Tree, source: bytes) -> list[_Part] | None:
        """Those that may find something in a tree; `None` where all patterns are to be tried."""
        self._small_bytes += len(source)
        if self._small_bytes > SMALL_BYTES or self.is_compiled or not self._texts:
            return None
        held = _nodes_held(tree)
        if held is None:
            return None
        fit = {
            number
            for numbers, _ in self._groups
            for number in numbers
            if self._texts[number].can_match(held, source)
        }
        compiled = {pattern.number for part in self._small_parts for pattern in part.patterns}
        for numbers, depth in self._groups:
            fresh = tuple(number for number in numbers if number in fit and number not in compiled)
            if fresh:
                self._small_parts.append(self._part(fresh, depth))
        return [
            part for part in self._small_parts if any(each.number in fit for each in part.patterns)
        ]

    def _run_around_words(
        self, words: WordSearch, tree: tree_sitter.Tree, source: bytes, found: list[Match]
    ) -> bool:
        """Adds what the patterns find that ask for words; whether there was too much of it."""
        has_lost, known = False, len(found)
        try:
            for numbers, root in words.roots(tree, source):
                if not self.depth or _is_within(root, self.depth):
                    for part in self._parts_for(numbers, root.type):
                        has_lost = part.run_at(root, found) or has_lost
        except TooSlow:
            del found[known:]
            return self._part(self._worded, self.depth).run(tree.root_node, found)
        return has_lost


def _nodes_held(tree: tree_sitter.Tree) -> set[str] | None:
    """The types of a tree's nodes, and the pairs of parents and children; `None` where it is too
    deep."""
    held: set[str] = set()
    cursor = tree.walk()
    around = [""]
    while True:
        kind = cursor.node.type  # type: ignore[union-attr]  # a cursor is always at a node
        held.add(kind)
        held.add(pair(around[-1], kind))
        if cursor.goto_first_child():
            around.append(kind)
            if cursor.depth > _MOST_NESTED:
                return None
            continue
        while not cursor.goto_next_sibling():
            around.pop()
            if not cursor.goto_parent():
                return held


def _is_within(node: tree_sitter.Node, depth: int) -> bool:
    """Whether a node is at most so deep in its tree."""
    around = node.parent
    while around is not None and depth > 0:
        around, depth = around.parent, depth - 1
    return around is None


def _divide(text: str, grammar: tree_sitter.Language) -> list[PatternText]:
    """The patterns of a query; none where it is broken, and compiling it says where."""
    try:
        return read_patterns(text, grammar)
    except (IndexError, ValueError):
        return []


def without_foreign_nodes(text: str, grammar: tree_sitter.Language) -> str:
    """A query without those patterns of the languages that it builds on whose nodes its own grammar
    does not have."""
    own = text.rfind("\n" + QUERY_OF)
    if own < 0:
        return text

    def is_foreign(code: str) -> bool:
        names = set(_NODE.findall(NOT_CODE.sub("", code))) - {"MISSING", "ERROR", "_"}
        return any(grammar.id_for_node_kind(name, True) is None for name in names)

    if not is_foreign(text[:own]):
        return text
    patterns = _divide(text[:own], grammar)
    return _without(
        text, [pattern for pattern in patterns if is_foreign(text[pattern.start : pattern.end])]
    )


_NODE: Final = re.compile(r"\((\w+)")


def _without(text: str, patterns: list[PatternText]) -> str:
    """A query with some patterns blanked out."""
    kept: list[str] = []
    at = 0
    for pattern in patterns:
        lines = text[pattern.start : pattern.end].split("\n")
        kept += text[at : pattern.start], "\n".join([" " * len(line) for line in lines])
        at = pattern.end
    return "".join([*kept, text[at:]])


def compile_query(language: Language) -> CompiledQuery:
    """Compiles and checks a language's query, once. Raises GrammarError that says which capture,
    setting or node is wrong."""
    rules = language.rules
    return _compile(
        language.id,
        load_grammar(language),
        language.query,
        rules.query_depth,
        rules.query_root,
        rules.search_words,
    )


def load_grammar(language: Language) -> tree_sitter.Language:
    """The grammar of a language, loaded once. Raises GrammarError where the pack has none, or the
    rules name unknown nodes."""
    rules = language.rules
    root = (rules.query_root,) if rules.query_root else ()
    nodes = (
        ("identifiers", tuple(rules.identifiers)),
        ("bare_code", tuple(rules.bare_code)),
        ("query_root", root),
    )
    return _load(language.id, rules.grammar, nodes)


@cache
def _load(
    language_id: str, name: str, nodes: tuple[tuple[str, tuple[str, ...]], ...]
) -> tree_sitter.Language:
    """nodes: keys of the rules, each with the types of nodes that it names."""
    where = f"grammars/{language_id}/language.toml"
    try:
        grammar = load_by_name(name)
    except ValueError as error:
        raise GrammarError(f"{where}: grammar {name!r}: {error}", "grammar") from None
    for key, node_types in nodes:
        for node_type in node_types:
            if grammar.id_for_node_kind(node_type, True) is None:
                near = like_it(node_type, known_words(grammar, "node"))
                raise GrammarError(
                    f"{where}: {key}: {node_type!r} is no node of the grammar {name}{near}",
                    key,
                    node_type,
                )
    return grammar


# Without a bound: freeing a compiled query while others are in use has crashed py-tree-sitter 0.26.
@cache
def _compile(
    language_id: str,
    grammar: tree_sitter.Language,
    text: str,
    depth: int,
    root: str,
    search_words: bool,
) -> CompiledQuery:
    return CompiledQuery(language_id, grammar, text, depth, root, search_words)


_BLANK: Final = re.compile(rb"(?:\s++|;[^\n]*+)*+")


def _right_settings(key: str, value: str | None) -> str:
    """What would be right in place of a setting that is unknown."""
    if key in SETTINGS:
        return right_words(value or "", SETTINGS[key])
    if key == "language":
        return ": it needs the id of a language, and a @source in the pattern"
    return right_words(key, [*SETTINGS, "language"])


_DEFINITIONS: Final = [f"definition.{kind}" for kind in SymbolKind]
"""The captures of definitions."""


def _read_pattern(
    language_id: str, source: bytes, query: tree_sitter.Query, at: int, number: int
) -> Pattern:
    start, end = query.start_byte_for_pattern(at), query.end_byte_for_pattern(at)
    blank = _BLANK.match(source, start)  # a pattern begins where the one before it ends
    line = source.count(b"\n", 0, blank.end() if blank is not None else start) + 1

    def where() -> str:
        return place_in_query(language_id, source.decode(), line - 1)

    code = NOT_CODE.sub("", source[start:end].decode())
    captures = frozenset(re.findall(r"@([\w.]+)", code))
    definitions = [name for name in captures if name.startswith("definition.")]
    for name in captures:
        if name not in CAPTURES and name not in _DEFINITIONS and not name.startswith("_"):
            known = _DEFINITIONS if name in definitions else [*CAPTURES, "definition.<kind>"]
            near = right_words(f"@{name}", [f"@{each}" for each in known])
            raise GrammarError(f"{where()}: unknown capture @{name}{near}")
    for predicate in re.findall(r"\(\s*#([^\s()]+)", code):
        if predicate not in PREDICATES:
            near = right_words(f"#{predicate}", [f"#{each}" for each in PREDICATES])
            if predicate == "not-any-of?":
                near = ": write a `#not-eq?` for each word"
            raise GrammarError(f"{where()}: unknown predicate #{predicate}{near}")
    settings = query.pattern_settings(at)
    for key, value in settings.items():
        if value not in SETTINGS.get(key, ()) and not (
            key == "language" and value and "source" in captures
        ):
            raise GrammarError(
                f"{where()}: unknown setting {key} {value}{_right_settings(key, value)}"
            )
    shape = {name for name in captures if not name.startswith("_")}
    if not (
        (
            len(definitions) == 1
            and "name" in shape
            and shape <= {*definitions, "name", "body", "header", "container"}
        )
        or shape in ({"doc"}, {"source"}, {"source", "language"}, {"container", "body"})
        or shape in ({"whole", "part"}, {"whole", "part", "body"})
        or (shape == {"part"} and "kind" in settings)
        or (shape == {"body"} and settings.get("scope") in ("function", "open"))
        or (shape == {"name"} and "visibility" in settings)
    ):
        raise GrammarError(
            f"{where()}: a pattern captures one @definition.<kind> and @name, perhaps with @body,"
            " @header or @container, or @doc or @source alone, or @container and @body, or @body"
            " alone with (#set! scope function|open), or @name alone with (#set! visibility ...),"
            " or @whole and @part, perhaps with @body, or @part alone with (#set! kind constant)"
        )
    definition = definitions[0] if definitions else ""
    kind = definition.removeprefix("definition.")
    return Pattern(number, line, kind, definition, captures, msgspec.convert(settings, Settings))
