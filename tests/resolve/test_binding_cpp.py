"""References in C++ are bound by namespaces, includes, bases and the types of receivers."""

import pytest

from symindex.render.symbol import render_symbol
from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "shop/item.h": (
        "#include <memory>\nnamespace shop {\n"
        "class Item {\n public:\n  virtual void add();\n  static Item* make(int n);\n  void own();\n  Item& next();\n  int get();\n};\n"
        "enum Color { Red };\nusing ItemPtr = std::shared_ptr<Item>;\ntypedef Item Thing;\n}\n"
    ),
    "shop/item.cc": (
        '#include "item.h"\nnamespace shop {\nvoid Item::add() {}\nItem* Item::make(int n) { return 0; }\n'
        "void Item::own() {\n  add();\n  this->add();\n}\n}\n"
    ),
    "shop/cart.h": (
        '#include "shop/item.h"\nnamespace shop::till {\nstruct Cart {\n  void add();\n  Item* item;\n};\n}\n'
    ),
}  # fmt: skip

ITEM, CART = "shop/item.cc#shop.Item.add", "shop/cart.h#shop.till.Cart.add"
INCLUDES = '#include "shop/cart.h"\n'

CASES: dict[str, tuple[str, list[str], list[str]]] = {
    # by name: the code of main.cc after its include, the lines bound to Item.add and to Cart.add
    "parameter": ("void f(const shop::Item& x, shop::till::Cart* y) {\n  x.add();\n  y->add();\n}\n", ["3"], ["4"]),
    "names of a namespace": ("using namespace shop;\nvoid f(Item x) { x.add(); }\n", ["3"], []),
    "one name": ("using shop::Item;\nvoid f(Item x) { x.add(); }\n", ["3"], []),
    "another name of a namespace": ("namespace s = shop::till;\nvoid f(s::Cart x) { x.add(); }\n", [], ["3"]),
    "relative to a namespace": ("namespace shop {\nvoid f(till::Cart x) { x.add(); }\n}\n", [], ["3"]),
    "another name of a type": ("void f(shop::Thing x) { x.add(); }\n", ["2"], []),
    "smart pointer": (
        "void f(std::unique_ptr<shop::Item> x, shop::ItemPtr y) {\n  x->add();\n  y->add();\n  y.get()->add();\n}\n",
        ["3", "4", "5"], [],
    ),
    "member of a pointer itself": (
        "void f(std::unique_ptr<shop::Item> x, shop::ItemPtr y) {\n  x.add();\n  y.add();\n  (*x).add();\n"
        "  auto z = std::make_shared<shop::Item>();\n  z.add();\n  z->add();\n  x->next().add();\n  x.next().add();\n}\n",
        ["5", "8", "9", "10?"], ["10?"],
    ),
    "new value": ("void f() {\n  auto x = shop::Item();\n  x.add();\n  auto* y = new shop::Item;\n  y->add();\n}\n", ["4", "6"], []),
    "made value": ("void f() {\n  auto x = std::make_unique<shop::Item>(1);\n  x->add();\n}\n", ["4"], []),
    "converted value": ("void f(void* p) {\n  auto x = static_cast<shop::till::Cart*>(p);\n  x->add();\n}\n", [], ["4"]),
    "results": ("void f(shop::Item& x) {\n  auto y = shop::Item::make(1);\n  y->next().add();\n}\n", ["4"], []),
    "field": ("void f(shop::till::Cart& x) { x.item->add(); }\n", ["2"], []),
    "derived": ("struct Big : public shop::Item {};\nvoid f(Big b) { b.add(); }\n", ["3"], []),
    "outside of its class": (
        "struct Own { void go(); shop::till::Cart c; };\nvoid Own::go() { c.add(); }\n", [], ["3"],
    ),
    "parameter of a template": ("template <typename Item> void f(Item x) { x.add(); }\n", ["2?"], ["2?"]),
    "container": ("void f(std::vector<shop::Item> x) {\n  for (auto& one : x) { one.add(); }\n  x[0].add();\n}\n", ["3", "4"], []),
    "iterator": ("void f(std::vector<shop::Item>::iterator x) { x->add(); }\n", ["2?"], ["2?"]),
    "type of the library": ("void f(std::mutex x) { x.add(); }\n", [], []),
    "value with an operator": (
        "struct Handle { shop::Item* operator->(); };\nvoid f(Handle x) { x->add(); }\n", ["3"], [],
    ),
    "access to another value": (
        "struct Hook : shop::till::Cart {\n  shop::Item* operator->() { return p; }\n  shop::Item& operator*();\n"
        "  shop::Item& operator[](int i);\n};\nvoid f(Hook& x, Hook* y, Hook z[2]) {\n  x->add();\n  x.add();\n  (*x).add();\n"
        "  x[0].add();\n  y->add();\n  auto* n = new Hook();\n  n->add();\n  auto a = &x;\n  a->add();\n  z->add();\n}\n",
        ["8", "10", "11"], ["9", "12", "14", "16", "17"],
    ),
    "access through a template": (
        "template <typename T> struct Ref : shop::till::Cart { T* p; T* operator->() const; };\n"
        "template <typename T> T* Ref<T>::operator->() const { return p; }\nusing Link = Ref<shop::Item>;\n"
        "struct Box { Ref<shop::Item> one; Link two; };\nvoid f(Box& b, Ref<shop::Item>* y) {\n  b.one->add();\n  b.two->add();\n"
        "  b.one.add();\n  y->add();\n}\n",
        ["7", "8"], ["9", "10"],
    ),
    "function that a class takes over beside its own": (
        "struct Own : shop::Item {\n  using shop::Item::add;\n  void add(int n);\n};\nvoid f(Own& x) {\n  x.add();\n}\n",
        ["3", "7?"], [],
    ),
    "member that a class takes over": (
        "namespace other { struct Cart { void add(); }; }\nusing namespace shop::till;\nstruct Own : Cart {\n"
        "  using Cart::add;\n};\n", [], ["5"],
    ),
    "member of an inner type": (
        "struct Out { struct In { static void add(); }; };\nvoid f() { Out::In::add(); }\n", [], [],
    ),
    "lambda": ("auto f = [](shop::Item x) { x.add(); };\n", ["2"], []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound_by_its_receiver(make_workspace: Maker, name: str) -> None:
    code, of_item, of_cart = CASES[name]
    tree = make_workspace({**BASE, "main.cc": INCLUDES + code})
    for symbol, expected in ((ITEM, of_item), (CART, of_cart)):
        lines = [line for line in bound_lines(tree, symbol) if line.startswith("main.cc:")]
        assert lines == [f"main.cc:{line}" for line in expected], symbol


def test_members_are_seen_in_what_is_defined_outside(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    assert bound_lines(tree, ITEM) == ["shop/item.cc:6", "shop/item.cc:7"]
    assert bound_lines(tree, "shop/item.h#shop.Item.add") == ["shop/item.cc:6", "shop/item.cc:7"]


def test_a_value_of_a_base_may_be_of_a_subtype(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "main.cc": INCLUDES + "struct Big : shop::Item {\n  void add() override;\n};\n"
        "void f(shop::Item& x, Big& y) {\n  x.add();\n  y.add();\n}\n",
    })  # fmt: skip
    assert bound_lines(tree, "main.cc#Big.add") == [
        "main.cc:6?",
        "main.cc:7",
        "shop/item.cc:6?",
        "shop/item.cc:7?",
    ]
    assert [line for line in bound_lines(tree, ITEM) if "main" in line] == ["main.cc:6"]


def test_bases_are_bound_without_their_arguments(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "far.h": "namespace far { class Item {}; template <class T> class Box {}; }\n",
        "main.cc": '#include "far.h"\n' + INCLUDES + "class A : public shop::Item, private far::Box<shop::till::Cart> {};\n"
        "namespace far { class B : Item {}; }\n",
    })  # fmt: skip
    above = tree.hierarchy("A", direction="supertypes")
    assert [item.name for item in above.items] == ["shop.Item", "far.Box"]
    assert [item.name for item in tree.hierarchy("shop/item.h#shop.Item").items] == ["A"]
    assert [item.name for item in tree.hierarchy("far.h#far.Item").items] == ["far.B"]


def test_a_member_of_a_pointer_is_not_that_of_its_value(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "main.cc": INCLUDES + "int f(shop::ItemPtr x, shop::Item y) {\n  x.get();\n  return y.get();\n}\n",
    })  # fmt: skip
    assert bound_lines(tree, "shop/item.h#shop.Item.get") == ["main.cc:4"]


def test_a_file_that_is_read_as_c_is_seen_in_cpp(make_workspace: Maker) -> None:
    tree = make_workspace({
        "old.h": "struct old { int len; };\nint old_len(struct old *o);\n",
        "main.cc": '#include "old.h"\nclass A { int f(old* o) { return o->len + old_len(o); } };\n',
    })  # fmt: skip
    assert "struct, c, line" in render_symbol(tree.symbol("old.h#old"))
    assert bound_lines(tree, "old.h#old.len") == ["main.cc:2"]
    assert bound_lines(tree, "old.h#old_len") == ["main.cc:2"]


def test_enumerators_are_seen_without_their_enum(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "other.h": "struct Flag { enum Color { Red }; };\n",
        "main.cc": INCLUDES + '#include "other.h"\nint a = shop::Red;\nint b = Flag::Red;\nint c = shop::Color::Red;\n',
    })  # fmt: skip
    assert bound_lines(tree, "shop/item.h#shop.Color.Red") == ["main.cc:3", "main.cc:5"]
    assert bound_lines(tree, "other.h#Flag.Color.Red") == ["main.cc:4"]


def test_the_namespaces_around_a_definition_may_be_left_out(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.h": "namespace n { struct Reader { void go(); void stop(); }; struct Other { void stop(); }; }\n",
        "a.cc": '#include "a.h"\nusing namespace n;\nvoid Reader::stop() {}\nvoid Reader::go() {\n  stop();\n}\n',
        "b.cc": '#include "a.h"\nvoid f(n::Reader r, n::Other o) {\n  r.stop();\n  o.stop();\n}\n',
    })  # fmt: skip
    assert bound_lines(tree, "a.cc#Reader.stop") == ["a.cc:5", "b.cc:3"]
    assert bound_lines(tree, "a.h#n.Other.stop") == ["b.cc:4"]


def test_the_name_of_a_type_may_mean_its_constructor(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.h": "namespace n { struct Pen { Pen(int n); }; }\n",
        "a.cc": '#include "a.h"\nnamespace n {\nPen::Pen(int n) {}\nauto p = Pen(1);\n}\nauto q = n::Pen(1);\n',
    })  # fmt: skip
    lines = [line.rstrip("?") for line in bound_lines(tree, "a.h#n.Pen.Pen")]
    assert lines[-2:] == ["a.cc:4", "a.cc:6"]
    assert {"a.cc:4", "a.cc:6"} <= {*bound_lines(tree, "a.h#n.Pen")}


def test_a_type_is_no_use_of_its_constructor(make_workspace: Maker) -> None:
    """But a type that may create a value may be one."""
    code = [
        "struct Solo { int a; Solo(int x) : a(x) {} };",
        "struct Sink { Sink(Solo s) : solo_(s) {}",
        "  Solo solo_; };",
        "void use(Solo* s) {",
        "  Solo u(1);",
        "  auto v = Solo{2};",
        "  sizeof(Solo); }",
        "",
    ]
    tree = make_workspace({"a.cc": "\n".join(code)})
    assert bound_lines(tree, "a.cc#Solo.Solo") == ["a.cc:5?", "a.cc:6?"]


COLLECTIONS = """\
#include <vector>
struct Node { int time() const; int size(); Node *get(); };
struct Other { int time() const; };
struct Edge { std::vector<Node*> outs; std::vector<std::vector<Node>> grid; };
using Nodes = std::vector<Node*>;
void f(Edge *e, std::vector<Node> &own, std::vector<std::unique_ptr<Node>> kept, void *raw, const Node &r) {
  for (std::vector<Node*>::iterator i = e->outs.begin(); i != e->outs.end(); ++i)
    (*i)->time();
  for (auto &n : own) n.time();
  for (auto p : e->outs) p->time();
  for (auto &u : kept) u->time();
  e->outs.back()->time();
  e->outs[0]->time();
  e->grid[0][1].size();
  e->grid[0].size();
  own.size();
  own[1].size();
  kept[0].get();
  static_cast<const Node &>(r).time();
  (static_cast<const Node *>(raw))->time();
  reinterpret_cast<Other *>(raw)->time();
  own.begin()->time();
}
"""


def test_elements_and_casts_have_the_types_that_are_written(make_workspace: Maker) -> None:
    """Of collections by index, loop, iterator or method; a collection has no member of the
    tree's."""
    tree = make_workspace({"a.cpp": COLLECTIONS})
    found = {
        name: [place.rpartition(":")[2] for place in bound_lines(tree, f"a.cpp#{name}")]
        for name in ("Node.time", "Other.time", "Node.size", "Node.get")
    }
    time = ["8", "9", "10", "11", "12", "13", "19", "20"]
    assert sorted(found["Node.time"], key=lambda one: int(one.strip("?"))) == [*time, "22?"]
    assert found["Other.time"] == ["21", "22?"]
    assert found["Node.size"] == ["14", "17"]
    assert found["Node.get"] == []


def test_a_base_may_be_another_name_of_a_type(make_workspace: Maker) -> None:
    code = (
        "template <typename T> struct Foo { void run(); };\nstruct Plain {};\n"
        "using Base = Foo<int>;\ntypedef Plain Named;\nusing Again = Named;\n"
        "template <typename T> using Gen = Foo<T>;\n"
        "class A : public Base { void go() { run(); } };\nclass B : Named {};\n"
        "class C : public Again {};\nclass D : Gen<int> {};\n"
    )
    tree = make_workspace({"a.h": code})
    found = {
        name: sorted(item.name for item in tree.hierarchy(name, direction="subtypes").items)
        for name in ("Foo", "Plain")
    }
    assert found == {"Foo": ["A", "D"], "Plain": ["B", "C"]}
    assert bound_lines(tree, "a.h#Foo.run") == ["a.h:7"]
