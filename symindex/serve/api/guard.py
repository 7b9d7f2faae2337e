"""Lets a request of a program through, or refuses it before its body is read.

A program sends the token with every request; nothing is kept between two of them. A web page can
make a browser send requests here, so the Host must be one of ours and no Origin may be another's.
"""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from starlette.requests import ClientDisconnect

from symindex.serve import listening
from symindex.serve.api.service import HEALTH
from symindex.serve.http_headers import Headers, Refusal, check_framing, check_places, refuse
from symindex.serve.slow_bodies import in_time
from symindex.serve.uvicorn_limits import ACCEPT

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class Guard:
    """Wraps the service. names: host names by which clients reach it. token: what clients must
    send; empty if only this user of this machine can connect."""

    def __init__(self, app: "ASGIApp", names: Sequence[str], token: str) -> None:
        self._app, self._token = app, f"Bearer {token}".encode() if token else b""
        self._names = {name.strip("[]").lower().encode() for name in names}

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = scope["headers"]
        reason = check_framing(headers)
        if reason is None and scope["path"] != HEALTH:
            reason = (
                check_places(headers) or self._check_host(headers) or self._check_token(headers)
            )
        if reason is not None:
            error = msgspec.json.encode({"error": reason.reason.decode()})
            await refuse(send, reason._replace(reason=error), b"application/json")
            return
        scope["state"][ACCEPT]()
        with contextlib.suppress(ClientDisconnect):  # it needs no answer
            await self._app(scope, in_time(receive), send)

    def _check_host(self, headers: Headers) -> Refusal | None:
        given = dict(headers)
        host, origin = given.get(b"host", b"").lower(), given.get(b"origin", b"").lower()
        name = host[1:].partition(b"]")[0] if host[:1] == b"[" else host.partition(b":")[0]
        if name not in self._names:
            return Refusal(421, b"this server is not known by that host name: see --allowed-host")
        if origin and origin.partition(b"://")[2] != host:
            return Refusal(403, b"the request comes from another web page")
        return None

    def _check_token(self, headers: Headers) -> Refusal | None:
        given = dict(headers).get(b"authorization", b"")
        if not self._token or listening.is_same(given, self._token):
            return None
        return Refusal(
            401,
            b"a token is required: Authorization: Bearer TOKEN",
            [(b"www-authenticate", b"Bearer")],
        )
