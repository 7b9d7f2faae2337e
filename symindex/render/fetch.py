"""Writes a fetched item as Markdown: its identity, origin, signature and content."""

from typing import Final

from symindex.protocol.fetch import FetchFailure, FetchResponse
from symindex.render.markdown import code_span, fence, quote, quote_notices
from symindex.text.escaping import shorten, show_text

_MOST_FIELD: Final = 200
"""Longest metadata field that is shown, in characters."""

_SHOWN: Final = ("title", "description", "category", "version", "author", "status", "date")


def render_fetch(response: FetchResponse | FetchFailure) -> str:
    """Writes an item as Markdown. Nothing in the content can end the fence around it."""
    if isinstance(response, FetchFailure):
        item_id = code_span(response.item_id or "")
        return "\n".join([f"# Fetch: {item_id}", quote(response.error), ""])
    origin = (
        f"{response.source}, {code_span(response.package)}" if response.package else response.source
    )
    integrity = response.integrity
    lines = [
        f"# Fetch: {code_span(f'{response.item_type}:{response.item_id}')}",
        f"{origin}, {code_span(response.path)}",
        "",
    ]
    for name in _SHOWN:
        if value := response.metadata.get(name):
            lines.append(
                f"- {name}: {code_span(shorten(' '.join(str(value).split()), _MOST_FIELD))}"
            )
    lines += [
        f"- sha256: {response.digest}; {integrity.indexed} as indexed; signature:"
        f" {integrity.signature}"
    ]
    lines += [f"- {integrity.binding}"] if integrity.binding else []
    lines.append("")
    mark = fence(response.content, 3)
    lines += [
        mark + response.metadata.get("extension", "").lstrip("."),
        show_text(response.content.rstrip("\n")),
        mark,
        "",
    ]
    if response.shadows:
        lines += [
            quote(
                f"hides the same id in {', '.join(shadow['space'] for shadow in response.shadows)}"
            ),
            "",
        ]
    if response.shadowed_by:
        lines += [quote(f"hidden by the one in {response.shadowed_by}"), ""]
    if response.copied_to:
        lines += [quote(f"copied to {response.copied_to}: {response.destination_path}"), ""]
    return "\n".join([*lines, *quote_notices(response.notices)])
