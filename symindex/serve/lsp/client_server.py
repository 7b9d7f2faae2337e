"""A pygls `LanguageServer` for one client: an error of a feature tells nothing about the machine,
and a client that does not listen gets answers alone.

Each client has one, because pygls's own sends all answers to the client that came last.
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
    """channel: the connection of the client. n_threads: for work, at most."""

    protocol: Protocol

    def __init__(self, channel: Channel, n_threads: int) -> None:
        super().__init__(
            "symindex",
            __version__,
            protocol_cls=Protocol,
            converter_factory=message_converter,
            max_workers=n_threads,
        )
        self.protocol.set_writer(channel, include_headers=False)  # the channel writes them
        self._channel = channel
        self._tasks: set[asyncio.Task[Any]] = set()

    def feature(self, feature_name: str, options: Any | None = None) -> Callable[[_F], _F]:
        """As pygls's; an error that a handler raises is the answer to a request, and tells nothing
        about the machine."""
        return self._guard(super().feature(feature_name, options), feature_name)

    def command(self, command_name: str) -> Callable[[_F], _F]:
        """As `feature`, for a command."""
        return self._guard(super().command(command_name), command_name)

    def _guard(self, register: Callable[[Any], object], name: str) -> Callable[[_F], _F]:
        def decorate(handler: _F) -> _F:
            register(self._guarded(handler, name))
            return handler

        return decorate

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Logs what pygls has refused, instead of showing it to the user. A request is answered
        with the error anyway."""
        LOG.log(logging.INFO if source is FeatureRequestError else logging.WARNING, "%s", error)

    def is_listened_to(self) -> bool:
        """Whether the client reads what it is sent; if not, only answers are sent."""
        return self.protocol.writer is not None and self._channel.waiting < MOST_WAITING

    def later(self, work: Any) -> None:
        """Runs a coroutine in the background."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def show(self, kind: types.MessageType, text: str) -> None:
        """Shows the user a message, and logs it."""
        LOG.log(logging.ERROR if kind == types.MessageType.Error else logging.WARNING, "%s", text)
        if self.is_listened_to():
            self.window_show_message(types.ShowMessageParams(kind, f"symindex: {text}"))

    def log(self, kind: types.MessageType, text: str) -> None:
        """Writes to the log of the client and to our own."""
        LOG.info("%s", text)
        if self.is_listened_to():
            self.window_log_message(types.LogMessageParams(kind, text))

    async def answer_of(self, asked: Awaitable[Any]) -> Any:
        """The client's answer to a request; `None` if it is an error, or does not come in time."""
        try:
            return await asked
        except (JsonRpcException, TimeoutError) as error:
            LOG.info("a request to the client: it answers: %s", error or "nothing")
            return None

    def _guarded(self, handler: Callable[..., Any], method: str) -> Callable[..., Any]:
        """A handler whose errors are answers to a request, or lines in the log, without a traceback
        for the client."""
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
                is_fault = not isinstance(error, SymindexError)  # else the client's
                LOG.error(
                    "%s could not be handled: %s",
                    method,
                    error,
                    exc_info=error if is_fault else None,
                )


def _answer_to(error: Exception, method: str) -> JsonRpcException:
    if isinstance(error, JsonRpcException):
        return error
    if isinstance(error, NotWantedError):
        return JsonRpcRequestCancelled("a newer request has taken its place")
    if isinstance(error, SymindexError):
        return JsonRpcException(str(error), REQUEST_FAILED)
    LOG.error("%s failed", method, exc_info=error)
    return JsonRpcException(fault_text(error), INTERNAL_ERROR)
