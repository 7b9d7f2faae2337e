"""Ranks matches: reciprocal rank fusion of two lists, then phrases and words near each other.

1. Fuse the ranks of the matches by stem and by part.
2. Read the best chunks, and score these by both matchers and by how near the words are.
3. Put chunks that contain an identifier as written first.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import F64, I64
from symindex.recall.chunks.matchers import Matches
from symindex.recall.chunks.question import Question
from symindex.search.words.weights import RECIPROCAL, reciprocal
from symindex.text.folding import ASCII_WORD
from symindex.text.snippets import find_passage
from symindex.text.words import beginnings_of_each, stem, words_of

FUSED: Final = 1_000
"""Best matches of each list that are fused."""

READ_AGAIN: Final = 30
"""Best matches that are read to find words near each other; MEANT, if meanings are compared."""

PART: Final = 0.3
"""Weight of the score by parts of words, where both scores of the best are known; that by stems has
1."""

NEAR: Final = 0.6
PHRASE: Final = 0.4
TITLED: Final = 0.2
"""Most that is added, as a share of the score: for all words near each other, for adjacent words,
and for words in the title."""

MOST_READ: Final = 5_000
"""Characters of a text that are read: of a longer one, those from its best passage on."""


class Ranked(NamedTuple):
    """A ranked chunk. score: above 0, up to 1."""

    segment: int
    place: int
    score: float


class ChunkRanking(NamedTuple):
    """The best chunks, and the number of all that match."""

    best: list[Ranked]
    total: int


class ChunkText(NamedTuple):
    """The text of a chunk. weight: multiplies its score."""

    title: str
    text: str
    weight: float = 1.0


MEANT: Final = 50
MEANT_WEIGHT: Final = 0.3
"""Best chunks that are compared by meaning, and what the nearest gains, as a share of the best
score."""

Meaning = Callable[[Sequence[ChunkText]], F64 | None]
"""Returns how near each text is in meaning, 0 to 1; `None` if they cannot be compared."""

OrderOf = Callable[[I64], I64]
"""Returns numbers for chunks, by their places in all segments: equally good chunks are ordered by
them."""

TextOf = Callable[[int, int], ChunkText]
"""Returns the text of a chunk, by segment and place."""


def rank(
    matches: Matches,
    question: Question,
    text_of: TextOf,
    most: int,
    meaning: Meaning | None = None,
    order_of: OrderOf = lambda places: places,
) -> ChunkRanking:
    """Returns the chunks that match, best first. most: how many are returned. meaning: counts for
    the best if given. order_of: orders equals; by default, they are in the order of their
    places."""
    edges = np.cumsum([0, *map(len, matches.by_stem)])
    lists = [np.concatenate(row or [np.empty(0)]) for row in (matches.by_stem, matches.by_part)]
    exact = np.concatenate(matches.exact or [np.empty(0, np.int64)])
    values = np.zeros(len(exact))
    for scores in lists:
        if len(order := _best(scores, FUSED, order_of)):
            values[order] += reciprocal(_ranks(scores[order]))
    total = int(np.count_nonzero((lists[0] > 0) | (lists[1] > 0)))
    hits = np.flatnonzero(values + exact)
    n_read = READ_AGAIN if meaning is None else max(READ_AGAIN, MEANT)
    order = hits[np.lexsort((order_of(hits), -values[hits], -exact[hits]))][: max(most, n_read)]
    head, rest = order[:n_read], order[n_read:]
    segments = np.searchsorted(edges, order, side="right") - 1
    places = order - edges[segments]
    texts = _texts(text_of, segments[:n_read], places[:n_read])
    stems, parts = (scores[head] / max(float(scores.max(initial=0.0)), 1e-9) for scores in lists)
    value = (stems + PART * parts) / (1 + PART) * nearness(texts, question)
    value *= np.array([text.weight for text in texts])
    if meaning is not None and len(value):
        first = np.argsort(-value, kind="stable")[:MEANT]
        if (near := meaning([texts[number] for number in first.tolist()])) is not None:
            value[first] = (
                (value[first] / value[first[0]] + MEANT_WEIGHT * near)
                / (1 + MEANT_WEIGHT)
                * value[first[0]]
            )
    again = np.concatenate(
        (np.lexsort((order_of(head), -value, -exact[head])), np.arange(len(head), len(order)))
    )
    least = float(value.min(initial=1.0))
    scores = np.concatenate((value, least * values[rest] * (RECIPROCAL + 1) / 2))[again]
    best = [
        Ranked(*row)
        for row in zip(
            segments[again].tolist(), places[again].tolist(), scores.tolist(), strict=True
        )
    ]
    return ChunkRanking(best[:most], total)


def _texts(text_of: TextOf, segments: I64, places: I64) -> list[ChunkText]:
    """Returns the texts of some chunks. They are read in the order in which they are stored, so
    that each large file is read once, although not all fit into the cache."""
    texts = [ChunkText("", "")] * len(places)
    for number in np.lexsort((places, segments)).tolist():
        texts[number] = text_of(int(segments[number]), int(places[number]))
    return texts


def _best(scores: F64, most: int, order_of: OrderOf) -> I64:
    """Returns the places of the highest scores, in order."""
    hits = np.flatnonzero(scores)
    if len(hits) > most:
        bound = np.partition(scores[hits], len(hits) - most)[len(hits) - most]
        hits = hits[scores[hits] >= bound]
    ordered: I64 = hits[np.lexsort((order_of(hits), -scores[hits]))][:most]
    return ordered


def _ranks(ordered: F64) -> I64:
    """Returns the rank of each score; equal scores share one."""
    is_new = np.ones(len(ordered), dtype=bool)
    is_new[1:] = ordered[1:] != ordered[:-1]
    ranks: I64 = np.maximum.accumulate(np.where(is_new, np.arange(len(ordered)), 0))
    return ranks


def nearness(texts: Sequence[ChunkText], question: Question) -> F64:
    """Returns by text a factor for how near the words of the question are to each other in it: 1
    for all of them in its title, side by side; `1 / (1 + NEAR + PHRASE + TITLED)` for none."""
    finder = _WordFinder(question)
    n_wanted = len({stem(word) for word in question.words})
    bonuses = [_bonus(text, finder, n_wanted, len(question.words)) for text in texts]
    return (1 + np.array(bonuses)) / (1 + NEAR + PHRASE + TITLED)


class _WordFinder:
    """Finds the words of a question in texts, with positions counted in words.

    In ASCII texts, only places that begin like a word of the question are read, and positions are
    estimated: a word counts LETTERS letters.
    """

    def __init__(self, question: Question) -> None:
        self._wanted = {stem(word): number for number, word in enumerate(question.words)}
        self._known: dict[str, int] = {}
        begins = sorted(beginnings_of_each(self._wanted))
        self._begins = [
            beginning
            for beginning in begins
            if not any(beginning != other and beginning.startswith(other) for other in begins)
        ]

    def number_of(self, word: str) -> int:
        """Returns the number of the question's word that a word of a text means; -1 for none."""
        if (number := self._known.get(word)) is None:
            number = self._known[word] = self._wanted.get(stem(word), -1)
        return number

    def find(self, text: str) -> list[tuple[int, int]]:
        """Returns positions in a text with the numbers of the words there; of a long text, in its
        best passage."""
        if len(text) > MOST_READ:
            start = find_passage(text, self._begins)
            text = text[start : start + MOST_READ]
        if not text.isascii():
            return [
                (position, number)
                for position, word in enumerate(words_of(text))
                if (number := self.number_of(word)) >= 0
            ]
        lowered = text.lower()
        spans: list[tuple[int, int, int]] = []
        for begin in self._begins:
            position = lowered.find(begin)
            while position >= 0:
                if not (position and begin[0].isalpha() and text[position - 1].isalpha()) or (
                    text[position].isupper() and text[position - 1].islower()
                ):
                    word = ASCII_WORD.match(text, position)
                    if (
                        word is not None
                        and (number := self.number_of(lowered[position : word.end()])) >= 0
                    ):
                        spans.append((position, word.end(), number))
                position = lowered.find(begin, position + len(begin))
        spans.sort()
        return _in_words(spans)


LETTERS: Final = 6


def _in_words(spans: Sequence[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Converts positions in characters to positions in words. Adjacent words stay adjacent,
    regardless of their lengths."""
    positions: list[tuple[int, int]] = []
    last = shift = 0
    for start, end, number in spans:
        position = (start + shift) // LETTERS
        if positions:
            position = (
                positions[-1][0] + 1 if start - last <= 1 else max(position, positions[-1][0] + 2)
            )
            shift = position * LETTERS - start
        positions.append((position, number))
        last = end
    return positions


def _bonus(chunk: ChunkText, finder: _WordFinder, n_wanted: int, n_words: int) -> float:
    title_words = words_of(chunk.title)
    if n_words < 2:
        in_title = {*title_words}
        return (
            TITLED * sum(finder.number_of(word) >= 0 for word in in_title) / max(len(in_title), 1)
        )
    title = {
        position: number
        for position, word in enumerate(title_words)
        if (number := finder.number_of(word)) >= 0
    }
    text = finder.find(chunk.text)
    n_found = len({*title.values(), *(word for _, word in text)})
    if n_found < 2:
        return TITLED * len({*title.values()}) / n_wanted
    span, together = _closest(text, len({word for _, word in text}))
    near = together / n_wanted * (together / max(span, together)) if together > 1 else 0.0
    sides = {
        (first_word, second_word)
        for (position, first_word), (then, second_word) in pairwise(text)
        if then == position + 1 and second_word == first_word + 1
    }
    sides |= {
        (title[position], title[position + 1])
        for position in title
        if position + 1 in title and title[position + 1] == title[position] + 1
    }
    return (
        NEAR * near
        + PHRASE * len(sides) / (n_wanted - 1 or 1)
        + TITLED * len({*title.values()}) / n_wanted
    )


def _closest(places: Sequence[tuple[int, int]], many: int) -> tuple[int, int]:
    """Returns the length in words of the shortest piece with `many` different words, and their
    number."""
    inside: dict[int, int] = {}
    first, best = 0, 0
    for position, word in places:
        inside[word] = inside.get(word, 0) + 1
        while len(inside) == many:
            length = position - places[first][0] + 1
            best = min(best, length) if best else length
            dropped = places[first][1]
            inside[dropped] -= 1
            if not inside[dropped]:
                del inside[dropped]
            first += 1
    return best, many if best else 0
