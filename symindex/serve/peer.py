"""Which user of this machine is at the other end of a connection over loopback, where the system tells.

Linux lists its TCP sockets with the user of each (proc(5), /proc/net/tcp): an address as the bytes of its 32-bit words, as this
machine has numbers, a port, both hexadecimal. Other systems do not say.
"""

import os
import socket
import sys
from typing import Final

_LISTS: Final = {socket.AF_INET: "/proc/net/tcp", socket.AF_INET6: "/proc/net/tcp6"}
_LOCAL, _REMOTE, _USER = 1, 2, 7


def is_other_user(connection: socket.socket) -> bool:
    """Whether a connection over loopback is another user's. `False` where the system does not tell."""
    path = _LISTS.get(connection.family)
    if path is None or sys.platform != "linux":
        return False
    try:
        # The other side's socket has its own address first.
        wanted = [
            _as_listed(connection.family, connection.getpeername()),
            _as_listed(connection.family, connection.getsockname()),
        ]
        with open(path, encoding="ascii") as lines:
            for fields in map(str.split, lines):
                if fields[_LOCAL : _REMOTE + 1] == wanted:
                    return int(fields[_USER]) not in (os.geteuid(), 0)
    except (OSError, ValueError, IndexError):
        return False
    return False


def _as_listed(family: int, address: tuple[str, int]) -> str:
    packed = socket.inet_pton(family, address[0])
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words) + f":{address[1]:04X}"
