"""What is told as a certain use of a symbol is one: a function is not what a value has, nor what a nearer name hides."""

# ruff: noqa: E501 (sources stand in single lines)

import pytest

from symindex.protocol.explore import ReferencesRequest
from symindex.workspace import Workspace
from tests.support.files import Maker


def callers(tree: Workspace, symbol: str) -> list[str]:
    """Their last names; a question mark follows what may be no caller."""
    found = tree.hierarchy(symbol, "callers").items
    return sorted(f"{item.name.rpartition('.')[2]}{'?' if item.is_unsure or item.others else ''}" for item in found)


def references(tree: Workspace, symbol: str) -> list[str]:
    """Lines and roles; a question mark follows what may be none."""
    found = tree.references(ReferencesRequest(name=symbol))
    return [f"{item.line}{'?' if item.is_unsure else ''} {item.role}" for file in found.files for item in file.items]


FREE: dict[str, tuple[dict[str, str | bytes], str]] = {
    "python": (
        {
            "pkg/near.py": "def is_empty(e): return 0\ndef bare(x): return is_empty(x)\ndef value(x): return x.is_empty()\ndef of_self(x): return x.y.is_empty()\n",
            "far.py": "import pkg.near\nfrom pkg import near as n\ndef whole(x): return pkg.near.is_empty(x)\ndef short(x): return n.is_empty(x)\n",
        },
        "pkg/near.py#is_empty",
    ),
    "rust": (
        {
            "src/near.rs": "pub fn is_empty(e: &str) -> bool { true }\nfn bare() { is_empty(1); }\nfn value(x: V) { x.is_empty(); }\nfn in_macro(x: V) { assert!(x.is_empty()); }\n",
            "src/far.rs": "use crate::near;\nfn whole() { crate::near::is_empty(1); }\nfn short() { near::is_empty(1); }\n",
        },
        "src/near.rs#is_empty",
    ),
    "kotlin": (
        {
            "near/a.kt": "package near\nfun isEmpty(e: String) = 0\nfun bare() = isEmpty(1)\nfun value(x: V) = x.isEmpty()\nfun safe(x: V?) = x?.isEmpty()\n",
            "b.kt": "fun whole() = near.isEmpty(1)\n",
        },
        "near/a.kt#isEmpty",
    ),
    "swift": ({"a.swift": "func isEmpty(_ e: S) -> B { 0 }\nfunc bare() { isEmpty(1) }\nfunc value(x: V) { x.isEmpty() }\nfunc safe(x: V?) { x?.isEmpty() }\n"}, "isEmpty"),
    "php": ({"a.php": "<?php\nfunction is_blank($e) { return 0; }\nfunction bare() { is_blank(1); }\nfunction value($x) { $x->is_blank(); $x?->is_blank(); V::is_blank(); }\nfunction whole() { \\is_blank(1); }\n"}, "is_blank"),
    "ruby": ({"a.rb": "def is_blank(e) = 0\ndef bare = is_blank(1)\ndef value(x) = x.is_blank\ndef safe(x) = x&.is_blank\n"}, "is_blank"),
    "lua": (
        {
            "near.lua": "local M = {}\nfunction is_blank(e) return 0 end\nlocal function bare() is_blank(1) end\nlocal function value(x) x:is_blank() end\n",
            "far.lua": "local near = require('near')\nlocal function short() near.is_blank(1) end\n",
        },
        "near.lua#is_blank",
    ),
    "c": ({"a.c": "int is_blank(int e) { return 0; }\nint bare(void) { return is_blank(1); }\nint value(struct v *x) { return x->is_blank(1); }\n"}, "is_blank"),
    "cpp": ({"a.cpp": "namespace n { bool empty(int e) { return 0; } }\nint whole() { return n::empty(1); }\nint value(V x, V *y) { return x.empty() + y->empty(); }\n"}, "n.empty"),
    "objc": ({"a.m": "int isBlank(int e) { return 0; }\nint bare(void) { return isBlank(1); }\nint value(V *x) { return [x isBlank]; }\n"}, "isBlank"),
    "go": (
        {
            "near/a.go": "package near\n\nfunc IsEmpty(e int) int { return 0 }\nfunc bare() { IsEmpty(1) }\nfunc value(x V) { x.IsEmpty() }\n",
            "far/b.go": 'package far\n\nimport "m/near"\n\nfunc whole() { near.IsEmpty(1) }\n',
        },
        "near/a.go#IsEmpty",
    ),
    "typescript": (
        {
            "near.ts": "export function isEmpty(e: any) { return 0; }\nfunction bare() { isEmpty(1); }\nfunction value(x: V) { x.isEmpty(); x.y?.isEmpty(); }\n",
            "far.ts": "import * as n from './near';\nfunction short() { n.isEmpty(1); }\n",
        },
        "near.ts#isEmpty",
    ),
    "javascript": (
        {
            "near.js": "function isEmpty(e) { return 0; }\nfunction bare() { isEmpty(1); }\nfunction value(x) { x.isEmpty(); }\nfunction top() { window.isEmpty(1); }\n",
            "far.js": "const n = require('./near');\nfunction short() { n.isEmpty(1); }\n",
        },
        "near.js#isEmpty",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", FREE)
def test_a_function_of_a_file_is_not_what_a_value_has(make_workspace: Maker, language: str) -> None:
    files, symbol = FREE[language]
    tree = make_workspace(files)
    here = {name for name in ("bare", "whole", "short", "top") if any(f" {name}" in str(text) for text in files.values())}
    assert {name.rstrip("?") for name in callers(tree, symbol)} == here


def test_an_extension_function_is_what_a_value_has(make_workspace: Maker) -> None:
    tree = make_workspace({"a.kt": "fun List<Int>.isBlank(): Boolean = true\nfun f(x: List<Int>) = x.isBlank()\n"})
    assert callers(tree, "isBlank") == ["f"]
