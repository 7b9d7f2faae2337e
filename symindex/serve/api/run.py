"""Runs a service: its socket, its guard, and its end."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from symindex.errors import RequestError
from symindex.serve import listening
from symindex.serve.api.guard import Guard
from symindex.serve.api.service import make_service
from symindex.serve.log import set_up_logging
from symindex.serve.streams import FLEET_TOKEN
from symindex.serve.uvicorn_limits import LimitedServer, configure
from symindex.workspace.answers import Answers

if TYPE_CHECKING:
    from starlette.types import ASGIApp

ANY: Final = ("0.0.0.0", "::", "")
"""The hosts that stand for all addresses of this machine."""


def serve(answers: Answers, host: str, port: int, hosts: Sequence[str]) -> int:
    """Serves until interrupted; returns the exit code.

    hosts: other host names by which clients reach the server. Raises RequestError if the server
    would be open to everybody, or if the address is not available.
    """
    token = listening.take_token(FLEET_TOKEN)
    listening.check_reach("--http", host, token, FLEET_TOKEN, "'Authorization: Bearer TOKEN'")
    if host in ANY and not hosts:
        raise RequestError(f"--http {host}: use --allowed-host to name the host that clients use")
    own = listening.LOOPBACK if host in listening.LOOPBACK else () if host in ANY else (host,)
    with listening.listen("--http", host, port) as bound:
        set_up_logging("warning")
        shown = f"[{host}]" if ":" in host else host
        sys.stderr.write(f"symindex: http://{shown}:{bound.getsockname()[1]}/\n")
        sys.stderr.flush()
        app: ASGIApp = Guard(make_service(answers), [*hosts, *own], token)
        LimitedServer(configure(app, "" if token else FLEET_TOKEN)).run(sockets=[bound])
    return 0
