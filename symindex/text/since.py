"""Reads a point in time: an ISO date, or an age such as `7d`, `2w`, `3mo`, `1y`."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from symindex.errors import RequestError
from symindex.text.escaping import shorten

_AGO: Final = re.compile(r"(\d{1,4})\s*(h|d|w|mo|y)")
_DAYS: Final = {"h": 1 / 24, "d": 1, "w": 7, "mo": 30, "y": 365}


def read_since(text: str, now: datetime | None = None) -> int:
    """Returns the time in milliseconds since 1970. Days are in UTC. Raises RequestError for any
    other text."""
    if ago := _AGO.fullmatch(text.strip().lower()):
        moment = (now or datetime.now(UTC)) - timedelta(days=int(ago[1]) * _DAYS[ago[2]])
    else:
        try:
            moment = datetime.fromisoformat(text.strip())
        except ValueError:
            raise RequestError(
                f"since {shorten(text, 40)!r}: expected a date as 2026-05-31, or 12h, 7d, 2w,"
                " 3mo, 1y"
            ) from None
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0, int(moment.timestamp() * 1_000))
