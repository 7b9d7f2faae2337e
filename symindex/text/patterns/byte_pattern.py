"""A text or a regular expression to be found in the bytes of files.

Regular expressions are RE2's: it never goes back, so that no pattern and no file can make it run
without end.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from symindex.errors import RequestError
from symindex.text.escaping import shorten

LONGEST: Final = 2_000
"""Characters of a pattern."""

MOST_LINES: Final = 5_000
"""Lines of a file that are counted."""

_MEMORY: Final = 64 << 20
"""Bytes for a compiled pattern. One that needs more is refused."""


class BytePattern(NamedTuple):
    """What is looked for: a literal, or what RE2 has compiled; then the literal is what every hit
    holds, perhaps nothing."""

    literal: bytes
    compiled: Any = None

    def holds(self, data: bytes) -> bool:
        """Whether some bytes hold it."""
        return self.literal in data and (
            self.compiled is None or self.compiled.search(data) is not None
        )

    def first_of_lines(self, data: bytes, limit: int) -> list[tuple[int, int]]:
        """The first hit of each line that has one, in order; it may be one of nothing, as of `x*`.
        At most so many lines."""
        spans: list[tuple[int, int]] = []
        place, size = 0, len(data)
        while len(spans) < limit and (span := self.next_after(data, place)) is not None:
            if span[0] == size and (not size or data.endswith(b"\n")):
                break  # behind the last line
            spans.append(span)
            end = data.find(b"\n", max(span[0], span[1] - 1))
            if end < 0:
                break
            place = end + 1
        return spans

    def next_after(self, data: bytes, place: int) -> tuple[int, int] | None:
        """The first hit from a place on, which may be one of nothing."""
        if self.compiled is not None:
            match = self.compiled.search(data, place)
            return match.span() if match is not None else None
        start = data.find(self.literal, place)
        return (start, start + len(self.literal)) if start >= 0 else None

    def spans_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Where all hits in a text stand, but those of nothing."""
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
    """The pattern of a request. Raises RequestError for what is empty, too long, or no regular
    expression."""
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
    """The pattern of several literals of one line, of which one is enough."""
    return BytePattern(b"", _compile("|".join(map(re.escape, texts)), texts[0], True))


def _compile(source: str, shown: str, is_within_lines: bool) -> Any:
    """What RE2 makes of an expression. shown: for the message of the RequestError of one that
    cannot be read."""
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
    # a sign that stands for itself, and is not optional
    r"(?P<sign>\\[^\w\s]|[^\\^$.|?*+()\[\]{}\r\n])(?![?*{])"
    r"|\{[^}]*\}?|\\Q.*|\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|.",
    re.DOTALL,
)


def _reaches_over_lines(pattern: str) -> bool:
    """Whether an expression names the end of a line, or lets a dot be one; in all others, not even
    `\\s` is one."""
    return (
        any(piece[0] in ("\n", r"\n") for piece in _PIECE.finditer(pattern))
        or _DOT_IS_ALL.search(pattern) is not None
    )


_DOT_IS_ALL: Final = re.compile(r"\(\?[imU]*s")


def _required(pattern: str) -> str:
    """A text that every hit of a regular expression holds, the longest that is easily seen; empty
    where there is none. Looking for it is many times faster than for the expression."""
    if "|" in pattern or "(?" in pattern:
        return ""
    runs, depth = [""], 0
    for piece in _PIECE.finditer(pattern):
        sign = piece["sign"]
        depth += (piece[0] == "(") - (piece[0] == ")")
        if sign is not None and not depth:  # what stands in parentheses may be optional
            runs[-1] += sign[-1]
        elif not (piece[0] == "+" and runs[-1]):
            runs.append("")
        if piece[0] == "+":
            runs.append("")
    return max(runs, key=len)
