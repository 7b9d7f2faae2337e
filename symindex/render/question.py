"""Writes the answer to a question in words: few rows, each with a line of its doc or signature,
grouped by file."""

from itertools import groupby
from typing import Final

import msgspec

from symindex.protocol.search import (
    NONE_HOLDS_ALL,
    SearchItem,
    SearchResponse,
    lacks_all_words,
)
from symindex.protocol.search_rows import Row, Rows
from symindex.render.markdown import (
    NextBy,
    Spelling,
    as_field,
    below_rows,
    code_span,
    kind_cell,
    no_rows,
    plain_path,
    question_of,
    times,
)
from symindex.text.counts import count_of
from symindex.text.escaping import shorten

SHOWN: Final = ("signature", "doc")
"""The fields that items must include."""

LONGEST: Final = 120
"""Longest line of a doc or a signature, in characters."""


def render_question(
    response: SearchResponse,
    next_by: NextBy = "start_index",
    spell: Spelling = as_field,
    row_name: str = "symbol",
) -> str:
    """Writes a page as Markdown. Items must include SHOWN. next_by, spell, row_name: as for
    `render/markdown.render_search`."""
    request, shown = response.request, len(response.items)
    files = count_of(len({item.file_path for item in response.items}), "file")
    count = (
        f"No {row_name} contains all the words (showing the nearest {shown}, from {files})"
        if lacks_all_words(response)
        else f"Found {count_of(response.total, 'result')} (showing {shown})"
    )
    lines = [f"# Search: {question_of(request.query, request.phrasings or ())}", count, ""]
    rows = Rows(response.items).rows
    order = {path: number for number, path in enumerate(dict.fromkeys(map(_path, rows)))}
    for path, of_file in groupby(sorted(rows, key=lambda row: order[_path(row)]), _path):
        lines += [plain_path(path), *map(_line, of_file)]
    lines += [""] if rows else []
    if not response.total:
        lines += no_rows(response, row_name)
    notices = [text for text in response.notices or () if not text.startswith(NONE_HOLDS_ALL)]
    rest = msgspec.structs.replace(response, notices=notices)
    return "\n".join([*lines, *below_rows(rest, next_by, spell)])


_TAGS: Final = ("@", "\\")
"""How the tags of documentation tools begin, which say nothing about what a symbol does."""


def _path(row: Row) -> str:
    return row.item.file_path


def _line(row: Row) -> str:
    item = row.item
    name = f"{item.container}.{item.name}" if item.container else item.name
    return f"- {item.line} {code_span(name)}{times(row)} ({kind_cell(item)}){_says(item)}"


def _says(item: SearchItem) -> str:
    """Writes the first line of the doc, or else the signature."""
    for text in (item.doc, item.signature):
        if isinstance(text, str) and text.strip() and not text.lstrip().startswith(_TAGS):
            line = " ".join(text.strip().partition("\n\n" if text is item.doc else "\n")[0].split())
            line = shorten(line, LONGEST) if len(line) > LONGEST else line
            return f": {code_span(line)}"
    return ""
