"""The agents' page: each configuration parses and names a server that answers; tools and arguments
are the server's own."""

import json
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from symindex.serve.mcp.tools import TOOLS
from tests.editors.run import server_folder
from tests.support.mcp_client import META
from tests.support.mcp_http import TOKEN, HttpServer
from tests.support.pages import AGENTS, PAGES, README, ROOT, section, set_up

pytestmark = pytest.mark.slow

PAGE = PAGES[AGENTS]
BY_CLIENT = set_up(AGENTS)

PLACES = ("/path/to/the/tree", "${workspaceFolder}")
"""Placeholders for the tree."""

SECRETS = ("${SYMINDEX_MCP_TOKEN}", "{env:SYMINDEX_MCP_TOKEN}", "$SYMINDEX_MCP_TOKEN", "TOKEN")
"""Placeholders for the token."""


class Shown(NamedTuple):
    """A server in a client's configuration: a command, or a URL and its `Authorization` header."""

    client: str
    command: tuple[str, ...] = ()
    url: str = ""
    authorization: str = ""


def of_data(client: str, data: dict[str, Any]) -> Shown:
    """Reads a server from a configuration in JSON or TOML."""
    (servers,) = data.values()
    server = servers["symindex"]
    assert set(servers) == {"symindex"}
    if "url" in server:
        variable = server.get("bearer_token_env_var")
        assert variable in (None, "SYMINDEX_MCP_TOKEN")
        authorization = f"Bearer ${variable}" if variable else server["headers"]["Authorization"]
        return Shown(client, url=server["url"], authorization=authorization)
    command = server["command"]
    return Shown(
        client, tuple(command) if isinstance(command, list) else (command, *server["args"])
    )


def of_shell(client: str, line: str) -> Shown:
    """Reads a server from a command of a client:
    `CLIENT mcp add [--transport http] NAME [--] COMMAND or URL`."""
    words = shlex.split(line)
    assert words[1:3] == ["mcp", "add"], line
    if words[3] == "--transport":
        transport, name, url, option, header = words[4:]
        assert (transport, name, option) == ("http", "symindex", "--header")
        return Shown(client, url=url, authorization=header.removeprefix("Authorization: "))
    assert words[3] == "symindex"
    return Shown(client, tuple(word for word in words[4:] if word != "--"))


def configurations() -> list[Shown]:
    """Returns the configurations on the agents' page and in the README."""
    examples = []
    for client, text in {**BY_CLIENT, README: PAGES[README]}.items():
        for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            if language == "sh":
                examples += [
                    of_shell(client, line)
                    for line in block.splitlines()
                    if client != README or " mcp add " in line
                ]
            elif client != README or "mcp_servers" in block or '"mcp' in block:
                examples.append(
                    of_data(client, {"json": json.loads, "toml": tomllib.loads}[language](block))
                )
        examples += [of_shell(client, line) for line in re.findall(r"`(\w+ mcp add [^`]+)`", text)]
    return examples


COMMANDS = sorted({shown.command for shown in configurations() if shown.command})
ADDRESSES = [shown for shown in configurations() if shown.url]


def test_every_client_says_whether_it_was_tried() -> None:
    assert set(BY_CLIENT) == {
        "Claude Code",
        "Codex",
        "Cursor",
        "VS Code",
        "Gemini CLI",
        "opencode",
        "Any other client",
    }
    for client, text in BY_CLIENT.items():
        assert text.strip().startswith(("Tried ", "Not tried")), client


def test_each_client_has_a_configuration() -> None:
    assert {shown.client for shown in configurations() if shown.command} - {README} == set(
        BY_CLIENT
    )
    assert {shown.client for shown in ADDRESSES} - {README} == set(BY_CLIENT) - {
        "Cursor",
        "VS Code",
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = Path(
        shutil.copytree(
            ROOT / "fixtures" / "scenarios" / "repository",
            tmp_path_factory.mktemp("agents") / "tree",
        )
    )
    (tree / ".git").mkdir()
    return tree


@pytest.mark.nightly
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_command_starts_a_server_that_answers_about_the_tree(
    command: tuple[str, ...], tree: Path, tmp_path: Path
) -> None:
    folder = (
        tree / "src" if "--root" not in command else tree
    )  # without a root in the configuration, it is found upwards
    words = [str(tree) if word in PLACES else word for word in command]
    path = os.pathsep.join([str(server_folder(tmp_path / "bin")), os.environ["PATH"]])
    server = StdioServerParameters(
        command=words[0], args=words[1:], cwd=folder, env={**os.environ, "PATH": path}
    )

    async def ask() -> tuple[list[str], Any]:
        async with Client(server) as client:
            return [
                tool.name for tool in (await client.list_tools()).tools
            ], await client.call_tool("status", {})

    names, status = anyio.run(ask)
    assert names == [tool["name"] for tool in TOOLS]
    assert status.content[0].text.startswith(f"# Status: `{tree.resolve()}`\n")


@pytest.fixture(scope="module")
def server(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(tree, tmp_path_factory.mktemp("indexes"), "--http", "0", token=TOKEN)
    yield server
    server.stop()


@pytest.mark.sample(3)
@pytest.mark.parametrize("shown", ADDRESSES, ids=lambda shown: shown.client)
def test_the_address_and_the_token_reach_the_server(shown: Shown, server: HttpServer) -> None:
    assert shown.url == "http://127.0.0.1:7660/mcp"
    assert "symindex mcp --http 127.0.0.1:7660" in PAGE and "SYMINDEX_MCP_TOKEN" in PAGE
    kind, _, secret = shown.authorization.partition(" ")
    assert secret in SECRETS
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    ).encode()
    status, text = server.post(
        body, **{"Mcp-Method": "tools/list", "Authorization": f"{kind} {TOKEN}"}
    )
    assert status == 200 and all(f'"{tool["name"]}"' in text for tool in TOOLS)


def test_the_rule_for_agents_is_in_the_named_file() -> None:
    (path,) = set(re.findall(r"\]\((\S*instructions\.md)\)", PAGE))
    assert "`search`" in ((ROOT / AGENTS).parent / path).read_text()


def test_every_tool_and_argument_is_on_the_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section("Tools", PAGE) or "", re.MULTILINE)
    names = [tool["name"] for tool in TOOLS]
    assert [name for name, _ in rows] == [*names, *names]
    arguments = {name: re.findall(r"`(\w+)`", text) for name, text in rows[len(names) :]}
    assert arguments == {tool["name"]: [*tool["inputSchema"]["properties"]] for tool in TOOLS}
