"""pygls's protocol for one client, after its handshake. It adds what pygls leaves open: an invalid
message, or one at the wrong time, is answered with an error, and nothing that has ended stays in
memory. `README.md` explains the parts in front of pygls."""

import asyncio
import itertools
import logging
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import JsonRPCResponseMessage, LanguageServerProtocol, lsp_method

from symindex.serve.lsp.channel import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LOG,
    REQUEST_FAILED,
    MessageError,
    fault_text,
    read_message,
    to_json,
)

if TYPE_CHECKING:
    from pygls.io_ import AsyncWriter, Writer

# pygls logs a traceback and the client's text for each refused request. Faults are logged here
# instead.
logging.getLogger("pygls").setLevel(logging.CRITICAL)

CLIENT_SECONDS: Final = 30.0
"""How long a client may take to answer."""

NOT_OF_PYGLS: Final = (
    types.INITIALIZED,
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
)
"""Methods that only the registered features handle. pygls's own handlers store a second copy of
each text in a `Workspace`, and take 2.7 ms for an edit in 9,000 lines; its handler of `initialized`
logs a traceback when it is cancelled."""


class Protocol(LanguageServerProtocol):
    """exit_code: set when the client sends `exit`. on_lost_edit: called if an edit of a document is
    invalid."""

    writer: "AsyncWriter | Writer | None"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.exit_code: int | None = None
        self.on_lost_edit: Callable[[], None] = lambda: None
        self._numbers = itertools.count(1)
        self._asked: set[str] = set()
        for method in NOT_OF_PYGLS:
            del self.fm.builtin_features[method]

    def take(self, body: bytes) -> None:
        """Handles a message. Handlers begin in the order of their messages."""
        data: dict[str, Any] = {}
        try:
            data = read_message(body)
            method = data.get("method")
            if method is None and data.get("id") not in self._asked:
                return  # pygls would take it for the answer to a request of ours, or of the client
            if refusal := self._refusal(method):
                if "id" in data:
                    raise MessageError(data["id"], INVALID_REQUEST, refusal)
                LOG.warning("ignored: %s", refusal)
                return
            self._forget_ended()
            message = self._structure(data, method)
            if message is not None:
                self.handle_message(message)
        except MessageError as error:
            self._write(error.encoded())
        except Exception as error:  # a fault in one message must not end all others
            LOG.error("cannot handle a message", exc_info=error)
            if "id" in data and "method" in data:
                self._write(MessageError(data["id"], INTERNAL_ERROR, fault_text(error)).encoded())

    def _refusal(self, method: str | None) -> str:
        """Returns why a message comes at the wrong time; empty if it does not."""
        if self._shutdown and method not in (None, types.EXIT):
            return f"{method}: the server was shut down; only exit may follow"
        return "initialize: already requested" if method == types.INITIALIZE else ""

    def _structure(self, data: dict[str, Any], method: str | None) -> Any:
        """Converts a message for pygls. Returns `None` for an invalid notification. Raises
        MessageError."""
        try:
            message = self.structure_message(data)
        except JsonRpcException:
            LOG.warning("%s: cannot parse the message", method or "a response")
        else:
            if "id" in data and not hasattr(message, "id"):
                raise MessageError(
                    data["id"],
                    INVALID_REQUEST,
                    f"{method}: this is a notification, which has no id",
                )
            return message
        if method is None:
            return JsonRPCResponseMessage(data["id"], self.VERSION, None)
        if method == types.TEXT_DOCUMENT_DID_CHANGE:
            self.on_lost_edit()
        if "id" in data:
            raise MessageError(
                data["id"], INVALID_PARAMS, f"{method}: the params do not match the protocol"
            )
        return None

    def _forget_ended(self) -> None:
        """Drops the future of a notification, which pygls would keep until the client
        disconnects."""
        for number in [number for number, future in self._request_futures.items() if future.done()]:
            del self._request_futures[number]

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Returns pygls's result without its cache, which would keep this object and its server
        alive after their end."""
        return types.METHOD_TO_TYPES.get(method, (None,))[0]

    def get_result_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """Returns `None`, so that answers of clients remain plain JSON."""
        return None

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *arguments: Any) -> Generator[Any, Any, None]:
        """Cancels running requests before the session closes, not after it, and accepts nothing
        else meanwhile."""
        self._shutdown = True
        self.give_up()
        yield from super().lsp_shutdown(*arguments)

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]
        """Ends the connection, not the process, which may have other clients."""
        self.exit_code = 0 if self._shutdown else 1

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(
        self, params: types.ExecuteCommandParams
    ) -> Generator[Any, Any, Any]:
        """Runs a command. pygls's method does not list the known commands in its error."""
        if params.command not in self.fm.commands:
            names = ", ".join(self.fm.commands)
            raise JsonRpcException(
                f"unknown command {params.command!r}: expected {names}", REQUEST_FAILED
            )
        return (yield from super().lsp_workspace__execute_command(params))

    def disconnect(self) -> None:
        """Called when the client has left: sends nothing more to it, and cancels running
        requests."""
        self.writer = None
        self.give_up()

    def give_up(self) -> None:
        """Cancels all running requests except the current one."""
        for number, future in list(self._request_futures.items()):
            if number != self.msg_id:
                future.cancel()

    async def send_request_async(
        self, method: str, params: Any | None = None, msg_id: str | int | None = None
    ) -> Any:
        """Sends a request and returns the client's answer. Raises JsonRpcException if it is an
        error, and TimeoutError if it does not come in time."""
        number = f"symindex-{next(self._numbers)}"
        self._asked.add(number)
        try:
            return await asyncio.wait_for(
                super().send_request_async(method, params, number), CLIENT_SECONDS
            )
        finally:
            self._asked.discard(number)
            self._request_futures.pop(number, None)
            self._result_types.pop(number, None)

    def _send_data(self, data: Any) -> None:
        """Sends a message. This is the only private method of pygls that we replace, because there
        is no hook: results may already be JSON (`msgspec.Raw`), which pygls would convert to
        objects and back in the event loop, 54 ms for 10,000 symbols."""
        self._write(to_json(self._converter.unstructure(data)))

    def _write(self, message: bytes) -> None:
        if self.writer is not None:
            self.writer.write(message)
