"""`python -m tests.search.fuzz_queries SEED N` sends N random queries to an index with overlays.
Each finds what a naive search (`naive`) finds, and an index without overlays finds the same rows
with the same scores in the same order."""

import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from symindex.errors import RequestError
from symindex.extract.languages.registry import load_languages
from symindex.index.snapshot import Snapshot
from symindex.search.answer.execute import select
from symindex.search.answer.filters import Filter
from symindex.search.answer.plan import read_query
from symindex.search.language.query import Everything, Name, Node, Words
from symindex.search.names.rank import rank
from symindex.search.words.bm25f import mean_lengths, score_words
from symindex.search.words.occurrences import Counter
from symindex.search.words.plain import find_meant, question_of
from symindex.search.words.weights import ONE_LETTER
from symindex.text.words import words_of
from symindex.workspace.workspace import Workspace
from tests.search.naive import NaiveSearch, read_rows
from tests.search.random_queries import QueryMaker, TreeEditor, write_tree

UPDATES = 4
EDITS = 6
"""Edits in each update; each update adds an overlay."""

SCORED_TO = 1e-6
"""Largest allowed difference from the naive score: the index computes with four-byte floats."""


class Told(msgspec.Struct):
    """What was compared.

    n_found: the number of queries that matched some symbols but not all.
    """

    n_queries: int = 0
    n_refused: int = 0
    n_found: int = 0
    n_plain: int = 0


class Searches:
    """An index with overlays, an index without them, and a naive search of the same tree."""

    def __init__(self, with_overlays: Snapshot, at_once: Snapshot, root: Path) -> None:
        self.snapshots = (with_overlays, at_once)
        self.rows = read_rows(root)
        self.naive = NaiveSearch(self.rows)
        self._id = cache(self._id_of)

    def _id_of(self, which: int, row: int) -> str:
        part, here = self.snapshots[which].locate(row)
        return part.index.symbol_id(here)

    def answer(
        self, which: int, query: Words | Node
    ) -> tuple[list[tuple[str, int]], tuple[str, ...]]:
        """Returns the hits with their points, best first, and the notices."""
        selection = select(self.snapshots[which], query, Filter(), None)
        ranking = rank(selection, selection.total)
        hits = [
            (self._id(which, row), points)
            for row, points in zip(ranking.rows.tolist(), ranking.points.tolist(), strict=True)
        ]
        assert len(hits) == selection.total
        return hits, selection.notices

    def scores(self, which: int, texts: Sequence[str]) -> dict[str, float]:
        """Returns the BM25F score of each matching symbol, by its id."""
        snapshot = self.snapshots[which]
        parts = snapshot.parts
        counters = [Counter(part.index, mean_lengths(parts)) for part in parts]
        words = [find_meant(parts, counters, word, True) for word in question_of(texts).words]
        scored = score_words(
            parts,
            [word.occurrences for word in words],
            [ONE_LETTER if len(word.text) == 1 else 1.0 for word in words],
        )
        scores_by_id = {}
        for part, scores in zip(parts, scored, strict=True):
            for row in part.hidden.live.nonzero()[0].tolist():
                scores_by_id[self._id(which, part.base + row)] = float(
                    scores.scores[part.index.place.at(row)]
                )
        return scores_by_id

    def differences(self, query: Words | Node, rows: set[int]) -> Iterator[str]:
        """Yields the differences between the answers.

        rows: what the naive search finds.
        """
        (ours, notices), (fresh, fresh_notices) = (self.answer(which, query) for which in (0, 1))
        expected, got = self.naive.ids(rows), {symbol_id for symbol_id, _ in ours}
        if got != expected or len(ours) != len(expected):
            missing, extra = sorted(expected - got)[:3], sorted(got - expected)[:3]
            yield f"found {len(ours)}, not {len(expected)}; missing {missing}, too many {extra}"
        if ours != fresh:
            position = next(
                (
                    position
                    for position, (one, other) in enumerate(zip(ours, fresh, strict=False))
                    if one != other
                ),
                len(fresh),
            )
            yield f"not as an index built at once, from hit {position} on: {ours[position : position + 2]}, not {fresh[position : position + 2]}"
        if notices != fresh_notices:
            yield f"told {notices}, an index built at once {fresh_notices}"
        if isinstance(query, Words) and any(map(words_of, query.texts)):
            scores = self.scores(0, query.texts)
            for symbol_id, score in self.naive.plain(query.texts)[1].items():
                if abs(scores[symbol_id] - score) > SCORED_TO:
                    yield f"{symbol_id}: score {scores[symbol_id]}, not {score}"
                    break


def check_queries(seed: int, count: int, folder: Path, share: float) -> Told:
    """Compares the answers to random queries. Raises AssertionError that names the query.

    share: the share of the project's own files in the tree.
    """
    chance, tally = random.Random(seed), Told()
    root = write_tree(folder / "tree", share)
    with Workspace(root, folder / "index") as workspace, Workspace(root, folder / "fresh") as fresh:
        workspace.refresh()
        editor = TreeEditor(root, chance)
        for _ in range(UPDATES):
            for _ in range(EDITS):
                editor.edit()
            workspace.refresh()
        fresh.refresh()
        assert (
            len(workspace.source.indexed.snapshot.parts) > 2
            and len(fresh.source.indexed.snapshot.parts) == 1
        )
        searches = Searches(workspace.source.indexed.snapshot, fresh.source.indexed.snapshot, root)
        assert searches.rows
        queries, languages = QueryMaker(searches.rows, chance), load_languages()
        for number in range(count):
            text = queries.plain() if number % 4 == 0 else queries.boolean()
            tally.n_queries += 1
            try:
                query = read_query(text, [], languages=languages)
                if isinstance(query, Name | Everything):
                    continue
                expected = searches.naive.find(query)
                differences = [*searches.differences(query, expected)]
            except RequestError:
                tally.n_refused += 1
                continue
            assert not differences, f"seed {seed}, query {number}: {text}\n" + "\n".join(
                differences
            )
            tally.n_plain += isinstance(query, Words)
            tally.n_found += 0 < len(expected) < len(searches.rows)
    return tally


def main() -> None:
    """Runs the command in the module's docstring."""
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        tally = check_queries(seed, count, Path(folder), share=0.3)
    print(
        f"{tally.n_queries:,} queries, {tally.n_plain:,} of plain words; {tally.n_found:,} find some, "
        f"{tally.n_refused} are refused: equal"
    )


if __name__ == "__main__":
    main()
