"""References in C# are bound by namespaces, `using` and declared types."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "Shop/Item.cs": "namespace App.Shop { public class Item { public void Add() {} } }\n",
    "Shop/Cart.cs": (
        "namespace App.Shop;\npublic partial class Cart : Base<Item>, ICart {\n"
        "  public Item Item { get; set; }\n  public void Add() {}\n"
        "  public static Cart Make() => null;\n}\n"
    ),
    "Shop/CartParts.cs": (
        "namespace App.Shop;\npublic partial class Cart {\n  private Item kept = new Item();\n"
        "  void All() { kept.Add(); this.kept.Add(); above.Add(); Item.Add(); }\n}\n"
    ),
    "Shop/Base.cs": (
        "namespace App.Shop;\npublic class Base<T> { protected Item above; public void Up() {} }\n"
        "public interface ICart {}\npublic enum Hue { Red }\n"
    ),
    "Other/Cart.cs": "namespace Other { public class Cart { public void Up() {} } }\n",
}

ITEM, CART, UP = (
    "Shop/Item.cs#App.Shop.Item.Add",
    "Shop/Cart.cs#App.Shop.Cart.Add",
    "Shop/Base.cs#App.Shop.Base.Up",
)

CASES: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    # by name: the head of the file, the body of a method in line 3, and the uses of each symbol
    "using": ("using App.Shop;", "Item x = null; x.Add();", {ITEM: ["3"], CART: []}),
    "another name": ("using C = App.Shop.Cart;", "C x = null; x.Add();", {ITEM: [], CART: ["3"]}),
    "static": ("using static App.Shop.Cart;", "Make().Add();", {ITEM: [], CART: ["3"]}),
    "another namespace": ("using Other;", "Cart x = null; x.Up();", {UP: []}),
    "var": ("using App.Shop;", "var x = new Item(); x.Add();", {ITEM: ["3"], CART: []}),
    "a result": ("using App.Shop;", "var x = Cart.Make(); x.Add();", {ITEM: [], CART: ["3"]}),
    "a property": ("using App.Shop;", "var x = new Cart(); x.Item.Add();", {ITEM: ["3"], CART: []}),
    "a conditional": ("using App.Shop;", "Cart x; x?.Item.Add();", {ITEM: ["3"], CART: []}),
    "an inherited method": ("using App.Shop;", "Cart x; x.Up();", {UP: ["3"]}),
    "a whole name": ("using Lib;", "new App.Shop.Item().Add();", {ITEM: ["3"], CART: []}),
    "a lambda": ("using App.Shop;", "Run(x => x.Add());", {ITEM: ["3?"], CART: ["3?"]}),
    "a loop": ("using App.Shop;", "foreach (Item x in l) x.Add();", {ITEM: ["3"], CART: []}),
    "an untyped loop": (
        "using App.Shop;", "foreach (var x in l) x.Add();", {ITEM: ["3?"], CART: ["3?"]},
    ),
    "a pattern": ("using App.Shop;", "if (o is Item x) x.Add();", {ITEM: ["3"], CART: []}),
    "an array": ("using App.Shop;", "Item[] x; x.Add();", {ITEM: [], CART: []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    head, body, expected = CASES[name]
    code = f"{head}\nnamespace User {{ class Use {{\n void F() {{ {body} }} }} }}\n"
    tree = make_workspace({**BASE, "User/Use.cs": code})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if "Use.cs" in line]
        assert found == [f"User/Use.cs:{line}" for line in lines], symbol


def test_parts_of_a_type_see_the_members_of_all_parts_and_bases(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    assert bound_lines(tree, ITEM) == ["Shop/CartParts.cs:4"] * 4
    assert bound_lines(tree, CART) == []


def test_names_of_the_namespaces_around_are_seen(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "Shop/In/Use.cs": "namespace App.Shop.In { class Use { void F(Cart c) { c.Add(); } } }\n",
    })  # fmt: skip
    assert "Shop/In/Use.cs:1" in bound_lines(tree, CART)
    assert "Shop/In/Use.cs:1" not in bound_lines(tree, ITEM)
