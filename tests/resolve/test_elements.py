"""Elements of collections, in loops, at indexes and in functions, are of the declared type."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

PYTHON = "class Item:\n    def add(self): pass\n\nclass Cart:\n    def add(self): pass\n\n"
GO = (
    "package shop\n\ntype Item struct{}\n\nfunc (i *Item) Add() {}\n\ntype Cart struct{}\n\n"
    "func (c *Cart) Add() {}\n\n"
)
SCRIPT = "export class Item { add() {} }\nexport class Cart { add() {} }\n"

CASES: dict[str, tuple[str, str, list[str]]] = {
    # by name: the file, the code after its types, and the lines, from there, bound to Item.add
    "a loop": ("a.py", "def f(xs: list[Item]):\n    for x in xs:\n        x.add()\n", ["3"]),
    "a loop over another type": ("a.py", "def f(xs: list[Cart]):\n    for x in xs:\n        x.add()\n", []),
    "a loop over several": ("a.py", "def f(xs: list[Item | Cart]):\n    for x in xs:\n        x.add()\n", ["3?"]),
    "a loop over numbers": ("a.py", "def f(xs: list[int]):\n    for x in xs:\n        x.add()\n", []),
    "an unknown collection": ("a.py", "def f(xs):\n    for x in xs:\n        x.add()\n", ["3?"]),
    "keys and values": ("a.py", "def f(xs: dict[str, Item]):\n    for k, v in xs.items():\n        v.add()\n", ["3"]),
    "keys": ("a.py", "def f(xs: dict[Item, Cart]):\n    for k in xs:\n        k.add()\n", ["3"]),
    "numbered": ("a.py", "def f(xs: 'list[Item]'):\n    for n, x in enumerate(xs):\n        x.add()\n", ["3"]),
    "a comprehension": ("a.py", "def f(xs: Optional[list[Item]]):\n    return [x.add() for x in xs]\n", ["2"]),
    "an index": ("a.py", "def f(xs: Sequence[Item]):\n    xs[0].add()\n", ["2"]),
    "a part": ("a.py", "def f(xs: list[Item]):\n    for x in xs[1:]:\n        x.add()\n", ["3"]),
    "a getter": ("a.py", "def f(xs: dict[str, Item]):\n    xs.get('a').add()\n", ["2"]),
    "a member's elements": (
        "a.py", "class Box:\n    def __init__(self):\n        self.all: dict[str, Item] = {}\n"
        "    def f(self):\n        for x in self.all.values():\n            x.add()\n", ["6"],
    ),
    "with": ("a.py", "def f():\n    with Item() as x:\n        x.add()\n", ["3"]),
    "a value of a function type": ("a.py", "def f(x: Callable[[], Item]):\n    x().add()\n", ["2?"]),
    "a slice": ("a.go", "func f(xs []*Item) {\n\tfor _, x := range xs {\n\t\tx.Add()\n\t}\n}\n", ["3"]),
    "a map": ("a.go", "func f(xs map[Cart]*Item) {\n\tfor k := range xs {\n\t\tk.Add()\n\t\txs[k].Add()\n\t}\n}\n", ["4"]),
    "a literal": ("a.go", "func f() {\n\txs := []Item{{}}\n\txs[0].Add()\n}\n", ["3"]),
    "without a name": (
        "a.go", "func f() {\n\tfor _, x := range []struct{ Add func() }{{}} {\n\t\tx.Add()\n\t}\n}\n", [],
    ),
    "a channel": ("a.go", "func f(xs <-chan *Item) {\n\tfor x := range xs {\n\t\tx.Add()\n\t}\n}\n", ["3"]),
    "a loop of a script": ("a.ts", "function f(xs: Item[]) {\n  for (const x of xs) x.add();\n}\n", ["2"]),
    "a function of a script": ("a.ts", "function f(xs: readonly Item[]) {\n  xs.filter(x => x.add());\n}\n", ["2"]),
    "a map of a script": ("a.ts", "function f(xs: Map<Cart, Item>) {\n  xs.get(k)?.add();\n}\n", ["2"]),
}  # fmt: skip

BEFORE = {"a.py": PYTHON, "a.go": GO, "a.ts": SCRIPT}


@pytest.mark.parametrize("name", CASES)
def test_elements_have_the_type_that_is_declared(make_workspace: Maker, name: str) -> None:
    path, code, expected = CASES[name]
    before = BEFORE[path]
    tree = make_workspace({path: before + code})
    method = "Add" if path.endswith(".go") else "add"
    first = before.count("\n")
    lines = [
        f"{path}:{int(line.rstrip('?')) + first}{'?' * line.endswith('?')}" for line in expected
    ]
    assert bound_lines(tree, f"{path}#Item.{method}") == lines
    if not any("?" in line for line in expected):
        of_other = bound_lines(tree, f"{path}#Cart.{method}")
        assert not {*of_other} & {*lines}


JAVA = (
    "import java.util.*;\nclass Item { void add() {} }\nclass Cart { void add() {} }\nclass Use {\n"
    "  void loop(List<Item> xs) { for (var x : xs) { x.add(); } }\n"
    "  void getter(Map<Cart, Item> xs) { xs.get(1).add(); }\n"
    "  void lambda(List<Item> xs) { xs.stream().filter(x -> x.add()); }\n"
    "  void other(List<Cart> xs) { xs.get(0).add(); }\n}\n"
)


def test_elements_in_java(make_workspace: Maker) -> None:
    tree = make_workspace({"A.java": JAVA})
    assert bound_lines(tree, "A.java#Item.add") == ["A.java:5", "A.java:6", "A.java:7"]
    assert bound_lines(tree, "A.java#Cart.add") == ["A.java:8"]
