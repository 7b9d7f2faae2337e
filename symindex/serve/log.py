"""The log of a server. However long it runs, and whatever its clients do in a loop, it does not fill the disk, and no text of
theirs looks like a line of ours.
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
"""So many lines a minute come from one place in the code, and"""

MOST_DETAILS: Final = 600
"""so many of those below warnings, which are written for those alone who ask for them."""

LONGEST: Final = 4_000
"""Characters of a line with its traceback; of a longer one, the beginning and the end."""

_HIDDEN: Final[set[str]] = set()


def hide(secret: str) -> None:
    """From now on a text is left out wherever it would be logged."""
    _HIDDEN.update(filter(None, [secret]))


def set_up_logging(level: str, log_file: str | None = None) -> None:
    """Logs to standard error, and to a file as well if one is named. Raises RequestError where that cannot be written."""
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if log_file:
        handlers.append(logging.StreamHandler(_open_log(log_file)))
    for handler in handlers:
        handler.setFormatter(_Lines("%(asctime)s symindex %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.getLevelName(level.upper()), handlers=[_Bounded(handlers)])
    logging.getLogger("asyncio").setLevel(logging.WARNING)


def _open_log(named: str) -> IO[str]:
    """The end of a log, which is no link: a tree may hold one where its user has logs written."""
    try:
        path = Path(named).expanduser()
        if path.is_symlink():
            raise RequestError(f"--log-file {named}: a symbolic link, which is not written through; name what it leads to")
        # Neither led elsewhere by a link that has come meanwhile, nor held up by a pipe that nobody reads.
        flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
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
    """Hands on what comes not too often: the rest is counted, and told with the next line of its kind.

    What is of one kind is told by the place in the code: texts can be made up by clients.
    """

    def __init__(self, handlers: Sequence[logging.Handler]) -> None:
        super().__init__()
        self._handlers = handlers
        self._kinds: dict[tuple[str, int], tuple[float, int]] = {}  # when its minute began, how many have come since

    def emit(self, record: logging.LogRecord) -> None:
        most = MOST_A_MINUTE if record.levelno >= logging.WARNING else MOST_DETAILS
        kind = (record.pathname, record.lineno)
        began, n_come = self._kinds.get(kind, (0.0, 0))
        is_new = not n_come or time.monotonic() - began >= 60
        if is_new and n_come > most:
            record.msg, record.args = f"{record.getMessage()} ({n_come - most:,} more lines of this kind were left out)", None
        self._kinds[kind] = (time.monotonic(), 1) if is_new else (began, n_come + 1)
        if is_new or n_come < most:
            for handler in self._handlers:
                handler.handle(record)
