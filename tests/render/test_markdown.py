"""Markdown: the contract's scenarios to the byte, and pages that no name, path or query can
break."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from symindex.protocol.search import SearchItem, SearchRequest, SearchResponse
from symindex.protocol.status import RootStatus
from symindex.render.markdown import code_span, location, quote, render_search
from symindex.render.outline import render_outline
from symindex.render.references import render_references
from symindex.render.report import render_roots, render_status
from symindex.render.symbol import render_symbol
from symindex.text.escaping import show_controls, show_text
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

SCENARIOS = Path(__file__).parents[2] / "fixtures" / "scenarios"
REQUESTS = msgspec.json.decode(
    (SCENARIOS / "requests.json").read_bytes(), type=dict[str, SearchRequest]
)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", REQUESTS)
def test_scenarios_of_the_contract(name: str, tmp_path: Path) -> None:
    with Workspace(SCENARIOS / "repository", tmp_path) as workspace:
        workspace.refresh()
        text = render_search(workspace.search(REQUESTS[name]))
    assert text == (SCENARIOS / f"{name}.md").read_text()


# The contract's page for each scenario; the order of its rows is an example, not a ranking.
ILLUSTRATED = {
    "1-quick-class-search": """
# Search: `AuthService`
Found 3 results (showing 3)

| Name | Kind | Location |
|------|------|----------|
| `AuthService` | class | src/auth/service.py:15 |
| `MockAuthService` (in `tests`) | class | tests/mocks.py:8 |
| `AuthServiceConfig` | class | src/auth/config.py:5 |
""",
    "2-fuzzy-search-for-functions": """
# Search: `calc`
Found 5 results

| Name | Kind | Location |
|------|------|----------|
| `calculate_total` | function | src/utils.py:42 |
| `calculate_tax` | function | src/tax.py:10 |
| `calc_discount` (in `PriceCalculator`) | method | src/pricing.py:88 |
| `recalculate` (in `Cart`) | method | src/cart.py:120 |
| `calc` | function | src/math_utils.py:5 |
""",
    "3-pagination": """
# Search: `test`
Found 23 results (showing 5)

> More results available. Use `start_index=5` for next page.
""",
}


@pytest.mark.parametrize("name", REQUESTS)
def test_scenarios_hold_the_lines_of_the_contracts_page(name: str) -> None:
    expected = ILLUSTRATED[name].strip().splitlines()
    ours = (SCENARIOS / f"{name}.md").read_text().splitlines()
    assert ours[:3] == expected[:3]
    assert set(expected) <= set(ours)
    if name != "3-pagination":
        assert sorted(ours) == sorted([*expected])


def response(
    query: str = "q", items: list[SearchItem] | None = None, **more: object
) -> SearchResponse:
    items = items or []
    fields: dict[str, object] = {
        "request": SearchRequest(query=query), "items": items, "start_index": 0, "max_items": None,
        "total": len(items), "has_more": False, "pagination_id": None,
    }  # fmt: skip
    return SearchResponse(**(fields | more))  # type: ignore[arg-type]


def item(name: str = "n", path: str = "a.py", container: str | None = None) -> SearchItem:
    return SearchItem(name=name, kind="class", file_path=path, line=1, container=container)


def test_one_result_is_singular() -> None:
    assert render_search(response(items=[item()])).splitlines()[1] == "Found 1 result"


def test_showing_appears_exactly_when_a_limit_was_given() -> None:
    assert "Found 1 result (showing 1)" in render_search(response(items=[item()], max_items=10))
    assert "Found 0 results (showing 0)" in render_search(response(max_items=10))


def test_nothing_found_says_what_to_try() -> None:
    text = render_search(
        response(
            "recalculator", suggestions=["recalculate", "cal|c"], notices=["the index is empty"]
        )
    )
    assert text == (
        "# Search: `recalculator`\nFound 0 results\n\n> No symbol matches. Nearest names: `recalculate`, `cal|c`.\n\n"
        "> the index is empty\n"
    )


def test_a_page_past_the_end_does_not_say_that_nothing_matches() -> None:
    text = render_search(
        response(total=23, start_index=50, max_items=5, notices=["start_index 50 is past the end"])
    )
    assert (
        text == "# Search: `q`\nFound 23 results (showing 0)\n\n> start_index 50 is past the end\n"
    )


def test_the_hint_by_token() -> None:
    page = response(
        items=[item()], total=9, has_more=True, max_items=1, pagination_id="TOKEN", start_index=3
    )
    assert (
        render_search(page).splitlines()[-1]
        == "> More results available. Use `start_index=4` for next page."
    )
    by_token = render_search(page, "pagination_id")
    assert (
        by_token.splitlines()[-1]
        == "> More results available. Use `pagination_id=TOKEN` for next page."
    )


NASTY = "a\x1b[31mb\u202e\n| `fake` | class | c.py:1 |"
"""A piece of a notice, which may contain names of files in a tree."""


def told(tree: Workspace, page: str) -> str:
    """Returns a page with that notice."""
    if page == "status":
        return render_status(tree.status(), [NASTY], verbose=False)
    if page == "roots":
        row = RootStatus(
            root="r",
            name="",
            state="failed",
            done=0,
            total=0,
            error=NASTY,
            notices=[NASTY],
            report=None,
        )
        return render_roots([row])
    if page == "symbol":
        return render_symbol(msgspec.structs.replace(tree.symbol("f"), notices=[NASTY]))
    if page == "outline":
        return render_outline(msgspec.structs.replace(tree.outline(), notices=[NASTY]))
    if page == "references":
        return render_references(msgspec.structs.replace(tree.references("f"), notices=[NASTY]))
    return render_search(msgspec.structs.replace(tree.search("f"), notices=[NASTY]))


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("page", ["search", "symbol", "outline", "references", "status", "roots"])
def test_a_notice_is_one_line_that_shows_as_it_is(page: str, make_workspace: Maker) -> None:
    text = told(make_workspace({"a.py": "def f(): pass\n"}), page)
    lines = [line for line in text.split("\n") if "fake" in line]
    shown = "a\\x1b[31mb\\u202e\\n| `fake` | class | c.py:1 |"
    expected = {"status": [f"note: {shown}"], "roots": [f"> {shown}"] * 2}
    assert lines == expected.get(page, [f"> {shown}"])
    assert show_text(text) == text


QUOTED = {
    "plain, a_b and __init__.py": "plain, a_b and __init__.py",
    "hold `a*b` in 2 files": "hold `a*b` in 2 files",
    "![x](http://a.b/c)": "![x\\](http://a.b/c)",
    "src/[id]/a.ts": "src/[id]/a.ts",
    "<img src=x>": "\\<img src=x>",
    "**bold**": "\\*\\*bold\\*\\*",
    "a`b and ``c``": "a\\`b and \\`\\`c\\`\\`",
    "`a``b`": "\\`a\\`\\`b\\`",
    "\\`a`": "\\\\`a`",
    "# heading": "\\# heading",
    "- item": "\\- item",
    "-> is no identifier, nor is #x": "-> is no identifier, nor is #x",
    "[a]: b": "[a\\]: b",
    "a&lt;b & c": "a\\&lt;b & c",
    "two\nlines": "two\\nlines",
}


@pytest.mark.parametrize("text", QUOTED)
def test_a_quotation_shows_its_text_as_it_is(text: str) -> None:
    assert quote(text) == f"> {QUOTED[text]}"


SPANS = {
    "plain": "`plain`",
    "operator|": "`operator\\|`",
    "back\\|slash": "`back\\\\x7cslash`",
    "a`b": "``a`b``",
    "`quoted`": "`` `quoted` ``",
    "```": "```` ``` ````",
    "two\nlines": "`two\\nlines`",
    "nul\0": "`nul\\x00`",
    "\u202eright to left": "`\\u202eright to left`",
    "zero\u200bwidth": "`zero\\u200bwidth`",
    "escape\x1b[31m": "`escape\\x1b[31m`",
    "next\u0085line\u2028": "`next\\x85line\\u2028`",
    "größe": "`größe`",
    "": "`  `",
}


@pytest.mark.parametrize("name", SPANS)
def test_code_spans(name: str) -> None:
    assert code_span(name, in_table=True) == SPANS[name]


LOCATIONS = {
    "src/auth/service.py": "src/auth/service.py:1",
    "a b/c++/[id].ts": "a b/c++/[id].ts:1",
    "größe.py": "größe.py:1",
    "a|b.py": "`a\\|b.py:1`",
    "a`b.py": "``a`b.py:1``",
    "a\nb.py": "`a\\nb.py:1`",
    "<script>.py": "`<script>.py:1`",
    "*a*.py": "`*a*.py:1`",
    "src/__init__.py": "`src/__init__.py:1`",
    "_a_/b.py": "`_a_/b.py:1`",
    "a/_/b/_/c.py": "`a/_/b/_/c.py:1`",
    "[a](b).py": "`[a](b).py:1`",
    "~a~/b.py": "`~a~/b.py:1`",
    "www.a.b/c.py": "`www.a.b/c.py:1`",
    "c@1.2.3/c.js": "`c@1.2.3/c.js:1`",
    " a.py": "` a.py:1`",
    "a  b.py": "`a  b.py:1`",
    "a_b_c/_private.py": "a_b_c/_private.py:1",
    "a__b/_c/d_/~e/www.py": "`a__b/_c/d_/~e/www.py:1`",
    "a__b/_c/d/~e/www.py": "a__b/_c/d/~e/www.py:1",
    "node_modules/@types/node/index.d.ts": "node_modules/@types/node/index.d.ts:1",
}


@pytest.mark.parametrize("path", LOCATIONS)
def test_locations(path: str) -> None:
    assert location(path, 1) == LOCATIONS[path]


GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def cells(text: str) -> list[list[Any]]:
    """Returns the cells of a page's only table, without its header: the text tokens in each, as a
    Markdown parser sees them."""
    tokens = GFM.parse(text)
    inline = [
        token
        for number, token in enumerate(tokens)
        if token.type == "inline" and tokens[number - 1].type == "td_open"
    ]
    return [[(piece.type, piece.content) for piece in token.children or ()] for token in inline]


@pytest.mark.parametrize("path", LOCATIONS)
def test_a_reader_of_markdown_sees_the_path(path: str) -> None:
    table_cells = cells(render_search(response(items=[item(path=path), item("after")])))
    assert len(table_cells) == 6
    assert table_cells[2] in (
        [[("text", f"{path}:1")], [("code_inline", show_controls(f"{path}:1"))]]
    )


@pytest.mark.nightly
@given(st.text(st.sampled_from("ab_~[](){}/.-@+,= *`|\\<&!#"), min_size=1, max_size=12))
def test_a_reader_of_markdown_sees_any_path(path: str) -> None:
    table_cells = cells(render_search(response(items=[item(path=path), item("after")])))
    assert len(table_cells) == 6 and len(table_cells[2]) == 1
    kind, text = table_cells[2][0]
    assert kind in ("text", "code_inline") and text.replace("\\x7c", "|") == f"{path}:1"


TRICKY = st.text(st.sampled_from("ab`|\\\n\r\t\0\u202e\u2066<>*_# \x1b\u200b🎉"), max_size=12)


@given(TRICKY, TRICKY, TRICKY, TRICKY)
def test_nothing_breaks_the_table_or_the_page(
    query: str, name: str, path: str, container: str
) -> None:
    text = render_search(response(query, [item(name, path, container), item("after")]))
    lines = text.split("\n")
    assert len(lines) == 8
    assert lines[0].startswith("# Search: `")
    # GitHub splits cells in this way: a backslash escapes the next character.
    cells = re.findall(r"\|((?:\\.|[^|\\])*)(?=\|)", lines[5])
    assert len(cells) == 3
    assert lines[6] == "| `after` | class | a.py:1 |"
    assert show_controls(text.replace("\n", "")) == text.replace("\n", "")
