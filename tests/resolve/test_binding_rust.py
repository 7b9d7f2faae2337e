"""References in Rust are bound by crates, paths, implementations and declared types."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "Cargo.toml": '[workspace]\nmembers = ["*"]\n',
    "my-shop/Cargo.toml": '[package]\nname = "my-shop"\n[dependencies]\nlib = "1"\n',
    "my-shop/src/lib.rs": (
        "pub mod cart;\npub mod item;\nmod user;\npub use cart::{Cart, Run};\n"
        "pub use item::inner::Deep as Thing;\n"
    ),
    "my-shop/src/cart.rs": (
        "use super::item::*;\npub struct Cart { pub item: Item, pub id: u8 }\n"
        "impl Cart {\n  pub fn new() -> Self { Cart {} }\n  pub fn add(&self) {}\n"
        "  pub fn item(&self) -> Option<&Item> {}\n"
        "  pub fn open() -> Result<Self, E> {}\n"
        "  pub const ONE: Cart = Cart {};\n}\n"
        "pub trait Run { fn run(&self) {} fn late(&self) {} }\nimpl Run for Cart { fn run(&self) {} }\n"
        "pub struct Held;\nimpl std::ops::Deref for Held { type Target = Cart; }\n"
    ),
    "my-shop/src/item/mod.rs": (
        "pub mod inner;\npub struct Item;\nimpl Item { pub fn add(&self) {} pub fn new() -> Item {} }\n"
        "pub enum Hue { Red, Blue, Dot { id: u8 } }\nimpl Hue { pub fn add(&self) {} }\npub fn make() -> Item {}\n"
    ),
    "my-shop/src/item/inner.rs": "pub struct Deep;\nimpl Deep { pub fn add(&self) {} }\n",
    "other/Cargo.toml": '[package]\nname = "other"\n[dependencies]\nmy-shop = { path = "../my-shop" }\n',
    "other/src/lib.rs": "mod cart;\nmod more;\nmod user;\n",
    "other/src/cart.rs": "pub struct Cart;\nimpl Cart { pub fn up(&self) {} }\n",
    "other/src/more.rs": "use my_shop::Cart;\nimpl Cart { pub fn more(&self) -> &Self {} }\n",
}  # fmt: skip

CART, ITEM = "my-shop/src/cart.rs#Cart.add", "my-shop/src/item/mod.rs#Item.add"
DEEP, HUE = "my-shop/src/item/inner.rs#Deep.add", "my-shop/src/item/mod.rs#Hue.add"
RUN, CART_RUN = "my-shop/src/cart.rs#Run.run", "my-shop/src/cart.rs#Cart.run"
LATE, UP, MORE = (
    "my-shop/src/cart.rs#Run.late", "other/src/cart.rs#Cart.up", "other/src/more.rs#Cart.more",
)  # fmt: skip
MAKE, RED = "my-shop/src/item/mod.rs#make", "my-shop/src/item/mod.rs#Hue.Red"
ID, DOT = "my-shop/src/cart.rs#Cart.id", "my-shop/src/item/mod.rs#Hue.Dot.id"

HERE, THERE = "my-shop/src/user.rs", "other/src/user.rs"

CASES: dict[str, tuple[str, str, str, dict[str, list[str]]]] = {
    # by name: the file, its head, the body of a function in line 2, and the uses of each symbol
    "a path": (HERE, "", "crate::item::Item::new().add();", {ITEM: ["2"], CART: []}),
    "an import": (HERE, "use crate::cart::Cart;", "Cart::new().add();", {CART: ["2"], ITEM: []}),
    "a group": (
        HERE, "use crate::{cart::Cart as C, item::{self, Item}};",
        "C::new().add(); Item::new().add(); item::make().add();",
        {CART: ["2"], ITEM: ["2", "2"], MAKE: ["2"]},
    ),
    "a nested group": (
        HERE, "use crate::{item::{inner::{Deep}}};", "let x: Deep = y; x.add();",
        {DEEP: ["2"], ITEM: []},
    ),
    "a name from another file": (HERE, "use crate::Thing;", "let x: Thing = y; x.add();", {DEEP: ["2"], CART: []}),
    "a glob": (HERE, "use super::*;", "let x = Cart::new(); x.add();", {CART: ["2"], ITEM: []}),
    "an enum": (HERE, "use crate::item::Hue::*;", "Red.add(); Red;", {HUE: ["2"], RED: ["2", "2"]}),
    "another crate": (THERE, "use my_shop::Cart;", "Cart::new().add();", {CART: ["2"], UP: []}),
    "a namesake": (THERE, "use crate::cart::Cart;", "let x: Cart = y; x.up(); x.add();", {UP: ["2"], CART: []}),
    "an implementation in another file": (
        THERE, "use my_shop::Cart;", "Cart::new().more().add();", {MORE: ["2"], CART: ["2"], ITEM: []},
    ),
    "a library": (HERE, "use lib::Item;", "let x: Item = y; x.add();", {ITEM: [], CART: []}),
    "a value of the standard library": (
        HERE, "", "let x: Vec<crate::cart::Cart> = y; x.add();", {ITEM: [], CART: []},
    ),
    "a field and a method of one name": (
        HERE, "use crate::Cart;", "let x: &mut Cart = y; x.item.add();", {ITEM: ["2"], CART: []},
    ),
    "a pointer": (
        HERE, "use crate::Cart;", "let x: Arc<Box<Cart>> = y; x.clone().add();", {CART: ["2"], ITEM: []},
    ),
    "a box that is opened": (
        HERE, "use crate::Cart;",
        "let x = Cart::open()?; x.add(); x.item().unwrap().add(); Cart::open().unwrap().item()?.add();",
        {CART: ["2"], ITEM: ["2", "2"]},
    ),
    "a box that is not": (HERE, "use crate::Cart;", "Cart::open().add(); x.item().add();", {CART: ["2?"], ITEM: ["2?"]}),
    "a structure": (HERE, "use crate::Cart;", "let x = &Cart { id: 1 }; x.add();", {CART: ["2"], ITEM: []}),
    "a constant": (HERE, "use crate::Cart;", "Cart::ONE.add();", {CART: ["2"], ITEM: []}),
    "a pattern": (HERE, "use crate::Cart;", "let y = Cart::new(); if let Some(y) = x { y.add(); }", {CART: ["2?"], ITEM: ["2?"]}),
    "a closure": (HERE, "use crate::Cart;", "let x = Cart::new(); z(|x| x.add());", {CART: ["2?"], ITEM: ["2?"]}),
    "a method of a trait": (
        HERE, "use crate::{Cart, Run};", "let x = Cart::new(); x.run(); x.late();",
        {CART_RUN: ["2"], RUN: [], LATE: ["2"]},
    ),
    "a value of a trait": (
        HERE, "use crate::{Cart, Run};", "let x: Box<dyn Run> = y; x.run();", {CART_RUN: ["2?"], RUN: ["2"]},
    ),
    "a field in a pattern": (
        HERE, "use crate::Cart;",
        "let Cart { id: x, .. } = y; match y { Cart { id, .. } => {}, crate::item::Hue::Dot { id } => {}, Un { id } => {} }",
        {ID: ["2", "2"], DOT: ["2"]},
    ),
    "a field in a literal": (
        HERE, "use crate::Cart;", "let id = 1; Cart { id: 1, item: y }; Cart { id, item: y };", {ID: ["2", "2"], DOT: []},
    ),
    "a field of a variant": (
        HERE, "use crate::item::Hue;", "if let Hue::Dot { id } = y { Hue::Dot { id: 2 }; }", {ID: [], DOT: ["2", "2"]},
    ),
    "a pointer by its whole name": (
        HERE, "use crate::Cart;", "let x = std::sync::Arc::new(Cart::new()); x.add();", {CART: ["2?"], ITEM: ["2?"]},
    ),
    "a target": (HERE, "use crate::cart::Held;", "let x: Held = y; x.add();", {CART: ["2"], ITEM: []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    path, head, body, expected = CASES[name]
    tree = make_workspace({**BASE, path: f"{head or 'use std;'}\nfn f() {{ {body} }}\n"})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if line.startswith(f"{path}:")]
        assert found == [f"{path}:{line}" for line in lines], symbol


def test_a_module_inside_a_file_sees_the_file_above_it(make_workspace: Maker) -> None:
    code = "use crate::Cart;\nmod tests {\n  use super::*;\n  fn f() { let x: Cart = y; x.add(); }\n}\n"
    tree = make_workspace({**BASE, HERE: code})
    assert bound_lines(tree, CART) == [f"{HERE}:4"]
    assert f"{HERE}:4" not in bound_lines(tree, ITEM)


def test_types_that_implement_a_trait_elsewhere(make_workspace: Maker) -> None:
    code = "use my_shop as shop;\npub struct Own;\nimpl<'a> shop::Run for &'a Own {}\n"
    tree = make_workspace({**BASE, THERE: code})
    below = tree.hierarchy("my-shop/src/cart.rs#Run", direction="subtypes")
    assert sorted(item.name for item in below.items) == ["Cart", "Own"]
    above = tree.hierarchy(f"{THERE}#Own", direction="supertypes")
    assert [item.name for item in above.items] == ["Run"]


@pytest.mark.parametrize("head", ["impl<V: Run> S<V>", "impl<V> S<V> where V: Run"])
def test_a_parameter_of_an_implementation_has_its_bounds(make_workspace: Maker, head: str) -> None:
    code = f"use crate::Run;\nstruct S<V>(V);\n{head} {{ fn f() {{ V::late(); }} }}\n"
    assert bound_lines(make_workspace({**BASE, HERE: code}), LATE) == [f"{HERE}:3"]


def test_a_module_inside_a_file_hides_no_module_that_it_imports(make_workspace: Maker) -> None:
    root = "mod cart;\nmod more;\nmod user;\nmod tests { use crate::cart; }\n"
    code = "use crate::cart::Cart;\nfn f() { let x: Cart = y; x.up(); }\n"
    tree = make_workspace({**BASE, "other/src/lib.rs": root, THERE: code})
    assert bound_lines(tree, UP) == [f"{THERE}:2"]


def test_a_function_that_is_called_like_its_module(make_workspace: Maker) -> None:
    root = "mod cart;\nmod more;\nmod user;\nmod go;\npub use crate::go::go;\n"
    own = "pub fn go() {}\npub fn on() {}\n"
    code = "use crate::go;\nfn f() { crate::go(); go();\ncrate::go::on(); go::on(); }\n"
    tree = make_workspace({**BASE, "other/src/lib.rs": root, "other/src/go.rs": own, THERE: code})
    assert bound_lines(tree, "other/src/go.rs#on") == [f"{THERE}:3", f"{THERE}:3"]
    assert bound_lines(tree, "other/src/go.rs#go") == [
        "other/src/lib.rs:4?", f"{THERE}:2", f"{THERE}:2", f"{THERE}:3?", f"{THERE}:3?",
    ]  # fmt: skip


def test_an_alias_that_a_condition_chooses(make_workspace: Maker) -> None:
    code = (
        "use crate::{cart::Cart, item::Item};\n#[cfg(a)]\ntype N = Cart;\n"
        "#[cfg(not(a))]\ntype N = Item;\nfn f(x: N) { x.add(); N::new().add(); }\n"
    )
    tree = make_workspace({**BASE, HERE: code})
    assert bound_lines(tree, CART) == [f"{HERE}:6?", f"{HERE}:6?"]
    assert bound_lines(tree, ITEM) == [f"{HERE}:6?", f"{HERE}:6?"]


def test_a_type_of_an_implementation_is_named_after_its_type(make_workspace: Maker) -> None:
    code = (
        "use crate::Cart;\ntrait Reads { type Err; fn r(); }\n"
        "impl Reads for Cart { type Err = u8; fn r() {\nlet x: Self::Err = 1; } }\n"
        "fn g() { Err(1) }\n"
    )
    tree = make_workspace({**BASE, HERE: code})
    assert bound_lines(tree, f"{HERE}#Cart.Err") == [f"{HERE}:4"]


def test_a_module_inside_a_file_sees_only_what_it_imports(make_workspace: Maker) -> None:
    code = (
        "pub fn total() {}\npub fn own() { total(); }\npub mod a {\n    pub fn total() {}\n"
        "    pub fn f() { total(); }\n}\npub mod b {\n    pub fn f() { super::total(); total(); }\n"
        "    macro_rules! twice { () => {} }\n    pub fn g() { twice!(); }\n}\n"
    )
    tree = make_workspace({"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": code})
    assert bound_lines(tree, "src/lib.rs#total") == ["src/lib.rs:2", "src/lib.rs:8"]
    assert bound_lines(tree, "src/lib.rs#a.total") == ["src/lib.rs:5"]
    with_all = code.replace("pub mod b {\n", "pub mod b {\n    use super::*;\n")
    tree = make_workspace({"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": with_all})
    lines = ["src/lib.rs:2", "src/lib.rs:9", "src/lib.rs:9"]
    assert bound_lines(tree, "src/lib.rs#total") == lines
    in_line = with_all.replace("{\n    use", "{ use")
    tree = make_workspace({"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": in_line})
    assert len(bound_lines(tree, "src/lib.rs#total")) == 3


def test_a_derived_default_makes_a_value_of_its_type(make_workspace: Maker) -> None:
    code = (
        "#[derive(Default)]\npub struct Errs;\nimpl Errs { pub fn push(&mut self) {} }\n"
        "pub fn a() { let mut e = Errs::default(); e.push(); }\n"
    )
    tree = make_workspace({"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": code})
    assert bound_lines(tree, "src/lib.rs#Errs.push") == ["src/lib.rs:4"]


def test_a_pointer_is_cloned_itself(make_workspace: Maker) -> None:
    tree = make_workspace({
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": (
            "use std::sync::Arc;\npub struct Item;\nimpl Clone for Item {\n"
            "  fn clone(&self) -> Self { Item }\n}\npub struct Other;\nimpl Clone for Other {\n"
            "  fn clone(&self) -> Self { Other }\n}\npub struct Shop { item: Arc<Item> }\nimpl Shop {\n"
            "  fn one(&self, x: &Arc<Item>) {\n    x.clone();\n    self.item.clone();\n"
            "    self.item.clone().clone();\n    (*self.item).clone();\n    x.as_ref().clone();\n  }\n}\n"
            "fn two(x: Item, y: std::cell::Ref<Item>) {\n  x.clone();\n  y.clone();\n}\n"
            "impl Item {\n  fn own(self: &Arc<Self>) {\n    self.clone();\n  }\n}\n"
        ),
    })  # fmt: skip
    assert bound_lines(tree, "src/lib.rs#Item.clone") == [
        f"src/lib.rs:{line}" for line in (16, 17, 21, 22)
    ]


DERIVED = {
    "Cargo.toml": '[package]\nname = "mine"\n[dependencies]\nmine_derive = { path = "derive" }\n',
    "derive/Cargo.toml": '[package]\nname = "mine_derive"\n[lib]\nproc-macro = true\n',
    "derive/src/lib.rs": "#[proc_macro_derive(Draw, attributes(value))]\npub fn draw(input: TokenStream) -> TokenStream { input }\n",
    "src/lib.rs": "pub mod shapes;\nmod core;\npub use core::*;\npub use mine_derive::{self, Draw};\n",
    "src/core.rs": "pub use crate::traits::{Draw, Other};\n",
    "src/traits.rs": "pub trait Draw { fn draw_it(&self) {} }\npub trait Other {}\n",
    "src/shapes.rs": (
        "#[derive(Debug, Draw)]\n#[allow(x)]\nenum Far { X }\n"  # nothing brings the name in
        "#[derive(crate::Draw)]\nstruct Whole;\n"
        "fn f(a: Whole) { a.draw_it(); }\n"
    ),
    "tests/use.rs": (
        "use mine::Draw;\n/// Doc.\n#[derive(Clone, Draw)]\n/// more\n#[repr(C)]\npub struct A { x: i32 }\n"
        "#[cfg_attr(feature = \"y\", derive(Draw, Serialize))]\nstruct B(u8);\n"
        "fn test() {\n    #[derive(Draw)]\n    enum C { X }\n    C::X.draw_it();\n}\n"
        "#[other(Draw)]\nstruct D;\n"
    ),
}  # fmt: skip


def test_a_trait_that_is_derived_is_above_its_type(make_workspace: Maker) -> None:
    tree = make_workspace(DERIVED)
    below = tree.hierarchy("src/traits.rs#Draw", direction="subtypes")
    assert [(item.name, item.is_unsure) for item in below.items] == [
        ("Whole", False),
        ("A", False),
        ("B", False),
        ("test.C", False),
        ("Far", True),
    ]
    above = tree.hierarchy("tests/use.rs#B", direction="supertypes")
    assert [item.id for item in above.items] == ["src/traits.rs#Draw"]
    assert above.outside == ["Serialize"]
    assert bound_lines(tree, "src/traits.rs#Draw.draw_it") == ["src/shapes.rs:6", "tests/use.rs:12"]


def test_of_two_imports_of_all_names_a_condition_chooses_one(make_workspace: Maker) -> None:
    code = (
        "#[cfg(unix)]\nmod one { pub fn open() {} pub struct Handle; impl Handle { pub fn close(&self) {} } }\n"
        "#[cfg(unix)]\npub use one::*;\n"
        "#[cfg(windows)]\nmod two { pub fn open() {} pub struct Handle; impl Handle { pub fn close(&self) {} } }\n"
        "#[cfg(windows)]\npub use two::*;\n"
        "pub fn go(h: Handle) {\n    open();\n    h.close();\n}\n"
    )
    tree = make_workspace({"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": code})
    for module in ("one", "two"):
        assert bound_lines(tree, f"src/lib.rs#{module}.open") == ["src/lib.rs:10?"]
        assert bound_lines(tree, f"src/lib.rs#{module}.Handle.close") == ["src/lib.rs:11?"]
        assert bound_lines(tree, f"src/lib.rs#{module}.Handle")[-1] == "src/lib.rs:9?"


def test_a_trait_is_beside_a_macro_and_a_function_of_its_name(make_workspace: Maker) -> None:
    crate = '[package]\nname = "{}"\n'
    derives = (
        "#[proc_macro_derive(Named)]\npub fn derive_named(input: TokenStream) -> TokenStream { input }\n"
        "#[proc_macro_derive(Other)]\npub fn Named(input: TokenStream) -> TokenStream { input }\n"
    )
    files = {
        "Cargo.toml": f'{crate.format("top")}[dependencies]\ncore2 = {{ path = "core" }}\nder = {{ path = "der" }}\n',
        "core/Cargo.toml": crate.format("core2"),
        "core/src/lib.rs": "pub trait Named { fn name(&self) -> u8; }\n",
        "der/Cargo.toml": f"{crate.format('der')}[lib]\nproc-macro = true\n",
        "der/src/lib.rs": derives,
        "src/lib.rs": "pub use core2::*;\npub use der::Named;\n",
        "examples/e.rs": "use top::Named;\nstruct Mode;\nimpl Named for Mode { fn name(&self) -> u8 { 1 } }\nfn f(n: &dyn Named) -> u8 {\n    n.name()\n}\n",
    }
    tree = make_workspace({**files})
    assert bound_lines(tree, "core/src/lib.rs#Named") == ["examples/e.rs:3", "examples/e.rs:4"]
    assert bound_lines(tree, "core/src/lib.rs#Named.name") == ["examples/e.rs:5"]


def test_a_derived_name_is_the_macro_and_any_other_the_trait(make_workspace: Maker) -> None:
    names = {"top": "pub use core2::*;\npub use der::Named;\n", "core2": "pub trait Named {}\n"}
    names["der"] = "#[proc_macro_derive(Named)]\npub fn named() {}\n"
    code = (
        "use top::Named;\nstruct A;\nimpl Named for A {}\n#[derive(Clone, Named)]\nstruct B;\n"
        "#[cfg_attr(x, derive(top::Named))]\nstruct C;\n"
    )
    tree = make_workspace({
        **{f"{name}/src/lib.rs": text for name, text in names.items()},
        **{f"{name}/Cargo.toml": f'[package]\nname = "{name}"\n' for name in names},
        "top/examples/e.rs": code,
    })  # fmt: skip
    path = "top/examples/e.rs"
    assert bound_lines(tree, "core2/src/lib.rs#Named") == [f"{path}:3"]
    assert bound_lines(tree, "der/src/lib.rs#Named") == [f"{path}:4", f"{path}:6"]


def test_a_crate_without_its_root_is_a_folder_around_the_file(make_workspace: Maker) -> None:
    code = "use crate::a::Base as Root;\nuse super::a::Cart;\nimpl Root for Cart {}\n"
    tree = make_workspace({
        "x/a.rs": "pub trait Base {}\npub struct Cart;\n",
        "x/b.rs": code,
        "x/y/c.rs": "fn f() { crate::y::d::go(); super::d::go(); crate::a::Cart; }\n",
        "x/y/d.rs": "pub fn go() {}\n",
    })  # fmt: skip
    assert bound_lines(tree, "x/a.rs#Base") == ["x/b.rs:3"]
    assert bound_lines(tree, "x/a.rs#Cart") == ["x/b.rs:3", "x/y/c.rs:1"]
    assert bound_lines(tree, "x/y/d.rs#go") == ["x/y/c.rs:1", "x/y/c.rs:1"]


def test_elements_of_collections(make_workspace: Maker) -> None:
    code = (
        "use crate::{Cart, item::Item};\nfn f(v: &Vec<Cart>, w: Vec<Item>) {\nfor x in v { x.add(); }\n"
        "for x in v.iter() { x.add(); }\nv[0].add();\nfor x in &v[1..] { x.add(); }\nlet s = &v[1..];\ns.add();\n"
        "let all: Vec<_> = y();\nfor x in all { x.add(); }\n}\n"
    )
    tree = make_workspace({**BASE, HERE: code})
    lines = [f"{HERE}:{line}" for line in ("3", "4", "5", "6", "10?")]
    assert bound_lines(tree, CART) == lines
    assert bound_lines(tree, ITEM) == lines[-1:]


def test_what_a_type_parameter_stands_for_is_not_its_bound(make_workspace: Maker) -> None:
    code = (
        "use crate::{Cart, Run};\nstruct Held<T: Run> { one: T }\nimpl<T: Run> Held<T> { fn f(&self) {\nself.one.run();\n} }\n"
        "fn g(a: Held<Cart>) {\nlet b = Held { one: Cart::new() };\na.one.run();\nb.one.run();\n}\n"
    )
    tree = make_workspace({**BASE, HERE: code})
    assert bound_lines(tree, RUN) == [f"{HERE}:4", f"{HERE}:9?"]
    assert bound_lines(tree, CART_RUN) == [f"{HERE}:4?", f"{HERE}:8", f"{HERE}:9?"]


def test_a_key_of_a_literal_is_a_field_and_no_method(make_workspace: Maker) -> None:
    code = "pub struct Own { n: u8 }\nimpl Own {\nfn n(&self) {}\nfn new() -> Self { Self { n: 1 } }\n}\n"
    tree = make_workspace({**BASE, HERE: code})
    assert bound_lines(tree, f"{HERE}#Own.n") == [f"{HERE}:4"]
    assert bound_lines(tree, f"{HERE}#Own.n~2") == []
