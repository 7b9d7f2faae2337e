"""From two lists of matches to one order: reciprocal rank fusion, then phrases and words near each
other, then the cut.

Only the best of them are read and ordered again, by what both matchers gave and by how near the
words stand. What holds an identifier as it was written comes first.
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
from symindex.text.words import beginnings_of, stem, words_of

FUSED: Final = 1_000
"""So many of the best of each list are fused."""

READ_AGAIN: Final = 60
"""So many are read for words near each other."""

PART: Final = 0.3
"""What the score by parts of words counts beside that by stems, where both are known of the
best."""

NEAR: Final = 0.6
PHRASE: Final = 0.4
TITLED: Final = 0.2
"""The most that is added, as a share of the score: for all words within a few, for words side by
side, for words in the title."""

MOST_READ: Final = 5_000
"""Characters of a text that are looked at."""


class Ranked(NamedTuple):
    """segment, place: of the chunk. score: above 0, up to 1."""

    segment: int
    place: int
    score: float


class Ranking(NamedTuple):
    """best: as many as were asked for. total: how many chunks match in all."""

    best: list[Ranked]
    total: int


class ChunkText(NamedTuple):
    """weight: what its score is multiplied by."""

    title: str
    text: str
    weight: float = 1.0


MEANT: Final = 50
MEANT_WEIGHT: Final = 0.3
"""So many of the best are compared by meaning, and what the nearest gains, as a share of the best
score."""

Meaning = Callable[[Sequence[ChunkText]], F64]
"""How near each text is in meaning, 0 to 1."""

TextOf = Callable[[int, int], ChunkText]
"""The text of a chunk, by segment and place."""


def rank(
    found: Matches, question: Question, text_of: TextOf, most: int, meaning: Meaning | None = None
) -> Ranking:
    """The chunks that match, the best first. most: so many are given. meaning: counts for the best,
    where it is asked for."""
    edges = np.cumsum([0, *map(len, found.by_stem)])
    lists = [np.concatenate(each or [np.empty(0)]) for each in (found.by_stem, found.by_part)]
    exact = np.concatenate(found.exact or [np.empty(0, np.int64)])
    values = np.zeros(len(exact))
    for scores in lists:
        order = _best(scores, FUSED)
        values[order] += reciprocal(_ranks(scores[order]))
    total = int(np.count_nonzero((lists[0] > 0) | (lists[1] > 0)))
    hits = np.flatnonzero(values + exact)
    order = hits[np.lexsort((hits, -values[hits], -exact[hits]))][: max(most, READ_AGAIN)]
    head, behind = order[:READ_AGAIN], order[READ_AGAIN:]
    of = np.searchsorted(edges, order, side="right") - 1
    places = order - edges[of]
    texts = [
        text_of(segment, place)
        for segment, place in zip(of[:READ_AGAIN].tolist(), places.tolist(), strict=False)
    ]
    stems, parts = (scores[head] / max(float(scores.max(initial=0.0)), 1e-9) for scores in lists)
    value = (
        (stems + PART * parts)
        * (1 + _bonuses(texts, question))
        / ((1 + PART) * (1 + NEAR + PHRASE + TITLED))
    )
    value *= np.array([text.weight for text in texts])
    if meaning is not None and len(value):
        first = np.argsort(-value, kind="stable")[:MEANT]
        near = meaning([texts[at] for at in first.tolist()])
        value[first] = (
            (value[first] / value[first[0]] + MEANT_WEIGHT * near)
            / (1 + MEANT_WEIGHT)
            * value[first[0]]
        )
    again = np.concatenate(
        (np.lexsort((head, -value, -exact[head])), np.arange(len(head), len(order)))
    )
    least = float(value.min(initial=1.0))
    scores = np.concatenate((value, least * values[behind] * (RECIPROCAL + 1) / 2))[again]
    best = [
        Ranked(*each)
        for each in zip(of[again].tolist(), places[again].tolist(), scores.tolist(), strict=True)
    ]
    return Ranking(best[:most], total)


def _best(scores: F64, most: int) -> I64:
    """The places of the best, in order; of equals the first."""
    hits = np.flatnonzero(scores)
    if len(hits) > most:
        bound = np.partition(scores[hits], len(hits) - most)[len(hits) - most]
        hits = hits[scores[hits] >= bound]
    ordered: I64 = hits[np.lexsort((hits, -scores[hits]))][:most]
    return ordered


def _ranks(ordered: F64) -> I64:
    """The rank of each; equal scores have one."""
    is_new = np.ones(len(ordered), dtype=bool)
    is_new[1:] = ordered[1:] != ordered[:-1]
    ranks: I64 = np.maximum.accumulate(np.where(is_new, np.arange(len(ordered)), 0))
    return ranks


def _bonuses(texts: Sequence[ChunkText], question: Question) -> F64:
    """By text: the share that is added for the nearness of its words."""
    finder = _Finder(question)
    n_wanted = len({stem(word) for word in question.words})
    return np.array([_bonus(each, finder, n_wanted, len(question.words)) for each in texts])


class _Finder:
    """Finds the words of a question in texts: where each stands, counted in words from the
    beginning.

    Of plain texts only what begins as a word of the question does is looked at, and a word is taken
    to have LETTERS letters.
    """

    def __init__(self, question: Question) -> None:
        self._wanted = {stem(word): number for number, word in enumerate(question.words)}
        self._known: dict[str, int] = {}
        begins = sorted({begin for root in self._wanted for begin in beginnings_of(root)})
        self._begins = [
            each
            for each in begins
            if not any(each != other and each.startswith(other) for other in begins)
        ]

    def number_of(self, word: str) -> int:
        """Which word of the question one of a text is; -1 for none."""
        if (known := self._known.get(word)) is None:
            known = self._known[word] = self._wanted.get(stem(word), -1)
        return known

    def find(self, text: str) -> list[tuple[int, int]]:
        """The places in a text, and the numbers of the words."""
        if not text.isascii():
            return [
                (at, number)
                for at, word in enumerate(words_of(text))
                if (number := self.number_of(word)) >= 0
            ]
        lowered = text.lower()
        spans: list[tuple[int, int, int]] = []
        for begin in self._begins:
            at = lowered.find(begin)
            while at >= 0:
                if not (at and begin[0].isalpha() and text[at - 1].isalpha()) or (
                    text[at].isupper() and text[at - 1].islower()
                ):
                    word = ASCII_WORD.match(text, at)
                    if (
                        word is not None
                        and (number := self.number_of(lowered[at : word.end()])) >= 0
                    ):
                        spans.append((at, word.end(), number))
                at = lowered.find(begin, at + len(begin))
        spans.sort()
        return _in_words(spans)


LETTERS: Final = 6


def _in_words(spans: Sequence[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Places in characters as places in words. What stands side by side does so whatever its
    length."""
    found: list[tuple[int, int]] = []
    last = shift = 0
    for start, end, number in spans:
        at = (start + shift) // LETTERS
        if found:
            at = found[-1][0] + 1 if start - last <= 1 else max(at, found[-1][0] + 2)
            shift = at * LETTERS - start
        found.append((at, number))
        last = end
    return found


def _bonus(chunk: ChunkText, finder: _Finder, n_wanted: int, n_words: int) -> float:
    title_words = words_of(chunk.title)
    if n_words < 2:
        in_title = {*title_words}
        return (
            TITLED * sum(finder.number_of(word) >= 0 for word in in_title) / max(len(in_title), 1)
        )
    title = {
        at: number for at, word in enumerate(title_words) if (number := finder.number_of(word)) >= 0
    }
    text = finder.find(chunk.text[:MOST_READ])
    held = len({*title.values(), *(word for _, word in text)})
    if held < 2:
        return TITLED * len({*title.values()}) / n_wanted
    span, together = _closest(text, len({word for _, word in text}))
    near = together / n_wanted * (together / max(span, together)) if together > 1 else 0.0
    sides = {
        (one, other)
        for (at, one), (then, other) in pairwise(text)
        if then == at + 1 and other == one + 1
    }
    sides |= {
        (title[at], title[at + 1])
        for at in title
        if at + 1 in title and title[at + 1] == title[at] + 1
    }
    return (
        NEAR * near
        + PHRASE * len(sides) / (n_wanted - 1 or 1)
        + TITLED * len({*title.values()}) / n_wanted
    )


def _closest(places: Sequence[tuple[int, int]], many: int) -> tuple[int, int]:
    """The length in words of the shortest piece that holds `many` different words, and how many
    these are."""
    inside: dict[int, int] = {}
    first, best = 0, 0
    for at, word in places:
        inside[word] = inside.get(word, 0) + 1
        while len(inside) == many:
            length = at - places[first][0] + 1
            best = min(best, length) if best else length
            left = places[first][1]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            first += 1
    return best, many if best else 0
