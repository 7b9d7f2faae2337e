"""Outlines as Markdown: a nested list, a row a symbol."""

from symindex.protocol import OutlineItem, OutlineResponse
from symindex.render.hints import SHELL, Hints
from symindex.render.markdown import code_span, show_controls


def render_outline(response: OutlineResponse, hints: Hints = SHELL) -> str:
    """The answer as Markdown; what is hidden says so in its row, and the last line how to see it."""
    path = response.path or "."
    n_symbols = f"{response.symbols:,} {'symbol' if response.symbols == 1 else 'symbols'}"
    within = "" if response.files == 1 else f" in {response.files:,} files"
    lines = [f"# Outline: {code_span(path)}", f"{n_symbols}{within}", ""]
    for item in response.items:
        lines += _rows(item, "", response.path)
    if response.items:
        lines.append("")
    for notice in response.notices or ():
        lines += [f"> {show_controls(notice)}", ""]
    if response.hidden:
        lines += [f"> {response.hidden:,} rows hidden. {_more(response, hints)}", ""]
    return "\n".join(lines)


def _more(response: OutlineResponse, hints: Hints) -> str:
    closed = _closed(response.items)
    if closed is not None and closed.kind in ("folder", "file"):
        return f"Look into one: {code_span(hints.call('outline', path=closed.name))}"
    if closed is not None:
        return f"Look into one: {code_span(hints.call('symbol', symbol=f'{response.path}#{closed.name}'))}"
    more = hints.call("outline", path=response.path, max_tokens=4 * (response.request.max_tokens or 1))
    return f"For more room: {code_span(more)}"


def _closed(items: list[OutlineItem]) -> OutlineItem | None:
    """The largest row that hides some."""
    found = [item for item in items if item.hidden] + [inner for item in items if (inner := _closed(item.items)) is not None]
    return max(found, key=lambda item: item.hidden, default=None)


def _rows(item: OutlineItem, indent: str, above: str) -> list[str]:
    if item.kind in ("folder", "file"):
        name = item.name.removeprefix(f"{above}/") if above else item.name
        shown = code_span(f"{name}/" if item.kind == "folder" else name)
        files = f"{item.files:,} files, " if item.kind == "folder" else ""
        count = f" ({files}{item.symbols:,} {'symbol' if item.symbols == 1 else 'symbols'})" if item.hidden else ""
        row, above = f"{indent}- {shown}{count}", item.name
    else:
        lines = f"{item.line}-{item.end_line}" if item.end_line > item.line else f"{item.line}"
        hidden = f" (+{item.hidden})" if item.hidden else ""
        row = f"{indent}- {lines} {item.kind} {code_span(item.signature or item.name)}{hidden}"
    return [row, *(line for inner in item.items for line in _rows(inner, indent + "  ", above))]
