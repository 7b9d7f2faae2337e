"""Fetch through every front end gives the same answers as Python. A copy by a killed command is
absent or complete."""

import json
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.dialects.rye_page import as_rye
from symindex.dialects.table import call
from symindex.protocol.search import SearchResponse
from symindex.serve.mcp.answers import ToolAnswer
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.workspace import Workspace
from tests.support.command import SYMINDEX, run
from tests.support.files import write_files
from tests.support.items_world import LABEL, PACKAGE, World, live_in, make_world
from tests.support.lsp_client import Client, LspError, start_server
from tests.support.waiting import until

Opened = tuple[World, Workspace]

READ = "rye/file-system/read"

CALLS: list[dict[str, Any]] = [
    {"item_id": "rye/core/create_directive", "source": "project"},
    {"item_type": "tool", "item_id": READ, "source": "system"},
    {"item_type": "knowledge", "item_id": "rye/core/tool-metadata-reference"},
    {"item_id": "rye/bash", "source": "user", "verify": "off"},
    {"item_id": "my-project/missing-tool", "item_type": "tool"},
    {"item_id": "twice"},
    {"query": "read file", "scope": ["tool"], "limit": 2},
    {"query": "*", "scope": ["rye.fetch.knowledge.*"], "limit": 5, "offset": 10, "sort_by": "name"},
    {"query": "thread", "scope": ["tool"], "fields": {"category": "agent"}, "source": "project"},
    {"query": "*", "scope": ["tool.rye.*"], "filters": {"category": "rye"}},
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with pytest.MonkeyPatch.context() as patched:
        world = make_world(tmp_path_factory.mktemp("world"))
        live_in(world, patched)
        with world.open() as workspace:
            workspace.search("*", scope="tool")
            yield world, workspace


@pytest.fixture(autouse=True)
def _in_the_world(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    live_in(opened[0], monkeypatch)


def expected(workspace: Workspace, given: dict[str, Any]) -> Any:
    answer = workspace.fetch(**given)
    return json.loads(
        msgspec.json.encode(as_rye(answer) if isinstance(answer, SearchResponse) else answer)
    )


OPTIONS = {
    "item_type": "--type",
    "verify": "--verify",
    "scope": "--scope",
    "sort_by": "--sort-by",
    "fields": "--field",
    "filters": "--filter",
}


def as_arguments(given: dict[str, Any]) -> list[str]:
    words = [str(given["item_id"])] if "item_id" in given else []
    for name, value in given.items():
        if name != "item_id":
            several = (
                [f"{key}={entry}" for key, entry in value.items()]
                if isinstance(value, dict)
                else value
            )
            for argument in several if isinstance(several, list) else [several]:
                words += [OPTIONS.get(name, f"--{name}"), str(argument)]
    return words


def places(world: World) -> list[str]:
    return ["--root", str(world.project), "--index-dir", str(world.index)]


@pytest.mark.sample(3)
@pytest.mark.parametrize("given", CALLS, ids=str)
def test_the_command(given: dict[str, Any], opened: Opened) -> None:
    world, workspace = opened
    wanted = expected(workspace, given)
    ran = run("fetch", *as_arguments(given), "--json", *places(world))
    assert json.loads(ran.out) == wanted
    assert ran.code == (1 if wanted.get("status") == "error" else 0)


def test_the_command_accepts_misspelt_or_separated_words(opened: Opened) -> None:
    world, _ = opened
    asked = ["fetch", "--scope", "tool", "--json", *places(world), "--query"]
    for words, total in (
        (["thraed orchestrator", "--fuzzy", "--max-distance", "2", "--proximity", "5"], 1),
        (["thraed orchestrator", "--no-fuzzy", "--proximity", "5"], 0),
        (["thread orchestrator", "--proximity", "20"], 2),
    ):
        assert json.loads(run(*asked, *words).out)["total"] == total


def test_other_forms_of_the_command(opened: Opened) -> None:
    world, workspace = opened
    assert (
        run("fetch", READ, "--raw", *places(world)).out
        == PACKAGE[f"ryeos_core/.ai/tools/{READ}.py"]
    )
    shown = run("fetch", "rye/bash", *places(world)).out
    assert shown.startswith("# Fetch: `tool:rye/bash`\nproject, `")
    assert f"> hides the same id in user, system:{LABEL}" in shown and "signature: missing" in shown
    refused = run("fetch", "my-project/missing-tool", *places(world))
    assert (refused.code, refused.out) == (
        1,
        "# Fetch: `my-project/missing-tool`\n> Item not found: my-project/missing-tool\n",
    )
    both = run("fetch", "a", "--query", "b", *places(world))
    assert (both.code, both.out) == (2, "") and both.err.count("\n") == 1
    ran = run(
        "search",
        "read",
        "write",
        "--scope",
        "tool.rye.file-system.*",
        "--format",
        "rye",
        *places(world),
    )
    wanted = {"query": "read write", "scope": "tool.rye.file-system.*"}
    assert json.loads(ran.out) == msgspec.to_builtins(
        call(workspace, "rye", "rye_search", **wanted)
    )


@pytest.fixture(scope="module")
def client(opened: Opened) -> Iterator[Client]:
    made = start_server()
    made.initialize(opened[0].project, options={"indexDir": str(opened[0].index)})
    until(lambda: made.call("symindex/fetch", CALLS[1])["status"] == "success", "the index")
    yield made
    assert made.leave() == 0


@pytest.mark.sample(4)
@pytest.mark.parametrize("given", CALLS, ids=str)
def test_the_language_server(given: dict[str, Any], opened: Opened, client: Client) -> None:
    assert client.call("symindex/fetch", given) == expected(opened[1], given)


def test_the_language_server_writes_nothing(opened: Opened, client: Client) -> None:
    for given, message in (
        ({"item_id": READ, "destination": "project"}, "symindex fetch ID --to project"),
        ({"item_id": "a", "query": "b", "scope": "tool"}, "both are given"),
        ({"name": "a"}, "name"),
    ):
        with pytest.raises(LspError, match=message):
            client.call("symindex/fetch", given)
    assert not (opened[0].project / f".ai/tools/{READ}.py").exists()


@pytest.fixture(scope="module")
def handlers(opened: Opened) -> Iterator[ToolHandlers]:
    made = ToolHandlers([opened[0].project], str(opened[0].index))
    until(lambda: "Up to date" in ask(made, "status").text, "the index")
    yield made
    made.workspace.close()


def ask(handlers: ToolHandlers, tool: str, **arguments: Any) -> ToolAnswer:
    return handlers.answer(tool, arguments, threading.Event())


@pytest.mark.parametrize("item", ["rye/file-system/read", "tool:rye/file-system/read"])
def test_an_agent_gets_an_item_by_symbol(item: str, opened: Opened, handlers: ToolHandlers) -> None:
    answer = ask(handlers, "symbol", symbol=item)
    assert not answer.is_error
    wanted = expected(opened[1], {"item_id": READ})
    assert json.loads(msgspec.json.encode(answer.data["item"])) == wanted
    assert (
        f"# Fetch: `tool:{READ}`\nsystem, `{LABEL}`" in answer.text
        and wanted["content"].strip() in answer.text
    )


def test_an_agent_gets_items_by_search(opened: Opened, handlers: ToolHandlers) -> None:
    given = {"query": "read write", "scope": ["tool.rye.file-system.*"]}
    answer = ask(handlers, "search", **given, format="rye")
    assert json.loads(answer.text) == expected(opened[1], given)
    page = {"query": "*", "scope": ["knowledge"], "sort_by": "name"}
    answer = ask(handlers, "search", **page, max_items=5, start_index=10, format="rye")
    assert json.loads(answer.text) == expected(opened[1], {**page, "limit": 5, "offset": 10})


@pytest.mark.nightly
@pytest.mark.slow
def test_a_killed_command_leaves_the_destination_absent_or_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(tmp_path)
    live_in(world, monkeypatch)
    content = b'"""Large"""\n' + b"x = 1\n" * 290_000
    write_files(world.project, {".ai/tools/large.py": content})
    world.open().close()
    command = [*SYMINDEX, "fetch", "large", "--to", "user", "--force", "--raw", *places(world)]
    target = world.home / ".ai/tools/large.py"
    begun = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)
    usual, chance = time.monotonic() - begun, random.Random(0)
    for number in range(8):
        if number % 2:
            target.unlink(missing_ok=True)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(usual * chance.uniform(0.5, 1.0))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert not target.exists() or target.read_bytes() == content
        assert number % 2 or target.exists()  # the earlier file is not lost
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)
        assert sorted(os.listdir(target.parent)) == ["large.py", "rye"]
