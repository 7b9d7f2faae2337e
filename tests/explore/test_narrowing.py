"""Which occurrences of a name mean one symbol: evidence of scopes, imports and receivers."""

import pytest

from symindex.protocol.explore import ReferencesRequest
from tests.support.files import Maker

PYTHON: dict[str, str | bytes] = {
    "shop/config.py": "def config():\n    return 1\n\n\ndef own():\n    return config()\n",
    "shop/uses.py": "from shop.config import config\n\n\ndef a():\n    return config()\n\n\ndef b(config):\n    return config()\n\n\ndef c():\n    config = load(config=2)\n    return [config for x in y]\n",
    "shop/without.py": "def d():\n    return config()\n",
    "shop/all.py": "from shop.config import *\n\n\ndef e():\n    return config()\n",
    "shop/attribute.py": "def f(app):\n    return app.config\n",
}

TYPESCRIPT: dict[str, str | bytes] = {
    "a/part.ts": "export function part(x: number): void;\nexport function part(x: any) { return x; }\n",
    "b/part.ts": "export function part(y: string): void;\nexport function part(y: any) { return y; }\n",
    "index.ts": "import { part } from './a/part';\nimport { part as other } from './b/part';\npart(1);\nfunction f({ part }: any) { return part; }\nconst g = (part: any) => part;\nfunction h() { for (const part of all) { part(); } }\n",
    "far.ts": "part(2);\n",
}

MEMBERS: dict[str, str | bytes] = {
    "group.ts": "export class Group {\n  key = 1;\n  read() { return this.key; }\n  make() { return { key: 2 }; }\n}\nfunction f(key: string) { return key; }\nfunction g(group: Group) { return group.key; }\nfunction h() { return key; }\n",
}

HANDED_ON: dict[str, str | bytes] = {
    "pkg/__init__.py": "from .inner.part import make\n",
    "pkg/inner/part.py": "def make():\n    pass\n",
    "pkg/user.py": "from . import make\n\nmake()\n",
    "pkg/inner/beside.py": "from . import make\n\nmake()\n",
    "far/user.py": "from pkg import make\n\nmake()\n",
    "far/other.py": "from elsewhere import make\n\nmake()\n",
}

ALIKE: dict[str, str | bytes] = {
    "one/pool.py": "def spawn():\n    pass\n",
    "two/pool.py": "def spawn():\n    pass\n",
    "use.py": "from far.pool import spawn\n\nspawn()\n",
    "sure.py": "from two.pool import spawn\n\nspawn()\n",
}

SCRIPTS: dict[str, str | bytes] = {
    "a.js": "function load() {}\nmodule.exports = { load };\n",
    "b.js": "const { load } = require('./a');\nload();\n",
    "c.js": "load();\n",
    "d.js": "export const other = 1;\nload();\n",
}

RUST: dict[str, str | bytes] = {
    "src/a.rs": "pub fn load() {}\n",
    "src/b.rs": "use crate::a::load;\nfn f() { load(); }\nfn g(load: u8) { drop(load); }\nfn h() { let load = 1; drop(load); }\n",
    "src/c.rs": "fn f() { load(); }\n",
    "src/m.rs": "use crate::a::load;\nfn f(q: Q) { check!(load(), q.load(), crate::b::load()); }\n",
    "src/d.rs": "use crate::a::*;\nfn f() { load(); }\n",
}

GO: dict[str, str | bytes] = {
    "p/a.go": "package p\n\nfunc Load() {}\n",
    "p/b.go": "package p\n\nfunc f() { Load() }\nfunc g(Load int) int { return Load }\nfunc h() int { Load := 1; return Load }\n",
}

C: dict[str, str | bytes] = {
    "a.c": "int total(void) { return 1; }\nint f(int total) { return total; }\nint g(void) { int total = 2; return total; }\nint h(void) { return total(); }\n",
    "a.h": "int total(void);\n",
}

JAVA: dict[str, str | bytes] = {
    "A.java": "class Limit {}\nclass A { Limit f(Limit x) { return x; } int g(int Limit) { return Limit; } }\n",
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("files", "symbol", "expected"),
    [
        (
            PYTHON,
            "shop/config.py#config",
            ["all.py:5", "config.py:1", "config.py:6", "uses.py:1", "uses.py:5"],
        ),
        (
            TYPESCRIPT,
            "a/part.ts#part",
            ["far.ts:1?", "index.ts:1", "index.ts:3", "part.ts:1", "part.ts:2"],
        ),
        (MEMBERS, "group.ts#Group.key", ["group.ts:2", "group.ts:3", "group.ts:4?", "group.ts:7"]),
        (
            HANDED_ON,
            "pkg/inner/part.py#make",
            [
                "__init__.py:1",
                "beside.py:1",
                "beside.py:3",
                "part.py:1",
                "user.py:1",
                "user.py:1",
                "user.py:3",
                "user.py:3",
            ],
        ),
        (ALIKE, "one/pool.py#spawn", ["pool.py:1", "use.py:1?", "use.py:3?"]),
        (SCRIPTS, "a.js#load", ["a.js:1", "a.js:2", "b.js:1", "b.js:2", "c.js:1?"]),
        (
            RUST,
            "src/a.rs#load",
            ["a.rs:1", "b.rs:1", "b.rs:2", "d.rs:2", "m.rs:1", "m.rs:2", "m.rs:2"],
        ),
        (GO, "p/a.go#Load", ["a.go:3", "b.go:3"]),
        (C, "a.c#total", ["a.c:1", "a.c:4", "a.h:1"]),
        (JAVA, "A.java#Limit", ["A.java:1", "A.java:2", "A.java:2"]),
    ],
)
def test_references_of_a_symbol(
    make_workspace: Maker, files: dict[str, str | bytes], symbol: str, expected: list[str]
) -> None:
    """A question mark follows those that may mean another symbol."""
    response = make_workspace(files).references(ReferencesRequest(name=symbol))
    rows = [
        f"{file.file_path.rpartition('/')[2]}:{item.line}{'?' * item.is_unsure}"
        for file in response.files
        for item in file.items
    ]
    assert sorted(rows) == expected


QUALIFIED: dict[str, str | bytes] = {
    "shop.py": "class Cart:\n    def total(self):\n        return self.total()\n\n\nclass Bill:\n    def total(self):\n        return self.total()\n\n\ndef get():\n    pass\n",
    "use.py": "import requests\n\nrequests.get()\n",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "name", ["Cart.total", "Cart::total", "shop.Cart.total", "shop.py#Cart.total"]
)
def test_a_qualified_name_that_one_symbol_has_is_that_symbol(
    make_workspace: Maker, name: str
) -> None:
    response = make_workspace(QUALIFIED).references(name)
    assert (response.symbol, response.total, response.narrowed) == ("shop.py#Cart.total", 2, 2)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "total"), [("requests.get", 2), ("Shop.total", 4), ("Nothing.total", 4)]
)
def test_other_qualified_names_count_by_their_last_part(
    make_workspace: Maker, name: str, total: int
) -> None:
    response = make_workspace(QUALIFIED).references(name)
    assert (response.symbol, response.total) == ("", total)
    assert response.notices == [f"only {response.name} is searched for, the last part of {name}"]
