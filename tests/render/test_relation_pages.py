"""References, text in files, hierarchies, changes and traces as Markdown: each page to the byte."""

from typing import Any

import pytest

from symindex.protocol.explore import (
    FileReferences,
    Reference,
    ReferencesRequest,
    ReferencesResponse,
)
from symindex.protocol.grep import FileText, GrepRequest, GrepResponse, TextRow
from symindex.protocol.hierarchy import (
    HierarchyRequest,
    HierarchyResponse,
    NamedPlaces,
    RelatedItem,
)
from symindex.render.grep import marker as marker_of_text
from symindex.render.grep import render_grep
from symindex.render.hierarchy import render_hierarchy
from symindex.render.markdown import as_option
from symindex.render.references import marker, render_references
from symindex.render.terminal.lines import hierarchy_lines
from symindex.text.snippets import MARK


def use(line: int, role: str = "read", text: str = "  f( 1 )", **more: Any) -> Reference:
    fields: dict[str, Any] = {"column": 3, "container": "A.g", "definition": False}
    return Reference(line=line, role=role, text=text, **(fields | more))


USES = [
    FileReferences(file_path="a.py", language="python", items=[
        use(3, "call"), use(3, "call", column=8), use(3, "call", column=9),
        use(4), use(4, container=None), use(5, text="g", rule="import"),
    ]),
    FileReferences(file_path="src/__init__.py", language="python", items=[use(1, "import")]),
    FileReferences(file_path="a.py", language="python", items=[
        use(5, is_unsure=True), use(6, "call", is_unsure=True, others=2, rule="name"),
    ]),
    FileReferences(file_path="b.py", language="python", items=[use(7, is_unsure=True)]),
]  # fmt: skip
USE_ROWS = """a.py
- 3 `A.g` (call, 3 times): `f( 1 )`
- 4 `A.g`: `f( 1 )`
- 4: `f( 1 )`
- 5 `A.g` (by import): `g`

`src/__init__.py`
- 1 `A.g` (import): `f( 1 )`

Uncertain:

a.py
- 5 `A.g` (may be another): `f( 1 )`
- 6 `A.g` (call, or 2 more, by name): `f( 1 )`

b.py
- 7 `A.g` (may be another): `f( 1 )`
"""


def references(request: ReferencesRequest | None = None, **more: Any) -> str:
    fields: dict[str, Any] = {
        "request": request or ReferencesRequest(name="f"), "name": "f", "files": [], "total": 0,
        "total_files": 0, "at_least": 0, "has_more": False, "pagination_id": None,
    }  # fmt: skip
    return render_references(ReferencesResponse(**(fields | more)))


MORE = "> More results available. Use `pagination_id=T` for next page.\n"
BY_ROLE = ReferencesRequest(name="f", role="call")
ALL = {"files": USES, "total": 8, "total_files": 2, "at_least": 8, "roles": {"read": 8}}
PART = {"has_more": True, "pagination_id": "T"}
REFERENCES: dict[str, tuple[ReferencesRequest | None, dict[str, Any], str]] = {
    "all of them": (
        None, {**ALL, "roles": {"call": 1_003, "read": 1}},
        f"# References: `f`\nFound 8 references in 2 files, by name: 1,003 calls, 1 read\n\n{USE_ROWS}",
    ),
    "the one and only has no roles": (
        None, {"files": USES[1:2], "total": 1, "total_files": 1, "roles": {"import": 1}, "symbol": "a.py#f"},
        "# References: `a.py#f`\nFound 1 reference in 1 file\n\n"
        "`src/__init__.py`\n- 1 `A.g` (import): `f( 1 )`\n",
    ),
    "a page of a complete count": (
        ReferencesRequest(name="f", max_items=8), {**ALL, **PART, "total": 9, "most": [("a.py", 9)]},
        f"# References: `f`\nFound 9 references in 2 files, by name (showing 10): 8 reads\n\n{USE_ROWS}\n{MORE}",
    ),
    "a long answer names the files with the most": (
        None, {**ALL, **PART, "most": [("a.py", 7), ("__x__.py", 1)], "notices": ["slow"]},
        "# References: `f`\nFound 8 references in 2 files, by name: 8 reads\n\n"
        f"Most: a.py 7, `__x__.py` 1\n\n{USE_ROWS}\n> slow\n\n{MORE}",
    ),
    "all on one page do not need the files with the most": (
        None, {**ALL, "most": [("a.py", 7), ("b.py", 1)]},
        f"# References: `f`\nFound 8 references in 2 files, by name: 8 reads\n\n{USE_ROWS}",
    ),
    "an incomplete count": (
        None, {**ALL, **PART, "total": None, "at_least": 2_000, "narrowed": 3, "symbol": "a.py#f", "roles": {"call": 2}},
        "# References: `a.py#f`\nFound at least 2,000 references: 2 calls; 3 that mean something else left out\n\n"
        f"{USE_ROWS}\n{MORE}",
    ),
    "receivers of unknown type": (
        None, {**ALL, "unknown": 3},
        "# References: `f`\nFound 8 references in 2 files, by name: 8 reads; 3 with a receiver of unknown type left out"
        f" (all lists them)\n\n{USE_ROWS}",
    ),
    "other symbols of a complete count": (
        None, {**ALL, "narrowed": 1},
        "# References: `f`\nFound 8 references in 2 files, by name: 8 reads; 1 that mean something else left out\n\n"
        f"{USE_ROWS}",
    ),
    "by role, an enclosing symbol has one row": (
        BY_ROLE, ALL,
        "# References: `f`\nFound 8 references in 2 files, by name: 8 reads\n\na.py\n"
        "- 3 `A.g` (+1: 4): `f( 1 )`\n- 4: `f( 1 )`\n- 5 `A.g` (by import): `g`\n\n"
        "`src/__init__.py`\n- 1 `A.g`: `f( 1 )`\n\nUncertain:\n\n"
        "a.py\n- 5 `A.g` (may be another) (+1: 6): `f( 1 )`\n\nb.py\n- 7 `A.g` (may be another): `f( 1 )`\n",
    ),
    "by role, a row may be another": (
        BY_ROLE, {"files": [FileReferences(file_path="a.py", language="", items=[use(n, is_unsure=True) for n in (2, 5, 5, 6)])]},
        "# References: `f`\nFound 0 references, by name\n\nUncertain:\n\na.py\n- 2 `A.g` (may be another) (+2: 5, 6): `f( 1 )`\n",
    ),
    "no role is by line": (
        ReferencesRequest(name="f", role=None),  # type: ignore[arg-type]
        {"files": USES[1:2]},
        "# References: `f`\nFound 0 references, by name\n\n`src/__init__.py`\n- 1 `A.g` (import): `f( 1 )`\n",
    ),
    "none": (None, {}, "# References: `f`\nFound 0 references, by name\n\n> No reference has that name.\n"),
    "none, but a similar name": (
        None, {"suggestions": ["g"]},
        "# References: `f`\nFound 0 references, by name\n\n"
        "> No reference has that name. Nearest names: `g`.\n",
    ),
    "an empty page that is not the last": (
        None, {**PART, "total": None, "at_least": 0},
        f"# References: `f`\nFound at least 0 references, by name\n\n{MORE}",
    ),
    "an empty last page": (
        None, {"total": 5, "at_least": 5, "total_files": 1, "roles": {"read": 5}},
        "# References: `f`\nFound 5 references in 1 file, by name: 5 reads\n\n> No more references.\n",
    ),
    "none with that role": (
        BY_ROLE, {"roles": {"import": 2, "read": 1}},
        "# References: `f`\nFound 0 references, by name\n\n"
        "> No reference has that role; left out: 2 imports, 1 read.\n",
    ),
    "none that certainly means the symbol": (
        None, {"narrowed": 1_002, "symbol": "a.py#f"},
        "# References: `a.py#f`\nFound 0 references; 1,002 that mean something else left out\n\n"
        "> No reference certainly means this symbol; left out: 1,002 that mean something else.\n",
    ),
    "none with that role that means the symbol": (
        BY_ROLE, {"narrowed": 2, "roles": {"read": 1}},
        "# References: `f`\nFound 0 references, by name; 2 that mean something else left out\n\n"
        "> No reference has that role; left out: 1 read, 2 that mean something else.\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFERENCES)
def test_references(case: str) -> None:
    request, fields, expected = REFERENCES[case]
    assert references(request, **fields) == expected


def test_a_long_name_is_cut_in_the_heading() -> None:
    assert references(symbol="f" * 200).startswith(f"# References: `{'f' * 200}`\n")
    assert references(symbol="f" * 201).startswith(f"# References: `{'f' * 200}…`\n")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("add", "add(adder, add)", "<add>(adder, <add>)"),
        ("Cart.add", "Cart.add(cart)", "Cart.<add>(cart)"),
        ("operator+", "a operator+ b", "a operator+ b"),
        ("+", "a + b", "a + b"),
    ],
)
def test_the_last_word_of_a_name_is_marked(name: str, text: str, expected: str) -> None:
    response = ReferencesResponse(
        request=ReferencesRequest(name=name), name=name, files=[], total=0, total_files=0,
        at_least=0, has_more=False, pagination_id=None,
    )  # fmt: skip
    assert marker(response)(text) == expected.replace("<", MARK).replace(">", MARK)


def rows_of(*rows: TextRow, path: str = "a.py") -> list[FileText]:
    return [FileText(file_path=path, language="python", items=[*rows])]


TEXT_ROWS = rows_of(
    TextRow(line=3, column=1, text=" f( 1 )", container="A.g", lines=[4, 5, 6, 7, 8, 9]),
    TextRow(line=12, column=1, text="f", lines=[13, 14, 15, 16, 17]),
)
SHOWN_TEXT = """a.py
- 3 `A.g` (+6: 4, 5, 6, 7, 8, …): `f( 1 )`
- 12 (+5: 13, 14, 15, 16, 17): `f`
"""


def grep(request: GrepRequest | None = None, **more: Any) -> str:
    fields: dict[str, Any] = {
        "request": request or GrepRequest(pattern="f"), "files": [], "total": 0, "total_files": 0,
        "at_least": 0, "has_more": False, "pagination_id": None,
    }  # fmt: skip
    return render_grep(GrepResponse(**(fields | more)))


IN_CODE = GrepRequest(pattern="f.", where="code", regex=True)
TEXTS: dict[str, tuple[GrepRequest | None, dict[str, Any], str]] = {
    "all of it": (
        None, {"files": TEXT_ROWS, "total": 1_013, "total_files": 1},
        f"# Text: `f`\nFound 1,013 lines in 1 file\n\n{SHOWN_TEXT}",
    ),
    "a page": (
        None, {"files": TEXT_ROWS, "total": 14, "total_files": 3, **PART},
        f"# Text: `f`\nFound 14 lines in 3 files (showing 2 rows, one for each symbol)\n\n{SHOWN_TEXT}\n{MORE}",
    ),
    "a page of an incomplete count": (
        IN_CODE, {"files": TEXT_ROWS, "total": None, "at_least": 13, **PART},
        "# Text: `f.`\nFound at least 13 lines in code (showing 2 rows, one for each symbol)\n\n"
        f"{SHOWN_TEXT}\n{MORE}",
    ),
    "an empty page that is not the last": (
        None, {"total": None, **PART},
        f"# Text: `f`\nFound at least 0 lines (showing 0 rows, one for each symbol)\n\n{MORE}",
    ),
    "nothing": (None, {}, "# Text: `f`\nFound 0 lines\n\n> No file contains this text.\n"),
    "nothing in what was searched": (
        None, {"notices": ["slow"]},
        "# Text: `f`\nFound 0 lines\n\n> No searched file contains this text.\n\n> slow\n",
    ),
    "nothing matches an expression": (
        GrepRequest(pattern="f", regex=True), {},
        "# Text: `f`\nFound 0 lines\n\n> No file contains a match.\n",
    ),
    "nothing in code": (
        IN_CODE, {},
        "# Text: `f.`\nFound 0 lines in code\n\n> No code with a match.\n\n"
        "> Anywhere: `symindex grep f.`\n\n> As a text: `symindex grep -F f.`\n",
    ),
    "nothing in comments": (
        GrepRequest(pattern="f.", where="comments"), {},
        "# Text: `f.`\nFound 0 lines in comments\n\n> No comment with this text.\n\n"
        "> Anywhere: `symindex grep -F f.`\n",
    ),
    "nothing in strings": (
        GrepRequest(pattern="f", where="strings"), {},
        "# Text: `f`\nFound 0 lines in strings\n\n> No string with this text.\n\n"
        "> Anywhere: `symindex grep -F f`\n",
    ),
    "most of its words": (
        None, {"files": TEXT_ROWS, "is_near": True},
        "# Text: `f`\nNo file contains this whole text. These places contain most of its words:\n\n"
        f"{SHOWN_TEXT}",
    ),
    "most of its words in code": (
        None, {"files": TEXT_ROWS, "near": rows_of(TextRow(line=1, column=1, text="g"), path="b.py"), "total": 13, "total_files": 1},
        "# Text: `f`\nFound 13 lines in 1 file\n\nOnly tests, copies and documents contain it; these "
        "places in code contain most of its words:\n\nb.py\n- 1: `g`\n\nThe whole text:\n\n"
        f"{SHOWN_TEXT}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TEXTS)
def test_text_in_files(case: str) -> None:
    request, fields, expected = TEXTS[case]
    assert grep(request, **fields) == expected


def test_a_long_text_is_cut_in_the_heading() -> None:
    assert grep(GrepRequest(pattern="f" * 200)).startswith(f"# Text: `{'f' * 200}`\n")
    assert grep(GrepRequest(pattern="f" * 201)).startswith(f"# Text: `{'f' * 200}…`\n")


def test_the_next_page_is_an_option_for_a_command() -> None:
    response = GrepResponse(
        request=GrepRequest(pattern="f"), files=TEXT_ROWS, total=2, total_files=1, at_least=2,
        has_more=True, pagination_id="T",
    )  # fmt: skip
    assert render_grep(response, spell=as_option).endswith(
        "Use `--pagination-id T` for next page.\n"
    )


def test_matches_are_marked_as_the_request_matches_them() -> None:
    for regex, ignore_case, expected in (
        (False, False, "<f.> F. fg"),
        (False, True, "<f.> <F.> fg"),
        (True, False, "<f.> F. <fg>"),
    ):
        mark = marker_of_text(GrepRequest(pattern="f.", regex=regex, ignore_case=ignore_case))
        assert mark("f. F. fg") == expected.replace("<", MARK).replace(">", MARK)


def related(name: str, line: int = 3, path: str = "a.py", **more: Any) -> RelatedItem:
    kind = "" if not path else "class"
    return RelatedItem(name=name, kind=kind, file_path=path, line=line, **more)


CART = related("Cart.add", id="a.py#Cart.add~2")


def hierarchy(request: HierarchyRequest | None = None, **more: Any) -> str:
    fields: dict[str, Any] = {
        "request": request or HierarchyRequest(symbol="add"), "symbol": CART, "items": [],
        "outside": [],
    }  # fmt: skip
    return render_hierarchy(HierarchyResponse(**(fields | more)))


SUBTYPES = "# Subtypes: `a.py#Cart.add~2`\n\n"
PLACE = related("B.f", path="", at="b.py:4", text="  x = add ")
PLACES = [PLACE, PLACE, PLACE, PLACE]
PLACE_ROW = "- `B.f` `b.py:4`: `x = add`\n"
CALLERS = HierarchyRequest(symbol="add", direction="callers")
NAMES = [f"n{number}" for number in range(22)]
HIERARCHIES: dict[str, tuple[HierarchyRequest | None, dict[str, Any], str]] = {
    "a tree": (
        None,
        {"items": [related("A", items=[related("B", 1_200, "b.py"), related("C", path="", at="c.py:9")]), related("D", again=True)]},
        f"{SUBTYPES}- `A` class `a.py:3`\n  - `B` class `b.py:1200`\n  - `C` `c.py:9`\n- `D` class `a.py:3` (see above)\n",
    ),
    "rows that may mean others": (
        None, {"items": [related("A", others=1_002, is_unsure=True, items=[related("B", is_unsure=True, again=True)])]},
        f"{SUBTYPES}- `A` class `a.py:3` (or 1,002 more)\n  - `B` class `a.py:3` (may be another, see above)\n\n"
        "(or N more): that many other symbols have the name, and the name alone does not tell which one is meant.\n\n"
        "(may be another): the expression before the name may have any type, even one of a library.\n\n"
        "Rows below an uncertain row are as uncertain.\n",
    ),
    "only others": (
        None, {"items": [related("A", others=1, is_unsure=True)]},
        f"{SUBTYPES}- `A` class `a.py:3` (or 1 more)\n\n"
        "(or N more): that many other symbols have the name, and the name alone does not tell which one is meant.\n",
    ),
    "hidden rows keep the depth": (
        HierarchyRequest(symbol="add", depth=2, max_items=1), {"items": [related("A")], "hidden": 1_002},
        f"{SUBTYPES}- `A` class `a.py:3`\n- and 1,002 more: "
        "`symindex hierarchy --direction subtypes --depth 2 --max-items 1003 add`\n",
    ),
    "hidden rows of the usual depth": (
        CALLERS, {"items": [related("A")], "hidden": 1},
        "# Callers: `a.py#Cart.add~2`\n\n- `A` class `a.py:3`\n- and 1 more: "
        "`symindex hierarchy --direction callers --max-items 101 add`\n",
    ),
    "nothing": (None, {}, f"{SUBTYPES}Nothing inherits from it or overrides it.\n"),
    "nothing is known": (
        None, {"is_known": False},
        f"{SUBTYPES}Inheritance is not known for this language: search for the name, or list its references.\n",
    ),
    "nothing is related, and that is known": (
        HierarchyRequest(symbol="add", direction="supertypes"), {"is_known": True},
        "# Supertypes: `a.py#Cart.add~2`\n\nIt inherits from nothing in the workspace.\n",
    ),
    "several symbols": (
        None, {"symbol": None, "candidates": ["a.py#add", "b.py#add"], "notices": ["ask for one"]},
        "# Several symbols: `add`\n\n- `a.py#add`\n- `b.py#add`\n\n> ask for one\n",
    ),
    "no symbol": (None, {"symbol": None}, "# No symbol: `add`\n"),
    "a symbol that is defined elsewhere": (
        None, {"symbol": None, "items": [related("A")]}, "# Subtypes: `add`\n\n- `A` class `a.py:3`\n",
    ),
    "callers, and uses without a call": (
        CALLERS, {"items": [related("A")], "uncalled": NamedPlaces(total=1_001, first=[PLACE])},
        "# Callers: `a.py#Cart.add~2`\n\n- `A` class `a.py:3`\n\nUsed without being called: `b.py:4` and 1,000 more\n",
    ),
    "callers, and few uses without a call": (
        CALLERS, {"items": [related("A")], "uncalled": NamedPlaces(total=2, first=[PLACE, PLACE])},
        "# Callers: `a.py#Cart.add~2`\n\n- `A` class `a.py:3`\n\nUsed without being called: `b.py:4`, `b.py:4`\n",
    ),
    "no callers, but a use": (
        CALLERS, {"uncalled": NamedPlaces(total=1, first=[PLACE])},
        "# Callers: `a.py#Cart.add~2`\n\nNothing calls it by this name.\n\n"
        f"1 place uses it without calling it:\n{PLACE_ROW}",
    ),
    "no callers, but uses and places with the name": (
        CALLERS, {"uncalled": NamedPlaces(total=1_001, first=[PLACE]), "unsure": NamedPlaces(total=3, first=[PLACE])},
        "# Callers: `a.py#Cart.add~2`\n\nNothing calls it by this name.\n\n"
        f"1,001 places use it without calling it:\n{PLACE_ROW}"
        "- and 1,000 more: `symindex refs 'a.py#Cart.add~2'`\n\n"
        f"3 places have this name, but may mean another symbol:\n{PLACE_ROW}- and 2 more: `symindex refs add`\n",
    ),
    "no certain callers, but a place with the name": (
        CALLERS, {"unsure": NamedPlaces(total=1, first=[PLACE])},
        f"# Callers: `a.py#Cart.add~2`\n\n1 place has this name, but may mean another symbol:\n{PLACE_ROW}",
    ),
    "places that may inherit": (
        None, {"may_inherit": PLACES[:3]},
        f"{SUBTYPES}Nothing certainly inherits from it. 3 places with its name may:\n\n{PLACE_ROW * 3}",
    ),
    "one place more that may inherit": (
        None, {"may_inherit": PLACES},
        f"{SUBTYPES}Nothing certainly inherits from it. 4 places with its name may:\n\n{PLACE_ROW * 3}- and 1 more\n",
    ),
    "a file of tests by its name": (
        HierarchyRequest(symbol="add", direction="tests"), {"items": [related("test_a.py", is_by_name=True)]},
        "# Tests: `a.py#Cart.add~2`\n\nNo test uses it by this name. A file of tests is named after its file or type:\n\n- `test_a.py`\n",
    ),
    "files of tests by their names": (
        HierarchyRequest(symbol="add", direction="tests"), {"items": [related(name, is_by_name=True) for name in ("t", "u")]},
        "# Tests: `a.py#Cart.add~2`\n\nNo test uses it by this name. 2 files of tests are named after its file or type:\n\n- `t`\n- `u`\n",
    ),
    "tests, and one by its name": (
        HierarchyRequest(symbol="add", direction="tests"), {"items": [related("t"), related("u", is_by_name=True)]},
        "# Tests: `a.py#Cart.add~2`\n\n- `t` class `a.py:3`\n- `u` class `a.py:3` (by its name)\n",
    ),
    "names that may mean several": (
        HierarchyRequest(symbol="add", direction="callees"), {"unclear": {"f": 2, "g": 1}, "outside": NAMES[:20]},
        "# Callees: `a.py#Cart.add~2`\n\nIt calls nothing in the workspace.\n\n"
        "Unclear which symbol is meant, or whether it is from a library: `f` (2 symbols), `g` (1 symbol)\n\n"
        f"Not defined here: {', '.join(f'`{name}`' for name in NAMES[:20])}\n",
    ),
    "more outside names than are listed": (
        None, {"items": [related("A")], "outside": NAMES},
        f"{SUBTYPES}- `A` class `a.py:3`\n\nNot defined here: {', '.join(f'`{name}`' for name in NAMES[:20])} and 2 others\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HIERARCHIES)
def test_hierarchies(case: str) -> None:
    request, fields, expected = HIERARCHIES[case]
    assert hierarchy(request, **fields) == expected


def test_a_hierarchy_for_programs_has_only_symbols_with_a_place_and_each_once() -> None:
    items = [related("A", items=[related("B", 4, others=2), related("C", path="", at="c.py:9", items=[related("D", 9)])]), related("E", again=True), related("F", is_unsure=True)]  # fmt: skip
    assert hierarchy_lines(items) == (
        "a.py:3: class A\na.py:4: class B (or 2 more)\na.py:9: class D\n"
        "a.py:3: class F (may be another)\n"
    )
