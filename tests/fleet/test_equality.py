"""A fleet answers as one index of all its repositories would: rows, totals, notices and tokens.

The repositories are installed packages of this environment, which nobody here wrote.
"""

import shutil
import site
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import symindex
from symindex.fleet.fleet import Fleet
from symindex.protocol.search import SearchRequest
from symindex.workspace.workspace import Workspace
from tests.support.fleet_queries import answer_of, draw_queries
from tests.support.fleets import SmallFleet

N_REPOSITORIES: Final = 40
"""Repositories in the nightly lane; a push has N_FEW, which are as mixed."""

N_FEW: Final = 12
MOST_BYTES: Final = 16_000_000
N_QUERIES: Final = 200

_LEFT_OUT: Final = shutil.ignore_patterns("*.so", "*.pyc", "__pycache__", "*.pyd", "*.dll")


class Both(NamedTuple):
    """A fleet, and one index of the same files."""

    fleet: Fleet
    whole: Workspace


def _packages(most: int) -> Iterator[Path]:
    """Yields packages of this environment, up to the limits; the largest are left out."""
    total = count = 0
    for folder in map(Path, site.getsitepackages()):
        for path in sorted(folder.iterdir()):
            if not path.is_dir() or path.name.endswith("-info") or path.name == "symindex":
                continue
            size = sum(file.stat().st_size for file in path.rglob("*.py"))
            if 0 < size < MOST_BYTES // 8 and total + size < MOST_BYTES:
                total += size
                count += 1
                yield path
            if count == most:
                return


@pytest.fixture(
    scope="module", params=[N_FEW, pytest.param(N_REPOSITORIES, marks=pytest.mark.nightly)]
)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    """Shards, repositories beside them, and repositories that were changed after the merge."""
    folder = tmp_path_factory.mktemp("fleet")
    small = SmallFleet(folder, {})
    every = folder / "whole"
    for number, path in enumerate(_packages(request.param)):
        name = f"owner{number % 3}/{path.name.replace('.', '_')}"
        for target in every / name, small.root(name):
            shutil.copytree(path, target, ignore=_LEFT_OUT)
        small.put(name, {})
    assert len(small.names) >= request.param // 2
    small.names, late = small.names[:-4], small.names[-4:]
    changed = small.names[1:20:3]
    for name in changed:
        small.put(name, {"before.py": "class BeforeTheChange: ...\n"})
    small.work().update()
    small.work().merge(most_loose=0)
    small.names += late
    for name in changed:
        (small.root(name) / "before.py").unlink()
    generation = small.work().update()
    assert generation.shards and len(generation.loose()) == len(changed) + len(late)
    with small.open() as fleet, symindex.open(every, folder / "index") as whole:
        whole.refresh()
        yield Both(fleet, whole)


def test_the_files_are_those_of_one_index(both: Both) -> None:
    fleet, whole = both.fleet.source.opened.snapshot, both.whole.source.view().snapshot
    assert (fleet.n_files, fleet.n_symbols) == (whole.n_files, whole.n_symbols)
    assert fleet.generation == whole.generation


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 4))]
)
def test_each_answer_is_that_of_one_index(both: Both, seed: int) -> None:
    queries = draw_queries(both.whole.source.view().snapshot, N_QUERIES // 4, seed)
    for request in queries:
        assert answer_of(both.fleet, request) == answer_of(both.whole, request), request.query


def test_pages_follow_one_another(both: Both) -> None:
    token, n_pages = None, 0
    while n_pages < 5:
        request = SearchRequest(query="get", max_items=7, pagination_id=token)
        answer = answer_of(both.fleet, request)
        assert answer == answer_of(both.whole, request)
        token = answer["pagination_id"]
        n_pages += 1
    assert token


def test_what_was_changed_is_not_found_any_more(both: Both) -> None:
    assert both.fleet.search("BeforeTheChange", fuzzy=False).total == 0
