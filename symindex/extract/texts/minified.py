"""Detects minified source: most of the file is in long lines full of statements.

Long lines of data do not count: data URLs, lookup tables, source maps, texts. Their strings and
numbers contain no statements.
"""

import re
from typing import Final

MINIFIED_FILE_BYTES: Final = 5_000
"""Smallest file that may be minified, in bytes: one long line in a short file is common."""

LINE_BYTES: Final = 500
"""Longest average line of a file that was written by hand, in bytes."""

_LONG_BYTES: Final = 300
"""Shortest long line, in bytes. Some minifiers break lines at 500."""

_LOOKED_AT: Final = 8_000
"""Bytes of a piece of a line, and the number of lines, that are examined: a large file takes
milliseconds."""
_MOST_LINES: Final = 100
_PIECES: Final = 5
"""Most pieces of a very long line that are examined."""

_SHARE: Final = 0.5
_NO_OTHER_LINES: Final = 0.95
_SHARE_OF_BUNDLE: Final = 0.2
"""Least share of a minified file that is in long lines of statements; a smaller one for a file with
hardly any other lines, such as a bundle with data."""

_FEWEST_SIGNS: Final = 12
_SIGN_EVERY: Final = 60
"""Least number of assignments and ends of statements in a line of statements, and the bytes of code
for each."""


def is_minified(data: bytes) -> bool:
    """Whether the text of a file is minified."""
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
    """Whether a line contains statements. Several pieces of a very long line are examined, because
    a bundle may begin with data; but none after a string that the first piece leaves open."""
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
"""Strings, and encoded data."""

_ROW: Final = re.compile(rb"\{[^{}();=]*+\}")
"""A row of a table: its brace does not end a statement."""
