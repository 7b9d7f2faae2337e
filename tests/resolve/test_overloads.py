"""Functions that differ by their parameters, and types that differ by the number of type
parameters, are symbols of their own."""

import pytest

from symindex.resolve.reading.function_types import arity_of_function, arity_of_type
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
    found = arguments_of(text, "go")
    assert found is not None
    assert [argument.kind for argument in found.values] == kinds
    assert found == Arguments(found.values)


def test_arguments_may_be_unclear() -> None:
    """The end is missing, a function may follow, or nothing is called."""
    one = (Argument("", "number", "1"),)
    assert arguments_of("go(1,", "go") == Arguments(one, is_cut=True)
    assert arguments_of("go(1) { x }", "go") == Arguments(one, has_block=True)
    assert arguments_of("go { x }", "go") == Arguments((), has_block=True)
    assert arguments_of("go + 1", "go") is None
    assert arguments_of("go<A, B>(x: 1)", "go") == Arguments((Argument("x", "number", "1"),), 2)


@pytest.mark.parametrize(
    ("text", "arity"),
    [
        ("x => x", 1),
        ("async (x, y) => x", 2),
        ("() -> 1", 0),
        ("{ a, b -> a }", 2),
        ("{ (a, b) -> a }", 1),
        ("{ (a, b) in a }", 2),
        ("{ (a: Int, b: Int) -> Int in a }", 2),
        ("{ a => a }", 1),
        ("{ case a => a }", -1),
        ("{ run(it) }", -1),
        ("{ for a in b { } }", -1),
    ],
)
def test_parameters_of_functions_without_a_name(text: str, arity: int) -> None:
    assert arity_of_function(text) == arity


@pytest.mark.parametrize(
    ("parameter", "arity"),
    [
        ("this Func<A, B<C, D>, E> x", 2),
        ("Act<A, B> x", 2),
        ("Act x", 0),
        ("Func x", -1),
        ("Wrap<Func<A, B>> x", -1),
        ("Func<A, B<C…", -1),
        ("_ body: @escaping (A, B) throws → C", 2),
        ("block: (A.() → B)?", 0),
        ("f: A → B", 1),
        ("f: → B", -1),
        ("f: A = (x) → y", -1),
        ("String x", -1),
    ],
)
def test_parameters_of_types_of_functions(parameter: str, arity: int) -> None:
    assert arity_of_type(parameter, {"Func": 1, "Act": 0}) == arity


TYPED = {
    "java": (
        "A.java",
        "import lib.Life;\n"
        "interface Kept {} class Held implements Kept, lib.Other {}\n"
        "class Env { void keep(Kept k) {} void keep(Life l) {} void keep(Kept k, int n) {} }\n"
        "class Use { Life life; void m(Env e, Held held, Life own, Object o) {\n"
        "  e.keep(held);\n  e.keep(new Kept() {\n   int x;\n  });\n  e.keep(life);\n"
        "  e.keep(own);\n  e.keep(o);\n  e.keep((Life) o);\n} }\n",
        "A.java#Env.keep",
        (["5", "6", "11?"], ["9", "10", "11?", "12"]),
    ),
    "kotlin": (
        "a.kt",
        "package n\nclass A\nclass B\n"
        "class E { fun keep(a: A) {}\n fun keep(b: B, f: (A) -> B) {}\n"
        " fun keep(f: (A, B) -> B) {}\n}\n"
        "fun use(e: E, b: B) { val a = A()\n  e.keep(a)\n  e.keep(b) { x -> x }\n"
        "  e.keep { x, y -> y }\n}\n",
        "a.kt#E.keep",
        (["9"], ["10"], ["11"]),
    ),
    "csharp": (
        "A.cs",
        "class B { }\nstatic class X {\n"
        "  public static void Reg(this B b, Func<int, int, int> f) { }\n"
        "  public static void Reg(this B b, Func<int, int> f) { }\n"
        "  public static bool Reg<T>(this B b, [A(b: true)] out T? f) { }\n"
        "  public static bool Reg(this B b, Type t, out object? f) { }\n}\n"
        "class U { void M(B b) {\n  b.Reg(x => x);\n  b.Reg((x, y) => x);\n"
        "  Make().Reg(typeof(B), out var c);\n} }\n",
        "A.cs#X.Reg",
        (["10"], ["9"], [], ["11?"]),
    ),
    "swift": (
        "a.swift",
        "class A {}\nclass B: A {}\nclass E {\n  func keep(_ a: A) {}\n  func keep(_ b: B) {}\n"
        "  func keep(_ f: (A, A) -> A) {}\n}\n"
        "func use(e: E, a: A) {\n  let b = B()\n  e.keep(b)\n  e.keep(a)\n"
        "  e.keep { x, y in x }\n}\n",
        "a.swift#E.keep",
        (["11"], ["10"], ["12"]),
    ),
}


TOLD = """\
class I { } class I<T> { }
class P { void M(I i, I<int> j, Act a, Fn<int, int> f) {
    Q.Go(i);
    Q.Go(j);
    Q.Run(a);
    Q.Run(f);
    Q.Long(x => x);
    Q.Long(x => { });
    Q.Long((x, y) => x);
} }
static class Q {
  public static void Go(I i) { }
  public static void Go(I<int> i) { }
  public static void Run(Act<int> a) { }
  public static void Run(Act a) { }
  public static void Run(Fn<int, int> a) { }
  public static LongNameOfWhatIsReturned<WithOneArgument, AndWithAnotherArgument, AndOneMore> Long(
    // first
    Func<WithOneArgument, AndWithAnotherArgument, AndOneMoreThatIsLongEnough> f) { }
  public static LongNameOfWhatIsReturned<WithOneArgument, AndWithAnotherArgument, AndOneMore> Long(
    Func<WithOneArgument, AndWithAnotherArgumentThatIsLongEnoughToBeCut> f) { }
  public static LongNameOfWhatIsReturned<WithOneArgument, AndWithAnotherArgument, AndOneMore> Long(
    Action<AndWithAnotherArgumentThatIsLongEnoughToBeCut> f) { }
}
"""


def test_types_differ_by_their_arguments(make_workspace: Maker) -> None:
    """Types of one name have other arguments, a function may return something or nothing, and what
    is cut off a signature is read."""
    tree = make_workspace({"A.cs": TOLD})
    found = {
        name: [place.rpartition(":")[2] for place in bound_lines(tree, f"A.cs#Q.{name}")]
        for name in ("Go", "Go~2", "Run", "Run~2", "Run~3", "Long", "Long~2", "Long~3")
    }
    assert found == {
        "Go": ["3"],
        "Go~2": ["4"],
        "Run": [],
        "Run~2": ["5"],
        "Run~3": ["6"],
        "Long": ["9"],
        "Long~2": ["7?", "8?"],
        "Long~3": ["7?", "8?"],
    }


@pytest.mark.parametrize("language", TYPED)
def test_types_of_arguments_tell_overloads_apart(language: str, make_workspace: Maker) -> None:
    """Those of declared names and new values, with their supertypes, and how many parameters a
    function has that is an argument."""
    path, code, symbol, lines = TYPED[language]
    tree = make_workspace({path: code})
    ids = [symbol, *(f"{symbol}~{number}" for number in range(2, len(lines) + 1))]
    found = {one: [place.rpartition(":")[2] for place in bound_lines(tree, one)] for one in ids}
    assert found == dict(zip(ids, lines, strict=True))


def test_a_block_is_an_argument_but_not_that_of_a_statement(make_workspace: Maker) -> None:
    code = (
        "class E {\n  func go(_ n: Int) -> Bool { true }\n"
        "  func go(_ n: Int, _ f: (Int) -> Int) -> Bool { true }\n}\n"
        "func use(e: E) {\n  if e.go(1) {\n  }\n  e.go(1) { x in x }\n}\n"
    )
    tree = make_workspace({"a.swift": code})
    found = [bound_lines(tree, f"a.swift#E.go{number}") for number in ("", "~2")]
    assert found == [["a.swift:6"], ["a.swift:8"]]


def test_what_calls_another_overload_is_not_shown(make_workspace: Maker) -> None:
    """An answer without callers lists places that may be some, but none with other arguments."""
    path, code, symbol, _ = TYPED["csharp"]
    tree = make_workspace({path: code})
    answer = tree.hierarchy(f"{symbol}~3", direction="callers")
    assert (answer.items, answer.unsure) == ([], None)
    shown = tree.symbol(f"{path}:11:10").symbol
    assert shown is not None and shown.id == f"{symbol}~4"


def test_a_name_means_all_overloads_of_a_type(make_workspace: Maker) -> None:
    """An id means one of them: references, callers, callees and tests agree."""
    path, code, symbol, _ = TYPED["java"]
    test = "class EnvTest { void testKeep(Env e, Life l) { e.keep(l); } }\n"
    tree = make_workspace({path: code, "EnvTest.java": f"import lib.Life;\n{test}"})
    every = ["5", "6", "9", "10", "11", "12"]
    places = [*(f"A.java:{line}" for line in every), "EnvTest.java:2"]
    assert sorted(bound_lines(tree, "Env.keep")) == sorted(places)
    told = f"this answer is about all 3 overloads of Env.keep: {symbol}, {symbol}~2, {symbol}~3"
    assert tree.references("Env.keep").notices == [told]
    defined = [
        (item.line, item.column)
        for file in tree.references("Env.keep", all=True).files
        for item in file.items
        if item.definition
    ]
    assert [line for line, _ in defined] == [3, 3, 3]
    callers = tree.hierarchy("Env.keep", direction="callers")
    assert callers.notices == [told]
    found = [(item.name, item.is_unsure) for item in callers.items]
    assert found == [("Use.m", False), ("EnvTest.testKeep", False)]
    tests = {
        name: [item.name for item in tree.hierarchy(name, direction="tests").items]
        for name in ("Env.keep", symbol, f"{symbol}~2")
    }
    assert tests == {
        "Env.keep": ["EnvTest.testKeep"],
        symbol: ["EnvTest.java"],  # by its name alone
        f"{symbol}~2": ["EnvTest.testKeep"],
    }


def test_what_is_called_is_the_overload_that_fits(make_workspace: Maker) -> None:
    path, code, symbol, _ = TYPED["java"]
    tree = make_workspace({path: code})
    called = tree.hierarchy("A.java#Use.m", direction="callees").items
    assert [item.id for item in called if item.name == "Env.keep"] == [symbol, f"{symbol}~2"]


def test_a_use_of_several_overloads_names_them(make_workspace: Maker) -> None:
    path, code, symbol, _ = TYPED["java"]
    tree = make_workspace({path: code})
    assert tree.symbol(f"{path}:11:5").notices == [
        f"`keep` at A.java:11:5 may be bound to any one of {symbol}, {symbol}~2"
    ]


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
