"""Tiny: a tree of 200,000 files of one line each, where only the work per file counts, and not its
content.

It is made once (a gigabyte of disk blocks), and one file of it is changed and changed back.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import symindex
from tests.bench.cold import symindex_command
from tests.bench.figures import Figure
from tests.bench.opening import list_tree
from tests.bench.places import Bench, say
from tests.bench.process import run_command

FILES: Final = 200_000
QUICK_FILES: Final = 2_000
A_FOLDER: Final = 70
"""Files in a folder, and folders in a folder."""


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    n_files = QUICK_FILES if bench.quick else FILES
    root = _make(bench, n_files)
    index_dir = bench.scratch / f"tiny-{n_files}"
    command = symindex_command("index", root, index_dir, "--rebuild")
    say(f"tiny: an index of {n_files:,} files")
    seconds = run_command(command).wall_seconds
    say("tiny: the same, weighed")
    peak = run_command(command, weigh=True).peak_bytes
    listing = _seconds(lambda: list_tree(str(root)))
    query = symindex_command("search", root, index_dir, "--max-items", "20")
    run_command([*query, f"found_{n_files - 1}"])
    search = min(
        run_command([*query, f"found_{n_files - 1}"]).wall_seconds for _ in range(bench.rounds)
    )
    path = root / _path(0)
    with symindex.open(root, index_dir) as workspace:
        workspace.source.indexed._updater.keep_worker()  # as while a tree is followed
        checks = [_seconds(workspace.refresh) for _ in range(bench.rounds)]
        updates = []
        for text in ("def changed(): pass\n", "def again(): pass\n", _text(0)):
            path.write_text(text)
            updates.append(_seconds(lambda: workspace.refresh(paths=[_path(0)])))
    listed = "scandir and stat"
    return [
        Figure("tiny", f"index of {n_files:,} files", seconds, "s", seconds / listing, listed),
        Figure("tiny", "peak memory", peak / 1e6, "MB"),
        Figure(
            "tiny",
            "check of unchanged files",
            min(checks) * 1000,
            "ms",
            min(checks) / listing,
            listed,
        ),
        Figure("tiny", "command, exact", search * 1000, "ms", search / listing, listed),
        Figure(
            "tiny",
            "update of one named file",
            min(updates) * 1000,
            "ms",
            min(updates) / min(checks),
            "check of all",
        ),
    ]


def _make(bench: Bench, n_files: int) -> Path:
    root = bench.folder / "tiny" / f"{n_files}"
    done = root.with_suffix(".done")
    if not done.exists():
        say(f"tiny: making {n_files:,} files")
        for number in range(n_files):
            path = root / _path(number)
            if number % A_FOLDER == 0:
                path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_text(number))
        done.touch()
    return root


def _path(number: int) -> str:
    folder = number // A_FOLDER
    return f"d{folder // A_FOLDER}/e{folder % A_FOLDER}/f{number}.py"


def _text(number: int) -> str:
    return f"def found_{number}(): pass\n"


def _seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began
