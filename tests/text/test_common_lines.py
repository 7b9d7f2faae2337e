"""The lines that two versions of a text have in common."""

import random

import pytest

from symindex.text.editing import common_lines as module
from symindex.text.editing.common_lines import common_lines


def longest(old: str, new: str) -> int:
    """Returns how many letters two texts have in common, by the plain table."""
    row = [0] * (len(new) + 1)
    for letter in old:
        above = row[:]
        for place, other in enumerate(new, 1):
            row[place] = (
                above[place - 1] + 1 if letter == other else max(above[place], row[place - 1])
            )
    return row[-1]


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        ("", "", []),
        ("", "ab", [0, 0]),
        ("ab", "", []),
        ("abc", "abc", [1, 2, 3]),
        ("abc", "xabc", [0, 1, 2, 3]),
        ("abc", "ac", [1, 3]),
        ("abc", "abxc", [1, 2, 0, 3]),
        ("aaa", "aa", [1, 2]),
        ("abcd", "axcxd", [1, 0, 3, 0, 4]),
        ("ab", "ba", None),
    ],
)
def test_pairs(old: str, new: str, pairs: list[int] | None) -> None:
    found = common_lines(old, new)
    assert found is not None and (pairs is None or found == pairs)


def test_as_many_as_possible_and_in_order() -> None:
    lot = random.Random(3)
    for _ in range(300):
        old, new = ("".join(lot.choices("abcd", k=lot.randrange(12))) for _ in range(2))
        pairs = common_lines(old, new)
        assert pairs is not None and len(pairs) == len(new)
        numbers = [number for number in pairs if number]
        assert numbers == sorted(set(numbers)) and len(numbers) == longest(old, new)
        assert all(
            old[number - 1] == line for number, line in zip(pairs, new, strict=True) if number
        )


def test_more_than_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COMPARED", 3)
    assert common_lines("a123z", "a321z") is not None
    assert common_lines("a1234z", "a321z") is None
    assert common_lines("a1234z", "az") == [1, 6]  # what is only removed needs no comparison
