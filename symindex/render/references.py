"""References as Markdown: few tokens for an agent, a line each, safe for whatever stands in paths and code."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from symindex.protocol import FileReferences, Reference, ReferencesResponse
from symindex.render.markdown import code_span
from symindex.text.escaping import show_controls

_LONG_NAME: Final = 200
"""Characters of a name that are repeated."""

_PLAIN_PATH: Final = re.compile(r"(?!\d+[.)] )[A-Za-z0-9./][\w./@+~,=-]*(?: [\w./@+~,=-]+)*", re.ASCII)
"""A path that means nothing to Markdown as a line of its own."""


def render_references(response: ReferencesResponse) -> str:
    """The answer: the occurrences by file, each with its line, what it stands in, and the code."""
    lines = [f"# References: {code_span(response.name[:_LONG_NAME])}", _count(response), ""]
    for file in response.files:
        lines += [_path(file), *_rows(file.items), ""]
    if not response.files and not response.has_more:
        lines += [_why_nothing(response), ""]
    for notice in response.notices or ():
        lines += [f"> {show_controls(notice)}", ""]
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
    within = ""
    if number:
        within = " in 1 file" if response.total_files == 1 else f" in {response.total_files} files"
    return f"Found {number} {noun}{within}, by name{showing}"


def _path(file: FileReferences) -> str:
    return file.file_path if _PLAIN_PATH.fullmatch(file.file_path) else code_span(file.file_path)


def _rows(items: Sequence[Reference]) -> Iterator[str]:
    """A row for each line; where a line holds the name several times, it says so."""
    for _, same in groupby(items, key=lambda item: (item.line, item.container, item.definition, item.text)):
        item, *others = same
        yield _row(item, 1 + len(others))


def _row(item: Reference, n_times: int) -> str:
    container = f" {code_span(item.container)}" if item.container else ""
    definition = " (definition)" if item.definition else ""
    times = f" ({n_times} times)" if n_times > 1 else ""
    return f"- {item.line}{container}{definition}{times}: {code_span(' '.join(item.text.split()))}"


def _why_nothing(response: ReferencesResponse) -> str:
    if response.at_least:
        return "> No more references."
    if response.suggestions:
        return "> No reference by that name. Nearest names: " + ", ".join(map(code_span, response.suggestions)) + "."
    return "> No reference by that name."
