"""Pieces of a file's text: cut out by bytes, folded to one line."""

import codecs
import re
from typing import Final


class SourceText:
    """The text of a file between two bytes of it. Bytes that are not UTF-8 are replacement characters.

    letters: the file with a character for every byte, whose ASCII parts are what they seem.
    """

    __slots__ = ("_data", "letters")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.letters = data.decode("latin-1")

    def between(self, start: int, end: int) -> str:
        """From a byte up to another one."""
        text = self.letters[start:end]
        return text if text.isascii() else self._data[start:end].decode("utf-8", "replace")


_BREAK = re.compile(r"\n\s*")


def fold_space(text: str) -> str:
    """One blank for every run of white space, none at the ends."""
    return " ".join(text.split())


def fold_header(text: str) -> str:
    """White space folded; a line break next to a bracket that it opens or closes, or before a comma, leaves no blank, nor
    the backslash before it."""
    return " ".join((_join_lines(text) if "\n" in text else text).split())


def _join_lines(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\\n", "\n").replace("\\\r\n", "\n")
    pieces = []
    at = 0
    for match in _BREAK.finditer(text):
        line = text[at : match.start()].removesuffix("\r").rstrip(" \t")
        at = match.end()
        pieces.append(line)
        opens = line.endswith(("(", "[")) or (line.endswith("<") and _is_word(line[-2:-1]))
        if not opens and text[at : at + 1] not in _CLOSING:
            pieces.append(" ")
    pieces.append(text[at:])
    return "".join(pieces)


_CLOSING: Final = frozenset(")]>,")


def _is_word(letter: str) -> bool:
    return letter == "_" or letter.isalnum()


_ENDINGS: Final = frozenset("{=:;,(>")


def trim_end(text: str) -> str:
    """The text without what stands between a header and its body or value: braces, `=>`, `=` and the like."""
    while text and text[-1] in _ENDINGS:
        if text[-1] != ">":
            text = text[:-1].rstrip()
        elif text.endswith("=>"):
            text = text[:-2].rstrip()
        else:
            break
    return text


def as_utf8(data: bytes) -> bytes:
    """The bytes, each that is not UTF-8 replaced by an underscore, so that places stay. The predicates of tree-sitter's queries
    fail on others; in a file of an older encoding they are letters of names and comments."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", _UNDERSCORES).encode()
    return data


_UNDERSCORES: Final = "symindex.underscores"
codecs.register_error(_UNDERSCORES, lambda error: ("_" * (error.end - error.start), error.end))  # type: ignore[attr-defined]
