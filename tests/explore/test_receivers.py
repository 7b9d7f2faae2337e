"""The receiver of a name, and its place, decide which symbol it means."""

import pytest

from symindex.explore.references.receivers import own_name
from symindex.protocol.explore import ReferencesRequest
from symindex.render.hierarchy import render_hierarchy
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker
from tests.support.related import marked_names

FILES = {
    "bar.py": """class ProgressBar:
    def update(self, n):
        pass

    def go(self):
        self.update(1)


def typed(shown: ProgressBar):
    shown.update(1)


def named(bar):
    bar.update(1)


def of_dict():
    values = {}
    values.update(a=1)


def of_both(values):
    values.update(a=1)
    ProgressBar().update(1)
    bar.update(2)


""",
    "cmd.go": """package cmd

type Command struct{}

func (c *Command) Run() {}

func (c *Command) Go() { c.Run() }

func TestA(t *testing.T) { t.Run() }

func other() { build().Run() }
""",
    "sub.rs": """struct Shutdown { is_over: bool }
impl Shutdown {
    fn recv(&mut self) { let x = self.is_over; }
    fn is_over(&self) -> bool { self.is_over }
}
struct Handler { shutdown: Shutdown }
impl Handler { fn run(&mut self) { self.shutdown.recv(); self.shutdown.is_over(); } }
fn subscribe(rx: &mut Receiver<Message>) { rx.recv(); }
fn stop(mut signal: Shutdown) { signal.recv(); }
""",
    "h.java": """class Connection {
    void execute() {}
    void get() { execute(); }
    class Response {
        void execute(int a) {}
        void run() { execute(3); }
    }
}
""",
    "p.ex": """defmodule Shop.Cart do
  @spec put(t, atom) :: t when t: map
  def put(cart, key)
  def put(cart, key) when is_binary(key), do: cart
  def put(cart, key)
      when is_atom(key) do
    hide(cart)
  end
  def put(cart, _), do: cart
  defp hide(cart), do: cart
end

defmodule Shop.Other do
  defp hide(a), do: a
  def add(cart), do: Shop.Cart.put(cart, hide(1))
  def bare, do: 1
end
""",
    "f.erl": """-module(f).
-export([fac/1]).
-spec fac(integer()) -> integer().
fac(0) -> 1;
fac(N) when N > 0 -> N;
fac(_) -> bad.
again() -> fac(3).
""",
    "g.hs": """module G where
grow :: Int -> Int
grow 0 = 1
grow n = n
more = grow 3
""",
    "k.kt": """class Throttler {
    private var rate: Long = 0L
    fun rate(b: Long) { rate = b; this.rate = 3 }
    fun wait(now: Long): Long = now
    fun take(f: (Int) -> Int) {
        val wait = wait(2L)
        if (wait > 0) return
        listOf(1).map { wait -> wait + 1 }
    }
    fun set() { rate(2L) }
}
""",
    "t.cs": """class T {
  int Wait(int x) { return x; }
  void A(int Wait) { Use(Wait); }
  void B() { foreach (var Wait in xs) Use(Wait); xs.Select(Wait => Wait + 1); }
  void C() { if (o is int Wait) Use(Wait); }
  void D() { Wait(1); }
}
""",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("receivers")
    for path, text in FILES.items():
        (folder / path).write_text(text)
    workspace = Workspace(folder, folder / "index")
    workspace.refresh()
    return workspace


CALLERS = {
    "ProgressBar.update": ["ProgressBar.go", "typed", "of_both"],
    "cmd.go#Command.Run": ["Command.Go"],
    "Shutdown.recv": ["Handler.run", "stop"],
    "sub.rs#Shutdown.is_over~2": ["Handler.run"],
    "h.java#Connection.execute": ["Connection.get"],
    "Shop.Cart.put": ["Shop.Other.add"],
    "Shop.Cart.hide": ["Shop.Cart.put"],
    "f.erl#f.fac": ["f.again"],
    "g.hs#grow": ["more"],
    "k.kt#Throttler.rate~2": ["Throttler.set"],
    "k.kt#Throttler.wait": ["Throttler.take"],
    "T.Wait": ["T.D"],
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("symbol", CALLERS)
def test_callers(tree: Workspace, symbol: str) -> None:
    hierarchy = tree.hierarchy(symbol, direction="callers")
    assert marked_names(hierarchy.items) == CALLERS[symbol] and hierarchy.uncalled is None, (
        hierarchy
    )


def test_a_caller_by_name_alone_says_so(tree: Workspace, make_workspace: Maker) -> None:
    files = {
        "a.py": "class A:\n    def go(self): pass\n",
        "b.py": "def named(x):\n    x.go()\n\n\ndef more(y):\n    y.go()\n",
    }
    page = render_hierarchy(make_workspace(files).hierarchy("a.py#A.go", direction="callers"))
    assert "- `named` function `b.py:1` (may be another)\n" in page
    assert page.count("(may be another): the expression before the name") == 1
    page = render_hierarchy(tree.hierarchy("ProgressBar.update", direction="callers"))
    assert "`named`" not in page and (
        "1 more symbol calls update on a receiver of unknown type: references with the option all"
        " list them" in page
    )
    assert "(may be another)" not in render_hierarchy(tree.hierarchy("T.Wait", direction="callers"))


@pytest.mark.nightly
def test_heads_of_clauses_are_definitions_and_specifications_declarations(tree: Workspace) -> None:
    for name, roles in {"put": (4, 1), "fac": (3, 2), "grow": (2, 1)}.items():
        response = tree.references(
            ReferencesRequest(name=name, languages=["elixir", "erlang", "haskell"])
        )
        assert (
            response.roles["definition"],
            response.roles["declaration"],
            response.roles["call"],
        ) == (
            *roles,
            1,
        ), response


@pytest.mark.nightly
def test_the_words_that_define_are_not_called(tree: Workspace) -> None:
    hierarchy = tree.hierarchy("Shop.Cart.put", direction="callees")
    assert (marked_names(hierarchy.items), hierarchy.outside) == (
        ["Shop.Cart.hide"],
        ["is_binary", "is_atom"],
    )


def test_the_nearest_scope_is_meant(make_workspace: Maker) -> None:
    source = """module Rack
  class Request
    include Env
    include Helpers
    module Env; end
    module Helpers; end
    {lines}
  end
  class Response
    module Helpers; end
    include Helpers
  end
end
class Late
  {lines}
  include Rack::Request::Helpers
end
""".replace("{lines}", "def a; end\n" * 300)
    tree = make_workspace({"a.rb": source})
    assert marked_names(tree.hierarchy("Rack::Request::Helpers").items) == ["Rack.Request", "Late"]
    assert marked_names(tree.hierarchy("Rack::Response::Helpers").items) == ["Rack.Response"]
    assert marked_names(tree.hierarchy("Rack::Request", direction="supertypes").items) == [
        "Rack.Request.Env",
        "Rack.Request.Helpers",
    ]
    assert marked_names(tree.hierarchy("Late", direction="supertypes").items) == [
        "Rack.Request.Helpers"
    ]


@pytest.mark.nightly
def test_an_absolute_name_is_of_no_namespace(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "Fault.php": "<?php\nnamespace Shop;\nclass Fault {}\n",
            "Use.php": "<?php\nnamespace Shop;\nfunction f() { throw new Fault(); }\nfunction g() { throw new \\Fault(); }\n",
            "ns.cc": "namespace n { void open(); void close(); }\nvoid n::close() { ::open(); open(); }\n",
        }
    )
    response = tree.references(ReferencesRequest(name="Fault.php#Shop.Fault", role="call"))
    assert [item.line for file in response.files for item in file.items] == [3]
    assert "Nothing inherits" in render_hierarchy(tree.hierarchy("Shop.Fault"))


SIGNED = {
    "ts": "interface $Base {}\ninterface $Mid<T> extends $Base {}\ninterface Plain extends $Mid<1> {}\n",
    "js": "class $Base {}\nclass $Mid extends $Base {}\nclass Plain extends $Mid {}\n",
    "java": "class $Base {}\nclass $Mid extends $Base {}\nclass Plain extends $Mid {}\n",
}


@pytest.mark.nightly
@pytest.mark.parametrize("suffix", SIGNED)
def test_names_with_signs(make_workspace: Maker, suffix: str) -> None:
    tree = make_workspace({f"a.{suffix}": SIGNED[suffix]})
    below = tree.hierarchy("$Base")
    assert marked_names(below.items) == ["$Mid"] and marked_names(below.items[0].items) == ["Plain"]
    above = tree.hierarchy("Plain", direction="supertypes")
    assert marked_names(above.items) == ["$Mid"] and marked_names(above.items[0].items) == ["$Base"]


@pytest.mark.nightly
def test_code_that_cannot_inherit_is_not_a_possible_subtype(make_workspace: Maker) -> None:
    java = """interface Visitor { int STOP = 1; }
interface Alone { int STOP = 1; }
class Run {
    void go() { use(new Visitor() { public void visit() {} }); }
    int at() { return Alone.STOP; }
    Object make() { return new Alone[2]; }
}
"""
    python = "import pathlib\nclass Path: pass\nclass Mixed: pass\nuse(pathlib.Path)\nMade = type('Made', (Mixed,), {})\n"
    tree = make_workspace({"a.java": java, "b.py": python})
    assert marked_names(tree.hierarchy("Visitor").items) == ["Run.go"]
    assert "Nothing inherits" in render_hierarchy(tree.hierarchy("Alone"))
    assert "Nothing inherits" in render_hierarchy(tree.hierarchy("b.py#Path"))
    assert [place.at for place in tree.hierarchy("b.py#Mixed").may_inherit] == ["b.py:5"]


@pytest.mark.nightly
def test_a_bare_name_means_the_innermost_that_has_it(make_workspace: Maker) -> None:
    python = """def parse(x): return x
class A:
    def parse(self): return parse(1)
def outer():
    def parse(x): return x
    return parse(2)
"""
    cpp = "int open(int);\nstruct F { void open(); void go() { open(); } };\nvoid far() { open(1); }\n"
    tree = make_workspace({"a.py": python, "b.cc": cpp})
    assert marked_names(tree.hierarchy("a.py#parse", direction="callers").items) == ["A.parse"]
    assert marked_names(tree.hierarchy("a.py#outer.parse", direction="callers").items) == ["outer"]
    assert marked_names(tree.hierarchy("b.cc#open", direction="callers").items) == ["far"]


def test_the_own_name() -> None:
    names_of = {
        "shop::Cart": "Cart",
        "shop.$Cart": "$Cart",
        "\\Shop\\Cart": "Cart",
        "as B": "B",
        "go!": "go!",
        "a.": "a.",
    }
    assert {name: own_name(name) for name in names_of} == names_of


NESTED = {
    "a.java": """class Block {
    static class Builder { Builder put(int s) { return this; } Builder own() { return this.put(1); } }
}
class Sheet { static class Builder { Builder put(int s) { return this; } } }
class Use {
    void two(Block.Builder b) { b.put(2); }
    void three(Sheet.Builder b) { b.put(3); }
    void four() { make().put(4); }
}
""",
    "a.rs": """mod block { pub struct Builder; impl Builder { pub fn put(&self) {} pub fn own(&self) { self.put(); } } }
mod sheet { pub struct Builder; impl Builder { pub fn put(&self) {} } }
fn two(b: &block::Builder) { b.put(); }
fn three(b: &sheet::Builder) { b.put(); }
fn four() { make().put(); }
""",
    "a.php": """<?php
namespace Block { class Builder { function put($s) {} function own() { $this->put(1); } } }
namespace Sheet { class Builder { function put($s) {} } }
namespace C {
function two(\\Block\\Builder $b) { $b->put(2); }
function three(\\Sheet\\Builder $b) { $b->put(2); }
function four() { make()->put(3); }
}
""",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", NESTED)
def test_types_with_one_last_name_are_distinguished(make_workspace: Maker, path: str) -> None:
    tree = make_workspace({path: NESTED[path]})
    symbol = {"a.rs": "block.Builder.put"}.get(path, "Block.Builder.put")
    names = marked_names(tree.hierarchy(f"{path}#{symbol}", direction="callers").items)
    assert [name.rpartition(".")[2] for name in names if not name.endswith("?")] == ["own", "two"]


def test_names_outside_tests_do_not_mean_definitions_in_tests(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "db/format.h": '#include "include/order.h"\nclass KeyOrder : public Order {};\n',
            "db/list_test.cc": "struct Order { int a; };\nstruct TestOrder : public Order {};\n",
            "include/order.h": "class Order { virtual int compare() = 0; };\n",
        }
    )
    assert marked_names(tree.hierarchy("include/order.h#Order").items) == ["KeyOrder"]
    assert marked_names(tree.hierarchy("db/list_test.cc#Order").items) == ["TestOrder"]


def test_a_class_that_tests_reopen_is_the_class(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "lib/app.rb": "module Mini\n  class Base\n    def call; end\n  end\n  class App < Base\n  end\nend\n",
            "test/helper.rb": "class Mini::Base\n  include Comparable\nend\n",
            "test/app_test.rb": "class AppTest\n  class MyApp < Mini::Base\n  end\nend\n",
        }
    )
    assert marked_names(tree.hierarchy("lib/app.rb#Mini.Base").items) == [
        "Mini.App",
        "AppTest.MyApp",
    ]


MEMBER = "package a\n\ntype T struct{}\n\nfunc (t T) %s() {}\n\nfunc run(s string) {\n\t%s\n}\n"


LOADS = "class A:\n    def load(self): pass\nclass B:\n    def load(self): pass\n"


CALLEES: dict[str, tuple[Files, list[str], dict[str, int]]] = {
    "a function of an imported package is no method here": (
        {
            "go.mod": "module ex.com/a\n",
            "a.go": MEMBER.replace("\n\n", '\n\nimport "net/http"\n\n', 1) % ("HandlerFunc", "http.HandlerFunc(nil)"),
        },
        ["HandlerFunc"],
        {},
    ),
    "a built-in function is no method of other capitals": ({"a.go": MEMBER % ("Len", "len(s)")}, ["len"], {}),
    "of an unknown receiver it is said how many have the name": (
        {"a.py": LOADS, "b.py": "def run(x):\n    x.load()\n    nothing(x)\n"}, ["nothing"], {"load": 2},
    ),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("case", CALLEES)
def test_callees_outside_the_workspace_and_uncertain_ones(make_workspace: Maker, case: str) -> None:
    files, outside, unclear = CALLEES[case]
    hierarchy = make_workspace(files).hierarchy("run", direction="callees")
    assert (hierarchy.items, hierarchy.outside, hierarchy.unclear) == ([], outside, unclear)


BOTH_WAYS = {
    "a.py": (
        "class Cart:\n    def total(self): pass\n"
        "def declared(basket: Cart):\n    basket.total()\n"
        "def made():\n    basket = Cart()\n    basket.total()\n"
        "def of_type():\n    Cart.total(1)\n"
        "def unknown(cart):\n    cart.total()\n"
    ),
    "a.ts": (
        "class Cart { total() {} }\n"
        "function declared(basket: Cart) { basket.total() }\n"
        "function made() { const basket = new Cart(); basket.total() }\n"
        "function unknown(cart) { cart.total() }\n"
    ),
    "A.java": (
        "class Cart { void total() {} }\nclass A {\n"
        "  void declared(Cart basket) { basket.total(); }\n"
        "  void made() { var basket = new Cart(); basket.total(); }\n"
        "  void unknown() { cart.total(); }\n}\n"
    ),
    "a.go": (
        "package a\n\ntype Cart struct{}\n\nfunc (c *Cart) total() {}\n\n"
        "func declared(basket *Cart) { basket.total() }\n\n"
        "func unknown() { cart.total() }\n"
    ),
}


@pytest.mark.parametrize("path", BOTH_WAYS)
def test_a_call_is_as_certain_for_what_calls_as_for_what_is_called(
    make_workspace: Maker, path: str
) -> None:
    """What the code writes about the type of a receiver decides in both directions."""
    tree = make_workspace({path: BOTH_WAYS[path]})
    callers = marked_names(tree.hierarchy(f"{path}#Cart.total", direction="callers").items)
    callees = {
        name: marked_names(tree.hierarchy(name.rstrip("?"), direction="callees").items)[-1]
        for name in callers
    }
    assert callees == {
        name: "Cart.total?" if name.endswith("?") else "Cart.total" for name in callers
    }
    unsure = [name.rpartition(".")[2] for name in callers if name.endswith("?")]
    assert (
        unsure == ["unknown?"]
        and len(callers)
        == BOTH_WAYS[path].count("basket.total()") + ("Cart.total(1)" in BOTH_WAYS[path]) + 1
    )
