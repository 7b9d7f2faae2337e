"""One symbol in detail: its data, its code in pieces, its members, and hints that work when
pasted."""

import json
import os
import re
import shutil
from typing import Any

import pytest
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.explore.symbol import OUT_OF_DATE
from symindex.explore.symbol import symbol as show_symbol
from symindex.protocol.explore import SymbolRequest, SymbolResponse
from symindex.render.hints import command_hint, tool_hint
from symindex.render.outline import render_outline
from symindex.render.symbol import render_symbol
from symindex.resolve.tree import IndexedFile, Row, rows_of
from symindex.text.token_budget import estimate_tokens
from symindex.workspace.workspace import Workspace
from tests.support.command import run_program
from tests.support.files import Maker
from tests.support.mixed_tree import TREE


@pytest.mark.nightly
def test_a_symbol_says_what_it_is_once(tree: Workspace) -> None:
    assert render_symbol(tree.symbol("Server.Serve")) == (
        "# Symbol: `src/net/server.go#Server.Serve`\nmethod in `Server`, go, line 9\n\n> Serve does it.\n\n"
        "```go\n9 func (s *Server) Serve(n int) error { return nil }\n```\n"
    )
    text = render_symbol(tree.symbol("py/shop.py#Cart.total"))
    assert text.count("Sums up") == 1 and "@functools.cache" in text


def test_the_first_line_of_a_document_is_the_document(make_workspace: Maker) -> None:
    """The document is both an item and a section, and the outline of its file lists only
    sections."""
    workspace = make_workspace({"docs/guide.md": "# Guide\n\nWords.\n\n## More\n\nOthers.\n"})
    shown = workspace.symbol("docs/guide.md:1").symbol
    assert shown is not None and shown.code == "# Guide\n\nWords.\n\n## More\n\nOthers."
    section = workspace.symbol("docs/guide.md:5").symbol
    assert section is not None and section.id == "docs/guide.md#Guide.More"


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_a_member_outside_its_type_is_shown_in_it(tree: Workspace) -> None:
    assert "method in `db.Slice`, cpp, lines 4-6" in render_symbol(tree.symbol("Slice::size"))


def test_symbols_of_a_file_read_at_once_are_as_read_one_by_one(tree: Workspace) -> None:
    snapshot = tree.source.indexed.snapshot
    for part in snapshot.parts:
        for number in part.live_files():
            for row in rows_of(IndexedFile.of(part, number)):
                alone = Row(part, row.number)
                for name in ("name", "container", "kind", "flags", "line", "lines", "id"):
                    assert getattr(row, name) == getattr(alone, name)
                assert row.file.path == alone.file.path == part.index.paths[number]


LONG = "".join(
    f"    def method_{n}(self, argument, another=None):\n        return {n}\n\n" for n in range(300)
)
ODD_TEXT = (
    "\ufeffdef f():\r\n\tx = '```' + '\\t'\t# \u202e\x00\x0c\r\n\treturn '" + "é" * 5 + "'\r\n"
)


@pytest.mark.nightly
def test_every_line_of_long_code_is_reached_by_following_the_hints(make_workspace: Maker) -> None:
    body = "".join(f"    line_{n} = {n}\n" for n in range(500))
    workspace = make_workspace(
        {"a.py": f"import os\n\ndef long():\n{body}\n\nx = 1\n", "b.py": f"class Long:\n{LONG}"}
    )
    for name, path in (("long", "a.py"), ("Long", "b.py")):
        arguments: dict[str, Any] = {"symbol": name, "max_tokens": 400}
        seen: list[str] = []
        while True:
            response = workspace.symbol(**arguments)
            text = render_symbol(response, tool_hint)
            assert estimate_tokens(text) <= 480
            assert (
                response.symbol is not None
                and response.symbol.code_start_line == response.symbol.range.start_line + len(seen)
            )
            seen += response.symbol.code.split("\n")
            more = re.search(r"More: `symbol (.*)`", text)
            if more is None:
                break
            arguments = json.loads(more[1])
        every = (workspace.root / path).read_text().split("\n")
        assert seen == every[response.symbol.range.start_line - 1 : response.symbol.range.end_line]


@pytest.mark.nightly
def test_a_long_type_is_told_by_its_members(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {"b.py": f"class Long:\n    '''Is long.'''\n{LONG}    def _private(self): pass\n"}
    )
    response = workspace.symbol("Long", max_tokens=1_000)
    assert response.symbol is not None and not response.symbol.is_whole
    assert len(response.symbol.members) + response.symbol.hidden_members == 301
    assert 800 < estimate_tokens(render_symbol(response, tool_hint)) <= 1_050
    more = re.search(r"more: `symbol (.*)`", render_symbol(response, tool_hint))
    assert more is not None
    everything = workspace.symbol(**json.loads(more[1])).symbol
    assert everything is not None and everything.hidden_members == 0
    siblings = workspace.symbol("Long.method_0", siblings=True, max_tokens=500)
    assert (
        siblings.symbol is not None
        and len(siblings.symbol.siblings) + siblings.symbol.hidden_siblings == 300
    )
    assert estimate_tokens(render_symbol(siblings, tool_hint)) < 550
    assert "_private" not in [sibling.name for sibling in siblings.symbol.siblings]


@pytest.mark.slow
def test_a_huge_line_is_cut_and_says_so(make_workspace: Maker) -> None:
    normal = "".join(f"def f{n}():\n    return {n}\n" for n in range(20_000))
    workspace = make_workspace(
        {"a.py": "def f():\n    return 1\n\nx = '" + "y z " * 60_000 + f"'\n{normal}"}
    )
    response = workspace.symbol("a.py:4", max_tokens=500)
    assert response.symbol is not None and not response.symbol.is_whole
    assert response.notices == ["line 4 is cut: it has 240,006 characters"]
    assert estimate_tokens(render_symbol(response)) < 600


def test_odd_text_cannot_break_out(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.py": ODD_TEXT.replace("\x00", ""),
            "b.py": ODD_TEXT.replace("\x00", "").encode("utf-16"),
        }
    )
    text = render_symbol(workspace.symbol("a.py#f"))
    assert (
        "````python\n1 def f():\n2 \tx = '```' + '\\t'\t# \\u202e\\x0c\n3 \treturn 'ééééé'\n````\n"
        in text
    )
    wide = workspace.symbol("b.py#f").symbol
    assert wide is not None and wide.code.endswith("ééééé'")


@pytest.mark.parametrize("lines", ["0", "5-3", "-4", "a", "1-", "", "9" * 50, "99-120", "1;2"])
def test_lines_that_cannot_be(tree: Workspace, lines: str) -> None:
    with pytest.raises(RequestError, match="lines"):
        tree.symbol("py/shop.py#Cart", lines=lines)


def test_lines_of_the_file(tree: Workspace) -> None:
    shown = tree.symbol("py/shop.py#Cart", lines="1-99").symbol
    assert shown is not None and (shown.code_start_line, shown.code_end_line, shown.more_lines) == (
        1,
        15,
        "",
    )
    assert shown.code == str(TREE["py/shop.py"]).rstrip("\n")
    one = tree.symbol("py/shop.py#Cart", lines="15")
    assert one.symbol is not None and one.symbol.code == "VALUE = 1"
    assert "> Line 15; the symbol is 4-12." in render_symbol(one)


@pytest.mark.slow
def test_a_file_that_has_changed_or_gone_since_says_so(make_workspace: Maker) -> None:
    tree = make_workspace(TREE)
    path = tree.root / "py" / "shop.py"
    path.write_text("# new\n" + path.read_text())
    old = tree._source.tree()
    moved = show_symbol(old, SymbolRequest(symbol="py/shop.py#Cart"), 10**6)
    assert (
        moved.notices == [f"py/shop.py {OUT_OF_DATE}"]
        and moved.symbol is not None
        and moved.symbol.code == ""
    )
    response = tree.symbol("py/shop.py#Cart")  # the next answer checks for changes
    assert (
        response.notices is UNSET
        and response.symbol is not None
        and response.symbol.code.startswith("class Cart")
    )
    path.write_text("#\n")
    assert tree.symbol("py/shop.py#VALUE").symbol is None
    path.unlink()
    gone = render_symbol(show_symbol(old, SymbolRequest(symbol="py/shop.py#Cart.total"), 10**6))
    assert "cannot be read: No such file or directory; what follows is from the index" in gone
    assert "def total(self)" in gone
    path.mkdir()
    assert "not a regular file" in render_symbol(
        show_symbol(old, SymbolRequest(symbol="py/shop.py#Cart.total"), 10**6)
    )
    path.rmdir()
    path.symlink_to("/etc/passwd")
    led_out = show_symbol(old, SymbolRequest(symbol="py/shop.py#Cart.total"), 10**6)
    assert "leads out of the root by a link" in render_symbol(led_out)


ODD_NAMES = [
    "a b.py", "it's.py", '"quoted".py', "-dash.py", "ünïcode.py", "line\nbreak.py", "tick`s.py", "back\\slash.py", "[id].py",
    " sp.py", "x#y.py", "$HOME.py", "\u202er.py",
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.skipif(os.name == "nt", reason="this system has no such names")
def test_every_hint_works_when_pasted_however_odd_the_name(make_workspace: Maker) -> None:
    code = "".join(f"class C{n}:\n    def f(self): pass\n" for n in range(60))
    workspace = make_workspace({f"odd {name}/{name}": code for name in ODD_NAMES})
    for name in ODD_NAMES:
        text = render_outline(workspace.outline("", max_tokens=100), tool_hint)
        assert "Look into one" in text
        path = f"odd {name}/{name}"
        outline = workspace.outline(path, max_tokens=150)
        calls = re.findall(
            r": (`+)(?: )?((?:symbol|outline) \{.*?\})(?: )?\1", render_outline(outline, tool_hint)
        )
        assert calls
        for _, call in calls:
            tool, _, arguments = call.partition(" ")
            answer = getattr(workspace, tool)(**json.loads(arguments))
            assert (
                answer.symbol is not None and answer.symbol.file_path == path
                if isinstance(answer, SymbolResponse)
                else answer.path == path
            )


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_shell_hints_are_read_back_by_a_shell() -> None:
    for name in ODD_NAMES:
        call = command_hint("symbol", symbol=f"{name}#f", lines="1-2", siblings=True)
        script = call.replace("symindex symbol", "printf '%s\\0'", 1)
        done = run_program(["bash", "-c", script], text=False, check=True)
        words = done.stdout.decode().split("\0")[:-1]  # type: ignore[attr-defined]
        expected = [
            "--lines",
            "1-2",
            "--siblings",
            *(["--"] if name.startswith("-") else []),
            f"{name}#f",
        ]
        assert words == expected


def test_an_empty_line_leads_on(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def only():\n    first = 1\n\n\n    return first\n"})
    response = workspace.symbol(SymbolRequest(symbol="only", lines="3-5", max_tokens=1))
    assert response.symbol is not None and response.symbol.code == ""
    assert '"lines": "4-5"' in render_symbol(response, tool_hint)
