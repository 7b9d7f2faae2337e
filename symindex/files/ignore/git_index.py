"""What git tracks, from the `index` file of its folder: that is read though an ignore rule names
it.

The format is that of git's Documentation/gitformat-index: entries sorted by path, in versions 2 to
4.
"""

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
from typing import Final

MOST_BYTES: Final = 100_000_000
"""The largest index that is read: that of a million files."""

_HASH_BYTES: Final = (20, 32)
"""SHA-1 and SHA-256; the index does not say which."""


class Tracked:
    """The paths that a repository tracks, read when the first is asked for.

    read: the bytes of the index; raises OSError. base: the repository's folder relative to the
    walk's root, empty or with a slash at its end. prefix: for a repository above the root, the root
    relative to it.
    """

    def __init__(self, read: Callable[[], bytes], base: str = "", prefix: str = "") -> None:
        self._read, self._base_length, self._prefix = read, len(base), prefix

    def holds(self, path: str) -> bool:
        """Whether a file, or something in a folder (which ends with a slash), is tracked. path:
        relative to the root."""
        paths = self._paths
        name = (self._prefix + path[self._base_length :]).encode("utf-8", "surrogateescape")
        at = bisect_left(paths, name)
        if name.endswith(b"/"):
            return (at < len(paths) and paths[at].startswith(name)) or self._has(
                name[:-1]
            )  # a submodule has no slash
        return at < len(paths) and paths[at] == name

    def _has(self, name: bytes) -> bool:
        at = bisect_left(self._paths, name)
        return at < len(self._paths) and self._paths[at] == name

    @cached_property
    def _paths(self) -> list[bytes]:
        try:
            data = self._read()
        except OSError:
            return []
        return next(
            (sorted(found) for size in _HASH_BYTES if (found := _parse(data, size)) is not None), []
        )


def _parse(data: bytes, hash_bytes: int) -> list[bytes] | None:
    """The paths of an index with hashes of this size; `None` for one that is damaged, or of another
    size."""
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        return None
    paths: list[bytes] = []
    at, name = 12, b""
    for _ in range(count):
        flags = int.from_bytes(data[at + 40 + hash_bytes : at + 42 + hash_bytes], "big")
        start = at + 42 + hash_bytes + (2 if flags & 0x4000 else 0)
        kept = b""
        if version == 4:
            dropped, start = _varint(data, start)
            kept = name[: max(len(name) - dropped, 0)]
        end = data.find(b"\0", start)
        if end < 0:
            return None
        name = kept + data[start:end]
        if min(len(name), 0xFFF) != flags & 0xFFF:
            return None
        paths.append(name)
        at = end + 1 if version == 4 else at + ((end - at + 8) & ~7)
    return paths


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(at, min(at + 9, len(data))):
        value = (value << 7) | (data[place] & 127)
        if not data[place] & 128:
            return value, place + 1
        value += 1
    return 0, at
