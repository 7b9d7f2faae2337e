"""Bases that are named by an alias, and implementations for types of libraries, in every language
that has them."""

import pytest

from tests.support.files import Maker
from tests.support.related import nested_names

ALIASES: dict[str, dict[str, str]] = {
    # by name: the file; each defines `Base`, another name of it, and `Below`
    "a using declaration": {
        "a.cpp": "namespace n { struct Base { virtual int f(); }; }\nusing Al = n::Base;\nusing Other = Al;\n"
        "struct Below : public Other {};\nint use(Below& b) { return b.f(); }\n"
    },
    "a typedef": {
        "a.cpp": "struct Base { virtual int f(); };\ntypedef Base Al;\nstruct Below : Al {};\nint use(Below& b) { return b.f(); }\n"
    },
    "a template": {
        "a.cpp": "template<class T> struct Base { int f(); };\nusing Al = Base<int>;\nstruct Below : Al {};\nint use(Below& b) { return b.f(); }\n"
    },
    "a template for some arguments": {
        "a.cpp": "template<bool b> struct Base { int f(); };\ntemplate<> struct Base<true> {};\nstruct Below : Base<false> {};\n"
        "int use(Below& b) { return b.f(); }\n"
    },
    "an alias in a class": {
        "a.cpp": "struct Base { int f(); };\nstruct Out { using Al = Base; struct Below : Al {}; };\nint use(Out::Below& b) { return b.f(); }\n"
    },
    "Kotlin": {
        "a.kt": "package k\nopen class Base { fun f() {} }\n",
        "b.kt": "package k\ntypealias Al = Base\nclass Below : Al()\nfun use(b: Below) { b.f() }\n",
    },
    "Scala": {
        "a.scala": "package k\ntrait Base { def f(): Int = 1 }\nobject O {\n  type Al = Base\n  class Below extends Al\n"
        "  def use(b: Below) = b.f()\n}\n"
    },
    "Swift": {
        "a.swift": "protocol Base { func f() }\ntypealias Al = Base\nclass Below: Al {}\nfunc use(b: Below) { b.f() }\n"
    },
    "Rust": {
        "src/lib.rs": "pub trait Base { fn f(&self) {} }\npub struct Below;\npub type Al = Below;\nimpl Base for Al {}\n"
        "fn use_it(b: Below) { b.f() }\n"
    },
    "TypeScript": {
        "a.ts": "export interface Base { f(): void }\nexport type Al = Base;\n",
        "b.ts": "import { Al } from './a';\nexport class Below implements Al {}\nexport function use(b: Below) { b.f(); }\n",
    },
    "a constant in TypeScript": {
        "a.ts": "export class Base { f() {} }\nexport const Al = Base;\nexport class Below extends Al {}\n"
        "export function use(b: Below) { b.f(); }\n"
    },
    "Go": {
        "a.go": "package a\n\ntype Base struct{}\n\nfunc (b *Base) f() {}\n\ntype Al = Base\n\ntype Below struct{ Al }\n\n"
        "func use(b Below) { b.f() }\n"
    },
    "Python": {
        "a.py": "class Base:\n    def f(self): ...\n\nAl = Base\n",
        "b.py": "from a import Al\n\nclass Below(Al): ...\n\ndef use(b: Below):\n    b.f()\n",
    },
    "Ruby": {"a.rb": "class Base\n  def f; end\nend\nAl = Base\nclass Below < Al\n  def use\n    f\n  end\nend\n"},
}  # fmt: skip


@pytest.mark.parametrize("name", ALIASES)
def test_a_base_is_found_by_another_name(make_workspace: Maker, name: str) -> None:
    workspace = make_workspace({**ALIASES[name]})
    path = next(iter(ALIASES[name]))
    base = f"{path}#n.Base" if "namespace" in ALIASES[name][path] else f"{path}#Base"
    below = nested_names(workspace.hierarchy(base, direction="subtypes").items)
    assert [one.rpartition(".")[2] for one in below] == ["Below"]
    uses = [
        item
        for file in workspace.references(f"{base}.f", all=True).files
        for item in file.items
        if not item.definition
    ]
    is_sure = name != "Rust"  # an implementation that names the alias is not searched for
    assert uses and any(item.is_unsure for item in uses) is not is_sure


IMPLEMENTED: dict[str, tuple[str, str, list[str], list[str]]] = {
    # by name: a file, its code, what implements `Base`, and its method
    "Rust": (
        "src/lib.rs",
        "pub trait Base { fn f(&self); }\nstruct Own;\nimpl Base for Own { fn f(&self) {} }\nimpl Base for String { fn f(&self) {} }\n"
        "impl<T: Base + ?Sized> Base for Box<T> {\n    fn f(&self) {}\n}\nimpl<'a, T: Base> Base for &'a T { fn f(&self) {} }\n"
        "impl Base for Vec<u8> {}\nimpl Other for Vec<u8> { fn f(&self) {} }\npub trait Other { fn f(&self); }\n"
        "impl<T: Far> Base for T { fn f(&self) {} }\ntrait Far {}\n",
        ["Far", "Own", "String", "Box<T>", "&'a T", "Vec<u8>"],
        ["Own.f", "String.f", "Box.f", "T.f"],
    ),
    "Swift": (
        "a.swift",
        "protocol Base { func f() }\nclass Own: Base { func f() {} }\nextension String: Base {\n  func f() {}\n}\n"
        "extension Int: Base { func f() {} }\nextension Int: Other { func g() {} }\nprotocol Other {}\n",
        ["Own", "String", "Int"],
        ["Own.f", "String.f", "Int.f"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPLEMENTED)
def test_implementations_for_types_of_libraries_are_listed(
    make_workspace: Maker, name: str
) -> None:
    path, code, expected, overriding = IMPLEMENTED[name]
    workspace = make_workspace({path: code})
    found = workspace.hierarchy(f"{path}#Base", direction="subtypes")
    assert sorted(item.name for item in found.items) == sorted(expected) and not found.outside
    lines = code.splitlines()
    for item in found.items:
        shown = lines[int(item.at.rpartition(":")[2]) - 1]
        assert item.name in shown and item.text in shown and not item.is_unsure
    members = workspace.hierarchy(f"{path}#Base.f", direction="subtypes")
    assert sorted(item.name for item in members.items) == sorted(overriding)


UNNAMED: dict[str, tuple[str, str]] = {
    # by name: a file, and its code, in which a field gets the value of a call on a type without name
    "Kotlin": (
        "a.kt",
        "interface Auth { fun check(): Int }\nclass Maker { fun auth(a: Auth): Maker = this; fun build() = this }\n"
        "class Use {\n  val client = Maker().auth(\n    object : Auth {\n      override fun check(): Int = 1\n    }\n  ).build()\n}\n",
    ),
    "Java": (
        "A.java",
        "interface Auth { int check(); }\nclass Maker { Maker auth(Auth a) { return this; } Maker build() { return this; } }\n"
        "class Use {\n  Maker client = new Maker().auth(\n    new Auth() {\n      public int check() { return 1; }\n    }\n  ).build();\n}\n",
    ),
    "Scala": (
        "a.scala",
        "trait Auth { def check(): Int }\nclass Maker { def auth(a: Auth): Maker = this; def build(): Maker = this }\n"
        "class Use {\n  val client = new Maker().auth(\n    new Auth {\n      def check(): Int = 1\n    }\n  ).build()\n}\n",
    ),
    "TypeScript": (
        "a.ts",
        "abstract class Auth { check(): number { return 0 } }\nclass Maker { auth(a: Auth) { return this } build() { return this } }\n"
        "class Use {\n  client = new Maker().auth(\n    new (class extends Auth {\n      check(): number { return 1 }\n    })()\n  ).build();\n}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNNAMED)
def test_a_type_without_name_in_the_value_of_a_field_belongs_to_it(
    make_workspace: Maker, name: str
) -> None:
    path, code = UNNAMED[name]
    workspace = make_workspace({path: code})
    below = workspace.hierarchy(f"{path}#Auth", direction="subtypes")
    members = workspace.hierarchy(f"{path}#Auth.check", direction="subtypes")
    assert nested_names(below.items) == ["Use.client"]
    assert nested_names(members.items) == ["Use.client.check"]
