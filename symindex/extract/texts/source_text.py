"""Cuts pieces out of a file's text by bytes, and folds them to one line."""

import codecs
import re
import sys
from typing import Final


class SourceText:
    """The text of a file, by byte offsets. Bytes that are not UTF-8 become replacement characters.

    letters: the file decoded as Latin-1, one character for each byte.
    """

    __slots__ = ("_data", "letters")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.letters: str = data.decode("latin-1")

    def between(self, start: int, end: int) -> str:
        """Returns the text of a range of bytes."""
        text = self.letters[start:end]
        return text if text.isascii() else self._data[start:end].decode("utf-8", "replace")


_BREAK: Final = re.compile(r"\n\s*")
_CLOSING: Final = frozenset(")]>,")


def fold_space(text: str) -> str:
    """Replaces each run of white space by one blank, and strips the ends."""
    return " ".join(text.split())


_ESCAPE: Final = re.compile(r"(?<!\\)\\u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))")


def unescape(name: str) -> str:
    """Replaces escapes (`\\u0061`) in a name by their letters and digits, if an identifier may
    contain these."""
    return _ESCAPE.sub(_letter, name) if "\\u" in name else name


def _letter(match: re.Match[str]) -> str:
    number = int(match[1] or match[2], 16)
    letter = chr(number) if number <= sys.maxunicode else ""
    return letter if letter.isidentifier() or letter.isdigit() or letter == "$" else match[0]


def fold_header(text: str) -> str:
    """Folds the white space of a header. A line break after an opening bracket, or before a closing
    one or a comma, leaves no blank, nor does a backslash before a line break. A comma before the
    break is dropped if a closing bracket follows."""
    return fold_space(_join_lines(text) if "\n" in text else text)


def _join_lines(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\\n", "\n").replace("\\\r\n", "\n")
    pieces: list[str] = []
    line_start = 0
    for match in _BREAK.finditer(text):
        line = text[line_start : match.start()].removesuffix("\r").rstrip(" \t")
        line_start = match.end()
        if (
            line.endswith(",")
            and text[line_start : line_start + 1] in _CLOSING
            and _ends_list("".join([*pieces, line]))
        ):
            line = line[:-1]
        pieces.append(line)
        opens = line.endswith(("(", "[")) or (
            line.endswith("<") and (line[-2:-1] == "_" or line[-2:-1].isalnum())
        )
        if not opens and text[line_start : line_start + 1] not in _CLOSING:
            pieces.append(" ")
    pieces.append(text[line_start:])
    return "".join(pieces)


def _ends_list(text: str) -> bool:
    """Whether the comma at the end is superfluous: it does not make a tuple of one value."""
    depth = 0
    for place in range(len(text) - 2, -1, -1):
        letter = text[place]
        if letter in ")]}":
            depth += 1
        elif letter in "([{":
            if depth == 0:
                previous = text[place - 1 : place]
                return letter != "(" or previous.isalnum() or previous in ("_", "]", ">")
            depth -= 1
        elif letter == "," and depth == 0:
            return True
    return text.find("<") >= 0


_ENDINGS: Final = frozenset("{=:;,(>")


def trim_end(text: str) -> str:
    """Removes what separates a header from its body or value: braces, `=>`, `=` and the like."""
    while text and text[-1] in _ENDINGS:
        if text[-1] != ">":
            text = text[:-1].rstrip()
        elif text.endswith("=>"):
            text = text[:-2].rstrip()
        else:
            break
    return text


_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_QUOTED_OR_BRACKET: Final = re.compile(
    r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|`[^`]*+`|[][(){}]"""
)


def close_brackets(text: str, is_cut: bool) -> str:
    """Trims the text of a header and closes its brackets. is_cut: whether the source continues, so
    that an ellipsis replaces the contents of an open bracket. An unmatched parenthesis at the end,
    which belongs to a macro around the header, is dropped."""
    trimmed = trim_end(text) if text[-1:] in _ENDINGS else text
    count = text.count  # runs for each symbol: a loop over the pairs takes twice as long
    has_braces = "{" in text or "}" in text
    if (
        count("(") == count(")")
        and count("[") == count("]")
        and not (has_braces and count("{") != count("}"))
    ):
        return trimmed
    opened, excess = _unclosed(trimmed)
    if trimmed and excess == len(trimmed) - 1 and trimmed[-1] == ")" and "(" in trimmed:
        return trimmed[:-1].rstrip()
    if not opened or not is_cut:
        return trimmed
    head = text.rstrip("{ ")
    opened, _ = _unclosed(head)
    gap = "" if head.endswith(("(", "[")) else " "
    return f"{head}{gap}…{''.join(_PAIRS[letter] for letter in reversed(opened))}"


def _unclosed(text: str) -> tuple[list[str], int]:
    """Returns the brackets that are not closed, and the place of the last one that was not opened,
    -1 for none."""
    opened: list[str] = []
    excess = -1
    for match in _QUOTED_OR_BRACKET.finditer(text):
        letter = match[0]
        if letter in _PAIRS:
            opened.append(letter)
        elif len(letter) == 1:
            if opened and _PAIRS[opened[-1]] == letter:
                opened.pop()
            else:
                excess = match.start()
    return opened, excess


def as_utf8(data: bytes) -> bytes:
    """Returns the bytes as a parser sees them, in as many bytes. Each byte that is not UTF-8
    becomes an underscore: in files of older encodings such bytes are letters, and the predicates of
    tree-sitter's queries would fail on them. The three blanks of a byte order mark do not count as
    indentation."""
    try:
        data.decode()
    except UnicodeDecodeError:
        data = data.decode("utf-8", _UNDERSCORES).encode()
    if data.startswith(b"   ") and _MARKED.match(data):
        data = b"\n\n\n" + data[3:]
    return data


def with_line_feeds(data: bytes) -> bytes:
    """Returns the bytes with a line feed at the end of each line, in as many bytes. A backslash
    that joins lines comes directly before it."""
    return data.replace(b"\\\r\n", b"\\\n ").replace(b"\r\n", b" \n") if b"\r\n" in data else data


_MARKED: Final = re.compile(rb"   (?=\S)[^\n]*+\n(?:[ \t][^\n]*+\n|\n)*+[^\s]")
"""A text whose first line is indented by three, while another line is not."""

_UNDERSCORES: Final = "symindex.underscores"
codecs.register_error(_UNDERSCORES, lambda error: ("_" * (error.end - error.start), error.end))  # type: ignore[attr-defined]


def with_ascii_letters(data: bytes) -> bytes:
    """Replaces letters beyond ASCII by ASCII letters, in as many bytes, for grammars whose names
    have no others. Capital letters stay capital."""
    if data.isascii():
        return data
    return _BEYOND_ASCII.sub(
        lambda run: "".join(map(_as_ascii, run[0].decode("utf-8", "replace"))).encode(), data
    )


_BEYOND_ASCII: Final = re.compile(rb"(?:[\xc2-\xf4][\x80-\xbf]{1,3})+")


def _as_ascii(letter: str) -> str:
    if not f"a{letter}".isidentifier():
        return letter
    return ("Z" if letter.isupper() else "z") * len(letter.encode())
