"""Finds the item that an id means: in the first space that has the id, where it must be
unambiguous."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from symindex.errors import RequestError
from symindex.extract.items.item import ItemFacts
from symindex.fetch.safe_path import split_path
from symindex.index.snapshot import Part, Snapshot, Space
from symindex.search.answer.items import facts_in, facts_of, rows_with_id
from symindex.search.names.shadows import space_label

MOST_TOLD = 5
"""Most items that an error names."""


LIKE = 80
"""Similarity, of 100, from which an id may be a misspelling of another."""


class LocatedItem(NamedTuple):
    """An item in an index. row: its row in the index of the part."""

    part: Part
    row: int
    facts: ItemFacts

    @property
    def file(self) -> int:
        return self.part.index.file_at(self.row)

    @property
    def path(self) -> str:
        """The path of its file as answers show it."""
        return self.part.prefix + self.part.index.paths[self.file]

    @property
    def place(self) -> tuple[int, int]:
        """Where it begins and ends, in the bytes of its file as `extract/texts/file_text` reads
        them."""
        start, end, *_ = self.part.index.places(self.row)
        return start, end

    @property
    def is_whole(self) -> bool:
        """Whether the item is a whole file. An item inside a file has the file's id followed by its
        own name."""
        return self.place[0] == 0 and self.place[1] >= self.part.index.file(self.file).size

    @property
    def label(self) -> str:
        """Its space, and its package."""
        return space_label(self.part, self.part.index.paths[self.file])

    @property
    def summary(self) -> str:
        return f"{self.facts.type} {self.facts.id} ({self.path})"


def locate(
    snapshot: Snapshot,
    item_id: str,
    item_type: str | None,
    spaces: Sequence[Space],
    notices: Sequence[str] = (),
) -> LocatedItem:
    """Returns the item that an id or a path means, from the first of the spaces that has one.
    notices: why the item may be missing. Raises RequestError if no item or several match."""
    parts = snapshot.documents.parts
    for space in sorted(spaces):
        parts_of_space = [part for part in parts if part.space is space]
        items = _by_id(parts_of_space, item_id, item_type) or _by_path(
            parts_of_space, item_id, item_type
        )
        if items:
            return _only(items, item_id)
    # Raises for text that cannot be an id at all; ids may contain a colon.
    split_path(item_id.replace(":", "-"), "item_id")
    raise RequestError(
        "; ".join([f"Item not found: {item_id}{_elsewhere(parts, item_id, item_type)}", *notices])
    )


def _by_id(parts: Sequence[Part], item_id: str, item_type: str | None) -> list[LocatedItem]:
    """Returns the items with an id in the order of spaces and paths, whichever index they are
    in."""
    items = [
        LocatedItem(part, row, facts)
        for part in parts
        for row, facts in rows_with_id(part.index, item_id, item_type)
        if part.counts(part.index.file_at(row))
    ]
    return sorted(items, key=lambda item: (item.part.space, item.path, item.place))


def _by_path(parts: Sequence[Part], path: str, item_type: str | None) -> list[LocatedItem]:
    """Returns the items of a file; only the one that is the whole file, if there is one."""
    items = []
    for part in parts:
        number = (
            part.index.paths.find(path.removeprefix(part.prefix))
            if path.startswith(part.prefix)
            else None
        )
        if number is None or not part.counts(number):
            continue
        first, end = part.index.file_first[number : number + 2].tolist()
        for row in part.index.row_at[first:end].tolist():
            facts = facts_of(part.index, row)
            if facts is not None and item_type in (None, facts.type):
                items.append(LocatedItem(part, row, facts))
    return [item for item in items if item.is_whole] or items


def _only(items: list[LocatedItem], item_id: str) -> LocatedItem:
    if len(items) == 1:
        return items[0]
    items = sorted(items, key=lambda item: (item.path, item.place))
    names = ", ".join(item.summary for item in items[:MOST_TOLD])
    more = f" and {len(items) - MOST_TOLD} more" if len(items) > MOST_TOLD else ""
    types = sorted({item.facts.type for item in items})
    remedy = "name the item_type" if len(types) == len(items) else "name one by its path"
    raise RequestError(f"{item_id} is ambiguous: {names}{more}; {remedy}")


def _elsewhere(parts: Sequence[Part], item_id: str, item_type: str | None) -> str:
    """Returns a hint about items with this id that have another type or are in another space; else
    about the id that was probably meant."""
    items = _by_id(parts, item_id, None)
    if not items:
        return _meant(parts, item_id)
    items.sort(key=lambda item: (item.part.space, item.path, item.place))
    names = ", ".join(f"{item.facts.type} in {item.label}" for item in items[:MOST_TOLD])
    names += f" and {len(items) - MOST_TOLD} more" if len(items) > MOST_TOLD else ""
    return f" as a {item_type}; there is: {names}" if item_type else f"; there is: {names}"


def _meant(parts: Sequence[Part], item_id: str) -> str:
    """Returns a hint with the id that a path, a scope or a misspelling probably means, or an empty
    text."""
    from rapidfuzz import fuzz, process  # Imported here because most ids are found.

    ids = sorted({fact.id for part in parts for fact in facts_in(part)})
    paths = [PurePosixPath(item_id), PurePosixPath(item_id.replace(".", "/"))]
    spellings = [
        str(PurePosixPath(*path.parts[start:]))
        for path in paths
        for start in range(len(path.parts))
    ]
    spellings += [
        str(PurePosixPath(spelling).with_suffix(""))
        for spelling in spellings
        if PurePosixPath(spelling).suffix
    ]
    near = next((spelling for spelling in spellings if spelling in ids), None)
    if near is None:
        near = next(
            (spelling for spelling in ids if spelling.rpartition("/")[2] == paths[0].stem),
            None,
        )
    if (
        near is None
        and (nearest := process.extractOne(item_id, ids, scorer=fuzz.ratio, score_cutoff=LIKE))
        is not None
    ):
        near = nearest[0]
    return f"; did you mean {near}?" if near is not None else ""
