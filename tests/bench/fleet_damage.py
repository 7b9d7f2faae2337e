"""Failures of what lies in a store and on the disks around it: objects that are lost, cut or changed
in a byte, other versions, full and closed disks."""

import contextlib
import hashlib
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from symindex.fleet.stored.generation import (
    Generation,
    encode_generation,
    find_newest,
    name_of,
    publish,
)
from symindex.fleet.stored.repository_object import head_length, read_head
from symindex.fleet.stored.store import Store
from tests.bench.fleet_failing import CannotTryError, Failing, Row, whole_fleet

VICTIM: Final = "team/r00"
"""The repository that is damaged; its source pack has two frames."""

PLACES: Final = ("head", "index", "table", "frame", "shard", "generation")
DAMAGES: Final = ("lost", "cut", "changed")

Damage = Callable[[Store, str, int, int], None]


def _lose(store: Store, name: str, start: int, end: int) -> None:
    store.delete([name])


def _cut(store: Store, name: str, start: int, end: int) -> None:
    store.write(name, store.read(name)[: (start + end) // 2])


def _change(store: Store, name: str, start: int, end: int) -> None:
    content = bytearray(store.read(name))
    content[(start + end) // 2] ^= 0x10
    store.write(name, bytes(content))


_DAMAGES: Final[dict[str, Damage]] = {"lost": _lose, "cut": _cut, "changed": _change}


def _place_of(store: Store, generation: Generation, place: str) -> tuple[str, int, int]:
    """Returns the object with a place, and the range of the place in it."""
    if place == "generation":
        name = name_of(generation.number)
        return name, 0, len(store.read(name))
    if place == "shard":
        shard = generation.shards[0]
        return shard.object, 0, shard.n_bytes
    built = generation.repositories[VICTIM].built
    assert built is not None
    content = store.read(built.object)
    length = head_length(content, built.object)
    if place == "head":
        return built.object, 0, length
    head = read_head(content[:length], built.object)
    start, n_bytes = head.places(length)[("index", "table", "frame").index(place)]
    return built.object, start, start + n_bytes


def _damaged(
    place: str, damage: str, row: Row, folder: Path, chance: random.Random, times: int
) -> None:
    fleet = whole_fleet(folder)
    if place != "shard":  # Then the victim's own object is read, and not the shard's copy.
        fleet.change(VICTIM)
        fleet.run()
    store = Store(fleet.address)
    name, start, end = _place_of(store, find_newest(store).generation, place)
    _DAMAGES[damage](store, name, start, end)
    row.times += 1
    seen = row.check(fleet, fleet.look())
    if place == "generation":
        is_told = damage == "lost" or any("generation 3 is damaged" in line for line in seen.said)
        row.expect(is_told, f"a damaged generation is not said: {seen.said}")
    elif place in ("table", "frame"):
        row.expect(bool(seen.unread), "a damaged text is not said")
    else:
        row.expect(seen.tells(VICTIM), f"{VICTIM} is not said to be missing: {seen.said}")
    # A size in a listing shows what is lost or cut; only reading shows what is changed.
    options = ["--verify"] if damage == "changed" and place != "generation" else []
    told = " ".join([*seen.said, *seen.unread])
    row.expect(not options or "--verify`" in told, f"the remedy is not said: {told}")
    row.check_healed(fleet, *options)


def _of_other_rules(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = whole_fleet(folder)
    publish(
        Store(fleet.address),
        lambda generation: msgspec.structs.replace(generation, rules="00" * 16),
    )
    row.times += 1
    seen = row.check(fleet, fleet.look())
    row.expect("made by symindex" in " ".join(seen.said), f"{seen.said}")
    row.check_healed(fleet)


def _of_newer_format(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = whole_fleet(folder)
    store = Store(fleet.address)
    newest = find_newest(store).generation
    number = newest.number + 1
    newer = msgspec.structs.replace(newest, number=number, format=newest.format + 1)
    store.create(name_of(number), encode_generation(newer))
    row.times += 1
    seen = row.check(fleet, fleet.look())
    row.expect("another version" in " ".join(seen.said), f"{seen.said}")
    ran = row.check_plain(fleet.run(), 2)
    row.expect("another version" in ran.said, ran.said)
    store.delete([name_of(number)])  # The newer version goes on; this one may again.
    row.check_healed(fleet)


@contextlib.contextmanager
def small_disk(place: Path, n_bytes: int) -> Iterator[None]:
    """A disk of a few bytes at a folder, for the duration of the block."""
    place.mkdir(parents=True, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={n_bytes},mode=700", "tmpfs", str(place)]
    try:
        made = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CannotTryError(f"mount: {error.strerror}") from None
    if made.returncode:
        raise CannotTryError(made.stderr.strip() or "mount is refused")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def remount(place: Path, options: str) -> None:
    """Changes a small disk."""
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)


def _full_store(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    with small_disk(folder / "store", 1_500_000):
        fleet = whole_fleet(folder)
        used = sum(path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file())
        for spare in 0, 10_000, 100_000:
            remount(folder / "store", f"size={-(-used // 4096) * 4096 + 60_000 + spare}")
            for name in fleet.versions:
                fleet.change(name)
            ran = row.check_plain(fleet.run(), 2)
            row.expect("full" in ran.said, ran.said)
            row.times += 1
            row.check(fleet, fleet.look())
            remount(folder / "store", "size=50000000")
            row.check_healed(fleet)
            used = sum(
                path.stat().st_size for path in (folder / "store").rglob("*") if path.is_file()
            )


def _no_cache(options: str, row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = whole_fleet(folder)
    with small_disk(folder / "small", 65_536):
        if options:
            remount(folder / "small", options)
        row.times += 1
        why = fleet.why_not_whole(row.check(fleet, fleet.look(folder / "small" / "cache")))
        row.expect(not why, why)
    row.check_healed(fleet, cache=folder / "small" / "cache")


def _no_source_folder(
    options: str, row: Row, folder: Path, chance: random.Random, times: int
) -> None:
    fleet = whole_fleet(folder)
    fleet.write_catalogue(str(folder / "small" / "ours"))
    with small_disk(folder / "small", 8_192):
        (folder / "small" / "filler").write_bytes(b"x" * 4_096)
        if options:
            remount(folder / "small", options)
        fleet.change(VICTIM)
        fleet.write_catalogue(str(folder / "small" / "ours"))
        row.times += 1
        row.check_plain(fleet.run())
        row.check(fleet, fleet.look())
    fleet.write_catalogue()
    row.check_healed(fleet)


def digest_of_all(folder: Path) -> str:
    """Returns a digest of all objects in a store that is a folder."""
    hasher = hashlib.blake2b()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            hasher.update(os.fsencode(path.relative_to(folder)) + b"\0" + path.read_bytes())
    return hasher.hexdigest()


def damage_failures() -> list[Failing]:
    """Returns the failures of objects."""
    return [
        *(
            Failing(f"{place} of an object {damage}", partial(_damaged, place, damage))
            for place in PLACES
            for damage in DAMAGES
            if (place, damage) not in {("index", "lost"), ("table", "lost"), ("frame", "lost")}
        ),
        Failing("a generation of other rules", _of_other_rules),
        Failing("a generation of a newer version", _of_newer_format),
    ]


def disk_failures() -> list[Failing]:
    """Returns the failures of disks."""
    return [
        Failing("a store that is full", _full_store),
        Failing("a cache disk that is full", partial(_no_cache, "")),
        Failing("a cache disk that is read-only", partial(_no_cache, "ro")),
        Failing("a source folder's disk that is full", partial(_no_source_folder, "")),
        Failing("a source folder's disk that is read-only", partial(_no_source_folder, "ro")),
    ]
