"""Finds the identifiers of a name in a file, except in comments and in the text of strings."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import tree_sitter

from symindex.extract.captures import BindingMatch, Stretches
from symindex.extract.file_bindings import AROUND, NOTHING, OPENED, SELF, Import
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages
from symindex.extract.languages.rules import parser_text
from symindex.extract.parse.binding_query import find_bindings
from symindex.extract.parse.bindings import FREE, UNKNOWN, Bindings
from symindex.extract.parse.definitions import parse_definitions
from symindex.extract.parse.local_types import find_local_facts, find_outer_names, first_name_in
from symindex.extract.parse.partial import LinePoints, PartialParser, find_errors
from symindex.extract.parse.partial_tree import PartialTree
from symindex.extract.parse.roles import CALL, DEFINING, Placed, Role, Roles, fits_any, rules_of
from symindex.extract.parse.skipping.bodies import touches
from symindex.extract.parse.statements import texts_of
from symindex.extract.texts.embedded import embedded_pieces
from symindex.extract.texts.source_text import as_utf8, with_ascii_letters
from symindex.text.patterns.whole_words import find_words
from symindex.text.receivers import first_name, first_names_of_arguments


class FoundMention(NamedTuple):
    """An identifier of a name.

    start_byte, end_byte: its range. does: its role there. binding: the start of the name that binds
    it in the blocks and functions around it, or FREE or UNKNOWN of `bindings`. local: what the
    functions around it declare the first names of its receiver and of what that gets to be
    (`local_types`). imports: those
    of its file that have this name or that of its receiver. holders: what a member that is named
    without a receiver is a member of: types and values as in `local`. declared_at: the start of the
    first declaration of a bare name in the functions around it; FREE if there is none. given: as
    `local`, of the first names of the arguments that it is called with, where these tell overloads
    apart.
    """

    start_byte: int
    end_byte: int
    does: Role
    binding: int = UNKNOWN
    local: Mapping[str, Sequence[str]] = MappingProxyType({})
    imports: Sequence[Import] = ()
    holders: Sequence[str] = ()
    declared_at: int = FREE
    given: Mapping[str, Sequence[str]] = MappingProxyType({})


def find_mentions(
    language: Language, data: bytes, forms: Iterable[bytes], languages: Languages | None = None
) -> list[FoundMention]:
    """Returns the identifiers of a name in `data` (UTF-8), in order, except those in comments and
    in the text of strings.

    forms: the name in UTF-8, in all its spellings. languages: those of code embedded in the file.
    Returns nothing for a language that does not list the types of its identifiers. Raises
    GrammarError for bad rules, and nothing for bad source.
    """
    words = find_words(data, forms)
    if not words:
        return []
    mentions = _own_mentions(language, data, words) if language.rules.identifiers else []
    if language.embeds and languages is not None:
        for inner, pieces in embedded_pieces(parse_definitions(language, data), languages):
            mentions += _embedded_mentions(inner, data, words, pieces)
        mentions.sort()
    return mentions


def _embedded_mentions(
    language: Language, data: bytes, words: list[tuple[int, int]], pieces: list[Stretches]
) -> list[FoundMention]:
    """Returns the words that are identifiers in pieces of another language."""
    if not language.rules.identifiers:
        return []
    source = parser_text(language, data)
    points = LinePoints(source)
    parser, roles = PartialParser(language, skips_bodies=False), Roles(language.rules.roles)
    mentions = []
    for piece in pieces:
        inside = [(start, end) for start, end in words if touches(piece, start, end)]
        if inside:
            leaves = _Leaves(language, parser, parser.parse_piece(source, piece, points), source)
            for start, end in inside:
                if path := leaves.identifier_at(start, end):
                    mentions.append(FoundMention(start, end, roles.read(path, source, start)))
    return mentions


def _own_mentions(
    language: Language, data: bytes, words: list[tuple[int, int]]
) -> list[FoundMention]:
    """Returns the words that are identifiers in the file's own language."""
    plain = as_utf8(data)
    written = with_ascii_letters(plain) if language.rules.ascii_letters else data
    source = parser_text(language, data)
    parser, whole_parser = PartialParser(language), PartialParser(language, skips_bodies=False)
    parsed = parser.parse_once(source, words)
    errors = find_errors(parsed.tree)
    if any(
        touches(errors, start, end) for start, end in words
    ):  # skipped bodies may have caused the errors
        parsed = whole_parser.parse(source)
    leaves, plain_leaves = _Leaves(language, parser, parsed.tree, parsed.source), None
    texts: list[tuple[int, int]] | None = None
    mentions: list[FoundMention] = []
    roles = Roles(language.rules.roles)
    calls: list[tuple[int, int]] = []
    bound: set[tuple[int, bytes]] = set()
    bindings = Bindings(language.rules.roles)
    keys: set[int] = set()  # of objects, which are names only if these are of a type
    for start, end in words:
        judge = leaves
        if (
            parsed.source[start:end] != written[start:end]
        ):  # code that was replaced for the parser is still code
            judge = plain_leaves = plain_leaves or _Leaves(
                language, parser, whole_parser.parse_once(plain).tree, plain
            )
        path = judge.identifier_at(start, end)
        if not path and judge is plain_leaves and language.rules.statements.heads:
            # Code of a routine that the grammar gave up counts, except comments and strings.
            texts = texts_of(language.rules.statements, plain) if texts is None else texts
            path = [] if touches(texts, start, end) else judge.around(start, end)
        if path:
            does = roles.read(path, judge.source, start)
            bindings.add(data[start:end], path, does)
            scope = roles.bare_call_in(path, does)
            if scope is not None and does.is_bound:
                bound.add((scope, data[start:end]))
            elif scope is not None:
                calls.append((len(mentions), scope))
            if does.is_label and judge.is_quoted(path):
                keys.add(start)
            mentions.append(FoundMention(start, end, does))
    for place, scope in calls:
        mention = mentions[place]
        if (scope, data[mention.start_byte : mention.end_byte]) not in bound:
            mentions[place] = mention._replace(does=mention.does._replace(role=CALL))
    found = find_bindings(language, parsed.tree, parsed.source)
    for outer in find_outer_names(language, parsed.tree, found):
        bindings.leave(outer.name.encode(), (outer.start, outer.end), outer.is_global)
    mentions = _with_places(bindings, data, mentions)
    if not language.bindings:
        return mentions
    mentions = _with_facts(language, parsed, found, data, mentions)
    return [one for one in mentions if one.holders or one.start_byte not in keys]


def _with_places(
    bindings: Bindings, data: bytes, mentions: list[FoundMention]
) -> list[FoundMention]:
    """Adds where the name of each mention is bound. A name that means one around binds none."""
    places = bindings.resolve(
        [(mention.start_byte, data[mention.start_byte : mention.end_byte]) for mention in mentions]
    )
    return [
        mention._replace(
            binding=place,
            does=mention.does._replace(is_bound=False)
            if mention.start_byte in bindings.outer
            else mention.does,
        )
        for mention, place in zip(mentions, places, strict=True)
    ]


def _with_facts(
    language: Language,
    parsed: PartialTree,
    found: Sequence[BindingMatch],
    data: bytes,
    mentions: list[FoundMention],
) -> list[FoundMention]:
    """Adds what the file says about the names of mentions and of their receivers. found: the
    bindings of the file."""
    names = {
        mention.start_byte: first_name(mention.does.receiver) or _text_of(data, mention)
        for mention in mentions
    }
    arguments = {
        mention.start_byte: first_names_of_arguments(_behind(data, mention))
        for mention in mentions
        if language.rules.bindings.overloads and mention.does.role == CALL
    }
    facts = find_local_facts(language, parsed.tree, parsed.source, found, names, arguments)

    def passes(mention: FoundMention) -> bool:
        return _calls_past(language, mention, facts.declared[mention.start_byte], names)

    return [
        mention._replace(
            does=_of_bare(language, data, mention, facts.declared[mention.start_byte]),
            local=facts.declared[mention.start_byte]
            if mention.does.receiver or mention.start_byte in facts.holders
            else _of_self(facts.declared[mention.start_byte]),
            imports=facts.imports[mention.start_byte],
            holders=facts.holders.get(mention.start_byte, []),
            binding=FREE if passes(mention) else mention.binding,
            declared_at=FREE
            if mention.does.receiver or passes(mention)
            else facts.binders.get(mention.start_byte, FREE),
            given=facts.given.get(mention.start_byte, {}),
        )
        for mention in mentions
    ]


def _of_bare(
    language: Language, data: bytes, mention: FoundMention, declared: Mapping[str, Sequence[str]]
) -> Role:
    """Returns what a name does: one without parentheses is called by a sign before it, in a
    language in which it is a variable otherwise, where the code around declares one."""
    does, calls = mention.does, language.rules.bindings.bare_calls
    if not calls or does.receiver or does.role in (CALL, *DEFINING):
        return does
    if re.search(calls.encode(), data[max(0, mention.start_byte - _NEAR) : mention.start_byte]):
        return does._replace(role=CALL)
    return does._replace(is_variable=does.is_variable or _text_of(data, mention) in declared)


def _calls_past(
    language: Language,
    mention: FoundMention,
    declared: Mapping[str, Sequence[str]],
    names: Mapping[int, str],
) -> bool:
    """Whether a call means a function and not the local value of its name: any call does in some
    languages, in others one of a value that nothing can call by its type."""
    rules = language.rules
    if mention.does.receiver or mention.does.role != CALL:
        return False
    if rules.roles.calls_apart:
        return True
    told = declared.get(names[mention.start_byte], ()) if rules.bindings.calls_past_values else ()
    types = [_TYPE.match(text) for text in told]
    return bool(types) and all(
        one is not None and (not one[1] or one[1] in rules.bindings.builtins) for one in types
    )


_TYPE: Final = re.compile(r":(\w+)|=(?:true|false|\d[\w.]*|\"[^\"]*\")$")
"""The name of a declared type, or a literal, as `local_types` tells them."""


def _behind(data: bytes, mention: FoundMention) -> str:
    """Returns the text from the parentheses behind a name, as far as it is read."""
    text = data[mention.end_byte : mention.end_byte + _CALL_BYTES].decode("utf-8", "ignore")
    start = _TO_ARGUMENTS.match(text)
    return text[start.end() :] if start is not None else ""


_TO_ARGUMENTS: Final = re.compile(r"(?:<[^()]*>|\[[\w\s,.\[\]]*\])?\s?(?=\()")
"""What is between a name and its arguments."""

_CALL_BYTES: Final = 1000
"""Most bytes behind a name that are read for its arguments."""


def _text_of(data: bytes, mention: FoundMention) -> str:
    return data[mention.start_byte : mention.end_byte].decode("utf-8", "replace")


def _of_self(local: dict[str, list[str]]) -> dict[str, list[str]]:
    """Returns what is known of the values that a bare name may be a member of: the one that the
    code around is called for, if that is not one of a type with a name, and one whose members it
    sees; and what is known of their own names."""
    found: dict[str, list[str]] = {}
    names = [name for name in (SELF, AROUND, OPENED) if local.get(name, [NOTHING]) != [NOTHING]]
    while names:
        found.update((name, local[name]) for name in names)
        texts = [text for name in names for text in local[name]]
        names = [name for name in map(first_name_in, texts) if name in local and name not in found]
    return found


_AFTER_KEY: Final = b": "
"""The sign after the key of an object, which may be a part of its node."""


class _Leaves:
    """Finds out which words of a tree are identifiers. Reads the children of each node once,
    however many words are in it."""

    def __init__(
        self, language: Language, parser: PartialParser, tree: tree_sitter.Tree, source: bytes
    ) -> None:
        rules = language.rules
        self._root, self.source, self._parser = tree.root_node, source, parser
        self._identifiers, self._bare_code = (
            frozenset(rules.identifiers),
            frozenset(rules.bare_code),
        )
        self._dotted = frozenset(rules.roles.dotted)
        callbacks = [pattern for pattern, _ in rules.roles.callbacks]
        self._quoted = rules_of([*rules.roles.quoted, *callbacks])
        self._keys = rules_of(rules.roles.quoted_names)
        self._quotes = rules.name_trim.encode()
        self._prefixes = tuple(
            prefix.encode() for prefix in (rules.name_prefix, *rules.identifier_prefixes) if prefix
        )
        self._children: dict[int, tuple[list[tree_sitter.Node], list[int]]] = {}
        self._read: dict[int, tree_sitter.Tree] = {}

    def around(self, start: int, end: int) -> list[Placed]:
        """Returns the nodes around a range, from the root inward."""
        return self._path(self._root, start, end)

    def identifier_at(self, start: int, end: int) -> list[Placed]:
        """Returns the nodes from the root to the identifier at a range, not counting quotes or a
        prefix; empty if the range is not an identifier."""
        path = self._path(self._root, start, end)
        leaf = path[-1].node
        is_quoted = self.is_quoted(path)
        sign = _AFTER_KEY if is_quoted else b""
        is_leaf = leaf.start_byte == start and not self.source[end : leaf.end_byte].strip(sign)
        if is_leaf and (is_quoted or (self._keys and fits_any(self._keys, path))):
            return path
        if is_quoted or leaf.type in self._bare_code:
            path = self._path(self._tree_of(path[-1].node).root_node, start, end)
        for length in range(len(path), 0, -1):
            node = path[length - 1].node
            prefix_text, suffix = (
                self.source[node.start_byte : start],
                self.source[end : node.end_byte],
            )
            if node.type in self._dotted and prefix_text.endswith(b".") and not suffix:
                return path[:length]
            if len(prefix_text) > _MOST_BEFORE or len(suffix) > 1:
                return []
            is_whole = (not suffix and (not prefix_text or prefix_text in self._prefixes)) or (
                prefix_text == suffix and prefix_text in self._quotes
            )
            if is_whole and node.type in self._identifiers:
                return path[:length]
        return []

    def is_quoted(self, path: Sequence[Placed]) -> bool:
        """Whether the last node of a path contains code, though it is no identifier."""
        return bool(self._quoted) and fits_any(self._quoted, path)

    def _path(self, node: tree_sitter.Node, start: int, end: int) -> list[Placed]:
        """Returns the nodes around a range, from `node` inward."""
        path = [Placed(node, 0)]
        while True:
            cached = self._children.get(node.id)
            if cached is None:
                children = node.children
                cached = self._children[node.id] = children, [child.end_byte for child in children]
            number = bisect_right(cached[1], start)
            if (
                number == len(cached[0])
                or cached[0][number].start_byte > start
                or cached[0][number].end_byte < end
            ):
                return path
            node = cached[0][number]
            path.append(Placed(node, number))

    def _tree_of(self, node: tree_sitter.Node) -> tree_sitter.Tree:
        """Returns the tree of code that the grammar left as bare text."""
        tree = self._read.get(node.start_byte)
        if tree is None:
            tree = self._parser.parse_range(self.source, node.start_byte, node.end_byte, [])
            self._read[node.start_byte] = tree
        return tree


_NEAR: Final = 200
"""Bytes before a name that tell whether it is called."""

_MOST_BEFORE: Final = 2
"""Longest prefix of an identifier, in bytes."""
