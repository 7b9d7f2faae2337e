"""Which user of this machine is at the other end of a connection over loopback, where the system tells.

Linux lists its TCP sockets with the user of each (proc(5), /proc/net/tcp): an address as the bytes of its 32-bit words, as this
machine has numbers, a port, both hexadecimal; the state; the user; the inode. A socket that its process has closed stands there
as root's, without an inode. Who reaches an IPv4 address from an IPv6 socket is in the other list, with the address mapped. Other
systems do not say.
"""

import os
import socket
import sys
from ipaddress import ip_address
from typing import Final

_LISTS: Final = {4: "/proc/net/tcp", 6: "/proc/net/tcp6"}
_LOCAL, _REMOTE, _USER, _INODE = 1, 2, 7, 9


def is_other_user(connection: socket.socket) -> bool:
    """Whether a connection is not one of this user's own, or root's, as far as the system tells: on Linux whoever is not listed,
    as another machine or a socket that was closed already, is another. `False` on systems that do not tell."""
    if sys.platform != "linux":
        return False
    try:
        # The other side's socket has its own address first.
        ends = [connection.getpeername(), connection.getsockname()]
        for version, path in _LISTS.items():
            wanted = [_as_listed(version, end) for end in ends]
            user = _user_of(path, wanted)
            if user is not None:
                return user not in (os.geteuid(), 0)
    except (OSError, ValueError, IndexError):
        return True
    return True


def _user_of(path: str, ends: list[str]) -> int | None:
    """The user of an open socket with these ends, be it that nothing more is sent by it; `None` where there is none."""
    if not os.path.exists(path):  # a system without IPv6
        return None
    with open(path, encoding="ascii") as lines:
        for fields in map(str.split, lines):
            if fields[_LOCAL : _REMOTE + 1] == ends and fields[_INODE] != "0":
                return int(fields[_USER])
    return None


def _as_listed(version: int, address: tuple[str, int]) -> str:
    host = ip_address(address[0].partition("%")[0])
    mapped = getattr(host, "ipv4_mapped", None)
    if version == 4:
        packed = (mapped or host).packed if mapped is not None or host.version == 4 else b""
    else:
        packed = host.packed if host.version == 6 else b"\0" * 10 + b"\xff\xff" + host.packed
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words) + f":{address[1]:04X}"
