"""A process that repeatedly opens an index and checks that nothing has changed. It is a command.

python -m tests.bench.opening ROOT INDEX_DIR TIMES > seconds
"""

import os
import sys
import time
from collections.abc import Callable

import msgspec

import symindex
from symindex.protocol.status import RefreshReport


class Opened(msgspec.Struct):
    """Seconds of every repetition. open: from nothing to a searchable index. refresh: with the
    check of all files. list: only listing and stat of the same files; no check can be faster."""

    open: list[float]
    refresh: list[float]
    list: list[float]
    files: int
    changed: int


def _seconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def list_tree(root: str) -> int:
    """Lists everything below a folder, with a stat of each file; returns the number of files."""
    n_files = 0
    folders = [root]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    n_files += 1
    return n_files


def main() -> None:
    root, index_dir, times = sys.argv[1], sys.argv[2], int(sys.argv[3])

    def open_index() -> None:
        with symindex.open(root, index_dir) as workspace:
            workspace.load()
            assert workspace.source.indexed.snapshot.n_symbols

    def refresh() -> RefreshReport:
        with symindex.open(root, index_dir) as workspace:
            return workspace.refresh()

    open_index()
    report = refresh()
    opened = Opened(
        open=[], refresh=[], list=[], files=report.files, changed=report.read + report.removed
    )
    for _ in range(times):  # alternating, so that other load affects all alike
        opened.open.append(_seconds(open_index))
        opened.refresh.append(_seconds(refresh))
        opened.list.append(_seconds(lambda: list_tree(root)))
    sys.stdout.buffer.write(msgspec.json.encode(opened))


if __name__ == "__main__":
    main()
