"""References in Scala are bound by packages, imports and declared types."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "src/shop/Item.scala": "package shop\nclass Item { def add() = {} }\n",
    "src/shop/Cart.scala": (
        "package shop\nclass Cart(val item: Item, first: Item) extends Base[Item] with Runnable {\n"
        "  val head = first\n  def add() = {}\n  def one: Item = item\n  def its = item\n"
        "}\nobject Cart { def make(): Cart = ???\n class In { def add() = {} } }\n"
        "case class Got(it: Item) { def add() = {} }\n"
    ),
    "src/shop/Base.scala": "package shop\ntrait Base[T <: Item] {\n  def kept: T\n  def up() = {}\n}\n",
    "src/shop/only.scala": (
        "package shop\nobject Only extends Base[Item] { def add() = {} }\n"
        "object Tools { implicit class More(x: Item) { def more() = {} } }\n"
    ),
    "src/shop/Hues.scala": "package shop\nobject Hues {\n  case object Red\n  val Blue = 1\n}\n",
    "src/other/Cart.scala": "package other\nclass Cart { def up() = {} }\n",
}

ITEM, CART = "src/shop/Item.scala#Item.add", "src/shop/Cart.scala#Cart.add"
UP, GOT = "src/shop/Base.scala#Base.up", "src/shop/Cart.scala#Got.add"
INNER, ONLY = "src/shop/Cart.scala#Cart.In.add", "src/shop/only.scala#Only.add"
RED, BLUE = "src/shop/Hues.scala#Hues.Red", "src/shop/Hues.scala#Hues.Blue"
MORE = "src/shop/only.scala#Tools.More.more"

CASES: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    # by name: the head of the file, the body of a method in line 3, and the uses of each symbol
    "an import": ("import shop.Item", "val x = new Item; x.add()", {ITEM: ["3"], CART: []}),
    "another name": ("import shop.{Item => I}", "val x: I = c; x.add()", {ITEM: ["3"], CART: []}),
    "another name as": ("import shop.{Item as I}", "new I().add()", {ITEM: ["3"], CART: []}),
    "a star import": ("import shop._", "val x: Cart = c; x.add()", {CART: ["3"], ITEM: []}),
    "selected": ("import shop.{Cart, Item}", "f { (x: Cart) => x.add() }", {CART: ["3"], ITEM: []}),
    "of another package": ("import other.Cart", "val x = new Cart; x.up()", {UP: []}),
    "of a library": ("import lib.Cart", "val x = new Cart; x.add()", {CART: [], ITEM: []}),
    "an object around": ("import shop._; import Cart._", "val x: In = c; x.add()", {INNER: ["3?"]}),
    "an object's member": ("import shop.Cart.make", "make().add()", {CART: ["3"], ITEM: []}),
    "an object": ("import shop.Only", "Only.add(); Only.up()", {ONLY: ["3"], UP: ["3"], CART: []}),
    "a companion": ("import shop.Cart", "Cart.make().add()", {CART: ["3"], ITEM: []}),
    "a case class": (
        "import shop.Got", "Got(x).add(); Got(x).it.add(); Got(x).copy(y).add()",
        {GOT: ["3", "3"], ITEM: ["3"]},
    ),
    "a parameter of a class": (
        "import shop.Cart", "val x: Cart = c; x.item.add(); x.head.add()", {ITEM: ["3", "3"]},
    ),
    "results": ("import shop.Cart", "val x: Cart = c; x.one.add(); x.its.add()", {ITEM: ["3", "3"]}),
    "a type parameter": ("import shop.Cart", "val x: Cart = c; x.kept.add()", {ITEM: ["3"]}),
    "an inherited method": ("import shop.Cart", "val x: Cart = c; x.up()", {UP: ["3"]}),
    "a pattern": ("import shop._", "y match { case x: Item => x.add() }", {ITEM: ["3"], CART: []}),
    "an unknown pattern": ("import shop._", "y match { case Some(x) => x.add() }", {ITEM: ["3?"]}),
    "a stable pattern": (
        "import shop.Hues._", "x match { case Red => 1; case Some(Blue) => 2; case (Red, y) => 3 }",
        {RED: ["3", "3"], BLUE: ["3"]},
    ),
    "a member of an object's supertype": (
        "import shop._", "val x = new Cart { override def add() = super.add(); this.up() }",
        {CART: ["3"], UP: ["3"], ITEM: []},
    ),
    "the supertype of a type without a name": (
        "import shop._", "val x = new Item { override def add() = super.add() }", {ITEM: ["3"], CART: []},
    ),
    "a loop": ("import shop._", "for (x <- y) x.add()", {ITEM: ["3?"], CART: ["3?"]}),
    "a conversion": ("import shop._; import Tools._", "val x: Item = c; x.more()", {MORE: ["3?"]}),
    "elements": (
        "import shop._", "val x: List[Item] = c; x.add(); x.head.add()", {ITEM: ["3?"]},
    ),
    "an own value": ("import shop._", "own.add(); this.own.add()", {ITEM: ["3", "3"], CART: []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    head, body, expected = CASES[name]
    code = f"package user; {head}\nclass Use {{ private val own: shop.Item = c\n def f() = {{ {body} }} }}\n"
    tree = make_workspace({**BASE, "src/user/Use.scala": code})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if "Use.scala" in line]
        assert found == [f"src/user/Use.scala:{line}" for line in lines], symbol


def test_packages_are_declared_one_inside_the_other(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "src/shop/in/Use.scala": "package shop\npackage in\nclass Part { def add() = {} }\n",
        "src/user/Use.scala": "package user\nimport shop.in.Part\nobject Use { def f(x: Part) = x.add() }\n",
    })  # fmt: skip
    assert bound_lines(tree, "src/shop/in/Use.scala#Part.add") == ["src/user/Use.scala:3"]
    assert bound_lines(tree, CART) == []


def test_a_value_of_a_trait_may_be_of_an_object(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.scala": "package p\ntrait Top { def go() }\nobject Low extends Top { def go() = {} }\n",
        "b.scala": "package p\nclass Use { def f(x: Top) = x.go() }\n",
    })  # fmt: skip
    assert bound_lines(tree, "a.scala#Low.go") == ["b.scala:2?"]
    assert bound_lines(tree, "a.scala#Top.go") == ["b.scala:2"]


def test_bases_are_bound(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "src/user/Use.scala": (
            "package user\nimport shop.{Base => B, Item}\nclass Use extends Cart with B[Item]\n"
            "class Cart\nobject It extends Cart\n"
            "object Out {\n sealed trait Mode\n object Mode { case object On extends Mode }\n}\n"
        ),
    })  # fmt: skip
    below = tree.hierarchy("src/shop/Base.scala#Base", direction="subtypes")
    assert sorted(item.name for item in below.items) == ["Cart", "Only", "Use"]
    below = tree.hierarchy("src/user/Use.scala#Cart", direction="subtypes")
    assert sorted(item.name for item in below.items) == ["It", "Use"]
    modes = tree.hierarchy("src/user/Use.scala#Out.Mode.On", direction="supertypes").items
    assert [(item.name, item.is_unsure) for item in modes] == [("Out.Mode", False)]
    assert not tree.hierarchy("src/shop/Item.scala#Item", direction="subtypes").items
    above = tree.hierarchy("src/shop/Cart.scala#Cart", direction="supertypes")
    assert [item.name for item in above.items] == ["Base"]


def test_a_value_is_converted_by_a_member(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.scala": (
            "trait Handle { def go(): Unit }\nclass Entry extends Handle { def go(): Unit = () }\n"
            "class Other { def go(): Unit = () }\n"
        ),
        "b.scala": (
            "class Use(x: java.util.ArrayDeque[AnyRef]) {\n  def a() = x.pop().asInstanceOf[Handle].go()\n"
            "  val h = x.pop().asInstanceOf[Handle]\n  def b() = h.go()\n"
            "  def c() = x.asInstanceOf[Other].go()\n  def d() = x.asInstanceOf[Lib].go()\n}\n"
        ),
    })  # fmt: skip
    assert bound_lines(tree, "a.scala#Handle.go") == ["b.scala:2", "b.scala:4"]
    assert bound_lines(tree, "a.scala#Entry.go") == ["b.scala:2?", "b.scala:4?"]
    assert bound_lines(tree, "a.scala#Other.go") == ["b.scala:5"]


def test_a_supertype_is_behind_its_subtypes(make_workspace: Maker) -> None:
    """The base that is named first has no member that one behind it overrides."""
    code = (
        "trait One { def run() = 1 }\ntrait Two extends One { override def run() = 2 }\n"
        "class Both extends One with Two { def go() = super.run() }\n"
        "object Use { val x = new Both; x.run() }\n"
    )
    tree = make_workspace({"a.scala": code})
    assert bound_lines(tree, "a.scala#One.run") == []
    assert bound_lines(tree, "a.scala#Two.run") == ["a.scala:3", "a.scala:4"]


def test_a_parameter_may_be_the_whole_body(make_workspace: Maker) -> None:
    """The result is no default of the parameter."""
    use = (
        "class C {\n  def plain(top: Int): Int = top\n  def two(a: Int)(top: Int): Int = top + a\n"
        "  def none = top\n}\n"
    )
    tree = make_workspace({"a.scala": "val top = 3\n", "b.scala": use})
    assert bound_lines(tree, "a.scala#top") == ["b.scala:4"]


def test_super_is_what_is_mixed_in_last(make_workspace: Maker) -> None:
    code = (
        "class A { def run(): Int = 1 }\ntrait B { def run(): Int = 2 }\n"
        "trait C extends B { override def run(): Int = 3 }\n"
        "class D extends A with B { override def run(): Int = {\n  super.run()\n  super[A].run()\n} }\n"
        "class E extends D with C { override def run(): Int = {\n  super.run()\n} }\n"
    )
    tree = make_workspace({"a.scala": code})
    assert bound_lines(tree, "a.scala#A.run") == ["a.scala:6"]
    assert bound_lines(tree, "a.scala#B.run") == ["a.scala:5"]
    assert bound_lines(tree, "a.scala#C.run") == ["a.scala:9"]
    assert bound_lines(tree, "a.scala#D.run") == []


def test_an_import_of_all_names_counts_in_the_code_around_it(make_workspace: Maker) -> None:
    code = (
        "package p\nobject Shop { def run() = 1 }\nclass User {\n"
        "  def here() = {\n    import Shop._\n    run()\n  }\n  def there() = {\n    run()\n  }\n}\n"
        "class Whole {\n  import Shop._\n  def here() = run()\n}\n"
    )
    tree = make_workspace({"a.scala": code})
    assert bound_lines(tree, "a.scala#Shop.run") == ["a.scala:6", "a.scala:9?", "a.scala:14"]
