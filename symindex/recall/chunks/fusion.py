"""Fuses ranked lists of several origins by reciprocal rank, weighted by how much of the question
each hit covers.

Scores of different origins do not compare, and ranks alone would put the best of every origin
first, however bad. Coverage is one measure for all: the share of the question's words that a hit
contains, weighted by rarity. The coverage of a list's best hits counts as well, so that a list
mostly keeps its order; a single list keeps it entirely. What is named after the question comes
before what only mentions it.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from symindex.protocol.recall import TextHit
from symindex.recall.chunks.question import Question
from symindex.search.words.weights import RECIPROCAL
from symindex.text.words import stem, words_of, words_of_each

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
    """

    key: tuple[str, ...]
    covered: float
    hit: Callable[[], TextHit]
    is_exact: bool = False
    score: float | None = None
    factor: float = 1.0
    title_share: float = 0.0


class RankedList(NamedTuple):
    """Candidates of one origin, best first."""

    candidates: Sequence[Candidate]
    weight: float = 1.0


def fuse(lists: Iterable[RankedList], most: int) -> list[TextHit]:
    """Returns the best hits of all lists, with fused scores: 1 for what is first in all."""
    scores: dict[tuple[str, ...], float] = {}
    best: dict[tuple[str, ...], Candidate] = {}
    filled = [ranked for ranked in lists if ranked.candidates]
    own_weight = OWN if len(filled) > 1 else 0.0  # a single list keeps its order
    for ranked in filled:
        candidates = ranked.candidates
        quality = ranked.weight * max(first.covered for first in candidates[:LOOKED_AT])
        rank = 0
        for place, candidate in enumerate(candidates):
            if candidate.score is None or candidate.score != candidates[rank].score:
                rank = place
            covered = min(candidate.covered * ranked.weight, quality)
            value = (
                (own_weight * covered + (1 - own_weight) * quality)
                * RECIPROCAL
                / (RECIPROCAL + rank)
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
    order = sorted(scores, key=lambda key: (not best[key].is_exact, -scores[key]))[:most]
    hits = []
    for key in order:
        hit = best[key].hit()
        hit.score = 1.0 if best[key].is_exact else round(min(scores[key] / 1.1, 0.9999), 4)
        hits.append(hit)
    return hits


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
