"""Places printed by traces, compilers and logs: single frames as symbols, and whole traces."""

import re
import time

import pytest

from symindex.errors import RequestError
from symindex.explore.trace.demangle import demangle
from symindex.explore.trace.frames import (
    MOST_FRAMES,
    MOST_LINES,
    as_code_names,
    parse_frame,
    parse_trace,
)
from symindex.render.trace import render_trace
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

TREE: dict[str, str | bytes] = {
    "tsdb/head.go": "package tsdb\n\ntype Head struct{}\n\nfunc (h *Head) Append(x int) error {\n\tfn := func() {}\n\tfn()\n\treturn nil\n}\n",
    "src/main/java/org/shop/Cart.java": (
        "package org.shop;\n\nclass Cart {\n  class Item {\n    int price(int a) { return a; }\n    int price(String s) {\n"
        "      return 2;\n    }\n  }\n\n  Cart() {}\n\n  void run() { list.forEach(x -> x.go()); }\n}\n"
    ),
    "other/java/org/other/Cart.java": "package org.other;\nclass Cart {\n  void stop() {}\n}\n",
    "helix-core/src/selection.rs": (
        "pub struct Range;\n\nimpl Range {\n    pub fn merge(&self) -> u8 {\n        0\n    }\n}\n\n"
        "impl std::fmt::Debug for Range {\n    fn fmt(&self) -> u8 {\n        1\n    }\n}\n"
    ),
    "app/models/query.py": "class Query:\n    def get(self):\n        def inner():\n            raise KeyError\n        return inner()\n",
    "web/layer.js": "class Layer {\n  handle(req) {\n    return req.go();\n  }\n}\nfunction next() {\n  return 1;\n}\n",
    "db/db_impl.cc": "namespace leveldb {\nStatus DBImpl::Get(const ReadOptions& o, const Slice& k) {\n  return Status();\n}\n}\n",
    "lib/shop.rb": "class Shop\n  def open(a)\n    a.each { |x| x }\n  end\nend\n",
    "Net/Shop.cs": "namespace Net {\n  class Shop {\n    async Task<int> Open(string a) {\n      return 1;\n    }\n  }\n}\n",
    "www/shop.php": "<?php\nnamespace Www;\nclass Shop {\n  function open() {\n    return 1;\n  }\n}\n",
    "src/server.c": "int process(int c) {\n  return c;\n}\n",
    "apps/till/lib/till/drawer.ex": (
        "defmodule Till.Drawer do\n  def shut(0), do: :ok\n  def shut(n) do\n    Enum.map(n, fn x -> x end)\n  end\n\n"
        "  def lock(a, b), do: a + b\nend\n\ndefimpl Inspect, for: Till.Drawer do\n  def inspect(d, _), do: d\nend\n"
    ),
    "apps/till/test/drawer_test.exs": 'defmodule Till.DrawerTest do\n  test "shuts" do\n    Till.Drawer.shut(1)\n  end\nend\n',
    "src/ledger.erl": "-module(ledger).\n-export([post/2]).\npost([], _) -> ok;\npost([H | T], F) ->\n    F(H),\n    post(T, F).\n",
    "app/Http/Till.php": "<?php\nnamespace App\\Http;\nclass Till {\n  public function shut() {\n    return 1;\n  }\n}\n",
    "src/Till/Drawer.hs": "module Till.Drawer where\n\nshut :: Int -> Int\nshut 0 = 1\nshut n = error n\n",
    "bin/till.ml": "let shut x =\n  x + 1\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    from tests.support.files import write_files

    root = write_files(tmp_path_factory.mktemp("traced") / "tree", TREE)
    return Workspace(root, root.parent / "indexes")


SPELLINGS = {
    "github.com/x/y/tsdb.(*Head).Append": "tsdb/head.go#Head.Append",
    "tsdb.(*Head).Append.func1": "tsdb/head.go#Head.Append",
    "github.com/x/y/tsdb.(*Head).Append(0xc000, 0x1)": "tsdb/head.go#Head.Append",
    "org.shop.Cart$Item.price(Cart.java:7)": "src/main/java/org/shop/Cart.java#Cart.Item.price~2",
    "at org.shop.Cart$Item.price(Cart.java:5)": "src/main/java/org/shop/Cart.java#Cart.Item.price",
    "org.other.Cart.stop(Cart.java:3)": "other/java/org/other/Cart.java#Cart.stop",
    "org.shop.Cart.lambda$run$0(Cart.java:13)": "src/main/java/org/shop/Cart.java#Cart.run",
    "org.shop.Cart.lambda$run$0": "src/main/java/org/shop/Cart.java#Cart.run",
    "helix_core::selection::Range::merge": "helix-core/src/selection.rs#Range.merge",
    "helix_core::Range": "helix-core/src/selection.rs#Range",
    "helix_core::selection::{impl#0}::merge": "helix-core/src/selection.rs#Range.merge",
    "<helix_core::selection::Range as core::fmt::Debug>::fmt": "helix-core/src/selection.rs#Range.fmt",
    "helix_core::selection::Range::merge::{{closure}}": "helix-core/src/selection.rs#Range.merge",
    "helix_core::selection::Range::merge::h0123456789abcdef": "helix-core/src/selection.rs#Range.merge",
    'File "/home/bob/venv/app/models/query.py", line 5, in get': "app/models/query.py#Query.get",
    "Query.get.<locals>.inner": "app/models/query.py#Query.get.inner",
    "at Layer.handle (file:///srv/web/layer.js:3:12)": "web/layer.js#Layer.handle",
    "at Object.next (webpack://app/./web/layer.js?1a2b:7:1)": "web/layer.js#next",
    "at new Layer (/srv/web/layer.js:1:1)": "web/layer.js#Layer",
    "leveldb::DBImpl::Get(leveldb::ReadOptions const&, leveldb::Slice const&)": "db/db_impl.cc#leveldb.DBImpl.Get",
    "_ZN7leveldb6DBImpl3GetERKNS_11ReadOptionsERKNS_5SliceE": "db/db_impl.cc#leveldb.DBImpl.Get",
    "/usr/src/lib/shop.rb:3:in 'Shop#open'": "lib/shop.rb#Shop.open",
    "lib/shop.rb:3:in `block in open'": "lib/shop.rb#Shop.open",
    "Shop#open": "lib/shop.rb#Shop.open",
    "at Net.Shop.Open(String a) in C:\\src\\Net\\Shop.cs:line 4": "Net/Shop.cs#Net.Shop.Open",
    "Net.Shop.<Open>d__5.MoveNext()": "Net/Shop.cs#Net.Shop.Open",
    "#0 /var/www/shop.php(5): Www\\Shop->open('x')": "www/shop.php#Www.Shop.open",
    "#1  0x00005555 in process (c=1) at src/server.c:2": "src/server.c#process",
    "    #0 0x4f1 in process /build/src/server.c:2:9": "src/server.c#process",
    "src/server.c:2:5: error: expected ';'": "src/server.c#process",
    "/build/42/src/server.c:2": "src/server.c#process",
    "(till 0.1.0) lib/till/drawer.ex:4: Till.Drawer.shut/1": "apps/till/lib/till/drawer.ex#Till.Drawer.shut",
    "Till.Drawer.lock/2": "apps/till/lib/till/drawer.ex#Till.Drawer.lock",
    "anonymous fn/1 in Till.Drawer.shut/1": "apps/till/lib/till/drawer.ex#Till.Drawer.shut",
    'Till.Drawer."-shut/1-fun-0-"/1': "apps/till/lib/till/drawer.ex#Till.Drawer.shut",
    "(till 0.1.0) lib/till/drawer.ex:11: Inspect.Till.Drawer.inspect/2": "apps/till/lib/till/drawer.ex#Inspect.Till.Drawer.inspect",
    "Inspect.Till.Drawer.inspect/2": "apps/till/lib/till/drawer.ex#Inspect.Till.Drawer.inspect",
    "ledger:post/2": "src/ledger.erl#ledger.post",
    "ledger:'-post/2-fun-0-'/1": "src/ledger.erl#ledger.post",
    "App\\Http\\Till->shut()": "app/Http/Till.php#App.Http.Till.shut",
    "App\\Http\\Till->App\\Http\\{closure}": "app/Http/Till.php#App.Http.Till",
    "{closure:App\\Http\\Till::shut():5}": "app/Http/Till.php#App.Http.Till.shut",
    "error, called at src/Till/Drawer.hs:5:10 in main:Till.Drawer": "src/Till/Drawer.hs#shut",
    'Called from Till.shut in file "bin/till.ml", line 2, characters 2-7': "bin/till.ml#shut",
}


@pytest.mark.sample(41)
@pytest.mark.parametrize(("text", "expected"), SPELLINGS.items(), ids=SPELLINGS)
def test_what_a_trace_prints_is_a_symbol(tree: Workspace, text: str, expected: str) -> None:
    response = tree.symbol(text)
    assert response.symbol is not None, (response.others, response.suggestions)
    assert response.symbol.id == expected


GO = """panic: runtime error: index out of range

goroutine 1 [running]:
github.com/x/y/tsdb.(*Head).Append(0xc000010000, 0x1)
\t/go/src/github.com/x/y/tsdb/head.go:7 +0x1d
net/http.(*Server).Serve(0xc0000, 0x12)
\t/usr/local/go/src/net/http/server.go:3102 +0x4db
created by main.main in goroutine 1
\t/go/src/elsewhere/main.go:12 +0x1
"""

PYTHON = """Traceback (most recent call last):
  File "/home/bob/lib/python3.12/site-packages/flask/app.py", line 55, in wsgi_app
    response = self.full_dispatch_request()
  File "/home/bob/venv/app/models/query.py", line 5, in get
    return inner()
  File "/home/bob/venv/app/models/query.py", line 4, in inner
    raise KeyError
KeyError
"""


def test_a_whole_trace(tree: Workspace) -> None:
    response = tree.trace(PYTHON)
    assert [
        (frame.number, frame.file_path, frame.line, frame.code) for frame in response.frames
    ] == [
        (2, "app/models/query.py", 5, "return inner()"),
        (3, "app/models/query.py", 4, "raise KeyError"),
    ]
    assert [frame.symbol.name for frame in response.frames if frame.symbol] == ["get", "inner"]
    text = render_trace(response)
    assert "3 frames, 2 in the workspace" in text and "- … 1 elsewhere" in text


def test_a_frame_in_two_lines(tree: Workspace) -> None:
    response = tree.trace(GO)
    assert (
        response.total,
        [(frame.number, frame.file_path, frame.line) for frame in response.frames],
    ) == (3, [(1, "tsdb/head.go", 7)])


IN_LINES = {
    "Elixir": (
        """** (ArithmeticError) bad argument in arithmetic expression: :a + 1
    (elixir 1.17.2) lib/enum.ex:1703: anonymous fn/3 in Enum.map/2
    (till 0.1.0) lib/till/drawer.ex:4: anonymous fn/1 in Till.Drawer.shut/1
    (till 0.1.0) Till.Drawer.lock(:a, 1)
    test/drawer_test.exs:3: (test)
    (stdlib 6.0) erl_eval.erl:744: :erl_eval.do_apply/7
""",
        [
            ("apps/till/lib/till/drawer.ex", 4),
            ("apps/till/lib/till/drawer.ex", 7),
            ("apps/till/test/drawer_test.exs", 3),
        ],
    ),
    "Erlang: terms, several in a line and over two": (
        """** Reason for termination ==
** {function_clause,[{lists,map,2,[{file,"lists.erl"},{line,3}]},{ledger,'-post/2-fun-0-',1,[{file,
               "/build/src/ledger.erl"},{line,5}]},{ledger,post,2,[{file,"/build/src/ledger.erl"},{line,6}]},
               {gen_server,try_dispatch,4,[]}]}
""",
        [("src/ledger.erl", 5), ("src/ledger.erl", 6)],
    ),
    "Erlang: the shell and loggers": (
        """** exception error: no function clause matching ledger:post(1,2) (src/ledger.erl, line 3)
     in function  lists:foreach/2 (lists.erl, line 1342)
     in call from ledger:post/2 (src/ledger.erl, line 5)
gen_server reached terminated with reason: badarg in ledger:post/2 line 6
""",
        [("src/ledger.erl", 3), ("src/ledger.erl", 5), ("src/ledger.erl", 6)],
    ),
    "Erlang's frames as Elixir writes them": (
        """{:badarg, [{Till.Drawer, :shut, 1, [file: ~c"lib/till/drawer.ex", line: 4]}, {:ledger, :post, 2, [file: ~c"src/ledger.erl", line: 5]}]}""",
        [("apps/till/lib/till/drawer.ex", 4), ("src/ledger.erl", 5)],
    ),
    "Laravel's log": (
        """[2024-05-01 10:00:00] local.ERROR: Boom {"exception":"[object] (RuntimeException(code: 0): Boom at /var/www/app/Http/Till.php:5)
[stacktrace]
#0 [internal function]: App\\Http\\Till->shut(Object(Request))
#1 /var/www/app/Http/Till.php(5): App\\Http\\Till->App\\Http\\{closure}(Object(Request))
#2 /var/www/vendor/laravel/framework/src/Illuminate/Pipeline/Pipeline.php(162): array_reduce()
#3 {main}
[previous exception] [object] (PDOException(code: 2): Gone at /var/www/app/Http/Till.php:4)
""",
        [
            ("app/Http/Till.php", 5),
            ("app/Http/Till.php", 4),
            ("app/Http/Till.php", 5),
            ("app/Http/Till.php", 4),
        ],
    ),
    "Laravel's log as JSON": (
        r"""{"message":"Boom","context":{"exception":{"file":"\/srv\/app\/Http\/Till.php:4","trace":["/srv/app/Http/Till.php:5","/srv/vendor/x/Y.php:6"]}}}
{"text":"Boom\n#0 /srv/app/Http/Till.php(4): App\\Http\\Till->shut(1, Object(X))\n#1 /srv/vendor/y.php(3): y()"}
{"exception":"E","file":"/srv/app/Http/Till.php","line":4,"trace":[{"file":"/srv/app/Http/Till.php","line":5,"function":"f"}]}
""",
        [("app/Http/Till.php", line) for line in (4, 5, 4, 4, 5)],
    ),
    "Haskell": (
        """till: Prelude.undefined
CallStack (from HasCallStack):
  error, called at src/Till/Drawer.hs:5:10 in till-0.1-inplace:Till.Drawer
  shut, called at app/Main.hs:3:1 in main:Main
""",
        [("src/Till/Drawer.hs", 5)],
    ),
    "OCaml": (
        """Fatal error: exception Not_found
Raised at Stdlib__Hashtbl.find in file "hashtbl.ml", line 547, characters 13-28
Called from Dune__exe__Till.shut in file "bin/till.ml" (inlined), line 2, characters 2-7
""",
        [("bin/till.ml", 2)],
    ),
    "valgrind, assertions, what includes a file": (
        """==1==    at 0x10C3A0: process (server.c:2)
==1==    by 0x10C3A0: leveldb::DBImpl::Get(leveldb::ReadOptions const&) (db_impl.cc:3)
   by 0x10C3A0: process (server.c:1)
prog: server.c:2: process: Assertion `c > 0' failed.
Assertion failed: (c > 0), function process, file server.c, line 2.
Assertion failed: c > 0 (server.c: process: 2)
In file included from src/server.c:1,
                 from src/server.c:3:
""",
        [
            ("src/server.c", 2),
            ("db/db_impl.cc", 3),
            *(("src/server.c", line) for line in (1, 2, 2, 2, 1, 3)),
        ],
    ),
    "Swift, Dart, Lua, Perl, Julia, Nim, Crystal, PowerShell, shells": (
        """4   till  0x000001 shut() + 12 (server.c:1)
#0      shut (package:x/src/server.c:2:5)
lua: src/server.c:1: in function 'process'
died at src/server.c line 2.
 [1] process(x::Int64)
   @ Main ~/src/server.c:1
  from src/server.c:2:3 in 'process'
At C:\\x\\src\\server.c:1 char:5
./src/server.c: line 2: foo: command not found
""",
        [("src/server.c", line) for line in (1, 2, 1, 2, 1, 2, 1, 2)],
    ),
}


@pytest.mark.parametrize(("text", "places"), IN_LINES.values(), ids=IN_LINES)
def test_the_frames_of_a_runtime(tree: Workspace, text: str, places: list[tuple[str, int]]) -> None:
    assert [(frame.file_path, frame.line) for frame in tree.trace(text).frames] == places


def test_a_trace_of_another_project(tree: Workspace) -> None:
    response = tree.trace(
        '  File "/x/numpy/core.py", line 3, in dot\n  File "/x/other.py", line 4, in get\n'
    )
    assert response.frames == [] and response.total == 2
    assert "2 frames, 0 in the workspace" in render_trace(response)


@pytest.mark.parametrize(
    "text", ["", "nothing here\nat all", "x" * 100_000, "\ud800\n\ud801", "\0\n\0"]
)
def test_what_is_no_trace(tree: Workspace, text: str) -> None:
    with pytest.raises(RequestError, match="no line looks like a frame of a stack trace"):
        tree.trace(text)


@pytest.mark.slow
def test_a_trace_of_a_million_lines(tree: Workspace) -> None:
    began = time.monotonic()
    response = tree.trace(PYTHON * 150_000)
    assert time.monotonic() - began < 20
    assert (
        response.looked_up == MOST_FRAMES and len(response.frames) <= MOST_FRAMES < response.total
    )
    assert response.notices == [
        f"{len(PYTHON.splitlines()) * 150_000 - MOST_LINES:,} lines were not read, in the middle;"
        " frames there are not counted"
    ]


@pytest.mark.parametrize(
    "n_frames", [1, MOST_FRAMES - 1, MOST_FRAMES, MOST_FRAMES + 1, 3 * MOST_FRAMES]
)
def test_frames_beyond_the_limit(tree: Workspace, n_frames: int) -> None:
    """The first frames and the last are looked up: some runtimes print the innermost frame first,
    others last."""
    half = MOST_FRAMES // 2
    numbers = {1, half, half + 1, n_frames - half, n_frames - half + 1, n_frames}
    response = tree.trace(
        "".join(
            f'  File "/x/{"app/models/query" if number in numbers else "numpy/core"}.py", line 4, in f\n'
            for number in range(1, n_frames + 1)
        )
    )
    looked_up = {
        number
        for number in range(1, n_frames + 1)
        if n_frames <= MOST_FRAMES or number <= half or number > n_frames - half
    }
    assert (response.total, response.looked_up) == (n_frames, len(looked_up))
    assert [frame.number for frame in response.frames] == sorted(numbers & looked_up)
    page = render_trace(response)
    # Each frame has a row or is counted in a row of several.
    counts = [
        int(count) for count in re.findall(r"^- … (\d+) (?:elsewhere|not looked up)$", page, re.M)
    ]
    assert sum(counts) + len(response.frames) == n_frames
    left_out = f"{n_frames - MOST_FRAMES} not looked up", "first 50 and the last 50 were looked up"
    assert all((words in page) is (n_frames > MOST_FRAMES) for words in left_out)


@pytest.mark.nightly
@pytest.mark.parametrize("n_lines", [MOST_LINES - 1, MOST_LINES, MOST_LINES + 1, MOST_LINES + 2])
def test_lines_beyond_the_limit(n_lines: int) -> None:
    """The first lines and the last are read, and lines on both sides of the gap are not joined."""
    half = MOST_LINES // 2
    lines = ["filler"] * n_lines
    lines[0], lines[-1] = "a.py:1: error", "z.py:9: error"
    lines[half - 1], lines[n_lines - half] = "main.run()", "\t/go/main.go:7 +0x1d"
    if n_lines > MOST_LINES:
        lines[half] = lines[n_lines - half - 1] = "left_out.py:5: error"
    parsed = parse_trace("\n".join(lines))
    assert parsed.n_unread == max(n_lines - MOST_LINES, 0)
    places = [(frame.symbol, frame.path) for frame in parsed.frames]
    assert (places[0], places[-1]) == (("", "a.py"), ("", "z.py"))
    assert (("main.run", "/go/main.go") in places) is (n_lines == MOST_LINES)
    assert "left_out.py" not in dict(places).values()


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "at " + "(" * 900,
        "<" * 500 + " as " + ">" * 400,
        "a." * 480 + "(",
        "#0 0x1 in " + "x (" * 300,
        "a__" * 300,
        "'-" + "/1" * 400,
        "\\\\a" * 300,
    ],
)
def test_lines_made_to_be_slow(line: str) -> None:
    began = time.monotonic()
    for _ in range(50):
        parse_frame(line)
        as_code_names(line)
    assert time.monotonic() - began < 5


def test_lines_that_are_too_long_are_ignored() -> None:
    assert parse_frame('  File "/x.py", line 1' + "x" * 2_000) is None


MANGLED = {
    "_ZN3std6vectorIiSaIiEE9push_backEOi": "std::vector::push_back",
    "_Z3foov": "foo",
    "_ZN2ns3FooC1Ei": "ns::Foo::Foo",
    "_ZN2ns3FooD2Ev": "ns::Foo::~Foo",
    "_ZNK2ns3Foo3barEv": "ns::Foo::bar",
    "_ZN12_GLOBAL__N_13fooEv": "foo",
    "_ZN5tokio4task5spawn17h0123456789abcdefE": "tokio::task::spawn::h0123456789abcdef",
    "_RNvCs1234_7mycrate3foo": "mycrate::foo",
    "_Z": "_Z",
    "_ZN": "_ZN",
    "plain": "plain",
    "_ZN99999999foo": "_ZN99999999foo",
}


@pytest.mark.parametrize(("mangled", "expected"), MANGLED.items())
def test_mangled_names(mangled: str, expected: str) -> None:
    assert demangle(mangled) == expected or (expected == mangled and "::" not in demangle(mangled))


def test_a_name_that_no_trace_prints_is_unchanged(make_workspace: Maker) -> None:
    for name in ("Cart.total", "parse_frame", "operator->", "a-b", "Foo::bar"):
        assert as_code_names(name) in (
            name,
            name.replace("->", "."),
            name.removesuffix("->").strip(),
        )


def test_the_line_and_the_function_choose_among_files_of_one_name(make_workspace: Maker) -> None:
    tall = "\n" * 20 + "int dictAdd(int d) {\n  return d;\n}\n"
    tree = make_workspace({
        "deps/hiredis/dict.c": "static int dictAdd(int d) {\n  return d;\n}\n",
        "dict.c": "int other;\n",
        "src/dict.c": tall,
        "zoo/dict.c": "\n" * 40,
    })  # fmt: skip
    for line in (
        "#0  0x0000 in dictAdd (d=0x0) at dict.c:22",
        "==1==    at 0x10C3A0: dictAdd (dict.c:22)",
    ):
        frame = tree.trace(line).frames[0]
        assert (frame.file_path, frame.line, frame.others) == ("src/dict.c", 22, 0), line
    assert (
        tree.trace("#0  0x0000 in dictAdd (d=0x0) at dict.c:2").frames[0].file_path
        == "deps/hiredis/dict.c"
    )
