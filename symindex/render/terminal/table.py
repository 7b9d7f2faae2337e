"""Writes tables for people at a terminal."""

from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from symindex.protocol.search import SearchItem, SearchResponse
from symindex.protocol.search_rows import Row, Rows
from symindex.render.markdown import extra_cell, extras_of, kind_cell, times
from symindex.render.terminal.terminal_page import link_to
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls

_COLOURS = {
    "class": "green",
    "struct": "green",
    "interface": "green",
    "trait": "green",
    "enum": "green",
    "type": "green",
    "function": "cyan",
    "method": "cyan",
    "constructor": "cyan",
    "macro": "cyan",
    "operator": "cyan",
}

_LEAST_NAME, _LEAST_EXTRA = 16, 12
"""The least width, in columns of a terminal, of names and of an included field."""


def print_search(
    response: SearchResponse, console: Console, folds: bool = False, root: Path | None = None
) -> None:
    """Prints the hits as rows, with the letters of the query marked in their names; then how many
    there are and how to get more. folds: whether overloads share a row. root: the root of the
    paths, so that a terminal can open them."""
    rows = Rows(response.items).rows if folds else [*map(Row, response.items)]
    if rows:
        _print_rows(response, rows, console, root)
    shown = len(response.items)
    count = count_of(response.total, "result")
    if shown < response.total:
        first = response.start_index + 1
        count += (
            f", {first:,} to {response.start_index + shown:,} shown"
            if shown
            else ", none of them on this page"
        )
    console.print(Text(count, style="dim"))
    if len(rows) < shown:
        overloads = (
            "(n times): overloads or declarations in one file; a row for each: --max-items 0"
        )
        console.print(Text(overloads, style="dim"))
    if response.suggestions:
        console.print(Text("nearest names: " + ", ".join(map(show_controls, response.suggestions))))
    for notice in response.notices or ():
        console.print(Text(show_controls(notice), style="yellow"))
    if response.has_more:
        console.print(
            Text(
                f"more: --start-index {response.start_index + shown}, or all: --max-items 0",
                style="dim",
            )
        )


def _print_rows(
    response: SearchResponse, rows: Sequence[Row], console: Console, root: Path | None
) -> None:
    extras = extras_of(response.request.include or ())
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("name", "kind", "location", *extras):
        table.add_column(title, overflow="fold", no_wrap=title in ("kind", "location"))
    # A path that is broken into lines cannot be opened, so the terminal itself has to wrap long
    # lines.
    places = max(
        cell_len(show_controls(row.item.file_path)) + len(str(row.item.line)) + 1 for row in rows
    )
    kinds = max(len(kind_cell(row.item)) for row in rows)
    console.width = max(
        console.width,
        places + kinds + _LEAST_NAME + len(extras) * _LEAST_EXTRA + 2 * (2 + len(extras)),
    )
    for row in rows:
        item = row.item
        name = _name(item)
        if item.container:
            name.append(f"  in {show_controls(item.container)}", style="dim")
        name.append(times(row), style="dim")
        style = link_to(root, item.file_path, str(item.line)) + Style(color="magenta")
        place = Text(f"{show_controls(item.file_path)}:{item.line}", style=style)
        cells = [Text(show_controls(extra_cell(item, extra))) for extra in extras]
        table.add_row(
            name, Text(kind_cell(item), style=_COLOURS.get(item.kind, "yellow")), place, *cells
        )
    console.print(table)


def _name(item: SearchItem) -> Text:
    """Writes a name in bold, with the matched characters in colour."""
    text, name, shown = Text(style="bold"), item.name, 0
    for start, end in item.spans or ():
        text.append(show_controls(name[shown:start]))
        text.append(show_controls(name[start:end]), style="bright_red")
        shown = end
    return text.append(show_controls(name[shown:]))
