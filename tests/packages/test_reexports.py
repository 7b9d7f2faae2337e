"""The names that modules re-export, read as text: a table of cases, and arbitrary text."""

import time

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
        each
        for each in script_entries({"main": "../../etc/passwd"}, "")
        if each.startswith((".", "/"))
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


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_no_text_is_too_much(text: str) -> None:
    for leads in python_leads, script_leads:
        assert all(isinstance(lead, Reexport) for lead in leads(text, "x"))


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
