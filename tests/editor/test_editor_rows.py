"""Rows and matches for editors: the likeliest meaning of a name, typedefs, qualified names, headings
among rows, notices about folders."""

from pathlib import Path
from typing import Any, cast

import pytest

from symindex.editor.editor_positions import Match, rank_candidates, without_typedefs
from symindex.editor.heading_rows import _one_per_line, first_weaker
from symindex.editor.merged_view import Folder, _inner_folders, grouped, prefixed
from symindex.editor.row_names import kept_names, may_be_dropped, name_rows
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.search.language.query import Name, Or, Term, Words, parse_name
from symindex.workers.document_messages import Word


def folder(name: str = "a", path: str = "/a") -> Folder:
    return Folder(Path(path), Path(path), name, cast(Any, None))


FOLDER = folder()


class FakePart:
    """A part whose rows have these lines."""

    def __init__(self, lines: dict[int, tuple[int, int]]) -> None:
        self.index, self.lines = self, lambda row: lines[row]


def match(name: str = "n", path: str = "a.py", container: str = "", **more: Any) -> Match:
    fields: dict[str, Any] = {
        "part": None, "row": 0, "kind": 0, "flags": 0, "folder": FOLDER, "key": None, "line": 0,
        "start": 0, "end": 1,
    }  # fmt: skip
    return Match(name=name, path=path, container=container, **(fields | more))


def ranked(
    matches: list[Match],
    path: str | None = "x/a.py",
    qualifiers: tuple[str, ...] = (),
    text: str = "",
) -> list[int]:
    """Returns the numbers of the matches, the likeliest first."""
    place = None if path is None else (FOLDER, path)
    word = Word("n", [*qualifiers], (0, 0), (0, 1))
    return [matches.index(candidate) for candidate in rank_candidates(matches, place, word, text)]


def test_nearer_symbols_are_likelier() -> None:
    matches = [
        match(folder=folder("b"), path="x/a.py"),
        match(path="y/far.py"),
        match(path="y/near.py"),
        match(path="x/b.py"),
        match(path="x/a.py"),
    ]
    assert ranked(matches, text="from y.near import n") == [4, 3, 2, 1, 0]
    assert ranked(matches) == [4, 3, 1, 2, 0]
    assert ranked(matches, path=None) == [0, 1, 2, 3, 4]
    assert ranked(matches, path="z.py") == [1, 2, 3, 4, 0]


@pytest.mark.parametrize(
    ("text", "is_near"),
    [
        ("import a.b", True), ("use a::b;", True), ("'a/b'", True), ("a\\b", True), ("from z.a import b", True),
        ("a.bc", False), ("za.b", False), ("a b", False), ("a->b", False), ("b", False), ("a", False), ("b.a", False),
    ],
)  # fmt: skip
def test_an_import_names_two_parts_of_the_path(text: str, is_near: bool) -> None:
    matches = [match(path="q/other.py"), match(path="z/a/b.test.py")]
    assert ranked(matches, path="main.py", text=text) == ([1, 0] if is_near else [0, 1])


def test_the_written_container_decides_before_the_place() -> None:
    matches = [match(path="x/a.py"), match(path="y/b.py", container="A.B"), match(path="x/a.py", container="B.C")]  # fmt: skip
    assert ranked(matches, qualifiers=("X", "B")) == [1, 0, 2]
    assert ranked(matches) == [0, 2, 1]


DECLARED: dict[str, Any] = {"flags": SymbolFlag.DECLARATION.value}


def test_a_declaration_follows_all_definitions_of_its_name() -> None:
    matches = [
        match(path="x/a.py", container="C", **DECLARED),
        match(path="x/b.py"),
        match(path="y/c.py", container="C"),
        match(path="x/a.py", container="D", **DECLARED),
        match(path="x/c.py", container="C"),
    ]
    assert ranked(matches) == [3, 1, 4, 2, 0]
    assert ranked(matches[:2] + matches[3:4]) == [0, 2, 1]


STRUCT, TYPE = KINDS[SymbolKind.STRUCT].code, KINDS[SymbolKind.TYPE].code


def test_a_typedef_around_the_type_of_its_name_is_left_out() -> None:
    part = cast(Part, FakePart({1: (3, 9), 2: (4, 8), 3: (4, 10), 4: (2, 5), 5: (3, 9)}))
    typedef = match(part=part, row=1, kind=TYPE, **DECLARED)
    inside, over, before, equal = (match(part=part, row=row, kind=STRUCT) for row in (2, 3, 4, 5))
    assert without_typedefs([typedef, inside]) == [inside]
    assert without_typedefs([typedef, equal]) == [equal]
    assert without_typedefs([over, typedef, before]) == [over, typedef, before]
    assert without_typedefs([over, typedef, inside]) == [over, inside]
    for other in (
        inside._replace(name="m"), inside._replace(path="b.py"), inside._replace(container="C"),
        inside._replace(part=cast(Part, FakePart({2: (4, 8)}))),
    ):  # fmt: skip
        assert without_typedefs([typedef, other]) == [typedef, other]
    for plain in (typedef._replace(flags=0), typedef._replace(kind=STRUCT)):
        assert without_typedefs([plain, inside]) == [plain, inside]


@pytest.mark.parametrize(
    ("typed", "names", "shown"),
    [
        ("get_it", ["get_it", "getIt", "GET_some_IT", "git_e"], ["get_it", "GET_some_IT"]),
        ("getit", ["get_it", "g", "Größe"], ["get_it", "g"]),
        ("über", ["über", "uber", "Über_x"], ["über", "Über_x"]),
        ("x_y", ["xy", "yx"], []),
    ],
)
def test_names_that_an_editor_keeps(typed: str, names: list[str], shown: list[str]) -> None:
    query = parse_name(typed)
    assert [
        name for name, kept in zip(names, kept_names(query, names), strict=True) if kept
    ] == shown
    rows = name_rows(query, [match(name) for name in names], 99)
    assert [row[0] for row in rows] == (shown or names)
    assert name_rows(query, [match(name) for name in names], 1) == rows[:1]


def test_which_queries_editors_may_drop_rows_of() -> None:
    assert [may_be_dropped(typed) for typed in ("get2", "get_it", "über", "a.b", "")] == [
        False, True, True, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "container", "path", "shown"),
    [
        ("cart.add", "Shop.Cart", "src/a.py", ("Cart.add", "")),
        ("shop.add", "Shop.Cart", "src/a.py", ("Shop.Cart.add", "")),
        ("shop::cart::add", "Shop.Cart", "src/a.py", ("Shop::Cart::add", "")),
        ("shop::cart#add", "Shop.Cart", "src/a.py", ("Shop::Cart#add", "")),
        ("shop/a.add", "Kit", "shop/x/a.py", ("shop/x/a.Kit.add", "")),
        ("src/add", "", "src/a.py", ("src/a/add", "")),
        ("::add", "Cart", "src/a.py", ("::add", "Cart")),
        ("add", "Cart", "src/a.py", ("add", "Cart")),
        ("zz.add", "Cart", "src/a.py", ("add", "Cart")),
    ],
)
def test_a_qualified_query_has_qualified_names(
    typed: str, container: str, path: str, shown: tuple[str, str]
) -> None:
    ((name, around, row),) = name_rows(parse_name(typed), [match("add", path, container)], 5)
    assert (name, around) == shown and row.name == "add"


def test_other_queries_have_plain_names() -> None:
    matches = [match("one", container="C"), match("two")]
    for query in (Words(("o", "t")), Term("name", "o"), Or((Term("name", "o"), Term("doc", "o")))):
        assert name_rows(query, matches, None) == [
            ("one", "C", matches[0]),
            ("two", "", matches[1]),
        ]
        assert len(name_rows(query, matches, 1)) == 1


def test_headings_come_before_rows_that_match_worse() -> None:
    rows = [(name, "", match(name)) for name in ("Open_File", "openx", "file_open", "o_p_e_n")]
    assert first_weaker(Words(("open", "file")), rows, set()) == 1
    assert first_weaker(Words(("open",)), rows, set()) == 3
    assert first_weaker(Words(("OPEN",)), rows, {"file_open"}) == 2
    assert first_weaker(Name("open", (), "open"), rows, set()) == 4
    assert first_weaker(Name("open", (), "open"), rows, {"o_p_e_n"}) == 3
    assert first_weaker(Words(("o",)), [], set()) == 0


SECTION = KINDS[SymbolKind.SECTION].code


def test_a_line_has_one_heading() -> None:
    item, heading = match("item", kind=KINDS[SymbolKind.ITEM].code), match("Title", kind=SECTION)
    assert _one_per_line([item, heading]) == _one_per_line([heading, item]) == [heading]
    assert _one_per_line([heading, match("Other", kind=SECTION)]) == [heading]
    assert _one_per_line([item, item._replace(name="b")]) == [item]
    others = [
        heading,
        heading._replace(line=1),
        heading._replace(path="b"),
        heading._replace(folder=folder("b")),
    ]
    assert _one_per_line(others) == others


def test_folders_with_one_reason_share_a_notice() -> None:
    folders = [folder(f"f{number}", f"/f{number}") for number in range(6)]
    assert grouped(folders[:5], lambda _: "slow") == ["/f0, /f1, /f2 and 2 other folders: slow"]
    assert grouped(folders[:4], lambda _: "slow") == [f"/f{number}: slow" for number in range(4)]
    assert grouped(folders[:3], lambda folder: "" if folder.name == "f1" else folder.name) == [
        "/f0: f0", "/f2: f2",
    ]  # fmt: skip
    assert grouped([], lambda _: "slow") == []


def test_paths_have_a_prefix_if_there_are_several_folders() -> None:
    one, two = folder("a"), folder("b")
    assert prefixed([one]) == [("", one)] and prefixed([one, two]) == [("a/", one), ("b/", two)]


def test_folders_inside_of_others() -> None:
    paths = ["/a", "/a/b", "/a/b/c", "/ab"]
    inner = _inner_folders(tuple(folder(path, path) for path in paths))
    assert inner == {
        Path("/a"): ("b/", "b/c/"), Path("/a/b"): ("c/",), Path("/a/b/c"): (), Path("/ab"): (),
    }  # fmt: skip
