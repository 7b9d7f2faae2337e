"""The best hits of each form are those of sorting them all."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.index.snapshot import Snapshot
from symindex.search.answer.diversify import diversify
from symindex.search.answer.filters import PartFilter
from symindex.search.names import hits as forms
from symindex.search.names.hits import Listed, RowHits, Selection, largest

POINTS = st.lists(st.integers(0, 5), min_size=1, max_size=12)


def chosen(n_rows: int, passing: list[bool] | None = None) -> PartFilter:
    mask = np.array(passing if passing is not None else [True] * n_rows, dtype=bool)
    fake = SimpleNamespace(
        index=SimpleNamespace(n_symbols=n_rows), lets_all=passing is None, mask=mask
    )
    return cast(PartFilter, fake)


def best_of(points: list[int], count: int) -> list[int]:
    """Returns the places of the `count` largest points, and of others that equal the last one."""
    bound = sorted(points, reverse=True)[min(count, len(points)) - 1]
    return [place for place, value in enumerate(points) if value >= bound]


@pytest.mark.parametrize("sample", [1, 3, 1 << 16])
@settings(max_examples=50)
@given(points=POINTS, count=st.integers(1, 12))
def test_the_largest_points(points: list[int], count: int, sample: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "_SAMPLE", sample)
        count = min(count, len(points))
        assert largest(np.array(points, dtype=np.int32), count).tolist() == best_of(points, count)


def pairs(columns: tuple[Any, Any]) -> list[tuple[int, int]]:
    return [*zip(columns[0].tolist(), columns[1].tolist(), strict=True)]


@settings(max_examples=50)
@given(POINTS, st.integers(1, 14))
def test_rows_with_points(points: list[int], count: int) -> None:
    rows = RowHits(chosen(99), np.arange(len(points)) + 7, np.array(points, dtype=np.int32))
    kept = [(place + 7, value) for place, value in enumerate(points) if value]
    assert (rows.total, rows.count_of(0), rows.count_of(1)) == (len(kept), len(kept), 0)
    assert pairs(rows.everything()) == kept
    if kept:
        values = [value for _, value in kept]
        assert pairs(rows.best(count)) == [kept[place] for place in best_of(values, count)]


ROWS = st.dictionaries(st.integers(0, 6), st.integers(1, 5))


@pytest.mark.nightly
@settings(max_examples=50)
@given(ROWS, ROWS, st.booleans())
def test_hits_in_two_lists_are_joined(
    one: dict[int, int], other: dict[int, int], best: bool
) -> None:
    def of(rows: dict[int, int]) -> RowHits:
        values = np.array([*rows.values()], dtype=np.int32)
        return RowHits(chosen(9), np.array([*rows], dtype=np.int64), values)

    expected = {
        row: max(one.get(row, 0), other.get(row, 0)) if best else one.get(row, other.get(row, 0))
        for row in one | other
    }
    assert pairs(of(one).join(of(other), best).everything()) == sorted(expected.items())


@settings(max_examples=50)
@given(POINTS, st.data(), st.integers(1, 14))
def test_listed_rows(points: list[int], data: st.DataObject, count: int) -> None:
    points = [value + 1 for value in points]
    size = len(points)
    passing = data.draw(st.none() | st.lists(st.booleans(), min_size=size, max_size=size))
    rows = [row for row in range(size) if passing is None or passing[row]]
    values = np.array(points, dtype=np.int32)
    for given_rows in (None, np.array(rows, dtype=np.int64)):
        listed = Listed(chosen(size, passing), lambda: values, given_rows)
        assert (listed.total, listed.count_of(0), listed.count_of(1)) == (len(rows), len(rows), 0)
        assert pairs(listed.everything()) == [(row, points[row]) for row in rows]
        if rows:
            best = best_of([points[row] for row in rows], count)
            assert sorted(pairs(listed.best(count))) == [(rows[i], points[rows[i]]) for i in best]


def test_a_selection_reaches_whole_lists() -> None:
    class Lists:
        def __init__(self, *counts: int) -> None:
            self.n_lists, self.total, self.counts = len(counts), sum(counts), counts

        def count_of(self, number: int) -> int:
            return self.counts[number] if number < len(self.counts) else 0

    selection = Selection(cast(Any, [Lists(2, 0, 3), Lists(1)]))
    assert selection.total == 6
    assert [selection.reach(count) for count in (0, 1, 3, 4, 6, 9)] == [3, 3, 3, 6, 6, 6]
    assert Selection([]).reach(1) == Selection([]).total == 0


class Names:
    """A snapshot of one part, whose rows have these names."""

    def __init__(self, names: list[str]) -> None:
        table = SimpleNamespace(take=lambda numbers: [names[number] for number in numbers])
        self.part = SimpleNamespace(index=SimpleNamespace(names=table, name_of=lambda rows: rows))

    def by_part(self, rows: Any) -> Any:
        yield self.part, np.arange(len(rows)), rows


def varied(names: list[str], typed: int, count: int) -> list[str]:
    snapshot = cast(Snapshot, Names(names))
    return [names[row] for row in diversify(snapshot, np.arange(len(names)), typed, count).tolist()]


def test_varied_rows_have_varied_beginnings() -> None:
    names = ["gaa1", "gaa2", "gaA3", "gab1", "gbb1", "gaa1", "gc"]
    # After one letter, two more decide.
    assert varied(names, 1, 3) == ["gaa1", "gab1", "gbb1"]
    assert varied(names, 1, 4) == ["gaa1", "gab1", "gbb1", "gc"]
    assert varied(names, 1, 5) == ["gaa1", "gaa2", "gab1", "gbb1", "gc"]
    # Rows of a name that was chosen come last.
    assert varied(names, 1, 6) == ["gaa1", "gaa2", "gaA3", "gab1", "gbb1", "gc"]
    assert varied(names, 1, 7) == names
    # After two letters, four decide, and never more.
    assert varied(names, 2, 4) == ["gaa1", "gaa2", "gaA3", "gab1"]
    assert varied(["gaab1", "gaab2", "gaac"], 3, 2) == ["gaab1", "gaac"]


def test_one_row_in_eight_is_chosen_as_one_of_the_best() -> None:
    names = [f"ga{number}" for number in range(20)] + [
        f"g{letter}" for letter in "bcdefghijklmnopqr"
    ]
    same = ["gaaa"] * 3 + names
    assert varied(same, 1, 7)[:2] == ["gaaa", "ga0"]
    assert varied(same, 1, 15)[:2] == ["gaaa", "ga0"]
    assert varied(same, 1, 16)[:3] == ["gaaa", "gaaa", "ga0"]
