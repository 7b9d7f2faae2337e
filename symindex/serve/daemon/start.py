"""Starts a daemon for the source tree of a command, if the user's environment says so.

This is not the default: a running process uses memory and file watches, and a single search in a
script, a container or a build should not leave one behind.
"""

import os
import subprocess
import sys
from contextlib import suppress

from symindex.errors import RequestError
from symindex.serve.daemon import client, wire
from symindex.serve.daemon.turn import check_can_listen, is_taken
from symindex.text.arguments import option_value
from symindex.workers.isolation import python_command


def start_daemon(arguments: list[str]) -> None:
    """Starts `symindex serve` for the source tree of a search, if the environment says so. It
    outlives this process, and ends at once if another process already answers."""
    if (
        os.environ.get(wire.VARIABLE) != "start"
        or not arguments
        or arguments[0] not in wire.COMMANDS
    ):
        return
    if not wire.may_be_asked(arguments) or sys.platform == "win32":
        return
    if not _can_listen(arguments):
        return
    options = []
    for option in ("--root", "--index-dir"):
        value = option_value(arguments, option)
        options += [f"{option}={value}"] if value else []
    nowhere = subprocess.DEVNULL
    with suppress(OSError):  # the next search works without it, too
        process = subprocess.Popen(
            python_command("symindex.__main__", ["serve", *options]),
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            start_new_session=True,
        )
        # marks it as ended, so that Python does not warn about a process that is still running
        process.returncode = 0


def _can_listen(arguments: list[str]) -> bool:
    """Whether a daemon that is started now could listen, and no other process does or is about to.
    Otherwise each search would start a daemon that ends at once."""
    try:
        place = client.find_place(arguments)
        if place is None:
            return False
        folder, name = os.path.split(place[1])
        check_can_listen(folder, name)
        return not is_taken(folder)
    except (OSError, ValueError, RequestError):
        return False
