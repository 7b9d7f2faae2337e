"""Small readers of texts: times, options, versions, names, counts, escapes."""

import itertools
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.text.arguments import option_value
from symindex.text.counts import count_of
from symindex.text.decoding import check_toml_keys
from symindex.text.escaping import (
    escape_json,
    shorten,
    show_controls,
    show_text,
    without_escapes,
)
from symindex.text.folding import (
    ASCII_WORD,
    Forms,
    fold,
    forms_of,
    is_in_order,
    squashed,
    strip_marks,
    word_starts,
)
from symindex.text.separators import BETWEEN_NAMES, SEPARATOR, with_dots
from symindex.text.since import read_since
from symindex.text.token_budget import best_that_fit
from symindex.text.versions import is_prerelease, is_version, newest, version_key
from symindex.text.words import (
    LONGEST_WHOLE,
    beginnings_of,
    beginnings_of_each,
    deciding,
    divide,
    divided_tokens,
    words_of,
    words_of_each,
)

NOW = datetime(2026, 11, 28, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3h", NOW - timedelta(hours=3)), ("1d", NOW - timedelta(days=1)),
        (" 2 W ", NOW - timedelta(days=14)), ("3mo", NOW - timedelta(days=90)),
        ("1y", NOW - timedelta(days=365)), ("0d", NOW),
        ("2026-05-31", datetime(2026, 5, 31, tzinfo=UTC)),
        (" 2026-05-31T10:11:12.5 ", datetime(2026, 5, 31, 10, 11, 12, 500_000, tzinfo=UTC)),
        ("2026-05-31T10:00+02:00", datetime(2026, 5, 31, 10, tzinfo=timezone(timedelta(hours=2)))),
        ("1970-01-01T00:00:01", datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)),
        ("1969-12-31", datetime(1970, 1, 1, tzinfo=UTC)), ("9999d", NOW - timedelta(days=9_999)),
    ],
)  # fmt: skip
def test_a_point_in_time(text: str, expected: datetime) -> None:
    assert read_since(text, NOW) == int(expected.timestamp() * 1_000)


@pytest.mark.parametrize("text", ["", "yesterday", "7", "10000d", "1m", "-1d", "2026-13-01"])
def test_another_text_is_no_point_in_time(text: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_since(text)
    assert str(caught.value) == (
        f"since {text!r}: expected a date as 2026-05-31, or 12h, 7d, 2w, 3mo, 1y"
    )


def test_a_message_about_a_time_is_short() -> None:
    with pytest.raises(RequestError, match=rf"since '{'x' * 40}…': expected"):
        read_since("x" * 41)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], None), (["--root"], None), (["--root", "a"], "a"), (["--root=a=b"], "a=b"),
        (["x", "--root", "a", "--root=b"], "b"), (["--root=b", "--root", "a"], "a"),
        (["--", "--root", "a"], None), (["--root", "a", "--", "--root", "b"], "a"),
        (["--roots", "a"], None), (["--root="], ""), (["--root", "a", "--root"], "a"),
    ],
)  # fmt: skip
def test_the_value_of_an_option(arguments: list[str], expected: str | None) -> None:
    assert option_value(arguments, "--root") == expected


ORDERED = [
    "python", "python3.9", "python3.11", "0.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
    "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "v1.0.1", "1.9", "1.10", "2.0dev3", "2.0a1",
    "2.0b1", "2.0.b2", "2.0rc1", "2.0_rc2", "2", "2.0.1", "10",
]  # fmt: skip


def test_versions_are_ordered_by_precedence() -> None:
    assert sorted(["1.0.0-a", "1.0.0-1"], key=version_key) == ["1.0.0-1", "1.0.0-a"]
    dated = [version for version in ORDERED if "dev" not in version]
    assert sorted(reversed(dated), key=version_key) == dated
    assert version_key("2.0.0") == version_key("v2") == version_key("V2.0+build.5")
    assert version_key("0") == version_key("0.0") < version_key("0.1")
    for one, other in itertools.pairwise(dated):
        assert version_key(one) < version_key(other)


@pytest.mark.parametrize(
    ("text", "version", "prerelease"),
    [
        ("1", True, False), ("v1.2.3", True, False), ("1.2.3-rc.1", True, True), ("1.2rc1", True, True),
        ("1.2+x", True, False), ("1.2.dev0", True, True), ("1.", False, True), ("latest", False, True),
        ("", False, True), ("1.2 ", False, True), ("\u0661", False, True),
        ("1." * 49 + "11", True, False), ("1." * 49 + "111", False, True),
    ],
)  # fmt: skip
def test_what_a_version_is(text: str, version: bool, prerelease: bool) -> None:
    assert (is_version(text), is_prerelease(text)) == (version, prerelease)


def test_the_newest_is_a_release_if_there_is_one() -> None:
    assert newest(["1.9", "1.10", "2.0-rc.1", "python3"]) == "1.10"
    assert newest(["2.0-rc.1", "2.0-rc.2"]) == "2.0-rc.2"
    assert newest(["2.0", "v2", "2"]) == newest(["v2", "2", "2.0"]) == "v2"


def test_counts() -> None:
    assert [count_of(number, "file") for number in (0, 1, 2, 2_000)] == [
        "0 files", "1 file", "2 files", "2,000 files",
    ]  # fmt: skip
    assert [count_of(number, "file was", "files were") for number in (1, 2)] == [
        "1 file was", "2 files were",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a::b#c\\d", "a.b.c.d"), ("a/b->c.d", "a/b->c.d"), ("operator->", "operator->"), ("", ""),
    ],
)  # fmt: skip
def test_separators_that_no_name_contains_become_dots(name: str, expected: str) -> None:
    assert with_dots(name) == expected


def test_names_are_divided_between_names_only() -> None:
    assert SEPARATOR.split("a::b->c.d#e/f\\g") == [*"abcdefg"]
    for text, parts in {
        "a.b": ["a", "b"], "/usr/lib": ["/usr", "lib"], "operator->": ["operator->"], "f()::g": ["f()", "g"],
        "a? .b": ["a? .b"], "x[0].y": ["x[0]", "y"], "A<T>::b": ["A<T>", "b"], "a.@b.$c.~d": ["a", "@b", "$c", "~d"],
        "a.#b": ["a", "#b"], "`a`.`b`": ["`a`", "`b`"], "a./b": ["a./b"],
    }.items():  # fmt: skip
        assert BETWEEN_NAMES.split(text) == parts, text


ANY = st.text(st.sampled_from("aB2_- éßÀ字\u0301\u200b\n\t\x07\x85🎉\udc80\U000e0041"), max_size=8)


@given(ANY)
def test_shown_text_has_no_controls_and_is_read_back(text: str) -> None:
    shown = show_controls(text)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200b\ud800-\udfff\U000e0041]", shown)
    lines = show_text(text)
    assert [show_controls(part) for part in re.split("[\n\t]", text)] == re.split("[\n\t]", lines)
    if "\udc80" not in text:
        assert without_escapes(shown) == text


def test_how_characters_are_escaped() -> None:
    assert show_controls("\n\r\t\x00\x1f\x7f\x9f\u0300\u200b\udcff\udc80\ud800\U000e0041é") == (
        "\\n\\r\\t\\x00\\x1f\\x7f\\x9f\u0300\\u200b\\xff\\x80\\ud800\\U000e0041é"
    )
    assert show_text("a\tb\n\r\x7f") == "a\tb\n\\r\\x7f"
    assert without_escapes("\\x41\\u0042\\U00000043\\U0010ffff\\q\\U00110000") == (
        "ABC\U0010ffff\\q\\U00110000"
    )


def test_json_is_escaped_as_json() -> None:
    assert escape_json("é\x7f\u202e\U000e0041🎉".encode()) == (
        "é\\u007f\\u202e\\udb40\\udc41🎉".encode()
    )
    assert escape_json("é🎉~".encode(), ascii_only=True) == b"\\u00e9\\ud83c\\udf89~"
    assert escape_json(b"a\x7f", ascii_only=True) == b"a\\u007f"
    assert escape_json(b"plain\n") == b"plain\n"


def test_a_text_is_cut_after_its_limit() -> None:
    assert [shorten("abc", limit) for limit in (2, 3, 4)] == ["ab…", "abc", "abc"]


def test_the_forms_of_a_text() -> None:
    assert forms_of("My_Größe-x") == Forms("My_Große-x", "my_grosse-x", "mygrossex", "MyGroßex")
    assert fold("ÀB") == "ab" and squashed("À_b-C") == "abc" and strip_marks("Ǟﬁ") == "Afi"


@given(st.text(st.sampled_from("ab"), max_size=3), st.text(st.sampled_from("abc"), max_size=6))
def test_letters_in_order(letters: str, word: str) -> None:
    expected = re.search(".*".join(letters), word) is not None
    assert is_in_order(letters, word) == is_in_order(letters.encode(), word.encode()) == expected


@given(st.text(st.sampled_from("aBC1_ "), max_size=10))
def test_words_of_other_letters_begin_where_those_of_ascii_do(name: str) -> None:
    others = name.translate(str.maketrans("aBC", "жЖД"))
    assert word_starts(others) == tuple(match.start() for match in ASCII_WORD.finditer(name))
    assert word_starts(name) == word_starts(others)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("straßeЖж", (0, 7)), ("Жж2ж", (0, 2, 3)), ("жЖЖж", (0, 1, 2)), ("Ж1Ж", (0, 1, 2)),
        ("字Ж", (0, 1)), ("ЖЖ", (0,)), ("", ()), ("é_é", (0, 2)),
    ],
)  # fmt: skip
def test_where_words_begin(name: str, expected: tuple[int, ...]) -> None:
    assert word_starts(name) == expected


TOKENS = st.lists(st.text(st.sampled_from("aB2é- \0"), max_size=5), max_size=4)


@given(TOKENS)
def test_words_of_several_texts_are_those_of_each(texts: list[str]) -> None:
    assert words_of_each(texts) == [words_of(text) for text in texts]


@pytest.mark.parametrize(
    ("stem", "beginnings"),
    [
        ("hope", ("hop",)), ("happi", ("happ",)), ("abl", ("ab",)), ("run", ("run",)), ("e", ("e",)),
        ("tie", ("ti", "tying")), ("die", ("di", "dying")), ("zombie", ("zombi",)), ("pie", ("pi", "pying")),
        ("ie", ("i",)),
    ],
)  # fmt: skip
def test_the_beginnings_of_the_words_of_a_stem(stem: str, beginnings: tuple[str, ...]) -> None:
    assert beginnings_of(stem) == beginnings
    assert beginnings_of_each([stem, "run"]) == {*beginnings, "run"}


def test_common_words_decide_nothing_beside_others() -> None:
    assert deciding(["how", "to", "open"]) == ["open"] and deciding(["how", "to"]) == ["how", "to"]


def test_a_token_is_searched_for_as_a_whole_up_to_a_length() -> None:
    longest = "x" * LONGEST_WHOLE
    assert divide(longest) == (longest, (longest,), False)
    assert divide(f"{longest}x") == ("", (f"{longest}x",), False)
    assert divide("Größe-2").whole == "grösse-2"
    assert [token.whole for token in divided_tokens("Use HttpClient")] == ["use", "httpclient"]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=6), st.integers(0, 12),
    st.integers(0, 3),
)  # fmt: skip
def test_the_best_rows_that_fit(rows: list[tuple[int, int]], room: int, at_least: int) -> None:
    costs, ranks = [cost for cost, _ in rows], [rank for _, rank in rows]
    chosen = best_that_fit(costs, ranks, room, at_least)
    assert chosen == sorted({*chosen})
    if sum(costs) <= room:
        assert chosen == [*range(len(rows))]
        return
    best = sorted(range(len(rows)), key=lambda number: (ranks[number], number))
    assert set(chosen) == set(best[: len(chosen)])
    spent = [*itertools.accumulate(costs[number] for number in best)]
    n_fitting = sum(1 for total in spent if total <= room)
    # Costs are not negative, so the sums grow: the rows up to the first that does not fit.
    assert len(chosen) >= min(at_least, len(rows))
    assert len(chosen) == n_fitting or (n_fitting < len(chosen) <= max(at_least, n_fitting))


def test_toml_with_a_key_of_many_parts_is_refused() -> None:
    for text in (
        "a." * 15 + "b = 1",
        "[" + "a." * 15 + "b]",
        "a = '" + "a." * 20 + "'",
        "# " + "a." * 20,
    ):
        check_toml_keys(text)
    for text in (
        "a." * 16 + "b = 1", "x = 1\n[" + "a." * 16 + "b]", "x = {" + "a . " * 16 + "b = 1}",
        "'a'.\"b\"." * 8 + "c = 1", "x = {y = 1, " + "a." * 16 + "b = 1}",
    ):  # fmt: skip
        with pytest.raises(ValueError, match="a key of too many parts"):
            check_toml_keys(text)
