"""Folders that are swapped for links while a tree is walked, read and asked about.

In each round, a thread renames a folder of the tree, puts a link to an outside folder in its place,
and swaps back, as fast as it can, while the tree is walked, indexed and searched. The files outside
have the same names, but define other symbols than the tree; nothing outside is ever seen.
"""

import os
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from symindex.errors import SymindexError
from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_file
from symindex.extract.records import ReadTask
from symindex.files.access.beneath import Beneath
from symindex.files.walk import FileFilter, walk_tree
from symindex.workspace.workspace import Workspace
from tests.attack.figures import Figures

SECRET = "from_outside"
FILES = 8


class _Swapper(threading.Thread):
    """Swaps folders for links until `end` is called."""

    def __init__(self, root: Path, outside: Path, seed: int) -> None:
        super().__init__(daemon=True)
        self._root, self._outside = root, outside
        self._chance = random.Random(seed)
        self._ended = threading.Event()
        self.n_swaps = 0

    def run(self) -> None:
        while not self._ended.is_set():
            name = self._chance.choice(["d0", "d1", "d0/deep", "d1/deep"])
            place, away = self._root / name, self._root.parent / "away"
            with suppress(OSError):
                os.rename(place, away)
                os.symlink(self._outside / name, place)
                self.n_swaps += 1
                os.unlink(place)
            with suppress(OSError):
                os.rename(away, place)

    def end(self) -> None:
        """Ends the swaps and restores the tree."""
        self._ended.set()
        self.join()


def _make(folder: Path, text: str) -> None:
    for base in ("d0", "d0/deep", "d1", "d1/deep"):
        (folder / base).mkdir(parents=True)
        for number in range(FILES):
            (folder / base / f"f{number}.py").write_text(text)
    (folder / "z.py").write_text("z = 1\n")


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs `count` rounds. An attack is one look while folders are swapped; a look that sees
    anything outside is a fault."""
    languages = load_languages()
    wanted = languages.wanted(1_000_000)
    n_looks, n_swaps, faults = 0, 0, list[str]()
    for round_ in range(count):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder).resolve()
            _make(top / "tree", "def honest(): pass\nhonest()\n")
            _make(top / "out", f"def {SECRET}(): pass\n{SECRET}()  # honest()\n")
            (top / "out" / "d0" / "only_outside.py").write_text("x = 1\n")
            with Workspace(top / "tree", top / "index") as workspace:
                workspace.refresh()
                swapper = _Swapper(top / "tree", top / "out", seed * 1_000_003 + round_)
                swapper.start()
                try:
                    for seen in _looks(workspace, wanted, top / "tree"):
                        n_looks += 1
                        if SECRET in seen or "only_outside" in seen:
                            faults.append(f"round {round_}: seen from outside: {seen[:200]}")
                finally:
                    swapper.end()
                n_swaps += swapper.n_swaps
    say(f"swaps: {n_swaps:,} swaps")
    return Figures(n_looks, Counter({"swaps": n_swaps}), faults)


def _looks(workspace: Workspace, wanted: FileFilter, root: Path) -> list[str]:
    """Looks at a tree in every way, and returns what was seen."""
    languages = workspace.source.languages
    seen = [str(walk_tree(root, wanted).files.paths) for _ in range(20)]
    for path in [f"{base}/f{number}.py" for base in ("d0", "d1/deep") for number in range(FILES)]:
        with Beneath(root) as tree:
            seen.append(
                str(
                    [
                        symbol.name
                        for symbol in read_file(tree, ReadTask(path), languages, 1_000_000).symbols
                    ]
                )
            )
        with suppress(SymindexError):
            seen.append(str(workspace.symbol(f"{path}#honest")))
    for look in (
        lambda: workspace.references("honest"),
        lambda: [file.text for file in workspace.source.indexed.export()],
        lambda: (workspace.refresh(rebuild=True), workspace.search("honest")),
        lambda: workspace.search(SECRET).items,
    ):
        with suppress(SymindexError):
            seen.append(str(look()))
    return seen
