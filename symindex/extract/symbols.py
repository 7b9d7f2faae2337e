"""Turns definitions into symbols: qualified names, kinds in context, signatures, docs and flags.

All differences between languages come from the rules of their folders. The symbols of a file depend
on its bytes and its language alone; `extract/path_flags` adds the flags of its path (tests,
vendored code).
"""

import re
from operator import itemgetter
from typing import Final

from symindex.extract.bound import bindings_of
from symindex.extract.captures import Captures, Comment, Definition, Faults
from symindex.extract.clauses import VALUE_KINDS, Repeated
from symindex.extract.docs import Docs
from symindex.extract.function_types import with_functions
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.languages.rules import HeadFacts, NameFacts, find_flags, rules_of
from symindex.extract.parse.definitions import parse_definitions
from symindex.extract.parse.partial import PreviousParse
from symindex.extract.records import Symbol, SymbolRow
from symindex.extract.scopes import ScopeNode, nest_definitions
from symindex.extract.texts.conflicts import hide_markers
from symindex.extract.texts.embedded import parse_all_embedded
from symindex.extract.texts.line_numbers import PlacedSymbol, add_lines, mark_behind_non_ascii
from symindex.extract.texts.source_text import (
    SourceText,
    close_brackets,
    fold_header,
    fold_space,
    unescape,
)
from symindex.protocol.kinds import SymbolFlag, SymbolKind
from symindex.text.entities import without_references

SIGNATURE_CHARACTERS: Final = 200
"""Longest signature, in characters, including the mark of the cut: a few lines of a terminal, some
fifty tokens."""

# In this module kinds are plain strings and flags plain numbers, which are faster than members of
# an enumeration.
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

_OUTSIDE: Final = frozenset({_NAMESPACE, SymbolKind.MODULE.value, SymbolKind.PACKAGE.value})
"""Containers that are not types."""


def extract_symbols(language: Language, data: bytes) -> tuple[list[Symbol], bool]:
    """Returns the symbols of a file's bytes, in the order of their names in the file, and whether
    the grammar could not read all of it, except bodies that define nothing. Never fails on bad
    source."""
    symbols, faults = extract_with_faults(language, data)
    return symbols, faults.has_error


def extract_with_faults(language: Language, data: bytes) -> tuple[list[Symbol], Faults]:
    """Returns the symbols of a file's bytes, and all of its faults."""
    rows, faults, _ = extract_rows(language, data)
    of_file = faults.flags
    return [
        Symbol(row[0], SymbolKind(row[4]), row[1], row[5] | of_file, *row[6:], row[2], row[3])
        for row in rows
    ], faults


def extract_rows(
    language: Language,
    data: bytes,
    previous: PreviousParse | None = None,
    languages: Languages | None = None,
) -> tuple[list[SymbolRow], Faults, bytes]:
    """Returns the symbols of a file's bytes in the form that is packed, all of its faults, and its
    packed bindings (`extract/file_bindings`).

    previous: as for `parse_definitions`. languages: those of embedded code; by default all.
    """
    captures = parse_definitions(language, data, previous)
    if captures.is_conflicted:
        data = hide_markers(data)  # markers are not part of signatures
    rows = _read_rows(language, data, captures)
    bindings = bindings_of(language, data, rows, captures.bindings)
    has_error, broken_places = captures.has_error, [captures.broken_at]
    if captures.embedded:
        for inner, inner_captures in parse_all_embedded(
            captures, data, languages or load_languages(check=False)
        ):
            rows += _read_rows(inner, data, inner_captures)
            has_error = has_error or inner_captures.has_error
            broken_places.append(inner_captures.broken_at)
        rows.sort(key=_PLACE)
    broken_at = min((place for place in broken_places if place >= 0), default=-1)
    broken_line = (
        data.count(b"\n", 0, min(broken_at, len(data.rstrip()))) + 1 if broken_at >= 0 else 0
    )
    return rows, Faults(has_error, broken_line, captures.is_conflicted), bindings


_PLACE: Final = itemgetter(10, 11)
"""Sorts rows by the start and end of their names."""


def _read_rows(language: Language, data: bytes, captures: Captures) -> list[SymbolRow]:
    """Makes the symbols of a query's captures, in the order of their names."""
    reader = _SymbolReader(language, data, captures.comments)
    repeated = (
        Repeated(language, reader.text) if language.rules.once or language.rules.clauses else None
    )
    symbols: list[PlacedSymbol] = []
    for node in nest_definitions(captures, len(data)):
        if not node.resolved:
            reader.resolve(node)
        definition = node.definition
        if node.dropped or definition is None:
            continue
        if repeated is not None and (
            number := repeated.clause_of(node, definition, len(symbols))
        ) < len(symbols):
            if number < 0:
                node.dropped = True
            else:
                node.path = (
                    symbols[number][1] + "." + symbols[number][0]
                    if symbols[number][1]
                    else symbols[number][0]
                )
                symbols[number] = _extended(symbols[number], max(definition.end_byte, node.end))
            continue
        symbols.append(reader.placed(node, definition))
    rows = add_lines(symbols, data)
    if not data.isascii():
        rows = mark_behind_non_ascii(rows, data)
    return with_functions(reader.rules, rows) if reader.has_function_types else rows


def _extended(symbol: PlacedSymbol, end: int) -> PlacedSymbol:
    """Returns a symbol whose range is extended to `end`."""
    return (*symbol[:7], max(symbol[7], end), *symbol[8:])


LONGEST_PATH: Final = 400
"""Longest qualified name, in characters. It contains the names of all containers, so without a
limit the names in deeply nested files would take quadratic space."""


def shortened(path: str) -> str:
    """Cuts the middle out of a long qualified name."""
    if len(path) <= LONGEST_PATH:
        return path
    return f"{path[: LONGEST_PATH // 2]}…{path[1 - LONGEST_PATH // 2 :]}"


_ESCAPED: Final = re.compile(r"\\([^\s\da-fA-F])")


class _SymbolReader:
    """Reads names, signatures, docs and flags from a file's bytes, by the rules of its language."""

    def __init__(self, language: Language, data: bytes, comments: list[Comment]) -> None:
        self.keys = keys = language.rules
        self.rules = rules = rules_of(language)
        self.data = data
        text = SourceText(data)
        self.text = text.between
        # Plain ASCII is cut out directly: that happens several times for each symbol, and a call
        # would take as long as the rest.
        self.letters = text.letters if text.letters.isascii() else None
        self.docs = Docs(language, data, text, comments)
        # Patterns that cannot be in the file are not searched for each symbol.
        self.header_marks = [
            mark for mark in rules.header_marks if mark[1].can_be_in_file(text.letters)
        ]
        self.has_function_types = rules.function_types.can_be_in_file(text.letters)
        self.directives = (
            rules.directives if rules.directives.can_be_in_file(text.letters) else None
        )
        self.attributes = rules.attributes if rules.attributes.regex.pattern else None
        self.declarations = rules.declarations if rules.declarations.regex.pattern else None
        # Fields of large structs that are used for every symbol.
        self.inside, self.default_visibility = keys.inside, keys.visibility.default
        self.inside_visibility = keys.visibility.inside

    def resolve(self, node: ScopeNode) -> None:
        """Sets name, container, kind and flags of a node, after those of its parents."""
        step = node.parent
        if step is not None and not step.resolved:
            chain = []
            while step is not None and not step.resolved:
                chain.append(step)
                step = step.parent
            for step in reversed(chain):
                self._resolve_one(step)
        self._resolve_one(node)

    def _resolve_one(self, node: ScopeNode) -> None:
        node.resolved = True
        node.find_outer()
        if node.definition is not None:
            self._resolve_definition(node, node.definition)
        elif node.scope is not None and node.scope.container is not None:
            node.container = node.path = self._join(node.outer, node.scope.container)
            node.flags = node.outer.flags & (_TEST | _LOCAL) if node.outer is not None else 0
            if node.in_function:
                node.flags |= _LOCAL

    def _resolve_definition(self, node: ScopeNode, definition: Definition) -> None:
        outer, rules, kind = node.outer, self.rules, node.kind
        becomes = self.inside.get(outer.kind) if outer is not None else None
        if becomes is not None:
            node.kind = kind = becomes.get(kind, kind)
        settings = definition.pattern.settings
        if settings.name == "none":
            node.dropped = True
            return
        is_value = kind in VALUE_KINDS and not (
            kind == _PROPERTY and definition.body_byte >= 0
        )  # an accessor is not a value
        if node.in_function and (is_value or settings.local == "none"):
            node.dropped = True
            return
        joined_name, letters, start, end = (
            definition.name,
            self.letters,
            definition.name_start,
            definition.name_end,
        )
        if joined_name is not None:
            name = joined_name
        else:
            name = letters[start:end] if letters is not None else self.text(start, end)
            if rules.trims_plain_names or kind == _NAMESPACE or not name.isidentifier():
                name = self._name(name, kind)
        node.name = name
        container = definition.container
        if container:
            node.container = container = self._join(outer, self._unquoted(container))
        elif outer is not None:
            node.container = container = outer.path
        else:
            container = ""
        if not name:
            node.dropped = True
            node.path = container
            return
        facts = rules.of_name(name)
        if facts.is_constant and is_value:
            node.kind = _CONSTANT if becomes is None else becomes.get(_CONSTANT, _CONSTANT)
        elif kind == _METHOD and (
            name in rules.constructors
            or (rules.type_names_construct and name == container.rpartition(".")[2])
        ):
            node.kind = _CONSTRUCTOR
        node.path = path = f"{container}.{name}" if container else name
        if len(path) > LONGEST_PATH:
            node.path = shortened(path)
        if facts.is_blank:
            node.dropped = True
        else:
            self._read_flags(node, definition, facts)

    def _name(self, written: str, kind: str) -> str:
        """Returns a name without quotes and prefix, if it is more than an identifier."""
        keys, name = self.keys, written
        if self.rules.trims_plain_names or not name.isidentifier():
            name = fold_space(unescape(name))
            bare = name.removeprefix(keys.name_prefix)
            if self._is_quoted(name):
                while self._is_quoted(name):  # marks may be doubled
                    name = name[1:-1]
                name = name.removeprefix(keys.name_prefix)
            elif self._is_quoted(bare):
                name = bare[1:-1]
            elif keys.name_until:
                name = bare.partition(keys.name_until)[0]
            else:
                name = bare
            if keys.name_escapes == "backslash" and "\\" in name:
                name = _ESCAPED.sub(r"\1", name)
            elif keys.name_escapes == "entities" and "&" in name:
                name = fold_space(without_references(name))
        return self._join(None, name) if kind == _NAMESPACE else name

    def _unquoted(self, container: str) -> str:
        """Returns a container's name as a plain name; one with several parts stays."""
        keys = self.keys
        if self._is_quoted(container) and container[0] not in container[1:-1]:
            return container[1:-1]
        inner = container.removeprefix(keys.name_prefix)
        is_enclosed = (
            keys.name_prefix and keys.name_until and inner.find(keys.name_until) == len(inner) - 1
        )
        return inner[:-1] if inner != container and is_enclosed else container

    def _is_quoted(self, name: str) -> bool:
        return len(name) > 1 and name[0] == name[-1] and name[0] in self.keys.name_trim

    def _join(self, outer: ScopeNode | None, container: str) -> str:
        for separator in self.keys.separators:
            container = container.replace(separator, ".")
        container = fold_space(container)
        if self.rules.quoted_part is not None and not container.isidentifier():
            container = self.rules.quoted_part.sub(
                lambda part: part[part.lastgroup or 0], container
            )
        container = container.strip(".")
        path = outer.path if outer is not None else ""
        return shortened(f"{path}.{container}" if path and container else path or container)

    def placed(self, node: ScopeNode, definition: Definition) -> PlacedSymbol:
        """Makes the symbol of a resolved node."""
        name_start, name_end, name, flags = (
            definition.name_start,
            definition.name_end,
            node.name,
            node.flags,
        )
        # A blank may replace a line break. Other replacements of the same length, such as
        # separators, are equally wide.
        if len(name) != name_end - name_start or not name.isascii() or " " in name or "\0" in name:
            encoded = name.encode()
            cut = self.data.find(encoded, name_start, name_end)
            if cut >= 0:
                name_start = cut
                name_end = name_start + len(encoded)
            if cut < 0 or "\0" in name:  # names are stored without NUL bytes
                flags |= _ODD_PLACE
        start, end = definition.start_byte, definition.end_byte
        if node.end > end:
            end = node.end
        if node.first < start:
            start = node.first
        signature = self._signature(node, definition)
        declarations = self.declarations
        if definition.pattern.settings.role == "declaration" or (
            declarations is not None and declarations.is_in(signature)
        ):
            flags |= _DECLARATION
        return (
            name,
            node.container,
            signature,
            node.doc,
            node.kind,
            flags,
            start,
            end,
            name_start,
            name_end,
        )

    def _signature(self, node: ScopeNode, definition: Definition) -> str:
        limit = (
            SIGNATURE_CHARACTERS * 8
        )  # bytes; folding white space shortens, so more is read than is kept
        start, body, name = definition.header_byte, definition.body_byte, definition.name_start
        end = definition.end_byte if body < 0 else body
        if end > name + limit and end > start + limit:
            end = (name if name > start else start) + limit
        if start == definition.start_byte and end <= node.next_comment:
            text = self.letters[start:end] if self.letters is not None else self.text(start, end)
        else:
            text = self.docs.without_comments(start, end)
        if 0 <= body < name:  # `typedef struct {...} Name`
            text += " " + self.text(
                definition.body_end, min(definition.end_byte, definition.body_end + limit)
            )
        if self.directives is not None:
            text = self.directives.replace("", text)
        text = fold_header(text) if "\n" in text else " ".join(text.split())
        attributes = self.attributes
        if attributes is not None and attributes.can_be_in(text):
            while (match := attributes.regex.match(text)) is not None and match.end() > 0:
                text = text[match.end() :].lstrip()
        text = close_brackets(text, body >= 0)
        outer = node.outer
        if (
            outer is not None
            and outer.scope is not None
            and outer.scope.pattern.settings.scope == "signature"
        ):
            header = fold_header(
                self.docs.without_comments(outer.scope.header_byte, outer.scope.start_byte)
            )
            text = f"{header} {{ {text} }}"
        return text if len(text) <= SIGNATURE_CHARACTERS else text[: SIGNATURE_CHARACTERS - 1] + "…"

    def _read_flags(self, node: ScopeNode, definition: Definition, facts: NameFacts) -> None:
        """Sets the doc and flags of a node, and the start of its attributes."""
        rules, settings, outer = self.rules, definition.pattern.settings, node.outer
        start, name_start = definition.start_byte, definition.name_start
        node.doc, head, node.first, node.next_comment = self.docs.of(definition)
        if start <= definition.body_byte < name_start or node.next_comment < name_start:
            head += self._head(definition)
        elif self.letters is not None:
            head += self.letters[start:name_start]
        else:
            head += self.text(start, name_start)
        is_outside = rules.words_differ_outside and (outer is None or outer.kind in _OUTSIDE)
        words = rules.of_head(head, is_outside)
        outer_flags = outer.flags if outer is not None else 0
        visibility = self._visibility(node, definition, words, facts)
        if visibility == "container":
            visibility = _visibility_of(outer)
        flags = (outer_flags & _TEST) | words.flags | facts.flags
        # A test case is run from outside, wherever it is.
        if (node.in_function or outer_flags & _LOCAL) and settings.flag != "test":
            flags |= _LOCAL
        elif visibility == "exported":
            flags |= _EXPORTED
        if visibility == "private":
            flags |= _PRIVATE
        if settings.flag:
            flags |= _TEST if settings.flag == "test" else _DEPRECATED
        if self.header_marks:
            header = head + self.text(name_start, max(definition.name_end, definition.body_byte))
            flags |= find_flags(self.header_marks, header)
        if node.doc and rules.doc_marks:
            flags |= find_flags(rules.doc_marks, node.doc)
        node.flags = flags

    def _head(self, definition: Definition) -> str:
        """Returns the text before the name, without a body that comes before the name
        (`typedef struct {...} Name`)."""
        start, name = definition.start_byte, definition.name_start
        if start <= definition.body_byte < name:
            return (
                f"{self.text(start, definition.body_byte)} {self.text(definition.body_end, name)}"
            )
        return self.docs.without_comments(start, name)

    def _visibility(
        self, node: ScopeNode, definition: Definition, words: HeadFacts, facts: NameFacts
    ) -> str:
        """Returns the visibility. The first of these decides: the pattern, a marker for the name,
        the words before the name, the name itself, the place."""
        parent = node.parent
        visibility: str = definition.pattern.settings.visibility
        if (
            not visibility and parent is not None and parent.named
        ):  # written with or without prefix: `private :name`
            visibility = (
                parent.named.get(node.name)
                or parent.named.get(self.keys.name_prefix + node.name)
                or ""
            )
        if visibility or words.visibility is not None:
            return visibility or words.visibility or ""
        visibility = facts.visibility
        if not visibility and parent is not None and (parent.sections or parent.visibility):
            visibility = parent.visibility_at(definition.start_byte)
        if visibility or node.outer is None:
            return visibility or self.default_visibility
        return self.inside_visibility.get(node.outer.kind, self.default_visibility)


def _visibility_of(outer: ScopeNode | None) -> str:
    """Returns the visibility of a container. One that is not a symbol has that of its
    surroundings."""
    while outer is not None and outer.definition is None:
        outer = outer.outer
    if outer is None or outer.flags & _EXPORTED:
        return "exported"
    return "private" if outer.flags & _PRIVATE else ""
