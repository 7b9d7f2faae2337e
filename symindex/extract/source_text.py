"""Pieces of a file's text: cut out by bytes, folded to one line."""

import codecs
import re
from typing import Final


class SourceText:
    """The text of a file, by byte offsets. Bytes that are not UTF-8 are replacement characters.

    letters: the file decoded as Latin-1, a character for every byte.
    """

    __slots__ = ("_data", "letters")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.letters = data.decode("latin-1")

    def between(self, start: int, end: int) -> str:
        """The text of a range of bytes."""
        text = self.letters[start:end]
        return text if text.isascii() else self._data[start:end].decode("utf-8", "replace")


_BREAK: Final = re.compile(r"\n\s*")
_CLOSING: Final = frozenset(")]>,")


def fold_space(text: str) -> str:
    """One blank for every run of white space, none at the ends."""
    return " ".join(text.split())


def fold_header(text: str) -> str:
    """White space folded. A line break after an opening bracket, or before a closing one or a comma, leaves no blank, nor does a
    backslash before a line break."""
    return fold_space(_join_lines(text) if "\n" in text else text)


def _join_lines(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\\n", "\n").replace("\\\r\n", "\n")
    pieces = []
    at = 0
    for match in _BREAK.finditer(text):
        line = text[at : match.start()].removesuffix("\r").rstrip(" \t")
        at = match.end()
        pieces.append(line)
        opens = line.endswith(("(", "[")) or (line.endswith("<") and (line[-2:-1] == "_" or line[-2:-1].isalnum()))
        if not opens and text[at : at + 1] not in _CLOSING:
            pieces.append(" ")
    pieces.append(text[at:])
    return "".join(pieces)


_ENDINGS: Final = frozenset("{=:;,(>")


def trim_end(text: str) -> str:
    """The text without what separates a header from its body or value: braces, `=>`, `=` and the like."""
    while text and text[-1] in _ENDINGS:
        if text[-1] != ">":
            text = text[:-1].rstrip()
        elif text.endswith("=>"):
            text = text[:-2].rstrip()
        else:
            break
    return text


def as_utf8(data: bytes) -> bytes:
    """The bytes, with an underscore in place of each that is not UTF-8, on which the predicates of tree-sitter's queries fail. In
    a file of an older encoding such bytes are letters."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", _UNDERSCORES).encode()
    return data


_UNDERSCORES: Final = "symindex.underscores"
codecs.register_error(_UNDERSCORES, lambda error: ("_" * (error.end - error.start), error.end))  # type: ignore[attr-defined]
