"""A caller that may call a namesake is marked, in every form of the answer."""

from collections.abc import Iterator

import pytest

from symindex.render.hierarchy import render_hierarchy
from symindex.render.terminal.lines import hierarchy_lines
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files

TREE: dict[str, str | bytes] = {
    # a member, called outside of all symbols and in them
    "member/a.py": "class Cart:\n    def add(self): pass\n    def own(self): self.add()\n",
    "member/b.py": "class Till:\n    def add(self): pass\n",
    "member/in_function.py": "def call(x): x.add()\n",
    "member/outside.py": "x.add()\n",
    "member/outside_sure.py": "from member.a import Cart\nCart.add(1)\n",
    "member/twice.py": "from member.a import Cart\n\ndef both(x):\n    x.add()\n    Cart.add(x)\n",
    # two functions of one folder, called in a third file of it
    "two/f.c": "int fetch(int a) { return a; }\nint in_own_file(void) { return fetch(1); }\n",
    "two/g.c": "int fetch(char *a) { return 1; }\n",
    "two/h.c": "int in_folder(void) { return fetch(1); }\n",
    # one of them only for its own file, or in another folder
    "apart/f.c": "int store(int a) { return a; }\n",
    "apart/g.c": "static int store(char *a) { return 1; }\n",
    "apart/h.c": "int near_one(void) { return store(1); }\n",
    "apart/more/f.c": "int store(int a) { return a; }\n",
    # a name that its folder re-exports from one of two files
    "pkg/__init__.py": "from .one import load_all, load_one\n",
    "pkg/one.py": "def load_all(): pass\ndef load_one(): pass\n",
    "pkg/two.py": "def load_all(): pass\n",
    "pkg/use.py": "from . import load_all, load_one\ndef all_of(): load_all()\ndef one_of(): load_one()\n",
    # a member together with what overrides it
    "over/base.py": "class Base:\n    def settle_all(self): pass\n\nclass Sub(Base):\n    def settle_all(self): pass\n",
    "over/outside.py": "x.settle_all()\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = write_files(tmp_path_factory.mktemp("doubtful") / "tree", TREE)
    with Workspace(root, root.parent / "indexes") as workspace:
        workspace.refresh()
        yield workspace


CALLERS = {
    "member/a.py#Cart.add": [
        "Cart.own",
        "member/outside_sure.py",
        "both",
    ],
    # no call is certain
    "member/b.py#Till.add": [
        "call (or 1 more)",
        "member/outside.py (or 1 more)",
        "both (or 1 more)",
    ],
    "two/f.c#fetch": ["in_own_file", "in_folder (or 1 more)"],
    "two/g.c#fetch": ["in_folder (or 1 more)"],
    "apart/f.c#store": ["near_one"],
    "apart/g.c#store": [],
    "pkg/one.py#load_all": ["all_of"],
    "pkg/two.py#load_all": [],
    "pkg/one.py#load_one": ["one_of"],
    "over/base.py#Base.settle_all": ["over/outside.py (or 1 more)"],
    "settle_all": ["over/outside.py"],
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("symbol", CALLERS)
def test_a_caller_that_may_call_a_namesake_is_marked(tree: Workspace, symbol: str) -> None:
    hierarchy = tree.hierarchy(symbol, direction="callers")
    expected = CALLERS[symbol]
    assert [
        f"{item.name}{f' (or {item.others} more)' if item.is_unsure else ''}"
        for item in hierarchy.items
    ] == expected
    assert all(bool(item.others) is item.is_unsure for item in hierarchy.items)
    page = render_hierarchy(hierarchy)
    lines = hierarchy_lines(hierarchy.items).splitlines()
    for caller in expected:
        name, mark, _ = caller.partition(" (")
        (row,) = (row for row in page.splitlines() if row.startswith(f"- `{name}`"))
        assert row.endswith(" (or 1 more)") is bool(mark)
        if not name.endswith(".py"):  # a line names a symbol
            (line,) = (line for line in lines if f" {name}" in line)
            assert line.endswith(" (or 1 more)") is bool(mark)


def test_callers_and_tests_follow_names_of_imports(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.py": "def pay(): ...\n",
            "b.py": "from a import pay as settle\n\ndef use():\n    settle()\n",
            "c.py": "def settle(): ...\n\ndef other():\n    settle()\n",
            "test_a.py": "from a import pay as p\n\ndef test_it():\n    p()\n",
        }
    )
    callers = workspace.hierarchy("a.py#pay", direction="callers")
    assert [item.name for item in callers.items] == ["use", "test_it"]
    tests = workspace.hierarchy("a.py#pay", direction="tests")
    assert [item.name for item in tests.items] == ["test_it"]
