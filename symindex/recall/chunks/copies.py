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
    """Returns the matches, without those in copies of files in which an earlier collection has a
    match. segments, collection_of: by segment; the matches are those of these segments."""
    masks: list[Mask] = [np.ones(len(stems), dtype=bool) for stems in matches.by_stem]
    if len({*map(id, collection_of)}) == 1:
        return matches
    first_with: dict[str, tuple[int, int]] = {}

    def is_copy(digest: str, number: int, place: int) -> bool:
        first, its_place = first_with.setdefault(digest, (number, place))
        is_other = collection_of[first] is not collection_of[number]
        return is_other and bool(hits.shown(first, its_place).text)  # its file may be gone

    for number, (collection, segment) in enumerate(zip(collection_of, segments, strict=True)):
        if collection.origin == "document":
            places = np.flatnonzero(matches.by_stem[number] + matches.by_part[number])
            digests = collection.digests(segment.chunks, places)
            masks[number][places] = [
                not is_copy(digest, number, place)
                for digest, place in zip(digests, places.tolist(), strict=True)
            ]
    return matches.only(masks)
