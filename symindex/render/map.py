"""Maps as Markdown: the files in order, each with its symbols."""

from symindex.protocol.overview import MapResponse, MapSymbol
from symindex.render.markdown import code_span, plain_path, quote_notices
from symindex.text.counts import count_of


def render_map(response: MapResponse) -> str:
    """The answer as Markdown."""
    within = count_of(response.files_in_all, "file")
    lines = [
        f"# Map: {code_span(response.path or '.')}",
        f"{count_of(response.symbols_in_all, 'symbol')} in {within}",
        "",
    ]
    if len(response.folders) > 1:
        lines += [
            "Folders: "
            + ", ".join(f"{plain_path(folder.name)} {folder.files}" for folder in response.folders),
            "",
        ]
    for file in response.files:
        lines += [plain_path(file.file_path), *map(_row, file.symbols)]
    lines += [""]
    return "\n".join([*lines, *quote_notices(response.notices)])


def _row(symbol: MapSymbol) -> str:
    return f"- {symbol.line} {code_span(symbol.signature or f'{symbol.kind} {symbol.name}')}"
