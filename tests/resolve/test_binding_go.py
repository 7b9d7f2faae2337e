"""References in Go are bound by packages, embedding and the types of receivers."""

import pytest

from symindex.protocol.hierarchy import HierarchyRequest
from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "go.mod": "module x.com/shop\n",
    "carts/item.go": "package carts\n\ntype Item struct{}\n\nfunc (i *Item) Add() {}\n",
    "carts/cart.go": (
        "package carts\n\ntype Cart struct {\n\titem *Item\n\tName string\n}\n\n"
        "func (c *Cart) Own() {\n\tc.Add()\n\tc.item.Add()\n}\n\n"
        "func NewCart() (*Cart, error) { return &Cart{}, nil }\n"
    ),
    "carts/more.go": "package carts\n\nfunc (c Cart) Add() {}\n",
}

ITEM, CART = "carts/item.go#Item.Add", "carts/more.go#Cart.Add"

CASES: dict[str, tuple[str, list[str], list[str]]] = {
    # by name: the code of main.go after its package, the lines bound to Item.Add and to Cart.Add
    "result": ('import "x.com/shop/carts"\nfunc f() {\n\tc, err := carts.NewCart()\n\tc.Add()\n}\n', [], ["5"]),
    "alias": ('import k "x.com/shop/carts"\nfunc f(i *k.Item) { i.Add() }\n', ["3"], []),
    "literal": ('import "x.com/shop/carts"\nfunc f() {\n\tc := &carts.Cart{Name: "a"}\n\tc.Add()\n}\n', [], ["5"]),
    "variable": ('import "x.com/shop/carts"\nfunc f() {\n\tvar c carts.Cart\n\tc.Add()\n}\n', [], ["5"]),
    "embedded": (
        'import "x.com/shop/carts"\ntype Big struct{ *carts.Item }\nfunc f(b Big) { b.Add() }\n', ["4"], [],
    ),
    "an embedded field": (
        'import "x.com/shop/carts"\ntype Big struct{ *carts.Item }\nfunc f(b Big) { b.Item.Add() }\n', ["4"], [],
    ),
    "another name of a type": (
        'import "x.com/shop/carts"\ntype Any = carts.Item\nfunc f(x Any) { x.Add() }\n', ["4"], [],
    ),
    "a type parameter": ("func f[Output any](x Output) { x.Add() }\n", ["2?"], ["2?"]),
    "a bound": (
        'import "x.com/shop/carts"\ntype Box[T carts.Item] struct{ one T }\n'
        "func (b *Box[T]) Go() { b.one.Add() }\n", ["4"], [],
    ),
    "an assertion": (
        'import "x.com/shop/carts"\nfunc f(y any) {\n\tx := y.(carts.Item)\n\tx.Add()\n}\n', ["5"], [],
    ),
    "a new value": ('import "x.com/shop/carts"\nfunc f() {\n\tx := new(carts.Item)\n\tx.Add()\n}\n', ["5"], []),
    "a made value": (
        'import "x.com/shop/carts"\nfunc f() {\n\tx := make(carts.Item)\n\tx.Add()\n}\n', ["5"], [],
    ),
    "several names": ("func f() {\n\tx, y := g()\n\ty.Add()\n}\n", ["4?"], ["4?"]),
    "a received value": ("func f() {\n\tselect {\n\tcase x := <-ch:\n\t\tx.Add()\n\t}\n}\n", ["5?"], ["5?"]),
    "another package": ('import "y.com/carts"\nfunc f(c carts.Cart) { c.Add() }\n', [], []),
    "the standard library": ('import "sync"\nfunc f(c sync.WaitGroup) { c.Add() }\n', [], []),
    "a loop variable": ("func f(xs []T) {\n\tfor _, x := range xs {\n\t\tx.Add()\n\t}\n}\n", ["4?"], ["4?"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound_by_its_receiver(make_workspace: Maker, name: str) -> None:
    code, of_item, of_cart = CASES[name]
    tree = make_workspace({**BASE, "main.go": f"package main\n{code}"})
    for symbol, expected in ((ITEM, of_item), (CART, of_cart)):
        lines = [line for line in bound_lines(tree, symbol) if line.startswith("main.go:")]
        assert lines == [f"main.go:{line}" for line in expected], symbol


def test_fields_have_their_types_and_methods_any_file_of_the_folder(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    assert bound_lines(tree, ITEM) == ["carts/cart.go:10"]
    assert bound_lines(tree, CART) == ["carts/cart.go:9"]


def test_embedding_is_inheritance(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "big/big.go": 'package big\n\nimport c "x.com/shop/carts"\n\ntype Big struct {\n\t*c.Cart\n\tn int\n}\n',
        "far/far.go": 'package far\n\nimport "y.com/carts"\n\ntype Far struct{ carts.Cart }\n',
    })  # fmt: skip
    assert [item.name for item in tree.hierarchy("Cart").items] == ["Big"]
    above = tree.hierarchy("Far", direction="supertypes")
    assert not above.items and above.outside == ["carts.Cart"]


def test_a_value_of_an_interface_may_be_of_a_type_that_has_its_methods(
    make_workspace: Maker,
) -> None:
    tree = make_workspace({
        **BASE,
        "main.go": "package main\n\ntype Adder interface{ Add() }\n\ntype Both interface {\n\tAdder\n"
        "\tOther()\n}\n\nfunc f(x Adder, y Both) {\n\tx.Add()\n\ty.Add()\n}\n",
    })  # fmt: skip
    lines = [line for line in bound_lines(tree, CART) if line.startswith("main.go:")]
    assert lines == ["main.go:11?"]
    assert "main.go:11" in bound_lines(tree, "main.go#Adder.Add")


def test_of_definitions_for_several_systems_each_may_be_meant(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "far/a_linux.go": "package far\n\nfunc Open() {}\n",
        "far/a_windows.go": "package far\n\nfunc Open() {}\n",
        "main.go": 'package main\n\nimport "x.com/shop/far"\n\nfunc f() { far.Open() }\n',
    })  # fmt: skip
    for path in ("far/a_linux.go", "far/a_windows.go"):
        lines = bound_lines(tree, f"{path}#Open")
        assert [line.rstrip("?") for line in lines] == ["main.go:5"], path


def test_a_value_of_an_interface_is_doubtful_whatever_its_name(make_workspace: Maker) -> None:
    tree = make_workspace({
        "m/m.go": "package m\n\ntype Gauge interface{ WriteAll() }\n\ntype gauge struct{}\n\n"
        "func (g *gauge) WriteAll() {}\n\nfunc f(gauge Gauge) { gauge.WriteAll() }\n",
    })  # fmt: skip
    assert bound_lines(tree, "m/m.go#gauge.WriteAll") == ["m/m.go:9?"]


def test_keys_of_literals_are_members_of_the_type_around_them(make_workspace: Maker) -> None:
    code = (
        "package carts\n\n"
        "type Other struct{ Name string }\n\n"
        "func f() []any {\n"
        '\ta := Cart{Name: "a"}\n'
        '\tb := []*Cart{{Name: "b"}}\n'
        '\tc := map[string]Cart{"k": {Name: "c"}}\n'
        '\td := Other{Name: "d"}\n'
        '\te := struct{ Name string }{Name: "e"}\n'
        "\treturn []any{a, b, c, d, e}\n}\n"
    )
    far = 'package main\n\nimport k "x.com/shop/carts"\n\nvar one = &k.Cart{\n\tName: "a",\n}\n'
    tree = make_workspace({**BASE, "carts/keys.go": code, "far.go": far})
    lines = ["carts/keys.go:6", "carts/keys.go:7", "carts/keys.go:8", "far.go:6"]
    assert bound_lines(tree, "carts/cart.go#Cart.Name") == lines


SHOP = (
    "package shop\n\ntype Store interface {\n\tOpen(name string, n int) (*Cart, error)\n\tClose()\n}\n\n"
    "type Cart struct{}\ntype Good struct{}\n\n"
    "func (g *Good) Open(x string, k int) (c *Cart, err error) { return nil, nil }\nfunc (g *Good) Close() {}\n\n"
    "type Other struct{}\n\nfunc (b Other) Open(x string) (*Cart, error) { return nil, nil }\nfunc (b Other) Close() {}\n\n"
    "type Outer struct{ *Good }\ntype Half struct{ Rest }\ntype Rest struct{}\n\n"
    "func (r Rest) Open(a string, b int) (*Cart, error) { return nil, nil }\nfunc (h Half) Close() {}\n"
)
FAR = (
    'package far\n\nimport "x.com/shop"\n\ntype Far struct{}\n\n'
    "func (Far) Open(string, int) (*shop.Cart, error) { return nil, nil }\nfunc (Far) Close() {}\n"
)


def test_a_type_implements_an_interface_with_its_own_and_embedded_methods(
    make_workspace: Maker,
) -> None:
    tree = make_workspace({"go.mod": "module x.com/shop\n", "a.go": SHOP, "far/b.go": FAR})
    request = HierarchyRequest(symbol="a.go#Store", depth=1)
    assert {item.name for item in tree.hierarchy(request).items} == {"Far", "Good", "Outer", "Half"}


def test_local_names_of_any_statement_hide_those_of_the_package(make_workspace: Maker) -> None:
    code = (
        "package p\n\nvar names []string\n\n"
        "func a(names ...string) { use(names) }\n"
        "func b() {\n\tconst names = 1\n\tuse(names)\n}\n"
        "func c(x any) {\n\tswitch names := x.(type) {\n\tcase int:\n\t\tuse(names)\n\t}\n}\n"
        "func d() {\n\tselect {\n\tcase names := <-ch:\n\t\tuse(names)\n\t}\n}\n"
    )
    tree = make_workspace({"a.go": code, "b.go": "package p\n\nfunc e() { use(names) }\n"})
    assert bound_lines(tree, "a.go#names") == ["b.go:3"]


def test_a_receiver_of_an_unknown_type_may_be_of_one_without_a_name(make_workspace: Maker) -> None:
    code = "package p\n\ntype Item struct{ deepName string }\n\nfunc f() {\n\tuse(unknown().deepName)\n}\n"
    assert bound_lines(make_workspace({"a.go": code}), "a.go#Item.deepName") == ["a.go:6?"]


def test_two_definitions_for_different_builds_are_both_possible(make_workspace: Maker) -> None:
    files = {
        "a.go": "//go:build !x\n\npackage p\n\nvar form = one{}\n\nfunc open() {}\n\nfunc a() { form.run() }\n",
        "b.go": "//go:build x\n\npackage p\n\nvar form = one{}\n\nfunc open() {}\n",
        "c.go": "package p\n\nfunc f() {\n\tform.run()\n\topen()\n}\n",
    }
    tree = make_workspace(files)
    assert bound_lines(tree, "a.go#form") == ["a.go:9", "c.go:4?"]
    assert bound_lines(tree, "b.go#form") == ["c.go:4?"]
    assert bound_lines(tree, "b.go#open") == ["c.go:5?"]


def test_fields_of_rows_without_a_named_type_are_unknown(make_workspace: Maker) -> None:
    code = (
        "package k\n\ntype Svc struct{}\n\nfunc (s *Svc) Zap() {}\n\ntype Other struct{}\n\n"
        "func (o *Other) Zap() {}\n\nfunc T() {\n\ttests := []struct {\n\t\tcp *Svc\n\t}{{}}\n"
        "\tfor _, tc := range tests {\n\t\ttc.cp.Zap()\n\t}\n}\n"
    )
    tree = make_workspace({"go.mod": "module k\n", "a.go": code})
    assert bound_lines(tree, "a.go#Svc.Zap") == ["a.go:16?"]


PACKAGES = {
    "go.mod": "module x.com/shop\n",
    "carts/cart.go": "package trolley\n\ntype Cart struct{}\n\nfunc (Cart) Add() {}\nfunc New() Cart { return Cart{} }\n",
    "carts/use.go": "package trolley\n\nfunc use(c Cart) {\n\tc.Add()\n}\n",
    "carts/a_test.go": (
        'package trolley_test\n\nimport "x.com/shop/carts"\n\ntype Cart struct{}\n\n'
        "func (Cart) Add() {}\nfunc use(c Cart) {\n\tc.Add()\n\ttrolley.New().Add()\n}\n"
    ),
    "main.go": (
        'package main\n\nimport (\n\t"x.com/shop/carts"\n\t"lib.org/carts"\n)\n\n'
        "func main() {\n\tx := trolley.New()\n\tx.Add()\n\tvar y carts.Cart\n\ty.Add()\n}\n"
    ),
    "dot.go": 'package main\n\nimport . "x.com/shop/carts"\n\nfunc f(c Cart) {\n\tc.Add()\n\tNew()\n}\n',
    "vendor/lib.org/carts/cart.go": "package carts\n\ntype Cart struct{}\n\nfunc (Cart) Add() {}\n",
}


def test_packages_have_the_names_that_they_declare(make_workspace: Maker) -> None:
    """Another one than that of their folder, which a package of tests shares, and a folder of
    copies may have as well."""
    tree = make_workspace(PACKAGES)
    places = {
        "carts/cart.go#Cart.Add": [
            "carts/a_test.go:10",
            "carts/use.go:4",
            "dot.go:6",
            "main.go:10",
        ],
        "carts/a_test.go#Cart.Add": ["carts/a_test.go:9"],
        "vendor/lib.org/carts/cart.go#Cart.Add": ["main.go:12"],
        "carts/cart.go#New": ["carts/a_test.go:10", "dot.go:7", "main.go:9"],
    }
    assert {symbol: bound_lines(tree, symbol) for symbol in places} == places


def test_a_value_of_a_struct_is_of_no_type_that_embeds_it(make_workspace: Maker) -> None:
    code = (
        "package a\n\ntype Left struct{}\n\nfunc (Left) Go() {}\n\ntype Right struct{}\n\n"
        "func (Right) Go() {}\n\ntype Pair struct {\n\tLeft\n\tRight\n}\n\n"
        "func (Pair) Go() {}\n\nfunc f(p Pair) {\n\tp.Left.Go()\n\tp.Right.Go()\n\tp.Go()\n}\n"
    )
    tree = make_workspace({"go.mod": "module x.com/a\n", "a.go": code})
    found = {name: bound_lines(tree, f"a.go#{name}.Go") for name in ("Left", "Right", "Pair")}
    assert found == {"Left": ["a.go:19"], "Right": ["a.go:20"], "Pair": ["a.go:21"]}


INTERFACES = {
    "go.mod": "module x.com/shop\n",
    "a/a.go": (
        "package a\n\ntype Opts struct{}\n\ntype Goes interface{ Go(o Opts) *Opts }\n\n"
        "type Gets[T any] interface{ Get(t []T) T }\n\ntype Goer struct{}\n\n"
        "func (Goer) Go(x Opts) *Opts { return nil }\n\ntype Box struct{}\n\n"
        "func (Box) Get(t []int) int { return 0 }\n\ntype Shelf struct{}\n\n"
        "func (Shelf) Get(t int) int { return 0 }\n\ntype Other struct{}\n\n"
        "func (Other) Go(x Opts) *Opts { return nil }\n\n"
        "type Both struct {\n\tGoer\n\tOther\n}\n\ntype Nearer struct {\n\tGoer\n\tDeep\n}\n\n"
        "type Deep struct{ Other }\n\ntype Hidden struct {\n\tGo int\n\tGoer2\n}\n\n"
        "type Goer2 struct{ Goer }\n"
    ),
    "b/b.go": (
        'package b\n\nimport "x.com/shop/a"\n\ntype Opts struct{}\n\ntype Same struct{}\n\n'
        "func (Same) Go(x a.Opts) *a.Opts { return nil }\n\ntype Own struct{}\n\n"
        "func (Own) Go(x Opts) *Opts { return nil }\n"
    ),
}


def test_methods_of_interfaces_are_told_by_types_and_depth(make_workspace: Maker) -> None:
    """Types of one name in two packages are two, a type parameter is any type, and of two embedded
    methods of one name at one depth a type has none, as of one that a field hides."""
    tree = make_workspace(INTERFACES)
    found = {
        name: sorted(
            item.name for item in tree.hierarchy(name, direction="subtypes", depth=1).items
        )
        for name in ("Goes", "Gets")
    }
    assert found == {
        "Goes": ["Deep", "Goer", "Goer2", "Nearer", "Other", "Same"],
        "Gets": ["Box"],
    }
    above = {
        name: [item.name for item in tree.hierarchy(name, direction="supertypes", depth=1).items]
        for name in ("Both", "Own", "Hidden", "Same", "Box")
    }
    assert above == {
        "Both": ["Goer", "Other"],
        "Own": [],
        "Hidden": ["Goer2"],
        "Same": ["Goes"],
        "Box": ["Gets"],
    }
