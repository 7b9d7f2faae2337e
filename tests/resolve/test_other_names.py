"""A symbol's uses under the names that other files give it, by imports of whole modules too."""

from symindex.protocol.hierarchy import Direction, HierarchyRequest
from symindex.workspace.workspace import Workspace
from tests.support.bound import bound_lines
from tests.support.files import Maker
from tests.support.related import nested_names

SCRIPTS = {
    "lib/start.js": "function start() {}\nmodule.exports = start\n",
    "lib/index.js": "module.exports = require('./start')\n",
    "lib/cart.js": (
        "function ask() {}\nfunction tell() {}\nclass Cart {}\n"
        "module.exports = { query: ask, Cart }\nexports.told = tell\n"
    ),
    "lib/one.js": "class One {}\nmodule.exports = One\n",
    "test/use.js": (
        "const boot = require('../lib/start')\nconst boot2 = require('../lib')\n"
        "const { query: q, Cart: Basket } = require('../lib/cart')\n"
        "const cart = require('../lib/cart')\nconst cart2 = cart\n"
        "const Uno = require('../lib/one')\n"
        "boot()\nboot2()\nq()\ncart.query()\ncart.told()\nnew Basket()\n"
        "class Two extends Uno {}\nconst start = require('library')\nstart()\n"
    ),
}

TYPED = {
    "one.ts": "function one(): number { return 1 }\nexport = one\n",
    "item.ts": "class Item { go() {} }\nexport = Item\n",
    "use.ts": (
        "import uno = require('./one')\nimport * as star from './one'\nimport One from './one'\n"
        "import Thing = require('./item')\n"
        "uno()\nstar()\nOne()\nnew Thing().go()\nclass Sub extends Thing {}\n"
    ),
}


def _related(tree: Workspace, symbol: str, direction: Direction) -> list[str]:
    answer = tree.hierarchy(HierarchyRequest(symbol=symbol, direction=direction))
    return nested_names(answer.items)


def test_uses_of_a_module_that_is_a_function_or_class(make_workspace: Maker) -> None:
    tree = make_workspace(SCRIPTS)
    found = {
        name: [line for line in bound_lines(tree, name) if line.startswith("test/")]
        for name in (
            "lib/start.js#start",
            "lib/cart.js#ask",
            "lib/cart.js#tell",
            "lib/cart.js#Cart",
        )
    }
    assert found == {
        "lib/start.js#start": ["test/use.js:1", "test/use.js:2", "test/use.js:7", "test/use.js:8"],
        "lib/cart.js#ask": ["test/use.js:3", "test/use.js:9", "test/use.js:10"],
        "lib/cart.js#tell": ["test/use.js:11"],
        "lib/cart.js#Cart": ["test/use.js:3", "test/use.js:12"],
    }


def test_callers_by_the_name_of_a_module(make_workspace: Maker) -> None:
    tree = make_workspace({
        "four.js": "function fourOhFour (options) { return options }\nmodule.exports = fourOhFour\n",
        "app.js": "const build = require('./four')\nfunction boot () { return build({}) }\n",
    })  # fmt: skip
    assert _related(tree, "four.js#fourOhFour", "callers") == ["boot"]
    assert bound_lines(tree, "four.js#fourOhFour") == ["app.js:1", "app.js:2", "four.js:2"]


def test_what_is_exported_instead_of_a_module(make_workspace: Maker) -> None:
    tree = make_workspace(TYPED)
    assert bound_lines(tree, "one.ts#one") == ["one.ts:2", "use.ts:5", "use.ts:6", "use.ts:7"]
    assert bound_lines(tree, "item.ts#Item") == ["item.ts:2", "use.ts:8", "use.ts:9"]
    assert bound_lines(tree, "item.ts#Item.go") == ["use.ts:8"]
    assert _related(tree, "item.ts#Item", "subtypes") == ["Sub"]


def test_a_class_that_is_a_module_has_subtypes(make_workspace: Maker) -> None:
    tree = make_workspace(SCRIPTS)
    assert _related(tree, "lib/one.js#One", "subtypes") == ["Two"]


def test_the_folder_of_a_package_is_its_module(make_workspace: Maker) -> None:
    tree = make_workspace({
        "package.json": '{"name": "shop", "main": "shop.js", "types": "shop.d.ts"}',
        "shop.js": "function shop() {}\nmodule.exports = shop\n",
        "shop.d.ts": "declare function shop(): void\nexport = shop\n",
        "test/a.js": "const Shop = require('..')\nShop()\n",
        "test/b.ts": "import shop from '../shop'\nshop()\n",
    })  # fmt: skip
    assert bound_lines(tree, "shop.js#shop") == ["shop.js:2", "test/a.js:1", "test/a.js:2"]
    assert bound_lines(tree, "shop.d.ts#shop") == ["shop.d.ts:2", "test/b.ts:2"]


def test_a_member_of_an_object_is_what_it_gets_under_any_name(make_workspace: Maker) -> None:
    tree = make_workspace({
        "q.js": (
            "function query() {}\nconst api = { query, q: query, same: 1 }\n"
            "const named = { query: query }\nconst other = { q: 2 }\n"
            "module.exports = { api, named, other, query }\n"
        ),
        "use.js": (
            "const all = require('./q')\nconst { api, named, other } = all\n"
            "api.query()\napi.q()\nnamed.query()\nother.q()\napi.same()\n"
            "const { query } = all\nquery()\n"
        ),
    })  # fmt: skip
    uses = ["q.js:2", "q.js:2", "q.js:3", "q.js:5", "use.js:3", "use.js:4", "use.js:5"]
    assert bound_lines(tree, "q.js#query") == [*uses, "use.js:9?"]
    assert bound_lines(tree, "q.js#api.q") == ["use.js:4"]


def test_code_of_an_object_does_not_see_its_members(make_workspace: Maker) -> None:
    tree = make_workspace({
        "n.js": (
            "function go() {}\nfunction zed() {}\nconst named = {\n  go() { go(); },\n"
            "  zed: () => zed(),\n  other() { go(); },\n  self: function self() { self(); },\n};\n"
        ),
    })  # fmt: skip
    assert bound_lines(tree, "n.js#go") == ["n.js:4", "n.js:6"]
    assert bound_lines(tree, "n.js#zed") == ["n.js:5"]
    assert bound_lines(tree, "n.js#named.go") == []
    assert bound_lines(tree, "n.js#named.self") == ["n.js:7", "n.js:7"]


def test_a_name_in_quotes_at_an_index_is_a_member(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.ts": (
            "interface Foo { bar: { baz: number }; run(): void; 'content-type': string; content: string }\n"
            "type A = Foo['bar'];\ntype B = Foo[\"bar\"]['baz'];\n"
            "function f(foo: Foo, other: any) {\n  foo['bar'];\n  foo['run']();\n  foo?.[\"run\"]();\n"
            "  foo['content-type'];\n  foo['bar'].baz;\n  other['bar'];\n  const y = ['bar', 'run'];\n}\n"
        ),
        "b.js": (
            "class Item { go() {} }\nconst item = new Item();\nitem['go']();\n"
            "const all = { one: item };\nall['one'].go();\nall[\"one\"]['go']();\n"
        ),
    })  # fmt: skip
    found = bound_lines(tree, "a.ts#Foo.bar")
    assert found == ["a.ts:2", "a.ts:3", "a.ts:5", "a.ts:9", "a.ts:10?"]
    assert bound_lines(tree, "a.ts#Foo.bar.baz") == ["a.ts:3", "a.ts:9"]
    assert bound_lines(tree, "a.ts#Foo.run") == ["a.ts:6", "a.ts:7"]
    assert bound_lines(tree, "a.ts#Foo.content") == []
    assert bound_lines(tree, "b.js#Item.go") == ["b.js:3", "b.js:5", "b.js:6"]


def test_a_member_of_a_type_parameter_is_that_of_its_bound(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.ts": (
            "interface Int { optin?: string }\ninterface Some { _zod: Int }\n"
            'type Opt = { _zod: { optin: "optional" } };\n'
            'interface U<A extends Some> { optin: A["_zod"]["optin"] }\n'
            'type M<Q> = Q["_zod"]["optin"];\nfunction f<A>(A: Opt) { A._zod.optin }\n'
        ),
    })  # fmt: skip
    assert bound_lines(tree, "a.ts#Int.optin") == ["a.ts:4", "a.ts:5?"]
    assert bound_lines(tree, "a.ts#Opt._zod.optin") == ["a.ts:4?", "a.ts:5?", "a.ts:6"]


def test_a_constant_has_the_members_of_a_type_that_is_written_in_place(
    make_workspace: Maker,
) -> None:
    code = (
        "const cache: {\n  regular: number | null;\n} = {\n  regular: null,\n};\n"
        "cache.regular = 1;\nconst other: { regular: string } = make();\nother.regular;\n"
    )
    tree = make_workspace({"a.ts": code})
    assert bound_lines(tree, "a.ts#cache.regular") == ["a.ts:6"]
    assert bound_lines(tree, "a.ts#other.regular") == ["a.ts:8"]


def test_a_class_in_a_function_hides_what_the_file_imports(make_workspace: Maker) -> None:
    use = "import { run } from './m';\nfunction f() { class run {} return new run(); }\nrun(1);\n"
    tree = make_workspace({"m.js": "export function run(x) {}\n", "n.js": use, "n.ts": use})
    assert bound_lines(tree, "m.js#run") == ["n.js:3", "n.ts:3"]
