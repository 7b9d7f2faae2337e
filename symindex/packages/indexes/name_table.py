"""Which of a project's packages define a name: a stored table of hashes, and a pointer to it beside
the project's own index.

A search that finds nothing exact says which packages have the name. To find out what a project
depends on takes too long for that, so whoever has found it out leaves a pointer: which table it
was, and what the packages in it are called. A command then reads two files and looks at a few
places of one. What it says may be out of date, and is worded so.
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
    """A stored table. places: of the indexes, in order. hashes u64: of names, in order; numbers
    u16: which index has each."""

    places: list[str]
    hashes: Blob
    numbers: Blob


class _Pointer(msgspec.Struct, array_like=True, frozen=True):
    """table: the folder of the table, below that of all packages. rules: as of `index/store`.
    labels: of the packages, in the order of the table's places. order: their numbers, the likeliest
    first."""

    table: str
    rules: bytes
    labels: list[str]
    order: list[int]


def hash_of(name: str) -> int:
    """64 bits of a name without its case and separators. A name of nothing but separators counts as
    it is."""
    folded = fold(name)
    data = (squash(folded) or folded).encode("utf-8", "surrogateescape")
    return int.from_bytes(hashlib.blake2b(data, digest_size=HASH_BYTES).digest(), "little")


def numbers_with(table: EnvironmentNames, name: str) -> Iterator[int]:
    """The numbers of the places whose indexes have a name."""
    wanted, hashes = hash_of(name), np.frombuffer(table.hashes, dtype="<u8")
    numbers = np.frombuffer(table.numbers, dtype="<u2")
    at = bisect_left(hashes, wanted)  # numpy would first look for a type that both have
    while at < min(len(hashes), len(numbers)) and int(hashes[at]) == wanted:
        if int(numbers[at]) < len(table.places):
            yield int(numbers[at])
        at += 1


def keep_pointer(
    folder: PrivateFolder, table: str, rules: bytes, labels: Sequence[str], order: Sequence[int]
) -> None:
    """Leaves a pointer in the folder of a project's index. What cannot be written is left out."""
    data = msgspec.msgpack.encode(_Pointer(table, rules, list(labels), list(order)))
    with suppress(OSError, StorageError):
        if _read(folder) != data:
            folder.write(POINTER, [data], synced=False)


def kept_packages_with(folder: PrivateFolder, packages: PrivateFolder, name: str) -> list[str]:
    """The labels of the packages that had a name when a project's were last looked at, the
    likeliest first. packages: the folder of all indexes of packages. Empty where nothing is
    known."""
    with suppress(OSError, StorageError, IndexFileError, msgspec.MsgspecError):
        pointer = decode(_read(folder), _Pointer)
        first, _, digest = pointer.table.partition("/")
        if first.isalnum() and digest.isalnum():
            table = read_table(
                PrivateFolder(packages / pointer.table, None), pointer.rules, EnvironmentNames
            )
            found = (
                {*numbers_with(table, name)}
                if table is not None and len(table.places) == len(pointer.labels)
                else set()
            )
            return list(
                dict.fromkeys(pointer.labels[number] for number in pointer.order if number in found)
            )
    return []


def _read(folder: PrivateFolder) -> bytes:
    try:
        return folder.read(POINTER, _LONGEST)
    except OSError:
        return b""
