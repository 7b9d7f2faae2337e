"""One of several clients of a language server that listens on a Unix socket."""

import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.bench.lsp_client import Client
from tests.bench.places import BenchError

_LISTENS_SECONDS: Final = 20.0
"""How long a server may take until it listens, in seconds."""


class SocketClient(Client):
    """One of several clients of a server that listens on a Unix socket. process: the server, which
    ends with this client; for the other clients, it continues without them."""

    def __init__(
        self, address: Path, folder: Path, process: "subprocess.Popen[bytes] | None" = None
    ) -> None:
        self._log, self._server = folder / "stderr", process
        self.started = time.perf_counter()
        self._socket = socket.socket(socket.AF_UNIX)
        while True:
            try:
                self._socket.connect(str(address))
                break
            except OSError:
                if time.perf_counter() - self.started > _LISTENS_SECONDS:
                    raise BenchError(f"{address}: nobody listens") from None
                time.sleep(0.02)
        self._talk("symindex", self._socket.makefile("wb"), self._socket.makefile("rb"))

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join(5)
        self._socket.close()
        if self._server is not None:
            self._server.terminate()
            self._server.wait()

    @property
    def _pid(self) -> int:
        return self._server.pid if self._server is not None else 0

    def _exit_code(self) -> str:
        return ""
