"""The MCP server as the official inspector's command line sees it, over both transports and in both
protocols.

The inspector uses the SDK for JavaScript, as many clients do: it checks the schemas, and that data
conforms to them.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import symindex
from symindex.protocol.explore import OutlineRequest, ReferencesRequest, SymbolRequest
from symindex.protocol.search import SearchRequest
from symindex.render.hints import tool_hint
from symindex.render.markdown import render_search
from symindex.render.outline import render_outline
from symindex.render.references import render_references
from symindex.render.symbol import render_symbol
from symindex.serve.mcp.tools import BY_NAME
from tests.support.command import run_program
from tests.support.mcp_http import TOKEN, HttpServer, call_of
from tests.support.npm import find_inspector
from tests.support.waiting import until

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

CALLS: dict[str, dict[str, Any]] = {
    "search": {"query": "calc", "max_items": 4},
    "symbol": {"symbol": "Cart", "siblings": True},
    "outline": {"path": "src/cart.py"},
    "references": {"name": "Cart", "max_items": 10},
    "status": {},
}

METHODS: dict[str, list[str]] = {
    "list": ["--method", "tools/list", "--strict"],
    "error": [
        "--method",
        "tools/call",
        "--tool-name",
        "search",
        "--tool-args-json",
        '{"query": "calc", "kinds": ["klass"]}',
    ],
    **{
        tool: [
            "--method",
            "tools/call",
            "--tool-name",
            tool,
            "--tool-args-json",
            json.dumps(arguments),
        ]
        for tool, arguments in CALLS.items()
    },
}
"""The inspector's options for each question."""

IS_ERROR = 5
"""The inspector's exit code if a tool reports an error."""

Asked = tuple[str, str, str]
"""The transport, the protocol (`legacy` has a handshake), and the question."""

QUESTIONS: list[Asked] = [
    ("stdio", "legacy", "list"),
    ("stdio", "modern", "search"),
    ("http", "modern", "list"),
    ("http", "modern", "symbol"),
    ("http", "modern", "status"),
    ("http", "legacy", "outline"),
    ("http", "legacy", "references"),
    ("http", "legacy", "error"),
    ("no token", "legacy", "list"),
]
"""Each tool once, and both protocols over both transports. Other tests in this folder ask more,
without node."""

Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def python_door(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """The answers of the Python front end to the same requests; it opens the servers' index."""
    with symindex.open(repository, tmp_path_factory.getbasetemp() / "inspected") as workspace:
        yield {
            "search": render_search(
                workspace.search(SearchRequest(**CALLS["search"])), "pagination_id"
            ),
            "symbol": render_symbol(
                workspace.symbol(SymbolRequest(**CALLS["symbol"], max_tokens=2_000)), tool_hint
            ),
            "outline": render_outline(
                workspace.outline(OutlineRequest(**CALLS["outline"], max_tokens=2_000)), tool_hint
            ),
            "references": render_references(
                workspace.references(ReferencesRequest(**CALLS["references"]))
            ),
        }


@pytest.fixture(scope="module")
def targets(
    repository: Path, python_door: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, list[str]]]:
    """The inspector's arguments that select the server, by transport."""
    index = tmp_path_factory.getbasetemp() / "inspected"
    server = HttpServer(repository, index, "--http", "0", token=TOKEN)
    asked = {"Authorization": f"Bearer {TOKEN}", "Mcp-Name": "status"}
    until(
        lambda: "Up to date" in server.post(call_of("status"), **asked)[1], "an index"
    )  # the index exists once the status says so
    command = [
        sys.executable,
        "-m",
        "symindex",
        "mcp",
        "--root",
        str(repository),
        "--index-dir",
        str(index),
    ]
    http = ["--server-url", f"http://127.0.0.1:{server.port}/mcp", "--transport", "http"]
    yield {
        "stdio": command,
        "http": [*http, "--header", f"Authorization: Bearer {TOKEN}"],
        "no token": [*http, "--stored-auth-only"],
    }
    server.stop()


@pytest.fixture(scope="module")
def inspected(
    targets: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Asked, Future[Done]]]:
    """The inspector's answers to the questions, asked two at a time: the starts of node and of
    servers take most of the time."""
    inspector, home = find_inspector(), str(tmp_path_factory.mktemp("home"))
    environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home, "XDG_CONFIG_HOME": home}

    def ask(asked: Asked) -> Done:
        transport, era, what = asked
        options = ["--format", "json", "--protocol-era", era, *METHODS[what]]
        command = [*inspector, *targets[transport], *options]
        return run_program(command, env=environment, timeout=120)

    with ThreadPoolExecutor(2) as pool:
        yield {asked: pool.submit(ask, asked) for asked in QUESTIONS}


def result(done: Done) -> Any:
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["result"]


@pytest.mark.parametrize(
    "asked",
    [asked for asked in QUESTIONS if asked[2] == "list" and asked[0] != "no token"],
    ids="-".join,
)
def test_it_takes_the_schemas(asked: Asked, inspected: dict[Asked, Future[Done]]) -> None:
    """It also prints no warning, which other clients might treat as an error."""
    done = inspected[asked].result()
    assert {tool["name"]: tool for tool in result(done)["tools"]} == BY_NAME
    assert "Warning" not in done.stderr and "Error" not in done.stderr, done.stderr


@pytest.mark.parametrize("asked", [asked for asked in QUESTIONS if asked[2] in CALLS], ids="-".join)
def test_it_shows_what_the_python_front_end_answers(
    asked: Asked, inspected: dict[Asked, Future[Done]], python_door: dict[str, str]
) -> None:
    said, tool = result(inspected[asked].result()), asked[2]
    (block,) = said["content"]
    jsonschema.validate(said["structuredContent"], BY_NAME[tool]["outputSchema"])
    if tool == "status":  # status also describes the server's own work
        assert (
            block["text"].startswith("# Status: ")
            and "\nFiles by language: python 10\n" in block["text"]
        )
    else:
        assert re.sub(r"pagination_id=[\w-]+", "", block["text"]) == re.sub(
            r"pagination_id=[\w-]+", "", python_door[tool]
        )


@pytest.mark.parametrize(
    "asked", [asked for asked in QUESTIONS if asked[2] == "error"], ids="-".join
)
def test_it_shows_errors_as_answers(asked: Asked, inspected: dict[Asked, Future[Done]]) -> None:
    done = inspected[asked].result()
    assert done.returncode == IS_ERROR, done.stdout + done.stderr
    assert "unknown kind 'klass': expected one of array, boolean, class" in done.stdout


def test_without_the_token_the_error_says_that_one_is_needed(
    inspected: dict[Asked, Future[Done]],
) -> None:
    done = inspected["no token", "legacy", "list"].result()
    assert done.returncode not in (0, IS_ERROR) and done.stdout == ""
    assert "401" in done.stderr or "auth" in done.stderr, done.stderr
