"""Pieces of a file's text: cut out by bytes, folded to one line."""

import re
from collections.abc import Callable
from typing import Final


class SourceText:
    """The text of a file between two bytes of it. Bytes that are not UTF-8 are replacement characters.

    between: from a byte up to another one. In most files a byte is a character, and they are decoded once.
    """

    __slots__ = ("_data", "_text", "between")

    between: Callable[[int, int], str]

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._text = ""
        self.between = self._decoded
        if data.isascii():
            self._text = data.decode("ascii")
            self.between = self._sliced

    def _sliced(self, start: int, end: int) -> str:
        return self._text[start:end]

    def _decoded(self, start: int, end: int) -> str:
        return self._data[start:end].decode("utf-8", "replace")


_BRACKET_BREAK = re.compile(r"(?:(?<=[(\[])|(?<=\w<))[ \t]*\r?\n\s*|[ \t]*\r?\n\s*(?=[)\]>,])")
_ENDINGS: Final = "{=:;,("


def fold_space(text: str) -> str:
    """One blank for every run of white space, none at the ends."""
    return " ".join(text.split())


def fold_header(text: str) -> str:
    """White space folded; a line break next to a bracket that it opens or closes, or before a comma, leaves no blank, nor
    the backslash before it."""
    if "\n" in text:
        text = _BRACKET_BREAK.sub("", text.replace("\\\n", "\n").replace("\\\r\n", "\n"))
    return " ".join(text.split())


def trim_end(text: str) -> str:
    """The text without what stands between a header and its body or value: braces, `=>`, `=` and the like."""
    while text and text[-1] in "{=:;,(>":
        if text[-1] != ">":
            text = text[:-1].rstrip()
        elif text.endswith("=>"):
            text = text[:-2].rstrip()
        else:
            break
    return text
