"""Changes as Markdown: the symbols by file."""

from symindex.explore.changes.contract import ChangedResponse, ChangedSymbol
from symindex.render.markdown import code_span, count_of, plain_path, quote_notices

_SIGNS = {"added": "+", "changed": "~", "removed": "-"}


def render_changed(response: ChangedResponse) -> str:
    """The answer as Markdown. A row says what happened to a symbol: `+` added, `~` changed, `-` removed."""
    files = count_of(len(response.files), "file")
    lines = [f"# Changed since {code_span(response.request.since)}", ""]
    lines += [f"{count_of(response.total, 'symbol')} in {files}, compared with commit {response.commit[:12]}", ""]
    for file in response.files:
        status = f" ({file.status})" if file.status != "changed" else ""
        rows = [_row(symbol) for symbol in file.symbols] or ["- (outside of all symbols)"]
        lines += [plain_path(file.file_path) + status, *rows, ""]
    shown = sum(len(file.symbols) for file in response.files)
    if shown < response.total:
        lines += [f"> {response.total - shown:,} more: ask with a path, or with more max_items.", ""]
    return "\n".join([*lines, *quote_notices(response.notices)])


def _row(symbol: ChangedSymbol) -> str:
    tests = f"; tests: {', '.join(code_span(test.id) for test in symbol.tests)}" if symbol.tests else ""
    return f"- {_SIGNS[symbol.status]} {symbol.line} {code_span(symbol.name)} {symbol.kind}{tests}"
