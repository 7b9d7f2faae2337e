"""The contract that all doors share: symbol kinds, requests, responses.

The search structs have the fields, defaults and nullability of the LSAP Search API. What symindex adds is optional and
absent (`UNSET`) unless it was asked for, so that a plain request and its answer hold exactly the fields of the contract.
"""

import re
from collections.abc import Iterable
from enum import IntFlag, StrEnum
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import one_of


class KindRow(NamedTuple):
    """What is fixed about a kind.

    code: the number stored in index files; never renumbered. 1 to 26 are the LSP's own.
    lsp: the code that an LSP client is shown, and the kind whose filter includes this one.
    quality: the order of equally good matches, 0 first: types, then what can be called, then values, then the rest.
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

KIND_OF_CODE: Final = {row.code: kind for kind, row in KINDS.items()}

CALLABLE_KINDS: Final = frozenset(kind for kind, row in KINDS.items() if row.quality == 1)

_KIND_OF_LOWER: Final = {str(kind).lower(): kind for kind in SymbolKind}

KIND_SHORT_FORMS: Final = {
    "fn": "function", "func": "function", "def": "function", "fun": "function", "sub": "function", "proc": "function",
    "const": "constant", "var": "variable", "let": "variable", "val": "variable", "cls": "class", "ctor": "constructor",
    "prop": "property", "attr": "property", "member": "field", "ns": "namespace", "mod": "module", "pkg": "package",
    "protocol": "interface", "iface": "interface", "typedef": "type", "alias": "type", "record": "struct", "union": "struct",
    "enum_member": "enumMember", "variant": "enumMember", "define": "macro", "heading": "section",
}  # fmt: skip
"""What else people and models write for a kind."""

AGENT_KINDS: Final = (
    "class", "interface", "trait", "struct", "enum", "type", "function", "method", "constructor", "field", "property", "constant",
    "variable", "enumMember", "macro", "module", "namespace",
)  # fmt: skip
"""The kinds that the schemas of tools list."""


def parse_kind(word: str) -> SymbolKind:
    """The kind that a word of a request means; case does not matter. Raises RequestError that lists the kinds."""
    lower = word.strip().lower()
    kind = _KIND_OF_LOWER.get(KIND_SHORT_FORMS.get(lower, lower).lower()) or _KIND_OF_LOWER.get(lower.removesuffix("s"))
    if kind is None:
        raise one_of("kind", word, list(SymbolKind))
    return kind


def expand_kinds(kinds: list[str]) -> frozenset[int]:
    """The stored codes that a kind filter lets through: an LSP kind includes its additions (`interface`: `trait`)."""
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
    """The name and its column in bytes do not give the columns that an editor counts by: something that is not ASCII precedes
    the name in its line, or the file has the name in another form than the index."""
    DECLARATION = 256
    """It only announces a definition that stands elsewhere, as a prototype does."""


TOLD_FLAGS: Final = tuple(flag for flag in SymbolFlag if flag is not SymbolFlag.ODD_PLACE)
"""The flags that answers show."""


def words_of_flags(flags: int) -> list[str]:
    """The flags that answers show, as words."""
    return [str(flag.name).lower() for flag in TOLD_FLAGS if flags & flag]


class SearchRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """A search, as in the LSAP contract; fields after `pagination_id` are symindex's own and optional.

    Args:
        query: the text to search for, in the language of `symindex/search/README.md`. Empty lists the best symbols.
        kinds: only symbols of these kinds; `None` or empty means all.
        max_items: at most this many items on the page (1 or more); `None` means all.
        start_index: how many of the hits to skip (0 or more).
        pagination_id: the token of an earlier response to the same query; the page that follows it is returned.
        languages: only symbols of files in these languages.
        paths: only files that match one of these globs; globs with a leading `!` exclude.
        fuzzy: `True` forces the weak tiers (typo, subsequence), `False` forbids them. By default they are used where the
            strong tiers find fewer than ten. Or `{"enabled": bool, "max_distance": n}`.
        include: more fields on each item: any of `id`, `signature`, `doc`, `range`, `score`, `language`, `flags`,
            `metadata`, `snippet`.
        limit, offset: other names of `max_items` and `start_index`; answers show these.
        fields: by field, a query that must match there as well.
        filters: by field, an exact value, or a list of which one must match; `!value` excludes; `date_from`, `date_to`.
        proximity: `{"enabled": bool, "max_distance": n}`: the words stand with at most so many others between them.
        sort_by: `score`, `date` (of the file, newest first) or `name`.
        scope: a type, and perhaps a namespace behind it: `class.src.auth.*`, `tool.rye.core.*`; any of several.
        type: a kind of symbols, a type of items, `symbol` (the default), `section`, `item` or `all`; any of several.
        space: `project`, `user`, `system` or `all`.

    What the options from `limit` on mean in detail stands in `symindex/search/options/read`.
    """

    query: str
    kinds: list[str] | None = None
    max_items: int | None = None
    start_index: int = 0
    pagination_id: str | None = None
    languages: list[str] | UnsetType = UNSET
    paths: list[str] | UnsetType = UNSET
    fuzzy: bool | dict[str, Any] | UnsetType = UNSET
    include: list[str] | UnsetType = UNSET
    limit: int | UnsetType | None = UNSET
    offset: int | UnsetType = UNSET
    fields: dict[str, Any] | UnsetType = UNSET
    filters: dict[str, Any] | UnsetType = UNSET
    proximity: dict[str, Any] | UnsetType = UNSET
    sort_by: str | UnsetType = UNSET
    scope: str | list[str] | UnsetType = UNSET
    space: str | UnsetType = UNSET
    type: str | list[str] | UnsetType = UNSET


ITEM_EXTRAS: Final = ("id", "signature", "doc", "range", "score", "language", "flags", "metadata", "snippet")

ITEM_NEEDS: Final = ("id", "signature", "doc", "score", "metadata", "snippet")
"""What a request has to include for an answer in the form of rye_search."""


LABEL_IN_PATH: Final = re.compile(r"[a-z]+:.+?@[^/@]+(?=/)")
"""What the path of a file in a package begins with in answers, as `pypi:httpx@0.27.0`."""


class Range(msgspec.Struct, kw_only=True):
    """The lines of a definition, 1-based, both ends included."""

    start_line: int
    end_line: int


class SearchItem(msgspec.Struct, kw_only=True):
    """One symbol that matched. The first five fields are the contract's; the others appear when `include` names them.

    file_path: relative to the workspace, with forward slashes. line: of the name, 1-based.
    container: the qualified name of the enclosing symbol, `None` at the top of a file. flags: words as `test`.
    kind: of an item, its type; container: its category. metadata: of an item, all its fields, and its `id` and `type`.
    snippet: of a section or an item, about 300 characters of its text around what was looked for, cut from its file; of a symbol,
    the beginning of its doc. changed: true where that file is not as it was indexed; else absent.
    space, package: of what is not of the project, where it comes from, as `system` and `pypi:httpx@0.27.0`. shadows: the spaces
    in which an item hides others of its id; shadowed_by: the space of the one that hides it; absent where nothing is hidden.
    """

    name: str
    kind: str
    file_path: str
    line: int
    container: str | None
    id: str | UnsetType = UNSET
    signature: str | UnsetType = UNSET
    doc: str | UnsetType = UNSET
    range: Range | UnsetType = UNSET
    score: float | UnsetType = UNSET
    language: str | UnsetType = UNSET
    flags: list[str] | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET
    snippet: str | UnsetType = UNSET
    changed: bool | UnsetType = UNSET
    space: str | UnsetType = UNSET
    package: str | UnsetType = UNSET
    shadows: list[dict[str, str]] | UnsetType = UNSET
    shadowed_by: str | UnsetType = UNSET


class SearchResponse(msgspec.Struct, kw_only=True):
    """The answer to a SearchRequest, as in the contract.

    notices: what the reader must know to trust the answer, such as that the index changed between two pages, or that files
        could not be read; absent where there is nothing to say.
    suggestions: names like the query; absent unless nothing matched and there are some.
    text: where no symbol holds all words of a question, what documents, docs and notes say to it, as `TextHit`s of
        `search/prose/contract`; else absent.
    """

    request: SearchRequest
    items: list[SearchItem]
    start_index: int
    max_items: int | None
    total: int
    has_more: bool
    pagination_id: str | None
    notices: list[str] | UnsetType = UNSET
    suggestions: list[str] | UnsetType = UNSET
    text: list[Any] | UnsetType = UNSET


class OutlineRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The definitions of a file, a folder or the files that a glob matches, as a tree.

    Args:
        path: relative to the workspace; empty for all of it.
        depth: how many levels to show below `path`: folders, files, symbols, their members; `None` means all.
        kinds: only symbols of these kinds, and their containers; `None` or empty means all.
        max_tokens: about this many tokens at most; the largest parts are collapsed first. `None` means all.
        include: `signature` adds the signatures of the symbols.
    """

    path: str = ""
    depth: int | None = None
    kinds: list[str] | None = None
    max_tokens: int | None = None
    include: list[str] | UnsetType = UNSET


class OutlineItem(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A row of an outline.

    kind: `folder`, `file`, or the kind of a symbol. name: a path for folders and files; a symbol's name, or its qualified name
    where the row above is not its container. line, end_line: of a symbol's definition, 1-based. symbols, files: how many there
    are below, of the kinds that were asked for. hidden: how many of these are not shown; a symbol that hides some has an id.
    omitted: how many rows of the next level are missing where others of that level are shown.
    """

    name: str
    kind: str
    line: int = 0
    end_line: int = 0
    signature: str = ""
    language: str = ""
    files: int = 0
    symbols: int = 0
    hidden: int = 0
    id: str = ""
    omitted: int = 0
    items: "list[OutlineItem]" = []


class OutlineResponse(msgspec.Struct, kw_only=True):
    """The answer to an OutlineRequest.

    path: as it was understood. files, symbols: how many there are, shown or not; symbols inside functions do not count.
    hidden: how many of both `max_tokens` or `depth` leave out; omitted: how many rows of the first level are missing.
    """

    request: OutlineRequest
    path: str
    files: int
    symbols: int
    hidden: int
    omitted: int
    items: list[OutlineItem]
    notices: list[str] | UnsetType = UNSET


class SymbolRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One symbol with its code, doc and members.

    Args:
        symbol: its id (`path#Qualified.name`), its name, qualified or not and as code or a trace writes it, `path#name`, a
        place as `path:line`, a frame of a trace; or lines of any text file, `path:75-90`.
        lines: the lines of the file to show instead of the symbol's own, as `120-180`; `None` means its own, if they fit.
        path: only a symbol of this file, of a file in this folder, or that this glob matches.
        siblings: whether to list the other members of its container.
        max_tokens: about this many tokens of code and members at most; `None` means all.
    """

    symbol: str
    lines: str | None = None
    siblings: bool = False
    max_tokens: int | None = None
    path: str | UnsetType = UNSET


class SymbolLine(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A symbol in a list. id: empty for a member of the symbol that is shown."""

    name: str
    kind: str
    file_path: str
    line: int
    end_line: int
    container: str | None = None
    id: str = ""
    signature: str = ""


class SymbolDetail(msgspec.Struct, kw_only=True):
    """One symbol.

    container_chain: the enclosing symbols, outermost first. code: the lines from `code_start_line` to `code_end_line`; is_whole:
    whether these are all of its lines; more_lines: the rest, in the form of the request's `lines`; empty where none are left.
    members: of this file and of others, without `hidden_members` that had no room. siblings: the same, if they were asked for.
    focus: the line that was asked for, 0 for none. head: the first lines of a symbol that is too long to be shown around that
    line, where the code does not show them.
    """

    id: str
    name: str
    kind: str
    language: str
    file_path: str
    line: int
    range: Range
    container: str | None
    container_chain: list[SymbolLine]
    signature: str
    doc: str
    flags: list[str]
    code: str
    code_start_line: int
    code_end_line: int
    is_whole: bool
    more_lines: str
    members: list[SymbolLine]
    hidden_members: int
    siblings: list[SymbolLine]
    hidden_siblings: int
    focus: int = 0
    head: str = ""


class TextRange(msgspec.Struct, kw_only=True):
    """Lines of a file. n_lines: how many it has. touched: the symbols that have some of these lines. more_lines: as of
    SymbolDetail."""

    file_path: str
    language: str
    code: str
    code_start_line: int
    code_end_line: int
    n_lines: int
    touched: list[SymbolLine]
    more_lines: str


class SymbolResponse(msgspec.Struct, kw_only=True):
    """The answer to a SymbolRequest.

    symbol: the one that is meant; `None` where that is ambiguous or there is none. others: the candidates, or less likely symbols
    of the same name. total: how many there are in all. suggestions: similar names where no symbol has this one. candidates: a few
    short symbols of which any may be meant, each whole. text: the lines that were asked for.
    """

    request: SymbolRequest
    symbol: SymbolDetail | None
    others: list[SymbolLine]
    total: int
    notices: list[str] | UnsetType = UNSET
    suggestions: list[str] | UnsetType = UNSET
    candidates: list[SymbolDetail] | UnsetType = UNSET
    text: TextRange | UnsetType = UNSET


class ReferencesRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Where an identifier occurs in code, by its name. A symbol's id narrows that to what may be this very symbol.

    Args:
        name: the identifier; of a qualified name only the last part counts. Or a symbol's id, `path#Qualified.name`.
        max_items: at most this many occurrences on the page (1 or more); `None` means all.
        pagination_id, languages, paths: as in SearchRequest.
        role: only occurrences of these roles (ROLES).
    """

    name: str
    max_items: int | None = None
    pagination_id: str | None = None
    languages: list[str] | UnsetType = UNSET
    paths: list[str] | UnsetType = UNSET
    role: str | list[str] | UnsetType = UNSET


ROLES: Final = ("definition", "declaration", "call", "import", "type", "inherit", "implement", "read", "write")
"""What an occurrence does, as the syntax tree tells. `inherit`: a type takes over from it; `implement`: it is the type that does,
where the language says so apart from its definition."""


class Reference(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One occurrence. line, column: 1-based, the column in characters. text: the line without surrounding blanks, or the
    surroundings of the name in a long line. container: the qualified name of the enclosing symbol, `None` at the top of a file.
    definition: whether the symbol is defined or declared here. role: one of ROLES. receiver: what the name is taken from, as
    `self` in `self.name`. is_unsure: it may be another symbol of that name, where an id was asked for."""

    line: int
    column: int
    text: str
    container: str | None
    definition: bool
    role: str
    receiver: str = ""
    is_unsure: bool = False


class FileReferences(msgspec.Struct, kw_only=True):
    """The occurrences in a file, in order. language: its id."""

    file_path: str
    language: str
    items: list[Reference]


class ReferencesResponse(msgspec.Struct, kw_only=True):
    """The answer to a ReferencesRequest.

    name: the identifier that was searched for. files: ordered by path, with tests, vendored and generated code last.
    total, total_files: of all occurrences and their files; `None` where not every file was searched, because the page was full or
    the time was up. at_least: how many occurrences are known, this page included. roles: how many of each, of those known; most:
    the files with the most of them, and how many. symbol: the id of the symbol that was asked for, empty for a name; narrowed:
    how many occurrences of its name are of other symbols, and were left out. notices, suggestions: as in SearchResponse.
    """

    request: ReferencesRequest
    name: str
    files: list[FileReferences]
    total: int | None
    total_files: int | None
    at_least: int
    has_more: bool
    pagination_id: str | None
    roles: dict[str, int] = {}
    most: list[tuple[str, int]] = []
    symbol: str = ""
    narrowed: int = 0
    notices: list[str] | UnsetType = UNSET
    suggestions: list[str] | UnsetType = UNSET


class Noticed(Protocol):
    """An answer with notices."""

    notices: list[str] | UnsetType


def add_notices(response: Noticed, notices: Iterable[str]) -> None:
    """Adds to the notices of an answer."""
    if added := [*notices]:
        response.notices = [*(response.notices or []), *added]


Request = SearchRequest | OutlineRequest | SymbolRequest | ReferencesRequest

for _kind in Request.__args__:
    msgspec.msgpack.Decoder(_kind)  # now, or two threads might describe a type to msgspec at once
