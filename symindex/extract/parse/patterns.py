"""The patterns of a language's query: the captures and settings of one, checked, and sets of
patterns, compiled together."""

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
"""The captures other than `definition.<kind>`. Names that begin with `_` are free for
predicates."""


class PatternSettings(msgspec.Struct, frozen=True):
    """The `#set!` directives of a pattern; empty for those that it does not have.
    `grammars/README.md` explains them."""

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
"""The predicates that are applied. tree-sitter accepts others and ignores them. `not-any-of?` is
not among them, because py-tree-sitter 0.26 accepts a text that differs from one of several
words."""

SETTINGS: Final = {
    key: [value for value in get_args(hint) if value]
    for key, hint in get_type_hints(PatternSettings).items()
    if hint is not str
}
"""The values of each setting; `language` can be any word."""


class Pattern(msgspec.Struct, frozen=True):
    """One pattern of a query.

    number, line: its position among the patterns and its first line, both in the query with those
    it builds on. kind, definition: the kind that it defines and the capture of the definition; both
    empty if the pattern finds something else.
    """

    number: int
    line: int
    kind: str
    definition: str
    captures: frozenset[str]
    settings: PatternSettings


MOST_MATCHES: Final = 1_024
"""Most matches under way at one place. Real code never needs as many; without a limit, source that
a grammar cannot read would take quadratic time."""


Match: TypeAlias = tuple[Pattern, dict[str, list[tree_sitter.Node]]]
"""A pattern, and the nodes that it captured."""


class PatternSet:
    """Some patterns of a query, compiled together. text: the query with all other patterns blanked,
    so that lines stay those of the whole. depth: deepest level of a tree at which patterns begin; 0
    for anywhere."""

    def __init__(
        self,
        language_id: str,
        grammar: tree_sitter.Language,
        text: str,
        depth: int,
        numbers: Sequence[int] | None,
    ) -> None:
        try:
            self.query: tree_sitter.Query = tree_sitter.Query(grammar, text)
        except tree_sitter.QueryError as error:
            raise GrammarError(tell_query_error(language_id, grammar, text, str(error))) from None
        source = text.encode()
        self._depth = depth
        numbers = range(self.query.pattern_count) if numbers is None else numbers
        self.patterns: list[Pattern] = [
            read_pattern(language_id, source, self.query, index, number)
            for index, number in enumerate(numbers)
        ]

        self._cursor = tree_sitter.QueryCursor(self.query, match_limit=MOST_MATCHES)
        self._cursor.set_max_start_depth(0)

    def run(self, root: tree_sitter.Node, matches: list[Match]) -> bool:
        """Adds the matches in a tree. Returns whether there were too many to keep all."""
        cursor = tree_sitter.QueryCursor(self.query, match_limit=MOST_MATCHES)
        if self._depth:
            cursor.set_max_start_depth(self._depth)
        patterns = self.patterns
        matches.extend([(patterns[number], nodes) for number, nodes in cursor.matches(root)])
        return bool(cursor.did_exceed_match_limit)

    def run_in(self, root: tree_sitter.Node, start: int, end: int) -> list[Match]:
        """Returns the matches in a range of bytes below a node, or across the ends of the range."""
        cursor = tree_sitter.QueryCursor(self.query, match_limit=MOST_MATCHES)
        cursor.set_byte_range(start, end)
        return [(self.patterns[number], nodes) for number, nodes in cursor.matches(root)]

    def run_at(self, root: tree_sitter.Node, matches: list[Match]) -> bool:
        """Adds the matches that begin with this node. Returns whether there were too many to keep
        all."""
        for number, nodes in self._cursor.matches(root):
            matches.append((self.patterns[number], nodes))
        return bool(self._cursor.did_exceed_match_limit)


_BLANK: Final = re.compile(rb"(?:\s++|;[^\n]*+)*+")


def _right_settings(key: str, value: str | None) -> str:
    """Returns a hint at a right setting instead of an unknown one."""
    if key in SETTINGS:
        return right_words(value or "", SETTINGS[key])
    if key == "language":
        return ": it needs the id of a language, and a @source in the pattern"
    return right_words(key, [*SETTINGS, "language"])


_DEFINITIONS: Final = [f"definition.{kind}" for kind in SymbolKind]
"""The captures of definitions."""


def read_pattern(
    language_id: str, source: bytes, query: tree_sitter.Query, index: int, number: int
) -> Pattern:
    start, end = query.start_byte_for_pattern(index), query.end_byte_for_pattern(index)
    blank = _BLANK.match(source, start)  # a pattern begins where the previous one ends
    line = source.count(b"\n", 0, blank.end() if blank is not None else start) + 1

    def where() -> str:
        return place_in_query(language_id, source.decode(), line - 1)

    code = NOT_CODE.sub("", source[start:end].decode())
    captures = frozenset(re.findall(r"@([\w.]+)", code))
    definitions = [name for name in captures if name.startswith("definition.")]
    for name in captures:
        if name not in CAPTURES and name not in _DEFINITIONS and not name.startswith("_"):
            right = _DEFINITIONS if name in definitions else [*CAPTURES, "definition.<kind>"]
            near = right_words(f"@{name}", [f"@{word}" for word in right])
            raise GrammarError(f"{where()}: unknown capture @{name}{near}")
    for predicate in re.findall(r"\(\s*#([^\s()]+)", code):
        if predicate not in PREDICATES:
            near = right_words(f"#{predicate}", [f"#{word}" for word in PREDICATES])
            if predicate == "not-any-of?":
                near = ": write a `#not-eq?` for each word"
            raise GrammarError(f"{where()}: unknown predicate #{predicate}{near}")
    settings = query.pattern_settings(index)
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
    return Pattern(
        number, line, kind, definition, captures, msgspec.convert(settings, PatternSettings)
    )
