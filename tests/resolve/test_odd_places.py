"""Uses in odd places: titles of suites, types that files return, code that a grammar cannot read,
types of the language that a tree adds to, and what functions of libraries return."""

from tests.support.bound import bound_lines
from tests.support.files import Maker


def test_a_class_that_a_suite_describes_is_used_there(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "lib/cart.rb": "module Shop\n  class Cart\n    def total; 1; end\n  end\nend\nclass Vote\nend\n",
            "spec/cart_spec.rb": (
                "RSpec.describe Shop::Cart, :config do\n  it 'counts' do\n  end\nend\n"
                "describe Vote do\n  describe 'Vote' do\n  end\nend\n"
                "describe 'Cart' do\n  context :total do\n  end\nend\n"
            ),
        }
    )  # fmt: skip
    assert bound_lines(workspace, "lib/cart.rb#Shop.Cart") == ["spec/cart_spec.rb:1"]
    assert bound_lines(workspace, "lib/cart.rb#Shop.Cart.total") == []
    assert bound_lines(workspace, "lib/cart.rb#Vote") == ["spec/cart_spec.rb:5"]
    at = workspace.symbol("spec/cart_spec.rb:1:23").symbol
    assert at is not None and at.file_path == "lib/cart.rb"


def test_a_file_may_return_a_type_without_a_name(make_workspace: Maker) -> None:
    code = (
        "<?php\nreturn new class extends Migration {\n  private array $kept = [];\n"
        "  public function up() {\n    $this->fix($this->kept);\n    fix();\n  }\n"
        "  private function fix($x) {}\n};\n"
    )
    free = "<?php\nfunction fix() {}\nclass Other { function go() { $this->fix(); } }\n"
    workspace = make_workspace({"a.php": code, "b.php": code, "c.php": free})
    assert bound_lines(workspace, "a.php#fix") == ["a.php:5"]
    assert bound_lines(workspace, "b.php#kept") == ["b.php:5"]
    assert "c.php:3" not in bound_lines(workspace, "c.php#fix")


def test_values_of_literals_have_what_a_tree_adds_to_their_types(make_workspace: Maker) -> None:
    added = (
        "class String\n  def quoted; end\nend\nclass Array\n  def quoted; end\nend\n"
        "module Enumerable\n  def halved; end\nend\n"
    )
    code = (
        "class Foo\n  def go(x)\n    ss = +'a'\n    ss.quoted\n    \"a #{x}\".quoted\n"
        "    [1].quoted\n    x.quoted\n    File.read(x).quoted\n    Foo.new.quoted\n    Time.quoted\n"
        "    %w[a].halved\n    Foo.halved\n  end\nend\n"
    )
    workspace = make_workspace({"a.rb": added, "b.rb": code})
    string, array = ["b.rb:4", "b.rb:5"], ["b.rb:6"]
    possible = ["b.rb:7?", "b.rb:8?"]
    assert bound_lines(workspace, "a.rb#String.quoted") == [*string, *possible]
    assert bound_lines(workspace, "a.rb#Array.quoted") == [*array, *possible]
    assert bound_lines(workspace, "a.rb#Enumerable.halved") == ["b.rb:11?"]


def test_new_makes_a_value_of_any_expression(make_workspace: Maker) -> None:
    values = ('"http://x"', "1", "-1", "f()", "a.f(b)", "a + b", "T{A: 1}", "&T{A: 1}", "T")
    lines = "".join(
        f"var v{number} = T{{A: new({value}),\n B: 1}}\n" for number, value in enumerate(values)
    )
    workspace = make_workspace({"a.go": f"package a\ntype T struct {{ A, B int }}\n{lines}"})
    assert bound_lines(workspace, "a.go#T.B") == [
        f"a.go:{4 + 2 * number}" for number in range(len(values))
    ]


def test_the_result_of_a_function_of_a_library_is_not_known(make_workspace: Maker) -> None:
    code = (
        "struct Stage { int take(int); };\nstruct Other { int take(int); };\n"
        "namespace std { template <> struct hash<Stage> {}; }\n"
        "template <class T> void f(Stage&& p, Stage* q, T&& t, int x) {\n"
        "  std::get<0>(t).take(x);\n  std::begin(t)->take(x);\n  std::move(p).take(x);\n"
        "  std::move(*q).take(x);\n  std::forward<T>(t).take(x);\n  auto m = std::move(p);\n"
        "  m.take(x);\n}\n"
    )
    workspace = make_workspace({"a.cpp": code})
    possible = ["a.cpp:5?", "a.cpp:6?"]
    own = ["a.cpp:7", "a.cpp:8", "a.cpp:9?", "a.cpp:11"]
    assert bound_lines(workspace, "a.cpp#Stage.take") == [*possible, *own]
    assert bound_lines(workspace, "a.cpp#Other.take") == [*possible, "a.cpp:9?"]


def test_a_name_in_the_middle_is_taken_from_the_one_before(make_workspace: Maker) -> None:
    code = (
        "namespace ns {\ntemplate <class T> struct Base { using Core = int; };\n"
        "template <class T> struct Semi : private Base<T> {\n  using typename Base<T>::Core;\n};\n"
        "template <class T> struct Promise {\n  using Core = long;\n  Core* c;\n};\n"
        "template <class T> int f() { return Semi<T>::Core::make(); }\n"
        "template <class T> int g() { return ns::Promise<T>::Core::make(); }\n}\n"
    )
    workspace = make_workspace({"a.h": code})
    assert bound_lines(workspace, "a.h#ns.Base.Core") == ["a.h:4", "a.h:10"]
    assert bound_lines(workspace, "a.h#ns.Promise.Core") == ["a.h:8", "a.h:11"]


def test_a_module_that_is_not_there_may_have_what_others_of_its_name_are_given(
    make_workspace: Maker,
) -> None:
    repo = (
        "defmodule Ecto.Repo do\n  defmacro __using__(opts) do\n    quote do\n"
        "      def all_by(q), do: q\n    end\n  end\n  @callback one(q :: term) :: term\nend\n"
        "defmodule Ecto.TestRepo do\n  use Ecto.Repo\nend\n"
    )
    code = (
        "defmodule Case do\n  alias Ecto.Integration.TestRepo\n  def go(x) do\n"
        "    TestRepo.all_by(x)\n    Ecto.TestRepo.all_by(x)\n    Map.all_by(x)\n"
        "    TestRepo.one(x)\n  end\nend\n"
    )
    workspace = make_workspace({"repo.ex": repo, "case.exs": code})
    used = bound_lines(workspace, "repo.ex#Ecto.Repo.__using__.all_by")
    assert used == ["case.exs:4?", "case.exs:5"]
    assert bound_lines(workspace, "repo.ex#Ecto.Repo.one") == ["case.exs:7?"]
