"""Definitions to symbols: qualified names, kinds in context, signatures, docs and flags.

Everything that differs between languages comes from the rules of their folders. The symbols of a file depend on its bytes
and its language alone; what its path says of it (tests, vendored code) is added by `extract/path_flags`.
"""

from typing import Final

from symindex.extract.captures import Definition, Marker, Parsed
from symindex.extract.docs import Docs
from symindex.extract.languages.registry import Language
from symindex.extract.languages.rules import OfName, rules_of
from symindex.extract.parse import Memory, parse_definitions
from symindex.extract.records import Symbol, SymbolRow
from symindex.extract.scopes import Draft, nest
from symindex.extract.source_text import SourceText, fold_header, fold_space, trim_end
from symindex.protocol import SymbolFlag, SymbolKind

SIGNATURE_CHARACTERS: Final = 200
"""The longest signature, the mark of the cut included: a few lines of a terminal, some fifty tokens."""

_KIND_OF_WORD: Final = {kind.value: kind for kind in SymbolKind}

# Within this module kinds and flags are plain texts and numbers: what is done with them is done for every symbol.
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
"""What is no symbol directly inside a function: nobody looks it up by name from another place."""

_OUTSIDE: Final = frozenset({_NAMESPACE, SymbolKind.MODULE.value, SymbolKind.PACKAGE.value})
"""Containers whose own definitions stand outside of types."""


def extract_symbols(language: Language, data: bytes) -> tuple[list[Symbol], bool]:
    """The symbols of a file's bytes, in the order of their names in the file, and whether the grammar met something that it
    could not read, outside of bodies that define nothing. Never fails on bad source."""
    rows, has_error = extract_rows(language, data)
    return [Symbol(row[0], _KIND_OF_WORD[row[4]], row[1], *row[5:], row[2], row[3]) for row in rows], has_error


def extract_rows(language: Language, data: bytes, memory: Memory | None = None) -> tuple[list[SymbolRow], bool]:
    """As `extract_symbols`, in the form that is packed. memory: as for `parse_definitions`."""
    parsed = parse_definitions(language, data, memory)
    return build_rows(language, data, parsed), parsed.has_error


def build_rows(language: Language, data: bytes, parsed: Parsed) -> list[SymbolRow]:
    """The symbols that the findings of a query amount to, in the order of their names in the file."""
    reader = _Reader(language, data, parsed)
    once = reader.rules.once
    rows = []
    seen: set[tuple[str, str]] = set()
    for draft in nest(parsed, len(data)):
        if not draft.resolved:
            reader.resolve(draft)
        definition = draft.definition
        if draft.dropped or definition is None:
            continue
        if draft.kind in once:
            key = (draft.kind, draft.path)
            if key in seen:
                draft.dropped = True
                continue
            seen.add(key)
        rows.append(reader.row(draft, definition))
    return rows


LONGEST_PATH: Final = 400
"""Characters of a qualified name. All names around it are in each, so that those of a file whose definitions are deep in each
other would grow with the square of their number."""


def shortened(path: str) -> str:
    """A qualified name with its middle left out where it is too long."""
    if len(path) <= LONGEST_PATH:
        return path
    return f"{path[: LONGEST_PATH // 2]}…{path[1 - LONGEST_PATH // 2 :]}"


class OddLine:
    """Tells whether something that is not ASCII stands before a name in its line. Looks at a line once, however many names are
    in it, if they come in their order."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.line = self.end = -1
        self.is_odd = False

    def is_odd_before(self, name_start: int, column: int) -> bool:
        """Of the name that begins there, so many bytes behind the start of its line."""
        line = name_start - column
        if line != self.line or name_start < self.end:
            self.line = self.end = line
            self.is_odd = False
        if not self.is_odd:
            self.is_odd = not self.data[self.end : name_start].isascii()
        self.end = name_start
        return self.is_odd


class _Reader:
    """Reads names, signatures, docs and flags off a file's bytes by the rules of its language."""

    def __init__(self, language: Language, data: bytes, parsed: Parsed) -> None:
        self.rules = rules = rules_of(language)
        self.data = data
        text = SourceText(data)
        self.text = text.between
        self.docs = Docs(language, data, text, parsed.comments)
        # What no text of the file can hold is not searched in each.
        self.reads_headers = rules.test_header.may_be_in(text.letters) or rules.deprecated_header.may_be_in(text.letters)
        self.directives = rules.directives if rules.directives.may_be_in(text.letters) else None
        self.is_ascii = data.isascii()
        self.odd_line = OddLine(data)

    def resolve(self, draft: Draft) -> None:
        """Fills in name, container, kind and flags, those of its parents first."""
        parent = draft.parent
        if parent is None or parent.resolved:
            self._resolve_one(draft)
            return
        chain = []
        step: Draft | None = draft
        while step is not None and not step.resolved:
            chain.append(step)
            step = step.parent
        for step in reversed(chain):
            self._resolve_one(step)

    def _resolve_one(self, draft: Draft) -> None:
        draft.resolved = True
        draft.find_outer()
        definition = draft.definition
        if definition is not None:
            self._resolve_definition(draft, definition)
        elif draft.scope is not None and draft.scope.container is not None:
            outer = draft.outer
            draft.container = draft.path = self._join(outer, draft.scope.container)
            draft.flags = outer.flags & (_TEST | _LOCAL) if outer is not None else 0
            if draft.in_function:
                draft.flags |= _LOCAL

    def _resolve_definition(self, draft: Draft, definition: Definition) -> None:
        outer = draft.outer
        rules = self.rules
        kind = draft.kind
        if outer is not None and outer.kind in rules.inside:
            draft.kind = kind = rules.inside[outer.kind].get(kind, kind)
        if draft.in_function and (kind in VALUE_KINDS or definition.settings.is_never_local):
            draft.dropped = True
            return
        name = self.text(definition.name_start, definition.name_end)
        if rules.trims_plain_names or not name.isidentifier():
            name = self._trim_name(name)
        if kind == _NAMESPACE:
            name = self._join(None, name)
        container = definition.container
        draft.container = self._join(outer, container) if container else outer.path if outer is not None else ""
        draft.name = name
        if not name:
            draft.dropped = True
            draft.path = draft.container
            return
        told = rules.of_name(name)
        if told.is_constant and kind in VALUE_KINDS and not (kind == _PROPERTY and definition.body_byte >= 0):
            draft.kind = _CONSTANT
        elif kind == _METHOD and (
            name in rules.constructors or (rules.type_names_construct and name == draft.container.rpartition(".")[2])
        ):
            draft.kind = _CONSTRUCTOR
        draft.path = shortened(f"{draft.container}.{name}") if draft.container else name
        if told.is_blank:
            draft.dropped = True
        else:
            self._read_flags(draft, definition, told)

    def _trim_name(self, name: str) -> str:
        """The name without quotes and what else is no part of it."""
        rules = self.rules
        name = fold_space(name)
        if len(name) > 1 and name[0] == name[-1] and name[0] in rules.name_trim:
            name = name[1:-1]
        elif rules.name_until:
            name = name.partition(rules.name_until)[0]
        return name.removeprefix(rules.name_prefix)

    def _join(self, outer: Draft | None, container: str) -> str:
        for separator in self.rules.separators:
            container = container.replace(separator, ".")
        container = fold_space(container).strip("." + self.rules.name_trim)
        path = outer.path if outer is not None else ""
        return shortened(f"{path}.{container}" if path and container else path or container)

    def row(self, draft: Draft, definition: Definition) -> SymbolRow:
        """The finished symbol of a resolved draft."""
        name_start, name_end, column = definition.name_start, definition.name_end, definition.name_column
        name, flags, row = draft.name, draft.flags, definition.name_row
        # A blank may stand for a line break; what else differs and is as long, as a separator, is as wide.
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
        if not self.is_ascii and self.odd_line.is_odd_before(name_start, column):
            flags |= _ODD_PLACE
        end, end_row = definition.end_byte, definition.end_row
        if draft.end > end:
            end_row += self.data.count(b"\n", end, draft.end)
            end = draft.end
        start, start_row = definition.start_byte, definition.start_row
        if draft.first < start:
            start_row -= self.data.count(b"\n", draft.first, start)
            start = draft.first
        signature = self._signature(draft, definition)
        if definition.settings.only_declares or self.rules.declarations.is_in(signature):
            flags |= _DECLARATION
        return (
            name,
            draft.container,
            signature,
            draft.doc,
            draft.kind,
            flags,
            start,
            end,
            start_row,
            end_row,
            name_start,
            name_end,
            row,
            column,
        )

    def _signature(self, draft: Draft, definition: Definition) -> str:
        limit = SIGNATURE_CHARACTERS * 8  # bytes; folding white space shortens, so more is read than is kept
        start, body = definition.header_byte, definition.body_byte
        end = min(definition.end_byte if body < 0 else body, max(start, definition.name_start) + limit)
        text = self.text(start, end)
        if self.docs.has_comment(start, end):
            text = self.docs.cut_out(start, end)
        if 0 <= body < definition.name_start:  # `typedef struct {...} Name`
            text += " " + self.text(definition.body_end, min(definition.end_byte, definition.body_end + limit))
        if self.directives is not None:
            text = self.directives.replace("", text)
        text = fold_header(text)
        attributes = self.rules.attributes
        if attributes.begin_with is None or text[:1] in attributes.begin_with:
            text = self._strip_attributes(text)
        text = trim_end(text)
        outer = draft.outer
        if outer is not None and outer.scope is not None and outer.scope.in_signature:
            header = fold_header(self._without_comments(outer.scope.header_byte, outer.scope.start_byte))
            text = f"{header} {{ {text} }}"
        return text if len(text) <= SIGNATURE_CHARACTERS else text[: SIGNATURE_CHARACTERS - 1] + "…"

    def _without_comments(self, start: int, end: int) -> str:
        """The text from `start` to `end`, a line break for each comment that lies between."""
        if not self.docs.has_comment(start, end):
            return self.text(start, end)
        return self.docs.cut_out(start, end)

    def _strip_attributes(self, text: str) -> str:
        regex = self.rules.attributes.regex
        if regex is not None and self.rules.attributes.can_be_in(text):
            while (match := regex.match(text)) is not None and match.end() > 0:
                text = text[match.end() :].lstrip()
        return text

    def _read_flags(self, draft: Draft, definition: Definition, told: OfName) -> None:
        """Fills in doc, flags, and where it begins."""
        rules, settings, outer = self.rules, definition.settings, draft.outer
        draft.doc, attributes, draft.first = self.docs.of(definition)
        head = attributes + self._head(definition)
        is_outside = rules.words_differ_outside and (outer is None or outer.kind in _OUTSIDE)
        words = rules.of_head(head, is_outside)
        visibility = settings.visibility
        if not visibility and draft.parent is not None and draft.parent.named is not None:
            visibility = self._named(draft.parent.named, draft.name)
        if not visibility:
            visibility = words.visibility if words.visibility is not None else told.visibility
            if words.visibility is None and not visibility:
                visibility = self._visibility_of_place(draft, definition)
        outer_flags = outer.flags if outer is not None else 0
        if visibility == "container":
            visibility = "exported" if outer is None or outer_flags & _EXPORTED else "private" if outer_flags & _PRIVATE else ""
        flags = outer_flags & _TEST
        # A test case is run from outside, wherever it stands.
        if settings.flag != "test" and (draft.in_function or outer_flags & _LOCAL):
            flags |= _LOCAL
        elif visibility == "exported":
            flags |= _EXPORTED
        if visibility == "private":
            flags |= _PRIVATE
        if settings.flag:
            flags |= _TEST if settings.flag == "test" else _DEPRECATED
        if words.is_test or told.is_test:
            flags |= _TEST
        if words.is_deprecated or told.is_deprecated:
            flags |= _DEPRECATED
        if self.reads_headers:
            header = head + self.text(definition.name_start, max(definition.name_end, definition.body_byte))
            if rules.test_header.is_in(header):
                flags |= _TEST
            if rules.deprecated_header.is_in(header):
                flags |= _DEPRECATED
        if draft.doc:
            if rules.test_doc.is_in(draft.doc):
                flags |= _TEST
            if rules.deprecated_doc.is_in(draft.doc):
                flags |= _DEPRECATED
        draft.flags = flags

    def _head(self, definition: Definition) -> str:
        """What stands before the name, without the body where that stands before it, too (`typedef struct {...} Name`)."""
        start, name = definition.start_byte, definition.name_start
        if start <= definition.body_byte < name:
            return f"{self.text(start, definition.body_byte)} {self.text(definition.body_end, name)}"
        return self.text(start, name)

    def _visibility_of_place(self, draft: Draft, definition: Definition) -> str:
        """The visibility of what neither its words nor its name tell it of."""
        marker = draft.parent.section_before(definition.start_byte) if draft.parent is not None else None
        if marker is not None:
            return marker.visibility
        default = self.rules.default_visibility
        return default if draft.outer is None else self.rules.visibility_inside.get(draft.outer.kind, default)

    def _named(self, named: dict[str, Marker], name: str) -> str:
        """The visibility that is set for this name, written with or without its prefix (`private :name`)."""
        marker = named.get(name) or named.get(self.rules.name_prefix + name)
        return marker.visibility if marker is not None else ""
