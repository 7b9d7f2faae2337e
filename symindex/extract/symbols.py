"""Definitions to symbols: qualified names, kinds in context, signatures, docs and flags.

All differences between languages come from the rules of their folders. The symbols of a file depend on its bytes and its
language alone; `extract/path_flags` adds what its path says (tests, vendored code).
"""

import html
import re
from operator import itemgetter
from typing import Final

from symindex.extract.captures import Captures, Comment, Definition
from symindex.extract.docs import Docs
from symindex.extract.embedded import parse_all_embedded
from symindex.extract.function_types import with_functions
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.languages.rules import HeadFacts, NameFacts, find_flags, rules_of
from symindex.extract.parameters import count_parameters
from symindex.extract.parse.definitions import parse_definitions
from symindex.extract.parse.partial import PreviousParse
from symindex.extract.records import Symbol, SymbolRow
from symindex.extract.scopes import ScopeNode, nest_definitions
from symindex.extract.source_text import SourceText, close_brackets, fold_header, fold_space, unescape
from symindex.protocol.kinds import SymbolFlag, SymbolKind

SIGNATURE_CHARACTERS: Final = 200
"""The longest signature, the mark of the cut included: a few lines of a terminal, some fifty tokens."""

# In this module kinds are plain strings and flags plain numbers, which are faster than members of an enumeration.
_PROPERTY: Final = SymbolKind.PROPERTY.value
_CONSTANT: Final = SymbolKind.CONSTANT.value
_METHOD: Final = SymbolKind.METHOD.value
_NAMESPACE: Final = SymbolKind.NAMESPACE.value
_CONSTRUCTOR: Final = SymbolKind.CONSTRUCTOR.value
_EXPORTED: Final = SymbolFlag.EXPORTED.value
_PRIVATE: Final = SymbolFlag.PRIVATE.value
_LOCAL: Final = SymbolFlag.LOCAL.value
_TEST: Final = SymbolFlag.TEST.value
_DEPRECATED: Final = SymbolFlag.DEPRECATED.value
_ODD_PLACE: Final = SymbolFlag.ODD_PLACE.value
_DECLARATION: Final = SymbolFlag.DECLARATION.value

VALUE_KINDS: Final = frozenset({SymbolKind.VARIABLE.value, _CONSTANT, _PROPERTY, SymbolKind.FIELD.value})
"""These are no symbols directly inside a function: nobody looks them up by name from another place."""


_OUTSIDE: Final = frozenset({_NAMESPACE, SymbolKind.MODULE.value, SymbolKind.PACKAGE.value})
"""Containers that are no types."""


def extract_symbols(language: Language, data: bytes) -> tuple[list[Symbol], bool]:
    """The symbols of a file's bytes, in the order of their names in the file, and whether the grammar could not read all of it,
    apart from bodies that define nothing. Never fails on bad source."""
    rows, has_error = extract_rows(language, data)
    return [Symbol(row[0], SymbolKind(row[4]), row[1], *row[5:], row[2], row[3]) for row in rows], has_error


def extract_rows(
    language: Language, data: bytes, previous: PreviousParse | None = None, languages: Languages | None = None
) -> tuple[list[SymbolRow], bool]:
    """As `extract_symbols`, in the form that is packed. previous: as for `parse_definitions`. languages: those that what is
    embedded in the file may be in; default: all."""
    captures = parse_definitions(language, data, previous)
    rows = _read_rows(language, data, captures)
    if not captures.embedded:
        return rows, captures.has_error
    has_error = captures.has_error
    for inner, found in parse_all_embedded(captures, data, languages or load_languages(check=False)):
        rows += _read_rows(inner, data, found)
        has_error = has_error or found.has_error
    rows.sort(key=_PLACE)
    return rows, has_error


_PLACE: Final = itemgetter(10, 11)
"""Of a row: where its name begins and ends."""


def _read_rows(language: Language, data: bytes, captures: Captures) -> list[SymbolRow]:
    """The symbols that a query found, in the order of their names."""
    reader = _SymbolReader(language, data, captures.comments)
    once, by_arity = reader.rules.once, language.rules.arity
    rows = []
    seen: set[tuple[str, str, int]] = set()
    for node in nest_definitions(captures, len(data)):
        if not node.resolved:
            reader.resolve(node)
        definition = node.definition
        if node.dropped or definition is None:
            continue
        if node.kind in once:
            arity = count_parameters(reader.text(definition.name_end, definition.body_byte)) if by_arity else 0
            key = (node.kind, node.path, arity)
            if key in seen:
                node.dropped = True
                continue
            seen.add(key)
        rows.append(reader.row(node, definition))
    return with_functions(reader.rules, rows) if reader.has_function_types else rows


LONGEST_PATH: Final = 400
"""Characters of a qualified name. It holds the names of all containers, so without a limit the names in a file of deeply nested
definitions would grow with the square of their number."""


def shortened(path: str) -> str:
    """A qualified name with its middle left out where it is too long."""
    if len(path) <= LONGEST_PATH:
        return path
    return f"{path[: LONGEST_PATH // 2]}…{path[1 - LONGEST_PATH // 2 :]}"


_ESCAPED: Final = re.compile(r"\\([^\s\da-fA-F])")


_NON_ASCII: Final = re.compile(rb"[\x80-\xff][^\n]*")


def find_non_ascii(data: bytes) -> dict[int, int]:
    """Where the first byte that is not ASCII is, by the start of its line."""
    found = (match.start() for match in _NON_ASCII.finditer(data))
    return {data.rfind(b"\n", 0, at) + 1: at for at in found}


class _SymbolReader:
    """Reads names, signatures, docs and flags off a file's bytes by the rules of its language."""

    def __init__(self, language: Language, data: bytes, comments: list[Comment]) -> None:
        self.keys = language.rules
        self.rules = rules = rules_of(language)
        self.data = data
        text = SourceText(data)
        self.text = text.between
        self.docs = Docs(language, data, text, comments)
        # A pattern that cannot be in the file is not searched for each symbol.
        self.header_marks = [mark for mark in rules.header_marks if mark[1].can_be_in_file(text.letters)]
        self.has_function_types = rules.function_types.can_be_in_file(text.letters)
        self.directives = rules.directives if rules.directives.can_be_in_file(text.letters) else None
        self.non_ascii = {} if data.isascii() else find_non_ascii(data)

    def resolve(self, node: ScopeNode) -> None:
        """Fills in name, container, kind and flags, those of its parents first."""
        chain = []
        step: ScopeNode | None = node
        while step is not None and not step.resolved:
            chain.append(step)
            step = step.parent
        for step in reversed(chain):
            step.resolved = True
            step.find_outer()
            if step.definition is not None:
                self._resolve_definition(step, step.definition)
            elif step.scope is not None and step.scope.container is not None:
                step.container = step.path = self._join(step.outer, step.scope.container)
                step.flags = step.outer.flags & (_TEST | _LOCAL) if step.outer is not None else 0
                if step.in_function:
                    step.flags |= _LOCAL

    def _resolve_definition(self, node: ScopeNode, definition: Definition) -> None:
        outer = node.outer
        rules = self.rules
        kind = node.kind
        if outer is not None and outer.kind in self.keys.inside:
            node.kind = kind = self.keys.inside[outer.kind].get(kind, kind)
        settings = definition.pattern.settings
        if settings.name == "none":
            node.dropped = True
            return
        if node.in_function and (settings.local == "none" or (kind in VALUE_KINDS and not _is_accessor(kind, definition))):
            node.dropped = True
            return
        node.name = name = self._name(definition, kind)
        container = definition.container
        node.container = self._join(outer, container) if container else outer.path if outer is not None else ""
        if not name:
            node.dropped = True
            node.path = node.container
            return
        facts = rules.of_name(name)
        if facts.is_constant and kind in VALUE_KINDS and not _is_accessor(kind, definition):
            node.kind = self.keys.inside.get(outer.kind, {}).get(_CONSTANT, _CONSTANT) if outer is not None else _CONSTANT
        elif kind == _METHOD and (
            name in rules.constructors or (rules.type_names_construct and name == node.container.rpartition(".")[2])
        ):
            node.kind = _CONSTRUCTOR
        node.path = shortened(f"{node.container}.{name}") if node.container else name
        if facts.is_blank:
            node.dropped = True
        else:
            self._read_flags(node, definition, facts)

    def _name(self, definition: Definition, kind: str) -> str:
        """The name, without quotes and prefix."""
        keys = self.keys
        if definition.name is not None:
            return definition.name
        name = self.text(definition.name_start, definition.name_end)
        if self.rules.trims_plain_names or not name.isidentifier():
            name = fold_space(unescape(name))
            bare = name.removeprefix(keys.name_prefix)
            if self._is_quoted(name):
                name = name[1:-1].removeprefix(keys.name_prefix)
            elif self._is_quoted(bare):
                name = bare[1:-1]
            elif keys.name_until:
                name = name.partition(keys.name_until)[0].removeprefix(keys.name_prefix)
            else:
                name = bare
            if keys.name_escapes == "backslash" and "\\" in name:
                name = _ESCAPED.sub(r"\1", name)
            elif keys.name_escapes == "entities" and "&" in name:
                name = fold_space(html.unescape(name))
        return self._join(None, name) if kind == _NAMESPACE else name

    def _is_quoted(self, name: str) -> bool:
        return len(name) > 1 and name[0] == name[-1] and name[0] in self.keys.name_trim

    def _join(self, outer: ScopeNode | None, container: str) -> str:
        for separator in self.keys.separators:
            container = container.replace(separator, ".")
        container = fold_space(container)
        if self.rules.quoted_part is not None and not container.isidentifier():
            container = self.rules.quoted_part.sub(r"\2", container)
        container = container.strip(".")
        path = outer.path if outer is not None else ""
        return shortened(f"{path}.{container}" if path and container else path or container)

    def row(self, node: ScopeNode, definition: Definition) -> SymbolRow:
        """The symbol of a resolved node."""
        name_start, name_end, column = definition.name_start, definition.name_end, definition.name_column
        name, flags, row = node.name, node.flags, definition.name_row
        # A blank may stand for a line break. Other replacements of the same length, as separators, are equally wide.
        if len(name) != name_end - name_start or not name.isascii() or " " in name or "\0" in name:
            raw = self.data[name_start:name_end]
            encoded = name.encode()
            cut = raw.find(encoded)
            if cut >= 0:
                breaks = raw.count(b"\n", 0, cut)
                row += breaks
                column = cut - 1 - raw.rfind(b"\n", 0, cut) if breaks else column + cut
                name_start += cut
                name_end = name_start + len(encoded)
            if cut < 0 or "\0" in name:  # names are stored without NUL bytes
                flags |= _ODD_PLACE
        if self.non_ascii.get(name_start - column, name_start) < name_start:
            flags |= _ODD_PLACE
        end, end_row = definition.end_byte, definition.end_row
        if node.end > end:
            end_row += self.data.count(b"\n", end, node.end)
            end = node.end
        start, start_row = definition.start_byte, definition.start_row
        if node.first < start:
            start_row -= self.data.count(b"\n", node.first, start)
            start = node.first
        signature = self._signature(node, definition)
        if definition.pattern.settings.role == "declaration" or self.rules.declarations.is_in(signature):
            flags |= _DECLARATION
        return (
            name, node.container, signature, node.doc, node.kind, flags,
            start, end, start_row, end_row, name_start, name_end, row, column,
        )  # fmt: skip

    def _signature(self, node: ScopeNode, definition: Definition) -> str:
        limit = SIGNATURE_CHARACTERS * 8  # bytes; folding white space shortens, so more is read than is kept
        start, body = definition.header_byte, definition.body_byte
        end = min(definition.end_byte if body < 0 else body, max(start, definition.name_start) + limit)
        text = self.docs.without_comments(start, end)
        if 0 <= body < definition.name_start:  # `typedef struct {...} Name`
            text += " " + self.text(definition.body_end, min(definition.end_byte, definition.body_end + limit))
        if self.directives is not None:
            text = self.directives.replace("", text)
        text = close_brackets(self._strip_attributes(fold_header(text)), body >= 0)
        outer = node.outer
        if outer is not None and outer.scope is not None and outer.scope.pattern.settings.scope == "signature":
            header = fold_header(self.docs.without_comments(outer.scope.header_byte, outer.scope.start_byte))
            text = f"{header} {{ {text} }}"
        return text if len(text) <= SIGNATURE_CHARACTERS else text[: SIGNATURE_CHARACTERS - 1] + "…"

    def _strip_attributes(self, text: str) -> str:
        attributes = self.rules.attributes
        if attributes.can_be_in(text):
            while (match := attributes.regex.match(text)) is not None and match.end() > 0:
                text = text[match.end() :].lstrip()
        return text

    def _read_flags(self, node: ScopeNode, definition: Definition, facts: NameFacts) -> None:
        """Fills in doc, flags, and where its attributes begin."""
        rules, settings, outer = self.rules, definition.pattern.settings, node.outer
        node.doc, attributes, node.first = self.docs.of(definition)
        head = attributes + self._head(definition)
        is_outside = rules.words_differ_outside and (outer is None or outer.kind in _OUTSIDE)
        words = rules.of_head(head, is_outside)
        outer_flags = outer.flags if outer is not None else 0
        visibility = self._visibility(node, definition, words, facts)
        if visibility == "container":
            visibility = _visibility_of(outer)
        flags = (outer_flags & _TEST) | words.flags | facts.flags
        # A test case is run from outside, wherever it stands.
        if settings.flag != "test" and (node.in_function or outer_flags & _LOCAL):
            flags |= _LOCAL
        elif visibility == "exported":
            flags |= _EXPORTED
        if visibility == "private":
            flags |= _PRIVATE
        if settings.flag:
            flags |= _TEST if settings.flag == "test" else _DEPRECATED
        if self.header_marks:
            header = head + self.text(definition.name_start, max(definition.name_end, definition.body_byte))
            flags |= find_flags(self.header_marks, header)
        if node.doc:
            flags |= find_flags(rules.doc_marks, node.doc)
        node.flags = flags

    def _head(self, definition: Definition) -> str:
        """The text before the name, without a body that comes before the name (`typedef struct {...} Name`)."""
        start, name = definition.start_byte, definition.name_start
        if start <= definition.body_byte < name:
            return f"{self.text(start, definition.body_byte)} {self.text(definition.body_end, name)}"
        return self.docs.without_comments(start, name)

    def _visibility(self, node: ScopeNode, definition: Definition, words: HeadFacts, facts: NameFacts) -> str:
        """By the first that decides: the pattern, a marker for the name, the words before the name, the name, the place."""
        parent, keys = node.parent, self.keys
        visibility: str = definition.pattern.settings.visibility
        if not visibility and parent is not None and parent.named:  # written with or without prefix: `private :name`
            visibility = parent.named.get(node.name) or parent.named.get(keys.name_prefix + node.name) or ""
        if visibility or words.visibility is not None:
            return visibility or words.visibility or ""
        visibility = facts.visibility or (parent.visibility_at(definition.start_byte) if parent is not None else "")
        if visibility or node.outer is None:
            return visibility or keys.visibility.default
        return keys.visibility.inside.get(node.outer.kind, keys.visibility.default)


def _visibility_of(outer: ScopeNode | None) -> str:
    """How visible a container is: one that is no symbol as what is around it."""
    while outer is not None and outer.definition is None:
        outer = outer.outer
    if outer is None or outer.flags & _EXPORTED:
        return "exported"
    return "private" if outer.flags & _PRIVATE else ""


def _is_accessor(kind: str, definition: Definition) -> bool:
    """Whether a property is a function that is read as a value."""
    return kind == _PROPERTY and definition.body_byte >= 0
