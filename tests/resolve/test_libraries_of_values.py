"""Members of values that the tree says nothing about: a name that only one symbol has may be a
library's, and a function of a library may return its argument."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

SOLE = {
    "rust": ("a.rs", "pub struct Styled;\nimpl Styled { pub fn push_str(&mut self) {} }\n"
             "pub fn f() { let mut out = String::new(); out.push_str(1); }\n", "Styled.push_str", ["a.rs:3?"]),
    "csharp": ("a.cs", "class Styled { public void AppendLine(int s) {} }\nclass Use {\n"
               "  void F() { var b = new StringBuilder(); b.AppendLine(1); }\n  void G(Styled s) { s.AppendLine(2); }\n}\n",
               "Styled.AppendLine", ["a.cs:3?", "a.cs:4"]),
    "ruby": ("a.rb", "class Styled\n  def each_slice(n); end\nend\n[1, 2].each_slice(2)\nStyled.new.each_slice(1)\n",
             "Styled.each_slice", ["a.rb:4?", "a.rb:5"]),
    "typescript": ("a.ts", "export class Text { toUpperCase() { return 1; } }\n"
                   'export function f(n: string) { const s = n + "!"; return s.toUpperCase(); }\n',
                   "Text.toUpperCase", ["a.ts:2?"]),
    "java": ("a.java", "class Shelf {\n  int entrySet() { return 1; }\n}\nclass Use {\n"
             "  void f() { System.getenv().entrySet(); }\n}\n", "Shelf.entrySet", ["a.java:5?"]),
    "swift": ("a.swift", "struct Styled { func hasPrefix(_ s: Int) {} }\n"
              'func f(_ s: String) { let t = s + "a"; t.hasPrefix(1) }\n', "Styled.hasPrefix", ["a.swift:2?"]),
    "bare": ("a.kt", "class Styled { fun writeUtf8(x: Int) {} }\nfun Buffer.f() { writeUtf8(1) }\n",
             "Styled.writeUtf8", ["a.kt:2?"]),
    "own": ("a.java", "class Styled { void setContext(int n) {} }\nclass Out extends LibBase {\n"
            "  void f() { this.setContext(1); setContext(2); }\n}\n", "Styled.setContext", ["a.java:3?", "a.java:3?"]),
    "another type": ("a.cs", "class Enforce { public static void NotNull(int s) {} }\nclass Use {\n"
                     "  void F() { Assert.NotNull(1); Enforce.NotNull(1); }\n}\n", "Enforce.NotNull",
                     ["a.cs:3"]),
}  # fmt: skip


@pytest.mark.parametrize("name", SOLE)
def test_a_name_that_one_symbol_has_may_be_that_of_a_library(
    name: str, make_workspace: Maker
) -> None:
    path, code, symbol, lines = SOLE[name]
    assert bound_lines(make_workspace({path: code}), f"{path}#{symbol}") == lines


ENV_PY = "class Env:\n    def run(self): pass\nclass Other:\n    def run(self): pass\n"
ENV_TS = "export class Env { run() {} }\nexport class Other { run() {} }\n"
RETURNED = {
    # what is given to a function of a library may be returned; what gets nothing of ours is not
    "python": ("a.py", "from copy import deepcopy\nimport lib\n" + ENV_PY + "def f(env: Env):\n    deepcopy(env).run()\n"
               "    lib.of(env).run()\n    lib.Made(env).run()\n    lib.of('x').run()\n", "Env.run",
               ["a.py:8?", "a.py:9?"]),
    "typescript": ("a.ts", 'import { clone } from "lib";\nimport * as _ from "lib";\n' + ENV_TS +
                   "export function f(env: Env) {\n  clone(env).run();\n  const e = _.clone(env);\n  e.run();\n"
                   "  _.clone().run();\n}\n", "Env.run", ["a.ts:6?", "a.ts:8?"]),
    "go": ("a.go", 'package a\n\nimport "slices"\n\ntype Env struct{}\n\nfunc (e *Env) Run() {}\n\ntype Other struct{}\n\n'
           "func (o *Other) Run() {}\n\nfunc f(es []*Env) {\n\tslices.Max(es).Run()\n\tslices.New(\"x\").Run()\n}\n",
           "Env.Run", ["a.go:14?"]),
    "java": ("A.java", "import static org.mockito.Mockito.verify;\nclass Env { void run() {} }\nclass Other { void run() {} }\n"
             "class Use {\n  void f(Env e) { verify(e).run(); }\n}\n", "Env.run", ["A.java:5?"]),
    "php": ("a.php", "<?php\nuse function Lib\\tap;\nclass Env { function run() {} }\nclass Other { function run() {} }\n"
            "function f(Env $e) { tap($e)->run(); }\n", "Env.run", ["a.php:5?"]),
}  # fmt: skip


@pytest.mark.parametrize("name", RETURNED)
def test_a_function_of_a_library_may_return_what_it_gets(name: str, make_workspace: Maker) -> None:
    path, code, symbol, lines = RETURNED[name]
    assert bound_lines(make_workspace({path: code}), f"{path}#{symbol}") == lines


def test_what_creates_a_type_calls_its_constructor(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.rb": "class Cart\n  def initialize(n)\n  end\nend\nclass Shop\n  def open\n"
            "    Cart.new(1)\n  end\nend\n",
            "b.py": "class Cart:\n    def __init__(self): pass\n\ndef make():\n    return Cart()\n",
        }
    )
    told = "what creates a Cart names the type: see the uses of b.py#Cart"
    assert workspace.references("b.py#Cart.__init__").notices == [told]
    assert not workspace.references("b.py#Cart").notices
    answer = workspace.hierarchy("b.py#Cart.__init__", direction="callers")
    assert [item.name for item in answer.items] == ["make"]
    assert answer.notices == ["calls of Cart are among these, as they call __init__"]


@pytest.mark.parametrize(("count", "more"), [(2, ""), (4, ""), (5, " and 1 more")])
def test_an_overload_is_told_from_the_others(make_workspace: Maker, count: int, more: str) -> None:
    parameters = ("", "int a", "String a", "int a, int b", "int a, int b, int c")
    methods = "".join(f"  void add({given}) {{}}\n" for given in parameters[:count])
    workspace = make_workspace({"Cart.java": f"class Cart {{\n{methods}}}\n"})
    others = ", ".join(f"Cart.java#Cart.add~{number}" for number in range(2, min(count, 4) + 1))
    told = (
        f"Cart.java#Cart.add is one of {count} overloads, `void add()`; the others: {others}{more}"
    )
    assert workspace.references("Cart.java#Cart.add").notices == [told]
    answer = workspace.hierarchy("Cart.java#Cart.add", direction="callers")
    assert told in (answer.notices or [])


def test_a_place_leads_to_the_overload_that_its_arguments_tell(make_workspace: Maker) -> None:
    code = "class Env {\n  void run(String s) {}\n  void run(String s, int n) {}\n}\n"
    use = 'class Use {\n  void f(Env e, Object o) {\n    e.run("a", 1);\n    e.run(o);\n  }\n}\n'
    workspace = make_workspace({"A.java": code + use})
    second = workspace.symbol("A.java:7:7")
    assert second.symbol is not None and second.symbol.id == "A.java#Env.run~2"
    first = workspace.symbol("A.java:8:7")
    assert first.symbol is not None and first.symbol.id == "A.java#Env.run"


def test_a_test_that_may_use_another_is_marked_also_where_its_file_names_the_type(
    make_workspace: Maker,
) -> None:
    workspace = make_workspace(
        {
            "pkg/url.py": "class URL:\n    def join_all(self, x): pass\n",
            "tests/test_url.py": "from pkg.url import URL\n\ndef test_text():\n    assert URL\n"
            "    make().join_all(2)\n\ndef test_own():\n    URL().join_all(1)\n",
        }
    )
    answer = workspace.hierarchy("pkg/url.py#URL.join_all", direction="tests")
    assert [(item.name, item.is_unsure) for item in answer.items] == [
        ("test_own", False),
        ("test_text", True),
    ]
