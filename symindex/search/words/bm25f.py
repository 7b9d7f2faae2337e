"""BM25F: scores how well the symbols of a snapshot answer several words.

Document frequencies and mean lengths are taken over all symbols of the snapshot, whatever part they
are in and whatever is filtered. So scores after any edits are the scores of a new index. An index
in shards would first add up these few numbers.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Final

import numpy as np

from symindex.index.columns.arrays import F32, F64, I64, U16, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part
from symindex.search.words.occurrences import Lengths, Occurrences
from symindex.search.words.weights import K1

_TOTALS: Final = ("words", "totals")


def mean_lengths(parts: Iterable[Part]) -> Lengths:
    """Returns the mean lengths over all live symbols; 1.0 if there are none."""
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
    """Returns the number of words of all names, and of all signatures and docs."""
    cached = index.memo.get(_TOTALS)
    if cached is None:
        rows = np.diff(index.name_first).astype(np.int64)
        cached = index.memo[_TOTALS] = np.array(
            [
                int((rows * index.words.counts).sum()),
                int(index.u8("text_lengths").sum(dtype=np.int64)),
            ],
            dtype=np.int64,
        )
    return cached


class Scores:
    """The scores of one part, by place.

    scores: 0 to 1, the share of the most that the words could give. held: the share of the question
    that the symbol contains, weighed by the rarity of its words. n_held: the number of words that
    it contains. n_in_name: how many of these are in its name. exact: whether its whole name is a
    searched word.
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
    """Returns the scores of all symbols for some words, by part.

    words: for each word, where it occurs in each part. shares: what each word counts, as a factor
    of its rarity. exact: for each word, whether to mark the symbols whose whole name it is.
    """
    n_symbols = sum(part.n_symbols for part in parts)
    by_part = [Scores(part.index) for part in parts]
    frequencies = [sum(map(count_live, parts, occurrences)) for occurrences in words]
    rarities = [
        share * math.log(1 + (n_symbols - frequency + 0.5) / (frequency + 0.5))
        for frequency, share in zip(frequencies, shares, strict=True)
    ]
    total = sum(rarities) or 1.0
    for occurrences, rarity in zip(words, rarities, strict=True):
        share = np.float32(rarity / total)
        for scores, in_part in zip(by_part, occurrences, strict=True):
            scores.scores[in_part.places] += (
                share * in_part.counts / (np.float32(K1) + in_part.counts)
            )
            scores.held[in_part.places] += share
            scores.n_held[in_part.places] += 1
            scores.n_in_name[in_part.places[in_part.in_name]] += 1
    for number, scores in enumerate(by_part):
        for occurrences in compress(words, exact):
            scores.exact[occurrences[number].exact] = True
    return by_part


def shares_in_files(
    parts: Sequence[Part], words: Sequence[tuple[str, Sequence[Occurrences]]]
) -> list[F64]:
    """Returns, by part and file, the share of a question that is anywhere in the file, weighed by
    the rarity of its words among files: in a symbol, or repeated elsewhere
    (`extract/word_lists.pack_mentions`). words: those of the question, with their occurrences by
    part."""
    texts = [text for text, _ in words]
    repeated = [part.index.mentions.files_of_words(texts) for part in parts]
    shares = [np.zeros(len(part.index.file_first) - 1) for part in parts]
    n_files = sum(
        len(share) if part.live is None else np.count_nonzero(part.live)
        for part, share in zip(parts, shares, strict=True)
    )
    total = 0.0
    for number, (_, occurrences) in enumerate(words):
        masks = [
            _files_with(part, of_part.places, files[number])
            for part, of_part, files in zip(parts, occurrences, repeated, strict=True)
        ]
        frequency = sum(map(np.count_nonzero, masks))
        rarity = math.log(1 + (n_files - frequency + 0.5) / (frequency + 0.5))
        total += rarity
        for share, mask in zip(shares, masks, strict=True):
            share[mask] += rarity
    return [share / (total or 1.0) for share in shares]


def _files_with(part: Part, places: I64, files: I64) -> Mask:
    """Returns, by file, whether it is live and contains a word: at one of the places, which are in
    order, or as one of some files."""
    mask: Mask = np.diff(np.searchsorted(places, part.index.file_first)) > 0
    mask[files] = True
    return mask if part.live is None else mask & part.live


def count_live(part: Part, occurrences: Occurrences) -> int:
    """Returns how many of the symbols are live."""
    if part.live is None:
        return len(occurrences.places)
    hidden = part.index.place[part.hidden.rows]
    return len(occurrences.places) - int(
        np.count_nonzero(np.isin(hidden, occurrences.places, assume_unique=True))
    )
