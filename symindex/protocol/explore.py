"""The requests and answers about symbols, outlines and references."""

from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from symindex.protocol.search import Range, SearchRequest


class OutlineRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The definitions of a file, a folder or the files that a glob matches, as a tree.

    Args:
        path: a file, a folder or a glob, relative to the workspace, or several; a leading `!`
        leaves out. Empty for all of it. depth: how many levels to show below `path`: folders,
        files, symbols, their members; `None` means all. kinds: only symbols of these kinds, and
        their containers; `None` or empty means all. max_tokens: about this many tokens at most; the
        largest parts are collapsed first. `None` means all. include: `signature` adds the
        signatures of the symbols.
    """

    path: str | list[str] = ""
    depth: int | None = None
    kinds: list[str] | None = None
    max_tokens: int | None = None
    include: list[str] | UnsetType = UNSET


class OutlineItem(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A row of an outline.

    kind: `folder`, `file`, or the kind of a symbol. name: a path for folders and files; a symbol's
    name, or its qualified name where the row above is not its container. line, end_line: of a
    symbol's definition, 1-based. symbols, files: how many there are below, of the kinds that were
    asked for. hidden: how many of these are not shown; a symbol that hides some has an id. omitted:
    how many rows of the next level are missing where others of that level are shown.
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

    path: as it was understood; several are joined by commas. files, symbols: how many there are,
    shown or not; symbols inside functions do not count. hidden: how many of both `max_tokens` or
    `depth` leave out; omitted: how many rows of the first level are missing.
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
        symbol: its id (`path#Qualified.name`), its name, qualified or not and as code or a trace
        writes it, `path#name`, a place as `path:line`, a frame of a trace; or lines of any text
        file, `path:75-90`. lines: the lines of the file to show instead of the symbol's own, as
        `120-180`; `None` means its own, if they fit. path: only a symbol of this file, of a file in
        this folder, or that this glob matches; or several of them. siblings: whether to list the
        other members of its container. history: whether to look for the commit that last touched
        it. code: whether to show its code; else its signature and doc, and its members. max_tokens:
        about this many tokens of code and members at most; `None` means all.
    """

    symbol: str
    lines: str | None = None
    siblings: bool = False
    max_tokens: int | None = None
    path: str | list[str] | UnsetType = UNSET
    history: bool = False
    code: bool = True


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


class LastCommit(msgspec.Struct, kw_only=True):
    """The commit that last touched a symbol. date: as 2026-11-24. is_exact: whether it changed the
    symbol itself; else it is the oldest one of its file that was looked at, and the symbol has
    stood there since."""

    commit: str
    date: str
    subject: str
    is_exact: bool


class SymbolDetail(msgspec.Struct, kw_only=True):
    """One symbol.

    container_chain: the enclosing symbols, outermost first. code: the lines from `code_start_line`
    to `code_end_line`; is_whole: whether these are all of its lines; more_lines: the rest, in the
    form of the request's `lines`; empty where none are left. members: of this file and of others,
    without `hidden_members` that had no room. siblings: the same, if they were asked for. focus:
    the line that was asked for, 0 for none. head: the first lines of a symbol that is too long to
    be shown around that line, where the code does not show them. last_commit: where it was asked
    for, and there is one.
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
    last_commit: LastCommit | UnsetType = UNSET


class TextRange(msgspec.Struct, kw_only=True):
    """Lines of a file. n_lines: how many it has. touched: the symbols that have some of these
    lines. more_lines: as of SymbolDetail."""

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

    symbol: the one that is meant; `None` where that is ambiguous or there is none. others: the
    candidates, or less likely symbols of the same name. total: how many there are in all.
    suggestions: similar names where no symbol has this one. candidates: a few short symbols of
    which any may be meant, each whole. text: the lines that were asked for.
    """

    request: SymbolRequest
    symbol: SymbolDetail | None
    others: list[SymbolLine]
    total: int
    notices: list[str] | UnsetType = UNSET
    suggestions: list[str] | UnsetType = UNSET
    candidates: list[SymbolDetail] | UnsetType = UNSET
    text: TextRange | UnsetType = UNSET


class ReferencesRequest(
    msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False
):
    """Where an identifier occurs in code, by its name. A symbol's id narrows that to what may be
    this very symbol.

    Args:
        name: the identifier. Or a symbol's id, `path#Qualified.name`, or a qualified name that one
        symbol has; of other qualified
            names only the last part counts.
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


ROLES: Final = (
    "definition",
    "declaration",
    "call",
    "import",
    "type",
    "inherit",
    "implement",
    "read",
    "write",
)
"""What an occurrence does, as the syntax tree tells. `inherit`: a type takes over from it;
`implement`: it is the type that does, where the language says so apart from its definition."""


class Reference(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One occurrence. line, column: 1-based, the column in characters. text: the line without
    surrounding blanks, or the surroundings of the name in a long line. container: the qualified
    name of the enclosing symbol, `None` at the top of a file. definition: whether the symbol is
    defined or declared here. role: one of ROLES. receiver: what the name is taken from, as `self`
    in `self.name`. is_unsure: it may be another symbol of that name, where an id was asked for."""

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

    name: the identifier that was searched for. files: ordered by path, with tests, vendored and
    generated code last. total, total_files: of all occurrences and their files; `None` where not
    every file was searched, because the page was full or the time was up. at_least: how many
    occurrences are known, this page included. roles: how many of each, of those known; most: the
    files with the most of them, and how many. symbol: the id of the symbol that was asked for,
    empty for a name; narrowed: how many occurrences of its name are of other symbols, and were left
    out. notices, suggestions: as in SearchResponse.
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


Request = SearchRequest | OutlineRequest | SymbolRequest | ReferencesRequest

for _kind in Request.__args__:
    msgspec.msgpack.Decoder(_kind)  # now, or two threads might describe a type to msgspec at once
