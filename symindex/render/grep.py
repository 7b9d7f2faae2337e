"""Writes text in files as Markdown: the rows by file, each with its line, enclosing symbol and
text."""

import re
from collections.abc import Callable

from symindex.protocol.grep import FileText, GrepRequest, GrepResponse, TextRow
from symindex.render.hints import Hints, command_hint
from symindex.render.markdown import (
    Spelling,
    as_field,
    code_span,
    last_lines,
    other_lines,
    plain_path,
    without_folders,
)
from symindex.text.counts import count_of
from symindex.text.escaping import shorten
from symindex.text.patterns.byte_pattern import byte_pattern
from symindex.text.snippets import mark_spans

_LONG_PATTERN = 200
"""Longest pattern that is repeated, in characters."""


def render_grep(
    response: GrepResponse,
    hints: Hints = command_hint,
    spell: Spelling = as_field,
    show: Callable[[str], str] = str,
) -> str:
    """Writes the answer as Markdown. hints, spell: write calls and arguments for the reader's front
    end. show: writes the text of a line."""
    request = response.request
    lines = [f"# Text: {code_span(shorten(request.pattern, _LONG_PATTERN))}", _count(response), ""]
    if response.near:
        lines += [
            (
                "Only tests, copies and documents contain it; these places in code contain most of"
                " its words:"
            ),
            "",
        ]
        lines += [line for file in response.near for line in _file(file, show)]
        lines += ["The whole text:", ""]
    lines += [line for file in response.files for line in _file(file, show)]
    if not response.files and not response.has_more:
        looked = "No searched file contains" if response.notices else "No file contains"
        subject = looked if request.where == "all" else f"No {_WORDS[request.where]} with"
        lines += [f"> {subject} this text." if not request.regex else f"> {subject} a match.", ""]
        if request.where != "all":
            lines += [
                (
                    "> Anywhere:"
                    f" {code_span(hints('grep', pattern=request.pattern, regex=request.regex))}"
                ),
                "",
            ]
        if request.regex and re.escape(request.pattern) != request.pattern:
            lines += [
                f"> As a text: {code_span(hints('grep', pattern=request.pattern, regex=False))}",
                "",
            ]
    return "\n".join([*lines, *last_lines(response, spell)])


_WORDS = {"code": "code", "strings": "string", "comments": "comment"}


def _count(response: GrepResponse) -> str:
    if response.is_near:
        return "No file contains this whole text. These places contain most of its words:"
    rows = sum(len(file.items) for file in response.files)
    scope = "" if response.request.where == "all" else f" in {response.request.where}"
    number = response.at_least if response.total is None else response.total
    showing = (
        f" (showing {count_of(rows, 'row')}, one for each symbol)" if response.has_more else ""
    )
    if response.total is None:
        return f"Found at least {count_of(number, 'line')}{scope}{showing}"
    files = count_of(response.total_files or 0, "file")
    return f"Found {count_of(number, 'line')}{scope}{f' in {files}' if number else ''}{showing}"


def marker(request: GrepRequest) -> Callable[[str], str]:
    """Marks the matches of a request in the text of a line, for a terminal."""
    pattern = byte_pattern(request.pattern, request.regex, request.ignore_case)
    return lambda text: mark_spans(text, pattern.spans_in(text))


def _file(file: FileText, show: Callable[[str], str]) -> list[str]:
    return [
        plain_path(file.file_path),
        *(_row(row, file.file_path, show) for row in file.items),
        "",
    ]


def _row(row: TextRow, path: str, show: Callable[[str], str]) -> str:
    container = f" {code_span(without_folders(row.container, path))}" if row.container else ""
    return (
        f"- {row.line}{container}{other_lines(row.lines)}:"
        f" {code_span(show(' '.join(row.text.split())))}"
    )
