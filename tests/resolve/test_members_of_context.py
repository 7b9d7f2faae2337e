"""A name behind a dot that has no receiver is a member of the type that the code around tells, and
no scope binds it."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = (
    "enum Hue { case red, blue(Int); static let best = Hue.red }\n"
    "enum Mode { case red }\n"
    "struct Cart { var hue: Hue; var mode: Mode; func red() {}; func best() {}\n"
    "  func put(_ n: Int, _ h: Hue, in m: Mode) {}; func any<T: Hashable>(_ t: T) {}\n"
    "  func go(red: Int) { %s }\n}\n"
)
HUE, MODE, METHOD = "a.swift#Hue.red", "a.swift#Mode.red", "a.swift#Cart.red"

CASES: dict[str, tuple[str, dict[str, list[str]]]] = {
    # by name: the body of a method in line 5, and how the uses of each symbol are marked
    "an argument": ("put(1, .red); self.put(1, .red)", {HUE: ["", ""], MODE: []}),
    "a label": ("put(1, x, in: .red); put(in: .red)", {HUE: [], MODE: ["", ""]}),
    "a call": ("put(1, .blue(2))", {"a.swift#Hue.blue": [""]}),
    "a member without a constructor": (
        "let c = Cart(hue: .red, mode: x)",
        {HUE: [""], MODE: [], METHOD: []},
    ),
    "a type parameter": ("any(.red)", {HUE: ["?"], MODE: ["?"], METHOD: []}),
    "an unknown function": ("other(.red)", {HUE: ["?"], MODE: ["?"], METHOD: []}),
    "an assignment": ("hue = .red", {HUE: [""], MODE: []}),
    "a comparison": ("if hue == .red, mode != .red {}", {HUE: [""], MODE: [""]}),
    "a pattern": (
        "if case .red = hue {}; switch mode { case .red: 1 }; guard case .blue(let x) = hue else {}",
        {HUE: [""], MODE: [""], METHOD: [], "a.swift#Hue.blue": [""]},
    ),
    "a value": ("let x: Mode = .red; var y: Hue { .red }", {HUE: [""], MODE: [""]}),
    "a member of the type itself": (
        "put(1, .best)",
        {"a.swift#Hue.best": [""], "a.swift#Cart.best": []},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_member_is_one_of_the_type_around(make_workspace: Maker, name: str) -> None:
    body, expected = CASES[name]
    tree = make_workspace({"a.swift": BASE % body})
    for symbol, marks in expected.items():
        found = [line for line in bound_lines(tree, symbol) if line.startswith("a.swift:5")]
        assert found == [f"a.swift:5{mark}" for mark in marks], symbol


def test_the_definition_is_no_local_name_nor_a_method_around(make_workspace: Maker) -> None:
    tree = make_workspace({"a.swift": BASE % "\nput(1, .red)\nother(.red)\n"})
    bound, unknown = tree.symbol("a.swift:6:9"), tree.symbol("a.swift:7:8")
    assert bound.symbol is not None and bound.symbol.id == HUE
    assert "could not be bound" in str(unknown.notices)


def test_of_several_overloads_the_one_that_takes_such_a_member_is_meant(
    make_workspace: Maker,
) -> None:
    code = (
        "enum Hue { case red }\nstruct Shade: Codable {}\n"
        "struct Cart {\n  func put(_ h: Hue, as: Int) {}\n  func put(_ s: Shade) {}\n"
        "  func red() { put(.red) }\n}\n"
    )
    tree = make_workspace({"a.swift": code})
    assert bound_lines(tree, "a.swift#Hue.red") == ["a.swift:6"]


def test_a_private_symbol_is_seen_in_its_file_alone(make_workspace: Maker) -> None:
    code = (
        "private struct Step {}\nfunc %s() { Step() }\n"
        "extension Hue { fileprivate static var best: Hue { .red } }\n"
        "func use(x: Hue) { use(x: .best) }\n"
    )
    local = "func inner() {\n  struct Step {}\n  Step()\n}\n"
    tree = make_workspace({
        "a.swift": "enum Hue { case red }\n",
        "b.swift": code % "b",
        "c.swift": code % "c" + local,
    })  # fmt: skip
    for path in ("b.swift", "c.swift"):
        assert bound_lines(tree, f"{path}#Step") == [f"{path}:2"]
        assert bound_lines(tree, f"{path}#Hue.best") == [f"{path}:4"]
        found = tree.symbol(f"{path}:2:14")
        assert found.symbol is not None and found.symbol.id == f"{path}#Step"
    assert bound_lines(tree, "c.swift#inner.Step") == ["c.swift:7"]


def test_a_key_path_may_name_a_property_behind_its_sign(make_workspace: Maker) -> None:
    code = (
        "class Planet { @Field var star: Int }\nclass Moon { @Field var star: Int }\n"
        "let x = \\Planet.$star\nlet y = \\Moon.star\n"
    )
    tree = make_workspace({"a.swift": code})
    assert bound_lines(tree, "a.swift#Planet.star") == ["a.swift:3"]
    assert bound_lines(tree, "a.swift#Moon.star") == ["a.swift:4"]


def test_labels_are_no_certain_uses_of_a_property(make_workspace: Maker) -> None:
    code = (
        "struct Box { var size: Int\n  enum Kind { case small(size: Int), big }\n"
        "  func p() -> Int { let t = (size: 1, b: 2); return t.b }\n"
        "  init(old other: Int, size s: Int) {\n    self.size = s\n  }\n}\n"
    )
    lines = bound_lines(make_workspace({"a.swift": code}), "a.swift#Box.size")
    assert lines == ["a.swift:2?", "a.swift:3?", "a.swift:4?", "a.swift:5"]
