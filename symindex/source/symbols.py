"""Definitions to symbols: qualified names, kinds in context, signatures, docs and flags.

Everything that differs between languages comes from the rules of their folders. The symbols of a file depend on its bytes
and its language alone; what its path says of it (tests, vendored code) is added by `source/origin`.
"""

import re
from typing import Final

from symindex.protocol import SymbolFlag, SymbolKind
from symindex.source.docs import Docs
from symindex.source.languages import Language, MarkRules, compile_pattern
from symindex.source.nesting import Draft, nest
from symindex.source.parse import Definition, Parsed, parse_definitions
from symindex.source.records import Symbol

SIGNATURE_CHARACTERS: Final = 200
"""The longest signature, the mark of the cut included: a few lines of a terminal, some fifty tokens."""

VALUE_KINDS: Final = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY, SymbolKind.FIELD})
"""What is no symbol directly inside a function: nobody looks it up by name from another place."""

_OUTSIDE: Final = frozenset({SymbolKind.NAMESPACE, SymbolKind.MODULE, SymbolKind.PACKAGE})
"""Containers whose own definitions stand outside of types."""


def extract_symbols(language: Language, data: bytes) -> tuple[list[Symbol], bool]:
    """The symbols of a file's bytes, in the order of their names in the file, and whether the grammar met something that it
    could not read. Never fails on bad source."""
    parsed = parse_definitions(language, data)
    return build_symbols(language, data, parsed), parsed.has_error


def build_symbols(language: Language, data: bytes, parsed: Parsed) -> list[Symbol]:
    """The symbols that the findings of a query amount to, in the order of their names in the file."""
    reader = _Reader(language, data, parsed)
    symbols = []
    seen: set[tuple[SymbolKind, str]] = set()
    for draft in nest(parsed, len(data)):
        reader.resolve(draft)
        if draft.dropped or draft.definition is None:
            continue
        if draft.kind in language.once:
            key = (draft.kind, draft.qualified_name)
            if key in seen:
                draft.dropped = True
                continue
            seen.add(key)
        symbols.append(reader.symbol(draft, draft.definition))
    return symbols


class _Reader:
    """Reads names, signatures, docs and flags off a file's bytes by the rules of its language."""

    def __init__(self, language: Language, data: bytes, parsed: Parsed) -> None:
        self.language = language
        self.rules = language.rules
        self.data = data
        self.docs = Docs(language, data, parsed.comments)

    def resolve(self, draft: Draft) -> None:
        """Fills in name, container, kind and flags, those of its parents first."""
        chain = []
        step: Draft | None = draft
        while step is not None and not step.resolved:
            chain.append(step)
            step = step.parent
        for step in reversed(chain):
            step.resolved = True
            if step.definition is not None:
                self._resolve_definition(step, step.definition)
            elif step.scope is not None and step.scope.container is not None:
                step.container = self._join(step.outer, step.scope.container)
                step.flags = step.outer.flags & (SymbolFlag.TEST | SymbolFlag.LOCAL) if step.outer else SymbolFlag(0)
                if step.in_function:
                    step.flags |= SymbolFlag.LOCAL

    def _resolve_definition(self, draft: Draft, definition: Definition) -> None:
        outer = draft.outer
        if outer is not None:
            draft.kind = self.language.kind_inside.get(outer.kind, {}).get(draft.kind, draft.kind)
        if (draft.kind in VALUE_KINDS or definition.settings.get("local") == "none") and draft.in_function:
            draft.dropped = True
            return
        draft.name = self._trim(fold_space(self._text(definition.name_start, definition.name_end)))
        if draft.kind is SymbolKind.NAMESPACE:
            draft.name = self._join(None, draft.name)
        draft.container = self._join(outer, definition.container or "")
        has_accessor = draft.kind is SymbolKind.PROPERTY and definition.body_byte >= 0
        if draft.kind in VALUE_KINDS and not has_accessor and self._is_constant(draft.name):
            draft.kind = SymbolKind.CONSTANT
        if draft.kind is SymbolKind.METHOD and self.rules.constructors:
            type_name = draft.container.rsplit(".", 1)[-1]
            if draft.name in self.rules.constructors or ("=" in self.rules.constructors and draft.name == type_name):
                draft.kind = SymbolKind.CONSTRUCTOR
        draft.dropped = self._is_blank(draft.name)
        if not draft.dropped:
            draft.flags = self._flags(draft, definition)

    def _is_blank(self, name: str) -> bool:
        return not name or (self.rules.blank_names != "" and search(self.rules.blank_names, name))

    def _is_constant(self, name: str) -> bool:
        return bool(self.rules.constants) and search(self.rules.constants, name)

    def _join(self, outer: Draft | None, container: str) -> str:
        for separator in self.rules.separators:
            container = container.replace(separator, ".")
        container = fold_space(container).strip("." + self.rules.name_trim)
        return ".".join(part for part in (outer.qualified_name if outer is not None else "", container) if part)

    def _text(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "replace")

    def _trim(self, name: str) -> str:
        if len(name) > 1 and name[0] == name[-1] and name[0] in self.rules.name_trim:
            name = name[1:-1]
        elif self.rules.name_until:
            name = name.partition(self.rules.name_until)[0]
        return name.removeprefix(self.rules.name_prefix)

    def symbol(self, draft: Draft, definition: Definition) -> Symbol:
        """The finished symbol of a resolved draft."""
        raw = self.data[definition.name_start : definition.name_end]
        name = draft.name.encode()
        cut = max(raw.find(name), 0)
        end = max(definition.end_byte, draft.end)
        return Symbol(
            name=draft.name,
            kind=draft.kind,
            container=draft.container,
            flags=int(draft.flags),
            start_byte=definition.start_byte,
            end_byte=end,
            start_row=definition.start_row,
            end_row=definition.end_row + self.data.count(b"\n", definition.end_byte, end),
            name_start=definition.name_start + cut,
            name_end=definition.name_start + cut + len(name) if name in raw else definition.name_end,
            name_row=definition.name_row,
            name_column=definition.name_column + cut,
            signature=self._signature(draft, definition),
            doc=draft.doc,
        )

    def _signature(self, draft: Draft, definition: Definition) -> str:
        limit = SIGNATURE_CHARACTERS * 8  # bytes; folding white space shortens, so more is read than is kept
        start = definition.header_byte
        end = definition.end_byte if definition.body_byte < 0 else definition.body_byte
        text = self.docs.cut_out(start, min(end, max(start, definition.name_start) + limit)).decode("utf-8", "replace")
        if 0 <= definition.body_byte < definition.name_start:  # `typedef struct {...} Name`
            text += " " + self._text(definition.body_end, min(definition.end_byte, definition.body_end + limit))
        if self.rules.directives:
            text = compile_pattern(self.rules.directives).sub("", text)
        text = _TRAILING.sub("", self._strip_attributes(fold_header(text)))
        outer = draft.outer
        if outer is not None and outer.scope is not None and outer.scope.in_signature:
            header = fold_header(self.docs.cut_out(outer.scope.header_byte, outer.scope.start_byte).decode("utf-8", "replace"))
            text = f"{header} {{ {text} }}"
        return text if len(text) <= SIGNATURE_CHARACTERS else text[: SIGNATURE_CHARACTERS - 1] + "…"

    def _strip_attributes(self, text: str) -> str:
        if not self.rules.attributes:
            return text
        pattern = compile_pattern(self.rules.attributes)
        while (match := pattern.match(text)) is not None and match.end() > 0:
            text = text[match.end() :].lstrip()
        return text

    def _flags(self, draft: Draft, definition: Definition) -> SymbolFlag:
        draft.doc, attributes = self.docs.of(definition)
        outer = draft.outer
        outer_flags = outer.flags if outer is not None else SymbolFlag(0)
        head = attributes + self._head(definition)
        header = head + self._text(definition.name_start, max(definition.name_end, definition.body_byte))
        visibility = definition.settings.get("visibility") or self._named(draft) or self._visibility(draft, definition, head)
        if visibility == "container":
            visibility = _visibility_of(outer)
        flag = definition.settings.get("flag")
        flags = outer_flags & SymbolFlag.TEST
        # A test case is run from outside, wherever it stands.
        if flag != "test" and (draft.in_function or outer_flags & SymbolFlag.LOCAL):
            flags |= SymbolFlag.LOCAL
        elif visibility == "exported":
            flags |= SymbolFlag.EXPORTED
        if visibility == "private":
            flags |= SymbolFlag.PRIVATE
        if flag == "test" or _is_marked(self.rules.test, head, header, draft):
            flags |= SymbolFlag.TEST
        if flag == "deprecated" or _is_marked(self.rules.deprecated, head, header, draft):
            flags |= SymbolFlag.DEPRECATED
        return flags

    def _head(self, definition: Definition) -> str:
        """What stands before the name, without the body where that stands before it, too (`typedef struct {...} Name`)."""
        start, name = definition.start_byte, definition.name_start
        if start <= definition.body_byte < name:
            return f"{self._text(start, definition.body_byte)} {self._text(definition.body_end, name)}"
        return self._text(start, name)

    def _visibility(self, draft: Draft, definition: Definition, head: str) -> str:
        rules = self.rules.visibility
        outer = draft.outer
        is_top = rules.private_words_outside and (outer is None or outer.kind in _OUTSIDE)
        for word in _WORD.findall(head):
            if word in rules.exported_words:
                return "exported"
            if word in rules.private_words or (is_top and word in rules.private_words_outside):
                return "private"
            if word in rules.neither_words:
                return ""
        if rules.private_names and search(rules.private_names, draft.name):
            return "private"
        if rules.exported_names and search(rules.exported_names, draft.name):
            return "exported"
        marker = draft.parent.section_before(definition.start_byte) if draft.parent is not None else None
        if marker is not None:
            return marker.visibility
        return rules.default if outer is None else rules.inside.get(outer.kind, rules.default)

    def _named(self, draft: Draft) -> str:
        """The visibility that is set for this name, written with or without its prefix (`private :name`)."""
        named = draft.parent.named if draft.parent is not None else {}
        marker = named.get(draft.name) or (named.get(self.rules.name_prefix + draft.name) if named else None)
        return marker.visibility if marker is not None else ""


_TRAILING = re.compile(r"(?:\s*(?:\{|=>|[=:;,(]))+$")
_WORD = re.compile(r'"[^"\n]*"|[\w#@.-]+')  # strings, dotted names (`@kotlin.internal.InlineOnly`) and words
_SPACE = re.compile(r"\s+")
_BRACKET_BREAK = re.compile(r"(?:(?<=[(\[])|(?<=\w<))[ \t]*\r?\n\s*|[ \t]*\r?\n\s*(?=[)\]>,])")


def fold_space(text: str) -> str:
    """One blank for every run of white space, none at the ends."""
    return _SPACE.sub(" ", text).strip()


def fold_header(text: str) -> str:
    """White space folded; a line break next to a bracket that it opens or closes, or before a comma, leaves no blank, nor
    the backslash before it."""
    if "\n" in text:
        text = _BRACKET_BREAK.sub("", text.replace("\\\n", "\n").replace("\\\r\n", "\n"))
    return fold_space(text)


def search(pattern: str, text: str) -> bool:
    """Whether the pattern of a language's rules is found in the text."""
    return compile_pattern(pattern).search(text) is not None


def _visibility_of(outer: Draft | None) -> str:
    """As visible as the enclosing symbol is; a file's own definitions are seen."""
    if outer is None or outer.flags & SymbolFlag.EXPORTED:
        return "exported"
    return "private" if outer.flags & SymbolFlag.PRIVATE else ""


def _is_marked(rules: MarkRules, head: str, header: str, draft: Draft) -> bool:
    return bool(
        (rules.head and head and search(rules.head, head))
        or (rules.header and search(rules.header, header))
        or (rules.names and search(rules.names, draft.name))
        or (rules.doc and draft.doc and search(rules.doc, draft.doc))
    )
