"""Every regular expression of the package takes time in proportion to its text, for any text; a
test also checks the measurement itself.

Each expression runs on texts that are hard for it, under a limit of processor time. No expression
may take twice as long with each further repetition. `SQUARE_TEXTS` lists the expressions whose time
grows with the square of a text, and what bounds each text.
"""

import re
import sys

import pytest

from tests.support.patterns import Pattern, all_patterns, hard_texts, repeats_much, seconds_of

pytestmark = pytest.mark.nightly

SHORT, LONG = 1_000, 8_000
"""Lengths of the texts, in characters."""

SOON = 0.005
"""Seconds: an expression that takes less on the short text takes at most half a second on a line of
10,000 characters, even if it is not linear; a slower one is tried on the long text."""

MOST = 0.6
"""Seconds for the long text: an expression that takes longer is not linear, even on a slow
machine."""

SQUARE = 24
"""Largest growth from the short to the long text: linear time grows 8 times, quadratic time 64
times."""


FEW = 40
"""Repetitions in a text: an expression that takes twice as long with each of them never ends."""


def doubles(pattern: Pattern) -> str:
    """Returns a text on which an expression never ends; empty if no such text is known."""
    if not repeats_much(pattern):
        return ""
    for begin, pump, end in hard_texts(pattern):
        if seconds_of(pattern, begin + pump * FEW + end, MOST) >= MOST:
            return f"{pattern.where}: {begin!r} + {pump!r} * {FEW} + {end!r}: {pattern.regex.pattern[:300]!r}"
    return ""


def growth(pattern: Pattern) -> str:
    """Returns a text on which time grows faster than the text; empty if no such text is known."""
    if not repeats_much(pattern):
        return ""
    for begin, pump, end in hard_texts(pattern):
        short, long = (begin + pump * (size // len(pump)) + end for size in (SHORT, LONG))
        took = seconds_of(pattern, short, MOST)
        if took < SOON:
            continue
        if took >= MOST:
            return f"{pattern.where}: {begin!r} + {pump!r} * n + {end!r}: {pattern.regex.pattern[:300]!r}"
        first = min(seconds_of(pattern, short, MOST) for _ in range(3))
        # Measured again, since another program may have displaced the caches meanwhile.
        if first >= SOON and all(
            seconds_of(pattern, long, MOST) >= min(SQUARE * first, MOST) for _ in range(3)
        ):
            return f"{pattern.where}: {begin!r} + {pump!r} * n + {end!r}: {pattern.regex.pattern[:300]!r}"
    return ""


SQUARE_TEXTS: dict[str, str] = {
    "symindex.explore.trace.frames._spellings": "a name of at most 1,000 characters (`LONGEST_LINE`)",
    "symindex.extract.documents.asciidoc._INLINE": "a title of at most 1,500 bytes (`RAW_TITLE_BYTES`)",
    "symindex.extract.documents.restructured._INLINE": "a title of at most 1,500 bytes (`RAW_TITLE_BYTES`)",
    "symindex.extract.parse.roles._TAKEN": "the 60 bytes before a name (`_MOST_TAKEN`)",
    "symindex.extract.documents.leading_docs._SETTINGS": "a line of a comment; a worker, which ends after 10 s",
    "symindex.extract.items.toml_tree": "a key that consists of such parts only",
    "symindex.render.exports.tags._BRACKETS": "a signature of at most 200 characters (`SIGNATURE_CHARACTERS`)",
    "symindex.search.unindexed.prefilter._PLAIN": "the 200 bytes before a name (`_BEFORE_BYTES`)",
    "symindex.search.language.pasted_names._PASTED": "a text of at most 300 characters (`LONGEST`)",
    "symindex.search.language.pasted_names._REWRITTEN": "a name of at most 300 characters (`LONGEST`)",
    "symindex.extract.parse.branches._HEADER": "the statement before a brace, of bounded length (`_FARTHEST_STATEMENT`)",
    "symindex.extract.parse.repair.half_typed._TAIL": "the last 500 bytes of a line (`_LONGEST_LINE`)",
    "c/language.toml branches.quiet": "a worker, which ends after 10 s; a line of unclosed quotes",
    "v/language.toml repair": "a worker, which ends after 10 s; unclosed functions",
    "sql/language.toml repair": "a worker, which ends after 10 s; no short text shows the end of a procedure",
}
"""Expressions that take quadratic time on a text or on part of it, and what bounds that time."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs the timer that ends an expression")
def test_every_expression_is_linear_or_its_text_is_short() -> None:
    others = [
        pattern for pattern in all_patterns() if pattern.where.partition(":")[0] not in SQUARE_TEXTS
    ]
    assert {pattern.where: text for pattern in others if (text := growth(pattern))} == {}


def test_exceptions_name_existing_expressions() -> None:
    assert SQUARE_TEXTS.keys() <= {pattern.where.partition(":")[0] for pattern in all_patterns()}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs the timer that ends an expression")
def test_no_expression_doubles() -> None:
    assert [message for pattern in all_patterns() if (message := doubles(pattern))] == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs the timer that ends an expression")
@pytest.mark.parametrize(
    ("text", "is_linear"),
    [
        (r"(?:<!--.*?-->\s*)*<x", False),  # twice the time with each comment
        (r"(a+)+b", False),
        (r"(?:a|aa)+b", False),
        (r"(?:a++)++b", True),
        (r"(?<!\s)\s++$", True),
        (r"a{0,20}b", True),
        (r"\w++", True),
    ],
)
def test_the_measurement_itself(text: str, is_linear: bool) -> None:
    assert (growth(Pattern("here", re.compile(text))) == "") == is_linear
