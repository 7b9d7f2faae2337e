"""Lines of any text file: ranges with the symbols in them, and windows around one line."""

from pathlib import Path

import pytest
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.protocol.explore import SymbolResponse, TextRange
from symindex.render.symbol import render_symbol
from symindex.text.token_budget import estimate_tokens
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

BODY = "".join(f"        step_{n} = {n}\n" for n in range(100))
TREE: dict[str, str | bytes] = {
    "src/a.py": f"import os\n\n\nclass Cart:\n    rate = 2\n\n    def long(\n        self,\n    ):\n{BODY}\n    def short(self):\n        pass\n",
    "other/a.py": "x = 1\n",
    "README.xyz": "one\ntwo\nthree\n",
    "data.bin": b"a\0b\n",
    ".git/config": "[remote]\n\turl = secret\n",
}


@pytest.fixture
def tree(make_workspace: Maker) -> Workspace:
    return make_workspace(TREE)


def lines(response: SymbolResponse) -> TextRange:
    assert response.text is not UNSET
    return response.text


def test_a_range_says_which_symbols_it_touches(tree: Workspace) -> None:
    span = lines(tree.symbol("src/a.py:4-8"))
    assert (span.code_start_line, span.code_end_line, span.more_lines) == (4, 8, "")
    assert [symbol.name for symbol in span.touched] == ["Cart", "rate", "long"]
    text = render_symbol(tree.symbol("src/a.py:4-8"))
    assert (
        "Symbols: `Cart` 4, `Cart.rate` 5, `Cart.long` 7" in text
        and "\n4 class Cart:\n5     rate = 2\n" in text
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "symbol",
    ["README.xyz:2-3", "README.xyz:2..3", "./README.xyz:2-3", "`README.xyz:2-3`", "README.xyz:2,3"],
)
def test_any_text_file(tree: Workspace, symbol: str) -> None:
    assert lines(tree.symbol(symbol)).code == "two\nthree"


@pytest.mark.parametrize("folder", ["./", "src/../", "src/.././"])
def test_lines_of_a_root_are_refused(folder: str, tree: Workspace) -> None:
    with pytest.raises(
        RequestError, match="that is a root itself: its outline lists what is in it"
    ):
        tree.symbol(f"{folder}:1-2")


def test_a_path_with_lines(tree: Workspace) -> None:
    assert lines(tree.symbol("README.xyz", lines="1-2")).code == "one\ntwo"
    assert lines(tree.symbol(str(tree.root / "src/a.py"), lines="5")).code == "    rate = 2"
    assert tree.symbol("Cart.short", lines="1-2").symbol is not None


def test_a_line_in_no_symbol_shows_what_is_around(tree: Workspace) -> None:
    response = tree.symbol("src/a.py:2")
    assert lines(response).code_start_line == 1
    assert response.notices == [
        "src/a.py:2: no symbol is on that line; nearest: src/a.py#Cart (lines 4-112)"
    ]


def test_a_line_in_a_long_symbol_shows_its_head_and_what_is_around(tree: Workspace) -> None:
    symbol = tree.symbol("src/a.py:80").symbol
    assert symbol is not None
    assert (symbol.name, symbol.focus, symbol.is_whole) == ("long", 80, False)
    assert symbol.head == "    def long("
    assert (symbol.code_start_line, symbol.code_end_line) == (65, 95)
    text = render_symbol(tree.symbol("src/a.py:80"))
    assert "```python\n7     def long(\n```" in text and "\n80         step_70 = 70\n" in text
    near = tree.symbol("src/a.py:10", max_tokens=150).symbol
    assert near is not None and near.head == "" and near.code_start_line <= 10 <= near.code_end_line
    assert estimate_tokens(render_symbol(tree.symbol("src/a.py:80", max_tokens=300))) < 400
    whole = tree.symbol("src/a.py:111").symbol
    assert whole is not None and whole.is_whole and whole.name == "short"


def test_a_budget_leads_on(tree: Workspace) -> None:
    response = tree.symbol("src/a.py:1-112", max_tokens=200)
    span = lines(response)
    assert span.more_lines == f"{span.code_end_line + 1}-112"
    assert f"src/a.py:{span.more_lines}" in render_symbol(response)
    assert estimate_tokens(render_symbol(response)) < 300


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("symbol", "said"),
    [
        ("src/a.py:900-910", "has 112 lines: there is no line 900"),
        ("README.xyz:9", "has 3 lines: there is no line 9"),
        ("src/a.py:0-3", "a range that begins at line 1"),
        ("src/a.py:9-3", "does not end before it begins"),
        ("data.bin:1-2", "is binary"),
        ("a.py:1-2", "2 paths end with a.py"),
        (".git/config:1-2", "belongs to version control"),
        ("nowhere.py:1-2", "no file or folder 'nowhere.py'"),
        ("../../etc/passwd:1-2", "leads out of the root"),
        ("/etc/passwd:1-2", "is outside of the root"),
    ],
)
def test_ranges_that_cannot_be(tree: Workspace, symbol: str, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        tree.symbol(symbol)


def test_links_and_pipes_are_no_text(tree: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret\n")
    (tree.root / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(RequestError, match="by a link"):
        tree.symbol("link.txt:1-2")


def test_a_file_that_has_changed_says_so(tree: Workspace) -> None:
    tree.refresh()
    (tree.root / "src/a.py").write_text("new = 1\n")
    response = tree.symbol("src/a.py:1-5")
    assert lines(response).code == "new = 1" and "has changed since it was indexed" in str(
        response.notices
    )


def test_a_name_in_a_path(tree: Workspace, make_workspace: Maker) -> None:
    workspace = make_workspace({"a/x.py": "def same(): pass\n", "b/x.py": "def same(): return 1\n"})
    assert len(workspace.symbol("same").candidates or []) == 2
    for path in ("b", "b/x.py", "b/**", "b/"):
        symbol = workspace.symbol("same", path=path).symbol
        assert symbol is not None and symbol.file_path == "b/x.py"
    none = workspace.symbol("same", path="c")
    assert none.symbol is None and "nothing in c has this name; elsewhere: " in str(none.notices)


def test_a_few_short_candidates_are_shown_whole(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a/x.py": "def same():\n    return 'first'\n",
            "b/x.py": "def same():\n    return 'second'\n",
        }
    )
    text = render_symbol(workspace.symbol("same"))
    assert (
        "## Symbol: `a/x.py#same`" in text
        and "return 'first'" in text
        and "return 'second'" in text
    )
