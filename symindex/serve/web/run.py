"""Runs `symindex web`."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.serve import listening
from symindex.serve.streams import WEB_TOKEN

_NEEDED: Final = ("starlette", "uvicorn", "jinja2", "pygments", "markdown_it", "nh3")

_ANY: Final = ("0.0.0.0", "::", "")


def check_installed() -> None:
    """Raises RequestError if a package of the extra is missing."""
    if None in map(find_spec, _NEEDED):
        raise RequestError(
            "the packages of the web page are not installed: run `pip install 'symindex[web]'`, or"
            " `pip install '.[web]'` in a clone of symindex"
        )


def serve(
    roots: Sequence[Path],
    host: str,
    port: int,
    hosts: Sequence[str],
    index_dir: str | None,
    is_opened: bool = False,
) -> int:
    """Serves until interrupted; returns the exit code.

    hosts: other host names by which browsers reach the server. is_opened: whether to open the page
    in the user's browser. Raises RequestError if the server
    would be open to everybody, or if the address is not available.
    """
    check_installed()
    token = listening.take_token(WEB_TOKEN)
    listening.check_reach("--http", host, token, WEB_TOKEN, "text in the form of the page")
    if host in _ANY and not hosts:
        raise RequestError(f"--http {host}: use --allowed-host to name the host that browsers use")
    own = listening.LOOPBACK if host in listening.LOOPBACK else () if host in _ANY else (host,)
    with listening.listen("--http", host, port) as bound:
        from symindex.serve.daemon.listener import share
        from symindex.serve.log import set_up_logging
        from symindex.serve.uvicorn_limits import LimitedServer, configure
        from symindex.serve.web.app import make_app
        from symindex.serve.web.guard import Guard, admits
        from symindex.serve.web.tree_site import TreeSite
        from symindex.workspace.watched_tree import WatchedTrees

        site = TreeSite(roots, index_dir, WatchedTrees(share), is_local=not token)
        try:
            set_up_logging("warning")
            shown = f"[{host}]" if ":" in host else host
            address = f"http://{shown}:{bound.getsockname()[1]}/"
            sys.stderr.write(f"symindex: {address}\n")
            sys.stderr.flush()
            if is_opened:
                import webbrowser

                webbrowser.open(address)
            guard = Guard(make_app(site), [*hosts, *own], token)
            LimitedServer(configure(guard, admits(token))).run(sockets=[bound])
        finally:
            site.close()
    return 0
