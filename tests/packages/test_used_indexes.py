"""Indexes of packages that a project uses are kept, however old they are."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.packages.indexes import package_build, package_store
from symindex.packages.indexes.environment import Environment
from symindex.packages.indexes.package_build import prune
from symindex.packages.indexes.package_store import ENVIRONMENTS, StoredIndex, least_used
from tests.support.packages import build, make_package, make_store


def test_an_old_index_that_is_used_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if its environment is forgotten, because others were used after it."""
    store, packages = (
        make_store(tmp_path),
        [
            make_package(
                tmp_path / f"p{number}",
                {"a.js": f"function f{number}() {{}}\n"},
                f"p{number}",
            )
            for number in range(5)
        ],
    )
    build(store, *packages)
    sets = packages[:2], packages[1:3], packages[3:4]
    kept_seconds = 1_000.0

    old = time.time() - 2 * package_store._USE_SECONDS

    def age(is_aged: Callable[[Path], bool]) -> None:
        for path in filter(is_aged, store.top.path.rglob("*")):
            os.utime(path, (old, old))

    age(lambda path: True)
    for index in store.stored({}):  # checks the files; until they change, none is written again
        store.names(index.place)
    monkeypatch.setattr(package_build, "MOST_SETS", 1)
    for _ in range(2):  # with new tables of names, and with stored ones
        age(lambda path: path.is_dir() or path.suffix == ".checked" or ENVIRONMENTS in path.parts)
        for used in sets:
            assert Environment.open(used, store).missing() == []
        n_unused = len(store.stored({})) - 4
        assert len(prune(store, kept_seconds=kept_seconds)) == n_unused
        assert len(store.sets(ENVIRONMENTS)) == 1
        assert prune(store, kept_seconds=kept_seconds) == []
        assert [Environment.open(used, store).missing() for used in sets] == [[], [], []]
    assert Environment.open(packages, store).missing() == packages[4:]


@pytest.mark.parametrize(
    ("most_bytes", "kept_seconds", "dropped"),
    [
        (300, 1_000.0, ""),
        (299, 1_000.0, "c"),
        (200, 1_000.0, "c"),
        (99, 1_000.0, "abc"),
        (300, 25.0, "c"),
        (300, 15.0, "bc"),
        (100, 15.0, "bc"),
    ],
)
def test_what_is_dropped_first(most_bytes: int, kept_seconds: float, dropped: str) -> None:
    now = time.time()
    stored = [StoredIndex(place, 100, now - 10 * age) for age, place in enumerate("abc", start=1)]
    indexes = least_used(stored, most_bytes, kept_seconds)
    assert "".join(index.place for index in indexes) == dropped
