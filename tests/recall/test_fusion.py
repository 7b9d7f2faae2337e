"""The fusion of ranked lists: a page further on continues the pages before it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.protocol.recall import TextHit
from symindex.recall.chunks.fusion import CANDIDATES, Candidate, RankedList, fuse


def candidate(key: int, covered: float, score: float, share: float = 0.0) -> Candidate:
    hit = TextHit(
        id=str(key), title="", source="", line=1, content="", score=0.0, content_type="prose",
        added="", type="note", result_origin="note",
    )  # fmt: skip
    return Candidate((str(key),), covered, lambda: hit, score=score, title_share=share)


def lists_of(drawn: list[list[tuple[int, float, float]]]) -> list[RankedList]:
    """Returns ranked lists, best first; a list has each key once."""
    return [
        RankedList(
            [
                candidate(key, covered, 1.0 - place // 3 / 1_000, share)
                for place, (key, covered, share) in enumerate(
                    {row[0]: row for row in rows}.values()
                )
            ]
        )
        for rows in drawn
    ]


ROWS = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from([0.1, 0.5, 1.0]), st.sampled_from([0.0, 1.0])),
    max_size=30,
)


@pytest.mark.nightly
@given(st.lists(ROWS, min_size=1, max_size=3), st.integers(0, 40), st.integers(0, 40))
def test_a_shorter_answer_is_the_beginning_of_a_longer_one(
    drawn: list[list[tuple[int, float, float]]], few: int, more: int
) -> None:
    """It is so, too, if each list has only as many candidates as the shorter answer needs."""
    few, more = sorted((few, more))
    lists = lists_of(drawn)
    whole = fuse(lists, more, 5)
    n_needed = -(-(few + 1) // 5) * 5
    cut = fuse([RankedList(ranking.candidates[:n_needed]) for ranking in lists], few, 5)
    shown = [(hit.id, hit.score) for hit in whole.hits()]
    assert [(hit.id, hit.score) for hit in cut.hits()] == shown[:few]
    assert [score for _, score in shown] == sorted((score for _, score in shown), reverse=True)
    keys = {row.key for ranking in lists for row in ranking.candidates}
    assert len({name for name, _ in shown}) == len(shown) == min(more, len(keys))
    assert whole.has_more == (more < len(keys)) and cut.has_more == (few < len(keys))


def test_things_in_two_lists_are_counted_once() -> None:
    lists = [RankedList([candidate(key, 1.0, 1.0) for key in keys]) for keys in ([1, 2], [2, 3])]
    assert fuse(lists, 10, CANDIDATES).n_doubles == 1
    far = [
        RankedList([candidate(key, 1.0, 1.0) for key in range(first, first + CANDIDATES + 1)])
        for first in (0, CANDIDATES)
    ]
    assert fuse(far, 1_000, CANDIDATES).n_doubles == 0  # only the first ones are compared


def test_equals_are_in_the_order_of_their_lists() -> None:
    lists = [RankedList([candidate(key, 1.0, 1.0) for key in keys]) for keys in ([9, 4], [7, 1])]
    assert [hit.id for hit in fuse(lists, 10, CANDIDATES).hits()] == ["9", "4", "7", "1"]
