"""`symindex mcp`: one client on the standard streams, or any number over HTTP."""

import contextlib
import gc
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.files.locations import current_folder, find_root
from symindex.serve.mcp.client_profiles import Choice
from symindex.serve.mcp.stdio_bootstrap import Bootstrap
from symindex.serve.streams import drop_tokens, parse_address, read_roots, standard_streams

INSTALL: Final = "pip install 'symindex[mcp]'"


def serve(roots: Sequence[str], address: str | None, hosts: Sequence[str], index_dir: str | None, choice: Choice) -> int:
    """Serves to the end; returns the exit code. Raises RequestError for what is not a folder, or if the SDK is not installed.

    roots: by default the tree around the current folder. address: for HTTP; without one the standard streams.
    """
    found = read_roots(roots or [str(find_root(current_folder()))])
    if find_spec("mcp") is None:
        raise RequestError(f"the SDK of the Model Context Protocol is not installed: {INSTALL}")
    return serve_stdio(found, index_dir, choice) if address is None else serve_http(address, hosts, found, index_dir, choice)


def serve_stdio(roots: Sequence[Path], index_dir: str | None, choice: Choice) -> int:
    """Serves one client on the standard streams, to its end; returns the exit code."""
    drop_tokens()
    bootstrap = Bootstrap(*standard_streams(), choice)  # it answers from here on, while the SDK is loaded below
    with _without_collecting():
        from symindex.serve.mcp.transport import run_stdio
    return run_stdio(bootstrap, roots, index_dir, choice)


def serve_http(address: str, hosts: Sequence[str], roots: Sequence[Path], index_dir: str | None, choice: Choice) -> int:
    """Serves any number of clients over HTTP, until it is interrupted; returns the exit code.

    Raises RequestError for an address that is wrong, not available, or would be open to anybody.
    """
    host, port = parse_address("--http", address, 7660)
    with _without_collecting():
        from symindex.serve.mcp.http import run_http
    return run_http(host, port, hosts, roots, index_dir, choice)


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """For imports: what they make stays, and collecting garbage takes a tenth of their time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
