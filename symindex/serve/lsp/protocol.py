"""pygls's protocol with what it leaves open: the order of the life of a session, answers that are encoded already, errors that
tell a client nothing of the machine, and requests of our own.

Documents are not kept here: their edits go on to the session, which applies them in another process.
"""

import asyncio
import json
import logging
import math
import typing
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Final, NamedTuple, cast

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

from symindex.errors import SymindexError
from symindex.serve.lsp.channel import MOST_WAITING, Channel
from symindex.serve.lsp.handshake import is_id
from symindex.workers.cancellation import NotWantedError

LOG: Final = logging.getLogger("symindex.lsp")

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_INITIALIZED: Final = -32002
REQUEST_FAILED: Final = -32803
REQUEST_CANCELLED: Final = -32800


class Encoded(NamedTuple):
    """A result that is JSON already."""

    json: bytes


class Bare(NamedTuple):
    """A message of a method that the protocol does not know; the names are pygls's."""

    id: Any
    method: str
    jsonrpc: str
    params: Any


class BareNotification(NamedTuple):
    """The same without an answer."""

    method: str
    jsonrpc: str
    params: Any


class Client(typing.Protocol):
    """What the protocol needs of the server of one client (`serve/lsp/server`)."""

    def begin(self, params: Any) -> dict[str, Any]: ...

    def when_ready(self, work: Callable[[], None]) -> None: ...

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None: ...

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None: ...

    def lost_edit(self) -> None: ...

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None: ...

    def did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None: ...

    def cancel_progress(self, token: Any) -> None: ...


class Protocol(LanguageServerProtocol):
    """The protocol of one client."""

    channel: Channel | None = None
    is_initialized = False
    """Whether the client has asked for the capabilities."""

    is_greeted = False
    """Whether that was answered before this was there."""

    exit_code: int | None = None
    """Set when the client has said that this is the end."""

    handlers: Mapping[str, Callable[..., Any]] = {}
    """By method, what else there is to do; before what pygls does."""

    @property
    def _client(self) -> Client:
        return cast(Client, self._server)

    def handle_body(self, body: bytes) -> None:
        """Takes one message."""
        try:
            data = _decode(body)
        except (ValueError, RecursionError) as error:
            self.send_error(None, PARSE_ERROR, f"not JSON: {str(error)[:200]}")
            return
        if not isinstance(data, dict):
            self.send_error(None, INVALID_REQUEST, "not an object: a message is one request, response or notification")
            return
        msg_id, method = data.get("id"), data.get("method")
        if msg_id is not None and not is_id(msg_id):
            self.send_error(None, INVALID_REQUEST, '"id" must be a number or a text')
            return
        if data.get("jsonrpc") != "2.0" or not (isinstance(method, str) or "result" in data or "error" in data):
            self.send_error(msg_id, INVALID_REQUEST, 'not a message: "jsonrpc" must be "2.0", with "method" or "result"')
            return
        if method is not None and (refusal := self._refusal(method)):
            if "id" in data:
                self.send_error(msg_id, *refusal)
            elif method != types.EXIT:
                LOG.warning("%s: ignored: %s", method, refusal[1])
            return
        if method == types.INITIALIZE:
            self._initialize(data)
            return
        try:
            message = self._structure(data)
        except Exception as error:
            if "id" in data and method is not None:
                self.send_error(msg_id, INVALID_PARAMS, f"{method}: the params are not as the protocol has them")
            LOG.warning("%s: cannot be read: %s", method or "response", type(error).__name__)
            if method == types.TEXT_DOCUMENT_DID_CHANGE:
                self._client.lost_edit()
            return
        try:
            self.handle_message(message)
        except Exception as error:  # of one message, which must not be the end of all others
            LOG.error("%s could not be handled", method or "a response", exc_info=error)
            if "id" in data and method is not None:
                self._send_internal_error(msg_id, error)

    def _refusal(self, method: str) -> tuple[int, str] | None:
        """Why a message of this method comes at the wrong time."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return INVALID_REQUEST, f"{method}: the server was shut down; only exit may follow"
        if not self.is_initialized and method != types.INITIALIZE:
            return NOT_INITIALIZED, f"{method}: initialize must come first"
        if self.is_initialized and method == types.INITIALIZE:
            return INVALID_REQUEST, "initialize: was asked for already"
        return None

    def _structure(self, data: dict[str, Any]) -> Any:
        method = data.get("method")
        if method is None:
            data.setdefault("id", None)
            return self.structure_message(data)
        if method in types.METHOD_TO_TYPES:
            return self._converter.structure(data, types.METHOD_TO_TYPES[method][0])
        if "id" in data:
            return Bare(data["id"], method, data["jsonrpc"], data.get("params"))
        return BareNotification(method, data["jsonrpc"], data.get("params"))

    def _get_handler(self, feature_name: str) -> Callable[..., Any]:
        return self.handlers.get(feature_name) or super()._get_handler(feature_name)

    def shut_down(self) -> None:
        """From now on nothing is answered but with an error; what is still being worked on is cancelled."""
        self._shutdown = True
        for msg_id, future in list(self._request_futures.items()):
            if msg_id != self.msg_id:
                future.cancel()

    def _handle_notification(self, method_name: str, params: Any) -> None:
        if method_name.startswith("$/") and method_name not in (types.CANCEL_REQUEST, types.SET_TRACE):
            return  # such may be ignored
        super()._handle_notification(method_name, params)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        future = self._request_futures.get(msg_id) if isinstance(msg_id, str | int) else None
        if future is not None:  # else it was answered already
            future.cancel()

    def _send_handler_result(self, future: "Future[Any]", *, msg_id: Any) -> None:
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            self.send_error(msg_id, REQUEST_CANCELLED, "cancelled")
            return
        error = future.exception()
        if error is None:
            self._send_response(msg_id, result=future.result())
        elif isinstance(error, NotWantedError):
            self.send_error(msg_id, REQUEST_CANCELLED, "a newer request has taken its place")
        elif isinstance(error, SymindexError):
            self.send_error(msg_id, REQUEST_FAILED, str(error))
        elif isinstance(error, JsonRpcException):
            self.send_error(msg_id, error.code or INTERNAL_ERROR, error.message)
        else:
            LOG.error("request %s failed", msg_id, exc_info=error)
            self._send_internal_error(msg_id, error)

    def _send_internal_error(self, msg_id: Any, error: BaseException) -> None:
        self.send_error(msg_id, INTERNAL_ERROR, f"internal error ({type(error).__name__}); the log of the server tells more")

    def _check_handler_result(self, future: "Future[Any]") -> None:
        # pygls keeps what has become of notifications, and of what the client was asked and has not answered in time.
        for key in [key for key, each in self._request_futures.items() if each.done()]:
            del self._request_futures[key]
            self._result_types.pop(key, None)
        error = None if future.cancelled() else future.exception()
        if error is not None and not isinstance(error, NotWantedError):
            is_fault = not isinstance(error, SymindexError)  # else the client's
            LOG.error("a notification could not be handled: %s", error, exc_info=error if is_fault else None)

    def send_error(self, msg_id: Any, code: int, message: str) -> None:
        """Answers with an error."""
        self._send({"jsonrpc": "2.0", "id": msg_id, "error": {"code": code, "message": message}})

    def _send_response(self, msg_id: Any, result: Any = None, error: Any = None) -> None:
        if isinstance(result, Encoded):
            head = b'{"jsonrpc":"2.0","id":%b,"result":' % msgspec.json.encode(msg_id)
            self._write(head + result.json + b"}")
        elif error is not None:
            self.send_error(msg_id, error.code, error.message)
        else:
            self._send({"jsonrpc": "2.0", "id": msg_id, "result": self._plain(result)})

    def _send_data(self, data: Any) -> None:
        """What pygls sends: requests and notifications."""
        self._send(self._plain(data))

    def _plain(self, data: Any) -> Any:
        return self._converter.unstructure(data) if hasattr(data, "__attrs_attrs__") else data

    def _send(self, data: Any) -> None:
        self._write(self._encoded(data))

    def _encoded(self, data: Any) -> bytes:
        """As JSON; half a surrogate pair becomes a question mark."""
        return json.dumps(data, default=self._serialize_message, ensure_ascii=False).encode("utf-8", "replace")

    def _write(self, message: bytes) -> None:
        if self.channel is not None:
            self.channel.write(message)

    def send_partial(self, token: Any, part: bytes) -> None:
        """Sends a part of a result, which is JSON already."""
        head = b'{"jsonrpc":"2.0","method":"$/progress","params":{"token":%b,"value":' % self._encoded(token)
        self._write(head + part + b"}}")

    @property
    def is_listened_to(self) -> bool:
        """Whether the client takes what it is told; else what is not an answer is better left out."""
        return self.channel is not None and self.channel.waiting < MOST_WAITING

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]
        """The end of the session."""
        self.exit_code = 0 if self._shutdown else 1

    def _initialize(self, data: dict[str, Any]) -> None:
        """Answers with the capabilities."""
        try:
            result = self._client.begin(data.get("params"))
        except SymindexError as error:
            self.send_error(data.get("id"), INVALID_PARAMS, str(error))
            return
        except Exception as error:
            LOG.error("initialize failed", exc_info=error)
            self._send_internal_error(data.get("id"), error)
            return
        self.is_initialized = True
        if not self.is_greeted:
            self._send({"jsonrpc": "2.0", "id": data.get("id"), "result": result})

    def _edits(self, work: Callable[[], None]) -> None:
        self._client.when_ready(work)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Goes on to the session."""
        self._edits(lambda: self._client.did_open(params))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Goes on to the session."""
        self._edits(lambda: self._client.did_change(params))

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Goes on to the session."""
        self._edits(lambda: self._client.did_close(params))

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Goes on to the session."""
        self._edits(lambda: self._client.did_change_folders(params))

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The user has ended the indexing."""
        self._client.cancel_progress(params.token)

    async def call(self, method: str, params: Any) -> Any:
        """Asks the client something; `None` where it answers with an error, or not within a while."""
        try:
            return await asyncio.wait_for(self.send_request_async(method, params), CLIENT_SECONDS)
        except (JsonRpcException, TimeoutError) as error:
            LOG.info("%s: the client answers: %s", method, error or "nothing")
            return None


CLIENT_SECONDS: Final = 30.0
"""How long a client may take to answer."""


def _decode(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        # Half a surrogate pair is JSON, though not Unicode.
        return json.loads(body, parse_constant=_finite, parse_float=_finite)


def _finite(text: str) -> float:
    """A number that can be said again: Python reads others, which are no JSON. Raises ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is no number of JSON")
    return number
