"""Snippets: where they begin and end, and that they hold what was looked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.text.snippet import LONGEST, Run, cut_snippet

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
    assert len(snippet) <= LONGEST


def test_it_is_cut_where_lines_or_words_end() -> None:
    snippet = cut_snippet(f"{FILLER}\nHere is the zebra.\n{FILLER}", [("zebra",)])
    assert snippet.startswith("… line 28 of a text with words\n")
    assert snippet.endswith("of a text with words …")
    words = cut_snippet(" ".join(["word"] * 100 + ["zebra"] + ["word"] * 100), [("zebra",)])
    assert {*words.split()} == {"…", "word", "zebra"}


@given(st.text(max_size=1_000), st.lists(st.tuples(st.text(min_size=1, max_size=5)), max_size=3))
def test_any_text(text: str, runs: list[Run]) -> None:
    assert len(cut_snippet(text, runs)) <= LONGEST
