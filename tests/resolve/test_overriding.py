"""Which methods override others: by labels and types of their parameters, where a language tells."""

import pytest

from tests.support.files import Maker

CASES: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    # by name: a file, its code, and by method what overrides it; an unsure one with a question mark
    "labels": (
        "a.swift",
        "class Base {\n  func f(a: Int) {}\n  func f(b: Int) {}\n  func g(x: Int, with y: String) {}\n}\n"
        "class Below: Base {\n  override func f(b: Int) {}\n  override func g(x z: Int, with w: String) {}\n}\n",
        {"f": [], "f~2": ["f"], "g": ["g"]},
    ),
    "types in Swift": (
        "a.swift",
        "class Base<T> {\n  func f(_ x: Int) {}\n  func g(_ x: T) {}\n  func h(_ x: [Own]?) {}\n  func k(_ x: Own) {}\n}\n"
        "class Own {}\ntypealias Other = Own\nclass Below: Base<Own> {\n  func f(_ x: String) {}\n  override func g(_ x: Own) {}\n"
        "  override func h(_ y: [Own]?) {}\n  override func k(_ y: Other) {}\n}\n",
        {"f": [], "g": ["g"], "h": ["h"], "k": ["k"]},
    ),
    "an associated type": (
        "a.swift",
        "protocol Base {\n  associatedtype Item\n  func f(_ x: Item)\n  func g(_ x: Self, then: @escaping (Int) -> Void)\n}\n"
        "class Below: Base {\n  func f(_ x: String) {}\n  func g(_ x: Below, then: @escaping @Sendable (_ n: Int) -> Void) {}\n}\n",
        {"f": ["f"], "g": ["g"]},
    ),
    "Java": (
        "a.java",
        "import java.util.*;\nclass Base<T> {\n  void f(int a) {}\n  void f(String b) {}\n  void g(T x) {}\n  void h(List<String> x) {}\n"
        "  void k(Object o) {}\n  void m(final String[] x) {}\n}\nclass Below extends Base<String> {\n  void f(String b) {}\n"
        "  void g(String x) {}\n  void h(java.util.List<String> x) {}\n  void k(String o) {}\n  void m(String... x) {}\n}\n",
        {"f": [], "f~2": ["f"], "g": ["g"], "h": ["h"], "k": [], "m": ["m"]},
    ),
    "Kotlin": (
        "a.kt",
        "open class Base<T> {\n  open fun f(a: Int) {}\n  open fun f(b: String) {}\n  open fun g(x: T) {}\n  open fun k(o: Any) {}\n"
        "  open fun m(x: String?) {}\n}\nclass Below : Base<String>() {\n  override fun f(b: String) {}\n  override fun g(x: String) {}\n"
        "  fun k(o: String) {}\n  override fun m(x: kotlin.String?) {}\n}\n",
        {"f": [], "f~2": ["f"], "g": ["g"], "k": [], "m": ["m"]},
    ),
    "C#": (
        "a.cs",
        "class Base<T> {\n  public virtual void F(int a) {}\n  public virtual void F(string b) {}\n  public virtual void G(T x) {}\n"
        "  public virtual void K(object o) {}\n  public virtual void M(Int32 o) {}\n}\nclass Below : Base<string> {\n"
        "  public override void F(String b) {}\n  public override void G(string x) {}\n  public void K(string o) {}\n"
        "  public override void M(int o) {}\n}\n",
        {"F": [], "F~2": ["F"], "G": ["G"], "K": [], "M": ["M?"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_parameters_tell_what_a_method_overrides(make_workspace: Maker, name: str) -> None:
    path, code, expected = CASES[name]
    # A type of this name in another language is another's.
    workspace = make_workspace({path: code, "other.rb": "class Below < Base\n  def f; end\nend\n"})
    for method, overriding in expected.items():
        found = workspace.hierarchy(f"{path}#Base.{method}", direction="subtypes")
        told = [f"{one.id}{'?' if one.is_unsure else ''}" for one in found.items]
        assert told == [f"{path}#Below.{one}" for one in overriding], method
        for one in overriding:
            below = f"{path}#Below.{one.strip('?')}"
            above = workspace.hierarchy(below, direction="supertypes").items
            assert [one.id for one in above] == [f"{path}#Base.{method}"]
