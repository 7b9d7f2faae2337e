"""Counts the sections and items of an index, by type, and the items whose metadata has a problem;
for reports."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np

from symindex.extract.items.item import ItemFacts
from symindex.index.columns.arrays import I64
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol.status import DocumentCounts

SHOWN_PROBLEMS: Final = 100

PROBLEM: Final = "problem"
"""The field of an item's metadata that describes a problem with it."""


def count_documents(snapshot: Snapshot) -> DocumentCounts:
    """Counts the sections and items of a snapshot."""
    counts: Counter[str] = Counter()
    problems: list[str] = []
    for path, facts in _items(snapshot):
        counts[facts.type] += 1
        if (problem := facts.fields.get(PROBLEM)) is not None:
            problems.append(f"{path}: {problem}")
    return DocumentCounts(
        sections=snapshot.documents.n_symbols - counts.total(),
        items=dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))),
        problems=len(problems),
        problem_places=sorted(problems)[:SHOWN_PROBLEMS],
    )


def count_sections_and_items(snapshot: Snapshot) -> tuple[int, int]:
    """Returns the numbers of sections and of items, without reading the items."""
    n_items = sum(len(_live_places(part)) for part in snapshot.documents.parts)
    return snapshot.documents.n_symbols - n_items, n_items


def _items(snapshot: Snapshot) -> Iterator[tuple[str, ItemFacts]]:
    """Yields the items of live files, with their paths."""
    for part in snapshot.documents.parts:
        index, live = part.index, _live_places(part)
        places, facts = index.items
        rows = index.row_at[places[live]]
        for number, row in zip(live.tolist(), rows.tolist(), strict=True):
            yield part.prefix + index.paths.all[index.file_at(row)], facts[number]


def _live_places(part: Part) -> I64:
    """Returns the numbers of the items in live files."""
    index = part.index
    places = np.frombuffer(index.columns.item_places, dtype="<u4").astype(np.int64)
    if part.live is None or not len(places):
        return np.arange(len(places), dtype=np.int64)
    return np.flatnonzero(part.live[index.file_of(index.row_at[places].astype(np.int64))])
