"""Talks to one client on the standard streams, one JSON message per line, from process start on.

While the SDK loads, `fast_handshake` answers discovery. All other messages are queued for the SDK's
server. It also receives the handshake, and its answer to that is dropped.
"""

import contextlib
import json
import threading
from collections.abc import Callable
from typing import IO, Any, Final

import msgspec

from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.fast_handshake import answer_at_once, name_of
from symindex.serve.streams import is_request_id

LONGEST_BYTES: Final = 16 << 20
"""Longest message, in bytes. A longer line is read to its end and answered with an error."""

TOO_LONG: Final = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is longer than 16'
    b' MiB"}}'
)


def refuse(line: bytes) -> bytes:
    """Returns the error response to an invalid message. It has the message's id if that can be
    read: without it, a client would wait for ever."""
    code, message_id = -32600, None
    reason = "not a JSON-RPC 2.0 message; ids must be integers or strings"
    try:
        message = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        code, message = -32700, None
        reason = f"the message is not valid JSON: {str(error).splitlines()[0]}"
        with contextlib.suppress(
            ValueError, RecursionError
        ):  # this parser accepts more: lone surrogates, numbers of any size
            message = json.loads(line.decode("utf-8", "replace"))
    if isinstance(message, dict) and is_request_id(message.get("id"), fractions=False):
        message_id = message["id"]
    return msgspec.json.encode(
        {"jsonrpc": "2.0", "id": message_id, "error": {"code": code, "message": reason}}
    )


class Bootstrap:
    """Reads messages in its own thread. The other methods are thread-safe."""

    def __init__(self, source: IO[bytes], target: IO[bytes], offer: Offer) -> None:
        self._source, self._target, self._offer = source, target, offer
        self._writing = threading.Lock()
        self._receiving = threading.Lock()
        self._receiver: Callable[[bytes | None], object] | None = None
        self._kept: list[bytes | None] = []
        self._client: str | None = None  # its name, after a handshake
        self._answered: list[Any] = []
        threading.Thread(target=self._read, name="symindex-read", daemon=True).start()

    def write(self, message: bytes) -> None:
        """Sends a message. Blocks while the client does not read."""
        with self._writing, contextlib.suppress(OSError, ValueError):
            self._target.write(message + b"\n")
            self._target.flush()

    def move_to(self, receiver: Callable[[bytes | None], object]) -> None:
        """Passes the queued messages, and every later one, to a receiver. `None` marks the end."""
        with self._receiving:
            for message in self._kept:
                receiver(message)
            self._kept.clear()
            self._receiver = receiver

    def was_answered(self, message_id: Any) -> bool:
        """Whether a request was already answered here. True only once per request: its second
        answer is the SDK's."""
        if message_id not in self._answered:
            return False
        self._answered.remove(message_id)
        return True

    def _read(self) -> None:
        try:
            while (line := self._next_line()) is not None:
                if line.strip():
                    self._receive(line)
        finally:  # without this mark of the end, the process would not stop
            self._receive(None)

    def _next_line(self) -> bytes | None:
        """Returns the next line, or `None` at the end."""
        try:
            line = self._source.readline(LONGEST_BYTES + 1)
            if len(line) > LONGEST_BYTES and not line.endswith(b"\n"):
                while (rest := self._source.readline(LONGEST_BYTES)) and not rest.endswith(b"\n"):
                    pass
                self.write(TOO_LONG)
                return b"\n"
        except (OSError, ValueError):
            return None
        return line or None

    def _receive(self, line: bytes | None) -> None:
        with self._receiving:
            if self._receiver is not None:
                self._receiver(line)
            elif line is None or not self._greet(line):
                self._kept.append(line)

    def _greet(self, line: bytes) -> bool:
        """Answers a message if possible. Returns whether the SDK can do without it."""
        try:
            message = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False
        if not isinstance(message, dict) or not is_request_id(message.get("id"), fractions=False):
            return False
        method = message.get("method")
        # The queue may contain a handshake. So while it is not empty, answer only if a handshake
        # was answered here.
        is_its_turn = not self._kept or self._client is not None
        result = answer_at_once(message, self._offer) if is_its_turn else None
        if result is None and self._client is not None and method == "tools/list":
            result = {"tools": self._offer.tools_for(self._client)}
        if result is None:
            return False
        self.write(msgspec.json.encode({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        if method != "initialize":
            return True
        self._client = name_of(message["params"]["clientInfo"])
        self._answered.append(message["id"])
        return False
