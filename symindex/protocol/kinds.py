"""Kinds and flags of symbols."""

from enum import IntFlag, StrEnum
from typing import Final, NamedTuple

from symindex.errors import one_of


class KindRow(NamedTuple):
    """The fixed properties of a kind.

    code: the number in index files, which never changes; 1 to 26 are LSP's own. lsp: the code that
    LSP clients get, and the kind whose filter includes this one. quality: the order of equally good
    matches, 0 first: types, then callables, then values, then the rest.
    """

    code: int
    lsp: int
    quality: int


class SymbolKind(StrEnum):
    """The kind of a symbol: the 26 kinds of the Language Server Protocol and five more."""

    row: KindRow

    def __new__(cls, word: str, *row: int) -> "SymbolKind":
        kind = str.__new__(cls, word)
        kind._value_, kind.row = word, KindRow(*row)
        return kind

    # The word, then its KindRow: code, lsp, quality.

    FILE = "file", 1, 1, 4
    MODULE = "module", 2, 2, 3
    NAMESPACE = "namespace", 3, 3, 3
    PACKAGE = "package", 4, 4, 3
    CLASS = "class", 5, 5, 0
    METHOD = "method", 6, 6, 1
    PROPERTY = "property", 7, 7, 2
    FIELD = "field", 8, 8, 2
    CONSTRUCTOR = "constructor", 9, 9, 1
    ENUM = "enum", 10, 10, 0
    INTERFACE = "interface", 11, 11, 0
    FUNCTION = "function", 12, 12, 1
    VARIABLE = "variable", 13, 13, 2
    CONSTANT = "constant", 14, 14, 2
    STRING = "string", 15, 15, 4
    NUMBER = "number", 16, 16, 4
    BOOLEAN = "boolean", 17, 17, 4
    ARRAY = "array", 18, 18, 4
    OBJECT = "object", 19, 19, 4
    KEY = "key", 20, 20, 4
    NULL = "null", 21, 21, 4
    ENUM_MEMBER = "enumMember", 22, 22, 2
    STRUCT = "struct", 23, 23, 0
    EVENT = "event", 24, 24, 2
    OPERATOR = "operator", 25, 25, 1
    TYPE_PARAMETER = "typeParameter", 26, 26, 4
    TRAIT = "trait", 27, 11, 0
    MACRO = "macro", 28, 12, 1
    TYPE = "type", 29, 5, 0
    SECTION = "section", 30, 15, 4
    ITEM = "item", 31, 15, 4


KINDS: Final = {kind: kind.row for kind in SymbolKind}

DATA_KINDS: Final = frozenset({SymbolKind.KEY, SymbolKind.OBJECT})
"""The kinds of keys and tables of data, which follow all code in an answer."""

KIND_OF_CODE: Final = {row.code: kind for kind, row in KINDS.items()}

CALLABLE_KINDS: Final = frozenset(kind for kind, row in KINDS.items() if row.quality == 1)

_KIND_OF_LOWER: Final = {str(kind).lower(): kind for kind in SymbolKind}

KIND_SHORT_FORMS: Final = {
    "fn": "function",
    "func": "function",
    "def": "function",
    "fun": "function",
    "sub": "function",
    "proc": "function",
    "const": "constant",
    "var": "variable",
    "let": "variable",
    "val": "variable",
    "cls": "class",
    "ctor": "constructor",
    "prop": "property",
    "attr": "property",
    "member": "field",
    "ns": "namespace",
    "mod": "module",
    "pkg": "package",
    "protocol": "interface",
    "iface": "interface",
    "typedef": "type",
    "alias": "type",
    "record": "struct",
    "union": "struct",
    "enum_member": "enumMember",
    "variant": "enumMember",
    "define": "macro",
    "heading": "section",
}
"""Other words that people and models write for a kind."""

AGENT_KINDS: Final = (
    "class",
    "interface",
    "trait",
    "struct",
    "enum",
    "type",
    "function",
    "method",
    "constructor",
    "field",
    "property",
    "constant",
    "variable",
    "enumMember",
    "macro",
    "module",
    "namespace",
)
"""The kinds that the schemas of tools list."""


def parse_kind(word: str) -> SymbolKind:
    """Returns the kind that a word of a request means, in any case. Raises RequestError, which
    lists the kinds."""
    lower = word.strip().lower()
    kind = _KIND_OF_LOWER.get(KIND_SHORT_FORMS.get(lower, lower).lower()) or _KIND_OF_LOWER.get(
        lower.removesuffix("s")
    )
    if kind is None:
        raise one_of("kind", word, list(SymbolKind))
    return kind


def expand_kinds(kinds: list[str]) -> frozenset[int]:
    """Returns the stored codes that pass a filter by kind. A kind of LSP includes symindex's
    additions to it: `interface` includes `trait`."""
    codes = {KINDS[parse_kind(word)].code for word in kinds}
    return frozenset(row.code for row in KINDS.values() if row.code in codes or row.lsp in codes)


class SymbolFlag(IntFlag):
    """Properties of a symbol besides its kind. Stored as a number, so bits are never reused."""

    EXPORTED = 1
    PRIVATE = 2
    LOCAL = 4
    TEST = 8
    DEPRECATED = 16
    GENERATED = 32
    VENDORED = 64
    ODD_PLACE = 128
    """An editor's columns cannot be computed from the name and its byte offset: the line contains
    other characters than ASCII before the name, or the file spells the name differently from the
    index."""
    DECLARATION = 256
    """It only announces a definition elsewhere, as a prototype does."""
    BROKEN = 512
    """A syntax error cuts a container of its file, so its members may be outside of it."""
    CONFLICTED = 1024
    """Its file contains the markers of an unfinished merge."""
    MOSTLY_CODE = 2048
    """Of a section or an item: most of its text is code."""


_UNTOLD: Final = SymbolFlag.ODD_PLACE | SymbolFlag.MOSTLY_CODE

TOLD_FLAGS: Final = tuple(flag for flag in SymbolFlag if flag not in _UNTOLD)
"""The flags that answers show."""


def words_of_flags(flags: int) -> list[str]:
    """Returns the flags that answers show, as words."""
    return [str(flag.name).lower() for flag in TOLD_FLAGS if flags & flag]
