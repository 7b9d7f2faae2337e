"""The request and the answer about changes, which all doors share."""

import msgspec
from msgspec import UNSET, UnsetType

from symindex.protocol.explore import SymbolLine


class ChangedRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The symbols that were added, changed or removed since a commit, in the files as they are now.

    Args:
        since: a commit, a tag or a branch. Of a branch it is where the current one has left it.
        Default: the last commit, so what is not committed yet. path: only in this file or folder,
        or in what this glob matches; or several of them, a leading `!` leaves out. tests: whether
        to look for the tests of what has changed. max_items: at most this many symbols.
    """

    since: str = "HEAD"
    path: str | list[str] = ""
    tests: bool = False
    max_items: int = 200


class ChangedSymbol(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A symbol that has changed. status: `added`, `changed` or `removed`. line: now, or then of one
    that was removed. tests: of it, the likeliest first."""

    name: str
    kind: str
    status: str
    line: int
    tests: list[SymbolLine] = []


class ChangedFile(msgspec.Struct, kw_only=True):
    """A file that has changed. status: `added`, `changed`, `removed` or `renamed`. symbols: in the
    order of their lines; none where only what stands outside of all symbols has changed, or the
    file is of no language. renamed_from: its path in the commit, if that is another; its symbols
    are compared with those."""

    file_path: str
    status: str
    symbols: list[ChangedSymbol]
    renamed_from: str | UnsetType = UNSET


class ChangedResponse(msgspec.Struct, kw_only=True):
    """The answer. commit: what the files are compared with. total, total_files: symbols and files
    that have changed, shown or not."""

    request: ChangedRequest
    commit: str
    files: list[ChangedFile]
    total: int
    total_files: int = 0
    notices: list[str] | UnsetType = UNSET
