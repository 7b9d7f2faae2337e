"""What a word counts in an item, by the field in which it stands: with the weights of the item's
type (`extract/items`).

An item's title is stored as a signature, its category as a container, its description as the first
line of a doc, and its text as the rest. Weights are those of rye_search, whole: a long name or text
does not lower what the title or the description counts.
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
    """What a word counts at some places: of items by their weights, of all else as `counts` says.
    share: of what it counts in full."""
    if not len(index.columns.item_places):
        return counts
    weights = _weights(index)[field][places]
    # A long text counts less than its weight, as that of a symbol does; a short one no more.
    most = np.minimum(counts, np.float32(share)) if field == "content" else np.float32(share)
    own: F32 = np.where(np.isnan(weights), counts, weights * most).astype(np.float32)
    return own


def only_items(index: Index, places: I64) -> I64:
    """Those of some places at which an item is."""
    return places[~np.isnan(_weights(index)["title"][places])]


def no_items(index: Index, places: I64) -> I64:
    """Those at which none is."""
    return (
        places[np.isnan(_weights(index)["title"][places])]
        if len(index.columns.item_places)
        else places
    )


def _weights(index: Index) -> dict[str, F32]:
    """By field and place: the weight; no number where there is no item."""
    known = _KNOWN.get(index)
    if known is None:
        places, facts = index.items
        known = {field: np.full(index.n_symbols, np.nan, dtype=np.float32) for field in WEIGHTS}
        for field, usual in WEIGHTS.items():
            known[field][places] = [fact.weights.get(field, usual) for fact in facts]
        _KNOWN[index] = known
    return known


_KNOWN: Final[WeakKeyDictionary[Index, dict[str, F32]]] = WeakKeyDictionary()
