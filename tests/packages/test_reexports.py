"""The names that modules re-export, read as text: a table of cases, and arbitrary text."""

import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.packages.found.reexports import (
    MODULE_RULES,
    Reexport,
    python_leads,
    script_entries,
    script_leads,
    script_places,
)

LEADS = {
    "from .api import get": ("python", "get", [Reexport(".api", "get")]),
    "from .api import (  # all\n    get as fetch,\n    put,\n)": (
        "python",
        "fetch",
        [Reexport(".api", "get")],
    ),
    "from a \\\n    import b": ("python", "b", [Reexport("a", "b")]),
    "try:\n    from a import b\nexcept ImportError:\n    from c import b": (
        "python",
        "b",
        [Reexport("a", "b"), Reexport("c", "b")],
    ),
    "if sys.platform == 'other':\n    from a import b\n\nelse:\n    from c import b": (
        "python",
        "b",
        [Reexport("c", "b"), Reexport("a", "b")],
    ),
    "if os.name == 'other':\n    try:\n        from a import b\n    finally: pass": (
        "python",
        "b",
        [Reexport("a", "b")],
    ),
    "import posixpath as path": ("python", "path", [Reexport("posixpath", "")]),
    "import os, click  # both": ("python", "click", [Reexport("click", "")]),
    "s = attributes = attrs": ("python", "s", [Reexport("", "attrs")]),
    "from .x import *": ("python", "any", [Reexport(".x", "*")]),
    "request: Request = proxy('r')": (
        "python",
        "request",
        [Reexport("", "Request", is_instance=True)],
    ),
    "x = 1\nfrom_a = 2": ("python", "x", []),
    "export { a as b } from './x'": ("npm", "b", [Reexport("./x", "a")]),
    "import { a as c } from './x';\nexport { c as b };": ("npm", "b", [Reexport("./x", "a")]),
    "export * from './x';": ("npm", "any", [Reexport("./x", "*")]),
    "export * as ns from './x';": ("npm", "ns", [Reexport("./x", "")]),
    "exports.Router = require('./router')": ("npm", "Router", [Reexport("./router", "")]),
    "module.exports = require('./lib/x');": ("npm", "any", [Reexport("./lib/x", "*")]),
    '/// <reference path="common/x.d.ts" />': ("npm", "any", [Reexport("./common/x.d.ts", "*")]),
    "import X = require('x');\nexport = X;": ("npm", "any", [Reexport("x", "*")]),
    "declare const kit: Kit.Static;": (
        "npm",
        "kit",
        [Reexport("", "Kit.Static", is_instance=True)],
    ),
    "const objectType: any;\nexport { objectType as object };": (
        "npm",
        "object",
        [Reexport("", "objectType")],
    ),
}


@pytest.mark.parametrize("text", LEADS)
def test_a_module_says_where_a_name_comes_from(text: str) -> None:
    ecosystem, name, expected = LEADS[text]
    assert [*MODULE_RULES[ecosystem].leads(text, name)] == expected


def test_a_manifest_names_what_a_package_offers() -> None:
    manifest = {
        "main": "./lib/a.js",
        "exports": {".": {"import": "./m.mjs", "types": "./t.d.ts"}, "./sub": "./lib/sub.js"},
    }
    assert script_entries(manifest, "")[0] == "t.d.ts"
    assert "lib/a.d.ts" in script_entries(manifest, "")
    assert script_entries(manifest, "sub")[:1] == ["lib/sub.d.ts"]
    assert not [
        entry
        for entry in script_entries({"main": "../../etc/passwd"}, "")
        if entry.startswith((".", "/"))
    ]
    moved = {
        "types": "a.d.ts",
        "typesVersions": {"<4": {"*": ["old/*"]}, ">=4.1": {"*": ["ts4/*"]}},
    }
    assert script_entries(moved, "")[:1] == ["ts4/a.d.ts"] and "a.d.ts" in script_entries(moved, "")
    for odd in ([], {">=4": 1}, {">=4": {"*": ["../*", 3, "**"]}}, {">=4": {"*": {}}}):  # type: ignore[var-annotated]
        assert script_entries({"typesVersions": odd}, "") == script_places("")
    assert script_entries({"exports": [1, {"a": None}]}, "") == script_places("")


PIECES = [
    "from ",
    "import ",
    "(",
    ")",
    "{",
    "}",
    " as ",
    "x",
    ",",
    "\n",
    "export ",
    "*",
    "'./a'",
    "=",
    "require('",
    "')",
    ".",
    "\\\n",
    ": ",
]


@pytest.mark.nightly
@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_no_text_is_too_much(text: str) -> None:
    for leads in python_leads, script_leads:
        assert all(isinstance(lead, Reexport) for lead in leads(text, "x"))


@pytest.mark.nightly
@pytest.mark.parametrize(
    "piece",
    [
        "from a import (",
        " from a import x\n",
        "import x, ",
        "import x ",
        "export {",
        "import {a,",
        "a = ",
        " \t",
        "exports.a = require(",
        "import a, ",
        "const a:",
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    begun = time.monotonic()
    for leads in python_leads, script_leads:
        list(leads(piece * (300_000 // len(piece)), "x"))
    assert time.monotonic() - begun < 10


MORE_LEADS: list[tuple[str, str, str, list[Reexport]]] = [
    ('python', 'from a import (b as c, d)\n', 'c', [Reexport('a', 'b')]),
    ('python', 'from a import (b as c, d)\n', 'b', []),
    ('python', '  import a.b as c # x\n', 'c', [Reexport('a.b', '')]),
    ('python', 'import c\nfrom x import *\nfrom . import c\n', 'c', [Reexport('.', 'c'), Reexport('c', ''), Reexport('x', '*')]),
    ('python', 'c = d = e.f  # x\n', 'd', [Reexport('', 'e.f')]),
    ('python', 'c = c\n', 'c', []),
    ('python', 'c: T\n', 'c', [Reexport('', 'T', is_instance=True)]),
    ('python', 'c: T[int] = make()\n', 'c', [Reexport('', 'T', is_instance=True)]),
    ('python', 'c = T(1)\n', 'c', [Reexport('', 'T', is_instance=True)]),
    ('python', 'c: int = 5\n', 'c', []),
    ('python', "if sys.platform.startswith('zz'):\n  from a import b\n", 'b', [Reexport('a', 'b')]),
    ('python', "elif (platform.system() == 'zz'):\n\tx\n\tfrom a import b\nfrom c import b\n", 'b', [Reexport('c', 'b'), Reexport('a', 'b')]),
    ('python', "if os.name == 'zz':\n    pass\nfrom a import b\nfrom c import b\n", 'b', [Reexport('a', 'b'), Reexport('c', 'b')]),
    ('npm', "export { a, type b as c, d as default } from 'x';", 'c', [Reexport('x', 'b')]),
    ('npm', "export { a, type b as c, type } from 'x';", 'type', [Reexport('x', 'type')]),
    ('npm', "import d, { a as b, c } from './x'; \nimport * as n from './y';\n", 'b', [Reexport('./x', 'a')]),
    ('npm', "import d, { a as b } from './x';\n", 'd', [Reexport('./x', 'default')]),
    ('npm', "import * as n from './y';\n", 'n', [Reexport('./y', '')]),
    ('npm', "const q = require('./q')\n", 'q', [Reexport('./q', '')]),
    ('npm', "export type { b } from './x'", 'b', [Reexport('./x', 'b')]),
    ('npm', 'export { b };\nconst b = c.d;\n', 'b', [Reexport('', 'c.d')]),
    ('npm', 'exports.b = c.d;\n', 'b', [Reexport('', 'c.d')]),
    ('npm', "Object.defineProperty(exports, 'b', { enumerable: true, get: function () { return m.b; } });", 'b', [Reexport('', 'm.b')]),
    ('npm', 'let b: typeof c.d', 'b', [Reexport('', 'c.d')]),
    ('npm', 'let b: c.d', 'b', [Reexport('', 'c.d', is_instance=True)]),
    ('npm', 'export default K;\n', 'default', [Reexport('', 'K')]),
    ('npm', "export = K;\nimport K from './k';\n", 'any', [Reexport('./k', '*')]),
    ('npm', 'module.exports = K\n', 'default', [Reexport('', 'K')]),
    ('npm', 'exports = module.exports = K;\n', 'default', [Reexport('', 'K')]),
    ('npm', "export * as b from './x';\nexport * from './y'", 'b', [Reexport('./x', ''), Reexport('./y', '*')]),
    ('npm', 'export { a as b }', 'b', [Reexport('', 'a')]),
    ('npm', 'export { b }', 'b', []),
]  # fmt: skip


@pytest.mark.parametrize(("ecosystem", "text", "name", "expected"), MORE_LEADS)
def test_forms_of_imports_and_exports(
    ecosystem: str, text: str, name: str, expected: list[Reexport]
) -> None:
    assert [*MODULE_RULES[ecosystem].leads(text, name)] == expected


def test_a_block_for_another_system_ends_where_its_indent_ends() -> None:
    """The condition above may be far, with blank lines and deeper ones between."""
    block = "if sys.platform == 'zz':\n    x = 1\n\n        deeper = 1\n    from a import b\n"
    other = "\nfrom c import b\n"
    assert [lead.module for lead in python_leads(block + other, "b")] == ["c", "a"]
    assert [lead.module for lead in python_leads(other + block, "b")] == ["c", "a"]
    own = block.replace("zz", sys.platform)
    assert [lead.module for lead in python_leads(own + other, "b")] == ["a", "c"]
    within = "if x:\n    if sys.platform == 'zz':\n        y\n    from a import b\n"
    assert [lead.module for lead in python_leads(within + other, "b")] == ["a", "c"]


PYTHON_FILES = [
    ("a/b/c.py", "x.y", "x/y"), ("a/b/c.py", ".x", "a/b/x"), ("a/b/c.py", "..x.y", "a/x/y"), ("a/b/c.py", "...x", "x"),
    ("a/b/c.py", "....x", "x"), ("a/b/__init__.py", ".", "a/b"), ("a.py", ".x", "x"), ("a.py", ".", ""),
]  # fmt: skip


@pytest.mark.parametrize(("path", "module", "base"), PYTHON_FILES)
def test_the_files_that_a_module_of_python_may_be(path: str, module: str, base: str) -> None:
    endings = [f"{base}.py", f"{base}.pyi"] if base else []
    inner = [f"{base}/__init__.py", f"{base}/__init__.pyi"]
    expected = endings + [name.lstrip("/") for name in inner]
    assert MODULE_RULES["pypi"].files(path, module) == expected


ENDINGS = (".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".js", ".mjs", ".cjs", ".jsx")


def each(stem: str) -> list[str]:
    """The files of a stem, declarations first."""
    return [stem + ending for ending in ENDINGS]


SCRIPT_PLACES = {
    "": each("index"), ".": each("index"), "a": [*each("a"), *each("a/index")],
    "a.js": [*each("a"), *each("a.js/index")], "a.d.ts": [*each("a"), *each("a.d.ts/index")],
    "a.d.mts": ["a.d.mts", "a.d.ts", *each("a")[2:], *each("a.d.mts/index")],
    "a.mts": [*each("a"), "a.mts", *each("a.mts/index")], "a.json": [*each("a.json"), *each("a.json/index")],
}  # fmt: skip


@pytest.mark.parametrize("base", SCRIPT_PLACES)
def test_the_files_that_a_path_of_javascript_may_mean(base: str) -> None:
    assert script_places(base) == SCRIPT_PLACES[base]


def test_the_files_that_a_module_of_javascript_may_be() -> None:
    files = MODULE_RULES["npm"].files
    assert files("a/b.js", "react") == [] == files("a/b.js", "@a/b")
    paths = {
        "./c": "a/c",
        "../c.js": "c.js",
        ".": "a",
        "..": "",
        "./c.d.mts": "a/c.d.mts",
        "./d/./e": "a/d/e",
    }
    for module, place in paths.items():
        assert files("a/b.js", module) == script_places(place), module


ENTRIES: list[tuple[dict[str, Any], str, list[str]]] = [
    ({}, "", [""]),
    ({"types": "t.d.ts", "typings": "u.d.ts", "main": "m.js", "module": "/n.mjs"}, "", ["t.d.ts", "u.d.ts", "m.js", "n.mjs", ""]),
    ({"main": "m.js", "types": "t.d.ts"}, "x", ["x"]),
    ({"exports": "./e.js"}, "", ["e.js", ""]),
    ({"exports": "./e.js"}, "x", ["x"]),
    ({"exports": {"import": "./i.mjs", "types": "./t.d.cts"}}, "", ["t.d.cts", "i.mjs", ""]),
    ({"exports": {"import": "./i.mjs"}}, "import", ["import"]),
    ({"exports": {".": "./a.js", "./b": {"default": {"x": "./b.js"}, "types": "./c.d.ts"}}}, "b", ["c.d.ts", "b.js", "b"]),
    ({"exports": {".": "./a.js", "./b": "./b.js"}}, "", ["a.js", ""]),
    ({"exports": {"./b": "./b.js"}}, "", [""]),
    ({"exports": 7, "main": ["x"], "types": None}, "", [""]),
    ({"exports": {"a": {"b": {"c": {"d": {"e": {"f": "./deep.js"}}}}}, "z": "./z.js"}}, "", ["deep.js", "z.js", ""]),
    ({"exports": {"a": {"b": {"c": {"d": {"e": {"f": {"g": "./deeper.js"}}}}}}, "z": "./z.js"}}, "", ["z.js", ""]),
    ({"types": "t.d.ts", "typesVersions": {"<4": {"*": ["old/*"]}, "*": {"*": ["new/*", "both/*/*", "more/*"]}}}, "",
     ["new/t.d.ts", "more/t.d.ts", "new/index.d.ts", "more/index.d.ts", "t.d.ts", ""]),
    ({"types": "t.d.ts", "typesVersions": {">=4": {"*": ["new/*"]}}}, "x", ["x"]),
]  # fmt: skip


@pytest.mark.parametrize(("manifest", "inner", "paths"), ENTRIES)
def test_what_a_package_offers_is_in_the_order_of_its_manifest(
    manifest: dict[str, Any], inner: str, paths: list[str]
) -> None:
    expected = dict.fromkeys(place for path in paths for place in script_places(path))
    assert script_entries(manifest, inner) == [*expected]


def test_a_path_that_leads_out_of_a_package_is_left_out() -> None:
    assert script_entries({"main": "../up.js", "types": "/../u.d.ts"}, "") == script_places("")
    assert script_entries({"main": "..up.js"}, "") == [
        *script_places("..up.js"),
        *script_places(""),
    ]


def test_how_much_of_a_manifest_is_read() -> None:
    limit = 40
    many = {f"k{number}": f"./{number:03}.js" for number in range(limit + 1)}
    entries = script_entries({"exports": many}, "")
    assert f"{limit - 1:03}.d.ts" in entries and f"{limit:03}.d.ts" not in entries
    nested = {"a": many, "b": {"types": "./t.d.ts"}}
    entries = script_entries({"exports": nested}, "")
    # Declarations come first, however many other files there are.
    assert entries[0] == "t.d.ts" and f"{limit - 2:03}.d.ts" in entries
    assert f"{limit - 1:03}.d.ts" not in entries
