"""The request and response for symbols that nothing uses."""

import msgspec
from msgspec import UNSET, UnsetType


class UnusedRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the symbols that nothing uses, in languages with rules for it (`[unused]`).

    Args:
        path: only symbols in this file or folder, or in files that match this glob. A list gives
            several; a leading `!` excludes. Their uses are searched everywhere.
        kinds: only symbols of these kinds; `None` or empty means all.
        languages: only symbols in these languages.
        exported: whether to list exported symbols, too, which other programs may use.
        max_items: the most symbols in the answer.
        start_index: how many symbols to skip.
    """

    path: str | list[str] = ""
    kinds: list[str] | None = None
    languages: list[str] | UnsetType = UNSET
    exported: bool = False
    max_items: int = 100
    start_index: int = 0


class UnusedSymbol(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A symbol that nothing uses. name: the qualified name. line: of its name, 1-based. reason: why
    it counts as unused: who could use it, and where its name was searched."""

    name: str
    kind: str
    line: int
    id: str
    reason: str


class UnusedFile(msgspec.Struct, kw_only=True):
    """A file with such symbols, in the order of their lines."""

    file_path: str
    language: str
    symbols: list[UnusedSymbol]


class UnusedResponse(msgspec.Struct, kw_only=True):
    """The response. files: ordered by path. total: such symbols, shown or not. judged: how many
    symbols were examined. searched: files whose text was searched for their names. is_whole:
    whether all files were searched before the time was over; if not, symbols that several files may
    use are missing."""

    request: UnusedRequest
    files: list[UnusedFile]
    total: int
    judged: int
    searched: int
    is_whole: bool = True
    has_more: bool = False
    notices: list[str] | UnsetType = UNSET
