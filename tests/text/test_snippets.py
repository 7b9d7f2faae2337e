"""Snippets and windows: where they begin and end, and that they contain the searched words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.text.snippets import (
    CUT,
    LONGEST_SNIPPET,
    MARK,
    ROOM,
    Run,
    cut_snippet,
    cut_windows,
    mark_spans,
)

FILLER = "\n".join(f"line {number} of a text with words" for number in range(30))


@pytest.mark.parametrize(
    ("text", "runs", "expected"),
    [
        ("", [("a",)], ""),
        ("  one\t two \n\n\n  three  ", [], "one two\n  three"),
        (f"{FILLER}\nHere is the zebra, at last.\n{FILLER}", [("zebra",)], "the zebra, at last."),
        (
            f"{FILLER}\nzebra\n{FILLER}\nthe zebras and lions\n{FILLER}",
            [("lion",), ("zebra",)],
            "the zebras and lions",
        ),
        (f"{FILLER} big red {FILLER} red big {FILLER}", [("red", "big")], "red big"),
        (f"{FILLER} parseHttpRequest {FILLER}", [("http",)], "parseHttpRequest"),
        (f"{FILLER} Größe {FILLER}", [("grosse",)], "Größe"),
        (f"{FILLER} walrus {FILLER}", [("wal*s",)], "walrus"),
        (f"{'x' * 1_000} zebra {'y' * 1_000}", [("zebra",)], "zebra"),
    ],
)
def test_what_it_holds(text: str, runs: list[Run], expected: str) -> None:
    snippet = cut_snippet(text, runs)
    assert expected in snippet
    assert len(snippet) <= LONGEST_SNIPPET


def test_it_is_cut_where_lines_or_words_end() -> None:
    snippet = cut_snippet(f"{FILLER}\nHere is the zebra.\n{FILLER}", [("zebra",)])
    assert snippet.startswith("… line 28 of a text with words\n")
    assert snippet.endswith("of a text with words …")
    words = cut_snippet(" ".join(["word"] * 100 + ["zebra"] + ["word"] * 100), [("zebra",)])
    assert {*words.split()} == {"…", "word", "zebra"}


@pytest.mark.nightly
@given(st.text(max_size=1_000), st.lists(st.tuples(st.text(min_size=1, max_size=5)), max_size=3))
def test_any_text(text: str, runs: list[Run]) -> None:
    assert len(cut_snippet(text, runs)) <= LONGEST_SNIPPET


def test_a_short_text_is_whole_and_marked() -> None:
    text = "Use the cache, then cache it."

    def is_match(word: str) -> str:
        return word if word == "cache" else ""

    assert cut_windows(text, is_match) == text
    marked = text.replace("cache", f"{MARK}cache{MARK}")
    assert (
        cut_windows(text, is_match, marks=True) == mark_spans(text, [(8, 13), (20, 25)]) == marked
    )


def test_windows_surround_matches_in_order_and_end_at_words() -> None:
    filler = "lorem ipsum dolor sit amet " * 100
    text = f"{filler}first alpha here {filler}then beta there {filler}"
    cut = cut_windows(text, lambda word: word if word in ("alpha", "beta") else "")
    assert cut.index("alpha") < cut.index("beta")
    assert cut.startswith(CUT) and cut.endswith(CUT)
    assert len(cut) <= ROOM + 50
    words = {*filler.split(), "first", "here", "then", "there", CUT, "alpha", "beta"}
    assert {*cut.split()} <= words


def test_the_window_with_the_most_words_comes_first() -> None:
    filler = "lorem ipsum " * 200
    text = f"alpha {filler} alpha beta {filler} beta {filler}"
    cut = cut_windows(text, lambda word: word if word in ("alpha", "beta") else "", room=400)
    assert "alpha beta" in cut


@given(st.text(max_size=3_000), st.integers(20, 400))
def test_any_text_is_cut(text: str, room: int) -> None:
    plain = cut_windows(text, lambda word: word if word[0] == "a" else "", room).replace(MARK, "")
    assert len(plain) <= max(room, 20) + 10 + 3 * len(plain.splitlines())
