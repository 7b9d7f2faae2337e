"""Kills: signals at random moments for a command, its workers, and the build behind a search.

Afterwards, one more refresh gives exactly the index of a fresh build, leaves nothing out, and no
process is left behind. Every fourth round is one of `tests/kill.py`, which kills writers of an
index in the middle of their updates.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from symindex.files.skips import UNREAD
from symindex.workspace.workspace import Workspace
from tests.attack.commands import Attacked, within
from tests.attack.figures import Figures
from tests.attack.sources import FIXTURES, sources
from tests.kill import Torture

FROM_OUTSIDE: Final = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
CRASHES: Final = (signal.SIGSEGV, signal.SIGABRT)
"""Signals that look like a worker's own crash. A file at which two workers crashed is not tried
again, so a round has only one of these signals."""

COMMANDS: Final = (
    ("index",),
    ("index", "--rebuild"),
    ("search", "Auth"),
    ("refs", "name"),
    ("export",),
    ("status",),
)

LANGUAGES: Final = ("python", "c", "go")
"""Only a few languages: each takes a worker a while to load, and the campaign is about workers that
read."""

LONGEST_SECONDS: Final = 2.0
MOST_KILLS: Final = 6
END_SECONDS: Final = 60.0


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of rounds."""
    figures = Figures(count, Counter(), [])
    with (
        tempfile.TemporaryDirectory(prefix="symindex-kills") as top,
        Attacked(Path(top)) as attacked,
    ):
        root, torture = Path(top) / "tree", Torture(Path(top) / "torture", seed)
        for language in LANGUAGES:
            shutil.copytree(FIXTURES / language, root / language)
        for number in range(count):
            chance, before = random.Random(f"{seed} {number}"), len(figures.faults)
            with _Told(figures.faults, number), within(5 * END_SECONDS, "a round of kills"):
                if number % 4 == 3:
                    torture.edit()
                    torture.kill_one(follows=number % 8 == 7)
                    torture.check()
                    figures.faults.extend(torture.faults)
                    torture.faults.clear()
                    figures.contained["writer killed"] += 1
                else:
                    _edit(root, chance)
                    _kill(root, attacked, chance, figures)
                    figures.faults.extend(_compare(root, Path(top), attacked))
            for fault in figures.faults[before:]:
                say(f"kills: round {number}: {fault}")
        say(f"kills: {count} rounds, {len(figures.faults)} faults")
    return figures


class _Told:
    """Turns an exception into a fault of the round, so that the next round runs."""

    def __init__(self, faults: list[str], number: int) -> None:
        self.faults, self.number = faults, number

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, Exception):
            self.faults.append(f"round {self.number}: {type(error).__name__}: {error}")
        return isinstance(error, Exception)


def _edit(root: Path, chance: random.Random) -> None:
    """Changes some files, creates and deletes others."""
    for _ in range(chance.randint(1, 40)):
        source = chance.choice([source for source in sources() if source.language in LANGUAGES])
        path = root / f"made{chance.randrange(9)}" / f"f{chance.randrange(60)}{source.ending}"
        if path.exists() and chance.random() < 0.3:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(source.data + b"\n" * chance.randrange(100))


def _is_before_us(words: str) -> bool:
    """Whether Ctrl-C came while Python itself was still starting, which Python reports in its own
    way."""
    places = re.findall(r'File ".*?/symindex/(\S+\.py)"', words)
    return words.rstrip().endswith("KeyboardInterrupt") and set(places) <= {
        "__main__.py",
        "__init__.py",
    }


def _kill(root: Path, attacked: Attacked, chance: random.Random, figures: Figures) -> None:
    """Starts a command, sends signals to it and its processes, and waits until all have ended."""
    if chance.random() < 0.3:
        shutil.rmtree(attacked.home / "cache", ignore_errors=True)
    arguments, may_crash = chance.choice(COMMANDS), True
    with tempfile.TemporaryFile() as said:
        process = attacked.start(
            arguments,
            root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said.fileno(),
        )
        killed: set[int] = set()
        for _ in range(chance.randint(1, MOST_KILLS)):
            others = _others(attacked, process, chance.random() < 0.8)
            time.sleep(chance.random() ** 3 * LONGEST_SECONDS / 2)
            if process.poll() is not None and not others:
                break
            target = process.pid if not others or chance.random() < 0.15 else chance.choice(others)
            number = chance.choice(CRASHES if may_crash and chance.random() < 0.2 else FROM_OUTSIDE)
            may_crash = may_crash and number not in CRASHES
            with suppress(OSError):
                os.kill(target, number)
            who = "the command" if target == process.pid else "another process"
            figures.contained[f"{signal.Signals(number).name} to {who}"] += 1
            if target == process.pid:
                killed.add(number)
        try:
            code = process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            figures.faults.append(f"`{' '.join(arguments)}` has not ended after {sorted(killed)}")
            process.kill()
            code = process.wait()
        said.seek(0)
        words = said.read().decode("utf-8", "replace")
    if "Traceback" in words and not _is_before_us(words):
        figures.faults.append(
            f"`{' '.join(arguments)}`: a traceback: {words.strip().splitlines()[-1]}"
        )
    if code not in (
        0,
        1,
        2,
        128 + signal.SIGINT,
        128 + signal.SIGTERM,
        128 + signal.SIGHUP,
        *(-number for number in killed),
    ):
        figures.faults.append(
            f"`{' '.join(arguments)}`: exit code {code} after {sorted(killed)}: {words.strip()[-300:]}"
        )
    figures.faults.extend(
        f"left behind by `{' '.join(arguments)}`: {left}" for left in attacked.left_behind()
    )


def _others(attacked: Attacked, process: "subprocess.Popen[bytes]", waits: bool) -> list[int]:
    """Returns the other processes of a command. waits: waits until there are some, or the command
    has ended."""
    end = time.monotonic() + END_SECONDS
    while True:
        others = sorted(attacked.processes().keys() - {process.pid})
        if others or not waits or process.poll() is not None or time.monotonic() > end:
            return others
        time.sleep(0.005)


def _compare(root: Path, top: Path, attacked: Attacked) -> list[str]:
    """Updates the index and compares it with a freshly built one."""
    faults: list[str] = []
    index_dir = attacked.home / "cache" / "symindex"
    with Workspace(root, index_dir) as workspace, Workspace(root, top / "fresh") as fresh:
        report = workspace.refresh()
        faults.extend(report.notices)
        fresh.refresh(rebuild=True)
        if workspace.source.indexed.snapshot.generation != fresh.source.indexed.snapshot.generation:
            faults.append("another generation than a fresh build has")
        if workspace.search("").items != fresh.search("").items:
            faults.append("other symbols than a fresh build has")
        faults.extend(
            f"left out: {skip}"
            for skip in workspace.source.indexed.unread()
            if skip.reason in UNREAD
        )
    return faults
