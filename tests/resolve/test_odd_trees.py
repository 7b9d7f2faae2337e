"""Trees in which several rules may bind a name: what they disagree about is never certain."""

import time

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

PYTHON = "class Cart:\n    def add(self): pass\n"


def test_two_packages_of_one_name(make_workspace: Maker) -> None:
    use = "from shop.carts import Cart\nCart().add()\n"
    files = {
        f"{project}/{path}": text
        for project in ("one", "two")
        for path, text in (("shop/__init__.py", ""), ("shop/carts.py", PYTHON), ("use.py", use))
    }
    tree = make_workspace({**files, "use.py": use})
    for own in ("one", "two"):
        lines = bound_lines(tree, f"{own}/shop/carts.py#Cart.add")
        assert f"{own}/use.py:2" in lines
        assert "use.py:2" not in lines  # either is possible
        assert not [line for line in lines if line.startswith("one" if own == "two" else "two")]


def test_stubs_beside_their_source(make_workspace: Maker) -> None:
    stub = "class Cart:\n    def add(self) -> None: ...\n"
    use = "from shop import Cart\ndef f(cart: Cart):\n    cart.add()\n"
    tree = make_workspace({"shop.py": PYTHON, "shop.pyi": stub, "use.py": use})
    assert bound_lines(tree, "shop.py#Cart.add") == ["use.py:3"]
    script = "export class Bag { put() {} }\n"
    typed = "export declare class Bag { put(): void }\n"
    uses = "import { Bag } from './bag';\nfunction f(bag: Bag) { bag.put(); }\n"
    tree = make_workspace({"bag.ts": script, "bag.d.ts": typed, "use.ts": uses})
    assert bound_lines(tree, "bag.ts#Bag.put") == ["use.ts:2"]


def test_imports_of_which_one_fails(make_workspace: Maker) -> None:
    use = "try:\n    from fast import Cart\nexcept ImportError:\n    from slow import Cart\n\nCart().add()\n"
    tree = make_workspace({"fast.py": PYTHON, "slow.py": PYTHON, "use.py": use})
    for path in ("fast.py", "slow.py"):
        assert bound_lines(tree, f"{path}#Cart.add") == ["use.py:6?"]


def test_definitions_of_which_one_counts(make_workspace: Maker) -> None:
    two = "import sys\nif sys.platform == 'x':\n    from fast import Cart\nelse:\n    class Cart:\n        def add(self): pass\n\ndef f(cart: Cart):\n    cart.add()\n"
    tree = make_workspace({"fast.py": PYTHON, "use.py": two})
    for symbol in ("fast.py#Cart.add", "use.py#Cart.add"):
        assert bound_lines(tree, symbol) == ["use.py:9?"]


def test_types_and_values_that_are_themselves(make_workspace: Maker) -> None:
    code = (
        "class Cart:\n    me: 'Cart'\n    all: list['Cart']\n    def add(self): pass\n"
        "    def next(self) -> 'Cart': pass\n\n"
        "class Odd(Odd): pass\nx = x\ny: y = y\n"
        "def f(c: Cart, o: Odd):\n    c.me.me.next().all[0].all[1].add()\n    o.add()\n    x.add()\n    y.add()\n"
        "    z = z\n    z.add()\n    for w in w:\n        w.add()\n"
    )
    lines = bound_lines(make_workspace({"a.py": code}), "a.py#Cart.add")
    assert lines[0] == "a.py:11"
    assert all(line.endswith("?") for line in lines[1:])


def test_a_thousand_aliases(make_workspace: Maker) -> None:
    names = [f"C{number}" for number in range(1000)]
    aliases = "".join(f"{new} = {old}\n" for old, new in zip(["Cart", *names], names, strict=False))
    use = f"from carts import {names[-1]}\n{names[-1]}().add()\n"
    tree = make_workspace({"carts.py": PYTHON + aliases, "use.py": use})
    start = time.perf_counter()
    assert bound_lines(tree, "carts.py#Cart.add") in ([], ["use.py:2?"])
    assert time.perf_counter() - start < 20


def test_a_file_renamed_a_moment_ago(make_workspace: Maker) -> None:
    """An import of the old name leads nowhere; one of the new name leads to the file, without a
    restart. A file that gets the old name is another."""
    use = "from {} import Cart\n\n\ndef f(cart: Cart):\n    cart.add()\n"
    tree = make_workspace({"old.py": PYTHON, "use.py": use.format("old")})
    assert bound_lines(tree, "old.py#Cart.add") == ["use.py:5"]
    (tree.root / "old.py").rename(tree.root / "new.py")
    tree.refresh()
    assert bound_lines(tree, "new.py#Cart.add") == []
    (tree.root / "use.py").write_text(use.format("new"))
    tree.refresh()
    assert bound_lines(tree, "new.py#Cart.add") == ["use.py:5"]
    (tree.root / "old.py").write_text(PYTHON)
    (tree.root / "late.py").write_text(use.format("old"))
    tree.refresh()
    assert bound_lines(tree, "old.py#Cart.add") == ["late.py:5"]
    assert bound_lines(tree, "new.py#Cart.add") == ["use.py:5"]


def test_a_renamed_folder_is_where_imports_lead(make_workspace: Maker) -> None:
    use = "import {{ Bag }} from './{}';\nfunction f(bag: Bag) {{ bag.put(); }}\n"
    code = "export class Bag { put() {} }\n"
    tree = make_workspace({"lib/bag.ts": code, "use.ts": use.format("lib/bag")})
    assert bound_lines(tree, "lib/bag.ts#Bag.put") == ["use.ts:2"]
    (tree.root / "lib").rename(tree.root / "moved")
    (tree.root / "use.ts").write_text(use.format("moved/bag"))
    tree.refresh()
    assert bound_lines(tree, "moved/bag.ts#Bag.put") == ["use.ts:2"]


def test_what_a_macro_may_define(make_workspace: Maker) -> None:
    files: dict[str, str | bytes] = {
        "def.h": "#define DEFINE(n) int n(void) { return 1; }\n",
        "a.c": '#include "def.h"\nDEFINE(total)\nint f(void) { return total(); }\n',
        "b.c": "int total(void) { return 2; }\nint g(void) { return total(); }\n",
        "b.h": "int total(void);\n",
        "c.c": '#include "b.h"\nint h(void) { return total(); }\n',
    }
    tree = make_workspace(files)
    assert bound_lines(tree, "b.c#total") == ["a.c:2?", "a.c:3?", "b.c:2", "c.c:2"]


LOCAL_TYPES = {
    # by file: its code, two functions that each define a type of one name, and use it
    "a.py": "def one():\n  class Local: pass\n  return Local()\ndef two():\n  class Local: pass\n  return Local()\n",
    "a.rs": "fn one() {\n  enum Local { A }\n  let x: Local = Local::A;\n}\nfn two() {\n  enum Local { A }\n  let y: Local = Local::A;\n}\n",
    "a.ts": "function one() {\n  type Local = [string];\n  const c: Local = [''];\n}\nfunction two() {\n  type Local = [number];\n  const c: Local = [1];\n}\n",
    "a.js": "function one() {\n  class Local {}\n  new Local();\n}\nfunction two() {\n  class Local {}\n  new Local();\n}\n",
    "a.go": "package a\nfunc one() {\n  type Local struct{ A int }; _ = Local{A: 1}\n}\nfunc two() {\n  type Local struct{}; _ = Local{}\n}\n",
    "a.swift": "func one() {\n  struct Local { }\n  Local()\n}\nfunc two() {\n  struct Local { }\n  Local()\n}\n",
    "a.kt": "fun one() {\n  class Local { }\n  Local()\n}\nfun two() {\n  class Local { }\n  Local()\n}\n",
    "a.cpp": "void one() {\n  struct Local { };\n  Local l;\n}\nvoid two() {\n  struct Local { };\n  Local l;\n}\n",
}


@pytest.mark.parametrize("path", LOCAL_TYPES)
def test_a_type_of_a_function_is_not_seen_by_another(make_workspace: Maker, path: str) -> None:
    tree = make_workspace({path: LOCAL_TYPES[path]})
    assert {*bound_lines(tree, f"{path}#one.Local")} == {f"{path}:3"}
    assert not {f"{path}:3"} & {*bound_lines(tree, f"{path}#two.Local")}


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "a.ts",
            "class Box {\n  get size() { return 1; }\n  set size(v) {}\n}\nfunction f(b: Box) { b.size = b.size; }\n",
        ),
        (
            "a.js",
            "class Box {\n  get size() { return 1; }\n  set size(v) {}\n}\nnew Box().size = new Box().size;\n",
        ),
        (
            "a.py",
            "class Box:\n  @property\n  def size(self): return 1\n  @size.setter\n  def size(self, v): pass\n"
            "def f(b: Box):\n  b.size = b.size\n",
        ),
    ],
)
def test_what_gets_and_what_sets_a_property_are_one(
    make_workspace: Maker, path: str, code: str
) -> None:
    tree = make_workspace({path: code})
    last = code.count("\n")
    for symbol in ("Box.size", "Box.size~2"):
        lines = bound_lines(tree, f"{path}#{symbol}")
        assert lines[-2:] == [f"{path}:{last}", f"{path}:{last}"]
