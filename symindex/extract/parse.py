"""Bytes to definitions: the only module that knows tree-sitter.

It runs a language's query over the syntax tree and hands on plain numbers: where each definition, its name, its body and
its container stand. What these mean (nesting, names, signatures, docs) is `extract/symbols`.

Broken source never fails: tree-sitter marks what it cannot read and goes on. A grammar that never returns cannot be
interrupted from inside its process; the time limit is therefore held from outside, by `workers/pool`.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, TypeAlias

import tree_sitter
from tree_sitter_language_pack import get_language

from symindex.errors import GrammarError
from symindex.extract.bodies import Bodies, Stretches, Suites, blank_smallest, bodies_of, comments_of_signatures, overlap
from symindex.extract.captures import Comment, Definition, Marker, Parsed, Scope, Whole
from symindex.extract.languages.registry import Language
from symindex.extract.languages.rules import Rules, apply_mends, rules_of
from symindex.extract.line_numbers import count_rows, trim_ends, widen
from symindex.extract.query_patterns import Pattern, read_pattern
from symindex.extract.source_text import as_utf8
from symindex.text.difference import differing, point_at
from symindex.text.whole_words import find_words


@dataclass(frozen=True)
class CompiledQuery:
    """A language's query, compiled and checked."""

    grammar: tree_sitter.Language
    query: tree_sitter.Query
    patterns: tuple[Pattern, ...]


def compile_query(language: Language) -> CompiledQuery:
    """The language's query, ready to run. Raises GrammarError that says which capture, setting or node is wrong."""
    return _compile(language.id, _grammar(language), language.query)


def _grammar(language: Language) -> tree_sitter.Language:
    rules = language.rules
    return _load(language.id, rules.grammar, (*rules.identifiers, *rules.bare_code))


@cache
def _load(language_id: str, name: str, node_types: tuple[str, ...]) -> tree_sitter.Language:
    """A language's grammar, which has nodes of these types."""
    where = f"grammars/{language_id}/language.toml"
    try:
        grammar = get_language(name)  # type: ignore[arg-type]  # a name from data, not a literal
    except LookupError:
        raise GrammarError(f"{where}: no grammar {name!r} in the pack") from None
    for node_type in node_types:
        if grammar.id_for_node_kind(node_type, True) is None:
            raise GrammarError(f"{where}: identifiers, bare_code: {node_type!r} is no node of the grammar {name}")
    return grammar


# Without a bound: freeing a compiled query while others are in use has crashed py-tree-sitter 0.26.
@cache
def _compile(language_id: str, grammar: tree_sitter.Language, text: str) -> CompiledQuery:
    where = f"grammars/{language_id}/symbols.scm"
    try:
        query = tree_sitter.Query(grammar, text)
    except tree_sitter.QueryError as error:
        raise GrammarError(f"{where}: {error} (counted from 0, in the query with those it builds on)") from None
    source = text.encode()
    patterns = tuple(
        read_pattern(
            where,
            source[query.start_byte_for_pattern(i) : query.end_byte_for_pattern(i)].decode(),
            source.count(b"\n", 0, query.start_byte_for_pattern(i)) + 1,
            query.pattern_settings(i),
        )
        for i in range(query.pattern_count)
    )
    return CompiledQuery(grammar, query, patterns)


_Captures: TypeAlias = dict[str, list[tree_sitter.Node]]

_Found: TypeAlias = tuple[int, _Captures, tree_sitter.Node, tree_sitter.Node, list[str] | None]
"""A name that the query found: the number and the captures of its pattern, the nodes it begins and ends with, and what precedes
it in a path that it ends, `None` where it stands in none."""


class Memory:
    """What is kept of a document from one of its versions to the next, so that not all of it is parsed again."""

    def __init__(self) -> None:
        self.language_id = ""
        self.sight: _Sight | None = None


def parse_definitions(language: Language, data: bytes, memory: Memory | None = None) -> Parsed:
    """What the language's query finds in `data` (UTF-8; bytes that are not are read as letters).

    Where several patterns find the same name, the last one in the query wins: general patterns come first.
    memory: of the document that this is a version of. The result is the same as without one.
    Raises GrammarError for a bad query, and nothing for bad source.
    """
    compiled = compile_query(language)
    rules = rules_of(language)
    parser = tree_sitter.Parser(compiled.grammar)
    finder = bodies_of(language)
    source = apply_mends(rules.mends, as_utf8(data))
    sight = (
        _parse(parser, rules, finder, source) if memory is None else _reparse(parser, rules, finder, source, language.id, memory)
    )
    parsed = Parsed(has_error=sight.tree.root_node.has_error)
    found: dict[int, _Found] = {}
    unread = _collect(compiled, sight.tree, data, parsed, found)
    while unread:
        start, end = unread.pop()
        parser.included_ranges = _ranges(start, end, sight.jumps)
        unread.extend(_collect(compiled, parser.parse(sight.source), data, parsed, found))
    # Some were found twice: as tokens of what was parsed by itself, or where two runs of the query meet.
    parsed.comments = list({comment.start_byte: comment for comment in parsed.comments}.values())
    body_field = compiled.grammar.field_id_for_name("body")
    patterns = compiled.patterns
    parsed.definitions = [_define(patterns[found[start][0]], found[start], body_field, data) for start in sorted(found)]
    if finder is not None:
        parsed.comments.extend(comments_of_signatures(parsed.definitions, finder, data, sight.bodies))
    if parsed.wholes:
        for definition in parsed.definitions:
            widen(definition, parsed.wholes)
    parsed.scopes = list({(s.start_byte, s.end_byte): s for s in sorted(parsed.scopes, key=lambda s: s.pattern)}.values())
    trim_ends(parsed.definitions, data)
    count_rows(parsed.definitions, data)
    return parsed


class _Sight(NamedTuple):
    """A tree, the source as the parser saw it, the bodies in that which it did not see, and those that it jumped over."""

    tree: tree_sitter.Tree
    source: bytes
    bodies: Stretches
    jumps: Stretches


def _parse(parser: tree_sitter.Parser, rules: Rules, finder: Bodies | Suites | None, source: bytes) -> _Sight:
    """Parses a source without the bodies that define nothing, and mends it where the grammar met errors."""
    sight = _parse_in_part(parser, finder, source)
    if not sight.tree.root_node.has_error:
        return sight
    repaired = apply_mends(rules.repairs, source)
    if repaired is not source:
        sight = _parse_in_part(parser, finder, repaired)
    if sight.bodies and sight.tree.root_node.has_error:
        # What a grammar makes of a place that it cannot read depends on what stands around it, in bodies, too.
        return _parse_in_part(parser, finder, repaired, _around_errors(sight.tree))
    return sight


def _reparse(
    parser: tree_sitter.Parser, rules: Rules, finder: Bodies | Suites | None, source: bytes, language_id: str, memory: Memory
) -> _Sight:
    """The same, with what is the same as in the last version taken over.

    Only from a tree without errors into one without: what a grammar makes of an error depends on what it has read before.
    """
    last, memory.sight = memory.sight if memory.language_id == language_id else None, None
    sight = _parse_in_part(parser, finder, source, last=last)
    if sight.tree.root_node.has_error:
        sight = _parse(parser, rules, finder, source)
    memory.language_id = language_id
    memory.sight = None if sight.tree.root_node.has_error else sight
    return sight


def _edited(last: _Sight, seen: bytes) -> tree_sitter.Tree:
    """The last tree, told what has changed."""
    start, old_end, new_end = differing(last.source, seen)
    last.tree.edit(start, old_end, new_end, point_at(seen, start), point_at(last.source, old_end), point_at(seen, new_end))
    return last.tree


def _parse_in_part(
    parser: tree_sitter.Parser,
    finder: Bodies | Suites | None,
    source: bytes,
    around: Stretches | None = None,
    last: _Sight | None = None,
) -> _Sight:
    seen, bodies = finder.find(source, around or []) if finder is not None else (source, [])
    if sum(end - start for start, end in bodies) < len(source) * _WORTH_LEAVING_OUT:
        seen, bodies = source, []
    seen, jumps = blank_smallest(seen, bodies, _MOST_JUMPS)
    if jumps:
        parser.included_ranges = _ranges(0, len(seen), jumps)
    else:
        del parser.included_ranges
    return _Sight(parser.parse(seen, _edited(last, seen)) if last is not None else parser.parse(seen), seen, bodies, jumps)


_WORTH_LEAVING_OUT: Final = 0.1
"""The part of a file for which it is worth the risk that it has to be parsed once more."""

_MOST_JUMPS: Final = 64
"""To read blanks takes longer than to jump over them, but tree-sitter looks through the places to jump to for every token."""


def _around_errors(tree: tree_sitter.Tree) -> Stretches:
    """Where the grammar met errors, with what stands around them, in their order."""
    around: Stretches = []
    nodes = [tree.root_node]
    while nodes:
        node = nodes.pop()
        if node.is_error or node.is_missing:
            start, end = node.start_byte - _AROUND_AN_ERROR, node.end_byte + _AROUND_AN_ERROR
            if around and start <= around[-1][1]:
                around[-1] = (around[-1][0], max(end, around[-1][1]))
            else:
                around.append((start, end))
        else:
            nodes.extend(child for child in reversed(node.children) if child.has_error)
    return around


_AROUND_AN_ERROR: Final = 500
"""Bytes. More than what a grammar skips, or takes back, to go on behind an error."""


def _ranges(start: int, end: int, without: Stretches) -> list[tree_sitter.Range]:
    """What lies from `start` to `end` without the stretches in it. Rows and columns of what is parsed so mean nothing."""
    ranges = []
    for body_start, body_end in without:
        if start < body_start and body_end < end:
            ranges.append(tree_sitter.Range((0, start), (0, body_start), start, body_start))
            start = body_end
    ranges.append(tree_sitter.Range((0, start), (0, end), start, end))
    return ranges


def _collect(
    compiled: CompiledQuery,
    tree: tree_sitter.Tree,
    data: bytes,
    parsed: Parsed,
    found: dict[int, _Found],
) -> Stretches:
    """Adds what the query finds in a tree to `parsed` and `found` (by the place of the name); returns the stretches that
    the grammar left as tokens and that are to be parsed by themselves."""
    unread: Stretches = []
    for index, captures in tree_sitter.QueryCursor(compiled.query).matches(tree.root_node):
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


def _between_brackets(node: tree_sitter.Node) -> tuple[int, int]:
    first, last = node.children[0], node.children[-1]
    return first.end_byte, last.start_byte


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


def find_mentions(language: Language, data: bytes, forms: Iterable[bytes]) -> list[int]:
    """Where identifiers of one of these names begin in `data` (UTF-8), in order: not in comments, nor in the text of strings.

    forms: the name in UTF-8, in all forms that it is written in. Nothing is found where the language does not say what its
    identifiers are. Raises GrammarError for a bad query or setting, and nothing for bad source.
    """
    words = find_words(data, forms)
    if not words or not language.rules.identifiers:
        return []
    rules = rules_of(language)
    parser = tree_sitter.Parser(_grammar(language))
    plain = as_utf8(data)
    mended = apply_mends(rules.mends, plain)
    seen = _parse_in_part(parser, bodies_of(language), mended, words)
    if overlap(words, _around_errors(seen.tree)):  # which may be due to bodies that were left out
        seen = _parse(parser, rules, None, mended)
    leaves = _Leaves(language, parser, seen.tree.root_node, seen.source)
    unseen: _Leaves | None = None
    found = []
    for start, end in words:
        if seen.source[start:end] == data[start:end]:
            judge = leaves
        else:  # what was put otherwise for the parser is code all the same
            del parser.included_ranges
            judge = unseen = unseen or _Leaves(language, parser, parser.parse(plain).root_node, plain)
        if judge.is_identifier(start, end):
            found.append(start)
    return found


class _Leaves:
    """Which words of a tree are identifiers. The children of a node are asked for once, however many words it holds."""

    def __init__(self, language: Language, parser: tree_sitter.Parser, root: tree_sitter.Node, source: bytes) -> None:
        rules = language.rules
        self._root, self._source, self._parser = root, source, parser
        self._identifiers, self._bare_code = frozenset(rules.identifiers), frozenset(rules.bare_code)
        self._quotes = rules.name_trim.encode()
        self._prefixes = tuple(prefix.encode() for prefix in (rules.name_prefix, *rules.identifier_prefixes) if prefix)
        self._children: dict[int, tuple[list[tree_sitter.Node], list[int]]] = {}
        self._read: dict[int, tree_sitter.Tree] = {}

    def is_identifier(self, start: int, end: int) -> bool:
        """Whether what stands from one byte to another is one, but for the quotes or the prefix around it."""
        path = self._path(self._root, start, end)
        if path[-1].type in self._bare_code:
            path = self._path(self._tree_of(path[-1]).root_node, start, end)
        for node in reversed(path):
            before, after = self._source[node.start_byte : start], self._source[end : node.end_byte]
            if len(before) > _MOST_BEFORE or len(after) > 1:
                return False
            if node.type in self._identifiers and self._is_around(before, after):
                return True
        return False

    def _is_around(self, before: bytes, after: bytes) -> bool:
        return (not after and (not before or before in self._prefixes)) or (before == after and before in self._quotes)

    def _path(self, node: tree_sitter.Node, start: int, end: int) -> list[tree_sitter.Node]:
        """The nodes that hold a stretch, outermost first; at least the one given."""
        path = [node]
        while True:
            known = self._children.get(node.id)
            if known is None:
                children = node.children
                known = self._children[node.id] = children, [child.end_byte for child in children]
            at = bisect_right(known[1], start)
            if at == len(known[0]) or known[0][at].start_byte > start or known[0][at].end_byte < end:
                return path
            node = known[0][at]
            path.append(node)

    def _tree_of(self, node: tree_sitter.Node) -> tree_sitter.Tree:
        """What the grammar left as bare text, parsed by itself."""
        tree = self._read.get(node.start_byte)
        if tree is None:
            self._parser.included_ranges = _ranges(node.start_byte, node.end_byte, [])
            tree = self._read[node.start_byte] = self._parser.parse(self._source)
        return tree


_MOST_BEFORE: Final = 2
"""Bytes of the longest prefix."""


DEEPEST_SHOWN: Final = 200  # deeper levels stand under each other, for the blanks would grow with the square of their number


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
            lines.append(f"{'  ' * min(cursor.depth, DEEPEST_SHOWN)}{label}({node.type}){missing} {place}{text}")
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return "\n".join(lines) + "\n"
