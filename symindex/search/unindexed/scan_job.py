"""The job of a scan's worker process: searches the bytes of files for what a query needs, and
parses files on request.

It returns one answer to a ScanFiles, and one for every file of a ReadFiles. The parser is loaded
with the first file to read, so that searching bytes can begin as soon as the process does.
"""

import gc
import os
from collections.abc import Callable
from functools import cache

import msgspec

from symindex.extract.languages.registry import unpack_languages
from symindex.extract.records import ReadTask
from symindex.extract.texts.file_text import BINARY_BYTES, to_utf8
from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import LargeFileError
from symindex.search.unindexed.prefilter import Finder, Prefilter
from symindex.workers.framing import Handler


class ScanSetup(msgspec.Struct, array_like=True, frozen=True):
    """What a worker starts with. root: the path's bytes, as the system has them. languages: packed.
    chosen: see `Languages`."""

    root: bytes
    languages: bytes
    chosen: list[str]
    prefilter: Prefilter
    max_file_bytes: int


class ScanFiles(msgspec.Struct, array_like=True, frozen=True, tag=True):
    """An order to search the bytes of these files, given by their paths below the root."""

    paths: list[str]


class ReadFiles(msgspec.Struct, array_like=True, frozen=True, tag=True):
    """An order to parse these files."""

    paths: list[str]


class ScanAnswer(msgspec.Struct, array_like=True, frozen=True):
    """The answer to a ScanFiles. Files are given by their places in its list.

    candidates: files that can have hits, each with its likelihood (`Finder.likelihood`) and its
    size in bytes. unreadable: files that could not be read.
    """

    candidates: list[tuple[int, int, int]]
    unreadable: list[int]


def prepare(setup: bytes) -> Handler:
    """Returns the handler of orders, each a ScanFiles or a ReadFiles."""
    scan_setup = msgspec.msgpack.decode(setup, type=ScanSetup)
    root, finder = os.fsdecode(scan_setup.root), Finder(scan_setup.prefilter)
    languages = cache(lambda: unpack_languages(scan_setup.languages, scan_setup.chosen))
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(ScanFiles | ReadFiles)
    gc.disable()  # the memory of a file is freed when it is done, except for a few cycles

    def carry_out(order: bytes, tell: Callable[[bytes], None]) -> None:
        ordered = decoder.decode(order)
        if isinstance(ordered, ScanFiles):
            tell(encoder.encode(scan_files(root, ordered.paths, finder, scan_setup.max_file_bytes)))
            return
        from symindex.extract.read import read_file  # imported here, because it loads the parser

        with Beneath(root) as tree:
            for path in ordered.paths:
                tell(
                    encoder.encode(
                        read_file(tree, ReadTask(path), languages(), scan_setup.max_file_bytes)
                    )
                )

    return carry_out


def scan_files(root: str, paths: list[str], finder: Finder, max_file_bytes: int) -> ScanAnswer:
    """Finds which files below a root can have hits. A file that has grown beyond the limit since
    the walk has none."""
    candidates: list[tuple[int, int, int]] = []
    unreadable: list[int] = []
    with Beneath(root) as tree:
        for place, path in enumerate(paths):
            try:
                data = to_utf8(tree.read(path, max_file_bytes))[0]
            except LargeFileError:
                continue
            except OSError:
                unreadable.append(place)
                continue
            if data.find(b"\0", 0, BINARY_BYTES) < 0 and finder.holds(path, data):
                candidates.append((place, finder.likelihood(data), len(data)))
    return ScanAnswer(candidates, unreadable)
