"""An answer is not "none" while code contains the name: bare names, functions passed as values,
other languages of a family, chains in macros, titles of tests."""

import pytest

from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.hierarchy import Direction
from symindex.render.hierarchy import render_hierarchy
from tests.support.files import Maker

RUBY = (
    "class Poller\n  def start\n    initial_wait\n    heart = 1\n    heart\n  end\n\n  def late\n"
    "    Thread.new(&method(:handed))\n    send(:pulse)\n  end\n\n"
    "  def initial_wait\n  end\n\n  def heart\n  end\n\n  def handed\n  end\n\n  def pulse\n  end\n\n"
    "  def given(initial_wait)\n    initial_wait\n  end\nend\n"
)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "callers", "uncalled"),
    [
        ("initial_wait", ["Poller.start"], 0),
        ("heart", [], 0),
        ("handed", [], 1),
        ("pulse", [], 1),
    ],
)
def test_a_bare_name_of_ruby_is_a_call_unless_it_is_a_variable(
    make_workspace: Maker, name: str, callers: list[str], uncalled: int
) -> None:
    hierarchy = make_workspace({"lib/poller.rb": RUBY}).hierarchy(
        f"Poller.{name}", direction="callers"
    )
    assert [item.name for item in hierarchy.items] == callers
    assert (hierarchy.uncalled.total if hierarchy.uncalled else 0) == uncalled


@pytest.mark.nightly
def test_a_function_that_is_handed_over_is_reported(make_workspace: Maker) -> None:
    tree = make_workspace(
        {"a.go": "package a\n\nfunc redirect() {}\n\nfunc serve() { handle(redirect) }\n"}
    )
    hierarchy = tree.hierarchy("redirect", direction="callers")
    assert (
        not hierarchy.items
        and hierarchy.uncalled is not None
        and [place.name for place in hierarchy.uncalled.first] == ["serve"]
    )
    assert "1 place uses it without calling it:\n- `serve` `a.go:5`" in render_hierarchy(hierarchy)


@pytest.mark.nightly
def test_functions_passed_as_values_are_reported_next_to_callers(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "a.go": "package a\n\nfunc redirect() {}\n\nfunc one() { redirect() }\n\nfunc two() { go(redirect) }\n"
        }
    )
    page = render_hierarchy(tree.hierarchy("redirect", direction="callers"))
    assert "`one` function" in page and "Used without being called: `a.go:7`" in page


@pytest.mark.parametrize("direction", ["callers", "tests"])
def test_an_empty_answer_names_places_of_the_name(
    make_workspace: Maker, direction: Direction
) -> None:
    lines = "".join(
        f"def test_{number}(x):\n    helper.Other.total(x)\n\n\n" for number in range(5)
    )
    tree = make_workspace({
        "a/cart.py": "class Cart:\n    def total(self):\n        pass\n",
        "b/other.py": "class Other:\n    def total(self):\n        pass\n",
        "tests/test_other.py": f"from b import other as helper\n\n\n{lines}",
    })  # fmt: skip
    hierarchy = tree.hierarchy("Cart.total", direction=direction)
    page = render_hierarchy(hierarchy)
    assert (
        not hierarchy.items
        and hierarchy.unsure is not None
        and (hierarchy.unsure.total, len(hierarchy.unsure.first)) == (5, 3)
    )
    assert (
        "5 places have this name, but may mean another symbol:" in page
        and "by this name" not in page
    )
    assert "- and 2 more: `symindex refs total`" in page


@pytest.mark.nightly
def test_a_name_in_no_code_has_certainly_no_uses(make_workspace: Maker) -> None:
    tree = make_workspace({"a.py": "def alone():\n    pass\n"})
    assert "Nothing calls it by this name." in render_hierarchy(
        tree.hierarchy("alone", direction="callers")
    )
    assert "No test uses it by this name." in render_hierarchy(
        tree.hierarchy("alone", direction="tests")
    )


@pytest.mark.nightly
def test_a_name_in_a_language_of_another_family_is_reported(make_workspace: Maker) -> None:
    tree = make_workspace({"a.py": "def alone():\n    pass\n", "b.js": "alone();\n"})
    hierarchy = tree.hierarchy("alone", direction="callers")
    assert (
        not hierarchy.items
        and hierarchy.unsure is not None
        and hierarchy.unsure.first[0].at == "b.js:1"
    )


@pytest.mark.nightly
def test_references_in_other_roles_are_not_reported_as_none(make_workspace: Maker) -> None:
    from symindex.render.references import render_references

    tree = make_workspace(
        {"a.go": "package a\n\nfunc redirect() {}\n\nfunc serve() { handle(redirect) }\n"}
    )
    assert "No reference has that role; left out: 1 definition, 1 read" in render_references(
        tree.references(ReferencesRequest(name="a.go#redirect", role="call"))
    )


FAMILIES: list[tuple[dict[str, str | bytes], str, list[str]]] = [
    (
        {"K.kt": "class Types {\n  fun rawType() {}\n}\n", "T.java": "class T { void go(Types types) { types.rawType(); } }\n"},
        "Types.rawType",
        ["T.go"],
    ),
    (
        {"J.java": "class Jobs { void runAll() {} }\n", "K.kt": "fun go(jobs: Jobs) { jobs.runAll() }\n"},
        "Jobs.runAll",
        ["go"],
    ),
    (
        {"a.js": "export function drawAll() {}\n", "b.tsx": 'import { drawAll } from "./a";\nfunction go() { drawAll(); }\n'},
        "drawAll",
        ["go"],
    ),
    ({"a.c": "void draw_all(void) {}\n", "b.mm": "void go(void) { draw_all(); }\n"}, "draw_all", ["go"]),
    (
        {"src/lib.rs": "pub struct Color;\nimpl Color {\n    pub fn black() -> Color { Color }\n"
                       "    pub fn ratio(&self) -> u8 { 1 }\n}\n"
                       "fn check() {\n    assert_eq!(1, Color::black().ratio());\n}\n"},
        "Color.ratio",
        ["check"],
    ),
    (
        {"os.h": "void create_dir(const char *path);\n", "os.cpp": 'void create_dir(const char *path) {}\n',
         "test.cpp": 'void other() {}\nTEST_CASE("create_dir", "[x]") {\n    create_dir("a");\n}\n'
                     'TEST_CASE("again") {\n    create_dir("a");\n}\n'},
        "os.cpp#create_dir",
        ["again", "create_dir"],
    ),
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize(("files", "symbol", "callers"), FAMILIES)
def test_callers_that_were_lost(
    make_workspace: Maker, files: dict[str, str | bytes], symbol: str, callers: list[str]
) -> None:
    assert (
        sorted(
            item.name for item in make_workspace(files).hierarchy(symbol, direction="callers").items
        )
        == callers
    )
