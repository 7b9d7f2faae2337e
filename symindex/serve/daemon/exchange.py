"""The conversation with a daemon: one question, one reply, and no longer than the client has time."""

import os
import socket
import sys
import time

from symindex import __version__
from symindex.serve.daemon import wire
from symindex.serve.unix_peer import Address, is_own_user
from symindex.text.arguments import option_value
from symindex.workers.isolation import PACKAGE_PARENT

IDENTITY = f"{__version__} {PACKAGE_PARENT} {sys.version}"
"""What client and daemon must have in common to give the same answers."""

HEAD_SECONDS = 0.08
"""How long the beginning of an answer is waited for: without a daemon a command takes no longer than this more."""

REST_SECONDS, BYTE_SECONDS = 0.02, 1e-8
"""How long the rest of an answer may take, and each byte of it more."""

_CHUNK_BYTES = 1 << 18


def request(root: str, arguments: "list[str]") -> bytes:
    """The question that a command about a root is."""
    environment = dict(os.environ)
    fields = [
        IDENTITY,
        root,
        option_value(arguments, "--root") or "",
        option_value(arguments, "--index-dir") or "",
        sys.stdout.encoding,
        "terminal" if sys.stdout.isatty() else "",
        _terminal_size(),
    ]
    shown = {name: environment[name] for name in wire.SHOWN if name in environment}
    packed = [field.encode("utf-8", "surrogateescape") for field in fields]
    words = "\0".join(arguments).encode("utf-8", "surrogateescape")
    return wire.pack([*packed, wire.pack_pairs(wire.meant(environment)), wire.pack_pairs(shown), words])


def _terminal_size() -> str:
    """The columns and lines of the terminal that a stream of this process is; empty where none is one."""
    for number in (0, 1, 2):
        try:
            columns, lines = os.get_terminal_size(number)
            return f"{columns} {lines}"
        except OSError:
            continue
    return ""


def exchange(path: str, question: bytes) -> "list[bytes] | None":
    """The fields of the reply of a daemon at a path; `None` where there is none. Raises OSError, ValueError."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        latest = time.monotonic() + HEAD_SECONDS
        connection.settimeout(HEAD_SECONDS)
        with Address(path) as address:
            connection.connect(address)
        if not is_own_user(connection):
            return None
        connection.sendall(question)
        data, length = bytearray(), 8
        while len(data) < length:
            connection.settimeout(max(latest - time.monotonic(), 0.001))
            chunk = connection.recv(_CHUNK_BYTES)
            if not chunk:  # it has died
                return None
            if not data:
                latest = time.monotonic() + REST_SECONDS
            data += chunk
            if length == 8 and len(data) >= 8:
                length = 8 + int.from_bytes(data[:8], "big")
                if length > wire.MOST_REPLY_BYTES:
                    return None
                latest += length * BYTE_SECONDS
        return wire.unpack(bytes(data[8:]))
