"""References in Python are bound by scopes, imports and the types of receivers."""

import time

import pytest

from symindex.protocol.explore import SymbolResponse
from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "shop/__init__.py": "from .carts import Cart as Basket, make\n",
    "shop/carts.py": (
        "class Item:\n    def add(self): pass\n\n"
        "class Cart:\n    def __init__(self, item: Item):\n        self.item = item\n"
        "        self.other = Item()\n    def add(self): pass\n"
        "    def own(self):\n        self.add()\n        self.item.add()\n        self.other.add()\n\n"
        "def make() -> Cart: pass\n"
    ),
}

ITEM, CART = "shop/carts.py#Item.add", "shop/carts.py#Cart.add"

CASES: dict[str, tuple[str, list[str], list[str]]] = {
    # by name: the code of use.py, the lines bound to Item.add and to Cart.add
    "constructor": ("from shop.carts import Cart\nCart().add()\n", [], ["2"]),
    "alias": ("from shop.carts import Cart as C\nx = 1\nC().add()\n", [], ["3"]),
    "re-export under another name": ("from shop import Basket\nBasket().add()\n", [], ["2"]),
    "module": ("import shop.carts\nshop.carts.Item().add()\n", ["2"], []),
    "module alias": ("from shop import carts as c\nc.Item().add()\n", ["2"], []),
    "result": ("from shop import make\nmake().add()\n", [], ["2"]),
    "result of a local": ("from shop import make\ndef f():\n    x = make()\n    x.add()\n", [], ["4"]),
    "parameter": ("from shop.carts import Item\ndef f(x: Item):\n    x.add()\n", ["3"], []),
    "quoted and optional": (
        "from shop.carts import Item\ndef f(x: 'Item | None' = None):\n    x.add()\n", ["3"], [],
    ),
    "wrapper": ("from shop.carts import Item\ndef f(x: Optional[Item]):\n    x.add()\n", ["3"], []),
    "elements are unknown": ("from shop.carts import Item\ndef f(x: list[Item]):\n    x.add()\n", [], []),
    "a member's type": ("from shop.carts import Cart\ndef f(x: Cart):\n    x.item.add()\n", ["3"], []),
    "an argument for a type parameter": (
        "from shop.carts import Cart, Item\nclass Box(Generic[T]):\n    one: T\n    def get(self) -> T: pass\n"
        "class Carts(Box[Cart]):\n    def go(self):\n        self.one.add()\n"
        "def f(a: Carts, b: Box[Item], c: Box):\n    a.get().add()\n    b.one.add()\n    c.one.add()\n",
        ["10", "11?"], ["7", "9", "11?"],
    ),
    "a declared type parameter": (
        "from shop.carts import Item\nclass Box[T]:\n    one: T\n"
        "def f(b: Box[Item]):\n    b.one.add()\n", ["5"], [],
    ),
    "a shadowing parameter": ("from shop import make\ndef f(make):\n    make().add()\n", ["3?"], ["3?"]),
    "what a context manager yields": (
        "from shop.carts import Cart, Item\n@contextmanager\ndef one() -> Iterator[Item]: pass\n"
        "@other\n@contextlib.asynccontextmanager\nasync def two() -> t.AsyncGenerator[Cart, None]: pass\n"
        "@contextmanager\ndef three() -> 'Iterator[Cart]': pass\n@contextmanager\ndef four(): pass\n"
        "@other\ndef five() -> Iterator[Item]: pass\nasync def f():\n    with one() as x:\n        x.add()\n"
        "    async with two() as y:\n        y.add()\n    with three() as z:\n        z.add()\n"
        "    with four() as w:\n        w.add()\n    v = five()\n    v.add()\n",
        ["15", "19?", "21?"], ["17", "19?", "21?"],
    ),
    "the nearest value": (
        "from shop.carts import *\ndef f():\n    x = Cart()\n    x.add()\n", [], ["4"],
    ),
    "two values": (
        "from shop.carts import Cart, Item\ndef f(a):\n    x = Cart() if a else Item()\n    x.add()\n",
        ["4?"], ["4?"],
    ),
    "a library": ("from lib import Cart\nCart().add()\n", [], []),
    "a literal": ("def f():\n    x = set()\n    y = []\n    x.add(1)\n    y.add(1)\n", [], []),
    "a loop variable": ("def f(xs):\n    for x in xs:\n        x.add()\n", ["3?"], ["3?"]),
    "an inner import": ("def f():\n    from shop.carts import Item\n    Item().add()\n", ["3"], []),
    "star of a library": ("from lib import *\nCart().add()\n", ["2?"], ["2?"]),
    "an inherited member": (
        "from shop.carts import Cart\nclass Big(Cart): pass\ndef f(x: Big):\n    x.add()\n", [], ["4"],
    ),
    "an overridden member": (
        "from shop.carts import Cart\nclass Big(Cart):\n    def add(self):\n        super().add()\n"
        "def f(x: Big):\n    x.add()\n", [], ["4"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound_by_its_receiver(make_workspace: Maker, name: str) -> None:
    code, of_item, of_cart = CASES[name]
    tree = make_workspace({**BASE, "use.py": code})
    for symbol, expected in ((ITEM, of_item), (CART, of_cart)):
        lines = [line for line in bound_lines(tree, symbol) if line.startswith("use.py:")]
        assert lines == [f"use.py:{line}" for line in expected], symbol


def test_members_of_self_have_the_types_of_constructors(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    assert bound_lines(tree, ITEM) == ["shop/carts.py:11", "shop/carts.py:12"]
    assert bound_lines(tree, CART) == ["shop/carts.py:10"]


def test_a_value_of_a_base_may_be_of_a_subtype(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.py": "class A:\n    def go(self): pass\n\nclass B(A):\n    def go(self): pass\n\n"
        "class C:\n    def go(self): pass\n\ndef f(a: A, b: B):\n    a.go()\n    b.go()\n",
    })  # fmt: skip
    assert bound_lines(tree, "a.py#A.go") == ["a.py:11"]
    assert bound_lines(tree, "a.py#B.go") == ["a.py:11?", "a.py:12"]
    assert bound_lines(tree, "a.py#C.go") == []


def test_uses_under_the_names_of_imports_are_shown(make_workspace: Maker) -> None:
    tree = make_workspace({
        "p/__init__.py": "", "p/a.py": "def go(): pass\n",
        "p/b.py": "from p.a import go as went\n\ndef f():\n    went()\n",
        "p/c.py": "from q import went\n\ndef f():\n    went()\n",
    })  # fmt: skip
    assert bound_lines(tree, "p/a.py#go") == ["p/b.py:4"]


def test_subtypes_follow_aliases_and_qualifiers(make_workspace: Maker) -> None:
    tree = make_workspace({
        "p/__init__.py": "from p.a import Base as Root\n", "p/a.py": "class Base: pass\n",
        "p/b.py": "import lib\nfrom p.a import Base as B\nclass One(B): pass\nclass Two(lib.Base): pass\n",
        "p/c.py": "import p\nclass Three(p.Root): pass\nclass Four(p.Root, Generic[p.Root]): pass\n",
        "p/d.py": "from p.b import One\nclass Below(One): pass\n",
    })  # fmt: skip
    hierarchy = tree.hierarchy("p/a.py#Base", direction="subtypes")
    assert [item.name for item in hierarchy.items] == ["One", "Three", "Four"]
    assert [item.name for item in hierarchy.items[0].items] == ["Below"]
    above = tree.hierarchy("Two", direction="supertypes")
    assert not above.items and above.outside == ["lib.Base"]


def test_callees_are_bound(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "use.py": "from shop import Basket, make as made\n\ndef run(x: Basket):\n    made()\n    x.add()\n    x.item.add()\n",
    })  # fmt: skip
    hierarchy = tree.hierarchy("use.py#run", direction="callees")
    assert [item.id for item in hierarchy.items] == ["shop/carts.py#make", CART, ITEM]


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "from b import X\n", "b.py": "from a import X\n"},
        {"a.py": "from a import X\nfrom a import *\n"},
        {"a.py": "class X(X): pass\nclass Y(Z): pass\nclass Z(Y): pass\nX = X\nx: x = x\nx.go()\n"},
        {"a.py": "x = y\ny = x\n\nclass A:\n    go = go\n    def __init__(self, a: 'A.a'):\n        self.a = self.a\n"},
        {"a.py": "".join(f"x{i} = x{i + 1}.go().go()\n" for i in range(1500)) + "x1500 = x0\nx0.go()\n"},
        {f"m{i}.py": f"from m{i + 1} import X{i + 1} as X{i}\nX{i}.go()\n" for i in range(60)},
        {"a.py": "from " + "." * 300 + " import X\nX.go()\nX" + ".go()" * 300 + "\n"},
    ],
    ids=["cycle", "itself", "bases", "values", "long chain", "aliases", "dots"],
)  # fmt: skip
def test_what_leads_round_ends_unknown(make_workspace: Maker, files: dict[str, str]) -> None:
    tree = make_workspace({**files, "z.py": "class T:\n    def go(self): pass\n"})
    for item in (
        item for file in tree.references("z.py#T.go", all=True).files for item in file.items
    ):
        assert item.definition or item.is_unsure
    tree.hierarchy("z.py#T", direction="subtypes")


def test_a_file_of_another_language_is_no_module(make_workspace: Maker) -> None:
    tree = make_workspace({
        "shop/__init__.py": "from shop.cart import Cart as Basket\n",
        "shop/cart.py": "class Cart:\n    def total(self): pass\n",
        "shop.ts": "export class Basket { total() {} }\n",
        "use.py": "from shop import Basket\n\n\ndef pay(cart: Basket):\n    cart.total()\n",
    })  # fmt: skip
    assert bound_lines(tree, "shop/cart.py#Cart.total") == ["use.py:5"]


def test_hostile_lines_cost_little(make_workspace: Maker) -> None:
    blanks, many = " " * 400_000, "    x = T()\n" * 1_000
    tree = make_workspace({
        "t.py": "class T:\n    def go_on(self): pass\n",
        "a.py": f"class A:\n    def f(self):\n        self.x:{blanks}y\n        self.y ={blanks}\n",
        "b.py": f"from t import T\n\ndef f():\n{many}    x.go_on()\n" + "    x.go_on()\n" * 3_000,
        "c.py": "from t import T\n\ndef f(x: T):\n    return " + "(" * 900 + "x.go_on()" + ")" * 900 + "\n",
    })  # fmt: skip
    began = time.process_time()
    lines = bound_lines(tree, "t.py#T.go_on")
    assert time.process_time() - began < 10
    assert len([line for line in lines if line.startswith("b.py:")]) == 3_001
    assert "c.py:4" in lines


def test_strings_that_contain_code_use_names(make_workspace: Maker) -> None:
    carts = (
        '__all__ = ["Item", "Cart"]\n__all__ += ("make",)\n'
        "class Item: pass\nclass Cart: pass\ndef make(): pass\n"
    )
    use = (
        "from carts import Item as It, Cart\nimport carts\n\n"
        'def f(x: "It", y: "carts.Item | None" = None) -> "list[It]":\n'
        '    """It"""\n'
        '    z: "It" = x\n'
        '    print("It", "Item")\n'
    )
    only = 'from carts import *\n__all__ = ["Item"]\n'
    tree = make_workspace({"carts.py": carts, "use.py": use, "only.py": only})
    lines = bound_lines(tree, "carts.py#Item")
    assert sorted({*lines}) == ["carts.py:1", "only.py:2", "use.py:4", "use.py:6"]
    assert bound_lines(tree, "carts.py#make") == ["carts.py:2"]


def test_words_of_other_languages_are_variables(make_workspace: Maker) -> None:
    """`base`, `parent` and `this` mean a supertype or the type around only in some languages."""
    source = (
        "from a import A, make\n\nparent = make()\n\n\nclass B(A):\n    def go(self): pass\n\n"
        "    def use(self, base, this):\n        base.go()\n        this.go()\n"
        "        parent.go()\n        super().go()\n        self.go()\n"
    )
    maker = "class A:\n    def go(self): pass\n\n\nclass C:\n    def go(self): pass\n\n\n"
    tree = make_workspace({"a.py": f"{maker}def make() -> C: ...\n", "b.py": source})
    unknown = ["b.py:10?", "b.py:11?"]
    assert bound_lines(tree, "a.py#A.go") == [*unknown, "b.py:13"]
    assert bound_lines(tree, "b.py#B.go") == [*unknown, "b.py:14"]
    assert bound_lines(tree, "a.py#C.go") == [*unknown, "b.py:12"]


def test_what_may_be_of_any_type_is_not_excluded(make_workspace: Maker) -> None:
    """A value of `Any`, the result of a cast, and `self` where a type is mixed into another."""
    code = (
        "from typing import Any, Awaitable, Union, cast\nimport typing\n\n\n"
        "class Svc:\n    def zap(self): pass\n\n\nclass Other:\n    def zap(self): pass\n\n\n"
        "class Mix:\n    def run(self): self.zap()\n\n\nclass Both(Mix, Svc): pass\n\n\n"
        "async def f(a: Any, b: 'Any | None', c: Union[Svc, int], d: Awaitable[Svc], o: Other):\n"
        "    cast(Svc, a).zap()\n    y = typing.cast('Svc', a)\n    y.zap()\n    a.zap()\n"
        "    b.zap()\n    c.zap()\n    (await d).zap()\n    o.zap()\n"
    )
    tree = make_workspace({"a.py": code})
    unsure = [f"a.py:{line}?" for line in (14, 21, 23, 24, 25, 26)]
    assert bound_lines(tree, "a.py#Svc.zap") == [*unsure, "a.py:27"]
    assert bound_lines(tree, "a.py#Other.zap") == [*unsure, "a.py:28"]


def test_a_base_is_followed_through_a_name_that_its_module_gives_it(make_workspace: Maker) -> None:
    code = "import pk\nfrom pk import Alias\nclass One(pk.Alias): ...\nclass Two(Alias): ...\n"
    tree = make_workspace({
        "pk/__init__.py": "from pk.impl import Impl\n\nAlias = Impl\n",
        "pk/impl.py": "class Impl:\n    def run(self): ...\n",
        "use.py": code,
    })  # fmt: skip
    items = {item.name: item.is_unsure for item in tree.hierarchy("pk/impl.py#Impl").items}
    assert items == {"One": False, "Two": False}


def test_protocols_are_implemented_by_members(make_workspace: Maker) -> None:
    """A class may implement a protocol without naming it: it is listed, but unsure."""
    workspace = make_workspace(
        {
            "a.py": (
                "from typing import Protocol\n\nclass Named(Protocol):\n    name: str\n    def greet(self): ...\n    def go(self): ...\n\n"
                "class Only(Protocol):\n    def alone(self): ...\n\n"
                "class Whole:\n    def greet(self): ...\n    def go(self): ...\n\nclass Half:\n    def greet(self): ...\n\n"
                "class Told(Named):\n    def greet(self): ...\n\ndef use(x: Named):\n    x.greet()\n"
            )
        }
    )  # fmt: skip
    found = workspace.hierarchy("a.py#Named", direction="subtypes")
    assert [(item.name, item.is_unsure) for item in found.items] == [
        ("Told", False),
        ("Whole", True),
    ]
    assert found.notices == ["Named is a protocol: any class with its members implements it"]
    alone = workspace.hierarchy("a.py#Only", direction="subtypes")
    told = ["Only is a protocol: any class with its members implements it"]
    assert not alone.items and alone.notices == told
    below = workspace.hierarchy("a.py#Named.greet", direction="subtypes")
    assert [(item.name, item.is_unsure) for item in below.items] == [
        ("Told.greet", False),
        ("Whole.greet", True),
    ]
    assert bound_lines(workspace, "a.py#Whole.greet") == ["a.py:22?"]
    assert bound_lines(workspace, "a.py#Half.greet") == []


def test_type_variables_and_new_types_stand_for_types(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "pk/__init__.py": "from .impl import Svc\nAlias = Svc\n",
            "pk/impl.py": "class Svc:\n    def zap(self): ...\n\nclass Far:\n    def zap(self): ...\n",
            "a.py": (
                "import typing as t\nfrom typing import TypeVar, NewType\nimport pk\nfrom pk.impl import Svc, Far\n"
                "T = TypeVar('T', bound=Svc)\nU = t.TypeVar('U', bound='Svc', covariant=True)\nV = TypeVar('V', Svc, Far)\n"
                "W = TypeVar('W')\nN = NewType('N', Svc)\n"
                "def one(x: T): x.zap()\ndef two(x: U): x.zap()\ndef three(x: V): x.zap()\ndef four(x: W): x.zap()\n"
                "def five(x: N): x.zap()\ndef six(x: pk.Alias): x.zap()\n"
            ),
        }
    )  # fmt: skip
    assert bound_lines(workspace, "pk/impl.py#Svc.zap") == [
        "a.py:10", "a.py:11", "a.py:12?", "a.py:13?", "a.py:14", "a.py:15",
    ]  # fmt: skip
    assert bound_lines(workspace, "pk/impl.py#Far.zap") == ["a.py:12?", "a.py:13?"]


def _meant(response: SymbolResponse) -> str:
    return response.symbol.id if response.symbol is not None else ""


def test_names_that_mean_those_outside_of_a_function(make_workspace: Maker) -> None:
    """`global` and `nonlocal` make an assignment in a function one of the name around it."""
    code = (
        "done = False\nstore: dict = {}\n\n"
        "def setup():\n    global done, store\n    if done: return\n    done = True\n    store = {}\n\n"
        "def outer():\n    done = 1\n    def inner():\n        nonlocal done\n        done += 1\n        return done\n"
        "    def free():\n        global done\n        done = 7\n        return [done for done in (1, 2)]\n"
        "    return done\n\n"
        "class Holder:\n    def run(self):\n        global done\n        done = False\n"
    )
    workspace = make_workspace({"a.py": code})
    assert bound_lines(workspace, "a.py#done") == [
        "a.py:5", "a.py:6", "a.py:7", "a.py:17", "a.py:18", "a.py:24", "a.py:25",
    ]  # fmt: skip
    assert bound_lines(workspace, "a.py#store") == ["a.py:5", "a.py:8"]
    assert _meant(workspace.symbol("a.py:7:5")) == "a.py#done"
    assert _meant(workspace.symbol("a.py:14:9")) == "a.py#outer.inner"


def test_a_global_of_a_function_has_the_type_of_the_file_s(make_workspace: Maker) -> None:
    workspace = make_workspace({
        "a.py": "class One:\n    def go(self): ...\nclass Two:\n    def go(self): ...\n\nhere: One\n"
        "def use():\n    global here\n    here = make()\n    here.go()\n"
        "def other():\n    here = make()\n    here.go()\n",
    })  # fmt: skip
    assert bound_lines(workspace, "a.py#One.go") == ["a.py:10", "a.py:13?"]
    assert bound_lines(workspace, "a.py#Two.go") == ["a.py:13?"]


ENTERED = {
    # by the method that is entered, the types of what it gives
    "def __enter__(self) -> Conn: ...": "Conn",
    "async def __aenter__(self) -> Conn: ...": "Conn",
    "def __enter__(self): return self": "Pool",
    "def __enter__(self) -> 'Pool': return self": "Pool",
    "def __enter__(self) -> Self: return self": "Pool",
    "def __enter__(self: T) -> T: return self": "Pool",
    "def __enter__(self): return made(self)": "",
    "def close(self): ...": "Pool",
}


@pytest.mark.parametrize("method", ENTERED)
def test_a_statement_gives_what_entering_a_value_returns(
    make_workspace: Maker, method: str
) -> None:
    workspace = make_workspace(
        {
            "a.py": (
                "from typing import Self, TypeVar\nT = TypeVar('T', bound='Pool')\n"
                "class Conn:\n    def run(self): ...\n"
                f"class Pool:\n    def run(self): ...\n    {method}\n"
                "def pool() -> Pool: ...\n"
                "async def f(p: Pool):\n    async with Pool() as x: x.run()\n"
                "    with pool() as y: y.run()\n    with p as z: z.run()\n"
            )
        }
    )
    for name in ("Conn", "Pool"):
        mark = "" if ENTERED[method] else "?"
        lines = [f"a.py:{line}{mark}" for line in (10, 11, 12)]
        expected = lines if ENTERED[method] in ("", name) else []
        assert bound_lines(workspace, f"a.py#{name}.run") == expected


def test_the_body_of_a_class_sees_its_own_names(make_workspace: Maker) -> None:
    """They are seen behind their definition, and not in the functions of the class."""
    code = (
        "limit = 10\n\n"
        "class Node:\n    limit = limit\n    size = limit\n    def run(self): pass\n    alias = run\n"
        "    def go(self, n=limit):\n        return limit\n"
        "    @property\n    def owner(self): return 1\n    @owner.setter\n    def owner(self, v): pass\n"
        "    each = [limit for _ in (1, 2)]\n\n"
        "def show(o):\n    limit = 2\n    @deco(limit)\n    def inner(m=limit): return m\n    match o:\n"
        "        case Node(limit=3): pass\n"
    )
    workspace = make_workspace({"a.py": code})
    assert bound_lines(workspace, "a.py#limit") == ["a.py:4", "a.py:9", "a.py:14"]
    assert bound_lines(workspace, "a.py#Node.limit") == ["a.py:5", "a.py:8", "a.py:21"]
    assert bound_lines(workspace, "a.py#Node.run") == ["a.py:7"]
    assert bound_lines(workspace, "a.py#Node.owner") == ["a.py:12"]


def test_methods_do_not_see_the_types_in_their_class_by_bare_names(make_workspace: Maker) -> None:
    code = (
        "class Kind: pass\nclass Sub:\n    class Kind: pass\n    def f(self, y: Kind) -> 'Kind':\n"
        "        return Kind()\n    def g(self): return self.Kind()\n    x: Kind\n\n"
        "def outer():\n    class Local: pass\n    return Local()\n\nclass Local: pass\n"
    )
    workspace = make_workspace({"a.py": code})
    assert bound_lines(workspace, "a.py#Kind") == ["a.py:5"]
    lines = ["a.py:4", "a.py:4", "a.py:6", "a.py:7"]
    assert bound_lines(workspace, "a.py#Sub.Kind") == lines
    assert bound_lines(workspace, "a.py#outer.Local") == ["a.py:11"]
    assert bound_lines(workspace, "a.py#Local") == []
    assert _meant(workspace.symbol("a.py:5:16")) == "a.py#Kind"


def test_a_name_that_a_file_imports_and_defines_may_be_either(make_workspace: Maker) -> None:
    workspace = make_workspace({
        "a.py": "try:\n    import requests\nexcept ImportError:\n    requests = None\nif requests:\n    requests.get('')\n",
        "b.py": "from a import requests\nrequests.get('')\n",
    })  # fmt: skip
    assert bound_lines(workspace, "a.py#requests") == ["a.py:5?", "a.py:6?", "b.py:2"]
