"""Names of arguments and keys do not use the symbols of that name; an import under another name is
the original."""

import pytest

from symindex.protocol.explore import ReferencesRequest
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

PYTHON = """from sched import Message, schedule


def make(x=Message, Message=Message):
    return Message


f(schedule=1)
dict(schedule=schedule)


@schedule
def run(schedule, y: Message = None):
    schedule(2)


match z:
    case Point(schedule=3):
        pass
"""


def places(tree: Workspace, symbol: str) -> list[str]:
    response = tree.references(ReferencesRequest(name=symbol))
    return [
        f"{file.file_path}:{item.line}:{item.column}"
        for file in response.files
        for item in file.items
    ]


def test_what_is_named_so_in_python_and_what_is_a_use(make_workspace: Maker) -> None:
    tree = make_workspace(
        {"sched.py": "class Message:\n    pass\n\n\ndef schedule(x):\n    pass\n", "use.py": PYTHON}
    )
    assert places(tree, "sched.py#schedule") == [
        "sched.py:5:5",
        "use.py:1:28",
        "use.py:9:15",
        "use.py:12:2",
    ]
    expected = [
        "sched.py:1:7",
        "use.py:1:19",
        "use.py:4:12",
        "use.py:4:29",
        "use.py:5:12",
        "use.py:13:22",
    ]
    assert places(tree, "sched.py#Message") == expected


IMPORT = "import { plan } from './a';\n"
LABELS = [
    (
        "a.ts",
        "export function plan() {}\n",
        IMPORT + "g({ plan });\n",
        "g({ plan: 1 });\nconst { plan: y } = z;\n",
    ),
    ("a.js", "export function plan() {}\n", IMPORT + "g({ plan });\n", "g({ plan: 1 });\n"),
    ("a.tsx", "export function plan() {}\n", IMPORT + "g(plan);\n", "const q = <P plan={1} />;\n"),
    (
        "a.kt",
        "fun plan(x: Int) = x\n",
        "fun g() { h(plan(1)) }\nval q = h(plan == 1)\n",
        "val z = h(plan = 1)\n",
    ),
    ("a.swift", "func plan(x: Int) {}\n", "func g() { plan(x: 1) }\n", "func h() { k(plan: 1) }\n"),
    ("a.scala", "object A\ndef plan(x: Int) = x\n", "def g = plan(1)\n", "def h = k(plan = 1)\n"),
    ("a.rb", "def plan(x)\nend\n", "plan(1)\n", "g(plan: 1)\nh = { plan: 2 }\n"),
    ("a.php", "<?php\nfunction plan($x) {}\n", "<?php\nplan(1);\n", "g(plan: 1);\n"),
    (
        "a.cs",
        "class Plan {}\n",
        "class U { Plan f; }\n",
        "class V { int g = H(Plan: 1); object o = new Q { Plan = 1 }; }\n",
    ),
    (
        "a.go",
        "package a\n\nfunc Plan() {}\n",
        "package a\n\nvar x = Plan\n",
        "var y = P{Plan: 1}\n",
    ),
    (
        "a.rs",
        "pub fn plan() {}\n",
        "use crate::a::plan;\nfn g() { plan() }\n",
        "fn h() { P { plan: 1 }; }\n",
    ),
]
"""A file, its definition, a use of it, and code that only contains its name."""


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("defines", "source", "used", "label"), LABELS, ids=[row[0] for row in LABELS]
)
def test_the_name_of_an_argument_or_a_key_is_no_use(
    make_workspace: Maker, defines: str, source: str, used: str, label: str
) -> None:
    uses = defines.replace("a.", "u.", 1)
    tree = make_workspace({defines: source, uses: used + label})
    symbol = f"{defines}#{'Plan' if 'Plan' in source else 'plan'}"
    lines = {place.rpartition(":")[0] for place in places(tree, symbol)}
    first = used.count("\n") + 1
    assert any(line.startswith(uses) for line in lines)
    assert not [
        line for line in lines if line.startswith(uses) and int(line.rpartition(":")[2]) >= first
    ]


@pytest.mark.nightly
def test_a_module_and_a_class_with_the_same_letters_are_distinguished(
    make_workspace: Maker,
) -> None:
    tree = make_workspace({
        "flask/app.py": "class Flask:\n    def make_response(self):\n        pass\n",
        "flask/helpers.py": "def make_response():\n    pass\n",
        "use.py": "import flask\n\nflask.make_response()\nFlask.make_response(app)\n",
    })  # fmt: skip
    response = tree.references(ReferencesRequest(name="flask/app.py#Flask.make_response"))
    doubts = {
        item.line: item.is_unsure
        for file in response.files
        if file.file_path == "use.py"
        for item in file.items
    }
    assert doubts == {3: True, 4: True}  # `Flask` is not imported


RENAMED = {
    "py": (
        "class Base:\n    pass\n",
        "from a import Base as Root\n\n\nclass Child(Root):\n    pass\n",
    ),
    "ts": (
        "export class Base {}\n",
        "import { Base as Root } from './a';\nclass Child extends Root {}\n",
    ),
    "js": (
        "export class Base {}\n",
        "import { Base as Root } from './a';\nclass Child extends Root {}\n",
    ),
    "kt": ("package a\nopen class Base\n", "import a.Base as Root\nclass Child : Root()\n"),
    "cs": ("namespace X { class Base {} }\n", "using Root = X.Base;\nclass Child : Root {}\n"),
    "php": (
        "<?php\nnamespace X;\nclass Base {}\n",
        "<?php\nuse X\\Base as Root;\nclass Child extends Root {}\n",
    ),
    "rs": (
        "pub trait Base {}\n",
        "use crate::a::Base as Root;\nstruct Child;\nimpl Root for Child {}\n",
    ),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("suffix", RENAMED)
def test_a_base_under_another_name_is_the_base(make_workspace: Maker, suffix: str) -> None:
    base, child = RENAMED[suffix]
    tree = make_workspace({f"a.{suffix}": base, f"b.{suffix}": child})
    assert [item.name for item in tree.hierarchy("Base").items] == ["Child"]
    if suffix != "rs":  # a line other than the type's says which type implements which
        assert [
            item.file_path for item in tree.hierarchy("Child", direction="supertypes").items
        ] == [f"a.{suffix}"]


def test_what_go_embeds_and_what_it_only_names(make_workspace: Maker) -> None:
    source = "package a\n\ntype Base struct{}\ntype Iface interface{ Do() }\ntype S struct { *Base; Gen[Iface]; f Box[Iface] }\n"
    tree = make_workspace({"a.go": source})
    assert [item.name for item in tree.hierarchy("Base").items] == ["S"] and not tree.hierarchy(
        "Iface"
    ).items
    hierarchy = tree.hierarchy("S", direction="supertypes")
    assert ([item.name for item in hierarchy.items], hierarchy.outside) == (["Base"], ["Gen"])


def test_bases_of_a_python_class(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.py": "import a\nimport kombu\nimport mine as m\nclass Iface: pass\nclass Box: pass\nclass Consumer: pass\n"
        "class A(Generic[T], Box[Iface]): pass\nclass B(kombu.Consumer): pass\nclass C(a.Consumer): pass\n",
        "mine.py": "class Own: pass\n",
        "b.py": "import mine as m\nclass D(m.Own): pass\n",
    })  # fmt: skip
    assert not tree.hierarchy("Iface").items
    assert [item.name for item in tree.hierarchy("Box").items] == ["A"]
    assert [item.name for item in tree.hierarchy("Consumer").items] == ["C"]
    assert tree.hierarchy("B", direction="supertypes").outside == ["kombu.Consumer"]
    assert [item.name for item in tree.hierarchy("Own").items] == ["D"]


def test_a_base_that_is_imported_from_elsewhere_is_no_namesake(make_workspace: Maker) -> None:
    tree = make_workspace({
        "app/consumer.py": "class Consumer: pass\n",
        "app/a.py": "from kombu import Consumer\nclass A(Consumer): pass\n",
        "app/b.py": "from app.consumer import Consumer\nclass B(Consumer): pass\n",
        "src/Support/Stringable.php": "<?php\nnamespace X\\Support;\nclass Stringable {}\n",
        "src/Model.php": "<?php\nuse X\\Support\\Stringable as Other;\nuse Stringable;\nclass M implements Stringable {}\n",
        "src/Own.php": "<?php\nnamespace X;\nuse X\\Support\\Stringable;\nclass O extends Stringable {}\n",
        "k/a.kt": "package k.base\nopen class KBase\n",
        "k/b.kt": "import k.base.KBase\nclass KChild : KBase()\n",
        "j/Base.java": "package j;\npublic class Base {}\n",
        "j/Child.java": "package j.sub;\nimport j.Base;\npublic class Child extends Base {}\n",
    })  # fmt: skip
    names = ("A", "B", "M", "O", "KChild", "Child")
    above = {
        name: [item.name for item in tree.hierarchy(name, direction="supertypes").items]
        for name in names
    }
    assert not above["A"] and not above["M"]
    assert above["B"] == ["Consumer"] and above["O"] == ["X.Support.Stringable"]
    assert above["KChild"] == ["KBase"] and above["Child"][0].endswith("Base")
    assert tree.hierarchy("A", direction="supertypes").outside == ["Consumer"]


def test_an_ambiguous_name_is_resolved_with_a_notice(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.py": "class Base: pass\nclass Child(Base): pass\n",
        "tests/test_a.py": "class T:\n    class Base: pass\n",
        "b.py": "class Other: pass\n",
        "c.py": "class Outer:\n    class Other: pass\n",
    })  # fmt: skip
    hierarchy = tree.hierarchy("Base")
    assert [item.name for item in hierarchy.items] == ["Child"]
    assert tree.hierarchy("Other").candidates == ["b.py#Other", "c.py#Outer.Other"]


def test_a_callee_is_not_that_of_any_file_of_the_receivers_name(make_workspace: Maker) -> None:
    tree = make_workspace({
        "lib/path.py": "def join(): pass\n",
        "app/a.py": "def f():\n    os.path.join()\ndef g():\n    path.join()\ndef h():\n    lib.path.join()\n",
    })  # fmt: skip
    assert not tree.hierarchy("app/a.py#f", direction="callees").items and tree.hierarchy(
        "app/a.py#f", direction="callees"
    ).unclear == {"join": 1}
    for name in ("g", "h"):
        assert [
            item.file_path for item in tree.hierarchy(f"app/a.py#{name}", direction="callees").items
        ] == ["lib/path.py"]
