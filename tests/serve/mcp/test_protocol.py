"""The MCP server: its answers in both protocols, and their low cost."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from symindex.serve.mcp import fast_handshake
from symindex.serve.mcp.client_profiles import OWN_TOOLS
from symindex.serve.mcp.tools import BY_NAME, TOOLS
from symindex.text.token_budget import estimate_tokens
from tests.support.mcp_client import LEGACY, MODERN, McpClient


@pytest.fixture(scope="module", params=[MODERN, LEGACY])
def client(
    request: pytest.FixtureRequest, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[McpClient]:
    with McpClient([repository], tmp_path_factory.mktemp("indexes"), request.param) as client:
        yield client
        assert client.odd == []


@pytest.mark.nightly
@pytest.mark.slow
def test_what_is_answered_early_is_what_the_sdk_answers(client: McpClient) -> None:
    early = fast_handshake.answer_at_once(
        {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}}}
    )  # fmt: skip
    tools = client.ask("tools/list", {})  # the SDK is loaded by now
    client.text("status")
    assert client.ask("tools/list", {}) == tools
    assert tools["tools"] == TOOLS
    if client.version == MODERN:
        assert client.ask("server/discover", {}) == early == client.greeting
    else:
        assert client.greeting["protocolVersion"] == LEGACY
        assert client.greeting["serverInfo"]["name"] == "symindex"
        assert client.greeting["instructions"] == OWN_TOOLS.instructions


def test_the_revisions_are_those_of_the_sdk() -> None:
    assert list(fast_handshake.HANDSHAKES) == list(HANDSHAKE_PROTOCOL_VERSIONS)
    assert list(MODERN_PROTOCOL_VERSIONS) == [fast_handshake.MODERN]


def test_the_tools_are_few_read_only_and_cheap() -> None:
    assert len(TOOLS) <= 6
    assert all(
        tool["annotations"] == {"readOnlyHint": True, "openWorldHint": False} for tool in TOOLS
    )
    assert estimate_tokens(json.dumps(TOOLS)) < 1_900  # by the estimate, which has its own test
    for tool in TOOLS:
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "calc"}),
    ("search", {"query": "calc", "max_items": 2}),
    ("search", {"query": "Auth.login"}),
    ("search", {"query": "nothing_like_it"}),
    ("search", {"query": "", "kinds": ["class"]}),
    ("search", {"queries": ["Cart", "calc"]}),
    ("symbol", {"symbol": "Cart.recalculate"}),
    ("symbol", {"symbol": "src/cart.py:120", "siblings": True}),
    ("symbol", {"symbol": "Crt"}),
    ("outline", {"path": "src"}),
    ("outline", {"path": "src/cart.py", "signatures": True}),
    ("references", {"name": "Cart"}),
    ("references", {"name": "no_such_name"}),
    ("status", {}),
]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_data_conforms_to_the_declared_schema(
    client: McpClient, tool: str, arguments: dict[str, Any]
) -> None:
    client.until("status", "Up to date")
    result = client.call(tool, **arguments)
    jsonschema.validate(result["structuredContent"], BY_NAME[tool]["outputSchema"])
    assert not result["isError"] and len(result["content"]) == 1
    assert result["content"][0]["text"] != json.dumps(
        result["structuredContent"]
    )  # the client would pay for it twice


PLAIN: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("search", {"query": "calc", "kinds": "function"}, {"query": "calc", "kinds": ["function"]}),
    (
        "search",
        {"query": "calc", "kind": "class, function"},
        {"query": "calc", "kinds": ["class", "function"]},
    ),
    ("search", {"query": "calc", "max_items": "2"}, {"query": "calc", "max_items": 2}),
    ("search", {"query": "calc", "limit": 2.0}, {"query": "calc", "max_items": 2}),
    (
        "search",
        {"query": "calc", "paths": "src/**", "languages": None},
        {"query": "calc", "path": ["src/**"]},
    ),
    ("search", {"query": 5}, {"query": "5"}),
    ("symbol", {"id": "Cart", "siblings": "true"}, {"symbol": "Cart", "siblings": True}),
    ("outline", {"file": "src/cart.py"}, {"path": "src/cart.py"}),
    (
        "search",
        {"name": "calc", "kinds": '["function", "class"]'},
        {"query": "calc", "kinds": ["function", "class"]},
    ),
    ("search", {"query": "", "path": "[st]*/auth/**"}, {"query": "", "path": ["[st]*/auth/**"]}),
    ("symbol", {"name": "Cart"}, {"symbol": "Cart"}),
    ("symbol", {"query": "Cart"}, {"symbol": "Cart"}),
    ("references", {"symbol": "Cart", "limit": 3}, {"name": "Cart", "max_items": 3}),
]


@pytest.mark.sample(18)
@pytest.mark.parametrize(("tool", "given", "meant"), PLAIN)
def test_an_argument_with_an_obvious_meaning_is_accepted(
    client: McpClient, tool: str, given: dict[str, Any], meant: dict[str, Any]
) -> None:
    assert on_time(client.text(tool, **given)) == on_time(client.text(tool, **meant))


def on_time(text: str) -> str:
    """Returns an answer without the notice that a busy machine adds."""
    late = "the most recent changes may be missing"
    return "".join(line for line in text.splitlines(True) if late not in line).rstrip("\n")


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    (
        "search",
        {"query": "a", "kinds": ["klass"]},
        "unknown kind 'klass': expected one of array, boolean, class",
    ),
    ("search", {"query": "a", "language": ["pyhton"]}, "pyhton"),
    (
        "search",
        {"query": "a", "max_items": "many"},
        "search: max_items is 'many': expected an integer",
    ),
    ("search", {"query": "a", "max_items": 0}, "max_items is 0: it must be 1 or more"),
    (
        "search",
        {"query": "a", "max_items": 2.5},
        "search: max_items is 2.5: expected an integer",
    ),
    ("search", {"query": "a", "max_items": True}, "expected an integer"),
    ("search", {"query": "a", "max_items": 10**399}, "the number is too large"),
    (
        "search",
        {"query": "a", "max_items": float("inf")},
        "max_items is inf: expected an integer",
    ),
    (
        "search",
        {"query": "a", "max_tokens": float("nan")},
        "max_tokens is nan: expected an integer",
    ),
    (
        "search",
        {"query": "a", "path": ["a"] * 100_000},
        "search: path has 100,000 parts: at most 100 are allowed",
    ),
    (
        "outline",
        {"path": "x" * 100_000},
        "outline: path has 100,000 characters: at most 4,000 are allowed",
    ),
    (
        "references",
        {"name": "x" * 100_000},
        "references: name has 100,000 characters: at most 4,000 are allowed",
    ),
    (
        "symbol",
        {"symbol": "x" * 100_000},
        "symbol: symbol has 100,000 characters: at most 4,000 are allowed",
    ),
    ("search", {"query": {"a": 1}}, "search: query is {'a': 1}: expected a string"),
    ("search", {"queri": "a"}, "search: unknown argument 'queri'; did you mean"),
    (
        "search",
        {"query": "a", "pagination_id": "x"},
        "pagination_id 'x' is not a token of symindex",
    ),
    ("search", {"query": "kind:"}, "expected"),
    (
        "search",
        {"query": "x" * 100_000},
        "search: query has 100,000 characters: at most 4,000 are allowed",
    ),
    ("search", {"queries": ["a"] * 21}, "21 queries: at most 20"),
    ("search", {"queries": "[" * 200_000}, "at most 4,000 are allowed"),
    ("search", {"queries": ["a", "b"], "pagination_id": "x"}, "belongs to one query"),
    ("symbol", {}, "symbol: symbol is missing"),
    ("symbol", {"symbol": "../outside.py#x"}, "leads out of the root"),
    ("symbol", {"symbol": "/etc/passwd:1"}, "is outside of the root"),
    ("symbol", {"symbol": "Cart", "lines": "9-1"}, "lines '9-1'"),
    ("symbol", {"symbol": "Cart", "siblings": "perhaps"}, "expected true or false"),
    ("outline", {"path": ".."}, "leads out of the root"),
    ("outline", {"path": "/etc"}, "is outside of the root"),
    ("outline", {"path": "src/crat.py"}, "no file or folder 'src/crat.py'; nearest: src/cart.py"),
    ("outline", {"path": "src", "depth": -1}, "depth is -1"),
    ("outline", {"path": "a\0b"}, "NUL"),
    ("nonsense", {}, "unknown tool 'nonsense': expected one of hierarchy, outline"),
    ("status", {"deep": True}, "it takes none"),
]


@pytest.mark.sample(57)
@pytest.mark.parametrize(("tool", "given", "said"), REFUSED)
def test_errors_say_how_to_mend_the_call(
    client: McpClient, tool: str, given: dict[str, Any], said: str
) -> None:
    text = client.error(tool, **given)
    assert said in text and "\n" not in text and "Traceback" not in text


def test_a_token_belongs_to_its_query(client: McpClient) -> None:
    client.until("status", "Up to date")
    page = client.call("search", query="calc", max_items=2)["structuredContent"]
    rest = client.call("search", query="calc", max_items=2, pagination_id=page["pagination_id"])[
        "structuredContent"
    ]
    assert [item["name"] for item in rest["items"]] == ["calculate_tax", "calculate_total"]
    said = client.error("search", query="Cart", max_items=2, pagination_id=page["pagination_id"])
    assert "pagination_id belongs to another search than 'Cart'" in said


@pytest.mark.nightly
def test_edits_are_seen(repository: Path, client: McpClient) -> None:
    client.until("status", "Up to date")
    path = repository / "src" / "fresh.py"
    path.write_text("def quite_fresh(): pass\n")
    try:
        client.until("search", "`quite_fresh`", query="quite_fresh")
        path.write_text("\n\ndef quite_fresh(): return 1\n")
        client.until("symbol", "return 1", symbol="quite_fresh")
    finally:
        path.unlink()
    client.until("search", "No symbol matches", query="quite_fresh")


BROKEN = [
    b"\n",
    b"not json\n",
    b'{"jsonrpc": "2.0", "id": 900, "method": 5}\n',
    b"[1, 2]\n",
    b'{"jsonrpc": "2.0", "id": 901}\n',
    b"\xff\xfe\x00\n",
    b'{"jsonrpc":"2.0","id":902,"method":"tools/call","params":{"name":"search","arguments":{"query":"'
    + b"[" * 50_000
    + b'"}}}\n',
]


def test_broken_messages_affect_no_other_client(client: McpClient) -> None:
    for message in BROKEN:
        client.send(message)
    assert "# Search" in client.text("search", query="calc")
    assert client.odd == []


def test_the_instructions_are_short() -> None:
    assert estimate_tokens(OWN_TOOLS.instructions) < 300
