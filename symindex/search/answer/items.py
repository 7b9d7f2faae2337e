"""Facts about items besides those that every row has: types, ids and metadata, for filters and
answers.

Items are few compared with symbols. So their facts are read once for an index and examined one by
one.
"""

from collections.abc import Callable, Iterator
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from symindex.extract.items.item import ItemFacts, Value
from symindex.index.columns.arrays import Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part

_BY_PLACE: Final[WeakKeyDictionary[Index, dict[int, ItemFacts]]] = WeakKeyDictionary()


def facts_of(index: Index, row: int) -> ItemFacts | None:
    """Returns the facts about a row; `None` if it is not an item."""
    if not len(index.columns.item_places):
        return None
    by_place = _BY_PLACE.get(index)
    if by_place is None:
        places, facts = index.items
        by_place = _BY_PLACE[index] = dict(zip(places.tolist(), facts, strict=True))
    return by_place.get(index.place.at(row))


def rows_where(index: Index, test: Callable[[ItemFacts], bool]) -> Mask:
    """Returns for each row whether it is an item that passes a test."""
    mask = np.zeros(index.n_symbols, dtype=bool)
    if len(index.columns.item_places):
        places, facts = index.items
        passes = np.fromiter(map(test, facts), dtype=bool, count=len(facts))
        mask[index.row_at[places[passes]]] = True
    return mask


def facts_in(part: Part) -> list[ItemFacts]:
    """Returns the facts about a part's items, without those of files that have changed or gone
    since."""
    if not len(part.index.columns.item_places):
        return []
    places, facts = part.index.items
    if part.live is None:
        return facts
    are_live = part.live[part.index.file_of(part.index.row_at[places].astype(np.int64))]
    return [facts[number] for number in np.flatnonzero(are_live).tolist()]


def types_of(part: Part) -> set[str]:
    """Returns the types of a part's items."""
    return {fact.type for fact in facts_in(part)}


def fields_of(part: Part) -> set[str]:
    """Returns the metadata fields of a part's items."""
    return {name for fact in facts_in(part) for name in fact.fields}


def values_of(fact: ItemFacts, field: str) -> list[str]:
    """Returns the texts of a metadata field, in whatever case its name is written. field: in lower
    case."""
    if field in fact.fields:
        return [*texts_of(fact.fields[field])]
    return [
        text
        for name, value in fact.fields.items()
        if name.lower() == field
        for text in texts_of(value)
    ]


def texts_of(value: Value | None) -> Iterator[str]:
    """Returns a value as texts; a list gives several."""
    if isinstance(value, list):
        for element in value:
            yield from texts_of(element)
    elif isinstance(value, bool):
        yield str(value).lower()
    elif value is not None:
        yield str(value)


def rows_with_id(
    index: Index, item_id: str, item_type: str | None = None
) -> list[tuple[int, ItemFacts]]:
    """Returns the rows of the items with an id, and with a type if one is given."""
    if not len(index.columns.item_places):
        return []
    places, facts = index.items
    numbers = [
        number
        for number, fact in enumerate(facts)
        if fact.id == item_id and item_type in (None, fact.type)
    ]
    return [(int(index.row_at[places[number]]), facts[number]) for number in numbers]
