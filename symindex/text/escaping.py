"""Escapes characters that would act on a terminal, or make one text look like another.

A stranger may have written the names and the code of a source tree, so every text for a person
passes through this module. It escapes control characters (C0, DEL, C1), separators of lines and
paragraphs, invisible letters and marks, variation selectors except the two that choose between text
and emoji, bidirectional marks, overrides and isolates, tag characters, and lone surrogates. In JSON
they get JSON's own escapes, so that every reader decodes the same value.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Final

_BEYOND_C0: Final = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ud800-\udfff"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)

_UNSAFE: Final = f"[\x00-\x1f{_BEYOND_C0}]"
_UNSAFE_IN_TEXT: Final = f"[\x00-\x08\x0b-\x1f{_BEYOND_C0}]"
_UNSAFE_IN_JSON: Final = f"[{_BEYOND_C0}]"
_NOT_ASCII: Final = "[^\x00-\x7e]"

_NAMED: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compiles a pattern when it is first needed, because most texts are plain."""
    return re.compile(text)


def show_controls(text: str) -> str:
    """Escapes all such characters in a piece of a line, including line feeds and tabs."""
    return text if text.isascii() and text.isprintable() else _pattern(_UNSAFE).sub(_escape, text)


def without_escapes(text: str) -> str:
    """Undoes `show_controls`, except for texts that contained backslashes of their own."""
    return _pattern(
        r"\\(?:([nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U(000[0-9a-f]{5}|0010[0-9a-f]{4}))"
    ).sub(_unescape, text)


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return {"n": "\n", "r": "\r", "t": "\t"}[match[1]]
    return chr(int(match[2] or match[3] or match[4], 16))


def show_text(text: str) -> str:
    """Escapes all such characters in whole lines, except line feeds and tabs."""
    return replace_controls(text, _escape)


def replace_controls(text: str, replacement: Callable[[re.Match[str]], str]) -> str:
    """Replaces each such character in whole lines, except line feeds and tabs. replacement: as for
    `re.sub`."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _pattern(_UNSAFE_IN_TEXT).sub(replacement, text)


def shorten(text: str, limit: int) -> str:
    """Returns a text for a message, cut after `limit` characters."""
    return text if len(text) <= limit else text[:limit] + "…"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return _NAMED.get(match[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def escape_json(data: bytes, ascii_only: bool = False) -> bytes:
    """Escapes the other such characters in JSON, which escapes C0 itself. ascii_only: escapes
    everything that is not ASCII."""
    if data.isascii() and b"\x7f" not in data:  # the usual case
        return data
    return (
        _pattern(_NOT_ASCII if ascii_only else _UNSAFE_IN_JSON)
        .sub(_escape_in_json, data.decode())
        .encode()
    )


def _escape_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
