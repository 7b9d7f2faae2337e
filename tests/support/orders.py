"""Builds one tree of files by several histories, and compares what is answered in each.

Equals must come in one order, whichever file was written, indexed or read first. The histories
differ in all of that: in inodes, in the layers of the index, and in the numbers that derived data
gives to texts.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import symindex
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, write_files

TIME_NS: Final = 1_700_000_000 * 10**9
"""When every file was last written, as far as its metadata tell."""

STEPS: Final[Mapping[str, Callable[[Sequence[str]], list[Sequence[str]]]]] = {
    "at once": lambda paths: [paths],
    "backwards": lambda paths: [paths[::-1]],
    "the odd ones later": lambda paths: [paths[::2], paths[1::2]],
    "the even ones later, backwards": lambda paths: [paths[1::2][::-1], paths[::2][::-1]],
}
"""Which files are written before each look at the tree, by the name of the history."""

REWRITTEN: Final = "every third one rewritten"
"""The history of files that had another content before."""

HISTORIES: Final = (*STEPS, REWRITTEN)


def build(
    top: Path, history: str, files: Files, settled: Files, look: Callable[[Workspace], object]
) -> Workspace:
    """Returns an open workspace whose tree has the files, by a history.

    settled: files that are there from the beginning, enough for later changes to become overlays.
    look: asks something after each step, so that derived data exist already.
    """
    root = write_files(top / "tree", settled)
    paths = sorted(files)
    workspace = symindex.open(root, top / "index")
    workspace.refresh()
    look(workspace)
    steps = STEPS[history](paths) if history in STEPS else [paths]
    if history == REWRITTEN:
        steps.append(paths[::3])
        write(root, {path: _another(files[path]) for path in paths})
        workspace.refresh()
        look(workspace)
    for step in steps:
        write(root, {path: files[path] for path in step})
        workspace.refresh()
        look(workspace)
    return workspace


def write(root: Path, files: Files) -> None:
    """Writes files one after the other, all as old as each other."""
    for path, content in files.items():
        write_files(root, {path: content})
        os.utime(root / path, ns=(TIME_NS, TIME_NS))


def _another(content: str | bytes) -> str:
    """Returns a content of another size, so that the file is read again."""
    return f"{content if isinstance(content, str) else content.decode()}\n\n"


def check_one_order(answers: Mapping[str, Any], expected: Any = None) -> None:
    """Checks that the answers of all histories are equal, and the expected one."""
    first = expected if expected is not None else next(iter(answers.values()))
    for history, answer in answers.items():
        assert answer == first, history
