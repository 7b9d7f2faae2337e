"""What a name means where it is used: `symbol` with a line and a column, or with `used_in`."""

import time
from pathlib import Path

import pytest

from symindex import Workspace
from symindex.errors import RequestError
from symindex.explore import definition
from symindex.protocol.explore import SymbolResponse
from tests.support.files import Maker, write_files

TREE: dict[str, str | bytes] = {
    "shop/__init__.py": "from shop.cart import Cart as Basket\n",
    "shop/cart.py": (
        "class Cart:\n    def total(self) -> int:\n        return 1\n\n"
        "    def twice(self):\n        return self.total() * 2\n"
    ),
    "shop/bill.py": "class Bill:\n    def total(self):\n        return 2\n",
    "use.py": (
        "import os\nfrom shop import Basket, bill\n\n\n"
        "def pay(cart: Basket, other):\n"
        "    amount = cart.total()\n"
        "    return amount + other.total() + len(os.path.join('a'))\n\n\n"
        "made = bill.Bill()\n"
    ),
    "shop.ts": (
        "export interface Price { value: number }\n"
        "export const Price = { of(value: number): Price { return { value } } };\n"
        "const first: Price = Price.of(1);\n"
    ),
    "c/cart.h": "int cart_total(int n);\n",
    "c/cart.c": '#include "cart.h"\nint cart_total(int n) { return n; }\n',
    "c/use.c": '#include "cart.h"\nint pay(void) { return cart_total(1); }\n',
    "net/Net.kt": (
        "package net\nimport java.net.Socket\nfun Socket.healthy() = true\n"
        "class Other { fun healthy() = true }\nfun use(s: Socket) = s.healthy()\n"
    ),
    "case.py": "from lib import *\nbasis = Basis()\n",
    "case.pas": (
        "unit Sums;\ninterface\nprocedure Count;\nimplementation\nprocedure Count;\nbegin\nend;\n"
        "procedure Other;\nbegin\n  count;\nend;\nend.\n"
    ),
    "clauses.ex": (
        "defmodule Known do\n  def run([]), do: 1\n  def run(name) do\n    name\n  end\nend\n"
    ),
    "spec/Clock.scala": "package b\nimport cats.data._\nobject C { EitherT.liftF(1) }\n",
    "spec/Spec.scala": (
        'package a\nclass Spec extends Specification {\n  "EitherT" should {\n'
        '    "work" in { 1 must_== 1 }\n  }\n}\n'
    ),
    "free.rb": "def ready?\n  1\nend\n\ndef other\n  ready?\nend\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(write_files(tmp_path_factory.mktemp("definition"), TREE))


def ids(response: SymbolResponse) -> list[str]:
    if response.symbol is not None:
        return [response.symbol.id]
    shown = [detail.id for detail in response.candidates or ()]
    return shown or [line.id for line in response.others]


@pytest.mark.parametrize(
    ("place", "meant"),
    [
        ("use.py:6:19", ["shop/cart.py#Cart.total"]),  # the type of the parameter, under an alias
        ("use.py:6:23", ["shop/cart.py#Cart.total"]),  # directly after the name
        ("use.py:5:15", ["shop/cart.py#Cart"]),
        ("use.py:2:18", ["shop/cart.py#Cart"]),  # the import itself
        ("shop/cart.py:6:22", ["shop/cart.py#Cart.total"]),
        ("use.py:10:13", ["shop/bill.py#Bill"]),
        ("use.py:7:27", ["shop/bill.py#Bill.total", "shop/cart.py#Cart.total"]),  # unknown receiver
        ("shop/cart.py:2:10", ["shop/cart.py#Cart.total"]),  # the definition
        ("shop.ts:3:15", ["shop.ts#Price"]),
        ("shop.ts:3:23", ["shop.ts#Price~2"]),  # a value, not the type of its name
        ("free.rb:6:4", ["free.rb#ready?"]),
        ("clauses.ex:3:8", ["clauses.ex#Known.run"]),
        ("net/Net.kt:5:24", ["net/Net.kt#Socket.healthy"]),  # added to a type of a library
        ("c/use.c:2:26", ["c/cart.c#cart_total"]),  # the definition, not the included declaration
    ],
)
def test_a_place_leads_to_what_its_name_means(
    tree: Workspace, place: str, meant: list[str]
) -> None:
    assert sorted(ids(tree.symbol(place))) == meant


@pytest.mark.parametrize(
    ("place", "shown", "notice"),
    [
        ("use.py:7:13", "use.py#pay", "`amount` at use.py:7:12 is a local name: line 6 binds it"),
        ("use.py:6:14", "use.py#pay", "`cart` at use.py:6:14 is a local name: line 5 binds it"),
        ("shop/cart.py:3:10", "shop/cart.py#Cart.total", ""),  # a keyword: what is around it
        ("shop/cart.py:3:4000", "shop/cart.py#Cart.total", ""),
        ("shop/cart.py:3:999999999", "shop/cart.py#Cart.total", ""),
    ],
)
def test_what_is_no_symbol_shows_the_code_around_it(
    tree: Workspace, place: str, shown: str, notice: str
) -> None:
    response = tree.symbol(place)
    assert ids(response) == [shown]
    assert [*(response.notices or ())] == ([notice] if notice else [])


def test_a_module_shows_its_first_lines(tree: Workspace) -> None:
    response = tree.symbol("use.py:10:8")
    assert response.text and response.text.file_path == "shop/bill.py"
    assert response.text.code.startswith("class Bill:")
    assert response.notices == ["`bill` at use.py:10:8 is the module shop/bill.py"]


def test_no_code_means_the_title_of_a_test(tree: Workspace) -> None:
    assert ids(tree.symbol("spec/Clock.scala:3:13")) == []
    assert tree.references("spec/Spec.scala#Spec.EitherT", all=True).total == 0


def test_names_that_differ_in_case_are_one_where_the_language_says_so(tree: Workspace) -> None:
    assert ids(tree.symbol("case.py:2:9")) == []
    assert "case.pas#Count" in ids(tree.symbol("case.pas:10:4"))


def test_a_name_of_a_library_is_no_symbol_of_the_project(tree: Workspace) -> None:
    response = tree.symbol("join", used_in="use.py#pay", path="use.py")
    notices = " ".join(response.notices or ())
    assert (
        "`join` at use.py:7:49 means `os.path.join`, of which the workspace has no known definition"
        in notices
    )
    assert response.symbol is None or response.symbol.file_path.startswith("python:")


@pytest.mark.parametrize(
    ("name", "within", "meant"),
    [
        ("total", "use.py:6", ["shop/cart.py#Cart.total"]),
        ("cart.total", "use.py#pay", ["shop/cart.py#Cart.total"]),
        ("self.total()", "shop/cart.py", ["shop/cart.py#Cart.total"]),
        ("total", "Cart.twice", ["shop/cart.py#Cart.total"]),
        # One of the two uses is bound, the other may mean both.
        ("total", "use.py#pay", ["shop/bill.py#Bill.total", "shop/cart.py#Cart.total"]),
    ],
)
def test_a_name_means_what_it_means_in_some_code(
    tree: Workspace, name: str, within: str, meant: list[str]
) -> None:
    assert sorted(ids(tree.symbol(name, used_in=within))) == meant


@pytest.mark.parametrize(
    ("name", "within", "problem"),
    [
        ("total", "use.py:1", "total is not used in use.py:1: give a name that occurs in its code"),
        ("bill.total", "use.py#pay", "bill.total is not used in use.py#pay"),
        ("total", "", "used_in is empty: give path#symbol, path:line or a path"),
        ("total", "nowhere.py#x", "nowhere.py#x is no place of the workspace"),
        ("total", "use.py:99999", "total is not used in use.py:99999"),
        ("", "use.py", "the name is empty"),
    ],
)
def test_a_place_that_does_not_use_the_name_is_refused(
    tree: Workspace, name: str, within: str, problem: str
) -> None:
    with pytest.raises(RequestError, match=problem.replace("(", r"\(")):
        tree.symbol(name, used_in=within)


def test_unsure_meanings_say_why(tree: Workspace) -> None:
    response = tree.symbol("use.py:7:27")
    assert response.notices == ["`total` at use.py:7:27 has a receiver of unknown type: `other`"]
    assert tree.symbol("use.py:6:19").notices == [
        "`total` at use.py:6:19 is bound to shop/cart.py#Cart.total"
    ]
    assert tree.symbol("free.rb:6:4").notices == [
        "`ready?` at free.rb:6:3 is bound to free.rb#ready?"
    ]


def test_a_member_that_is_added_to_a_type_of_a_library_is_not_of_unknown_type(
    make_workspace: Maker,
) -> None:
    tree = make_workspace({
        "a.kt": (
            "package a\nimport java.util.logging.Logger\nfun Logger.taskLog(x: Int) { }\n"
            "class Queue(val runner: Runner) {\n  fun schedule() { runner.logger.taskLog(1) }\n}\n"
            "class Runner(val logger: Logger)\nclass Other { fun taskLog(x: Int) {} }\n"
        ),
    })  # fmt: skip
    response = tree.symbol("a.kt:5:35")
    assert response.symbol is not None and response.symbol.id == "a.kt#Logger.taskLog"
    assert response.notices == [
        "`taskLog` at a.kt:5:34 has a receiver of a type that the workspace does not define:"
        " `runner.logger`"
    ]


def test_a_name_that_nothing_binds_shows_what_has_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "class A:\n    def run(self):\n        pass\n",
        "use.py": "run()\nmissing()\n",
    }
    tree = Workspace(write_files(tmp_path / "bare", files))
    assert ids(tree.symbol("use.py:1:1")) == ["a.py#A.run"]
    assert tree.symbol("use.py:1:1").notices == [
        "`run` at use.py:1:1 could not be bound: what has its name is shown"
    ]
    assert tree.symbol("use.py:2:1").notices == [
        "`missing` at use.py:2:1 has no definition that was found in the workspace"
    ]


def test_how_many_namesakes_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, str | bytes] = {
        f"{name}.py": f"class {name.upper()}:\n    def run(self):\n        pass\n" for name in "abc"
    }
    files["use.py"] = "def go(x):\n    x.run()\n"
    tree = Workspace(write_files(tmp_path / "many", files))
    monkeypatch.setattr(definition, "MOST_JUDGED", 2)
    assert ids(tree.symbol("use.py:2:7")) == ["a.py#A.run", "b.py#B.run"]
    monkeypatch.setattr(definition, "MOST_JUDGED", 3)
    assert len(ids(tree.symbol("use.py:2:7"))) == 3


def test_many_uses_cost_little_and_those_past_a_limit_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str | bytes] = {
        f"m{number}.py": f"class C{number}:\n    def run(self): pass\n" for number in range(20)
    }
    files["use.py"] = "def go(x):\n" + "    x.run()\n" * 3_000
    tree = Workspace(write_files(tmp_path / "many", files))
    began = time.process_time()
    response = tree.symbol("run", used_in="use.py")
    assert time.process_time() - began < 10 and response.total == 20
    assert "only the first 100 of 3,000 uses there were looked at" in (response.notices or ())
    files["use.py"] = "def go(x):\n    x.run()\n    x.run()\n"
    write_files(tmp_path / "many", files)
    for most, is_told in ((2, False), (1, True)):
        monkeypatch.setattr(definition, "MOST_USES", most)
        notices = " ".join(tree.symbol("run", used_in="use.py").notices or ())
        assert ("only the first 1 of 2 uses there were looked at" in notices) is is_told


LOCALS = {
    # by file: the code, and by place the line that binds the name there
    "a.php": (
        "<?php\nclass A {\n  function f($p, array $q) {\n    $x = 1;\n"
        "    foreach ($this->all as $k => $v) { echo $v; }\n    foreach (g() as $w) { echo $w; }\n"
        "    $h = function ($x) use ($p) { return $x . $p; };\n    $x = 2;\n    return 1 + $x;\n  }\n}\n",
        {(5, 46): 5, (6, 33): 6, (7, 43): 7, (7, 48): 3, (9, 17): 4},
    ),
    "a.rb": (
        "class A\n  def f(p, k: 2)\n    x = 1\n    q.each { |y| x = y }\n    m, n = p\n"
        "    z { |x| x }\n    x + m + k\n  end\nend\n",
        {(4, 18): 3, (4, 22): 4, (5, 12): 2, (6, 13): 6, (7, 5): 3, (7, 9): 5, (7, 13): 2},
    ),
    "a.ex": (
        "defmodule A do\n  def f({a, b}, [h | t]) do\n    x = {:ok, a}\n    if x, do: {b, h, t}\n"
        "    fn a -> a end\n  end\n\n  def g({a, b}) do\n    {a, b}\n  end\nend\n",
        {(3, 15): 2, (4, 8): 3, (4, 16): 2, (4, 19): 2, (4, 22): 2, (5, 13): 5, (9, 6): 8},
    ),
    "a.scala": ("class A {\n  def f(q: Q) = q match {\n    case h :: t =>\n      g(h, t)\n  }\n}\n", {(4, 9): 3, (4, 12): 3}),
    "a.rs": ("fn f(q: Q) {\n    if let Some(w) = q.first() {\n        g(w);\n    }\n    match q { [h, ..] => g(h) }\n}\n", {(3, 11): 2, (5, 28): 5}),
    "a.cpp": ("int f() {\n  auto [a, b] = g();\n  return a;\n}\n", {(3, 10): 2}),
}  # fmt: skip


@pytest.mark.parametrize("path", LOCALS)
def test_a_local_name_is_bound_by_the_line_that_declares_it_first(
    make_workspace: Maker, path: str
) -> None:
    code, places = LOCALS[path]
    tree = make_workspace({path: code})
    for (line, column), binding_line in places.items():
        response = tree.symbol(f"{path}:{line}:{column}")
        assert response.notices, (line, column)
        assert response.notices[0].endswith(f"is a local name: line {binding_line} binds it")


def test_a_member_that_a_method_sets_is_told_with_the_line(make_workspace: Maker) -> None:
    """It is no symbol, but the workspace defines it."""
    base = "class Base:\n    def __init__(self, tool):\n        self.tool = tool\n"
    own = (
        "from base import Base\nclass Engine(Base):\n    def go(self):\n        self.tool.use()\n"
        "        self.none.use()\n"
    )
    tree = make_workspace({"base.py": base, "own.py": own})
    response = tree.symbol("own.py:4:14")
    assert ids(response) == ["base.py#Base.__init__"]
    assert response.notices == [
        "`tool` at own.py:4:14 is no symbol but a member of base.py#Base: line 3 sets it"
    ]
    assert "sets it" not in str(tree.symbol("own.py:5:14").notices)


def test_no_place_is_a_librarys_that_references_list(make_workspace: Maker) -> None:
    """A type parameter may stand for a type that has the member; an enumeration has its names."""
    code = (
        "class Shape {}\nclass Thing extends Shape { void stop() {} }\n"
        "class Base<T extends Shape> { T item; }\nenum Mode { FAST }\n"
        "class Use extends Base<Thing> {\n  void go(Mode mode) {\n    item.stop();\n"
        "    switch (mode) {\n      case FAST: break;\n    }\n    mode.halt();\n  }\n}\n"
        "class Other { void halt() {} }\n"
    )
    tree = make_workspace({"a.java": code})
    assert ids(tree.symbol("a.java:7:10")) == ["a.java#Thing.stop"]
    assert ids(tree.symbol("a.java:9:12")) == ["a.java#Mode.FAST"]
    notices = tree.symbol("a.java:11:10").notices or ()
    assert [*notices] == [
        "`halt` at a.java:11:10 means `Mode.halt`, of which the workspace has no known definition"
    ]
