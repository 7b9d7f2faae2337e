"""Generations: small numbered objects, each of which says what a fleet contains at one moment.

A writer reads the newest generation, does its work, and creates the next one. If another writer was
faster, it applies its changes to that writer's generation and tries again. So nothing is ever
half-written: a reader sees a whole generation, or the one before.
"""

import re
import time
from collections.abc import Callable
from typing import Final

import msgspec

from symindex import __version__
from symindex.errors import IndexFileError, StorageError
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


def newest_number(store: Store, known: int = 0) -> int:
    """Returns the number of the newest generation; 0 if there is none. known: one that exists."""
    numbers = [
        int(match[1])
        for stored in store.list(FOLDER, after=name_of(known) if known else "")
        if (match := _NAME.fullmatch(stored.name))
    ]
    return max(numbers, default=known)


def read_generation(store: Store, number: int) -> Generation:
    """Returns a generation. Raises IndexFileError for one that this version cannot read."""
    name = name_of(number)
    data = store.read(name)
    try:
        generation = _DECODER.decode(data)
    except ValueError as error:  # msgspec raises one of its own, and those of Unicode
        raise IndexFileError(
            f"{store.address}: {name} is damaged ({error}); run `symindex fleet update`"
        ) from None
    if generation.format != FORMAT_VERSION or generation.number != number:
        raise IndexFileError(
            f"{store.address}: {name} has format {generation.format}, not {FORMAT_VERSION}:"
            " another version of symindex wrote it"
        )
    return generation


_DECODER: Final = msgspec.json.Decoder(Generation)


def newest_generation(store: Store, known: int = 0) -> Generation:
    """Returns the newest generation; an empty one if there is none yet."""
    for _ in range(MOST_TRIES):
        number = newest_number(store, known)
        if not number:
            return Generation()
        try:
            return read_generation(store, number)
        except MissingObjectError:  # Somebody has just deleted old ones.
            continue
    raise StorageError(f"{store.address}: generations vanish while they are read; try again")


def publish(store: Store, change: Callable[[Generation], Generation]) -> Generation:
    """Applies a change to the newest generation, and writes the result as the next one. Returns
    it, or the newest one if the change changes nothing.

    change: returns the new repositories, shards and rules; it may be called several times.
    """
    for _ in range(MOST_TRIES):
        newest = newest_generation(store)
        changed = change(newest)
        if changed == newest:
            return newest
        following = msgspec.structs.replace(
            changed,
            number=newest.number + 1,
            made=int(time.time()),
            version=__version__,
            repositories=dict(sorted(changed.repositories.items())),
        )
        if store.create(name_of(following.number), msgspec.json.encode(following)):
            return following
    raise StorageError(f"{store.address}: others keep writing generations; try again later")
