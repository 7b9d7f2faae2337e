"""A followed tree, and a daemon that answers for it, both in this process."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import symindex
from symindex.serve.daemon import client, wire
from symindex.serve.daemon.exchange import Exchange
from symindex.serve.daemon.listener import Daemon
from symindex.workspace.workspace import Workspace
from tests.support.waiting import until


@contextmanager
def followed(root: Path, index_dir: Path | None = None) -> Iterator[Workspace]:
    """Yields a workspace whose watcher has seen every file."""
    with symindex.open(root, index_dir) as workspace:
        workspace.refresh()
        watcher = workspace.source.indexed.follow()
        until(lambda: watcher.settle(1.0) or (not watcher.is_prompt and watcher.has_looked))
        yield workspace


@contextmanager
def serving(root: Path, index_dir: Path | None = None) -> Iterator[Daemon]:
    """Yields a daemon that listens."""
    with followed(root, index_dir) as workspace:
        daemon = Daemon(workspace.source.indexed)
        daemon.start()
        until(lambda: daemon.is_listening)
        try:
            yield daemon
        finally:
            daemon.stop()


def answer_to(arguments: list[str]) -> "tuple[int, bytes, bytes] | None":
    """Returns a daemon's answer to a command, or `None` if there is none in time."""
    asked = client.begin(arguments)
    if asked is None:
        return None
    try:
        return client.answer_of(asked)
    finally:
        asked.close()


def reply_to(path: str, request: bytes) -> "list[bytes] | None":
    """Returns a daemon's reply to a request."""
    asked = Exchange(path, request)
    try:
        return asked.reply()
    finally:
        asked.close()


def ask(*arguments: str) -> "tuple[int, str, str] | None":
    """Returns a daemon's answer to a search, or `None` if it does not answer."""
    return ask_for("search", *arguments)


def ask_for(command: str, *arguments: str) -> "tuple[int, str, str] | None":
    """Returns a daemon's answer to any command, or `None` if it does not answer."""
    reply = answer_to([command, *arguments])
    return (reply[0], reply[1].decode(), reply[2].decode()) if reply is not None else None


def socket_of(root: Path) -> Path:
    """Returns the path of the socket of a tree's daemon."""
    with symindex.open(root) as workspace:
        return workspace.source.indexed.folder / wire.SOCKET_NAME


@contextmanager
def in_place(path: Path, serve: Callable[[socket.socket], object]) -> Iterator[None]:
    """Listens at a path instead of a daemon, and passes each connection to `serve`."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))
        os.chmod(path, 0o600)
        bound.listen()

        def accept() -> None:
            try:
                while True:
                    connection, _ = bound.accept()
                    with connection:
                        serve(connection)
            except OSError:  # the socket is closed, or the client has left
                pass

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield
        finally:
            bound.shutdown(socket.SHUT_RDWR)
            thread.join()
    path.unlink()
