"""What inherits in a way of its own is in a hierarchy, or the answer says that something may."""

import pytest

from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

CASES: dict[str, tuple[str, str, str, list[str]]] = {
    # by name: a file, its code, a symbol, and what inherits from it or overrides it
    "a part of a type": (
        "a.ts",
        "export interface Cart { x: number }\nexport class Sub implements Partial<Cart> { x = 1 }\n"
        'export interface Less extends Pick<Cart, "x"> {}\n',
        "Cart",
        ["Sub", "Less"],
    ),
    "a companion without a name": (
        "a.kt",
        "interface Maker { fun make() }\n"
        "class Cart {\n  companion object : Maker { override fun make() {} }\n}\n",
        "Maker.make",
        ["Cart.make?"],
    ),
    "an entry": (
        "a.kt",
        "interface Run { fun run() }\n"
        "enum class Mode : Run {\n  FAST { override fun run() {} },\n  SLOW;\n"
        "  override fun run() {}\n}\n",
        "Run.run",
        ["Mode.FAST.run", "Mode.run"],
    ),
    "an entry of Java": (
        "A.java",
        "interface Run { void run(); }\n"
        "enum Mode implements Run {\n  FAST { public void run() {} };\n}\n",
        "Run.run",
        ["Mode.FAST.run"],
    ),
    "a box of a type": (
        "a.rs",
        "pub trait Run { fn run(&self); }\npub struct Cart;\n"
        "impl Run for Box<Cart> { fn run(&self) {} }\n",
        "Run",
        ["Box<Cart>"],
    ),
    "a prototype": (
        "a.js",
        "class Cart {}\nfunction Sub() {}\nSub.prototype = Object.create(Cart.prototype);\n"
        "function Other() {}\nObject.setPrototypeOf(Other.prototype, Cart.prototype);\n",
        "Cart",
        ["Sub", "Other"],
    ),
    "several protocols": (
        "a.swift",
        "protocol Run { func run() }\nprotocol Stop {}\ntypealias Both = Run & Stop\n"
        "class Cart: Both { func run() {} }\n",
        "Run.run",
        ["Cart.run"],
    ),
}


def _below(tree: Workspace, symbol: str) -> list[str]:
    items = tree.hierarchy(symbol, direction="subtypes").items
    return sorted(f"{one.name}{'?' if one.is_unsure else ''}" for one in items)


@pytest.mark.parametrize("name", CASES)
def test_a_subtype_is_found(make_workspace: Maker, name: str) -> None:
    path, code, symbol, expected = CASES[name]
    assert _below(make_workspace({path: code}), f"{path}#{symbol}") == sorted(expected)


def test_what_a_macro_implements_is_not_ruled_out(make_workspace: Maker) -> None:
    code = (
        "pub trait Run { fn run(&self); }\npub struct Cart;\n"
        "macro_rules! imp { ($t:ty) => { impl Run for $t { fn run(&self) {} } } }\nimp!(Cart);\n"
    )
    answer = make_workspace({"a.rs": code}).hierarchy("a.rs#Run.run", direction="subtypes")
    assert not answer.items
    assert [one.at for one in answer.may_inherit or ()] == ["a.rs:3"]


@pytest.mark.parametrize("suffix", ["kt", "java", "scala"])
def test_a_folder_is_no_package(make_workspace: Maker, suffix: str) -> None:
    run = {"kt": "fun run() {}", "java": "void run() {}", "scala": "def run() = {}"}[suffix]
    base = {"kt": "open class Base", "java": "class Base", "scala": "class Base"}[suffix]
    below = {"kt": ": Base()", "java": "extends Base", "scala": "extends Base"}[suffix]
    open_, over = ("open ", "override ") if suffix == "kt" else ("", "")
    over = "override " if suffix == "scala" else over
    code = f"{base} {{ {open_}{run} }}\nclass Sub {below} {{ {over}{run} }}\n"
    tree = make_workspace(
        {
            f"src/{name}.{suffix}": f"package {name}{';' if suffix == 'java' else ''}\n{code}"
            for name in ("one", "two")
        }
    )
    for name in ("one", "two"):
        path = f"src/{name}.{suffix}"
        items = tree.hierarchy(f"{path}#Base.run", direction="subtypes").items
        assert [one.id for one in items] == [f"{path}#Sub.run"]
