"""Runs `symindex mcp`: for one client on the standard streams, or for any number over HTTP."""

import contextlib
import gc
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from symindex.dialects.throttle import Throttle
from symindex.errors import RequestError
from symindex.files.locations import current_folder, find_root
from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.stdio_bootstrap import Bootstrap
from symindex.serve.streams import drop_tokens, parse_address, read_roots, standard_streams


def serve(
    roots: Sequence[str],
    address: str | None,
    hosts: Sequence[str],
    index_dir: str | None,
    offer: Offer,
    fleet: str = "",
) -> int:
    """Serves until the end; returns the exit code.

    roots: by default the tree around the current folder. address: where to serve HTTP; without one,
    the standard streams are used. fleet: answers come from this fleet instead of the roots. Raises
    RequestError for a root that is not a folder, a missing SDK, a throttle variable that is not a
    number, a fleet that cannot be opened, and an address that is invalid, unavailable or would be
    open to everybody.
    """
    Throttle()  # refuses an invalid variable now rather than during a conversation
    folders = [] if fleet else read_roots(roots or [str(find_root(current_folder()))])
    if find_spec("mcp") is None:
        raise RequestError(
            "the MCP SDK is not installed: run `pip install mcp`, or `pip install "
            "'.[mcp]'` in a clone of symindex"
        )
    if address is not None:
        host, port = parse_address("--http", address, 7660)
        with _without_collecting():
            from symindex.serve.mcp.http import run_http
        return run_http(host, port, hosts, folders, index_dir, offer, fleet)
    drop_tokens()
    bootstrap = Bootstrap(
        *standard_streams(), offer
    )  # it answers from now on, while the SDK loads below
    with _without_collecting():
        from symindex.serve.mcp.transport import run_stdio
    return run_stdio(bootstrap, folders, index_dir, offer, fleet)


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """Turns garbage collection off during imports: their objects stay alive, and collecting would
    take a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
