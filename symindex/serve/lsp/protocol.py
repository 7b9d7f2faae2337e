"""pygls's protocol, with three additions: a broken message, or one at the wrong time, is answered with an error; errors tell a
client nothing about the machine; and a result may already be JSON (`msgspec.Raw`).

`_send_data` is the only private method of pygls that is replaced. `README.md` says what else stands beside pygls, and why.
"""

import asyncio
import inspect
import json
import logging
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec
from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcRequestCancelled
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, LanguageServerProtocol, default_converter

from symindex.errors import SymindexError
from symindex.serve.lsp.channel import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LOG,
    MOST_WAITING,
    REQUEST_FAILED,
    Channel,
    MessageError,
    fault_text,
    is_id,
    read_message,
)
from symindex.workers.cancellation import NotWantedError

# It logs a traceback for each refused request, and texts of clients. Faults are logged here instead.
logging.getLogger("pygls").setLevel(logging.CRITICAL)

CLIENT_SECONDS: Final = 30.0
"""How long a client may take to answer."""


class Protocol(LanguageServerProtocol):
    """The protocol of one client, after its handshake."""

    channel: Channel | None = None

    exit_code: int | None = None
    """Set when the client has sent `exit`."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.served: set[str] = set()
        self.on_lost_edit: Callable[[], None] = lambda: None
        self._is_shut_down = False
        self._answering: set[asyncio.Task[Any]] = set()

    def serve(self, method: str, handler: Callable[[Any], Any]) -> None:
        """Registers a handler, also in place of one of pygls's own. An error that it raises is the answer to a request."""

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
        """After a message was handled: pygls would keep the futures of notifications as long as the client stays."""
        self._answering.discard(task)
        asyncio.get_running_loop().call_soon(self._forget_ended)

    def _forget_ended(self) -> None:
        for key in [key for key, each in self._request_futures.items() if each.done()]:
            del self._request_futures[key]
            self._result_types.pop(key, None)

    def take(self, body: bytes) -> None:
        try:
            data = read_message(body)
            method = data.get("method")
            if method == types.EXIT:
                self.exit_code = 0 if self._is_shut_down else 1
            elif self._is_shut_down and method is None:
                pass  # a response that is not waited for any more
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
        """Why a message comes at the wrong time; empty if it does not."""
        if self._is_shut_down:
            return f"{method}: the server was shut down; only exit may follow"
        return "initialize: was requested already" if method == types.INITIALIZE else ""

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
            return  # pygls would look it up, and fail
        try:
            self.handle_message(message)
        except Exception as error:
            if "id" not in data or method is None:
                raise
            LOG.error("%s could not be handled", method, exc_info=error)
            raise MessageError(data["id"], INTERNAL_ERROR, fault_text(error)) from None

    def shut_down(self) -> None:
        """From now on every request is answered with an error. What is in progress is cancelled."""
        self._is_shut_down = True
        self._give_up()

    def disconnect(self) -> None:
        """The client has left: nothing more is sent to it, and what is in progress is cancelled."""
        self.channel = None
        self._give_up()

    def _give_up(self) -> None:
        for task in self._answering - {asyncio.current_task()}:
            task.cancel()

    def _send_data(self, data: Any) -> None:
        """Sends a message. pygls's own method would turn JSON into objects and back, in the event loop: 54 ms and 17 MB for
        10,000 symbols (111 ms and 19 MB as `lsprotocol.types`); here no time, and 2 MB. Half a surrogate pair becomes a question
        mark, because most readers of JSON refuse the escape that pygls sends.
        """
        result = getattr(data, "result", None)
        if isinstance(result, msgspec.Raw):
            self._write(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (_json(data.id), result))
        else:
            self._write(_json(data, self._serialize_message))

    def _write(self, message: bytes) -> None:
        if self.channel is not None:
            self.channel.write(message)

    def send_partial(self, token: Any, part: bytes) -> None:
        """Sends a part of a result, which is already JSON."""
        self._write(b'{"jsonrpc":"2.0","method":"$/progress","params":{"token":%b,"value":%b}}' % (_json(token), part))

    @property
    def is_listened_to(self) -> bool:
        """Whether the client reads what it is sent; if not, only answers are sent."""
        return self.channel is not None and self.channel.waiting < MOST_WAITING

    async def call(self, method: str, params: Any) -> Any:
        """Sends a request to the client; `None` if it answers with an error, or not in time."""
        try:
            return await asyncio.wait_for(self.send_request_async(method, params), CLIENT_SECONDS)
        except (JsonRpcException, TimeoutError) as error:
            LOG.info("%s: the client answers: %s", method, error or "nothing")
            return None
        finally:
            self._forget_ended()


def _answer_to(error: Exception, method: str) -> JsonRpcException:
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
    """Turns messages into objects; shared by all clients, because it takes 32 ms to make."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    # pygls would make named tuples of unknown params, and lose keys that are no Python names.
    converter.register_structure_hook(
        JsonRPCRequestMessage, lambda data, kind: kind(data["id"], data["method"], data["jsonrpc"], data.get("params"))
    )
    converter.register_structure_hook(
        JsonRPCNotification, lambda data, kind: kind(data["method"], data["jsonrpc"], data.get("params"))
    )
    return converter
