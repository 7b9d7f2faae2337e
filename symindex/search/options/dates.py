"""The filters `date_from` and `date_to`, and the order by date.

The date of an item is the `date` of its metadata. Everything else has the mtime of its file at the
last refresh: the symbols of a file share a date, and a checkout sets it, so dates describe a copy
of a tree, not its history. The date of a file that was being written while it was read is unknown
until the next refresh; so is the date of an unsaved document. These files come last and do not pass
a filter by date; the answer says so.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

import msgspec
import numpy as np

from symindex.errors import RequestError
from symindex.extract.items.item import ItemFacts
from symindex.extract.records import UNSETTLED
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Snapshot
from symindex.search.answer.items import values_of
from symindex.search.options.given import read_text, shown
from symindex.text.counts import count_of

DATES: Final[tuple[str, ...]] = ("date_from", "date_to")

_EXAMPLE: Final = '"2024-05-31" or "2024-05-31T12:00:00Z"'
_NS: Final = 1_000_000_000


class DateRange(msgspec.Struct, frozen=True):
    """A range of nanoseconds since 1970: its first moment, and the first after it; `None` for no
    bound."""

    first_ns: int | None
    end_ns: int | None

    def contains(self, moment_ns: int | None) -> bool:
        """Whether a moment is known and in the range."""
        if moment_ns is None or (self.first_ns is not None and moment_ns < self.first_ns):
            return False
        return self.end_ns is None or moment_ns < self.end_ns


def read_dates(values: Mapping[str, Any]) -> DateRange:
    """Reads `date_from` and `date_to`, both included; a day is a day in UTC. Raises
    RequestError."""
    first, end = (
        _read(name, values[name], is_end) if name in values else None
        for is_end, name in enumerate(DATES)
    )
    if first is not None and end is not None and first >= end:
        raise RequestError(
            f"filters: date_from {shown(values['date_from'])} is after date_to"
            f" {shown(values['date_to'])}"
        )
    return DateRange(first, end)


def _read(name: str, value: Any, is_end: int) -> int:
    """Returns the moment of a date, or the moment after it."""
    text = read_text(f"filters: {name}", value, _EXAMPLE)
    try:
        read = datetime.fromisoformat(text)
        if read.tzinfo is None:
            read = read.replace(tzinfo=UTC)
        if is_end:
            is_day = read.time() == time() and len(text) <= len("2024-05-31")
            read += timedelta(days=1) if is_day else timedelta(microseconds=1)
        since = read - datetime(1970, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        raise RequestError(
            f"filters: {name} is {shown(value)}: expected a date, for example {_EXAMPLE}"
        ) from None
    return (since.days * 86_400 + since.seconds) * _NS + since.microseconds * 1_000


def read_date(text: str) -> int | None:
    """Returns a date in nanoseconds since 1970; `None` for any other text."""
    try:
        return _read("date", text, is_end=0)
    except RequestError:
        return None


def own_date(fact: ItemFacts) -> int | None:
    """Returns the date in an item's metadata, in nanoseconds since 1970."""
    return read_date(next(iter(values_of(fact, "date")), ""))


def dates_of(index: Index) -> I64:
    """Returns the mtime of each file in nanoseconds; UNKNOWN if it is unknown."""
    mtimes = np.frombuffer(index.columns.file_mtime, dtype="<i8")
    return np.where((mtimes == UNSETTLED) | (mtimes == 0), UNKNOWN, mtimes)


UNKNOWN: Final = np.int64(UNSETTLED)


def files_within(index: Index, dates_allowed: DateRange) -> Mask:
    """Returns for each file whether its date is known and in the range."""
    dates = dates_of(index)
    mask: Mask = dates != UNKNOWN
    if dates_allowed.first_ns is not None:
        mask &= dates >= _clipped(dates_allowed.first_ns)
    if dates_allowed.end_ns is not None:
        mask &= dates < _clipped(dates_allowed.end_ns)
    return mask


def _clipped(ns: int) -> np.int64:
    return np.int64(max(min(ns, 2**63 - 1), 1 - 2**63))


def undated_notice(snapshot: Snapshot) -> list[str]:
    """Returns a notice about files that have symbols but no known date."""
    count = 0
    for part in snapshot.parts:
        undated = (dates_of(part.index) == UNKNOWN) & (np.diff(part.index.file_first) > 0)
        count += int(np.count_nonzero(undated if part.live is None else undated & part.live))
    if not count:
        return []
    are = count_of(count, "file has", "files have")
    return [
        f"{are} no known date yet (being edited or just written): filters by date leave them out,"
        " and they come last by date"
    ]


def sum_of_dates(snapshot: Snapshot) -> int:
    """Returns a number that changes with the dates of files, whichever parts of the snapshot
    contain them. The generation of an index does not depend on dates."""
    total = 0
    for part in snapshot.parts:
        contents = np.frombuffer(part.index.columns.file_digest, dtype="<u8")[::2]
        mixed = dates_of(part.index).astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93) + contents
        mixed = mixed if part.live is None else mixed[part.live]
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
        total += int(np.sum(mixed ^ (mixed >> np.uint64(29)), dtype=np.uint64))
    return total % 2**64
