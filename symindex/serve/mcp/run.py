"""Runs the server: one client on the standard streams, or any number over HTTP."""

import contextlib
import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.files.locations import current_folder, find_root
from symindex.serve.mcp.client_profiles import Choice
from symindex.serve.mcp.stdio_bootstrap import Lobby
from symindex.serve.streams import drop_tokens, parse_address, read_roots, standard_streams

INSTALL: Final = "pip install 'symindex[mcp]'"


def find_roots(given: Sequence[str]) -> list[Path]:
    """The roots that a server answers about: those that are named, else the tree around the current folder.

    Raises RequestError for what is no folder.
    """
    return read_roots(given or [str(find_root(current_folder()))])


def serve_stdio(roots: Sequence[Path], index_dir: str | None, choice: Choice) -> int:
    """Serves one client on the standard streams, to its end; returns the exit code. Raises RequestError without the SDK."""
    check_installed()
    drop_tokens()
    lobby = Lobby(*standard_streams(), choice)  # it answers from here on; what is loaded below may take its time
    with _without_collecting():
        from symindex.serve.mcp.transport import run_stdio
    return run_stdio(lobby, roots, index_dir, choice)


def serve_http(address: str, hosts: Sequence[str], roots: Sequence[Path], index_dir: str | None, choice: Choice) -> int:
    """Serves any number of clients over HTTP, until it is interrupted; returns the exit code.

    Raises RequestError for an address that is none, cannot be had, or would be open to anybody.
    """
    check_installed()
    host, port = parse_address("--http", address, 7660)
    with _without_collecting():
        from symindex.serve.mcp.http import run_http
    return run_http(host, port, hosts, roots, index_dir, choice)


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """For loading: what is loaded stays, and to look for garbage among it takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def check_installed() -> None:
    """Raises RequestError where the SDK is not there."""
    import importlib.util

    if importlib.util.find_spec("mcp") is None:
        raise RequestError(f"the SDK of the Model Context Protocol is not installed: {INSTALL}")
