"""The requests and responses for symbols, outlines and references."""

from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from symindex.protocol.search import Range, SearchRequest


class OutlineRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the definitions of a file, of a folder or of the files that match a glob, as a tree.

    Args:
        path: a file, a folder or a glob, relative to the workspace, or a list of them; a leading
            `!` excludes. Empty means the whole workspace.
        depth: how many levels to show below `path`: folders, files, symbols, members. `None` means
            all.
        kinds: only symbols of these kinds, and their containers; `None` or empty means all.
        max_tokens: the approximate budget in tokens; the largest parts are collapsed first. `None`
            means no limit.
        include: `signature` adds the signatures of symbols.
    """

    path: str | list[str] = ""
    depth: int | None = None
    kinds: list[str] | None = None
    max_tokens: int | None = None
    include: list[str] | UnsetType = UNSET


class OutlineItem(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A row of an outline.

    kind: `folder`, `file`, or the kind of a symbol. name: a path for folders and files; for symbols
    the name, or the qualified name if the row above is not the container. line, end_line: the lines
    of a symbol's definition, 1-based. symbols, files: how many are below, of the requested kinds.
    hidden: how many of them are not shown; a symbol that hides some has an id. omitted: how many
    rows of the next level are missing if the others are shown.
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
    """The response to an OutlineRequest.

    path: the path as it was resolved; several are joined by commas. files, symbols: how many there
    are, shown or not; symbols inside functions do not count. hidden: how many of both `max_tokens`
    or `depth` leave out. omitted: how many rows of the first level are missing.
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
    """Asks for one symbol with its code, doc and members.

    Args:
        symbol: an id (`path#Qualified.name`); a name, qualified or not, as code or a stack trace
            writes it; `path#name`; a place, `path:line`; a frame of a trace; or lines of any text
            file, `path:75-90`.
        lines: the lines of the file to show instead of the symbol's own, such as `120-180`; `None`
            means its own, if they fit.
        siblings: whether to list the other members of its container.
        max_tokens: the approximate budget in tokens for code and members; `None` means no limit.
        path: only a symbol in this file or folder, or in files that match this glob. A list gives
            several.
        history: whether to find the commit that last touched it.
        code: whether to show its code; if not, the signature, doc and members.
        used_in: asks what `symbol`, a name, means where it is used: in the code of a symbol
            (`path#symbol`), on a line (`path:line`) or in a file. A symbol that is
            `path:line:column` asks that of the name there.
    """

    symbol: str
    lines: str | None = None
    siblings: bool = False
    max_tokens: int | None = None
    path: str | list[str] | UnsetType = UNSET
    history: bool = False
    code: bool = True
    used_in: str | None = None


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
    """The commit that last touched a symbol. date: when its author wrote it, in the form
    2026-11-24. is_exact: whether it changed the symbol itself; if not, it is the oldest commit of
    the file that was examined, and the symbol has been there since."""

    commit: str
    date: str
    subject: str
    is_exact: bool


class SymbolDetail(msgspec.Struct, kw_only=True):
    """One symbol.

    container_chain: the enclosing symbols, outermost first. code: the lines from `code_start_line`
    to `code_end_line`. is_whole: whether these are all of its lines. more_lines: the remaining
    lines, in the form of the request's `lines`; empty if there are none. members: its members in
    this file and in others, except `hidden_members` that did not fit. siblings: the other members
    of its container, if requested. focus: the requested line, or 0. head: the first lines of a
    symbol that is too long to show around that line, if the code does not include them.
    last_commit: the commit that last touched it, if requested and known.
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
    """Lines of a file. n_lines: the length of the file. touched: the symbols that overlap these
    lines. more_lines: see SymbolDetail."""

    file_path: str
    language: str
    code: str
    code_start_line: int
    code_end_line: int
    n_lines: int
    touched: list[SymbolLine]
    more_lines: str


ASK_FOR_OUTLINE: Final = ": ask for an outline of the file"
"""The end of the notice that a text has more symbols than are listed (`explore/text_range`)."""


class SymbolResponse(msgspec.Struct, kw_only=True):
    """The response to a SymbolRequest.

    symbol: the symbol that was meant; `None` if that is ambiguous or nothing matches. others: the
    candidates, or less likely symbols of the same name. total: how many there are in all.
    suggestions: similar names, if no symbol has this one. candidates: a few short symbols, each in
    full, if any of them may be meant. text: the requested lines.
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
    """Asks where an identifier occurs in code. A symbol's id narrows the answer to occurrences that
    may mean this very symbol.

    Args:
        name: the identifier; a symbol's id, `path#Qualified.name`; or a qualified name that only
            one symbol has. Of any other qualified name only the last part counts.
        max_items: the most occurrences on the page (1 or more); `None` means all.
        pagination_id, languages, paths: see SearchRequest.
        role: only occurrences with these roles (ROLES).
        all: of a member, whether to list uses whose receiver is of unknown type, too. Without it,
            they are counted, and listed only if there are no others.
        why: whether each occurrence says by which rule it was bound to the symbol.
    """

    name: str
    max_items: int | None = None
    pagination_id: str | None = None
    languages: list[str] | UnsetType = UNSET
    paths: list[str] | UnsetType = UNSET
    role: str | list[str] | UnsetType = UNSET
    all: bool = False
    why: bool = False


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
"""What an occurrence does, according to the syntax tree. `inherit`: a type inherits from it.
`implement`: it is the type that inherits, in languages that declare this apart from the type's
definition."""


class Reference(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One occurrence. line, column: 1-based, the column in characters. text: the line without
    surrounding blanks, or the part of a long line around the name. container: the qualified name of
    the enclosing symbol, `None` at the top of a file. definition: whether the symbol is defined or
    declared here. role: one of ROLES. receiver: the expression before the name, such as `self` in
    `self.name`. is_unsure: whether it may mean another symbol of that name, if an id was
    requested. others: how many other symbols it may mean, where that is known. rule: by which rule
    it was bound to the requested symbol, if `why` asks for it: `import`, `scope` (its own file),
    `package`, `module`, `member of Cart`, `type of receiver: Cart`, `key of Cart`; `name` if only
    names were compared; empty for definitions."""

    line: int
    column: int
    text: str
    container: str | None
    definition: bool
    role: str
    receiver: str = ""
    is_unsure: bool = False
    others: int = 0
    rule: str = ""


class FileReferences(msgspec.Struct, kw_only=True):
    """The occurrences in a file, in order, either certain or uncertain ones. language: the id of
    its language."""

    file_path: str
    language: str
    items: list[Reference]


class ReferencesResponse(msgspec.Struct, kw_only=True):
    """The response to a ReferencesRequest.

    name: the identifier that was searched for. files: ordered by path; tests, vendored and
    generated code come last. In a file, items are ordered by line and column. Uncertain occurrences
    follow all certain ones, so a file may be there twice. total, total_files: all occurrences and
    their files, on each page; `None` if not every file was searched, because the time was up.
    at_least: how many occurrences are known so far, this page included. roles: how many of them
    have each role. most: of this page and what was counted after it, the files with the most
    occurrences, and how many; equal ones in the order of files. symbol: the id of the requested
    symbol; empty for a name. narrowed: how many occurrences of its name, in languages that can use
    it, mean something else (another symbol, a local name, a library's) and are left out. unknown:
    how many have a receiver of unknown type and are left out (`all` lists them). notices,
    suggestions: see SearchResponse.
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
    unknown: int = 0
    notices: list[str] | UnsetType = UNSET
    suggestions: list[str] | UnsetType = UNSET


Request = SearchRequest | OutlineRequest | SymbolRequest | ReferencesRequest

for _kind in Request.__args__:
    # computed now, because two threads must not describe a type to msgspec at the same time
    msgspec.msgpack.Decoder(_kind)
