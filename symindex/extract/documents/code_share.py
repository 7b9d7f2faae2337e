"""How much of a text is code: its fenced blocks and its indented lines."""

import re
from typing import Final

_FENCED: Final = re.compile(
    r"^ {0,3}(?P<mark>`{3,}+|~{3,}+)[^\n]*+\n(?:.*?^ {0,3}(?P=mark)[^\n]*$|.*\Z)", re.M | re.S
)
_INDENTED: Final = re.compile(r"^(?: {4}|\t).*$", re.M)

_SHARE: Final = 0.5
"""Share of its bytes that makes a text one of code."""


def is_mostly_code(text: str) -> bool:
    """Whether most of a text is in fenced blocks or indented by four columns. Blank lines do not
    count."""
    rest = text
    if "```" in rest or "~~~" in rest:
        rest = _FENCED.sub("", rest)
    if "\n    " in rest or "\n\t" in rest or rest[:1] in ("\t", " "):
        rest = _INDENTED.sub("", rest)
    return len(rest) < len(text) and _size(rest) < _size(text) * (1 - _SHARE)


def _size(text: str) -> int:
    """Returns the number of bytes without blanks."""
    return len(text.encode("utf-8", "replace").translate(None, b" \t\n"))
