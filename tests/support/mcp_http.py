"""A process of `symindex mcp --http`, and plain requests to it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from tests.support.mcp_client import META, MODERN

TOKEN: Final = "a-token-for-the-tests"


def call_of(tool: str, **arguments: Any) -> bytes:
    """Returns the body of a request that calls a tool."""
    call = {"name": tool, "arguments": arguments, "_meta": META}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()


class HttpServer:
    """A server on a free port. prefix: a command before it."""

    def __init__(
        self,
        root: Path,
        index_dir: Path,
        *arguments: str,
        token: str = "",
        prefix: Sequence[str] = (),
    ) -> None:
        environment = {
            name: value for name, value in os.environ.items() if name != "SYMINDEX_MCP_TOKEN"
        }
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-m", "symindex", "mcp", "--root", str(root), "--index-dir", str(index_dir), *arguments],
            stderr=subprocess.PIPE, text=True, env={**environment, **({"SYMINDEX_MCP_TOKEN": token} if token else {})},
        )  # fmt: skip
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        match = re.search(r"listening on http://\S+:(\d+)/mcp", self.said)
        self.port = int(match[1]) if match else 0

    def stop(self, number: int = signal.SIGINT) -> str:
        """Ends the server as Ctrl-C does, and returns its log. Fails if the server reported a
        fault."""
        self.process.send_signal(number)
        try:
            said = self.process.communicate(timeout=20)[1]
        finally:
            self.process.kill()
        assert (self.process.returncode, "Traceback" in said) == (0, False), said
        return said

    def post(self, body: bytes | Iterable[bytes] | None = None, **headers: str) -> tuple[int, str]:
        """Sends a request, by default a search; returns the status and the body. A body in pieces
        is sent without a length."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        usual = {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN,
            "Mcp-Method": "tools/call", "Mcp-Name": "search", "Host": f"127.0.0.1:{self.port}",
        }  # fmt: skip
        try:
            connection.request(
                "POST",
                "/mcp",
                call_of("search", query="only") if body is None else body,
                {**usual, **headers},
            )
            answer = connection.getresponse()
            return answer.status, answer.read(100_000).decode()
        finally:
            connection.close()
