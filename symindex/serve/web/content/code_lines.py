"""Lines of code as HTML: highlighted, numbered, and with a link on every name that the index knows.

A link names only its place, `?at=LINE:COLUMN`: a name has up to ten thousand candidates, and the
page of a file a thousand names. The server looks them up when the link is followed.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

from symindex.serve.web.content.visible import show_controls_as_html

Tokens = Sequence[tuple[str, str]]
"""The tokens of a line: CSS class, text."""

_NAME: Final = re.compile(r"[^\W\d]\w*[?!]?")

LONGEST_LINE: Final = 5_000
"""Characters of a line that are shown."""


@dataclass
class Line:
    """A line. code: its HTML. n_hidden: the characters at its end that are not shown."""

    number: int
    code: Markup
    n_hidden: int = 0


def shown_lines(
    lines: Iterable[Tokens],
    first: int,
    is_known: Callable[[str], bool] = lambda _: False,
    address: str = "",
) -> list[Line]:
    """Returns lines as HTML.

    first: the number of the first one. is_known: whether the index has symbols of a name. address:
    the page of the file, if the lines are shown on another page.
    """
    return [
        _line(tokens, number, is_known, address) for number, tokens in enumerate(lines, start=first)
    ]


def _line(tokens: Tokens, number: int, is_known: Callable[[str], bool], address: str) -> Line:
    pieces: list[str] = []
    column, room = 1, LONGEST_LINE
    for kind, text in tokens:
        shown = text[:room]
        if not kind or kind.startswith("n"):  # names, and text that is not highlighted
            pieces += _with_links(kind, shown, f"{address}?at={number}:", column, is_known)
        else:
            pieces.append(_span(kind, show_controls_as_html(shown)))
        column, room = column + len(text), room - len(shown)
        if not room:
            break
    n_hidden = max(0, sum(len(text) for _, text in tokens) - LONGEST_LINE)
    return Line(number, Markup("".join(pieces)), n_hidden)


def _with_links(
    kind: str, text: str, before: str, column: int, is_known: Callable[[str], bool]
) -> list[str]:
    pieces: list[str] = []
    last = 0
    for match in _NAME.finditer(text):
        if not is_known(match[0]):
            continue
        if match.start() > last:
            pieces.append(_span(kind, show_controls_as_html(text[last : match.start()])))
        href = escape(f"{before}{column + match.start()}")
        css = f' class="{kind}"' if kind else ""
        pieces.append(f'<a{css} href="{href}">{show_controls_as_html(match[0])}</a>')
        last = match.end()
    if last < len(text):
        pieces.append(_span(kind, show_controls_as_html(text[last:])))
    return pieces


def _span(kind: str, html: Markup) -> str:
    return f'<span class="{kind}">{html}</span>' if kind else str(html)
