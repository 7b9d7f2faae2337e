"""What the packages of a project cost: to index them once, in a second project that also has them,
and in its own searches.

Also a command: python -m tests.bench.spaces --code TREE ENVIRONMENT...

An environment is a folder with a `.venv` or a `node_modules`. Each gets two projects, which are
copies of the tree with the environment linked into them, file by file.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from symindex.workspace.workspace import Workspace, open_dependencies, open_workspace
from tests.bench.places import say
from tests.bench.process import run_command

ENVIRONMENTS: Final = (".venv", "node_modules")
MANIFESTS: Final = ("package.json", "package-lock.json", "requirements.txt")

NAMES: Final = (
    "get",
    "Client",
    "close",
    "render",
    "parse_header",
    "HttpResponse",
    "fromstr",
    "zzz_nothing",
    "test",
    "x",
)
"""The queries: names that are common, rare, misspelt and missing."""

ROUNDS: Final = 20

TARGET: Final = 1.1
"""How many times slower a search of the project may be with indexed packages."""


class Searches(NamedTuple):
    """Median milliseconds of a search without and with indexed packages, in one process and as a
    whole command."""

    bare: float
    beside: float
    command_bare: float
    command_beside: float


def make_project(code: Path, environment: Path, project: Path) -> int:
    """Copies a tree and links an environment into it. Returns the bytes of the environment."""
    shutil.copytree(code, project, symlinks=True)
    for name in filter(lambda name: (environment / name).is_dir(), ENVIRONMENTS):
        shutil.copytree(
            environment / name,
            project / name,
            symlinks=True,
            copy_function=os.link,
            dirs_exist_ok=True,
        )
    for name in filter(lambda name: (environment / name).is_file(), MANIFESTS):
        shutil.copy(environment / name, project / name)
    return sum(_bytes_below(environment / name) for name in ENVIRONMENTS)


def _bytes_below(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def time_searches(project: Path, bare: Path, beside: Path) -> Searches:
    """Times the same searches with two index folders, alternating between them."""
    with open_workspace(project, bare) as one, open_workspace(project, beside) as other:
        inside = _by_turns([_asker(one), _asker(other)], 10 * ROUNDS)
    commands = [lambda place=place: _command(project, place) for place in (bare, beside)]
    return Searches(*inside, *_by_turns(commands, ROUNDS))


def _asker(workspace: Workspace) -> Callable[[], None]:
    workspace.refresh()

    def ask() -> None:
        for name in NAMES:
            workspace.search(name)

    return ask


def _command(project: Path, index_dir: Path) -> None:
    run_command(
        [
            sys.executable,
            "-m",
            "symindex",
            "search",
            NAMES[0],
            "--root",
            project,
            "--index-dir",
            index_dir,
        ],
        codes=(0, 1),
    )


def _by_turns(calls: Sequence[Callable[[], None]], rounds: int) -> list[float]:
    """Runs the calls alternately; returns the median milliseconds of each."""
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, times in zip(calls, taken, strict=True):
            begun = time.perf_counter()
            call()
            times.append(time.perf_counter() - begun)
    return [statistics.median(times) * 1000 for times in taken]


def measure(code: Path, environment: Path, folder: Path) -> bool:
    """Prints what one environment costs; returns whether searches stay within the target."""
    first, second, bare, beside = (folder / name for name in ("first", "second", "bare", "beside"))
    say(f"linking {environment}")
    n_bytes = make_project(code, environment, first)
    make_project(code, environment, second)
    for root, index_dir in ((first, bare), (first, beside), (second, beside)):
        with open_workspace(root, index_dir) as workspace:
            workspace.refresh()
    own = _bytes_below(beside)
    seconds = []
    sizes = []
    for root in (first, second, second):
        dependencies = open_dependencies(root, beside)
        begun = time.perf_counter()
        built = dependencies.build()
        seconds.append(time.perf_counter() - begun)
        sizes.append(_bytes_below(beside) - own)
        say(
            f"{root.name}: {built.built} indexed, {built.known} known, {len(built.failed)} failed in {seconds[-1]:.1f} s"
        )
    report = open_dependencies(first, beside).report()
    print(
        f"{environment.name}: {n_bytes / 1e6:,.0f} MB, {report.states.get('indexed', 0)} packages indexed ({report.states})"
    )
    print(f"  {report.symbols:,} symbols in {report.files:,} files")
    print(f"  once            {seconds[0]:6.1f} s  {sizes[0] / 1e6:6.1f} MB")
    print(f"  second project  {seconds[1]:6.1f} s  {(sizes[1] - sizes[0]) / 1e6:6.1f} MB more")
    print(f"  and again       {seconds[2]:6.1f} s")
    searches = time_searches(first, bare, beside)
    inside, command = (
        searches.beside / searches.bare,
        searches.command_beside / searches.command_bare,
    )
    print(
        f"  {len(NAMES)} searches     {searches.bare:6.1f} ms alone, {searches.beside:6.1f} ms beside: {inside:.2f} times"
    )
    print(
        f"  one command     {searches.command_bare:6.1f} ms alone, {searches.command_beside:6.1f} ms beside: {command:.2f} times"
    )
    return max(inside, command) <= TARGET


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.spaces", description=__doc__)
    parser.add_argument(
        "environments",
        nargs="+",
        type=Path,
        metavar="ENVIRONMENT",
        help="a folder with .venv or node_modules",
    )
    parser.add_argument(
        "--code", type=Path, required=True, metavar="TREE", help="what is searched beside it"
    )
    args = parser.parse_args(arguments)
    is_fine = True
    for environment in args.environments:
        place = environment.absolute().parent  # on the same disk, because links need it
        with tempfile.TemporaryDirectory(dir=place) as folder:
            is_fine = (
                measure(args.code.absolute(), environment.absolute(), Path(folder)) and is_fine
            )
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
