"""Computes the key of a package's index: a digest of its name, its version, and the content of
exactly the files that are read.

A name and a version are only claims. The author of a tree fills its `node_modules` or virtual
environment, and an index of that must not become what other projects see of the package with that
name. So projects share an index only if the content is the same, byte by byte.
"""

import hashlib
import os
import struct
from collections.abc import Iterable, Sequence
from typing import Final

from symindex.extract.texts.file_text import digest_of
from symindex.files.access.beneath import Beneath
from symindex.files.walk import FoundFile
from symindex.packages.found.package import Package

KEY_BYTES: Final = 16

SETTLED_NS: Final = 2_000_000_000
"""Age from which a file's stamp is reliable: a younger file may change again without a new
stamp."""

_STAMP: Final = struct.Struct("<QqQ")


def read_digests(package: Package, files: Sequence[FoundFile], most_bytes: int) -> list[bytes]:
    """Returns the digest of each file's content; empty for one that cannot be read."""
    assert package.root is not None
    digests = []
    with Beneath(package.root) as tree:
        for file in files:
            try:
                digests.append(digest_of(tree.read(file.path, most_bytes)))
            except OSError:
                digests.append(b"")
    return digests


def content_key(package: Package, contents: Iterable[tuple[str, bytes]]) -> bytes:
    """Returns the key. contents: path and digest of each file, by path."""
    hasher = hashlib.blake2b(digest_size=KEY_BYTES)
    for text in package.ecosystem, package.name, package.version:
        _add(hasher, text)
    for path, digest in contents:
        _add(hasher, path)
        hasher.update(bytes([len(digest)]) + digest)
    return hasher.digest()


def location_of(package: Package) -> bytes:
    """Returns a digest that identifies the place of a package, and its own files there."""
    hasher = hashlib.blake2b(digest_size=KEY_BYTES)
    for text in (
        package.ecosystem,
        package.name,
        package.version,
        os.fspath(package.root or ""),
        *package.files,
    ):
        _add(hasher, text)
    return hasher.digest()


def stamp_of_files(files: Sequence[FoundFile], began_ns: int) -> bytes:
    """Returns a digest that changes with any of the files, by the rule of `files/change_stamp`;
    empty if one has changed just now."""
    if any(file.mtime_ns > began_ns - SETTLED_NS for file in files):
        return b""
    hasher = hashlib.blake2b(digest_size=KEY_BYTES)
    for file in files:
        _add(hasher, file.path)
        hasher.update(_STAMP.pack(file.size, file.mtime_ns, file.stamp))
    return hasher.digest()


def _add(hasher: "hashlib.blake2b", text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    hasher.update(len(data).to_bytes(4, "little") + data)
