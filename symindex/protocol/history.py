"""The requests and responses for the history of files: blame, commits of lines, old versions."""

import msgspec
from msgspec import UNSET, UnsetType

from symindex.protocol.explore import TextRange


class BlameRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the commits that last changed the lines of a file.

    Args:
        path: a file, relative to the workspace.
        lines: the lines, such as `120-180`; 500 at most.
        revision: a commit, tag or branch, for the file as it was then; empty means as it is now.
    """

    path: str
    lines: str = "1-500"
    revision: str = ""


class BlameHunk(msgspec.Struct, kw_only=True):
    """Lines that one commit has changed last. commit: its whole hash; empty if the lines are not
    committed yet, and so are the other fields then. date: when its author wrote it, in the form
    2026-11-24; empty if the commit does not say. author, subject: cut if they are very long."""

    start_line: int
    end_line: int
    commit: str
    author: str
    date: str
    subject: str


class BlameResponse(msgspec.Struct, kw_only=True):
    """The response to a BlameRequest.

    commit: the commit that was read, as its whole hash. is_changed: whether lines of the file
    differ from that commit now. start_line, end_line: the lines that were asked for and exist.
    n_lines: the length of the file. hunks: ordered by line; lines whose commit is not known are in
    none of them.
    """

    request: BlameRequest
    path: str
    commit: str
    is_changed: bool
    start_line: int
    end_line: int
    n_lines: int
    hunks: list[BlameHunk]
    notices: list[str] | UnsetType = UNSET


class LineHistoryRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the commits that changed some lines of a file, or the file.

    Args:
        path: a file, relative to the workspace.
        lines: the lines, such as `120-180`; `None` means the whole file, under this name only.
        max_items: the most commits in the answer.
        patches: whether to show how each commit changed the lines.
        revision: a commit, tag or branch, for the lines as they were then; empty means as they are
            now.
    """

    path: str
    lines: str | None = None
    max_items: int = 20
    patches: bool = False
    revision: str = ""


class LineChange(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A commit that changed the lines. commit, author, date, subject: see BlameHunk. patch: the
    hunks of its difference, if requested. is_whole: whether the patch is not cut."""

    commit: str
    author: str
    date: str
    subject: str
    patch: str = ""
    is_whole: bool = True


class LineHistoryResponse(msgspec.Struct, kw_only=True):
    """The response to a LineHistoryRequest.

    commit: the commit that the history was read from, as its whole hash. start_line, end_line: the
    lines that were asked for and exist; 0 for the whole file. items: newest first. has_more:
    whether there are older commits.
    """

    request: LineHistoryRequest
    path: str
    commit: str
    start_line: int
    end_line: int
    items: list[LineChange]
    has_more: bool
    notices: list[str] | UnsetType = UNSET


class FileAtRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for lines of a file as it was in a commit.

    Args:
        path: a file, relative to the workspace; it need not exist now.
        revision: a commit, tag or branch.
        lines: the lines, such as `120-180`; 500 at most.
    """

    path: str
    revision: str = "HEAD"
    lines: str = "1-500"


class FileAtResponse(msgspec.Struct, kw_only=True):
    """The response to a FileAtRequest. commit: the whole hash of the commit. text: the lines; no
    symbols are read."""

    request: FileAtRequest
    commit: str
    text: TextRange
    notices: list[str] | UnsetType = UNSET


class HeadRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the current commit.

    Args:
        path: a file, a folder or a root; empty means all roots.
    """

    path: str = ""


class Head(msgspec.Struct, kw_only=True):
    """The current commit of a path. path: empty for the only root. commit: the whole hash. status:
    how a file differs from that commit: `unchanged`, `changed`, `added` or `removed`; empty for a
    folder, and for a file that is not compared."""

    path: str
    commit: str
    status: str


class HeadResponse(msgspec.Struct, kw_only=True):
    """The response to a HeadRequest. heads: one for a path; else one for each root in git."""

    request: HeadRequest
    heads: list[Head]
    notices: list[str] | UnsetType = UNSET
