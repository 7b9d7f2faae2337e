"""Lean pages: short ones for readers that give no number of rows, for example an agent or a person
at a terminal.

An item with exactly the requested name is usually the one that was meant. So only a short tail of
the other hits is on the first page; the next pages have the rest, and a notice says so. Overloads
share a row (`protocol/search_rows`).
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Final

from symindex.protocol.search import SearchItem, SearchResponse, add_notices
from symindex.protocol.search_rows import Rows, row_beginnings
from symindex.search.language.query import Name, Query
from symindex.search.match.names import Needle, Tier, match_strong, tier_of
from symindex.text.counts import count_of
from symindex.text.folding import fold

TAIL: Final = 2
"""Rows behind the exact matches."""

NOT_CUT: Final = 1
"""A tail that is longer by this many rows is not cut, because the notice would cost as much."""

ITEMS_PER_ROW: Final = 4
"""Items that are read for each row, because some share one."""


def add_tail_notice(response: SearchResponse, query: Query) -> None:
    """Adds a notice to a lean page whose tail was cut: how many matches are left."""
    if not response.has_more:
        return
    is_exact = exactness_of(query)
    is_tail = [not is_exact(row.item) for row in Rows(response.items).rows]
    if False in is_tail and sum(is_tail) >= TAIL:
        n_left = response.total - response.start_index - len(response.items)
        count = count_of(n_left, "weaker match is", "weaker matches are")
        add_notices(response, [f"{count} left for the next page"])


def lean_length(items: Sequence[SearchItem], most_rows: int, query: Query) -> int:
    """Returns how many of the items are on the lean page: those that fit into `most_rows` rows,
    without most of the tail."""
    is_exact = exactness_of(query)
    begins = row_beginnings(items, most_rows)
    n_exact = n_tail = 0
    for number, begins_row in enumerate(begins):
        if begins_row and is_exact(items[number]):
            n_exact += 1
        elif begins_row and n_exact:
            if n_tail == TAIL and len(items) - number > NOT_CUT:
                return number
            n_tail += 1
    return len(begins)


def exactness_of(query: Query) -> Callable[[SearchItem], bool]:
    """Returns a test of whether an item has exactly the name in a query of one word. It is false
    for all items of another query."""
    if not isinstance(query, Name) or not query.name:
        return lambda _: False
    return _exactness_of_name(query.name)


@lru_cache(maxsize=16)
def _exactness_of_name(name: str) -> Callable[[SearchItem], bool]:
    needle = Needle(name)

    @cache
    def is_exact(item_name: str) -> bool:
        points = match_strong(needle, item_name, fold(item_name))
        return points > 0 and tier_of(points) is Tier.EXACT

    return lambda item: is_exact(item.name)
