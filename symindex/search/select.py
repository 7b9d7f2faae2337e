"""A query's tree to hits: which rows match, and with what score."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import Index
from symindex.search.boolean import evaluate
from symindex.search.filters import Mask
from symindex.search.lookup import Scores, qualify, strong_scores, weak_name_scores
from symindex.search.names import Needle
from symindex.search.query import Everything, Name, Query

WEAK_BELOW: Final = 10
"""The weak tiers (typo, subsequence) answer only where the strong ones found fewer hits than this."""

LISTED: Final = 0.5
"""The score of rows that match without anything to compare: the empty query."""


@dataclass(frozen=True)
class Selection:
    """The rows that match and their scores. weak: whether the weak tiers were asked."""

    rows: NDArray[np.int64]
    scores: Scores
    weak: bool = False


def select(index: Index, query: Query, allowed: Mask | None, weak: bool | None) -> Selection:
    """The hits of a query.

    allowed: the rows that the filters let through. weak: forces or forbids the weak tiers; `None` leaves it to the count.
    """
    if isinstance(query, Everything):
        rows = np.flatnonzero(allowed) if allowed is not None else np.arange(index.n_symbols)
        return Selection(rows, np.full(len(rows), LISTED))
    if isinstance(query, Name):
        return _select_name(index, query, allowed, weak)
    scores = _restrict(evaluate(index, query), allowed)
    rows = np.flatnonzero(scores)
    return Selection(rows, scores[rows])


def _select_name(index: Index, query: Name, allowed: Mask | None, weak: bool | None) -> Selection:
    scores = _restrict(strong_scores(index, query), allowed)
    ask_weak = weak if weak is not None else int(np.count_nonzero(scores)) < WEAK_BELOW
    if ask_weak and query.name:
        weaker = qualify(index, query, weak_name_scores(index, Needle(query.name)))
        scores = np.where(scores > 0, scores, _restrict(weaker, allowed))
    rows = np.flatnonzero(scores)
    return Selection(rows, scores[rows], ask_weak)


def _restrict(scores: Scores, allowed: Mask | None) -> Scores:
    return scores if allowed is None else np.where(allowed, scores, 0.0)
