"""What does not show as itself, shown: characters that act on a terminal, or make a text look like another.

A tree chooses the names and the code that are shown of it, so every text that leaves for a person goes through here: control
characters (C0, DEL, C1), separators of lines and paragraphs, invisible characters, bidirectional marks and overrides, lone
surrogates. In JSON they are escaped as JSON has it, so that every reader reads the same value.
"""

import re
from typing import Final

_BEYOND_C0: Final = "\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"

_UNSAFE: Final = re.compile(f"[\x00-\x1f{_BEYOND_C0}]")
_UNSAFE_IN_TEXT: Final = re.compile(f"[\x00-\x08\x0b-\x1f{_BEYOND_C0}]")
_UNSAFE_IN_JSON: Final = re.compile(f"[{_BEYOND_C0}]")
_NOT_ASCII: Final = re.compile("[^\x00-\x7e]")

_NAMED: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def show_controls(text: str) -> str:
    """A piece of a line with every character that does not show as itself written as an escape."""
    return _UNSAFE.sub(_escape, text)


def show_text(text: str) -> str:
    """The same for lines: line feeds and tabs stay."""
    return _UNSAFE_IN_TEXT.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return _NAMED.get(match[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def escape_json(data: bytes, ascii_only: bool = False) -> bytes:
    """JSON, which has escaped C0 by itself, with all else that does not show as itself escaped, too, or all that is not ASCII."""
    if data.isascii() and b"\x7f" not in data:  # nearly all that there is
        return data
    return (_NOT_ASCII if ascii_only else _UNSAFE_IN_JSON).sub(_escape_in_json, data.decode()).encode()


def _escape_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
