"""The request and response of a search for text in files."""

from typing import Final, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

Where = Literal["code", "strings", "comments", "all"]

WHERE: Final[tuple[Where, ...]] = get_args(Where)
"""Where to search for a text: in code outside of strings and comments, in strings, in comments, or
anywhere in any file."""


class GrepRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Asks where a text occurs in files, and in which symbols.

    Args:
        pattern: the text as it is in the file, or a regular expression in RE2's syntax, which is
            almost ripgrep's.
        regex: whether the pattern is a regular expression.
        ignore_case: whether case does not matter.
        where: one of WHERE.
        each_line: whether each line with a hit is a row, as in grep; if not, all lines in one
            symbol share a row.
        max_items: the most rows on the page (1 or more); `None` means all.
        pagination_id, languages, paths: see SearchRequest.
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
    """The hits in one symbol, or in a file outside of all symbols.

    line, column: the place of the first hit, 1-based, the column in characters. text: its line, or
    the part of a long line around it. container, kind: the qualified name and the kind of the
    innermost enclosing symbol; `None` outside of all. lines: the lines of the other hits.
    """

    line: int
    column: int
    text: str
    container: str | None = None
    kind: str | None = None
    lines: list[int] = []


class FileText(msgspec.Struct, kw_only=True):
    """The rows of a file, in order. language: the id of its language; empty for a file without
    one."""

    file_path: str
    language: str
    items: list[TextRow]


class GrepResponse(msgspec.Struct, kw_only=True):
    """The response to a GrepRequest.

    files: production code first, then other text, then tests, copies and generated code; each group
    is ordered by path, and the rows of a file by line. total, total_files: all lines with a hit,
    and their files, on all pages; `None` if not every file was searched, because the page was full
    or the time was up. at_least: how many lines are known so far, this page included. is_near:
    whether nothing contains the whole text; then the rows contain the most words of it in order,
    best first; equally good ones are ordered by path and line. near: the places with the most words
    of the text, if no production code contains all of it. has_more, pagination_id, notices: see
    SearchResponse.
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
