"""The private parts of `re` that `regex_literals` uses exist and have the expected meaning.

If this fails on a new Python, repair `regex_literals`. With `skipping.switch.IS_ON = False`, only
`widths` is needed.
"""

import re
from pathlib import Path

import pytest

from symindex.extract.languages.language import compile_pattern
from symindex.extract.parse.skipping import regex_literals
from symindex.extract.parse.skipping.regex_literals import (
    beginning_literals,
    beginnings,
    required_literals,
    rest_from,
    sre,
    sre_compiler,
    sre_parser,
    widths,
)

NAMES = [
    "ASSERT",
    "ASSERT_NOT",
    "AT",
    "AT_BEGINNING",
    "ATOMIC_GROUP",
    "BRANCH",
    "GROUPREF",
    "GROUPREF_EXISTS",
    "IN",
    "LITERAL",
    "MAX_REPEAT",
    "MIN_REPEAT",
    "POSSESSIVE_REPEAT",
    "SUBPATTERN",
]


def test_the_names_are_there() -> None:
    source = Path(regex_literals.__file__).read_text()
    assert {*re.findall(r"\bsre\.([A-Z_]+)", source)} == {*NAMES}
    assert all(hasattr(sre, name) for name in NAMES)
    assert callable(sre_parser.parse) and callable(sre_compiler.compile)
    assert isinstance(sre_parser.parse("a"), sre_parser.SubPattern)


def test_a_pattern_is_parsed_to_what_is_expected() -> None:
    parsed = sre_parser.parse(r"^a(?:b|cd)++(?>e)(f)?(?=g)(?!h)")
    assert parsed.state.flags & re.IGNORECASE == 0
    assert [operation for operation, _ in parsed] == [
        sre.AT,
        sre.LITERAL,
        sre.POSSESSIVE_REPEAT,
        sre.ATOMIC_GROUP,
        sre.MAX_REPEAT,
        sre.ASSERT,
        sre.ASSERT_NOT,
    ]
    anchor, literal, repeat, atomic, optional, ahead, _ = (argument for _, argument in parsed)
    assert anchor is sre.AT_BEGINNING and literal == ord("a")
    least, most, inner = repeat
    assert (least, most) == (1, sre.MAXREPEAT)
    [(branch, (_, branches))] = inner
    assert branch is sre.BRANCH
    assert [list(alternative) for alternative in branches] == [
        [(sre.LITERAL, ord("b"))],
        [(sre.LITERAL, ord("c")), (sre.LITERAL, ord("d"))],
    ]
    assert list(atomic) == [(sre.LITERAL, ord("e"))]
    [(group, (number, added, removed, inner))] = optional[2]
    assert (group, number, added, removed) == (sre.SUBPATTERN, 1, 0, 0)
    assert list(inner) == [(sre.LITERAL, ord("f"))]
    assert ahead[0] > 0 and list(ahead[1]) == [(sre.LITERAL, ord("g"))]


@pytest.mark.parametrize(("pattern", "expected"), [("a(?:b|cd)e?", (2, 4)), ("", (0, 0))])
def test_the_lengths_of_matches(pattern: str, expected: tuple[int, int]) -> None:
    assert widths(re.compile(pattern)) == expected


def test_a_part_of_a_pattern_is_compiled() -> None:
    regex = compile_pattern(r"\w+ class (\w+)")
    assert required_literals(regex) == (" class ",)
    assert beginning_literals(regex) == ()
    rest = rest_from(regex, " class ")
    assert rest is not None
    match = rest.search("a class B")
    assert match is not None and match[0] == " class B"


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("^abc", {"abc"}),
        ("abc", set()),
        ("^a[bc]d", {"abd", "acd"}),
        ("^a[b-d]e", {"a"}),
        ("^(?:a|bc)d", {"ad", "bcd"}),
        ("^(a|b.)c", {"a", "b"}),
        ("^ab?c", {"ac", "abc"}),
        ("^a(?:b.)?c", {"a", "ab"}),
        ("^a+b", {""}),
        ("^a*b", {""}),
        (r"^a\bb(?!c)(?=d)", {"ab"}),
        ("(?i)^abc", set()),
        ("^(?i:a)b", {""}),
        ("^", {""}),
        ("^[ab][ab][ab][ab][ab][ab][ab]", {a + b + c + d + e + f for a in "ab" for b in "ab" for c in "ab" for d in "ab" for e in "ab" for f in "ab"}),
        ("^(", set()),
        ("", set()),
    ],
)  # fmt: skip
def test_the_beginnings_of_what_a_pattern_matches(pattern: str, texts: set[str]) -> None:
    assert beginnings(pattern) == texts
