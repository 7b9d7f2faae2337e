"""A name that a parameter, lambda, pattern or loop binds is not a use of a symbol."""

import pytest

from symindex.protocol.explore import ReferencesRequest
from tests.support.files import Maker
from tests.support.related import marked_names

LAMBDAS = {
    "py": "def top(v): return v\n\n\ndef run(o, v):\n    low = map(lambda top: top + 1, o)\n    return top(v)\n",
    "js": "function top(v) {}\nfunction run(o) {\n  o.map(top => top + 1)\n  return top(o)\n}\n",
    "rs": "fn top(v: i32) {}\nfn run(o: Option<i32>) {\n    o.map(|top| top + 1);\n    top(3)\n}\n",
}


@pytest.mark.nightly
@pytest.mark.parametrize("suffix", LAMBDAS)
def test_a_name_that_a_lambda_binds_hides_no_call_outside_of_it(
    make_workspace: Maker, suffix: str
) -> None:
    tree = make_workspace({f"a.{suffix}": LAMBDAS[suffix]})
    assert marked_names(tree.hierarchy("top", direction="callers").items) == ["run"]


@pytest.mark.nightly
def test_a_parameter_hides_what_has_its_name(make_workspace: Maker) -> None:
    tree = make_workspace(
        {"a.py": "def top(v): return v\n\n\ndef run(o, top):\n    return top(o)\n"}
    )
    assert tree.hierarchy("top", direction="callers").items == []


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


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", SHADOWED)
def test_what_a_lambda_a_pattern_or_a_loop_binds_is_no_use(
    make_workspace: Maker, path: str
) -> None:
    text, line = SHADOWED[path]
    response = make_workspace({path: text}).references(ReferencesRequest(name=f"{path}#top"))
    items = [
        (item.line, item.role)
        for file in response.files
        for item in file.items
        if item.role != "definition"
    ]
    assert items == [(line, "call")]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "function top() { return [] }\nfunction run() {\n  for (const top of top()) use(top)\n}\n"),
        ("a.dart", "List top() => [];\nvoid run() {\n  for (var top in top()) { print(top); }\n}\n"),
        ("a.cs", "class A {\n static int[] top() { return null; }\n  void Run() { foreach (var top in top()) Use(top); }\n}\n"),
    ],
)  # fmt: skip
def test_what_a_loop_iterates_over_does_not_see_its_variable(
    make_workspace: Maker, path: str, text: str
) -> None:
    response = make_workspace({path: text}).references(ReferencesRequest(name=f"{path}#top"))
    calls = [item.line for file in response.files for item in file.items if item.role == "call"]
    assert calls == [3]
