"""Which item an id means: the first space that has it, and in that space the only one of its
type."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from symindex.errors import RequestError
from symindex.extract.items.item import ItemFacts
from symindex.fetch.safe_path import split_path
from symindex.index.snapshot import Part, Snapshot, Space
from symindex.search.answer.items import facts_of, rows_with_id
from symindex.search.names.shadows import space_label

MOST_TOLD = 5
"""So many items are named in an error."""


LIKE = 80
"""From this likeness on, of 100, an id may be a misspelling of another."""


class Located(NamedTuple):
    """An item of an index. row: its number in the part's index."""

    part: Part
    row: int
    facts: ItemFacts

    @property
    def file(self) -> int:
        return self.part.index.file_at(self.row)

    @property
    def path(self) -> str:
        """As it is shown."""
        return self.part.prefix + self.part.index.paths[self.file]

    @property
    def place(self) -> tuple[int, int]:
        """Where it begins and ends, in the bytes of its file as `extract/texts/file_text` reads
        them."""
        start, end, *_ = self.part.index.places(self.row)
        return start, end

    @property
    def is_whole(self) -> bool:
        """Whether it is a file. What is listed in one has the file's id and a name behind it."""
        return self.place[0] == 0 and self.place[1] >= self.part.index.file(self.file).size

    @property
    def label(self) -> str:
        """Its space, and the package."""
        return space_label(self.part, self.part.index.paths[self.file])

    @property
    def told(self) -> str:
        return f"{self.facts.type} {self.facts.id} ({self.path})"


def locate(
    snapshot: Snapshot,
    item_id: str,
    item_type: str | None,
    spaces: Sequence[Space],
    notices: Sequence[str] = (),
) -> Located:
    """The item that an id or a path means, in the first of the spaces that has one. notices: why it
    may not be known. Raises RequestError where none is meant, or several are."""
    parts = snapshot.documents.parts
    for space in sorted(spaces):
        here = [part for part in parts if part.space is space]
        found = _by_id(here, item_id, item_type) or _by_path(here, item_id, item_type)
        if found:
            return _only(found, item_id)
    split_path(
        item_id.replace(":", "-"), "item_id"
    )  # ids may hold a colon; what is no id at all is told
    raise RequestError(
        "; ".join([f"Item not found: {item_id}{_elsewhere(parts, item_id, item_type)}", *notices])
    )


def _by_id(parts: Sequence[Part], item_id: str, item_type: str | None) -> list[Located]:
    return [
        Located(part, row, facts)
        for part in parts
        for row, facts in rows_with_id(part.index, item_id, item_type)
        if part.counts(part.index.file_at(row))
    ]


def _by_path(parts: Sequence[Part], path: str, item_type: str | None) -> list[Located]:
    """The items of a file; the one that is all of it, where there is one."""
    found = []
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
                found.append(Located(part, row, facts))
    return [each for each in found if each.is_whole] or found


def _only(found: list[Located], item_id: str) -> Located:
    if len(found) == 1:
        return found[0]
    told = ", ".join(each.told for each in found[:MOST_TOLD])
    more = f" and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    types = sorted({each.facts.type for each in found})
    remedy = "name the item_type" if len(types) == len(found) else "name one by its path"
    raise RequestError(f"{item_id} is ambiguous: {told}{more}; {remedy}")


def _elsewhere(parts: Sequence[Part], item_id: str, item_type: str | None) -> str:
    """What is said of items of that id that have another type, or lie in another space; else of the
    id that may be meant."""
    found = _by_id(parts, item_id, None)
    if not found:
        return _meant(parts, item_id)
    told = ", ".join(f"{each.facts.type} in {each.label}" for each in found[:MOST_TOLD])
    return f" as a {item_type}; there is: {told}" if item_type else f"; there is: {told}"


def _meant(parts: Sequence[Part], item_id: str) -> str:
    """The id that a path, a scope or a misspelling may mean; empty where none is near."""
    from rapidfuzz import fuzz, process  # here, because most items are found

    known = {
        fact.id
        for part in parts
        if len(part.index.columns.item_places)
        for fact in part.index.items[1]
    }
    paths = [PurePosixPath(item_id), PurePosixPath(item_id.replace(".", "/"))]
    spellings = [
        str(PurePosixPath(*path.parts[at:])) for path in paths for at in range(len(path.parts))
    ]
    spellings += [
        str(PurePosixPath(each).with_suffix("")) for each in spellings if PurePosixPath(each).suffix
    ]
    near = next((each for each in spellings if each in known), None)
    if near is None:
        near = next(
            (each for each in sorted(known) if each.rpartition("/")[2] == paths[0].stem), None
        )
    if (
        near is None
        and (nearest := process.extractOne(item_id, known, scorer=fuzz.ratio, score_cutoff=LIKE))
        is not None
    ):
        near = nearest[0]
    return f"; did you mean {near}?" if near is not None else ""
