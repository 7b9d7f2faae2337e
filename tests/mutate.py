"""Puts small bugs into a copy of the code, one after the other, and checks that the tests notice.

    python -m tests.mutate                      all bugs, about twenty minutes on two cores
    python -m tests.mutate search -k wildcard   the bugs in mutations/search.toml that say `wildcard`

A bug is located by the text that it changes, in any file, so that code may be moved and renamed.
Exits with 1 if a bug went unnoticed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import msgspec

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = Path(__file__).parent / "mutations"
COPIED: Final = (
    "symindex",
    "tests",
    "grammars",
    "fixtures",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    ".ci",
    ".github",
)
LIMIT_SECONDS: Final = 300.0
"""Time limit for the tests of one bug, in seconds: a bug that makes them hang is noticed as
well."""


class Change(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A small bug.

    what: its effect, as a user would see it. old: text that occurs exactly once in the code. new:
    the text that replaces it. tests: the tests, at least one of which must fail.
    """

    what: str
    old: str
    new: str
    tests: tuple[str, ...]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    change: list[Change]


def read_changes(path: Path) -> list[Change]:
    """Reads the changes in one file."""
    return msgspec.toml.decode(path.read_bytes(), type=_File).change


def place_of(change: Change, root: Path = ROOT) -> Path:
    """Returns the file that a change edits. Raises ValueError if its text occurs in no file or more
    than once."""
    counts = {
        path: path.read_text("utf-8").count(change.old)
        for path in (root / "symindex").rglob("*.py")
    }
    if sum(counts.values()) != 1:
        raise ValueError(
            f"{change.what}: the text to change stands in the code {sum(counts.values())} times: it must stand there once"
        )
    return next(path for path, count in counts.items() if count)


class Copy:
    """A copy of the tree, with an interpreter that imports from it.

    packages: the folder of what is installed for this interpreter alone.
    """

    def __init__(self, folder: Path, original: Path = ROOT, copied: Sequence[str] = COPIED) -> None:
        self.root = folder / "tree"
        ignored = shutil.ignore_patterns("node_modules", "__pycache__", ".venv", "results.jsonl")
        for name in copied:
            source, target = original / name, self.root / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=ignored, symlinks=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        environment = folder / "venv"
        venv.create(environment, with_pip=False)
        paths = sysconfig.get_paths(vars={"base": str(environment), "platbase": str(environment)})
        # The copy uses the packages installed here, except this one: an editable install names it
        # in a file of paths.
        self.packages = Path(paths["purelib"])
        (self.packages / "copy.pth").write_text(
            f"{self.root}\n{sysconfig.get_paths()['purelib']}\n"
        )
        scripts = Path(paths["scripts"])
        self.python = scripts / Path(sys.executable).name
        command = scripts / "symindex"
        command.write_text(f"#!{self.python}\nfrom symindex.__main__ import main\nmain()\n")
        command.chmod(0o755)

    def environment(self) -> dict[str, str]:
        """Variables for its processes: none leads to the modules of another tree."""
        return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def notices(self, change: Change) -> bool:
        """Whether a test fails with this change applied."""
        path = place_of(change, self.root)
        text = path.read_text("utf-8")
        path.write_text(text.replace(change.old, change.new), "utf-8")
        try:
            options = [
                "-q",
                "-x",
                "-o",
                "addopts=",
                "-p",
                "no:cacheprovider",
                f"--basetemp={self.root.parent / 'temporary'}",
            ]
            command = [self.python, "-m", "pytest", *options, *change.tests]
            done = subprocess.run(
                command,  # type: ignore[arg-type]
                cwd=self.root,
                env=self.environment(),
                capture_output=True,
                timeout=LIMIT_SECONDS,
                check=False,
            )
            if done.returncode not in (0, 1):
                raise ValueError(
                    f"{change.what}: pytest ended with {done.returncode}: {done.stdout.decode()[-1000:]}"
                )
            return done.returncode == 1
        except subprocess.TimeoutExpired:
            return True
        finally:
            path.write_text(text, "utf-8")


def unnoticed(changes: Sequence[Change], jobs: int) -> list[Change]:
    """Returns the changes that no test notices; prints the outcome of each."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as threads:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(jobs):
            copies.put(Copy(Path(folder, str(number))))

        def try_one(change: Change) -> bool:
            copy = copies.get()
            try:
                is_noticed = copy.notices(change)
            finally:
                copies.put(copy)
            print(f"{'noticed' if is_noticed else 'UNNOTICED'}: {change.what}", flush=True)
            return is_noticed

        return [
            change
            for change, is_noticed in zip(changes, threads.map(try_one, changes), strict=True)
            if not is_noticed
        ]


def main() -> int:
    """Runs the command in the module's docstring."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutate", description="Small bugs, and whether tests notice them."
    )
    parser.add_argument("files", nargs="*", help="names of files in tests/mutations; default: all")
    parser.add_argument("-k", metavar="TEXT", default="", help="only what holds this text")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="how many at a time; default: 2")
    options = parser.parse_args()
    paths = [FOLDER / f"{name}.toml" for name in options.files] or sorted(FOLDER.glob("*.toml"))
    changes = [
        change for path in paths for change in read_changes(path) if options.k in change.what
    ]
    left = unnoticed(changes, options.jobs)
    print(f"{len(changes)} changes, {len(left)} unnoticed")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
