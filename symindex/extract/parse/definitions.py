"""Runs a language's query over the syntax tree of a file and returns its captures as plain numbers.

`extract/symbols` makes symbols of them: nesting, qualified names, signatures, docs.
"""

from functools import cache, partial
from operator import attrgetter
from typing import Final, TypeAlias

import msgspec
import tree_sitter

from symindex.extract.blocks import blocks_of
from symindex.extract.captures import (
    Around,
    BindingMatch,
    Captures,
    Comment,
    Definition,
    Embedded,
    Marker,
    Scope,
    Stretches,
    Whole,
)
from symindex.extract.languages.language import Language
from symindex.extract.languages.rules import parser_text
from symindex.extract.parse.binding_query import find_bindings
from symindex.extract.parse.partial import LinePoints, PartialParser, PreviousParse
from symindex.extract.parse.patterns import Pattern
from symindex.extract.parse.query import compile_query
from symindex.extract.parse.repair.islands import islands_of
from symindex.extract.parse.skipping.bodies import Bodies, bodies_of, comments_of_signatures
from symindex.extract.texts.conflicts import find_conflicts
from symindex.extract.texts.line_numbers import set_ranges, take_ranges
from symindex.extract.texts.repaired_text import RepairedText, move_back
from symindex.protocol.kinds import SymbolKind

_Nodes: TypeAlias = dict[str, list[tree_sitter.Node]]
"""The nodes that a match captured, by the name of the capture."""

_Found: TypeAlias = tuple[Pattern, _Nodes, tree_sitter.Node, tree_sitter.Node, list[str] | None]
"""A defined name: its pattern, the captured nodes, the first and last node of the name, and the
names before it in its path (`None` without a path)."""


def parse_definitions(
    language: Language, data: bytes, previous: PreviousParse | None = None
) -> Captures:
    """Returns the captures of the language's query in `data` (UTF-8; other bytes count as letters).

    If several patterns find the same name, the last one in the query wins, because general patterns
    come first. previous: the last parse of the open document that `data` is a version of; it
    changes only the speed. Raises GrammarError for a bad query, and nothing for bad source.
    """
    captures = _read_captures(language, data, previous)
    set_ranges(captures.definitions, captures.wholes, data)
    return captures


def _read_captures(language: Language, data: bytes, previous: PreviousParse | None) -> Captures:
    parser = PartialParser(language)
    source, shown = parser_text(language, data), data
    texts: list[RepairedText] = []
    blocks = blocks_of(language)
    if edits := find_conflicts(source, blocks.closers_of if blocks else lambda _: b""):
        texts.append(RepairedText(source, edits))
        source = texts[0].source
    parsed = parser.parse(source, previous)
    texts += parsed.repairs
    for text in texts:
        shown = text.with_inserts(shown)
    run = _QueryRun(language, shown)
    unread = run.collect(parsed.tree, parsed.source)
    while unread:
        unread += run.collect(
            parser.parse_range(parsed.source, *unread.pop(), parsed.jumps), parsed.source
        )
    if parsed.has_error and (islands := islands_of(language)):
        # a script may begin inside of what the grammar takes for the script before
        run.captures.embedded.clear()
        for page in islands.pages(source):
            run.collect(parser.parse_once(page).tree, page)
    captures = run.finish()
    captures.bindings = [
        BindingMatch(
            _original(texts[::-1], match.name_byte),
            match.texts,
            _original(texts[::-1], match.end_byte),
        )
        for match in find_bindings(language, parsed.tree, parsed.source)
    ]
    captures.has_error = parsed.has_error or run.has_lost or bool(texts)
    captures.is_conflicted = len(texts) > len(parsed.repairs)
    if parsed.broken_at >= 0:
        captures.broken_at = _original(
            texts[: -len(parsed.repairs) or None][::-1], parsed.broken_at
        )
    bodies = bodies_of(language)
    if isinstance(bodies, Bodies):
        captures.comments.extend(
            comments_of_signatures(captures.definitions, bodies, shown, parsed.bodies)
        )
    if texts:
        move_back(captures, partial(_original, texts[::-1]))
    return captures


def _original(texts: list[RepairedText], place: int) -> int:
    """Translates a place in a repaired source to the file. texts: the repaired texts, last
    first."""
    for text in texts if place > 0 else ():
        place = text.original(place)
    return place


def parse_embedded(language: Language, data: bytes, pieces: list[Stretches]) -> Captures:
    """Returns the captures in pieces of a file that are in another language. pieces: each is parsed
    by itself, its stretches as one text. Otherwise like `parse_definitions`."""
    run = _QueryRun(language, data)
    parser = PartialParser(language, skips_bodies=False)
    source = parser_text(language, data)
    points = LinePoints(source)
    torn: list[Stretches] = []
    repaired = bytearray(source)
    broken: list[Captures] = []
    for piece in pieces:
        tree = parser.parse_piece(source, piece, points)
        if tree.root_node.has_error and len(piece) == 1 and len(broken) < _MOST_BROKEN:
            broken.append(_read_captures(language, data[slice(*piece[0])], None))
            move_back(broken[-1], piece[0][0].__add__)
            broken[-1].broken_at += piece[0][0] if broken[-1].broken_at >= 0 else 0
        elif tree.root_node.has_error and parser.apply_rules_to_piece(source, piece, repaired):
            torn.append(
                piece
            )  # repaired all together: one copy of the source for each would take quadratic time
        else:
            _collect_all(run, parser, tree, source)
    source = bytes(repaired)
    for piece in torn:
        _collect_all(run, parser, parser.parse_piece(source, piece, points), source)
    captures = run.finish()
    captures.has_error = run.has_error or run.has_lost
    for piece_captures in broken:
        captures.add(piece_captures)
    captures.definitions.sort(key=attrgetter("name_start"))
    captures.pieces = [(piece[0][0], piece[-1][1]) for piece in pieces]
    set_ranges(captures.definitions, captures.wholes, data)
    return captures


_MOST_BROKEN: Final = 50
"""Most pieces of a file that are repaired as whole files are."""


@cache
def _constant(pattern: Pattern) -> Pattern:
    """Returns the pattern of a variable with the kind of a constant."""
    return msgspec.structs.replace(pattern, kind=SymbolKind.CONSTANT.value)


def _collect_all(
    run: "_QueryRun", parser: PartialParser, tree: tree_sitter.Tree, source: bytes
) -> None:
    """Collects the captures of a tree, and of the code in it that the grammar left as tokens."""
    run.has_error = run.has_error or tree.root_node.has_error
    unread = run.collect(tree, source)
    while unread:
        unread += run.collect(parser.parse_range(source, *unread.pop(), []), source)


def _without_children(node: tree_sitter.Node) -> Stretches:
    """Returns the ranges of a node that belong to none of its children."""
    gaps, gap_start = [], node.start_byte
    for child in node.named_children if node.named_child_count else ():
        if gap_start < child.start_byte:
            gaps.append((gap_start, child.start_byte))
        gap_start = child.end_byte
    return [*gaps, (gap_start, node.end_byte)] if gap_start < node.end_byte else gaps


_BLANK: Final = b" \t\r\n"
_VARIABLE: Final = SymbolKind.VARIABLE.value
_LONGEST_HEADER: Final = 2_000
"""Bytes of a header in which comments are searched for; signatures are shorter."""

_SEVERAL_NODES: Final = ("span", "path", "last", "joined")


class _QueryRun:
    """Collects the captures of a query in one file."""

    def __init__(self, language: Language, data: bytes) -> None:
        self.captures = Captures()
        self._compiled = compile_query(language)
        self._data = data
        self._body_field = self._compiled.grammar.field_id_for_name("body")
        self._separators = [separator.encode() for separator in language.rules.separators]
        self._found: dict[int, _Found] = {}  # keyed by the start of the name
        marks = (*language.rules.doc.line, *(opening for opening, _ in language.rules.doc.block))
        self._marks = [mark.encode() for mark in marks] if self._compiled.depth else []
        self.has_error = self.has_lost = False

    def collect(self, tree: tree_sitter.Tree, source: bytes) -> Stretches:
        """Adds the captures of a tree. Returns the ranges that the grammar left as tokens and that
        are still to be parsed."""
        unread: Stretches = []
        captures, names = self.captures, self._found
        matches, has_lost = self._compiled.matches(tree, source)
        self.has_lost = self.has_lost or has_lost
        for pattern, nodes in matches:
            if pattern.kind:
                if pattern.settings.name in _SEVERAL_NODES:
                    self._read_names(pattern, nodes)
                    continue
                # The name may be in an optional part of the pattern. A name that the parser only
                # inserted is empty.
                for name in nodes.get("name", ()):
                    start = name.start_byte
                    earlier = names.get(start)
                    if (
                        earlier is None or earlier[0].number <= pattern.number
                    ) and start < name.end_byte:
                        names[start] = pattern, nodes, name, name, None
            elif "doc" in nodes:
                role = pattern.settings.doc
                captures.comments.extend(
                    [
                        Comment(node.start_byte, node.end_byte, role, pattern)
                        for node in nodes["doc"]
                    ]
                )
            elif "part" in nodes and "body" in nodes:
                whole, part, block = nodes["whole"][0], nodes["part"][0], nodes["body"][0]
                ranges = (
                    part.start_byte,
                    part.end_byte,
                    whole.start_byte,
                    whole.end_byte,
                    block.start_byte,
                    block.end_byte,
                )
                captures.around.append(Around(pattern, *ranges))
            elif "body" in nodes:
                self._add_scope(pattern, nodes)
            elif "name" in nodes:
                is_named = pattern.settings.scope == "name"
                for node in nodes["name"]:
                    captures.markers.append(
                        Marker(pattern, node.start_byte, self._text([node]) if is_named else None)
                    )
            elif pattern.settings.kind:
                captures.constants.update(
                    [(part.start_byte, pattern) for part in nodes.get("part", ())]
                )
            elif "part" in nodes:
                whole, part = nodes["whole"][0], nodes["part"][0]
                if whole.end_byte - whole.start_byte > part.end_byte - part.start_byte:
                    captures.wholes[part.start_byte, part.end_byte] = Whole(
                        pattern, whole.start_byte, whole.end_byte
                    )
            elif "source" in nodes:
                unread += self._add_source(pattern, nodes)
        return unread

    def _add_scope(self, pattern: Pattern, nodes: _Nodes) -> None:
        """Adds a range that qualifies the names in it."""
        body, end = nodes["body"][0], nodes["body"][-1].end_byte
        containers = nodes.get("container")
        # A node finds its parent from the root, which takes long deep in a tree.
        header = (
            (body.parent or body).start_byte
            if pattern.settings.scope == "signature"
            else body.start_byte
        )
        container = self._text(containers) if containers is not None else None
        self.captures.scopes.append(Scope(pattern, body.start_byte, end, header, container))

    def _add_source(self, pattern: Pattern, nodes: _Nodes) -> Stretches:
        """Adds source in another language. Returns the ranges of source in the same language, which
        the grammar left as tokens."""
        captures, unread = self.captures, Stretches()
        captures.sources.append(pattern)
        word = self._text(nodes["language"]) if "language" in nodes else pattern.settings.language
        for node in nodes["source"]:
            if word:
                earlier = captures.embedded.get(node.start_byte)
                if earlier is None or earlier.pattern.number <= pattern.number:
                    captures.embedded[node.start_byte] = Embedded(
                        pattern, _without_children(node), word
                    )
            elif node.child_count > 2:  # more than the two brackets
                unread.append((node.children[0].end_byte, node.children[-1].start_byte))
        return unread

    def _read_names(self, pattern: Pattern, nodes: _Nodes) -> None:
        """Adds the names of a match whose pattern has a setting for the extent of names."""
        names = nodes.get("name")
        if not names:
            return
        if pattern.settings.name == "span":
            several: list[_Found] = [(pattern, nodes, names[0], names[-1], None)]
        elif pattern.settings.name == "joined":
            several = [(pattern, nodes, names[0], names[0], None)]
        else:
            path = []
            last = names[0]
            while (name := last.child_by_field_name("name")) is not None:
                scope = last.child_by_field_name("scope")
                if scope is not None:
                    path.append(self._text([scope.child_by_field_name("name") or scope]))
                last = name
            several = [(pattern, nodes, node, node, path) for node in [last, *names[1:]]]
        for defined in several:
            start = defined[2].start_byte
            earlier = self._found.get(start)
            if (earlier is None or earlier[0].number <= pattern.number) and start < defined[
                3
            ].end_byte:
                self._found[start] = defined

    def finish(self) -> Captures:
        """Returns all captures, in order."""
        captures = self.captures
        scopes = sorted(captures.scopes, key=lambda scope: scope.pattern.number)
        captures.scopes = list(
            {(scope.start_byte, scope.end_byte): scope for scope in scopes}.values()
        )
        names = [self._found[start] for start in sorted(self._found)]
        captures.definitions = [self._definition(*definition) for definition in names]
        if self._marks:
            headers: dict[
                tuple[int, int, int], tree_sitter.Node
            ] = {}  # one definition of several names counts once
            for (pattern, nodes, *_), definition in zip(names, captures.definitions, strict=True):
                headers[definition.start_byte, definition.body_byte, definition.end_byte] = nodes[
                    pattern.definition
                ][0]
            for (start, body, end), node in headers.items():
                self._read_comments(node, start, body if body >= 0 else end)
        # Source that was parsed separately, or where two runs of the query overlap, gives some
        # comments twice.
        captures.comments = list(
            {comment.start_byte: comment for comment in captures.comments}.values()
        )
        for comment in captures.comments:
            comment.end_byte = min(comment.end_byte, len(self._data))
            while (
                comment.end_byte > comment.start_byte + 1
                and self._data[comment.end_byte - 1] in _BLANK
            ):
                comment.end_byte -= (
                    1  # some grammars include the indentation of the next line in a comment
                )
        if self._compiled.has_parts:
            captures.definitions = take_ranges(captures.definitions, captures.around)
        return captures

    def _read_comments(self, node: tree_sitter.Node, start: int, end: int) -> None:
        """Adds the comments of a header that are deeper than patterns begin: they are not a part of
        the signature."""
        end = min(end, start + _LONGEST_HEADER)
        if any(self._data.find(mark, start, end) >= 0 for mark in self._marks):
            for pattern, nodes in self._compiled.comments_in(node, start, end):
                self.captures.comments.extend(
                    [
                        Comment(comment.start_byte, comment.end_byte, "", pattern)
                        for comment in nodes["doc"]
                    ]
                )

    def _definition(
        self,
        pattern: Pattern,
        captured: _Nodes,
        first: tree_sitter.Node,
        last: tree_sitter.Node,
        path: list[str] | None,
    ) -> Definition:
        nodes = captured[pattern.definition]
        outer = inner = nodes[0]
        if len(nodes) > 1:
            inner = max(nodes, key=lambda node: node.start_byte)
            outer = min(nodes, key=lambda node: node.start_byte - node.end_byte)
        bodies = captured.get("body")
        if bodies is None and pattern.settings.body != "none" and self._body_field is not None:
            body = inner.child_by_field_id(self._body_field)
            bodies = [body] if body is not None else None
        body_byte = body_end = inside_byte = inside_end = -1
        if bodies:
            body_byte, body_end = bodies[0].start_byte, bodies[-1].end_byte
        if pattern.settings.body != "empty":
            inside_byte, inside_end = body_byte, body_end
            headers = captured.get("header")
            if headers:
                inside_byte, inside_end = (
                    headers[0].start_byte,
                    body_end if bodies else headers[-1].end_byte,
                )
        containers = captured.get("container")
        container = self._text(containers) if containers is not None else None
        name_start, name_end = first.start_byte, last.end_byte
        if path is not None and (cut := self._end_of_path(name_start, name_end)):
            if pattern.settings.name == "path":
                path = [*path, self._data[name_start : name_start + cut].decode("utf-8", "replace")]
            name_start += cut
        if path:
            container = ".".join(path if container is None else [container, *path])
        name = None
        if pattern.settings.name == "joined":
            name = "".join(self._text([node]) for node in captured["name"])
        start = outer.start_byte
        if pattern.kind == _VARIABLE and start in self.captures.constants:
            pattern = _constant(pattern)
        header = start if inner is outer else inner.start_byte
        return Definition(
            pattern,
            start,
            outer.end_byte,
            header,
            name_start,
            name_end,
            body_byte,
            body_end,
            inside_byte,
            inside_end,
            container,
            name,
        )

    def _end_of_path(self, start: int, end: int) -> int:
        """Returns the number of bytes before a name that are a path, if the grammar reads both as
        one word; else 0."""
        written = self._data[start:end]
        cuts = [
            written.rfind(separator) + len(separator)
            for separator in self._separators
            if separator in written
        ]
        cut = max(cuts, default=0)
        return cut if cut < len(written) else 0

    def _text(self, nodes: list[tree_sitter.Node]) -> str:
        """Returns the text of the nodes, joined by dots if a pattern captures several."""
        return ".".join(
            self._data[node.start_byte : node.end_byte].decode("utf-8", "replace") for node in nodes
        )
