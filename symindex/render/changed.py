"""Writes changes as Markdown: the symbols by file."""

from collections.abc import Sequence

from symindex.protocol.changes import ChangedResponse, ChangedSymbol
from symindex.render.hints import Hints, command_hint
from symindex.render.markdown import code_span, plain_path, quote_notices
from symindex.text.counts import count_of

_SIGNS = {"added": "+", "changed": "~", "removed": "-"}


def render_changed(response: ChangedResponse, hints: Hints = command_hint, **room: int) -> str:
    """Writes changes as Markdown. room: the argument that asks for a larger answer, if the front
    end has one.

    A row says what happened to a symbol: `+` added, `~` changed, `-` removed. The contents of a new
    or removed symbol are only counted.
    """
    files = count_of(response.total_files, "file")
    lines = [f"# Changed since {code_span(response.request.since)}", ""]
    lines += [
        (
            f"{count_of(response.total, 'symbol')} in {files}, compared with commit"
            f" {response.commit[:12]}"
        ),
        "",
    ]
    for file in response.files:
        status = f" ({file.status})" if file.status != "changed" else ""
        if file.renamed_from:
            status = f" (renamed from {plain_path(file.renamed_from)})"
        rows = [_row(symbol, inside) for symbol, inside in _outer(file.symbols)]
        if not rows and not file.renamed_from:
            rows = ["- (outside of all symbols)"]
        lines += [plain_path(file.file_path) + status, *rows, ""]
    shown = sum(len(file.symbols) for file in response.files)
    if shown < response.total:
        since, path = response.request.since, response.files[-1].file_path
        path_argument = {"path": response.request.path} if response.request.path else {}
        full_call = hints(
            "changed", since=since, **path_argument, max_items=2 * response.total, **room
        )
        file_call = hints("changed", since=since, path=path)
        lines += [
            (
                f"> {response.total - shown:,} more: {code_span(full_call)}, or of one file:"
                f" {code_span(file_call)}"
            ),
            "",
        ]
    return "\n".join([*lines, *quote_notices(response.notices)])


def _outer(symbols: Sequence[ChangedSymbol]) -> list[tuple[ChangedSymbol, int]]:
    """Returns the outermost symbols, each with the number of symbols inside it that were added or
    removed with it."""
    outermost: list[tuple[ChangedSymbol, int]] = []
    for symbol in symbols:
        last = outermost[-1][0] if outermost else None
        is_inside = (
            last is not None
            and symbol.name.startswith(f"{last.name}.")
            and symbol.status == last.status
        )
        if is_inside and symbol.status != "changed" and last is not None:
            outermost[-1] = last, outermost[-1][1] + 1
        else:
            outermost.append((symbol, 0))
    return outermost


def _row(symbol: ChangedSymbol, inside: int) -> str:
    tests = (
        f"; tests: {', '.join(code_span(test.id) for test in symbol.tests)}" if symbol.tests else ""
    )
    hidden = f" (+{inside})" if inside else ""
    return (
        f"- {_SIGNS[symbol.status]} {symbol.line} {code_span(symbol.name)}"
        f" {symbol.kind}{hidden}{tests}"
    )
