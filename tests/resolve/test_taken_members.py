"""What patterns, functions that are given to collections and promises, and indexes take from values
of TypeScript and JavaScript."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

TYPES = (
    "export class Item { add() {} size = 1 }\n"
    "export class Cart { item = new Item(); add() {} }\n"
    "export async function make(): Promise<Cart> { return new Cart(); }\n"
    "export interface Named { [key: string]: Item }\n"
    "export interface Props { size: number }\n"
    "export type Locked<T> = { readonly [K in keyof T]: T[K] };\n"
)

CASES: dict[str, tuple[str, list[str], list[str]]] = {
    # by name: code from line 2 on, and the uses of Item.add and Cart.add
    "a pattern inside of another": (
        "function f(c: Cart) { const { item: { add: one } } = c;\n  const { item: { add } = x } = make(); }\n",
        ["2", "3"], [],
    ),
    "a pattern in a parameter": ("function f({ item: { add } }: Cart) {}\n", ["2"], []),
    "a name in an inner pattern": (
        "type Two = { cart: Cart };\nfunction f({ cart: { item } }: Two) { item.add(); }\n", ["3"], [],
    ),
    "a pattern of an unknown value": ("on('x', ({ add }) => add);\n", ["2?"], ["2?"]),
    "a pattern of an element": ("function f(xs: Cart[]) { xs.map(({ item }) => item.add()); }\n", ["2"], []),
    "a function": ("function f(xs: Cart[]) { xs.map(function (x) { x.add(); }); }\n", [], ["2"]),
    "a parameter without parentheses": (
        "make().then(x => x.add());\n"
        "function f(x: Item, xs: Cart[]) { xs.map(x => x.add());\n  x.add(); }\n", ["4"], ["2", "3"],
    ),
    "two parameters": ("function f(xs: Cart[]) { xs.sort((a, b) => b.add()); }\n", [], ["2"]),
    "a second parameter": ("function f(xs: Cart[]) { xs.reduce((n, x) => n + x.add(), 0); }\n", [], ["2"]),
    "a map's value": ("function f(xs: Map<string, Cart>) { xs.forEach((x) => x.add()); }\n", [], ["2"]),
    "a promise": ("make().then((x) => x.add());\n", [], ["2"]),
    "a pattern of a promise": ("make().then(({ item }) => item.add());\n", ["2"], []),
    "a promise of another value": (
        "const f = async () => { const x = await make().then((c) => c.item);\n  x.add(); };\n", ["3?"], ["3?"],
    ),
    "a promise that may fail": (
        "const f = async () => { const x = await make().catch(() => null);\n  x.add(); };\n", [], ["3"],
    ),
    "a promise in parentheses": (
        "const f = async () => { (await make()).item.add();\n  (await make()).add(); };\n", ["2"], ["3"],
    ),
    "a pattern of a list": (
        "function f(xs: Cart[], rows: Cart[][]) { const [one, ...two] = xs; one.add();\n  two.add();\n"
        "  const [row] = rows; row.add(); }\n", ["3?"], ["2", "3?"],
    ),
    "any member": ("function f(x: Named) { x.one.add(); x['two'].add(); x[three].add(); }\n", ["2", "2", "2"], []),
    "a mapped type": ("function f(x: Locked<Item>) { x.add(); }\n", ["2?"], ["2?"]),
    "a function that is given a value": ("const f = (c: Cart) => c.item;\nf(new Cart()).add();\n", ["3?"], ["3?"]),
    "a function of a declared type": (
        "type Run = (c: Cart, i: Item) => void;\nconst f: Run = (c, i) => { c.add();\n  i.add(); };\n", ["4"], ["3"],
    ),
    "a function of a written type": ("const f: ((c: Cart) => void) | null = (c) => c.add();\n", [], ["2"]),
    "a function that a member gets": (
        "class Ev { onAdd?: (i: Item) => void; run(c: Cart) {} }\nconst e = new Ev();\n"
        "e.onAdd = (i) => i.add();\ne.run = function ({ item }) { item.add(); };\n", ["4", "5"], [],
    ),
    "a function that is an argument": (
        "function on(name: string, run: (c: Cart, i: Item) => void) {}\non('x', (c, i) => i.add());\n", ["3"], [],
    ),
    "a function of a type parameter": (
        "type Run<T extends Cart> = (c: T) => void;\nfunction on<T extends Cart>(run: (c: T) => void) {}\n"
        "const f: Run<Cart> = (c) => c.add();\nconst g: Run<any> = (c) => c.add();\non((c) => c.add());\n",
        ["5?", "6?"], ["4", "5?", "6?"],
    ),
    "a function of an unknown type": ("on('x', (c) => c.add());\n", ["2?"], ["2?"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_member_is_taken(make_workspace: Maker, name: str) -> None:
    code, *expected = CASES[name]
    imports = "import { Item, Cart, make, Named, Locked } from './a';\n"
    tree = make_workspace({"a.ts": TYPES, "use.ts": f"{imports}{code}"})
    for symbol, lines in zip(("Item.add", "Cart.add"), expected, strict=True):
        found = [one for one in bound_lines(tree, f"a.ts#{symbol}") if one.startswith("use")]
        assert found == [f"use.ts:{line}" for line in lines], symbol


SCRIPT = (
    "const helpers = { start() {}, deep: { start() {} } };\n"
    "class Base { stop() {} }\nclass Server extends Base {}\n"
    "exports.helpers = helpers;\nexports.Server = Server;\n"
    "const { start, deep: { start: deep } } = helpers;\nfunction make() { return helpers.start(); }\n"
)
USE = (
    "const { helpers: { start } } = require('./a');\n"
    "function f(server) { server.stop(); }\nfunction g({ stop }) { stop(); }\n"
)


def test_what_a_script_exports_is_its_own(make_workspace: Maker) -> None:
    tree = make_workspace({"a.js": SCRIPT, "use.js": USE})
    assert [
        row.line for file in tree.references("a.js#helpers.start").files for row in file.items
    ] == [1, 6, 7, 1]
    assert bound_lines(tree, "a.js#helpers.start") == ["a.js:7", "use.js:1"]


def test_values_of_a_private_type_leave_its_file(make_workspace: Maker) -> None:
    tree = make_workspace({"a.js": SCRIPT, "use.js": USE})
    assert bound_lines(tree, "a.js#Base.stop") == ["use.js:2?", "use.js:3?"]


def test_a_key_of_an_object_has_no_bare_name(make_workspace: Maker) -> None:
    code = (
        "export const table = { status: 1, deep: { inner: 2 } };\n"
        "export function f() { return status + inner; }\nexport const { status: one } = table;\n"
        "export const again = { status };\nexport const x = table.status;\n"
    )
    tree = make_workspace({"a.ts": code, "b.js": code})
    assert bound_lines(tree, "a.ts#table.status") == ["a.ts:3", "a.ts:5"]
    assert bound_lines(tree, "b.js#table.status") == ["b.js:3", "b.js:5"]
    assert bound_lines(tree, "a.ts#table.deep.inner") == []


def test_a_field_has_no_type_of_its_name(make_workspace: Maker) -> None:
    code = (
        "export interface Sizes { width: number }\nexport interface Other { inner: { width: number } }\n"
        "export function f(x) { return x.inner.width; }\nexport const g = (o: Other) => o.inner.width;\n"
    )
    tree = make_workspace({"a.ts": code})
    assert bound_lines(tree, "a.ts#Sizes.width") == ["a.ts:3?"]
    assert bound_lines(tree, "a.ts#Other.inner.width") == ["a.ts:3?", "a.ts:4"]


def test_a_constructor_in_one_line_sets_members(make_workspace: Maker) -> None:
    code = (
        "class Two { constructor(o) { this.one = new One(); this.opts = o; } }\n"
        "class One { go() {} }\nclass Three { go() {} }\nfunction f() { const t = new Two();\n  t.one.go(); }\n"
    )
    tree = make_workspace({"a.js": code})
    assert bound_lines(tree, "a.js#One.go") == ["a.js:5"]
    assert bound_lines(tree, "a.js#Three.go") == []
