"""The language server under load: its event loop is never busy for long, and random traffic does
not end it."""

import asyncio
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.serve.lsp import run
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.lsp.handlers import make_server
from symindex.serve.lsp.handshake import read_client_info
from symindex.workspace.watched_tree import WatchedTrees
from tests.lsp_traffic import run_traffic
from tests.support.files import write_files

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

LONGEST_BUSY = 0.25
"""Longest allowed turn of the event loop, in seconds; on an idle machine it takes a few
milliseconds."""


class Script:
    """A client's channel that sends scripted messages and counts the answers."""

    waiting = 0

    def __init__(self) -> None:
        self.messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.answers: dict[Any, Any] = {}

    async def read(self) -> bytes | None:
        return await self.messages.get()

    def write(self, message: bytes) -> None:
        answer = msgspec.json.decode(message)
        if "method" not in answer:
            self.answers[answer["id"]] = answer

    def close(self) -> None:
        pass

    async def wait_closed(self) -> None:
        pass

    def say(self, method: str, params: Any, number: int | None = None) -> None:
        message = {
            "jsonrpc": "2.0",
            "method": method,
            "params": params,
            **({"id": number} if number is not None else {}),
        }
        self.messages.put_nowait(msgspec.json.encode(message))

    async def answered(self, number: int) -> Any:
        while number not in self.answers:
            await asyncio.sleep(0.005)
        return self.answers[number]


async def burst(root: Path) -> tuple[list[float], int]:
    """Sends queries and edits without a pause; returns the duration of each turn of the event loop,
    in seconds of this thread's processor time, and the number of answers."""
    turns: list[float] = []
    original = asyncio.events.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        began = time.thread_time()
        original(handle)
        turns.append(time.thread_time() - began)

    channel = Script()
    serving = asyncio.ensure_future(run.serve_client(channel, WatchedTrees, Bounds()))  # type: ignore[arg-type]
    folders = [{"uri": root.as_uri(), "name": "tree"}]
    channel.say(
        "initialize",
        {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": folders},
        1,
    )
    channel.say("initialized", {})
    channel.say("workspace/symbol", {"query": "many"}, 2)
    await channel.answered(2)
    asyncio.events.Handle._run = timed  # type: ignore[assignment, method-assign]
    uri = (root / "a.py").as_uri()
    channel.say(
        "textDocument/didOpen",
        {
            "textDocument": {
                "uri": uri,
                "languageId": "python",
                "version": 1,
                "text": "x = 1\n" * 9_000,
            }
        },
    )
    for number in range(10, 310):
        place = {"line": number, "character": 0}
        edit = {"text": "def f(): pass\n", "range": {"start": place, "end": place}}
        channel.say(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": number}, "contentChanges": [edit]},
        )
        channel.say("workspace/symbol", {"query": "many"[: number % 5]}, number)
        if number % 20 == 0:
            await channel.answered(number)
    await channel.answered(309)
    asyncio.events.Handle._run = original  # type: ignore[method-assign]
    channel.say("shutdown", None, 999)
    await channel.answered(999)
    channel.say("exit", None)
    await serving
    return turns, len(channel.answers)


def test_the_event_loop_is_never_busy_for_long(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree", {"b.py": "".join(f"def many_{n}(): pass\n" for n in range(3_000))}
    )
    turns, n_answers = asyncio.run(burst(root))
    assert n_answers == 303
    longest = sorted(turns)[-5:]
    print(
        f"{len(turns):,} turns, the longest of {', '.join(f'{1000 * turn:.1f}' for turn in longest)} ms"
    )
    assert longest[-1] < LONGEST_BUSY


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="reads memory from /proc")
def test_random_traffic_for_a_moment(tmp_path: Path) -> None:
    """Growth of memory takes minutes to show: `python -m tests.lsp_traffic` measures it."""
    samples, n_requests = run_traffic(1, 3.0, tmp_path)
    assert n_requests > 20
    assert all(samples)


def test_work_for_a_client_that_has_left_just_ends() -> None:
    """A client may leave between two steps of a notification, which is not a fault to log."""

    async def leave() -> bool:
        server = make_server(read_client_info({}), Script(), WatchedTrees, Bounds())  # type: ignore[arg-type]
        await server.close()
        task = asyncio.ensure_future(server.run(lambda: None))
        await asyncio.wait({task})
        return task.cancelled()

    assert asyncio.run(leave())
