"""Bytes to definitions: the only module that knows tree-sitter.

It runs a language's query over the syntax tree and hands on plain numbers: where each definition, its name, its body and
its container stand. What these mean (nesting, names, signatures, docs) is `source/symbols`.

Broken source never fails: tree-sitter marks what it cannot read and goes on. A grammar that never returns cannot be
interrupted from inside its process; the time limit is therefore held from outside, by `source/workers`.
"""

import codecs
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import tree_sitter
from tree_sitter_language_pack import get_language

from symindex.errors import GrammarError
from symindex.protocol import SymbolKind
from symindex.source.languages import Language, compile_pattern

CAPTURES: Final = ("name", "doc", "container", "body", "header", "source", "whole", "part")
"""The legal captures beside `definition.<kind>`; names that begin with `_` are free, for use in predicates."""

SETTINGS: Final[dict[str, tuple[str, ...]]] = {
    "visibility": ("exported", "private", "container"),
    "flag": ("test", "deprecated"),
    "extent": ("rest",),
    "doc": ("body", "attribute"),
    "body": ("none", "empty"),
    "scope": ("function", "signature", "name", "open", "container"),
    "header": ("whole",),
    "name": ("span", "path"),
    "local": ("none",),
    "place": ("file",),
}
"""The legal `#set!` directives and their values; `grammars/README.md` explains each."""


@dataclass(slots=True)
class Definition:
    """One definition as the query found it; places are byte offsets, rows are 0-based, -1 stands for none.

    header_byte: where the signature begins: after decorators, where the pattern captured the definition twice.
    inside_byte, inside_end: what it encloses: the body, and the parts of its header that the pattern captured as `@header`.
    settings: what the pattern sets. pattern: its number in the query.
    """

    kind: SymbolKind
    start_byte: int
    end_byte: int
    start_row: int
    end_row: int
    header_byte: int
    name_start: int
    name_end: int
    name_row: int
    name_column: int
    body_byte: int
    body_end: int
    inside_byte: int
    inside_end: int
    container: str | None
    settings: dict[str, str | None]
    pattern: int


@dataclass(slots=True)
class Comment:
    """Text that may document what follows it (or, with `where` = `body`, the definition whose body it opens)."""

    start_byte: int
    end_byte: int
    where: str
    pattern: int


@dataclass(slots=True)
class Scope:
    """A stretch of the file that qualifies what is defined in it without being a symbol (a Rust `impl`), or, with
    `function`, whose variables are local; with neither it is open, and `visibility` is that of what stands in it.

    header_byte: where the node begins that holds the body.
    """

    start_byte: int
    end_byte: int
    header_byte: int
    container: str | None
    function: bool
    in_signature: bool
    visibility: str
    pattern: int


@dataclass(slots=True)
class Marker:
    """From `byte` to the end of the enclosing container, definitions have this visibility (`private` in Ruby); with a
    name, the definitions of that name in the enclosing container (`export { name }`); with `everywhere`, all in it, those
    before the marker included (a file that exports something is a module)."""

    byte: int
    visibility: str
    name: str | None
    everywhere: bool
    pattern: int


@dataclass(slots=True)
class Whole:
    """What a definition is only a part of (`export` around it): the definition has this range."""

    start_byte: int
    end_byte: int
    start_row: int
    end_row: int
    in_signature: bool
    pattern: int


@dataclass(slots=True)
class Parsed:
    """All that the query found in one file.

    wholes: by the bytes of the part. sources: the patterns that found tokens to be parsed by themselves.
    has_error: the tree holds places that the grammar could not read.
    """

    definitions: list[Definition] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    wholes: dict[tuple[int, int], Whole] = field(default_factory=dict)
    sources: list[int] = field(default_factory=list)
    has_error: bool = False


@dataclass(frozen=True)
class Pattern:
    """One pattern of a query: what it captures and sets, and the line of the query text that it begins on.

    kind: of the definitions it finds, `None` where it finds something else.
    """

    kind: SymbolKind | None
    captures: frozenset[str]
    settings: dict[str, str | None]
    line: int


@dataclass(frozen=True)
class CompiledQuery:
    """A language's query, compiled and checked."""

    grammar: tree_sitter.Language
    query: tree_sitter.Query
    patterns: tuple[Pattern, ...]


def compile_query(language: Language) -> CompiledQuery:
    """The language's query, ready to run. Raises GrammarError that says which capture, setting or node is wrong."""
    return _compile(language.id, language.rules.grammar, language.query)


# Without a bound: freeing a compiled query while others are in use has crashed py-tree-sitter 0.26.
@cache
def _compile(language_id: str, grammar_name: str, text: str) -> CompiledQuery:
    where = f"grammars/{language_id}/symbols.scm"
    try:
        grammar = get_language(grammar_name)  # type: ignore[arg-type]  # a name from data, not a literal
    except LookupError:
        raise GrammarError(f"grammars/{language_id}/language.toml: no grammar {grammar_name!r} in the pack") from None
    try:
        query = tree_sitter.Query(grammar, text)
    except tree_sitter.QueryError as error:
        raise GrammarError(f"{where}: {error} (counted from 0, in the query with those it builds on)") from None
    source = text.encode()
    patterns = tuple(
        _check_pattern(
            where,
            source[query.start_byte_for_pattern(i) : query.end_byte_for_pattern(i)].decode(),
            source.count(b"\n", 0, query.start_byte_for_pattern(i)) + 1,
            query.pattern_settings(i),
        )
        for i in range(query.pattern_count)
    )
    return CompiledQuery(grammar, query, patterns)


_NOT_CODE = re.compile(r'"(?:\\.|[^"\\])*"|;[^\n]*')


def _check_pattern(where: str, text: str, line: int, settings: dict[str, str | None]) -> Pattern:
    captures = frozenset(re.findall(r"@([\w.]+)", _NOT_CODE.sub("", text)))
    kinds = [name.removeprefix("definition.") for name in captures if name.startswith("definition.")]
    for name in captures:
        if name in CAPTURES or name.startswith("_"):
            continue
        if not name.startswith("definition.") or kinds[0] not in set(SymbolKind):
            legal = ", ".join([f"@{capture}" for capture in CAPTURES] + [f"@definition.{kind}" for kind in SymbolKind])
            raise GrammarError(f"{where}:{line}: unknown capture @{name}: legal are {legal}")
    for key, value in settings.items():
        if key not in SETTINGS or value not in SETTINGS[key]:
            legal = ", ".join(f"{name} {'|'.join(values)}" for name, values in SETTINGS.items())
            raise GrammarError(f"{where}:{line}: unknown setting {key} {value}: legal are {legal}")
    shape = {name for name in captures if not name.startswith("_")}
    legal_shape = (
        (len(kinds) == 1 and "name" in shape)
        or shape in ({"doc"}, {"source"})
        or shape in ({"container", "body"}, {"whole", "part"})
        or (shape == {"body"} and settings.get("scope") in ("function", "open"))
        or (shape == {"name"} and "visibility" in settings)
    )
    if not legal_shape:
        raise GrammarError(
            f"{where}:{line}: a pattern captures one @definition.<kind> and @name, or @doc or @source alone, or @container and "
            f"@body, or @body alone with (#set! scope function|open), or @name alone with (#set! visibility ...), or @whole "
            f"and @part"
        )
    return Pattern(SymbolKind(kinds[0]) if kinds else None, captures, settings, line)


def parse_definitions(language: Language, data: bytes) -> Parsed:
    """What the language's query finds in `data` (UTF-8; bytes that are not are read as letters).

    Where several patterns find the same name, the last one in the query wins: general patterns come first.
    Raises GrammarError for a bad query, and nothing for bad source.
    """
    compiled = compile_query(language)
    parser = tree_sitter.Parser(compiled.grammar)
    source = _as_utf8(data)
    source = _mend(language.rules.mend, source) if language.rules.mend else source
    tree = parser.parse(source)
    if language.rules.repair and tree.root_node.has_error:
        source = _mend(language.rules.repair, source)
        tree = parser.parse(source)
    parsed = Parsed(has_error=tree.root_node.has_error)
    found: dict[int, Definition] = {}
    unread = _collect(compiled, tree, data, parsed, found)
    if unread:
        while unread:
            parser.included_ranges = [unread.pop()]
            unread.extend(_collect(compiled, parser.parse(source), data, parsed, found))
        # The comments in there were found as tokens, too.
        parsed.comments = list({comment.start_byte: comment for comment in parsed.comments}.values())
    parsed.definitions = sorted(found.values(), key=lambda definition: definition.name_start)
    if parsed.wholes:
        for definition in parsed.definitions:
            _widen(definition, parsed.wholes)
    parsed.scopes = list({(s.start_byte, s.end_byte): s for s in sorted(parsed.scopes, key=lambda s: s.pattern)}.values())
    if source != data:
        _restore_rows(parsed, data)
    return parsed


def _as_utf8(data: bytes) -> bytes:
    """The bytes, each that is not UTF-8 replaced by an underscore, so that places stay. The predicates of tree-sitter's queries
    fail on others; in a file of an older encoding they are letters of names and comments."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", _UNDERSCORES).encode()
    return data


_UNDERSCORES: Final = "symindex.underscores"
codecs.register_error(_UNDERSCORES, lambda error: ("_" * (error.end - error.start), error.end))  # type: ignore[attr-defined]


def _widen(definition: Definition, wholes: dict[tuple[int, int], Whole]) -> None:
    """Gives a definition the range of what it is a part of, step by step."""
    while (whole := wholes.get((definition.start_byte, definition.end_byte))) is not None:
        if whole.in_signature:
            definition.header_byte = whole.start_byte
        definition.start_byte, definition.end_byte = whole.start_byte, whole.end_byte
        definition.start_row, definition.end_row = whole.start_row, whole.end_row


def _mend(pairs: list[list[str]], data: bytes) -> bytes:
    """The source with what the grammar cannot read put otherwise, every byte that matters at its place."""
    text = data.decode("latin-1")  # a character for every byte
    for pattern, template, *padding in pairs:

        def replace(match: re.Match[str], template: str = template, padding: str = "".join(padding) or " ") -> str:
            return match.expand(template).ljust(len(match[0]), padding)[: len(match[0])]

        text = compile_pattern(pattern).sub(replace, text)
    return text.encode("latin-1")


def _restore_rows(parsed: Parsed, data: bytes) -> None:
    """Rows and columns by the lines of `data`, where what was parsed had other ones."""
    breaks = [match.start() for match in re.finditer(b"\n", data)]
    for definition in parsed.definitions:
        definition.start_row = bisect_left(breaks, definition.start_byte)
        definition.end_row = bisect_left(breaks, definition.end_byte)
        definition.name_row = bisect_left(breaks, definition.name_start)
        definition.name_column = definition.name_start - (data.rfind(b"\n", 0, definition.name_start) + 1)


def _collect(
    compiled: CompiledQuery, tree: tree_sitter.Tree, data: bytes, parsed: Parsed, found: dict[int, Definition]
) -> list[tree_sitter.Range]:
    """Adds what the query finds in a tree to `parsed` and `found` (by the place of the name); returns the stretches that
    the grammar left as tokens and that are to be parsed by themselves."""
    unread: list[tree_sitter.Range] = []
    for index, captures in tree_sitter.QueryCursor(compiled.query).matches(tree.root_node):
        pattern = compiled.patterns[index]
        kind = pattern.kind
        if kind is not None:
            for definition in _read_definitions(kind, captures, data, pattern, index):
                known = found.get(definition.name_start)
                if known is None or known.pattern <= index:
                    found[definition.name_start] = definition
        elif "doc" in captures:
            where = pattern.settings.get("doc") or "before"
            parsed.comments.extend(Comment(node.start_byte, node.end_byte, where, index) for node in captures["doc"])
        elif "body" in captures:
            parsed.scopes.append(_read_scope(captures, data, pattern, index))
        elif "name" in captures:
            parsed.markers.extend(_read_marker(node, data, pattern, index) for node in captures["name"])
        elif "part" in captures:
            _read_whole(captures["whole"][0], captures["part"][0], parsed.wholes, pattern, index)
        elif "source" in captures:
            parsed.sources.append(index)
            unread.extend(_between_brackets(node) for node in captures["source"] if node.child_count > 2)
    return unread


def _between_brackets(node: tree_sitter.Node) -> tree_sitter.Range:
    first, last = node.children[0], node.children[-1]
    return tree_sitter.Range(first.end_point, last.start_point, first.end_byte, last.start_byte)


def _read_definitions(
    kind: SymbolKind, captures: dict[str, list[tree_sitter.Node]], data: bytes, pattern: Pattern, index: int
) -> list[Definition]:
    if "name" not in captures:
        return []  # it stands in a part of the pattern that is optional
    nodes = captures[f"definition.{kind}"]
    outer = inner = nodes[0]
    if len(nodes) > 1:
        inner = max(nodes, key=lambda node: node.start_byte)
        outer = min(nodes, key=lambda node: node.start_byte - node.end_byte)
    by_field = "body" not in captures and pattern.settings.get("body") != "none"
    field_body = inner.child_by_field_name("body") if by_field else None
    bodies = captures.get("body") or ([field_body] if field_body is not None else [])
    container = _text(captures["container"], data) if "container" in captures else None
    body_byte, body_end = (bodies[0].start_byte, bodies[-1].end_byte) if bodies else (-1, -1)
    inside = [*captures.get("header", ()), *bodies] if pattern.settings.get("body") != "empty" else []
    inside_byte, inside_end = (inside[0].start_byte, inside[-1].end_byte) if inside else (-1, -1)
    names = captures["name"]
    if pattern.settings.get("name") == "path":
        names[0], container = _last_of_path(names[0], container, data)
    spans = [(names[0], names[-1])] if pattern.settings.get("name") == "span" else list(zip(names, names, strict=True))
    definitions = []
    for name, last in spans:
        row, column = name.start_point
        if name.end_byte > name.start_byte:  # a name that the parser only supposed to be there is empty
            definitions.append(
                Definition(
                    kind,
                    outer.start_byte,
                    outer.end_byte,
                    outer.start_point.row,
                    outer.end_point.row,
                    inner.start_byte,
                    name.start_byte,
                    last.end_byte,
                    row,
                    column,
                    body_byte,
                    body_end,
                    inside_byte,
                    inside_end,
                    container,
                    pattern.settings,
                    index,
                )
            )
    return definitions


def _last_of_path(node: tree_sitter.Node, container: str | None, data: bytes) -> tuple[tree_sitter.Node, str | None]:
    """What a path ends with, by its field `name`, and the container with what precedes it, by its field `scope`, a name too."""
    scopes = [container] if container is not None else []
    while (last := node.child_by_field_name("name")) is not None:
        scope = node.child_by_field_name("scope")
        if scope is not None:
            scopes.append(_text([scope.child_by_field_name("name") or scope], data))
        node = last
    return node, ".".join(scopes) if scopes else None


def _read_scope(captures: dict[str, list[tree_sitter.Node]], data: bytes, pattern: Pattern, index: int) -> Scope:
    body = captures["body"][0]
    container = captures.get("container")
    setting = pattern.settings.get("scope")
    return Scope(
        body.start_byte,
        body.end_byte,
        body.parent.start_byte if body.parent is not None else body.start_byte,
        _text(container, data) if container else None,
        setting == "function",
        setting == "signature",
        pattern.settings.get("visibility") or "",
        index,
    )


def _read_marker(node: tree_sitter.Node, data: bytes, pattern: Pattern, index: int) -> Marker:
    scope = pattern.settings.get("scope")
    name = _text([node], data) if scope == "name" else None
    return Marker(node.start_byte, pattern.settings["visibility"] or "", name, scope == "container", index)


def _read_whole(
    whole: tree_sitter.Node, part: tree_sitter.Node, wholes: dict[tuple[int, int], Whole], pattern: Pattern, index: int
) -> None:
    if whole.end_byte - whole.start_byte > part.end_byte - part.start_byte:
        wholes[part.start_byte, part.end_byte] = Whole(
            whole.start_byte,
            whole.end_byte,
            whole.start_point.row,
            whole.end_point.row,
            pattern.settings.get("header") == "whole",
            index,
        )


def _text(nodes: list[tree_sitter.Node], data: bytes) -> str:
    """The text of the nodes, joined by a dot where a pattern captures several."""
    return ".".join(data[node.start_byte : node.end_byte].decode("utf-8", "replace") for node in nodes)


def print_tree(language: Language, data: bytes, with_anonymous: bool = False) -> str:
    """The syntax tree of `data`, a node a line with its field and place, for authors of queries."""
    cursor = tree_sitter.Parser(compile_query(language).grammar).parse(data).walk()
    lines: list[str] = []
    while True:
        node = cursor.node
        if node is not None and (node.is_named or with_anonymous or node.is_missing):
            (row, column), (end_row, end_column) = node.start_point, node.end_point
            text = ""
            if node.child_count == 0:
                text = " " + repr(data[node.start_byte : node.end_byte].decode("utf-8", "replace")[:60])
            label = f"{cursor.field_name}: " if cursor.field_name else ""
            missing = " MISSING" if node.is_missing else ""
            place = f"[{row + 1}:{column} - {end_row + 1}:{end_column}]"
            lines.append(f"{'  ' * cursor.depth}{label}({node.type}){missing} {place}{text}")
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return "\n".join(lines) + "\n"
