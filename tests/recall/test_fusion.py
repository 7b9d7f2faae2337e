"""Merging ranked lists: a page further on continues the pages before it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.protocol.recall import TextHit
from symindex.recall.chunks.fusion import CANDIDATES, Candidate, merge


def candidate(key: str, score: float, is_exact: bool = False) -> Candidate:
    hit = TextHit(
        id=key, title="", source="", line=1, content="", score=0.0, content_type="prose",
        added="", type="note", result_origin="note",
    )  # fmt: skip
    return Candidate((key,), score, lambda: hit, is_exact)


ROWS = st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.7, 1.0]), st.booleans()), max_size=30)


@pytest.mark.nightly
@given(st.lists(ROWS, min_size=1, max_size=3), st.integers(0, 40), st.integers(0, 40))
def test_a_shorter_answer_is_the_beginning_of_a_longer_one(
    drawn: list[list[tuple[float, bool]]], few: int, more: int
) -> None:
    """It is so, too, if each list has only as many candidates as the shorter answer needs."""
    few, more = sorted((few, more))
    lists = [
        [candidate(f"{number}.{place}", *row) for place, row in enumerate(rows)]
        for number, rows in enumerate(drawn)
    ]
    whole = merge(lists, more, 5)
    n_needed = -(-(few + 1) // 5) * 5
    cut = merge([candidates[:n_needed] for candidates in lists], few, 5)
    shown = [(hit.id, hit.score) for hit in whole.hits()]
    assert [(hit.id, hit.score) for hit in cut.hits()] == shown[:few]
    assert [score for _, score in shown] == sorted((score for _, score in shown), reverse=True)
    n_all = sum(map(len, lists))
    assert len({name for name, _ in shown}) == len(shown) == min(more, n_all)
    assert whole.has_more == (more < n_all) and cut.has_more == (few < n_all)


def test_equals_are_in_the_order_of_their_lists() -> None:
    lists = [[candidate(key, 1.0) for key in keys] for keys in ("94", "71")]
    assert [hit.id for hit in merge(lists, 10, CANDIDATES).hits()] == ["9", "4", "7", "1"]


def test_a_block_of_each_list_is_merged_at_a_time() -> None:
    lists = [[candidate("a", 0.1), candidate("b", 0.9)], [candidate("c", 0.2), candidate("d", 0.3)]]
    shown = [(hit.id, hit.score) for hit in merge(lists, 10, 1).hits()]
    assert shown == [("c", 0.2), ("a", 0.1), ("b", 0.1), ("d", 0.1)]
    assert merge(lists, 4, 1).has_more is False and merge(lists, 3, 1).has_more is True
