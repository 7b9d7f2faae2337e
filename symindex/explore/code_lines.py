"""Selects the lines of a file that fit into a budget of tokens: from the first line of a symbol, or
around one of its lines."""

from itertools import accumulate, takewhile
from typing import Final

from symindex.text.token_budget import cut_to_tokens, estimate_tokens

AROUND_LINE: Final = 15
"""Lines shown on each side of a requested line, in a symbol that is longer than that."""

MOST_HEAD: Final = 6
"""Most lines of the symbol's head that are shown above these."""

_PARAGRAPH_SHARE: Final = 3
"""Divisor of the lines that fit: a section is cut after a whole paragraph if at least a third of
them remains."""

LEAST_TOKENS: Final = 40
"""Fewest tokens for a line of code, even if none are left."""

_NO_LIMIT: Final = 10**9


class CodeLines:
    """Lines of a file that fit.

    Attributes:
        first: number of the first line, 1-based.
        end: number of the last requested line.
        is_cut: whether only a part of the first line is shown.
    """

    def __init__(self, text: list[str], wanted: tuple[int, int], room: int | None) -> None:
        self.first: int = wanted[0]
        self.end: int = min(wanted[1], len(text))
        lines = text[wanted[0] - 1 : wanted[1]]
        self.shown: list[str] = lines
        self.tokens: int = 0
        self.is_cut: bool = False
        if room is not None and lines:
            totals = accumulate(estimate_tokens(line) + 1 for line in lines)
            fitting = [*takewhile(lambda total: total <= room, totals)]
            self.shown = lines[: len(fitting)] or [cut_to_tokens(lines[0], max(room, LEAST_TOKENS))]
            self.tokens = fitting[-1] if fitting else room
            self.is_cut = self.shown[0] != lines[0]

    def shorten(self, before: int) -> None:
        """Ends before a line but after the first one, and drops empty lines at the end."""
        if not self.is_cut:
            del self.shown[max(1, before - self.first) :]
            while len(self.shown) > 1 and not self.shown[-1].strip():
                self.shown.pop()
            self.tokens = sum(estimate_tokens(line) + 1 for line in self.shown)

    def end_at_paragraph(self, text: list[str]) -> None:
        """Ends after the last whole paragraph, unless that leaves less than a third of the lines.
        text: all lines of the file."""
        if self.is_cut or self.is_whole or not text[self.last].strip():
            return
        blank = next(
            (
                number
                for number in range(len(self.shown) - 1, 0, -1)
                if not self.shown[number].strip()
            ),
            0,
        )
        if blank * _PARAGRAPH_SHARE >= len(self.shown):
            self.shorten(self.first + blank)

    @property
    def last(self) -> int:
        return self.first + len(self.shown) - 1

    @property
    def is_whole(self) -> bool:
        return self.last >= self.end and not self.is_cut

    @property
    def more(self) -> str:
        """The lines that are left out, in the form of a request."""
        return f"{self.last + 1}-{self.end}" if self.last < self.end else ""


def around_line(
    text: list[str], own: tuple[int, int], focus: int, room: int | None
) -> tuple[str, tuple[int, int]] | None:
    """Returns the head of a symbol and the range of lines around one of its own; `None` if the
    symbol is short enough to be shown whole. own: its first and last line. room: in tokens; `None`
    for no limit."""
    if _is_short(text, own, room):
        return None
    head = _head_above(text, own, focus)
    return head, _window_around(
        text, own, focus, room if room is None else max(0, room - estimate_tokens(head))
    )


def _is_short(text: list[str], own: tuple[int, int], room: int | None) -> bool:
    """Whether a symbol is shown whole though one of its lines was requested."""
    lines = text[own[0] - 1 : own[1]]
    return len(lines) <= 2 * AROUND_LINE and (
        room is None or sum(estimate_tokens(line) + 1 for line in lines) <= room
    )


def _head_above(text: list[str], own: tuple[int, int], focus: int) -> str:
    """Returns the first lines of a symbol, up to the one that opens its body, if the lines around
    the focus do not include them."""
    first, end = own[0], min(own[0] + MOST_HEAD, focus - AROUND_LINE)
    if end <= first:
        return ""
    lines = text[first - 1 : end - 1]
    opened = next(
        (
            number
            for number, line in enumerate(lines)
            if line.rstrip().endswith(("{", ":", "(", "=>", "=", "do"))
        ),
        0,
    )
    return "\n".join(lines[: opened + 1])


def _window_around(
    text: list[str], own: tuple[int, int], focus: int, room: int | None
) -> tuple[int, int]:
    """Returns the range around one line of a symbol: AROUND_LINE lines on each side or as many as
    fit, nearest first."""
    first = last = focus
    room_left = (room if room is not None else _NO_LIMIT) - estimate_tokens(text[focus - 1]) - 3
    lowest, highest = max(own[0], focus - AROUND_LINE), min(own[1], focus + AROUND_LINE, len(text))
    while first > lowest or last < highest:
        goes_down = last < highest and (first == lowest or last - focus <= focus - first)
        number = last + 1 if goes_down else first - 1
        room_left -= estimate_tokens(text[number - 1]) + 3
        if room_left < 0:
            break
        first, last = (first, number) if goes_down else (number, last)
    return first, last
