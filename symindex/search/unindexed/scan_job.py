"""The process of a scout: looks through files' bytes for what is sought, and parses those that it is told to.

It answers orders from standard input in turn: one frame for a Scan, one for every file of a Read. The parser is loaded with the
first file to read, so that looking through files begins as soon as the process does.
"""

import contextlib
import os
from pathlib import Path
from typing import Final

import msgspec

from symindex.extract.languages.registry import Language, Languages
from symindex.extract.languages.schema import LanguageFile
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import LargeFileError
from symindex.search.unindexed.prefilter import Finder, Sought, recode
from symindex.workers.framing import limit_processor_time, read_frame, worker_ends, write_frame


class LanguageText(msgspec.Struct, array_like=True, frozen=True):
    """A language as its folder was read by the caller, which is faster than to read the folder again."""

    folder: bytes
    rules: LanguageFile
    query: str


class ScoutJob(msgspec.Struct, array_like=True, frozen=True):
    """What a worker is told once, when it starts. root: the system's bytes. chosen: as of `Languages`."""

    root: bytes
    languages: list[LanguageText]
    chosen: list[str]
    sought: Sought
    max_file_bytes: int
    file_seconds: float


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


def languages_as_text(languages: Languages) -> list[LanguageText]:
    """What `ScoutJob.languages` is made of."""
    return [LanguageText(os.fsencode(each.folder), each.rules, each.query) for each in languages.by_id.values()]


def main() -> None:
    """Serves until standard input ends."""
    with contextlib.suppress(BrokenPipeError):  # nobody waits for the answer any more
        _serve()


def _serve() -> None:
    orders, answers = worker_ends()
    first = read_frame(orders)
    if first is None:
        return
    job = msgspec.msgpack.decode(first, type=ScoutJob)
    scanner = Scanner(os.fsdecode(job.root), Finder(job.sought), job.max_file_bytes)
    reader = _Reader(job)
    write_frame(answers, b"")  # ready
    encoder = msgspec.msgpack.Encoder()
    decoder = msgspec.msgpack.Decoder(Scan | Read)
    while (frame := read_frame(orders)) is not None:
        order = decoder.decode(frame)
        if isinstance(order, Scan):
            write_frame(answers, encoder.encode(scanner.scan(order)))
        else:
            with Beneath(os.fsdecode(job.root)) as tree:
                for path in order.paths:
                    write_frame(answers, encoder.encode(reader.read(tree, path)))


class _Reader:
    """Parses files; the languages and the parser are made ready with the first one."""

    def __init__(self, job: ScoutJob) -> None:
        self._job = job
        self._languages: Languages | None = None

    def read(self, tree: Beneath, path: str) -> FileSymbols:
        """What reading a file gives (`extract/read`)."""
        from symindex.extract.read import read_file  # here, because it loads the parser

        if self._languages is None:
            languages = [Language(Path(os.fsdecode(each.folder)), each.rules, each.query) for each in self._job.languages]
            self._languages = Languages(languages, self._job.chosen)
        limit_processor_time(2 * self._job.file_seconds + 1)
        result = read_file(tree, ReadTask(path), self._languages, self._job.max_file_bytes)
        limit_processor_time(0)
        return result


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


if __name__ == "__main__":
    main()
