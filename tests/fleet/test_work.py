"""The work on a fleet: each step does only what is lacking, from any machine."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from symindex.fleet import work as module
from symindex.fleet.building.executors import run_locally
from symindex.fleet.catalogue.repository import Repository
from symindex.fleet.stored.generation import Generation, newest_generation
from symindex.fleet.work import share_of
from tests.support.fleets import TWO, SmallFleet


def _objects(fleet: SmallFleet) -> set[str]:
    return {stored.name for stored in fleet.store.list("repositories")}


def _found(fleet: SmallFleet, query: str, cache: str = "cache") -> list[str]:
    with fleet.open(cache) as opened:
        return [f"{item.file_path}:{item.line}" for item in opened.search(query).items]


def test_what_is_indexed_is_found(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    work = fleet.work()
    generation = work.update()
    assert generation.number == 1
    assert [(report.step, report.done, report.failed) for report in work.reports] == [
        ("sync", 2, {}),
        ("index", 2, {}),
    ]
    assert work.reports[-1].written == 3
    assert _found(fleet, "Gson")[:1] == ["google/gson/Gson.java:2"]
    assert _found(fleet, "run_command") == ["pallets/click/src/core.py:8"]


def test_a_second_run_writes_nothing(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    before = sorted(path for path in (tmp_path / "store").rglob("*") if path.is_file())
    for machine in ("one", "two"):
        work = fleet.work(machine=machine)
        assert work.update().number == 1
        assert [report.written for report in work.reports] == [0, 0]
        assert work.reports[1].unchanged == 2
    assert sorted(path for path in (tmp_path / "store").rglob("*") if path.is_file()) == before


def test_a_change_writes_one_object_and_a_generation(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    before = _objects(fleet)
    fleet.put("google/gson", {"New.java": "class Fresh {}\n"})
    work = fleet.work()
    assert work.update().number == 2
    assert sum(report.written for report in work.reports) == 2
    assert len(_objects(fleet) - before) == 1
    assert _found(fleet, "Fresh") == ["google/gson/New.java:1"]


def test_every_machine_makes_the_same_objects(tmp_path: Path) -> None:
    one, two = SmallFleet(tmp_path / "one"), SmallFleet(tmp_path / "elsewhere" / "two")
    for path in (tmp_path / "one" / "source").rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    one.work().update()
    two.work().update()
    assert _objects(one) == _objects(two)
    for name in _objects(one):
        assert one.store.read(name) == two.store.read(name)


def test_a_repository_that_is_gone_is_not_found(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.names.remove("google/gson")
    assert list(fleet.work(is_whole=False).update().repositories) == list(sorted(TWO))
    assert list(fleet.work().update().repositories) == ["pallets/click"]
    assert _found(fleet, "toJson") == []


def test_a_failure_keeps_what_is_served(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    shutil.rmtree(fleet.root("google/gson"))
    work = fleet.work()
    first = work.update().repositories["google/gson"]
    assert first.built is not None
    assert first.failure is not None and first.failure.step == "sync"
    assert "no such folder" in work.reports[0].failed["google/gson"]
    assert _found(fleet, "toJson") == ["google/gson/Gson.java:3"]
    assert fleet.work().update().repositories["google/gson"].failure == first.failure
    fleet.put("google/gson", TWO["google/gson"])
    assert fleet.work().update().repositories["google/gson"].failure is None


def test_an_empty_repository_is_served(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path, {"owner/empty": {}, "owner/binary": {"a.bin": "\0"}})
    generation = fleet.work().update()
    assert all(state.built is not None for state in generation.repositories.values())
    assert _found(fleet, "anything") == []


def test_index_and_merge_one_after_the_other(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    assert fleet.work().sync().repositories["google/gson"].built is None
    assert fleet.work().index().loose().keys() == TWO.keys()
    assert fleet.work().merge().shards == []
    merged = fleet.work().merge(most_loose=0)
    assert [sorted(shard.members) for shard in merged.shards] == [sorted(TWO)]
    assert not merged.loose()
    assert _found(fleet, "run_command") == ["pallets/click/src/core.py:8"]
    fleet.put("pallets/click", {"src/core.py": "\n\ndef run_command(): ...\n"})
    changed = fleet.work().update()
    assert list(changed.loose()) == ["pallets/click"]
    assert _found(fleet, "run_command") == ["pallets/click/src/core.py:3"]


def test_more_than_the_limit_is_merged(tmp_path: Path) -> None:
    names = [f"owner/repository{number:02}" for number in range(module.MOST_LOOSE + 1)]
    fleet = SmallFleet(tmp_path, {name: {"a.py": f"def in_{name[-2:]}(): ...\n"} for name in names})
    work = fleet.work()
    generation = work.update()
    assert (generation.number, len(generation.shards)) == (2, 1)
    assert work.reports[-1].step == "merge"
    assert _found(fleet, "in_07") == ["owner/repository07/a.py:1"]


def test_an_object_that_the_store_has_lost_is_made_again(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    generation = fleet.work().update()
    built = generation.repositories["google/gson"].built
    assert built is not None
    fleet.store.delete([built.object])
    with fleet.open() as opened:
        response = opened.search("toJson")
    assert response.total == 0
    assert response.notices and "not searched: google/gson" in response.notices[0]
    assert fleet.work().update().repositories["google/gson"].built == built
    assert _found(fleet, "toJson") == ["google/gson/Gson.java:3"]


def test_a_cut_object_is_made_again(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    built = fleet.work().update().repositories["google/gson"].built
    assert built is not None
    content = fleet.store.read(built.object)
    for part in content[:-10], content[:60], b"":
        fleet.store.write(built.object, part)
        fleet.work().update()
        assert fleet.store.read(built.object) == content


def test_a_lost_shard_is_made_again(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().index()
    (shard,) = fleet.work().merge(most_loose=0).shards
    fleet.store.delete([shard.object])
    with fleet.open() as opened:
        response = opened.search("toJson")
    assert response.notices and "not searched: google/gson, pallets/click" in response.notices[0]
    assert fleet.work().update().shards == []  # They are few enough to be searched one by one.
    assert _found(fleet, "toJson") == ["google/gson/Gson.java:3"]


def test_a_run_that_died_before_it_said_so_is_not_done_again(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    for stored in list(fleet.store.list("generations")):
        fleet.store.delete([stored.name])
    work = fleet.work(machine="two")
    generation = work.update()
    assert work.reports[1].done == 2
    assert work.reports[1].written == 1
    assert all(state.built and state.built.symbols for state in generation.repositories.values())
    assert _found(fleet, "toJson") == ["google/gson/Gson.java:3"]


def test_another_version_indexes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    objects = _objects(fleet)

    def age(generation: Generation) -> Generation:
        return msgspec.structs.replace(generation, rules="00")

    module.publish(fleet.store, age)
    with pytest.raises(module.SymindexError, match=r"made by symindex .* or with other languages"):
        fleet.open()
    work = fleet.work()
    assert work.update().rules == work.rules.hex()
    assert _objects(fleet) == objects  # The same rules give the same objects.
    assert _found(fleet, "toJson") == ["google/gson/Gson.java:3"]


def test_shares_are_a_division() -> None:
    repositories = [Repository(f"owner/{number}", "folder", "/x") for number in range(200)]
    shares = [share_of(repositories, number, 7) for number in range(1, 8)]
    assert sorted(one.name for share in shares for one in share) == sorted(
        one.name for one in repositories
    )
    assert min(map(len, shares)) > 10
    assert share_of(repositories, 1, 1) == repositories


def test_shares_together_make_the_whole(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path, {f"owner/{n}": {"a.py": f"def f{n}(): ...\n"} for n in range(6)})
    every = list(fleet.names)
    for number in range(1, 4):
        repositories = [Repository(name, "folder", "/x") for name in every]
        fleet.names = [one.name for one in share_of(repositories, number, 3)]
        fleet.work(is_whole=False, machine=f"machine{number}").update()
    generation = newest_generation(fleet.store)
    assert sorted(generation.repositories) == sorted(every)
    assert all(_found(fleet, f"f{n}") for n in range(6))


def test_progress_counts_every_repository(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    calls: list[tuple[str, int, int]] = []
    work = fleet.work()
    work._progress = lambda *call: calls.append(call)
    work.update()
    assert calls == [("sync", 1, 2), ("sync", 2, 2), ("index", 1, 2), ("index", 2, 2)]
    assert run_locally([], fleet.store) is not None


def test_what_leaves_the_catalogue_is_named(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.names.remove("google/gson")
    work = fleet.work(is_whole=False)
    work.update()
    assert work.reports[0].removed == []
    work = fleet.work()
    work.update()
    assert work.reports[0].removed == ["google/gson"]


def test_a_damaged_shard_is_merged_again(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().index()
    (shard,) = fleet.work().merge(most_loose=0).shards
    content = bytearray(fleet.store.read(shard.object))
    content[-1] ^= 1
    fleet.store.write(shard.object, bytes(content))
    work = fleet.work()
    work.merge(most_loose=0, verify=True)
    assert any("; done without it" in notice for notice in work.reports[-1].notices)
    assert _found(fleet, "run_command", "another cache") == ["pallets/click/src/core.py:8"]


def test_a_name_within_another_is_left_out_and_said(tmp_path: Path) -> None:
    """Two shares of a catalogue, before and after a renaming."""
    fleet = SmallFleet(tmp_path, {"acme": {"a.py": "def outer(): ...\n"}})
    fleet.work().update()
    fleet.put("acme/web", {"a.py": "def inner(): ...\n"})
    fleet.names.remove("acme")
    fleet.work(is_whole=False).update()
    with fleet.open() as opened:
        assert opened.search("outer").total == 1
        response = opened.search("inner", fuzzy=False)
        assert response.total == 0
        assert response.notices and "acme/web" in response.notices[0]
    fleet.work().update()
    assert _found(fleet, "inner") == ["acme/web/a.py:1"]
