"""Hierarchies in several languages: super- and subtypes, overrides, callers, callees, tests; limits."""

import time

import pytest
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.explore.relations.uses import MOST_NAMES
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.hierarchy import Direction, HierarchyRequest
from symindex.render.hierarchy import render_hierarchy
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker
from tests.support.related import nested_names

TREE: dict[str, str | bytes] = {
    "py/base.py": (
        "import abc\n\n\nclass Store(abc.ABC):\n    def get(self, key):\n        return self.read(key)\n\n    def read(self, key):\n        pass\n"
    ),
    "py/stores.py": (
        "from .base import Store\n\n\nclass Disk(Store):\n    def read(self, key):\n        return open(key)\n\n\n"
        "class Cached(Disk):\n    def read(self, key):\n        return load(key)\n\n\ndef load(key):\n    return Disk().get(key)\n"
    ),
    "py/other.py": "class Store:\n    pass\n\n\nclass Shop(Store):\n    pass\n",
    "py/cycle.py": "class One(Two):\n    pass\n\n\nclass Two(One):\n    pass\n",
    "tests/test_stores.py": (
        "from py.stores import Disk, load\n\n\ndef test_load():\n    assert load('a')\n\n\ndef test_disk():\n    assert Disk().get('x')\n"
    ),
    "go/shape.go": (
        "package shape\n\ntype Shape interface {\n\tArea() int\n\tName() string\n}\n\ntype Square struct{ side int }\n\n"
        'func (s *Square) Area() int { return s.side }\nfunc (s *Square) Name() string { return "" }\n\n'
        "type Half struct{}\n\nfunc (h Half) Area() int { return 0 }\n"
    ),
    "rs/lib.rs": (
        "pub trait Draw { fn draw(&self); }\npub trait Paint: Draw {}\npub struct Dot;\nimpl Draw for Dot { fn draw(&self) {} }\n"
        "impl Dot { fn new() -> Dot { Dot } }\n"
    ),
    "ts/view.ts": "interface View { show(): void }\nabstract class Base implements View { show() {} }\nclass Page extends Base { show() { go(); } }\n",
    "java/A.java": "package a;\ninterface Job { void run(); }\nclass Task implements Job { public void run() { help(); } void help() {} }\n",
    "cpp/a.cpp": "class Animal { virtual void speak(); };\nclass Dog : public Animal { void speak(); };\n",
    "cs/A.cs": "interface IShape {}\nclass Box : IShape {}\n",
    "kt/A.kt": "interface Walker { fun walk() }\nclass Man(val name: String) : Walker { override fun walk() {} }\n",
    "php/a.php": "<?php\ninterface Plug { }\nclass Wall implements Plug { }\n",
    "rb/a.rb": "class Vehicle\nend\nclass Car < Vehicle\nend\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    from tests.support.files import write_files

    root = write_files(tmp_path_factory.mktemp("kin") / "tree", TREE)
    return Workspace(root, root.parent / "indexes")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("symbol", "direction", "expected"),
    [
        ("py/base.py#Store", "subtypes", ["Disk", ".Cached"]),
        ("py/other.py#Store", "subtypes", ["Shop"]),
        ("Cached", "supertypes", ["Disk", ".Store"]),
        ("Store.read", "subtypes", ["Disk.read", "Cached.read"]),
        ("Cached.read", "supertypes", ["Disk.read", "Store.read"]),
        ("Shape", "subtypes", ["Square"]),
        ("Square", "supertypes", ["Shape"]),
        ("Draw", "subtypes", ["Paint", "Dot"]),
        ("Dot", "supertypes", ["Draw"]),
        ("View", "subtypes", ["Base", ".Page"]),
        ("Page", "supertypes", ["Base", ".View"]),
        ("Job", "subtypes", ["Task"]),
        ("Job.run", "subtypes", ["Task.run"]),
        ("Animal", "subtypes", ["Dog"]),
        ("Dog", "supertypes", ["Animal"]),
        ("IShape", "subtypes", ["Box"]),
        ("Walker", "subtypes", ["Man"]),
        ("Man", "supertypes", ["Walker"]),
        ("Plug", "subtypes", ["Wall"]),
        ("Vehicle", "subtypes", ["Car"]),
        ("Cached.read", "callees", ["load"]),
        ("Store.get", "callees", ["Store.read"]),
        ("Task.run", "callees", ["Task.help"]),
        ("load", "callers", ["Cached.read", "test_load"]),
        ("Task.help", "callers", ["Task.run"]),
        ("load", "tests", ["test_load"]),
        ("Disk", "tests", ["test_disk"]),
    ],
)
def test_relations(tree: Workspace, symbol: str, direction: str, expected: list[str]) -> None:
    hierarchy = tree.hierarchy(symbol, direction=direction)  # type: ignore[arg-type]
    assert hierarchy.symbol is not None, hierarchy.notices
    assert sorted(nested_names(hierarchy.items)) == sorted(expected)


@pytest.mark.nightly
def test_what_is_not_defined_here_is_named(tree: Workspace) -> None:
    hierarchy = tree.hierarchy("py/base.py#Store", direction="supertypes")
    assert (nested_names(hierarchy.items), hierarchy.outside) == ([], ["abc.ABC"])
    assert "Not defined here: `abc.ABC`" in render_hierarchy(hierarchy)


def test_a_cycle_ends(tree: Workspace) -> None:
    hierarchy = tree.hierarchy("One", direction="supertypes", depth=50)
    assert nested_names(hierarchy.items) == ["Two", ".One"]
    assert hierarchy.items[0].items[0].again and "(see above)" in render_hierarchy(hierarchy)


def test_several_of_a_name_are_listed(tree: Workspace) -> None:
    hierarchy = tree.hierarchy(
        "Area", direction="callers"
    )  # one of them shares no base with the others
    assert hierarchy.symbol is None and len(hierarchy.candidates) == 3
    assert "ask for one by its id" in render_hierarchy(hierarchy)


@pytest.mark.nightly
def test_nothing(tree: Workspace) -> None:
    assert "no symbol Nowhere is known" in str(tree.hierarchy("Nowhere").notices)
    assert "Nothing inherits from it" in render_hierarchy(tree.hierarchy("Cached"))
    for given in ({"direction": "sideways"}, {"depth": 0}, {"max_items": 0}, {"symbol": ""}):
        with pytest.raises(RequestError):
            tree.hierarchy(HierarchyRequest(**{"symbol": "Cached", **given}))  # type: ignore[arg-type]


def test_limits_are_reported(tree: Workspace) -> None:
    hierarchy = tree.hierarchy("py/base.py#Store", max_items=1)
    assert (nested_names(hierarchy.items), hierarchy.hidden) == (["Disk"], 1)
    assert "- and 1 more" in render_hierarchy(hierarchy)
    assert nested_names(tree.hierarchy("py/base.py#Store", depth=1).items) == ["Disk"]


NARROWED = {
    "a/store.py": "class Store:\n    def push(self, x):\n        self.push(x)\n\n\ndef push(x):\n    pass\n\n\ndef run(store):\n    store.push(1)\n    push(2)\n",
    "a/use.py": "from a.store import push\n\n\ndef go():\n    push(3)\n",
    "a/own.py": "def push(y):\n    pass\n\n\npush(4)\n",
    "a/heap.py": "class Heap:\n    def push(self, x):\n        self.push(x)\n\n\ndef f(heap):\n    Heap.push(heap, 1)\n",
    "a/x.js": "push(5);\n",
    "c/a.c": "static int only(int x) { return x; }\nint g(void) { return only(1); }\n",
    "c/b.c": "int only(int x);\nint h(void) { return only(2); }\n",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("a/store.py#push", ["a/store.py:6", "a/store.py:12", "a/use.py:1", "a/use.py:5"]),
        ("a/own.py#push", ["a/own.py:1", "a/own.py:5"]),
        ("a/store.py#Store.push", ["a/store.py:2", "a/store.py:3", "a/store.py:11"]),
        ("c/a.c#only", ["c/a.c:1", "c/a.c:2"]),
    ],
)
def test_an_id_excludes_the_uses_of_others(
    make_workspace: Maker, symbol: str, expected: list[str]
) -> None:
    workspace = make_workspace(NARROWED)
    response = workspace.references(symbol)
    places = [f"{file.file_path}:{item.line}" for file in response.files for item in file.items]
    sure = [
        f"{file.file_path}:{item.line}"
        for file in response.files
        for item in file.items
        if not item.is_unsure
    ]
    assert set(expected) <= set(places) and set(sure) <= set(expected)
    name = symbol.rpartition("#")[2].rpartition(".")[2]
    whole = workspace.references(name, languages=[response.files[0].language])
    assert response.total is not None and response.narrowed == (whole.total or 0) - response.total
    assert response.symbol == symbol


@pytest.mark.parametrize("direction", ["callers", "tests"])
def test_a_lack_of_time_is_reported(tree: Workspace, direction: Direction) -> None:
    hierarchy = tree.hierarchy("py/base.py#Store", direction=direction, seconds=0.0)
    assert (
        hierarchy.notices is not UNSET
        and "files were not searched, so there may be more" in hierarchy.notices[-1]
    )


def test_a_file_that_cannot_be_read_is_reported(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.py": "class A:\n    pass\n\n\ndef f():\n    return A()\n",
            "b.py": "from a import A\n\n\ndef g():\n    return A()\n",
        }
    )
    workspace.refresh()
    (workspace.root / "b.py").unlink()
    hierarchy = workspace.hierarchy("a.py#A", direction="callers")
    assert (
        [item.name for item in hierarchy.items] == ["f"]
        and hierarchy.notices is not UNSET
        and "1 file was not looked into: b.py" in hierarchy.notices[-1]
    )
    (workspace.root / "a.py").unlink()
    hierarchy = workspace.hierarchy("a.py#f", direction="callees")
    assert (
        hierarchy.notices is not UNSET
        and "1 file was not looked into: a.py (cannot be read" in hierarchy.notices[-1]
    )


def test_names_beyond_one_pass_are_reported(make_workspace: Maker) -> None:
    calls = "".join(f"    name{number}()\n" for number in range(MOST_NAMES + 10))
    workspace = make_workspace({"a.py": f"def f():\n{calls}"})
    hierarchy = workspace.hierarchy("a.py#f", direction="callees")
    assert (
        hierarchy.notices is not UNSET
        and f"{MOST_NAMES:,} are searched at once" in hierarchy.notices[-1]
    )


@pytest.mark.nightly
def test_a_chain_of_types_ends_when_the_time_is_over(make_workspace: Maker) -> None:
    """Each level is a pass over the files, and none begins after the time limit."""
    chain = "class C0:\n    def run(self):\n        pass\n" + "".join(
        f"class C{n}(C{n - 1}):\n    pass\n" for n in range(1, 400)
    )
    workspace = make_workspace({"a.py": chain})
    workspace.refresh()
    began = time.monotonic()
    hierarchy = workspace.hierarchy("a.py#C0.run", seconds=0.5)
    assert time.monotonic() - began < 5
    assert hierarchy.notices is not UNSET and "out of time" in hierarchy.notices[-1]


def test_a_language_without_rules_for_relations_says_so(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {"a.groovy": "interface Priced {\n}\n\nclass Cart implements Priced {\n}\n"}
    )
    for name in ("Priced", "Cart"):
        hierarchy = workspace.hierarchy(name)
        assert hierarchy.is_known is False
        assert "not known for this language" in render_hierarchy(
            hierarchy
        ) and "Nothing inherits" not in render_hierarchy(hierarchy)


COMMON: dict[str, str | bytes] = {
    "bar.py": (
        "class Bar:\n    def update(self, n):\n        return n\n\n    def twice(self):\n        self.update(1)\n\n"
        "    def finish_bar(self):\n        pass\n\n\n"
        "def merge(d):\n    d.update({})\n\n\ndef end(x):\n    x.finish_bar()\n\n\ndef both(d, bar):\n    d.update(1)\n    bar.update(2)\n"
    ),
    "tests/test_bar.py": "def test_nothing():\n    assert 1\n",
}


@pytest.mark.nightly
def test_a_member_of_a_common_name_may_be_another(make_workspace: Maker) -> None:
    tree = make_workspace(COMMON)
    hierarchy = tree.hierarchy("Bar.update", direction="callers")
    assert [(item.name, item.is_unsure) for item in hierarchy.items] == [
        ("Bar.twice", False),
        ("both", True),
    ]
    text = render_hierarchy(hierarchy)
    assert "`both` function `bar.py:20` (may be another)" in text and "may have any type" in text
    assert "1 more symbol calls update on a receiver of unknown type" in text
    sole = tree.hierarchy("Bar.finish_bar", direction="callers")
    assert [item.is_unsure for item in sole.items] == [True]
    assert "may be another" in render_hierarchy(sole)
    below = tree.hierarchy("merge", direction="callees")
    assert [(item.name, item.is_unsure) for item in below.items] == [("Bar.update", True)]


@pytest.mark.nightly
def test_a_file_that_is_a_test_only_by_its_name_is_reported(make_workspace: Maker) -> None:
    text = render_hierarchy(make_workspace(COMMON).hierarchy("Bar.finish_bar", direction="tests"))
    assert "No test uses it by this name. A file of tests is named after its file or type:" in text
    assert "- `tests/test_bar.py`" in text


@pytest.mark.nightly
def test_hidden_levels_are_reported(make_workspace: Maker) -> None:
    tree = make_workspace(
        {"a.py": "class A0: pass\n" + "".join(f"class A{n}(A{n - 1}): pass\n" for n in range(1, 6))}
    )
    for symbol, direction in (("A0", "subtypes"), ("A5", "supertypes")):
        hierarchy = tree.hierarchy(symbol, direction=direction)  # type: ignore[arg-type]
        assert len(nested_names(hierarchy.items)) == 3 and hierarchy.notices == [
            "there are more levels than 3: ask for a larger depth"
        ]
    assert tree.hierarchy("A2").notices is UNSET and tree.hierarchy("A0", depth=1).notices is UNSET


CLAUSES: dict[str, str | bytes] = {
    "p.ex": (
        "defmodule P do\n  @spec put(t, atom) :: t\n  def put(x, k) when is_atom(k), do: other(x)\n\n"
        "  def put(x, k)\n      when is_binary(k) do\n    go(x)\n  end\n\n  @impl true\n  def call(conn, _), do: conn\n"
        "  defp go(x), do: x\n  @callback parse(x :: term) :: term\nend\n\n"
        "defmodule Q do\n  def run(x), do: go(x)\n  defp go(x), do: P.put(x, :a)\n  def parse(x), do: x\nend\n"
    ),
    "other.ex": "defmodule R do\n  def use_it(x), do: go(x)\nend\n",
    "h.erl": "-module(h).\n-export([f/1, g/1]).\n-spec g(integer()) -> integer().\nf(0) -> 0;\nf(N) when N > 3 -> g(N).\n\ng(1) -> 1;\ng(X) -> X.\n",
    "H.hs": "module H where\n\ncut :: Int -> Int\ncut 0 = 0\ncut n\n  | n > 3 = 1\n\nuse :: Int -> Int\nuse x = cut x\n",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("symbol", "direction", "expected", "uncalled"),
    [
        ("P.put", "callers", ["Q.go"], 0),
        ("P.go", "callers", ["P.put"], 0),
        ("Q.go", "callers", ["Q.run"], 0),
        ("Q.parse", "callers", [], 0),
        ("P.call", "callees", [], 0),
        ("h.g", "callers", ["h.f"], 0),
        ("H.hs#cut", "callers", ["use"], 0),
    ],
)
def test_a_further_clause_is_not_a_use(
    make_workspace: Maker, symbol: str, direction: Direction, expected: list[str], uncalled: int
) -> None:
    hierarchy = make_workspace(CLAUSES).hierarchy(symbol, direction=direction)
    assert (nested_names(hierarchy.items), hierarchy.outside, hierarchy.uncalled) == (
        expected,
        [],
        None,
    )


def test_further_clauses_and_specifications_are_references_of_their_own(
    make_workspace: Maker,
) -> None:
    response = make_workspace(CLAUSES).references(ReferencesRequest(name="p.ex#P.put"))
    assert [(item.line, item.role) for file in response.files for item in file.items] == [
        (2, "declaration"),
        (3, "definition"),
        (5, "definition"),
        (18, "call"),
    ]


DECLARED: dict[str, str | bytes] = {
    "a.go": (
        "package a\n\ntype Pot struct{}\n\nfunc (p *Pot) Run() {}\nfunc (p *Pot) All() { p.Run() }\nfunc far(t *testing.T) { t.Run() }\n"
        "func near() {\n\tq := Pot{}\n\tq.Run()\n}\n"
    ),
    "b.rs": (
        "struct Down;\nimpl Down { async fn recv(&mut self) {} }\nasync fn a(rx: mpsc::Receiver<u8>) { rx.recv().await; }\n"
        "async fn b(mut d: Down) { d.recv().await; }\nstruct Own { d: Down }\nimpl Own { async fn c(&mut self) { self.d.recv().await; } }\n"
    ),
    "C.java": "class Lid {\n  void open() {}\n}\nclass Use {\n  void one(Lid l) { l.open(); }\n  void two(Door l) { l.open(); }\n}\n",
    "d.php": "<?php\nclass Jar { function fill() {} }\nfunction one(Jar $j) { $j->fill(); }\nfunction two($j) { $j->fill(); }\n",
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("symbol", "sure", "unsure"),
    [
        ("Pot.Run", ["Pot.All", "near"], ["far"]),
        ("Down.recv", ["b", "Own.c"], ["a"]),
        ("Lid.open", ["Use.one"], []),
        ("Jar.fill", ["one"], ["two"]),
    ],
)
def test_a_type_that_is_written_makes_it_sure(
    make_workspace: Maker, symbol: str, sure: list[str], unsure: list[str]
) -> None:
    hierarchy = make_workspace(DECLARED).hierarchy(symbol, direction="callers")
    assert [(item.name, item.is_unsure) for item in hierarchy.items] == [
        (name, False) for name in sure
    ]
    # Where nothing is known of the type, the caller is counted, or it is that of a library.
    counted = [notice for notice in hierarchy.notices or () if "unknown type" in notice]
    assert [notice.partition(" more")[0] for notice in counted] == [str(len(unsure))] * bool(unsure)


def test_a_subclass_lists_its_own_override_not_that_of_a_namesake(make_workspace: Maker) -> None:
    head = "from base import Mock\n\nclass Consume(Mock):\n"
    tree = make_workspace(
        {
            "base.py": (
                "class Base:\n    def handle(self): raise NotImplementedError\n"
                "    def send(self): raise NotImplementedError\n\n"
                "class Mock(Base):\n    def handle(self): return 1\n    def send(self): return 1\n"
            ),
            "a.py": f"{head}    def handle(self): return 2\n",
            "b.py": f"{head}    def send(self): return 3\n",
        }
    )
    for name, path in (("handle", "a.py"), ("send", "b.py")):
        hierarchy = tree.hierarchy(f"Base.{name}")
        assert [item.file_path for item in hierarchy.items] == ["base.py", path]
        assert hierarchy.notices is UNSET
