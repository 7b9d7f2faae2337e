"""Weighs a word in an item by the field in which it occurs, with the weights of the item's type
(`extract/items`).

An item's title is stored as a signature, its category as a container, its description as the first
line of a doc, and its text as the rest of the doc. The weights are those of rye_search and apply in
full: a long name or text does not lower what the title or the description counts.
"""

from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from symindex.extract.items.item import WEIGHTS
from symindex.index.columns.arrays import F32, I64
from symindex.index.columns.columns import Index
from symindex.index.words.text_words import Field

ITEM_FIELDS: Final = {
    Field.SIGNATURE: "title",
    Field.SUMMARY: "description",
    Field.DOC: "content",
    Field.CONTAINER: "category",
}


def of_items(index: Index, field: str, places: I64, counts: F32, share: float) -> F32:
    """Returns what a word counts at some places: the weights of the item types at items, and
    `counts` elsewhere. share: the factor for words that do not count in full."""
    if not len(index.columns.item_places):
        return counts
    weights = _weights(index)[field][places]
    # A long text counts less than its weight, as a symbol's does; a short text does not count more.
    unweighted = np.minimum(counts, np.float32(share)) if field == "content" else np.float32(share)
    weighted: F32 = np.where(np.isnan(weights), counts, weights * unweighted).astype(np.float32)
    return weighted


def only_items(index: Index, places: I64) -> I64:
    """Returns the places at which there is an item."""
    return places[~np.isnan(_weights(index)["title"][places])]


def no_items(index: Index, places: I64) -> I64:
    """Returns the places at which there is no item."""
    return (
        places[np.isnan(_weights(index)["title"][places])]
        if len(index.columns.item_places)
        else places
    )


def _weights(index: Index) -> dict[str, F32]:
    """Returns the weights by field and place; NaN where there is no item."""
    cached = _KNOWN.get(index)
    if cached is None:
        places, facts = index.items
        cached = {field: np.full(index.n_symbols, np.nan, dtype=np.float32) for field in WEIGHTS}
        for field, usual in WEIGHTS.items():
            cached[field][places] = [fact.weights.get(field, usual) for fact in facts]
        _KNOWN[index] = cached
    return cached


_KNOWN: Final[WeakKeyDictionary[Index, dict[str, F32]]] = WeakKeyDictionary()
