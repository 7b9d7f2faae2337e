"""Starts a daemon for the tree of a command, where the user wants that; nothing is started unasked.

It is an option of the environment, not the default: a process that stays uses memory and watches of the system, and whoever runs
one search in a script, a container or a build wants none of that to outlive it.
"""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from symindex.errors import RequestError
from symindex.serve.daemon import client, wire
from symindex.serve.unix_peer import Address
from symindex.serve.unix_socket import check_folder
from symindex.text.arguments import option_value
from symindex.workers.isolation import python_command

MOST_ADDRESS_BYTES = 100
"""Of the address of a socket, after it was shortened where the system can: it has room for 104 to 108."""


def start_daemon(arguments: list[str]) -> None:
    """Starts `symindex serve` for the tree of a search, if the environment says so. It outlives this process, and ends at once
    where another answers already."""
    if os.environ.get(wire.VARIABLE) != "start" or not arguments or arguments[0] not in wire.COMMANDS:
        return
    if not wire.NOT_ASKED.isdisjoint(arguments) or sys.platform == "win32":
        return
    if not _can_listen(arguments):
        return
    options = []
    for option in ("--root", "--index-dir"):
        value = option_value(arguments, option)
        options += [f"{option}={value}"] if value else []
    nowhere = subprocess.DEVNULL
    with suppress(OSError):  # the next search does without, too
        process = subprocess.Popen(
            python_command("symindex.__main__", ["serve", *options]),
            stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True,
        )  # fmt: skip
        process.returncode = 0  # it is not waited for, which an unreferenced one would warn of


def _can_listen(arguments: list[str]) -> bool:
    """Whether a daemon that is started now could listen, and nobody does. Else each search would start one that only ends."""
    try:
        place = client.find_place(arguments)
        if place is None or not hasattr(socket, "AF_UNIX"):
            return False
        folder, name = os.path.split(place[1])
        real = Path(os.path.realpath(folder))
        check_folder(real, folder, "daemon")
        if not os.access(real, os.W_OK | os.X_OK):
            return False
        if not os.path.lexists(real / name):
            with Address(str(real / name)) as address:
                return len(os.fsencode(address)) <= MOST_ADDRESS_BYTES
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking, Address(str(real / name)) as address:
            asking.settimeout(1.0)
            asking.connect(address)
        return False
    except ConnectionRefusedError:  # one that has been killed has left its socket
        return True
    except (OSError, ValueError, RequestError):
        return False
