"""The answer to a question in words: few rows with a line of doc or signature, by file."""

import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from symindex.protocol.search import SearchItem, SearchRequest, SearchResponse
from symindex.render.question import LONGEST, render_question
from symindex.serve.mcp.answers import ToolAnswer
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.workspace import Workspace
from tests.support.command import run
from tests.support.files import write_files

TREE = {
    "shop/cart.py": (
        'class Cart:\n    """Adds up prices.\n    Twice.\n\n    More."""\n\n'
        '    def add_price(self, price):\n        """Adds a price."""\n\n    def add_up_all(self): ...\n'
    ),
    "shop/tax.py": 'def add_tax(price):\n    """Adds the tax to a price."""\n',
    "a|b/`x`.py": 'def price_of_all():\n    """Adds `all` | prices up."""\n',
    **{f"more/m{number}.py": f"def add_price_up_{number}(): ...\n" for number in range(9)},
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = write_files(tmp_path_factory.mktemp("question") / "tree", TREE)
    with Workspace(root, root.parent / "indexes") as made:
        made.refresh()
        yield made


def item(name: str, path: str, line: int = 1, **more: Any) -> SearchItem:
    return SearchItem(name=name, kind="function", file_path=path, line=line, container=None, **more)


def page(*items: SearchItem, total: int = 0, **more: Any) -> str:
    response = SearchResponse(
        request=SearchRequest(query="how is it added"), items=[*items], start_index=0, max_items=None,
        total=total or len(items), has_more=False, pagination_id=None, **more,
    )  # fmt: skip
    return render_question(response)


def test_rows_are_grouped_by_file_in_the_order_of_their_best() -> None:
    items = [
        item("b", "y.py", 2, doc="Second of y.", match="some words", phrasings=[1, 3]),
        item("a", "x.py", 7, signature="def a(x)\nmore", doc=""),
        item("c", "y.py", 1, doc="One\nline.\n\nAnother."),
        item("d", "_z_.py", doc=UNSET, signature=UNSET),
    ]
    assert page(*items) == (
        "# Search: `how is it added`\nFound 4 results (showing 4)\n\n"
        "y.py\n- 2 `b` (function, some words, by 1 3): `Second of y.`\n- 1 `c` (function): `One line.`\n"
        "x.py\n- 7 `a` (function): `def a(x)`\n"
        "`_z_.py`\n- 1 `d` (function)\n"
    )


def test_no_count_of_rows_with_some_words() -> None:
    notice = "no symbol contains all 3 words; these contain some of them"
    text = page(item("a", "x.py"), total=6976, notices=[notice, "another notice"])
    assert "\nNo symbol contains all the words (showing the nearest 1, from 1 file)\n" in text
    assert "6,976" not in text and notice not in text and "> another notice\n" in text
    several = [item("a", "x.py"), item("b", "y.py"), item("c", "x.py")]
    assert "(showing the nearest 3, from 2 files)\n" in page(*several, total=9, notices=[notice])
    lacking = '2 of 3 words: no symbol contains "qq"'
    text = page(item("a", "x.py"), total=6976, notices=[lacking])
    assert "No symbol contains all the words" in text and f"> {lacking}\n" in text


def test_an_answer_without_rows() -> None:
    text = page(suggestions=["added"])
    assert text == (
        "# Search: `how is it added`\nFound 0 results (showing 0)\n\n"
        "> No symbol matches. Nearest names: `added`.\n"
    )


@pytest.mark.parametrize("length", [LONGEST, LONGEST + 1])
def test_the_longest_line(length: int) -> None:
    shown = "x" * length if length <= LONGEST else "x" * LONGEST + "…"
    assert f"(function): `{shown}`\n" in page(item("a", "x.py", doc="x" * length))


def test_overloads_share_a_row() -> None:
    assert "- 1 `a` (2 times) (function)\n" in page(item("a", "x.py"), item("a", "x.py", 9))


@pytest.mark.nightly
def test_the_command_shows_five_rows_of_a_sentence(
    tree: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree.root)
    where = ["--root", ".", "--index-dir", str(tree.root.parent / "indexes")]
    text = run("search", "how", "prices", "add", "up", *where).out
    assert text.count("\n- ") == 5 and text.startswith("# Search: `how prices add up`\nFound ")
    assert "shop/cart.py\n- 7 `Cart.add_price` (method): `Adds a price.`\n" in text
    assert "Use `--start-index 5` for next page" in text
    following = run("search", "how", "prices", "add", "up", "--start-index", "5", *where).out
    assert following.count("\n- ") == 5 and not {*text.split("\n- ")[1:-1]} & {
        *following.split("\n- ")
    }
    token = run("search", "how prices add up", "--next-by", "pagination_id", *where).out
    assert "Use `--pagination-id " in token
    tables = (["-n", "3"], ["--limit", "3"], ["-i", "doc"], ["--sort-by", "name"], ["-n", "0"])
    for options in tables:
        assert "| Name | Kind |" in run("search", "how prices add up", *options, *where).out
    assert "| Name | Kind |" in run("search", "add", "up", *where).out


@pytest.mark.nightly
def test_an_agent_gets_five_rows_of_a_sentence(tree: Workspace) -> None:
    agent = ToolHandlers([tree.root], str(tree.root.parent / "agent"))

    def ask(given: dict[str, Any]) -> ToolAnswer:
        return agent.answer("search", given, threading.Event())

    try:
        answer = ask({"query": "how prices add up"})
        assert answer.text.count("\n- ") == 5 == len(answer.data.items)
        assert "shop/cart.py\n- 7 `Cart.add_price` (method): `Adds a price.`\n" in answer.text
        token = answer.data.pagination_id
        following = ask({"query": "how prices add up", "pagination_id": token})
        rows = [
            (row.file_path, row.line) for page in (answer, following) for row in page.data.items
        ]
        assert len({*rows}) == len(rows) == 10
        few = ask({"query": "how prices add up", "max_tokens": 90})
        assert 1 <= len(few.data.items) < 5 and few.data.has_more
        assert "| Name |" in ask({"query": "how prices add up", "max_items": 3}).text
        assert "| Name |" in ask({"query": "add up"}).text
        assert ask({"query": "add", "phrasings": ["up"]}).text.count("\n- ") == 5
        assert msgspec.json.encode(answer.data)
    finally:
        agent.workspace.close()
