"""The language server's protocol without a client: messages about faults, and no memory of finished
requests."""

import asyncio
import gc
import logging
import weakref
from typing import Any

import msgspec
import pytest
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from symindex.serve.lsp import protocol as lsp_protocol
from symindex.serve.lsp.channel import INTERNAL_ERROR
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.lsp.converter import message_converter
from symindex.serve.lsp.handlers import make_server
from symindex.serve.lsp.handshake import initialize_result, read_client_info
from symindex.serve.lsp.server import Server
from symindex.workspace.watched_tree import WatchedTrees

SECRET = "/home/somebody/secret"


class Sent:
    """A channel that records what is written to it."""

    waiting = 0

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.has_any = asyncio.Event()

    def write(self, message: bytes) -> None:
        self.messages.append(msgspec.json.decode(message))
        self.has_any.set()


def begin(params: dict[str, Any] | None = None) -> tuple[Server, Sent]:
    """Returns the server of a client after the handshake, and its channel.

    params: the params of `initialize`.
    """
    sent = Sent()
    return make_server(read_client_info(params or {}), sent, WatchedTrees, Bounds()), sent  # type: ignore[arg-type]


def say(server: Server, method: str, number: int | None = None) -> None:
    """Makes the server process a message."""
    message = {"jsonrpc": "2.0", "method": method, "params": {"settings": {}}}
    server.protocol.take(
        msgspec.json.encode(message if number is None else {**message, "id": number})
    )


def fail(*_: Any, **__: Any) -> None:
    raise KeyError(SECRET)


async def fail_later(_: Any) -> None:
    fail()


@pytest.mark.parametrize("where", ["at once", "later", "before it is handled"])
def test_a_fault_tells_a_client_nothing_of_the_machine(
    where: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The text of an error may contain paths and code; only the log contains it."""

    async def ask() -> list[Any]:
        server, sent = begin()
        server.feature("symindex/asked")(fail_later if where == "later" else fail)
        if where == "before it is handled":
            monkeypatch.setattr(server.protocol, "handle_message", fail)
        say(server, "symindex/asked", 7)
        await asyncio.wait_for(sent.has_any.wait(), 5)
        return sent.messages

    with caplog.at_level(logging.ERROR, "symindex.lsp"):
        messages = asyncio.run(ask())
    message = "internal error (KeyError); see the server's log"
    assert messages == [
        {"jsonrpc": "2.0", "id": 7, "error": {"code": INTERNAL_ERROR, "message": message}}
    ]
    assert SECRET in caplog.text


def test_nothing_is_kept_of_what_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server forgets notifications and requests that the client did not answer in time."""
    monkeypatch.setattr(lsp_protocol, "CLIENT_SECONDS", 0.01)

    async def talk() -> tuple[list[Any], int, set[str], dict[Any, Any]]:
        server, sent = begin()

        async def ask(_: Any) -> None:
            with pytest.raises(TimeoutError):
                await server.workspace_configuration_async(types.ConfigurationParams([]))

        server.feature("symindex/told")(ask)
        for _ in range(3):
            say(server, "symindex/told")
            await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
        protocol = server.protocol
        asked = [message["method"] for message in sent.messages]
        return asked, len(protocol._request_futures), protocol._asked, protocol._result_types

    asked, n_kept, waiting, result_types = asyncio.run(talk())
    assert (asked, waiting, result_types) == (["workspace/configuration"] * 3, set(), {})
    assert n_kept == 1  # the last notification, until the next one


def test_a_server_is_not_kept_after_its_client() -> None:
    """pygls alone would keep the server in the caches of its methods."""

    async def talk() -> "weakref.ref[Server]":
        server, _ = begin()
        server.protocol.notify("symindex/x", {})
        say(server, "textDocument/didSave", 1)
        server.protocol.disconnect()
        await server.close()
        return weakref.ref(server)

    seen = asyncio.run(talk())
    gc.collect()
    assert seen() is None


PROMISED: dict[str, Any] = {
    "capabilities": {
        "workspace": {
            "symbol": {"resolveSupport": {"properties": ["location.range"]}},
            "fileOperations": {"didCreate": True, "didRename": True, "didDelete": True},
        }
    },
    "initializationOptions": dict.fromkeys(
        ("definition", "hover", "references", "implementation", "typeHierarchy", "callHierarchy"),
        True,
    ),
}
"""The params of a handshake in which the client supports every capability."""


def test_it_is_a_server_of_pygls_whose_features_are_what_the_handshake_promises() -> None:
    """The handshake is answered before pygls is loaded. pygls computes the capabilities from the
    registered features, and both must agree."""
    server, _ = begin(PROMISED)
    assert isinstance(server, LanguageServer)
    assert isinstance(server.protocol, LanguageServerProtocol)
    manager = server.protocol.fm
    builder = ServerCapabilitiesBuilder(
        message_converter().structure(PROMISED["capabilities"], types.ClientCapabilities),
        {*manager.features, *manager.builtin_features},
        manager.feature_options,
        list(manager.commands),
        types.TextDocumentSyncKind.Incremental,
        None,
        types.PositionEncodingKind.Utf16,
    )
    promised = initialize_result(server.client, server.configuration)["capabilities"]
    own_requests = promised.pop("experimental")["symindex"]
    assert message_converter().unstructure(builder.build()) == promised
    assert {
        *own_requests.values(),
        types.WORKSPACE_SYMBOL,
        types.WORKSPACE_SYMBOL_RESOLVE,
    } <= manager.features.keys()
