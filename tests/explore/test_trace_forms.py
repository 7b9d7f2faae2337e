"""A line of each form that runtimes, compilers, linters and test runners print, with its place."""

import time
from pathlib import Path

import pytest

from symindex.explore.trace.frames import LONGEST_LINE, parse_trace
from symindex.render.trace import render_trace
from tests.support.files import Maker

PLACES: list[tuple[str, tuple[str, int] | None]] = [
    ("4: f(x) at R/file.R#12", ("R/file.R", 12)),
    ("Error in f(x) (from file.R#12)", ("file.R", 12)),
    ("test-x.R:12:3: failure", ("test-x.R", 12)),
    ("── Failure ('test-x.R:12:3'): name ──", ("test-x.R", 12)),
    ("  3.   └─pkg:::f(x) at pkg/R/file.R:12:3", ("pkg/R/file.R", 12)),
    ("lua: main.lua:12: attempt to index a nil value", ("main.lua", 12)),
    ("\tmain.lua:12: in function 'foo'", ("main.lua", 12)),
    ("\t[C]: in ?", None),
    ("\t...nvim/lua/x.lua:12: in function <...nvim/lua/x.lua:10>", ("...nvim/lua/x.lua", 12)),
    ('E5108: Error executing lua: [string ":lua"]:1: x', None),
    (" [1] foo(x::Int64)\n   @ Main ~/p/src/a.jl:12", ("~/p/src/a.jl", 12)),
    ("Test Failed at /p/test/a.jl:12", ("/p/test/a.jl", 12)),
    ("ERROR: LoadError: x\nin expression starting at /p/a.jl:12", ("/p/a.jl", 12)),
    ("Can't locate x at lib/A/B.pm line 12.", ("lib/A/B.pm", 12)),
    ('\tA::B::foo("x") called at lib/A/B.pm line 12', ("lib/A/B.pm", 12)),
    ("#   at t/x.t line 12.", ("t/x.t", 12)),
    ('syntax error at lib/X.pm line 3, near "x"', ("lib/X.pm", 3)),
    ("#0      Foo.bar (package:my_app/src/foo.dart:12:5)", ("my_app/src/foo.dart", 12)),
    ("package:my_app/src/foo.dart 12:5  Foo.bar", ("my_app/src/foo.dart", 12)),
    ("lib/foo.dart:12:5: Error: x", ("lib/foo.dart", 12)),
    ("  error • x • lib/foo.dart:12:5 • code", ("lib/foo.dart", 12)),
    ("   error - lib/foo.dart:12:5 - x", ("lib/foo.dart", 12)),
    ('File "bin/a.ml", line 12, characters 2-7:', ("bin/a.ml", 12)),
    ('Called from Foo.bar in file "a.ml", line 12, characters 2-7', ("a.ml", 12)),
    ('Fatal error: exception File "a.ml", line 12, characters 2-8: Assertion failed', ("a.ml", 12)),
    ("\tat a.B$.$anonfun$main$1(B.scala:12)", ("B.scala", 12)),
    ("[error]  -> /x/B.scala:12:5: not found", ("/x/B.scala", 12)),
    (" at user$eval123$foo__124.invoke (foo.clj:12)", ("foo.clj", 12)),
    ("Syntax error compiling at (src/foo.clj:12:3).", ("src/foo.clj", 12)),
    ("    foo.core/bar (core.clj:12)", ("core.clj", 12)),
    ("java.base/java.lang.Thread.run(Thread.java:833)", ("Thread.java", 833)),
    ("/x/Foo.swift:12:5: error: cannot find 'x' in scope", ("/x/Foo.swift", 12)),
    ("Thread 1 Crashed:\n0   App   0x000000010 Foo.bar() + 12 (Foo.swift:12)", ("Foo.swift", 12)),
    ("MyApp/Foo.swift:12: Assertion failed: x", ("Foo.swift", 12)),
    ("lib/a.rb:12:in 'Integer#/': divided by 0 (ZeroDivisionError)", ("lib/a.rb", 12)),
    ("\tfrom lib/a.rb:12:in 'A.b'", ("lib/a.rb", 12)),
    ("# ./spec/a_spec.rb:12:in `block (2 levels) in <top (required)>'", ("./spec/a_spec.rb", 12)),
    ("app/models/user.rb:12:in `full_name'", ("app/models/user.rb", 12)),
    ("     Failure/Error: x\n     # ./lib/a.rb:12", ("./lib/a.rb", 12)),
    ("a.rb:12: syntax error, unexpected end", ("a.rb", 12)),
    ("PHP Warning:  x in /v/A.php on line 12", ("/v/A.php", 12)),
    ("#1 /v/A.php(12): A->b()", ("/v/A.php", 12)),
    ("Parse error: syntax error in A.php on line 12", ("A.php", 12)),
    ("A.php:12", ("A.php", 12)),
    (" at /v/A.php:12", ("/v/A.php", 12)),
    ("   at vendor/x/A.php:12\n", ("vendor/x/A.php", 12)),
    ("  12│     throw", None),
    ("   at N.C.<M>d__1.MoveNext() in C:\\s\\x y\\c.cs:line 12", ("C:/s/x y/c.cs", 12)),
    ("   at N.C.M[T](T x) in /x/y.cs:line 12", ("/x/y.cs", 12)),
    ("C:\\Program Files\\a\\y.cs(12,5): error CS0103: x", ("C:/Program Files/a/y.cs", 12)),
    ("/x/y.cs(12,5): warning CS1: y [/x/z.csproj::TargetFramework=net8.0]", ("/x/y.cs", 12)),
    ("UnityEngine.Debug:Log (object)\nFoo:Bar () (at Assets/x.cs:12)", ("Assets/x.cs", 12)),
    ("main.main.func1()\n\t/x/main.go:12 +0x1", ("/x/main.go", 12)),
    ("created by main.main in goroutine 1\n\t/x/main.go:12 +0x1", ("/x/main.go", 12)),
    ("./main.go:12:2: undefined: x", ("./main.go", 12)),
    ("2024/01/01 00:00:00 main.go:12: x", ("main.go", 12)),
    ("main.go:12:2: x (govet)", ("main.go", 12)),
    ("level=error caller=main.go:12 msg=x", ("main.go", 12)),
    ("  --> src/main.rs:12:5", ("src/main.rs", 12)),
    ("  ::: src/main.rs:12:5", ("src/main.rs", 12)),
    ("thread 'x' panicked at 'boom', src/main.rs:12:5", ("src/main.rs", 12)),
    (
        "             at /rustc/abc/library/std/src/x.rs:12:5",
        ("/rustc/abc/library/std/src/x.rs", 12),
    ),
    ("[src/main.rs:12:5] x = 3", ("src/main.rs", 12)),
    ("    at file:///x/a.mjs:12:5", ("/x/a.mjs", 12)),
    ("    at new Foo (C:\\x\\a.js:12:5)", ("C:/x/a.js", 12)),
    ("    at eval (eval at foo (/x/a.js:12:5), <anonymous>:1:1)", ("/x/a.js", 12)),
    ("foo@file:///x/a.js:12:5", ("/x/a.js", 12)),
    ("ERROR in ./src/a.ts 12:5", ("./src/a.ts", 12)),
    ("ERROR in src/a.ts:12:5", ("src/a.ts", 12)),
    ("  > 12 | x", None),
    ("src/a.ts(12,5): error TS1: x", ("src/a.ts", 12)),
    ("    at foo (webpack-internal:///(rsc)/./src/a.ts:12:5)", ("./src/a.ts", 12)),
    (
        "    at foo (rsc://React/Server/webpack-internal:///(rsc)/./src/a.ts?1:12:5)",
        ("./src/a.ts", 12),
    ),
    ("error: x\n      at foo (/x/a.ts:12:5)", ("/x/a.ts", 12)),
    (" FAIL  src/a.test.ts > suite > name", None),
    ('  File "x.py", line 12', ("x.py", 12)),
    ("x.py:12: in foo", ("x.py", 12)),
    ("x.py:12: ValueError", ("x.py", 12)),
    ("ERROR:root:x (x.py:12)", ("x.py", 12)),
    ("x.py:12:5: E501 line too long", ("x.py", 12)),
    ("************* Module a\nx.py:12:0: C0114: Missing (x)", ("x.py", 12)),
    ("x.c:12: undefined reference to `f'", ("x.c", 12)),
    ("x.o: In function `f':\nx.c:(.text+0x1): undefined", None),
    ("x.c:12:5: error: y", ("x.c", 12)),
    ('"x.c", line 12: error: y', ("x.c", 12)),
    ("make: *** [Makefile:12: all] Error 2", ("Makefile", 12)),
    ("Makefile:12: *** missing separator.  Stop.", ("Makefile", 12)),
    ("CMake Error at CMakeLists.txt:12 (find_package):", ("CMakeLists.txt", 12)),
    ("Assertion failed: x, file a.c, line 12", ("a.c", 12)),
    ("src/A.hs:12:5: error:", ("src/A.hs", 12)),
    ("src/A.hs:12:5-10: Non-exhaustive patterns in f", ("src/A.hs", 12)),
    ("  undefined, called at src/A.hs:12:5 in main:A", ("src/A.hs", 12)),
    ("src/a.erl:12:5: x", ("src/a.erl", 12)),
    ('    {a,b,1,[{file,"src/a.erl"},{line,12}]}', ("src/a.erl", 12)),
    ("a.nim(12, 5) Error: x", ("a.nim", 12)),
    ("a.zig:12:5: error: x", ("a.zig", 12)),
    ("/x/a.zig:12:5: 0x10 in main (a)", ("/x/a.zig", 12)),
    ("core.exception.RangeError@a.d(12): x", ("a.d", 12)),
    ("a.d(12): Error: x", ("a.d", 12)),
    ("In a.cr:12:5", ("a.cr", 12)),
    ("from a.cr:12:5 in 'foo'", ("a.cr", 12)),
    ("   at Foo.bar (res://a.gd:12)", ("a.gd", 12)),
    ('  on main.tf line 12, in resource "x" "y":', ("main.tf", 12)),
    ("The error appears to be in '/x/a.yml': line 12, column 3", ("/x/a.yml", 12)),
    ("a.fish (line 12): x", ("a.fish", 12)),
    ("./a.sh: line 12: x: command not found", ("./a.sh", 12)),
    ("In a.sh line 12:", ("a.sh", 12)),
    ("Dockerfile:12", ("Dockerfile", 12)),
    ("a.sol:12:5: Warning: x", ("a.sol", 12)),
    ("  --> contracts/a.sol:12:5:", ("contracts/a.sol", 12)),
    ("a.f90:12:5:", ("a.f90", 12)),
    ("forrtl: a.f90 12", None),
    ("a.pas(12,5) Error: x", ("a.pas", 12)),
    ("  $0040  FOO,  line 12 of a.pas", ("a.pas", 12)),
    ("raised CONSTRAINT_ERROR : a.adb:12 index check failed", ("a.adb", 12)),
    ("File a.sql, line 12", ("a.sql", 12)),
    ("psql:a.sql:12: ERROR: x", ("a.sql", 12)),
    ("a.tex:12: Undefined", ("a.tex", 12)),
    ("In file included from a.h:1,", ("a.h", 1)),
    ("Error: a.scss:12:3", ("a.scss", 12)),
    ("  a.scss 12:3  root stylesheet", ("a.scss", 12)),
    ("12:30:15.123 INFO hello", None),
    ("connect to 127.0.0.1:8080 failed", None),
    ("see https://example.com:8080/x", None),
]


@pytest.mark.parametrize(("text", "place"), PLACES, ids=[text.strip()[:60] for text, _ in PLACES])
def test_the_place_of_a_form(text: str, place: tuple[str, int] | None) -> None:
    placed = [frame for frame in parse_trace(text).frames if frame.path]
    assert [(frame.path, frame.line) for frame in placed[-1:]] == (
        [place] if place is not None else []
    )


AROUND = [
    '\x1b[31m  File "a/x.py", line 12, in f\x1b[0m',
    '2024-05-01T10:00:00.1234567Z   File "a/x.py", line 12, in f',
    'web-1  |   File "a/x.py", line 12, in f',
    '  |   File "a/x.py", line 12, in f',
    'Jan  1 12:00:00 host app[12]:   File "a/x.py", line 12, in f',
    "│ /srv/a/x.py:12 in f          │",
]


@pytest.mark.parametrize("line", AROUND)
def test_the_surroundings_of_a_line_are_not_part_of_it(line: str) -> None:
    (frame,) = parse_trace(line).frames
    assert (frame.path.endswith("a/x.py"), frame.line, frame.symbol) == (True, 12, "f")


def test_places_below_the_path_of_their_file() -> None:
    text = """
/srv/a/x.ts
  12:3  error  Unexpected any  no-explicit-any
  13:9  warning  x  y

 ------ ----
  Line   src/Client.php
 ------ ----
  101    Method x should return

FILE: /srv/B.php
 14 | ERROR | [x] Missing
"""
    assert [(frame.path, frame.line) for frame in parse_trace(text).frames] == [
        ("/srv/a/x.ts", 12),
        ("/srv/a/x.ts", 13),
        ("src/Client.php", 101),
        ("/srv/B.php", 14),
    ]
    assert parse_trace("  12:3  error  no file above it\n").frames == []


TREE: dict[str, str | bytes] = {
    "source/core/index.ts": "class Request {\n  send() {\n    return 1;\n  }\n}\n",
    "other/core/index.ts": "class Other {\n  send2() {}\n}\n",
    "source/twice/a.ts": "class A { go() {} }\nclass B { go() {} }\n",
    "main.go": "package main\n\nfunc main() {\n}\n",
    "deep/core.py": "def first():\n    return 1\n\n\ndef second():\n    return 2\n",
    "tests/test_core.py": "class TestCore:\n    def test_a(self):\n        assert 1\n",
}


def test_a_compiled_file_leads_to_the_function_in_its_source(make_workspace: Maker) -> None:
    tree = make_workspace(TREE)
    (frame,) = tree.trace(
        "    at Request.send (/app/node_modules/got/dist/source/core/index.js:1132:31)"
    ).frames
    assert (frame.file_path, frame.line, frame.symbol and frame.symbol.name) == (
        "source/core/index.ts",
        2,
        "send",
    )
    for lost in (
        "at A.go (/app/dist/twice/a.js:1:1)",
        "at none (/app/dist/source/core/index.js:1:1)",
        "at /app/dist/core/index.js:2:1",
    ):
        assert not tree.trace("    " + lost).frames, lost


def test_a_function_outside_of_its_line_is_reported(make_workspace: Maker) -> None:
    tree = make_workspace(TREE)
    response = tree.trace(
        '  File "/x/deep/core.py", line 2, in second\n  File "/x/deep/core.py", line 6, in second\n'
    )
    assert [(frame.line, frame.symbol and frame.symbol.name) for frame in response.frames] == [
        (2, "first"),
        (6, "second"),
    ]
    assert response.notices == [
        "frame 1 names second, which is at deep/core.py:5: the line of the frame is outside of it, so another version of the file may "
        "have failed"
    ]
    assert "another version" in render_trace(response)
    assert not tree.trace('  File "/x/deep/core.py", line 2, in <lambda>').notices


def test_at_most_five_frames_are_reported_as_different(make_workspace: Maker) -> None:
    notices = (
        make_workspace(TREE).trace('  File "/x/deep/core.py", line 2, in second\n' * 9).notices
    )
    assert isinstance(notices, list) and len(notices) == 6
    assert notices[-1] == "4 other frames are outside of the functions that they name"


def test_a_test_by_the_name_that_its_runner_prints(make_workspace: Maker) -> None:
    tree = make_workspace(TREE)
    for line in (
        "FAILED tests/test_core.py::TestCore::test_a[1-x] - assert 0",
        "tests/test_core.py::TestCore::test_a PASSED",
    ):
        (frame,) = tree.trace(line).frames
        assert (frame.file_path, frame.line) == ("tests/test_core.py", 2)


def test_a_file_of_the_root_below_a_folder_of_its_name_and_version(
    make_workspace: Maker, tmp_path: Path
) -> None:
    tree = make_workspace(TREE)
    name = tree.root.name
    for path in (
        f"/home/u/{name}/main.go",
        f"/go/pkg/mod/x.com/y/{name}@v1.2.3/main.go",
        f"/src/{name}-1.2.3/main.go",
    ):
        assert [frame.line for frame in tree.trace(f"\t{path}:3 +0x1d").frames] == [3], path
    assert not tree.trace("\t/home/u/elsewhere/main.go:3 +0x1d").frames
    frame = tree.trace(f"   4: {name.replace('-', '_')}::deep::core::second\n").frames[0]
    assert (frame.file_path, frame.line) == ("deep/core.py", 5)
    assert not tree.trace("   4: elsewhere::other::second\n").frames


@pytest.mark.nightly
@pytest.mark.parametrize(
    "line",
    [
        "a.b " * 240,
        "/" * 990,
        "x:" * 490,
        "| " * 490,
        "\x1b[1m" * 240,
        "(" * 990,
        "a.b line " * 100,
    ],
)
def test_lines_made_to_be_slow(line: str) -> None:
    assert len(line) <= LONGEST_LINE
    began = time.monotonic()
    parse_trace((line + "\n") * 200)
    assert time.monotonic() - began < 5


def test_a_frame_may_name_what_its_line_calls(make_workspace: Maker) -> None:
    source = "<?php\nclass A {\n  function one() {\n    $this->two('x');\n  }\n  function two($x) {\n    fail();\n  }\n}\n"
    response = make_workspace({"src/A.php": source}).trace(
        "#0 /var/www/src/A.php(4): A->two('x')\n#1 {main}\n"
    )
    assert [(frame.line, frame.symbol and frame.symbol.name) for frame in response.frames] == [
        (4, "one")
    ] and not response.notices
