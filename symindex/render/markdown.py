"""Markdown of the LSAP search contract, safe for whatever stands in names, paths and queries.

Code is full of characters that mean something in Markdown. A name stands in a code span whose fence is longer than any run of
backticks in it; `|` is escaped, since a table splits its cells before it looks at code spans; line breaks, control characters
and bidirectional overrides, which could make a row look like another, are shown as escapes.
"""

import re
from typing import Final, Literal

from symindex.protocol import SearchResponse
from symindex.text.escaping import show_controls

_PLAIN_PATH: Final = re.compile(r"(?!.*\]\()[\w./@+~,=()\[\]{} -]*")

NextBy = Literal["start_index", "pagination_id"]


def code_span(text: str, in_table: bool = False) -> str:
    """The text as a Markdown code span that nothing in it can end."""
    text = show_controls(text)
    if in_table:
        # A backslash before the pipe would escape the escape, and cannot itself be escaped inside a code span.
        text = re.sub(r"(?<=\\)\|", r"\\x7c", text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def location(path: str, line: int) -> str:
    """`path:line` for a cell: bare where nothing in it means anything to Markdown, else as a code span."""
    place = f"{path}:{line}"
    return place if _PLAIN_PATH.fullmatch(path) else code_span(place, in_table=True)


def render_search(response: SearchResponse, next_by: NextBy = "start_index") -> str:
    """The answer as the contract's Markdown; `next_by` chooses which hint leads to the next page."""
    total, shown = response.total, len(response.items)
    showing = f" (showing {shown})" if response.max_items is not None else ""
    lines = [
        f"# Search: {code_span(response.request.query)}",
        f"Found {total} {'result' if total == 1 else 'results'}{showing}",
        "",
    ]
    if response.items:
        lines += ["| Name | Kind | Location |", "|------|------|----------|"]
        for item in response.items:
            within = f" (in {code_span(item.container, in_table=True)})" if item.container else ""
            name = code_span(item.name, in_table=True)
            lines.append(f"| {name}{within} | {item.kind} | {location(item.file_path, item.line)} |")
        lines.append("")
    if not total:
        lines += [*_why_nothing(response), ""]
    for notice in response.notices or ():
        lines += [f"> {show_controls(notice)}", ""]
    if response.has_more:
        if next_by == "pagination_id" and response.pagination_id is not None:
            hint = f"pagination_id={response.pagination_id}"
        else:
            hint = f"start_index={response.start_index + shown}"
        lines += [f"> More results available. Use `{hint}` for next page.", ""]
    return "\n".join(lines)


def _why_nothing(response: SearchResponse) -> list[str]:
    if response.suggestions:
        return ["> No symbol matches. Nearest names: " + ", ".join(map(code_span, response.suggestions)) + "."]
    return ["> No symbol matches."]
