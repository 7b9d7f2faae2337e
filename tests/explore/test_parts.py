"""The parts of answers, alone: lines that fit, excerpts, names of modules and receivers, mangled
names, ranges, differences, renames and templates, at each bound and against slow references."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.explore.changes.version_job import Difference, _differences, _Version
from symindex.explore.changes.versions import find_renames
from symindex.explore.code_lines import CodeLines, around_line
from symindex.explore.git_objects import check_revision
from symindex.explore.grep.near_texts import (
    _best_place,
    _best_places,
    _long_words,
    _PairPlace,
    _pairs,
)
from symindex.explore.grep.reading import _literal_path
from symindex.explore.grep.templates import message_of, share_of
from symindex.explore.references.module_paths import (
    folder_of,
    is_nameless,
    is_of_module,
    is_relative,
    module_names,
    module_of,
)
from symindex.explore.references.receivers import (
    last_name,
    names_in,
    own_name,
)
from symindex.explore.references.reference_cursor import (
    PagePosition,
    find_marked,
    make_token,
    mark_of,
    read_token,
)
from symindex.explore.targets.names import _divisions, _forms, _readings
from symindex.explore.text_range import parse_lines, range_of
from symindex.explore.trace import frames
from symindex.explore.trace.demangle import demangle
from symindex.explore.trace.frames import parse_frame, parse_trace, sources_of
from symindex.extract.languages.registry import load_languages
from symindex.index.snapshot import Snapshot
from symindex.protocol.explore import ReferencesRequest, SymbolRequest
from symindex.resolve.reading.excerpts import excerpts
from symindex.resolve.tree import Tree
from symindex.text.receivers import first_name
from symindex.text.token_budget import estimate_tokens

FEW = settings(max_examples=50, deadline=None)

# Lines that fit.

TEXT = [f"line {number}" for number in range(1, 61)]
COST = estimate_tokens("line 10")


@pytest.mark.parametrize(
    ("wanted", "room", "shown", "more"),
    [
        ((10, 14), None, (10, 14), ""),
        ((10, 14), 5 * (COST + 1), (10, 14), ""),
        ((10, 14), 5 * (COST + 1) - 1, (10, 13), "14-14"),
        ((10, 14), 2 * (COST + 1), (10, 11), "12-14"),
        ((59, 70), None, (59, 60), ""),
        ((59, 70), COST + 1, (59, 59), "60-60"),
    ],
)
def test_lines_that_fit(
    wanted: tuple[int, int], room: int | None, shown: tuple[int, int], more: str
) -> None:
    code = CodeLines(TEXT, wanted, room)
    assert ((code.first, code.last), code.more) == (shown, more)
    assert code.shown == TEXT[shown[0] - 1 : shown[1]]
    assert code.is_whole is (more == "") and not code.is_cut
    assert code.tokens == (0 if room is None else len(code.shown) * (COST + 1))


def test_a_first_line_that_does_not_fit_is_cut() -> None:
    text = ["x " * 200, "y"]
    for room in (0, 39, 40, 41, 60):
        code = CodeLines(text, (1, 2), room)
        assert code.is_cut and not code.is_whole and code.more == "2-2" and code.tokens == room
        assert estimate_tokens(code.shown[0]) <= max(room, 40) + 1
        before = list(code.shown)
        code.shorten(1)
        code.end_at_paragraph(text)
        assert code.shown == before
    short = CodeLines(["ab", "c"], (1, 2), 0)
    assert short.shown == ["ab"] and not short.is_cut
    assert CodeLines([], (1, 0), 5).shown == []


def test_lines_are_shortened_before_a_line() -> None:
    text = ["def a:", "", "  b", "", "", "  c"]
    for before, shown in ((6, text[:3]), (3, text[:1]), (1, text[:1]), (0, text[:1]), (7, text)):
        code = CodeLines(text, (1, 6), None)
        code.shorten(before)
        assert code.shown == shown
        assert code.tokens == sum(estimate_tokens(line) + 1 for line in shown)


@pytest.mark.parametrize(
    ("blank", "n_fit", "n_shown"),
    [(3, 9, 3), (2, 9, 9), (8, 9, 8), (0, 9, 9), (3, 8, 3), (2, 6, 2)],
)
def test_prose_ends_after_a_paragraph_if_a_third_remains(
    blank: int, n_fit: int, n_shown: int
) -> None:
    text = ["" if number == blank else "word" for number in range(12)]
    cost = sum(estimate_tokens(line) + 1 for line in text[:n_fit])
    code = CodeLines(text, (1, 12), cost)
    assert len(code.shown) == n_fit
    code.end_at_paragraph(text)
    assert len(code.shown) == n_shown


def test_prose_that_ends_with_a_paragraph_stays() -> None:
    text = ["a", "", "b", "c", "", "d"]
    code = CodeLines(text, (1, 6), sum(estimate_tokens(line) + 1 for line in text[:4]))
    assert len(code.shown) == 4
    code.end_at_paragraph(text)
    assert len(code.shown) == 4
    whole = CodeLines(text, (1, 6), None)
    whole.end_at_paragraph(text)
    assert len(whole.shown) == 6


@pytest.mark.parametrize(
    ("own", "focus", "head", "window"),
    [
        ((1, 30), 20, None, None),
        ((1, 31), 20, "line 1", (5, 31)),
        ((1, 31), 16, "", (1, 31)),
        ((1, 31), 17, "line 1", (2, 31)),
        ((5, 60), 40, "line 5", (25, 55)),
        ((5, 60), 5, "", (5, 20)),
        ((5, 90), 60, "line 5", (45, 60)),
    ],
)
def test_the_lines_around_a_focus(
    own: tuple[int, int], focus: int, head: str | None, window: tuple[int, int] | None
) -> None:
    expected = None if head is None else (head, window)
    assert around_line(TEXT, own, focus, None) == expected


@FEW
@given(st.integers(1, 60), st.integers(0, 160))
def test_a_window_grows_to_the_nearest_lines_that_fit(focus: int, room: int) -> None:
    window = around_line(TEXT, (1, 60), focus, room)
    assert window is not None
    head, (first, last) = window
    assert first <= focus <= last and focus - first <= 15 and last - focus <= 15
    lines = TEXT[first - 1 : last]
    cost = sum(estimate_tokens(line) + 3 for line in lines)
    left = max(0, room - estimate_tokens(head))
    assert cost <= left or (first, last) == (focus, focus)
    wider = [
        number
        for number in (first - 1, last + 1)
        if 1 <= number <= 60 and abs(number - focus) <= 15
    ]
    assert not wider or cost + min(estimate_tokens(TEXT[number - 1]) + 3 for number in wider) > left
    if wider and first > 1 and last < 60:
        assert abs((focus - first) - (last - focus)) <= 1


def test_the_head_above_a_window_ends_where_the_body_opens() -> None:
    text = ["def f(", "  a,", "  b) {", *TEXT]
    window = around_line(text, (1, 63), 40, None)
    assert window is not None and window[0] == "def f("
    text = ["@x", "@y", "def f():", *TEXT]
    for focus, head in ((40, "@x\n@y\ndef f():"), (18, "@x"), (17, "@x"), (16, "")):
        window = around_line(text, (1, 63), focus, None)
        assert window is not None and window[0] == head
    text = ["@a"] * 6 + ["def f():", *TEXT]
    window = around_line(text, (1, 67), 40, None)
    assert window is not None and window[0] == "@a"
    for room, is_short in ((3 * (COST + 1), True), (3 * (COST + 1) - 1, False)):
        assert (around_line(TEXT, (10, 12), 11, room) is None) is is_short


# Excerpts.


@FEW
@given(st.text("aé日 \n", max_size=40), st.sets(st.integers(0, 40), max_size=4))
def test_places_of_short_lines_are_shown_whole(text: str, places: set[int]) -> None:
    starts = sorted(len(text[:place].encode()) for place in places if place < len(text))
    data = text.encode()
    for mention, start in zip(excerpts(data, starts), starts, strict=True):
        before = data[:start].decode()
        line = before.count("\n") + 1
        assert (mention.line, mention.column) == (line, len(before) - before.rfind("\n"))
        whole = text.split("\n")[line - 1]
        column = mention.column - 1
        assert mention.before == whole[:column].lstrip()
        assert mention.onward == whole[column:].rstrip()
        assert mention.text == mention.before + mention.onward


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (0, 200, "N" + "a" * 199),
        (0, 201, "N" + "a" * 198 + "…"),
        (100, 100, "b" * 100 + "N" + "a" * 99),
        (100, 101, "…" + "b" * 97 + "N" + "a" * 100),
        (300, 10, "…" + "b" * 188 + "N" + "a" * 9),
        (300, 400, "…" + "b" * 49 + "N" + "a" * 148 + "…"),
        (50, 400, "b" * 50 + "N" + "a" * 148 + "…"),
        (900, 0, "…" + "b" * 197 + "N"),
        (60, 900, "…" + "b" * 49 + "N" + "a" * 148 + "…"),
    ],
)
def test_a_long_line_is_shown_around_its_place(before: int, after: int, shown: str) -> None:
    text = "b" * before + "N" + "a" * (after - 1 if after else 0)
    (mention,) = excerpts(f"x\n{text}\ny".encode(), [2 + before])
    assert len(mention.text) <= 200
    assert mention.text == shown and mention.onward.startswith("N" if after else "")


# Modules and receivers.


def test_names_of_modules() -> None:
    assert [is_nameless(path) for path in ("a/mod.rs", "INDEX.ts", "a/cart.py", "lib.x.y")] == [
        True, True, False, True,
    ]  # fmt: skip
    assert folder_of("a/b/c.py") == "a/b" and folder_of("c.py") == ""
    assert module_names("a/b/c.py", "X.y") == {"a", "b", "c", "X", "y"}
    assert module_names("c", "") == frozenset()
    assert module_of("src/shop.rs", "cart.x") == ("src", "shop", "cart", "x")
    assert module_of("src/mod.rs", "") == ("src",) and module_of("a.b.c", "") == ("a",)


WORDS = ("crate", "self", "super")


@pytest.mark.parametrize(
    ("receiver", "own", "others", "meant"),
    [
        ("self", ("src", "a", "b"), [], True),
        ("super", ("src", "a"), [], True),
        ("super::super", ("src",), [], True),
        ("super :: c", ("src", "a", "c"), [], True),
        ("self::c", ("src", "a", "b", "c"), [], True),
        ("super::self::c", ("src", "a", "c"), [], True),
        ("self::d", ("src", "a", "b", "c"), [], None),
        ("super::c", ("x",), [("src", "a", "c")], False),
        ("super::c", ("src", "a", "c"), [("src", "a", "c")], None),
        ("crate::a", ("src", "a"), [], True),
        ("crate::a", ("other", "a"), [("src", "a")], False),
        ("crate::a", ("src", "a"), [("other", "a")], True),
        ("crate::z", ("src", "a"), [("other", "a")], None),
        ("crate::a::b", ("src", "a", "b"), [("src", "x", "a", "b")], True),
        ("crate", ("src",), [("src", "a")], True),
        ("crate", ("src", "a"), [("src",)], False),
    ],
)
def test_whether_a_path_leads_to_a_module(
    receiver: str, own: tuple[str, ...], others: list[tuple[str, ...]], meant: bool | None
) -> None:
    assert is_of_module(receiver, WORDS, ("src", "a", "b"), own, others) is meant
    assert is_relative(receiver, WORDS) and not is_relative(receiver, ())
    assert not is_relative(f"x::{receiver}", WORDS)


@pytest.mark.parametrize(
    ("receiver", "first", "last", "names"),
    [
        ("shop::Cart", "shop", "Cart", ["shop", "Cart"]),
        ("$a->b", "$a", "b", ["$a", "a", "b"]),
        ("*&(a.b)", "a", "b", ["a", "b"]),
        ("\\\\&*(a", "", "a", ["a"]),
        ("1a", "", "1a", ["a"]),
        ("a" * 159, "a" * 159, "a" * 159, ["a" * 159]),
        ("a" * 160, "", "a" * 160, ["a" * 160]),
        ("", "", "", []),
        ("f(x)", "f", "f", ["f", "x"]),
    ],
)
def test_names_of_receivers(receiver: str, first: str, last: str, names: list[str]) -> None:
    assert (first_name(receiver), last_name(receiver), names_in(receiver)) == (first, last, names)


def test_the_own_part_of_a_qualified_name() -> None:
    names = ("shop::Cart", "shop.$Cart", "a\\b", " x y ", "z", "a.", "")
    assert [own_name(name) for name in names] == ["Cart", "$Cart", "b", "y", "z", "a.", ""]


# Names and their notations.


def test_readings_and_divisions_of_a_name() -> None:
    assert [*_readings("(*Buffer).Write(a, b(c)) const")] == [
        "(*Buffer).Write(a, b(c)) const", "Buffer.Write",
    ]  # fmt: skip
    assert [*_readings("Vec<T>::new")] == ["Vec<T>::new", "Vec::new"]
    assert [*_readings("*p")] == ["*p", "p"] and [*_readings("plain")] == ["plain"]
    assert _divisions("a.b") == [["a.b"], ["a", "b"]] and _divisions("a.") == [["a."]]
    assert _divisions("a..b") == [["a..b"], ["a", ".b"], ["a", "b"]]
    for n_parts, n_divisions in ((33, 33), (34, 1)):
        assert len(_divisions(".".join(["a"] * n_parts))) == n_divisions


def ways(text: str, qualified: str, path: str) -> int | None:
    """Returns the best way in which a name matches a symbol; smaller is better."""
    name = qualified.rpartition(".")[2]
    ranks = [
        base + way
        for parts in _divisions(text)
        for base, form in _forms(text, parts)
        if (way := form(name, qualified, path)) is not None
    ]
    return min(ranks, default=None)


@pytest.mark.parametrize(
    ("text", "qualified", "path", "place"),
    [
        ("A.b", "A.b", "x.py", 0),
        ("b", "A.b", "x.py", 0),
        ("A.b", "N.A.b", "x.py", 1),
        ("x.b", "b", "d/x.py", 2),
        ("d.b", "b", "d/x.py", 2),
        ("d.x.b", "b", "d/x.py", 2),
        ("d.b", "b", "d/e/x.py", 3),
        ("d.A.b", "A.b", "d/x.py", 2),
        ("d.b", "A.b", "d/x.py", 4),
        ("my_d.b", "b", "my-d/x.py", 2),
        ("a.B", "A.b", "x.py", 5),
        ("B", "A.b", "x.py", 5),
        ("D.b", "b", "d/x.py", 6),
        ("q.A.b", "A.b", "x.py", 8),
        ("q.r.A.b", "A.b", "x.py", 9),
        ("q.a.b", "A.b", "x.py", 8.5),
        ("q.r.s.t.A.b", "A.b", "x.py", 11),
        ("q.r.s.t.u.A.b", "A.b", "x.py", None),
        ("A.b", "B.b", "x.py", None),
        ("q.b", "A.b", "x.py", None),
    ],
)
def test_how_well_a_name_matches_is_ordered(
    text: str, qualified: str, path: str, place: float | None
) -> None:
    """From best to worst: whole, its end, folders next to it, folders, parts left out, case, parts
    dropped at the beginning."""
    way = ways(text, qualified, path)
    order = {
        0: ("A.b", "A.b", "x.py"), 1: ("A.b", "N.A.b", "x.py"), 2: ("x.b", "b", "d/x.py"), 3: ("d.b", "b", "d/e/f/x.py"),
        4: ("d.b", "A.b", "d/x.py"), 5: ("a.B", "A.b", "x.py"), 6: ("D.b", "b", "d/x.py"), 8: ("q.A.b", "A.b", "x.py"),
        8.5: ("q.a.b", "A.b", "x.py"), 9: ("q.r.A.b", "A.b", "x.py"), 11: ("q.r.s.t.A.b", "A.b", "x.py"),
    }  # fmt: skip
    ranks = {key: ways(*case) for key, case in order.items()}
    assert all(rank is not None for rank in ranks.values())
    values = cast(dict[float, int], ranks)
    assert [*values.values()] == sorted(set(values.values()))
    if place is None:
        assert way is None
    else:
        assert way is not None and (way == values[place] or place == 3)


# Mangled names, frames, ranges, revisions.


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("_ZN4cart5totalEv", "cart::total"),
        ("_Z3fooi", "foo"),
        ("__ZN1a1bEv", "a::b"),
        ("_ZNK1a1b1cEv", "a::b::c"),
        ("_ZN1aC1Ev", "a::a"),
        ("_ZN1aD2Ev", "a::~a"),
        ("_ZN1aIiE1bEv", "a::b"),
        ("_ZN1aI1cIiE1dE1bEv", "a::b"),
        ("_ZN12_GLOBAL__N_11aEv", "a"),
        ("_ZNSt6vectorEv", "vector"),
        ("_ZL5localv", "local"),
        ("_Z", "_Z"),
        ("plain", "plain"),
        ("_ZN4cart", "cart"),
        ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
        ("_RNvNtC3abc3def3ghi", "abc::def::ghi"),
        ("_R", "_R"),
    ],
)
def test_mangled_names(mangled: str, name: str) -> None:
    assert demangle(mangled) == name


def test_frames_of_a_trace() -> None:
    frame = parse_frame('  File "a/b.py", line 12, in run')
    assert frame is not None and frame[1:] == ("a/b.py", 12, "run")
    assert frame.text == 'File "a/b.py", line 12, in run'
    assert parse_frame("nothing") is None and parse_frame("\ud800.py:1") is None
    trace = parse_trace("x\n" * 3 + '  File "a.py", line 1, in f\n' * 2)
    assert len(trace.frames) == 2 and trace.n_unread == 0
    assert [number for number, _ in trace.likely()] == [1, 2]
    assert sources_of("a.py") == [] and sources_of("x/a.mjs")[:2] == ["x/a.mts", "x/a.ts"]


def test_a_long_trace_is_read_at_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST_FRAMES", 5)
    for n_frames, numbers in ((5, [1, 2, 3, 4, 5]), (7, [1, 2, 3, 6, 7])):
        trace = parse_trace('  File "a.py", line 1, in f\n' * n_frames)
        assert [number for number, _ in trace.likely()] == numbers
    monkeypatch.setattr(frames, "MOST_LINES", 5)
    for before, after, n_read in ((2, 9, 1), (3, 9, 0), (9, 1, 1), (9, 2, 0), (2, 2, 1)):
        text = "x\n" * before + '  File "a.py", line 1, in f\n' + "x\n" * after
        trace = parse_trace(text)
        assert (len(trace.frames), trace.n_unread) == (n_read, before + after - 4)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("5", (5, 5)), ("1-1", (1, 1)), (" 3 .. 9 ", (3, 9)), ("3,9", (3, 9)), ("3:9", (3, 9)), ("0", None),
        ("5-4", None), ("x", None), ("1-", None), ("1234567890", None), ("999999999", (999_999_999, 999_999_999)),
    ],
)  # fmt: skip
def test_ranges_of_lines(text: str, lines: tuple[int, int] | None) -> None:
    if lines is not None:
        assert parse_lines(text) == lines
    else:
        with pytest.raises(RequestError, match=r"^lines '"):
            parse_lines(text)


NO_FILES = Tree(Snapshot([], 0), load_languages(check=False), {})


@pytest.mark.parametrize(
    ("symbol", "lines", "expected"),
    [
        ("a.py:5", None, ("a.py", 5, 5, True)),
        ("`a.py:5:7`", None, ("a.py", 5, 5, True)),
        ("a.py:5-7", None, ("a.py", 5, 7, False)),
        ("a.py:5..7", None, ("a.py", 5, 7, False)),
        ("a.py", "5-7", ("a.py", 5, 7, False)),
        ("a.py#b", "5-7", None),
        ("", "5", None),
        ("a.py#b:5", None, None),
        ("a", None, None),
    ],
)
def test_requests_for_lines(symbol: str, lines: str | None, expected: Any) -> None:
    assert range_of(NO_FILES, SymbolRequest(symbol=symbol, lines=lines)) == expected
    with pytest.raises(RequestError) as caught:
        parse_lines("x" * 60)
    assert str(caught.value) == f"lines '{'x' * 50}': expected a range as 120-180"


@pytest.mark.parametrize(
    ("revision", "is_right"),
    [
        ("HEAD~3", True), ("v1.0", True), ("a/b@{1}", True), ("r" * 200, True), ("r" * 201, False), ("-x", False),
        ("", False), ("a b", False), ("a:b", False), ("a\x7f", False), ("a..b", False), ("a\udc80", True),
    ],
)  # fmt: skip
def test_texts_that_may_be_revisions(revision: str, is_right: bool) -> None:
    if is_right:
        check_revision(revision)
        return
    with pytest.raises(RequestError) as caught:
        check_revision(revision)
    assert ("is a range" in str(caught.value)) is (revision == "a..b")
    shown = revision if len(revision) <= 100 else "r" * 100 + "..."
    assert str(caught.value).startswith(f"version {shown!r} is ")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("a/b.py", "a/b.py"), ("/a/", "a"), ("!a", ""), ("a*", ""), ("a[[]b", "a[b"), ("a[bc]", "")],
)
def test_globs_that_match_one_path_alone(pattern: str, path: str) -> None:
    assert _literal_path(pattern) == path


# Pages of references.


def test_a_token_leads_to_its_file_and_line() -> None:
    files = [(0, "a.py"), (0, "b.py"), (1, "a.py"), (1, "x" * 60 + "1"), (1, "x" * 60 + "2")]
    request = ReferencesRequest(name="n")

    def after(file: tuple[int, str], line: int | None, generation: int = 7) -> Any:
        position = PagePosition(file, line, 4, 10, 2, True)
        request.pagination_id = make_token(request, "n", 7, position)
        return read_token(request, "n", generation, files)

    assert after((0, "b.py"), 3) == (1, PagePosition((0, "b.py"), 3, 4, 10, 2, True))
    assert after((0, "b.py"), None)[0] == 2
    assert after((0, "aa.py"), 3) == (1, PagePosition((0, ""), None, 4, 10, 2, True))
    assert after((1, "x" * 60 + "2"), 3)[0] == 4 and after((1, "x" * 60 + "3"), 3)[0] == 3
    assert after((2, "a"), 1)[0] == 5
    changed = after((0, "b.py"), 3, generation=8)[1]
    assert changed.has_changed and not changed.is_counted
    mark = mark_of((1, "p" * 57))
    assert mark[:2] == (1, b"p" * 56)
    marked = cast(Any, SimpleNamespace(rank=0, path=b"a.py", digest=mark_of((0, "a.py"))[2]))
    assert find_marked(marked, files) == (0, True) and find_marked(marked, []) == (0, False)


# Changes.


def version(text: bytes, line: int, signature: str = "s", kind: str = "method") -> _Version:
    return _Version(kind, line, signature, text)


def told(old: list[_Version], new: list[_Version]) -> list[str]:
    differences = _differences({"n": old} if old else {}, {"n": new} if new else {})
    assert all(difference.name == "n" for difference in differences)
    return [f"{difference.status} {difference.line}" for difference in differences]


def test_versions_of_a_name_are_paired() -> None:
    a, b, c = version(b"a", 1), version(b"b", 2, "t"), version(b"c", 3, "u")
    assert told([a, b], [a, b]) == [] and told([a], []) == ["removed 1"]
    assert told([], [a, b]) == ["added 1", "added 2"]
    assert told([a], [version(b"x", 5)]) == ["changed 5"]
    assert told([a, b], [version(b"y", 8, "t"), a]) == ["changed 8"]
    assert told([a, b, c], [version(b"x", 9, "v")]) == ["removed 2", "removed 3", "changed 9"]
    assert told([a], [version(b"x", 4, "v"), version(b"y", 6, "w")]) == ["changed 4", "added 6"]
    assert told([a], [version(b"a", 1, kind="field")]) == ["changed 1"]
    assert told([a, version(b"a", 4)], [version(b"a", 7)]) == ["removed 4"]
    assert Difference("n", "k", "s", 1) == Difference("n", "k", "s", 1)


@FEW
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("st")), max_size=5), st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("st")), max_size=5))  # fmt: skip
def test_as_many_versions_are_changed_as_can_be(
    old: list[tuple[str, str]], new: list[tuple[str, str]]
) -> None:
    """All pairs of equals are left out; of the rest, the shorter list is changed."""
    olds = [version(text.encode(), line, sign) for line, (text, sign) in enumerate(old, 1)]
    news = [version(text.encode(), line, sign) for line, (text, sign) in enumerate(new, 1)]
    equals = sum(
        min(sum(text == pair[0] for pair in old), sum(text == pair[0] for pair in new))
        for text in "ab"
    )
    counts = {status: 0 for status in ("changed", "added", "removed")}
    for line in told(olds, news):
        counts[line.split()[0]] += 1
    left = len(old) - equals, len(new) - equals
    assert counts == {
        "changed": min(left), "added": max(0, left[1] - left[0]), "removed": max(0, left[0] - left[1]),
    }  # fmt: skip


def slow_renames(gone: list[bytes], new: list[bytes]) -> dict[int, int]:
    """Pairs the files with the most bytes in common lines, again and again."""

    def shared(one: bytes, two: bytes) -> int:
        left = two.split(b"\n")
        size = 0
        for line in one.split(b"\n"):
            if line and line in left:
                left.remove(line)
                size += len(line) + 1
        return size

    pairs = sorted(
        (-shared(one, two) / max(len(one), len(two)), new_number, old_number)
        for new_number, two in enumerate(new)
        for old_number, one in enumerate(gone)
        if min(len(one), len(two)) and min(len(one), len(two)) >= 0.5 * max(len(one), len(two))
    )
    renames: dict[int, int] = {}
    for share, new_number, old_number in pairs:
        if -share >= 0.5 and new_number not in renames and old_number not in renames.values():
            renames[new_number] = old_number
    return renames


CONTENTS = st.lists(st.sampled_from([b"a", b"bb", b"ccc", b""]), max_size=5).map(b"\n".join)


@FEW
@given(st.lists(CONTENTS, max_size=3), st.lists(CONTENTS, max_size=3))
def test_renames_are_those_of_a_slow_comparison(gone: list[bytes], new: list[bytes]) -> None:
    renames = find_renames([("same", data) for data in gone], [("same", data) for data in new])
    assert renames == slow_renames(gone, new)


# Messages.


@pytest.mark.parametrize(
    ("line", "message", "share"),
    [
        ('raise E(f"no plugin {x} here")', "no plugin cart here", 12 / 16),
        ('log("%s of %d items")', "5 of 7 items", 7 / 7),
        ('log("abcd %s")', "abcd x", 0),
        ('log("abcde %s")', "abcde x", 5 / 6),
        ('log("abcde")', "abcde", 0),
        ('log("abcde " + x + " fgh")', "abcde 1 fgh", 8 / 8),
        ('log("abcde " + x + " fgh")', "fgh 1 abcde", 0),
        ("x = 'abcdef {}'", "zz abcdef 1", 6 / 8),
        ("x = 'abcdef {}'", "abcdef " + "z" * 34, 6 / 40),
        ("x = 'abcdef {}'", "abcdef " + "z" * 35, 0),
        ("nothing", "nothing", 0),
        ('"it\\\'s %s fine"', "it's so fine", 7 / 9),
        ('log("a\\nbcdef {}")', "a bcdef 1", 6 / 6),
    ],
)
def test_the_share_of_a_message_that_a_template_has(line: str, message: str, share: float) -> None:
    assert share_of(line, message_of(message)) == pytest.approx(share)


def test_messages_are_prepared() -> None:
    assert message_of("  a1 b\n\t_c ") == ("a1 b _c", 3)
    assert message_of("") == ("", 0)


def test_pairs_and_long_words_of_a_message() -> None:
    assert _pairs("the cart is closed") == ["the cart", "cart is", "is closed"]
    assert _pairs("is a no") == [] and _pairs("cart  x") == ["cart  x"]
    assert _pairs("cart" + " " * 8 + "open") == ["cart" + " " * 8 + "open"]
    assert _pairs("cart" + " " * 9 + "open") == [] and _pairs("cart\nopen") == []
    assert _pairs("cart open cart open") == ["cart open", "open cart"]
    words = " ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(45))
    assert len(_pairs(words)) == 39
    assert _long_words("a bcde fghij bcde klm") == ["fghij", "bcde"]
    assert len(_long_words(words)) == 12
    assert _long_words("isn't it's can't") == ["isn't", "can't", "it's"]


def places(*pairs: tuple[int, int]) -> list[_PairPlace]:
    return [_PairPlace(start, number, start // 100) for start, number in pairs]


def test_the_best_stretch_of_a_file() -> None:
    weights = [1.0, 2.0, 4.0]
    assert _best_place(places((0, 0), (400, 1)), weights) == (3.0, 400, (0, 1))
    assert _best_place(places((0, 0), (401, 1)), weights) == (2.0, 401, (1, 1))
    assert _best_place(places((0, 0), (10, 0), (20, 1)), weights) == (3.0, 0, (0, 2))
    assert _best_place(places((0, 1), (150, 1)), weights) == (2.0, 0, (0, 0))
    assert _best_place(places((0, 0), (110, 2), (120, 0)), weights) == (5.0, 110, (0, 1))
    pair_places = places((0, 2), (1_000, 2), (2_000, 2), (3_000, 2), (4_000, 1))
    assert _best_places(pair_places, weights) == [(4.0, 0), (4.0, 1_000), (4.0, 2_000)]
    assert _best_places(places((0, 2), (1_000, 1)), weights) == [(4.0, 0)]
    assert _best_places(places((0, 0), (1_000, 1)), [0.95, 1.0]) == [(1.0, 1_000), (0.95, 0)]
    assert _best_places(places((0, 0), (1_000, 1)), [0.94, 1.0]) == [(1.0, 1_000)]
    assert _best_places([], weights) == []
