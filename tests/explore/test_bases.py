"""Bases of types and modules in languages with unusual forms, and places that may name a base."""

import pytest

from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.hierarchy import Direction
from symindex.render.hierarchy import render_hierarchy
from tests.support.files import Maker
from tests.support.related import nested_names

BASES: dict[str, str | bytes] = {
    "a.swift": (
        "protocol Priced: Named {}\nprotocol Named {}\nclass Base<T> {}\npublic final class Cart: Base<Int>, @unchecked Sendable {}\n"
        "public extension Cart: Priced, Named where Int: Named {}\nstruct Till {\n  enum Slot: Named { case one }\n}\n"
        "func use() { let cart: Cart = Cart(); pay(cart) }\nfunc pay(_ c: Cart) {}\n"
    ),
    "b.scala": (
        "trait Fruit extends Food with Sweet[Int]\ntrait Food\ntrait Sweet[T]\nclass Apple(x: Int) extends Fruit\n"
        "object Pear extends Apple(1), Food\ncase object Fig extends Fruit { def ripe = 1 }\n"
        'enum Nut extends Food { case Wal extends Nut("x") }\ndef eat(): Int = { val a = new Apple(cut(1)); a ripen 2 }\n'
        "def cut(x: Int) = x\n"
    ),
    "c.dart": "class Car extends Auto<int> with Wheels, p.Doors implements Thing {}\nclass Auto<T> {}\nmixin Wheels on Thing {}\nclass Thing { f() { g(1); } g(x) {} }\nenum Gear with Wheels { one }\n",
    "d.sol": "interface Own {}\ncontract Owned is Own, Lib.Paid(1) { function a() public { b(1); } function b(uint x) internal {} }\n",
    "e.jl": "abstract type Shape end\nabstract type Flat <: Shape end\nstruct Square{T} <: Flat\nend\nf(x) = g(x)\nfunction g(x)\n  x\nend\n",
    "f.m": "@protocol Run\n@end\n@protocol Fly <Run>\n@end\n@interface Bird : NSObject <Fly>\n@end\n@interface Emu : Bird\n@end\n",
    "g.nim": "type\n  Beast = object of RootObj\n  Cow = ref object of Beast\n",
    "h.pas": "unit h;\ninterface\ntype\n  IDoc = interface\n  end;\n  TDoc = class(TObject, IDoc)\n  end;\nimplementation\nend.\n",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("symbol", "direction", "expected"),
    [
        ("Priced", "subtypes", ["Cart"]),
        ("a.swift#Named", "subtypes", ["Priced", ".Cart", "Cart", "Till.Slot"]),
        ("Cart", "supertypes", ["Base", "Priced", ".Named", "Named"]),
        ("Cart", "callers", ["use"]),
        ("use", "callees", ["Cart", "pay"]),
        ("Fruit", "subtypes", ["Apple", ".Pear", "Fig"]),
        ("Fruit", "supertypes", ["Food", "Sweet"]),
        ("Pear", "supertypes", ["Apple", ".Fruit", "..Food", "..Sweet", "Food"]),
        ("cut", "callers", ["eat"]),
        ("Car", "supertypes", ["Auto", "Wheels", ".Thing", "Thing"]),
        ("Wheels", "subtypes", ["Car", "Gear"]),
        ("Thing.g", "callers", ["Thing.f"]),
        ("Own", "subtypes", ["Owned"]),
        ("Owned.b", "callers", ["Owned.a"]),
        ("Shape", "subtypes", ["Flat", ".Square"]),
        ("e.jl#g", "callers", ["f"]),
        ("Run", "subtypes", ["Fly", ".Bird", "..Emu"]),
        ("Beast", "subtypes", ["Cow"]),
        ("IDoc", "subtypes", ["TDoc"]),
    ],
)
def test_the_bases_that_a_grammar_shows(
    make_workspace: Maker, symbol: str, direction: Direction, expected: list[str]
) -> None:
    assert sorted(
        nested_names(make_workspace(BASES).hierarchy(symbol, direction=direction).items)
    ) == sorted(expected)


MIXED: dict[str, str | bytes] = {
    "a.ex": (
        "defmodule Oban.Engine do\n  @callback init(x :: term) :: term\nend\n\n"
        "defmodule Oban.Engines.Basic do\n  @behaviour Oban.Engine\n  def init(x), do: Oban.Engine.init(x)\nend\n\n"
        "defmodule Shop do\n  alias Oban.Engine\n  @behaviour Engine\n  use Shop.Base, opts: Oban.Engine\nend\n\n"
        "defmodule Shop.Base do\nend\n\n"
        "defprotocol Shop.Priced do\n  def price(x)\nend\n\ndefmodule Shop.Cart do\nend\n\n"
        "defimpl Shop.Priced, for: Shop.Cart do\n  def price(x), do: 1\nend\n"
    ),
    "e.ex": (
        "defprotocol Sized do\n  def size(x)\nend\n\ndefimpl Sized, for: [Shop, List] do\n  def size(_), do: 1\nend\n\n"
        "defmodule Nest do\n  defimpl Sized do\n    def size(_), do: 1\n  end\nend\n"
    ),
    "other/engine.ex": "defmodule Other.Engine do\nend\n",
    "b.rb": (
        "module SetTab\n  def x; end\nend\n\nmodule Late\nend\n\nmodule Inner\nend\n\nmodule Idle\nend\n\n"
        "class Dead\n  include SetTab\n  extend Foo::Inner, SetTab\nend\n\n"
        "class Live\n  prepend(SetTab)\n  class << self\n    include Inner\n  end\nend\n\n"
        "def hook(base)\n  base.extend(Late)\nend\n"
    ),
    "m.rb": (
        "class Choices < Struct\nend\nclass Sheet\n  def self.[](x); end\nend\n"
        "module Web\n  Options = Choices.new(:a) do\n    def path; end\n  end\n  Near = Web::Options.new { def self.go; end }\n"
        "  CACHE = Choices.new do |cache, key|\n    cache[key] = 1\n  end\n  Late = Class.new(Options)\n"
        "  Far = Class.new(Web::Options) do\n    def far; end\n  end\nend\nclass First < Sheet[7.0]\nend\n"
    ),
    "c.erl": "-module(c).\n-behaviour(d).\n-export([f/1]).\nf(1) -> 2.\n",
    "d.erl": "-module(d).\n-callback f(integer()) -> term().\n",
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("symbol", "direction", "expected"),
    [
        ("Oban.Engine", "subtypes", ["Oban.Engines.Basic", "Shop"]),
        ("Other.Engine", "subtypes", []),
        ("Oban.Engines.Basic", "supertypes", ["Oban.Engine"]),
        ("Shop.Base", "subtypes", ["Shop"]),
        ("Shop.Priced", "subtypes", ["Shop.Priced.Shop.Cart"]),
        ("e.ex#Sized", "subtypes", ["Sized", "Nest.Sized"]),
        ("SetTab", "subtypes", ["Dead", "Live"]),
        ("Dead", "supertypes", ["SetTab"]),
        ("Inner", "subtypes", ["Live"]),
        ("d", "subtypes", ["c"]),
        ("c", "supertypes", ["d"]),
        ("SetTab.x", "subtypes", []),
        ("Choices", "subtypes", ["Web.Options", ".Web.Near", ".Web.Late", ".Web.Far"]),
        ("Web.Far", "supertypes", ["Web.Options", ".Choices"]),
        ("Sheet", "subtypes", ["First"]),
    ],
)
def test_modules_inherit_by_lines_in_their_bodies(
    make_workspace: Maker, symbol: str, direction: Direction, expected: list[str]
) -> None:
    assert (
        nested_names(make_workspace(MIXED).hierarchy(symbol, direction=direction).items) == expected
    )


@pytest.mark.nightly
def test_nothing_is_certain_while_places_have_the_name(make_workspace: Maker) -> None:
    workspace = make_workspace(MIXED)
    late = workspace.hierarchy("b.rb#Late")
    assert late.items == [] and [place.at for place in late.may_inherit] == ["b.rb:27"]
    assert "Nothing inherits" not in render_hierarchy(
        late
    ) and "`base.extend(Late)`" in render_hierarchy(late)
    above = render_hierarchy(workspace.hierarchy("a.ex#Shop.Cart", direction="supertypes"))
    assert "inherits from nothing" not in above and "defimpl Shop.Priced, for: Shop.Cart" in above
    assert "Nothing inherits" in render_hierarchy(workspace.hierarchy("Idle"))


@pytest.mark.nightly
def test_a_behaviour_is_a_reference_by_its_whole_name(make_workspace: Maker) -> None:
    response = make_workspace(MIXED).references(
        ReferencesRequest(name="Oban.Engine", role=["inherit"])
    )
    assert [item.line for file in response.files for item in file.items] == [6, 12]


SIGNS: dict[str, str | bytes] = {
    "a.ts": (
        "interface $Base { a: string }\ninterface $Mid<T = 1> extends $Base {}\nclass Plain implements $Base {}\nclass $K<T> {}\n"
        "class Sub extends $K<number> {}\ninterface _$U {}\ninterface KidU extends _$U {}\nfunction $f() {}\n"
        "function g() { $f() }\n"
    ),
    "b.js": "class $Widget {}\nclass Button extends $Widget {}\n",
    "C.java": (
        "class $Node { }\nclass Leaf extends $Node { }\ninterface Visitor { void see(); }\n"
        "class Run {\n  void r() {\n    go(new Visitor() { public void see() {} });\n  }\n  void go(Visitor v) {}\n}\n"
    ),
    "d.scala": "trait Eater { def eat(): Int }\nobject Here {\n  def make = new Eater { def eat() = 1 }\n}\n",
    "e.php": "<?php\ninterface Sink { function put(); }\nfunction open() { return new class implements Sink { function put() {} }; }\n",
    "f.kt": "interface Tap { fun drip() }\nfun tap() = object : Tap { override fun drip() {} }\n",
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("symbol", "direction", "expected"),
    [
        ("$Base", "subtypes", ["$Mid", "Plain"]),
        ("$K", "subtypes", ["Sub"]),
        ("_$U", "subtypes", ["KidU"]),
        ("$Mid", "supertypes", ["$Base"]),
        ("$f", "callers", ["g"]),
        ("g", "callees", ["$f"]),
        ("$Widget", "subtypes", ["Button"]),
        ("$Node", "subtypes", ["Leaf"]),
        ("Visitor", "subtypes", ["Run.r"]),
        ("Eater", "subtypes", ["Here.make"]),
        ("Sink", "subtypes", ["open"]),
        ("Tap", "subtypes", ["tap"]),
    ],
)
def test_names_with_signs_and_classes_without_names(
    make_workspace: Maker, symbol: str, direction: Direction, expected: list[str]
) -> None:
    assert (
        nested_names(make_workspace(SIGNS).hierarchy(symbol, direction=direction).items) == expected
    )


def test_what_takes_a_member_from_a_type_does_not_inherit_from_it(make_workspace: Maker) -> None:
    tree = make_workspace({
        "types.py": "class Path:\n    SIZE = 1\n",
        "b.py": "import pathlib\nfrom types import Path\n\nx = [pathlib.Path, Path.SIZE, Path.SIZE]\n",
        "c.py": "from types import Path\n\nmake(Path)\n",
    })  # fmt: skip
    assert [place.at for place in tree.hierarchy("types.py#Path").may_inherit] == ["c.py:3"]


def test_a_local_name_or_a_namesake_does_not_inherit(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.kt": "interface Source { fun read(): Long }\n",
        "b.kt": "fun f(x: In): Boolean {\n  val read = x.size\n  if (read != -1L) return true\n  return g(read)\n}\n",
        "subject.ts": "export class Subject {}\n",
        "other.ts": "export class Subject {}\n",
        "use.ts": "import { Subject } from './other';\nconst all = { entities: [Subject] };\n",
        "own.ts": "import { Subject } from './subject';\nconst all = { entities: [Subject] };\n",
    })  # fmt: skip
    assert tree.hierarchy("a.kt#Source.read").may_inherit == []
    places = tree.hierarchy("subject.ts#Subject").may_inherit
    assert [place.at for place in places] == ["own.ts:2"]


NEAR: dict[str, str | bytes] = {
    "request.rb": "module Rack\n  class Request\n    module Env\n    end\n    module Helpers\n    end\n"
    + "    # x\n" * 250
    + ("    include Env\n    include Helpers\n  end\nend\n"),
    "response.rb": (
        "module Rack\n  class Response\n    module Helpers\n    end\n    include Helpers\n    class Raw\n      include Helpers\n    end\n"
        "  end\nend\n"
    ),
    "C.java": (
        "class Run {\n  void go() {}\n  void r() { go(); }\n  class Inner {\n    void go(int x) {}\n    void far() { go(1); r(); }\n  }\n}\n"
    ),
    "src/Own.php": "<?php\nnamespace App;\nclass Trouble extends \\Exception {}\nfunction f() { throw new Trouble(); }\n",
    "src/Other.php": "<?php\nnamespace App;\nfunction g() { throw new \\Trouble(); }\n",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("symbol", "direction", "expected"),
    [
        ("Rack.Request.Helpers", "subtypes", ["Rack.Request"]),
        ("Rack.Response.Helpers", "subtypes", ["Rack.Response", "Rack.Response.Raw"]),
        ("Rack.Request", "supertypes", ["Rack.Request.Env", "Rack.Request.Helpers"]),
        ("Run.go", "callers", ["Run.r"]),
        ("Run.Inner.go", "callers", ["Run.Inner.far"]),
        ("Run.r", "callers", ["Run.Inner.far"]),
        ("Trouble", "callers", ["App.f"]),
    ],
)
def test_what_is_nearest_around_is_meant(
    make_workspace: Maker, symbol: str, direction: Direction, expected: list[str]
) -> None:
    assert (
        nested_names(make_workspace(NEAR).hierarchy(symbol, direction=direction, depth=1).items)
        == expected
    )
