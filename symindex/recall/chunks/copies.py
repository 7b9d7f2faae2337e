"""Leaves out copies: a file of the tree may have been added as well."""

from collections.abc import Sequence

import numpy as np

from symindex.index.columns.arrays import Mask
from symindex.recall.chunks.collection import Collection
from symindex.recall.chunks.matchers import Matches, Segment


def without_copies(
    matches: Matches, segments: Sequence[Segment], collection_of: Sequence[Collection]
) -> Matches:
    """Returns the matches without those from files of which an earlier collection has matches.
    segments, collection_of: by segment; the matches are those of these segments."""
    masks: list[Mask] = [np.ones(len(stems), dtype=bool) for stems in matches.by_stem]
    first_with: dict[str, Collection] = {}
    for number, (collection, segment) in enumerate(zip(collection_of, segments, strict=True)):
        if collection.origin != "document" or len({*map(id, collection_of)}) == 1:
            continue
        places = np.flatnonzero(matches.by_stem[number] + matches.by_part[number])
        masks[number][places] = [
            first_with.setdefault(digest, collection) is collection
            for digest in collection.digests(segment.chunks, places)
        ]
    return matches.only(masks)
