"""Covering arrays: few combinations of options in which each pair of values occurs.

A fault that needs two options is found by any combination with this pair of values, so a covering
array finds it with a few dozen requests where all combinations would be millions.
"""

import random
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations
from typing import Any, Final

import pytest

Combination = dict[str, Any]

_TRIES: Final = 30
"""Random combinations that compete for each row of the array; more give a slightly shorter one."""


class CoveringArray:
    """The combinations of `all_pairs`, which are computed when a test needs the first of them:
    every process of a test run collects all tests, and most run none of these."""

    def __init__(self, factors: Mapping[str, Sequence[Any]], seed: int, most: int) -> None:
        self._factors, self._seed, self._most = factors, seed, most

    @cached_property
    def _rows(self) -> list[Combination]:
        return all_pairs(self._factors, self._seed, self._most)

    def cases(self, *marks: pytest.MarkDecorator) -> list[Any]:
        """Returns parameters of a fixture, which calls them to get its combination."""
        return [
            pytest.param(partial(self._row, number), marks=marks) for number in range(self._most)
        ]

    def _row(self, number: int) -> Combination:
        return self._rows[number]


def cases(factors: Mapping[str, Sequence[Any]], n_push: int, n_nightly: int) -> list[Any]:
    """Returns the cases of a test: some for every push, and others for the nightly lane."""
    return [
        *CoveringArray(factors, 1, n_push).cases(),
        *CoveringArray(factors, 2, n_nightly).cases(pytest.mark.nightly),
    ]


def all_pairs(
    factors: Mapping[str, Sequence[Any]], seed: int = 1, most: int | None = None
) -> list[Combination]:
    """Returns combinations of one value for each factor, in which each pair of values of two
    factors occurs. most: the number of combinations, which replaces the promise if it is too
    small, and is filled up with random ones if it is not."""
    chance = random.Random(seed)
    sizes = {name: len(values) for name, values in factors.items()}
    missing = {
        pair
        for (one, n_one), (other, n_other) in combinations(sizes.items(), 2)
        for pair in (((one, i), (other, j)) for i in range(n_one) for j in range(n_other))
    }
    rows: list[dict[str, int]] = []
    while missing and (most is None or len(rows) < most):
        first, second = chance.choice(sorted(missing))
        candidates = [
            _grow({**dict([first, second])}, sizes, missing, chance) for _ in range(_TRIES)
        ]
        best = max(candidates, key=lambda row: len(missing & _pairs_of(row)))
        rows.append(best)
        missing -= _pairs_of(best)
    while most is not None and len(rows) < most:
        rows.append({name: chance.randrange(size) for name, size in sizes.items()})
    return [{name: factors[name][row[name]] for name in factors} for row in rows]


def _grow(
    row: dict[str, int],
    sizes: Mapping[str, int],
    missing: set[tuple[tuple[str, int], tuple[str, int]]],
    chance: random.Random,
) -> dict[str, int]:
    """Gives each factor without a value, in random order, the value with the most missing pairs."""
    order = list(sizes)
    places = {name: place for place, name in enumerate(order)}
    for name in chance.sample(order, len(order)):
        if name in row:
            continue

        def gain(value: int, name: str = name) -> tuple[int, float]:
            new = sum(
                (
                    ((name, value), (other, row[other]))
                    if places[name] < places[other]
                    else ((other, row[other]), (name, value))
                )
                in missing
                for other in row
            )
            return new, chance.random()

        row[name] = max(range(sizes[name]), key=gain)
    return {name: row[name] for name in order}


def _pairs_of(row: Mapping[str, int]) -> set[tuple[tuple[str, int], tuple[str, int]]]:
    return {*combinations(row.items(), 2)}
