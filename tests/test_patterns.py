"""No regular expression of the package doubles its time with each character, whatever text it meets; and the measure of growth.

Each gets texts that are hard for it, and a clock of the processor ends what takes long. `growth` also finds those whose time is
the square of the text; that some of the package are is known, and no test refuses them yet.
"""

import re
import sys

import pytest

from tests.support.patterns import Pattern, all_patterns, hard_texts, repeats_much, seconds_of

SHORT, LONG = 1_000, 8_000
"""Characters."""

SOON = 0.002
"""Seconds for a short text that no linear expression takes; from there the long one is tried."""

MOST = 0.6
"""Seconds for a long text: an expression that is ended then is not linear, however slow the machine."""

SQUARE = 24
"""From a short to a long text linear time grows 8 times, the square 64 times."""


FEW = 40
"""Repeats: what doubles with each of them has no end."""


def doubles(pattern: Pattern) -> str:
    """The text on which an expression has no end; empty where there is none."""
    if not repeats_much(pattern):
        return ""
    for begin, pump, end in hard_texts(pattern):
        if seconds_of(pattern, begin + pump * FEW + end, MOST) >= MOST:
            return f"{pattern.where}: {begin!r} + {pump!r} * {FEW} + {end!r}: {pattern.regex.pattern[:300]!r}"
    return ""


def growth(pattern: Pattern) -> str:
    """The text on which time grows more than the text does; empty where there is none."""
    if not repeats_much(pattern):
        return ""
    for begin, pump, end in hard_texts(pattern):
        short, long = (begin + pump * (size // len(pump)) + end for size in (SHORT, LONG))
        if seconds_of(pattern, short, MOST) < SOON:
            continue
        first = min(seconds_of(pattern, short, MOST) for _ in range(3))
        if first >= SOON and seconds_of(pattern, long, MOST) >= min(SQUARE * first, MOST):
            return f"{pattern.where}: {begin!r} + {pump!r} * n + {end!r}: {pattern.regex.pattern[:300]!r}"
    return ""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the clock that ends an expression")
def test_no_expression_doubles() -> None:
    assert [told for pattern in all_patterns() if (told := doubles(pattern))] == []


@pytest.mark.skipif(sys.platform == "win32", reason="the clock that ends an expression")
@pytest.mark.parametrize(
    ("text", "is_linear"),
    [
        (r"(?:<!--.*?-->\s*)*<x", False),  # doubles with each comment
        (r"(a+)+b", False),
        (r"(?:a|aa)+b", False),
        (r"(?:a++)++b", True),
        (r"(?<!\s)\s++$", True),
        (r"a{0,20}b", True),
        (r"\w++", True),
    ],
)
def test_the_measure(text: str, is_linear: bool) -> None:
    assert (growth(Pattern("here", re.compile(text))) == "") == is_linear
