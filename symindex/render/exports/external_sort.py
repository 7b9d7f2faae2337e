"""Sorts any number of lines by their bytes: in runs, which are kept in a temporary file and
merged."""

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import IO, Final

RUN_BYTES: Final = 16_000_000
"""How much is sorted at a time."""

_READ_BYTES: Final = 1 << 16


def sort_lines(lines: Iterable[bytes], run_bytes: int = RUN_BYTES) -> Iterator[bytes]:
    """The lines, each with one line feed at its end, in the order of their bytes. Raises OSError
    where the disk is full."""
    run: list[bytes] = []
    size = 0
    with tempfile.TemporaryFile() as file:
        edges = [0]
        for line in lines:
            run.append(line)
            size += len(line)
            if size >= run_bytes:
                run.sort()
                file.writelines(run)
                edges.append(edges[-1] + size)
                run, size = [], 0
        run.sort()
        runs = [_read_run(file, start, end) for start, end in pairwise(edges)]
        yield from heapq.merge(*runs, run) if runs else run


def _read_run(file: IO[bytes], start: int, end: int) -> Iterator[bytes]:
    rest = b""
    while start < end:
        file.seek(start)
        data = file.read(min(_READ_BYTES, end - start))
        start += len(data)
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            yield line + b"\n"
