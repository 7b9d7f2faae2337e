"""Finds a text or a regular expression in the bytes of files.

Regular expressions are RE2's, which never backtracks: no pattern and no file can make it run
without end.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from symindex.errors import RequestError
from symindex.text.escaping import shorten

LONGEST: Final = 2_000
"""Longest pattern, in characters."""

MOST_LINES: Final = 5_000
"""Most matching lines of a file that are counted."""

_MEMORY: Final = 64 << 20
"""Memory for a compiled pattern, in bytes. A pattern that needs more is refused."""


class BytePattern(NamedTuple):
    """A pattern: a literal, or an expression compiled by RE2. In the second case the literal is a
    text that every hit contains; it may be empty."""

    literal: bytes
    compiled: Any = None

    def holds(self, data: bytes) -> bool:
        """Whether the data contains a hit."""
        return self.literal in data and (
            self.compiled is None or self.compiled.search(data) is not None
        )

    def first_of_lines(self, data: bytes, limit: int) -> list[tuple[int, int]]:
        """Returns the first hit of each matching line, in order, for at most `limit` lines. A hit
        may be empty, as for `x*`."""
        spans: list[tuple[int, int]] = []
        place, size = 0, len(data)
        while len(spans) < limit and (span := self.next_after(data, place)) is not None:
            if span[0] == size and (not size or data.endswith(b"\n")):
                break  # after the last line
            spans.append(span)
            end = data.find(b"\n", max(span[0], span[1] - 1))
            if end < 0:
                break
            place = end + 1
        return spans

    def every(self, data: bytes, limit: int) -> list[tuple[int, int]]:
        """Returns all hits that are not empty, in order, but at most `limit`."""
        spans: list[tuple[int, int]] = []
        place = 0
        while len(spans) < limit and (span := self.next_after(data, place)) is not None:
            if span[1] > span[0]:
                spans.append(span)
            place = max(span[1], span[0] + 1)
            if place > len(data):
                break
        return spans

    def next_after(self, data: bytes, place: int) -> tuple[int, int] | None:
        """Returns the first hit at or after a place. It may be empty."""
        if self.compiled is not None:
            match = self.compiled.search(data, place)
            return match.span() if match is not None else None
        start = data.find(self.literal, place)
        return (start, start + len(self.literal)) if start >= 0 else None

    def spans_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yields the spans of all hits in a text that are not empty."""
        data, place = text.encode("utf-8", "replace"), 0
        while place < len(data) and (span := self.next_after(data, place)) is not None:
            if span[1] > span[0]:
                start = len(data[: span[0]].decode("utf-8", "replace"))
                yield start, start + len(data[span[0] : span[1]].decode("utf-8", "replace"))
            place = max(span[1], place + 1)

    def stands_at(self, data: bytes, place: int) -> bool:
        """Whether a hit begins at a place."""
        span = self.next_after(data, place) if place <= len(data) else None
        return span is not None and span[0] == place


def byte_pattern(text: str, is_regex: bool, ignores_case: bool) -> BytePattern:
    """Returns the pattern of a request. Raises RequestError if it is empty, too long, or not a
    regular expression."""
    if not text.strip("\r\n"):
        raise RequestError("the pattern is empty: give a text, or a regular expression")
    if len(text) > LONGEST:
        raise RequestError(
            f"the pattern has {len(text):,} characters: at most {LONGEST:,} are looked for"
        )
    text = text.strip("\r\n").replace("\r\n", "\n")
    if not is_regex and not ignores_case:
        return BytePattern(text.encode())
    compiled = _compile(
        f"{'(?i)' * ignores_case}{text if is_regex else re.escape(text)}", text, is_regex
    )
    return BytePattern(b"" if ignores_case or not is_regex else _required(text).encode(), compiled)


def any_of(texts: Sequence[str]) -> BytePattern:
    """Returns a pattern that any of several literals, each of one line, matches."""
    return BytePattern(b"", _compile("|".join(map(re.escape, texts)), texts[0], True))


def _compile(source: str, shown: str, is_within_lines: bool) -> Any:
    """Compiles an expression with RE2. shown: how the message of the RequestError names an invalid
    expression."""
    import re2  # type: ignore[import-untyped]  # here, because most searches are for names

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    options.never_nl = is_within_lines and not _reaches_over_lines(source)
    try:
        return re2.compile(f"(?m){source}".encode(), options)
    except re2.error as error:
        reason = (
            error.args[0].decode("utf-8", "replace")
            if error.args and isinstance(error.args[0], bytes)
            else str(error)
        )
        raise RequestError(
            f"the regular expression {shorten(shown, 100)} cannot be read:"
            f" {reason.replace('(?m)', '')}"
        ) from None


_PIECE: Final = re.compile(
    # a character that means itself and is not optional
    r"(?P<sign>\\[^\w\s]|[^\\^$.|?*+()\[\]{}\r\n])(?![?*{])"
    r"|\{[^}]*\}?|\\Q.*|\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|.",
    re.DOTALL,
)


def _reaches_over_lines(pattern: str) -> bool:
    """Whether an expression names the end of a line, or lets a dot match it. In all other
    expressions not even `\\s` matches it."""
    return (
        any(piece[0] in ("\n", r"\n") for piece in _PIECE.finditer(pattern))
        or _DOT_IS_ALL.search(pattern) is not None
    )


_DOT_IS_ALL: Final = re.compile(r"\(\?[imU]*s")


def _required(pattern: str) -> str:
    """Returns the longest text, of those that are easily recognised, that every hit of a regular
    expression contains; empty if there is none. Searching for it is many times faster than for the
    expression."""
    if "|" in pattern or "(?" in pattern:
        return ""
    runs, depth = [""], 0
    for piece in _PIECE.finditer(pattern):
        sign = piece["sign"]
        depth += (piece[0] == "(") - (piece[0] == ")")
        if sign is not None and not depth:  # a group may be optional
            runs[-1] += sign[-1]
        elif not (piece[0] == "+" and runs[-1]):
            runs.append("")
        if piece[0] == "+":
            runs.append("")
    return max(runs, key=len)
