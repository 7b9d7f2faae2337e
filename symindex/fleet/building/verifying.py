"""Reads every object that a generation needs, to the last byte, and finds the damaged ones.

A run looks only at names and sizes in a listing, because the store checks what it keeps. When a
reader has met damage all the same, `--verify` looks for it everywhere.
"""

from collections.abc import Callable, Collection

from symindex.errors import IndexFileError
from symindex.fleet.stored.generation import Generation
from symindex.fleet.stored.repository_object import check_object, digest_of_piece
from symindex.fleet.stored.store import MissingObjectError, Store


def damaged_repositories(
    store: Store, generation: Generation, names: Collection[str]
) -> dict[str, str]:
    """Returns the served repositories whose objects are damaged: name -> why. names: those to look
    at. Raises StorageError if the store refuses."""
    damaged = {}
    for name, state in generation.repositories.items():
        if state.built is not None and name in names:
            why = _why_damaged(store, state.built.object, check_object)
            if why:
                damaged[name] = why
    return damaged


def damaged_shards(store: Store, generation: Generation) -> dict[str, str]:
    """Returns the shards that are damaged: name of the object -> why. Raises StorageError if the
    store refuses."""
    every = {
        shard.object: _why_damaged(store, shard.object, _check_shard) for shard in generation.shards
    }
    return {name: why for name, why in every.items() if why}


def _check_shard(content: bytes, name: str) -> None:
    if not name.endswith(digest_of_piece(content).hex()):
        raise IndexFileError(f"{name}: damaged (wrong digest)")


def _why_damaged(store: Store, name: str, check: Callable[[bytes, str], object]) -> str:
    """Returns why an object is damaged; empty if it is whole, or if it is missing, which a listing
    shows."""
    try:
        check(store.read(name), name)
    except MissingObjectError:
        return ""
    except IndexFileError as error:
        return str(error).partition("; run ")[0]  # It is being done.
    return ""
