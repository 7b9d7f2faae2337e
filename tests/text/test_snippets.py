"""Snippets and windows: where they begin and end, and that they contain the searched words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.text import snippets
from symindex.text.snippets import (
    CUT,
    LONGEST_SNIPPET,
    MARK,
    ROOM,
    Run,
    cut_snippet,
    cut_windows,
    find_passage,
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


def numbered(per_line: int) -> str:
    """Returns the words a000 to a399. per_line: the number of words on a line."""
    words = [f"a{number:03}" for number in range(400)]
    lines = [words[start : start + per_line] for start in range(0, 400, per_line)]
    return "\n".join(map(" ".join, lines))


def edges(cut: str) -> list[str]:
    """Returns the first and the last words of each piece, with the signs of a cut around all."""
    pieces = [piece.split() for piece in cut.split(f"\n{CUT}\n")]
    head, tail = CUT * cut.startswith(CUT), CUT * cut.endswith(CUT)
    ends = [f"{words[0]}-{words[-1]}" for words in ([w for w in p if w != CUT] for p in pieces)]
    return [*filter(None, [head]), *ends, *filter(None, [tail])]


SNIPPETS = {
    (400, "000"): ["a000-a058", CUT], (400, "016"): ["a000-a058", CUT], (400, "017"): [CUT, "a001-a059", CUT],
    (400, "100"): [CUT, "a084-a142", CUT], (400, "399"): [CUT, "a383-a399"],
    (5, "000"): ["a000-a054", CUT], (5, "017"): [CUT, "a005-a059", CUT], (5, "100"): [CUT, "a085-a139", CUT],
    (5, "399"): [CUT, "a385-a399"],
    # A line that ends too early is not an edge.
    (40, "000"): ["a000-a039", CUT], (40, "017"): [CUT, "a001-a059", CUT], (40, "100"): [CUT, "a084-a142", CUT],
}  # fmt: skip


@pytest.mark.parametrize(("per_line", "word"), SNIPPETS)
def test_where_a_snippet_begins_and_ends(per_line: int, word: str) -> None:
    assert edges(cut_snippet(numbered(per_line), [(word,)])) == SNIPPETS[per_line, word]


def test_a_snippet_has_a_longest_length() -> None:
    assert cut_snippet("x" * LONGEST_SNIPPET, []) == "x" * LONGEST_SNIPPET
    assert cut_snippet("x" * (LONGEST_SNIPPET + 1), []) == f"{'x' * (LONGEST_SNIPPET - 2)} {CUT}"
    cut = cut_snippet(f"{'y ' * 200}zebra {'x' * 400}", [("zebra",)])
    assert cut == f"{CUT} {'y ' * 40}zebra {CUT}"


WINDOWS = {
    (400, "a000"): ["a000-a059", CUT], (400, "a060"): ["a000-a119", CUT], (400, "a100"): [CUT, "a041-a159", CUT],
    (400, "a350"): [CUT, "a291-a399"], (400, "a100 a150"): [CUT, "a041-a209", CUT],
    (400, "a100 a230"): [CUT, "a041-a159", "a171-a289", CUT],
    (400, "a100 a250 a390"): [CUT, "a041-a159", "a191-a309", "a331-a392", CUT], (400, "zz"): ["a000-a059", CUT],
    (5, "a100"): [CUT, "a045-a159", CUT], (5, "a350"): [CUT, "a295-a399"],
    (5, "a100 a230"): [CUT, "a045-a159", "a175-a289", CUT],
    (40, "a100"): [CUT, "a041-a159", CUT], (40, "a100 a150"): [CUT, "a041-a199", CUT],
    (40, "a250"): [CUT, "a200-a309", CUT],
}  # fmt: skip


@pytest.mark.parametrize(("per_line", "words"), WINDOWS)
def test_where_windows_begin_and_end(per_line: int, words: str) -> None:
    cut = cut_windows(numbered(per_line), lambda word: word if word in words.split() else "")
    assert edges(cut) == WINDOWS[per_line, words]


def test_windows_without_room_for_a_match_are_left_out() -> None:
    cut = cut_windows(
        numbered(400), lambda word: word if word in ("a100", "a250", "a251") else "", room=400
    )
    assert edges(cut) == [CUT, "a191-a270", CUT] and len(cut) == 403
    # A text that fits is whole.
    assert cut_windows("one two", lambda _: "", room=7) == "one two"
    assert cut_windows("one two", lambda _: "", room=6) == f"one {CUT}"


def test_the_piece_with_the_most_words_of_runs_is_shown() -> None:
    filler = "lorem ipsum " * 60
    text = f"red {filler}big red {filler}red big car {filler}red big"
    assert "red big car" in cut_snippet(text, [("red", "big"), ("car",)])
    assert cut_snippet(text, [("red",)]).startswith("red lorem")
    assert "big red" in cut_snippet(text, [("big",)])
    assert cut_snippet(text, [("car", "red")]).startswith("red lorem")  # not next to each other


@pytest.mark.parametrize(
    ("searched", "word", "matches"),
    [
        (("pars",), "parsing", True), (("parse",), "parsed", True), (("pa",), "parse", False),
        (("par",), "parse", True), (("p*e",), "parse", True), (("p*x",), "parse", False),
        (("the", "parse"), "the parses", False), (("the", "pars*"), "the parses", True),
        (("the", "parse"), "the parse", True), (("arse",), "parse", False),
    ],
)  # fmt: skip
def test_which_words_of_a_text_match(searched: Run, word: str, matches: bool) -> None:
    filler = "lorem ipsum " * 60
    assert (word in cut_snippet(f"{filler}{word}, {filler}", [searched])) == matches


@pytest.mark.parametrize(
    ("text", "beginnings", "start"),
    [
        ("", ["zebra"], ""),
        ("none of them\n" * 20, ["zebra"], ""),
        ("zebra\n" + "x\n" * 2_000 + "a lion, a zebra\n", ["zebra", "lion"], "a lion"),
        ("zebra\n" + "x\n" * 2_000 + "zebra\n", ["zebra"], "zebra\nx"),  # equals: the first
        ("x\n" * 2_000 + "Zebras\n", ["zebra"], "Zebras"),
        ("azebra\n" + "x\n" * 2_000 + "zebra\n", ["zebra"], "zebra"),  # inside a word
        ("İ\n" + "x\n" * 2_000 + "zebra\n", ["zebra"], "zebra"),
        ("zebra " + "x\n" * 997 + " lion" + "\nzebra\n", ["zebra", "lion"], " lion"),
    ],
)
def test_the_passage_with_most_words(text: str, beginnings: list[str], start: str) -> None:
    """It begins at a line at most 80 characters before them."""
    found = find_passage(text, beginnings)
    place = text.index(start) if start.startswith("zebra\nx") or not start else text.rindex(start)
    assert found in range(max(place - 82, 0), place + 1)
    assert not found or text[found - 1] == "\n"


def test_so_many_places_of_a_word_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snippets, "_MOST_PLACES", 3)
    far = "zebra lion\n".rjust(3_000)
    for n, is_far in ((2, True), (3, False)):
        text = "zebra\n" * n + far
        assert (find_passage(text, ["zebra", "lion"]) > 0) == is_far, n
