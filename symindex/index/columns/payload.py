"""Encodes structures with columns as MessagePack, each column at an aligned address, and decodes
them.

A column is a binary object that begins with 1 to ALIGNMENT bytes of padding, the first of which
gives their number. After the padding, counted from the start of the file, the column begins at a
multiple of ALIGNMENT. So numpy reads its numbers in place, where it would otherwise copy a whole
column for one access.
"""

from collections.abc import Iterator
from typing import Final, TypeVar

import msgspec

from symindex.text.decoding import decoder_of

ALIGNMENT: Final = 64

_Payload = TypeVar("_Payload", bound=msgspec.Struct)


def encode(value: msgspec.Struct, offset: int) -> list[bytes | memoryview]:
    """Encodes a structure (`array_like`) in pieces. Its columns are the memoryviews in it and in
    nested structures.

    offset: where in the file the pieces will begin.
    """
    pieces: list[bytes | memoryview] = []
    for piece in _pieces(value):
        if isinstance(piece, memoryview):
            filling = ALIGNMENT - (offset + 5) % ALIGNMENT
            head = (
                b"\xc6"
                + (filling + len(piece)).to_bytes(4, "big")
                + bytes([filling]).ljust(filling, b"\0")
            )
            pieces.append(head)
            offset += len(head)
        pieces.append(piece)
        offset += len(piece)
    return pieces


def _pieces(value: object) -> Iterator[bytes | memoryview]:
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        yield b"\xdc" + len(names).to_bytes(2, "big")
        for name in names:
            yield from _pieces(getattr(value, name))
    else:
        yield value if isinstance(value, memoryview) else msgspec.msgpack.encode(value)


def decode(data: memoryview, kind: type[_Payload]) -> _Payload:
    """Decodes a structure; its columns are parts of `data`. Raises ValueError (msgspec.MsgspecError
    is one) for other data."""
    value: _Payload = decoder_of(kind).decode(data)
    return _without_filling(value)


def _without_filling(value: _Payload) -> _Payload:
    changed: dict[str, object] = {}
    for name in value.__struct_fields__:
        field = getattr(value, name)
        if isinstance(field, memoryview):
            if not len(field):
                raise ValueError(f"column {name} has no filling")
            changed[name] = field[field[0] :]
        elif isinstance(field, msgspec.Struct):
            changed[name] = _without_filling(field)
    return msgspec.structs.replace(value, **changed)
