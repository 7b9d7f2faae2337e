"""BM25F: how well the symbols of a snapshot answer several words.

Document frequencies and lengths are those of all symbols that count, whatever parts they stand in,
and whatever is filtered. So a score is the same after any edits as in an index built anew. An index
in shards would add these few numbers up first.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Final

import numpy as np

from symindex.index.columns.arrays import F32, I64, U16, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part
from symindex.search.words.occurrences import Lengths, Occurrences
from symindex.search.words.weights import K1

_TOTALS: Final = ("words", "totals")


def mean_lengths(parts: Iterable[Part]) -> Lengths:
    """The means over all symbols that count; 1.0 where there are none."""
    names = texts = symbols = 0
    for part in parts:
        of_names, of_texts = _totals(part.index).tolist()
        hidden = part.hidden.rows
        lengths = part.index.u8("text_lengths")[part.index.place[hidden]]
        names += of_names - int(
            part.index.words.counts[part.index.name_of(hidden)].sum(dtype=np.int64)
        )
        texts += of_texts - int(lengths.sum(dtype=np.int64))
        symbols += part.n_symbols
    return Lengths(max(names / max(symbols, 1), 1.0), max(texts / max(symbols, 1), 1.0))


def _totals(index: Index) -> I64:
    """The words of all names, and of all signatures and docs."""
    known = index.memo.get(_TOTALS)
    if known is None:
        rows = np.diff(index.name_first).astype(np.int64)
        known = index.memo[_TOTALS] = np.array(
            [
                int((rows * index.words.counts).sum()),
                int(index.u8("text_lengths").sum(dtype=np.int64)),
            ],
            dtype=np.int64,
        )
    return known


class Scores:
    """The scores of one part, by place.

    scores: 0 to 1, the share of the most that the words could give. held: the share of the question
    that is held, by what its words tell. n_held: how many of the words; n_in_name: how many stand
    in the name. exact: whether it has the very name that is asked for.
    """

    def __init__(self, index: Index) -> None:
        self.scores: F32 = np.zeros(index.n_symbols, dtype=np.float32)
        self.held: F32 = np.zeros(index.n_symbols, dtype=np.float32)
        self.n_held: U16 = np.zeros(index.n_symbols, dtype=np.uint16)
        self.n_in_name: U16 = np.zeros(index.n_symbols, dtype=np.uint16)
        self.exact: Mask = np.zeros(index.n_symbols, dtype=bool)


def score_words(
    parts: Sequence[Part],
    words: Sequence[Sequence[Occurrences]],
    shares: Sequence[float],
    exact: Sequence[bool] = (),
) -> list[Scores]:
    """The scores of all symbols for some words. words: of each, where it stands in each part.
    shares: what each counts, of what its rarity gives it. exact: whether what has it as its very
    name is marked."""
    n_symbols = sum(part.n_symbols for part in parts)
    found = [Scores(part.index) for part in parts]
    frequencies = [sum(map(count_live, parts, occurrences)) for occurrences in words]
    rarities = [
        share * math.log(1 + (n_symbols - frequency + 0.5) / (frequency + 0.5))
        for frequency, share in zip(frequencies, shares, strict=True)
    ]
    total = sum(rarities) or 1.0
    for occurrences, rarity in zip(words, rarities, strict=True):
        share = np.float32(rarity / total)
        for scores, where in zip(found, occurrences, strict=True):
            scores.scores[where.places] += share * where.counts / (np.float32(K1) + where.counts)
            scores.held[where.places] += share
            scores.n_held[where.places] += 1
            scores.n_in_name[where.places[where.in_name]] += 1
    for number, scores in enumerate(found):
        for occurrences in compress(words, exact):
            scores.exact[occurrences[number].exact] = True
    return found


def count_live(part: Part, where: Occurrences) -> int:
    """How many of the symbols count."""
    if part.live is None:
        return len(where.places)
    hidden = part.index.place[part.hidden.rows]
    return len(where.places) - int(
        np.count_nonzero(np.isin(hidden, where.places, assume_unique=True))
    )
