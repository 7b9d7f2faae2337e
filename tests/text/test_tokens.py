"""Tokens of prose, and windows around what was looked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.text.tokens import LONGEST_WHOLE, divide, tokens_of
from symindex.text.windows import CUT, MARK, ROOM, cut_windows, mark_spans


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("call useEffect(() => x)", ["call", "useEffect", "x"]),
        ("set rate_limit to 5.", ["set", "rate_limit", "to", "5"]),
        ("pass --dry-run or -v", ["pass", "--dry-run", "or", "-v"]),
        ("error E1234 since v2.3.1", ["error", "E1234", "since", "v2.3.1"]),
        ("see src/app/main.py: C++ and C#", ["see", "src/app/main.py", "C++", "and", "C#"]),
        ("a::b a.b a->b", ["a::b", "a.b", "a", "b"]),
        ("Größe naïve", ["Große", "naive"]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert tokens_of(text) == tokens


@pytest.mark.parametrize(
    ("token", "whole", "words", "is_identifier"),
    [
        ("useEffect", "useeffect", ("use", "effect"), True),
        ("rate_limit", "rate_limit", ("rate", "limit"), True),
        ("--dry-run", "--dry-run", ("dry", "run"), True),
        ("E1234", "e1234", ("e", "1234"), True),
        ("cached", "cached", ("cached",), False),
        ("Cached", "cached", ("cached",), False),
        ("x" * (LONGEST_WHOLE + 1), "", ("x" * (LONGEST_WHOLE + 1),), False),
    ],
)
def test_dividing(token: str, whole: str, words: tuple[str, ...], is_identifier: bool) -> None:
    assert (divide(token).whole, divide(token).words, divide(token).is_identifier) == (
        whole,
        words,
        is_identifier,
    )


def test_a_short_text_is_whole_and_marked() -> None:
    text, is_match = "Use the cache, then cache it.", {"cache": "cache"}.get
    assert cut_windows(text, is_match) == text  # type: ignore[arg-type]
    marked = text.replace("cache", f"{MARK}cache{MARK}")
    assert (
        cut_windows(text, is_match, marks=True) == mark_spans(text, [(8, 13), (20, 25)]) == marked
    )  # type: ignore[arg-type]


def test_windows_stand_around_matches_in_order_and_end_at_words() -> None:
    filler = "lorem ipsum dolor sit amet " * 100
    text = f"{filler}first alpha here {filler}then beta there {filler}"
    cut = cut_windows(text, lambda word: word if word in ("alpha", "beta") else "")
    assert cut.index("alpha") < cut.index("beta")
    assert cut.startswith(CUT) and cut.endswith(CUT)
    assert len(cut) <= ROOM + 50
    words = {*filler.split(), "first", "here", "then", "there", CUT, "alpha", "beta"}
    assert {*cut.split()} <= words


def test_the_window_with_most_of_the_words_comes_first_into_the_room() -> None:
    filler = "lorem ipsum " * 200
    text = f"alpha {filler} alpha beta {filler} beta {filler}"
    cut = cut_windows(text, lambda word: word if word in ("alpha", "beta") else "", room=400)
    assert "alpha beta" in cut


@given(st.text(max_size=3_000), st.integers(20, 400))
def test_any_text_is_cut(text: str, room: int) -> None:
    plain = cut_windows(text, lambda word: word if word[0] == "a" else "", room).replace(MARK, "")
    assert len(plain) <= max(room, 20) + 10 + 3 * len(plain.splitlines())
