"""Why an answer is empty: an empty index, filters that exclude every hit, words that do not occur together."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from symindex.extract.languages.registry import Languages
from symindex.files.skips import Skip, tell_unread
from symindex.files.walk import Walk
from symindex.index.report import why_index_empty
from symindex.index.snapshot import Snapshot
from symindex.protocol import SearchRequest
from symindex.search.answer import answer, make_filter, read_query
from symindex.search.execute import select
from symindex.search.query import And

MOST_WORDS: Final = 8
"""Queries of more words are not explained word by word."""

LONGEST_PART: Final = 60
"""The most characters of a word that are repeated."""


def why_empty(request: SearchRequest, snapshot: Snapshot, walk: Walk | None, languages: Languages, unread: Sequence[Skip]) -> str:
    """The explanation in one line; empty if there is none. walk: the last walk of the tree. unread: files whose code is missing
    from the index."""
    if snapshot.n_symbols == 0:
        return why_index_empty(walk, snapshot)
    if request.kinds or request.languages or request.paths:
        bare = msgspec.structs.replace(
            request, kinds=None, languages=UNSET, paths=UNSET, pagination_id=None, max_items=1, start_index=0
        )
        without = answer(snapshot, bare, languages).total
        if without:
            return f"without the filters on kind, language and path there are {without}"
    return "; ".join(filter(None, (_words_alone(request, snapshot, languages), tell_unread(unread, "it"))))


def _words_alone(request: SearchRequest, snapshot: Snapshot, languages: Languages) -> str:
    """How many symbols each part of an `AND` finds alone; empty for other queries."""
    query = read_query(request, languages)
    if not isinstance(query, And) or len(query.parts) > MOST_WORDS:
        return ""
    wanted = make_filter(request, languages)
    totals = {str(part): select(snapshot, part, wanted, None).total for part in query.parts}
    told = ", ".join(
        f"{part if len(part) <= LONGEST_PART else part[:LONGEST_PART] + '…'} {total:,}" for part, total in totals.items()
    )
    return f"all parts of the query must match; each alone finds: {told}"
