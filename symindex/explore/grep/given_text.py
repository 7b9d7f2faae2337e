"""Searches a text that is not in a file, such as piped input; each line with a hit is a row."""

from typing import Final

from symindex.errors import RequestError
from symindex.extract.texts.file_text import to_utf8
from symindex.protocol.grep import FileText, GrepRequest, GrepResponse, TextRow
from symindex.protocol.search import add_notices
from symindex.requests import check_limit, check_texts
from symindex.resolve.reading.excerpts import excerpts
from symindex.text.counts import count_of
from symindex.text.patterns.byte_pattern import byte_pattern

NAME: Final = "<stdin>"
"""The name shown instead of a path, as in ripgrep."""

MOST_LINES: Final = 1_000_000


def grep_given(data: bytes, request: GrepRequest) -> GrepResponse:
    """Answers a request about a text. Raises RequestError for options that concern files, and for a
    pattern that is not valid."""
    check_limit("max_items", request.max_items)
    check_texts([], ("pattern", request.pattern))
    if (
        request.where != "all"
        or request.languages
        or request.paths
        or request.pagination_id is not None
    ):
        raise RequestError(
            "standard input is not a file: where, languages, paths and pages apply only to files"
        )
    pattern = byte_pattern(request.pattern, request.regex, request.ignore_case)
    text = to_utf8(data)[0]
    places = [start for start, _ in pattern.first_of_lines(text, MOST_LINES + 1)]
    is_whole = len(places) <= MOST_LINES
    places = places[:MOST_LINES]
    mentions = excerpts(text, places[: request.max_items])
    rows = [
        TextRow(line=mention.line, column=mention.column, text=mention.text) for mention in mentions
    ]
    response = GrepResponse(
        request=request,
        files=[FileText(file_path=NAME, language="", items=rows)] if rows else [],
        total=len(places) if is_whole else None,
        total_files=(1 if places else 0) if is_whole else None,
        at_least=len(places),
        has_more=False,
        pagination_id=None,
    )
    if len(places) > len(rows):
        add_notices(
            response, [f"{count_of(len(places) - len(rows), 'more line')}: raise max_items"]
        )
    if not is_whole:
        add_notices(response, [f"only the first {MOST_LINES:,} lines with it were counted"])
    return response
