"""Serves a fleet from one process: the service at `/v1`, the agents' tools at `/mcp`, and the page
at every other address. One token admits to all of them."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from symindex.errors import RequestError
from symindex.serve import listening
from symindex.serve.streams import FLEET_TOKEN
from symindex.workspace.answers import Answers

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from symindex.serve.web.fleet_site import FleetSite

ANY: Final = ("0.0.0.0", "::", "")
"""The hosts that stand for all addresses of this machine."""

_NEEDED: Final = (
    "starlette",
    "uvicorn",
    "anyio",
    "mcp",
    "jinja2",
    "pygments",
    "markdown_it",
    "nh3",
)

_MCP: Final = "/mcp"


def check_installed() -> None:
    """Raises RequestError if a package of the extra is missing."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise RequestError(
            f"serving a fleet needs {', '.join(missing)}: run `pip install"
            ' "symindex[fleet,mcp,web]"`'
        )


def serve(answers: Answers, host: str, port: int, hosts: Sequence[str]) -> int:
    """Serves until interrupted; returns the exit code.

    hosts: other host names by which clients reach the server. Raises RequestError if the server
    would be open to everybody, or if the address is not available.
    """
    check_installed()
    token = listening.take_token(FLEET_TOKEN)
    listening.check_reach("--http", host, token, FLEET_TOKEN, "'Authorization: Bearer TOKEN'")
    if host in ANY and not hosts:
        raise RequestError(f"--http {host}: use --allowed-host to name the host that clients use")
    own = listening.LOOPBACK if host in listening.LOOPBACK else () if host in ANY else (host,)
    with listening.listen("--http", host, port) as bound:
        from symindex.serve.log import set_up_logging
        from symindex.serve.uvicorn_limits import LimitedServer, configure
        from symindex.serve.web.fleet_site import FleetSite

        site = FleetSite(answers)
        try:
            set_up_logging("warning")
            shown = f"[{host}]" if ":" in host else host
            sys.stderr.write(f"symindex: http://{shown}:{bound.getsockname()[1]}/\n")
            sys.stderr.flush()
            app = make_app(answers, site, host, [*hosts, *own], token)
            LimitedServer(configure(app, "" if token else FLEET_TOKEN)).run(sockets=[bound])
        finally:
            site.close()
    return 0


def make_app(
    answers: Answers, site: "FleetSite", host: str, names: Sequence[str], token: str
) -> "ASGIApp":
    """Returns all that a fleet serves, behind its guards. names: host names by which clients reach
    it."""
    from symindex.serve.api.guard import Guard
    from symindex.serve.api.service import HEALTH, PREFIX, make_service
    from symindex.serve.mcp.client_profiles import Offer
    from symindex.serve.mcp.fleet_handlers import FleetHandlers
    from symindex.serve.mcp.http import make_http_app
    from symindex.serve.web.app import make_app as make_pages
    from symindex.serve.web.guard import Guard as PageGuard

    tools = make_http_app(FleetHandlers(answers), Offer(is_fleet=True), host, names)
    service = Guard(make_service(answers), names, token)
    agents = Guard(tools, names, token)
    pages = PageGuard(make_pages(site), names, token)

    async def serve_all(scope: "Scope", receive: "Receive", send: "Send") -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or path == _MCP:  # the tools have sessions, which begin and end
            await agents(scope, receive, send)
        elif path == HEALTH or f"{path}/".startswith(PREFIX):
            await service(scope, receive, send)
        else:
            await pages(scope, receive, send)

    return serve_all
