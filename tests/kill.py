"""Kills processes that build, update and merge an index, at random moments, and checks what they
leave behind.

    python -m tests.kill [ROUNDS] [SEED]        200 rounds by default, about ten minutes

Each round edits a tree, starts a process that updates its index without a pause, and kills it with
SIGKILL within a second. Then the index must open without a complaint and, after an update, equal a
fresh build. Every seventh round begins without an index; every third follows the tree, so that
merges run during updates. Exits with 1 if anything was lost.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

from symindex.workspace.workspace import Workspace

UPDATES: Final = """
import itertools, sys, time
from pathlib import Path
from symindex.index import overlay
from symindex.workspace.workspace import Workspace

root, index_dir, few_symbols, follows = sys.argv[1:]
overlay.FEW_SYMBOLS, overlay.MOST_OVERLAYS = int(few_symbols), 2
workspace = Workspace(root, index_dir)
print("begun", flush=True)
if follows == "True":
    workspace.follow()
for step in itertools.count():
    Path(root, "d1", "live.py").write_text("".join(f"def step{step}_{i}(): pass\\n" for i in range(step % 50)))
    if follows == "True":
        time.sleep(0.01)
    else:
        workspace.refresh(rebuild=step % 5 == 4, paths=["d1/live.py"] if step % 2 else None)
"""

FOLDERS: Final = 7
FILES: Final = 120
LONGEST_SECONDS: Final = 1.0


class Torture:
    """A tree, its index, and the faults found in it."""

    def __init__(self, top: Path, seed: int) -> None:
        self.root, self.index_dir, self.top = top / "tree", top / "index", top
        self.chance = random.Random(seed)
        self.faults: list[str] = []
        self.left: Counter[str] = Counter()
        for number in range(FILES):
            self._write(number)

    def _path(self, number: int) -> Path:
        return self.root / f"d{number % FOLDERS}" / f"f{number}.py"

    def _write(self, number: int) -> None:
        path = self._path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        pick = self.chance.randrange
        path.write_text(
            "".join(
                f"def f{pick(500)}(): pass\nclass C{pick(99)}:\n    x = 1\n"
                for _ in range(pick(30))
            )
        )

    def edit(self) -> None:
        """Changes, creates or deletes a few files."""
        for _ in range(self.chance.randint(1, 6)):
            number = self.chance.randrange(FILES + 20)
            if self._path(number).exists() and self.chance.random() < 0.3:
                self._path(number).unlink()
            else:
                self._write(number)

    def kill_one(self, follows: bool) -> None:
        """Starts a process that updates the index, and kills it."""
        few_symbols = str(self.chance.choice([0, 50, 5000]))
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                UPDATES,
                str(self.root),
                str(self.index_dir),
                few_symbols,
                str(follows),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(self.chance.random() * LONGEST_SECONDS)
        os.killpg(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
        if errors:
            self.faults.append(errors.decode(errors="replace").splitlines()[-1])

    def check(self) -> None:
        """Opens the index, updates it, and compares it with a fresh build."""
        with (
            Workspace(self.root, self.index_dir) as workspace,
            Workspace(self.root, self.top / "fresh") as fresh,
        ):
            workspace.load()
            for path in workspace.source.indexed.folder.glob("symbols.*"):
                self.left["overlay" if path.name.count(".") > 1 else path.name] += 1
            report = workspace.refresh()
            self.faults.extend(report.notices)
            fresh.refresh(rebuild=True)
            if (
                workspace.source.indexed.snapshot.generation
                != fresh.source.indexed.snapshot.generation
            ):
                self.faults.append("another generation than a fresh build has")
            if workspace.search("").items != fresh.search("").items:
                self.faults.append("other symbols than a fresh build has")
            if not workspace.source.indexed.snapshot.n_symbols:
                self.faults.append("no symbols at all")


def main() -> int:
    """Runs the rounds and prints the faults."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory(prefix="symindex-kill") as top:
        torture = Torture(Path(top), seed)
        for number in range(rounds):
            if number % 7 == 0:
                shutil.rmtree(torture.index_dir, ignore_errors=True)
            torture.edit()
            torture.kill_one(follows=number % 3 == 2)
            before = len(torture.faults)
            torture.check()
            for fault in torture.faults[before:]:
                print(f"round {number}: {fault}", flush=True)
    left = ", ".join(f"{name} {count}" for name, count in sorted(torture.left.items()))
    print(f"{rounds} rounds, seed {seed}: {len(torture.faults)} faults; found after a kill: {left}")
    return 1 if torture.faults else 0


if __name__ == "__main__":
    sys.exit(main())
