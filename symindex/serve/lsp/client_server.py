"""A pygls `LanguageServer` for one client. Errors of a feature reveal nothing about the machine,
and a client that stops reading only gets answers.

Each client has its own, because pygls's server sends all answers to the last client that connected.
"""

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcRequestCancelled
from pygls.lsp.server import LanguageServer

from symindex import __version__
from symindex.cancellation import NotWantedError
from symindex.errors import SymindexError
from symindex.serve.lsp.channel import (
    INTERNAL_ERROR,
    LOG,
    MOST_WAITING,
    REQUEST_FAILED,
    Channel,
    fault_text,
)
from symindex.serve.lsp.converter import message_converter
from symindex.serve.lsp.protocol import Protocol

_F = TypeVar("_F", bound=Callable[..., Any])


class ClientServer(LanguageServer):
    """channel: the client's connection. n_threads: most threads for work."""

    protocol: Protocol

    def __init__(self, channel: Channel, n_threads: int) -> None:
        super().__init__(
            "symindex",
            __version__,
            protocol_cls=Protocol,
            converter_factory=message_converter,
            max_workers=n_threads,
        )
        self.protocol.set_writer(channel, include_headers=False)  # written by the channel
        self._channel = channel
        self._tasks: set[asyncio.Task[Any]] = set()

    def feature(self, feature_name: str, options: Any | None = None) -> Callable[[_F], _F]:
        """Registers a feature, as pygls does, but an error that the handler raises becomes the
        answer to the request, and reveals nothing about the machine."""
        return self._guard(super().feature(feature_name, options), feature_name)

    def command(self, command_name: str) -> Callable[[_F], _F]:
        """Registers a command, with the errors of `feature`."""
        return self._guard(super().command(command_name), command_name)

    def _guard(self, register: Callable[[Any], object], name: str) -> Callable[[_F], _F]:
        def decorate(handler: _F) -> _F:
            register(self._guarded(handler, name))
            return handler

        return decorate

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Logs what pygls has refused, instead of showing it to the user. A request is answered
        with the error in any case."""
        LOG.log(logging.INFO if source is FeatureRequestError else logging.WARNING, "%s", error)

    def is_listened_to(self) -> bool:
        """Whether the client reads its messages. If not, it only gets answers."""
        return self.protocol.writer is not None and self._channel.waiting < MOST_WAITING

    def later(self, work: Any) -> None:
        """Runs a coroutine in the background."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def show(self, kind: types.MessageType, text: str) -> None:
        """Shows a message to the user, and logs it."""
        LOG.log(logging.ERROR if kind == types.MessageType.Error else logging.WARNING, "%s", text)
        if self.is_listened_to():
            self.window_show_message(types.ShowMessageParams(kind, f"symindex: {text}"))

    def log(self, kind: types.MessageType, text: str) -> None:
        """Writes to the client's log and to ours."""
        LOG.info("%s", text)
        if self.is_listened_to():
            self.window_log_message(types.LogMessageParams(kind, text))

    async def answer_of(self, request: Awaitable[Any]) -> Any:
        """Returns the client's answer to a request, or `None` if it is an error or does not come in
        time."""
        try:
            return await request
        except (JsonRpcException, TimeoutError) as error:
            LOG.info("the client answered a request with an error: %s", str(error) or "nothing")
            return None

    def _guarded(self, handler: Callable[..., Any], method: str) -> Callable[..., Any]:
        """Wraps a handler so that its errors become answers or log lines, and the client sees no
        traceback."""
        if asyncio.iscoroutinefunction(handler):

            @functools.wraps(handler)
            async def handle_later(*arguments: Any) -> Any:
                with self._named_errors(method):
                    return await handler(*arguments)

            return handle_later

        @functools.wraps(handler)
        def handle(*arguments: Any) -> Any:
            with self._named_errors(method):
                return handler(*arguments)

        return handle

    @contextmanager
    def _named_errors(self, method: str) -> Iterator[None]:
        is_request = self.protocol.msg_id is not None
        try:
            yield
        except asyncio.CancelledError:
            if not is_request or self.protocol.writer is None:
                raise
            raise JsonRpcRequestCancelled("cancelled") from None
        except Exception as error:
            if is_request:
                raise _answer_to(error, method) from None
            if not isinstance(error, NotWantedError):
                is_fault = not isinstance(error, SymindexError)  # otherwise it is the client's
                LOG.error(
                    "cannot handle %s: %s",
                    method,
                    error,
                    exc_info=error if is_fault else None,
                )


def _answer_to(error: Exception, method: str) -> JsonRpcException:
    if isinstance(error, JsonRpcException):
        return error
    if isinstance(error, NotWantedError):
        return JsonRpcRequestCancelled("replaced by a newer request")
    if isinstance(error, SymindexError):
        return JsonRpcException(str(error), REQUEST_FAILED)
    LOG.error("%s failed", method, exc_info=error)
    return JsonRpcException(fault_text(error), INTERNAL_ERROR)
