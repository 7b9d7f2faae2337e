"""Facts that only items have - types, ids and metadata - as one compressed list by place."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import zstandard

from symindex.errors import DamagedIndexError
from symindex.extract.items.item import ItemFacts
from symindex.index.columns.arrays import I64, U32
from symindex.index.columns.integer_columns import pack, require
from symindex.text.decoding import decode

if TYPE_CHECKING:
    from symindex.index.columns.layout import Columns

_MOST_BYTES: Final = 1 << 30
"""Most bytes of all facts, unpacked."""

_LEVEL: Final = 9

Items = tuple[list[int], list[ItemFacts]]
"""The numbers of symbols that are items, and the facts about them."""


def item_columns(sources: Iterable[tuple[Items, U32]]) -> dict[str, Any]:
    """Returns the columns of items. sources: items, with the place of each symbol of their
    source."""
    items: list[tuple[int, ItemFacts]] = []
    for (numbers, facts), place in sources:
        items += zip(place[np.array(numbers, dtype=np.int64)].tolist(), facts, strict=True)
    items.sort(key=lambda pair: pair[0])
    packed = b""
    if items:
        packed = zstandard.ZstdCompressor(level=_LEVEL).compress(
            msgspec.msgpack.encode([fact for _, fact in items])
        )
    return {
        "item_places": pack([place for place, _ in items], "<u4"),
        "item_facts": memoryview(packed),
    }


def read_items(columns: "Columns", n_symbols: int) -> tuple[I64, list[ItemFacts]]:
    """Returns the places of the items, in order, and the facts about them."""
    places = np.frombuffer(columns.item_places, dtype="<u4").astype(np.int64)
    if not len(places):
        return places, []
    require(
        bool((np.diff(places) > 0).all()) and int(places[-1]) < n_symbols,
        "column item_places: not in order",
    )
    try:
        size = zstandard.frame_content_size(columns.item_facts)
        require(0 <= size <= _MOST_BYTES, f"column item_facts: {size:,} bytes")
        facts = decode(zstandard.ZstdDecompressor().decompress(columns.item_facts), list[ItemFacts])
    except (zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise DamagedIndexError(f"column item_facts: {error}") from None
    require(len(facts) == len(places), "column item_facts: of another length than item_places")
    return places, facts
