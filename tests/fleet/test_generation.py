"""Generations: numbered, whole, and written by one of several writers."""

import hashlib
import threading
from functools import partial

import msgspec
import pytest

from symindex import __version__
from symindex.errors import IndexFileError
from symindex.fleet.stored.generation import (
    Built,
    Generation,
    RepositoryState,
    Shard,
    encode_generation,
    find_newest,
    name_of,
    newest_generation,
    newest_number,
    publish,
    read_generation,
    tell_damaged,
)
from symindex.fleet.stored.store import Store


def _with(name: str) -> RepositoryState:
    return RepositoryState(name=name, built=Built(object=f"repositories/{name}/1"))


def _adding(generation: Generation, name: str) -> Generation:
    repositories = generation.repositories | {name: _with(name)}
    return msgspec.structs.replace(generation, repositories=repositories)


def test_generations_count_up() -> None:
    store = Store("memory://count-up")
    assert newest_generation(store) == Generation()
    first = publish(store, lambda generation: _adding(generation, "b"))
    second = publish(store, lambda generation: _adding(generation, "a"))
    assert (first.number, second.number) == (1, 2)
    assert list(second.repositories) == ["a", "b"]
    assert newest_generation(store) == second
    assert read_generation(store, 1) == first
    assert newest_number(store, known=1) == 2
    assert newest_number(store, known=2) == 2


def test_nothing_is_written_if_nothing_changes() -> None:
    store = Store("memory://no-change")
    first = publish(store, lambda generation: _adding(generation, "a"))
    assert publish(store, lambda generation: _adding(generation, "a")) == first
    assert newest_number(store) == 1


class VanishingStore(Store):
    """A store from which somebody deletes the second generation when it is about to be read."""

    def read(self, name: str, start: int = 0, n_bytes: int | None = None) -> bytes:
        if name == name_of(2):
            self.delete([name])
        return super().read(name, start, n_bytes)


def test_a_generation_that_vanishes_is_looked_for_again() -> None:
    store = VanishingStore("memory://vanishing")
    publish(store, partial(_adding, name="a"))
    store.create(name_of(2), b"")
    assert newest_generation(store).number == 1


def test_a_generation_names_the_version_that_wrote_it() -> None:
    store = Store("memory://version")

    def of_old(generation: Generation) -> Generation:
        return msgspec.structs.replace(_adding(generation, "a"), version="0.0.1", made=1)

    first = publish(store, of_old)
    assert (first.version, read_generation(store, 1).version) == (__version__, __version__)
    assert first.made > 1_700_000_000


def test_writers_lose_nothing_of_each_other() -> None:
    store = Store("memory://writers")

    def write(writer: int) -> None:
        for number in range(10):
            publish(store, partial(_adding, name=f"{writer}-{number}"))

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    newest = newest_generation(store)
    assert newest.number == 50
    assert len(newest.repositories) == 50


def test_what_no_shard_has_is_loose() -> None:
    states = {name: _with(name) for name in ("a", "b", "c")}
    states["d"] = RepositoryState(name="d")
    members = {"a": "repositories/a/1", "b": "repositories/b/0"}
    shard = Shard(prefix="", object="shards/x", n_bytes=1, symbols=1, members=members)
    generation = Generation(repositories=states, shards=[shard])
    assert generation.loose() == {"b": "repositories/b/1", "c": "repositories/c/1"}
    assert generation.objects() == {
        "repositories/a/1",
        "repositories/b/1",
        "repositories/c/1",
        "shards/x",
    }


def _signed(content: bytes) -> bytes:
    return content + b"\n" + hashlib.blake2b(content, digest_size=16).hexdigest().encode() + b"\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is damaged; run `symindex fleet update`"),
        (b"{}", "is damaged"),
        (b'{"number": 1, "format": 2}', "is damaged"),
        (
            _signed(b'{"number": 1, "format": 2}'),
            "has format 2, not 1: another version of symindex",
        ),
        (_signed(b'{"number": 2, "format": 1}'), "is damaged"),
        (_signed(b'{"number": "x", "format": 1}'), "is damaged"),
        (_signed(b"\xff\xfe"), "is damaged"),
        (_signed(b"[]"), "is damaged"),
        (encode_generation(Generation(number=1))[:-2], "is damaged"),
    ],
)
def test_a_generation_that_cannot_be_read(content: bytes, says: str) -> None:
    store = Store(f"memory://unreadable-{content.hex()}")
    store.create(name_of(1), content)
    with pytest.raises(IndexFileError, match=says) as caught:
        read_generation(store, 1)
    assert "\n" not in str(caught.value)


def test_other_objects_among_generations_do_not_count() -> None:
    store = Store("memory://others")
    publish(store, lambda generation: _adding(generation, "a"))
    store.write("generations/00000009.tmp", b"")
    store.write("generations/9", b"")
    assert newest_number(store) == 1


def test_every_damaged_byte_is_noticed() -> None:
    store = Store("memory://every-byte")
    publish(store, lambda generation: _adding(generation, "a"))
    content = store.read(name_of(1))
    for place in range(len(content) - 1):
        damaged = bytearray(content)
        damaged[place] ^= 1
        store.write(name_of(1), bytes(damaged))
        assert find_newest(store) == (Generation(), [1]), place


def test_a_damaged_generation_counts_as_none() -> None:
    store = Store("memory://damaged")
    first = publish(store, lambda generation: _adding(generation, "a"))
    assert tell_damaged(find_newest(store)) == ""
    store.create(name_of(2), b"x")
    store.create(name_of(3), b"")
    newest = find_newest(store)
    assert newest == (first, [3, 2])
    assert "generation 3 is damaged, so generation 1 is shown" in tell_damaged(newest)
    # Even without a change, a run writes a whole one.
    healed = publish(store, lambda generation: generation)
    assert (healed.number, healed.repositories) == (4, first.repositories)
    assert find_newest(store).damaged == []


def test_a_run_does_not_replace_what_a_newer_version_wrote() -> None:
    store = Store("memory://newer-version")
    publish(store, lambda generation: _adding(generation, "a"))
    store.create(name_of(2), _signed(b'{"number": 2, "format": 2}'))
    with pytest.raises(IndexFileError, match="use that version"):
        publish(store, lambda generation: _adding(generation, "b"))
    assert newest_number(store) == 2


def test_a_store_that_has_lost_generations() -> None:
    store = Store("memory://lost")
    for name in "abc":
        publish(store, partial(_adding, name=name))
    store.delete([name_of(3)])
    assert newest_number(store, known=3) == 2
    store.delete([name_of(1), name_of(2)])
    assert newest_number(store, known=3) == 0
