"""Serves git repositories over HTTP as forges do, by git's own program for web servers, and servers
that do not behave."""

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """A request."""

    path: str
    headers: dict[str, str]


class Answers(NamedTuple):
    """What a server says instead of serving: status, headers, body."""

    status: int
    headers: dict[str, str]
    body: bytes = b""


Rule = Callable[[Asked], Answers | None]


class Server:
    """A running server. url: without a slash at its end. asked: all requests so far."""

    def __init__(self, folder: Path | None, rule: Rule) -> None:
        self.asked: list[Asked] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                asked = Asked(self.path, {k.lower(): v for k, v in self.headers.items()})
                server.asked.append(asked)
                answers = rule(asked)
                if answers is not None:
                    self.send_response(answers.status)
                    for name, value in answers.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(answers.body)))
                    self.end_headers()
                    self.wfile.write(answers.body)
                elif folder is None:
                    self.send_error(404)
                else:
                    _serve_git(self, folder)

            do_POST = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


def _serve_git(handler: BaseHTTPRequestHandler, folder: Path) -> None:
    path, _, query = handler.path.partition("?")
    length = int(handler.headers.get("Content-Length") or 0)
    environment = {
        **os.environ,
        "GIT_PROJECT_ROOT": str(folder),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "REQUEST_METHOD": handler.command,
        "CONTENT_TYPE": handler.headers.get("Content-Type", ""),
        "GIT_PROTOCOL": handler.headers.get("Git-Protocol", ""),
        "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    done = subprocess.run(
        ["git", "http-backend"],
        input=handler.rfile.read(length),
        env=environment,
        capture_output=True,
        timeout=60,
    )
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
    handler.send_response(int(headers.pop("Status", "200").split()[0]))
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def serving(folder: Path | None = None, rule: Rule = lambda _: None) -> Iterator[Server]:
    """Serves the repositories in a folder. rule: answers first, if it returns something."""
    made = Server(folder, rule)
    thread = threading.Thread(target=made.server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()
        thread.join()


@contextmanager
def silent() -> Iterator[str]:
    """A server that accepts connections and says nothing; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
