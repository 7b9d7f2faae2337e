"""References in Swift are bound by the types of one module, its extensions and declared types."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "Sources/Item.swift": "class Item { func add() {}; func map(_ f: Any) -> Cart { Cart() } }\n",
    "Sources/Cart.swift": (
        "class Cart: Base<Item>, Codable {\n  let item: Item\n  var made = Item()\n  static let shared = Cart()\n"
        "  func add() {}\n  func one() -> Item? { nil }\n  func own() -> Self { self }\n"
        "  struct In { func add() {} }\n}\nenum Hue { case red; func add() {} }\nenum Mode { case red }\n"
        "struct Tag { let item: Int }\n"
    ),
    "Sources/Base.swift": "class Base<T: Item> {\n  var kept: T\n  func up() {}\n}\n",
    "Sources/More.swift": (
        "protocol Face { func look() }\nextension Face { func show() {} }\n"
        "extension Cart: Face {\n  func look() { item.add(); self.made.add(); add() }\n}\n"
        "extension String { func add() {} }\n"
    ),
}

ITEM, CART = "Sources/Item.swift#Item.add", "Sources/Cart.swift#Cart.add"
INNER, HUE = "Sources/Cart.swift#Cart.In.add", "Sources/Cart.swift#Hue.add"
RED, MODE = "Sources/Cart.swift#Hue.red", "Sources/Cart.swift#Mode.red"
UP, SHOW, TEXT = (
    "Sources/Base.swift#Base.up",
    "Sources/More.swift#Face.show",
    "Sources/More.swift#String.add",
)

CASES: dict[str, tuple[str, dict[str, list[str]]]] = {
    # by name: the body of a method in line 3, and the uses of each symbol
    "a value": ("let x = Item(); x.add()", {ITEM: ["3"], CART: []}),
    "a maker": ("let x = Item.init(); x.add()", {ITEM: ["3"], CART: []}),
    "a type": ("let x: Cart? = c(); x?.add(); x!.add()", {CART: ["3", "3"], ITEM: []}),
    "a member of an optional itself": (
        "let x: Item? = c(); x.map { $0 }; x?.map { $0 }; x!.map { $0 }; f(x.map { $0 }.add())",
        {"Sources/Item.swift#Item.map": ["3?", "3", "3", "3?"], ITEM: ["3?"]},
    ),
    "some and any": ("func g(x: some Face, y: any Face) { x.show(); y.show() }", {SHOW: ["3", "3"]}),
    "a nested type": ("let x = Cart.In(); x.add()", {INNER: ["3"], CART: []}),
    "a static": ("Cart.shared.add()", {CART: ["3"], ITEM: []}),
    "a case": ("Hue.red.add()", {HUE: ["3"], CART: []}),
    "properties": ("Cart.shared.item.add(); Cart.shared.made.add()", {ITEM: ["3", "3"], CART: []}),
    "results": ("Cart.shared.one()?.add(); Cart.shared.own().add()", {ITEM: ["3"], CART: ["3"]}),
    "a type parameter": ("Cart.shared.kept.add()", {ITEM: ["3"], CART: []}),
    "an inherited method": ("Cart.shared.up()", {UP: ["3"]}),
    "a base that an extension names": ("Cart.shared.show()", {SHOW: ["3"]}),
    "an extension of a library's type": ("let x: String = c(); x.add()", {TEXT: ["3?"], CART: []}),
    "guard and if": (
        "guard let x = y as? Item else { return }; x.add(); if let z = Cart.shared.one() { z.add() }",
        {ITEM: ["3", "3"], CART: []},
    ),
    "shorter if": ("func g(x: Item?) { if let x { x.add() } }", {ITEM: ["3"], CART: []}),
    "a closure": ("f { x in x.add() }; g { $0.add() }", {ITEM: ["3?", "3?"]}),
    "a loop": ("for x in y { x.add() }", {ITEM: ["3?"], CART: ["3?"]}),
    "elements": ("let x: [Item] = []; x.first?.add()", {ITEM: ["3?"], CART: ["3?"]}),
    "a case in a pattern": (
        "func g(x: Hue, y: Any) { switch x { case .red: 1 }; switch x { case let .red: 1 }; switch (x, 1) { case (.red, 1): 1 } }",
        {RED: ["3", "3", "3?"], MODE: ["3?"]},
    ),
    "a case of a declared type": (
        "func g(x: Hue) -> Mode { let y: Hue = .red; if x == .red {}; z(.red); return .red }",
        {RED: ["3", "3", "3?"], MODE: ["3?", "3"]},
    ),
    "a case of an unknown type": ("switch y() { case .red: 1 }", {RED: ["3?"], MODE: ["3?"]}),
    "a key path": (r"y.map(\.item); y.map(\Cart.item)", {"Sources/Cart.swift#Cart.item": ["3?", "3"]}),
    "an own property": ("own.add(); self.own.add()", {ITEM: ["3", "3"], CART: []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    body, expected = CASES[name]
    code = f"import Foundation\nclass Use {{ let own: Item\n func f() {{ {body} }} }}\n"
    tree = make_workspace({**BASE, "Sources/Use.swift": code})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if "Use.swift" in line]
        assert found == [f"Sources/Use.swift:{line}" for line in lines], symbol


def test_an_extension_sees_the_members_of_its_type(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    assert bound_lines(tree, ITEM) == ["Sources/More.swift:4"] * 2


def test_a_method_may_have_overloads_in_extensions(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "Sources/Over.swift": "extension Cart { func add(two: Int) {} }\n",
        "Sources/Use.swift": "func f(x: Cart) { x.add(two: 2) }\n",
    })  # fmt: skip
    assert "Sources/Use.swift:1?" in bound_lines(tree, "Sources/Over.swift#Cart.add")
    assert bound_lines(tree, ITEM) == ["Sources/More.swift:4"] * 2


def test_bases_are_bound(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    below = tree.hierarchy("Sources/More.swift#Face", direction="subtypes")
    assert [item.name for item in below.items] == ["Cart"]
    assert not tree.hierarchy("Sources/Item.swift#Item", direction="subtypes").items
    above = tree.hierarchy("Sources/Cart.swift#Cart", direction="supertypes")
    assert [item.name for item in above.items] == ["Base", "Face"]


def test_a_member_that_two_modules_add_to_a_type_is_that_of_the_own_module(
    make_workspace: Maker,
) -> None:
    more = "extension Channel {\n  func drain() -> Int { 1 }\n  func own() { self.drain() }\n}\n"
    use = "func use(c: Channel) { c.drain() }\n"
    tree = make_workspace({
        "Sources/Base/channel.swift": "public final class Channel {}\n",
        "Sources/One/a.swift": more,
        "Sources/One/use/use.swift": use,
        "Sources/Two/b.swift": more,
        "Sources/Three/c.swift": use,
    })  # fmt: skip
    uses = {
        "Sources/One/a.swift": ("Sources/One/a.swift:3", "Sources/One/use/use.swift:1"),
        "Sources/Two/b.swift": ("Sources/Two/b.swift:3",),
    }
    places = {*uses["Sources/One/a.swift"], *uses["Sources/Two/b.swift"], "Sources/Three/c.swift:1"}
    for path, own in uses.items():
        found = bound_lines(tree, f"{path}#Channel.drain")
        assert found == sorted(place if place in own else f"{place}?" for place in places)


def test_the_sign_before_a_wrapped_property_is_no_part_of_its_name(make_workspace: Maker) -> None:
    code = (
        "class Model {\n  @Published var box = 1\n  func f() { $box.sink { }; self.$box.x() }\n}\n"
        "class Other {\n  @Published var box = 1\n  func f(m: Model) { m.$box.sink { } }\n}\n"
    )
    tree = make_workspace({"Sources/a.swift": code})
    uses = ["Sources/a.swift:3", "Sources/a.swift:3", "Sources/a.swift:7"]
    assert bound_lines(tree, "Sources/a.swift#Model.box") == uses
    assert bound_lines(tree, "Sources/a.swift#Other.box") == []


def test_a_type_in_a_type_of_a_library_is_not_certainly_that_of_the_tree(
    make_workspace: Maker,
) -> None:
    code = (
        "enum Encoder { enum DateStrategy { case a } }\n"
        "func f(a: JSONEncoder.DateStrategy) {}\nfunc g(a: Encoder.DateStrategy) {}\n"
    )
    tree = make_workspace({"Sources/a.swift": code})
    found = bound_lines(tree, "Sources/a.swift#Encoder.DateStrategy")
    assert found == ["Sources/a.swift:2?", "Sources/a.swift:3"]


def test_a_condition_for_the_compiler_names_no_type(make_workspace: Maker) -> None:
    code = "#if canImport(Plugin)\nimport Plugin\n#endif\nstruct Plugin {}\nlet a = Plugin()\n"
    tree = make_workspace({"Sources/a.swift": code})
    assert bound_lines(tree, "Sources/a.swift#Plugin") == ["Sources/a.swift:5"]


def test_elements_are_of_the_type_that_their_collection_is_declared_with(
    make_workspace: Maker,
) -> None:
    code = (
        "class One { func go() {} }\nclass Two { func go() {} }\n"
        "func f(all: [One], any: [Two]?, by: [String: One]) {\n  for one in all { one.go() }\n"
        '  all.forEach { one in one.go() }\n  by["a"]?.go()\n  all[0].go()\n'
        "  for two in any! { two.go() }\n  all.go()\n  for pair in by { pair.go() }\n}\n"
    )
    tree = make_workspace({"Sources/a.swift": code})
    assert bound_lines(tree, "Sources/a.swift#One.go") == [
        *(f"Sources/a.swift:{line}" for line in (4, 5, 6, 7)),
        "Sources/a.swift:10?",
    ]
    assert bound_lines(tree, "Sources/a.swift#Two.go") == [
        "Sources/a.swift:8",
        "Sources/a.swift:10?",
    ]


def test_a_statement_that_unwraps_a_value_declares_another(make_workspace: Maker) -> None:
    code = (
        "class View {\n  var request: Int?\n  func go() {\n"
        "    if let request = request as? Data {\n      request.one()\n    }\n"
        "    guard let request = request else { return }\n    request.two()\n  }\n}\n"
    )
    tree = make_workspace({"Sources/a.swift": code})
    found = bound_lines(tree, "Sources/a.swift#View.request")
    assert found == ["Sources/a.swift:4", "Sources/a.swift:7"]


def test_a_member_behind_a_sign_alone_is_one_of_the_expected_type(make_workspace: Maker) -> None:
    code = (
        "struct Encoding {\n  enum Target { case body, query }\n"
        "  static var body: Encoding {\n    Encoding(target: .body)\n  }\n}\n"
    )
    tree = make_workspace({"Sources/a.swift": code})
    for owner in ("Encoding", "Encoding.Target"):
        assert bound_lines(tree, f"Sources/a.swift#{owner}.body") == ["Sources/a.swift:4?"]
