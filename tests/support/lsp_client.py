"""A client of the language server that sends bytes, over standard streams or TCP, and keeps every
message that it receives.

It answers the server's requests at once. Closing the client checks that every request was answered
exactly once.
"""

import contextlib
import itertools
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from symindex.errors import shown
from tests.support.waiting import SECONDS, until

TOKEN: Final = "a-token-for-the-tests"
"""The token of servers that listen."""

EVERYTHING: Final[dict[str, Any]] = {
    "workspace": {
        "workspaceFolders": True,
        "configuration": True,
        "symbol": {"symbolKind": {"valueSet": [*range(1, 27)]}, "tagSupport": {"valueSet": [1]}},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "didChangeConfiguration": {"dynamicRegistration": True},
    },
    "textDocument": {
        "documentSymbol": {
            "hierarchicalDocumentSymbolSupport": True,
            "symbolKind": {"valueSet": [*range(1, 27)]},
            "tagSupport": {"valueSet": [1]},
        }
    },
    "window": {"workDoneProgress": True},
}
"""The capabilities of a client that supports everything the server uses."""


class LspError(Exception):
    """An error response of the server. code, data: as received."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Any = error.get("data")


def framed(message: Any) -> bytes:
    """Returns a message with its header. message: raw bytes, or a value that becomes JSON."""
    body = message if isinstance(message, bytes) else msgspec.json.encode(message)
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Client:
    """One client. It can send any message at any time, and keeps answers until they are fetched.

    Args:
        source, target: the streams that the server writes and reads.
        process: the server, if it serves only this client.
        log: the file of the server's standard error.
        token: added to the options of the handshake.

    settings: the answer to `workspace/configuration`. messages: everything that was not an answer,
    in order.
    """

    def __init__(
        self,
        source: IO[bytes],
        target: IO[bytes],
        process: "subprocess.Popen[bytes] | None" = None,
        log: Path | None = None,
        hang_up: Callable[[], object] = lambda: None,
        token: str = "",
    ) -> None:
        self.process, self.settings, self.token = process, None, token
        self.messages: list[dict[str, Any]] = []
        self.strange: list[str] = []
        self.is_ended = self.has_left = False
        self.may_read = threading.Event()
        self.may_read.set()
        self._source, self._target, self._log, self._hang_up = source, target, log, hang_up
        self._ids = itertools.count(1)
        self._asked: dict[int, dict[str, Any] | None] = {}
        self._stray: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while (message := self._next()) is not None:
                self._take(message)
        with self._changed:
            self.is_ended = True
            self._changed.notify_all()

    def _next(self) -> dict[str, Any] | None:
        self.may_read.wait()
        length = None
        while line := self._source.readline():
            if line == b"\r\n" and length is not None:
                body = self._source.read(length)
                return (
                    msgspec.json.decode(body, type=dict[str, Any]) if len(body) == length else None
                )
            if not line.startswith(b"Content-Length: ") or not line.endswith(b"\r\n"):
                self.strange.append(f"not of the protocol: {line!r}")
                return None
            length = int(line.removeprefix(b"Content-Length: "))
        return None

    def _take(self, message: dict[str, Any]) -> None:
        with self._changed:
            if message.get("jsonrpc") != "2.0":
                self.strange.append(f"not JSON-RPC: {message}")
            if "method" in message:
                self.messages.append(message)
            elif message.get("id") is None:
                self._stray.append(message)
            elif message["id"] not in self._asked or self._asked[message["id"]] is not None:
                self.strange.append(f"an answer to no request, or one more to one: {message}")
            else:
                self._asked[message["id"]] = message
            self._changed.notify_all()
        if "method" in message and "id" in message:
            asked = message["method"] == "workspace/configuration"
            result = [self.settings] * len(message["params"]["items"]) if asked else None
            with contextlib.suppress(OSError, ValueError):
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def send_bytes(self, data: bytes) -> None:
        """Sends raw bytes."""
        with self._sending:
            self._target.write(data)
            self._target.flush()

    def send(self, message: Any) -> None:
        """Sends a message, as `framed` takes it."""
        self.send_bytes(framed(message))

    def notify(self, method: str, params: Any = None) -> None:
        """Sends a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Any = None) -> int:
        """Sends a request and returns its number."""
        number = next(self._ids)
        self._asked[number] = None
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def expect(self, number: int) -> int:
        """Expects an answer to a request that is sent in another way; returns its number."""
        self._asked[number] = None
        return number

    def answer(self, number: int, seconds: float = SECONDS) -> Any:
        """Waits for the result of a request. Raises LspError if it is an error."""
        message = self.wait(lambda: self._asked[number], f"an answer to {number}", seconds)
        if "error" in message:
            raise LspError(message["error"])
        return message["result"]

    def is_answered(self, number: int) -> bool:
        """Whether the answer has arrived."""
        return self._asked[number] is not None

    def call(self, method: str, params: Any = None, seconds: float = SECONDS) -> Any:
        """Sends a request and returns its result. Raises LspError if it is an error."""
        return self.answer(self.request(method, params), seconds)

    def stray(self, seconds: float = SECONDS) -> LspError:
        """Waits for the next error that belongs to no request."""
        message = self.wait(
            lambda: self._stray[0] if self._stray else None, "an error for no request", seconds
        )
        self._stray.pop(0)
        return LspError(message["error"])

    def wait(self, look: Callable[[], Any], what: str, seconds: float = SECONDS) -> Any:
        """Waits until `look` returns something true, and returns it."""
        end = time.monotonic() + seconds
        with self._changed:
            while not (value := look()):
                left = end - time.monotonic()
                if left <= 0 or (self.is_ended and not look()):
                    why = "the server has ended" if self.is_ended else f"{seconds:g} s are over"
                    raise AssertionError(f"{what}: {why}\n{self.log()}")
                self._changed.wait(left)
            return value

    def told(self, method: str) -> list[Any]:
        """Returns the params of all notifications and requests of a method so far."""
        return [
            message.get("params") for message in list(self.messages) if message["method"] == method
        ]

    def hear(
        self, method: str, fits: Callable[[Any], bool] = lambda _: True, seconds: float = SECONDS
    ) -> Any:
        """Waits for the first matching message of a method, and returns its params."""
        return self.wait(
            lambda: next((params for params in self.told(method) if fits(params)), None),
            f"{method} that fits",
            seconds,
        )

    def log(self) -> str:
        """Returns the server's standard error."""
        return self._log.read_text("utf-8", "replace") if self._log is not None else ""

    def wait_for_log(self, text: str, seconds: float = SECONDS) -> None:
        """Waits until the log contains a text."""
        until(lambda: text in self.log(), f"{text!r} in the log", seconds)

    def initialize(
        self,
        *folders: Path,
        capabilities: Mapping[str, Any] = EVERYTHING,
        options: Any = None,
        encodings: Sequence[str] = (),
        **more: Any,
    ) -> Any:
        """Makes the handshake and returns the server's capabilities. more: other params of
        `initialize`."""
        if encodings:
            capabilities = {**capabilities, "general": {"positionEncodings": list(encodings)}}
        if self.token:
            options = (
                {"symindex": options, "token": self.token}
                if options is not None
                else {"token": self.token}
            )
        result = self.call(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": capabilities,
                "workspaceFolders": [
                    {"uri": path.as_uri(), "name": shown(path.name)} for path in folders
                ],
                **({"initializationOptions": options} if options is not None else {}),
                **more,
            },
        )
        self.notify("initialized", {})
        return result["capabilities"]

    def wait_indexed(self, n_trees: int = 1, seconds: float = SECONDS) -> None:
        """Waits until this number of new trees has been read."""
        ends = "the end of indexing"
        self.wait(
            lambda: (
                sum(params["value"].get("kind") == "end" for params in self.told("$/progress"))
                >= n_trees
            ),
            ends,
            seconds,
        )

    def symbols(self, query: str) -> Any:
        """Returns the answer to workspace/symbol."""
        return self.call("workspace/symbol", {"query": query})

    def names(self, query: str) -> list[str]:
        """Returns the names in the answer to workspace/symbol."""
        return [row["name"] for row in self.symbols(query)]

    def until_names(self, query: str, names: Sequence[str], seconds: float = SECONDS) -> None:
        """Asks until the answer has these names, in any order."""
        until(
            lambda: sorted(self.names(query)) == sorted(names),
            f"{names} for {query!r}",
            seconds,
            lambda: self.names(query),
        )

    def open(self, document: Path | str, text: str, language: str = "", version: int = 1) -> str:
        """Opens a document, given as a file or a URI; returns its URI."""
        uri = document if isinstance(document, str) else document.as_uri()
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri: str, version: int | None, *changes: Any) -> None:
        """Edits a document. changes: whole texts, or texts with their ranges: (text, line, column,
        end line, end column)."""
        edits = [
            {"text": change}
            if isinstance(change, str)
            else {
                "text": change[0],
                "range": {
                    "start": {"line": change[1], "character": change[2]},
                    "end": {"line": change[3], "character": change[4]},
                },
            }
            for change in changes
        ]
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": edits},
        )

    def close_document(self, uri: str) -> None:
        """Closes a document."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def outline(self, uri: str) -> Any:
        """Returns the answer to textDocument/documentSymbol."""
        return self.call("textDocument/documentSymbol", {"textDocument": {"uri": uri}})

    def leave(self) -> int | None:
        """Shuts down as the protocol requires, and fails if a request was not answered exactly
        once. Returns the exit code."""
        with contextlib.suppress(LspError):
            self.call("shutdown")
        self.notify("exit")
        code = self.hang_up()
        assert not self.strange
        assert not [number for number, message in self._asked.items() if message is None]
        assert self.process is None or "Traceback" not in self.log()
        return code

    def hang_up(self) -> int | None:
        """Closes the connection, waits for the process to end, and returns its exit code."""
        self.has_left = True
        self.may_read.set()
        with contextlib.suppress(OSError):
            self._target.close()
        self._hang_up()
        code = None
        if self.process is not None:
            try:
                code = self.process.wait(SECONDS)
            finally:
                self.process.kill()
        self._reader.join(SECONDS)
        with contextlib.suppress(OSError):
            self._source.close()
        return code


def start_server(
    arguments: Sequence[str] = (),
    prefix: Sequence[str] = (),
    python: str | Path = sys.executable,
    **options: Any,
) -> Client:
    """Starts a server on standard streams. prefix: a command before it. python: the interpreter.
    options: for `Popen`."""
    command = [*prefix, str(python), "-m", "symindex", "lsp", *arguments]
    process, log = _start(command, subprocess.PIPE, **options)
    assert process.stdin is not None
    assert process.stdout is not None
    return Client(process.stdout, process.stdin, process, log)


def _start(
    command: Sequence[str], stdin: int, **options: Any
) -> "tuple[subprocess.Popen[bytes], Path]":
    """Starts a process; returns it and the file of its standard error."""
    number, name = tempfile.mkstemp(suffix=".log")
    try:
        return subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=number, **options
        ), Path(name)
    finally:
        os.close(number)


class TcpServer:
    """A server for many clients. where: the options that say where it listens. prefix: a command
    before it. options: for `Popen`."""

    def __init__(
        self,
        arguments: Sequence[str] = (),
        where: Sequence[str] = ("--tcp", "127.0.0.1:0"),
        prefix: Sequence[str] = (),
        **options: Any,
    ) -> None:
        command = [*prefix, sys.executable, "-m", "symindex", "lsp", *where, *arguments]
        environment = {"SYMINDEX_LSP_TOKEN": TOKEN, **(options.pop("env", None) or os.environ)}
        self.process, self.log_path = _start(
            command, subprocess.DEVNULL, env=environment, **options
        )
        until(
            lambda: "listening on" in self.log() or self.process.poll() is not None,
            "a listening server",
        )
        self.place = self.log().partition("listening on ")[2].partition("\n")[0]
        self.port = 0 if "--socket" in where else int(self.place.rpartition(":")[2])

    def open(self) -> socket.socket:
        """Opens a connection."""
        if self.port:
            return socket.create_connection(("127.0.0.1", self.port), SECONDS)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(SECONDS)
        connection.connect(self.place)
        return connection

    def connect(self, token: str = TOKEN) -> Client:
        """Connects another client."""
        connection = self.open()
        connection.settimeout(None)
        source, target = connection.makefile("rb"), connection.makefile("wb")

        def hang_up() -> None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

        return Client(source, target, log=self.log_path, hang_up=hang_up, token=token)

    def log(self) -> str:
        """Returns the server's standard error."""
        return self.log_path.read_text("utf-8", "replace")

    def stop(self) -> str:
        """Ends the server; returns its standard output, which should be empty."""
        self.process.send_signal(signal.SIGTERM)
        output, _ = self.process.communicate(timeout=SECONDS)
        assert (self.process.returncode, "Traceback" in self.log()) == (0, False), self.log()
        self.log_path.unlink()
        return str(output.decode())


class Editors:
    """Makes clients of one TCP server, and shuts them down at the end of the test."""

    def __init__(self, server: TcpServer) -> None:
        self.server = server
        self._made: list[Client] = []

    def connect(self) -> Client:
        """Connects a client that has sent nothing yet."""
        self._made.append(self.server.connect())
        return self._made[-1]

    def start(self, *folders: Path, **more: Any) -> Client:
        """Connects a client and makes the handshake. more: for `Client.initialize`."""
        client = self.connect()
        client.initialize(*folders, **more)
        return client

    def start_indexed(self, *folders: Path, **more: Any) -> Client:
        """Connects a client, and waits until its new folders have been indexed."""
        client = self.start(*folders, **more)
        client.wait_indexed(len(folders))
        return client

    def end(self) -> None:
        """Shuts down the clients that have not left."""
        for client in self._made:
            if not client.is_ended and not client.has_left:
                client.leave()
