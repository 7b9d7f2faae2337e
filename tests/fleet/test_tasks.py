"""Batches: how they are divided, and what a repository that cannot be read does to the others."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from symindex.errors import StorageError
from symindex.fleet.building import tasks as module
from symindex.fleet.building.build import Result
from symindex.fleet.building.reading_plan import KnownContent
from symindex.fleet.building.tasks import (
    Batch,
    BatchItem,
    Source,
    cut_batches,
    find_object,
    run_batch,
)
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.sync import held
from symindex.fleet.stored.generation import newest_generation
from symindex.fleet.stored.repository_object import HEAD_BYTES
from symindex.fleet.stored.store import Store
from symindex.fleet.work import FleetWork
from tests.fleet.repositories import commit_files, make_repository
from tests.support.fleets import SmallFleet
from tests.support.limits import set_limit


def _item(name: str, n_bytes: int) -> BatchItem:
    return BatchItem(Repository(name, "folder", "/x"), Source(), n_bytes=n_bytes)


def test_the_large_ones_are_first() -> None:
    sizes = {"a": 1, "b": 50, "c": 10, "d": 10, "e": 40}
    batches = cut_batches([_item(name, size) for name, size in sizes.items()], 50)
    assert [[item.repository.name for item in batch] for batch in batches] == [
        ["b"],
        ["e", "c"],
        ["d", "a"],
    ]
    assert cut_batches([]) == []
