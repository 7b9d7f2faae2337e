"""Tokens of pages as text: URL-safe base64, without padding, of a MessagePack array and 4 bytes of CRC-32 over it.

The checksum tells what was garbled on its way from what was given out; it is no secret.
"""

import base64
import binascii
import zlib
from typing import TypeVar

import msgspec

from symindex.errors import TokenError
from symindex.text.decoding import decode

_Token = TypeVar("_Token", bound=msgspec.Struct)


def seal(token: msgspec.Struct) -> str:
    """The token as text."""
    payload = msgspec.msgpack.encode(token)
    payload += zlib.crc32(payload).to_bytes(4, "little")
    return base64.urlsafe_b64encode(payload).rstrip(b"=").decode()


def unseal(text: str, kind: type[_Token]) -> _Token:
    """The token again. Raises TokenError for anything that was not sealed as one of that kind."""
    try:
        payload = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
        body, checksum = payload[:-4], payload[-4:]
        if len(payload) < 5 or zlib.crc32(body).to_bytes(4, "little") != checksum:
            raise ValueError("checksum")
    except (ValueError, binascii.Error):
        raise TokenError(
            f"pagination_id {_shorten(text)} is not a token of symindex: give back the one of the last answer unchanged"
        ) from None
    try:
        return decode(body, kind)
    except msgspec.MsgspecError:
        raise TokenError(
            f"pagination_id {_shorten(text)} belongs to another sort of request, or another version: start again without it"
        ) from None


def check_version(version: int, known: int) -> None:
    """Raises TokenError for the token of another version."""
    if version != known:
        raise TokenError(f"pagination_id is of token version {version}, not {known}: start again without it")


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
