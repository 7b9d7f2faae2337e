"""References in Java are bound by packages, imports and declared types."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "src/shop/Item.java": "package shop;\npublic class Item { public void add() {} }\n",
    "src/shop/Cart.java": (
        "package shop;\npublic class Cart extends Base<Item> {\n  public Item item;\n"
        "  public void add() {}\n  public static Cart make() { return null; }\n"
        "  public Item item() { return null; }\n  public Cart self(Object... x) { return this; }\n"
        "  public static class In { public void add() {} }\n}\n"
    ),
    "src/shop/Base.java": "package shop;\nclass Base<T> {\n  Item kept;\n  public void up() {}\n}\n",
    "src/shop/Hue.java": "package shop;\npublic enum Hue { RED; public void add() {} }\n",
    "src/shop/Lamp.java": "package shop;\npublic enum Lamp { RED }\n",
    "src/shop/Made.java": (
        "package shop;\npublic class Made {\n  static final Made IT = null;\n  Made() {}\n"
        "  public void add() {}\n}\n"
    ),
    "src/other/Cart.java": "package other;\npublic class Cart { public void up() {} }\n",
}

ITEM, CART, UP = (
    "src/shop/Item.java#Item.add",
    "src/shop/Cart.java#Cart.add",
    "src/shop/Base.java#Base.up",
)
INNER, HUE = "src/shop/Cart.java#Cart.In.add", "src/shop/Hue.java#Hue.add"

LONG = '.self(new Object[] { 1, "a)b" }, new String())'
CASES: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    # by name: the head of the file, the body of a method in line 3, and the uses of each symbol
    "an import": ("import shop.Item;", "Item x = null; x.add();", {ITEM: ["3"], CART: []}),
    "of another package": ("import other.Cart;", "Cart x = null; x.up();", {UP: []}),
    "of a library": ("import lib.Cart;", "Cart x = null; x.add();", {CART: [], ITEM: []}),
    "a star import": ("import shop.*;", "Cart x = null; x.add();", {CART: ["3"], ITEM: []}),
    "a nested type": (
        "import shop.Cart;", "Cart.In x = null; x.add();", {INNER: ["3"], CART: [], ITEM: []},
    ),
    "an imported nested type": (
        "import shop.Cart.In;", "In x = null; x.add();", {INNER: ["3"], CART: []},
    ),
    "var": ("import shop.Item;", "var x = new Item(); x.add();", {ITEM: ["3"], CART: []}),
    "a result": ("import shop.Cart;", "var x = Cart.make(); x.add();", {ITEM: [], CART: ["3"]}),
    "a static import": (
        "import static shop.Cart.make;", "make().add();", {ITEM: [], CART: ["3"]},
    ),
    "static star": ("import static shop.Cart.*;", "make().add();", {ITEM: [], CART: ["3"]}),
    "a field of a field": (
        "import shop.Cart;", "Cart x = null; x.item.add(); x.item().add();",
        {ITEM: ["3", "3"], CART: []},
    ),
    "an inherited field": ("import shop.Cart;", "Cart x; x.kept.add();", {ITEM: ["3"], CART: []}),
    "an inherited method": ("import shop.Cart;", "Cart x; x.up();", {UP: ["3"]}),
    "a whole name": ("", "new shop.Item().add();", {ITEM: ["3"], CART: []}),
    "an enum member": ("import shop.Hue;", "Hue.RED.add();", {HUE: ["3"], CART: []}),
    "a value of an enumeration": (
        "import shop.Hue;", 'Hue.valueOf("RED").add();', {HUE: ["3"], CART: []},
    ),
    "a type as a value": ("import shop.Cart;", "Cart.class.add();", {CART: [], ITEM: []}),
    "elements": ("import shop.*;", "Item[] x = null; x.add();", {ITEM: [], CART: []}),
    "a loop": ("import shop.*;", "for (Item x : y) { x.add(); }", {ITEM: ["3"], CART: []}),
    "a lambda": ("import shop.*;", "run(x -> x.add());", {ITEM: ["3?"], CART: ["3?"]}),
    "a constant after case": (
        "import shop.*;", "Hue x; switch (x) { case RED: x.add(); } switch (x) { case RED -> {} }",
        {"src/shop/Hue.java#Hue.RED": ["3", "3"], "src/shop/Lamp.java#Lamp.RED": []},
    ),
    "a long chain": (
        "import shop.Cart;", f"Cart.make(){LONG * 9}.add();",
        {CART: ["3"], ITEM: []},
    ),
    "a shadowed field": (
        "import shop.*;", "run(own -> own.add());", {ITEM: ["3?"], CART: ["3?"]},
    ),
    "an argument of a library's type": (
        "import shop.*; import lib.Box;", "Box<Item> x = null; x.add(); x.get().add();",
        {ITEM: ["3?"], CART: ["3?"]},
    ),
    "a type with a constructor": (
        "import shop.Made;", "Made.IT.add();",
        {"src/shop/Made.java#Made.add": ["3"], CART: []},
    ),
    "an own field": ("import shop.*;", "own.add(); this.own.add();", {ITEM: ["3", "3"], CART: []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    head, body, expected = CASES[name]
    code = f"package user; {head}\nclass Use {{ private shop.Item own;\n void f() {{ {body} }} }}\n"
    tree = make_workspace({**BASE, "src/user/Use.java": code})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if "Use.java" in line]
        assert found == [f"src/user/Use.java:{line}" for line in lines], symbol


def test_names_of_the_package_are_seen_in_all_its_folders(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "test/shop/Use.java": "package shop;\nclass Use { void f(Cart c) { c.add(); new Item().add(); } }\n",
        "test/other/Use.java": "package other;\nclass Use { void f(Cart c) { c.add(); } }\n",
    })  # fmt: skip
    assert bound_lines(tree, CART) == ["test/shop/Use.java:2"]
    assert bound_lines(tree, ITEM) == ["test/shop/Use.java:2"]


def test_inherited_fields_are_receivers_without_this(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "src/user/Use.java": "package user;\nimport shop.Base;\nclass Use extends Base<Cart> { void f() { kept.add(); } }\n",
    })  # fmt: skip
    assert bound_lines(tree, ITEM) == ["src/user/Use.java:3"]
    assert bound_lines(tree, CART) == []


def test_an_argument_of_a_base_is_no_base(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    hierarchy = tree.hierarchy("src/shop/Item.java#Item", direction="subtypes")
    assert not hierarchy.items
    above = tree.hierarchy("src/shop/Cart.java#Cart", direction="supertypes")
    assert [item.name for item in above.items] == ["Base"]


CASTS = (
    "package shop;\nclass Use {\n  void add() {}\n  void casts(Object o) {\n"
    "    ((Item) o).add();\n"
    "    var v = (Item) o;\n    v.add();\n"
    "    ((Use) o).add();\n"
    "    switch (o) { case Item w -> w.add(); default -> {} }\n"
    "    ((Item) ((Use) o)).add();\n  }\n}\n"
)


def test_a_cast_tells_the_type_of_a_value(make_workspace: Maker) -> None:
    tree = make_workspace({**BASE, "src/shop/Use.java": CASTS})
    own = [line for line in bound_lines(tree, ITEM) if "Use" in line]
    assert own == [f"src/shop/Use.java:{line}" for line in (5, 7, 9, 10)]
    assert bound_lines(tree, "src/shop/Use.java#Use.add") == ["src/shop/Use.java:8"]


LOCAL = (
    "package shop;\nclass Use {\n"
    "  void one() {\n    class Local { void add() {} }\n    Local x = new Local();\n    x.add();\n  }\n"
    "  void two() {\n    class Local { void add() {} }\n    Local x = new Local();\n    x.add();\n  }\n}\n"
)


def test_types_of_one_name_in_different_methods_differ(make_workspace: Maker) -> None:
    tree = make_workspace({"src/shop/Use.java": LOCAL})
    assert bound_lines(tree, "src/shop/Use.java#Use.one.Local.add") == ["src/shop/Use.java:6"]
    assert bound_lines(tree, "src/shop/Use.java#Use.two.Local.add") == ["src/shop/Use.java:11"]


UNNAMED = (
    "package shop;\nclass Use {\n  void add() {}\n  void once() {}\n"
    "  void one() {\n    new Item() {\n"
    "      void run() {\n        this.add();\n        add();\n        once();\n        super.add();\n      }\n    };\n  }\n"
    "  void two() {\n    new Runnable() {\n      void add() {}\n"
    "      public void run() {\n        this.add();\n        add();\n        once();\n      }\n    };\n  }\n"
    "  void three() {\n    new Item() {\n      void run() {\n"
    "        class Inner {\n          void add() {}\n          void in() { this.add(); add(); }\n        }\n"
    "      }\n    };\n  }\n}\n"
)


def test_a_type_without_a_name_is_around_its_own_code(make_workspace: Maker) -> None:
    tree = make_workspace({**BASE, "src/shop/Use.java": UNNAMED})
    at = "src/shop/Use.java:"
    assert [x for x in bound_lines(tree, ITEM) if "Use" in x] == [f"{at}{n}" for n in (8, 9, 11)]
    assert bound_lines(tree, "src/shop/Use.java#Use.add") == []
    # what another type may define is doubtful
    assert bound_lines(tree, "src/shop/Use.java#Use.once") == [f"{at}10", f"{at}21?"]
    inner = "src/shop/Use.java#Use.three.run.Inner.add"
    assert {*bound_lines(tree, inner)} == {f"{at}30"}


OVERLOADS = {
    "src/shop/Bag.java": "package shop;\npublic class Bag<T> {\n  void put(Object o) {}\n  void put(T a, int b) {}\n  void put() {}\n}\n",
    "src/shop/Sack.java": "package shop;\nclass Sack extends Bag<Item> {\n  void put(int i) {}\n  void put(Item a, int b) {}\n}\n",
    "src/shop/Use.java": "package shop;\nclass Use {\n  void f(Sack x) {\n    x.put();\n    x.put(null, 1);\n    x.put(1);\n  }\n}\n",
}


def test_an_overload_is_inherited(make_workspace: Maker) -> None:
    tree = make_workspace({**BASE, **OVERLOADS})
    at = "src/shop/Use.java:"
    assert bound_lines(tree, "src/shop/Bag.java#Bag.put") == [f"{at}6?"]
    assert bound_lines(tree, "src/shop/Bag.java#Bag.put~3") == [f"{at}4"]
    assert bound_lines(tree, "src/shop/Sack.java#Sack.put") == [f"{at}6?"]
    assert bound_lines(tree, "src/shop/Sack.java#Sack.put~2") == [f"{at}5"]


def test_overloads_of_one_line_are_told_apart(make_workspace: Maker) -> None:
    """Each call counts its own arguments, and a function overrides the one that takes the same."""
    code = "class Shape { int area() { return 1; } int area(int by) { return by; } }\n"
    own = "class Square extends Shape {\n  int area() { return 2; }\n"
    both = "  int both(Square other) { return area(2) - other.area(); }\n}\n"
    tree = make_workspace({"Shape.java": code, "Square.java": own + both})
    calls = {
        symbol: [
            item.column
            for file in tree.references(symbol).files
            for item in file.items
            if item.line == 3 and not item.is_unsure
        ]
        for symbol in ("Shape.java#Shape.area~2", "Square.java#Square.area")
    }
    assert calls == {"Shape.java#Shape.area~2": [35], "Square.java#Square.area": [51]}


def test_a_parameter_of_a_type_has_its_bound(make_workspace: Maker) -> None:
    code = (
        "package a;\nclass Run { long dur() { return 1; } }\nclass Other { long dur() { return 2; } }\n"
        "class Job<RunT extends Run> {\n  long one(RunT r) { return r.dur(); }\n"
        "  <RunU extends Run> long two(RunU r) { return r.dur(); }\n}\n"
    )
    tree = make_workspace({"a/A.java": code})
    assert bound_lines(tree, "a/A.java#Run.dur") == ["a/A.java:5", "a/A.java:6"]


def test_a_field_of_a_librarys_value_may_be_of_any_type(make_workspace: Maker) -> None:
    use = (
        "package b;\nimport org.lib.Rule;\nclass T {\n  Rule j;\n"
        "  int a() { return j.jenkins.nodes(); }\n  int b() { return j.nodes(); }\n"
        "  int c(Rule r) { return r.jenkins.nodes(); }\n}\n"
    )
    own = "package a;\npublic class Own { public int nodes() { return 1; } }\n"
    tree = make_workspace({"a/Own.java": own, "b/T.java": use})
    lines = [line.rstrip("?") for line in bound_lines(tree, "a/Own.java#Own.nodes")]
    assert lines == ["b/T.java:5", "b/T.java:7"]


def test_an_override_takes_as_many_arguments(make_workspace: Maker) -> None:
    code = (
        "interface Step { void run(int a, int b); }\nclass A implements Step {\n  void run(int a) {}\n}\n"
        "class B implements Step {\n  void run(int a) {}\n  public void run(int a, int b) {}\n}\n"
    )
    tree = make_workspace({"A.java": code})
    items = tree.hierarchy("A.java#Step.run", direction="subtypes").items
    assert [(item.name, item.line) for item in items] == [("B.run", 7)]


def test_a_whole_name_means_the_class_before_a_key_of_settings(make_workspace: Maker) -> None:
    own = "package shop.core;\npublic class Cart {}\n"
    heir = "package shop.core;\nclass Big extends Cart {}\n"
    settings = '{"shop.core.Cart": 1}\n'
    files = {"shop/core/Cart.java": own, "shop/core/Big.java": heir, "a.json": settings}
    items = make_workspace({**files}).hierarchy("shop.core.Cart").items
    assert [item.name for item in items] == ["Big"]


def test_an_element_is_bound_to_its_annotation(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "p/Route.java": 'package p;\npublic @interface Route { String path() default ""; }\n',
            "p/Other.java": "package p;\npublic @interface Other { String path(); }\n",
            "q/Use.java": (
                'package q;\nimport p.*;import lib.Third;\n@Route(path = "/a")\nclass Use {\n'
                '  @p.Other(path = "b") int path;\n  @Third(path = "c") int x;\n}\n'
            ),
        }
    )
    assert bound_lines(tree, "p/Route.java#Route.path") == ["q/Use.java:3"]
    assert bound_lines(tree, "p/Other.java#Other.path") == ["q/Use.java:5"]
    assert bound_lines(tree, "q/Use.java#Use.path") == []
    place = tree.symbol("q/Use.java:3:8").symbol
    assert place is not None and place.id == "p/Route.java#Route.path"
    assert tree.symbol("q/Use.java:6:10").symbol is None


def test_a_type_is_no_use_of_one_of_its_constructors(make_workspace: Maker) -> None:
    code = (
        "class Fmt {\n  Fmt(int a) {}\n  Fmt(String s, int b) {}\n"
        "  static Fmt of() {\n    return new Fmt(1);\n  }\n"
        '  Fmt next() {\n    return new Fmt("a", 2);\n  }\n}\nclass Sub extends Fmt {\n}\n'
    )
    tree = make_workspace({"A.java": code})
    assert bound_lines(tree, "A.java#Fmt.Fmt") == ["A.java:5"]
    assert bound_lines(tree, "A.java#Fmt.Fmt~2") == ["A.java:8"]
