"""The log of a server. However long it runs, and whatever its clients do in a loop, it does not fill the disk, and no text of
theirs looks like a line of ours.
"""

import logging
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from symindex.errors import RequestError

MOST_A_MINUTE: Final = 20
"""So many lines a minute come from one place in the code, and"""

MOST_DETAILS: Final = 600
"""so many of those below warnings, which are written for those alone who ask for them."""

LONGEST: Final = 4_000
"""Characters of a line with its traceback; of a longer one, the beginning and the end."""

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What would end a line, move a terminal's cursor, or turn the text around."""


_HIDDEN: Final[set[str]] = set()


def hide(secret: str) -> None:
    """From now on a text is left out wherever it would be logged."""
    _HIDDEN.update(filter(None, [secret]))


def set_up_logging(level: str, log_file: str | None = None) -> None:
    """Logs to standard error, and to a file as well if one is named. Raises RequestError where that cannot be written."""
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    if log_file:
        try:
            handlers.append(logging.FileHandler(Path(log_file).expanduser(), encoding="utf-8"))
        except (OSError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise RequestError(f"--log-file {log_file}: cannot be written: {reason}") from None
    for handler in handlers:
        handler.setFormatter(_Lines("%(asctime)s symindex %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.getLevelName(level.upper()), handlers=[_Bounded(handlers)])
    logging.getLogger("asyncio").setLevel(logging.WARNING)


class _Lines(logging.Formatter):
    """One line for each record, but for tracebacks, which are indented."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        text = super().formatMessage(record).rstrip("\n")
        return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record).replace("\n", "\n  ")
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
