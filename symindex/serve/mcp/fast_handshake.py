"""Answers discovery, in both protocols, and the list of tools before the SDK is loaded: some hosts
do not wait that long. `tests/serve/mcp/test_protocol.py` compares each answer with the SDK's
own."""

from typing import Any, Final

from symindex import __version__
from symindex.serve.mcp.client_profiles import OWN_TOOLS, Offer

NAME: Final = "symindex"

TITLE: Final = "symindex: the symbols of your code"

MODERN: Final = "2026-07-28"
"""The protocol revision without a handshake: each request names its version."""

HANDSHAKES: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The older revisions. A client that requests an unknown one is offered the last of these."""

_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
_CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
_SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

_SERVER: Final = {"name": NAME, "title": TITLE, "version": __version__}
_CAPABILITIES: Final = {"tools": {"listChanged": False}}


def answer_at_once(message: Any, offer: Offer = OWN_TOOLS) -> dict[str, Any] | None:
    """Returns the result of a request that needs only the constants of this module, and `None` for
    any other request."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or "id" not in message:
        return None
    params = message.get("params") or {}
    if not isinstance(params, dict):
        return None
    method = message.get("method")
    meta = params.get("_meta")
    if isinstance(meta, dict) and _VERSION_KEY in meta:
        if meta[_VERSION_KEY] != MODERN or not isinstance(meta.get(_CAPABILITIES_KEY), dict):
            return None
        if method == "server/discover":
            return _modern(
                capabilities=_CAPABILITIES,
                instructions=offer.instructions,
                supportedVersions=[MODERN],
            )
        if method == "tools/list" and not params.get("cursor"):
            return _modern(tools=offer.tools_for(name_of(meta.get(_CLIENT_KEY))))
        return None
    if (
        method == "initialize"
        and isinstance(params.get("capabilities"), dict)
        and name_of(params.get("clientInfo"))
    ):
        wanted = params.get("protocolVersion")
        if isinstance(wanted, str):
            version = wanted if wanted in HANDSHAKES else HANDSHAKES[-1]
            return {
                "capabilities": _CAPABILITIES,
                "instructions": offer.instructions,
                "protocolVersion": version,
                "serverInfo": _SERVER,
            }
    return None


def name_of(info: Any) -> str:
    """Returns the name of a client, or an empty string if it does not fit the protocol."""
    is_told = (
        isinstance(info, dict)
        and isinstance(info.get("name"), str)
        and isinstance(info.get("version"), str)
    )
    return info["name"] if is_told else ""


def _modern(**fields: Any) -> dict[str, Any]:
    return {
        "cacheScope": "private",
        "resultType": "complete",
        "ttlMs": 0,
        **fields,
        "_meta": {_SERVER_KEY: _SERVER},
    }
