"""Roles of identifiers in each language: `name:role<receiver>`, in the order of the text."""

import re

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.mentions import find_mentions
from symindex.extract.parse.regions import regions_at

SOURCES = {
    "bash": ("f() { g \"$x\" $y; x=3; }", "g:call x:read y:read x:write"),
    "c": (
        "int f(T g, struct A *a) { h(1); a->b = 3; a->cb(2); int q = r; q++; return g.c; }",
        "T:type A:type h:call b:write<a> cb:call<a> q:write r:read q:write c:read<g>",
    ),
    "cpp": (
        "class C : public D, N::I<E> { void f() { h(1); g.m(2); p->n<int>(3); x = 4; auto q = new N::P(1); S::t(); Foo<Bar> z(1); } };\n"
        "using N::y;",
        "D:inherit I:inherit<N> E:type h:call m:call<g> n:call<p> x:write P:call<N> t:call<S> Foo:type Bar:type y:import<N>",
    ),
    "csharp": (
        "using A.B;\nclass C : D, I<E> { void F(G g) { H(1); g.M<int>(2); this.x = 3; var q = new N(); g?.K(); List<T> l = (U)z; } }",
        "B:import<A> D:inherit I:inherit E:type G:type H:call M:call<g> x:write<this> N:call K:call<g> List:type T:type U:type z:read",
    ),
    "go": (
        "package p\ntype A struct { B; c.D; e int }\ntype I interface { J; K() }\n"
        "func (a *A) M(x T, y pkg.U) R { f.Println(x); a.e = 3; z := N(1); a.b.c.O(2); z++; return A{e: 1} }",
        "B:inherit D:inherit<c> J:inherit T:type U:type<pkg> R:type Println:call<f> e:write<a> N:call O:call<a.b.c> z:write A:type",
    ),
    "java": (
        "import a.b.C; class A extends B<X> implements I { R f(G g) { h(1); g.m(2).n(); this.x = 3; new N<K>(1); S.t(); Foo::bar; "
        "@Ann int y = (U) z; return Q.Z; } }",
        "C:import<a.b> B:inherit X:type I:inherit R:type G:type h:call m:call<g> n:call<g.m(2)> x:write<this> N:call K:type t:call<S> "
        "bar:call<Foo> Ann:call U:type z:read Z:read<Q>",
    ),
    "javascript": (
        "import {a} from 'b'; class C extends n.D { f(g){ h(1); g.m(2); this.x = 3; new N(1); const q = S.t; z++; } }",
        "a:import<b> D:inherit<n> h:call m:call<g> x:write<this> N:call t:read<S> z:write",
    ),
    "kotlin": (
        "import a.b.C\nclass A(val x: Int) : B(x), I<D> { fun f() { g(1); x.h(2).i(); y = 3; val z: Foo<Bar> = Q() } }\n@Ann class Z",
        "Int:type B:inherit I:inherit D:type g:call h:call<x> i:call<x.h(2)> y:write Foo:type Bar:type Q:call Ann:call",
    ),
    "php": (
        "<?php\nuse A\\B; class C extends D implements I { use T; function f(G $g): R { h(1); $g->m(2); S::n(); new N(1); $this->x = 3; "
        "$y = K::Z; A\\q(); } }",
        "D:inherit I:inherit T:inherit G:type R:type h:call m:call<$g> n:call<S> N:call x:write<$this> y:write Z:read<K> q:call<A\\>",
    ),
    "python": (
        "import a.b\nfrom c import D as E\n@dec\nclass K(Base, m.Mixin):\n    x: int = f(1)\n    def g(self, h: Opt[D]) -> R:\n"
        "        self.y = a.b.c(h).d()\n        y, z = q; n += 1\n        for i in j: pass\n        with o() as p: pass\n",
        "D:import<c> dec:call Base:inherit Mixin:inherit<m> f:call Opt:type R:type y:write<self> c:call<a.b> d:call<a.b.c(h)> z:write "
        "q:read n:write i:write j:read o:call p:write",
    ),
    "ruby": (
        "class C < D::E\n  def f(a)\n    g(1); a.m 2; x = 3; @y = K::Z; N.new\n  end\nend\n",
        "E:inherit<D> g:call m:call<a> x:write y:write Z:read<K> new:call<N>",
    ),
    "rust": (
        "use a::b::{C, D as E};\nimpl Tr for T<U> { fn f(&self, g: G) -> R { h(1); g.m::<i32>(2); self.x = 3; S::n(); N { a: 1 }; "
        "mac!(k(1), l); let q: V = W::new(); } }\ntrait A: B + F {}",
        "C:import<a::b> Tr:inherit T:implement U:type G:type R:type h:call m:call<g> x:write<self> n:call<S> N:call mac:call k:call l:read V:type "
        "new:call<W> B:inherit F:inherit",
    ),
    "swift": (
        'protocol P: Q, R where Self: AnyObject {}\nclass A: B<Int>, P, M.N {}\nstruct S: Codable {}\nenum E: String, P { case a }\nextension A: Equatable, Hashable where T: P {}\nactor Act: P {}\nfinal class G<T: Bound>: Base<T>, @unchecked Sendable {}\nfunc f<T: P>(x: T) -> some P { let y: A = A(); return y }\nimport Foundation\nimport struct M.N\nfunc f(a: A, b: [B], c: D<E>?) throws -> G {\n  h(1); a.m(2).n(); self.x = 3; y += 1; let z = Q(); S.t(); let u: V = w as! T; x?.p(); try await k { r in r.go() }\n  z.i[0] = 2; .none; guard let self else { return }; for q in list {}\n}\n@Ann class Z { @State var v: Int = 0; init() { super.init() } }\ntypealias TA = A\nextension A: P { func g() {} }\n',
        'Q:inherit R:inherit B:inherit Int:type P:inherit N:inherit<M> Codable:inherit Equatable:inherit Hashable:inherit A:implement Base:inherit Sendable:inherit AnyObject:type Foundation:import h:call m:call<a> n:call<a.m(2)> x:write<self> y:write Q:call t:call<S> V:type T:type p:call<x> k:call go:call<r> init:call<super> D:type E:type',
    ),
    "scala": (
        'class A(x: Int) extends B[Int](x) with C with M.D\nclass CC(x: Int) extends T derives Eq\nenum Color extends Enum[Color] { case Red extends Color("x") }\npackage p.q\nimport a.b.C\nimport a.{B, D => E}\nclass X {\n  def f(a: A, b: List[B]): G = {\n    h(1); a.m(2).n; this.x = 3; y += 1; val z = new Q(1); S.t(); b map foo; g[Int](2); w match { case Some(v) => v }; a.b = 2\n    println(s"${k(1)}"); Y(1); a m2 3\n  }\n}\n',
        'B:inherit Int:type C:inherit D:inherit<M> T:inherit Eq:inherit Enum:inherit Color:inherit C:import B:import h:call m:call<a> n:read<a.m(2)> x:write<this> Q:call t:call<S> map:call g:call b:write<a> k:call Y:call m2:call G:type List:type',
    ),
    "dart": (
        "import 'package:a/b.dart' as p show C;\n@ann\nclass X { int f(A a, List<B> b) { h(1); a.m(2).n(); this.x = 3; y += 1; var z = new Q(1); S.t(); final u = w as T; p.g<int>(2); a?.k(); a..c(1)..d = 2; return const V(); } X.named() : super.foo(1); factory X.x() => X.named(); get q => r; }\nclass A extends B<int> with M, N implements I, p.J {}\nmixin M on B implements I {}\nclass Z = B with M;\nenum E with M implements I { a }\nextension X on A {}\nextension type T(int i) implements int {}\nabstract interface class C implements D {}\n",
        'B:inherit int:type M:inherit N:inherit I:inherit J:inherit<p> D:inherit C:import h:call m:call<a> n:call<a.m(2)> x:write<this> y:write Q:call t:call<S> T:type k:call<a?> V:call named:call<X> foo:call<super> r:read',
    ),
    "solidity": (
        'contract A is B, C(1), D.E {}\ninterface I is J {}\nimport "./a.sol"; import {B as C} from "./b.sol";\ncontract X { using L for uint; event E(uint a); modifier m() { _; } D d; mapping(address => F) g;\n function f(A memory a) public m() returns (B) { h(1); a.m(2); x = 3; y += 1; Q z = new Q(1); S.t(); emit E(1); super.f(a); revert Err(); d.v{value: 1}(2); return B(1); } }\n',
        'B:inherit C:inherit E:inherit<D> J:inherit B:import L:type h:call m:call<a> x:write y:write Q:call t:call<S> E:call f:call<super> Err:call v:call<d> m:call A:type F:type',
    ),
    "julia": (
        'abstract type A <: B end\nstruct S{T} <: A{T} end\nmutable struct M <: N.A end\nprimitive type P <: Integer 8 end\nusing A.B: c\nimport D\nfunction f(a::A, b::Vector{B})::G\n  h(1); a.m(2); x = 3; y += 1; z = Q(1); S.t(); map(foo, b); @mac k(1); g.(xs); a.b = 2; u::V = w; q{T}(1)\nend\n',
        'B:inherit A:inherit A:inherit<N> Integer:inherit c:import D:import h:call m:call<a> x:write y:write Q:call t:call<S> map:call foo:read mac:call k:call g:call b:write<a> V:type q:call B:type',
    ),
    "objc": (
        '@interface A : B <P, Q>\n@end\n@interface A (Cat) <R>\n@end\n@protocol P <T>\n@end\n',
        'B:inherit P:inherit Q:inherit R:inherit T:inherit',
    ),
    "typescript": (
        "import {a} from 'b'; class C extends D<E> implements I { f(g: G): R { h(1); g.m(2); this.x = 3; new N(1); const q: V = S.t; } }\n"
        "interface J extends K<L> {}\n@Dec() class Y extends n.Z {}",
        "a:import<b> D:inherit E:type I:inherit G:type R:type h:call m:call<g> x:write<this> N:call V:type t:read<S> K:inherit L:type "
        "Dec:call Z:inherit<n>",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language_id", SOURCES)
def test_roles(language_id: str) -> None:
    source, expected = SOURCES[language_id]
    data, language = source.encode(), load_languages().by_id[language_id]
    roles: dict[str, list[str]] = {}
    for name in dict.fromkeys(re.findall(r"\w+", source)):
        for mention in find_mentions(language, data, [name.encode()]):
            said = f"<{mention.does.receiver}>" if mention.does.receiver else ""
            roles.setdefault(name, []).append(f"{name}:{mention.does.role}{said}")
    for word in expected.split():
        assert word in roles.get(word.partition(":")[0], []), (
            word,
            roles.get(word.partition(":")[0]),
        )


def test_the_languages_of_the_tables_have_roles() -> None:
    languages = load_languages().by_id
    assert {language for language in SOURCES if not languages[language].rules.roles.rules} == set()


def test_which_type_implements_which() -> None:
    rust = load_languages().by_id["rust"]
    data = b"impl<T> fmt::Display for Wrapper<T> {}\nimpl Wrapper<u8> {}\n"
    (trait,) = find_mentions(rust, data, [b"Display"])
    first, second = find_mentions(rust, data, [b"Wrapper"])
    assert (trait.does.role, trait.does.kin) == ("inherit", "Wrapper<T>")
    assert (first.does.role, first.does.kin, second.does.role) == (
        "implement",
        "fmt::Display",
        "type",
    )


REGIONS = {
    "bash": "# comments target\necho 'strings target' \"strings target $code_target\"\ncode_target=1\n",
    "c": '// comments target\n/* comments target */ char *s = "strings target"; int code_target;\n',
    "cpp": 'auto s = R"(strings target)"; // comments target\nint code_target;\n',
    "csharp": 'var s = $"strings target {code_target}"; // comments target\nvar t = @"strings target";\n',
    "go": 'package p\n// comments target\nvar s = `strings target` + "strings target"\nvar code_target = 1\n',
    "java": 'class A { /** comments target */ String s = "strings target"; int code_target; }\n',
    "javascript": "// comments target\nconst s = `strings target ${code_target}` + 'strings target';\n",
    "kotlin": '// comments target\nval s = "strings target ${code_target}" + """strings target"""\n',
    "php": "<?php\n# comments target\n$s = 'strings target' . \"strings target\"; $code_target = 1;\n",
    "python": "# comments target\ns = 'strings target' + f'strings target {code_target}'\n'''strings target'''\n",
    "ruby": "# comments target\ns = 'strings target' + \"strings target #{code_target}\"\n",
    "rust": '// comments target\nfn f() { let s = "strings target"; let t = r#"strings target"#; let code_target = 1; }\n',
    "typescript": "/* comments target */\nconst s: string = 'strings target' + `strings target ${code_target}`;\n",
    "tsx": "// comments target\nconst e = <a b='strings target'>{code_target}</a>;\n",
}


@pytest.mark.parametrize("language", REGIONS)
def test_regions(language: str) -> None:
    """The text before each `target` names its region."""
    data = REGIONS[language].encode()
    places = [match.span() for match in re.finditer(rb"target", data)]
    words = [
        data[:start].split()[-1].lstrip(b"'\"`(@$r#/*<>={}R")
        if data[start - 1 : start] != b"_"
        else b"code"
        for start, _ in places
    ]
    expected = [re.sub(r"[^a-z]", "", word.decode()) for word in words]
    assert regions_at(load_languages().by_id[language], data, places) == [
        next(kind for kind in ("comments", "strings", "code") if word.endswith(kind))
        for word in expected
    ]
