"""Which clients get data in addition to Markdown: others would pay for it twice, or read it instead
of the text."""

import json
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client

from symindex.serve.mcp.client_profiles import AGENTS, OWN_TOOLS, wants_data
from symindex.serve.mcp.tools import TOOLS
from symindex.text.token_budget import estimate_tokens
from tests.support.files import write_files
from tests.support.mcp_client import LEGACY, MODERN, McpClient
from tests.support.mcp_http import HttpServer

pytestmark = pytest.mark.nightly

HOSTS = (
    "claude-code", "claude-ai", "codex-mcp-client", "Codex", "Visual Studio Code", "Visual-Studio-Code", "cursor-vscode",
    "opencode", "gemini-cli-mcp-client", "github-copilot-developer", "JetBrains-IU-copilot-intellij",
    "Kilo-Code", "Q-DEV-CLI", "Zed",
)  # fmt: skip


def test_hosts_of_agents_are_known_by_their_names() -> None:
    assert not any(map(wants_data, HOSTS))
    assert all(
        map(
            wants_data,
            ("tests", "", "mcp", "inspector-client", "@n8n/n8n-nodes-langchain.mcpClientTool"),
        )
    )
    assert wants_data("claude-code", "always") and not wants_data("tests", "never")
    assert list(AGENTS) == sorted(set(AGENTS))


def test_tools_without_data_promise_none() -> None:
    for whole, text in zip(TOOLS, OWN_TOOLS.tools_for("claude-code"), strict=True):
        assert {**text, "outputSchema": whole["outputSchema"]} == whole
    assert estimate_tokens(json.dumps(OWN_TOOLS.tools_for("claude-code"))) < estimate_tokens(
        json.dumps(TOOLS)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "name", "options", "has_data"),
    [
        (MODERN, "claude-code", (), False),
        (LEGACY, "claude-code", (), False),
        (MODERN, "claude-code", ("always",), True),
        (LEGACY, "tests", ("never",), False),
    ],
)
def test_what_is_sent(
    version: str, name: str, options: tuple[str, ...], has_data: bool, tmp_path: Path
) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    given = [word for option in options for word in ("--structured-content", option)]
    with McpClient([root], tmp_path / "indexes", version, given, name) as client:
        early = client.ask("tools/list", {})["tools"]
        result = client.call("search", query="only")
        assert "| `only` | function | a.py:1 |" in result["content"][0]["text"]
        assert ("structuredContent" in result) == has_data
        # answered by the SDK, which is loaded now
        assert client.ask("tools/list", {})["tools"] == early
        assert all(("outputSchema" in tool) == has_data for tool in early)


@pytest.mark.slow
def test_what_is_sent_over_http(tmp_path: Path) -> None:
    """One server answers both kinds of client, in both protocols."""
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    server = HttpServer(root, tmp_path / "indexes", "--http", "0")

    async def ask(name: str, mode: Any) -> Any:
        me = types.Implementation(name=name, version="1")
        async with Client(
            f"http://127.0.0.1:{server.port}/mcp", mode=mode, client_info=me
        ) as client:
            tools = await client.list_tools()
            result = await client.call_tool("search", {"query": "only"})
            return [
                tool.output_schema is not None for tool in tools.tools
            ], result.structured_content

    try:
        for name, has_data, mode in (
            ("codex-mcp-client", False, "auto"),
            ("tests", True, "auto"),
            ("codex-mcp-client", False, "legacy"),
            ("tests", True, "legacy"),
        ):
            promised, data = anyio.run(ask, name, mode)
            assert promised == [has_data] * len(TOOLS) and (data is not None) == has_data
    finally:
        server.stop()
