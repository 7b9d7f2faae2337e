"""Fuses the hits of several phrasings of one question by reciprocal rank. Each phrasing was
searched as if alone."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import I64
from symindex.protocol.search import NONE_HOLDS_ALL, SOME_WORDS, is_about_some, is_incomplete
from symindex.search.answer.sort import ordered
from symindex.search.match.lookup import Points
from symindex.search.match.names import POINTS
from symindex.search.names.data_rows import LEAST_POINTS, original_points, scores_of
from symindex.search.names.hits import PartHits, RowHits, Selection
from symindex.search.names.weakness import LETTERS, TEXT, TYPO
from symindex.search.options.read import SCORE
from symindex.search.words.weights import of_phrasing

COMPARED: Final = 300
"""Best hits of each phrasing that are fused. The others follow by the points that they have in
their phrasing."""

FULL: Final = 1 << 20
"""Points of a hit that is the first of all phrasings."""

_REST: Final = 1 << 16
"""Most points of a hit that is not among the best of any phrasing."""

_STRENGTHS: Final = ("", SOME_WORDS, TEXT, TYPO, LETTERS)
"""The words of `SearchItem.match`, the strongest first."""


class _PartOfPhrasing(NamedTuple):
    """The hits of a phrasing in one part, by row."""

    rows: I64
    points: Points

    @classmethod
    def of(cls, hits: PartHits) -> "_PartOfPhrasing":
        rows, points = hits.everything()
        order = np.argsort(rows, kind="stable")
        return cls(rows[order].astype(np.int64), points[order])

    def places_of(self, rows: I64) -> tuple[I64, I64]:
        """Returns which of the rows are hits, as places in the argument and in the hits."""
        if not len(self.rows):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        among = np.flatnonzero(self.rows[places] == rows)
        return among, places[among]


class FusedPhrasings:
    """The hits of several phrasings. numbers: of the phrasings. selections: the hits of each, all
    in the same parts of one snapshot."""

    def __init__(self, numbers: Sequence[int], selections: Sequence[Selection]) -> None:
        self._numbers, self._selections = numbers, selections
        self._by_phrasing = [[*map(_PartOfPhrasing.of, selection.hits)] for selection in selections]

    def selection(self) -> Selection:
        """Returns the hits of all phrasings, with points by their fused ranks."""
        return Selection(
            self._fused(),
            any(selection.weak for selection in self._selections),
            tuple(self._notices()),
            memo=self._selections[0].memo,
            weakness=self._weakness,
            full=FULL,
            found_by=self._found_by,
        )

    def _found_by(self, part: int, rows: I64) -> list[list[int]]:
        """Returns for each of some hits of a part the numbers of the phrasings that found it."""
        numbers: list[list[int]] = [[] for _ in rows]
        for number, parts in zip(self._numbers, self._by_phrasing, strict=True):
            for place in parts[part].places_of(rows)[0].tolist():
                numbers[place].append(number)
        return numbers

    def _fused(self) -> list[PartHits]:
        rankings = [ordered(selection, COMPARED, SCORE) for selection in self._selections]
        values = [
            of_phrasing(np.arange(len(ranking)), scores_of(ranking.points)) / len(rankings)
            for ranking in rankings
        ]
        fused: list[PartHits] = []
        for number, hits in enumerate(self._selections[0].hits):
            part = hits.chosen.part
            every = [parts[number] for parts in self._by_phrasing]
            rows = np.unique(np.concatenate([phrasing_part.rows for phrasing_part in every]))
            value, rest = np.zeros(len(rows)), np.ones(len(rows))
            for alone, ranking, added in zip(every, rankings, values, strict=True):
                local = ranking.rows - part.base
                ranks = np.flatnonzero((local >= 0) & (local < part.index.n_symbols))
                value[np.searchsorted(rows, local[ranks])] += added[ranks]
                places = np.searchsorted(rows, alone.rows)
                share = (alone.points - LEAST_POINTS) / (POINTS - LEAST_POINTS)
                rest[places] = np.maximum(rest[places], share * _REST)
            points = np.where(value > 0, _REST + value * (FULL - _REST), rest)
            fused.append(RowHits(hits.chosen, rows, np.rint(points).astype(np.int32)))
        return fused

    def _weakness(self, part: int, rows: I64, _points: Points) -> list[str]:
        """Returns why rows are guesses, by the phrasing that they match best."""
        strengths = [len(_STRENGTHS) - 1] * len(rows)
        for selection, parts in zip(self._selections, self._by_phrasing, strict=True):
            among, places = parts[part].places_of(rows)
            words = [""] * len(among)
            if selection.weakness is not None and len(among):
                points = original_points(parts[part].points[places])
                words = selection.weakness(part, rows[among], points)
            for place, word in zip(among.tolist(), words, strict=True):
                strengths[place] = min(strengths[place], _STRENGTHS.index(word))
        return [_STRENGTHS[strength] for strength in strengths]

    def _notices(self) -> list[str]:
        """Returns the notices of the phrasings. Rows with some of the words of a phrasing are
        marked, so a notice is only needed if no row has all words of any."""
        notices, incomplete = [], 0
        for number, selection in zip(self._numbers, self._selections, strict=True):
            if not selection.total:
                incomplete += 1
                notices.append(f"phrasing {number} matches nothing")
                continue
            incomplete += any(map(is_incomplete, selection.notices))
            notices += [
                f"phrasing {number}: {text}"
                for text in selection.notices
                if not is_about_some(text)
            ]
        if incomplete == len(self._selections) and any(
            selection.total for selection in self._selections
        ):
            these = "these contain some of them"
            notices.insert(0, f"{NONE_HOLDS_ALL[0]}the words of any phrasing; {these}")
        return notices
