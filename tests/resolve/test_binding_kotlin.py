"""References in Kotlin are bound by packages, imports, extensions and declared types, also where Java
code uses them."""

import time

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "src/shop/Item.kt": "package shop\nopen class Item { fun add() {} }\n",
    "src/shop/Cart.kt": (
        "package shop\nclass Cart(val item: Item, first: Item) : Base<Item>(item), Closeable {\n"
        "  val head = first\n  fun add() {}\n  fun its() = item\n  fun one(): Item? = null\n"
        "  companion object { fun make(): Cart = TODO() }\n  class In { fun add() {} }\n}\n"
        "fun Cart.last(): Item = item\nval Cart.size: Int get() = 0\nfun top() = Item()\n"
    ),
    "src/shop/Base.kt": "package shop\nopen class Base<T : Item>(x: T) {\n  val kept: T = x\n  fun up() {}\n}\n",
    "src/shop/Only.kt": "package shop\nobject Only : Base<Item>(Item()) { fun add() {} }\nenum class Hue { RED; fun add() {} }\n",
    "src/other/Cart.kt": "package other\nclass Cart { fun up() {} }\nfun String.add() {}\n",
}

ITEM, CART, UP = (
    "src/shop/Item.kt#Item.add",
    "src/shop/Cart.kt#Cart.add",
    "src/shop/Base.kt#Base.up",
)
INNER, HUE, ONLY = (
    "src/shop/Cart.kt#Cart.In.add",
    "src/shop/Only.kt#Hue.add",
    "src/shop/Only.kt#Only.add",
)
OF_CART = "src/shop/Cart.kt#Cart.item"
TEXT = "src/other/Cart.kt#String.add"

CASES: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    # by name: the head of the file, the body of a function in line 3, and the uses of each symbol
    "an import": ("import shop.Item", "val x = Item(); x.add()", {ITEM: ["3"], CART: []}),
    "an import with another name": ("import shop.Item as I", "I().add()", {ITEM: ["3"], CART: []}),
    "a star import": ("import shop.*", "f { x: Cart -> x.add() }", {CART: ["3"], ITEM: []}),
    "of another package": ("import other.Cart", "val x = Cart(); x.up()", {UP: []}),
    "of a library": ("import lib.Cart", "val x = Cart(); x.add()", {CART: [], ITEM: [], TEXT: ["3?"]}),
    "a type": ("import shop.*", "val x: Cart? = null; x?.add(); x!!.add()", {CART: ["3", "3"], ITEM: []}),
    "a nested type": ("import shop.Cart", "Cart.In().add()", {INNER: ["3"], CART: [], ITEM: []}),
    "a companion": ("import shop.Cart", "Cart.make().add(); Cart.Companion.make().add()", {CART: ["3", "3"], ITEM: []}),
    "an imported member": ("import shop.Cart.Companion.make", "make().add()", {CART: ["3"], ITEM: []}),
    "an object": ("import shop.Only", "Only.add(); Only.up()", {ONLY: ["3"], CART: [], UP: ["3"]}),
    "the name of an argument": (
        "import shop.*", "Cart(item = y, first = y); shop.Cart(item = y)", {OF_CART: ["3", "3"]},
    ),
    "the name of an argument of a copy": (
        "import shop.*", "val x: Cart = c(); x.copy(item = y)", {OF_CART: ["3"]},
    ),
    "an entry": ("import shop.Hue", "Hue.RED.add()", {HUE: ["3"], CART: []}),
    "a property of a constructor": ("import shop.Cart", "val x: Cart = c(); x.item.add()", {ITEM: ["3"], CART: []}),
    "a parameter of a constructor": ("import shop.Cart", "val x: Cart = c(); x.head.add()", {ITEM: ["3"], CART: []}),
    "results": (
        "import shop.*", "val x: Cart = c(); x.its().add(); x.one()?.add(); top().add()",
        {ITEM: ["3", "3", "3"], CART: []},
    ),
    "a type parameter": ("import shop.*", "val x: Cart = c(); x.kept.add()", {ITEM: ["3"], CART: []}),
    "an inherited function": ("import shop.Cart", "val x: Cart = c(); x.up()", {UP: ["3"]}),
    "an extension's result": (
        "import shop.*", "val x: Cart = c(); x.last().add()", {ITEM: ["3"], CART: []},
    ),
    "an extension": (
        "import shop.*", "val x: Cart = c(); x.last(); Item().last()",
        {"src/shop/Cart.kt#Cart.last": ["3"]},
    ),
    "an extension of a library's type": (
        "import other.add", "val x: String = c(); x.add()", {TEXT: ["3?"], CART: [], ITEM: []},
    ),
    "lazy and apply": (
        "import shop.Item", "val x by lazy { Item() }; x.add(); val y = Item().apply { f() }; y.add()",
        {ITEM: ["3", "3"], CART: []},
    ),
    "a lambda": ("import shop.*", "f { x -> x.add() }; g { it.add() }", {ITEM: ["3?", "3?"]}),
    "let": ("import shop.*", "own.let { x -> x.add() }", {ITEM: ["3"], CART: []}),
    "a test of a type": (
        "import shop.*", "val x: Any = c(); if (x is Item) x.add()", {ITEM: ["3?"], CART: ["3?"]},
    ),
    "elements": ("import shop.*", "val x: List<Item> = c(); x.add(); x.head.add()", {ITEM: ["3?"], CART: ["3?"]}),
    "a written property": ("import shop.*", "val x: Cart = c(); x.item = 1", {"src/shop/Cart.kt#Cart.item": ["3"]}),
    "an own property": ("import shop.*", "own.add(); this.own.add()", {ITEM: ["3", "3"], CART: []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    head, body, expected = CASES[name]
    code = f"package user; {head}\nclass Use {{ private val own: shop.Item = c()\n fun f() {{ {body} }} }}\n"
    tree = make_workspace({**BASE, "src/user/Use.kt": code})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if "Use.kt" in line]
        assert found == [f"src/user/Use.kt:{line}" for line in lines], symbol


def test_java_and_kotlin_know_each_other(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "src/shop/Old.java": "package shop;\npublic class Old { public Item it; public void add() {} }\n",
        "src/user/Use.kt": "package user\nimport shop.Old\nfun f(o: Old) { o.add(); o.it.add() }\n",
        "src/user/Use.java": (
            "package user;\nimport shop.Cart;\nimport static shop.Shop.top;\n"
            "class Use { void f(Cart c) { c.add(); top().add(); } }\n"
        ),
    })  # fmt: skip
    assert bound_lines(tree, "src/shop/Old.java#Old.add") == ["src/user/Use.kt:3"]
    assert bound_lines(tree, ITEM) == ["src/user/Use.java:4", "src/user/Use.kt:3"]
    assert bound_lines(tree, CART) == ["src/user/Use.java:4"]
    assert bound_lines(tree, "src/shop/Cart.kt#top") == ["src/user/Use.java:4"]


def test_a_definition_for_each_platform_is_meant_where_it_is_nearest(make_workspace: Maker) -> None:
    tree = make_workspace({
        "common/main/Log.kt": "package p\nexpect class Log() { fun add() }\n",
        "jvm/main/Log.kt": "package p\nactual class Log { actual fun add() {} }\n",
        "js/main/Log.kt": "package p\nactual class Log { actual fun add() {} }\n",
        "common/test/Use.kt": "package p\nfun f(x: Log) { x.add() }\n",
        "jvm/test/Use.kt": "package p\nfun g(x: Log) { x.add() }\n",
    })  # fmt: skip
    assert bound_lines(tree, "common/main/Log.kt#Log.add") == [
        "common/test/Use.kt:2",
        "jvm/test/Use.kt:2?",
    ]
    assert bound_lines(tree, "jvm/main/Log.kt#Log.add") == [
        "common/test/Use.kt:2?",
        "jvm/test/Use.kt:2",
    ]


def test_members_of_a_broken_file_may_be_unknown(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "src/shop/Odd.kt": "package shop\nclass Odd {\n  fun ok() {}\n  fun = = )(\n}\n",
        "src/user/Use.kt": "package user\nimport shop.*\nfun f(x: Odd) { x.add() }\n",
    })  # fmt: skip
    assert bound_lines(tree, CART) == ["src/user/Use.kt:3?"]


def test_bases_are_bound(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "src/user/Use.kt": (
            "package user\nimport shop.Base\nimport shop.Item as I\nclass Use : Base<I>(I()) {\n"
            "  object Inner : I()\n  val x = object : I() {}\n}\n"
            "class By(item: Face) : Face by item\ninterface Face\n"
        ),
    })  # fmt: skip
    below = tree.hierarchy("src/shop/Base.kt#Base", direction="subtypes")
    assert sorted(item.name for item in below.items) == ["Cart", "Only", "Use"]
    items = tree.hierarchy("src/shop/Item.kt#Item", direction="subtypes").items
    assert [item.name for item in items] == ["Use.Inner", "Use.x"]
    assert [item.name for item in tree.hierarchy("Face", direction="subtypes").items] == ["By"]
    above = tree.hierarchy("src/shop/Cart.kt#Cart", direction="supertypes")
    assert [item.name for item in above.items] == ["Base"]


SPEC = """package shop
class Spec(make: Maker) {
  val head = make.parts().add()
  companion object Makers { fun make() = Maker() }
  class Maker {
    fun parts(): List<Item>? = null
    fun with(name: String) = with(1)
    fun with(size: Int) = apply { parts() }
    fun also(size: Int) = also { println("a string that is so long that the whole value of this function is not kept, because it would fill more than a hundred and then some more characters") }
    fun add() {}
  }
}
"""
USE = """package shop
fun use(specs: List<Spec.Maker>, x: Spec) {
  Spec.make().add()
  Spec.Makers.make().with("a").add()
  Spec.make().with(1).also(1).add()
  for (one in specs) one.add()
  specs.filter { one -> one.add() == 1 }.first().add()
  specs.first().parts()?.get(0)!!.add()
  val made = specs.first()!!
  made.add()
}
"""


def test_results_of_builders_and_elements_are_known(make_workspace: Maker) -> None:
    files = {**BASE, "src/shop/Spec.kt": SPEC, "src/shop/Use.kt": USE}
    tree = make_workspace(files)
    at = "src/shop/Use.kt:"
    found = bound_lines(tree, "src/shop/Spec.kt#Spec.Maker.add")
    assert [line for line in found if at in line] == [
        f"{at}{line}" for line in (3, 4, 5, 6, 7, 7, 10)
    ]
    assert [line for line in bound_lines(tree, ITEM) if at in line] == [f"{at}8"]


def test_a_parameter_of_a_class_hides_a_function_of_its_companion(make_workspace: Maker) -> None:
    tree = make_workspace({**BASE, "src/shop/Spec.kt": SPEC})
    assert "src/shop/Spec.kt:3" in bound_lines(tree, "src/shop/Spec.kt#Spec.Maker.parts")


def test_a_long_value_keeps_its_last_call(make_workspace: Maker) -> None:
    long = ", ".join(f'"argument {number}"' for number in range(30))
    code = f"package shop\nfun f(x: Cart) {{\n  val y = x.its({long}).self({long})\n  y.add()\n}}\n"
    more = "package shop\nfun Item.self(x: Any): Cart = TODO()\n"
    tree = make_workspace({**BASE, "src/shop/More.kt": more, "src/shop/Use.kt": code})
    assert "src/shop/Use.kt:4" in bound_lines(tree, CART)
    assert "src/shop/Use.kt:4" not in bound_lines(tree, ITEM)


def test_a_member_hides_what_is_added_with_its_parameters(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.kt": (
                "package k\nclass C {\n  fun foo(x: Int) {}\n  fun bar(x: Int) {}\n  fun far(x: Int) {}\n}\n"
                "fun C.foo(y: Int) {}\nfun C.bar(y: Int, z: Int) {}\nfun C.far(y: String) {}\n"
                "fun use(c: C) {\n  c.foo(1)\n  c.bar(1)\n  c.bar(1, 2)\n  c.far(d)\n}\n"
            )
        }
    )  # fmt: skip
    expected = {
        "foo": ["11"], "foo~2": [], "bar": ["12"], "bar~2": ["13"], "far": ["14?"], "far~2": ["14?"],
    }  # fmt: skip
    for method, lines in expected.items():
        assert bound_lines(workspace, f"a.kt#C.{method}") == [f"a.kt:{line}" for line in lines]


def test_an_inner_type_is_not_meant_by_its_bare_name_elsewhere(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "k/a.kt": "package k\nclass Mod {\n  enum class Target { A }\n  val own: Target = Target.A\n}\n",
            "k/b.kt": "package k\n@Target(X)\nannotation class Mine\n",
            "k/c.kt": "package k\nimport k.Mod.Target\nfun use(x: Target) {}\n",
        }
    )  # fmt: skip
    lines = bound_lines(workspace, "k/a.kt#Mod.Target")
    assert lines == ["k/a.kt:4", "k/a.kt:4", "k/b.kt:2?", "k/c.kt:3"]


def test_the_type_around_a_base_is_no_base(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.kt": (
            "interface Outer {\n  interface Inner\n}\nfun one(): Outer.Inner =\n  object : Outer.Inner {\n  }\n"
            "fun two(): Outer =\n  object : Outer {\n  }\n"
        ),
        "B.java": (
            "class B {\n  Object three() { return new Outer.Inner() {}; }\n"
            "  Object four() { return new Outer() {}; }\n}\n"
        ),
    })  # fmt: skip
    for symbol, names in (
        ("a.kt#Outer", ["B.four", "two"]),
        ("a.kt#Outer.Inner", ["B.three", "one"]),
    ):
        below = tree.hierarchy(symbol, direction="subtypes")
        assert sorted(item.name for item in below.items) == names, symbol


def test_the_receiver_of_an_extension_inside_a_type(make_workspace: Maker) -> None:
    """`this` is the value that the extension is called on, not one of the type around it."""
    code = (
        "package user\nimport shop.Item\nclass Use {\n  fun add() {}\n"
        "  fun Item.twice() { this.add(); add() }\n  fun own() { this.add() }\n}\n"
    )
    tree = make_workspace({**BASE, "src/user/Use.kt": code})
    assert bound_lines(tree, ITEM) == ["src/user/Use.kt:5", "src/user/Use.kt:5"]
    assert bound_lines(tree, "src/user/Use.kt#Use.add") == ["src/user/Use.kt:6"]


def test_members_of_a_companion_are_apart_from_those_of_values(make_workspace: Maker) -> None:
    code = (
        "package p\nclass Dog {\n  fun run() {}\n  fun a() { run() }\n"
        "  companion object {\n    fun run() {}\n    fun b() { run() }\n    val tag = 2\n  }\n  val tag = 1\n}\n"
        "fun f(d: Dog) {\n  Dog.run()\n  d.run()\n  Dog().run()\n  Dog.Companion.run()\n  Dog.tag\n  d.tag\n}\n"
    )
    tree = make_workspace({"a.kt": code})
    assert bound_lines(tree, "a.kt#Dog.run") == ["a.kt:4", "a.kt:14", "a.kt:15"]
    assert bound_lines(tree, "a.kt#Dog.run~2") == ["a.kt:7", "a.kt:13", "a.kt:16"]
    assert bound_lines(tree, "a.kt#Dog.tag") == ["a.kt:17"]
    assert bound_lines(tree, "a.kt#Dog.tag~2") == ["a.kt:18"]
    named = code.replace("companion object", "companion object Of").replace("Companion", "Of")
    tree = make_workspace({"b.kt": named})
    assert bound_lines(tree, "b.kt#Dog.run") == ["b.kt:4", "b.kt:14", "b.kt:15"]
    assert bound_lines(tree, "b.kt#Dog.Of.run") == ["b.kt:7", "b.kt:13", "b.kt:16"]


def test_a_function_of_a_companion_that_a_file_imports(make_workspace: Maker) -> None:
    code = (
        "package user\nimport shop.Cart.Companion.make\n"
        "class Use {\n  fun make(x: Int) {}\n  fun a() { make() }\n}\n"
    )
    tree = make_workspace({**BASE, "src/user/Use.kt": code})
    assert bound_lines(tree, "src/shop/Cart.kt#Cart.make") == ["src/user/Use.kt:5"]


def test_a_property_and_a_function_of_one_name_are_told_apart_by_their_use(
    make_workspace: Maker,
) -> None:
    code = (
        "class Spec(b: Builder) { val old = b.setter }\nclass Builder {\n  var setter: Int? = null\n"
        "  fun setter(x: Int) = apply {\n    check(this.setter == null)\n    this.setter = x\n  }\n"
        "  fun other() {\n    f(setter)\n    setter(1)\n    this.setter(2)\n  }\n}\n"
    )
    tree = make_workspace({"a.kt": code})
    uses = ["a.kt:1", "a.kt:5", "a.kt:6", "a.kt:9"]
    assert bound_lines(tree, "a.kt#Builder.setter") == uses
    assert bound_lines(tree, "a.kt#Builder.setter~2") == ["a.kt:10", "a.kt:11"]


def test_the_word_before_a_primary_constructor_is_no_call_of_a_secondary_one(
    make_workspace: Maker,
) -> None:
    code = (
        "class Wild(val a: Int) {\n  constructor(s: String) : this(s.length)\n}\n"
        "abstract class Coll<T>\nprivate constructor(private val x: Int)\n"
        "class Src\n@JvmOverloads\nconstructor(val y: Int = 1)\n"
    )
    tree = make_workspace({"a.kt": code})
    assert bound_lines(tree, "a.kt#Wild.constructor") == []


def test_a_value_called_like_a_function_is_not_what_the_function_makes(
    make_workspace: Maker,
) -> None:
    code = (
        "class Factory {\n  fun toAdapter(): Foreign {\n    return object : Foreign() {\n"
        "      override fun bindIt(x: Int) {}\n    }\n  }\n"
        "  fun go(l: List<Foreign>) {\n    val toAdapter = l.x()\n    toAdapter?.bindIt(2)\n  }\n}\n"
    )
    tree = make_workspace({"a.kt": code})
    assert bound_lines(tree, "a.kt#Factory.toAdapter.bindIt") == ["a.kt:9?"]


def test_a_reference_to_a_function_is_bound_by_what_is_before_it(make_workspace: Maker) -> None:
    code = (
        "class One { fun go() {}\n  val size = 1\n}\nclass Two { fun go() {}\n  val size = 1\n}\n"
        "fun f(x: One) {\n  a(One::go)\n  a(x::go)\n  a(One::size)\n  a(Two::go)\n}\n"
    )
    tree = make_workspace({"a.kt": code})
    assert bound_lines(tree, "a.kt#One.go") == ["a.kt:8", "a.kt:9"]
    assert bound_lines(tree, "a.kt#One.size") == ["a.kt:10"]
    assert bound_lines(tree, "a.kt#Two.go") == ["a.kt:11"]


BLOCKS = (
    "package p\nclass Tag { val y = 1; fun add() {}; fun row(code: Row.() -> Unit) {} }\n"
    "class Row { val y = 2; fun add() {} }\nclass Thing {\n"
    "  fun build(n: Int, code: Tag.() -> Unit) {}\n  fun plain(code: () -> Unit) {}\n"
    "  fun two(a: Tag.() -> Unit = {}, b: () -> Unit) {}\n}\n"
    "typealias Code = Tag.() -> Unit\nfun top(code: Code) {}\n"
    "fun <T> T.own(code: T.() -> Unit) {}\nfun <T> any(value: T, code: T.() -> Unit) {}\n"
)
IN_BLOCKS: dict[str, tuple[str, tuple[int, int, int]]] = {
    # by name: the code, and how often it certainly uses `y` or `add` of Use, Tag and Row
    "of a member": ("x.build(1) { this.y; y; add() }", (0, 3, 0)),
    "of a value that may be none": ("z?.build(1) { this.y; add() }", (0, 2, 0)),
    "of a function, by the name of a type": ("top { this.y; add() }", (0, 2, 0)),
    "between parentheses": ("x.build(1, { this.y; add() })", (0, 2, 0)),
    "of one parameter of two": ("x.two({ this.y }) { this.y }", (1, 1, 0)),
    "of no value": ("x.plain { this.y; y; add() }", (3, 0, 0)),
    "in another": ("x.build(1) { row { this.y; add() }; x.plain { y } }", (0, 1, 2)),
    "of the value itself": ("tag.own { this.y; add() }", (0, 2, 0)),
    "of any value": ("any(tag) { this.y; add() }", (0, 0, 0)),
    "of a type that is written": ("val c: Tag.() -> Unit = { y }; fun Row.() { y }", (0, 1, 1)),
    "of a library": ("list.map { this.y; add() }", (2, 0, 0)),
}


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_code_is_called_for_the_value_that_its_function_says(
    make_workspace: Maker, name: str
) -> None:
    code, expected = IN_BLOCKS[name]
    use = (
        "package p\nclass Use { val y = 3; fun add() {}\n"
        f"  fun f(x: Thing, z: Thing?, tag: Tag, list: List<Int>) {{\n    {code}\n  }}\n}}\n"
    )
    tree = make_workspace({"src/p/Tag.kt": BLOCKS, "src/p/Use.kt": use})
    owners = ("src/p/Use.kt#Use", "src/p/Tag.kt#Tag", "src/p/Tag.kt#Row")
    found = [[*bound_lines(tree, f"{one}.y"), *bound_lines(tree, f"{one}.add")] for one in owners]
    assert tuple(lines.count("src/p/Use.kt:4") for lines in found) == expected
    if name == "of any value":
        assert all(lines.count("src/p/Use.kt:4?") == 2 for lines in found)


def test_code_that_one_of_very_many_functions_gets_is_uncertain_soon(
    make_workspace: Maker,
) -> None:
    """The parameters of all functions of a name are not read for each use: that was quadratic."""
    begun = time.monotonic()
    functions = "".join(f"fun build(x: T{i}, block: () -> Unit) {{}}\n" for i in range(2_000))
    uses = "  build(1) { run() }\n" * 2_000
    code = f"open class Dog {{ fun run() {{}} }}\n{functions}class K : Dog() {{ fun go() {{\n{uses}}} }}\n"
    lines = bound_lines(make_workspace({"a.kt": code}), "a.kt#Dog.run")
    assert len(lines) == 2_000
    assert all(line.endswith("?") for line in lines)
    assert time.monotonic() - begun < 30
