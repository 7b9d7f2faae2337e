"""A choice of hits that is good to go on with: some editors ask once for a letter or two, and look for what is typed next among
what they got. The best hits of so short a query are very much alike, and rarely what is meant.
"""

import numpy as np

from symindex.index.arrays import I64, U32, Numbers
from symindex.index.snapshot import Snapshot

_MORE = 2
"""So many letters behind those that were typed tell one kind of name from another."""

_MOST = 4
"""Letters that are compared at most."""

_KEPT = 8
"""One of so many rows that are shown is among the best whatever their names."""


def spread(snapshot: Snapshot, rows: I64, typed: int, count: int) -> I64:
    """`count` of the rows, which are in order, and the order kept: the very best; then in turns, of each beginning of names the
    best; all others of a name last. typed: how many letters of the names are known."""
    names, beginnings = _names_of(snapshot, rows, min(typed + _MORE, _MOST))
    again = _times_before(names)
    turns = again + len(rows)
    turns[again == 0] = _times_before(beginnings[again == 0])
    turns[: count // _KEPT] = -1
    chosen: I64 = np.sort(np.lexsort((np.arange(len(rows)), turns))[:count])
    return rows[chosen]


def _names_of(snapshot: Snapshot, rows: I64, letters: int) -> tuple[I64, U32]:
    """By row: a number of its name, and the first letters of that, all small, as one number."""
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
