"""Headings for an editor: the sections and items whose name is what was typed, or has a word that
begins with it.

They are asked for at each letter that is typed. So only the tiers exact and prefix count, and of
the tier substring what begins a word. What is typed is one text, blanks included.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.extract.documents.formats import load_formats
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol.kinds import KINDS, SymbolKind
from symindex.search.answer.filters import Filter, PartFilter
from symindex.search.match.bulk import find_inside
from symindex.search.match.lookup import NameHits
from symindex.search.match.names import BANDS, POINTS, WORD_SUBSTRING, Needle, Tier
from symindex.search.names.hits import Selection, TieredHits
from symindex.search.names.rank import rank
from symindex.text.folding import fold, squash

_BEGINS_A_WORD: Final = round(WORD_SUBSTRING[0] * POINTS)
"""The points that a needle at the beginning of a word has at least, and one inside a word never."""

_EXACT: Final = round(BANDS[Tier.EXACT][1] * POINTS)
_PREFIX: Final = round(BANDS[Tier.PREFIX][1] * POINTS)
"""Of the names of such a tier the shorter ones come first. To divide titles among words, as for
symbols, would take most of the time."""

_ITEM: Final = KINDS[SymbolKind.ITEM].code


def find_headings(documents: Snapshot, text: str, filter_: Filter, count: int | None) -> I64:
    """The `count` best rows, or all, in order. documents: the sections and items of a snapshot."""
    needle = Needle(text)
    if not any(map(str.isalnum, needle.folded)):
        return np.empty(0, dtype=np.int64)
    filters = PartFilter.of_parts(
        documents.parts, Filter(filter_.kinds, filter_.languages, filter_.paths, (_are_headings,))
    )
    return rank(
        Selection([TieredHits(chosen, _names(chosen.index, needle)) for chosen in filters]), count
    ).rows


def _names(index: Index, needle: Needle) -> list[NameHits]:
    """The names, in tiers."""
    check_wanted()
    low, high = index.squashed_range(needle.squashed)
    exact = low
    while (
        exact < high and squash(fold(index.names[exact])) == needle.squashed
    ):  # they are the first in this order
        exact += 1
    inside, points_of = find_inside(index, needle, low, high)
    points = points_of()
    begins_word = points >= _BEGINS_A_WORD
    return [
        NameHits(np.arange(low, exact), np.full(exact - low, _EXACT, dtype=np.int32)),
        NameHits(np.arange(exact, high), np.full(high - exact, _PREFIX, dtype=np.int32)),
        NameHits(inside[begins_word], points[begins_word]),
    ]


def _are_headings(parts: Sequence[Part]) -> Sequence[Mask]:
    """By part and row: whether it is an item, or a heading. The text that a file of code begins
    with has no heading, only the file's name, which editors find by themselves."""
    return [_are_headings_of(part.index) for part in parts]


def _are_headings_of(index: Index) -> Mask:
    cached = index.memo.get(_MEMO)
    if cached is None:
        formats = load_formats().by_id
        of_prose = np.array(
            [language in formats for language in index.columns.language_ids], dtype=bool
        )
        is_item = np.array(
            [traits & 255 == _ITEM for traits in index.columns.traits_of], dtype=bool
        )
        in_prose = of_prose[index.u8("file_language")][index.file_of(np.arange(index.n_symbols))]
        cached = index.memo[_MEMO] = is_item[index.traits] | in_prose
    return cached


_MEMO: Final = ("headings",)
