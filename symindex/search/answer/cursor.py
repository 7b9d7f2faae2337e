"""Page tokens as text: URL-safe base64, without padding, of a MessagePack array and 4 bytes of
CRC-32 over it.

The checksum detects damage; it does not protect against forgery.
"""

import base64
import binascii
import hashlib
import zlib
from typing import Protocol, TypeVar

import msgspec

from symindex.errors import TokenError
from symindex.text.decoding import decode
from symindex.text.escaping import shorten


class _Versioned(Protocol):
    @property
    def version(self) -> int: ...


_Token = TypeVar("_Token", bound=_Versioned)


def digest(data: bytes, size: int = 6) -> bytes:
    """Returns a short hash of the parts of a request that decide its answer, or of an item's id."""
    return hashlib.blake2b(data, digest_size=size).digest()


def generation_bytes(generation: int) -> bytes:
    """Returns the part of an index's generation that a token contains."""
    return (generation % 2**48).to_bytes(6, "little")


def seal(token: msgspec.Struct) -> str:
    """Returns the token as text."""
    payload = msgspec.msgpack.encode(token)
    payload += zlib.crc32(payload).to_bytes(4, "little")
    return base64.urlsafe_b64encode(payload).rstrip(b"=").decode()


def unseal(text: str, kind: type[_Token], version: int) -> _Token:
    """Returns the token in a text. Raises TokenError for a text that was not sealed from a token of
    this kind and version."""
    try:
        payload = base64.b64decode(
            text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True
        )
        body, checksum = payload[:-4], payload[-4:]
        if len(payload) < 5 or zlib.crc32(body).to_bytes(4, "little") != checksum:
            raise ValueError("checksum")
    except (ValueError, binascii.Error):
        raise TokenError(
            f"pagination_id {shorten(text, 40)!r} is not a token of symindex: give back the one of"
            " the last answer unchanged"
        ) from None
    try:
        token = decode(body, kind)
    except msgspec.MsgspecError:
        raise TokenError(
            f"pagination_id {shorten(text, 40)!r} belongs to another sort of request, or another"
            " version: start again without it"
        ) from None
    if token.version != version:
        raise TokenError(
            f"pagination_id is of token version {token.version}, not {version}: start again"
            " without it"
        )
    return token


def check_same(is_same: bool, request: str) -> None:
    """Raises TokenError if a token comes from another request."""
    if not is_same:
        raise TokenError(
            f"pagination_id belongs to another {request}: repeat the request it came from"
            " unchanged, or start again without it"
        )
