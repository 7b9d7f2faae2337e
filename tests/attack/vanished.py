"""The cache is deleted while commands of all kinds and servers use it.

Its folders and files vanish again and again. The tree never changes, so every command has one right
answer: existing names are found.
"""

import os
import random
import shutil
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, NamedTuple

from tests.attack.commands import Attacked
from tests.attack.figures import Figures

AT_ONCE: Final = 3
"""Number of commands that run at once."""

COMMAND_SECONDS: Final = 90.0
"""Time limit of a command, in seconds; a longer one hangs."""

LONGEST_PAUSE: Final = 0.25
"""Longest time between two deletions, in seconds: shorter than a command."""

FILES: Final = 12
"""Number of files in the tree."""


class Asked(NamedTuple):
    """A command, and a text that its output must contain."""

    arguments: Sequence[str]
    answer: bytes


COMMANDS: Final = (
    Asked(("search", "RateLimiter3"), b"RateLimiter3"),
    Asked(("search", "how", "are", "rates", "limited"), b"limit"),
    Asked(("search", "retry_after", "--space", "all"), b"retry_after"),
    Asked(("search", "leftPadding", "--space", "system"), b"leftPadding"),
    Asked(("search", "RateLimiter5", "--json"), b"RateLimiter5"),
    Asked(("symbol", "RateLimiter2"), b"RateLimiter2"),
    Asked(("outline", "src/limits4.py"), b"RateLimiter4"),
    Asked(("refs", "retry_after"), b"limits7.py"),
    Asked(("grep", "tokens per second"), b"limits1.py"),
    Asked(("recall", "who has a bucket of tokens"), b"bucket of tokens"),
    Asked(("map",), b"limits"),
    Asked(("hierarchy", "RateLimiter0"), b"Burst"),
    Asked(("status",), b"python"),
    Asked(("deps",), b"padding"),
    Asked(("deps", "--build"), b"padding"),
    Asked(("index",), b""),
    Asked(("index", "--rebuild"), b""),
    Asked(("export",), b"RateLimiter6"),
)
"""Every command that reads or writes the cache. Commands about packages build their indexes
first."""

FAULTS: Final = (b"Traceback", b"internal error at")
"""Texts that no command may print."""


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of commands; a process that follows the tree and an agents'
    server run throughout."""
    figures = Figures(count, Counter(), [])
    with tempfile.TemporaryDirectory(prefix="symindex-vanished") as folder, ExitStack() as stack:
        top = Path(folder)
        root = _made(top / "tree")
        attacked = stack.enter_context(Attacked(top))
        follower = _Follower(attacked, root, top / "said")
        stack.callback(follower.end)
        deleter = _Deleter(attacked.home / "cache", random.Random(seed))
        chance = random.Random(f"commands {seed}")
        chosen = [chance.choice(COMMANDS) for _ in range(count)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            deleter.start()
            try:
                for number, fault in enumerate(
                    pool.map(lambda asked: _fault(attacked, root, asked), chosen)
                ):
                    if fault:
                        figures.faults.append(f"command {number}: {fault}")
                        say(f"vanished: {figures.faults[-1]}")
                    figures.contained["answered"] += not fault
            finally:
                deleter.end()
        figures.faults.extend(follower.faults())
    figures.contained["deletions"] = deleter.n_deletions
    say(f"vanished: {deleter.n_deletions:,} deletions, {len(figures.faults)} faults")
    return figures


def _made(root: Path) -> Path:
    """Makes the tree: code, a document, and a package that it depends on."""
    files = {
        "docs/guide.md": "# Rates\n\nHow rates are limited: each user has a bucket of tokens.\n"
    }
    for number in range(FILES):
        files[f"src/limits{number}.py"] = (
            f'class RateLimiter{number}:\n    """Limits rates: so many tokens per second."""\n\n'
            f"    def retry_after(self, seconds):\n        return seconds * {number}\n\n\n"
            f"class Burst{number}(RateLimiter{number}):\n    def wait(self):\n        return self.retry_after({number})\n"
        )
    files["package.json"] = (
        '{"name": "rates", "version": "1.0.0", "dependencies": {"padding": "1.0.0"}}'
    )
    files["node_modules/padding/package.json"] = (
        '{"name": "padding", "version": "1.0.0", "main": "index.js"}'
    )
    files["node_modules/padding/index.js"] = (
        "export function leftPadding(text, width) { return text.padStart(width); }\n"
    )
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def _fault(attacked: Attacked, root: Path, asked: Asked) -> str:
    """Returns what is wrong with the end of a command, or an empty text."""
    ran = attacked.run(asked.arguments, root, COMMAND_SECONDS)
    said = next((word.decode() for word in FAULTS if word in ran.err or word in ran.out), "")
    if faults := [
        *ran.faults(codes=(0,)),
        *([f"`{' '.join(asked.arguments)}` says {said}"] if said else []),
    ]:
        return f"{'; '.join(faults)}: {ran.out[-300:]!r}"
    if asked.answer not in ran.out:
        return f"`{' '.join(asked.arguments)}`: {asked.answer.decode()} is not in {ran.out[:200]!r}"
    return ""


class _Deleter(threading.Thread):
    """Deletes parts of the cache until told to stop: all of it, a folder, or a file."""

    def __init__(self, cache: Path, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self._cache, self._chance = cache, chance
        self._ended = threading.Event()
        self.n_deletions = 0

    def run(self) -> None:
        while not self._ended.wait(self._chance.random() ** 2 * LONGEST_PAUSE):
            way = self._chance.randrange(4)
            places = [self._cache] if way == 0 else sorted(self._cache.rglob("*"))
            wanted = (
                os.path.isdir if way in (1, 2) else os.path.isfile if way == 3 else os.path.lexists
            )
            places = [place for place in places if wanted(place)]
            if not places:
                continue
            place = self._chance.choice(places)
            with suppress(OSError):
                if place.is_dir():
                    shutil.rmtree(place, ignore_errors=True)
                else:
                    place.unlink()
                self.n_deletions += 1

    def end(self) -> None:
        self._ended.set()
        self.join()


class _Follower:
    """Runs `index --watch`, which must still be running at the end and have reported no faults."""

    def __init__(self, attacked: Attacked, root: Path, said: Path) -> None:
        self._said = said
        with open(said, "wb") as file:
            self._process = attacked.start(
                ["index", "--watch"],
                root,
                stdin=subprocess.DEVNULL,
                stdout=file.fileno(),
                stderr=file.fileno(),
            )

    def faults(self) -> list[str]:
        faults = (
            [f"index --watch has ended with {self._process.returncode}"]
            if self._process.poll() is not None
            else []
        )
        said = self._said.read_bytes()
        return [
            *faults,
            *(
                f"index --watch says {word.decode()}: {said[-500:]!r}"
                for word in FAULTS
                if word in said
            ),
        ]

    def end(self) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(COMMAND_SECONDS)
