"""References in JavaScript are bound by both sorts of modules and by the values of members."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "item.js": "class Item {\n  add() {}\n}\nmodule.exports = Item;\n",
    "cart.js": (
        "const Item = require('./item');\n"
        "class Cart {\n  constructor() {\n    this.item = new Item();\n  }\n  add() {}\n"
        "  own() {\n    this.add();\n    this.item.add();\n  }\n}\n"
        "function make() { return new Cart(); }\n"
        "module.exports = { Cart, Basket: Cart, make, Item };\n"
    ),
    "one.js": "const { Cart } = require('./cart');\nmodule.exports = new Cart();\n",
    "all.js": "exports.Item = require('./item');\nexports.Wagon = require('./cart').Cart;\n",
    "again.js": "module.exports = require('./item');\n",
    "unnamed.js": "export default class {\n  add() {}\n}\n",
    "value.js": "import { Cart } from './cart';\nexport default new Cart();\n",
}

ITEM, CART, UNNAMED = "item.js#Item.add", "cart.js#Cart.add", "unnamed.js#default.add"

CASES: dict[str, tuple[str, str, list[str]]] = {
    # by name: the code of use.js, the symbol, and its lines
    "whole module": ("const I = require('./item');\nnew I().add();\n", ITEM, ["2"]),
    "whole module of another": ("const I = require('./again');\nnew I().add();\n", ITEM, ["2"]),
    "whole module as a default": ("import I from './item';\nnew I().add();\n", ITEM, ["2"]),
    "destructured": ("const { Cart } = require('./cart');\nnew Cart().add();\n", CART, ["2"]),
    "destructured under another name": (
        "const { Cart: C } = require('./cart');\nnew C().add();\n", CART, ["2"],
    ),
    "exported under another name": (
        "const { Basket } = require('./cart');\nnew Basket().add();\n", CART, ["2"],
    ),
    "member of a module": ("const c = require('./cart');\nnew c.Basket().add();\n", CART, ["2"]),
    "member of a call": ("const C = require('./cart').Cart;\nnew C().add();\n", CART, ["2"]),
    "exported module": ("const all = require('./all');\nnew all.Item().add();\n", ITEM, ["2"]),
    "exported value": ("const one = require('./one');\none.add();\n", CART, ["2"]),
    "exported default value": ("import one from './value';\none.add();\n", CART, ["2"]),
    "unnamed default": ("import U from './unnamed';\nnew U().add();\n", UNNAMED, ["2"]),
    "all as a namespace": ("import * as ns from './cart';\nnew ns.Basket().add();\n", CART, ["2"]),
    "default and names": ("import U, { x } from './unnamed';\nnew U().add();\n", UNNAMED, ["2"]),
    "variable": ("const I = require('./item');\nconst x = new I();\nx.add();\n", ITEM, ["3"]),
    "another's value": ("const I = require('lib');\nnew I().add();\n", ITEM, []),
    "an inherited member": (
        "const { Cart } = require('./cart');\nclass Big extends Cart {\n  go() {\n    this.add();\n"
        "    super.add();\n  }\n}\n", CART, ["4", "5"],
    ),
    "a mixin may have the member": (
        "const { mixed } = require('./cart');\nclass Big extends mixed(Object) {\n  go() {\n"
        "    this.add();\n  }\n}\n", CART, ["4?"],
    ),
    "a shadowing parameter": (
        "const one = require('./one');\nfunction f(one) {\n  one.add();\n}\n", CART, ["3?"],
    ),
    "a destructured parameter": (
        "const one = require('./one');\nfunction f({ one }) {\n  one.add();\n}\n", CART, ["3?"],
    ),
    "a loop variable": (
        "const one = require('./one');\nfunction f(xs) {\n  for (const one of xs) one.add();\n}\n",
        CART, ["3?"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound_by_its_receiver(make_workspace: Maker, name: str) -> None:
    code, symbol, expected = CASES[name]
    tree = make_workspace({**BASE, "use.js": code})
    for one in (ITEM, CART, UNNAMED):
        lines = [line for line in bound_lines(tree, one) if line.startswith("use.js:")]
        sure = [line for line in lines if not line.endswith("?")]
        wanted = [f"use.js:{line}" for line in expected] if one == symbol else []
        assert sure == [line for line in wanted if not line.endswith("?")], one
        if one == symbol:
            assert lines == wanted


def test_members_that_constructors_assign_have_their_types(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    assert bound_lines(tree, ITEM) == ["cart.js:9"]
    assert bound_lines(tree, CART) == ["cart.js:8"]
