"""What explains an empty answer: an empty index, or filters that leave nothing to search in."""

import msgspec
from msgspec import UNSET

from symindex.index.snapshot import Snapshot
from symindex.protocol import SearchRequest
from symindex.reports import all_skips, unchosen
from symindex.search.answer import answer
from symindex.source.languages import Languages
from symindex.source.skips import SkipReason
from symindex.source.walk import Walk


def why_empty(request: SearchRequest, snapshot: Snapshot, walk: Walk | None, languages: Languages) -> str:
    """The explanation, in a line; empty where there is none. walk: the last one of the tree, if there was one."""
    if snapshot.n_symbols == 0:
        return _why_index_empty(snapshot, walk)
    if request.kinds or request.languages or request.paths:
        bare = msgspec.structs.replace(
            request, kinds=None, languages=UNSET, paths=UNSET, pagination_id=None, max_items=1, start_index=0
        )
        without = answer(snapshot, bare, languages).total
        if without:
            return f"without the filters on kind, language and path there are {without}"
    return ""


def _why_index_empty(snapshot: Snapshot, walk: Walk | None) -> str:
    skips = all_skips(walk, snapshot)
    if skips:
        return f"the index is empty: {len(skips):,} skipped, as {skips[0].path} ({skips[0].reason}); see `symindex status`"
    n_unchosen = unchosen(walk, snapshot) if walk is not None else 0
    if n_unchosen:
        return f"the index is empty: {n_unchosen:,} {SkipReason.UNCHOSEN}; see `symindex status`"
    unsupported = dict(walk.unsupported) if walk is not None else {}
    if unsupported:
        most = sorted(unsupported, key=lambda extension: -unsupported[extension])[:3]
        return f"the index is empty: no language for {', '.join(most)} files; see `symindex languages`"
    if snapshot.n_files:
        return f"the index is empty: {snapshot.n_files:,} files were read, and none holds a symbol"
    return "the index is empty: no source files were found"
