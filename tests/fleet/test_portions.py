"""A large repository in portions: the same bytes, whoever makes them."""

from collections.abc import Generator, Sequence
from pathlib import Path

import msgspec
import pytest

from symindex.errors import IndexFileError
from symindex.fleet.building import build as module
from symindex.fleet.building import executors
from symindex.fleet.building.build import RepositoryChangedError, Result
from symindex.fleet.building.executors import in_portions, run_locally
from symindex.fleet.building.portions import FOLDER, join_portions
from symindex.fleet.building.tasks import Batch, plan_portions, run_batch
from symindex.fleet.stored.generation import newest_generation
from symindex.fleet.stored.store import Store
from tests.support.fleets import SmallFleet

FILES = {
    f"src/file{number:02}.py": f'"""Says {number}."""\n\ndef f{number}():\n    return {number}\n'
    * 9
    for number in range(30)
} | {"docs/guide.md": "# Guide\n\nHow to begin.\n", "large.py": "x = 1\n" * 400_000}


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallFleet:
    monkeypatch.setattr(module, "PORTION_BYTES", 2_000)
    return SmallFleet(tmp_path, {"owner/large": FILES})


def _batch(fleet: SmallFleet) -> Batch:
    work = fleet.work()
    work.sync()
    (batch,) = work._batches(newest_generation(fleet.store))
    return batch


def test_portions_of_many_processes_are_joined_to_the_same_bytes(fleet: SmallFleet) -> None:
    batch = _batch(fleet)
    count = plan_portions(batch, batch.items[0])
    assert count > 3
    parts: list[str] = []
    key = ""
    for number in reversed(range(count)):
        item = msgspec.structs.replace(batch.items[0], portion=number, n_portions=count)
        (result,) = run_batch(msgspec.structs.replace(batch, items=[item]))
        assert result.part.startswith(FOLDER)
        parts.insert(0, result.part)
        key = result.known.key
    work = fleet.work()
    built = join_portions(fleet.store, key, work.rules, parts)
    assert not list(fleet.store.list(FOLDER))
    joined = fleet.store.read(built.object)
    fleet.store.delete([built.object])
    generation = work.update()
    one = generation.repositories["owner/large"].built
    assert one is not None
    assert (one.object, one.left_out, one.skips) == (built.object, built.left_out, built.skips)
    assert fleet.store.read(one.object) == joined
    assert one.left_out == {"larger than the size limit": 1}


def test_an_executor_joins_the_portions_of_large_repositories(
    fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are in a batch of their own."""
    fleet.put("owner/small", {"a.py": "def small(): ...\n"})
    monkeypatch.setattr(executors, "PORTION_BYTES", 2_000)
    batches: list[Batch] = []

    def watched(given: Sequence[Batch], store: Store) -> Generator[Result, None, None]:
        batches.extend(given)
        for batch in given:
            yield from run_locally([batch], store)

    generation = fleet.work(in_portions(watched)).update()
    assert [len(batch.items) for batch in batches] == [1] * len(batches)
    assert len(batches) > 4
    built = {name: state.built for name, state in generation.repositories.items()}
    objects = {name: fleet.store.read(one.object) for name, one in built.items() if one}
    assert not list(fleet.store.list(FOLDER))
    fleet.store.delete([one.object for one in built.values() if one])
    again = fleet.work().update()
    assert {
        name: fleet.store.read(state.built.object)
        for name, state in again.repositories.items()
        if state.built
    } == objects


def test_a_portion_that_fails_fails_its_repository_once(
    fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "PORTION_BYTES", 2_000)

    def failing(given: Sequence[Batch], store: Store) -> Generator[Result, None, None]:
        for batch in given:
            for result in run_locally([batch], store):
                is_bad = result.portion in (1, 2)
                yield msgspec.structs.replace(result, part="", why="it died") if is_bad else result

    work = fleet.work(in_portions(failing))
    assert work.update().repositories["owner/large"].built is None
    assert work.reports[1].failed == {"owner/large": "it died"}
    assert fleet.work().update().repositories["owner/large"].built is not None


def test_a_damaged_portion_is_not_joined(fleet: SmallFleet) -> None:
    batch = _batch(fleet)
    count = plan_portions(batch, batch.items[0])
    item = msgspec.structs.replace(batch.items[0], portion=0, n_portions=count)
    (result,) = run_batch(msgspec.structs.replace(batch, items=[item]))
    whole = fleet.store.read(result.part)
    rules = fleet.work().rules
    for place in range(16, len(whole), len(whole) // 50):
        fleet.store.write(
            result.part, whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        )
        with pytest.raises(IndexFileError, match="damaged"):
            join_portions(fleet.store, result.known.key, rules, [result.part])
    assert not list(fleet.store.list("repositories"))


def test_the_files_of_portions_are_read(fleet: SmallFleet) -> None:
    fleet.work().update()
    with fleet.open() as opened:
        assert opened.search("f17").items[0].file_path == "owner/large/src/file17.py"
        for path, text in FILES.items():
            if path != "large.py":
                assert opened.source.texts[f"owner/large/{path}"] == text.encode()


def test_portions_that_were_counted_wrongly_are_refused(fleet: SmallFleet) -> None:
    batch = _batch(fleet)
    count = plan_portions(batch, batch.items[0])
    item = msgspec.structs.replace(batch.items[0], portion=0, n_portions=count + 1)
    (result,) = run_batch(msgspec.structs.replace(batch, items=[item]))
    assert "changed while it was read; the next run tries again" in result.why
    assert issubclass(RepositoryChangedError, module.SymindexError)


def test_a_portion_ends_with_the_file_that_fills_it(
    fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = _batch(fleet)
    total = sum(len(text) for path, text in FILES.items() if path != "large.py")
    for limit, count in (total + 1, 1), (total, 1), (1, len(FILES) - 1):
        monkeypatch.setattr(module, "PORTION_BYTES", limit)
        assert plan_portions(batch, batch.items[0]) == count
