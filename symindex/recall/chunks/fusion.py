"""Merges the ranked lists of symbols and of chunks, and fuses the answers to several phrasings.

Both lists are scored by one measure: how much of the question a hit covers, weighted by rarity, and
how near each other its words are (`rank`). Each list keeps its order, so that symbols are in the
order of a search.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple, TypeVar

import numpy as np

from symindex.protocol.recall import TextHit
from symindex.recall.chunks.question import Question
from symindex.recall.chunks.rank import ChunkText, nearness
from symindex.recall.chunks.symbol_lookup import NameHit
from symindex.search.words.weights import of_phrasing
from symindex.text.words import stem, words_of_each

_Row = TypeVar("_Row")

CANDIDATES: Final = 100
"""Best hits of each origin that are fused together and weighted by age, however few are shown, so
that the first hits do not depend on the limit. Later pages add as many again. Several phrasings
share this number, so that they cost little more than one."""


def block_for(n_phrasings: int) -> int:
    """Returns how many of the hits of each origin are fused together, for each phrasing."""
    return max(CANDIDATES // max(n_phrasings, 1), 1)


GRAPH_WEIGHT: Final = 0.8
"""Weight of the neighbours of hits; the hits themselves have 1."""

PART: Final = 0.5
"""Weight of a part of a word in coverage; a whole word has 1."""

MOST_READ: Final = 20_000
"""Characters of a text that are read for coverage."""

LOOKED_AT: Final = 3
"""First chunks whose best coverage measures all: their scores are relative to the best one, however
little of the question it covers. The root of that coverage multiplies them."""

UNKNOWN_RARITY: Final = 5.0
"""Rarity of a word that occurs only in names, in no text."""

RECENCY_DAYS: Final = 365
"""Age in days at which the weight of a hit has fallen to 1/e."""

LEAST_RECENCY: Final = 0.1
"""Smallest weight of an old hit."""

_DAY_MS: Final = 86_400_000


class Candidate(NamedTuple):
    """A hit of one list, before it is merged with others.

    Attributes:
        key: identifies the thing found, equal in all lists.
        score: what it is worth compared with hits of other lists, 0 to 1.
        hit: makes the hit that is shown.
        is_exact: whether the question is its name.
        phrasings: the numbers of the phrasings that found it, if there are several.
    """

    key: tuple[str, ...]
    score: float
    hit: Callable[[], TextHit]
    is_exact: bool = False
    phrasings: tuple[int, ...] = ()


def blocks_of(rows: Sequence[_Row], block: int) -> list[Sequence[_Row]]:
    """Returns ranked rows as they are merged."""
    return [rows[start : start + block] for start in range(0, len(rows), block)]


class Merged(NamedTuple):
    """The result of `merge`. rows: the best candidates of all lists with their scores, in order, at
    most as many as were wanted. has_more: whether others follow."""

    rows: list[tuple[Candidate, float]]
    has_more: bool

    def hits(self, start: int = 0) -> list[TextHit]:
        """Makes the hits from a row on."""
        hits = []
        for candidate, score in self.rows[start:]:
            hit = candidate.hit()
            hit.score, hit.phrasings = score, [*candidate.phrasings]
            hits.append(hit)
        return hits


def merge(lists: Iterable[Sequence[Candidate]], most: int, block: int) -> Merged:
    """Merges ranked lists by score. A block of each is merged at a time, so that the first hits are
    the same however many follow. Each list keeps its order: a candidate counts as much as the best
    of those after it in its block. Equals are in the order of the lists."""
    filled = [blocks_of(candidates, block) for candidates in lists]
    rows: list[tuple[Candidate, float]] = []
    least = 1.0
    n_seen = 0
    for number in range(max(map(len, filled), default=0)):
        scored = [
            (candidate, score)
            for blocks in filled
            if number < len(blocks)
            for candidate, score in zip(blocks[number], _kept_in_order(blocks[number]), strict=True)
        ]
        scored.sort(key=lambda pair: (not pair[0].is_exact, -pair[1]))
        n_seen += len(scored)
        for candidate, score in scored[: most - len(rows)]:
            least = min(1.0 if candidate.is_exact else round(min(score, 0.9999), 4), least)
            rows.append((candidate, least))
        if n_seen > most:
            break
    return Merged(rows, n_seen > most)


def _kept_in_order(candidates: Sequence[Candidate]) -> list[float]:
    """Returns for each candidate the best score from it on."""
    return [*accumulate((row.score for row in reversed(candidates)), max)][::-1]


def fuse_phrasings(
    numbers: Sequence[int], lists: Sequence[Merged], most: int, block: int
) -> Merged:
    """Fuses the answers to several phrasings of a question by rank and score, a block of each at a
    time. Equals are in the order of the phrasings. numbers: those of the phrasings."""
    finders: dict[tuple[str, ...], tuple[int, ...]] = {}
    for number, fused in zip(numbers, lists, strict=True):
        for candidate, _ in fused.rows:
            finders[candidate.key] = (*finders.get(candidate.key, ()), number)
    rows: dict[tuple[str, ...], tuple[Candidate, float]] = {}
    least = 1.0
    for start in range(0, max(len(fused.rows) for fused in lists), block):
        scores: dict[tuple[str, ...], float] = {}
        best: dict[tuple[str, ...], Candidate] = {}
        for fused in lists:
            of_block = fused.rows[start : start + block]
            ranks = np.arange(start, start + len(of_block))
            values = of_phrasing(ranks, np.array([score for _, score in of_block]))
            for (candidate, _), value in zip(of_block, values.tolist(), strict=True):
                if candidate.key not in rows:
                    scores[candidate.key] = scores.get(candidate.key, 0.0) + value / len(lists)
                    best.setdefault(candidate.key, candidate)
        for key in sorted(scores, key=lambda key: -scores[key]):
            least = min(round(scores[key], 4), least)
            rows[key] = best[key]._replace(phrasings=finders[key]), least
    has_more = len(rows) > most or any(fused.has_more for fused in lists)
    return Merged([*rows.values()][:most], has_more)


def recency(time_ms: int, now_ms: int) -> float:
    """Returns the weight of a hit by its age: `max(0.1, exp(-age / 365 days))`, and 1 for a hit
    without a date or with one in the future. Times are in milliseconds since 1970; 0 means no
    date."""
    if not time_ms:
        return 1.0
    return max(LEAST_RECENCY, math.exp(-max(now_ms - time_ms, 0) / (RECENCY_DAYS * _DAY_MS)))


def coverage(texts: Iterable[str], question: Question, rarity: Mapping[str, float]) -> float:
    """Returns the share of a question's words that occur in the texts, weighted by rarity; above 0,
    up to 1. A word that only occurs inside another counts PART."""
    roots = _roots(question, rarity)
    covered: dict[str, float] = {}
    for words in words_of_each([text[:MOST_READ] for text in texts]):
        for word in {*words}:
            if (root := stem(word)) in roots:
                covered[root] = 1.0
            elif len(word) > 3:
                for other in roots:
                    if len(other) > 3 and other in word:
                        covered.setdefault(other, PART)
        if len(covered) == len(roots) and min(covered.values()) == 1:
            break
    total = sum(roots[root] * share for root, share in covered.items())
    return max(total / max(sum(roots.values()), 0.01), 0.01)


def _roots(question: Question, rarity: Mapping[str, float]) -> dict[str, float]:
    """Returns the stems of a question's words with their rarities."""
    roots: dict[str, float] = {}
    for word in question.words:
        roots[stem(word)] = max(roots.get(stem(word), 0.0), rarity.get(word, UNKNOWN_RARITY), 0.01)
    return roots


def candidates_of(
    symbols: Sequence[NameHit], question: Question, rarity: Mapping[str, float]
) -> list[Candidate]:
    """Returns symbols as candidates."""
    texts = [ChunkText(symbol.hit.title, "\n".join(symbol.texts[3:])) for symbol in symbols]
    return [
        Candidate(
            symbol.key,
            coverage((text.title, text.text), question, rarity) * near,
            lambda symbol=symbol: symbol.hit,  # type: ignore[misc]
            symbol.is_exact,
        )
        for symbol, text, near in zip(
            symbols, texts, nearness(texts, question).tolist(), strict=True
        )
    ]
