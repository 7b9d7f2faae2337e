"""The log of a server. It is bounded, so that clients cannot fill the disk, and escaped, so that no
text of a client looks like a line of ours.
"""

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
"""Warnings and errors a minute from one line of the code."""

MOST_DETAILS: Final = 600
"""The same for records below a warning, which are written only if the user wants them."""

LONGEST: Final = 4_000
"""Characters of a record with its traceback. A longer one is cut in its middle."""

_HIDDEN: Final[set[str]] = set()


def hide(secret: str) -> None:
    """Replaces a text wherever it would be logged from now on."""
    _HIDDEN.update(filter(None, [secret]))


def set_up_logging(level: str, log_file: str | None = None) -> None:
    """Logs to standard error, and to a file as well if one is named. Raises RequestError where that
    cannot be written."""
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if log_file:
        handlers.append(logging.StreamHandler(_open_log(log_file)))
    for handler in handlers:
        handler.setFormatter(_Lines("%(asctime)s symindex %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.getLevelName(level.upper()), handlers=[_Bounded(handlers)])
    logging.getLogger("asyncio").setLevel(logging.WARNING)


def _open_log(named: str) -> IO[str]:
    """Opens a log to append to. It must not be a link: a tree may hold one under the name that the
    user chose."""
    try:
        path = Path(named).expanduser()
        if path.is_symlink():
            raise RequestError(
                f"--log-file {named}: a symbolic link, which is not written through; name what it"
                " leads to"
            )
        # No link that has come meanwhile is followed, and no pipe without a reader blocks.
        flags = (
            getattr(os, "O_NOFOLLOW", 0)
            | getattr(os, "O_NONBLOCK", 0)
            | getattr(os, "O_CLOEXEC", 0)
        )
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | flags, 0o600)
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RequestError(f"--log-file {named}: cannot be written: {reason}") from None
    return open(number, "a", encoding="utf-8", errors="backslashreplace")


class _Lines(logging.Formatter):
    """One line for each record, but for tracebacks, which are indented."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return show_controls(super().formatMessage(record).rstrip("\n"))

    def format(self, record: logging.LogRecord) -> str:
        text = show_text(super().format(record)).replace("\n", "\n  ")
        for secret in _HIDDEN:
            text = text.replace(secret, "…")
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


class _Bounded(logging.Handler):
    """Drops records that come too often. Their number is logged with the next record of their kind.

    A kind is a line of the code, since clients can vary the texts.
    """

    def __init__(self, handlers: Sequence[logging.Handler]) -> None:
        super().__init__()
        self._handlers = handlers
        self._kinds: dict[
            tuple[str, int], tuple[float, int]
        ] = {}  # when its minute began, how many have come since

    def emit(self, record: logging.LogRecord) -> None:
        most = MOST_A_MINUTE if record.levelno >= logging.WARNING else MOST_DETAILS
        kind = (record.pathname, record.lineno)
        began, n_come = self._kinds.get(kind, (0.0, 0))
        is_new = not n_come or time.monotonic() - began >= 60
        if is_new and n_come > most:
            record.msg, record.args = (
                f"{record.getMessage()} ({n_come - most:,} more lines of this kind were left out)",
                None,
            )
        self._kinds[kind] = (time.monotonic(), 1) if is_new else (began, n_come + 1)
        if is_new or n_come < most:
            for handler in self._handlers:
                handler.handle(record)
