"""Decoders of MessagePack, each made once, by one thread at a time.

msgspec inspects a type when it is first used, and version 0.22 crashes the process if two threads
trigger that at once. So every type that threads decode, whether from MessagePack, TOML or JSON, is
registered here first.
"""

import re
import threading
from typing import Any, Final, TypeVar

import msgspec

_KNOWN: Final[dict[Any, "msgspec.msgpack.Decoder[Any]"]] = {}
_LOCK: Final = threading.Lock()

_T = TypeVar("_T")


def decode(data: bytes | memoryview, kind: type[_T]) -> _T:
    """Decodes a value of a type from MessagePack. Raises msgspec.MsgspecError if the data has
    another type."""
    try:
        value: _T = decoder_of(kind).decode(data)
    except (
        UnicodeDecodeError
    ) as error:  # msgspec does not catch it if damaged data contains invalid UTF-8
        raise msgspec.DecodeError(str(error)) from None
    return value


def decoder_of(kind: Any) -> "msgspec.msgpack.Decoder[Any]":
    """Returns the decoder of a type. After the first call, all of msgspec has inspected the
    type."""
    if kind not in _KNOWN:
        with _LOCK:
            _KNOWN[kind] = _KNOWN.get(kind) or msgspec.msgpack.Decoder(kind)
    return _KNOWN[kind]


_PART: Final = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DEEP_KEY: Final = rf"(?:^|[\[{{,])[ \t]*{_PART}(?:[ \t]*\.[ \t]*{_PART}){{16}}"


def check_toml_keys(text: str) -> None:
    """Raises ValueError for TOML with a key of many parts, for which the parser takes quadratic
    time."""
    if re.search(_DEEP_KEY, text, re.MULTILINE) is not None:
        raise ValueError("a key of too many parts")
