"""The language server's protocol without a client: what it says of faults, and that it keeps nothing of what has ended."""

import asyncio
import logging
from typing import Any

import msgspec
import pytest

from symindex.serve.lsp import protocol as lsp_protocol
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.lsp.handlers import make_server
from symindex.serve.lsp.handshake import read_client_info
from symindex.serve.lsp.protocol import INTERNAL_ERROR, Protocol
from symindex.session.watched_tree import WatchedTrees

SECRET = "/home/somebody/secret"


class Sent:
    """A channel that keeps what is written to it."""

    waiting = 0

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.has_any = asyncio.Event()

    def write(self, message: bytes) -> None:
        self.messages.append(msgspec.json.decode(message))
        self.has_any.set()


def begin() -> tuple[Protocol, Sent]:
    """The protocol of a client that was greeted."""
    sent = Sent()
    return make_server(read_client_info({}), sent, WatchedTrees, Bounds()).protocol, sent  # type: ignore[arg-type]


def say(protocol: Protocol, method: str, number: int | None = None) -> None:
    """Has it take a message."""
    message = {"jsonrpc": "2.0", "method": method, "params": {"settings": {}}}
    protocol.take(msgspec.json.encode(message if number is None else {**message, "id": number}))


def fail(*_: Any, **__: Any) -> None:
    raise KeyError(SECRET)


async def fail_later(_: Any) -> None:
    fail()


@pytest.mark.parametrize("where", ["at once", "later", "before it is handled"])
def test_a_fault_tells_a_client_nothing_of_the_machine(
    where: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The text of an error may hold paths and code; the log has it."""

    async def ask() -> list[Any]:
        protocol, sent = begin()
        protocol.serve("symindex/asked", fail_later if where == "later" else fail)
        if where == "before it is handled":
            monkeypatch.setattr(protocol, "_handle", fail)
        say(protocol, "symindex/asked", 7)
        await asyncio.wait_for(sent.has_any.wait(), 5)
        return sent.messages

    with caplog.at_level(logging.ERROR, "symindex.lsp"):
        messages = asyncio.run(ask())
    message = "internal error (KeyError); the log of the server tells more"
    assert messages == [{"jsonrpc": "2.0", "id": 7, "error": {"code": INTERNAL_ERROR, "message": message}}]
    assert SECRET in caplog.text


def test_nothing_is_kept_of_what_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of notifications nor of what the client was asked and has not answered in time."""
    monkeypatch.setattr(lsp_protocol, "CLIENT_SECONDS", 0.01)

    async def talk() -> tuple[list[Any], dict[Any, Any], dict[Any, Any], set[Any]]:
        protocol, sent = begin()

        async def ask(_: Any) -> None:
            assert await protocol.call("workspace/configuration", {"items": []}) is None

        protocol.serve("symindex/told", ask)
        say(protocol, "symindex/told")
        await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
        await asyncio.sleep(0)  # then their ends are told
        return [message["method"] for message in sent.messages], protocol._requests, protocol._asked, protocol._handling

    assert asyncio.run(talk()) == (["workspace/configuration"], {}, {}, set())
