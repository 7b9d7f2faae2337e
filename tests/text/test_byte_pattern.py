"""Texts, expressions, whole words and wildcards, compared with Python's `re` or with every place."""

import fnmatch
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.text.patterns.byte_pattern import LONGEST, BytePattern, any_of, byte_pattern
from symindex.text.patterns.whole_words import find_words, forms_of
from symindex.text.patterns.wildcard import matches_wildcard

DATA = st.text(st.sampled_from("aAb.\n"), max_size=14).map(str.encode)
EXPRESSIONS = [
    "a", "ab", "a+", "a*", "b?", "ab+a", "(ab)+", "(a)?b", "a{2}b", "ab{0,1}", "a|b", "^a", "b$", ".",
    "a.b", r"a\.b", "[ab]b", "[^a]", "[]a]b", r"\bab", r"a\sb", r"(?i)ab", r"ab(ab|b)ba", "a(b(a))b",
    r"\x61b", "x*", "$", r"a\n", r"b\n*a", r"ab\++",
]  # fmt: skip


def spans_of(source: str, data: bytes, flags: int = 0) -> list[tuple[int, int]]:
    """Returns all hits as `re` sees them; RE2 has hits within lines, unless one names a line end."""
    if r"\n" in source:
        return [match.span() for match in re.finditer(source.encode(), data, re.MULTILINE | flags)]
    spans, start = [], 0
    for line in data.split(b"\n"):
        matches = re.finditer(source.encode(), line, re.MULTILINE | flags)
        spans += [(start + match.start(), start + match.end()) for match in matches]
        start += len(line) + 1
    return spans


def lines_of(spans: list[tuple[int, int]], data: bytes) -> list[tuple[int, int]]:
    """Returns the first hit that begins in each line, without the line that the last one ended in,
    and without the empty line after the last line end."""
    kept: list[tuple[int, int]] = []
    end_of_line = -1
    for start, end in spans:
        if start == len(data) and (not data or data.endswith(b"\n")):
            continue
        if start > end_of_line:
            kept.append((start, end))
            end_of_line = data.find(b"\n", max(start, end - 1))
            if end_of_line < 0:
                break
    return kept


@settings(max_examples=150)
@given(source=st.sampled_from(EXPRESSIONS), data=DATA, limit=st.integers(0, 3))
def test_hits_of_an_expression_are_those_of_python(source: str, data: bytes, limit: int) -> None:
    pattern = byte_pattern(source, is_regex=True, ignores_case=False)
    spans = spans_of(source, data)
    assert pattern.holds(data) == bool(spans)
    assert pattern.every(data, 99) == [span for span in spans if span[0] < span[1]]
    assert pattern.every(data, limit) == pattern.every(data, 99)[:limit]
    assert pattern.first_of_lines(data, 99) == lines_of(spans, data)
    assert pattern.first_of_lines(data, limit) == lines_of(spans, data)[:limit]


@given(
    text=st.text(st.sampled_from("aA.b"), min_size=1, max_size=3), data=DATA,
    ignores_case=st.booleans(),
)  # fmt: skip
def test_hits_of_a_text_are_those_of_python(text: str, data: bytes, ignores_case: bool) -> None:
    pattern = byte_pattern(text, is_regex=False, ignores_case=ignores_case)
    spans = spans_of(re.escape(text), data, re.IGNORECASE if ignores_case else 0)
    assert pattern.every(data, 99) == spans and pattern.holds(data) == bool(spans)
    assert pattern.first_of_lines(data, 99) == lines_of(spans, data)
    starts = {
        place for place in range(len(data) + 1)
        if re.compile(re.escape(text.encode()), re.IGNORECASE * ignores_case).match(data, place)
    }  # fmt: skip
    assert {place for place in range(len(data) + 2) if pattern.stands_at(data, place)} == starts


@pytest.mark.nightly
@given(st.lists(st.sampled_from(["a", "ab", ".", "b.a"]), min_size=1), DATA)
def test_any_of_several_texts(texts: list[str], data: bytes) -> None:
    assert any_of(texts).every(data, 99) == spans_of("|".join(map(re.escape, texts)), data)


@given(st.text(st.sampled_from("aé🎉"), max_size=9), st.sampled_from(["a", "é", "🎉a", "x*"]))
def test_spans_in_a_text_count_characters(text: str, source: str) -> None:
    spans = [match.span() for match in re.finditer(source, text) if match[0]]
    assert [*byte_pattern(source, True, False).spans_in(text)] == spans


REQUIRED = {
    "abc": "abc", "ab?c": "a", "abc*de": "ab", "ab+cd": "ab", "ab{2}c": "a", "a|bcd": "", "(?:ab)c": "",
    "(abc)de": "de", "a(b(c)d)efg": "efg", r"\.abc\-": ".abc-", r"\babc\w": "abc", r"\Qa.b\E": "",
    r"\pLabc": "abc", r"\p{Lu}ab": "ab", r"\x41ab": "ab", r"\x{41}ab": "ab", "[]abc]de": "de",
    "[[:alpha:]x]ab": "ab", r"[^\]a]bc": "bc", "abc.de": "abc", "ab\r\ncd": "ab", "xy^abc$z": "abc",
    "a+bc": "bc",
}  # fmt: skip


@pytest.mark.parametrize("source", REQUIRED)
def test_the_text_that_every_hit_contains(source: str) -> None:
    assert byte_pattern(source, True, False).literal.decode() == REQUIRED[source]


def test_without_case_nothing_is_required() -> None:
    assert byte_pattern("abc", True, True).literal == b""
    assert byte_pattern("abc", False, True).literal == b""
    assert byte_pattern("abc", False, False) == BytePattern(b"abc")


@pytest.mark.parametrize(
    ("source", "data", "hits"),
    [
        (r"a\sb", b"a\nb", 0), (r"a[^x]b", b"a\nb", 0), (r"a\n\s*b", b"a\n b", 1),
        ("a\nb", b"a\nb", 1), ("a\r\nb", b"a\nb", 1), ("(?s)a.b", b"a\nb", 1), ("(?is)A.b", b"a\nb", 1),
        ("(?i)A.b", b"a\nb", 0), ("\na\r\n", b"xa", 1), (r"[\n]", b"a\n", 0),
    ],
)  # fmt: skip
def test_which_expressions_reach_over_lines(source: str, data: bytes, hits: int) -> None:
    assert len(byte_pattern(source, True, False).every(data, 9)) == hits


def test_a_text_may_have_several_lines() -> None:
    assert byte_pattern("a\r\nb", False, False).every(b"a\nb a\r\nb", 9) == [(0, 3)]
    assert byte_pattern("a\nB", False, True).every(b"a\nb", 9) == [(0, 3)]


@pytest.mark.parametrize("text", ["", "\n", "\r\n\r\n"])
def test_an_empty_pattern_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match=r"^the pattern is empty: give a text, or a regular"):
        byte_pattern(text, False, False)


def test_a_pattern_has_a_longest_length() -> None:
    assert byte_pattern("a" * LONGEST, False, False).holds(b"a" * LONGEST)
    with pytest.raises(RequestError) as caught:
        byte_pattern("a" * (LONGEST + 1), False, False)
    assert str(caught.value) == "the pattern has 2,001 characters: at most 2,000 are looked for"


def test_an_expression_that_cannot_be_read_is_named() -> None:
    for ignores_case in (False, True):
        with pytest.raises(RequestError) as caught:
            byte_pattern("a(", True, ignores_case)
        message = str(caught.value)
        assert message.startswith("the regular expression a( cannot be read: missing ")
        assert "(?m)" not in message
    with pytest.raises(RequestError, match=rf"expression {'a' * 100}… cannot be read"):
        byte_pattern("a" * 100 + "(", True, False)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add", ["add"]), ("add:to:", ["add"]), (":", [":"]), ("::", ["::"]),
        ("é", ["é", "e\u0301"]), ("e\u0301", ["e\u0301", "é"]), ("add:to", ["add:to"]),
    ],
)  # fmt: skip
def test_the_forms_of_a_name(name: str, expected: list[str]) -> None:
    assert forms_of(name) == tuple(form.encode() for form in expected)


@pytest.mark.nightly
@given(
    st.text(st.sampled_from("ab_1é+- \n"), max_size=12),
    st.sampled_from(["a", "ab", "é", "+", "a+", "_b", "1"]),
)
def test_a_name_is_found_as_a_whole_word(text: str, name: str) -> None:
    data, form = text.encode(), name.encode()

    def is_part(byte: bytes) -> bool:
        return re.match(rb"[\w\x80-\xff]", byte) is not None

    expected, place = [], 0
    while (place := data.find(form, place)) >= 0:
        end = place + len(form)
        before = is_part(form[:1]) and is_part(data[place - 1 : place] if place else b"")
        after = is_part(form[-1:]) and is_part(data[end : end + 1])
        if before or after:
            place += 1
        else:
            expected.append((place, end))
            place = end
    assert find_words(data, [form, b"absent"]) == expected


def test_the_longest_form_is_found_first() -> None:
    assert find_words(b"a+b a", [b"a", b"a+b"]) == [(0, 3), (4, 5)]
    assert find_words(b"a", []) == []


@pytest.mark.nightly
@given(st.text(st.sampled_from("ab*"), max_size=6), st.text(st.sampled_from("ab"), max_size=7))
def test_a_wildcard_matches_as_a_glob_does(pattern: str, text: str) -> None:
    assert matches_wildcard(pattern, text) == fnmatch.fnmatchcase(text, pattern)
