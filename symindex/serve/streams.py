"""Where a process speaks a protocol: on its standard streams, or at an address."""

import os
from typing import IO

from symindex.errors import RequestError


def standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input and output for messages alone: what else is printed from here on goes to standard error."""
    source, target = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return os.fdopen(source, "rb"), os.fdopen(target, "wb")


def parse_address(option: str, text: str, example: int) -> tuple[str, int]:
    """`HOST:PORT`, `:PORT` or `PORT`; without a host this machine alone. Raises RequestError, which names the option."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise RequestError(f"{option} {text!r}: expected HOST:PORT or PORT, as 127.0.0.1:{example}; 0 for any free port")
    return host, int(port)
