"""What a symbol is and what else is known about it: kinds and flags."""

from enum import IntFlag, StrEnum
from typing import Final, NamedTuple

from symindex.errors import one_of


class KindRow(NamedTuple):
    """What is fixed about a kind.

    code: the number stored in index files; never renumbered. 1 to 26 are the LSP's own. lsp: the
    code that an LSP client is shown, and the kind whose filter includes this one. quality: the
    order of equally good matches, 0 first: types, then what can be called, then values, then the
    rest.
    """

    code: int
    lsp: int
    quality: int


class SymbolKind(StrEnum):
    """What a symbol is: the 26 kinds of the Language Server Protocol and five additions."""

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
"""The kinds of what stands in data, which comes after all code in an answer."""

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
"""What else people and models write for a kind."""

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
    """The kind that a word of a request means; case does not matter. Raises RequestError that lists
    the kinds."""
    lower = word.strip().lower()
    kind = _KIND_OF_LOWER.get(KIND_SHORT_FORMS.get(lower, lower).lower()) or _KIND_OF_LOWER.get(
        lower.removesuffix("s")
    )
    if kind is None:
        raise one_of("kind", word, list(SymbolKind))
    return kind


def expand_kinds(kinds: list[str]) -> frozenset[int]:
    """The stored codes that a kind filter lets through: an LSP kind includes its additions
    (`interface`: `trait`)."""
    wanted = {KINDS[parse_kind(word)].code for word in kinds}
    return frozenset(row.code for row in KINDS.values() if row.code in wanted or row.lsp in wanted)


class SymbolFlag(IntFlag):
    """What else is known about a symbol. Stored as a number: bits are never reused."""

    EXPORTED = 1
    PRIVATE = 2
    LOCAL = 4
    TEST = 8
    DEPRECATED = 16
    GENERATED = 32
    VENDORED = 64
    ODD_PLACE = 128
    """The name and its column in bytes do not give the columns that an editor counts by: something
    that is not ASCII precedes the name in its line, or the file has the name in another form than
    the index."""
    DECLARATION = 256
    """It only announces a definition that stands elsewhere, as a prototype does."""
    BROKEN = 512
    """An error cuts a container of its file, so that members may stand outside of it."""
    CONFLICTED = 1024
    """Its file holds the markers of an unfinished merge."""


TOLD_FLAGS: Final = tuple(flag for flag in SymbolFlag if flag is not SymbolFlag.ODD_PLACE)
"""The flags that answers show."""


def words_of_flags(flags: int) -> list[str]:
    """The flags that answers show, as words."""
    return [str(flag.name).lower() for flag in TOLD_FLAGS if flags & flag]
