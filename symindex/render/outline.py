"""Outlines and maps as Markdown. An outline is a nested list with a row for each symbol."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import UNSET

from symindex.protocol.explore import OutlineItem, OutlineResponse
from symindex.protocol.overview import MapResponse, MapSymbol
from symindex.render.hints import Hints, command_hint
from symindex.render.markdown import code_span, plain_path, quote_notices
from symindex.text.counts import count_of
from symindex.text.token_budget import MOST_TOKENS

_ROOMIER: Final = 4
"""The tokens in the hint, as a multiple of the budget, if not even the first level fits."""

_LEAST_ROOM: Final = 500
"""The fewest tokens in the hint."""


def render_outline(
    response: OutlineResponse, hints: Hints = command_hint, shown: Callable[[str], str] = str
) -> str:
    """Writes an outline as Markdown. A row says how much it hides, and the last line how to see it.
    shown: writes a path; the paths of rows are relative to the folder of the row above."""
    in_files = "" if response.files == 1 else f" in {response.files:,} files"
    lines = [
        f"# Outline: {code_span(', '.join(_paths(response, shown)) or '.')}",
        f"{count_of(response.symbols, 'symbol')}{in_files}",
        "",
    ]
    for item in response.items:
        lines += _rows(item, "", response.path)
    if response.items:
        lines += [*_omitted(response.omitted, ""), ""]
    lines += quote_notices(response.notices)
    if response.hidden:
        lines += [f"> {_hidden(response)} hidden. {_more(response, hints, shown)}", ""]
    return "\n".join(lines)


def _omitted(count: int, indent: str) -> list[str]:
    return [f"{indent}- and {count:,} more"] if count else []


def _hidden(response: OutlineResponse) -> str:
    """Says how much is hidden; it names files if some are in closed folders, or left out."""
    has_files = response.files > 1 and (
        response.omitted or any(item.kind == "folder" for item in _closed(response.items))
    )
    return (
        count_of(response.hidden, "symbol or file", "symbols and files")
        if has_files
        else count_of(response.hidden, "symbol")
    )


def _more(response: OutlineResponse, hints: Hints, shown: Callable[[str], str]) -> str:
    request = response.request
    paths = _paths(response, shown)
    same = {"kinds": request.kinds} if request.kinds else {}
    closed = max(_closed(response.items), key=lambda item: item.hidden, default=None)
    says = []
    if closed is not None:
        call = (
            hints("symbol", symbol=shown(closed.id))
            if closed.id
            else hints("outline", path=shown(closed.name), **same)
        )
        says.append(f"Look into one: {code_span(call)}.")
    if (response.omitted or closed is None) and (request.max_tokens or 0) >= MOST_TOKENS:
        path_argument: dict[str, object] = {"paths": paths} if response.path else {}
        says.append(
            f"Page by page: {code_span(hints('search', query='', **same, **path_argument))}."
        )
    elif response.omitted or closed is None:
        room: dict[str, object] = {} if request.depth is None else {"depth": request.depth}
        if request.include is not UNSET and request.include:
            room["include"] = request.include
        room["max_tokens"] = min(
            max(_ROOMIER * (request.max_tokens or 1), _LEAST_ROOM), MOST_TOKENS
        )
        path = paths if len(paths) > 1 else paths[0]
        says.append(
            f"For a larger answer: {code_span(hints('outline', path=path, **same, **room))}."
        )
    return " ".join(says)


def _paths(response: OutlineResponse, shown: Callable[[str], str]) -> list[str]:
    """Returns the paths of the request as they are shown; an empty one for the whole workspace."""
    given = response.request.path
    paths = given if isinstance(given, list) and len(given) > 1 else [response.path]
    return ["!" * path.startswith("!") + shown(path.removeprefix("!")) for path in paths]


def _closed(items: list[OutlineItem]) -> Iterator[OutlineItem]:
    """Yields the rows that hide some of their contents."""
    for item in items:
        if item.hidden:
            yield item
        yield from _closed(item.items)


def _rows(item: OutlineItem, indent: str, above: str) -> list[str]:
    if item.kind in ("folder", "file"):
        name = item.name.removeprefix(f"{above}/") if above else item.name
        counts = count_of(item.symbols, "symbol")
        if item.kind == "folder":
            name, counts = f"{name}/", f"{count_of(item.files, 'file')}, {counts}"
        row = f"{indent}- {code_span(name)}{f' ({counts})' if item.hidden else ''}"
        above = item.name
    else:
        lines = f"{item.line}-{item.end_line}" if item.end_line > item.line else f"{item.line}"
        hidden = f" (+{item.hidden:,})" if item.hidden else ""
        row = f"{indent}- {lines} {item.kind} {code_span(item.signature or item.name)}{hidden}"
    inner = [line for child in item.items for line in _rows(child, indent + "  ", above)]
    return [row, *inner, *_omitted(item.omitted, indent + "  ")]


def render_map(response: MapResponse) -> str:
    """Writes a map: the files in order, each with its symbols."""
    in_files = count_of(response.files_in_all, "file")
    lines = [
        f"# Map: {code_span(response.path or '.')}",
        f"{count_of(response.symbols_in_all, 'symbol')} in {in_files}",
        "",
    ]
    if len(response.folders) > 1:
        lines += [
            "Folders: "
            + ", ".join(f"{plain_path(folder.name)} {folder.files}" for folder in response.folders),
            "",
        ]
    for file in response.files:
        lines += [plain_path(file.file_path), *map(_map_row, file.symbols)]
    lines += [""]
    return "\n".join([*lines, *quote_notices(response.notices)])


def _map_row(symbol: MapSymbol) -> str:
    return f"- {symbol.line} {code_span(symbol.signature or f'{symbol.kind} {symbol.name}')}"
