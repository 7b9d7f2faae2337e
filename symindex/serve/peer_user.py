"""Finds the user of this machine at the other end of a loopback connection, on systems that show
it.

Linux lists its TCP sockets in /proc/net/tcp (see proc(5)): address and port, both hexadecimal, the
address as bytes of 32-bit words in the machine's order; the state; the user; the inode. A socket
that its process has closed is listed as root's, without an inode. An IPv6 socket that is connected
to an IPv4 address is in the IPv6 list, with the address mapped. Other systems do not show users.
"""

import os
import socket
import sys
from ipaddress import IPv6Address, ip_address
from typing import Final

_LISTS: Final = {4: "/proc/net/tcp", 6: "/proc/net/tcp6"}
_LOCAL, _REMOTE, _USER, _INODE = 1, 2, 7, 9


def is_other_user(connection: socket.socket) -> bool:
    """Whether a connection comes from a user other than this one or root. On Linux, a connection
    that is not listed counts as another user's: it comes from another machine, or is already
    closed. `False` on systems that do not show users."""
    if sys.platform != "linux":
        return False
    try:
        # The peer's socket lists its own address first.
        ends = [connection.getpeername(), connection.getsockname()]
        for version, path in _LISTS.items():
            listed_ends = [_as_listed(version, end) for end in ends]
            user = _user_of(path, listed_ends)
            if user is not None:
                return user not in (os.geteuid(), 0)
    except (OSError, ValueError, IndexError):
        return True
    return True


def _user_of(path: str, ends: list[str]) -> int | None:
    """Returns the user of the socket with these ends, or `None` if there is none, or it is
    closed."""
    if not os.path.exists(path):  # a system without IPv6
        return None
    with open(path, encoding="ascii") as lines:
        for fields in map(str.split, lines):
            if fields[_LOCAL : _REMOTE + 1] == ends and fields[_INODE] != "0":
                return int(fields[_USER])
    return None


def _as_listed(version: int, address: tuple[str, int]) -> str:
    host = ip_address(address[0].partition("%")[0])
    mapped = host if isinstance(host, IPv6Address) else IPv6Address(f"::ffff:{host}")
    packed = (
        mapped.packed if version == 6 else mapped.packed[12:] if mapped.ipv4_mapped else b""
    )  # IPv6 addresses are not in the list for version 4
    words = (packed[start : start + 4] for start in range(0, len(packed), 4))
    return (
        "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
        + f":{address[1]:04X}"
    )
