"""Handmade archives: members with false headers, and directories that list members which do not
exist."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

STORED, DEFLATED = 0, 8

UTF_8: Final = 0x800
"""Flag: the name is in UTF-8."""


class Member(NamedTuple):
    """A member of an archive.

    inner: the name in the member's own header; empty: the name in the directory. size, packed_size:
    as the headers claim; `None`: the true sizes. flags, method, mode: as the headers claim.
    position: as the directory claims; `None`: the true one. data: `None` if nothing is written for
    this member, because its position is that of another one.
    """

    name: bytes
    data: bytes | None = b""
    inner: bytes = b""
    size: int | None = None
    packed_size: int | None = None
    flags: int = UTF_8
    method: int = DEFLATED
    mode: int = 0o100644
    position: int | None = None


def archive_of(
    members: Iterable[Member],
    *,
    before: bytes = b"",
    comment: bytes = b"",
    count: int | None = None,
) -> bytes:
    """Returns an archive as bytes. before: bytes in front of it, which its positions do not count.
    count: the number of members that its end claims."""
    parts, entries, position, number = [], [], 0, 0
    for member in members:
        data = member.data or b""
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = data if member.method == STORED else packer.compress(data) + packer.flush()
        sizes = (
            zlib.crc32(data),
            len(packed) if member.packed_size is None else member.packed_size,
            len(data) if member.size is None else member.size,
        )
        inner = member.inner or member.name
        head = struct.pack(
            "<4s5H3L2H", b"PK\3\4", 20, member.flags, member.method, 0, 0, *sizes, len(inner), 0
        )
        place = position if member.position is None else member.position
        entries.append(
            struct.pack(
                "<4s6H3L5H2L", b"PK\1\2", 0x314, 20, member.flags, member.method, 0, 0, *sizes, len(member.name), 0, 0, 0, 0,
                member.mode << 16, place,
            )
            + member.name
        )  # fmt: skip
        number += 1
        if member.data is not None:
            parts.append(head + inner + packed)
            position += len(parts[-1])
    listed = b"".join(entries)
    end = end_of(number if count is None else count, len(listed), position, comment)
    return b"".join([before, *parts, listed, end])


def end_of(count: int, n_bytes: int, position: int, comment: bytes = b"") -> bytes:
    """Returns the end of an archive, in the long form if its numbers need it."""
    if count < 65_535 and max(n_bytes, position) < 0xFFFFFFFF:
        return (
            struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, n_bytes, position, len(comment))
            + comment
        )
    long = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, n_bytes, position)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, (position + n_bytes) % 2**64, 1)
    return (
        long
        + locator
        + struct.pack(
            "<4s4H2LH", b"PK\5\6", 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0
        )
    )


def folders_without_end(n_names: int) -> Sequence[bytes]:
    """Returns names of members. Each is in 63 nested folders that no other member is in."""
    return [
        "/".join([f"{number:x}".ljust(14, "-"), *["a" * 14] * 62]).encode() + b"/A.java"
        for number in range(n_names)
    ]
