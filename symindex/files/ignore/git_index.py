"""Reads which files git tracks from the `index` file of its folder. A tracked file is read although
an ignore rule names it.

The format is described in git's Documentation/gitformat-index: entries sorted by path, in versions
2 to 4.
"""

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
from typing import Final

MOST_BYTES: Final = 100_000_000
"""Size limit of an index, in bytes: enough for a million files."""

_HASH_BYTES: Final = (20, 32)
"""Lengths of SHA-1 and SHA-256; the index does not state which it uses."""


class Tracked:
    """The paths that a repository tracks, read on first use.

    read: returns the bytes of the index; raises OSError. base: the repository's folder relative to
    the walk's root, empty or ending with a slash. prefix: for a repository above the root, the root
    relative to it.
    """

    def __init__(self, read: Callable[[], bytes], base: str = "", prefix: str = "") -> None:
        self._read, self._base_length, self._prefix = read, len(base), prefix

    def holds(self, path: str) -> bool:
        """Whether git tracks a file, or something in a folder.

        path: relative to the root; a folder's ends with a slash.
        """
        paths = self._paths
        name = (self._prefix + path[self._base_length :]).encode("utf-8", "surrogateescape")
        position = bisect_left(paths, name)
        if name.endswith(b"/"):
            return (position < len(paths) and paths[position].startswith(name)) or self._has(
                name[:-1]
            )  # a submodule is listed without a slash
        return position < len(paths) and paths[position] == name

    def _has(self, name: bytes) -> bool:
        position = bisect_left(self._paths, name)
        return position < len(self._paths) and self._paths[position] == name

    @cached_property
    def _paths(self) -> list[bytes]:
        try:
            data = self._read()
        except OSError:
            return []
        return next(
            (sorted(paths) for size in _HASH_BYTES if (paths := _parse(data, size)) is not None), []
        )


class AllTracked(Tracked):
    """The paths of a tree that is a commit: git's rules ignore none of its files."""

    def __init__(self) -> None:
        super().__init__(lambda: b"")

    def holds(self, path: str) -> bool:
        return True


def _parse(data: bytes, hash_bytes: int) -> list[bytes] | None:
    """Returns the paths of an index with hashes of this size; `None` if it is damaged or uses
    another size."""
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        return None
    paths: list[bytes] = []
    offset, name = 12, b""
    for _ in range(count):
        flags = int.from_bytes(data[offset + 40 + hash_bytes : offset + 42 + hash_bytes], "big")
        start = offset + 42 + hash_bytes + (2 if flags & 0x4000 else 0)
        prefix = b""
        if version == 4:
            dropped, start = _varint(data, start)
            prefix = name[: max(len(name) - dropped, 0)]
        end = data.find(b"\0", start)
        if end < 0:
            return None
        name = prefix + data[start:end]
        if min(len(name), 0xFFF) != flags & 0xFFF:
            return None
        paths.append(name)
        offset = end + 1 if version == 4 else offset + ((end - offset + 8) & ~7)
    return paths


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    value = 0
    for place in range(offset, min(offset + 9, len(data))):
        value = (value << 7) | (data[place] & 127)
        if not data[place] & 128:
            return value, place + 1
        value += 1
    return 0, offset
