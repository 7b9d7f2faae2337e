"""References in PHP are bound by namespaces, imports, declared types and values."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "src/Item.php": "<?php\nnamespace App\\Shop;\nclass Item { public function add() {} }\n",
    "src/Cart.php": (
        "<?php\nnamespace App\\Shop;\nclass Cart extends Base {\n  public Item $item;\n"
        "  private $kept; private $given;\n"
        "  public function __construct(private Item $made, Item $given) {\n"
        "    $this->kept = $given;\n    $this->new = new Item();\n  }\n"
        "  public function add() {}\n  public static function make(): static {}\n"
        "  public function all() {\n    $this->made->add();\n    $this->kept->add();\n"
        "    $this->new->add();\n    $this->add();\n    $this->item->add();\n  }\n}\n"
    ),
    "src/Base.php": (
        "<?php\nnamespace App\\Shop;\nclass Base { use Lifts; }\n"
        "trait Lifts { public function up() {} }\n"
        "enum Hue: string { case Red = 'r'; public function up() {} }\n"
    ),
    "other/Cart.php": "<?php\nnamespace Other;\nclass Cart { public function up() {} }\n",
}

MADE, GIVEN = "src/Cart.php#App.Shop.Cart.made", "src/Cart.php#App.Shop.Cart.given"
HUE = "src/Base.php#App.Shop.Hue.up"
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
    "a root name": ("", "$x = new \\Item(); $x->add();", {ITEM: [], CART: []}),
    "a class of no namespace": ("", "(new \\Base)->add();", {ITEM: [], CART: []}),
    "a relative type": ("use App\\Shop;", "$x = new Shop\\Item; $x->add();", {ITEM: ["4"]}),
    "a copy": ("use App\\Shop\\Item;", "$x = clone (new Item); $x->add();", {ITEM: ["4"]}),
    "of a library": ("use Lib\\Maker;", "$x = (new Maker)->get(); $x->up();", {UP: ["4?"]}),
    "the name of an argument": (
        "use App\\Shop\\Cart;", "new Cart(made: $i, given: $i); made(made: 1); new Un(made: 1); g(made: 1);",
        {MADE: ["4"], GIVEN: []},
    ),
    "a value of an enumeration": (
        "use App\\Shop\\Hue;", "Hue::from('r')->up(); Hue::tryFrom('r')?->up();", {HUE: ["4", "4"], UP: []},
    ),
    "another name of a trait's method": (
        "use App\\Shop\\{Lifts};", "new class { use Lifts { up as protected rise; } };", {UP: ["4"], HUE: []},
    ),
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


def test_doc_comments_name_the_types_of_properties(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "src/Use.php": (
            "<?php\nnamespace App\\Shop;\nclass User {\n  /** @var Item|null */\n  private $kept;\n"
            "  /** @var Cart the one\n   */\n  private $cart;\n"
            "  function f() { $this->kept->add(); }\n  function g() { $this->cart->add(); }\n}\n"
        ),
    })  # fmt: skip
    assert [line for line in bound_lines(tree, ITEM) if "Use" in line] == ["src/Use.php:9"]
    assert [line for line in bound_lines(tree, CART) if "Use" in line] == ["src/Use.php:10"]


def test_functions_fall_back_to_the_root_and_types_do_not(make_workspace: Maker) -> None:
    tree = make_workspace({
        "root.php": "<?php\nfunction lift() {}\nclass Item {}\n",
        "own.php": "<?php\nnamespace Own;\nfunction lift() {}\n",
        "a.php": "<?php\nnamespace A;\nlift();\nnew Item();\nnew \\Item();\n",
        "b.php": "<?php\nnamespace Own;\nlift();\n\\lift();\n",
        "c.php": "<?php\nnamespace C;\nuse function Own\\lift as up;\nup();\n",
    })  # fmt: skip
    assert bound_lines(tree, "root.php#lift") == ["a.php:3", "b.php:4"]
    assert bound_lines(tree, "own.php#Own.lift") == ["b.php:3", "c.php:4"]
    assert bound_lines(tree, "root.php#Item") == ["a.php:5"]


def test_a_namespace_with_the_name_of_a_class_is_not_the_class(make_workspace: Maker) -> None:
    tree = make_workspace({
        "Driver.php": "<?php\nnamespace App;\nclass Driver {}\n",
        "Error.php": "<?php\nnamespace App\\Driver;\nclass Error {}\n",
        "Use.php": "<?php\nnamespace U;\nuse App\\Driver\\Error;\nnew Error();\n",
    })  # fmt: skip
    found = tree.references("Driver.php#App.Driver").files
    assert [item.line for file in found for item in file.items if file.file_path == "Use.php"] == []
    assert bound_lines(tree, "Error.php#App.Driver.Error") == ["Use.php:4"]


def test_a_type_without_a_name_has_bases_that_are_nobody_elses(make_workspace: Maker) -> None:
    code = "<?php\nnamespace App\\Shop;\nclass Around { function f() { return new class extends Base { use Lifts; }; } }\n"
    tree = make_workspace({**BASE, "src/Use.php": code})
    above = tree.hierarchy("src/Use.php#App.Shop.Around", direction="supertypes")
    assert above.items == []


BAD = {
    # what leads to itself or to two things, and the certain uses of `Item.add`
    "a use of itself": ("namespace App\\Shop; use App\\Shop\\Item as Item;", ["3"]),
    "a cycle of names": ("use B as A; use A as B; use A as Item;", []),
    "its own namespace": ("namespace Item; use Item\\Item;", []),
    "twice": ("use App\\Shop\\Item; use App\\Shop\\Cart as Item;", []),
    "no name": ("use ; use \\; use App\\Shop\\;", []),
    "an open group": ("use App\\Shop\\{Item, ", []),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_imports_make_nothing_certain(make_workspace: Maker, name: str) -> None:
    head, expected = BAD[name]
    tree = make_workspace({**BASE, "src/Bad.php": f"<?php\n{head}\n(new Item)->add();\n"})
    found = [line for line in bound_lines(tree, ITEM) if "Bad" in line]
    sure = [line for line in found if not line.endswith("?")]
    assert sure == [f"src/Bad.php:{line}" for line in expected]


def test_types_that_inherit_from_themselves_end(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.php": "<?php\nnamespace A;\nclass One extends Two {}\nclass Two extends One { function up() {} }\n"
                 "trait Own { use Own; }\ninterface Self_ extends Self_ {}\n",
        "b.php": "<?php\nnamespace A;\nfunction f(One $x) { $x->up(); $x->none(); }\n",
    })  # fmt: skip
    assert bound_lines(tree, "a.php#A.Two.up") == ["b.php:3?"]
    names = {item.name for item in tree.hierarchy("a.php#A.One", direction="subtypes").items}
    assert names == {"A.Two"}


def test_two_types_of_one_whole_name_are_told_apart_by_folders(make_workspace: Maker) -> None:
    item = "<?php\nnamespace App;\nclass Item { function add() {} }\n"
    use = "<?php\nnamespace App;\nfunction f(Item $x) { $x->add(); }\n"
    tree = make_workspace({
        "one/src/Item.php": item, "one/lib/Use.php": use,
        "two/src/Item.php": item, "two/lib/Use.php": use,
    })  # fmt: skip
    assert bound_lines(tree, "one/src/Item.php#App.Item.add") == ["one/lib/Use.php:3"]


def test_functions_do_not_see_the_variables_of_a_script(make_workspace: Maker) -> None:
    tree = make_workspace({
        "run.php": "<?php\n$app = new App();\n$app->run();\n"
                   "function boot() {\n  global $app;\n  return $app;\n}\n"
                   "function other($x) { $app = $x; return $app; }\n"
                   "$f = function () use ($app) { return $app; };\n",
        "a.php": "<?php\nclass App { function go() { $app = 1; return $app; } }\n",
    })  # fmt: skip
    found = {*bound_lines(tree, "run.php#app")}
    assert found == {"run.php:3", "run.php:5", "run.php:6", "run.php:9"}


def test_a_string_beside_the_object_around_names_a_method_of_it(make_workspace: Maker) -> None:
    code = (
        "<?php\nclass A {\n  function f() {\n    g([$this, 'run'], array($this, 'run'));\n"
        "    [self::class, 'run'];\n    [$this->b, 'run'];\n    ['run', $this];\n  }\n"
        "  function run() {}\n}\nclass B { function run() {} }\n"
    )
    tree = make_workspace({"a.php": code})
    assert bound_lines(tree, "a.php#A.run") == ["a.php:4", "a.php:4", "a.php:5"]
    assert bound_lines(tree, "a.php#B.run") == []


def test_a_method_of_a_trait_is_called_by_another_name(make_workspace: Maker) -> None:
    code = (
        "<?php\ntrait Loud { function bark() {} function sit() {} }\n"
        "class Dog { use Loud { bark as protected softBark; Loud::sit as down; } function go() {\n"
        "$this->softBark();\n$this->down();\n} }\nclass Cat { function go() {\n$this->softBark();\n} }\n"
    )
    tree = make_workspace({"a.php": code})
    assert bound_lines(tree, "a.php#Loud.bark") == ["a.php:3", "a.php:4"]
    assert bound_lines(tree, "a.php#Loud.sit") == ["a.php:3", "a.php:5"]
    callers = tree.hierarchy("a.php#Loud.bark", direction="callers")
    assert [item.name for item in callers.items] == ["Dog.go"]


def test_a_function_in_a_variable_is_used_by_the_variable(make_workspace: Maker) -> None:
    code = (
        "<?php\nclass A { function f() {\n$run = function ($x) { return $x; };\n$run(1);\n"
        "return array_map($run, []);\n}\nfunction g($run) { return $run; }\n}\nfunction run() {}\n"
    )
    tree = make_workspace({"a.php": code})
    assert bound_lines(tree, "a.php#A.f.run") == ["a.php:4", "a.php:5"]
    assert bound_lines(tree, "a.php#run") == []


def test_a_copy_is_of_the_type_of_its_value(make_workspace: Maker) -> None:
    code = (
        "<?php\nclass Dog { function bark() {} }\nclass Cat { function bark() {} }\n"
        "function f(Dog $d) {\n$c = clone $d;\n$c->bark();\n}\n"
    )
    tree = make_workspace({"a.php": code})
    assert bound_lines(tree, "a.php#Dog.bark") == ["a.php:6"]
    assert bound_lines(tree, "a.php#Cat.bark") == []


def test_a_function_is_not_the_method_of_a_trait_that_gets_another_name(
    make_workspace: Maker,
) -> None:
    code = (
        "<?php\nnamespace App;\ntrait Named { public function area() { return 2; } }\n"
        "function area() { return 1; }\nclass Sub { use Named { area as protected tarea; } }\n"
    )
    workspace = make_workspace({"a.php": code})
    assert bound_lines(workspace, "a.php#App.area") == []
    assert bound_lines(workspace, "a.php#App.Named.area") == ["a.php:5"]
