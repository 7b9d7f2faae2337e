"""Asks a daemon to run a command, before anything of the command is loaded.

In any doubt there is no answer, and the command does its work itself: if there is no daemon; if it
belongs to another user, version or root; if it is uncertain, hangs or dies. Nothing is written
before the whole answer has arrived. This module imports almost nothing, because loading the rest of
a command takes ten times as long as an answer.
"""

import os
import sys

from symindex.files.index_place import INDEX_DIR_VARIABLE, MARKS, index_name, nearest_above
from symindex.files.user_folders import cache_folder
from symindex.serve import pager
from symindex.serve.daemon import wire
from symindex.text.arguments import option_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symindex.serve.daemon.exchange import Exchange

_awaited: "list[Exchange]" = []
"""The request whose answer did not come in time, but may still come."""


def ask(arguments: "list[str]") -> "int | None":
    """Writes the answer to a command and returns its exit code, or `None` if there is none in time.
    Raises OSError if it cannot be written."""
    exchange = begin(arguments)
    if exchange is None:
        return None
    answer = answer_of(exchange)
    if exchange.is_waiting:
        _awaited.append(exchange)
    else:
        exchange.close()
    return _write(answer)


def is_awaited() -> bool:
    """Whether an answer may still come."""
    return bool(_awaited)


def ask_again() -> "int | None":
    """Writes an answer that has come after all, once: the command has loaded what it needs, but not
    begun its work. Returns and raises as `ask` does."""
    if not _awaited:
        return None
    exchange = _awaited.pop()
    answer = answer_of(exchange)
    exchange.close()
    return _write(answer)


def _write(answer: "tuple[int, bytes, bytes] | None") -> "int | None":
    if answer is None:
        return None
    code, out, err = answer
    if out and pager.OPTION not in sys.argv and pager.may_page(os.environ):
        lines = os.get_terminal_size(sys.stdout.fileno()).lines
        if pager.show(out, os.environ, lines or 24):
            out = b""
    for stream, text in ((sys.stdout, out), (sys.stderr, err)):
        if text:
            stream.buffer.write(text)
            stream.flush()
    return code


def begin(arguments: "list[str]") -> "Exchange | None":
    """Sends a command to a daemon, or returns `None` if there is no daemon. Raises nothing."""
    try:
        place = find_socket(arguments)
        if place is None:
            return None
        root, path = place
        from symindex.serve.daemon.exchange import (
            Exchange,
            request,
        )  # deferred, because usually there is no daemon

        return Exchange(path, request(root, arguments))
    except (OSError, ValueError):
        return None


def answer_of(exchange: "Exchange") -> "tuple[int, bytes, bytes] | None":
    """Returns the exit code of a command, and its text for standard output and standard error, or
    `None` if there is no answer in time. Raises nothing."""
    try:
        reply = exchange.reply()
        if reply is None or len(reply) != 4 or reply[0] != wire.ANSWERED:
            return None
        return int(reply[1]), reply[2], reply[3]
    except (OSError, ValueError):
        return None


def find_socket(arguments: "list[str]") -> "tuple[str, str] | None":
    """Returns the root of a command and the path of its daemon's socket, or `None` if no daemon may
    be asked. Raises OSError, also if there is no socket."""
    if not arguments or arguments[0] not in wire.COMMANDS or not wire.may_be_asked(arguments):
        return None
    if (
        os.environ.get(wire.VARIABLE) == "off"
        or "_SYMINDEX_COMPLETE" in os.environ
        or sys.platform == "win32"
    ):
        return None
    if None in (sys.stdin, sys.stdout, sys.stderr):
        return None
    place = find_place(arguments)
    if place is None:
        return None
    status = os.lstat(place[1])
    if (
        status.st_uid != os.geteuid() or status.st_mode & 0o170077 != 0o140000
    ):  # a socket that only its owner can use
        return None
    return place


def find_place(arguments: "list[str]") -> "tuple[str, str] | None":
    """Returns the root of a command and the path where a daemon of it would listen, or `None` for
    invalid options. Raises OSError."""
    root, index_dir = option_value(arguments, "--root"), option_value(arguments, "--index-dir")
    set_dir = os.path.expanduser(os.environ.get(INDEX_DIR_VARIABLE, ""))
    if "" in (root, index_dir) or (index_dir is None and set_dir and not os.path.isabs(set_dir)):
        return None  # the command reports the error
    path = (
        os.path.realpath(root)
        if root is not None
        else nearest_above(os.path.realpath(os.getcwd()), MARKS)
    )
    indexes = (
        os.path.abspath(os.path.expanduser(index_dir))
        if index_dir is not None
        else set_dir or cache_folder()
    )
    return path, os.path.join(indexes, index_name(path), wire.SOCKET_NAME)
