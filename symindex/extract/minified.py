"""Whether a source file is minified: most of it stands in lines that are long and full of statements.

A long line of data is none: a data URL, a lookup table, a source map, a text. Its strings and numbers hold no statements.
"""

import re
from typing import Final

MINIFIED_FILE_BYTES: Final = 5_000
"""Below this size a file is never called minified: one long line in a short file is common."""

LINE_BYTES: Final = 500
"""A file whose lines are longer than this on average was not written by hand."""

_LONG_BYTES: Final = 300
"""A line that is looked at. Some minifiers break lines at 500."""

_LOOKED_AT: Final = 8_000
"""How many bytes of a line are looked at, and of how many lines: a large file takes milliseconds."""
_MOST_LINES: Final = 100

_FEWEST_SIGNS: Final = 12
_SIGN_EVERY: Final = 60
"""A line of statements has so many assignments and ends of statements, and one in so many bytes of its code."""


def is_minified(data: bytes) -> bool:
    """Whether the text of a file in UTF-8 is minified."""
    if len(data) <= MINIFIED_FILE_BYTES or len(data) / (data.count(b"\n") + 1) <= LINE_BYTES:
        return False
    lines = sorted((line for line in data.split(b"\n") if len(line) > _LONG_BYTES), key=len, reverse=True)
    looked_at = lines[:_MOST_LINES]
    share = sum(len(line) for line in looked_at if _is_code(line[:_LOOKED_AT])) / max(sum(map(len, looked_at)), 1)
    return share * sum(map(len, lines)) > len(data) / 2


def _is_code(line: bytes) -> bool:
    first = _QUOTE.search(line)
    if first is not None and line.find(first[0], first.end()) < 0:  # a string that goes on beyond the piece
        line = line[: first.start()]
    code = _ROW.sub(b"", _DATA.sub(b"", line))
    n_signs = code.count(b";") + code.count(b"=") + code.count(b"}") + code.count(b"=>")
    return n_signs >= _FEWEST_SIGNS and n_signs * _SIGN_EVERY >= len(code)


_QUOTE: Final = re.compile(rb"[\"'`]")
_DATA: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|' + rb"'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`|[A-Za-z0-9+/=_-]{120,}+")
"""Strings, and what is encoded."""

_ROW: Final = re.compile(rb"\{[^{}();=]*+\}")
"""A row of a table: its brace ends no statement."""
