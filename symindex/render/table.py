"""Tables for people at a terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from symindex.protocol import SearchResponse
from symindex.text.escaping import show_controls

_COLOURS = {
    "class": "green", "struct": "green", "interface": "green", "trait": "green", "enum": "green", "type": "green",
    "function": "cyan", "method": "cyan", "constructor": "cyan", "macro": "cyan", "operator": "cyan",
}  # fmt: skip

_EXTRAS = ("score", "language", "signature", "doc", "id", "range")


def print_search(response: SearchResponse, console: Console) -> None:
    """The hits as rows, then how many there are and how to get more."""
    if response.items:
        extras = [name for name in _EXTRAS if name in (response.request.include or ())]
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("name", "kind", "location", *extras):
            table.add_column(title, overflow="fold", no_wrap=title == "kind")
        for item in response.items:
            name = Text(show_controls(item.name), style="bold")
            if item.container:
                name.append(f"  in {show_controls(item.container)}", style="dim")
            place = Text(f"{show_controls(item.file_path)}:{item.line}", style="magenta")
            cells = [Text(_cell(getattr(item, extra))) for extra in extras]
            table.add_row(name, Text(item.kind, style=_COLOURS.get(item.kind, "yellow")), place, *cells)
        console.print(table)
    shown = len(response.items)
    count = f"{response.total:,} {'result' if response.total == 1 else 'results'}"
    if shown < response.total:
        first = response.start_index + 1
        count += f", {first:,} to {response.start_index + shown:,} shown" if shown else ", none of them on this page"
    console.print(Text(count, style="dim"))
    if response.suggestions:
        console.print(Text("nearest names: " + ", ".join(map(show_controls, response.suggestions))))
    for notice in response.notices or ():
        console.print(Text(show_controls(notice), style="yellow"))
    if response.has_more:
        console.print(Text(f"more: --start-index {response.start_index + shown}, or all: --max-items 0", style="dim"))


def _cell(value: object) -> str:
    if hasattr(value, "start_line"):
        return f"{value.start_line}-{value.end_line}"  # type: ignore[attr-defined]
    return show_controls(str(value)).replace("\\n", " ")
