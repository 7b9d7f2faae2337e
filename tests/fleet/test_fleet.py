"""An open fleet: it follows its store, serves one generation at a time, and says what it lacks."""

import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from symindex.errors import IndexFileError, RequestError, StorageError
from symindex.fleet import fleet as module
from symindex.fleet.fleet import Fleet, open_fleet
from symindex.fleet.stored.generation import (
    Generation,
    Shard,
    name_of,
    newest_generation,
    publish,
)
from tests.support.fleets import SmallFleet
from tests.support.waiting import until


@pytest.fixture
def small(tmp_path: Path) -> SmallFleet:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    return fleet


def _paths(fleet: Fleet, query: str) -> list[str]:
    return [item.file_path for item in fleet.search(query).items]


def _notices(fleet: Fleet) -> list[str]:
    return fleet.search("toJson").notices or []


def _add(small: SmallFleet, number: int) -> Generation:
    small.put("google/gson", {"Fresh.java": f"class Fresh{number} {{}}\n"})
    return small.work().update()


def test_a_newer_generation_replaces_the_old_one(small: SmallFleet) -> None:
    with small.open() as fleet:
        assert not fleet.look()
        _add(small, 1)
        assert _paths(fleet, "Fresh1") == []
        assert fleet.look()
        assert _paths(fleet, "Fresh1") == ["google/gson/Fresh.java"]
        assert not fleet.look()
        assert fleet.status().generation == 2
        assert not fleet.source.why_incomplete()


def test_a_fleet_follows_its_store(small: SmallFleet) -> None:
    with small.open() as fleet:
        fleet.source.follow(0.01)
        _add(small, 1)
        until(lambda: _paths(fleet, "Fresh1"), "the new generation")
    follower = fleet.source._follower
    assert follower is not None and not follower.is_alive()
    _add(small, 2)
    assert fleet.status().generation == 2


def test_closing_does_not_wait_for_a_silent_store(
    small: SmallFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()
    asked = threading.Event()

    def silent(*_: object) -> int:
        asked.set()
        answered.wait(60)
        return 1

    fleet = small.open()
    monkeypatch.setattr(module, "newest_number", silent)
    monkeypatch.setattr(module, "CLOSING_SECONDS", 0.05)
    fleet.source.follow(0.001)
    assert asked.wait(60)
    began = time.monotonic()
    fleet.close()
    assert time.monotonic() - began < 30
    assert not fleet.look()  # The thread that follows is still at it.
    answered.set()


def test_one_that_cannot_be_opened_whole_does_not_replace_it(small: SmallFleet) -> None:
    with small.open() as fleet:
        built = _add(small, 1).repositories["google/gson"].built
        assert built is not None
        content = small.store.read(built.object)
        small.store.delete([built.object])
        assert not fleet.look()
        assert _paths(fleet, "toJson") == ["google/gson/Gson.java"]
        (notice,) = _notices(fleet)
        assert "generation 2 cannot be opened whole: not searched: google/gson (" in notice
        small.store.write(built.object, content)
        assert fleet.look()
        assert _paths(fleet, "Fresh1") == ["google/gson/Fresh.java"]
        assert not _notices(fleet)


def test_one_that_is_damaged_does_not_replace_it(small: SmallFleet) -> None:
    with small.open() as fleet:
        small.store.create(name_of(2), b"{")
        assert not fleet.look()
        (notice,) = _notices(fleet)
        assert "a newer generation" in notice and "\n" not in notice
        assert _paths(fleet, "toJson") == ["google/gson/Gson.java"]


def test_one_of_another_version_does_not_replace_it(small: SmallFleet) -> None:
    with small.open() as fleet:
        publish(small.store, lambda one: msgspec.structs.replace(one, rules="00"))
        assert not fleet.look()
        (notice,) = _notices(fleet)
        assert "with other languages; use that version" in notice
        assert _paths(fleet, "toJson") == ["google/gson/Gson.java"]


def test_what_was_missing_comes_back(small: SmallFleet) -> None:
    built = newest_generation(small.store).repositories["google/gson"].built
    assert built is not None
    content = small.store.read(built.object)
    small.store.delete([built.object])
    with small.open() as fleet:
        before = fleet.source.opened
        assert not fleet.look()
        assert fleet.source.opened is before  # It keeps its caches while nothing changes.
        assert "not searched: google/gson" in _notices(fleet)[0]
        assert [item.name for item in fleet.search("").items] == ["pallets/click"]
        small.store.write(built.object, content)
        assert fleet.look()
        assert _paths(fleet, "toJson") == ["google/gson/Gson.java"]
        assert not _notices(fleet)


@pytest.mark.parametrize(
    "name", ["..", "../../etc", "/etc/passwd", "a\0b", "a" * 300, "", "shards/../../x", "\n", "A"]
)
@pytest.mark.parametrize("is_shard", [False, True])
def test_odd_names_of_objects_lead_nowhere(small: SmallFleet, name: str, is_shard: bool) -> None:
    def change(generation: Generation) -> Generation:
        state = generation.repositories["google/gson"]
        assert state.built is not None
        built = state.built if is_shard else msgspec.structs.replace(state.built, object=name)
        members = {state.name: built.object}
        shard = Shard(prefix="", object=name, n_bytes=1, symbols=1, members=members)
        states = generation.repositories | {state.name: msgspec.structs.replace(state, built=built)}
        return msgspec.structs.replace(
            generation, repositories=states, shards=[shard] if is_shard else []
        )

    publish(small.store, change)
    before = sorted(small.folder.rglob("*"))
    with small.open() as fleet:
        (notice,) = _notices(fleet)
        assert "not searched: google/gson (" in notice and "\n" not in notice
        assert _paths(fleet, "run_command") == ["pallets/click/src/core.py"]
    new = {path.relative_to(small.folder) for path in small.folder.rglob("*")} - {
        path.relative_to(small.folder) for path in before
    }
    assert {path.parts[0] for path in new} <= {"cache"}


def test_a_generation_may_be_chosen(small: SmallFleet) -> None:
    _add(small, 1)
    with open_fleet(small.address, small.folder / "cache", 1) as fleet:
        assert _paths(fleet, "Fresh1") == []
        assert fleet.status().generation == 1
    with pytest.raises(StorageError, match="00000003 is not in the store"):
        open_fleet(small.address, small.folder / "cache", 3)


def test_a_store_without_a_fleet(tmp_path: Path) -> None:
    small = SmallFleet(tmp_path)
    assert small.store
    with pytest.raises(RequestError, match="nothing is indexed in this store yet"):
        small.open()
    small.work().sync()
    with pytest.raises(RequestError, match="nothing is indexed in this store yet"):
        small.open()


def test_every_answer_is_of_one_generation(small: SmallFleet) -> None:
    """While ten generations are published, a thread searches in a loop. Each generation has two
    files with its number, in two repositories."""

    def change(number: int) -> None:
        for name in small.names:
            small.put(name, {"number.py": f"def pair(): return {number}\ndef at_{number}(): ...\n"})
        small.work().update()

    change(0)
    answers: list[tuple[int, set[str]]] = []
    ended = threading.Event()

    def search() -> None:
        while not ended.is_set():
            found = fleet.search("at_", paths=["**/number.py"])
            names = [item.name for item in found.items if item.name.startswith("at_")]
            answers.append((len(names), set(names)))

    with small.open() as fleet:
        thread = threading.Thread(target=search)
        thread.start()
        fleet.source.follow(0.005)
        for number in range(1, 11):
            change(number)
        until(lambda: answers and answers[-1] == (2, {"at_10"}), "the last generation")
        ended.set()
        thread.join()
    assert {names for names in map(len, (names for _, names in answers))} == {1}
    assert {count for count, _ in answers} == {2}
    assert len({min(names) for _, names in answers}) > 2


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[: len(data) // 2], lambda data: data[:200] + bytes(len(data) - 200)],
    ids=["cut", "zeros"],
)
def test_an_index_that_is_damaged_while_it_is_open(
    small: SmallFleet, damage: Callable[[bytes], bytes]
) -> None:
    """The file of a local copy is changed in place: it is fetched again."""
    small.work().merge(most_loose=0)
    with small.open() as fleet:
        assert _paths(fleet, "toJson") == ["google/gson/Gson.java"]
        for path in (small.folder / "cache").rglob("symbols.index"):
            content = damage(path.read_bytes())
            with path.open("r+b") as file:
                file.truncate(len(content))
                file.write(content)
        assert _paths(fleet, "toJson") == ["google/gson/Gson.java"]
        assert _paths(fleet, "run_command") == ["pallets/click/src/core.py"]
        assert fleet.source.n_repairs == 1
        assert not _notices(fleet)
        error = IndexFileError("about something else")
        assert not fleet.source.repair(error)


def test_the_status_tells_what_is_served(small: SmallFleet) -> None:
    shutil.rmtree(small.root("google/gson"))
    small.work().update()
    small.names.append("acme/nothing")
    small.work().update()

    def behind(generation: Generation) -> Generation:
        states = dict(generation.repositories)
        click = states["pallets/click"]
        assert click.built is not None
        built = msgspec.structs.replace(click.built, commit="old", at=2**40)
        states["pallets/click"] = msgspec.structs.replace(click, commit="new", built=built)
        return msgspec.structs.replace(generation, repositories=states)

    publish(small.store, behind)
    with small.open() as fleet:
        status = fleet.status()
    assert status.states == {"current": 0, "behind": 1, "failed": 1, "missing": 1}
    assert (status.generation, status.shards, status.loose) == (4, 0, 2)
    rows = {row.name: row for row in status.repositories}
    assert [rows[name].state for name in sorted(rows)] == ["missing", "failed", "behind"]
    assert (rows["pallets/click"].commit, rows["pallets/click"].newest) == ("old", "new")
    assert rows["pallets/click"].age_seconds == 0  # of a machine whose clock is ahead
    failure = rows["google/gson"].failure
    assert failure is not None and failure.step == "sync" and "no such folder" in failure.why
    assert rows["google/gson"].symbols == 2
    assert rows["acme/nothing"].age_seconds is None
    assert status.symbols == sum(row.symbols for row in rows.values()) == 5
    assert status.files == 4
    assert os.path.samefile(status.store, small.address)
