"""Generations: small numbered objects, each of which says what a fleet contains at one moment.

A writer reads the newest generation, does its work, and creates the next one. If another writer was
faster, it applies its changes to that writer's generation and tries again. So nothing is ever
half-written: a reader sees a whole generation, or the one before.

An object is JSON and, in the last line, the digest of that; in every format. A damaged one counts
as none: readers show the one before and say so, and the next run writes a new one.
"""

import hashlib
import re
import time
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from symindex import __version__
from symindex.errors import DamagedIndexError, OutdatedIndexError, StorageError
from symindex.fleet.stored.store import MissingObjectError, Store
from symindex.protocol.fleet import Failure

FOLDER: Final = "generations"
FORMAT_VERSION: Final = 1

MOST_TRIES: Final = 200
"""Most attempts to write a generation while others write some."""

_NAME: Final = re.compile(rf"{FOLDER}/(\d{{8}})")


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """What is served of a repository.

    object: the name of its object. commit: the commit that was indexed, empty if the source has
    none. n_bytes, index_bytes: sizes of the object and of the index in it. files, symbols,
    source_bytes: what was indexed. left_out: reason -> number of files that were not read. skips:
    the first of those that the index does not name, each with the reason. generation: of the index.
    at: when it was indexed, in seconds since 1970.
    """

    object: str
    commit: str = ""
    n_bytes: int = 0
    index_bytes: int = 0
    files: int = 0
    symbols: int = 0
    source_bytes: int = 0
    left_out: dict[str, int] = {}
    skips: list[tuple[str, str]] = []
    generation: int = 0
    at: int = 0


class RepositoryState(msgspec.Struct, frozen=True, kw_only=True):
    """A repository of the catalogue.

    name: begins its paths. location: its URL or folder, without secrets. branch: what was asked
    for, or what the default branch is. commit: the newest one known. entry: of the catalogue.
    built: what is served; `None` before the first index. failure: of the last attempt; `None` if it
    succeeded.
    """

    name: str
    location: str = ""
    branch: str = ""
    commit: str = ""
    entry: str = ""
    built: Built | None = None
    failure: Failure | None = None


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """Many repositories merged into one index.

    prefix: the bits with which the positions of its repositories begin (`fleet/shards`). object:
    its name. n_bytes, symbols: its size. members: name -> object of each repository in it.
    """

    prefix: str
    object: str
    n_bytes: int
    symbols: int
    members: dict[str, str]


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """What a fleet contains.

    number: counts up. made: when, in seconds since 1970. version, rules: the version of symindex
    that indexed, and the digest of its rules for reading, in hexadecimal digits. repositories: by
    name. shards: in any order.
    """

    format: int = FORMAT_VERSION
    number: int = 0
    made: int = 0
    version: str = __version__
    rules: str = ""
    repositories: dict[str, RepositoryState] = {}
    shards: list[Shard] = []

    def loose(self) -> dict[str, str]:
        """Returns name -> object of the served repositories that no shard contains as they are."""
        merged = {name: object_ for shard in self.shards for name, object_ in shard.members.items()}
        return {
            name: state.built.object
            for name, state in self.repositories.items()
            if state.built is not None and merged.get(name) != state.built.object
        }

    def objects(self) -> set[str]:
        """Returns the names of all objects that this generation needs."""
        built = (state.built.object for state in self.repositories.values() if state.built)
        return {*built, *(shard.object for shard in self.shards)}


def name_of(number: int) -> str:
    """Returns the name of the object of a generation."""
    return f"{FOLDER}/{number:08}"


def number_of(name: str) -> int:
    """Returns the number of the generation with this name; 0 for another object."""
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else 0


def newest_number(store: Store, known: int = 0) -> int:
    """Returns the number of the newest generation; 0 if there is none. known: one that there was;
    with it, the store need not list all."""
    numbers = _numbers(store, known - 1)
    if not numbers and known > 1:  # The store has lost what was known.
        numbers = _numbers(store, 0)
    return max(numbers, default=0)


def _numbers(store: Store, after: int) -> list[int]:
    """Returns the numbers of the generations after one."""
    listed = store.list(FOLDER, after=name_of(after) if after > 0 else "")
    return [number for stored in listed if (number := number_of(stored.name))]


def read_generation(store: Store, number: int) -> Generation:
    """Returns a generation. Raises MissingObjectError, OutdatedIndexError for one of another
    version's format, and DamagedIndexError."""
    name = name_of(number)
    generation = _decoded(store.read(name))
    if generation is None:  # Perhaps only what was read: what follows from damage is expensive.
        generation = _decoded(store.read(name))
    if isinstance(generation, int):
        raise OutdatedIndexError(
            f"{store.address}: {name} has format {generation}, not {FORMAT_VERSION}: another"
            " version of symindex wrote it; use that version"
        )
    if generation is None or generation.number != number:
        raise DamagedIndexError(f"{store.address}: {name} is damaged; run `symindex fleet update`")
    return generation


class _AnyFormat(msgspec.Struct):
    format: int


def encode_generation(generation: Generation) -> bytes:
    """Returns a generation as it is stored."""
    content = msgspec.json.encode(generation)
    return content + b"\n" + _digest_of(content) + b"\n"


def _decoded(data: bytes) -> Generation | int | None:
    """Returns a generation, the number of a format that is not ours, or `None` for damage."""
    content, _, digest = data.removesuffix(b"\n").rpartition(b"\n")
    if _digest_of(content) != digest:
        return None
    try:
        format_ = msgspec.json.decode(content, type=_AnyFormat).format
        return _DECODER.decode(content) if format_ == FORMAT_VERSION else format_
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _digest_of(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).hexdigest().encode()


_DECODER: Final = msgspec.json.Decoder(Generation)


class Newest(NamedTuple):
    """generation: the newest one that is whole; an empty one if there is none. damaged: the numbers
    of the newer ones, newest first."""

    generation: Generation
    damaged: list[int]

    @property
    def number(self) -> int:
        """Returns the highest number that is taken."""
        return self.damaged[0] if self.damaged else self.generation.number


def find_newest(store: Store) -> Newest:
    """Returns the newest whole generation, and what is newer and damaged. Raises OutdatedIndexError
    if a newer one has the format of another version."""
    for _ in range(MOST_TRIES):
        damaged: list[int] = []
        try:
            for number in sorted(_numbers(store, 0), reverse=True):
                try:
                    return Newest(read_generation(store, number), damaged)
                except DamagedIndexError:
                    damaged.append(number)
        except MissingObjectError:  # Somebody has just deleted old ones.
            continue
        return Newest(Generation(), damaged)
    raise StorageError(f"{store.address}: generations vanish while they are read; try again")


def newest_generation(store: Store) -> Generation:
    """Returns the newest whole generation; an empty one if there is none."""
    return find_newest(store).generation


def tell_damaged(newest: Newest) -> str:
    """Returns the notice about damaged generations; empty if there are none."""
    if not newest.damaged:
        return ""
    shown = f"generation {newest.generation.number:,}" if newest.generation.number else "nothing"
    return (
        f"generation {newest.damaged[0]:,} is damaged, so {shown} is shown; run"
        " `symindex fleet update`"
    )


def publish(store: Store, change: Callable[[Generation], Generation]) -> Generation:
    """Applies a change to the newest whole generation, and writes the result as the next one.
    Returns it, or the newest one if the change changes nothing.

    change: returns the new repositories, shards and rules; it may be called several times.
    """
    for _ in range(MOST_TRIES):
        newest = find_newest(store)
        changed = change(newest.generation)
        if changed == newest.generation and not newest.damaged:
            return changed
        following = msgspec.structs.replace(
            changed,
            number=newest.number + 1,
            made=int(time.time()),
            version=__version__,
            repositories=dict(sorted(changed.repositories.items())),
        )
        if store.create(name_of(following.number), encode_generation(following)):
            return following
    raise StorageError(f"{store.address}: others keep writing generations; try again later")
