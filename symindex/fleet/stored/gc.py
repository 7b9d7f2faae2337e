"""Deletes what no recent generation needs.

Ages are those of the store's own clock, so a machine whose clock is wrong deletes nothing too
early. What is younger than a day always stays: a run may have written it and not yet said so.
"""

import os
from typing import Final

import msgspec

from symindex.errors import RequestError
from symindex.fleet.building.portions import FOLDER as PORTIONS
from symindex.fleet.building.shards import FOLDER as SHARDS
from symindex.fleet.stored.generation import FOLDER as GENERATIONS
from symindex.fleet.stored.generation import name_of, newest_number, read_generation
from symindex.fleet.stored.repository_object import FOLDER as OBJECTS
from symindex.fleet.stored.store import MissingObjectError, Store

DAYS: Final = 7
"""How long a generation is kept that is not the newest, in days."""

YOUNG_SECONDS: Final = 86_400
_DAY: Final = 86_400
_CLOCK: Final = "clock"


class GcReport(msgspec.Struct, kw_only=True):
    """What was deleted, and what stays. n_bytes, kept_bytes: their sizes."""

    deleted: int = 0
    n_bytes: int = 0
    generations: int = 0
    kept: int = 0
    kept_bytes: int = 0


def collect(store: Store, days: float = DAYS, *, is_trial: bool = False) -> GcReport:
    """Deletes the generations older than `days`, except for the newest, and the objects that none
    of the others needs. is_trial: only counts them. Raises IndexFileError, and deletes nothing, if
    a generation cannot be read."""
    if days < 0:
        raise RequestError(f"days is {days:g}: it must be 0 or more")
    now = _time_of(store)
    newest = newest_number(store)
    needed: set[str] = set()
    doomed: list[tuple[str, int]] = []
    report = GcReport()
    for stored in store.list(GENERATIONS):
        is_newest = stored.name == name_of(newest)
        if not is_newest and now - stored.modified > max(days * _DAY, YOUNG_SECONDS):
            doomed.append((stored.name, stored.n_bytes))
            continue
        number = int(stored.name.rpartition("/")[2])
        try:
            needed |= read_generation(store, number).objects()
        except MissingObjectError:  # Another run has deleted it.
            continue
        report.generations += 1
    for folder in OBJECTS, SHARDS, PORTIONS:
        for stored in store.list(folder):
            if stored.name in needed or now - stored.modified <= YOUNG_SECONDS:
                report.kept += 1
                report.kept_bytes += stored.n_bytes
            else:
                doomed.append((stored.name, stored.n_bytes))
    report.deleted, report.n_bytes = len(doomed), sum(size for _, size in doomed)
    if not is_trial:
        store.delete(name for name, _ in doomed)
    return report


def _time_of(store: Store) -> float:
    """Returns the time by the clock of the store: that of an object that was just written."""
    name = f"{_CLOCK}/{os.urandom(8).hex()}"
    store.write(name, b"")
    try:
        return next(stored.modified for stored in store.list(_CLOCK) if stored.name == name)
    except StopIteration:
        raise MissingObjectError(
            f"{store.address}: an object that was just written is not listed; try again later"
        ) from None
    finally:
        store.delete([name])
