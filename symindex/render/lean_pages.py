"""Short pages for readers that have named no number of rows: an agent, a person at a terminal.

Where something has the very name that was asked for, that is mostly what was meant: of what
follows, only a short tail is on the first page. Overloads share a row (`render/rows`). The rest is
on the next pages, and the answer says so.
"""

from collections.abc import Callable, Sequence
from typing import Final

from symindex.protocol.search import SearchItem, SearchResponse, add_notices
from symindex.render.rows import SHOWN_FLAGS, Rows
from symindex.search.answer.answer import PageRule
from symindex.search.language.parse_query import parse_query
from symindex.search.language.query import Name
from symindex.search.match.names import Needle, Tier, match_strong, tier_of
from symindex.text.counts import count_of
from symindex.text.folding import fold

TAIL: Final = 2
"""Rows behind the exact matches."""

NOT_CUT: Final = 1
"""So few more rows cost no more than to say that they are left."""

LOOKED_AT: Final = 4
"""Items that are looked at for each row: some share one."""


WHOLE_PAGE: Final = PageRule(SHOWN_FLAGS)
"""The rule for any other page of text."""


def lean_rule(query: str, most_rows: int) -> PageRule:
    """The rule for the pages of a query. Raises RequestError for one that cannot be read."""
    is_exact = _exactness(query)
    return PageRule(
        SHOWN_FLAGS, most_rows * LOOKED_AT, lambda items: _length(items, most_rows, is_exact)
    )


def tell_tail(response: SearchResponse) -> None:
    """Adds a notice to a lean page whose tail was cut: how much is left."""
    is_exact = _exactness(response.request.query)
    rows = Rows(response.items).rows
    is_tail = [not is_exact(row.item) for row in rows]
    if response.has_more and False in is_tail and sum(is_tail) >= TAIL:
        n_left = response.total - response.start_index - len(response.items)
        count = count_of(n_left, "weaker match is", "weaker matches are")
        add_notices(response, [f"{count} left for the next page"])


def _exactness(query: str) -> Callable[[SearchItem], bool]:
    """Whether an item has the very name that a query of one word asks for; nothing has that of
    another query."""
    name = parse_query(query)
    if not isinstance(name, Name) or not name.name:
        return lambda _: False
    needle = Needle(name.name)

    def is_exact(item: SearchItem) -> bool:
        points = match_strong(needle, item.name, fold(item.name))
        return points > 0 and tier_of(points) is Tier.EXACT

    return is_exact


def _length(
    items: Sequence[SearchItem], most_rows: int, is_exact: Callable[[SearchItem], bool]
) -> int:
    """How many of the items have room in so many rows, or in the tail."""
    rows, n_exact, n_tail = Rows(), 0, 0
    for number, item in enumerate(items):
        if rows.row_of(item) is None:
            if len(rows.rows) == most_rows:
                return number
            if is_exact(item):
                n_exact += 1
            elif n_exact:
                if n_tail == TAIL and len(items) - number > NOT_CUT:
                    return number
                n_tail += 1
        rows.add(item)
    return len(items)
