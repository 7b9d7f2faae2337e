"""Live: how soon an edit is found, and how soon it would survive a crash, in a tree of 60,000 files
and 3,000,000 symbols.

Files are added in a separate folder, changed, and removed again, so that the tree is unchanged in
the end. The refresh gets the names of changed files, as a process that follows a tree would know
them; its time includes parsing. Without names, it first walks the tree.
"""

import os
import shutil
import time
from pathlib import Path
from typing import Final

import symindex
from tests.bench.figures import Figure, percentile, value_target
from tests.bench.places import Bench, BenchError, say
from tests.bench.synthetic_index import SyntheticTree, synthetic_tree

CHECKOUT_FILES: Final = 500
FOLDER: Final = "live"


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    tree = synthetic_tree(bench, "quick" if bench.quick else "million")
    folder = tree.root / FOLDER
    with symindex.open(tree.root, tree.index_dir) as workspace:
        try:
            return _measure(bench, tree, workspace, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            workspace.refresh()


def _measure(
    bench: Bench, tree: SyntheticTree, workspace: symindex.Workspace, folder: Path
) -> list[Figure]:
    folder.mkdir(exist_ok=True)
    for number in range(CHECKOUT_FILES):
        _write(folder, number, "before")
    workspace.refresh()
    idle = min(_seconds_of_refresh(workspace) for _ in range(bench.rounds))
    searchable, durable = [], []
    for number in range(2 * bench.rounds + 2):
        started = time.perf_counter()
        name = _write(folder, 0, f"edit_{number}")
        workspace.refresh(paths=[f"{FOLDER}/file_0.py"])
        _expect(workspace, name)
        if number:  # the first edit starts the process that parses
            searchable.append(time.perf_counter() - started)
            durable.append(_until_durable(tree, name, started))
            say(
                f"live, edit {number}: searchable {searchable[-1] * 1000:.0f} ms, durable {durable[-1] * 1000:.0f} ms"
            )
    looked = []
    for number in range(bench.rounds):
        _write(folder, 0, f"unsaid_{number}")
        looked.append(_seconds_of_refresh(workspace))
    checkouts = []
    for number in range(bench.rounds):
        names = [
            _write(folder, file_number, f"checkout_{number}")
            for file_number in range(CHECKOUT_FILES)
        ]
        started = time.perf_counter()
        workspace.refresh(
            paths=[f"{FOLDER}/file_{file_number}.py" for file_number in range(CHECKOUT_FILES)]
        )
        checkouts.append(time.perf_counter() - started)
        _expect(workspace, names[-1])
    nothing = "refresh of nothing"
    one, safe, many = percentile(searchable, 0.5), percentile(durable, 0.5), min(checkouts)
    return [
        Figure(
            "live",
            "one file, searchable",
            one * 1000,
            "ms",
            one / idle,
            nothing,
            value_target("<", 20),
        ),
        Figure(
            "live",
            "one file, durable",
            safe * 1000,
            "ms",
            safe / idle,
            nothing,
            value_target("<", 100),
        ),
        Figure(
            "live",
            "one file, after a look at all",
            min(looked) * 1000,
            "ms",
            min(looked) / idle,
            nothing,
        ),
        Figure(
            "live", f"checkout of {CHECKOUT_FILES} files", many * 1000, "ms", many / idle, nothing
        ),
    ]


def _write(folder: Path, number: int, word: str) -> str:
    """Writes a file of 40 functions; returns the name of the last, which is unique."""
    names = [f"{word}_of_file_{number}_function_{i}" for i in range(40)]
    path = folder / f"file_{number}.py"
    path.write_text(
        "".join(
            f'def {name}(first, second):\n    """Says what it does."""\n    return first\n\n\n'
            for name in names
        )
    )
    os.utime(path)
    return names[-1]


def _seconds_of_refresh(workspace: symindex.Workspace) -> float:
    started = time.perf_counter()
    workspace.refresh()
    return time.perf_counter() - started


def _expect(workspace: symindex.Workspace, name: str) -> None:
    items = workspace.search(name, max_items=1).items
    if not items or items[0].name != name:
        raise BenchError(f"live: {name} was written, and not found")


def _until_durable(tree: SyntheticTree, name: str, started: float) -> float:
    """Returns the seconds from `started` until a reader that only loads the stored index finds the
    name."""
    while time.perf_counter() - started < 60:
        now = time.perf_counter()
        with symindex.open(tree.root, tree.index_dir) as other:
            other.load()
            items = other.search(name, max_items=1).items
        if items and items[0].name == name:
            return now - started
        time.sleep(0.002)
    raise BenchError(f"live: {name} was not stored within a minute")
