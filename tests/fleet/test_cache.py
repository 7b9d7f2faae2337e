"""The local copies: read from the store once, checked, deleted when there are too many, and never
believed or followed where somebody else can write."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.errors import IndexFileError
from symindex.fleet import cache as module
from symindex.fleet.cache import LocalCache
from symindex.fleet.stored.generation import newest_generation
from symindex.fleet.stored.store import MissingObjectError, Store
from tests.support.fleets import TWO, SmallFleet

GSON = "google/gson"
TEXT = TWO[GSON]["Gson.java"].encode()


class CountingStore(Store):
    """A store that notes what is read from it."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.reads: list[str] = []

    def read(self, name: str, start: int = 0, n_bytes: int | None = None) -> bytes:
        self.reads.append(name)
        return super().read(name, start, n_bytes)


class Copies:
    """The cache of a fleet as a new process opens it. shard, objects: names in the store."""

    def __init__(self, fleet: SmallFleet, most_bytes: int = module.MOST_BYTES) -> None:
        self.store = CountingStore(fleet.address)
        self.folder = fleet.folder / "copies"
        self.cache = LocalCache(self.store, fleet.work().rules, self.folder, most_bytes)
        (shard,) = newest_generation(fleet.store).shards
        self.shard, self.objects = shard.object, shard.members

    def text(self, path: str = "Gson.java", name: str = GSON) -> bytes:
        files = self.cache.files(self.objects[name])
        place = files.table.find(path)
        assert place is not None
        frame, start, end = place
        return self.cache.frame(files, frame)[start:end]

    def use_all(self) -> list[object]:
        """Returns something of everything that a cache gives."""
        shard = self.cache.shard(self.shard)
        one = self.cache.repository(self.objects[GSON])
        return [shard.n_symbols, one.n_symbols, self.text(), self.text("README.md")]

    def files(self) -> list[Path]:
        """Returns the files of all copies, without the notes about checks."""
        return sorted(
            path
            for path in self.folder.rglob("*")
            if path.is_file() and path.name != "symbols.checked"
        )


@pytest.fixture
def fleet(tmp_path: Path) -> SmallFleet:
    """Two repositories in a shard."""
    fleet = SmallFleet(tmp_path)
    fleet.work().update()
    fleet.work().merge(most_loose=0)
    return fleet


def test_what_was_read_once_is_not_read_again(fleet: SmallFleet) -> None:
    first = Copies(fleet)
    answers = first.use_all()
    name = first.objects[GSON]
    # The shard; of the object the head, the index, the table and a frame.
    assert first.store.reads == [first.shard, name, name, name, name]
    assert first.use_all() == answers
    second = Copies(fleet)
    assert second.use_all() == answers
    assert first.store.reads[5:] == second.store.reads == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: bytes(len(data)),
        lambda data: data + b"x",
    ],
    ids=["cut", "empty", "one bit", "zeros", "longer"],
)
def test_a_damaged_copy_is_fetched_again(
    fleet: SmallFleet, damage: Callable[[bytes], bytes]
) -> None:
    answers = Copies(fleet).use_all()
    for path in Copies(fleet).files():
        whole = path.read_bytes()
        path.write_bytes(damage(whole))
        copies = Copies(fleet)
        assert copies.use_all() == answers, path
        assert copies.store.reads
        assert path.read_bytes() == whole
    assert not Copies(fleet).store.reads


def test_what_the_store_returns_is_checked(fleet: SmallFleet) -> None:
    """One wrong byte at each place of an object: nothing wrong is ever returned or kept."""
    copies = Copies(fleet)
    answers = copies.use_all()
    for name in copies.shard, copies.objects[GSON]:
        whole = fleet.store.read(name)
        for place in range(0, len(whole), max(1, len(whole) // 40)):
            shutil.rmtree(copies.folder, ignore_errors=True)
            fleet.store.write(name, whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            try:
                assert Copies(fleet).use_all() == answers
            except IndexFileError as error:
                assert name in str(error) and "\n" not in str(error)
        shutil.rmtree(copies.folder, ignore_errors=True)
        for cut in 0, 5, 100, len(whole) - 1:
            fleet.store.write(name, whole[:cut])
            with pytest.raises(IndexFileError, match=name):
                Copies(fleet).use_all()
        fleet.store.write(name, whole)
        assert Copies(fleet).use_all() == answers


def test_a_frame_that_is_not_there(fleet: SmallFleet) -> None:
    copies = Copies(fleet)
    files = copies.cache.files(copies.objects[GSON])
    with pytest.raises(IndexFileError, match="a frame is missing"):
        copies.cache.frame(files, len(files.head.frames))


def test_the_least_recently_used_go_first(fleet: SmallFleet) -> None:
    copies = Copies(fleet)
    copies.use_all()
    folders = sorted(copies.folder.iterdir())
    assert len(folders) == 3  # a shard; an index, and the source of the same repository
    sizes = {path: sum(file.stat().st_size for file in path.iterdir()) for path in folders}
    oldest, middle, newest = folders[1], folders[2], folders[0]
    for age, path in enumerate([newest, middle, oldest]):
        os.utime(path, (time.time() - 10_000 * (age + 1),) * 2)
    total = sum(sizes.values())
    Copies(fleet, total).cache.tidy()
    assert sorted(copies.folder.iterdir()) == folders
    Copies(fleet, total - 1).cache.tidy()
    assert sorted(copies.folder.iterdir()) == sorted([middle, newest])
    Copies(fleet, sizes[newest]).cache.tidy()
    assert [*copies.folder.iterdir()] == [newest]
    Copies(fleet, 0).cache.tidy()
    assert not [*copies.folder.iterdir()]


def test_copies_that_are_used_stay(fleet: SmallFleet) -> None:
    """The time of use is noted at most once in USE_SECONDS."""
    copies = Copies(fleet)
    copies.use_all()
    for age, is_noted in (module.USE_SECONDS - 60, False), (module.USE_SECONDS + 60, True):
        then = time.time() - age
        for path in copies.folder.iterdir():
            os.utime(path, (then, then))
        Copies(fleet).use_all()
        for path in copies.folder.iterdir():
            assert (path.stat().st_mtime > then + 1) == is_noted, (path, age)


def test_old_copies_go_after_the_first_new_one_and_every_hundredth(fleet: SmallFleet) -> None:
    copies = Copies(fleet, 0)
    tidied: list[int] = []
    copies.cache.tidy = lambda: tidied.append(copies.cache._n_new)  # type: ignore[method-assign]
    for _ in range(250):
        copies.cache.tidy_sometimes()
    assert tidied == [1, 101, 201]


def test_a_mapped_copy_may_be_deleted(fleet: SmallFleet) -> None:
    copies = Copies(fleet, 0)
    index = copies.cache.shard(copies.shard)
    copies.cache.tidy()
    assert not [*copies.folder.iterdir()]
    assert sorted(index.name_at(number) for number in range(index.n_symbols))
    assert Copies(fleet).cache.shard(copies.shard).n_symbols == index.n_symbols


def test_two_processes_fill_one_cache(fleet: SmallFleet) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.fleet.test_cache import Copies;"
        " from tests.support.fleets import SmallFleet;"
        " print(Copies(SmallFleet(Path(sys.argv[1]), {})).use_all())"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(fleet.folder)], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    outputs = [process.communicate(timeout=120)[0].decode().strip() for process in running]
    assert outputs == [str(Copies(fleet).use_all())] * 4
    second = Copies(fleet)
    second.use_all()
    assert not second.store.reads


def test_a_cache_that_cannot_be_written(fleet: SmallFleet) -> None:
    """A file where the folder should be: everything is used from memory."""
    (fleet.folder / "copies").write_text("not a folder")
    copies = Copies(fleet)
    answers = copies.use_all()
    assert copies.use_all() == answers
    assert answers[2] == TEXT
    copies.cache.tidy()


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links")
def test_links_are_not_followed(fleet: SmallFleet) -> None:
    copies = Copies(fleet)
    answers = copies.use_all()
    elsewhere = fleet.folder / "elsewhere"
    for path in sorted(copies.folder.iterdir()):
        shutil.rmtree(elsewhere, ignore_errors=True)
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
        before = {file: file.stat().st_mtime_ns for file in elsewhere.iterdir()}
        linked = Copies(fleet, 0)
        assert linked.use_all() == answers
        assert linked.store.reads
        linked.cache.tidy()
        assert {file: file.stat().st_mtime_ns for file in elsewhere.iterdir()} == before
        path.unlink()
        Copies(fleet).use_all()
    for path in copies.files():
        shutil.rmtree(elsewhere, ignore_errors=True)
        elsewhere.mkdir()
        shutil.copy(path, elsewhere / "file")
        path.unlink()
        path.symlink_to(elsewhere / "file")
        linked = Copies(fleet)
        assert linked.use_all() == answers
        assert linked.store.reads
        assert not path.is_symlink()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_copies_of_another_user_are_not_believed(fleet: SmallFleet) -> None:
    copies = Copies(fleet)
    answers = copies.use_all()
    for path in copies.files():
        os.chown(path, 1, 1)
    again = Copies(fleet)
    assert again.use_all() == answers
    assert again.store.reads
    for path in copies.folder.iterdir():
        os.chown(path, 1, 1)
    again = Copies(fleet)
    assert again.use_all() == answers
    # All of it, and the head of the object twice: for its index, and for its source.
    assert len(again.store.reads) == 6


def test_without_the_store_what_was_read_is_still_there(fleet: SmallFleet) -> None:
    answers = Copies(fleet).use_all()
    copies = Copies(fleet)
    shutil.rmtree(fleet.address)
    assert copies.use_all() == answers
    with pytest.raises(MissingObjectError, match="is not in the store"):
        copies.text("docs/testing.md", "pallets/click")


def test_frames_in_memory_are_bounded(fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit, and one byte past it: the frame that was used least recently goes."""
    monkeypatch.setattr("symindex.fleet.stored.source_pack.FRAME_BYTES", 1)  # a frame a file
    sizes = [400, 300, 200]
    fleet.put("owner/many", {f"f{n}.txt": "x" * size for n, size in enumerate(sizes)})
    fleet.work().update()
    fleet.work().merge(most_loose=0)
    for most, kept in (900, {0, 1, 2}), (899, {0, 2}):
        monkeypatch.setattr(module, "MOST_FRAME_BYTES_KEPT", most)
        copies = Copies(fleet)
        for number in 0, 1, 0, 2:
            assert len(copies.text(f"f{number}.txt", "owner/many")) == sizes[number]
        assert {number for _, number in copies.cache._frames} == kept
        assert copies.cache._frame_bytes == sum(sizes[number] for number in kept)
    monkeypatch.setattr(module, "MOST_FRAME_BYTES_KEPT", 1)
    copies = Copies(fleet)
    for number in 0, 1, 2:
        copies.text(f"f{number}.txt", "owner/many")
    assert [number for _, number in copies.cache._frames] == [2]


def test_tables_in_memory_are_bounded(fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """The repositories have two files each: four in all."""
    for most, kept in (4, 2), (3, 1), (1, 1):
        monkeypatch.setattr(module, "MOST_PATHS_KEPT", most)
        copies = Copies(fleet)
        names = [copies.objects[name] for name in (GSON, "pallets/click", GSON)]
        assert all(len(copies.cache.files(name).table.paths) == 2 for name in names)
        assert (len(copies.cache._files), copies.cache._n_paths) == (kept, 2 * kept)
        assert next(reversed(copies.cache._files)) == names[-1]
