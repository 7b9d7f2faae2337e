"""Ranked lists of several origins -> one: reciprocal rank fusion, where a hit counts by how much of
the question it covers.

Scores of different origins do not compare, and ranks alone would let the best of every origin come
first, however bad. How many of the question's words a hit holds, weighed by how rare they are, is
the same measure for all. What the best of its list hold counts as well, so that a list mostly keeps
its order; one alone keeps it. What is named after the question comes before what only tells of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from symindex.protocol.recall import TextHit
from symindex.recall.chunks.question import Question
from symindex.search.words.weights import RECIPROCAL
from symindex.text.words import stem, words_of

GRAPH_WEIGHT: Final = 0.8
"""Of what stands beside hits, to 1 of what was found itself."""

OWN: Final = 0.5
"""How much what a hit holds itself counts, to what the best of its list hold."""

TITLED: Final = 0.4
"""What a title or a name adds that is the question, as a share of the rest."""

INFLECTED: Final = 0.8
"""What a word of a title counts in another form, as `cached` for `caching`, to 1 for the word
itself."""

BRIEF: Final = 0.3
"""What it adds that a title holds nothing else."""

PART: Final = 0.5
"""What a part of a word covers, to 1 for a whole word."""

MOST_READ: Final = 20_000
"""Characters of a text that are looked at."""

LOOKED_AT: Final = 3
"""The best of so many hits says how good a list is."""

UNKNOWN_RARITY: Final = 5.0
"""Of a word that no text holds, only names."""


class Candidate(NamedTuple):
    """key: the same for one thing in several lists. covered: the share of the question that it
    holds. hit: makes what is shown. is_exact: it is named as the question says. score: in its list;
    equal scores have one rank. factor: what its fused score is multiplied by. titled: how much its
    title or name is the question, 0 to 1."""

    key: tuple[str, ...]
    covered: float
    hit: Callable[[], TextHit]
    is_exact: bool = False
    score: float | None = None
    factor: float = 1.0
    titled: float = 0.0


class RankedList(NamedTuple):
    """Candidates of one origin, the best first."""

    candidates: Sequence[Candidate]
    weight: float = 1.0


def fuse(lists: Iterable[RankedList], most: int) -> list[TextHit]:
    """The best of all lists, with scores of their own: 1 for what is first in all of them."""
    scores: dict[tuple[str, ...], float] = {}
    best: dict[tuple[str, ...], Candidate] = {}
    kept = [each for each in lists if each.candidates]
    own = OWN if len(kept) > 1 else 0.0  # one list keeps its order
    for each in kept:
        quality = each.weight * max(candidate.covered for candidate in each.candidates[:LOOKED_AT])
        rank = 0
        for place, candidate in enumerate(each.candidates):
            if candidate.score is None or candidate.score != each.candidates[rank].score:
                rank = place
            covered = min(candidate.covered * each.weight, quality)
            value = (
                (own * covered + (1 - own) * quality)
                * RECIPROCAL
                / (RECIPROCAL + rank)
                * candidate.factor
            )
            if own:
                value *= (1 + TITLED * candidate.titled) / (1 + TITLED)
            scores[candidate.key] = max(scores.get(candidate.key, 0.0), value) + 0.1 * min(
                scores.get(candidate.key, 0.0), value
            )
            before = best.setdefault(candidate.key, candidate)
            if candidate.is_exact and not before.is_exact:
                best[candidate.key] = candidate
    order = sorted(scores, key=lambda key: (not best[key].is_exact, -scores[key]))[:most]
    hits = []
    for key in order:
        hit = best[key].hit()
        hit.score = 1.0 if best[key].is_exact else round(min(scores[key] / 1.1, 0.9999), 4)
        hits.append(hit)
    return hits


def coverage(texts: Iterable[str], question: Question, rarity: Mapping[str, float]) -> float:
    """The share of a question's words that some texts hold, each weighed by its rarity; above 0, up
    to 1. A word that only stands inside of another is held by PART."""
    roots = _roots(question, rarity)
    held: dict[str, float] = {}
    for text in texts:
        for word in {*words_of(text[:MOST_READ])}:
            if (root := stem(word)) in roots:
                held[root] = 1.0
            elif len(word) > 3:
                for each in roots:
                    if len(each) > 3 and each in word:
                        held.setdefault(each, PART)
        if len(held) == len(roots) and min(held.values()) == 1:
            break
    return max(
        sum(roots[root] * share for root, share in held.items()) / max(sum(roots.values()), 0.01),
        0.01,
    )


def titled(title: str, question: Question, rarity: Mapping[str, float]) -> float:
    """How much a title is the question, 0 to 1: the share of its words that stand there whole, a
    little more if little else does."""
    words = {*words_of(title)}
    roots, asked = _roots(question, rarity), {*question.words}
    held: dict[str, float] = {}
    for word in words:
        if (root := stem(word)) in roots:
            held[root] = max(held.get(root, 0.0), 1.0 if word in asked else INFLECTED)
    share = sum(roots[root] * part for root, part in held.items()) / max(sum(roots.values()), 0.01)
    return share * (1 + BRIEF * len(held) / max(len(words), 1)) / (1 + BRIEF)


def _roots(question: Question, rarity: Mapping[str, float]) -> dict[str, float]:
    """The stems of a question, and how much each decides."""
    roots: dict[str, float] = {}
    for word in question.words:
        roots[stem(word)] = max(roots.get(stem(word), 0.0), rarity.get(word, UNKNOWN_RARITY), 0.01)
    return roots
