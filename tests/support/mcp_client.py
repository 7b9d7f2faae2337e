"""A plain client of `symindex mcp` on standard streams: one JSON message per line, as hosts send
them."""

import itertools
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.support.waiting import SECONDS, until

MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
META: Final = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class McpClient:
    """A server process and the conversation with it. As a context, it ends the process.

    version: LEGACY makes a handshake; MODERN sends its version with each request. name: the
    client's name. python: the interpreter of the server. started: the time of the start, on the
    monotonic clock.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        index_dir: Path,
        version: str = MODERN,
        options: Sequence[str] = (),
        name: str = "tests",
        python: str | Path = sys.executable,
    ):
        self.version = version
        self.meta = (
            {**META, "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}}
            if version == MODERN
            else {}
        )
        self.started = time.monotonic()
        self.process = self.start(roots, index_dir, options, python)
        self._ids = itertools.count(1)
        self._answers: dict[Any, queue.SimpleQueue[Any]] = {}
        self.told: list[Any] = []
        self.odd: list[bytes] = []
        threading.Thread(target=self._read, daemon=True).start()
        if version == LEGACY:
            about = {"capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
            self.greeting = self.ask("initialize", {"protocolVersion": version, **about})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        else:
            self.greeting = self.ask("server/discover", {})

    @staticmethod
    def start(
        roots: Sequence[Path],
        index_dir: Path,
        options: Sequence[str] = (),
        python: str | Path = sys.executable,
    ) -> "subprocess.Popen[bytes]":
        """Starts a server without a conversation."""
        command = [str(python), "-m", "symindex", "mcp", "--index-dir", str(index_dir)]
        return subprocess.Popen(
            [*command, *options, *(word for root in roots for word in ("--root", str(root)))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def __enter__(self) -> "McpClient":
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            for stream in (self.process.stdout, self.process.stderr):
                assert stream is not None
                stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self.odd.append(line)
                continue
            if "id" in message and "method" not in message:
                self._answers.setdefault(message["id"], queue.SimpleQueue()).put(message)
            else:
                self.told.append(message)

    def send(self, message: Any) -> None:
        """Sends one message, or raw bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(
            message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        )
        self.process.stdin.flush()

    def begin(
        self, method: str, params: Mapping[str, Any], meta: Mapping[str, Any] | None = None
    ) -> int:
        """Sends a request and returns its id."""
        number = next(self._ids)
        self._answers.setdefault(number, queue.SimpleQueue())
        extra = {**self.meta, **(meta or {})}
        all_params = {**params, "_meta": extra} if extra else dict(params)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": all_params})
        return number

    def wait(self, number: Any, seconds: float = SECONDS) -> Any:
        """Waits for the answer to a request, and returns it as received."""
        return self._answers.setdefault(number, queue.SimpleQueue()).get(timeout=seconds)

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """Sends a request and returns its result."""
        answer = self.wait(self.begin(method, params))
        assert "result" in answer, answer
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        """Calls a tool and returns its result."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def text(self, tool: str, **arguments: Any) -> str:
        """Calls a tool and returns the text for the model; fails on an error."""
        result = self.call(tool, **arguments)
        assert not result["isError"], result
        (block,) = result["content"]
        return str(block["text"])

    def error(self, tool: str, **arguments: Any) -> str:
        """Calls a tool that fails, and returns the error text for the model."""
        result = self.call(tool, **arguments)
        assert result["isError"], result
        assert "structuredContent" not in result
        (block,) = result["content"]
        return str(block["text"])

    def until(self, tool: str, wanted: str, **arguments: Any) -> str:
        """Calls a tool until its text contains `wanted`, and returns the text."""
        said: list[str] = []

        def is_said() -> bool:
            said.append(self.text(tool, **arguments))
            return wanted in said[-1]

        until(is_said, wanted, instead=lambda: said[-1])
        return said[-1]
