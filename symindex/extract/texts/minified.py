"""Whether a source file is minified: most of it stands in lines that are long and full of
statements.

A long line of data is none: a data URL, a lookup table, a source map, a text. Its strings and
numbers hold no statements.
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
"""How many bytes of a piece of a line are looked at, and of how many lines: a large file takes
milliseconds."""
_MOST_LINES: Final = 100
_PIECES: Final = 5
"""How many pieces of a very long line are looked at."""

_SHARE: Final = 0.5
_NO_OTHER_LINES: Final = 0.95
_SHARE_OF_BUNDLE: Final = 0.2
"""So much of a file must stand in long lines of statements; less of one with next to no other
lines, as a bundle with data."""

_FEWEST_SIGNS: Final = 12
_SIGN_EVERY: Final = 60
"""A line of statements has so many assignments and ends of statements, and one in so many bytes of
its code."""


def is_minified(data: bytes) -> bool:
    """Whether the text of a file in UTF-8 is minified."""
    if len(data) <= MINIFIED_FILE_BYTES or len(data) / (data.count(b"\n") + 1) <= LINE_BYTES:
        return False
    lines = sorted(
        (line for line in data.split(b"\n") if len(line) > _LONG_BYTES), key=len, reverse=True
    )
    looked_at = lines[:_MOST_LINES]
    share = sum(len(line) for line in looked_at if _is_code(line)) / max(
        sum(map(len, looked_at)), 1
    )
    in_long = sum(map(len, lines)) / len(data)
    return share * in_long > (_SHARE_OF_BUNDLE if in_long > _NO_OTHER_LINES else _SHARE)


def _is_code(line: bytes) -> bool:
    """Whether a line holds statements. Of a very long one several pieces are looked at, because a
    bundle may begin with data; but not beyond a string that the first piece does not close."""
    piece = line[:_LOOKED_AT]
    first = _QUOTE.search(piece)
    if first is not None and piece.find(first[0], first.end()) < 0:
        return _holds_statements(piece[: first.start()])
    if len(line) < _PIECES * _LOOKED_AT:
        return _holds_statements(piece)
    starts = range(0, len(line) - _LOOKED_AT + 1, (len(line) - _LOOKED_AT) // (_PIECES - 1))
    return (
        2 * sum(_holds_statements(line[start : start + _LOOKED_AT]) for start in starts) > _PIECES
    )


def _holds_statements(line: bytes) -> bool:
    code = _ROW.sub(b"", _DATA.sub(b"", line))
    n_signs = code.count(b";") + code.count(b"=") + code.count(b"}") + code.count(b"=>")
    return n_signs >= _FEWEST_SIGNS and n_signs * _SIGN_EVERY >= len(code)


_QUOTE: Final = re.compile(rb"[\"'`]")
_DATA: Final = re.compile(
    rb'"(?:[^"\\]|\\.)*+"|' + rb"'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`|[A-Za-z0-9+/=_-]{120,}+"
)
"""Strings, and what is encoded."""

_ROW: Final = re.compile(rb"\{[^{}();=]*+\}")
"""A row of a table: its brace ends no statement."""
