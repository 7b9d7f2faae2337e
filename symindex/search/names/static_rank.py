"""Ranks rows independently of the query: which of equally good matches come first."""

from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64, U8, U16, Mask
from symindex.index.columns.columns import Index
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag, SymbolKind

_DEMOTED: Final = (
    (SymbolFlag.LOCAL, 96),
    (SymbolFlag.DECLARATION, 72),
    (SymbolFlag.VENDORED | SymbolFlag.GENERATED, 48),
    (SymbolFlag.TEST, 24),
)
"""Qualities added to symbols that come after all others that match equally well, the last first. A
declaration comes after its definition, even if that is in a test or vendored."""

ITEM: Final = KINDS[SymbolKind.ITEM].code
"""The code of the kind of items."""

LONGEST: Final = 4095
"""Longest name, in bytes of UTF-8, whose length counts: all longer names count as equally long."""


def quality_of(traits: int) -> int:
    """Returns the quality of symbols with these traits (kind + 256 * flags); 0 is best. It is
    ordered by demotion, then types before functions before values before the rest, then exported
    before unknown before private."""
    kind, flags = traits & 255, traits >> 8
    if kind == ITEM:  # equal items are ordered by space and id
        flags = 0
    quality = KINDS[KIND_OF_CODE[kind]].quality * 4 + 1
    quality += bool(flags & SymbolFlag.PRIVATE) - bool(flags & SymbolFlag.EXPORTED)
    return quality + next((weight for flag, weight in _DEMOTED if flags & flag), 0)


def qualities(index: Index, rows: I64) -> U8:
    return _table(index)[index.traits[rows]] if len(rows) else np.empty(0, dtype=np.uint8)


def _table(index: Index) -> U8:
    """Returns the quality by number in `traits_of`."""
    cached = index.memo.get(("quality",))
    if cached is None:
        cached = np.array(
            [quality_of(traits) for traits in index.columns.traits_of], dtype=np.uint8
        )
        index.memo["quality",] = cached
    return cached


def lengths(index: Index, rows: I64) -> U16:
    """Returns the lengths of the rows' names, at most LONGEST; 0 for items, which are ordered by
    their ids."""
    of_rows = np.minimum(index.names.lengths[index.name_of(rows)], LONGEST).astype(np.uint16)
    if len(index.columns.item_places):
        of_rows[are_items(index, rows)] = 0
    return of_rows


def length_of(name: str, traits: int) -> int:
    """Returns the length of a row's name as `lengths` does."""
    return 0 if traits & 255 == ITEM else min(len(name.encode()), LONGEST)


def are_items(index: Index, rows: I64) -> Mask:
    cached = index.memo.get(("items",))
    if cached is None:
        cached = index.memo["items",] = np.array(
            [traits & 255 == ITEM for traits in index.columns.traits_of], dtype=bool
        )
    mask: Mask = cached[index.traits[rows]]
    return mask
