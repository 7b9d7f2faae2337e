"""The request and response for changes since a commit."""

import msgspec
from msgspec import UNSET, UnsetType

from symindex.protocol.explore import SymbolLine


class ChangedRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the symbols that were added, changed or removed since a commit, in the files as they
    are now.

    Args:
        since: a commit, tag or branch; for a branch, the commit where the current branch left it;
            or a date as 2026-11-24, for the last commit before that day.
            By default the last commit, so that the answer lists uncommitted changes.
        path: only this file or folder, or files that match this glob. A list gives several; a
            leading `!` excludes.
        tests: whether to find the tests of changed symbols.
        max_items: the most symbols in the answer.
    """

    since: str = "HEAD"
    path: str | list[str] = ""
    tests: bool = False
    max_items: int = 200


class ChangedSymbol(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A symbol that has changed. status: `added`, `changed` or `removed`. line: its line now; for a
    removed symbol, its line in the commit. tests: its tests, the likeliest first."""

    name: str
    kind: str
    status: str
    line: int
    tests: list[SymbolLine] = []


class ChangedFile(msgspec.Struct, kw_only=True):
    """A file that has changed. status: `added`, `changed`, `removed` or `renamed`. symbols: ordered
    by line; empty if only text outside of all symbols has changed, or if the file has no language.
    renamed_from: its path in the commit, if that differs; its symbols are compared with the ones
    there."""

    file_path: str
    status: str
    symbols: list[ChangedSymbol]
    renamed_from: str | UnsetType = UNSET


class ChangedResponse(msgspec.Struct, kw_only=True):
    """The response. commit: the commit that the files are compared with. total, total_files:
    symbols and files that have changed, shown or not."""

    request: ChangedRequest
    commit: str
    files: list[ChangedFile]
    total: int
    total_files: int = 0
    notices: list[str] | UnsetType = UNSET
