"""Random names that installed Python packages offer, compared with Python's own place of their
definitions.

Also a command: python -m tests.bench.library_names VENV [--seed N] [--count N]

Python imports the packages in a process of its own, and `inspect` gives the file and lines of the
object that a name is bound to. An answer is right if the one symbol that it shows is there, or in a
stub of the module. Objects that a module creates at run time (a class made by a function, a
partial) have no lines of their own. Our answer is then the assignment, which counts as wrong here,
so that nobody has to judge.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from symindex.protocol.explore import SymbolResponse
from symindex.workspace.workspace import open_workspace
from tests.bench.places import say

A_PACKAGE: Final = 3
"""Number of names that are drawn from one package."""

SECONDS: Final = 600

DRAW: Final = """
import importlib, importlib.metadata, inspect, json, os, random, sys, warnings
warnings.simplefilter("ignore")
seed, count, most = map(int, sys.argv[1:])
chance = random.Random(seed)  # of our own: modules seed the common one
files = [str(file) for each in importlib.metadata.distributions() for file in each.files or []]
tops = sorted({file.split("/")[0] for file in files if file.endswith("/__init__.py") and file.count("/") == 1})
chance.shuffle(tops)
drawn = []

def place(thing):
    thing = getattr(thing, "__func__", getattr(thing, "fget", thing))
    thing = inspect.unwrap(thing)
    lines, first = inspect.getsourcelines(thing)
    return os.path.realpath(inspect.getsourcefile(thing)), first, first + len(lines) - 1

for top in tops:
    if len(drawn) >= count:
        break
    try:
        module = importlib.import_module(top)
    except BaseException:
        continue
    names = [name for name in getattr(module, "__all__", dir(module)) if isinstance(name, str) and name[:1] != "_"]
    chance.shuffle(names)
    taken = 0
    for name in names:
        if taken == most:
            break
        try:
            thing, asked = getattr(module, name), f"{top}.{name}"
            if inspect.isclass(thing) and chance.random() < 0.6:
                member = chance.choice([each for each in dir(thing) if each[:1] != "_" and callable(getattr(thing, each))])
                thing, asked = inspect.getattr_static(thing, member), f"{asked}.{member}"
            elif not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            drawn.append((asked, *place(thing)))
            taken += 1
        except Exception:
            continue
print("\\n" + json.dumps(drawn))
"""
"""Prints the names, each with the file and the first and last line."""


class Drawn(NamedTuple):
    """A name, and where it is defined."""

    asked: str
    path: str
    first: int
    last: int

    def is_right(self, response: SymbolResponse) -> bool:
        shown = response.symbol
        if shown is None:
            return False
        below = shown.file_path.partition("/")[2]
        if self.path.endswith(f"/{below}"):
            return self.first - 1 <= shown.line <= self.last
        return below.endswith(".pyi") and self.path.endswith(f"/{below.removesuffix('i')}")


def draw(environment: Path, seed: int, count: int) -> list[Drawn]:
    """Draws names from the packages of a virtual environment."""
    command = [environment / "bin/python", "-c", DRAW, str(seed), str(count), str(A_PACKAGE)]
    with tempfile.TemporaryDirectory() as nowhere:
        done = subprocess.run(
            command,  # type: ignore[arg-type]
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
            cwd=nowhere,
        )
    return [Drawn(*row) for row in json.loads(done.stdout.splitlines()[-1])]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.library_names", description=__doc__
    )
    parser.add_argument(
        "environment",
        type=Path,
        metavar="VENV",
        help="a virtual environment, whose packages are imported",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=240, metavar="N", help="how many names")
    args = parser.parse_args(arguments)
    environment = args.environment.absolute()
    names = draw(environment, args.seed, args.count)
    say(f"{len(names)} names are drawn")
    os.environ["VIRTUAL_ENV"] = str(environment)
    n_right = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        root.mkdir()
        with open_workspace(root, Path(folder, "indexes")) as workspace:
            for name in names:
                begun = time.perf_counter()
                response = workspace.symbol(name.asked, max_tokens=200)
                seconds = time.perf_counter() - begun
                n_right += name.is_right(response)
                if not name.is_right(response):
                    shown = response.symbol
                    where = (
                        f"{shown.file_path}:{shown.line}"
                        if shown is not None
                        else f"{response.total} symbols"
                    )
                    print(
                        f"WRONG {seconds * 1000:6.0f} ms {name.asked}: {name.path}:{name.first} and not {where}"
                    )
    print(f"{n_right} of {len(names)} right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
