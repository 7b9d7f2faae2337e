"""Pages for readers that give no number of rows: short tails, shared rows, marked declarations, and
nothing lost."""

from functools import partial
from typing import Any

import msgspec
import pytest
from rich.console import Console

from symindex.protocol.search import ITEM_EXTRAS, SearchItem, SearchRequest, SearchResponse
from symindex.render.markdown import render_search
from symindex.render.terminal.table import print_search
from symindex.search.answer.lean_pages import NOT_CUT, TAIL, add_tail_notice
from symindex.search.language.query import parse_name
from symindex.serve.mcp.fitted_pages import FIRST_ITEMS, fit_search
from symindex.workspace.answers import search_plan
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

OVERLOADS = """
class Cart {
    Cart() {}
    Cart(int size) {}
    Cart(int size, int price) {}
    int add(int a) { return 1; }
    int add(String a) { return 2; }
    int cartons;
}
class CartBox {
    int add(int a) { return 1; }
}
"""


def lean(
    workspace: Workspace, query: str, room: int = 2_000, **fields: Any
) -> tuple[SearchResponse, str]:
    plan = workspace.source.plan(SearchRequest(query=query, **fields))
    return fit_search(plan, room, partial(search_plan, workspace))


def table_rows(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("| `")]


def test_overloads_and_constructors_of_a_container_share_a_row(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {"Cart.java": OVERLOADS, "b/Other.java": "class Other { int add(int a) { return 1; } }\n"}
    )
    response, text = lean(workspace, "add")
    assert sorted(table_rows(text)) == [
        "| `add` (in `CartBox`) | method | Cart.java:10 |",
        "| `add` (in `Cart`) (2 times) | method | Cart.java:5 |",
        "| `add` (in `Other`) | method | b/Other.java:1 |",
    ]
    assert (
        len(response.items) == response.total == 4
        and "`max_items=N` gives each its own row" in text
    )
    assert "| `Cart` (in `Cart`) (3 times) | constructor | Cart.java:2 |" in table_rows(
        lean(workspace, "Cart")[1]
    )


def test_with_a_number_and_in_the_contract_every_row_is_its_own(make_workspace: Maker) -> None:
    workspace = make_workspace({"Cart.java": OVERLOADS})
    whole = workspace.search("add")
    assert len(table_rows(render_search(whole))) == whole.total == 3
    assert table_rows(lean(workspace, "add", max_items=9)[1]) == table_rows(render_search(whole))


def names(count: int) -> str:
    return "class cart: pass\n" + "".join(
        f"def cart_{number:02}(): pass\n" for number in range(count)
    )


def test_a_short_tail_follows_exact_matches_and_the_next_page_has_the_rest(
    make_workspace: Maker,
) -> None:
    workspace = make_workspace({"a.py": names(40)})
    whole = workspace.search("cart").items
    response, text = lean(workspace, "cart")
    assert response.items == whole[: 1 + TAIL] and (response.total, response.max_items) == (
        41,
        None,
    )
    assert response.notices == [f"{40 - TAIL} weaker matches are left for the next page"]
    assert f"> {40 - TAIL} weaker matches are left for the next page\n" in text
    assert text.endswith(
        f"> More results available. Use `pagination_id={response.pagination_id}` for next page.\n"
    )
    seen = response.items
    while response.pagination_id is not None:
        response, text = lean(workspace, "cart", pagination_id=response.pagination_id)
        assert len(response.items) <= FIRST_ITEMS and not response.notices
        seen = seen + response.items
    assert seen == whole


@pytest.mark.sample(2)
@pytest.mark.parametrize("count", range(TAIL, TAIL + NOT_CUT + 2))
def test_few_rows_are_not_left_for_a_next_page(count: int, make_workspace: Maker) -> None:
    response, _ = lean(make_workspace({"a.py": names(count)}), "cart")
    assert len(response.items) == (1 + count if count <= TAIL + NOT_CUT else 1 + TAIL)
    assert bool(response.notices) == response.has_more == (count > TAIL + NOT_CUT)


def test_the_notice_counts_what_is_left(make_workspace: Maker) -> None:
    whole = make_workspace({"a.py": names(3)}).search("cart")
    for total, start, notice in (
        (4, 0, "1 weaker match is left for the next page"),
        (1_004, 0, "1,001 weaker matches are left for the next page"),
        (1_004, 1, "1,000 weaker matches are left for the next page"),
    ):
        page = msgspec.structs.replace(
            whole, items=whole.items[:3], total=total, start_index=start, has_more=True
        )
        add_tail_notice(page, parse_name("cart"))
        assert page.notices == [notice]
    for page in (
        msgspec.structs.replace(whole, items=whole.items[:3]),
        msgspec.structs.replace(whole, items=whole.items[:2], has_more=True),
        msgspec.structs.replace(whole, items=whole.items[1:], has_more=True),
    ):
        add_tail_notice(page, parse_name("cart"))
        assert not page.notices


@pytest.mark.parametrize("query", ["car", "kind:function", ""])
def test_where_nothing_is_exact_a_page_has_its_usual_rows(
    query: str, make_workspace: Maker
) -> None:
    response, _ = lean(make_workspace({"a.py": names(40)}), query)
    assert len(response.items) == FIRST_ITEMS and not response.notices


def test_exact_matches_are_not_cut(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {f"m{number}.py": "def cart(): pass\ndef cart_box(): pass\n" for number in range(12)}
    )
    response, _ = lean(workspace, "cart")
    assert [item.name for item in response.items] == ["cart"] * 12 + ["cart_box"] * TAIL


DECLARED = {
    "a.h": "struct cart { int size; };\nint total(int a);\n",
    "z.c": "int total(int a) { return a; }\n",
    "t.c": "typedef struct basket {\n  int size;\n} basket;\n",
}


def test_declarations_are_marked_and_come_later(make_workspace: Maker) -> None:
    workspace = make_workspace(DECLARED)
    response, text = lean(workspace, "total")
    assert table_rows(text) == [
        "| `total` | function | z.c:1 |",
        "| `total` | function, declaration | a.h:2 |",
    ]
    assert [item.flags for item in response.items] == [msgspec.UNSET, ["exported", "declaration"]]
    _, numbered = lean(workspace, "total", max_items=2)
    assert table_rows(numbered) == table_rows(text)
    assert table_rows(lean(workspace, "basket")[1]) == ["| `basket` (2 times) | struct | t.c:1 |"]
    assert "declaration" in printed(
        search_plan(
            workspace, workspace.source.plan(SearchRequest(query="total"), include=["flags"])
        )
    )


def test_json_has_flags_if_requested(make_workspace: Maker) -> None:
    workspace = make_workspace(DECLARED)
    assert all(item.flags is msgspec.UNSET for item in workspace.search("total").items)
    flags = [item.flags for item in workspace.search("total", include=["flags"]).items]
    assert [item_flags and "declaration" in item_flags for item_flags in flags] == [False, True]


def printed(response: SearchResponse) -> str:
    console = Console(width=300)
    with console.capture() as capture:
        print_search(response, console)
    return capture.get()


def test_every_format_shows_what_a_request_includes(make_workspace: Maker) -> None:
    source = (
        'def total(a: int | None) -> "int":\n    """The `sum`.\n\n    Of all."""\n    return 1\n'
    )
    response = make_workspace({"a.py": source}).search("total", include=[*ITEM_EXTRAS])
    (row,) = table_rows(render_search(response))
    assert row == (
        '| `total` | function | a.py:1 | 1.0 | python | `def total(a: int \\| None) -> "int"` | ``The `sum`. Of all.`` '
        "| `a.py#total` | 1-5 | exported |  | ``The `sum`. Of all.`` |"
    )
    shown = printed(response)
    for text in (
        "def total(a: int | None)",
        "The `sum`. Of all.",
        "a.py#total",
        "1-5",
        "python",
        "exported",
    ):
        assert text in shown
    item: SearchItem = response.items[0]
    assert msgspec.to_builtins(item)["signature"] == 'def total(a: int | None) -> "int"'
