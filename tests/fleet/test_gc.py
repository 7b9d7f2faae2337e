"""What is deleted: what no recent generation needs, and nothing that is young."""

import os
import time
from pathlib import Path

import pytest

from symindex.errors import IndexFileError, RequestError
from symindex.fleet.stored.gc import YOUNG_SECONDS, collect
from symindex.fleet.stored.generation import name_of, publish
from tests.support.fleets import SmallFleet

_DAY = 86_400


def _age(fleet: SmallFleet, seconds: float, folder: str = "") -> None:
    """Makes all objects older."""
    for path in Path(fleet.address, folder).rglob("*"):
        if path.is_file():
            then = time.time() - seconds
            os.utime(path, (then, then))


def _changed(fleet: SmallFleet, number: int) -> None:
    fleet.put("google/gson", {"New.java": f"class Fresh{number} {{}}\n"})
    fleet.work().update()


def test_old_generations_go_with_what_only_they_need(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    _changed(fleet, 1)
    _age(fleet, 8 * _DAY)
    _changed(fleet, 2)
    trial = collect(fleet.store, 7, is_trial=True)
    report = collect(fleet.store, 7)
    assert trial == report
    # The first generation, and its object of gson. The second one was shown until a moment ago.
    assert (report.deleted, report.generations, report.kept) == (2, 2, 3)
    assert collect(fleet.store, 7).deleted == 0
    with fleet.open() as opened:
        assert opened.search("Fresh2").items[0].file_path == "google/gson/New.java"


def test_generations_of_the_last_days_stay_whole(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    _changed(fleet, 1)
    _age(fleet, 6 * _DAY)
    assert collect(fleet.store, 7).deleted == 0
    assert collect(fleet.store, 5).deleted == 2


@pytest.mark.parametrize(("seconds", "n_deleted"), [(-30, 0), (30, 1)])
def test_young_objects_stay(tmp_path: Path, seconds: float, n_deleted: int) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.store.write("repositories/ffff/unknown", b"x")
    _age(fleet, YOUNG_SECONDS + seconds, "repositories/ffff")
    assert collect(fleet.store, 0).deleted == n_deleted


def test_young_generations_stay_whole(tmp_path: Path) -> None:
    """Somebody may just have opened one, whatever `days` says."""
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    _changed(fleet, 1)
    _age(fleet, YOUNG_SECONDS - 60)
    assert collect(fleet.store, 0).deleted == 0


@pytest.mark.parametrize("folder", ["repositories/ffff", "shards", "portions/ffff"])
def test_what_nobody_needs_goes_from_each_folder(tmp_path: Path, folder: str) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    (shard,) = fleet.work().merge(most_loose=0).shards
    fleet.store.write(f"{folder}/unknown", b"xyz")
    _age(fleet, 2 * _DAY)
    report = collect(fleet.store, 7)
    assert (report.deleted, report.n_bytes) == (1, 3)
    assert not [stored for stored in fleet.store.list(folder) if "unknown" in stored.name]
    assert fleet.store.read(shard.object)
    assert not list(fleet.store.list("clock"))


def test_the_newest_generation_stays_however_old(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    _age(fleet, 1_000 * _DAY)
    assert collect(fleet.store, 0).deleted == 0


def test_a_wrong_clock_deletes_nothing_too_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.store.write("repositories/ffff/unknown", b"x")
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 100 * _DAY)
    assert collect(fleet.store, 0).deleted == 0


def test_nothing_is_deleted_if_a_generation_cannot_be_read(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.store.create(name_of(2), b"{}")
    fleet.store.write("repositories/ffff/unknown", b"x")
    _age(fleet, 100 * _DAY, "repositories")
    with pytest.raises(IndexFileError):
        collect(fleet.store)
    assert fleet.store.read("repositories/ffff/unknown") == b"x"


def test_days_below_zero_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="days is -1: it must be 0 or more"):
        collect(SmallFleet(tmp_path).store, -1)


def test_an_empty_store_has_nothing_to_delete(tmp_path: Path) -> None:
    report = collect(SmallFleet(tmp_path).store)
    assert (report.deleted, report.kept, report.generations) == (0, 0, 0)


def test_a_damaged_generation_of_the_past_counts_as_old(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.store.create(name_of(2), b"damaged")
    fleet.work().update()
    assert collect(fleet.store).deleted == 0
    _age(fleet, 8 * _DAY)
    assert collect(fleet.store).deleted == 2
    with fleet.open() as opened:
        assert opened.search("toJson").total == 1


def test_other_objects_among_generations_stay(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.store.write("generations/00000009.tmp", b"")
    _age(fleet, 8 * _DAY)
    assert collect(fleet.store).deleted == 0


def test_an_old_object_that_a_run_finds_again_becomes_young(tmp_path: Path) -> None:
    """Else a gc at the same moment deletes what the run is about to name."""
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.store.delete([name_of(1)])
    _age(fleet, 8 * _DAY)
    work = fleet.work()
    sync, _ = work._sync()
    index, _ = work._index(False)
    assert collect(fleet.store).deleted == 0
    publish(fleet.store, lambda generation: index(sync(generation)))
    with fleet.open() as opened:
        assert opened.search("toJson").total == 1
