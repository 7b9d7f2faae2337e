"""Names that TypeScript declares for all files, and members that it adds to types of other modules
and of libraries."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

TREE = {
    "amb.d.ts": (
        "declare global {\n  function helper(): void;\n  var config: Config;\n"
        "  interface Config { depth: number }\n  interface Window { state: number }\n"
        "  namespace Express { interface Request { user: Config } }\n}\n"
        'declare module "fastify" { interface Req { account: Config } }\nexport {};\n'
    ),
    "more.d.ts": "declare global {\n  interface Config { extra: number }\n}\nexport {};\n",
    "script.d.ts": 'declare function run(): void;\ninterface Shape { size: number }\ndeclare module "x" {\n'
    "  export const y: number;\n}\n",
    "carts.ts": "export class Cart { total() {} }\n",
    "added.ts": 'declare module "./carts" {\n  interface Cart { added: string }\n'
    "  interface Fresh { one: number }\n}\nexport {};\n",
    "own.ts": "export interface Request { user: number }\nexport interface Req { account: number }\n",
}

CASES: dict[str, tuple[str, str, list[str]]] = {
    # by name: a symbol, the code of use.ts, and its uses there
    "a function": ("amb.d.ts#helper", "helper();\n", ["1"]),
    "a variable": ("amb.d.ts#config", "config.depth;\n", ["1"]),
    "of its type": ("amb.d.ts#Config.depth", "config.depth;\n", ["1"]),
    "a type": ("amb.d.ts#Config", "let one: Config;\n", ["1"]),
    "a member of another declaration": ("more.d.ts#Config.extra", "config.extra;\n", ["1"]),
    "a literal": ("amb.d.ts#Config.depth", "const f = () => { const one: Config = { depth: 1 }; };\n", ["1"]),
    "an own function": ("amb.d.ts#helper", "function helper() {}\nhelper();\n", []),
    "an imported function": ("amb.d.ts#helper", "import { helper } from 'lib';\nhelper();\n", []),
    "a parameter": ("amb.d.ts#helper", "const f = (helper) => helper();\n", []),
    "of a script": ("script.d.ts#run", "run();\n", ["1"]),
    "a type of a script": ("script.d.ts#Shape.size", "let one: Shape;\none.size;\n", ["2"]),
    "a member of a value of the browser": ("amb.d.ts#Window.state", "window.state;\n", ["1?"]),
    "a library's value": (
        "amb.d.ts#Express.Request.user",
        'import { Request } from "express";\nconst f = (one: Request) => one.user;\n', ["2?"],
    ),
    "an own type of this name": (
        "amb.d.ts#Express.Request.user",
        'import { Request } from "./own";\nconst f = (one: Request) => one.user;\n', [],
    ),
    "a library's module": (
        "amb.d.ts#fastify.Req.account",
        'import { Req } from "fastify";\nconst f = (one: Req) => one.account;\n', ["2"],
    ),
    "an added member": (
        "added.ts#./carts.Cart.added",
        'import { Cart as C } from "./carts";\nnew C().added;\n', ["2"],
    ),
    "its own member": ("carts.ts#Cart.total", 'import { Cart } from "./carts";\nnew Cart().total();\n', ["2"]),
    "an added type": (
        "added.ts#./carts.Fresh.one",
        'import * as all from "./carts";\nconst f = (one: all.Fresh) => one.one;\n', ["2"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    symbol, code, lines = CASES[name]
    tree = make_workspace({**TREE, "use.ts": f"{code}export {{}};\n"})
    found = [one for one in bound_lines(tree, symbol) if one.startswith("use.ts")]
    assert found == [f"use.ts:{line}" for line in lines]


def test_a_file_of_another_language_sees_them(make_workspace: Maker) -> None:
    tree = make_workspace({**TREE, "use.js": "helper();\nexport {};\n"})
    assert bound_lines(tree, "amb.d.ts#helper") == ["use.js:1"]
