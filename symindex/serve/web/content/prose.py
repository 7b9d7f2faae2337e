"""Renders the prose of a repository for the page: its README, its documents, docs of symbols.

Markdown becomes HTML, in worker processes (`prose_job`); every other format is shown as it is.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec
from markupsafe import Markup, escape

from symindex.serve.web.content.prose_job import ProseOrder, RenderedProse
from symindex.serve.web.content.safe_html import Reference
from symindex.serve.web.content.visible import show_controls_as_html
from symindex.serve.web.content.worker_answers import WorkerAnswers
from symindex.text.decoding import decode
from symindex.text.escaping import show_controls

MOST_CHARACTERS: Final = 300_000
"""Longest text that is rendered."""

SECONDS: Final = 1.0
"""Processor seconds for one text."""

_MARKDOWN: Final = (".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mkdown", ".mdwn", ".mdc")
"""How the names of files in Markdown end."""

Resolve = Callable[[str], str | None]
"""Maps a relative address as it is written, such as `docs/a.md#part`, to one of this site; `None`
if it leads nowhere."""


class Prose(NamedTuple):
    """A text as HTML. notices: what is not shown as its author meant it, and why."""

    html: Markup
    notices: list[str]


class ProseRenderer:
    """Renders texts for any number of threads. `close` it at the end. Raises RequestError like
    `WorkerAnswers`."""

    def __init__(self) -> None:
        self._answers = WorkerAnswers("symindex.serve.web.content.prose_job", SECONDS)

    def render(self, text: str, path: str, resolve: Resolve) -> Prose:
        """Renders a text.

        path: that of its file; empty for the doc of a symbol, which is read as Markdown. resolve:
        called for each relative link and picture. If it returns `None`, the text of the link, or
        the alternative text of the picture, is shown instead.
        """
        if path and not path.lower().endswith(_MARKDOWN):
            return _plain(text)
        if len(text) > MOST_CHARACTERS:
            return _plain(text, f"it has more than {MOST_CHARACTERS:,} characters")
        source = _LINE_END.sub("\n", text.removeprefix("\ufeff"))
        order = ProseOrder(_UNPARSABLE.sub(_escape, source))
        answer = self._answers.ask(msgspec.msgpack.encode(order))
        if answer.fault:
            return _plain(text, f"rendering it {answer.fault}")
        rendered = decode(answer.data, RenderedProse)
        if rendered.fault:
            return _plain(text, rendered.fault)
        return Prose(_join(rendered.pieces, resolve), [])

    def close(self) -> None:
        """Ends the workers."""
        self._answers.close()


def _plain(text: str, why: str = "") -> Prose:
    """Shows a text as it is. why: why it has not the format that it should have."""
    html = Markup("<pre>\n{}</pre>").format(show_controls_as_html(_LINE_END.sub("\n", text)))
    return Prose(html, [f"This text is shown without its format: {why}."] if why else [])


def _join(pieces: list[str | Reference], resolve: Resolve) -> Markup:
    joined: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            joined.append(piece)
        elif (address := resolve(piece.address)) is None:
            joined.append(piece.otherwise)
        else:
            joined.append(f"{piece.before}{escape(address)}{piece.after}")
    return Markup("".join(joined))


_LINE_END: Final = re.compile(r"\r\n?")

_UNPARSABLE: Final = re.compile(r"[\0\ud800-\udfff]+")
"""Characters that the parsers do not accept."""


def _escape(match: re.Match[str]) -> str:
    return show_controls(match[0])
