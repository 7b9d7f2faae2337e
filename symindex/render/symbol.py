"""One symbol as Markdown: where it is, its code, what stands in it; or those that may be meant."""

import re

from symindex.protocol import SymbolDetail, SymbolLine, SymbolResponse
from symindex.render.hints import SHELL, Hints
from symindex.render.markdown import code_span, show_controls


def render_symbol(response: SymbolResponse, hints: Hints = SHELL) -> str:
    """The answer as Markdown. What the code shows is not said again: neither the signature, nor a doc that stands in it."""
    asked = response.request.symbol
    lines: list[str] = []
    if response.symbol is not None:
        lines += _detail(response.symbol, hints, asks_lines=response.request.lines is not None)
        if response.others:
            n_others = response.total - 1
            lines += [f"{n_others} more of this name, less likely meant:", "", *_list(response.others, n_others)]
    elif response.others:
        lines += [f"# Symbol: {code_span(asked)}", f"{response.total} symbols have this name; ask for one by its id:", ""]
        lines += _list(response.others, response.total)
    else:
        lines += [f"# Symbol: {code_span(asked)}", "No symbol has this name.", ""]
        if response.suggestions:
            lines += ["> Nearest names: " + ", ".join(map(code_span, response.suggestions)) + ".", ""]
        else:
            lines += [f"> Search for parts of it: {code_span(hints.call('search', query=asked))}.", ""]
    for notice in response.notices or ():
        lines += [f"> {show_controls(notice)}", ""]
    return "\n".join(lines)


def _list(symbols: list[SymbolLine], total: int) -> list[str]:
    lines = [
        f"- {code_span(symbol.id)} {symbol.kind}, line {symbol.line}"
        + (f": {code_span(symbol.signature)}" if symbol.signature else "")
        for symbol in symbols
    ]
    if total > len(symbols):
        lines.append(f"- and {total - len(symbols)} more")
    return [*lines, ""]


def _detail(symbol: SymbolDetail, hints: Hints, asks_lines: bool) -> list[str]:
    first, last = symbol.range.start_line, symbol.range.end_line
    place = f"{symbol.file_path}:{first}-{last}" if last > first else f"{symbol.file_path}:{first}"
    chain = f" in {code_span('.'.join(each.name for each in symbol.container_chain))}" if symbol.container_chain else ""
    told = [flag for flag in symbol.flags if flag != "exported"]
    lines = [
        f"# Symbol: {code_span(symbol.id)}",
        f"{' '.join([*told, symbol.kind])}{chain}, {symbol.language}, {code_span(place)}",
        "",
    ]
    if symbol.doc and not asks_lines and not _holds(symbol.code, symbol.doc):
        lines += [f"> {show_controls(line)}".rstrip() for line in symbol.doc.splitlines()] + [""]
    if symbol.code:
        lines += [*_fenced(symbol.code, symbol.language), ""]
    elif symbol.signature:
        lines += [*_fenced(symbol.signature, symbol.language), ""]
    if not symbol.is_whole and symbol.code and not asks_lines:
        start = symbol.code_end_line + 1
        if start <= last:
            rest = hints.call("symbol", symbol=symbol.id, lines=f"{start}-{last}")
            lines += [f"> Lines {symbol.code_start_line}-{symbol.code_end_line} of {first}-{last}. More: {code_span(rest)}", ""]
    elif asks_lines:
        lines += [f"> Lines {symbol.code_start_line}-{symbol.code_end_line}; the symbol is {first}-{last}.", ""]
    if symbol.members and not (symbol.is_whole and symbol.code) and not asks_lines:
        lines += ["Members:", *_members(symbol.members)]
        if symbol.hidden_members:
            more = hints.call("outline", path=symbol.file_path)
            lines.append(f"- and {symbol.hidden_members} more: {code_span(more)}")
        lines.append("")
    if symbol.siblings:
        lines += ["Siblings:", *_members(symbol.siblings), ""]
    return lines


def _members(symbols: list[SymbolLine]) -> list[str]:
    return [f"- {symbol.line} {code_span(symbol.signature or symbol.name)}" + _kind(symbol) for symbol in symbols]


def _kind(symbol: SymbolLine) -> str:
    """The kind, where the signature does not show it."""
    return "" if symbol.signature and symbol.kind in ("method", "function", "constructor", "class") else f" {symbol.kind}"


def _holds(code: str, doc: str) -> bool:
    """Whether the code shows the doc."""
    return _words(doc) in _words(code)


def _words(text: str) -> str:
    return "".join(re.findall(r"\w+", text))


def _fenced(code: str, language: str) -> list[str]:
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    shown = [show_controls(line).replace("\\t", "\t") if "\t" in line else show_controls(line) for line in code.split("\n")]
    return [f"{fence}{language}", *shown, fence]
