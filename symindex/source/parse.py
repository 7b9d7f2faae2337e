"""Bytes to definitions: the only module that knows tree-sitter.

It runs a language's query over the syntax tree and hands on plain numbers: where each definition, its name, its body and
its container stand. What these mean (nesting, names, signatures, docs) is `source/symbols`.

Broken source never fails: tree-sitter marks what it cannot read and goes on. A grammar that never returns cannot be
interrupted from inside its process; the time limit is therefore held from outside, by `source/workers`.
"""

import codecs
import re
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Final, TypeAlias

import msgspec
import tree_sitter
from tree_sitter_language_pack import get_language

from symindex.errors import GrammarError
from symindex.protocol import SymbolKind
from symindex.source.findings import Comment, Definition, Marker, Parsed, Scope, Settings, Whole
from symindex.source.languages import Language
from symindex.source.rules import Look, Mend, rules_of

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


class Pattern(msgspec.Struct, frozen=True):
    """One pattern of a query: what it captures and sets, and the line of the query text that it begins on.

    kind: of the definitions it finds, `None` where it finds something else; word: the same as plain text, which is found
    faster in a dictionary than a member of an enumeration; capture: what they are captured as.
    is_plain: every node that it captures as a name is one. takes_field_body: where a match captures no body, the field of that
    name is it. encloses: what stands in bodies belongs to the definitions. doc: where the comments that it finds stand.
    """

    kind: SymbolKind | None
    captures: frozenset[str]
    settings: dict[str, str | None]
    line: int
    word: str
    capture: str
    is_plain: bool
    takes_field_body: bool
    encloses: bool
    doc: str
    of_definition: Settings


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
    kind = SymbolKind(kinds[0]) if kinds else None
    return Pattern(
        kind=kind,
        captures=captures,
        settings=settings,
        line=line,
        word=kind.value if kind is not None else "",
        capture=f"definition.{kind}",
        is_plain="name" not in settings,
        takes_field_body=settings.get("body") != "none",
        encloses=settings.get("body") != "empty",
        doc=settings.get("doc") or "before",
        of_definition=Settings(
            visibility=settings.get("visibility") or "",
            flag=settings.get("flag") or "",
            extends_to_next=settings.get("extent") == "rest",
            is_file_wide=settings.get("place") == "file",
            is_never_local=settings.get("local") == "none",
        ),
    )


_Captures: TypeAlias = dict[str, list[tree_sitter.Node]]

_Found: TypeAlias = tuple[int, _Captures, tree_sitter.Node, tree_sitter.Node, list[str] | None]
"""A name that the query found: the number and the captures of its pattern, the nodes it begins and ends with, and what precedes
it in a path that it ends, `None` where it stands in none."""


def parse_definitions(language: Language, data: bytes) -> Parsed:
    """What the language's query finds in `data` (UTF-8; bytes that are not are read as letters).

    Where several patterns find the same name, the last one in the query wins: general patterns come first.
    Raises GrammarError for a bad query, and nothing for bad source.
    """
    compiled = compile_query(language)
    rules = rules_of(language)
    parser = tree_sitter.Parser(compiled.grammar)
    source = _mend(rules.mends, _as_utf8(data))
    tree = parser.parse(source)
    if rules.repairs and tree.root_node.has_error:
        repaired = _mend(rules.repairs, source)
        if repaired is not source:
            source = repaired
            tree = parser.parse(source)
    parsed = Parsed(has_error=tree.root_node.has_error)
    found: dict[int, _Found] = {}
    unread = _collect(compiled, tree, source, rules.look, data, parsed, found)
    while unread:
        parser.included_ranges = [unread.pop()]
        unread.extend(_collect(compiled, parser.parse(source), source, None, data, parsed, found))
    # Some were found twice: as tokens of what was parsed by itself, or where two runs of the query meet.
    parsed.comments = list({comment.start_byte: comment for comment in parsed.comments}.values())
    body_field = compiled.grammar.field_id_for_name("body")
    patterns = compiled.patterns
    parsed.definitions = [_define(patterns[found[start][0]], found[start], body_field, data) for start in sorted(found)]
    if parsed.wholes:
        for definition in parsed.definitions:
            _widen(definition, parsed.wholes)
    parsed.scopes = list({(s.start_byte, s.end_byte): s for s in sorted(parsed.scopes, key=lambda s: s.pattern)}.values())
    _count_rows(parsed.definitions, data)
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


def _mend(mends: tuple[Mend, ...], data: bytes) -> bytes:
    """The source with what the grammar cannot read put otherwise, every byte that matters at its place; the same object where
    nothing was found."""
    if not mends:
        return data
    text = before = data.decode("latin-1")  # a character for every byte
    for mend in mends:
        text = mend.apply(text)
    return data if text == before else text.encode("latin-1")


def _count_rows(definitions: list[Definition], data: bytes) -> None:
    """Fills in rows and columns of definitions in the order of their names. The lines are those of `data`, whatever was parsed.

    Goes through the file once for the names, and once for the ends, however deep definitions are nested.
    """
    count = data.count
    far: list[Definition] = []
    before = row = line = 0
    for definition in definitions:
        name, start = definition.name_start, definition.start_byte
        breaks = count(b"\n", before, name)
        if breaks:
            row += breaks
            line = data.rfind(b"\n", before, name) + 1
        definition.name_row = row
        definition.name_column = name - line
        if start >= line:
            definition.start_row = row
        elif start >= before:
            definition.start_row = row - count(b"\n", start, name)
        else:
            far.append(definition)
        before = name
    before = row = 0
    for definition in sorted(definitions, key=_END_BYTE):
        end = definition.end_byte
        row += count(b"\n", before, end)
        definition.end_row = row
        before = end
    before = row = 0
    for definition in sorted(far, key=_START_BYTE):
        row += count(b"\n", before, definition.start_byte)
        definition.start_row = row
        before = definition.start_byte


_START_BYTE: Final = attrgetter("start_byte")
_END_BYTE: Final = attrgetter("end_byte")


def _collect(
    compiled: CompiledQuery,
    tree: tree_sitter.Tree,
    source: bytes,
    look: Look | None,
    data: bytes,
    parsed: Parsed,
    found: dict[int, _Found],
) -> list[tree_sitter.Range]:
    """Adds what the query finds in a tree to `parsed` and `found` (by the place of the name); returns the stretches that
    the grammar left as tokens and that are to be parsed by themselves."""
    unread: list[tree_sitter.Range] = []
    for index, captures in _run(compiled, tree.root_node, source, look):
        pattern = compiled.patterns[index]
        if pattern.kind is not None:
            # The name may stand in a part of the pattern that is optional; one that the parser only supposed is empty.
            names = captures.get("name", ())
            if not pattern.is_plain:
                _read_names(pattern, index, captures, data, found)
                continue
            for name in names:
                start = name.start_byte
                known = found.get(start)
                if (known is None or known[0] <= index) and start < name.end_byte:
                    found[start] = (index, captures, name, name, None)
        elif "doc" in captures:
            for node in captures["doc"]:
                parsed.comments.append(Comment(node.start_byte, node.end_byte, pattern.doc, index))
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


_Matches: TypeAlias = list[tuple[int, _Captures]]


def _run(compiled: CompiledQuery, root: tree_sitter.Node, source: bytes, look: Look | None) -> _Matches:
    """The matches of the query in a tree. With `look`, not all of it is visited: most of a file is the code in its functions,
    and most of that code cannot define anything."""
    whole = tree_sitter.QueryCursor(compiled.query)
    if look is None or len(source) < _SMALL_FILE:
        return whole.matches(root)
    shallow = tree_sitter.QueryCursor(compiled.query)
    shallow.set_max_start_depth(look.levels)
    closed, flat = _kind_ids(compiled.grammar, look.closed), _kind_ids(compiled.grammar, look.flat)
    matches = shallow.matches(root)
    for child in root.children:
        kind, start, end = child.kind_id, child.start_byte, child.end_byte
        body = child.child_by_field_name("body") if kind in closed else None
        if body is not None and not child.has_error and not look.outside.are_in(source, start, body.start_byte):
            if look.inside.are_in(source, body.start_byte, end):
                matches += whole.matches(body)
        elif child.child_count and (
            child.has_error or not (kind in closed or kind in flat) or look.outside.are_in(source, start, end)
        ):
            matches += whole.matches(child)
    return matches


@cache
def _kind_ids(grammar: tree_sitter.Language, kinds: tuple[str, ...]) -> frozenset[int]:
    return frozenset(kind_id for kind in kinds if (kind_id := grammar.id_for_node_kind(kind, True)) is not None)


_SMALL_FILE: Final = 1000
"""Bytes. A run of the query on such a file costs less than to look where it is to be run."""


def _between_brackets(node: tree_sitter.Node) -> tree_sitter.Range:
    first, last = node.children[0], node.children[-1]
    return tree_sitter.Range(first.end_point, last.start_point, first.end_byte, last.start_byte)


def _read_names(pattern: Pattern, index: int, captures: _Captures, data: bytes, found: dict[int, _Found]) -> None:
    """Adds the names of a match whose pattern says what a name is."""
    names = captures.get("name")
    if not names:
        return
    if pattern.settings["name"] == "span":
        several: list[_Found] = [(index, captures, names[0], names[-1], None)]
    else:
        last, path = _last_of_path(names[0], data)
        several = [(index, captures, name, name, path) for name in [last, *names[1:]]]
    for one in several:
        start = one[2].start_byte
        known = found.get(start)
        if (known is None or known[0] <= index) and start < one[2].end_byte:
            found[start] = one


def _define(pattern: Pattern, found: _Found, body_field: int | None, data: bytes) -> Definition:
    """The definition that a name belongs to."""
    index, captures, name, last, path = found
    nodes = captures[pattern.capture]
    outer = inner = nodes[0]
    if len(nodes) > 1:
        inner = max(nodes, key=lambda node: node.start_byte)
        outer = min(nodes, key=lambda node: node.start_byte - node.end_byte)
    bodies = captures.get("body")
    if bodies is None and pattern.takes_field_body and body_field is not None:
        body = inner.child_by_field_id(body_field)
        bodies = [body] if body is not None else None
    body_byte = body_end = inside_byte = inside_end = -1
    if bodies:
        body_byte, body_end = bodies[0].start_byte, bodies[-1].end_byte
    if pattern.encloses:
        inside_byte, inside_end = body_byte, body_end
        headers = captures.get("header")
        if headers:
            inside_byte, inside_end = headers[0].start_byte, body_end if bodies else headers[-1].end_byte
    containers = captures.get("container")
    container = _text(containers, data) if containers is not None else None
    if path:
        container = ".".join(path if container is None else [container, *path])
    start_byte = outer.start_byte
    return Definition(
        pattern.word,
        start_byte,
        outer.end_byte,
        start_byte if inner is outer else inner.start_byte,
        name.start_byte,
        last.end_byte,
        body_byte,
        body_end,
        inside_byte,
        inside_end,
        container,
        pattern.of_definition,
        index,
    )


def _last_of_path(node: tree_sitter.Node, data: bytes) -> tuple[tree_sitter.Node, list[str]]:
    """What a path ends with, by its field `name`, and what precedes it, by its field `scope`, a name too."""
    scopes = []
    while (last := node.child_by_field_name("name")) is not None:
        scope = node.child_by_field_name("scope")
        if scope is not None:
            scopes.append(_text([scope.child_by_field_name("name") or scope], data))
        node = last
    return node, scopes


def _read_scope(captures: _Captures, data: bytes, pattern: Pattern, index: int) -> Scope:
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
