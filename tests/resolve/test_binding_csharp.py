"""References in C# are bound by namespaces, `using` and declared types."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "Shop/Item.cs": "namespace App.Shop { public class Item { public void Add() {} } }\n",
    "Shop/Cart.cs": (
        "namespace App.Shop;\npublic partial class Cart : Base<Item>, ICart {\n"
        "  public Item Item { get; set; }\n  public void Add() {}\n"
        "  public static Cart Make() => null;\n}\n"
    ),
    "Shop/CartParts.cs": (
        "namespace App.Shop;\npublic partial class Cart {\n  private Item kept = new Item();\n"
        "  void All() { kept.Add(); this.kept.Add(); above.Add(); Item.Add(); }\n}\n"
    ),
    "Shop/Base.cs": (
        "namespace App.Shop;\npublic class Base<T> { protected Item above; public void Up() {} }\n"
        "public interface ICart {}\npublic enum Hue { Red }\n"
    ),
    "Other/Cart.cs": "namespace Other { public class Cart { public void Up() {} } }\n",
}

OF_CART = "Shop/Cart.cs#App.Shop.Cart.Item"
ITEM, CART, UP = (
    "Shop/Item.cs#App.Shop.Item.Add",
    "Shop/Cart.cs#App.Shop.Cart.Add",
    "Shop/Base.cs#App.Shop.Base.Up",
)

CASES: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    # by name: the head of the file, the body of a method in line 3, and the uses of each symbol
    "using": ("using App.Shop;", "Item x = null; x.Add();", {ITEM: ["3"], CART: []}),
    "another name": ("using C = App.Shop.Cart;", "C x = null; x.Add();", {ITEM: [], CART: ["3"]}),
    "static": ("using static App.Shop.Cart;", "Make().Add();", {ITEM: [], CART: ["3"]}),
    "another namespace": ("using Other;", "Cart x = null; x.Up();", {UP: []}),
    "var": ("using App.Shop;", "var x = new Item(); x.Add();", {ITEM: ["3"], CART: []}),
    "a result": ("using App.Shop;", "var x = Cart.Make(); x.Add();", {ITEM: [], CART: ["3"]}),
    "a property": ("using App.Shop;", "var x = new Cart(); x.Item.Add();", {ITEM: ["3"], CART: []}),
    "a conditional": ("using App.Shop;", "Cart x; x?.Item.Add();", {ITEM: ["3"], CART: []}),
    "an inherited method": ("using App.Shop;", "Cart x; x.Up();", {UP: ["3"]}),
    "a whole name": ("using Lib;", "new App.Shop.Item().Add();", {ITEM: ["3"], CART: []}),
    "a lambda": ("using App.Shop;", "Run(x => x.Add());", {ITEM: ["3?"], CART: ["3?"]}),
    "a loop": ("using App.Shop;", "foreach (Item x in l) x.Add();", {ITEM: ["3"], CART: []}),
    "an untyped loop": (
        "using App.Shop;", "foreach (var x in l) x.Add();", {ITEM: ["3?"], CART: ["3?"]},
    ),
    "a pattern": ("using App.Shop;", "if (o is Item x) x.Add();", {ITEM: ["3"], CART: []}),
    "a property in a pattern": (
        "using App.Shop;",
        "if (o is Cart { Item: null } or Lib { Item: 1 }) {} if (c is { Item: null }) {} "
        "Cart c; c = c switch { { Item: null } => c, Un => c }; Un(x is { Item: var y });",
        {OF_CART: ["3", "3", "3", "3?"]},
    ),
    "a copy": ("using App.Shop;", "Cart x; x = x with { Item = y };", {OF_CART: ["3"]}),
    "an initializer": (
        "using App.Shop;", "new Cart { Item = y }; Cart x = new() { Item = y };", {OF_CART: ["3", "3"]},
    ),
    "a type as a value": ("using App.Shop;", "typeof(Cart).Item.Add(); typeof(Cart).Add();", {OF_CART: [], CART: []}),
    "an array": ("using App.Shop;", "Item[] x; x.Add();", {ITEM: [], CART: []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    head, body, expected = CASES[name]
    code = f"{head}\nnamespace User {{ class Use {{\n void F() {{ {body} }} }} }}\n"
    tree = make_workspace({**BASE, "User/Use.cs": code})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if "Use.cs" in line]
        assert found == [f"User/Use.cs:{line}" for line in lines], symbol


def test_parts_of_a_type_see_the_members_of_all_parts_and_bases(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    assert bound_lines(tree, ITEM) == ["Shop/CartParts.cs:4"] * 4
    assert bound_lines(tree, CART) == []


def test_names_of_the_namespaces_around_are_seen(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "Shop/In/Use.cs": "namespace App.Shop.In { class Use { void F(Cart c) { c.Add(); } } }\n",
    })  # fmt: skip
    assert "Shop/In/Use.cs:1" in bound_lines(tree, CART)
    assert "Shop/In/Use.cs:1" not in bound_lines(tree, ITEM)


def test_a_using_begins_in_the_namespace_around(make_workspace: Maker) -> None:
    code = "namespace App.In;\nusing Shop;\nclass Use { void F(Item i) { i.Add(); } }\n"
    tree = make_workspace({**BASE, "In/Use.cs": code})
    assert "In/Use.cs:3" in bound_lines(tree, ITEM)


def test_global_usings_count_below_their_folder(make_workspace: Maker) -> None:
    use = "namespace User;\nclass Use { void F(Item i) { i.Add(); } }\n"
    tree = make_workspace({
        **BASE,
        "one/Usings.cs": "global using App.Shop;\n", "one/deep/Use.cs": use, "two/Use.cs": use,
    })  # fmt: skip
    assert [line for line in bound_lines(tree, ITEM) if "Use.cs" in line] == ["one/deep/Use.cs:2"]


def test_parameters_of_types_are_members(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "Shop/Use.cs": (
            "namespace App.Shop;\npublic class Use(Item first) { void F() { first.Add(); } }\n"
            "public record Made(Item First) { void F() { First.Add(); } }\n"
            "class Other { void F(Made m) { m.First.Add(); } }\n"
        ),
    })  # fmt: skip
    found = [line for line in bound_lines(tree, ITEM) if "Use.cs" in line]
    assert found == ["Shop/Use.cs:2", "Shop/Use.cs:3", "Shop/Use.cs:4"]
    assert not any("Use.cs" in line for line in bound_lines(tree, CART))


def test_types_of_one_name_differ_by_their_parameters(make_workspace: Maker) -> None:
    tree = make_workspace({
        "Box.cs": "namespace N;\npublic interface IBox { void Plain(); }\n"
                  "public interface IBox<T> : IBox { void Typed(); }\n",
        "Use.cs": "namespace N;\nclass A : IBox { void F(IBox x) { x.Plain(); } }\n"
                  "class B : IBox<A> { void F(IBox<A> x) { x.Typed(); } }\n",
    })  # fmt: skip
    plain, typed = (
        tree.hierarchy(symbol, direction="subtypes").items
        for symbol in ("Box.cs#N.IBox", "Box.cs#N.IBox~2")
    )
    assert {item.name for item in plain} == {"N.A", "N.IBox"}
    assert [item.name for item in typed] == ["N.B"]
    assert bound_lines(tree, "Box.cs#N.IBox") == ["Box.cs:3", "Use.cs:2", "Use.cs:2"]
    assert bound_lines(tree, "Box.cs#N.IBox~2") == ["Use.cs:3", "Use.cs:3"]


def test_an_argument_of_a_base_is_no_base(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.cs": "interface IFace {}\ninterface IBox<T> {}\nclass A : IBox<IFace> {}\n",
    })  # fmt: skip
    assert tree.hierarchy("a.cs#IFace", direction="subtypes").items == []
    assert [one.name for one in tree.hierarchy("a.cs#A", direction="supertypes").items] == ["IBox"]


def test_extensions_of_a_librarys_type_are_used(make_workspace: Maker) -> None:
    tree = make_workspace({
        "Ext.cs": "namespace N { static class Ext { public static int Twice(this string s) => 2; } }\n",
        "Use.cs": 'using N;\nclass Use { void F(string s) { s.Twice(); "a".Twice(); } }\n',
    })  # fmt: skip
    assert bound_lines(tree, "Ext.cs#N.Ext.Twice") == ["Use.cs:2?", "Use.cs:2?"]


def test_an_extension_method_is_a_member_of_its_argument(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "Ext.cs": (
            "using App.Shop;\nstatic class Ext {\n  public static Cart Buy<T>(this Item i) => null;\n"
            "  public static Cart Fill(this ICart c, int n = 1) => null;\n"
            "  public static Cart Buy(this string s) => null;\n"
            "  public static T Kept<T>(this T t) => t;\n}\n"
            "class Own { public Own Buy() => this; public void Kept() {} }\n"
        ),
        "Use.cs": (
            "using App.Shop;\nclass Use { void F(Item i, Cart c, Hue h) {\n  i.Buy<int>().Add();\n"
            "  var made = c.Fill(); made.Fill().Add();\n  i.Kept().Add();\n  i.Should().Add();\n} }\n"
        ),
    })  # fmt: skip
    found = [line for line in bound_lines(tree, CART) if line.startswith("Use.cs")]
    assert found == ["Use.cs:3", "Use.cs:4", "Use.cs:5?", "Use.cs:6?"]
    assert bound_lines(tree, "Ext.cs#Ext.Buy") == ["Use.cs:3"]
    assert bound_lines(tree, "Ext.cs#Ext.Fill") == ["Use.cs:4", "Use.cs:4"]
    assert bound_lines(tree, "Ext.cs#Own.Buy") == []


def test_the_parts_of_a_type_are_one_symbol(make_workspace: Maker) -> None:
    use = "namespace App.Shop;\nclass Use { Cart cart; }\n"
    tree = make_workspace({**BASE, "Shop/Use.cs": use})
    for part in ("Shop/Cart.cs", "Shop/CartParts.cs"):
        found = bound_lines(tree, f"{part}#App.Shop.Cart")
        assert "Shop/Use.cs:2" in found, part


BAD = {
    # what leads to itself: the head of a file with a use in line 2
    "a cycle of aliases": "using A = B; using B = A; using Item = A;",
    "an alias of itself": "using Item = Item;",
    "a cycle of bases": "class A : B {} class B : A {} class Item : Item {}",
    "a bound of itself": "class P<T> where T : T { T t; void F() { t.Add(); } } class Item {}",
    "an open alias": "using Item = ; using ; using static ;",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_imports_make_nothing_certain(make_workspace: Maker, name: str) -> None:
    code = f"{BAD[name]}\nclass Use {{ void F(Item x) {{ x.Add(); }} }}\n"
    tree = make_workspace({**BASE, "User/Bad.cs": code})
    assert "User/Bad.cs:2" not in bound_lines(tree, ITEM)


def test_two_types_of_one_whole_name_are_told_apart_by_folders(make_workspace: Maker) -> None:
    item = "namespace App;\nclass Item { void Add() {} }\n"
    use = "namespace App;\nclass Use { void F(Item x) { x.Add(); } }\n"
    tree = make_workspace({
        "one/src/Item.cs": item, "one/lib/Use.cs": use, "two/src/Item.cs": item, "two/lib/Use.cs": use,
    })  # fmt: skip
    assert "one/lib/Use.cs:2" in bound_lines(tree, "one/src/Item.cs#App.Item.Add")
    assert "two/lib/Use.cs:2" not in bound_lines(tree, "one/src/Item.cs#App.Item.Add")


def test_settings_of_a_project_import_for_its_files(make_workspace: Maker) -> None:
    own = "namespace Shop.Core;\npublic interface ICart { void Add(); }\n"
    use = "namespace App;\nclass Mine : ICart {\n  void F(ICart c) { c.Add(); }\n}\n"
    settings = '<Project>\n  <ItemGroup><Using Include="Shop.Core" /></ItemGroup>\n</Project>\n'
    files = {"core/ICart.cs": own, "app/Mine.cs": use, "other/Mine.cs": use}
    tree = make_workspace({**files, "app/App.csproj": settings})
    assert bound_lines(tree, "core/ICart.cs#Shop.Core.ICart.Add") == ["app/Mine.cs:3"]
    items = tree.hierarchy("core/ICart.cs#Shop.Core.ICart", direction="subtypes").items
    assert [item.file_path for item in items if not item.is_unsure] == ["app/Mine.cs"]


def test_members_of_wrappers_are_not_those_of_what_they_hold(make_workspace: Maker) -> None:
    code = "using System;\nnamespace N;\nclass Foo { public int Value; public void Go() { } }\n"
    use = "class U {\n  Lazy<Foo> l; Foo f;\n  void M() {\n    l.Value.Go();\n    f.Value++;\n  }\n}\n"
    tree = make_workspace({"A.cs": code + use})
    assert bound_lines(tree, "A.cs#N.Foo.Value") == ["A.cs:7?", "A.cs:8"]
    assert bound_lines(tree, "A.cs#N.Foo.Go") == ["A.cs:7?"]


EXPLICIT = (
    "interface IFoo { void Bar(); int Size { get; } }\n"
    "interface IBaz { void Bar(); }\n"
    "class A : IFoo, IBaz {\n"
    "  void IFoo.Bar() { }\n"
    "  void IBaz.Bar() { }\n"
    "  public void Bar() { }\n"
    "  int IFoo.Size { get { return 1; } }\n"
    "  void Help() { Bar(); this.Bar(); }\n"
    "}\n"
    "class Use {\n"
    "  void One(A a) { a.Bar(); }\n"
    "  void Two(IFoo f) { f.Bar(); var n = f.Size; }\n"
    "}\n"
)


def test_a_member_of_an_interface_alone_is_no_member_of_its_type(make_workspace: Maker) -> None:
    tree = make_workspace({"a.cs": EXPLICIT})
    uses = {"A.Bar": ["12?"], "A.Bar~2": [], "A.Bar~3": ["8", "8", "11"], "A.Size": ["12?"]}
    for symbol, lines in uses.items():
        own = [
            line
            for line in bound_lines(tree, f"a.cs#{symbol}")
            if ":12" not in line or "12?" in lines
        ]
        assert own == [f"a.cs:{line}" for line in lines], symbol
    below = {"IFoo.Bar": "A.Bar", "IBaz.Bar": "A.Bar~2", "IFoo.Size": "A.Size"}
    for symbol, own_member in below.items():
        found = tree.hierarchy(f"a.cs#{symbol}", direction="subtypes")
        assert [item.id for item in found.items] == [f"a.cs#{own_member}"]
        found = tree.hierarchy(f"a.cs#{own_member}", direction="supertypes")
        assert [item.id for item in found.items] == [f"a.cs#{symbol}"]
    assert not tree.hierarchy("a.cs#A.Bar~3", direction="supertypes").items


def test_what_a_library_returns_for_a_value_is_unknown(make_workspace: Maker) -> None:
    code = (
        "using Moq;\nclass Env { public void Run() {} }\nclass Other { public void Run() {} }\n"
        "class Use {\n  void One(Env e) { System.Threading.Volatile.Read(ref e).Run(); }\n"
        "  void Two(Env e) { var c = Mock.Get(e).Object; c.Run(); }\n"
        "  void Three() { System.Console.Out().Run(); }\n}\n"
    )
    tree = make_workspace({"a.cs": code})
    for symbol in ("Env.Run", "Other.Run"):
        assert bound_lines(tree, f"a.cs#{symbol}") == ["a.cs:5?", "a.cs:6?"]


ATTRIBUTES = {
    "Lib/Route.cs": (
        "namespace Lib.Web;\npublic class RouteAttribute : System.Attribute { }\n"
        "public class Table { }\npublic class TableAttribute { }\n"
    ),
    "App/Use.cs": (
        "using Lib.Web;\nclass Use {\n  [Route] void F() { }\n  [Lib.Web.Route(1), Other]\n"
        '  void G(Route x) { }\n  [Table("x")] void H(Table t) { }\n}\n'
    ),
    "App/Far.cs": "class Far { [Route] void F() { } }\n",
}


def test_an_attribute_is_used_without_its_suffix(make_workspace: Maker) -> None:
    tree = make_workspace(ATTRIBUTES)
    route, none = "Lib/Route.cs#Lib.Web.RouteAttribute", "Lib/Route.cs#Lib.Web.TableAttribute"
    assert bound_lines(tree, route) == ["App/Use.cs:3", "App/Use.cs:4"]
    assert bound_lines(tree, none) == []  # without a base it is no attribute
    callers = tree.hierarchy(route, direction="callers").items
    assert [one.id for one in callers] == ["App/Use.cs#Use.F", "App/Use.cs#Use.G"]
    found = tree.symbol("App/Use.cs:4:13")
    assert found.symbol is not None and found.symbol.id == route


def test_elements_and_arguments_of_types(make_workspace: Maker) -> None:
    code = (
        "using System.Collections.Generic;\nusing System.Linq;\nnamespace N;\n"
        "class Animal { public void Run() {} }\nclass Dog : Animal { public void Go() {} }\nclass Cat { public void Go() {} }\n"
        "class Repo<T> where T : Animal { public T Item; public T Get() => Item; }\n"
        "class DogRepo : Repo<Dog> { void F() {\nItem.Go();\nGet().Go();\n} }\n"
        "class Use { void F(List<Dog> ds, Dog[] a, Dog d) {\nforeach (var x in ds) x.Go();\nforeach (var x in a) x.Go();\n"
        "ds.Where(d => d.Ok).First().Go();\nd.Go();\nvar r = new Repo<Dog>();\nr.Get().Go();\nvar all = new List<Dog>();\n"
        "all[0].Go();\nfrom.Select(d => 1);\n} }\n"
    )
    tree = make_workspace({"a.cs": code})
    lines = [f"a.cs:{line}" for line in (9, 10, 13, 14, 15, 16, 18, 20)]
    assert bound_lines(tree, "a.cs#N.Dog.Go") == lines
    assert bound_lines(tree, "a.cs#N.Cat.Go") == []
