"""What a name is taken from, and where it is written, decide which symbol is meant."""

import pytest

from symindex.explore.references.receivers import own_name
from symindex.explore.relations import uses
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.hierarchy import KinItem
from symindex.render.hierarchy import render_hierarchy
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker

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


def names(items: list[KinItem]) -> list[str]:
    return [f"{item.name}{'?' if item.is_unsure or item.others else ''}" for item in items]


CALLERS = {
    "ProgressBar.update": ["ProgressBar.go", "typed", "of_both", "named?", "of_dict?"],
    "cmd.go#Command.Run": ["Command.Go", "TestA?", "other?"],
    "Shutdown.recv": ["Handler.run", "stop", "subscribe?"],
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


@pytest.mark.parametrize("symbol", CALLERS)
def test_callers(tree: Workspace, symbol: str) -> None:
    found = tree.hierarchy(symbol, "callers")
    assert names(found.items) == CALLERS[symbol] and found.uncalled is None, found


def test_a_caller_by_name_alone_says_so(tree: Workspace) -> None:
    page = render_hierarchy(tree.hierarchy("ProgressBar.update", "callers"))
    assert (
        "- `of_dict` function `bar.py:17` (may be another)\n" in page
        and page.count("(may be another): what the name") == 1
    )
    assert "(may be another)" not in render_hierarchy(tree.hierarchy("T.Wait", "callers"))


def test_heads_of_clauses_are_definitions_and_specifications_declarations(tree: Workspace) -> None:
    for name, roles in {"put": (4, 1), "fac": (3, 2), "grow": (2, 1)}.items():
        found = tree.references(
            ReferencesRequest(name=name, languages=["elixir", "erlang", "haskell"])
        )
        assert (found.roles["definition"], found.roles["declaration"], found.roles["call"]) == (
            *roles,
            1,
        ), found


def test_the_words_that_define_are_not_called(tree: Workspace) -> None:
    found = tree.hierarchy("Shop.Cart.put", "callees")
    assert (names(found.items), found.outside) == (["Shop.Cart.hide"], ["is_binary", "is_atom"])


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
    assert names(tree.hierarchy("Rack::Request::Helpers").items) == ["Rack.Request", "Late"]
    assert names(tree.hierarchy("Rack::Response::Helpers").items) == ["Rack.Response"]
    assert names(tree.hierarchy("Rack::Request", "supertypes").items) == [
        "Rack.Request.Env",
        "Rack.Request.Helpers",
    ]
    assert names(tree.hierarchy("Late", "supertypes").items) == ["Rack.Request.Helpers"]


def test_an_absolute_name_is_of_no_namespace(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "Fault.php": "<?php\nnamespace Shop;\nclass Fault {}\n",
            "Use.php": "<?php\nnamespace Shop;\nfunction f() { throw new Fault(); }\nfunction g() { throw new \\Fault(); }\n",
            "ns.cc": "namespace n { void open(); void close(); }\nvoid n::close() { ::open(); open(); }\n",
        }
    )
    found = tree.references(ReferencesRequest(name="Fault.php#Shop.Fault", role="call"))
    assert [item.line for file in found.files for item in file.items] == [3]
    assert "Nothing inherits" in render_hierarchy(tree.hierarchy("Shop.Fault"))


SIGNED = {
    "ts": "interface $Base {}\ninterface $Mid<T> extends $Base {}\ninterface Plain extends $Mid<1> {}\n",
    "js": "class $Base {}\nclass $Mid extends $Base {}\nclass Plain extends $Mid {}\n",
    "java": "class $Base {}\nclass $Mid extends $Base {}\nclass Plain extends $Mid {}\n",
}


@pytest.mark.parametrize("suffix", SIGNED)
def test_names_with_signs(make_workspace: Maker, suffix: str) -> None:
    tree = make_workspace({f"a.{suffix}": SIGNED[suffix]})
    below = tree.hierarchy("$Base")
    assert names(below.items) == ["$Mid"] and names(below.items[0].items) == ["Plain"]
    above = tree.hierarchy("Plain", "supertypes")
    assert names(above.items) == ["$Mid"] and names(above.items[0].items) == ["$Base"]


def test_what_cannot_inherit_is_no_place_that_may(make_workspace: Maker) -> None:
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
    assert names(tree.hierarchy("Visitor").items) == ["Run.go"]
    assert "Nothing inherits" in render_hierarchy(tree.hierarchy("Alone"))
    assert "Nothing inherits" in render_hierarchy(tree.hierarchy("b.py#Path"))
    assert [place.at for place in tree.hierarchy("b.py#Mixed").may_inherit] == ["b.py:5"]


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
    assert names(tree.hierarchy("a.py#parse", "callers").items) == ["A.parse"]
    assert names(tree.hierarchy("a.py#outer.parse", "callers").items) == ["outer"]
    assert names(tree.hierarchy("b.cc#open", "callers").items) == ["far"]


def test_an_import_may_name_the_ending_of_a_file(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "core/schemas.ts": "export function merge(a) {}\n",
            "old/schemas.ts": "export function merge(a) {}\n",
            "core/compile.ts": "import { merge } from './schemas.js';\nexport function go() { add(merge); }\n",
        }
    )
    found = tree.hierarchy("core/schemas.ts#merge", "callers").uncalled
    assert found is not None and [place.at for place in found.first] == ["core/compile.ts:2"]


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


@pytest.mark.parametrize("path", NESTED)
def test_types_of_one_last_name_are_told_apart(make_workspace: Maker, path: str) -> None:
    tree = make_workspace({path: NESTED[path]})
    symbol = {"a.rs": "block.Builder.put"}.get(path, "Block.Builder.put")
    found = names(tree.hierarchy(f"{path}#{symbol}", "callers").items)
    assert [name.rpartition(".")[2] for name in found if not name.endswith("?")] == ["own", "two"]


def test_what_tests_define_is_not_meant_elsewhere(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "db/format.h": '#include "include/order.h"\nclass KeyOrder : public Order {};\n',
            "db/list_test.cc": "struct Order { int a; };\nstruct TestOrder : public Order {};\n",
            "include/order.h": "class Order { virtual int compare() = 0; };\n",
        }
    )
    assert names(tree.hierarchy("include/order.h#Order").items) == ["KeyOrder"]
    assert names(tree.hierarchy("db/list_test.cc#Order").items) == ["TestOrder"]


def test_a_class_that_tests_reopen_is_the_class(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "lib/app.rb": "module Mini\n  class Base\n    def call; end\n  end\n  class App < Base\n  end\nend\n",
            "test/helper.rb": "class Mini::Base\n  include Comparable\nend\n",
            "test/app_test.rb": "class AppTest\n  class MyApp < Mini::Base\n  end\nend\n",
        }
    )
    assert names(tree.hierarchy("lib/app.rb#Mini.Base").items) == ["Mini.App", "AppTest.MyApp"]


OF_LIBRARY = {
    "py": ("from click import Command\n", "def go(c: Command):\n    c.run()\n"),
    "ts": ('import {Command} from "commander";\n', "export function go(c: Command) { c.run(); }\n"),
    "java": (
        "package app; import org.lib.Command;\n",
        "class Use { void go(Command c) { c.run(); } }\n",
    ),
    "php": ("<?php\nuse Symfony\\Console\\Command;\n", "function go(Command $c) { $c->run(); }\n"),
    "rs": ("use clap::Command;\n", "fn go(c: &Command) { c.run(); }\n"),
}
OWN_TYPE = {
    "py": "class Command:\n    def run(self): pass\n",
    "ts": "export class Command { run() {} }\n",
    "java": "package core; public class Command { public void run() {} }\n",
    "php": "<?php\nnamespace Core;\nclass Command { function run() {} }\n",
    "rs": "pub struct Command;\nimpl Command { pub fn run(&self) {} }\n",
}


@pytest.mark.parametrize("suffix", OF_LIBRARY)
def test_a_type_that_is_imported_from_elsewhere_may_be_another(
    make_workspace: Maker, suffix: str
) -> None:
    imported, used = OF_LIBRARY[suffix]
    tree = make_workspace(
        {f"core/command.{suffix}": OWN_TYPE[suffix], f"app/use.{suffix}": imported + used}
    )
    found = tree.hierarchy("Command.run", "callers").items
    assert [item.is_unsure for item in found] == [True]
    own = imported.replace("click", "core.command").replace('"commander"', '"../core/command"')
    own = (
        own.replace("org.lib", "core")
        .replace("Symfony\\Console", "Core")
        .replace("clap", "core::command")
    )
    tree = make_workspace(
        {f"core/command.{suffix}": OWN_TYPE[suffix], f"app/use.{suffix}": own + used}
    )
    assert [item.is_unsure for item in tree.hierarchy("Command.run", "callers").items] == [False]


LAMBDAS = {
    "py": "def top(v): return v\n\n\ndef run(o, v):\n    low = map(lambda top: top + 1, o)\n    return top(v)\n",
    "js": "function top(v) {}\nfunction run(o) {\n  o.map(top => top + 1)\n  return top(o)\n}\n",
    "rs": "fn top(v: i32) {}\nfn run(o: Option<i32>) {\n    o.map(|top| top + 1);\n    top(3)\n}\n",
}


@pytest.mark.parametrize("suffix", LAMBDAS)
def test_a_name_that_a_lambda_binds_hides_no_call_outside_of_it(
    make_workspace: Maker, suffix: str
) -> None:
    tree = make_workspace({f"a.{suffix}": LAMBDAS[suffix]})
    assert names(tree.hierarchy("top", "callers").items) == ["run"]


def test_a_parameter_hides_what_has_its_name(make_workspace: Maker) -> None:
    tree = make_workspace(
        {"a.py": "def top(v): return v\n\n\ndef run(o, top):\n    return top(o)\n"}
    )
    assert tree.hierarchy("top", "callers").items == []


def test_many_calls_of_one_file_are_judged_by_one_reading(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = "".join(
        f"def f{number}(c: Command):\n    c.run()\n    x.run()\n" for number in range(300)
    )
    tree = make_workspace(
        {"command.py": OWN_TYPE["py"], "use.py": f"from click import Command\n{calls}"}
    )
    read: list[str] = []
    read_text = uses.read_text
    monkeypatch.setattr(
        uses,
        "read_text",
        lambda tree, file, most: read.append(file.path) or read_text(tree, file, most),
    )
    found = tree.hierarchy("Command.run", "callers", max_items=1000).items
    assert len(found) == 300 and all(item.is_unsure for item in found) and read == ["use.py"]


def test_code_is_looked_through_for_types_up_to_a_limit(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make_workspace(
        {
            "a.py": OWN_TYPE["py"]
            + "def one(c: Command):\n    c.run()\n\n\ndef two(d: Command):\n    d.run()\n"
        }
    )
    assert names(tree.hierarchy("Command.run", "callers").items) == ["one", "two"]
    monkeypatch.setattr("symindex.explore.relations.calls._MOST_CHARACTERS", 45)
    assert names(tree.hierarchy("Command.run", "callers").items) == ["one", "two?"]


FOREIGN = {
    "rs": ({
        "src/command.rs": "pub struct Command;\nimpl Command { pub fn new() {} }\nfn mine() { Command::new(); }\n"
                          "fn os() { std::process::Command::new(); }\n",
        "src/cli.rs": "use clap::{\n    builder::X,\n    Command,\n};\nfn spawn() { Command::new(); }\n",
        "src/job.rs": "use crate::{command::Command, x::Y};\nfn own() { Command::new(); }\n",
    }, "Command.new", ["mine", "own", "spawn?", "os?"]),
    "go": ({
        "core/command.go": "package core\ntype Command struct{}\nfunc (c *Command) Run() {}\nfunc StartAll() {}\n",
        "app/use.go": 'package app\nimport "os/exec"\nfunc a(c *exec.Command) { c.Run() }\n',
        "app/own.go": 'package app\nimport "x.com/y/z/core"\nfunc b(c *core.Command) { c.Run() }\n',
    }, "Command.Run", ["b", "a?"]),
    "ts": ({
        "command.ts": "export class Command { run() {} }\n",
        "use.ts": 'import {\n  Command,\n} from "commander"\nexport function a(c: Command) { c.run() }\n',
        "own.ts": 'import {Command} from "./command"\nexport function b(c: Command) { c.run() }\n',
    }, "command.ts#Command.run", ["b", "a?"]),
    "kt": ({
        "core/Command.kt": "package core\nclass Command { fun run() {} }\n",
        "app/Use.kt": "package app\nimport org.lib.Command\nfun a(c: Command) { c.run() }\n",
        "app/Own.kt": "package app\nimport core.Command\nfun b(c: Command) { c.run() }\n",
    }, "Command.run", ["b", "a?"]),
}  # fmt: skip


@pytest.mark.parametrize("language", FOREIGN)
def test_a_library_s_type_of_that_name_is_not_surely_meant(
    make_workspace: Maker, language: str
) -> None:
    files, symbol, expected = FOREIGN[language]
    assert sorted(names(make_workspace(files).hierarchy(symbol, "callers").items)) == sorted(
        expected
    )


def test_a_function_of_an_imported_package_is_another(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "core/run.go": "package core\nfunc CommandContext() {}\nfunc own() { CommandContext() }\n",
            "app/use.go": 'package app\nimport "os/exec"\nfunc a() { exec.CommandContext() }\n',
            "app/far.go": 'package app\nimport c "x.com/y/z/core"\nfunc b() { c.CommandContext() }\n',
        }
    )
    assert names(tree.hierarchy("CommandContext", "callers").items) == ["b", "own"]


BASES = {
    "php": ({
        "Command.php": "<?php\nnamespace Core;\nclass Command {}\n",
        "Use.php": "<?php\nnamespace App;\nuse Symfony\\Console\\Command;\nclass Sub extends Command {}\n",
        "Own.php": "<?php\nnamespace App;\nuse Core\\{Command, Other};\nclass Own extends Command {}\n",
    }, "Core.Command", ["App.Own", "App.Sub?"]),
    "scala": ({
        "core/Command.scala": "package core\nclass Command\n",
        "app/Use.scala": "package app\nimport org.lib.Command\nclass Sub extends Command\n",
        "app/Own.scala": "package app\nimport core.{Command => C, Command}\nclass Own extends Command\n",
    }, "core/Command.scala#Command", ["Own", "Sub?"]),
    "kt": ({
        "core/H.kt": "package core\nopen class Handler\n",
        "app/H.kt": "package app\nopen class Handler\nclass Near : Handler()\n",
        "app/M.kt": "package app\nimport core.Handler\nclass Mine : Handler()\n",
    }, "core/H.kt#Handler", ["Mine"]),
    "php alias": ({
        "a.php": "<?php\nnamespace App;\nclass Handler {}\nclass Near extends Handler {}\n",
        "b.php": "<?php\nnamespace App;\nuse Core\\Handler as H;\nclass Ali extends H {}\n",
        "c.php": "<?php\nnamespace Core;\nclass Handler {}\n",
    }, "a.php#App.Handler", ["App.Near"]),
}  # fmt: skip


@pytest.mark.parametrize("language", BASES)
def test_an_imported_base_is_the_one_of_its_module(make_workspace: Maker, language: str) -> None:
    files, symbol, expected = BASES[language]
    assert sorted(names(make_workspace(files).hierarchy(symbol).items)) == sorted(expected)


SHADOWED = {
    "a.swift": ("""func top(_ v: [Int]) -> Int { v[0] }
func run(o: [Int], v: [Int]) -> Int {
  let low = o.map { top in top + 1 }
  if let top = low.first { print(top) }
  for top in o { print(top) }
  return top(v)
}
""", 6),
    "a.cs": ("""class A {
  static int top(int[] v) { return v[0]; }
  static int Run(int[] v) {
    System.Func<int,int> f = top => top + 1;
    return top(v);
  }
}
""", 5),
    "a.ex": ("""defmodule A do
  def top(v), do: hd(v)
  def run(o, v) do
    low = Enum.map(o, fn top -> top + 1 end)
    for top <- o, do: top
    case o do
      {:ok, top} -> top
    end
    top(v)
  end
  def other(top), do: top + 1
end
""", 9),
    "a.scala": ("""object A {
  def top(v: Int) = v
  def run(o: List[Int], v: Int) = {
    val low = o.map(top => top + 1)
    for (top <- o) yield top
    o match { case Some(top) => top }
    top(v)
  }
}
""", 7),
    "a.dart": ("""int top(int v) => v;
int run(o, int v) {
  var low = o.map((top) => top + 1);
  for (var top in o) { print(top); }
  return top(v);
}
""", 5),
    "a.lua": ("""local function top(v) return v end
local function run(o, v)
  local low = map(o, function(top) return top + 1 end)
  for top in o do print(top) end
  return top(v)
end
""", 5),
}  # fmt: skip


@pytest.mark.parametrize("path", SHADOWED)
def test_what_a_lambda_a_pattern_or_a_loop_binds_is_no_use(
    make_workspace: Maker, path: str
) -> None:
    text, line = SHADOWED[path]
    found = make_workspace({path: text}).references(ReferencesRequest(name=f"{path}#top"))
    items = [
        (item.line, item.role)
        for file in found.files
        for item in file.items
        if item.role != "definition"
    ]
    assert items == [(line, "call")]


def test_namesakes_of_unrelated_languages_change_nothing(make_workspace: Maker) -> None:
    files = {
        "rs/lib.rs": "pub mod core { pub trait Handler {} }\n"
        "pub mod app { pub trait Handler {} pub struct Near; impl Handler for Near {}\n"
        "pub struct Full; impl crate::core::Handler for Full {} }\n",
        "ts/core/handler.ts": "export class Handler {}\n",
        "ts/app/mine.ts": 'import * as c from "../core/handler"\nexport class Full extends c.Handler {}\n',
        "py/core/base.py": "class Handler: pass\n",
        "php/c.php": "<?php\nnamespace Core;\nclass Handler {}\n",
    }
    tree = make_workspace(files)
    assert names(tree.hierarchy("rs/lib.rs#app.Handler").items) == ["app.Near"]
    assert names(tree.hierarchy("rs/lib.rs#core.Handler").items) == ["app.Full"]
    assert names(tree.hierarchy("ts/core/handler.ts#Handler").items) == ["Full"]


MEMBER = "package a\n\ntype T struct{}\n\nfunc (t T) %s() {}\n\nfunc run(s string) {\n\t%s\n}\n"
LOADS = "class A:\n    def load(self): pass\nclass B:\n    def load(self): pass\n"

CALLEES: dict[str, tuple[Files, list[str], dict[str, int]]] = {
    "a function of an imported package is no method here": (
        {
            "go.mod": "module ex.com/a\n",
            "a.go": MEMBER.replace("\n\n", '\n\nimport "net/http"\n\n', 1) % ("HandlerFunc", "http.HandlerFunc(nil)"),
        },
        [],
        {"HandlerFunc": 1},
    ),
    "a built-in function is no method of other capitals": ({"a.go": MEMBER % ("Len", "len(s)")}, ["len"], {}),
    "of an unknown receiver it is said how many have the name": (
        {"a.py": LOADS, "b.py": "def run(x):\n    x.load()\n    nothing(x)\n"}, ["nothing"], {"load": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLEES)
def test_callees_that_are_not_here_and_those_that_may_be(make_workspace: Maker, case: str) -> None:
    files, outside, unclear = CALLEES[case]
    found = make_workspace(files).hierarchy("run", "callees")
    assert (found.items, found.outside, found.unclear) == ([], outside, unclear)
