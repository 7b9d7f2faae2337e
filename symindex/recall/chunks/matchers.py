"""Matches a question against chunks in two ways: by words with the same stem, and by parts of
words.

Both score by BM25 (S. Robertson, H. Zaragoza, 2009) over title and content. The first finds words
that the reader knows, the second words that are remembered in part: `useEff`, `serializ`. A word
that occurs nowhere, and is not common English, is taken as a misspelling of others, and the answer
tells so.
"""

import math
from collections.abc import Iterable, Sequence, Set
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import F64, I64, Mask, Numbers
from symindex.recall.chunk_index.chunk_index import ChunkIndex, Postings
from symindex.recall.chunks.question import Question
from symindex.search.match.names import edits_for
from symindex.search.words.misspelt import by_distance
from symindex.text.word_tables import is_common, synonyms_of
from symindex.text.words import stem

TITLE: Final = 5.0
"""Weight of a word in the title; in the content it is 1."""

SYNONYM: Final = 0.5
"""Weight of a synonym; a word of the question has 1."""

HALF: Final = 0.5
"""Share that a chunk covers of a word if it contains only something similar."""

K1: Final = 0.9
B: Final = 0.6
B_TITLE: Final = 0.3

SHORTEST_PART: Final = 3
"""Shortest part of a word, in letters: shorter ones are in very many words, and scripts whose words
are single characters need no parts."""

MOST_WORDS: Final = 200
"""Most words of the vocabulary that count for one of the question, most similar first."""

LIKE: Final = 0.5
"""Share of trigrams that a similar word must have in common."""


class Segment(NamedTuple):
    """Some chunks. live: by place, whether the chunk counts; `None` for all."""

    chunks: ChunkIndex
    live: Mask | None = None

    @property
    def n_live(self) -> int:
        return len(self.chunks) if self.live is None else int(self.live.sum())


class Matches(NamedTuple):
    """Matches by segment and place.

    Attributes:
        by_stem, by_part: the scores of both ways.
        exact: how many identifiers occur as written.
        held: how many words occur, in any form, or by what was searched instead.
        instead: by word that occurs nowhere, the one that was searched instead.
        missing: words for which nothing was found.
        rarity: how much each word decides: its weight in BM25.
    """

    by_stem: list[F64]
    by_part: list[F64]
    exact: list[I64]
    held: list[I64]
    instead: dict[str, str]
    missing: list[str]
    rarity: dict[str, float]

    def only(self, masks: Sequence[Mask]) -> "Matches":
        """Returns only the matches that the masks select."""
        by_stem, by_part = (
            [np.where(mask, scores, 0.0) for scores, mask in zip(column, masks, strict=True)]
            for column in (self.by_stem, self.by_part)
        )
        exact = [np.where(mask, scores, 0) for scores, mask in zip(self.exact, masks, strict=True)]
        return self._replace(by_stem=by_stem, by_part=by_part, exact=exact)

    def one_per_group(self, groups: Sequence[I64]) -> "Matches":
        """Returns only the best match of each group. groups: by segment and place."""
        masks = []
        for stems, parts, wholes, group in zip(
            self.by_stem, self.by_part, self.exact, groups, strict=True
        ):
            order = np.lexsort((-(stems + parts), -wholes, group))
            is_first: Mask = np.zeros(len(group), dtype=bool)
            is_first[order[np.flatnonzero(np.diff(group[order], prepend=-1))]] = True
            masks.append(is_first)
        return self.only(masks)

    def count(self, masks: Sequence[Mask]) -> int:
        """Counts the matches that the masks select."""
        columns = zip(self.by_stem, self.by_part, self.exact, masks, strict=True)
        return sum(
            int(np.count_nonzero(((stems > 0) | (parts > 0)) & mask))
            for stems, parts, _, mask in columns
        )

    def of(self, segments: Sequence[int]) -> "Matches":
        """Returns the matches of some segments."""
        by_stem, by_part = (
            [column[segment] for segment in segments] for column in (self.by_stem, self.by_part)
        )
        return self._replace(
            by_stem=by_stem, by_part=by_part, exact=[self.exact[segment] for segment in segments]
        )


def any_matches(several: Sequence[Matches]) -> list[Mask]:
    """Returns by segment and place whether a chunk is one of any matches."""
    masks = [
        [(stems > 0) | (parts > 0) for stems, parts in zip(one.by_stem, one.by_part, strict=True)]
        for one in several
    ]
    return [np.logical_or.reduce(of_segment) for of_segment in zip(*masks, strict=True)]


class _Norms(NamedTuple):
    """The factors of counts by place, by the length of the title and of the content."""

    title: F64
    content: F64


def match(
    segments: Sequence[Segment],
    question: Question,
    with_parts: bool = True,
    known: Set[str] = frozenset(),
) -> Matches:
    """Matches a question against all chunks that count.

    Args:
        with_parts: whether parts of words, synonyms and corrections count; else only words and
            their forms.
        known: words that occur elsewhere, so they are not misspelt.
    """
    sizes = [len(segment.chunks) for segment in segments]
    by_stem, by_part = [np.zeros(size) for size in sizes], [np.zeros(size) for size in sizes]
    exact, held = ([np.zeros(size, dtype=np.int64) for size in sizes] for _ in range(2))
    norms = _norms(segments)
    matches = Matches(by_stem, by_part, exact, held, {}, [], {})
    for word in question.words:
        stemmed = [segment.chunks.stemming_to(stem(word)) for segment in segments]
        alike = [
            _synonyms(segment.chunks, stem(word)) if with_parts else ([], [])
            for segment in segments
        ]
        parts = [_holding(segment.chunks, word) if with_parts else ([], []) for segment in segments]
        if not any(stemmed) and not any(numbers for numbers, _ in parts):
            if any(numbers for numbers, _ in alike):
                if word not in known:
                    matches.instead[word] = _first_of(segments, alike)
            elif with_parts and word not in known and not is_common(word):
                parts = _near(segments, word, matches)
            else:
                matches.missing.append(word)
        weighted = [
            (numbers + others, [1.0] * len(numbers) + weights)
            for numbers, (others, weights) in zip(stemmed, alike, strict=True)
        ]
        n_rare = [len(numbers) for numbers in stemmed] if any(stemmed) else None
        rarity = _add(segments, weighted, norms, by_stem, n_rare, held)
        of_parts = _add(segments, parts, norms, by_part) if with_parts else rarity
        matches.rarity[word] = rarity if any(numbers for numbers, _ in weighted) else of_parts
    for identifier in question.identifiers:
        for segment, counts in zip(segments, exact, strict=True):
            number = segment.chunks.words.find(identifier)
            if number is not None:
                counts += _in(segment.chunks, [number])
        _add(
            segments, [_itself(segment.chunks, identifier) for segment in segments], norms, by_stem
        )
    for segment, *columns in zip(segments, by_stem, by_part, exact, held, strict=True):
        if segment.live is not None:
            for column in columns:
                column[~segment.live] = 0
    return matches


def shares_covered(
    segments: Sequence[Segment], question: Question, matches: Matches, groups: Sequence[I64] = ()
) -> list[F64]:
    """Returns by segment and place the share of the question that a chunk covers, with words
    weighted by rarity. A word counts half if it only occurs inside another, as a synonym, or as a
    possible correction.

    groups: by segment and place; a chunk covers what any chunk of its group contains.
    """
    shares = [np.zeros(len(segment.chunks)) for segment in segments]
    members = [np.unique(group, return_inverse=True)[1] for group in groups]
    total = max(sum(matches.rarity.values()), 1e-9)
    for word, rarity in matches.rarity.items():
        for number, (segment, share) in enumerate(zip(segments, shares, strict=True)):
            index, meant = segment.chunks, matches.instead.get(word, word)
            alike = [
                *_synonyms(index, stem(word))[0],
                *index.stemming_to(stem(meant)),
                *_holding(index, meant)[0],
            ]
            covered = np.where(
                _in(index, index.stemming_to(stem(word))),
                1.0,
                np.where(_in(index, alike), HALF, 0.0),
            )
            if members and len(covered):
                of_group = np.zeros(len(covered))
                np.maximum.at(of_group, members[number], covered)
                covered = of_group[members[number]]
            share += rarity / total * covered
    return shares


def _norms(segments: Sequence[Segment]) -> list[_Norms]:
    """Returns the factors of each segment, by the lengths relative to the mean of all."""
    indexes = [segment.chunks for segment in segments]
    every = [slice(None) if index.existing is None else index.existing for index in indexes]
    n_chunks = max(sum(len(index.ids[mask]) for index, mask in zip(indexes, every, strict=True)), 1)

    def mean(lengths: Iterable[Numbers]) -> float:
        of_existing = zip(lengths, every, strict=True)
        return max(sum(float(of_all[mask].sum()) for of_all, mask in of_existing) / n_chunks, 1.0)

    title = mean(index.title_lengths for index in indexes)
    content = mean(index.lengths for index in indexes)
    return [
        _Norms(
            TITLE / (1 - B_TITLE + B_TITLE / title * index.title_lengths),
            1 / (1 - B + B / content * index.lengths),
        )
        for index in indexes
    ]


_Weighted = tuple[list[int], list[float]]
"""Numbers of words, and their weights."""


def _add(
    segments: Sequence[Segment],
    words: Sequence[_Weighted],
    norms: Sequence[_Norms],
    to: Sequence[F64],
    n_rare: Sequence[int] | None = None,
    held: Sequence[I64] = (),
) -> float:
    """Adds the scores of one word of the question. All words that represent it are summed and
    damped once, so that two forms of a word do not count as two words. Returns the rarity.

    n_rare: by segment, how many of the words, from the first on, decide the rarity; `None` for all.
    held: adds one for each chunk that contains these.
    """
    n_with = 0
    counted: list[tuple[F64, I64, F64]] = []
    for number, (segment, (numbers, weights)) in enumerate(zip(segments, words, strict=True)):
        if not numbers:
            continue
        postings = segment.chunks.find(numbers)
        count = _counts(postings, norms[number], np.array(weights))
        places: I64 = np.flatnonzero(count > 0)
        counted.append((to[number], places, count[places]))
        if n_rare is not None and n_rare[number] < len(numbers):
            rare = np.zeros(len(segment.chunks), dtype=bool)
            for of_word, chunks, *_ in postings:
                rare[chunks[of_word < n_rare[number]]] = True
            places = np.flatnonzero(rare)
        if held:
            held[number][places] += 1
        n_with += len(places) if segment.live is None else int(segment.live[places].sum())
    n_live = sum(segment.n_live for segment in segments)
    rarity = math.log(1 + (n_live - n_with + 0.5) / (n_with + 0.5))
    for scores, places, count in counted:
        scores[places] += rarity * count * (K1 + 1) / (count + K1)
    return rarity


def _counts(postings: Sequence[Postings], norms: _Norms, weights: F64) -> F64:
    """Returns by place the weighted sum of counts, each divided by the length of its text.
    weights: by word."""
    is_weighted = bool((weights != 1).any())
    values = []
    for of_word, chunks, in_title, in_content in postings:
        value = np.zeros(len(chunks))
        for count, norm in ((in_title, norms.title), (in_content, norms.content)):
            if not isinstance(count, float) or count:
                value += count * norm[chunks]
        values.append(value * weights[of_word] if is_weighted else value)
    places = np.concatenate([_NOWHERE, *(chunks for _, chunks, _, _ in postings)])
    values = [_NOTHING, *values]
    return np.bincount(places, np.concatenate(values), len(norms.title)).astype(
        np.float64, copy=False
    )


_NOWHERE: Final = np.empty(0, dtype=np.int64)
_NOTHING: Final = np.empty(0)


def _in(index: ChunkIndex, words: Sequence[int]) -> Mask:
    """Returns by place whether one of the words occurs there."""
    mask: Mask = np.zeros(len(index), dtype=bool)
    if words:
        for postings in index.find([*words]):
            mask[postings.chunk] = True
    return mask


def _synonyms(index: ChunkIndex, stemmed: str) -> _Weighted:
    """Returns the synonyms of a stem in an index."""
    words = [number for other in synonyms_of(stemmed) for number in index.stemming_to(other)]
    return words, [SYNONYM] * len(words)


def _first_of(segments: Sequence[Segment], words: Sequence[_Weighted]) -> str:
    return next(
        segment.chunks.words[numbers[0]]
        for segment, (numbers, _) in zip(segments, words, strict=True)
        if numbers
    )


def _itself(index: ChunkIndex, word: str) -> _Weighted:
    number = index.words.find(word)
    return ([number], [1.0]) if number is not None else ([], [])


def _holding(index: ChunkIndex, word: str) -> _Weighted:
    """Returns the words that contain a part, weighted by the share of it."""
    if len(word) < SHORTEST_PART:
        return _itself(index, word)
    numbers = np.array(index.holding(word), dtype=np.int64)
    sizes = index.words.offset[numbers + 1].astype(np.int64) - index.words.offset[numbers] - 1
    best = np.argsort(sizes, kind="stable")[:MOST_WORDS]
    return numbers[best].tolist(), (len(word.encode()) / np.maximum(sizes[best], 1)).tolist()


def _near(segments: Sequence[Segment], word: str, matches: Matches) -> list[_Weighted]:
    """Returns the most likely corrections of a word: the nearest words, of these the most common;
    else words with similar trigrams."""
    vocabularies = (segment.chunks.texts for segment in segments)
    for words in by_distance(vocabularies, word, edits_for(len(word))):
        frequencies = {other: _frequency(segments, other) for other in words}
        if any(frequencies.values()):
            break
    else:
        matches.missing.append(word)
        return [_alike(segment.chunks, word) for segment in segments]
    best = max(words, key=lambda other: (frequencies[other], other[:1] == word[:1], other))
    matches.instead[word] = best
    stemmed = [segment.chunks.stemming_to(stem(best)) for segment in segments]
    _add(
        segments,
        [(numbers, [1.0] * len(numbers)) for numbers in stemmed],
        _norms(segments),
        matches.by_stem,
        held=matches.held,
    )
    return [_holding(segment.chunks, best) for segment in segments]


def _frequency(segments: Sequence[Segment], word: str) -> int:
    """Returns how many existing chunks contain a word."""
    frequency = 0
    for segment in segments:
        if (number := segment.chunks.words.find(word)) is not None:
            holding, existing = _in(segment.chunks, [number]), segment.chunks.existing
            holding = holding if existing is None else holding & existing
            frequency += int(np.count_nonzero(holding))
    return frequency


def _trigrams(word: str) -> set[str]:
    return {word[start : start + 3] for start in range(len(word) - 2)}


def _alike(index: ChunkIndex, word: str) -> _Weighted:
    """Returns words with most of their trigrams in common with one (Dice's coefficient)."""
    trigrams = _trigrams(word)
    shared: dict[int, int] = {}
    for trigram in trigrams:
        for number in index.holding(trigram):
            shared[number] = shared.get(number, 0) + 1
    like = [
        (2 * count / (len(trigrams) + max(len(index.words[number]) - 2, 1)), number)
        for number, count in shared.items()
    ]
    like = sorted((pair for pair in like if pair[0] >= LIKE), key=lambda pair: (-pair[0], pair[1]))[
        :MOST_WORDS
    ]
    return [number for _, number in like], [share for share, _ in like]
