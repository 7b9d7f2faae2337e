"""The job of the workers that highlight code: divides each line into tokens."""

from collections.abc import Callable
from typing import Final

import msgspec
from pygments.lexer import Lexer

from symindex.serve.web.content.lexers import CLASSES, class_runs, find_lexer, find_lexer_for_file
from symindex.text.decoding import decode
from symindex.workers.framing import Handler


class HighlightOrder(msgspec.Struct, array_like=True, frozen=True):
    """A text to highlight. text: in UTF-8, where lone surrogates are encoded as well; with a line
    feed at the end of each line. file_name: chooses the lexer if none is known for the language."""

    text: bytes
    language: str
    file_name: str


class HighlightedLines(msgspec.Struct, array_like=True, frozen=True):
    """The tokens of each line.

    lines: two characters for each token: its class, as an index in `TOKEN_CLASSES`, and its length.
    Most take one byte. why_plain: why there are none, if there should be; one line.
    """

    lines: list[str]
    why_plain: str = ""


TOKEN_CLASSES: Final = ["", *sorted(CLASSES)]

_CODES: Final = {css_class: chr(code) for code, css_class in enumerate(TOKEN_CLASSES)}


def prepare(setup: bytes) -> Handler:
    """Prepares the job. An order is one text."""
    return _highlight


def _highlight(encoded: bytes, send: Callable[[bytes], None]) -> None:
    order = decode(encoded, HighlightOrder)
    lexer = find_lexer(order.language) or find_lexer_for_file(order.file_name)
    if lexer is None:
        why = f"highlighting is not available for {order.language}" if order.language else ""
        answer = HighlightedLines([], why)
    else:
        try:
            text = order.text.decode("utf-8", "surrogatepass")
            answer = HighlightedLines(encode_lines(text, lexer))
        except MemoryError:
            raise  # the parent process reports why this one ended
        except Exception as error:  # a fault of a lexer costs only the colours
            answer = HighlightedLines([], f"highlighting failed ({type(error).__name__})")
    send(msgspec.msgpack.encode(answer))


def encode_lines(text: str, lexer: Lexer) -> list[str]:
    """Returns the tokens of each line, as in `HighlightedLines`. Raises ValueError as `class_runs`
    does."""
    lines: list[str] = []
    line: list[str] = []
    for css_class, piece in class_runs(text, lexer):
        code = _CODES[css_class]
        for number, part in enumerate(piece.split("\n")):
            if number:
                lines.append("".join(line))
                line = []
            if part:
                line += code, chr(len(part))
    return lines
