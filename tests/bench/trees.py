"""Trees: single packages of the corpus, small and large, in one language each: a cold index, and a
search for one definition.

A ratio to ctags depends on the language: ctags is slow on Kotlin and fast on Python and C, so a
ratio over a whole corpus says little about a tree. Bare parsing and ast-grep, which build the same
syntax trees, show how much could still be gained. Whole commands are timed alternately; of wall and
processor seconds, the least counts. The definition is one among many, and the index already exists;
it is searched by the command alone and with a process that follows the tree. grep reads every file
each time.

Also a command, which prints the tables of `.github/docs/measurements.md`:
python -m tests.bench.trees [--rounds N] [TREE...]
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.bench.cold import BARE, CTAGS_JSON, OURS, Command, Peers, cold_commands, symindex_command
from tests.bench.corpora import make_corpus, read_corpus
from tests.bench.daemon import daemon_for
from tests.bench.figures import Figure
from tests.bench.places import Bench, BenchError, default_folder, say
from tests.bench.process import Run, run_command

TREES: Final = {
    "kotlin": "KotlinCoreEnvironment",
    "golang-1.19-src": "ServeMux",
    "openjfx-source": "StageHelper",
    "rust-src": "HashMap",
    "effect": "Effect",
    "rocksdb": "BlockBasedTable",
    "phpmyadmin": "DatabaseInterface",
    "three": "WebGLRenderer",
    "sympy": "MatrixSymbol",
    "django": "ManyToManyField",
    "redis": "clusterSendPing",
    "redmine": "IssueQuery",
    "nunit": "TestFixtureAttribute",
}
"""Packages of the corpus, about one language each, and a name that each defines. The first package
favours us, the last ones favour ctags."""

QUICK_TREES: Final = ("django", "redis")
"""The trees of the small corpus."""

TOOLS: Final = (BARE, CTAGS_JSON, "ctags", "ast-grep")

FIND, FIND_DAEMON, GREP = "find", "find, followed", "grep -rnw"


class TreeRuns(NamedTuple):
    """The least time of each tool on one tree. size: bytes of its source. rows: of our answer;
    lines: of grep's."""

    name: str
    size: int
    runs: dict[str, Run]
    rows: int
    lines: int


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    figures = []
    for tree in measure_trees(bench):
        ours = tree.runs[OURS]
        for tool in TOOLS:
            other = tree.runs[tool]
            wall, cpu = ours.wall_seconds / other.wall_seconds, ours.cpu_seconds / other.cpu_seconds
            figures.append(
                Figure("trees", f"{tree.name}: cold, wall", ours.wall_seconds, "s", wall, tool)
            )
            figures.append(
                Figure(
                    "trees", f"{tree.name}: cold, processor", ours.cpu_seconds, "cpu-s", cpu, tool
                )
            )
        for name in (FIND, FIND_DAEMON):
            ms, grep = tree.runs[name].wall_seconds * 1000, tree.runs[GREP].wall_seconds * 1000
            figures.append(Figure("trees", f"{tree.name}: {name}", ms, "ms", ms / grep, GREP))
    return figures


def measure_trees(bench: Bench, names: Sequence[str] = ()) -> list[TreeRuns]:
    """Times some trees; default: all. Raises BenchError."""
    read_corpus(bench)
    peers = Peers(bench)
    return [
        _measure(bench, name, peers) for name in names or (QUICK_TREES if bench.quick else TREES)
    ]


def _measure(bench: Bench, name: str, peers: Peers) -> TreeRuns:
    root, index_dir = bench.code / name, bench.scratch / "trees" / name
    if not root.is_dir():
        raise BenchError(f"trees: the corpus holds no {name}")
    find: Command = symindex_command(
        "search", root, index_dir, TREES[name], "--max-items", "20", "--format", "markdown"
    )
    commands: dict[str, Command] = {
        **cold_commands(root, index_dir, peers),
        FIND: [*find, "--no-daemon"],
        GREP: ["grep", "-rnw", TREES[name], root],
    }
    rounds: dict[str, list[Run]] = {tool: [] for tool in [*commands, FIND_DAEMON]}
    for _ in range(bench.rounds):
        for tool, command in commands.items():
            rounds[tool].append(run_command(command, output=bench.scratch / "output"))
    with daemon_for(root, index_dir):
        rounds[FIND_DAEMON] += [
            run_command(find, output=bench.scratch / "output") for _ in range(10 * bench.rounds)
        ]
    runs = {
        tool: Run(min(run.wall_seconds for run in rows), min(run.cpu_seconds for run in rows))
        for tool, rows in rounds.items()
    }
    n_rows = _printed(bench, commands[FIND]).count(b"\n| ") - 1  # without the head of the table
    lines = _printed(bench, commands[GREP]).count(b"\n")
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    say(
        f"trees: {name}: {', '.join(f'{tool} {run.wall_seconds:.2f} s' for tool, run in runs.items())}"
    )
    return TreeRuns(name, size, runs, n_rows, lines)


def _printed(bench: Bench, command: Command) -> bytes:
    run_command(command, output=bench.scratch / "output")
    return (bench.scratch / "output").read_bytes()


def render_tables(trees: Sequence[TreeRuns]) -> str:
    """Returns two tables: processor and wall seconds of a cold index, and the search for a
    definition."""
    cold = [["tree", "source", "symindex", *TOOLS, "to bare parsing"]]
    find = [["tree", "symindex", "followed", "answer", GREP, "answer"]]
    for tree in trees:
        seconds = [
            f"{tree.runs[tool].cpu_seconds:.2f} ({tree.runs[tool].wall_seconds:.2f})"
            for tool in (OURS, *TOOLS)
        ]
        ratio = tree.runs[OURS].cpu_seconds / tree.runs[BARE].cpu_seconds
        cold.append([tree.name, f"{tree.size / 1e6:.0f} MB", *seconds, f"{ratio:.1f}"])
        own, followed, grep = (
            f"{tree.runs[name].wall_seconds * 1000:.0f} ms" for name in (FIND, FIND_DAEMON, GREP)
        )
        find.append(
            [tree.name, own, followed, _count(tree.rows, "row"), grep, _count(tree.lines, "line")]
        )
    return f"{_table(cold)}\n\n{_table(find)}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *rest = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, "|---|" + "---:|" * (len(rows[0]) - 1), *rest])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.trees")
    parser.add_argument("trees", nargs="*", metavar="TREE", help="default: all")
    parser.add_argument(
        "--rounds", type=int, default=3, metavar="N", help="how often each thing is timed"
    )
    args = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users of a command have compiled modules
    names: list[str] = args.trees
    if unknown := [name for name in names if name not in TREES]:
        raise BenchError(f"no tree {unknown[0]!r}: expected some of {', '.join(TREES)}")
    bench = Bench(Path(default_folder()), rounds=args.rounds)
    for error in make_corpus(bench):
        say(error)
    print(render_tables(measure_trees(bench, names)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchError as error:
        say(str(error))
        sys.exit(2)
