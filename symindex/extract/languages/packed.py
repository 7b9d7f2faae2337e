"""Languages as bytes: for a file that keeps them, and for workers.

To read their folders takes a process ten times as long as to read these bytes.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from symindex.extract.languages.registry import Language, Languages
from symindex.extract.languages.schema import LanguageFile
from symindex.text.decoding import decode


class _Packed(msgspec.Struct, array_like=True, frozen=True):
    """A language: its folder as the system's bytes, the rules and the query, with those of the languages that it builds on."""

    folder: bytes
    rules: LanguageFile
    query: str


def pack_languages(languages: Languages) -> bytes:
    """All of them, whichever are chosen."""
    packed = [_Packed(os.fsencode(each.folder), each.rules, each.query) for each in languages.by_id.values()]
    return msgspec.msgpack.encode(packed)


def unpack_languages(data: bytes, chosen: Iterable[str] = ()) -> Languages:
    """What was packed. chosen: as of `Languages`. Raises msgspec.MsgspecError for bytes of another version."""
    packed = decode(data, list[_Packed])
    return Languages([Language(Path(os.fsdecode(each.folder)), each.rules, each.query) for each in packed], chosen)
