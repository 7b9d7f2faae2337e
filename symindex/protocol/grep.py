"""The request and the answer of a search for text in files, which all doors share."""

from typing import Final, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

Where = Literal["code", "strings", "comments", "all"]

WHERE: Final[tuple[str, ...]] = get_args(Where)
"""Where a text may be looked for: in code apart from strings and comments, in one of these, or
anywhere in any file."""


class GrepRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Where a text occurs in files, and in which symbols.

    Args:
        pattern: the text as it stands in the file, or a regular expression of RE2's syntax, which
        is nearly ripgrep's. regex: whether it is one. ignore_case: whether capitals do not matter.
        where: one of WHERE. each_line: whether each line with a hit is a row, as with grep; else
        all lines in one symbol share a row. max_items: at most this many rows on the page (1 or
        more). `None` means all. pagination_id, languages, paths: as in SearchRequest.
    """

    pattern: str
    regex: bool = False
    ignore_case: bool = False
    where: Where = "all"
    each_line: bool = False
    max_items: int | None = None
    pagination_id: str | None = None
    languages: list[str] | UnsetType = UNSET
    paths: list[str] | UnsetType = UNSET


class TextRow(msgspec.Struct, kw_only=True):
    """The hits in one symbol, or in a file outside of all.

    line, column: of the first one, 1-based, the column in characters. text: its line, or the
    surroundings in a long one. container, kind: the qualified name and the kind of the innermost
    symbol around it; `None` outside of all. lines: those of the other hits there.
    """

    line: int
    column: int
    text: str
    container: str | None = None
    kind: str | None = None
    lines: list[int] = []


class FileText(msgspec.Struct, kw_only=True):
    """The rows of a file, in order. language: its id, empty where symindex has none."""

    file_path: str
    language: str
    items: list[TextRow]


class GrepResponse(msgspec.Struct, kw_only=True):
    """The answer to a GrepRequest.

    files: production code first, then other text, then tests, copies and generated code; in each by
    path. total, total_files: of all lines with a hit and their files; `None` where not every file
    was looked through. at_least: how many lines are known, this page included. is_near: nothing
    holds the whole text; the rows hold the most words of it in order, the best first. near: where
    no production code holds the whole text, the places of it that hold the most words. has_more,
    pagination_id, notices: as in SearchResponse.
    """

    request: GrepRequest
    files: list[FileText]
    total: int | None
    total_files: int | None
    at_least: int
    has_more: bool
    pagination_id: str | None
    is_near: bool = False
    near: list[FileText] = []
    notices: list[str] | UnsetType = UNSET
