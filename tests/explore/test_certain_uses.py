"""A use that is reported as certain is one: a function is not a member of a value, and a nearer
name hides it."""

import re

import pytest

from symindex.protocol.explore import ReferencesRequest
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker


def callers(tree: Workspace, symbol: str) -> list[str]:
    """Returns the last parts of the callers' names, with a question mark after uncertain ones."""
    items = tree.hierarchy(symbol, direction="callers").items
    return sorted(
        f"{item.name.rpartition('.')[2]}{'?' if item.is_unsure or item.others else ''}"
        for item in items
    )


def references(tree: Workspace, symbol: str) -> list[str]:
    """Returns lines and roles, with a question mark after uncertain ones."""
    response = tree.references(ReferencesRequest(name=symbol))
    return [
        f"{item.line}{'?' if item.is_unsure else ''} {item.role}"
        for file in response.files
        for item in file.items
    ]


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


@pytest.mark.sample(2)
@pytest.mark.parametrize("language", FREE)
def test_a_function_of_a_file_is_not_what_a_value_has(make_workspace: Maker, language: str) -> None:
    files, symbol = FREE[language]
    tree = make_workspace(files)
    here = {
        name
        for name in ("bare", "whole", "short", "top")
        if any(f" {name}" in str(text) for text in files.values())
    }
    assert {name.rstrip("?") for name in callers(tree, symbol)} == here


@pytest.mark.nightly
def test_an_extension_function_is_what_a_value_has(make_workspace: Maker) -> None:
    tree = make_workspace(
        {"a.kt": "fun List<Int>.isBlank(): Boolean = true\nfun f(x: List<Int>) = x.isBlank()\n"}
    )
    assert callers(tree, "isBlank") == ["f"]


BLOCKS: dict[str, tuple[str, str, str]] = {
    "typescript": ("a.ts", "load", """
function load(n: number) { return n; }
function block() { let x = load(5); { const load = (n: number) => n; load(6); } return load(7); }
function loop(all: F[]) { for (const load of all) { load(1); } return load(2); }
function inner() { { function load(n: number) { return n; } load(1); } return load(2); }
function arrow() { const f = (load: F) => load(1); return load(2); }
function caught() { try { load(2); } catch (load) { load(1); } }
function only(load: F) { return load(1); }
function local() { const load = (n: number) => n; return load(3); }
class S { load() {} own() { return this.load(); } free() { return load(2); } }
"""),
    "javascript": ("a.js", "load", """
function load(n) { return n; }
function block() { let x = load(5); { const load = n => n; load(6); } return load(7); }
function hoisted() { load(1); if (x) { var load = null; } }
function loop() { for (const load of all) { load(1); } return load(2); }
function param({ load }) { return load(1); }
"""),
    "rust": ("a.rs", "load", """
fn load(n: i32) -> i32 { n }
fn block() { let x = load(5); let y = { let load = |n: i32| n; load(6) }; load(7) }
fn behind() { let load = load(3); load(4) }
fn inner() { { fn load(n: i32) -> i32 { n } load(1); } load(2) }
fn closure() { let f = |load: F| load(6); load(5) }
fn only(load: fn(i32) -> i32) -> i32 { load(4) }
fn local() { let load = |n: i32| n; load(3) }
"""),
    "kotlin": ("a.kt", "load", """
fun load(n: Int): Int = n
fun block(): Int { val x = load(5); run { val load = { n: Int -> n }
    load(6) }
    return load(7) }
fun inner(): Int { if (true) { fun load(n: Int) = n
    load(1) }
    return load(2) }
fun closure(): Int { val f = { load: F -> load(6) }
    return load(5) }
fun only(load: F): Int = load(4)
"""),
    "swift": ("a.swift", "load", """
func load(_ n: Int) -> Int { return n }
func block() -> Int { let x = load(5); do { let load = { (n: Int) in n }; _ = load(6) }; return load(7) }
func loop(_ all: [F]) -> Int { for load in all { _ = load(1) }; return load(3) }
func optional(_ all: [F]) -> Int { if let load = all.first { _ = load(2) }; return load(3) }
func guarded(_ all: [F]) -> Int { guard let load = all.first else { return 0 }; return load(3) }
func only(load: F) -> Int { return load(4) }
"""),
    "cpp": ("a.cpp", "load", """
int load(int n) { return n; }
int block() { int x = load(5); { auto load = [](int n) { return n; }; load(6); } return load(7); }
int loop() { for (auto load : all) { load(1); } return load(2); }
int closure() { auto f = [](int (*load)(int)) { return load(6); }; return load(5); }
int only(int (*load)(int)) { return load(4); }
int local() { int (*load)(int) = 0; return load(4); }
"""),
    "c": ("a.c", "load", """
int load(int n) { return n; }
int block(void) { int x = load(5); { int (*load)(int) = 0; load(6); } return load(7); }
int only(int (*load)(int)) { return load(4); }
int local(void) { int (*load)(int) = 0; return load(4); }
"""),
    "go": ("a.go", "load", """
package a
func load(n int) int { return n }
func block() int { x := load(5); { load := func(n int) int { return n }; load(6) }; return load(7) }
func cond() int { if load := pick(); load != nil { load(1) }; return load(2) }
func loop(all []F) int { for _, load := range all { load(1) }; return load(2) }
func closure() int { f := func(load F) int { return load(1) }; return load(2) }
func local() int { load := func(n int) int { return n }; return load(3) }
func only(load F) int { return load(4) }
"""),
    "python": ("a.py", "load", """
def load(n): return n
def block(all): return [load(1) for load in all], load(2)
def closure(): return (lambda load: load(6)), load(5)
def inner():
    def go(load): return load(6)
    return load(5)
def whole():
    load(1)
    load = 2
def only(load): return load(4)
class S:
    def load(self): pass
    def free(self): return load(2)
"""),
    "csharp": ("a.cs", "S.Load", """
class S {
  static int Load(int n) { return n; }
  int block() { { int Load(int n) { return n; } Load(2); } return Load(3); }
  int closure() { F f = Load => Load(1); return Load(2); }
  int only(System.Func<int, int> Load) { return Load(4); }
}
"""),
    "java": ("A.java", "A.load", """
class A {
  int load(int n) { return n; }
  int block() { IntUnaryOperator load = n -> n; use(load); return load(2); }
  int only() { int load = 1; return load; }
}
"""),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("language", BLOCKS)
def test_a_block_hides_a_name_in_itself_alone(make_workspace: Maker, language: str) -> None:
    """`only`, `local`, `hoisted`, `guarded`, `param`, `whole` and `go` bind the name that they
    call, and so do calls that end with `1;` or `6)`."""
    path, name, code = BLOCKS[language]
    symbol = f"{path}#{name}"
    tree = make_workspace({path: code})
    names = {
        "block",
        "behind",
        "loop",
        "inner",
        "arrow",
        "caught",
        "closure",
        "optional",
        "cond",
        "free",
    }
    assert callers(tree, symbol) == sorted(name for name in names if f" {name}(" in code)
    lines = code.removeprefix("\n").split("\n")
    items = [
        item
        for file in tree.references(ReferencesRequest(name=symbol)).files
        for item in file.items
    ]
    bound = re.compile(r"load\([146]\)|use\(load|return load;", re.IGNORECASE)
    assert not [
        item
        for item in items
        if bound.match(lines[item.line - 1][item.column - 1 :]) and item.role != "definition"
    ]
    assert not [item for item in items if item.role == "write"]


def test_what_a_block_defines_is_used_in_it_alone(make_workspace: Maker) -> None:
    tree = make_workspace({"a.py": "def f(x):\n    def go(): pass\n    go()\ndef g():\n    go()\n"})
    assert references(tree, "a.py#f.go") == ["2 definition", "3 call"]


@pytest.mark.nightly
def test_a_file_of_one_name_in_many_blocks_is_read_in_time(make_workspace: Maker) -> None:
    code = "function load() {}\n" + "function f() { load(); { const load = 1; load(); } }\n" * 5_000
    tree = make_workspace({"a.js": code})
    response = tree.references(ReferencesRequest(name="a.js#load", max_items=10))
    assert response.at_least > 10


PATHS: dict[str, tuple[dict[str, str | bytes], dict[str, list[str]]]] = {
    "rust": (
        {
            "src/lib.rs": "fn load() {}\nmod a { fn up() { super::load() } fn root() { crate::load() } mod deep { fn two() { super::super::load() } } }\nmod b { pub fn load() {} fn own() { self::load() } fn bare() { load() } fn above() { super::load() } }\nfn down() { b::load(); crate::b::load(); }\nfn here() { self::load() }\n",
            "src/other.rs": "fn far() { super::load(); }\nfn further() { crate::b::load(); }\nfn third() { crate::other::load(); }\nfn load() {}\n",
        },
        {
            "src/lib.rs#load": ["above", "far", "here", "root", "two", "up"],
            "src/lib.rs#b.load": ["bare", "down", "further", "own"],
            "src/other.rs#load": ["third"],
        },
    ),
    "handed on": (
        {
            "src/inner.rs": "pub fn load() {}\n",
            "src/lib.rs": "mod inner;\npub use inner::load;\nmod a { fn up() { super::load() } }\n",
        },
        {"src/inner.rs#load": ["up"]},
    ),
    "cpp": (
        {
            "a.cpp": "int load(int n) { return n; }\nnamespace z { int load(int n) { return n; } int go() { return ::load(2); } int own() { return load(1) + z::load(1) + ::z::load(2); } }\nstruct S { int load(int); int top() { return ::load(3); } int mine() { return load(1); } };\n"
        },
        {"a.cpp#load": ["go", "top"], "a.cpp#z.load": ["own"], "a.cpp#S.load": ["mine"]},
    ),
    "php": (
        {
            "a.php": "<?php\nfunction load_it($n) { return $n; }\nclass S { public $load_it; function a($load_it) { return $load_it(6) . self::$load_it . $this->load_it; } }\nfunction b($load_it) { return \\load_it($load_it); }\n"
        },
        {"a.php#load_it": ["b"]},
    ),
    "bash": ({"a.sh": 'load_it() { echo 1; }\na() { local load_it=1; echo "$load_it"; }\nb() { load_it; }\n'}, {"a.sh#load_it": ["b"]}),
}  # fmt: skip


@pytest.mark.sample(4)
@pytest.mark.parametrize("language", PATHS)
def test_a_path_or_a_sign_says_which_of_a_name_is_meant(
    make_workspace: Maker, language: str
) -> None:
    files, expected = PATHS[language]
    tree = make_workspace(files)
    assert {symbol: callers(tree, symbol) for symbol in expected} == expected


def test_a_variable_with_a_sigil_is_not_a_use_of_a_function(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "a.php": "<?php\nfunction load_it($n) {}\nfunction a($load_it) { $load_it(6); load_it($load_it); }\n"
        }
    )
    assert references(tree, "a.php#load_it") == ["2 definition", "3 call"]
