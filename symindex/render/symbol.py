"""Writes one symbol as Markdown: its place, code and members; or the candidates for an ambiguous
name."""

import re
from typing import Final

from msgspec import UNSET

from symindex.protocol.explore import (
    LastCommit,
    SymbolDetail,
    SymbolLine,
    SymbolResponse,
    TextRange,
)
from symindex.render.hints import Hints, command_hint
from symindex.render.markdown import code_span, fence, nearest_names, quote_notices
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls, show_text
from symindex.text.token_budget import MOST_TOKENS

_PROSE: Final = ("section", "item")
"""Kinds whose text is shown without line numbers."""

_LIKE_DOC: Final = 60
"""The code shows a doc if it contains this many letters of the doc's beginning."""


def render_symbol(response: SymbolResponse, hints: Hints = command_hint) -> str:
    """Writes the answer as Markdown. The signature and the doc are not repeated if the code shows
    them."""
    name = response.request.symbol
    lines: list[str] = []
    if response.text is not UNSET:
        lines += _range(response, response.text, hints)
    elif response.candidates is not UNSET:
        lines += [f"# Symbol: {code_span(name)}", f"{response.total:,} symbols have this name:", ""]
        for candidate in response.candidates:
            lines += [
                "#" + line if line.startswith("# ") else line
                for line in _detail(response, candidate, hints)
            ]
        if response.total > len(response.candidates):
            call = hints("search", query=name)
            lines += [
                f"And {response.total - len(response.candidates):,} less likely: {code_span(call)}",
                "",
            ]
    elif response.symbol is not None:
        lines += _detail(response, response.symbol, hints)
        if response.others:
            n_others = response.total - 1
            lines += [
                f"{n_others:,} more have this name, but are less likely meant:",
                "",
                *_list(response, n_others, hints),
            ]
    elif response.others:
        how_many = count_of(response.total, "symbol has", "symbols have")
        lines += [
            f"# Symbol: {code_span(name)}",
            f"{how_many} this name; ask for one by its id:",
            "",
        ]
        lines += _list(response, response.total, hints)
    else:
        lines += [f"# Symbol: {code_span(name)}", "No symbol has this name.", ""]
        if response.suggestions:
            lines += [f"> {nearest_names(response.suggestions)}", ""]
        elif not response.notices:
            lines += [f"> Search for parts of it: {code_span(hints('search', query=name))}.", ""]
    lines += quote_notices(response.notices)
    return "\n".join(lines)


def _list(response: SymbolResponse, total: int, hints: Hints) -> list[str]:
    lines = [
        f"- {code_span(symbol.id)} {symbol.kind}, line {symbol.line}"
        + (f": {code_span(symbol.signature)}" if symbol.signature else "")
        for symbol in response.others
    ]
    if total > len(response.others):
        call = hints("search", query=response.request.symbol)
        lines.append(f"- and {total - len(response.others):,} more: {code_span(call)}")
    return [*lines, ""]


def _detail(response: SymbolResponse, symbol: SymbolDetail, hints: Hints) -> list[str]:
    asks_lines = response.request.lines is not None
    first, last = symbol.range.start_line, symbol.range.end_line
    place = _lines(first, last)
    around = symbol.container or ".".join(
        entry.name for entry in symbol.container_chain
    )  # a member may be outside of its type
    chain = f" in {code_span(around)}" if around else ""
    flags = [flag for flag in symbol.flags if flag != "exported"]
    lines = [
        f"# Symbol: {code_span(symbol.id)}",
        f"{' '.join([*flags, symbol.kind])}{chain}, {symbol.language}, {place}",
        "",
    ]
    if symbol.doc and not _shows(symbol.code, symbol.doc):
        lines += [f"> {show_controls(line)}".rstrip() for line in symbol.doc.splitlines()] + [""]
    numbered = symbol.kind not in _PROSE
    if symbol.head:
        lines += [*_fenced(symbol.head, symbol.language, first * numbered), ""]
    has_code = symbol.code_end_line >= symbol.code_start_line  # an empty line is code
    if has_code or symbol.signature:
        shown, start = (
            (symbol.code, symbol.code_start_line * numbered) if has_code else (symbol.signature, 0)
        )
        lines += [*_fenced(shown, symbol.language, start), ""]
    if has_code and (asks_lines or not symbol.is_whole):
        shown = _lines(symbol.code_start_line, symbol.code_end_line).capitalize()
        remark = (
            f"> {shown}; the symbol is {first}-{last}."
            if asks_lines
            else f"> {shown} of {first}-{last}."
        )
        if symbol.more_lines:
            room = (
                {}
                if response.request.max_tokens is None
                else {"max_tokens": response.request.max_tokens}
            )
            call = hints("symbol", symbol=symbol.id, lines=symbol.more_lines, **room)
            remark += f" More: {code_span(call)}"
        lines += [remark, ""]
    if symbol.last_commit is not UNSET:
        lines += [_commit(symbol.last_commit), ""]
    members = "Members elsewhere:" if symbol.is_whole and symbol.code else "Members:"
    for title, listed, hidden in (
        (members, symbol.members, symbol.hidden_members),
        ("Siblings:", symbol.siblings, symbol.hidden_siblings),
    ):
        if listed or hidden:
            lines += [title, *(_row(entry, symbol.file_path) for entry in listed)]
            lines += [*_hidden(response, hidden, len(listed), hints), ""]
    return lines


def _commit(last: LastCommit) -> str:
    touched = "Last touched by" if last.is_exact else "Not touched since"
    return f"{touched} commit {last.commit[:12]} of {last.date}: {code_span(last.subject)}"


def _lines(first: int, last: int) -> str:
    return f"lines {first}-{last}" if last > first else f"line {first}"


def _hidden(response: SymbolResponse, hidden: int, shown: int, hints: Hints) -> list[str]:
    if not hidden:
        return []
    if (response.request.max_tokens or 0) >= MOST_TOKENS:
        call = hints(
            "search",
            query="",
            paths=[response.symbol.file_path] if response.symbol is not None else [],
        )
        return [f"- and {hidden:,} more in its file, page by page: {code_span(call)}"]
    # The whole answer grows in proportion to its rows, so this is enough for all.
    room = min(
        (response.request.max_tokens or 1) * (hidden + shown) // max(shown, 1) + 200, MOST_TOKENS
    )
    arguments: dict[str, object] = {"siblings": True} if response.request.siblings else {}
    arguments |= {} if response.request.code else {"code": False}
    call = hints("symbol", symbol=response.request.symbol, **arguments, max_tokens=room)
    return [f"- and {hidden:,} more: {code_span(call)}"]


def _row(symbol: SymbolLine, shown_path: str) -> str:
    """Writes a row of a list: with the path unless it is `shown_path`, with the kind unless the
    signature shows it."""
    place = (
        str(symbol.line)
        if symbol.file_path == shown_path
        else code_span(f"{symbol.file_path}:{symbol.line}")
    )
    shows_kind = symbol.signature and symbol.kind in ("method", "function", "constructor", "class")
    return f"- {place} {code_span(symbol.signature or symbol.name)}" + (
        "" if shows_kind else f" {symbol.kind}"
    )


def _shows(code: str, doc: str) -> bool:
    """Whether the code shows the doc, or at least its beginning."""
    return _letters(doc)[:_LIKE_DOC] in _letters(code)


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text))


def _fenced(code: str, language: str, first: int = 0) -> list[str]:
    """Writes code as a block. first: the number of its first line; 0 for lines without numbers."""
    marks = fence(code, least=3)
    lines = show_text(code).split("\n")
    if first:
        width = len(str(first + len(lines) - 1))
        lines = [
            f"{number:>{width}} {line}".rstrip() for number, line in enumerate(lines, start=first)
        ]
    return [f"{marks}{language}", *lines, marks]


def _range(response: SymbolResponse, text: TextRange, hints: Hints) -> list[str]:
    shown = _lines(text.code_start_line, text.code_end_line)
    lines = [f"# Lines: {code_span(text.file_path)}", f"{shown} of {text.n_lines:,}", ""]
    if text.touched:
        rows = (
            f"{code_span(f'{row.container}.{row.name}' if row.container else row.name)} {row.line}"
            for row in text.touched
        )
        lines += [f"Symbols: {', '.join(rows)}", ""]
    lines += [*_fenced(text.code, text.language, text.code_start_line), ""]
    if text.more_lines:
        call = hints("symbol", symbol=f"{text.file_path}:{text.more_lines}")
        lines += [f"> More: {code_span(call)}", ""]
    return lines
