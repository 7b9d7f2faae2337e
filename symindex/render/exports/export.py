"""Writes the symbols of a tree in the formats of other programs, piece by piece, so that no file is
in memory as a whole."""

import heapq
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Final

import msgspec

from symindex.explore.listing import ListedFile
from symindex.extract.languages.registry import Languages
from symindex.render.exports import ctags, scip
from symindex.render.exports.tags import tags_of
from symindex.text.escaping import escape_json

RUN_BYTES: Final = 16_000_000
"""Number of bytes that are sorted in memory at a time."""

_READ_BYTES: Final = 1 << 16


def render_export(
    files: Iterable[ListedFile],
    form: str,
    languages: Languages,
    root: Path,
    folder: Path | None = None,
) -> Iterator[bytes]:
    """Yields the pieces of a file in one format, `ctags`, `jsonl` or `scip`. The file is valid even
    without symbols.

    files: the files of a tree, in order. root: the tree's root; paths are relative to it. folder:
    the folder of a tags file, if it differs: its readers take paths as relative to it.
    """
    if form == "scip":
        yield scip.metadata(root.as_uri())
        yield from (scip.document(file, languages) for file in files)
    elif form == "jsonl":
        encoder = msgspec.json.Encoder()
        yield from (
            escape_json(encoder.encode_lines([tag for tag, _ in tags_of(file, languages)]))
            for file in files
        )
    else:
        prefix = _way(root, folder) if folder is not None else ""
        yield from ctags.header(str(folder or root))
        yield from sort_lines(
            ctags.tag_line(tag, search_after, prefix)
            for file in files
            for tag, search_after in tags_of(file, languages)
        )


def _way(root: Path, folder: Path) -> str:
    """Returns the path from a folder to a root, with a slash at its end; empty if they are
    equal."""
    try:
        way = os.path.relpath(root, folder)
    except ValueError:  # on another drive
        way = str(root)
    return "" if way == "." else Path(way).as_posix().rstrip("/") + "/"


def sort_lines(lines: Iterable[bytes], run_bytes: int = RUN_BYTES) -> Iterator[bytes]:
    """Sorts lines, each with one line feed at its end, by their bytes: in runs, which are merged
    from a temporary file. Raises OSError if the disk is full."""
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
