"""References in Elixir are bound by whole names of modules, aliases and imports."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "lib/cart.ex": (
        "defmodule Shop.Cart do\n  alias Shop.Item\n  defstruct [:items, total: 1]\n"
        "  def add(cart, x), do: Item.add(cart, x)\n  def own(), do: __MODULE__.add(1, 2)\n"
        "  defmodule Inner do\n    def add(a), do: a\n  end\nend\n"
    ),
    "lib/item.ex": (
        "defmodule Shop.Item do\n  @behaviour Shop.Thing\n  def add(a, b), do: a\n"
        "  def make(), do: to_string(1)\n  def to_string(x), do: x\nend\n"
    ),
    "lib/thing.ex": "defmodule Shop.Thing do\n  @callback add(term, term) :: term\nend\n",
    "lib/other.ex": "defmodule Item do\n  def add(a), do: a\nend\n",
    "lib/rows.ex": (
        "defprotocol Shop.Rows do\n  def rows(x)\nend\n\n"
        "defimpl Shop.Rows, for: Shop.Cart do\n  def rows(x), do: x\nend\n"
    ),
}  # fmt: skip

CART, ITEM, OTHER = (
    "lib/cart.ex#Shop.Cart.add",
    "lib/item.ex#Shop.Item.add",
    "lib/other.ex#Item.add",
)
INNER, TYPE, MAKE = (
    "lib/cart.ex#Shop.Cart.Inner.add",
    "lib/cart.ex#Shop.Cart",
    "lib/item.ex#Shop.Item.make",
)

CASES: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    # by name: the head of the module, the body of a function in line 3, and the uses of each symbol
    "a whole name": ("", "Shop.Cart.add(x, 1)", {CART: ["3"], ITEM: [], INNER: []}),
    "an alias": ("alias Shop.Cart", "Cart.add(x, 1)", {CART: ["3"], ITEM: [], TYPE: ["3"]}),
    "a group": (
        "alias Shop.{Cart, Item, Cart.Inner}", "Cart.add(1); Item.add(2); Inner.add(3)",
        {CART: ["3"], ITEM: ["3"], INNER: ["3"], OTHER: []},
    ),
    "another name": ("alias Shop.Cart, as: Item", "Item.add(x, 1)", {CART: ["3"], ITEM: [], OTHER: []}),
    "no alias": ("", "Item.add(x)", {OTHER: ["3"], ITEM: []}),
    "an inner module": ("alias Shop.Cart", "Cart.Inner.add(1)", {INNER: ["3"], CART: []}),
    "a pipe": ("alias Shop.Cart", "x |> Cart.add(1) |> Enum.map(&Shop.Item.add(&1, 1))", {CART: ["3"], ITEM: ["3"]}),
    "an import": ("import Shop.Item", "make(); add(x, 1)", {MAKE: ["3"], ITEM: ["3"], CART: []}),
    "a module of a library": ("alias Lib.Cart", "Cart.add(1); Lib.Item.add(1)", {CART: [], ITEM: [], OTHER: []}),
    "a module of the language": ("", "Map.add(1)", {CART: [], ITEM: [], OTHER: []}),
    "a function of the language": ("", "to_string(x)", {"lib/item.ex#Shop.Item.to_string": []}),
    "a value": ("alias Shop.Cart", "x.add(1)", {CART: ["3?"], ITEM: ["3?"]}),
    "a variable": ("import Shop.Item", "make = 1; make", {ITEM: []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    head, body, expected = CASES[name]
    code = f"defmodule Use do\n  {head or 'require Logger'}\n  def f(x), do: ({body})\nend\n"
    tree = make_workspace({**BASE, "lib/use.ex": code})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if "use.ex" in line]
        assert found == [f"lib/use.ex:{line}" for line in lines], symbol


def test_the_module_around(make_workspace: Maker) -> None:
    code = "defmodule Shop.More do\n  alias __MODULE__.Deep\n  def f(), do: Deep.go()\n  def go(), do: 1\nend\n"
    deep = "defmodule Shop.More.Deep do\n  def go(), do: 1\nend\n"
    tree = make_workspace({**BASE, "lib/more.ex": code, "lib/deep.ex": deep})
    assert bound_lines(tree, "lib/deep.ex#Shop.More.Deep.go") == ["lib/more.ex:3"]
    assert bound_lines(tree, "lib/more.ex#Shop.More.go") == []
    assert "lib/cart.ex:5" in bound_lines(tree, CART)


def test_a_module_has_its_own_function_of_a_name_of_the_language(make_workspace: Maker) -> None:
    assert bound_lines(make_workspace(BASE), "lib/item.ex#Shop.Item.to_string") == ["lib/item.ex:4"]


def test_behaviours_and_protocols_are_bases(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    below = tree.hierarchy("lib/thing.ex#Shop.Thing", direction="subtypes")
    assert [item.name for item in below.items] == ["Shop.Item"]
    below = tree.hierarchy("lib/rows.ex#Shop.Rows", direction="subtypes")
    assert [item.name for item in below.items] == ["Shop.Rows.Shop.Cart"]


def test_the_module_of_an_implementation_does_not_hide_the_type(make_workspace: Maker) -> None:
    code = "defimpl Lib.Chars, for: Item do\n  def add(x), do: Item.add(x)\nend\n"
    tree = make_workspace({**BASE, "lib/use.ex": code})
    assert "lib/use.ex:2" in bound_lines(tree, OTHER)
    assert "lib/use.ex:2" not in bound_lines(tree, "lib/use.ex#Lib.Chars.Item.add")


def test_the_title_of_a_test_is_no_function(make_workspace: Maker) -> None:
    code = (
        "defmodule Shop.ItemTest do\n  use ExUnit.Case\n  import Shop.Item\n"
        '  test "make" do\n    assert make() == 1\n  end\nend\n'
    )
    tree = make_workspace({**BASE, "test/item_test.exs": code})
    assert bound_lines(tree, MAKE) == ["test/item_test.exs:5"]


def test_a_module_whose_name_begins_with_one_of_the_language(make_workspace: Maker) -> None:
    code = (
        "defimpl Inspect, for: Shop.Cart do\n  def go(x), do: x\nend\n"
        "defmodule Use do\n  def f(x), do: Inspect.Shop.Cart.go(x)\n"
        "  def g(x), do: Inspect.go(x)\nend\n"
    )
    tree = make_workspace({**BASE, "lib/use.ex": code})
    assert bound_lines(tree, "lib/use.ex#Inspect.Shop.Cart.go") == ["lib/use.ex:5"]


NAMED = {
    "lib/mod.ex": (
        "defmodule My.Mod do\n  defstruct [:a]\n  def go(x), do: x\nend\n"
        "defmodule Oth.Mod do\n  defstruct [:a]\n  def go(x), do: x\nend\n"
    ),
    "lib/api.ex": (
        "defmodule My.Api do\n  alias My.Mod\n  defdelegate go(x), to: Mod\n  defdelegate other(x), to: Oth.Mod\n"
        "  def pick(x) do\n    go = 3\n    go + x\n  end\nend\n"
    ),
    "lib/imp.ex": (
        "defmodule My.Imp do\n  import My.Mod, only: [go: 1]\n  def one(xs), do: Enum.map(xs, &go/1)\n"
        "  def two(x) do\n    go = go(x)\n    go |> go\n  end\nend\n"
    ),
    "test/mod_test.exs": (
        "defmodule OneTest do\n  use ExUnit.Case\n  alias My.Mod\n  alias My.Mod, as: M\n"
        '  test "a" do\n    assert %Mod{a: 1}\n  end\n  test "b" do\n    M.go(1)\n  end\nend\n'
        "defmodule TwoTest do\n  use ExUnit.Case\n  alias Oth.{Mod}\n"
        '  test "c" do\n    Mod.go(1)\n  end\nend\n'
    ),
}  # fmt: skip


def test_names_of_modules_and_functions_are_followed(make_workspace: Maker) -> None:
    """Modules by the names of their aliases, and functions by captures and where they are handed
    on; a variable that is called like a function is none."""
    workspace = make_workspace({**NAMED})
    go, module = "lib/mod.ex#My.Mod.go", "lib/mod.ex#My.Mod"
    assert bound_lines(workspace, go) == [
        "lib/api.ex:3", "lib/imp.ex:3", "lib/imp.ex:5", "lib/imp.ex:6", "test/mod_test.exs:9",
    ]  # fmt: skip
    assert bound_lines(workspace, "lib/mod.ex#Oth.Mod.go") == ["test/mod_test.exs:16"]
    found = workspace.references("lib/api.ex#My.Api.go", all=True).files
    assert [(item.line, item.definition) for file in found for item in file.items] == [(3, True)]
    callers = workspace.hierarchy(go, direction="callers").items
    assert {item.name for item in callers} == {"My.Api.go", "My.Imp.one", "My.Imp.two", "OneTest.b"}
    tests = workspace.hierarchy(module, direction="tests").items
    assert {item.name for item in tests} == {"OneTest.a", "OneTest.b"}
    uses = workspace.references(module).files
    assert not any(item.definition and "Oth" in item.text for file in uses for item in file.items)


def test_a_module_has_the_functions_that_others_put_into_it(make_workspace: Maker) -> None:
    tree = make_workspace({
        "lib/phase.ex": (
            "defmodule Phase do\n  defmacro __using__(_) do\n    quote do\n      import Tools\n"
            "      def flag(node), do: node\n      def inner(node), do: flag(node)\n    end\n  end\n"
            "  def web do\n    quote do\n      def fetch(x), do: x\n    end\n  end\nend\n"
        ),
        "lib/tools.ex": "defmodule Tools do\n  def help(x), do: x\n  defp own(x), do: x\nend\n",
        "lib/use.ex": (
            "defmodule Use do\n  use Phase, :web\n  def run(x) do\n    x |> flag()\n    fetch(x)\n"
            "    help(x)\n    own(x)\n  end\nend\ndefmodule Not do\n  def run(x), do: flag(x)\nend\n"
        ),
    })  # fmt: skip
    flag = bound_lines(tree, "lib/phase.ex#Phase.__using__.flag")
    assert flag == ["lib/phase.ex:6", "lib/use.ex:4"]
    assert bound_lines(tree, "lib/phase.ex#Phase.web.fetch") == ["lib/use.ex:5"]
    assert bound_lines(tree, "lib/tools.ex#Tools.help") == ["lib/use.ex:6"]
    assert bound_lines(tree, "lib/tools.ex#Tools.own") == []


PUT = "    quote do\n      import Shop.Factory\n      alias Shop.{Repo, Cart}\n    end\n"
PUTTING = {
    "a macro": f"defmacro __using__(_) do\n{PUT}  end\n",
    "a template": f"use ExUnit.CaseTemplate\n  using do\n{PUT}  end\n",
    "functions": f"def web do\n{PUT}  end\n  defmacro __using__(which), do: apply(__MODULE__, which, [])\n",
}


@pytest.mark.parametrize("name", PUTTING)
def test_imports_that_a_module_puts_into_others_count_there(
    make_workspace: Maker, name: str
) -> None:
    use = "def f(x) do\n    build(x)\n    Repo.all(x)\n  end\nend\n"
    tree = make_workspace(
        {
            "all.ex": "".join(
                f"defmodule {prefix}.Factory do\n  def build(x), do: x\nend\n"
                f"defmodule {prefix}.Repo do\n  def all(x), do: x\nend\n"
                for prefix in ("Shop", "Other")
            ),
            "put.ex": f"defmodule Shop.Put do\n  {PUTTING[name]}end\n",
            "use.ex": f"defmodule Use do\n  use Shop.Put, :web\n  {use}",
            "none.ex": f"defmodule None do\n  {use}",
        }
    )
    assert bound_lines(tree, "all.ex#Shop.Factory.build") == ["none.ex:3?", "use.ex:4"]
    assert bound_lines(tree, "all.ex#Shop.Repo.all") == ["none.ex:4?", "use.ex:5"]
    assert bound_lines(tree, "all.ex#Other.Factory.build") == ["none.ex:3?"]
    assert bound_lines(tree, "all.ex#Other.Repo.all") == ["none.ex:4?"]


def test_functions_that_an_import_names_are_used(make_workspace: Maker) -> None:
    tree = make_workspace({**NAMED})
    found = tree.references("lib/mod.ex#My.Mod.go").files
    imports = [
        (file.file_path, item.line)
        for file in found
        for item in file.items
        if item.role == "import"
    ]
    assert imports == [("lib/imp.ex", 2)]


def test_fields_of_structures_are_used_in_literals_and_patterns(make_workspace: Maker) -> None:
    code = (
        "defmodule Use do\n  alias My.Mod\n  def f(x), do: %Mod{a: x}\n  def g(%Mod{x | a: 1}), do: 1\n"
        "  def h(%Oth.Mod{a: x}), do: x\n  def i(x), do: %{a: x}\n  def j(x), do: f(a: x)\nend\n"
    )
    tree = make_workspace({**NAMED, "lib/use.ex": code})
    assert bound_lines(tree, "lib/mod.ex#My.Mod.a") == [
        "lib/use.ex:3", "lib/use.ex:4", "test/mod_test.exs:6",
    ]  # fmt: skip
    assert bound_lines(tree, "lib/mod.ex#Oth.Mod.a") == ["lib/use.ex:5"]


def test_a_module_below_no_other_is_named_whole(make_workspace: Maker) -> None:
    code = "defmodule Use do\n  use My.Mod\n  @behaviour Oth.Mod\n  alias My.Mod\nend\n"
    tree = make_workspace({**NAMED, "lib/use.ex": code})
    places = {"lib/use.ex:2:10": "My.Mod", "lib/use.ex:3:18": "Oth.Mod"}
    for place, name in places.items():
        found = tree.symbol(place).symbol
        assert found is not None and found.id == f"lib/mod.ex#{name}"


def test_a_variable_is_no_field_of_its_name(make_workspace: Maker) -> None:
    code = (
        'defmodule Box do\n  defstruct [:url, name: "x"]\n  def t(b) do\n    url = go(b)\n    url <> b.url\n'
        "  end\n  def f(%__MODULE__{url: other}), do: other\nend\n"
    )
    workspace = make_workspace({"a.ex": code})
    assert bound_lines(workspace, "a.ex#Box.url") == ["a.ex:5?", "a.ex:7"]
