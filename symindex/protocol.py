"""The contract that all doors share: symbol kinds, requests, responses.

The search structs have the fields, defaults and nullability of the LSAP Search API. What symindex adds is optional and
absent (`UNSET`) unless it was asked for, so that a plain request and its answer hold exactly the fields of the contract.
"""

from collections.abc import Iterable
from enum import IntFlag, StrEnum
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import RequestError, one_of


class SymbolKind(StrEnum):
    """What a symbol is: the 26 kinds of the Language Server Protocol and four additions."""

    FILE = "file"
    MODULE = "module"
    NAMESPACE = "namespace"
    PACKAGE = "package"
    CLASS = "class"
    METHOD = "method"
    PROPERTY = "property"
    FIELD = "field"
    CONSTRUCTOR = "constructor"
    ENUM = "enum"
    INTERFACE = "interface"
    FUNCTION = "function"
    VARIABLE = "variable"
    CONSTANT = "constant"
    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ARRAY = "array"
    OBJECT = "object"
    KEY = "key"
    NULL = "null"
    ENUM_MEMBER = "enumMember"
    STRUCT = "struct"
    EVENT = "event"
    OPERATOR = "operator"
    TYPE_PARAMETER = "typeParameter"
    TRAIT = "trait"
    MACRO = "macro"
    TYPE = "type"
    SECTION = "section"


class KindRow(NamedTuple):
    """One row of the table of kinds.

    code: the number stored in index files; never renumbered. 1 to 26 are the LSP's own.
    lsp: the code an LSP client is shown, and the kind whose filter includes this one.
    quality: where equally good matches go, 0 first: types, then what can be called, then values, then the rest.
    """

    code: int
    lsp: int
    quality: int


KINDS: Final[dict[SymbolKind, KindRow]] = {
    SymbolKind.FILE: KindRow(1, 1, 4),
    SymbolKind.MODULE: KindRow(2, 2, 3),
    SymbolKind.NAMESPACE: KindRow(3, 3, 3),
    SymbolKind.PACKAGE: KindRow(4, 4, 3),
    SymbolKind.CLASS: KindRow(5, 5, 0),
    SymbolKind.METHOD: KindRow(6, 6, 1),
    SymbolKind.PROPERTY: KindRow(7, 7, 2),
    SymbolKind.FIELD: KindRow(8, 8, 2),
    SymbolKind.CONSTRUCTOR: KindRow(9, 9, 1),
    SymbolKind.ENUM: KindRow(10, 10, 0),
    SymbolKind.INTERFACE: KindRow(11, 11, 0),
    SymbolKind.FUNCTION: KindRow(12, 12, 1),
    SymbolKind.VARIABLE: KindRow(13, 13, 2),
    SymbolKind.CONSTANT: KindRow(14, 14, 2),
    SymbolKind.STRING: KindRow(15, 15, 4),
    SymbolKind.NUMBER: KindRow(16, 16, 4),
    SymbolKind.BOOLEAN: KindRow(17, 17, 4),
    SymbolKind.ARRAY: KindRow(18, 18, 4),
    SymbolKind.OBJECT: KindRow(19, 19, 4),
    SymbolKind.KEY: KindRow(20, 20, 4),
    SymbolKind.NULL: KindRow(21, 21, 4),
    SymbolKind.ENUM_MEMBER: KindRow(22, 22, 2),
    SymbolKind.STRUCT: KindRow(23, 23, 0),
    SymbolKind.EVENT: KindRow(24, 24, 2),
    SymbolKind.OPERATOR: KindRow(25, 25, 1),
    SymbolKind.TYPE_PARAMETER: KindRow(26, 26, 4),
    SymbolKind.TRAIT: KindRow(27, 11, 0),
    SymbolKind.MACRO: KindRow(28, 12, 1),
    SymbolKind.TYPE: KindRow(29, 5, 0),
    SymbolKind.SECTION: KindRow(30, 15, 4),
}

KIND_OF_CODE: Final[dict[int, SymbolKind]] = {row.code: kind for kind, row in KINDS.items()}

CALLABLE_KINDS: Final = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.OPERATOR, SymbolKind.MACRO}
)

_KIND_OF_LOWER: Final = {str(kind).lower(): kind for kind in SymbolKind}


def parse_kind(word: str) -> SymbolKind:
    """The kind that a word of a request means; case does not matter. Raises RequestError listing the legal ones."""
    kind = _KIND_OF_LOWER.get(word.lower())
    if kind is None:
        raise one_of("kind", word, list(SymbolKind))
    return kind


def expand_kinds(kinds: list[str]) -> frozenset[int]:
    """The stored codes that a kind filter lets through: an LSP kind includes its additions (`interface`: `trait`)."""
    wanted = {KINDS[parse_kind(word)].code for word in kinds}
    return frozenset(row.code for row in KINDS.values() if row.code in wanted or row.lsp in wanted)


class SymbolFlag(IntFlag):
    """What else is known of a symbol. Stored as a number: bits are never reused."""

    EXPORTED = 1
    PRIVATE = 2
    LOCAL = 4
    TEST = 8
    DEPRECATED = 16
    GENERATED = 32
    VENDORED = 64
    ODD_PLACE = 128
    """The columns that an editor counts by cannot be told from the name and its column in bytes: something that is not ASCII
    stands before the name in its line, or the name stands in the file in another form than it is stored."""
    DECLARATION = 256
    """It only says that something of its name stands elsewhere, as a prototype does."""


TOLD_FLAGS: Final = tuple(flag for flag in SymbolFlag if flag is not SymbolFlag.ODD_PLACE)
"""The flags that say something of a symbol to its readers."""


class SearchRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """A search, as in the LSAP contract; fields after `pagination_id` are symindex's own and optional.

    Args:
        query: what to look for; see `symindex/search/README.md` for the language. Empty lists the best of the index.
        kinds: only symbols of these kinds; `None` or empty means all.
        max_items: at most this many items on the page (1 or more); `None` means all.
        start_index: how many of the hits to skip (0 or more).
        pagination_id: the token of an earlier response to the same query; the page that follows it is returned.
        languages: only symbols of files in these languages.
        paths: only files that match one of these globs; globs with a leading `!` exclude.
        fuzzy: `True` forces the weak tiers (typo, subsequence), `False` forbids them; else they answer where the
            strong tiers found fewer than ten.
        include: more fields on each item: any of `id`, `signature`, `doc`, `range`, `score`, `language`.
    """

    query: str
    kinds: list[str] | None = None
    max_items: int | None = None
    start_index: int = 0
    pagination_id: str | None = None
    languages: list[str] | UnsetType = UNSET
    paths: list[str] | UnsetType = UNSET
    fuzzy: bool | UnsetType = UNSET
    include: list[str] | UnsetType = UNSET


ITEM_EXTRAS: Final = ("id", "signature", "doc", "range", "score", "language")


class Range(msgspec.Struct, kw_only=True):
    """The lines a definition spans, 1-based, both ends included."""

    start_line: int
    end_line: int


class SearchItem(msgspec.Struct, kw_only=True):
    """One symbol that matched. The first five fields are the contract's; the others appear when `include` names them.

    `file_path` is relative to the workspace, with forward slashes. `line` is 1-based: the line of the name.
    `container` is the qualified name of the enclosing symbol, `None` at the top of a file.
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


class SearchResponse(msgspec.Struct, kw_only=True):
    """The answer to a SearchRequest, as in the contract.

    `notices` is absent unless there is something that the reader must know to trust the answer (the index changed
    between two pages, files were given up on); `suggestions` is absent unless nothing matched and names like the query exist.
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


class OutlineRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What is defined in a file, a folder or the files that a glob matches, as a tree.

    Args:
        path: relative to the workspace; empty for all of it.
        depth: so many levels below what was asked for: folders, files, symbols, their members; `None`: as many as there are.
        kinds: only symbols of these kinds, and what they stand in; `None` or empty means all.
        max_tokens: about as many tokens at most; the largest parts are closed first. `None` means all.
        include: `signature` adds those of the symbols.
    """

    path: str = ""
    depth: int | None = None
    kinds: list[str] | None = None
    max_tokens: int | None = None
    include: list[str] | UnsetType = UNSET


class OutlineItem(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A row of an outline. kind: `folder`, `file`, or a symbol's. name: a path for folders and files; of a symbol its name, or
    its qualified name where its container is not the row above.

    line, end_line: of a symbol's definition, 1-based. symbols: how many are below, of the kinds that were asked for; files: of a
    folder. hidden: how many of these symbols and files are not shown; id: of a symbol that hides some. omitted: how many rows
    of the next level are missing where others of it are shown.
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

    path: as it was understood. files, symbols: how many there are, shown or not; symbols inside functions are neither. hidden:
    how many of both were left out for `max_tokens` or `depth`; omitted: how many rows of the first level.
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
    """One symbol, looked at closely.

    Args:
        symbol: its id (`path#Qualified.name`), its name, qualified or not, `path#name`, or `path:line`.
        lines: show these of the file instead of its own, as `120-180`; `None`: its own, if they are not too many.
        siblings: what else stands in its container, too.
        max_tokens: about as many tokens of code and members at most; `None` means all.
    """

    symbol: str
    lines: str | None = None
    siblings: bool = False
    max_tokens: int | None = None


class SymbolLine(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A symbol in a list. id: empty where it is a member of the one that is shown."""

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

    container_chain: the symbols it stands in, outermost first. code: of `code_start_line` to `code_end_line`; is_whole: whether
    that is all of it; more_lines: those that are left, to be asked for as `lines`; empty where none are. members: what stands in
    it, and what belongs to it in other files, but for `hidden_members` of them for which there was no room. siblings: if they
    were asked for, but for `hidden_siblings`.
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


class SymbolResponse(msgspec.Struct, kw_only=True):
    """The answer to a SymbolRequest.

    symbol: the one that is meant; `None` where several may be, or none. others: these, or those of the same name that are less
    likely meant; total: how many there are in all. suggestions: names like the one that nothing has.
    """

    request: SymbolRequest
    symbol: SymbolDetail | None
    others: list[SymbolLine]
    total: int
    notices: list[str] | UnsetType = UNSET
    suggestions: list[str] | UnsetType = UNSET


class ReferencesRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Where an identifier occurs in code, by its name alone: what else has the same name is found too.

    Args:
        name: the identifier; of a qualified name or a symbol's id the last part.
        max_items: at most this many occurrences on the page (1 or more); `None` means all.
        pagination_id: the token of an earlier response to the same request; the page that follows it is returned.
        languages: only in files in these languages.
        paths: only in files that match one of these globs; globs with a leading `!` exclude.
    """

    name: str
    max_items: int | None = None
    pagination_id: str | None = None
    languages: list[str] | UnsetType = UNSET
    paths: list[str] | UnsetType = UNSET


class Reference(msgspec.Struct, kw_only=True):
    """One occurrence. line, column: 1-based, the column in characters. text: the line without the blanks around it, or what
    stands around the name in a long one. container: the qualified name of the symbol that it stands in, `None` at the top of a
    file. definition: it is the name of a symbol where that is defined or declared."""

    line: int
    column: int
    text: str
    container: str | None
    definition: bool


class FileReferences(msgspec.Struct, kw_only=True):
    """The occurrences in a file, in their order; language: its id."""

    file_path: str
    language: str
    items: list[Reference]


class ReferencesResponse(msgspec.Struct, kw_only=True):
    """The answer to a ReferencesRequest.

    `name` is what was looked for. `files` have an order of their own: tests, vendored and generated code last, then by path.
    `total` and `total_files` count all occurrences and their files, and are `None` where not every file was looked through: a
    full page ends the search, and so does the time. `at_least`: how many are known to be there, up to this page and with it.
    `notices` and `suggestions` as of SearchResponse.
    """

    request: ReferencesRequest
    name: str
    files: list[FileReferences]
    total: int | None
    total_files: int | None
    at_least: int
    has_more: bool
    pagination_id: str | None

    notices: list[str] | UnsetType = UNSET
    suggestions: list[str] | UnsetType = UNSET


def add_notices(response: SearchResponse | OutlineResponse | SymbolResponse | ReferencesResponse, notices: Iterable[str]) -> None:
    """Adds to what an answer says beside what was found."""
    if added := [*notices]:
        response.notices = [*(response.notices or []), *added]


def check_limit(name: str, value: int | None) -> None:
    """Raises RequestError where a limit of a request is not 1 or more, or absent."""
    if value is not None and value < 1:
        raise RequestError(f"{name} is {value}: it must be 1 or more, or null for no limit")


MOST_PATHS: Final = 1_000
"""Globs of a request: each is asked of every path."""


def check_request(request: SearchRequest | ReferencesRequest) -> None:
    """Raises RequestError where a field has the right type but no possible meaning."""
    if request.max_items is not None and request.max_items < 1:
        raise RequestError(f"max_items is {request.max_items}: it must be 1 or more, or null for all")
    if len(request.paths or ()) > MOST_PATHS:
        raise RequestError(f"paths holds {len(request.paths or ()):,} globs: it may hold {MOST_PATHS:,}")
    sought = ("query", [request.query]) if isinstance(request, SearchRequest) else ("name", [request.name])
    for what, texts in (sought, ("path glob", request.paths or [])):
        for text in texts:
            if not is_unicode(text):
                raise RequestError(f"{what} {text!r} is not valid Unicode: give it as UTF-8")
    if isinstance(request, SearchRequest):
        _check_search(request)


def _check_search(request: SearchRequest) -> None:
    if request.start_index < 0:
        raise RequestError(f"start_index is {request.start_index}: it must be 0 or more")
    for word in request.kinds or ():
        parse_kind(word)
    for word in request.include or ():
        if word not in ITEM_EXTRAS:
            raise one_of("include field", word, ITEM_EXTRAS)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: the command line hands on bytes that are none as lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
