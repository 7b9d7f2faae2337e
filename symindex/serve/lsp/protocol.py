"""JSON-RPC with one client, after its handshake: messages to handlers, their results back, requests to the client.

A broken message, or one at the wrong time, is answered with an error. Errors tell a client nothing about the machine. A result
may already be JSON (`msgspec.Raw`). `README.md` says why this is no library's.
"""

import asyncio
import inspect
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

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
    read_message,
    to_json,
)
from symindex.serve.lsp.messages import TRACE_OFF, Cancel, Id, Token, Trace
from symindex.workers.cancellation import NotWantedError

CLIENT_SECONDS: Final = 30.0
"""How long a client may take to answer."""

METHOD_NOT_FOUND: Final = -32601
REQUEST_CANCELLED: Final = -32800

_TRACES: Final = frozenset({TRACE_OFF, "messages", "verbose"})


class ClientError(Exception):
    """The client answers a request with an error."""


class Protocol:
    """The messages of one client.

    channel: `None` once the client has left. exit_code: set when the client has sent `exit`. trace: what it wants to be told.
    on_lost_edit: called when an edit of a document cannot be read. on_progress_cancelled: by token, what a client ends.
    """

    def __init__(self, channel: Channel | None = None) -> None:
        self.channel = channel
        self.exit_code: int | None = None
        self.trace = TRACE_OFF
        self.on_lost_edit: Callable[[], None] = lambda: None
        self.on_progress_cancelled: dict[int | str, Callable[[], object]] = {}
        self._handlers: dict[str, tuple[Any, Callable[[Any], Any]]] = {}
        self._is_shut_down = False
        self._handling: set[asyncio.Task[None]] = set()
        self._requests: dict[Id, asyncio.Task[None]] = {}
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)
        self.serve("$/cancelRequest", self._cancel_request, Cancel)
        self.serve("$/setTrace", self._set_trace, Trace)
        self.serve("window/workDoneProgress/cancel", self._cancel_progress, Token)

    def serve(self, method: str, handler: Callable[[Any], Any], params: Any = Any) -> None:
        """Registers a handler. params: the type of what it takes. An error that it raises is the answer to a request."""
        self._handlers[method] = params, handler

    def take(self, body: bytes) -> None:
        """Takes a message. Handlers begin in the order of their messages."""
        data: dict[str, Any] = {}
        try:
            data = read_message(body)
            method = data.get("method")
            if method == "exit":
                self.exit_code = 0 if self._is_shut_down else 1
            elif method is None:
                self._take_response(data)
            elif refusal := self._refusal(method):
                if "id" in data:
                    raise MessageError(data["id"], INVALID_REQUEST, refusal)
                LOG.warning("ignored: %s", refusal)
            else:
                self._dispatch(method, data)
        except MessageError as error:
            self._write(error.encoded())
        except Exception as error:  # of one message, which must not be the end of all others
            LOG.error("a message could not be handled", exc_info=error)
            if "id" in data and "method" in data:
                self._write(MessageError(data["id"], INTERNAL_ERROR, fault_text(error)).encoded())

    def _refusal(self, method: str) -> str:
        """Why a message comes at the wrong time; empty if it does not."""
        if self._is_shut_down:
            return f"{method}: the server was shut down; only exit may follow"
        return "initialize: was requested already" if method == "initialize" else ""

    def _dispatch(self, method: str, data: dict[str, Any]) -> None:
        request_id, is_request = data.get("id"), "id" in data
        kind, handler = self._handlers.get(method, (None, None))
        if handler is None:
            if is_request:
                raise MessageError(request_id, METHOD_NOT_FOUND, f"{method[:200]}: is not served here")
            LOG.info("ignored: %s: is not served here", method)
            return
        try:
            params = msgspec.convert(data.get("params"), kind)
        except (msgspec.ValidationError, UnicodeEncodeError, RecursionError):
            LOG.warning("%s: cannot be read", method)
            if method == "textDocument/didChange":
                self.on_lost_edit()
            if is_request:
                raise MessageError(request_id, INVALID_PARAMS, f"{method}: the params are not as the protocol has them") from None
            return
        task = asyncio.ensure_future(self._handle(method, handler, params, request_id, is_request))
        self._handling.add(task)
        task.add_done_callback(self._handling.discard)
        if "id" in data:
            self._requests[data["id"]] = task
            task.add_done_callback(partial(self._forget, request_id))

    def _forget(self, request_id: Any, task: "asyncio.Task[None]") -> None:
        """After a request: one that was cancelled, perhaps before it began, has no answer yet."""
        if self._requests.get(request_id) is task:
            del self._requests[request_id]
        if task.cancelled():
            self._write(MessageError(request_id, REQUEST_CANCELLED, "cancelled").encoded())

    async def _handle(self, method: str, handler: Callable[[Any], Any], params: Any, request_id: Any, is_request: bool) -> None:
        """Runs a handler, and answers if it is a request."""
        try:
            result = handler(params)
            if inspect.isawaitable(result):
                result = await result
            if is_request:
                self._write(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (to_json(request_id), to_json(result)))
        except Exception as error:
            if is_request:
                self._write(_answer_to(error, method, request_id).encoded())
            elif not isinstance(error, NotWantedError):
                is_fault = not isinstance(error, SymindexError)  # else the client's
                LOG.error("%s could not be handled: %s", method, error, exc_info=error if is_fault else None)

    def _cancel_request(self, params: Cancel) -> None:
        task = self._requests.get(params.id)
        if task is not None:
            task.cancel()

    def _set_trace(self, params: Trace) -> None:
        if params.value in _TRACES:
            self.trace = params.value

    def _cancel_progress(self, params: Token) -> None:
        end = self.on_progress_cancelled.pop(params.token, None)
        if end is not None:
            end()

    def _take_response(self, data: dict[str, Any]) -> None:
        """The client answers a request; who waits for it may have given up."""
        waiting = self._asked.get(data["id"]) if isinstance(data.get("id"), int) else None
        if waiting is None or waiting.done():
            return
        if "error" in data:
            error = data["error"]
            waiting.set_exception(ClientError(str(error.get("message", "") if isinstance(error, dict) else error)[:200]))
        else:
            waiting.set_result(data.get("result"))

    def shut_down(self) -> None:
        """From now on every request is answered with an error. What is in progress is cancelled."""
        self._is_shut_down = True
        self._give_up()

    def disconnect(self) -> None:
        """The client has left: nothing more is sent to it, and what is in progress is cancelled."""
        self.channel = None
        self._give_up()

    def _give_up(self) -> None:
        for task in self._handling - {asyncio.current_task()}:
            task.cancel()

    def _write(self, message: bytes) -> None:
        if self.channel is not None:
            self.channel.write(message)

    def notify(self, method: str, params: Any) -> None:
        """Sends a notification."""
        self._write(b'{"jsonrpc":"2.0","method":%b,"params":%b}' % (to_json(method), to_json(params)))

    def send_partial(self, token: Any, part: bytes) -> None:
        """Sends a part of a result, which is already JSON."""
        self.notify("$/progress", {"token": msgspec.Raw(to_json(token)), "value": msgspec.Raw(part)})

    @property
    def is_listened_to(self) -> bool:
        """Whether the client reads what it is sent; if not, only answers are sent."""
        return self.channel is not None and self.channel.waiting < MOST_WAITING

    async def ask(self, method: str, params: Any) -> Any:
        """Sends a request to the client. Raises ClientError if it answers with an error, TimeoutError if not in time."""
        number = next(self._numbers)
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[number] = waiting
        self._write(b'{"jsonrpc":"2.0","id":%d,"method":%b,"params":%b}' % (number, to_json(method), to_json(params)))
        try:
            return await asyncio.wait_for(waiting, CLIENT_SECONDS)
        finally:
            del self._asked[number]

    async def call(self, method: str, params: Any) -> Any:
        """As `ask`; `None` if the client answers with an error, or not in time."""
        try:
            return await self.ask(method, params)
        except (ClientError, TimeoutError) as error:
            LOG.info("%s: the client answers: %s", method, error or "nothing")
            return None


def _answer_to(error: Exception, method: str, request_id: Any) -> MessageError:
    if isinstance(error, NotWantedError):
        return MessageError(request_id, REQUEST_CANCELLED, "a newer request has taken its place")
    if isinstance(error, MessageError):
        return error
    if isinstance(error, SymindexError):
        return MessageError(request_id, REQUEST_FAILED, str(error))
    LOG.error("%s failed", method, exc_info=error)
    return MessageError(request_id, INTERNAL_ERROR, fault_text(error))
