"""Decoders of MessagePack, each made once, one at a time.

msgspec looks a type up when it is first asked for, and two threads that make it do so at once bring the process down (0.22). So
whatever is decoded in threads, be it from MessagePack, TOML or JSON, is made known here first.
"""

import re
import threading
from typing import Any, Final, TypeVar

import msgspec

_KNOWN: Final[dict[Any, "msgspec.msgpack.Decoder[Any]"]] = {}
_LOCK: Final = threading.Lock()

_T = TypeVar("_T")


def decode(data: bytes | memoryview, kind: type[_T]) -> _T:
    """A value of MessagePack. Raises msgspec.MsgspecError where it is none of that type."""
    found: _T = decoder_of(kind).decode(data)
    return found


def decoder_of(kind: Any) -> "msgspec.msgpack.Decoder[Any]":
    """The decoder of a type, which from then on is known to all of msgspec."""
    decoder = _KNOWN.get(kind)
    if decoder is None:
        with _LOCK:
            decoder = _KNOWN.get(kind) or msgspec.msgpack.Decoder(kind)
            _KNOWN[kind] = decoder
    return decoder


_PART: Final = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DEEP_KEY: Final = rf"(?:^|[\[{{,])[ \t]*{_PART}(?:[ \t]*\.[ \t]*{_PART}){{16}}"


def check_toml_keys(text: str) -> None:
    """Raises ValueError for TOML with a key of many parts: the parser takes a time that grows with the square of their number."""
    if re.search(_DEEP_KEY, text, re.MULTILINE) is not None:
        raise ValueError("a key of too many parts")
