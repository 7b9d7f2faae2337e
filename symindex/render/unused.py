"""Writes the symbols that nothing uses as Markdown, by file."""

from symindex.protocol.unused import UnusedResponse
from symindex.render.hints import Hints, command_hint
from symindex.render.markdown import code_span, plain_path, quote_notices
from symindex.text.counts import count_of


def render_unused(response: UnusedResponse, hints: Hints = command_hint) -> str:
    """Writes the symbols with their lines, kinds and reasons."""
    request = response.request
    shown = sum(len(file.symbols) for file in response.files)
    some = f" (showing {shown:,})" if shown < response.total else ""
    lines = [
        "# Unused symbols",
        "",
        (
            f"{count_of(response.total, 'symbol')}{some}: of"
            f" {count_of(response.judged, 'candidate')}, those that nothing names in"
            f" {count_of(response.searched, 'file')}"
        ),
        "",
    ]
    for file in response.files:
        lines.append(plain_path(file.file_path))
        lines += [
            f"- {symbol.line} {code_span(symbol.name)} {symbol.kind}: {symbol.reason}"
            for symbol in file.symbols
        ]
        lines.append("")
    if response.has_more:
        fields = {
            name: value
            for name in ("path", "kinds", "languages", "exported", "max_items")
            if (value := getattr(request, name)) and value != getattr(type(request)(), name)
        }
        call = hints("unused", **fields, start_index=request.start_index + shown)
        lines += [f"> {response.total - request.start_index - shown:,} more: {code_span(call)}", ""]
    return "\n".join([*lines, *quote_notices(response.notices)])
