"""The job of a scout: looks through files' bytes for what is sought, and parses those that it is told to.

It gives one answer to a Scan, one for every file of a Read. The parser is loaded with the first file to read, so that looking
through files begins as soon as the process does.
"""

import gc
import os
from collections.abc import Callable
from typing import Final

import msgspec

from symindex.extract.languages.packed import unpack_languages
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import LargeFileError
from symindex.search.unindexed.prefilter import Finder, Sought, recode
from symindex.workers.framing import Handler


class ScanSetup(msgspec.Struct, array_like=True, frozen=True):
    """What a worker is told. root: the system's bytes. languages: packed. chosen: as of `Languages`."""

    root: bytes
    languages: bytes
    chosen: list[str]
    sought: Sought
    max_file_bytes: int


class Scan(msgspec.Struct, array_like=True, frozen=True, tag=True):
    """Look through these files: their paths below the root and their sizes in bytes as the walk found them."""

    files: list[tuple[str, int]]


class Read(msgspec.Struct, array_like=True, frozen=True, tag=True):
    """Parse these files."""

    paths: list[str]


class Scanned(msgspec.Struct, array_like=True, frozen=True):
    """The answer to a Scan. holders: places in its list of the files that can have hits, with their promise and their size.
    n_bytes: read in all. unreadable: places of files that could not be read."""

    holders: list[tuple[int, int, int]]
    n_bytes: int
    unreadable: list[int]


def prepare(setup: bytes) -> Handler:
    """Orders are a Scan or a Read."""
    told = msgspec.msgpack.decode(setup, type=ScanSetup)
    scanner = Scanner(os.fsdecode(told.root), Finder(told.sought), told.max_file_bytes)
    reader = _Reader(told)
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Scan | Read)
    gc.disable()  # what a file takes is gone when it is done, but for few cycles

    def carry_out(order: bytes, tell: Callable[[bytes], None]) -> None:
        ordered = decoder.decode(order)
        if isinstance(ordered, Scan):
            tell(encoder.encode(scanner.scan(ordered)))
            return
        with Beneath(os.fsdecode(told.root)) as tree:
            for path in ordered.paths:
                tell(encoder.encode(reader.read(tree, path)))

    return carry_out


class _Reader:
    """Parses files; the languages and the parser are made ready with the first one."""

    def __init__(self, setup: ScanSetup) -> None:
        self._setup = setup
        self._languages: Languages | None = None

    def read(self, tree: Beneath, path: str) -> FileSymbols:
        """What reading a file gives (`extract/read`)."""
        from symindex.extract.read import read_file  # here, because it loads the parser

        if self._languages is None:
            self._languages = unpack_languages(self._setup.languages, self._setup.chosen)
        return read_file(tree, ReadTask(path), self._languages, self._setup.max_file_bytes)


BINARY_BYTES: Final = 8_000
"""`extract/read`, too, skips a file as binary that has a NUL byte in these first ones."""


class Scanner:
    """Looks through files below a root."""

    def __init__(self, root: str, finder: Finder, max_file_bytes: int) -> None:
        self._root = root
        self._finder = finder
        self._max_file_bytes = max_file_bytes

    def scan(self, order: Scan) -> Scanned:
        """Which of the files can have hits. A file that has grown beyond the limit since the walk has none."""
        holders: list[tuple[int, int, int]] = []
        unreadable: list[int] = []
        n_bytes = 0
        with Beneath(self._root) as tree:
            for place, (path, _) in enumerate(order.files):
                try:
                    data = tree.read(path, self._max_file_bytes)
                except LargeFileError:
                    continue
                except OSError:
                    unreadable.append(place)
                    continue
                n_bytes += len(data)
                data = recode(data)
                if data.find(b"\0", 0, BINARY_BYTES) < 0 and self._finder.holds(path, data):
                    holders.append((place, self._finder.promise(data), len(data)))
        return Scanned(holders, n_bytes, unreadable)
