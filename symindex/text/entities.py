"""Decodes the character references of HTML, also hostile ones."""

import re
from html import unescape
from typing import Final

_LONG: Final = re.compile(r"&#([0-9]{8,});?")


def without_references(text: str) -> str:
    """Returns a text with its references (`&amp;`, `&#65;`) replaced by the characters they mean.

    The standard library raises an exception for numbers of thousands of digits. Here they become
    the replacement character, like all numbers that are too large.
    """
    if "&" not in text:
        return text
    return unescape(_LONG.sub(_shortened, text) if "&#" in text else text)


def _shortened(reference: re.Match[str]) -> str:
    digits = reference[1].lstrip("0")
    return f"&#{digits or 0};" if len(digits) < 8 else "\N{REPLACEMENT CHARACTER}"
