"""Fills the caches of the indexes before the user types, by searching in all ways."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from symindex.background import give_way, in_background
from symindex.cancellation import NotWantedError
from symindex.protocol.search import SearchRequest
from symindex.workers.freed_memory import give_back_memory

_QUERIES: Final = ("getNa", "e", "se", "get", "get_name", "a.name", "zqxj", "")
"""What is typed first; then the empty query, for which all symbols are ranked."""

_ROWS: Final = 256


def warm_up(search: Callable[[SearchRequest], object], is_ready: Callable[[], bool]) -> None:
    """Searches as long as every folder has an index: without one it would be scanned."""
    with suppress(NotWantedError), in_background():
        for query in _QUERIES:
            give_way()
            if not is_ready():
                return
            search(SearchRequest(query=query, max_items=_ROWS))
    give_back_memory()
