"""One pattern of a language's query, checked: what it captures and sets; and several of them,
compiled together."""

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args, get_type_hints

import msgspec
import tree_sitter

from symindex.errors import GrammarError, right_words
from symindex.extract.parse.query_errors import NOT_CODE, place_in_query, tell_query_error
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


class PatternSet:
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
            read_pattern(language_id, source, self.query, index, number)
            for index, number in enumerate(numbers)
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


def read_pattern(
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
