"""Lets a request through to the pages, or refuses it, and sets the headers of every response.

Any web page can make a browser send requests to this machine, and with a name that it points here
(DNS rebinding) it could read the answers. So the Host must be one of ours, an Origin and
`Sec-Fetch-Site` must not be those of other pages, and the pages run nothing but our own script.
"""

import base64
import contextlib
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from symindex.serve import listening
from symindex.serve.http_headers import Headers, Refusal, check_framing, check_places, refuse
from symindex.serve.streams import WEB_TOKEN
from symindex.serve.uvicorn_limits import ACCEPT

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOGIN: Final = "/-/login"

COOKIE: Final = "symindex"

MOST_BODY: Final = 4_096
"""Longest body of a login, in bytes."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of all pages: nothing inline, and nothing from elsewhere."""

_HEADERS: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), interest-cohort=()"),
]


class Guard:
    """Wraps the pages.

    names: host names by which browsers reach the server. token: what a visitor must know; empty if
    only this user of this machine can connect.
    """

    def __init__(self, app: "ASGIApp", names: Sequence[str], token: str) -> None:
        self._app, self._token = app, token.encode()
        self._names = {name.strip("[]").lower().encode() for name in names}
        key = secrets.token_bytes(32)
        # Not the token itself, and not valid after a restart.
        digest = hmac.new(key, self._token, hashlib.sha256).digest()
        self._cookie = base64.urlsafe_b64encode(digest)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = scope["headers"]
        is_login = bool(self._token) and scope["path"] == LOGIN
        refusal = (
            check_framing(headers)
            or check_places(headers)
            or self._check_host(headers)
            or _check_page(headers, scope["method"])
            or _check_method(scope["method"], is_login)
        )
        if refusal is not None:
            await refuse(_with_headers(send), refusal)
            return
        scope["state"][ACCEPT]()
        if is_login and scope["method"] == "POST":
            await self._log_in(receive, _with_headers(send))
        elif self._token and not is_login and not self._is_known(headers):
            if scope["path"].startswith("/-/static/"):
                await self._app(scope, receive, _with_headers(send))
            else:
                await redirect(_with_headers(send), LOGIN)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _check_host(self, headers: Headers) -> Refusal | None:
        """Refuses a host by which this server is not known."""
        host = dict(headers).get(b"host", b"").lower()
        if _name_of(host) in self._names:
            return None
        return Refusal(421, b"this server is not known by that host name: see --allowed-host")

    def _is_known(self, headers: Headers) -> bool:
        """Whether a request has the cookie of a login, or the token itself."""
        given = dict(headers)
        sent = given.get(b"authorization", b"").removeprefix(b"Bearer ")
        if listening.is_same(sent, self._token):
            return True
        pairs = (pair.strip().partition(b"=") for pair in given.get(b"cookie", b"").split(b";"))
        cookie = next((value for name, _, value in pairs if name == COOKIE.encode()), b"")
        return listening.is_same(cookie, self._cookie)

    async def _log_in(self, receive: "Receive", send: "Send") -> None:
        body, given = b"", ""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if message["type"] != "http.request" or len(body) > MOST_BODY:
                await refuse(send, Refusal(413, b"the form is too long"))
                return
            if not message.get("more_body", False):
                break
        with contextlib.suppress(ValueError):  # it has more fields than our form
            fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=2)
            given = fields.get("token", [""])[0]
        if listening.is_same(given.encode(), self._token):
            cookie = f"{COOKIE}={self._cookie.decode()}; Path=/; HttpOnly; SameSite=Strict"
            await redirect(send, "/", (b"set-cookie", cookie.encode()))
        else:
            await redirect(send, LOGIN + "?wrong=1")


def _check_page(headers: Headers, method: str) -> Refusal | None:
    """Refuses a request that another web page makes, and to be shown inside of one. A link from
    there may be followed."""
    given = dict(headers)
    origin = given.get(b"origin", b"")
    is_elsewhere = given.get(b"sec-fetch-site", b"none") in (b"cross-site", b"same-site")
    is_followed = given.get(b"sec-fetch-mode", b"") == b"navigate" and method != "POST"
    if (
        (origin and origin.partition(b"://")[2].lower() != given.get(b"host", b"").lower())
        or (is_elsewhere and not is_followed)
        or given.get(b"sec-fetch-dest", b"") in _FRAMES
    ):
        return Refusal(403, b"the request comes from another web page")
    return None


_FRAMES: Final = (b"iframe", b"frame", b"embed", b"object")


def _check_method(method: str, is_login: bool) -> Refusal | None:
    if method in ("GET", "HEAD") or (is_login and method == "POST"):
        return None
    return Refusal(405, b"the pages only show: use GET", [(b"allow", b"GET, HEAD")])


def _name_of(host: bytes) -> bytes:
    """Returns the name of a Host without its port and brackets."""
    if host.startswith(b"["):
        return host[1:].partition(b"]")[0]
    return host.partition(b":")[0]


async def redirect(send: "Send", address: str, *headers: tuple[bytes, bytes]) -> None:
    """Sends the browser to another page with GET."""
    start = [(b"location", address.encode()), (b"content-length", b"0"), *headers]
    await send({"type": "http.response.start", "status": 303, "headers": start})
    await send({"type": "http.response.body", "body": b""})


def _with_headers(send: "Send") -> "Send":
    async def send_with_headers(message: "Message") -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            policy = (
                [(b"content-security-policy", POLICY.encode())]
                if b"content-security-policy" not in given
                else []
            )
            message["headers"] = [*message["headers"], *_HEADERS, *policy]
        await send(message)

    return send_with_headers


def admits(token: str) -> str:
    """Returns the variable that would admit other users; empty if there is a token."""
    return "" if token else WEB_TOKEN
