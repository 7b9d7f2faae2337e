"""What servers have in common: streams for messages, addresses, roots, and the end by a signal."""

import contextlib
import os
import signal
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import IO, Any, Final

from symindex.errors import RequestError

LSP_TOKEN: Final = "SYMINDEX_LSP_TOKEN"
MCP_TOKEN: Final = "SYMINDEX_MCP_TOKEN"
"""The environment variables with the tokens that clients must send."""


def drop_tokens() -> None:
    """Removes the tokens from the environment, which the processes that we start inherit."""
    for variable in (LSP_TOKEN, MCP_TOKEN):
        os.environ.pop(variable, None)


def standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input and output for messages only: everything else that is printed goes to standard error."""
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


def read_roots(given: Sequence[str]) -> list[Path]:
    """The folders that `--root` names, each once, without links. Raises RequestError for what is no folder."""
    for root in given:
        if not os.path.isdir(root):
            is_there = os.path.exists(root)
            raise RequestError(f"--root {root[:200]}: {'not a folder' if is_there else 'there is no such folder'}")
    return list(dict.fromkeys(Path(root).resolve() for root in given))


def run_until_stopped(serving: Coroutine[Any, Any, int]) -> int:
    """Runs a server until it ends or a signal cancels it; returns the exit code."""
    import asyncio  # here, because the server for agents answers before this is loaded

    async def run() -> int:
        task = asyncio.ensure_future(serving)
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError, ValueError):
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            return 0

    return asyncio.run(run())
