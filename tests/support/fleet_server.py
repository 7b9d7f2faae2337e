"""A process that serves repositories as a fleet does, and plain requests to it.

The repositories are source trees here: a store gives the same answers, and has its own tests.
"""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from symindex.serve.streams import FLEET_TOKEN
from tests.support.waiting import until

TOKEN: Final = "a-token-for-the-tests"

_SERVE: Final = """
import sys
from pathlib import Path
from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.serve.api.run import serve
from symindex.workspace.watched_tree import WatchedTrees
workspace = FollowedWorkspace(WatchedTrees(lambda *_: lambda: None))
index_dir, host, hosts, *roots = sys.argv[1:]
for root in roots:
    workspace.folders.add(Path(root), "", index_dir)
try:
    code = serve(workspace, host, 0, hosts.split())
finally:
    workspace.close()
sys.exit(code)
"""


class FleetServer:
    """A server on a free port of this machine."""

    def __init__(
        self,
        index_dir: Path,
        *roots: Path,
        token: str = "",
        hosts: str = "",
        host: str = "127.0.0.1",
    ) -> None:
        environment = {name: value for name, value in os.environ.items() if name != FLEET_TOKEN}
        if token:
            environment[FLEET_TOKEN] = token
        self.token = token
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, str(index_dir), host, hosts, *map(str, roots)],
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        match = re.search(r"http://\S+:(\d+)/", self.said)
        self.port = int(match[1]) if match else 0
        self.address: str = f"http://127.0.0.1:{self.port}"

    def wait_for(self, query: str, total: int) -> None:
        """Waits until a search finds so many symbols, and every index is complete."""

        def is_there() -> bool:
            _, found = self.call("search", query=query)
            return found.get("total") == total and not found.get("notices")

        until(is_there, "every repository")

    def stop(self) -> str:
        """Ends the server as Ctrl-C does, and returns its log. Fails if it reported a fault."""
        self.process.send_signal(signal.SIGINT)
        try:
            said = self.process.communicate(timeout=20)[1]
        finally:
            self.process.kill()
        assert (self.process.returncode, "Traceback" in said) == (0, False), said
        return said

    def ask(
        self,
        path: str,
        body: bytes | Iterable[bytes] | None = None,
        method: str = "",
        **headers: str,
    ) -> tuple[int, dict[str, str], bytes]:
        """Sends a request; returns the status, the headers and the body. A body in pieces is sent
        without a length. A header of `""` is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        usual = {"Content-Type": "application/json"} if body is not None else {}
        if self.token:
            usual["Authorization"] = f"Bearer {self.token}"
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in {**usual, **given}.items() if value}
        try:
            connection.request(method or ("GET" if body is None else "POST"), path, body, sent)
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, told, answer.read(10_000_000)
        finally:
            connection.close()

    def call(self, name: str, /, parameters: str = "", **fields: Any) -> tuple[int, Any]:
        """Calls a method; returns the status, and the answer or the error."""
        body = json.dumps(fields).encode()
        status, _, answered = self.ask(f"/v1/{name}{parameters}", body)
        return status, json.loads(answered)
