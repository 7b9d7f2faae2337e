"""What explains an empty answer: an empty index, filters that leave nothing to search in, words that do not go together."""

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
from symindex.search.answer import answer, totals_of_parts

MOST_WORDS: Final = 8
"""So many words of a query are looked for one by one, and"""

LONGEST_PART: Final = 60
"""so many characters of each are repeated."""


def why_empty(request: SearchRequest, snapshot: Snapshot, walk: Walk | None, languages: Languages, unread: Sequence[Skip]) -> str:
    """The explanation, in a line; empty where there is none. walk: the last one of the tree, if there was one. unread: the files
    whose code is not in the index though it should be."""
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
    """How many symbols the words of a query find one by one, where all of them must match."""
    totals = totals_of_parts(snapshot, request, languages, MOST_WORDS)
    told = ", ".join(
        f"{part if len(part) <= LONGEST_PART else part[:LONGEST_PART] + '…'} {total:,}" for part, total in totals.items()
    )
    return f"all parts of the query must match; each alone finds: {told}" if told else ""
