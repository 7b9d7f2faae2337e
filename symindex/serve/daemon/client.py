"""Asks the daemon of a tree for the answer to a command, before anything of the command is loaded.

In any doubt there is no answer, and the command does its work itself: no daemon, one of another
user, version or root, one that is not sure, that hangs or dies. Nothing is written before the whole
answer is there. This module imports almost nothing, because the rest of a command takes ten times
as long to load as an answer.
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
"""The question of which no answer has come in time, and may come yet."""


def ask(arguments: "list[str]") -> "int | None":
    """Writes the answer to a command and returns its exit code; `None` where there is none in time.
    Raises OSError where it cannot be written."""
    asked = begin(arguments)
    if asked is None:
        return None
    answer = answer_of(asked)
    if asked.is_waiting:
        _awaited.append(asked)
    else:
        asked.close()
    return _write(answer)


def is_awaited() -> bool:
    """Whether an answer may come yet."""
    return bool(_awaited)


def ask_again() -> "int | None":
    """The same for an answer that has come meanwhile, once: the command has loaded what it needs,
    and not begun its work."""
    if not _awaited:
        return None
    asked = _awaited.pop()
    answer = answer_of(asked)
    asked.close()
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
    """A command as a question to a daemon; `None` where there is none to ask. Raises nothing."""
    try:
        found = find_socket(arguments)
        if found is None:
            return None
        root, path = found
        from symindex.serve.daemon.exchange import (
            Exchange,
            request,
        )  # here, because mostly nobody is there to ask

        return Exchange(path, request(root, arguments))
    except (OSError, ValueError):
        return None


def answer_of(asked: "Exchange") -> "tuple[int, bytes, bytes] | None":
    """The exit code of a command, and what it would write to standard output and standard error;
    `None` where there is no answer in time. Raises nothing."""
    try:
        reply = asked.reply()
        if reply is None or len(reply) != 4 or reply[0] != wire.ANSWERED:
            return None
        return int(reply[1]), reply[2], reply[3]
    except (OSError, ValueError):
        return None


def find_socket(arguments: "list[str]") -> "tuple[str, str] | None":
    """The root that a command is about, and the path of its daemon's socket; `None` where no daemon
    is to be asked. Raises OSError, also where there is none."""
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
    found = find_place(arguments)
    if found is None:
        return None
    status = os.lstat(found[1])
    if (
        status.st_uid != os.geteuid() or status.st_mode & 0o170077 != 0o140000
    ):  # a socket, for its owner alone
        return None
    return found


def find_place(arguments: "list[str]") -> "tuple[str, str] | None":
    """The root that a command is about, and where a daemon of it listens; `None` for options that
    are wrong. Raises OSError."""
    root, index_dir = option_value(arguments, "--root"), option_value(arguments, "--index-dir")
    set_dir = os.path.expanduser(os.environ.get(INDEX_DIR_VARIABLE, ""))
    if "" in (root, index_dir) or (index_dir is None and set_dir and not os.path.isabs(set_dir)):
        return None  # the command says what is wrong
    whole = (
        os.path.realpath(root)
        if root is not None
        else nearest_above(os.path.realpath(os.getcwd()), MARKS)
    )
    indexes = (
        os.path.abspath(os.path.expanduser(index_dir))
        if index_dir is not None
        else set_dir or cache_folder()
    )
    return whole, os.path.join(indexes, index_name(whole), wire.SOCKET_NAME)
