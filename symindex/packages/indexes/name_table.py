"""Finds which of a project's packages define a name: a stored table of hashes, and a pointer to it
next to the project's own index.

A search without an exact match says which packages have the name. Finding a project's packages
takes too long for that, so whenever they have been found, a pointer is left: which table it was,
and what its packages are called. A command then reads two files and looks up a few places. The
result may be out of date, and its wording says so.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

import msgspec
import numpy as np

from symindex.errors import IndexFileError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns.layout import Blob
from symindex.index.store import read_table
from symindex.text.decoding import decode
from symindex.text.folding import fold, squash

POINTER: Final = "libraries.kept"

HASH_BYTES: Final = 8

_LONGEST: Final = 5_000_000


class EnvironmentNames(msgspec.Struct, array_like=True, frozen=True, kw_only=True, eq=False):
    """A stored table. places: of the indexes, in order. hashes (u64): of names, sorted. numbers
    (u16): the index that has each name."""

    places: list[str]
    hashes: Blob
    numbers: Blob


class _Pointer(msgspec.Struct, array_like=True, frozen=True):
    """table: the folder of the table, relative to that of all packages. rules: see `index/store`.
    labels: of the packages, in the order of the table's places. order: their numbers, the likeliest
    first."""

    table: str
    rules: bytes
    labels: list[str]
    order: list[int]


def hash_of(name: str) -> int:
    """Returns 64 bits for a name without case and separators; a name that consists of separators
    counts as it is."""
    folded = fold(name)
    data = (squash(folded) or folded).encode("utf-8", "surrogateescape")
    return int.from_bytes(hashlib.blake2b(data, digest_size=HASH_BYTES).digest(), "little")


def numbers_with(table: EnvironmentNames, name: str) -> Iterator[int]:
    """Yields the numbers of the places whose indexes have a name."""
    target, hashes = hash_of(name), np.frombuffer(table.hashes, dtype="<u8")
    numbers = np.frombuffer(table.numbers, dtype="<u2")
    # numpy's search would convert the array to a type that fits both.
    position = bisect_left(hashes, target)
    while position < min(len(hashes), len(numbers)) and int(hashes[position]) == target:
        if int(numbers[position]) < len(table.places):
            yield int(numbers[position])
        position += 1


def keep_pointer(
    folder: PrivateFolder, table: str, rules: bytes, labels: Sequence[str], order: Sequence[int]
) -> None:
    """Writes a pointer into the folder of a project's index, if it can."""
    data = msgspec.msgpack.encode(_Pointer(table, rules, list(labels), list(order)))
    with suppress(OSError, StorageError):
        if _read(folder) != data:
            folder.write(POINTER, [data], synced=False)


def kept_packages_with(folder: PrivateFolder, packages: PrivateFolder, name: str) -> list[str]:
    """Returns the labels of the packages that had a name when the project was last examined, the
    likeliest first. packages: the folder of all package indexes. Returns nothing if nothing is
    known."""
    with suppress(OSError, StorageError, IndexFileError, msgspec.MsgspecError):
        pointer = decode(_read(folder), _Pointer)
        first, _, digest = pointer.table.partition("/")
        if first.isalnum() and digest.isalnum():
            table = read_table(
                PrivateFolder(packages / pointer.table, None), pointer.rules, EnvironmentNames
            )
            numbers = (
                {*numbers_with(table, name)}
                if table is not None and len(table.places) == len(pointer.labels)
                else set()
            )
            return list(
                dict.fromkeys(
                    pointer.labels[number] for number in pointer.order if number in numbers
                )
            )
    return []


def _read(folder: PrivateFolder) -> bytes:
    try:
        return folder.read(POINTER, _LONGEST)
    except OSError:
        return b""
