"""Leaves out copies: a file of the tree may have been added as well."""

from collections.abc import Sequence

import numpy as np

from symindex.index.columns.arrays import Mask
from symindex.recall.chunks.chunk_hits import ChunkHits
from symindex.recall.chunks.collection import Collection
from symindex.recall.chunks.matchers import Matches, Segment


def without_copies(
    matches: Matches,
    segments: Sequence[Segment],
    collection_of: Sequence[Collection],
    hits: ChunkHits,
) -> Matches:
    """Returns the matches whose text no match of an earlier collection has. segments,
    collection_of: by segment; the matches are those of these segments."""
    matching = [
        (stems + parts) > 0 for stems, parts in zip(matches.by_stem, matches.by_part, strict=True)
    ]
    masks: list[Mask] = [np.ones(len(mask), dtype=bool) for mask in matching]
    documents = [
        number for number, collection in enumerate(collection_of) if collection.origin == "document"
    ]
    for number in documents:
        earlier = [
            other
            for other in documents
            if other < number and collection_of[other] is not collection_of[number]
        ]
        lengths = segments[number].chunks.lengths[matching[number]]
        texts: set[str] = set()
        for other in earlier:
            # Copies have equal lengths, so only few texts are read.
            alike = (
                matching[other] & masks[other] & np.isin(segments[other].chunks.lengths, lengths)
            )
            texts.update(hits.shown(other, place).text for place in np.flatnonzero(alike).tolist())
        for place in np.flatnonzero(matching[number]).tolist() if texts else ():
            masks[number][place] = hits.shown(number, place).text not in texts
    return matches.only(masks)
