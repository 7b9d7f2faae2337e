"""Highlights code for the page, a whole file at a time: a string or a comment of many lines is only
recognised from its beginning.

Pygments does it in worker processes (`highlight_job`). Their answers are kept as classes and
lengths; the text itself comes with each request.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, overload

import msgspec

from symindex.serve.web.content.highlight_job import TOKEN_CLASSES, HighlightedLines, HighlightOrder
from symindex.serve.web.content.worker_answers import WorkerAnswers
from symindex.text.decoding import decode

MOST_CHARACTERS: Final = 2_000_000
"""Longest text that is highlighted. It takes Pygments about four seconds."""

LONGEST_LINE: Final = 5_000
"""Longest line that is highlighted, in characters: nobody reads longer ones, and lexers are slow on
them."""

SECONDS: Final = 6.0
"""Processor seconds for one file."""

Token = tuple[str, str]
"""The short CSS class that Pygments gives it, such as `k`, or an empty text; and its text."""


class TokenLines(Sequence[list[Token]]):
    """The lines of a text, each as its tokens, which are made when a line is read. The texts of the
    tokens of a line, joined, are the line without its end."""

    def __init__(self, lines: list[str], encoded: list[str] | None) -> None:
        """encoded: as in `HighlightedLines`; `None` if the lines are plain."""
        self._lines, self._encoded = lines, encoded

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, place: int) -> list[Token]: ...
    @overload
    def __getitem__(self, place: slice) -> list[list[Token]]: ...
    def __getitem__(self, place: int | slice) -> list[Token] | list[list[Token]]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        line = self._lines[place]
        if self._encoded is None:
            return [("", line)] if line else []
        encoded, tokens, start = self._encoded[place], [], 0
        for code, length in zip(encoded[::2], encoded[1::2], strict=True):
            end = start + ord(length)
            tokens.append((TOKEN_CLASSES[ord(code)], line[start:end]))
            start = end
        return tokens


class Highlighted(NamedTuple):
    """A text as tokens. why_plain: why they have no classes, if they should have: one line."""

    lines: TokenLines
    why_plain: str = ""


class Highlighter:
    """Highlights texts for any number of threads. `close` it at the end. Raises RequestError like
    `WorkerAnswers`."""

    def __init__(self) -> None:
        self._answers = WorkerAnswers("symindex.serve.web.content.highlight_job", SECONDS)

    def highlight(self, text: str, path: str, language: str) -> Highlighted:
        """Highlights a text.

        path: that of its file. language: its id, such as `python`; empty if it is unknown, then the
        file's name decides.
        """
        lines = split_lines(text)
        if len(text) > MOST_CHARACTERS:
            return _plain(
                lines, f"files of more than {MOST_CHARACTERS:,} characters are not highlighted"
            )
        if any(len(line) > LONGEST_LINE for line in lines):
            return _plain(
                lines,
                f"files with a line of more than {LONGEST_LINE:,} characters are not highlighted",
            )
        if not lines:
            return _plain(lines)
        source = "\n".join([*lines, ""]).encode("utf-8", "surrogatepass")
        file_name = path.rpartition("/")[2].encode("utf-8", "replace").decode()
        order = HighlightOrder(source, language, file_name)
        answer = self._answers.ask(msgspec.msgpack.encode(order))
        if answer.fault:
            return _plain(lines, f"highlighting {answer.fault}")
        highlighted = decode(answer.data, HighlightedLines)
        if not highlighted.lines:
            return _plain(lines, highlighted.why_plain)
        return Highlighted(TokenLines(lines, highlighted.lines))

    def close(self) -> None:
        """Ends the workers."""
        self._answers.close()


def _plain(lines: list[str], why: str = "") -> Highlighted:
    return Highlighted(TokenLines(lines, None), why)


_LINE_END: Final = re.compile(r"\r\n?|\n")


def split_lines(text: str) -> list[str]:
    """Returns the lines of a text without their ends; numbered as in the index."""
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]
