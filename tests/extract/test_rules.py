"""The rules of a language, asked fast: what a pattern cannot match without, and texts folded without a search at every letter."""

import re

import pytest

from symindex.extract.languages.language import compile_pattern
from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.rules import RulePattern, required_literals
from symindex.extract.source_text import fold_header, trim_end


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        ("abc", ("abc",)),
        (r"\babc\b", ("abc",)),
        ("a(?:bcd|efg)h*", ("bcd", "efg")),
        ("(?:abc)?d", ("d",)),
        ("(?:abc)+", ("abc",)),
        ("abc|x?", ()),
        ("[ab]", ()),
        ("(?!abc)", ()),
        ("(?i)abc", ()),
        ("(?i:abc)x", ("x",)),
        (r"x(?<=\wabcx)", ("abcx",)),
        ("^func (?:a|b)|^func c", ("func ",)),
    ],
)
def test_what_a_pattern_cannot_match_without(pattern: str, needs: tuple[str, ...]) -> None:
    assert required_literals(compile_pattern(pattern)) == needs


def test_a_pattern_finds_what_a_search_finds() -> None:
    texts = ["", "/** Copyright */", " * @deprecated use b", "a\n@deprecated", "Deprecated", "@Test", "#[test]", "TEST_CASE(x)"]
    for language in load_languages().by_id.values():
        rules = language.rules
        for pattern in [rules.doc.skip, rules.deprecated.doc, rules.deprecated.head, rules.test.head, rules.attributes]:
            for text in texts if pattern else []:
                assert RulePattern(pattern).is_in(text) == (compile_pattern(pattern).search(text) is not None), (pattern, text)


_BRACKET_BREAK = re.compile(r"(?:(?<=[(\[])|(?<=\w<))[ \t]*\r?\n\s*|[ \t]*\r?\n\s*(?=[)\]>,])")


@pytest.mark.parametrize(
    "text",
    [
        "f(\n  a,\n  b\n)",
        "f(a\r\n  , b)",
        "A<\n B\n>",
        "a <\n b",
        "f( \\\n a)",
        "[\n\n1 \t\n]",
        "f(\f\n a)",
        "(\n",
        "\n)",
        "a\n\f\n)",
        "_<\nx",
    ],
)
def test_breaks_next_to_brackets_leave_no_blank(text: str) -> None:
    joined = _BRACKET_BREAK.sub("", text.replace("\\\n", "\n"))
    assert fold_header(text) == re.sub(r"\s+", " ", joined).strip()


@pytest.mark.parametrize(
    ("text", "trimmed"), [("f() {", "f()"), ("a =>", "a"), ("a ==>", "a"), ("A<b>", "A<b>"), ("x = (,", "x"), ("{", "")]
)
def test_a_signature_ends_before_its_body(text: str, trimmed: str) -> None:
    assert trim_end(text) == trimmed
