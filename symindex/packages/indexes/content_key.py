"""The key of a package's index: who it says it is, and the content of exactly the files that are
read.

A name and a version are claims. A tree's author fills the tree's own `node_modules` or virtual
environment, and an index of what stands there must not become what other projects see of the
package of that name. So an index is shared if and only if the content is equal, byte by byte.
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
"""A file that was changed so shortly before it was looked at may change again without showing
it."""

_STAMP: Final = struct.Struct("<QqQ")


def read_digests(package: Package, files: Sequence[FoundFile], most_bytes: int) -> list[bytes]:
    """The digest of each file's content; empty for one that cannot be read."""
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
    """The key. contents: the path and the digest of each file, in the order of the paths."""
    hasher = hashlib.blake2b(digest_size=KEY_BYTES)
    for text in package.ecosystem, package.name, package.version:
        _add(hasher, text)
    for path, digest in contents:
        _add(hasher, path)
        hasher.update(bytes([len(digest)]) + digest)
    return hasher.digest()


def location_of(package: Package) -> bytes:
    """What tells where a package is, and which of the files there are its own."""
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
    """What changes when any of the files does, by the rule of `files/change_stamp`; empty where one
    has changed just now."""
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
