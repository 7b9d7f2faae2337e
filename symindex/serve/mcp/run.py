"""`symindex mcp`: one client on the standard streams, or any number over HTTP."""

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
) -> int:
    """Serves to the end; returns the exit code.

    roots: by default the tree around the current folder. address: for HTTP; without one the
    standard streams. Raises RequestError for what is not a folder, if the SDK is not installed, for
    a variable of the throttle that is no number, and for an address that is wrong, not available,
    or would be open to anybody.
    """
    Throttle()  # refuses a wrong variable now, and not in the midst of a conversation
    found = read_roots(roots or [str(find_root(current_folder()))])
    if find_spec("mcp") is None:
        raise RequestError(
            "the SDK of the Model Context Protocol is not installed: pip install mcp, or '.[mcp]'"
            " in a clone of symindex"
        )
    if address is not None:
        host, port = parse_address("--http", address, 7660)
        with _without_collecting():
            from symindex.serve.mcp.http import run_http
        return run_http(host, port, hosts, found, index_dir, offer)
    drop_tokens()
    bootstrap = Bootstrap(
        *standard_streams(), offer
    )  # it answers from here on, while the SDK is loaded below
    with _without_collecting():
        from symindex.serve.mcp.transport import run_stdio
    return run_stdio(bootstrap, found, index_dir, offer)


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """For imports: what they make stays, and collecting garbage takes a tenth of their time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
