"""A varied choice of hits. Some editors ask once for the first letter or two, and filter what they got when more is typed. The
best hits of so short a query are very much alike, and rarely what is meant.
"""

import numpy as np

from symindex.index.arrays import I64, U32, Numbers
from symindex.index.snapshot import Snapshot

_MORE = 2
"""Names are of one kind if so many letters behind those that were typed are the same."""

_MOST = 4
"""The most letters that are compared."""

_KEPT = 8
"""One in so many rows is chosen as one of the best, whatever its name."""


def diversify(snapshot: Snapshot, rows: I64, typed: int, count: int) -> I64:
    """`count` of the rows, in their order: the very best; then, in turns, the best of each beginning of names; further rows of
    the same name last. typed: how many letters of the names are known."""
    names, beginnings = _names_of(snapshot, rows, min(typed + _MORE, _MOST))
    again = _times_before(names)
    turns = again + len(rows)
    turns[again == 0] = _times_before(beginnings[again == 0])
    turns[: count // _KEPT] = -1
    chosen: I64 = np.sort(np.lexsort((np.arange(len(rows)), turns))[:count])
    return rows[chosen]


def _names_of(snapshot: Snapshot, rows: I64, letters: int) -> tuple[I64, U32]:
    """By row: a number for its name, and a number for the name's first letters, ignoring case."""
    numbers = np.zeros(len(rows), dtype=np.int64)
    beginnings = np.zeros(len(rows), dtype=np.uint32)
    for part_number, (part, at, local) in enumerate(snapshot.by_part(rows)):
        table = part.index.names
        names = part.index.name_of(local)
        numbers[at] = names | part_number << 40
        starts = table.offset[names].astype(np.int64)
        lengths = table.lengths[names]
        blob = np.frombuffer(table.blob, dtype=np.uint8)
        for letter in range(letters):
            inside = lengths > letter
            found = np.zeros(len(at), dtype=np.uint32)
            found[inside] = blob[starts[inside] + letter]
            found += ((found >= ord("A")) & (found <= ord("Z"))).astype(np.uint32) * np.uint32(32)
            beginnings[at] |= found << np.uint32(8 * letter)
    return numbers, beginnings


def _times_before(keys: Numbers) -> I64:
    """By place: how often its key has come before."""
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.concatenate(([True], keys[order][1:] != keys[order][:-1]))) if len(keys) else order
    times = np.empty(len(keys), dtype=np.int64)
    times[order] = np.arange(len(keys)) - np.repeat(starts, np.diff(np.append(starts, len(keys))))
    return times
