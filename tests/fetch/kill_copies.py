"""Kills processes that copy a large item, at random moments, and checks what they leave behind.

    python -m tests.fetch.kill_copies [ROUNDS] [SEED]        200 rounds by default, about a minute

Each round starts a process that copies without a pause, half of them over an existing file, and
kills it with SIGKILL. Then the destination must be absent or complete, and the next copy must
delete the leftovers. Exits with 1 if any copy was incomplete.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

from symindex.fetch.copying import copy_item
from symindex.files.access.new_file import UNFINISHED

COPIES: Final = """
import itertools, sys
from pathlib import Path
from symindex.fetch.copying import copy_item

root, relative, force, size = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "True", int(sys.argv[4])
contents = [letter * size for letter in (b"a", b"b")]
print("begun", flush=True)
for step in itertools.count():
    path = copy_item(contents[step % 2], root, relative, force)
    if not force:
        path.unlink()
"""

RELATIVE: Final = "tools/deploy/release.py"
LARGE: Final = 20_000_000
LONGEST_SECONDS: Final = 0.15


def run_rounds(
    top: Path, rounds: int, seed: int, size: int = LARGE
) -> tuple[list[str], Counter[str]]:
    """Returns the faults, and how often unfinished files remained."""
    chance = random.Random(seed)
    faults: list[str] = []
    left: Counter[str] = Counter()
    whole = {letter * size for letter in (b"a", b"b")}
    for number in range(rounds):
        force = number % 2 == 1
        root = top / f"root{number % 3}"
        root.mkdir(exist_ok=True)
        path = root / RELATIVE
        if force:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"a" * size)
        else:
            path.unlink(missing_ok=True)
        kill_one(root, force, size, chance.random() * LONGEST_SECONDS)
        if path.exists():
            left["whole"] += 1
            if path.read_bytes() not in whole:
                faults.append(f"round {number}: the destination is half")
        elif force:
            faults.append(f"round {number}: what was there before is gone")
        else:
            left["absent"] += 1
        left["unfinished"] += len(unfinished(path.parent))
        copy_item(b"whole", root, RELATIVE, force=True)
        others = sorted(entry.name for entry in path.parent.iterdir() if entry != path)
        if others or path.read_bytes() != b"whole":
            faults.append(f"round {number}: the next copy left {others}")
    return faults, left


def kill_one(root: Path, force: bool, size: int, seconds: float) -> None:
    """Starts a process that copies, and kills it."""
    command = [sys.executable, "-c", COPIES, str(root), RELATIVE, str(force), str(size)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(seconds)
    os.kill(process.pid, signal.SIGKILL)
    _, errors = process.communicate()
    assert not errors, errors.decode(errors="replace")


def unfinished(folder: Path) -> list[str]:
    """Returns the unfinished files of killed processes in a folder."""
    return (
        [name for name in os.listdir(folder) if UNFINISHED.fullmatch(name)]
        if folder.exists()
        else []
    )


def main() -> int:
    """Runs the rounds and prints the faults."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory(prefix="symindex-copies") as top:
        faults, left = run_rounds(Path(top), rounds, seed)
    for fault in faults:
        print(fault)
    counts = ", ".join(f"{name} {count}" for name, count in sorted(left.items()))
    print(f"{rounds} rounds, seed {seed}: {len(faults)} faults; found after a kill: {counts}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
