"""pygls's protocol, with what it leaves open: what is no message, or comes at the wrong time, is answered with an error of the
protocol; errors tell a client nothing of the machine; and an answer may be JSON already.

Of its inside only `_send_data` is replaced: see there. What else stands beside pygls, and why, is in `README.md`.
"""

import asyncio
import inspect
import json
import logging
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcRequestCancelled
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    LanguageServerProtocol,
    default_converter,
)

from symindex.errors import SymindexError
from symindex.serve.lsp.channel import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    MOST_WAITING,
    REQUEST_FAILED,
    Channel,
    MessageError,
    fault_text,
    is_id,
    read_message,
)
from symindex.workers.cancellation import NotWantedError

LOG: Final = logging.getLogger("symindex.lsp")

# It logs a traceback for each request that is refused, and texts of clients. What is a fault is logged here.
logging.getLogger("pygls").setLevel(logging.CRITICAL)

CLIENT_SECONDS: Final = 30.0
"""How long a client may take to answer."""


class Encoded(NamedTuple):
    """A result that is JSON already."""

    json: bytes


class Protocol(LanguageServerProtocol):
    """The protocol of one client, from the end of its handshake on."""

    channel: Channel | None = None

    exit_code: int | None = None
    """Set when the client has said that this is the end."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.served: set[str] = set()
        self.on_lost_edit: Callable[[], None] = lambda: None
        self._is_shut_down = False
        self._answering: set[asyncio.Task[Any]] = set()

    def serve(self, method: str, handler: Callable[[Any], Any]) -> None:
        """Has a method handled in place of what pygls does by itself; an error that is raised is the answer to a request."""

        async def answer(params: Any) -> Any:
            task, is_request = asyncio.current_task(), self.msg_id is not None
            assert task is not None
            self._answering.add(task)
            task.add_done_callback(self._forget)
            try:
                result = handler(params)
                return await result if inspect.isawaitable(result) else result
            except asyncio.CancelledError:
                if not is_request or self.channel is None:
                    raise
                raise JsonRpcRequestCancelled("cancelled") from None
            except Exception as error:
                if is_request:
                    raise _answer_to(error, method) from None
                if not isinstance(error, NotWantedError):
                    is_fault = not isinstance(error, SymindexError)  # else the client's
                    LOG.error("%s could not be handled: %s", method, error, exc_info=error if is_fault else None)

        self.served.add(method)
        if method in self.fm.builtin_features:
            self.fm.add_builtin_feature(method, answer)
        else:
            self.fm.feature(method)(answer)

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        """After a message was worked on. pygls keeps what has become of notifications, as long as the client stays."""
        self._answering.discard(task)
        asyncio.get_running_loop().call_soon(self._forget_ended)

    def _forget_ended(self) -> None:
        for key in [key for key, each in self._request_futures.items() if each.done()]:
            del self._request_futures[key]
            self._result_types.pop(key, None)

    def take(self, body: bytes) -> None:
        """Takes one message."""
        try:
            data = read_message(body)
            method = data.get("method")
            if method == types.EXIT:
                self.exit_code = 0 if self._is_shut_down else 1
            elif self._is_shut_down and method is None:
                pass  # nobody waits for this answer any more
            elif refusal := self._refusal(method):
                if "id" in data:
                    raise MessageError(data["id"], INVALID_REQUEST, refusal)
                LOG.warning("ignored: %s", refusal)
            else:
                self._take(data, method)
        except MessageError as error:
            self._write(error.encoded())
        except Exception as error:  # of one message, which must not be the end of all others
            LOG.error("a message could not be handled", exc_info=error)

    def _refusal(self, method: str | None) -> str:
        """Why a message of this method comes at the wrong time; empty if it does not."""
        if self._is_shut_down:
            return f"{method}: the server was shut down; only exit may follow"
        return "initialize: was asked for already" if method == types.INITIALIZE else ""

    def _take(self, data: dict[str, Any], method: str | None) -> None:
        try:
            message = self.structure_message(data)
        except JsonRpcException:
            LOG.warning("%s: cannot be read", method or "a response")
            if method == types.TEXT_DOCUMENT_DID_CHANGE:
                self.on_lost_edit()
            if "id" in data and method is not None:
                raise MessageError(data["id"], INVALID_PARAMS, f"{method}: the params are not as the protocol has them") from None
            return
        if method == types.CANCEL_REQUEST and not is_id(message.params.id):
            return  # which pygls would look for all the same
        try:
            self.handle_message(message)
        except Exception as error:
            if "id" not in data or method is None:
                raise
            LOG.error("%s could not be handled", method, exc_info=error)
            raise MessageError(data["id"], INTERNAL_ERROR, fault_text(error)) from None

    def shut_down(self) -> None:
        """From now on nothing is answered but with an error; what is still being worked on is cancelled."""
        self._is_shut_down = True
        self._give_up()

    def disconnect(self) -> None:
        """The client has left: nothing is sent to it, and nothing worked on for it."""
        self.channel = None
        self._give_up()

    def _give_up(self) -> None:
        for task in self._answering - {asyncio.current_task()}:
            task.cancel()

    def _send_data(self, data: Any) -> None:
        """In place of pygls's own, by which an answer that is JSON already would have to become objects and JSON again, in the
        event loop: 10,000 symbols take 54 ms so, and 17 MB; as `lsprotocol.types` 111 ms and 19 MB; here no time, and 2 MB. Half
        a surrogate pair becomes a question mark, because its escape, which pygls sends, is an error to most readers of JSON.
        """
        result = getattr(data, "result", None)
        if isinstance(result, Encoded):
            self._write(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (_json(data.id), result.json))
        else:
            self._write(_json(data, self._serialize_message))

    def _write(self, message: bytes) -> None:
        if self.channel is not None:
            self.channel.write(message)

    def send_partial(self, token: Any, part: bytes) -> None:
        """Sends a part of a result, which is JSON already."""
        self._write(b'{"jsonrpc":"2.0","method":"$/progress","params":{"token":%b,"value":%b}}' % (_json(token), part))

    @property
    def is_listened_to(self) -> bool:
        """Whether the client takes what it is told; else what is not an answer is better left out."""
        return self.channel is not None and self.channel.waiting < MOST_WAITING

    async def call(self, method: str, params: Any) -> Any:
        """Asks the client something; `None` where it answers with an error, or not within a while."""
        try:
            return await asyncio.wait_for(self.send_request_async(method, params), CLIENT_SECONDS)
        except (JsonRpcException, TimeoutError) as error:
            LOG.info("%s: the client answers: %s", method, error or "nothing")
            return None
        finally:
            self._forget_ended()


def _answer_to(error: Exception, method: str) -> JsonRpcException:
    """The error that a request is answered with."""
    if isinstance(error, NotWantedError):
        return JsonRpcRequestCancelled("a newer request has taken its place")
    if isinstance(error, SymindexError):
        return JsonRpcException(str(error), REQUEST_FAILED)
    LOG.error("%s failed", method, exc_info=error)
    return JsonRpcException(fault_text(error), INTERNAL_ERROR)


def _json(data: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    return json.dumps(data, default=default, ensure_ascii=False).encode("utf-8", "replace")


@cache
def message_converter() -> Converter:
    """What makes objects of messages: the same for all clients, because it takes 32 ms to make."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    # pygls would make named tuples of what it does not know, which loses the keys that are no names in Python.
    converter.register_structure_hook(
        JsonRPCRequestMessage, lambda data, kind: kind(data["id"], data["method"], data["jsonrpc"], data.get("params"))
    )
    converter.register_structure_hook(
        JsonRPCNotification, lambda data, kind: kind(data["method"], data["jsonrpc"], data.get("params"))
    )
    return converter
