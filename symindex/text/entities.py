"""Decodes the character references of HTML, also hostile ones."""

import re
from html import unescape
from typing import Final

_LONG: Final = re.compile(r"&#([0-9]{8,});?")


def without_references(text: str) -> str:
    """A text with the characters that its references mean (`&amp;`, `&#65;`). The library refuses
    numbers of thousands of digits with an exception; here they are no character, like all that are
    too large."""
    if "&" not in text:
        return text
    return unescape(_LONG.sub(_shortened, text) if "&#" in text else text)


def _shortened(reference: re.Match[str]) -> str:
    digits = reference[1].lstrip("0")
    return f"&#{digits or 0};" if len(digits) < 8 else "\N{REPLACEMENT CHARACTER}"
