"""A line for each row, as compilers and grep write places: for fzf, the quickfix list of Vim, and scripts."""

from symindex.protocol.search import SearchResponse
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls


def render_lines(response: SearchResponse) -> str:
    """`path:line: kind name`, the name with its container; behind a guess, why it is there. What does not show as itself is
    escaped, so a row is one line."""
    rows = (
        f"{item.file_path}:{item.line}: {item.kind} {f'{item.container}.{item.name}' if item.container else item.name}"
        + (f" ({item.match})" if item.match else "")
        for item in response.items
    )
    return "".join(f"{show_controls(row)}\n" for row in rows)


def tell_rest(response: SearchResponse) -> list[str]:
    """What else is to be said of an answer, a line each; it does not belong between the rows."""
    told = []
    if not response.total:
        near = f"; nearest names: {', '.join(response.suggestions)}" if response.suggestions else ""
        told.append(f"no symbol matches{near}")
    elif response.has_more:
        shown = response.start_index + len(response.items)
        told.append(f"{count_of(response.total, 'result')}; the next: --start-index {shown}")
    return [*told, *(response.notices or ())]
