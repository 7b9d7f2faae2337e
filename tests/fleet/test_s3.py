"""A store that speaks S3: the five verbs, two writers, ranges, a whole fleet, wrong keys, and slow
answers, against SeaweedFS."""

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from symindex.errors import StorageError
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.fleet import open_fleet
from symindex.fleet.stored.gc import collect
from symindex.fleet.stored.store import MissingObjectError, Store
from symindex.fleet.work import FleetWork
from tests.bench.fleet_failing import Failing, Row
from tests.bench.fleet_servers import server_failures
from tests.support.fleets import TWO
from tests.support.object_store import ObjectStore, needs_weed, object_store

pytestmark = [pytest.mark.nightly, needs_weed]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with object_store(tmp_path_factory.mktemp("weed")) as running:
        yield running


@pytest.fixture
def store(
    server: ObjectStore, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Store:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return Store(f"s3://fleet/{abs(hash(request.node.name))}")


def test_the_five_verbs(store: Store) -> None:
    store.write("things/a", b"0123456789")
    assert store.read("things/a") == b"0123456789"
    assert store.create("things/b", b"first")
    assert not store.create("things/b", b"second")
    assert store.read("things/b") == b"first"
    assert [(one.name, one.n_bytes) for one in store.list("things")] == [
        ("things/a", 10),
        ("things/b", 5),
    ]
    assert [one.name for one in store.list("things", after="things/a")] == ["things/b"]
    store.delete(["things/a", "things/b", "things/c"])
    assert not list(store.list("things"))
    with pytest.raises(MissingObjectError, match="things/a is not in the store"):
        store.read("things/a")


@pytest.mark.parametrize(
    ("start", "n_bytes", "expected"),
    [(0, 3, b"012"), (2, 3, b"234"), (8, 100, b"89"), (10, 5, b""), (50, 5, b"")],
)
def test_ranges(store: Store, start: int, n_bytes: int, expected: bytes) -> None:
    store.write("a", b"0123456789")
    assert store.read("a", start, n_bytes) == expected


def test_a_large_object(store: Store) -> None:
    content = bytes(range(256)) * 100_000
    store.write("large", content)
    assert store.read("large") == content
    assert store.read("large", 20_000_000, 256) == content[20_000_000:20_000_256]


def test_of_two_writers_one_creates(store: Store) -> None:
    won: list[tuple[int, int]] = []

    def write(writer: int) -> None:
        for number in range(20):
            if store.create(f"numbers/{number:02}", str(writer).encode()):
                won.append((number, writer))

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(number for number, _ in won) == list(range(20))
    for number, writer in won:
        assert store.read(f"numbers/{number:02}") == str(writer).encode()


def test_more_objects_than_one_request_lists(store: Store) -> None:
    for number in range(1_001):
        store.write(f"many/{number:04}", b"")
    assert len(list(store.list("many"))) == 1_001


def test_an_update_and_a_search(store: Store, tmp_path: Path) -> None:
    for name, files in TWO.items():
        for path, text in files.items():
            place = tmp_path / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
    repositories = [Repository(name, "folder", str(tmp_path / name)) for name in TWO]
    work = FleetWork(store, repositories, tmp_path / "ours", Limits(), n_workers=1)
    assert work.update().number == 1
    assert work.update().number == 1
    with open_fleet(store.address, tmp_path / "cache") as fleet:
        (item,) = fleet.search("toJson").items
        assert (item.file_path, item.line) == ("google/gson/Gson.java", 3)
        source = TWO["google/gson"]["Gson.java"].encode()
        assert fleet.source.texts["google/gson/Gson.java"] == source
    report = collect(store, 0)
    assert (report.deleted, report.kept, report.generations) == (0, 2, 1)


def test_wrong_keys_are_said_without_them(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-the-secret")
    denied = Store(store.address)
    for ask in (
        lambda: denied.read("a"),
        lambda: list(denied.list("a")),
        lambda: denied.create("a", b"x"),
        lambda: denied.write("a", b"x"),
    ):
        with pytest.raises(StorageError, match="denies access") as caught:
            ask()
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.timeout(500)  # one store answers a second late, some hundred times
@pytest.mark.parametrize("failure", server_failures(), ids=lambda failure: failure.name)
def test_failures(failure: Failing, tmp_path: Path) -> None:
    row = Row(failure.name)
    failure.run(row, tmp_path, random.Random(0), 1)
    assert row.faults == []
