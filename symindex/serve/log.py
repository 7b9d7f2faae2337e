"""The log of a server. It is bounded, so that clients cannot fill the disk, and escaped, so that no
text of a client looks like a line of ours."""

import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

from symindex.errors import RequestError
from symindex.text.escaping import show_controls, show_text

MOST_A_MINUTE: Final = 20
"""Most warnings and errors per minute from one line of code."""

MOST_DETAILS: Final = 600
"""Most records below a warning per minute from one line of code; they are written only on
request."""

LONGEST: Final = 4_000
"""Longest record with its traceback, in characters. A longer one is cut in its middle."""

_HIDDEN: Final[set[str]] = set()


def hide(secret: str) -> None:
    """Replaces a text in all records from now on."""
    _HIDDEN.update(filter(None, [secret]))


def set_up_logging(level: str, log_file: str | None = None) -> None:
    """Starts to log to standard error, and to a file if one is named. Raises RequestError if the
    file cannot be written."""
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if log_file:
        handlers.append(logging.StreamHandler(_open_log(log_file)))
    for handler in handlers:
        handler.setFormatter(_Lines("%(asctime)s symindex %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.getLevelName(level.upper()), handlers=[_Bounded(handlers)])
    logging.getLogger("asyncio").setLevel(logging.WARNING)


def _open_log(name: str) -> IO[str]:
    """Opens a log file to append to. It must not be a link: a source tree may contain one with the
    name that the user chose."""
    try:
        path = Path(name).expanduser()
        if path.is_symlink():
            raise RequestError(
                f"--log-file {name}: this is a symbolic link, and is not followed; name its target"
            )
        # A link that was placed in the meantime is not followed, and a pipe without a reader does
        # not block.
        flags = (
            getattr(os, "O_NOFOLLOW", 0)
            | getattr(os, "O_NONBLOCK", 0)
            | getattr(os, "O_CLOEXEC", 0)
        )
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | flags, 0o600)
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RequestError(f"--log-file {name}: cannot be written: {reason}") from None
    return open(number, "a", encoding="utf-8", errors="backslashreplace")


class _Lines(logging.Formatter):
    """Formats each record as one line. Tracebacks are indented below it."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return show_controls(super().formatMessage(record).rstrip("\n"))

    def format(self, record: logging.LogRecord) -> str:
        text = show_text(super().format(record)).replace("\n", "\n  ")
        for secret in _HIDDEN:
            text = text.replace(secret, "…")
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


class _Bounded(logging.Handler):
    """Drops records of a kind that come too often, and logs their number with the next one. A kind
    is a line of code, because clients can vary the texts."""

    def __init__(self, handlers: Sequence[logging.Handler]) -> None:
        super().__init__()
        self._handlers = handlers
        self._kinds: dict[
            tuple[str, int], tuple[float, int]
        ] = {}  # start of its minute, and number of records since

    def emit(self, record: logging.LogRecord) -> None:
        limit = MOST_A_MINUTE if record.levelno >= logging.WARNING else MOST_DETAILS
        kind = (record.pathname, record.lineno)
        began, n_come = self._kinds.get(kind, (0.0, 0))
        is_new = not n_come or time.monotonic() - began >= 60
        if is_new and n_come > limit:
            record.msg, record.args = (
                f"{record.getMessage()} ({n_come - limit:,} more lines like this were left out)",
                None,
            )
        self._kinds[kind] = (time.monotonic(), 1) if is_new else (began, n_come + 1)
        if is_new or n_come < limit:
            for handler in self._handlers:
                handler.handle(record)
