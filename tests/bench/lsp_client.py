"""A client of language servers on standard streams that times every answer.

The clock of a request starts before its bytes are written, and stops when the last byte of the
answer has been read, before anything is decoded. One thread reads; it also answers the server's
requests, as an editor would.
"""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from tests.bench.places import BenchError
from tests.bench.process import memory_bytes, processor_seconds

CAPABILITIES: Final = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "symbol": {"symbolKind": {"valueSet": list(range(1, 27))}, "tagSupport": {"valueSet": [1]}},
    },
}
"""The client's capabilities: those of today's editors, and full locations."""

_UNKNOWN_METHOD: Final = -32601
_NULL: Final = msgspec.Raw(b"null")


class Failure(msgspec.Struct):
    """The error of a server that did not answer."""

    code: int
    message: str = ""


class _Message(msgspec.Struct):
    id: int | str | None = None
    method: str = ""
    params: msgspec.Raw = _NULL
    result: msgspec.Raw = _NULL
    error: Failure | None = None


class _ProgressValue(msgspec.Struct):
    kind: str = ""
    title: str = ""


class _Progress(msgspec.Struct):
    token: int | str
    value: msgspec.Raw


@dataclass(frozen=True)
class Answer:
    """One answer. arrival: the time, on the clock of `time.perf_counter`. seconds: since the request
    was sent."""

    result: msgspec.Raw
    failure: Failure | None
    arrival: float
    seconds: float


class Client:
    """A server process and the conversation with it; as a context, it ends the server. Errors are
    BenchErrors.

    started: the start of the process, on the clock of `time.perf_counter`. titles: of the progress
    reported so far. options: the settings in the handshake.
    """

    def __init__(
        self, command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._log = folder / "stderr"
        self.started = time.perf_counter()
        with open(self._log, "wb") as log:
            try:
                self._process = subprocess.Popen(
                    [str(part) for part in command],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd=folder,
                    env=dict(environment),
                    start_new_session=True,
                )
            except FileNotFoundError:
                raise BenchError(f"{command[0]}: not here; install it") from None
        self._talk(Path(command[0]).name, self._process.stdin, self._process.stdout)

    def _talk(self, name: str, stdin: Any, stdout: Any) -> None:
        """Begins the conversation on two streams."""
        self._name, self._stdin, self._stdout = name, stdin, stdout
        self._arrived = threading.Condition()
        self._write_lock = threading.Lock()
        self._answers: dict[int, Answer] = {}
        self._sent: dict[int, float] = {}
        self._under_way: set[int | str] = set()
        self._ended = ""
        self.titles: list[str] = []
        self.options: dict[str, Any] = {}
        self.folders: list[dict[str, str]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the server within seconds as the protocol requires; otherwise kills it, with every
        process that it started."""
        with suppress(BenchError):
            self.wait(self.send("shutdown", None), 10)
            self.notify("exit", None)
        with suppress(OSError):
            self._stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(5)
        self._stdout.close()

    @property
    def is_busy(self) -> bool:
        """Whether the server reports progress that has not ended."""
        return bool(self._under_way)

    def initialize(self, root: Path, seconds: float) -> Answer:
        """Makes the handshake, and nothing else yet."""
        self.folders = [{"uri": root.as_uri(), "name": root.name}]
        params = {
            "processId": os.getpid(),
            "clientInfo": {"name": "symindex-bench"},
            "rootUri": root.as_uri(),
            "rootPath": str(root),
            "workspaceFolders": self.folders,
            "capabilities": CAPABILITIES,
            **({"initializationOptions": self.options} if self.options else {}),
        }
        answer = self.wait(self.send("initialize", params), seconds)
        if answer is None or answer.failure:
            raise BenchError(
                f"{self._name}: no handshake: {answer.failure if answer else 'no answer'}"
            )
        self.notify("initialized", {})
        return answer

    def send(self, method: str, params: Any) -> int:
        """Sends a request and returns its number."""
        with self._arrived:
            number = len(self._sent) + 1
            self._sent[number] = time.perf_counter()
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def notify(self, method: str, params: Any) -> None:
        """Sends a notification."""
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def cancel(self, number: int) -> None:
        """Cancels a request."""
        self.notify("$/cancelRequest", {"id": number})

    def wait(self, number: int, seconds: float) -> Answer | None:
        """Returns the answer to a request, or `None` if there is none after these seconds."""
        with self._arrived:
            self._arrived.wait_for(lambda: number in self._answers or self._ended, seconds)
            answer = self._answers.get(number)
        if answer is None and self._ended:
            raise BenchError(f"{self._name}: {self._ended}{self._last_words()}")
        return answer

    def ask(self, method: str, params: Any, seconds: float) -> Answer | None:
        """Sends a request and waits. If there is no answer in time, cancels it and returns
        `None`."""
        number = self.send(method, params)
        answer = self.wait(number, seconds)
        if answer is None:
            self.cancel(number)
        return answer

    @property
    def _pid(self) -> int:
        return self._process.pid

    def memory_bytes(self) -> int:
        """Returns the current memory (PSS) of the server and every process that it started."""
        return memory_bytes(self._pid)

    def processor_seconds(self) -> float:
        """Returns the processor time so far of the server and every process that it started."""
        return processor_seconds(self._pid)

    def _exit_code(self) -> str:
        return f" with code {self._process.wait()}"

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def _write(self, message: Any) -> None:
        body = msgspec.json.encode(message)
        # No error here: waiting threads learn from the reader that the server has ended.
        with self._write_lock, suppress(OSError, ValueError):
            self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._stdin.flush()

    def _read(self) -> None:
        try:
            while (body := self._read_body()) is not None:
                arrival = time.perf_counter()
                self._take(msgspec.json.decode(body, type=_Message), arrival)
            ended = "the server has ended" + self._exit_code()
        except (ValueError, OSError) as error:  # msgspec's errors are ValueErrors
            ended = f"what it sent cannot be read: {error}"
        with self._arrived:
            self._ended = ended
            self._arrived.notify_all()

    def _read_body(self) -> bytes | None:
        """Returns the next message's bytes; `None` at the end."""
        length = -1
        while line := self._stdout.readline():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            elif not line.strip():
                return bytes(self._stdout.read(length))
        return None

    def _take(self, message: _Message, arrival: float) -> None:
        if message.method == "$/progress":
            self._note_progress(msgspec.json.decode(message.params, type=_Progress))
        elif message.method and message.id is not None:
            self._write({"jsonrpc": "2.0", "id": message.id, **self._reply(message)})
        elif isinstance(message.id, int) and not message.method:
            with self._arrived:
                seconds = arrival - self._sent.get(message.id, arrival)
                self._answers[message.id] = Answer(
                    message.result.copy(), message.error, arrival, seconds
                )
                self._arrived.notify_all()

    def _reply(self, message: _Message) -> dict[str, Any]:
        """Returns the answer of an editor without settings to a server's request."""
        match message.method:
            case "workspace/configuration":
                items = msgspec.json.decode(message.params)["items"]
                return {"result": [None for _ in items]}
            case "workspace/workspaceFolders":
                return {"result": self.folders}
            case "workspace/applyEdit":
                return {"result": {"applied": False}}
            case (
                "window/workDoneProgress/create"
                | "client/registerCapability"
                | "client/unregisterCapability"
            ):
                return {"result": None}
            case "window/showMessageRequest":
                return {"result": None}
        if message.method.endswith("/refresh"):
            return {"result": None}
        return {"error": {"code": _UNKNOWN_METHOD, "message": f"no method {message.method}"}}

    def _note_progress(self, progress: _Progress) -> None:
        try:
            value = msgspec.json.decode(progress.value, type=_ProgressValue)
        except msgspec.ValidationError:  # partial results, which were not requested
            return
        if value.kind == "begin":
            self.titles.append(value.title)
            self._under_way.add(progress.token)
        elif value.kind == "end":
            self._under_way.discard(progress.token)
