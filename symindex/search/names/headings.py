"""Finds headings for an editor: sections and items whose name equals the typed text or has a word
that begins with it.

An editor asks for them at each letter that is typed. So only the tiers exact and prefix count, and
those matches in the tier substring that begin a word. The typed text, with its blanks, is one
needle.
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
from symindex.text.folding import squashed

_BEGINS_A_WORD: Final = round(WORD_SUBSTRING[0] * POINTS)
"""Fewest points of a needle at the beginning of a word; a needle inside a word has fewer."""

_EXACT: Final = round(BANDS[Tier.EXACT][1] * POINTS)
_PREFIX: Final = round(BANDS[Tier.PREFIX][1] * POINTS)
"""Points of all names in these two tiers, in which shorter names come first. Dividing titles among
words, as for symbols, would take most of the time."""

_ITEM: Final = KINDS[SymbolKind.ITEM].code


def find_headings(documents: Snapshot, text: str, filter_: Filter, count: int | None) -> I64:
    """Returns the `count` best rows, or all, in order. documents: the sections and items of a
    snapshot."""
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
    """Returns the names that match, as a list by tier."""
    check_wanted()
    low, high = index.squashed_range(needle.squashed)
    exact = low
    while (
        exact < high and squashed(index.names[exact]) == needle.squashed
    ):  # exact names are the first in this order
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
    """Returns, by part and row, whether it is an item or a heading. The text at the beginning of a
    file of code has no heading, only the file's name, which editors find by themselves."""
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
