"""Batches: how they are divided, and what a repository that cannot be read does to the others."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from symindex.errors import StorageError
from symindex.files.skips import SkipReason
from symindex.files.walk import MAX_FILE_BYTES
from symindex.fleet.building import tasks as module
from symindex.fleet.building.build import Result
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
from symindex.fleet.stored.repository_object import HEAD_BYTES, head_length
from symindex.fleet.stored.store import Store
from symindex.fleet.work import FleetWork
from tests.fleet.repositories import make_repository
from tests.support.fleets import SmallFleet
from tests.support.limits import set_limit


def _item(name: str, n_bytes: int) -> BatchItem:
    return BatchItem(Repository(name, "folder", "/x"), Source(), n_bytes=n_bytes)


def test_the_large_ones_are_first() -> None:
    sizes = {"a": 1, "b": 50, "c": 10, "d": 10, "e": 40}
    batches = cut_batches([_item(name, size) for name, size in sizes.items()], 50, 0)
    assert [[item.repository.name for item in batch] for batch in batches] == [
        ["b"],
        ["e", "c"],
        ["d", "a"],
    ]
    assert cut_batches([]) == []


def test_small_repositories_count_too() -> None:
    items = [_item(str(number), 10) for number in range(10)]
    assert [len(batch) for batch in cut_batches(items, 100, 0)] == [10]
    assert [len(batch) for batch in cut_batches(items, 100, 15)] == [4, 4, 2]


class Git:
    """Two repositories of git, and the work on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Store(str(folder / "store"), creates=True)
        self.repositories = []
        for name in "one", "two":
            place = make_repository(folder / name, {"a.py": f"def in_{name}(): ...\n"})
            self.repositories.append(Repository(f"acme/{name}", "git", str(place)))

    def work(self, machine: str = "ours") -> FleetWork:
        limits = Limits(seconds=60)
        return FleetWork(self.store, self.repositories, self.folder / machine, limits, n_workers=1)

    def batch(self) -> Batch:
        work = self.work()
        work.sync()
        (batch,) = work._batches(newest_generation(self.store))
        return batch


def _whys(results: Sequence[Result]) -> dict[str, str]:
    return {result.name: result.why for result in results}


def test_a_repository_that_another_process_updates_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HOLD_SECONDS", 0.05)
    git = Git(tmp_path)
    batch = git.batch()
    one, _ = git.repositories
    with held(one, Path(batch.folder), 0):
        whys = _whys([*run_batch(batch)])
    assert whys["acme/two"] == ""
    assert "another process" in whys["acme/one"]
    assert _whys([*run_batch(batch)]) == {"acme/one": "", "acme/two": ""}


def test_a_repository_is_free_once_it_is_done(tmp_path: Path) -> None:
    git = Git(tmp_path)
    batch = git.batch()
    by_name = {one.name: one for one in git.repositories}
    first = True
    for result in run_batch(batch):
        with held(by_name.pop(result.name), Path(batch.folder), 0):
            pass
        if first:
            for other in by_name.values():
                with pytest.raises(StorageError), held(other, Path(batch.folder), 0):
                    pass
        first = False
    assert not by_name


def test_a_machine_without_the_files_fetches_them(tmp_path: Path) -> None:
    batch = Git(tmp_path).batch()
    items = [
        msgspec.structs.replace(item, source=msgspec.structs.replace(item.source, root=root))
        for item, root in zip(batch.items, ("", str(tmp_path / "gone")), strict=True)
    ]
    elsewhere = msgspec.structs.replace(batch, items=items, folder=str(tmp_path / "elsewhere"))
    results = [*run_batch(elsewhere)]
    assert [result.why for result in results] == ["", ""]
    served = {result.name: result.built for result in results}
    assert {result.name: result.built for result in run_batch(batch)} == served


def test_what_is_served_is_not_looked_at(tmp_path: Path) -> None:
    """A commit that is known needs neither files nor the store."""
    git = Git(tmp_path)
    git.work().update()
    work = git.work("another")
    work.sync()
    (batch,) = work._batches(newest_generation(git.store))
    assert [item.source.root for item in batch.items] == ["", ""]
    assert all(item.served for item in batch.items)
    unreachable = msgspec.structs.replace(batch, folder=str(tmp_path / "nowhere"))
    results = [*run_batch(unreachable, git.store)]
    assert [result.built and result.built.object for result in results] == [
        item.served for item in batch.items
    ]
    assert not any(path.is_dir() for path in (tmp_path / "nowhere").glob("*"))


def test_one_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    work = fleet.work()
    work.sync()
    (batch,) = work._batches(newest_generation(fleet.store))
    os.rename(fleet.root("google/gson"), tmp_path / "away")
    fleet.root("google/gson").write_text("a file")
    whys = _whys([*run_batch(batch)])
    assert whys["pallets/click"] == ""
    assert "google-gson" in whys["google/gson"] and "\n" not in whys["google/gson"]


def test_an_object_whose_head_is_long_is_found(tmp_path: Path) -> None:
    """The files that are not read are named in the head."""
    name = "x" * 200
    fleet = SmallFleet(tmp_path, {"a/b": {"a.py": "def f(): ...\n"}})
    for number in range(50):
        folder = fleet.root("a/b").joinpath(*[name] * 7)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.py").touch()
        os.truncate(folder / f"{number}.py", MAX_FILE_BYTES + 1)
    built = fleet.work().update().repositories["a/b"].built
    assert built is not None and len(built.skips) == 50
    key = built.object.split("/")[1]
    found = find_object(fleet.store, key)
    assert found is not None and found.skips == built.skips
    assert head_length(fleet.store.read(built.object, 0, 16), "x") > HEAD_BYTES


@pytest.mark.nightly
def test_a_file_that_takes_too_long_is_left_out_and_counted(
    tmp_path: Path, hanging_language: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = "symindex.fleet.building.reading_plan"
    set_limit(monkeypatch, reading, "FILE_SECONDS", 0.3)
    fleet = SmallFleet(tmp_path, {"a/b": {"a.py": "def kept(): ...\n", "x.hang": "x"}})
    built = fleet.work().update().repositories["a/b"].built
    assert built is not None
    assert (built.symbols, built.left_out) == (1, {str(SkipReason.TIME_LIMIT): 1})
