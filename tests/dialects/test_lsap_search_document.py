"""Tests each statement of the document of LSAP's Search: the request, the response, and the
Markdown of its scenarios."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.dialect_client import (
    Answer,
    Arguments,
    Check,
    DialectServer,
    case,
    environment,
    refused,
    shows,
    types_of,
)
from tests.support.waiting import until

SCENARIOS = Path(__file__).parents[2] / "fixtures" / "scenarios" / "repository"
TABLE = "| Name | Kind | Location |\n|------|------|----------|\n"
CALC = {
    "| `calculate_total` | function | src/utils.py:42 |",
    "| `calculate_tax` | function | src/tax.py:10 |",
    "| `calc_discount` (in `PriceCalculator`) | method | src/pricing.py:88 |",
    "| `recalculate` (in `Cart`) | method | src/cart.py:120 |",
    "| `calc` | function | src/math_utils.py:5 |",
}
AUTH = {
    "| `AuthService` | class | src/auth/service.py:15 |",
    "| `MockAuthService` (in `tests`) | class | tests/mocks.py:8 |",
    "| `AuthServiceConfig` | class | src/auth/config.py:5 |",
}
# The rows that the scenario of pages lists first; ours may be in another order.
TESTS = {
    "| `test_auth` | function | tests/test_auth.py:10 |",
    "| `test_login` | function | tests/test_auth.py:25 |",
    "| `test_logout` | function | tests/test_auth.py:40 |",
    "| `TestUser` | class | tests/test_models.py:8 |",
    "| `test_create_user` (in `TestUser`) | method | tests/test_models.py:15 |",
}
NEXT = "> More results available. Use `start_index={}` for next page."


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lsap")
    shutil.copytree(SCENARIOS, folder / "tree")
    (folder / "tree" / "src" / "odd.ts").write_text(
        "export class Odd {\n  ['a|b`c']() { return 1 }\n}\n"
    )
    return folder


@pytest.fixture(scope="module")
def server(top: Path) -> Iterator[DialectServer]:
    with DialectServer(top / "tree", ["lsap"], environment(top / "home")) as server:
        until(
            lambda: "still being built" not in repr(server.call("search", {"query": "xyzzyplugh"})),
            "a whole index",
        )
        yield server


def search(server: DialectServer, **arguments: Any) -> Any:
    """Returns the SearchResponse of a request."""
    answer = server.call("search", arguments)
    assert not answer.is_error, answer.text
    return answer.structured


def names(response: Any) -> list[str]:
    return [item["name"] for item in response["items"]]


def has(**expected: Any) -> Check:
    def check(answer: Answer) -> None:
        assert {name: answer.structured[name] for name in expected} == expected

    return check


def finds(*wanted: str) -> Check:
    def check(answer: Answer) -> None:
        assert set(wanted) <= set(names(answer.structured)), names(answer.structured)

    return check


def first(name: str) -> Check:
    def check(answer: Answer) -> None:
        assert names(answer.structured)[0] == name

    return check


def kinds_are(*kinds: str) -> Check:
    def check(answer: Answer) -> None:
        assert answer.structured["items"]
        assert {item["kind"] for item in answer.structured["items"]} <= set(kinds)

    return check


def rows_are(rows: set[str]) -> Check:
    """The table in the Markdown has exactly these rows."""

    def check(answer: Answer) -> None:
        assert TABLE in answer.text
        assert {
            line for line in answer.text.split(TABLE)[1].splitlines() if line.startswith("|")
        } == rows

    return check


def begins(text: str) -> Check:
    def check(answer: Answer) -> None:
        assert answer.text.startswith(text), answer.text

    return check


def ends(text: str) -> Check:
    def check(answer: Answer) -> None:
        assert answer.text.rstrip().endswith(text), answer.text

    return check


def omits(*texts: str) -> Check:
    def check(answer: Answer) -> None:
        assert not [text for text in texts if text in answer.text], answer.text

    return check


def holds_five_of_the_scenario(answer: Answer) -> None:
    rows = {line for line in answer.text.splitlines() if line.startswith("| `")}
    assert len(rows) == 5 and rows & TESTS


CALCULATING = {"query": "calc", "kinds": ["function", "method"]}
QUERY = {"query": "AuthService"}
CASES = [
    case(
        "scenario 1: request as written",
        {"query": "AuthService", "kinds": ["class"], "max_items": 10},
        rows_are(AUTH),
    ),
    case(
        "scenario 1: head as written",
        {"query": "AuthService", "kinds": ["class"], "max_items": 10},
        begins(f"# Search: `AuthService`\nFound 3 results (showing 3)\n\n{TABLE}"),
        omits("More results available"),
    ),
    case("scenario 2: request as written", CALCULATING, rows_are(CALC)),
    case(
        "scenario 2: head as written",
        CALCULATING,
        begins(f"# Search: `calc`\nFound 5 results\n\n{TABLE}"),
        omits("showing"),
    ),
    case(
        "scenario 3: rows",
        {"query": "test", "max_items": 5, "start_index": 0},
        holds_five_of_the_scenario,
    ),
    case(
        "scenario 3: showing 5",
        {"query": "test", "max_items": 5, "start_index": 0},
        shows("(showing 5)"),
        begins("# Search: `test`\nFound "),
    ),
    case(
        "scenario 3: next page as written",
        {"query": "test", "max_items": 5, "start_index": 0},
        ends(NEXT.format(5)),
    ),
    case("query: exact match comes first", QUERY, first("AuthService")),
    case("query: prefix match", {"query": "AuthServ"}, finds("AuthService", "AuthServiceConfig")),
    case("query: fuzzy match", {"query": "AuthServcie"}, finds("AuthService")),
    case("query: matching inside a word", CALCULATING, finds("recalculate"), first("calc")),
    case("query: ignoring case", {"query": "testuser"}, finds("TestUser")),
    case("query: ignoring case inside a list", {"query": "test"}, finds("TestUser", "test_auth")),
    case("query: required", {}, refused("query")),
    case(
        "kinds: one",
        {"query": "calc", "kinds": ["class"]},
        kinds_are("class"),
        finds("PriceCalculator"),
    ),
    case("kinds: two", CALCULATING, kinds_are("function", "method")),
    case(
        "kinds: null is the default",
        {"query": "calc", "kinds": None},
        finds("PriceCalculator", "calc"),
        has(total=6),
    ),
    case(
        "kinds: absent means no filter",
        {"query": "calc"},
        finds("PriceCalculator", "calc"),
        has(total=6),
    ),
    case(
        "kinds: an empty list means no filter",
        {"query": "calc", "kinds": []},
        finds("PriceCalculator", "calc"),
        has(total=6),
    ),
    case(
        "kinds: filtered before the cut",
        {"query": "calc", "kinds": ["class"], "max_items": 1},
        finds("PriceCalculator"),
        has(total=1),
    ),
    case(
        "kinds: one that is none is refused with the legal ones",
        {"query": "calc", "kinds": ["klass"]},
        refused("klass", "class", "method"),
    ),
    case(
        "max_items: null is the default, and means all",
        {"query": "test", "max_items": None},
        has(max_items=None, has_more=False),
    ),
    case(
        "max_items: absent means all",
        {"query": "test"},
        has(max_items=None, has_more=False),
        omits("showing", "More results"),
    ),
    case(
        "max_items: cuts",
        {"query": "calc", "max_items": 2},
        has(max_items=2, total=6, has_more=True),
        shows("Found 6 results (showing 2)"),
    ),
    case(
        "max_items: showing K also when K is N",
        {"query": "calc", "max_items": 6},
        shows("Found 6 results (showing 6)"),
        has(has_more=False),
    ),
    case(
        "max_items: larger than what there is",
        {"query": "calc", "max_items": 99},
        shows("(showing 6)"),
        has(pagination_id=None),
    ),
    case("max_items: zero is refused", {"query": "calc", "max_items": 0}, refused("max_items")),
    case(
        "max_items: a negative number is refused",
        {"query": "calc", "max_items": -1},
        refused("max_items"),
    ),
    case("start_index: 0 is the default", {"query": "calc"}, has(start_index=0)),
    case("start_index: skips", {"query": "calc", "start_index": 5}, has(start_index=5, total=6)),
    case(
        "start_index: with max_items",
        {"query": "calc", "start_index": 2, "max_items": 2},
        has(start_index=2, max_items=2, total=6),
    ),
    case(
        "start_index: the hint goes on",
        {"query": "calc", "start_index": 2, "max_items": 2},
        ends(NEXT.format(4)),
    ),
    case(
        "start_index: a negative number is refused",
        {"query": "calc", "start_index": -1},
        refused("start_index"),
    ),
    case(
        "start_index: past the end says so",
        {"query": "calc", "start_index": 50},
        has(items=[], total=6, has_more=False),
        omits("No matches"),
    ),
    case(
        "pagination_id: a made-up token is refused",
        {"query": "calc", "pagination_id": "bm90aGluZw"},
        refused("pagination_id"),
    ),
    case(
        "pagination_id: null is the default", {"query": "calc", "pagination_id": None}, has(total=6)
    ),
    case(
        "pagination_id: an empty text is absent",
        {"query": "calc", "pagination_id": ""},
        has(total=6),
    ),
    case(
        "request: unknown fields are refused with the legal ones",
        {"query": "calc", "max_item": 1},
        refused("max_item", "max_items", "kinds"),
    ),
    case(
        "response: no match is no error",
        {"query": "xyzzyplugh"},
        has(items=[], total=0, has_more=False, pagination_id=None),
    ),
    case(
        "response: one result is singular",
        {"query": "recalculate", "kinds": ["method"]},
        shows("Found 1 result"),
        omits("1 results"),
    ),
    case(
        "markdown: a query with a backtick and a newline stays on its line",
        {"query": "a`b\n| c |"},
        omits("\n| c |"),
    ),
    *[
        case(f"{name}: false is absent", {"query": "calc", name: False}, has(total=6))
        for name in ("kinds", "max_items", "start_index", "pagination_id")
    ],
    *[
        case(f"{name}: an empty text is absent", {"query": "calc", name: ""}, has(total=6))
        for name in ("kinds", "max_items", "start_index")
    ],
    case(
        "max_items: an empty list is absent",
        {"query": "calc", "max_items": []},
        has(total=6, max_items=None),
    ),
]


@pytest.mark.sample(48)
@pytest.mark.parametrize(("arguments", "check"), CASES)
def test_search(server: DialectServer, arguments: Arguments, check: Check) -> None:
    check(server.call("search", arguments))


def test_the_tool_is_search_alone(server: DialectServer) -> None:
    assert set(server.tools) == {"search"}


@pytest.mark.parametrize(
    ("name", "types", "default"),
    [
        ("query", {"string"}, None),
        ("kinds", {"array", "null"}, None),
        ("max_items", {"integer", "null"}, None),
        ("start_index", {"integer"}, 0),
        ("pagination_id", {"string", "null"}, None),
    ],
)
def test_each_field_of_the_request_is_in_the_schema(
    server: DialectServer, name: str, types: set[str], default: Any
) -> None:
    schema = server.properties("search")[name]
    assert types - {"null"} <= types_of(schema) | (
        {"integer"} if "number" in types_of(schema) else set()
    )
    assert schema.get("default") == default
    assert schema.get("description")


def test_the_schema_has_the_documents_fields_and_requires_the_query(server: DialectServer) -> None:
    assert set(server.properties("search")) == {
        "query",
        "kinds",
        "max_items",
        "start_index",
        "pagination_id",
    }
    assert server.tools["search"]["inputSchema"]["required"] == ["query"]


def test_the_response_has_the_documents_fields(server: DialectServer) -> None:
    response = search(server, query="calc", max_items=2)
    assert {
        "request",
        "items",
        "start_index",
        "max_items",
        "total",
        "has_more",
        "pagination_id",
    } == set(response)


def test_the_response_holds_the_original_request(server: DialectServer) -> None:
    given = {"query": "calc", "kinds": ["function"], "max_items": 2, "start_index": 1}
    assert search(server, **given)["request"] == {**given, "pagination_id": None}


def test_an_item_has_the_five_fields(server: DialectServer) -> None:
    (item,) = search(server, query="recalculate", kinds=["method"])["items"]
    assert item == {
        "name": "recalculate",
        "kind": "method",
        "file_path": "src/cart.py",
        "line": 120,
        "container": "Cart",
    }


def test_an_item_without_a_container_says_null(server: DialectServer) -> None:
    (item,) = search(server, query="calculate_total")["items"][:1]
    assert item["container"] is None and item["line"] == 42


def test_pages_by_token_are_the_whole_list_once(server: DialectServer) -> None:
    whole = names(search(server, query="test"))
    response = search(server, query="test", max_items=3)
    listed = names(response)
    while response["pagination_id"]:
        assert response["has_more"]
        response = search(
            server, query="test", max_items=3, pagination_id=response["pagination_id"]
        )
        assert response["total"] == len(whole)
        listed += names(response)
    assert not response["has_more"]
    assert listed == whole


def test_pages_by_start_index_are_the_whole_list_once(server: DialectServer) -> None:
    whole = names(search(server, query="test"))
    pages = [
        names(search(server, query="test", max_items=4, start_index=start))
        for start in range(0, len(whole), 4)
    ]
    assert [name for page in pages for name in page] == whole


def test_a_token_goes_on_where_its_page_ended(server: DialectServer) -> None:
    response = search(server, query="calc", max_items=2)
    assert (
        search(server, query="calc", max_items=2, pagination_id=response["pagination_id"])[
            "start_index"
        ]
        == 2
    )


def test_a_token_is_bound_to_its_query(server: DialectServer) -> None:
    token = search(server, query="calc", max_items=2)["pagination_id"]
    refused("pagination_id")(
        server.call("search", {"query": "test", "max_items": 2, "pagination_id": token})
    )


@pytest.mark.nightly
def test_a_token_outlives_the_server(server: DialectServer, top: Path) -> None:
    response = search(server, query="calc", max_items=4)
    with DialectServer(top / "tree", ["lsap"], environment(top / "home")) as another:
        rest = search(another, query="calc", max_items=4, pagination_id=response["pagination_id"])
    assert names(response) + names(rest) == names(search(server, query="calc"))


def test_a_page_past_the_end_says_the_total(server: DialectServer) -> None:
    shows("6")(server.call("search", {"query": "calc", "start_index": 50}))


def test_a_name_cannot_break_the_table(server: DialectServer) -> None:
    answer = server.call("search", {"query": "Odd", "kinds": ["method"]})
    for row in (line for line in answer.text.splitlines() if line.startswith("| `")):
        assert row.replace("\\|", "").count("|") == 4
