"""What explains an empty answer: an empty index, or filters that leave nothing to search in."""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET

from symindex.index.snapshot import Snapshot
from symindex.protocol import SearchRequest
from symindex.reports import why_index_empty
from symindex.search.answer import answer
from symindex.source.languages import Languages
from symindex.source.skips import Skip, tell_unread
from symindex.source.walk import Walk


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
    return tell_unread(unread, "it")
