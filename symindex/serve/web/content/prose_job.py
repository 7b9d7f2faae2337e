"""The job of the workers that render prose: Markdown becomes harmless HTML.

The parsers of Markdown and HTML both take quadratic time for some texts: half a minute for 30 KB.
So they run in a worker, as the lexers of code blocks do.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import escape

from symindex.serve.web.content.lexers import class_runs, find_lexer
from symindex.serve.web.content.safe_html import Reference, sanitise
from symindex.text.decoding import decode
from symindex.workers.framing import Handler

MOST_NESTED: Final = 80
"""How many levels of lists and quotations are read; the parser drops the rest. Each item of a list
is two levels."""

MOST_HIGHLIGHTED: Final = 50_000
"""How many characters of code to highlight in one text; lexing them takes a tenth of a second."""

MOST_HTML: Final = 8_000_000
"""Largest result in characters: some HTML grows when it is made well-formed."""


class ProseOrder(msgspec.Struct, array_like=True, frozen=True):
    """A text in Markdown, without lone surrogates."""

    text: str


class RenderedProse(msgspec.Struct, array_like=True, frozen=True):
    """The HTML of a text, in pieces to be joined. fault: why there is none."""

    pieces: list[str | Reference]
    fault: str = ""


def prepare(setup: bytes) -> Handler:
    """Prepares the job. An order is one text."""
    return _render


def _render(encoded: bytes, send: Callable[[bytes], None]) -> None:
    try:
        answer = render_markdown(decode(encoded, ProseOrder).text)
    except MemoryError:
        raise  # the parent process reports why this one ended
    except Exception as error:  # a fault of a parser costs only the format
        answer = RenderedProse([], f"rendering it failed ({type(error).__name__})")
    send(msgspec.msgpack.encode(answer))


def render_markdown(text: str) -> RenderedProse:
    """Renders CommonMark with tables, strikethrough and HTML."""
    markdown = MarkdownIt(
        "commonmark",
        {"html": True, "maxNesting": MOST_NESTED, "highlight": _CodeBlocks().highlight},
    ).enable(["table", "strikethrough"])
    tokens = markdown.parse(_FRONT_MATTER.sub(r"```yaml\n\1```\n", text))
    _adjust(tokens)
    if any(token.level >= MOST_NESTED - 1 for token in tokens):
        return RenderedProse([], "its lists or quotations are nested too deeply")
    pieces = sanitise(markdown.renderer.render(tokens, markdown.options, {}))
    if sum(len(piece) for piece in pieces if isinstance(piece, str)) > MOST_HTML:
        return RenderedProse([], "its HTML is too large")
    return RenderedProse(pieces)


_FRONT_MATTER: Final = re.compile(r"\A---\n((?:(?!---\n|```).*\n)*)---\n")
"""The metadata at the top of a file, which CommonMark would read as a heading."""


class _CodeBlocks:
    """Highlights code blocks, up to a number of characters."""

    def __init__(self) -> None:
        self._room = MOST_HIGHLIGHTED

    def highlight(self, code: str, language: str, _: str) -> str:
        """Returns the code as HTML; an empty text if it stays plain."""
        lexer = find_lexer(language)
        self._room -= len(code)
        if lexer is None or self._room < 0:
            return ""
        try:
            return "".join(
                f'<span class="{css_class}">{escape(piece)}</span>' if css_class else escape(piece)
                for css_class, piece in class_runs(code, lexer)
            )
        except MemoryError:
            raise
        except Exception:  # a fault of a lexer costs only the colours
            return ""


def _adjust(tokens: list[Token]) -> None:
    """Gives each heading an id, and the cells of tables an attribute instead of a style."""
    anchors: dict[str, int] = {}
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            anchor = anchor_of(following)
            anchors[anchor] = count = anchors.get(anchor, -1) + 1
            token.attrSet("id", f"{anchor}-{count}" if count else anchor)
        elif token.type in ("th_open", "td_open"):
            style = str(token.attrs.pop("style", ""))
            if style:
                token.attrSet("align", style.removeprefix("text-align:"))


def anchor_of(heading: Token) -> str:
    """Returns the anchor of a heading, given by its inline token, as GitHub makes it."""
    text = "".join(
        part.content for part in heading.children or [] if part.type in ("text", "code_inline")
    )
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
