"""What stands in files: which symbols a text means, one symbol looked at closely, outlines that fit."""

import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from symindex.errors import RequestError
from symindex.explore.tree import IndexedFile, Row, rows_of
from symindex.protocol import OutlineItem, OutlineRequest, OutlineResponse, SymbolRequest, SymbolResponse
from symindex.render.hints import SHELL, TOOLS
from symindex.render.outline import render_outline
from symindex.render.symbol import render_symbol
from symindex.text.token_budget import MOST_TOKENS, estimate_tokens
from symindex.workspace import Workspace
from tests.conftest import Files, Maker, write_files

TREE: Files = {
    "src/net/server.go": (
        "package net\n\n// Server serves.\ntype Server struct {\n\taddr string\n}\n\n"
        "// Serve does it.\nfunc (s *Server) Serve(n int) error { return nil }\n\nfunc Serve() {}\n\nfunc (s *Server) stop() {}\n"
    ),
    "src/net/more.go": "package net\n\nfunc (s *Server) Close() error { return nil }\n",
    "other/more.go": "package other\n\ntype Server struct{}\n\nfunc (s *Server) Elsewhere() {}\n",
    "src/shape.rs": (
        "pub struct Shape { side: u8 }\n\nimpl Shape {\n    pub fn new() -> Shape { Shape { side: 1 } }\n}\n\n"
        "impl Default for Shape {\n    fn default() -> Self { Shape::new() }\n}\n"
    ),
    "src/db.h": "namespace db {\nclass Slice {\n public:\n  Slice();\n  int size(int a) const;\n};\n}\n",
    "src/db.cc": (
        '#include "db.h"\nnamespace db {\nSlice::Slice() {}\nint Slice::size(int a) const {\n  return a;\n}\n'
        "bool operator==(const Slice& a, const Slice& b) { return true; }\n}\n"
    ),
    "java/com/acme/Buf.java": (
        "package com.acme;\npublic class Buf {\n  public Buf() {}\n  public Buf(int n) {}\n"
        "  void put(int a) {}\n  void put(String a) {}\n}\n"
    ),
    "web/cart.ts": (
        "export function total(a: string): void;\nexport function total(a: number): void;\n"
        "export function total(a: any): void {}\n"
        'describe("a cart: with #odd / things", () => {\n  it("adds. up", () => {});\n});\n'
    ),
    "py/shop.py": (
        "import functools\n\n\nclass Cart:\n    '''Holds things.'''\n\n    @functools.cache\n    def total(self):\n"
        "        '''Sums up.'''\n        return 1\n\n    def _secret(self): pass\n\n\nVALUE = 1\n"
    ),
    "py/shop.pyi": "class Cart:\n    def total(self) -> int: ...\n",
    "tests/test_shop.py": "class Cart:\n    def total(self): pass\n\n\ndef only_tested(): pass\n",
    "vendor/shop.py": "def only_tested(): pass\n",
    "empty.py": "",
    "notes.xyz": "nothing\n",
    "program": b"\0\1\2",
    "docs/a.xyz": "nothing\n",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("reading")
    with Workspace(write_files(folder / "tree", TREE), folder / "index") as workspace:
        workspace.refresh()
        yield workspace


def meant(tree: Workspace, text: str) -> str:
    """What a text means: the id that is shown, or the ids of those that may be meant, or `none` and what is near."""
    response = tree.symbol(text)
    assert render_symbol(response)
    if response.symbol is not None:
        return response.symbol.id
    if response.others:
        return " | ".join(each.id for each in response.others)
    return "none: " + ", ".join(response.suggestions or [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # ids
        ("src/net/server.go#Server.Serve", "src/net/server.go#Server.Serve"),
        ("java/com/acme/Buf.java#Buf.put~2", "java/com/acme/Buf.java#Buf.put~2"),
        ("web/cart.ts#a cart: with #odd / things.adds. up", "web/cart.ts#a cart: with #odd / things.adds. up"),
        # a qualified name is that, and not also a function of a file of that name
        ("Server.Serve", "src/net/server.go#Server.Serve"),
        ("Server::Serve", "src/net/server.go#Server.Serve"),
        ("Server#Serve", "src/net/server.go#Server.Serve"),
        ("(*Server).Serve", "src/net/server.go#Server.Serve"),
        ("Server.Serve()", "src/net/server.go#Server.Serve"),
        ("Server.Serve(n int)", "src/net/server.go#Server.Serve"),
        ("Shape::new", "src/shape.rs#Shape.new"),
        ("crate::geometry::Shape::new", "src/shape.rs#Shape.new"),
        ("Shape::<u8>::default", "src/shape.rs#Shape.default"),
        ("com.acme.Buf", "java/com/acme/Buf.java#Buf"),
        ("operator==", "src/db.cc#db.operator=="),
        ("a cart: with #odd / things", "web/cart.ts#a cart: with #odd / things"),
        ("adds. up", "web/cart.ts#a cart: with #odd / things.adds. up"),
        # a definition is meant rather than its declarations, a type rather than its constructors
        ("Slice::size", "src/db.cc#db.Slice.size"),
        ("db::Slice", "src/db.h#db.Slice"),
        ("Buf", "java/com/acme/Buf.java#Buf"),
        ("cart.total", "web/cart.ts#total~3"),
        # what stands before the name in the path; a path without its beginning; other cases
        ("net.Server", "src/net/server.go#Server"),
        ("net/server.go#Serve", "src/net/server.go#Serve"),
        ("server.go:9", "src/net/server.go#Server.Serve"),
        ("src\\net\\server.go#Serve", "src/net/server.go#Serve"),
        ("shape::NEW", "src/shape.rs#Shape.new"),
        # as others write it
        ("py/shop.py::Cart::total", "py/shop.py#Cart.total"),
        ("shop.py:Cart.total", "py/shop.py#Cart.total"),
        ("`Server.Serve`", "src/net/server.go#Server.Serve"),
        ("fn default() -> Self", "src/shape.rs#Shape.default"),
        ("struct Shape", "src/shape.rs#Shape"),
        # several
        ("Buf.put", "java/com/acme/Buf.java#Buf.put | java/com/acme/Buf.java#Buf.put~2"),
        ("Server", "other/more.go#Server | src/net/server.go#Server"),
        ("Cart", "py/shop.py#Cart | py/shop.pyi#Cart"),
        ("only_tested", "tests/test_shop.py#only_tested | vendor/shop.py#only_tested"),
        # places
        ("py/shop.py:7", "py/shop.py#Cart.total"),
        ("py/shop.py:8:5", "py/shop.py#Cart.total"),
        ("./py/../py/shop.py:6", "py/shop.py#Cart"),
        # none
        ("Cart.totl", "none: total"),
        ("py/shop.py#Cart.totl", "none: py/shop.py#Cart.total, py/shop.py#Cart, py/shop.py#Cart._secret"),
        ("Nowhere.total", "none: Cart.total, total"),
        ("a." * 400 + "b", "none: db"),
        ("\x00", "none: "),
        ("\u202eevil\n", "none: "),
    ],
)
def test_what_a_text_means(tree: Workspace, text: str, expected: str) -> None:
    assert meant(tree, text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \t", "is empty"),
        ("x" * 100_000, "has 100,000 characters"),
        ("\ud800", "not valid Unicode"),
        ("py/shop.py:2", "no symbol stands on that line; nearest: py/shop.py#Cart (lines 4-12)"),
        ("py/shop.py:99999", "nearest: py/shop.py#VALUE (lines 15-15)"),
        ("empty.py:1", "the file defines nothing"),
        ("notes.xyz:1", "of no language that symindex reads (.xyz)"),
        ("py/shup.py:3", "no file or folder 'py/shup.py'; nearest: py/shop.py"),
        ("more.go:3", "more.go is the end of 2 paths: "),
        ("../x.py:3", "leads out of the root"),
        ("/etc/passwd:3", "is outside of the root"),
        ("py/shop.py", "is a file"),
    ],
)
def test_texts_that_mean_nothing_say_why(tree: Workspace, text: str, words: str) -> None:
    with pytest.raises(RequestError, match=re.escape(words)):
        tree.symbol(text)


def test_a_symbol_says_what_it_is_once(tree: Workspace) -> None:
    assert render_symbol(tree.symbol("Server.Serve")) == (
        "# Symbol: `src/net/server.go#Server.Serve`\nmethod in `Server`, go, line 9\n\n> Serve does it.\n\n"
        "```go\nfunc (s *Server) Serve(n int) error { return nil }\n```\n"
    )
    text = render_symbol(tree.symbol("py/shop.py#Cart.total"))
    assert text.count("Sums up") == 1 and "@functools.cache" in text


def test_members_that_the_code_does_not_show_are_listed(tree: Workspace) -> None:
    text = render_symbol(tree.symbol("src/net/server.go#Server"))
    assert (
        "Members elsewhere:\n- 9 `func (s *Server) Serve(n int) error`\n- 13 `func (s *Server) stop()`\n- `src/net/more.go:3`"
        in text
    )
    assert "addr" not in text.partition("elsewhere")[2]
    assert (
        "Members elsewhere:\n- 4 `pub fn new() -> Shape`\n- 8 `impl Default for Shape { fn default() -> Self }`"
        in render_symbol(tree.symbol("Shape"))
    )
    assert "elsewhere" not in render_symbol(tree.symbol("py/shop.py#Cart"))


def test_members_in_other_files_belong_to_the_nearest_type_of_that_name(tree: Workspace) -> None:
    text = render_symbol(tree.symbol("src/net/server.go#Server"))
    assert "\n- `src/net/more.go:3` `func (s *Server) Close() error`" in text
    assert "Elsewhere" not in text
    assert "Close" not in render_symbol(tree.symbol("other/more.go#Server"))


def test_the_parts_of_a_type_are_one(make_workspace: Maker) -> None:
    files: Files = {
        "src/Form.cs": "namespace App {\n/// Asks.\npublic partial class Form : Base {\n  int a;\n  void Show() {}\n}\n}\n",
        "src/Form.Designer.cs": "// <auto-generated/>\nnamespace App {\npartial class Form {\n  void Init() {}\n}\n}\n",
        "other/Form.cs": "namespace Other {\npublic class Form { int b; }\n}\n",
        "lib/site.rb": "module Jekyll\n  class Site\n    def read; end\n\n    def write; end\n  end\nend\n",
        "lib/more.rb": "module Jekyll\n  class Site\n    def more; end\n  end\nend\n",
        "web/a.ts": "interface Box { a: string }\ninterface Box { b: string }\n",
        "web/b.ts": "interface Box { c: string }\n",
    }
    with make_workspace(files) as tree:
        text = render_symbol(tree.symbol("App.Form"))
        assert text.startswith("# Symbol: `src/Form.cs#App.Form`\nclass in `App`, csharp, lines 3-6\n")
        assert (
            "Members elsewhere:\n- `src/Form.Designer.cs:3` `partial class Form`\n- `src/Form.Designer.cs:4` `void Init()`\n"
            in text
        )
        assert "other/" not in text
        by_name = tree.symbol("Form")
        assert [line.id for line in by_name.others] == ["other/Form.cs#Other.Form", "src/Form.cs#App.Form"]
        part = render_symbol(tree.symbol("src/Form.Designer.cs#App.Form"))
        assert (
            "Members elsewhere:\n- `src/Form.cs:3` `public partial class Form : Base`\n- `src/Form.cs:4` `int a` field\n" in part
        )
        text = render_symbol(tree.symbol("Jekyll::Site"))
        assert "# Symbol: `lib/site.rb#" in text and "- `lib/more.rb:3` `def more`" in text
        text = render_symbol(tree.symbol("web/a.ts#Box~2"))
        assert "Members elsewhere:\n- 1 `interface Box` interface\n- 1 `a: string` property\n" in text and "c: string" not in text


def test_what_only_declares_yields_to_what_defines(make_workspace: Maker) -> None:
    files: Files = {
        "src/dict.h": (
            "typedef struct entry {\n    int key;\n} entry;\n\ntypedef struct dict dict;\n\nstruct dict { entry *first; };\n\n"
            "extern int table[];\nextern int shared;\ntypedef struct opaque opaque;\n"
        ),
        "src/server.c": '#include "dict.h"\nint shared;\n',
        "src/table.c": "/* Automatically generated by make. Do not edit. */\nint table[] = {1};\n",
    }
    with make_workspace(files) as tree:
        for name, expected in {
            "entry": "src/dict.h#entry",
            "dict": "src/dict.h#dict~2",
            "shared": "src/server.c#shared",
            "table": "src/table.c#table",
            "opaque": "src/dict.h#opaque",
        }.items():
            found = tree.symbol(name)
            assert found.symbol is not None and found.symbol.id == expected, name
        assert tree.symbol("entry").others == []


def test_the_nearest_folder_is_the_package(make_workspace: Maker) -> None:
    type_of = "package {}\n\ntype {} struct{{}}\n".format
    files: Files = {
        "net/http/server.go": type_of("http", "Server"),
        "net/http/httptest/server.go": type_of("httptest", "Server"),
        "context/context.go": type_of("context", "Context"),
        "go/types/context.go": type_of("types", "Context"),
        "app/models.py": "class Model: pass\n",
        "db/models/base.py": "class Model: pass\n",
    }
    with make_workspace(files) as tree:
        for name, expected in {
            "http.Server": "net/http/server.go#Server",
            "context.Context": "context/context.go#Context",
        }.items():
            found = tree.symbol(name)
            assert found.symbol is not None and found.symbol.id == expected
        assert [line.id for line in tree.symbol("models.Model").others] == ["app/models.py#Model", "db/models/base.py#Model"]


def test_a_member_outside_of_its_type_is_said_to_be_in_it(tree: Workspace) -> None:
    assert "method in `db.Slice`, cpp, lines 4-6" in render_symbol(tree.symbol("Slice::size"))


def test_symbols_of_a_file_read_at_once_are_as_read_one_by_one(tree: Workspace) -> None:
    snapshot = tree.snapshot
    for part in snapshot.parts:
        for number in part.live_files():
            for row in rows_of(IndexedFile(part, number)):
                alone = Row(part, row.number)
                for name in ("name", "container", "kind", "flags", "line", "lines", "id"):
                    assert getattr(row, name) == getattr(alone, name)
                assert row.file.path == alone.file.path == part.index.paths[number]


LONG = "".join(f"    def method_{n}(self, argument, another=None):\n        return {n}\n\n" for n in range(300))
ODD_TEXT = "\ufeffdef f():\r\n\tx = '```' + '\\t'\t# \u202e\x00\x0c\r\n\treturn '" + "é" * 5 + "'\r\n"


def test_every_line_of_long_code_is_reached_by_following_the_hints(make_workspace: Maker) -> None:
    body = "".join(f"    line_{n} = {n}\n" for n in range(500))
    workspace = make_workspace({"a.py": f"import os\n\ndef long():\n{body}\n\nx = 1\n", "b.py": f"class Long:\n{LONG}"})
    for name, path in (("long", "a.py"), ("Long", "b.py")):
        arguments: dict[str, Any] = {"symbol": name, "max_tokens": 400}
        seen: list[str] = []
        while True:
            response = workspace.symbol(**arguments)
            text = render_symbol(response, TOOLS)
            assert estimate_tokens(text) <= 480
            assert response.symbol is not None and response.symbol.code_start_line == response.symbol.range.start_line + len(seen)
            seen += response.symbol.code.split("\n")
            more = re.search(r"More: `symbol (.*)`", text)
            if more is None:
                break
            arguments = json.loads(more[1])
        every = (workspace.root / path).read_text().split("\n")
        assert seen == every[response.symbol.range.start_line - 1 : response.symbol.range.end_line]


def test_a_long_type_is_told_by_its_members(make_workspace: Maker) -> None:
    workspace = make_workspace({"b.py": f"class Long:\n    '''Is long.'''\n{LONG}    def _private(self): pass\n"})
    response = workspace.symbol("Long", max_tokens=1_000)
    assert response.symbol is not None and not response.symbol.is_whole
    assert len(response.symbol.members) + response.symbol.hidden_members == 301
    assert 800 < estimate_tokens(render_symbol(response, TOOLS)) <= 1_050
    more = re.search(r"more: `symbol (.*)`", render_symbol(response, TOOLS))
    assert more is not None
    everything = workspace.symbol(**json.loads(more[1])).symbol
    assert everything is not None and everything.hidden_members == 0
    siblings = workspace.symbol("Long.method_0", siblings=True, max_tokens=500)
    assert siblings.symbol is not None and len(siblings.symbol.siblings) + siblings.symbol.hidden_siblings == 300
    assert estimate_tokens(render_symbol(siblings, TOOLS)) < 550
    assert "_private" not in [each.name for each in siblings.symbol.siblings]


def test_a_huge_line_is_cut_and_says_so(make_workspace: Maker) -> None:
    normal = "".join(f"def f{n}():\n    return {n}\n" for n in range(20_000))
    workspace = make_workspace({"a.py": "def f():\n    return 1\n\nx = '" + "y z " * 60_000 + f"'\n{normal}"})
    response = workspace.symbol("a.py:4", max_tokens=500)
    assert response.symbol is not None and not response.symbol.is_whole
    assert response.notices == ["line 4 is cut: it has 240,006 characters"]
    assert estimate_tokens(render_symbol(response)) < 600


def test_odd_text_cannot_break_out(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": ODD_TEXT.replace("\x00", ""), "b.py": ODD_TEXT.replace("\x00", "").encode("utf-16")})
    text = render_symbol(workspace.symbol("a.py#f"))
    assert "````python\ndef f():\n\tx = '```' + '\\t'\t# \\u202e\\x0c\n\treturn 'ééééé'\n````\n" in text
    wide = workspace.symbol("b.py#f").symbol
    assert wide is not None and wide.code.endswith("ééééé'")


@pytest.mark.parametrize("lines", ["0", "5-3", "-4", "a", "1-", "", "9" * 50, "99-120", "1;2"])
def test_lines_that_cannot_be(tree: Workspace, lines: str) -> None:
    with pytest.raises(RequestError, match="lines"):
        tree.symbol("py/shop.py#Cart", lines=lines)


def test_lines_of_the_file(tree: Workspace) -> None:
    shown = tree.symbol("py/shop.py#Cart", lines="1-99").symbol
    assert shown is not None and (shown.code_start_line, shown.code_end_line, shown.more_lines) == (1, 15, "")
    assert shown.code == str(TREE["py/shop.py"]).rstrip("\n")
    one = tree.symbol("py/shop.py#Cart", lines="15")
    assert one.symbol is not None and one.symbol.code == "VALUE = 1"
    assert "> Line 15; the symbol is 4-12." in render_symbol(one)


def test_a_file_that_has_changed_or_gone_since_says_so(make_workspace: Maker) -> None:
    tree = make_workspace(TREE)
    path = tree.root / "py" / "shop.py"
    path.write_text("# new\n" + path.read_text())
    assert tree.symbol("py/shop.py#Cart").notices == ["py/shop.py has changed since it was indexed: the lines may have moved"]
    path.write_text("#\n")
    assert "has changed" in render_symbol(tree.symbol("py/shop.py#VALUE"))
    path.unlink()
    gone = render_symbol(tree.symbol("py/shop.py#Cart.total"))
    assert "cannot be read" in gone and "def total(self)" in gone
    path.mkdir()
    assert "not a regular file" in render_symbol(tree.symbol("py/shop.py#Cart.total"))
    path.rmdir()
    path.symlink_to("/etc/passwd")
    assert "leads out of the root by a link" in render_symbol(tree.symbol("py/shop.py#Cart.total"))


ODD_NAMES = [
    "a b.py", "it's.py", '"quoted".py', "-dash.py", "ünïcode.py", "line\nbreak.py", "tick`s.py", "back\\slash.py", "[id].py",
    " sp.py", "x#y.py", "$HOME.py", "\u202er.py",
]  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
def test_every_hint_works_when_pasted_however_odd_the_name(make_workspace: Maker) -> None:
    code = "".join(f"class C{n}:\n    def f(self): pass\n" for n in range(60))
    workspace = make_workspace({f"odd {name}/{name}": code for name in ODD_NAMES})
    for name in ODD_NAMES:
        text = render_outline(workspace.outline("", max_tokens=100), TOOLS)
        assert "Look into one" in text
        path = f"odd {name}/{name}"
        outline = workspace.outline(path, max_tokens=150)
        calls = re.findall(r": (`+)(?: )?((?:symbol|outline) \{.*?\})(?: )?\1", render_outline(outline, TOOLS))
        assert calls
        for _, call in calls:
            tool, _, arguments = call.partition(" ")
            answer = getattr(workspace, tool)(**json.loads(arguments))
            assert answer.symbol.file_path == path if isinstance(answer, SymbolResponse) else answer.path == path


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_shell_hints_are_read_back_by_a_shell() -> None:
    for name in ODD_NAMES:
        call = SHELL.call("symbol", symbol=f"{name}#f", lines="1-2", siblings=True)
        script = call.replace("symindex symbol", "printf '%s\\0'", 1)
        done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
        words = done.stdout.decode().split("\0")[:-1]
        expected = ["--lines", "1-2", "--siblings", *(["--"] if name.startswith("-") else []), f"{name}#f"]
        assert words == expected


def shown_of(items: list[OutlineItem], wanted: frozenset[str] | None = None) -> int:
    """How many of the rows count, by a rule of their own."""
    return sum(
        (item.kind != "folder" and (wanted is None or item.kind == "file" or item.kind in wanted)) + shown_of(item.items, wanted)
        for item in items
    )


def omitted_rows(response: OutlineResponse) -> int:
    def of(items: list[OutlineItem]) -> int:
        return sum(item.omitted + of(item.items) for item in items)

    return response.omitted + of(response.items)


def random_tree(chance: random.Random) -> Files:
    files: Files = {}
    for _ in range(chance.randint(1, 25)):
        folders = [chance.choice("abc") * chance.randint(1, 9) for _ in range(chance.randint(0, 4))]
        lines = []
        for n in range(chance.choice([0, 1, 3, 20, 120])):
            lines.append(f"class {chance.choice('ABC')}{n}:" if chance.random() < 0.3 else f"def function_{n}(a, b): pass")
            if lines[-1].startswith("class"):
                lines += [f"    def {chance.choice(['_', ''])}method_{m}(self): pass" for m in range(chance.randint(1, 12))]
        files["/".join([*folders, f"{chance.choice('mnop')}{chance.randint(0, 99)}.py"])] = "\n".join(lines)
    return files


def test_outlines_fit_and_count_exactly_what_they_hide(make_workspace: Maker) -> None:
    chance = random.Random(5)
    for _ in range(6):
        workspace = make_workspace(random_tree(chance))
        everything = workspace.outline()
        assert everything.hidden == 0
        for _ in range(25):
            budget, depth = chance.choice([1, 30, 60, 100, 300, 1_000, 5_000]), chance.choice([None, None, 1, 2, 3])
            kinds = chance.choice([None, ["class"], ["method"], ["function", "method"]])
            include: Any = chance.choice([msgspec.UNSET, ["signature"]])
            response = workspace.outline("", max_tokens=budget, depth=depth, kinds=kinds, include=include)
            text = render_outline(response, TOOLS)
            rows = [line for line in text.split("\n") if line.lstrip().startswith("- ") and " more" not in line]
            at_least = estimate_tokens(rows[0]) + 12 if rows else 0
            said = 5 * omitted_rows(response)
            assert estimate_tokens("\n".join(rows)) <= max(budget * 1.05 + 10, at_least), (budget, said, text)
            wanted = frozenset({*kinds, "constructor"} if kinds and "constructor" in kinds else kinds) if kinds else None
            counted = response.symbols + (response.files if not wanted or response.symbols else 0)
            assert shown_of(response.items, wanted) + response.hidden == counted, (budget, depth, kinds, text)
            assert rows or not response.symbols
            if response.hidden:
                assert "hidden. " in text


def test_an_outline_of_everything(tree: Workspace) -> None:
    text = render_outline(tree.outline("py"))
    assert text == (
        "# Outline: `py`\n6 symbols in 2 files\n\n- `shop.py`\n  - 4-12 class `Cart`\n    - 7-10 method `total`\n"
        "    - 12 method `_secret`\n  - 15 constant `VALUE`\n- `shop.pyi`\n  - 1-2 class `Cart`\n    - 2 method `total`\n"
    )
    assert render_outline(tree.outline("py", depth=1, max_tokens=500), TOOLS).endswith(
        "- `shop.py` (4 symbols)\n- `shop.pyi` (2 symbols)\n\n"
        '> 6 symbols hidden. Look into one: `outline {"path": "py/shop.py"}`.\n'
    )
    assert "1 symbol\n" in render_outline(tree.outline("vendor/shop.py"))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("py/", "py"),
        ("./py/../py", "py"),
        ("py/shop.py", "py/shop.py"),
        ("shop.pyi", "py/shop.pyi"),
        ("net\\server.go", "src/net/server.go"),
        ("**/*.py", "**/*.py"),
        (".", ""),
        ("", ""),
    ],
)
def test_paths_of_outlines(tree: Workspace, path: str, expected: str) -> None:
    assert tree.outline(path).path == expected
    assert tree.outline(str(tree.root / "py")).path == "py"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("py/shup.py", "no file or folder 'py/shup.py'; nearest: py/shop.py"),
        ("pie", "no file or folder 'pie'"),
        ("docs", "docs: a folder without source files that symindex reads"),
        ("notes.xyz", "notes.xyz: of no language that symindex reads (.xyz)"),
        ("**/*.nope", "no file of the index matches"),
        ("..", "leads out of the root"),
        ("py/../../x", "leads out of the root"),
        ("/", "is outside of the root"),
        ("C:\\x", "no file or folder"),
        ("a\0b", "holds a NUL character"),
        ("\udcff", "not valid Unicode"),
        ("a/" * 50_000, "has 100,000 characters"),
        ("*" * 4_000, "no file of the index matches"),
    ],
)
def test_paths_that_name_nothing_say_why(tree: Workspace, path: str, words: str) -> None:
    if words == "no file of the index matches" and path.startswith("***"):
        assert tree.outline(path).files > 1
        return
    with pytest.raises(RequestError, match=re.escape(words)):
        tree.outline(path)


def test_outlines_of_files_without_symbols_say_why(tree: Workspace) -> None:
    assert tree.outline("empty.py").notices == ["python: the file defines nothing"]
    assert tree.outline("program").notices == ["no symbols were read: binary"]
    assert tree.outline("py", kinds=["enum"]).notices == ["no symbols of the kinds enum; without that filter there are 6"]
    with pytest.raises(RequestError, match="unknown kind 'klass': legal are"):
        tree.outline("py", kinds=["klass"])
    for wrong in ({"depth": 0}, {"max_tokens": -1}, {"include": ["doc"]}):
        with pytest.raises(RequestError):
            tree.outline("py", **wrong)  # type: ignore[arg-type]


def test_a_folder_whose_name_looks_like_a_glob(make_workspace: Maker) -> None:
    workspace = make_workspace({"app/[id]/page.py": "x = 1\n", "app/i/page.py": "y = 1\n"})
    response = workspace.outline("app/[id]")
    assert [item.name for item in response.items] == ["app/[id]/page.py"]


def test_deep_and_large_files(make_workspace: Maker) -> None:
    """Neither the depth of nesting nor the number of symbols is anybody's limit."""
    deep = "".join(f"namespace n{n} {{\n" for n in range(1_000)) + "int leaf;\n" + "}\n" * 1_000
    large = (
        "".join(f"def f{n}(): pass\n" for n in range(5_000))
        + "class C:\n"
        + "".join(f"    class D{n}:\n        x = 1\n" for n in range(2_000))
    )
    folders = "/".join("d" for _ in range(60))
    workspace = make_workspace({"deep.cpp": deep, "large.py": large, f"{folders}/a.py": "x = 1\n"})
    for path in ("deep.cpp", "large.py", ""):
        response = workspace.outline(path)
        assert shown_of(response.items) + response.hidden == response.symbols + (response.files if not path else 0)
        assert msgspec.json.decode(msgspec.json.encode(response), type=OutlineResponse).hidden == response.hidden
        assert render_outline(response)
        assert estimate_tokens(render_outline(workspace.outline(path, max_tokens=300))) < 500
    assert workspace.symbol("D1999.x", max_tokens=500).symbol is not None


def test_a_file_that_was_taken_away_is_no_fault(make_workspace: Maker) -> None:
    """Its path is still known to the base, and masked."""
    workspace = make_workspace({"s/a.py": "def only(): pass\n", "b.py": "def other(): pass\n"})
    workspace.refresh()
    os.unlink(os.path.join(workspace.root, "s", "a.py"))
    workspace.refresh()
    assert workspace.symbol("s/a.py#only").symbol is None
    with pytest.raises(RequestError, match="no file or folder"):
        workspace.outline("s/a.py")


def test_an_empty_line_leads_on(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def only():\n    first = 1\n\n\n    return first\n"})
    response = workspace.symbol(SymbolRequest(symbol="only", lines="3-5", max_tokens=1))
    assert response.symbol is not None and response.symbol.code == ""
    assert '"lines": "4-5"' in render_symbol(response, TOOLS)


def test_a_file_that_is_not_in_the_index_may_be_too_large(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def only(): pass\n" * 200_000})
    with pytest.raises(RequestError, match="3,400,000 bytes, is not in the index: too large, ignored by git"):
        workspace.outline("a.py")


def test_the_hint_of_the_largest_answer_is_a_search_that_has_pages() -> None:
    request = OutlineRequest(path="src", max_tokens=MOST_TOKENS)
    response = OutlineResponse(request=request, path="src", files=2, symbols=9, hidden=7, omitted=1, items=[])
    assert '`search {"query": "", "paths": ["src"]}`' in render_outline(response, TOOLS)
    request = OutlineRequest(path="src", max_tokens=MOST_TOKENS - 1)
    assert f'"max_tokens": {MOST_TOKENS}' in render_outline(msgspec.structs.replace(response, request=request), TOOLS)


def test_what_is_hidden_is_said_to_be_symbols_or_files_as_well(make_workspace: Maker) -> None:
    workspace = make_workspace({f"d{n}/m{m}.py": "def f(): pass\n" for n in range(4) for m in range(3)})
    assert "> 24 symbols and files hidden. " in render_outline(workspace.outline("", depth=1))
    assert "> 3 symbols hidden. " in render_outline(workspace.outline("d1", depth=1))
