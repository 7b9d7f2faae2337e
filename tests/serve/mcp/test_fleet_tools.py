"""The agents' tools over a fleet: their schemas, their repository, and what they leave out."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from symindex.errors import RequestError
from symindex.serve.mcp import fleet_handlers
from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.fleet_handlers import FleetHandlers, make_handlers
from symindex.serve.mcp.fleet_tools import FLEET_BY_NAME, FLEET_TOOLS, in_repository
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.serve.mcp.tools import TOOLS
from symindex.text.token_budget import estimate_tokens
from symindex.workspace.workspace import Workspace
from tests.support.command import SYMINDEX, run
from tests.support.files import write_files
from tests.support.fleet_server import TOKEN, FleetServer
from tests.support.fleets import SmallFleet

FILES = {
    "acme/shop/src/a.py": "class Store:\n    def put(self): pass\n",
    "acme/shop/b.py": "from src.a import Store\n\ndef use():\n    Store().put()\n",
    "acme/bank/src/a.py": "class Store:\n    def put(self): pass\n",
    "acme/bank/README.md": "# Bank\n\nHow money is kept in a store.\n",
}


@pytest.fixture(scope="module")
def handlers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetHandlers]:
    folder = tmp_path_factory.mktemp("fleet")
    workspace = Workspace(write_files(folder / "all", FILES), folder / "indexes")
    workspace.refresh()
    handlers = FleetHandlers(workspace)
    yield handlers
    handlers.close()


def ask(handlers: FleetHandlers, tool: str, **arguments: Any) -> tuple[str, bool]:
    answer = handlers.answer(tool, arguments, threading.Event())
    return answer.text, answer.is_error


def test_the_tools_cost_no_more_than_those_over_trees() -> None:
    assert estimate_tokens(json.dumps(FLEET_TOOLS)) < 1_900
    assert [tool["name"] for tool in FLEET_TOOLS] == [tool["name"] for tool in TOOLS]
    offer = Offer(is_fleet=True)
    assert [tool["name"] for tool in offer.tools_for("")] == [*FLEET_BY_NAME]
    assert "owner/name" in offer.instructions and estimate_tokens(offer.instructions) < 320


def test_what_needs_a_working_copy_is_left_out(
    handlers: FleetHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMINDEX_MCP_WRITE", "1")
    for tool, arguments in (
        ("outline", {"since": "HEAD"}),
        ("outline", {"tests": True}),
        ("symbol", {"symbol": "Store", "history": True}),
        ("search", {"query": "a", "space": "user"}),
        ("search", {"query": "a", "in": "notes"}),
        ("note", {"text": "a"}),
        ("add", {"source": "a", "text": "a"}),
    ):
        text, is_error = ask(handlers, tool, **arguments)
        assert is_error and "\n" not in text, tool
        assert "note" not in {tool["name"] for tool in Offer(is_fleet=True).tools_for("")}


def test_a_repository_limits_a_tool(handlers: FleetHandlers) -> None:
    for tool, arguments in (
        ("search", {"query": "Store"}),
        ("search", {"query": "Store", "path": "src/**"}),
        ("search", {"query": "money kept", "in": "text"}),
        ("symbol", {"symbol": "Store"}),
        ("outline", {}),
        ("outline", {"path": "src/a.py"}),
        ("references", {"name": "put"}),
        ("references", {"name": "put", "in": "all", "path": ["*.py", "!b.py"]}),
    ):
        text, is_error = ask(handlers, tool, repository="acme/bank", **arguments)
        assert not is_error and "acme/bank" in text and "acme/shop" not in text, (tool, text)


@pytest.mark.parametrize(
    ("given", "are_globs", "paths"),
    [
        ({}, True, ["a/b/**"]),
        ({}, False, ["a/b"]),
        ({"path": ["src/**", "!*.js"]}, True, ["a/b/src/**", "!a/b/**/*.js"]),
        ({"path": ["!*.js"]}, True, ["a/b/**", "!a/b/**/*.js"]),
        ({"path": "src/x.py"}, False, ["a/b/src/x.py"]),
        ({"path": ["a/b/src"]}, True, ["a/b/src"]),
        ({"path": ["/src/", "./x/y"]}, True, ["a/b/src", "a/b/x/y"]),
    ],
)
def test_paths_are_relative_to_the_repository(
    given: dict[str, Any], are_globs: bool, paths: list[str]
) -> None:
    assert in_repository({**given, "repository": "/a/b/"}, are_globs) == {"path": paths}
    assert in_repository(dict(given), are_globs) == given


@pytest.mark.parametrize("name", ["..", "a/../b", "a//b", "*", "a/*"])
def test_what_is_no_name_of_a_repository(name: str) -> None:
    with pytest.raises(RequestError, match="expected one name, as owner/name"):
        in_repository({"repository": name}, True)


def test_the_status_of_a_fleet(tmp_path: Path) -> None:
    small = SmallFleet(tmp_path)
    small.work().update()
    with small.open() as fleet:
        answer = FleetHandlers(fleet).answer("status", {}, threading.Event())
        assert not answer.is_error and answer.text.startswith("# Fleet\nstore ")
        assert "repositories  2 current" in answer.text
        assert all(f"\n{name} " in answer.text for name in small.names)
        assert answer.data == {"status": msgspec.to_builtins(fleet.status())}


def test_the_status_lists_so_many_repositories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = SmallFleet(tmp_path)
    small.work().update()
    with small.open() as fleet:
        for most in 2, 1:
            monkeypatch.setattr(fleet_handlers, "MOST_ROWS", most)
            text, _ = ask(FleetHandlers(fleet), "status")
            assert ("1 more repository not shown" in text) == (most == 1)


def test_source_trees_have_no_status_of_a_fleet(handlers: FleetHandlers) -> None:
    text, is_error = ask(handlers, "status")
    assert is_error and "serves source trees" in text


def test_which_handlers_a_server_has(tmp_path: Path) -> None:
    handlers = make_handlers([], None, Offer(), "")
    assert isinstance(handlers, ToolHandlers)
    handlers.close()
    assert isinstance(make_handlers([], None, Offer(), "http://127.0.0.1:9"), FleetHandlers)
    ran = run("mcp", "--fleet", "http://127.0.0.1:9", "--root", str(tmp_path))
    assert (ran.code, ran.err.startswith("symindex: --root: means nothing in a fleet")) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("over_http", [False, True])
def test_the_sdk_s_client_over_both_transports(over_http: bool, tmp_path: Path) -> None:
    """`symindex mcp --fleet` asks the service; over HTTP, the service has the tools itself."""
    roots = [
        write_files(tmp_path / name, {"a.py": "class Store: pass\n"}) for name in ("shop", "bank")
    ]
    server = FleetServer(tmp_path / "indexes", *roots, token="" if over_http else TOKEN)
    command = StdioServerParameters(
        command=SYMINDEX[0],
        args=[*SYMINDEX[1:], "mcp", "--fleet", server.address],
        env={
            **os.environ,
            "SYMINDEX_FLEET_TOKEN": TOKEN,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        },
    )

    async def talk() -> None:
        async with Client(f"{server.address}/mcp" if over_http else command) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == [*FLEET_BY_NAME]
            with anyio.fail_after(60):
                text = ""
                while "bank/a.py:1" not in text or "incomplete" in text:
                    found = await client.call_tool("search", {"query": "Store", "repo": "bank"})
                    text = getattr(found.content[0], "text", "")
            assert "shop" not in text

    try:
        anyio.run(talk)
    finally:
        server.stop()
