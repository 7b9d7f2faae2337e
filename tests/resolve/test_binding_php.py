"""References in PHP are bound by namespaces, imports, declared types and values."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "src/Item.php": "<?php\nnamespace App\\Shop;\nclass Item { public function add() {} }\n",
    "src/Cart.php": (
        "<?php\nnamespace App\\Shop;\nclass Cart extends Base {\n  public Item $item;\n"
        "  private $kept;\n"
        "  public function __construct(private Item $made, Item $given) {\n"
        "    $this->kept = $given;\n    $this->new = new Item();\n  }\n"
        "  public function add() {}\n  public static function make(): static {}\n"
        "  public function all() {\n    $this->made->add();\n    $this->kept->add();\n"
        "    $this->new->add();\n    $this->add();\n    $this->item->add();\n  }\n}\n"
    ),
    "src/Base.php": (
        "<?php\nnamespace App\\Shop;\nclass Base { use Lifts; }\n"
        "trait Lifts { public function up() {} }\n"
    ),
    "other/Cart.php": "<?php\nnamespace Other;\nclass Cart { public function up() {} }\n",
}

ITEM, CART, UP = (
    "src/Item.php#App.Shop.Item.add",
    "src/Cart.php#App.Shop.Cart.add",
    "src/Base.php#App.Shop.Lifts.up",
)

CASES: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    # by name: the head of the file, the body of a function in line 4, and the uses of each symbol
    "an import": ("use App\\Shop\\Item;", "$x = new Item(); $x->add();", {ITEM: ["4"], CART: []}),
    "another name": ("use App\\Shop\\Cart as C;", "$x = new C; $x->add();", {ITEM: [], CART: ["4"]}),
    "a group": (
        "use App\\Shop\\{Cart, Item as I};", "$x = new I; $x->add();", {ITEM: ["4"], CART: []},
    ),
    "a namespace": ("use App\\Shop as S;", "(new S\\Item)->add();", {ITEM: ["4"], CART: []}),
    "a whole name": ("", "$x = new \\App\\Shop\\Item(); $x->add();", {ITEM: ["4"], CART: []}),
    "a library": ("use Lib\\Cart;", "$x = new Cart; $x->add();", {ITEM: [], CART: []}),
    "a static result": ("use App\\Shop\\Cart;", "Cart::make()->add();", {ITEM: [], CART: ["4"]}),
    "a property": ("use App\\Shop\\Cart;", "$x = new Cart(); $x->item->add();", {ITEM: ["4"]}),
    "a member of a trait": ("use App\\Shop\\Cart;", "$x = new Cart(); $x->up();", {UP: ["4"]}),
    "another type": ("use Other\\Cart;", "$x = new Cart(); $x->up();", {UP: []}),
    "a parameter": ("use App\\Shop\\Cart;", "$p->add();", {ITEM: ["4?"], CART: ["4?"]}),
    "a typed parameter": ("use App\\Shop\\Item;", "$t->add();", {ITEM: ["4"], CART: []}),
    "a loop": ("", "foreach ($a as $x) { $x->add(); }", {ITEM: ["4?"], CART: ["4?"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    head, body, expected = CASES[name]
    code = f"<?php\nnamespace User;\n{head}\nfunction f($p, ?Item $t) {{ {body} }}\n"
    tree = make_workspace({**BASE, "src/Use.php": code})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if "Use.php" in line]
        assert found == [f"src/Use.php:{line}" for line in lines], symbol


def test_members_have_declared_types_and_those_of_what_they_get(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    assert bound_lines(tree, ITEM) == [f"src/Cart.php:{line}" for line in (13, 14, 15, 17)]
    assert bound_lines(tree, CART) == ["src/Cart.php:16"]


def test_names_of_a_namespace_are_seen_without_an_import(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "src/Use.php": "<?php\nnamespace App\\Shop;\nfunction f() { (new Item)->add(); }\n",
        "src/Top.php": "<?php\nfunction f() { (new Item)->add(); }\n",
    })  # fmt: skip
    lines = bound_lines(tree, ITEM)
    assert "src/Use.php:3" in lines and "src/Top.php:2" not in lines


def test_traits_and_interfaces_are_bases(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    below = tree.hierarchy("src/Base.php#App.Shop.Base", direction="subtypes")
    assert [item.name for item in below.items] == ["App.Shop.Cart"]
