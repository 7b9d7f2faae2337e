"""Each failure of the program `tests/bench/fleet_failures`, once or a few times: nothing wrong is
served, what is missing is said, and the next run heals it."""

import errno
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from symindex.errors import IndexFileError, RequestError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.fleet.building import build as build_module
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources import checkout
from symindex.fleet.stored import source_pack
from symindex.fleet.stored import store as store_module
from symindex.fleet.stored.generation import name_of
from symindex.fleet.stored.source_pack import unpack
from symindex.fleet.stored.store import Store
from symindex.fleet.work import FleetWork
from tests.bench.fleet_damage import damage_failures
from tests.bench.fleet_failing import CannotTryError, Failing, Row, process_failures
from tests.bench.fleet_servers import source_failures
from tests.fleet.repositories import commit, make_repository
from tests.support.fleets import TWO, SmallFleet

DAMAGE = {one.name: one for one in damage_failures()}
NIGHTLY = ("a clock an hour off",)
TIMES = {"a builder is killed": 3, "two updates at once": 2}
PROCESSES = {one.name: one for one in process_failures()}
SOURCES = {one.name: one for one in source_failures()}


def _check(failure: Failing, folder: Path, times: int = 1) -> None:
    row = Row(failure.name)
    try:
        failure.run(row, folder, random.Random(0), times)
    except CannotTryError as error:
        pytest.skip(f"{failure.name}: {error}")
    assert row.faults == []
    assert row.served and row.said and row.healed and row.times >= times


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PROCESSES if name not in NIGHTLY])
def test_processes(name: str, tmp_path: Path) -> None:
    _check(PROCESSES[name], tmp_path)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("name", PROCESSES)
def test_processes_several_times(name: str, tmp_path: Path) -> None:
    _check(PROCESSES[name], tmp_path, TIMES.get(name, 1))


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("name", DAMAGE)
def test_damage(name: str, tmp_path: Path) -> None:
    _check(DAMAGE[name], tmp_path)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SOURCES)
def test_sources(name: str, tmp_path: Path) -> None:
    _check(SOURCES[name], tmp_path)


@contextmanager
def _full_disk(folder: Path) -> Iterator[None]:
    """Lets no file be written below a folder."""

    def write(self: PrivateFolder, *_: object, **__: object) -> None:
        if self.path.is_relative_to(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PrivateFolder, "write", write)
        yield


def test_a_full_cache_disk_changes_no_answer(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    with _full_disk(tmp_path / "cache"), fleet.open() as opened:
        response = opened.search("toJson")
        assert [item.file_path for item in response.items] == ["google/gson/Gson.java"]
        assert not response.notices
        text = opened.source.texts["google/gson/Gson.java"]
        assert text == TWO["google/gson"]["Gson.java"].encode()
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


@pytest.mark.parametrize("part", ["index", "head", "table", "0"])
def test_a_damaged_copy_is_fetched_again(tmp_path: Path, part: str) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    path = "google/gson/Gson.java"
    with fleet.open() as opened:
        text = opened.source.texts[path]
        opened.search("toJson")
    copies = [
        copy
        for copy in (tmp_path / "cache").rglob("*")
        if copy.is_file()
        and (copy.name == part or (part == "index" and copy.name == "symbols.index"))
    ]
    assert copies
    for copy in copies:
        content = bytearray(copy.read_bytes())
        content[len(content) // 2] ^= 1
        copy.write_bytes(content)
    for marker in (tmp_path / "cache").rglob("*.checked"):
        marker.unlink()
    with fleet.open() as opened:
        assert opened.source.texts[path] == text
        response = opened.search("toJson")
        assert (response.total, response.notices or []) == (1, [])


def test_a_reader_shows_the_generation_before_a_damaged_one_and_says_so(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    with fleet.open() as running:
        fleet.store.create(name_of(2), b"x")
        assert not running.look()
        notices = running.search("toJson").notices
        assert notices and "generations/00000002 is damaged" in notices[0]
        with fleet.open() as opened:
            response = opened.search("toJson")
            assert response.total == 1
            assert (
                response.notices
                and "generation 2 is damaged, so generation 1 is shown" in (response.notices[0])
            )
            assert opened.status().notices == response.notices
        assert fleet.work().update().number == 3
        assert running.look()
        assert not running.search("toJson").notices


def test_a_reader_follows_a_store_that_has_lost_its_newest_generation(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.put("google/gson", {"New.java": "class Fresh {}\n"})
    fleet.work().update()
    with fleet.open() as opened:
        assert opened.search("Fresh").total == 1
        fleet.store.delete([name_of(2)])
        assert opened.look()
        assert opened.search("Fresh", fuzzy=False).total == 0


def test_a_notice_ends_when_the_store_answers_again(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    with fleet.open() as opened:
        with pytest.MonkeyPatch.context() as patched:

            def refuse(self: Store, *_: object, **__: object) -> None:
                raise StorageError("the store cannot be reached")

            patched.setattr(Store, "list", refuse)
            assert not opened.look()
        notices = opened.search("toJson").notices
        assert notices == ["a newer generation may be missing: the store cannot be reached"]
        assert not opened.look()
        assert not opened.search("toJson").notices


def test_a_store_with_damaged_generations_alone(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    fleet.store.create(name_of(1), b"x")
    with pytest.raises(RequestError, match="generation 1 is damaged, so nothing is shown"):
        fleet.open()
    assert fleet.work().update().number == 2


def test_whoever_verifies_says_what_was_damaged(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    built = fleet.work().update().repositories["google/gson"].built
    assert built is not None
    content = fleet.store.read(built.object)
    fleet.store.write(built.object, content[:-1] + bytes([content[-1] ^ 1]))
    assert fleet.work().update().number == 1
    assert fleet.store.read(built.object) != content
    work = fleet.work()
    work.index(verify=True)
    (report,) = work.reports
    assert (report.done, report.unchanged, report.written) == (1, 1, 1)
    (notice,) = report.notices
    assert notice.startswith(f"google/gson: {built.object}: damaged (wrong digest of a piece")
    assert fleet.store.read(built.object) == content


def test_a_damaged_object_whose_source_is_gone_is_said(tmp_path: Path) -> None:
    fleet = SmallFleet(tmp_path)
    built = fleet.work().update().repositories["google/gson"].built
    assert built is not None
    content = fleet.store.read(built.object)
    fleet.store.write(built.object, content[:-1] + bytes([content[-1] ^ 1]))
    (tmp_path / "one" / "fleet.kept").unlink()
    fleet.root("google/gson").rename(tmp_path / "gone")
    work = fleet.work()
    assert work.index(verify=True).repositories["google/gson"].failure is not None
    assert work.reports[0].failed.keys() == {"google/gson"}
    assert "damaged" in " ".join(work.reports[-1].notices)


def _git_fleet(folder: Path, repository: Path, machine: str = "ours") -> FleetWork:
    entry = Repository("team/r", "git", str(repository), place="fleet.toml: [[repository]] 1")
    return FleetWork(
        Store(str(folder / "store"), creates=True),
        [entry],
        folder / machine,
        Limits(seconds=60),
        n_workers=1,
    )


@pytest.mark.slow
def test_another_run_cannot_replace_files_that_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs share a folder of sources. The one that comes later waits, then says so."""
    repository = make_repository(tmp_path / "r", {"a.py": "def first(): ...\n"})
    work = _git_fleet(tmp_path, repository)
    pack = build_module.pack
    others: list[FleetWork] = []

    def pack_late(files: Iterator[tuple[str, bytes]]) -> object:
        packed = pack(files)
        commit(repository, {"a.py": "def second(): ...\n"})
        others.append(_git_fleet(tmp_path, repository))
        others[0].sync()
        return packed

    monkeypatch.setattr(build_module, "pack", pack_late)
    monkeypatch.setattr(checkout, "LOCK_SECONDS", 0.1)
    generation = work.update()
    monkeypatch.undo()
    assert "another process uses this repository" in others[0].reports[0].failed["team/r"]
    assert generation.repositories["team/r"].built is not None
    with SmallFleet(tmp_path).open() as opened:
        assert opened.search("first", fuzzy=False).total == 1
    healed = _git_fleet(tmp_path, repository).update().repositories["team/r"]
    assert healed.built is not None and healed.failure is None
    with SmallFleet(tmp_path).open() as opened:
        assert opened.search("second", fuzzy=False).total == 1


@pytest.mark.slow
def test_a_repository_that_is_rewritten_by_force(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "r", {"a.py": "def first(): ...\n"})
    first = _git_fleet(tmp_path, repository).update().repositories["team/r"]
    (repository / ".git").rename(tmp_path / "old")
    (repository / "a.py").unlink()
    repository.rename(tmp_path / "before")
    make_repository(repository, {"b.py": "def second(): ...\n"})
    again = _git_fleet(tmp_path, repository).update().repositories["team/r"]
    assert first.built is not None and again.built is not None
    assert (again.commit != first.commit, again.failure) == (True, None)
    with SmallFleet(tmp_path).open() as opened:
        assert opened.search("second").total == 1
        assert opened.search("first", fuzzy=False).total == 0


def test_an_object_as_large_as_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(str(tmp_path))
    monkeypatch.setattr(store_module, "MOST_OBJECT_BYTES", 10)
    store.write("a/1", b"x" * 10)
    assert len(store.read("a/1")) == 10
    store.write("a/2", b"x" * 11)
    with pytest.raises(StorageError, match="a/2: has 11 bytes, more than 10: it is none of ours"):
        store.read("a/2")


def test_a_frame_as_large_as_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    import zstandard

    monkeypatch.setattr(source_pack, "MOST_FRAME_BYTES", 100)
    assert unpack(zstandard.compress(b"x" * 100)) == b"x" * 100
    with pytest.raises(IndexFileError, match="a frame of more than 100 bytes"):
        unpack(zstandard.compress(b"x" * 101))
