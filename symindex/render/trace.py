"""Writes a trace as Markdown: the frames of the workspace, the others folded."""

from symindex.protocol.trace import TraceFrame, TraceResponse
from symindex.render.markdown import code_span, quote_notices
from symindex.text.counts import count_of


def render_trace(response: TraceResponse) -> str:
    """Writes the answer as Markdown."""
    count = len(response.frames)
    lines = [f"# Trace: {count_of(response.total, 'frame')}, {count} in the workspace", ""]
    n_last = response.looked_up // 2 if response.total > response.looked_up else 0
    n_first = response.looked_up - n_last
    lines += _rows(response, 0, n_first)
    if n_last:
        lines += [
            f"- … {response.total - response.looked_up:,} not looked up",
            *_rows(response, response.total - n_last, response.total),
        ]
    lines.append("")
    if n_last:
        lines += [
            f"> Only the first {n_first} and the last {n_last} were looked up: ask again with the"
            " others.",
            "",
        ]
    return "\n".join([*lines, *quote_notices(response.notices)])


def _rows(response: TraceResponse, after: int, end: int) -> list[str]:
    """Writes the frames from number `after` + 1 to `end`."""
    lines, last = [], after
    for frame in response.frames:
        if after < frame.number <= end:
            lines += [*_folded(frame.number - last - 1), _row(frame)]
            last = frame.number
    return [*lines, *_folded(end - last)]


def _folded(count: int) -> list[str]:
    return [f"- … {count} elsewhere"] if count > 0 else []


def _row(frame: TraceFrame) -> str:
    symbol = frame.symbol
    name = (
        f" {code_span(f'{symbol.container}.{symbol.name}' if symbol.container else symbol.name)}"
        f" {symbol.kind}"
        if symbol
        else ""
    )
    others = f" (or {frame.others} more)" if frame.others else ""
    code = f": {code_span(frame.code)}" if frame.code else ""
    return f"- {frame.number}. {code_span(f'{frame.file_path}:{frame.line}')}{name}{others}{code}"
