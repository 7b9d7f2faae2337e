"""Fuses ranked lists of several origins by reciprocal rank, weighted by how much of the question
each hit covers.

Scores of different origins do not compare, and ranks alone would put the best of every origin
first, however bad. Coverage is one measure for all: the share of the question's words that a hit
contains, weighted by rarity. The coverage of a list's best hits counts as well, so that a list
mostly keeps its order; a single list keeps it entirely. What is named after the question comes
before what only mentions it.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple, TypeVar

import numpy as np

from symindex.protocol.recall import TextHit
from symindex.recall.chunks.question import Question
from symindex.recall.chunks.symbol_lookup import NameHit
from symindex.search.words.weights import RECIPROCAL, of_phrasing
from symindex.text.words import stem, words_of, words_of_each

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

OWN: Final = 0.5
"""Weight of a hit's own coverage; the rest is the coverage of the best of its list."""

TITLED: Final = 0.4
"""What a title or name that equals the question adds, as a share of the score."""

INFLECTED: Final = 0.8
"""Weight of a title's word in another form, such as `cached` for `caching`; the word itself has
1."""

BRIEF: Final = 0.3
"""What a title without other words adds, as a share of its weight."""

PART: Final = 0.5
"""Weight of a part of a word in coverage; a whole word has 1."""

MOST_READ: Final = 20_000
"""Characters of a text that are read for coverage."""

LOOKED_AT: Final = 3
"""First hits of a list whose best coverage measures the list."""

UNKNOWN_RARITY: Final = 5.0
"""Rarity of a word that occurs only in names, in no text."""

RECENCY_DAYS: Final = 365
"""Age in days at which the weight of a hit has fallen to 1/e."""

LEAST_RECENCY: Final = 0.1
"""Smallest weight of an old hit."""

_DAY_MS: Final = 86_400_000


class Candidate(NamedTuple):
    """A hit of one list, before it is fused.

    Attributes:
        key: identifies the thing found, equal in all lists.
        covered: share of the question that it covers, above 0 to 1.
        hit: makes the hit that is shown.
        is_exact: whether the question is its name.
        score: its score in the list; equal scores share a rank.
        factor: multiplies its fused score.
        title_share: how close its title is to the question, 0 to 1.
        phrasings: the numbers of the phrasings that found it, if there are several.
    """

    key: tuple[str, ...]
    covered: float
    hit: Callable[[], TextHit]
    is_exact: bool = False
    score: float | None = None
    factor: float = 1.0
    title_share: float = 0.0
    phrasings: tuple[int, ...] = ()


class RankedList(NamedTuple):
    """Candidates of one origin, best first."""

    candidates: Sequence[Candidate]
    weight: float = 1.0


def blocks_of(rows: Sequence[_Row], block: int) -> list[Sequence[_Row]]:
    """Returns ranked rows as they are fused together."""
    return [rows[start : start + block] for start in range(0, len(rows), block)]


def with_best_titles(candidates: Sequence[Candidate], block: int) -> list[Candidate]:
    """Returns ranked candidates, each with the best share of a title from it downwards: their order
    already counts titles."""
    shares = [
        share
        for of_block in blocks_of([row.title_share for row in candidates], block)
        for share in reversed([*accumulate(reversed(of_block), max)])
    ]
    return [
        candidate._replace(title_share=share)
        for candidate, share in zip(candidates, shares, strict=True)
    ]


class Fused(NamedTuple):
    """The result of `fuse`.

    Attributes:
        rows: the best candidates of all lists with their scores, in order, at most as many as were
            wanted.
        has_more: whether others follow.
        first: by list, its first block: the key of each, and how often it occurs before.
    """

    rows: list[tuple[Candidate, float]]
    has_more: bool
    first: Sequence[frozenset[tuple[tuple[str, ...], int]]]

    @property
    def n_doubles(self) -> int:
        """How many of the first block of each list are in another list, too."""
        return sum(map(len, self.first)) - len(
            {key for of_list in self.first for key, _ in of_list}
        )

    def hits(self, start: int = 0) -> list[TextHit]:
        """Makes the hits from a row on."""
        hits = []
        for candidate, score in self.rows[start:]:
            hit = candidate.hit()
            hit.score, hit.phrasings = score, [*candidate.phrasings]
            hits.append(hit)
        return hits


def fuse(lists: Iterable[RankedList], most: int, block: int) -> Fused:
    """Fuses lists: scores are 1 for what is first in all, and equal ones are in the order of the
    lists. A block of each list is fused at a time, so that the first hits are the same however many
    follow."""
    lists = [*lists]
    filled = [ranked for ranked in lists if ranked.candidates]
    ranks = [_ranks(ranked.candidates) for ranked in filled]
    seen: dict[tuple[str, ...], None] = {}
    rows: list[tuple[Candidate, float]] = []
    least = 1.0
    for start in range(0, max((len(ranked.candidates) for ranked in filled), default=0), block):
        scores, best = _fuse_block(filled, ranks, start, block)
        order = sorted(
            (key for key in scores if key not in seen),
            key=lambda key: (not best[key].is_exact, -scores[key]),
        )
        seen |= dict.fromkeys(order)
        for key in order[: most - len(rows)]:
            score = 1.0 if best[key].is_exact else round(min(scores[key] / 1.1, 0.9999), 4)
            least = min(score, least)
            rows.append((best[key], least))
        if len(seen) > most:
            break
    return Fused(rows, len(seen) > most, [_first_keys(ranked, block) for ranked in lists])


def _first_keys(ranked: RankedList, block: int) -> frozenset[tuple[tuple[str, ...], int]]:
    """Returns the keys of a list's first block; see `Fused`."""
    counts: Counter[tuple[str, ...]] = Counter()
    keys = set()
    for candidate in ranked.candidates[:block]:
        keys.add((candidate.key, counts[candidate.key]))
        counts[candidate.key] += 1
    return frozenset(keys)


def fuse_phrasings(numbers: Sequence[int], lists: Sequence[Fused], most: int, block: int) -> Fused:
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
    first = [
        frozenset().union(*of_list)
        for of_list in zip(*(fused.first for fused in lists), strict=True)
    ]
    return Fused([*rows.values()][:most], has_more, first)


def _ranks(candidates: Sequence[Candidate]) -> list[int]:
    """Returns the rank of each candidate; equal scores share one."""
    ranks: list[int] = []
    for place, candidate in enumerate(candidates):
        is_equal = (
            place > 0
            and candidate.score is not None
            and candidate.score == candidates[ranks[-1]].score
        )
        ranks.append(ranks[-1] if is_equal else place)
    return ranks


def _fuse_block(
    filled: Sequence[RankedList], ranks: Sequence[Sequence[int]], start: int, block: int
) -> tuple[dict[tuple[str, ...], float], dict[tuple[str, ...], Candidate]]:
    """Returns scores and candidates by key, for a block of each list from `start` on."""
    scores: dict[tuple[str, ...], float] = {}
    best: dict[tuple[str, ...], Candidate] = {}
    own_weight = OWN if len(filled) > 1 else 0.0  # a single list keeps its order
    for ranked, ranks_of_list in zip(filled, ranks, strict=True):
        candidates = ranked.candidates
        quality = ranked.weight * max(first.covered for first in candidates[:LOOKED_AT])
        for place in range(start, min(start + block, len(candidates))):
            candidate = candidates[place]
            covered = min(candidate.covered * ranked.weight, quality)
            value = (
                (own_weight * covered + (1 - own_weight) * quality)
                * RECIPROCAL
                / (RECIPROCAL + ranks_of_list[place])
                * candidate.factor
            )
            if own_weight:
                value *= (1 + TITLED * candidate.title_share) / (1 + TITLED)
            # A thing in several lists gets its best score and a tenth of the other.
            earlier = scores.get(candidate.key, 0.0)
            scores[candidate.key] = max(earlier, value) + 0.1 * min(earlier, value)
            previous = best.setdefault(candidate.key, candidate)
            if candidate.is_exact and not previous.is_exact:
                best[candidate.key] = candidate
    return scores, best


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


def title_share(title: str, question: Question, rarity: Mapping[str, float]) -> float:
    """Returns how close a title is to the question, 0 to 1: the share of the question's words in
    it, and a little more if it has few others."""
    words = {*words_of(title)}
    roots, question_words = _roots(question, rarity), {*question.words}
    covered: dict[str, float] = {}
    for word in words:
        if (root := stem(word)) in roots:
            weight = 1.0 if word in question_words else INFLECTED
            covered[root] = max(covered.get(root, 0.0), weight)
    total = sum(roots[root] * part for root, part in covered.items())
    share = total / max(sum(roots.values()), 0.01)
    return share * (1 + BRIEF * len(covered) / max(len(words), 1)) / (1 + BRIEF)


def _roots(question: Question, rarity: Mapping[str, float]) -> dict[str, float]:
    """Returns the stems of a question's words with their rarities."""
    roots: dict[str, float] = {}
    for word in question.words:
        roots[stem(word)] = max(roots.get(stem(word), 0.0), rarity.get(word, UNKNOWN_RARITY), 0.01)
    return roots


def candidate_of(symbol: NameHit, question: Question, rarity: Mapping[str, float]) -> Candidate:
    """Returns a symbol as a candidate."""
    return Candidate(
        key=symbol.key,
        covered=coverage(symbol.texts, question, rarity),
        hit=lambda: symbol.hit,
        is_exact=symbol.is_exact,
        score=symbol.hit.score,
        title_share=title_share(symbol.hit.title, question, rarity),
    )
