"""References in TypeScript and JavaScript are bound by imports, exports and the types of receivers."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "src/carts.ts": (
        "export class Item { add() {} }\n"
        "export class Cart {\n  constructor(private item: Item) {}\n  other = new Item();\n  add() {}\n"
        "  own() {\n    this.add();\n    this.item.add();\n    this.other.add();\n  }\n}\n"
        "export function make(): Promise<Cart> { return null; }\n"
        "export default class Main { add() {} }\n"
    ),
    "src/index.ts": "export { Cart as Basket, make } from './carts';\nexport * from './more';\n",
    "src/more.ts": "import { Item } from './carts';\nexport const one = new Item();\nexport interface Far { add(): void }\n",
}

ITEM, CART = "src/carts.ts#Item.add", "src/carts.ts#Cart.add"

CASES: dict[str, tuple[str, list[str], list[str]]] = {
    # by name: the code of src/use.ts, the lines bound to Item.add and to Cart.add
    "constructor": ("import { Cart } from './carts';\nnew Cart().add();\n", [], ["2"]),
    "alias": ("import { Cart as C } from './carts';\nconst c = new C();\nc.add();\n", [], ["3"]),
    "re-export": ("import { Basket } from '.';\nnew Basket().add();\n", [], ["2"]),
    "namespace": ("import * as all from './index';\nnew all.Basket().add();\n", [], ["2"]),
    "star export": ("import { one } from './index';\none.add();\n", ["2"], []),
    "default": ("import Any from './carts';\nnew Any().add();\n", [], []),
    "type only": ("import type { Item } from './carts';\nfunction f(x: Item) {\n  x.add();\n}\n", ["3"], []),
    "awaited": (
        "import { make } from './index';\nasync function f() {\n  const x = await make();\n  x.add();\n}\n",
        [], ["4"],
    ),
    "optional": ("import { Item } from './carts';\nfunction f(x?: Item | null) {\n  x?.add();\n}\n", ["3"], []),
    "a shadowing parameter": ("import { one } from './more';\nconst f = (one) => one.add();\n", ["2?"], ["2?"]),
    "elements are unknown": ("import { Item } from './carts';\nfunction f(x: Item[]) {\n  x.add();\n}\n", [], []),
    "another name of a type": (
        "import { Cart } from './carts';\ntype Any = Cart;\nfunction f(x: Any) {\n  x.add();\n}\n", [], ["4"],
    ),
    "both of two types": (
        "import { Cart } from './carts';\ntype Any = Cart & { more: number };\n"
        "function f(x: Any) {\n  x.add();\n}\n", [], ["4"],
    ),
    "one of two types": (
        "import { Cart, Item } from './carts';\ntype Any = Cart | Item;\n"
        "function f(x: Any) {\n  x.add();\n}\n", ["4?"], ["4?"],
    ),
    "a type that is computed": (
        "import { Cart } from './carts';\ntype Any = Cart['other'];\n"
        "function f(x: Any, y: Cart['other']) {\n  x.add();\n  y.add();\n}\n", ["4?", "5?"], ["4?", "5?"],
    ),
    "any": ("function f(x: any) {\n  x.add();\n}\n", ["2?"], ["2?"]),
    "a type parameter": ("function f<Output>(x: Output) {\n  x.add();\n}\n", ["2?"], ["2?"]),
    "a bound": (
        "import { Cart } from './carts';\nclass Box<Output extends Cart> {\n  one: Output;\n"
        "  go() {\n    this.one.add();\n  }\n}\n", [], ["5"],
    ),
    "a cast": (
        "import { Cart } from './carts';\nfunction f(y: unknown) {\n  const x = y as Cart;\n  x.add();\n}\n",
        [], ["4"],
    ),
    "an arrow's result": (
        "import { Cart } from './carts';\nconst one = (): Cart => null;\none().add();\n", [], ["3"],
    ),
    "a property's result": (
        "import { Cart } from './carts';\nclass Box {\n  get one(): Cart {\n    return null;\n  }\n}\n"
        "new Box().one.add();\n", [], ["7"],
    ),
    "a chain of the receiver's type": (
        "import { Item } from './carts';\nclass Chain {\n  step(): this {\n    return this;\n  }\n}\n"
        "class Big extends Chain {\n  item: Item;\n}\nnew Big().step().item.add();\n", ["10"], [],
    ),
    "an index file with its compiled ending": (
        "import { Basket } from './index.js';\nnew Basket().add();\n", [], ["2"],
    ),
    "a library": ("import { Cart } from 'lib';\nnew Cart().add();\n", [], []),
    "a builtin": ("const seen = new Set();\nfunction f() {\n  const x = new Set();\n  x.add(1);\n}\n", [], []),
    "an interface": ("import { Far } from './more';\nfunction f(x: Far) {\n  x.add();\n}\n", [], []),
    "an inherited member": (
        "import { Cart } from './carts';\nclass Big extends Cart {\n  go() { this.add(); }\n}\n", [], ["3"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound_by_its_receiver(make_workspace: Maker, name: str) -> None:
    code, of_item, of_cart = CASES[name]
    tree = make_workspace({**BASE, "src/use.ts": code})
    for symbol, expected in ((ITEM, of_item), (CART, of_cart)):
        lines = [line for line in bound_lines(tree, symbol) if line.startswith("src/use.ts:")]
        marked = [line.rstrip("?") for line in lines]
        sure = [line for line in lines if not line.endswith("?")]
        wanted = [f"src/use.ts:{line}" for line in expected]
        assert sure == [line for line in wanted if not line.endswith("?")], symbol
        assert all(line.rstrip("?") in marked for line in wanted)


def test_members_of_this_have_their_types(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    assert bound_lines(tree, ITEM) == ["src/carts.ts:8", "src/carts.ts:9"]
    assert bound_lines(tree, CART) == ["src/carts.ts:7"]


def test_default_exports_are_found_under_any_name(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.js": "export default function build() {}\n",
        "b.js": "import made from './a';\nmade();\n",
        "c.js": "import made from './x';\nmade();\n",
        "d.js": "const made = require('./a');\n",
        "e.js": "export { default as again } from './a';\n",
        "f.js": "import { again } from './e';\nagain();\n",
    })  # fmt: skip
    assert bound_lines(tree, "a.js#build") == ["b.js:2", "f.js:2"]
    files = tree.references("a.js#build").files
    imports = [file.file_path for file in files for one in file.items if one.role == "import"]
    assert imports == ["b.js", "e.js"]


def test_arguments_of_types_are_no_bases(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.ts": "export interface Iface {}\nexport class Box<T> {}\nexport interface More extends Iface {}\n",
        "b.ts": "import * as a from './a';\nimport { Box as B } from './a';\n"
        "class One extends B<a.Iface> {}\nclass Two implements a.Iface, Other<a.Iface> {}\n",
    })  # fmt: skip
    assert [item.name for item in tree.hierarchy("Iface").items] == ["More", "Two"]
    assert [item.name for item in tree.hierarchy("Box").items] == ["One"]
    above = tree.hierarchy("Two", direction="supertypes")
    assert [item.name for item in above.items] == ["Iface"] and above.outside == ["Other"]


MONOREPO = {
    "packages/core/package.json": '{"name": "@org/base", "main": "dist/index.js"}',
    "packages/core/src/index.ts": "export class Cart { add() {} }\n",
    "packages/core/src/deep.ts": "export class Cart { add() {} }\n",
    "app/tsconfig.json": (
        '{\n  // with comments\n  "compilerOptions": {\n    "baseUrl": ".",\n'
        '    "paths": {"@core/*": ["../packages/core/src/*"], "top": ["./code/top"]},\n  }\n}\n'
    ),
    "app/code/top.ts": "export class Cart { add() {} }\n",
}


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("@org/base", "packages/core/src/index.ts"),
        ("@org/base/deep", "packages/core/src/deep.ts"),
        ("@core/deep", "packages/core/src/deep.ts"),
        ("top", "app/code/top.ts"),
        ("code/top", "app/code/top.ts"),
        ("@org/other", ""),
    ],
)
def test_names_of_modules_lead_where_manifests_say(
    make_workspace: Maker, module: str, path: str
) -> None:
    use = f"import {{ Cart }} from '{module}';\nnew Cart().add();\n"
    tree = make_workspace({**MONOREPO, "app/code/use.ts": use})
    for one in MONOREPO:
        if one.endswith(".ts"):
            lines = bound_lines(tree, f"{one}#Cart.add")
            assert lines == (["app/code/use.ts:2"] if one == path else []), one


def test_an_import_is_bound_by_its_own_statement(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.ts": "export function part() {}\n", "b.ts": "export function part() {}\n",
        "use.ts": "import { part } from './a';\nimport { part as other } from './b';\nother();\n",
    })  # fmt: skip
    lines = {
        name: [
            item.line for file in tree.references(f"{name}.ts#part").files for item in file.items
        ]
        for name in "ab"
    }
    assert lines == {"a": [1, 1], "b": [1, 2, 3]}


def test_a_type_without_a_name_does_not_lend_its_base_to_the_type_around(
    make_workspace: Maker,
) -> None:
    tree = make_workspace({
        "a.ts": "export class Base {}\nexport class Around {\n  make() {\n    return class extends Base {};\n  }\n}\n"
        "export const Named = class extends Base {};\n",
    })  # fmt: skip
    names = [item.name for item in tree.hierarchy("Base").items]
    assert "Around" not in names and "Named" in names


KEYS = (
    "export interface Bag { total: number }\ninterface Other { total: number }\n"
    "class Box { constructor(a: number, public bag: Bag) {} }\n"
    "export function take(a: number, bag: Bag): Bag {\n"
    "  const { total } = bag;\n"
    "  const { total: renamed } = bag;\n"
    "  return { total };\n}\n"
    "const typed: Bag = { total: 1 };\n"
    "const other: Other = { total: 1 };\n"
    "take(1, { total: 2 });\n"
    "new Box(2, { total: 3 });\n"
    "const pattern = ({ total }: Bag) => total;\n"
    "const cast = { total: 2 } as Bag;\n"
    "const of_none = { total: 2 };\n"
    "function loop(bags: Bag[]) { for (const { total } of bags) {} }\n"
)


def test_keys_and_patterns_name_members_of_the_type_around_them(make_workspace: Maker) -> None:
    far = "import * as all from './keys';\nall.take(1, { total: 2 });\nconst { total } = g() as all.Bag;\n"
    tree = make_workspace({"src/keys.ts": KEYS, "src/far.ts": far})
    own = [
        f"{file.file_path}:{item.line}{'?' * item.is_unsure}"
        for file in tree.references("src/keys.ts#Bag.total").files
        for item in file.items
        if item.line > 1 or file.file_path == "src/far.ts"
    ]
    lines = [*(f"src/keys.ts:{line}" for line in (5, 6, 7, 9, 11, 12, 13, 14, 16))]
    assert own == ["src/far.ts:2", *lines]


def test_a_member_of_one_of_several_types_without_names_is_doubtful(
    make_workspace: Maker,
) -> None:
    code = (
        "export type Check =\n  | { kind: 'min' }\n  | { kind: 'max' };\n"
        "function f(checks: Check[]) {\n  for (const check of checks) check.kind;\n}\n"
        "const one: Check = { kind: 'min' };\n"
    )
    tree = make_workspace({"a.ts": code})
    for symbol in ("a.ts#Check.kind", "a.ts#Check.kind~2"):
        assert "a.ts:5?" in bound_lines(tree, symbol)
        assert "a.ts:7" not in bound_lines(tree, symbol)


MERGED = {
    "a.ts": "export interface $Pipe<T> { go(): void }\nexport const $Pipe: Make<$Pipe> = make();\n"
    "export interface Codec extends $Pipe<Codec> {}\n$Pipe.init();\n",
    "b.ts": "import * as core from './a';\nimport { $Pipe } from './a';\n"
    "export interface Far extends core.$Pipe<Far> { own: core.$Pipe<Far> }\n"
    "core.$Pipe.init();\nnew $Pipe();\nfunction f(x: $Pipe) {\n  x.go();\n}\n",
    "c.ts": "const $Pipe = 1;\nconsole.log($Pipe);\n",
}


def test_a_type_and_a_value_of_one_name_are_one_symbol(make_workspace: Maker) -> None:
    tree = make_workspace(MERGED)
    uses = ["a.ts:2", "a.ts:3", "a.ts:4", "b.ts:3", "b.ts:3", "b.ts:4", "b.ts:5", "b.ts:6"]
    for symbol in ("a.ts#$Pipe", "a.ts#$Pipe~2"):
        assert bound_lines(tree, symbol) == uses, symbol
    assert bound_lines(tree, "a.ts#$Pipe.go") == ["b.ts:7"]
    assert [item.name for item in tree.hierarchy("a.ts#$Pipe").items] == ["Codec", "Far"]


GENERICS = (
    "import { Cart, Item } from './carts';\n"
    "class Base<Other, Def extends Item | Cart> {\n  def: Def;\n  get(): Promise<Def> { return null; }\n"
    "  own<Def>(): Def { return null; }\n}\n"
    "class Middle<Inner> extends Base<number, Inner> {}\n"
    "class Of extends Middle<Cart> {\n  go() {\n    this.def.add();\n  }\n}\n"
    "interface Like<One> extends Base<Cart, One> {}\n"
    "type Named = Like<Item>;\n"
    "async function f(of: Of, like: Like<Item>, named: Named, open: Base, two: Like<Item> | Like<Cart>) {\n"
    "  of.def.add();\n  (await of.get()).add();\n  like.def.add();\n  named.def.add();\n"
    "  open.def.add();\n  two.def.add();\n  of.own().add();\n}\n"
)


def test_an_argument_of_a_type_says_what_its_parameter_stands_for(make_workspace: Maker) -> None:
    tree = make_workspace({**BASE, "src/use.ts": GENERICS})
    lines = {
        name: [line.partition(":")[2] for line in bound_lines(tree, name) if "use.ts" in line]
        for name in (ITEM, CART)
    }
    assert lines[CART] == ["10", "16", "17", "20?", "21?", "22?"]
    assert lines[ITEM] == ["18", "19", "20?", "21?", "22?"]


def test_a_symbol_that_replaces_its_module_is_meant_by_the_name_of_the_module(
    make_workspace: Maker,
) -> None:
    tree = make_workspace({
        "a.js": "function Shop() {}\nShop.prototype.open = function () {};\n"
        "const stock = [];\nclass Other { get stock() {} }\n"
        "module.exports = Shop;\nmodule.exports.make = function make() {};\n",
        "b.js": "module.exports = class Named { static get stock() {} };\nconst stock = [];\n",
        "c.js": "const Shop = require('./a');\nconst Named = require('./b');\n"
        "Shop.make(Shop);\nconst shop = new Shop();\nshop.open();\nNamed.stock;\nclass Far extends Named {}\n",
        "d.js": "export default function all() {}\nexport function one() {}\n",
        "e.js": "import * as every from './d';\nf(every);\nevery.one();\n",
    })  # fmt: skip
    uses = [line for line in bound_lines(tree, "a.js#Shop") if line[:1] == "c"]
    assert uses == ["c.js:1", "c.js:3", "c.js:3", "c.js:4"]
    assert "c.js:5" in bound_lines(tree, "a.js#Shop.open")
    assert bound_lines(tree, "b.js#Named") == ["c.js:2", "c.js:6", "c.js:7"]
    assert bound_lines(tree, "b.js#Named.stock") == ["c.js:6"]
    assert bound_lines(tree, "b.js#stock") == []
    assert bound_lines(tree, "d.js#all") == []
    assert bound_lines(tree, "d.js#one") == ["e.js:3"]


def test_types_made_of_others_are_those_or_unknown(make_workspace: Maker) -> None:
    code = (
        "export class Svc { zap() {} }\nexport class Other { zap() {} }\n"
        "function f(a: Pick<Svc, 'zap'>, b: Record<string, any>, c: ReturnType<typeof g>,\n"
        "  d: Omit<Svc, 'x'>, o: Other) {\n  a.zap();\n  b.x.zap();\n  c.zap();\n  d.zap();\n"
        "  o.zap();\n}\n"
    )
    tree = make_workspace({"a.ts": code})
    assert bound_lines(tree, "a.ts#Svc.zap") == ["a.ts:5", "a.ts:6?", "a.ts:7?", "a.ts:8"]


def test_a_literal_object_has_members_from_elsewhere(make_workspace: Maker) -> None:
    """A name in braces is a member as well, so the object's members are not only those of it."""
    api = "function query(a) { return 1 }\nexport const api = { ...all, lot: all };\n"
    use = "import { api } from './api';\nexport function f() { api.query(1); }\n"
    tree = make_workspace({"api.ts": api, "use.ts": use})
    response = tree.symbol("use.ts:2:27")
    assert response.symbol is not None and response.symbol.id == "api.ts#query"
    assert "unknown type" in str(response.notices)


OBJECTS = {
    "api.ts": (
        "export function query() {}\nexport class Svc { zap() {} }\nconst more = 1;\n"
        "export const api = { query, more, svc: new Svc(), inner: { query } };\n"
        "export const fixed = { query } as const;\n"
        "export function make() {\n  function inside() {}\n  return { query, inside, run: inside };\n}\n"
        "export const use = () => ({ query });\nexport default { query };\n"
    ),
    "use.ts": (
        "import whole, { api, fixed, make, use, query } from './api';\n"
        "api.query();\napi.inner.query();\nfixed.query();\nmake().query();\nuse().query();\n"
        "whole.query();\nconst made = make();\nmade.query();\nmade.inside();\napi.svc.zap();\napi.more;\n"
        "function f(ctx: any) {\n  const own = { query };\n  own.query();\n  ctx.query();\n"
        "  ctx.get().query();\n  const other = { more: 1 };\n}\n"
    ),
    "lib.js": "function fetchAll() {}\nmodule.exports = { fetchAll };\n",
    "main.js": "require('./lib').fetchAll();\nconst lib = require('./lib');\nlib.fetchAll();\n"
    "import('./lib').fetchAll();\nrequire('far').fetchAll();\n",
}


def test_a_member_of_an_object_is_what_it_gets(make_workspace: Maker) -> None:
    tree = make_workspace(OBJECTS)
    lines = {
        name: [line for line in bound_lines(tree, name) if line[:3] in ("use", "mai")]
        for name in (
            *("api.ts#query", "api.ts#make.inside", "api.ts#more", "api.ts#Svc.zap"),
            "lib.js#fetchAll",
        )
    }
    uses = [*map(str, (2, 3, 4, 5, 6, 7, 9, 14)), "15?", "16?", "17?"]
    assert lines["api.ts#query"] == [f"use.ts:{line}" for line in uses]
    assert lines["api.ts#make.inside"] == ["use.ts:10"]
    assert lines["api.ts#more"] == ["use.ts:12"]
    assert lines["api.ts#Svc.zap"] == ["use.ts:11"]
    assert lines["lib.js#fetchAll"] == ["main.js:1", "main.js:3", "main.js:4"]


def test_a_function_that_no_object_has_is_called_through_no_value(make_workspace: Maker) -> None:
    use = "import { query } from './api';\nfunction f(ctx: any) {\n  ctx.query();\n  query();\n}\n"
    tree = make_workspace({"api.ts": "export function query() {}\n", "use.ts": use})
    assert bound_lines(tree, "api.ts#query") == ["use.ts:4"]


BASES = {
    "a.ts": "export class Svc { zap() {} }\nconst Al = Svc;\nexport class Of extends Al {}\n"
    "export function mixed(Base) { return class extends Base {}; }\n"
    "export class Far extends mixed(mixed(Svc)) {}\nexport class Not extends mixed(Object) {}\n",
    "b.ts": "import * as all from './a';\nexport const Other = all.Svc;\n"
    "export class In extends all.mixed(all.Svc) {}\n",
    "c.ts": "import { Other } from './b';\nexport class Last extends Other {\n  go() {\n    this.zap();\n  }\n}\n",
}


def test_a_base_is_followed_through_a_constant_and_may_be_what_a_function_gets(
    make_workspace: Maker,
) -> None:
    tree = make_workspace(BASES)
    items = {item.name: item.is_unsure for item in tree.hierarchy("a.ts#Svc").items}
    assert items == {"Of": False, "Last": False, "Far": True, "In": True}
    assert bound_lines(tree, "a.ts#Svc.zap") == ["c.ts:4"]


TAKEN = (
    "import { Cart, Item, make } from './carts';\n"
    "interface Deps { item: Item; all: Item[] }\ndeclare function deps(): Promise<Deps>;\n"
    "function f({ item }: Deps, { item: one = null }: Deps) {\n  item.add();\n  one.add();\n}\n"
    "async function g(d: Deps) {\n  const { item: own } = d;\n  own.add();\n"
    "  const { item, all } = await deps();\n  item.add();\n  all[0].add();\n}\n"
    "const { item: top } = new Outer();\nclass Outer {\n  item: Item;\n}\ntop.add();\n"
    "function h({ item }, xs: Deps[]) {\n  item.add();\n  for (const { item: x } of xs) x.add();\n}\n"
)

TOLD = (
    "import { Cart, Item } from './carts';\n"
    "function f(x: unknown) {\n  if (x instanceof Cart) {\n    x.add();\n  }\n  x.add();\n"
    "  const a = x instanceof Cart && x.add();\n  const b = x instanceof Item ? x.add() : 1;\n"
    "  if (x instanceof Cart && a) {\n    x.add();\n  } else {\n    x.add();\n  }\n}\n"
)


@pytest.mark.parametrize(
    ("code", "item", "cart"),
    [
        (TAKEN, ["5", "6", "10", "12", "13", "19", "21?", "22"], ["21?"]),
        (TOLD, ["6?", "8", "12?"], ["4", "6?", "7", "10", "12?"]),
    ],
)
def test_a_local_name_is_what_a_pattern_takes_or_a_condition_tells(
    make_workspace: Maker, code: str, item: list[str], cart: list[str]
) -> None:
    tree = make_workspace({**BASE, "src/use.ts": code})
    for symbol, lines in ((ITEM, item), (CART, cart)):
        found = [line for line in bound_lines(tree, symbol) if line.startswith("src/use.ts")]
        assert found == [f"src/use.ts:{line}" for line in lines], symbol


def test_the_title_of_a_test_does_not_hide_what_it_imports(make_workspace: Maker) -> None:
    test = (
        "import { parsed } from '../util';\ntest('parsed', () => {\n  expect(parsed(1)).toBe(2);\n"
        "});\ntest('other', () => {\n  parsed(2);\n});\n"
    )
    tree = make_workspace({"util.ts": "export function parsed(x) {}\n", "tests/util.test.ts": test})
    uses = ["tests/util.test.ts:3", "tests/util.test.ts:6"]
    assert bound_lines(tree, "util.ts#parsed") == uses


def test_a_type_parameter_is_not_the_type_of_its_name(make_workspace: Maker) -> None:
    code = (
        "import { Name } from './a';\ntype One<Name> = Name[];\nfunction f<Name>(x: Name): Name {\n"
        "  return x;\n}\ntype Mapped = { [Name in string]?: Name };\n"
        "type Inner<T> = T extends Array<infer Name> ? Name : never;\n"
        "type Real = { [K in keyof Name]: Name[K] };\nfunction g(x: Name): Name {\n  return x;\n}\n"
    )
    tree = make_workspace({"a.ts": "export class Name {}\n", "b.ts": code, "c.tsx": code})
    uses = ["b.ts:8", "b.ts:8", "b.ts:9", "b.ts:9", "c.tsx:8", "c.tsx:8", "c.tsx:9", "c.tsx:9"]
    assert bound_lines(tree, "a.ts#Name") == uses


def test_this_of_a_function_in_a_method_may_be_any_value(make_workspace: Maker) -> None:
    """An arrow function has the `this` around it; a class inside has its own."""
    code = (
        "export class Dog { run() {} }\n"
        "export class Klass {\n  run() {}\n  m(btn: HTMLElement) {\n"
        "    btn.onclick = function () { this.run(); };\n"
        "    function helper(this: Dog) { this.run(); }\n"
        "    const o = { run() {}, go() { this.run(); },\n      on: () => this.run() };\n"
        "    return class { run() {} go() { this.run(); } };\n  }\n"
        "  other() {\n    function make() { class Inner { run() {} go() { this.run(); } } }\n  }\n}\n"
    )
    tree = make_workspace({"a.ts": code})
    lines = ["a.ts:5?", "a.ts:7?", "a.ts:8", "a.ts:9?"]
    assert bound_lines(tree, "a.ts#Klass.run") == lines
    assert bound_lines(tree, "a.ts#Dog.run") == ["a.ts:6"]
    assert bound_lines(tree, "a.ts#Klass.other.make.Inner.run") == ["a.ts:12"]


def test_a_literal_is_of_the_type_of_a_parameter_that_is_a_pattern(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.ts": (
            "interface Opts { parent: string }\nclass Scope {\n"
            "  constructor({ parent, own: mine }: Opts = {}) {}\n}\nnew Scope({ parent: 'x' });\n"
        ),
    })  # fmt: skip
    assert bound_lines(tree, "a.ts#Opts.parent") == ["a.ts:3", "a.ts:5"]


def test_a_long_type_that_picks_members_is_that_of_the_members(make_workspace: Maker) -> None:
    names = " | ".join(f"'aRatherLongName{number}'" for number in range(20))
    tree = make_workspace({
        "a.ts": (
            "interface Opts { parent: string }\n"
            f"interface Own extends Required<Pick<Opts, 'parent' | {names}>> {{ x: number }}\n"
            f"class Use {{\n  own: Own;\n  all: Readonly<Pick<Own, {names}>>;\n"
            "  f() { this.own.parent; this.all.parent; }\n}\n"
        ),
    })  # fmt: skip
    assert bound_lines(tree, "a.ts#Opts.parent") == ["a.ts:6", "a.ts:6"]


def test_any_opens_private_members(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.ts": "export class Shell { private left = 1; }\n",
        "b.ts": "import { Shell } from './a';\nconst s = new Shell();\n(s as any).left;\n(<any>s).left;\n"
                "function f(t) { t.left; }\n",
    })  # fmt: skip
    assert bound_lines(tree, "a.ts#Shell.left") == ["b.ts:3?", "b.ts:4?"]


DECLARED = (
    'declare module "gadgets" {\n  export interface Gadget { spin(): void }\n'
    "  export function make(): Gadget;\n  const all: Gadget;\n  export = all;\n}\n"
    'declare module "others" {\n  export interface Gadget { spin(): void }\n}\n'
)


def test_a_declared_module_is_imported(make_workspace: Maker) -> None:
    use = (
        'import { make, Gadget as G } from "gadgets";\nimport all from "gadgets";\n'
        'import * as every from "gadgets";\nimport { lacking } from "gadgets";\n'
        "function f(g: G) { g.spin(); }\n"
        "make().spin();\nall.spin();\nevery.make();\nlacking.spin();\n"
    )
    tree = make_workspace({"lib.d.ts": DECLARED, "use.ts": use})
    spin, make = "lib.d.ts#gadgets.Gadget.spin", "lib.d.ts#gadgets.make"
    assert bound_lines(tree, spin) == ["use.ts:5", "use.ts:6", "use.ts:7"]
    assert bound_lines(tree, "lib.d.ts#others.Gadget.spin") == []
    assert bound_lines(tree, make) == ["use.ts:6", "use.ts:8"]
    assert "use.ts:5" in bound_lines(tree, "lib.d.ts#gadgets.Gadget")
