"""Patterns tried at their literals find what a plain search finds."""

import random
import re

import pytest

from symindex.extract.languages.language import compile_bytes, compile_pattern
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.skipping.bodies import (
    Bodies,
    Suites,
    _DefinitionPatterns,
    _ForwardSearch,
    bodies_of,
)
from symindex.extract.parse.skipping.byte_patterns import BytePatterns, search_for
from symindex.extract.parse.skipping.regex_literals import beginning_literals

PATTERNS = {
    language.id: [*(language.rules.bodies.inside or language.rules.suites.inside)]
    for language in load_languages().by_id.values()
    if bodies_of(language) is not None
}


def texts_of(language: str) -> list[bytes]:
    """Returns texts made from pieces of the patterns: some match, and many nearly do."""
    words = re.findall(r"\w+|[^\w\s\\]", " ".join(PATTERNS[language]))
    words += [
        "name",
        " ",
        " ",
        "\n",
        "\n    ",
        "{",
        "}",
        "(",
        ")",
        ";",
        "= ",
        ".",
        "a.class",
        "subclass X",
        "class X {",
        "x",
    ]
    chance = random.Random(language)
    return ["".join(chance.choices(words, k=chance.randrange(60))).encode() for _ in range(300)]


def first_of(patterns: list[str], data: bytes, start: int, end: int) -> int:
    """Searches for one pattern after the other, each up to the earlier matches."""
    for pattern in patterns:
        match = compile_bytes(pattern).search(data, start, end)
        end = match.start() if match is not None else end
    return end


@pytest.mark.sample(5)
@pytest.mark.parametrize("language", PATTERNS)
def test_the_first_match_is_that_of_all_searches(language: str) -> None:
    patterns = BytePatterns([search_for(pattern) for pattern in PATTERNS[language]])
    n_found = 0
    for data in texts_of(language):
        some = patterns.that_may_be_in(data)
        for start in range(0, len(data), 7):
            end = min(len(data), start + 40)
            expected = first_of(PATTERNS[language], data, start, end)
            assert some.first(data, start, end) == expected
            n_found += expected < end
    assert n_found


@pytest.mark.sample(8)
@pytest.mark.parametrize("language", PATTERNS)
def test_results_for_one_range_are_right_for_the_next(language: str) -> None:
    """The ranges resemble those of bodies: each begins after the start of the previous one, inside
    or after it."""
    patterns = _DefinitionPatterns(PATTERNS[language])
    chance = random.Random(1)
    for data in texts_of(language):
        ahead, ends = _ForwardSearch(patterns, data), [len(data)]
        searched = hit = 0
        for start in range(0, len(data), 3):
            while ends[-1] <= start:
                ends.pop()
            end = chance.randrange(start + 1, ends[-1] + 1)
            ends.append(end)
            if not searched <= start < hit:
                searched, hit = start, first_of(PATTERNS[language], data, start, end)
            assert ahead.is_in(start, end) == (hit < end)


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"(?<![.\w])(?:class|enum)\s++\w", ("class", "enum")),
        (r"typedef\b", ("typedef",)),
        (r"\bfun\s*+\{", ("fun",)),
        (r"(?:a|)b", ()),
        (r"(?i:class)\s", ()),
        (r"(?i)class", ()),
        (r"x*class", ()),
        (r"[ab]class", ()),
        (r"(?:\w|class)x", ()),
        ("é", ()),
    ],
)
def test_the_beginnings_of_matches(pattern: str, literals: tuple[str, ...]) -> None:
    assert beginning_literals(compile_pattern(pattern)) == literals


def test_all_finders_are_tried() -> None:
    kinds = {type(bodies_of(language)) for language in load_languages().by_id.values()} - {
        type(None)
    }
    assert kinds == {Bodies, Suites} and len(PATTERNS) > 10
