"""Functions that differ by their parameters, and types that differ by the number of type
parameters, are symbols of their own."""

import pytest

from symindex.resolve.reading.overloads import Argument, Arguments, arguments_of
from tests.support.bound import bound_lines
from tests.support.files import Maker

CSHARP = """\
namespace N {
    public class A {
        public void Go(int x) { }
        public void Go(int x, string y = "") { }
        public void Go(string s) { }
        public T Go<T>() { return default(T); }
        public A(int x) { }
        public A(string s, int y) { }
    }
    public class U {
        void M(A a, object o) {
            a.Go(1, "a, b");
            a.Go("(");
            a.Go(y: "", x: 2);
            a.Go(o);
            a.Go(
                1, // one, two
                Ask<int, A>("x")
            );
            a.Go<A>();
            Use(a.Go);
            new A(1);
            new A("s", 1);
        }
    }
}
"""


def test_arguments_tell_overloads_apart(make_workspace: Maker) -> None:
    tree = make_workspace({"A.cs": CSHARP})
    one = "A.cs:{}".format
    found = {number: bound_lines(tree, f"A.cs#N.A.Go{number}") for number in ("", "~2", "~3", "~4")}
    assert found == {
        "": [one("15?"), one("21?")],
        "~2": [one(12), one(14), one("15?"), one(16), one("21?")],
        "~3": [one(13), one("15?"), one("21?")],
        "~4": [one(20), one("21?")],
    }
    assert bound_lines(tree, "A.cs#N.A.A") == [one(22)]
    assert bound_lines(tree, "A.cs#N.A.A~2") == [one(23)]


def test_an_uncertain_row_says_of_how_many(make_workspace: Maker) -> None:
    tree = make_workspace({"A.cs": CSHARP})
    answer = tree.references("A.cs#N.A.Go~3", all=True)
    rows = {item.line: item for file in answer.files for item in file.items}
    assert [line for line, item in rows.items() if item.definition] == [5]
    assert (rows[15].others, rows[21].others) == (2, 3)


TWO = """\
public interface I { int A(); }
public class P<T> : I { T v; int A() { return v.B + this.v.B; } }
public class P : I { int v; int B() { return v + this.v; } }
"""


def test_types_are_told_apart_by_their_parameters(make_workspace: Maker) -> None:
    tree = make_workspace({"P.cs": TWO})
    assert bound_lines(tree, "P.cs#P.v") == ["P.cs:2", "P.cs:2"]
    assert bound_lines(tree, "P.cs#P.v~2") == ["P.cs:3", "P.cs:3"]
    answer = tree.references("P.cs#P~2", all=True)
    assert [item.line for file in answer.files for item in file.items] == [3]


OTHERS = {
    "scala": (
        "A.scala",
        "package n\nclass A {\n  def go(x: Int) = 1\n  def go(x: Int, y: String) = 2\n}\n"
        "class U { def m(a: A, n: Int) = {\n  a.go(1)\n  a.go(n, f(2, 3))\n} }\n",
        "A.scala#A.go",
    ),
    "kotlin": (
        "A.kt",
        "package n\nclass A {\n  fun go(x: Int) = 1\n  fun go(x: Int, y: String) = 2\n}\n"
        "class U { fun m(a: A, n: Int) {\n  a.go(1)\n  a.go(n, f(2, 3))\n} }\n",
        "A.kt#A.go",
    ),
    "swift": (
        "A.swift",
        "// n\nclass A {\n  func go(by x: Int) {}\n  func go(to y: Int) {}\n}\n"
        "class U { func m(a: A) {\n  a.go(by: 1)\n  a.go(to: 2)\n} }\n",
        "A.swift#A.go",
    ),
    "java": (
        "A.java",
        "package n;\nclass A {\n  void go(boolean x) {}\n  void go(String... x) {}\n}\n"
        'class U { void m(A a) {\n  a.go(true);\n  a.go("a", "b");\n} }\n',
        "A.java#A.go",
    ),
    "cpp": (
        "a.cpp",
        "// n\nclass A {\n  void go(int x) {}\n  void go(int x, int y) {}\n};\n"
        "class U { void m(A a) {\n  a.go(1);\n  a.go(1, 2);\n} };\n",
        "a.cpp#A.go",
    ),
}


@pytest.mark.parametrize("language", OTHERS)
def test_overloads_of_other_languages(language: str, make_workspace: Maker) -> None:
    path, code, symbol = OTHERS[language]
    tree = make_workspace({path: code})
    first = [f"{path}:7"] if language != "cpp" else [f"{path}:7?"]
    assert bound_lines(tree, symbol) == first
    assert bound_lines(tree, f"{symbol}~2")[-1] == f"{path}:8"


def test_a_function_is_not_the_type_of_its_name(make_workspace: Maker) -> None:
    code = "package n\ntrait P {\n  def Box(x: Int): Box = new Box(x)\n  class Box(x: Int)\n}\n"
    tree = make_workspace({"P.scala": code + "trait U extends P {\n  val a: Box = Box(1)\n}\n"})
    assert bound_lines(tree, "P.scala#P.Box") == ["P.scala:7"]
    assert bound_lines(tree, "P.scala#P.Box~2") == ["P.scala:3", "P.scala:3", "P.scala:7"]


def test_a_type_parameter_is_no_member(make_workspace: Maker) -> None:
    code = "package n\nobject P { type K = Int; val a: K = 1 }\n"
    other = "package n\nclass M[K: Ordering, V] { def get(k: K): V = f[K](k) }\n"
    tree = make_workspace({"P.scala": code, "M.scala": other})
    assert bound_lines(tree, "P.scala#P.K") == ["P.scala:2"]


def test_names_beyond_reach_are_anothers(make_workspace: Maker) -> None:
    """A bare name is no member of a type that nothing around it inherits from, and a name that the
    tree lacks is a library's."""
    code = "using System.Data;\nclass Info { public DbType DbType { get; set; } int UtcNow; }\n"
    use = "class Use {\n  object f() { return DbType.Any; }\n  object g() { return Moment.UtcNow; }\n}\n"
    tree = make_workspace({"Info.cs": code, "Use.cs": f"using System.Data;\n{use}"})
    assert bound_lines(tree, "Info.cs#Info.DbType") == []
    assert bound_lines(tree, "Info.cs#Info.UtcNow") == []


def test_outer_packages_of_several_are_seen(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "A.scala": "package a\ntrait Base { def go = 1 }\n",
            "B.scala": "package a\npackage b\nclass Own extends Base { val x = go }\n",
        }
    )
    assert bound_lines(tree, "A.scala#Base") == ["B.scala:3"]
    assert bound_lines(tree, "A.scala#Base.go") == ["B.scala:3"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("go()", []),
        ('go("a, b", 1.5, null)', ["text", "number", "nothing"]),
        ("go('(', true)", ["character", "truth"]),
        ("go(Ask<int, A>(b), c < d)", ["", ""]),
        ("go((a, b) => a, x -> x, new A(1))", ["function", "function", "made"]),
    ],
)
def test_arguments_are_read(text: str, kinds: list[str]) -> None:
    assert arguments_of(text, "go") == Arguments(tuple(Argument("", kind) for kind in kinds))


def test_arguments_may_be_unclear() -> None:
    """The end is missing, a function may follow, or nothing is called."""
    assert [arguments_of(text, "go") for text in ("go(1,", "go(1) { x }", "go + 1")] == [None] * 3
    assert arguments_of("go<A, B>(x: 1)", "go") == Arguments((Argument("x", "number"),), 2)


DECLARED = (
    "class Env {\n  void manage(Managed m) {}\n  void manage(LifeCycle l) {}\n"
    "  void two(String s, Managed m) {}\n  void two(Object s, LifeCycle m) {}\n}\n"
    "class Managed {}\nclass LifeCycle {}\nclass Use {\n"
    "  void f(Env env, LifeCycle life, Managed man, String s, Integer i) {\n"
    "    env.manage(life);\n    env.manage(man);\n    env.manage(i);\n"
    "    env.two(s, man);\n    env.two(s, unknown());\n  }\n}\n"
)


def test_declared_types_of_arguments_tell_overloads_apart(make_workspace: Maker) -> None:
    tree = make_workspace({"A.java": DECLARED})
    for symbol, lines in {
        "manage": ["12", "13?"],
        "manage~2": ["11", "13?"],
        "two": ["14", "15?"],
        "two~2": ["15?"],
    }.items():
        assert bound_lines(tree, f"A.java#Env.{symbol}") == [f"A.java:{line}" for line in lines]
