"""Tests of the comparison with a kept truth: verdicts of places, subtypes, and what is counted."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.bench.truth_compilers import compiled
from tests.bench.truth_data import Place, Symbol, TreeTruth, Truth, judge, named_places, subtype_at
from tests.bench.truth_elixir import Project
from tests.bench.truth_links import Heir, Link, Links, collect_links
from tests.bench.truth_ruby import Lines, links_of
from tests.bench.truth_rust import Doc, calls_of
from tests.bench.truth_rust import links_of as rust_links
from tests.bench.truth_table import Comparison, compare, fault_lines, receiver_kind, table

pytestmark = pytest.mark.nightly

SHOP = """class Cart:
    def add(self, item):
        return item


class Box:
    def add(self, item):
        return item


def fill(cart: Cart, box: Box):
    cart.add(1)
    box.add(2)
"""


def test_every_place_has_a_verdict() -> None:
    def place(line: int) -> Place:
        return "a.py", line, 1

    own, derived, use, other, comment, alias = map(place, range(1, 7))
    verdicts = judge(
        {own},
        {own, derived, use, alias},
        {
            own: [own],
            derived: [derived],
            use: [alias],
            other: [place(9)],
            comment: [],
            alias: [own],
        },
    )
    assert verdicts == {
        "own": [own, use, alias],
        "related": [derived],
        "other": [other],
        "unknown": [comment],
    }


def test_a_use_in_another_symbol_is_no_bridge_to_its_uses() -> None:
    """An embedded field is a use of its type; uses of the field are not."""
    field, use, type_place = ("a.go", 5, 2), ("a.go", 9, 3), ("a.go", 1, 6)
    found = judge({type_place}, {type_place, field}, {field: [type_place], use: [field]})
    assert found["own"] == [type_place, field] and found["other"] == [use]


def test_a_name_that_leads_to_a_listed_shorthand_is_a_use_where_the_server_stops_there() -> None:
    own, shorthand, use = ("lib.js", 1, 7), ("lib.js", 9, 3), ("use.js", 1, 9)
    definitions = {shorthand: [own], use: [shorthand]}
    assert judge({own}, {own, shorthand}, definitions)["other"] == [use]
    assert judge({own}, {own, shorthand}, definitions, follows=True)["own"] == [own, shorthand, use]


def test_names_are_whole_words() -> None:
    assert named_places("add", {"a.py": "add adder\n x.add", "b.py": "$add"}) == [
        ("a.py", 1, 1),
        ("a.py", 2, 4),
    ]


@pytest.mark.parametrize(
    ("text", "is_python", "name"),
    [
        ("class A(B, X", True, "A"),
        ("class A[T](B[T], m.X", True, "A"),
        ("class A(B[X", True, None),
        ("class A(metaclass=X", True, None),
        ("class A(B):\n    x = f(X", True, None),
        ("class A(B[C]):\n    def f() -> D[X", True, None),
        ("class A(f(B), X", True, "A"),
        ("/**\n * a class for: X", False, None),
        ("template <class T> class A : public X", False, "A"),
        ("export abstract class A extends X", False, "A"),
        ("class A<T> extends X", False, "A"),
        ("interface A extends B<C>, X", False, "A"),
        ("class A extends B implements C, X", False, "A"),
        ("class A : public X", False, "A"),
        ("class A<T extends X", False, None),
        ("class A extends B<X", False, None),
        ("class A { x: X", False, None),
        ("class A(X.B):", True, None),
        ("class A : public X::B {", False, None),
    ],
)
def test_a_base_is_told_from_other_uses(text: str, is_python: bool, name: str | None) -> None:
    found = subtype_at(text, text.rindex("X"), is_python)
    assert (None if found is None else text[found]) == name


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        ("        self.", "self"),
        ("$this->", "self"),
        ("x = cart.", "a name"),
        ("Cart.", "a capitalized name"),
        ("a.cart.", "a member"),
        ("make().", "a call"),
        ("rows[0].", "an element"),
        ("x = ", "none"),
        ("    ", "at the start of a line"),
    ],
)
def test_kinds_of_receivers(before: str, kind: str) -> None:
    assert receiver_kind(before) == kind


def test_right_wrong_and_missed_rows_are_counted(tmp_path: Path) -> None:
    """The truth of this test says that a row which we show unmarked is another symbol's, and that
    a use is in a comment."""
    (tmp_path / "shop.py").write_text(SHOP + "# add\n")
    right, wrong, missed = ("shop.py", 12, 10), ("shop.py", 1, 7), ("shop.py", 14, 3)
    cart = Symbol("shop.py#Cart", "Cart", "class", wrong, False, {"own": [wrong]}, subtypes=[])
    add = Symbol(
        "shop.py#Cart.add",
        "add",
        "method",
        ("shop.py", 2, 9),
        True,
        {"own": [("shop.py", 2, 9), right, missed], "other": [("shop.py", 13, 9)]},
    )
    cart.places = {"other": [("shop.py", 11, 16)]}
    comparison = Comparison()
    compare(Truth("Python", "none", [TreeTruth(str(tmp_path), [cart, add])]), comparison)
    of_add = comparison.tallies[add.half, "common", "all"]
    assert (of_add.uses, of_add.found, of_add.sure, of_add.right, of_add.wrong) == (2, 1, 1, 1, 0)
    of_cart = comparison.tallies[cart.half, "rare", "all"]
    assert (of_cart.uses, of_cart.right, of_cart.wrong) == (0, 0, 1)
    assert any("| common | all | 1 | 2 | 1.000" in row for row in table("P", comparison.tallies))
    shown = "\n".join(fault_lines(comparison.faults, 5))
    assert ("missed, receiver: none: 1" in shown) == (add.half == "seen")
    assert ("def fill(cart: Cart, box: Box):" in shown) == (cart.half == "seen")


CARTS = """class Base { void add() {} }
class Cart extends Base {
    record Item(int price) {}
    void add() { super.add(); }
    int cost(Item item, Missing other) { return item.price() + other.price(); }
    Base made() { return new Base() { void add() {} }; }
}
"""


@pytest.mark.skipif(shutil.which("java") is None, reason="needs a JDK")
def test_a_compiler_binds_names_without_dependencies(tmp_path: Path) -> None:
    (tmp_path / "Cart.java").write_text(CARTS)
    truth = compiled("Java", tmp_path, 20)
    symbols = {symbol.id.partition("#")[2]: symbol for symbol in truth.symbols}
    base, price = symbols["Base"], symbols["Cart.Item.price"]
    assert base.subtypes == [("Cart.java", 2), ("Cart.java", 6)]
    assert price.places["own"] == [("Cart.java", 3, 21), ("Cart.java", 5, 54)]
    assert price.places["unknown"] == [("Cart.java", 5, 70)]
    add = symbols["Base.add"]
    assert ("Cart.java", 4, 24) in add.places["own"]
    assert add.places["related"] == [("Cart.java", 4, 10), ("Cart.java", 6, 44)]


def test_links_say_what_places_mean(tmp_path: Path) -> None:
    """A link to an implementation is one to what it implements, too."""
    (tmp_path / "shop.rb").write_text(
        "class A\n  def add; end\nend\nclass B < A\n  def add; end\nend\nx.add\ny.add\nz.add\n"
    )
    links = [
        Link("shop.rb", 7, 3, "shop.rb", 5, 5),
        Link("shop.rb", 7, 3, "shop.rb", 2, 2, False),
        Link("shop.rb", 8, 3, "", 0, 0),
    ]
    known = Links(
        str(tmp_path), ["method", "class"], links, [Heir("shop.rb", 4, 4, "shop.rb", 1, 1)]
    )
    truth = collect_links("Ruby", known, 4)
    places = {symbol.id: symbol.places for symbol in truth.symbols}
    own, other = ("shop.rb", 7, 3), ("shop.rb", 8, 3)
    of_b = places["shop.rb#B.add"]
    assert (of_b["own"], of_b["other"]) == ([own], [other])
    assert ("shop.rb", 9, 3) in of_b["unknown"]
    of_a = next((one for one in truth.symbols if one.id == "shop.rb#A"), None)
    assert of_a is not None and of_a.subtypes == [("shop.rb", 4)]
    if "shop.rb#A.add" in places:
        assert places["shop.rb#A.add"]["related"] == [own]


def test_calls_of_a_run_are_found_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.rb").write_text("def add(x)\nend\nadd(1)\nadd(1) + add(2)\nfoo\n  .add(3)\n")
    calls: list[list[Any]] = [["a.rb", line, "add", "a.rb", 1, True, []] for line in (3, 4, 5)]
    found = [(link.line, link.column, link.is_exact) for link in links_of(Lines(tmp_path), calls)]
    assert found == [(3, 1, True), (6, 4, True)]


def test_events_of_a_compiler_are_found_by_their_columns(tmp_path: Path) -> None:
    (tmp_path / "a.ex").write_text(
        "defmodule A do\n  def add(x), do: x\n  alias B.C\n  def f(add), do: C.add(A.add(1))\n"
        "  add = 1\nend\n"
    )
    rows = [
        ["define", "a.ex", 1, "A", [["add", 1, "def", 2, ""]], ["A.Base"]],
        ["call", "a.ex", 4, 27, "A", "add", 1, "A"],
        ["call", "a.ex", 4, 19, "B.C", "add", 1, "A"],
        ["module", "a.ex", 4, 25, "A", "A"],
    ]
    links = [(link.line, link.column, link.to_path) for link in Project(tmp_path, rows).links()]
    assert links == [(4, 27, "a.ex"), (4, 21, ""), (4, 25, "a.ex"), (5, 3, "")]


def test_pages_and_spans_say_what_rust_means(tmp_path: Path) -> None:
    """The page links a call to the trait; the span says of which type it is called."""
    lines = [
        '<span class="kw">trait </span><a href="#1">T</a> { fn go(); }',
        "struct Ab; struct B;",
        'impl <a href="#1">T</a> <span class="kw">for </span><a href="#2">Ab</a> {',
        "  fn go() {}",
        "}",
        'fn f() { Ab::<a href="#1">go</a>(); V::<a href="#1">go</a>(); }',
    ]
    body = "\n".join(
        f"<a href=#{n} id={n} data-nosnippet>{n}</a>{line}" for n, line in enumerate(lines, 1)
    )
    page = tmp_path / "src/one/lib.rs.html"
    page.parent.mkdir(parents=True)
    page.write_text(
        f'Source of the Rust file `one/lib.rs`.<pre class="rust"><code>{body}</code></pre>'
    )
    spans = [
        "  // + span: one/lib.rs:6:10: 6:16",
        "  // + const_: Const { ty: fn(), val: Value(<Ab as T>::go) }",
        "  // + span: one/lib.rs:6:20: 6:25",
        "  // + const_: Const { ty: fn(), val: Value(<V as T>::go) }",
    ]
    mir = tmp_path / "one.mir"
    mir.write_text("\n".join(spans))
    doc = Doc(tmp_path)
    links, heirs = rust_links(doc, "one", calls_of(doc, [mir]))
    found = [(link.column, link.first, link.is_exact) for link in links if link.line == 6]
    assert found == [(14, 1, False), (14, 4, True), (23, 1, True)]
    assert heirs == [Heir("lib.rs", 2, 2, "lib.rs", 1, 1)]


@pytest.mark.parametrize("language", ["C#", "Scala"])
def test_rows_of_a_compiler_tell_overloads_apart(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compilers are not asked here; the other overload is another symbol."""
    lines = {
        "C#": ["class A {", "  void Go(int x) {}", "  void Go(A x) { Go(1); Go(x); }", "}"],
        "Scala": ["class A {", "  def Go(x: Int) = {}", "  def Go(x: A) { Go(1); Go(x); }", "}"],
    }[language]
    path = tmp_path / ("a.cs" if language == "C#" else "a.scala")
    path.write_text("\n".join(lines))
    one, two = ((number, lines[number - 1].index("Go") + 1) for number in (2, 3))
    calls = [(3, match.start() + 1) for match in re.finditer(r"Go\(", lines[2])][1:]
    meant = {one: one, two: two, calls[0]: one, calls[1]: two}
    rows = [
        "\t".join(["use", str(path), *map(str, place), str(path), *map(str, of)])
        for place, of in meant.items()
    ]
    monkeypatch.setattr("tests.bench.truth_compilers._rows", lambda *_: rows)
    truth = compiled(language, tmp_path, 20)
    places = {symbol.id.partition("#")[2]: symbol.places for symbol in truth.symbols}
    for name, own, other in (("A.Go", one, two), ("A.Go~2", two, one)):
        for verdict, place in (("own", own), ("other", other)):
            used = next(call for call in calls if meant[call] == place)
            assert {(path.name, *place), (path.name, *used)} == {*places[name][verdict]}
