"""A local name counts behind its declaration, in languages where order matters: before it, the name
is a field, a parameter or an outer variable."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

CASES: dict[str, tuple[str, str, dict[str, list[int]]]] = {
    # by name: a file, its code, and the lines that use each method
    "Java": (
        "a.java",
        "class One { int n() { return 1; } }\nclass Two { int n() { return 0; } }\nclass Use {\n  One s;\n  int go(Object o) {\n"
        "    int a = s.n();\n    Two s = new Two();\n    return a + s.n();\n  }\n"
        "  boolean is(Object o) {\n    boolean b = o instanceof One s && s.n() > 0;\n    return o instanceof Two s && s.n() > 0;\n  }\n}\n",
        {"One.n": [6, 11], "Two.n": [8, 12]},
    ),
    "C++": (
        "a.cpp",
        "struct One { int n() { return 1; } };\nstruct Two { int n() { return 0; } };\nstruct Use {\n  One s;\n  int go() {\n"
        "    int a = s.n();\n    Two s;\n    return a + s.n();\n  }\n};\n",
        {"One.n": [6], "Two.n": [8]},
    ),
    "Kotlin": (
        "a.kt",
        "class One { fun n() = 1 }\nclass Two { fun n() = 0 }\nclass Use(val s: One) {\n  fun go(): Int {\n    val a = s.n()\n"
        "    val s = Two()\n    return a + s.n()\n  }\n}\n",
        {"One.n": [5], "Two.n": [7]},
    ),
    "Swift": (
        "a.swift",
        "class One { func n() -> Int { 1 } }\nclass Two { func n() -> Int { 0 } }\nclass Use {\n  let s: One\n  func go() {\n    s.n()\n"
        "    let s = Two()\n    s.n()\n  }\n}\n",
        {"One.n": [6], "Two.n": [8]},
    ),
    "Go": (
        "a.go",
        "package a\n\ntype One struct{}\n\nfunc (o One) n() {}\n\ntype Two struct{}\n\nfunc (t Two) n() {}\n\nvar s One\n\n"
        "func use() {\n\ts.n()\n\ts := Two{}\n\ts.n()\n}\n",
        {"One.n": [14], "Two.n": [16]},
    ),
    "Rust": (
        "src/lib.rs",
        "struct One;\nimpl One { fn n(&self) -> Two { Two } }\nstruct Two;\nimpl Two { fn n(&self) {} }\nfn go(s: One) {\n    s.n();\n"
        "    let s: Two = s.n();\n    s.n();\n    let s = One;\n    s.n();\n}\n",
        {"One.n": [6, 7, 10], "Two.n": [8]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_local_name_counts_behind_its_declaration(make_workspace: Maker, name: str) -> None:
    path, code, expected = CASES[name]
    workspace = make_workspace({path: code})
    for method, lines in expected.items():
        assert bound_lines(workspace, f"{path}#{method}") == [f"{path}:{line}" for line in lines]


CALLED: dict[str, tuple[str, str, str]] = {
    # by name: a file, the symbol of its function, and the lines that use it
    "a parameter and a variable": (
        "fun done(file: String) = true\nfun f(done: Boolean) {\n  done(\"a\")\n  use(done)\n}\n"
        "fun g() {\n  val done = true\n  done(\"a\")\n}\nfun h(done: (String) -> Boolean) {\n  done(\"a\")\n}\n",
        "a.kt#done", "3 8",
    ),
    "any variable": (
        "class A {\n  boolean done(String f) { return true; }\n  void f(boolean done) {\n"
        "    done(\"a\");\n    use(done);\n  }\n}\n",
        "a.java#A.done", "4",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLED)
def test_a_call_passes_over_a_value_that_nothing_can_call(make_workspace: Maker, name: str) -> None:
    code, symbol, lines = CALLED[name]
    path = symbol.partition("#")[0]
    tree = make_workspace({path: code})
    expected = [f"{path}:{line}" for line in lines.split()]
    assert bound_lines(tree, symbol) == expected
    for place in expected:
        line = code.splitlines()[int(place.rpartition(":")[2]) - 1]
        found = tree.symbol(f"{place}:{line.index('done') + 1}")
        assert found.symbol is not None and found.symbol.id == symbol


LOCAL: dict[str, tuple[str, str]] = {
    # by name: a file, and its code, in which lines 3 and 7 call a function of line 2 or 6
    "C#": (
        "a.cs",
        "class A {\n  void Run() { void wait() { }\n    wait();\n  }\n\n  void Run(int n) { void wait() { }\n    wait();\n  }\n}\n",
    ),
    "Swift": (
        "a.swift",
        "class A {\n  func Run() { func wait() { }\n    wait()\n  }\n\n  func Run(n: Int) { func wait() { }\n    wait()\n  }\n}\n",
    ),
    "Kotlin": (
        "a.kt",
        "class A {\n  fun Run() { fun wait() { }\n    wait()\n  }\n\n  fun Run(n: Int) { fun wait() { }\n    wait()\n  }\n}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOCAL)
def test_overloads_may_have_functions_of_one_name_inside(make_workspace: Maker, name: str) -> None:
    path, code = LOCAL[name]
    tree = make_workspace({path: code})
    for symbol, line in ((f"{path}#A.Run.wait", 3), (f"{path}#A.Run.wait~2", 7)):
        assert bound_lines(tree, symbol) == [f"{path}:{line}"]
        found = tree.symbol(f"{path}:{line}:5")
        assert found.symbol is not None and found.symbol.id == symbol
        assert tree.references(symbol, all=True).files[0].items[0].line == line - 1
