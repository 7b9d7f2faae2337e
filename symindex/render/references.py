"""References as Markdown: few tokens for an agent, a line each, safe for whatever stands in paths and code."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from symindex.protocol import Reference, ReferencesResponse
from symindex.render.markdown import code_span, is_marked, nearest_names, quote_notices

_LONG_NAME: Final = 200
"""Characters of a name that are repeated."""

_PLAIN_PATH: Final = re.compile(r"(?!\d+[.)] )[A-Za-z0-9./][\w./@+~,=-]*(?: [\w./@+~,=-]+)*", re.ASCII)
"""A path that means nothing to Markdown as a line of its own."""


def render_references(response: ReferencesResponse) -> str:
    """The answer: the occurrences by file, each with its line, what it stands in, and the code."""
    lines = [f"# References: {code_span(response.name[:_LONG_NAME])}", _count(response), ""]
    for file in response.files:
        is_plain = _PLAIN_PATH.fullmatch(file.file_path) and not is_marked(file.file_path)
        path = file.file_path if is_plain else code_span(file.file_path)
        lines += [path, *_rows(file.items), ""]
    if not response.files and not response.has_more:
        lines += [_why_nothing(response), ""]
    lines += quote_notices(response.notices)
    if response.has_more:
        lines += [f"> More results available. Use `pagination_id={response.pagination_id}` for next page.", ""]
    return "\n".join(lines)


def _count(response: ReferencesResponse) -> str:
    """How many there are, as far as is known."""
    shown = sum(len(file.items) for file in response.files)
    showing = f" (showing {shown})" if response.request.max_items is not None else ""
    number = response.at_least if response.total is None else response.total
    noun = "reference" if number == 1 else "references"
    if response.total is None:
        return f"Found at least {number} {noun}, by name{showing}"
    files = "1 file" if response.total_files == 1 else f"{response.total_files} files"
    return f"Found {number} {noun}{f' in {files}' if number else ''}, by name{showing}"


def _rows(items: Sequence[Reference]) -> Iterator[str]:
    """A row for each line, which says so where it holds the name several times."""
    for _, same in groupby(items, key=lambda item: (item.line, item.container, item.definition, item.text)):
        item, *others = same
        container = f" {code_span(item.container)}" if item.container else ""
        definition = " (definition)" if item.definition else ""
        times = f" ({1 + len(others)} times)" if others else ""
        yield f"- {item.line}{container}{definition}{times}: {code_span(' '.join(item.text.split()))}"


def _why_nothing(response: ReferencesResponse) -> str:
    if response.at_least:
        return "> No more references."
    return "> No reference by that name." + (f" {nearest_names(response.suggestions)}" if response.suggestions else "")
