"""Deletes what no recent generation needs.

Ages are those of the store's own clock, so a machine whose clock is wrong deletes nothing too
early. What is younger than a day always stays: a run may have written it and not yet said so.
"""

import os
from typing import Final

import msgspec

from symindex.errors import DamagedIndexError, RequestError
from symindex.fleet.building.portions import FOLDER as PORTIONS
from symindex.fleet.building.shards import FOLDER as SHARDS
from symindex.fleet.stored.generation import FOLDER as GENERATIONS
from symindex.fleet.stored.generation import find_newest, name_of, number_of, read_generation
from symindex.fleet.stored.repository_object import FOLDER as OBJECTS
from symindex.fleet.stored.store import MissingObjectError, Store, StoredObject

DAYS: Final = 7
"""How long a generation is kept once there is a newer one, in days."""

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
    """Deletes the generations that were replaced more than `days` ago, and the objects that none of
    the others needs. is_trial: only counts them. Raises IndexFileError, and deletes nothing, if the
    newest generation is damaged, or one has the format of another version."""
    if days < 0:
        raise RequestError(f"days is {days:g}: it must be 0 or more")
    now = _time_of(store)
    newest = find_newest(store)
    if newest.damaged:
        raise DamagedIndexError(
            f"{store.address}: {name_of(newest.damaged[0])} is damaged: nothing is deleted;"
            " run `symindex fleet update`, then this again"
        )
    needed: set[str] = set()
    doomed: list[tuple[str, int]] = []
    report = GcReport()
    replaced = now
    for number, stored in _generations(store):
        # Readers may show one until they see the next, however old it is itself.
        age, replaced = now - replaced, stored.modified
        if number < newest.number and age > max(days * _DAY, YOUNG_SECONDS):
            doomed.append((stored.name, stored.n_bytes))
            continue
        try:
            needed |= read_generation(store, number).objects()
        except (MissingObjectError, DamagedIndexError):  # Nobody can need what it names.
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


def _generations(store: Store) -> list[tuple[int, StoredObject]]:
    """Returns the generations with their numbers, newest first. Other objects do not count."""
    numbered = [(number_of(stored.name), stored) for stored in store.list(GENERATIONS)]
    return sorted(((number, stored) for number, stored in numbered if number), reverse=True)


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
