"""Tests of the comparison with a kept truth: verdicts of places, subtypes, and what is counted."""

import shutil
from pathlib import Path

import pytest

from tests.bench.truth_compilers import compiled
from tests.bench.truth_data import Place, Symbol, TreeTruth, Truth, judge, named_places, subtype_at
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
