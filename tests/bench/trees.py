"""Trees: single packages of the corpus, since a ratio to ctags depends on the language: a cold index, and finding one definition.

ctags is slow on Kotlin and fast on Python and C, so a ratio over the whole corpus says little about a tree of one language. Whole
commands are timed in turns, and the best round counts. A definition is looked for among many others, with an index that is there
already; grep reads every file each time.

A command of its own, too, which prints a table for the README: python -m tests.bench.trees
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.bench.cold import Command, ctags_command, symindex_command
from tests.bench.corpora import make_corpus, read_corpus
from tests.bench.figures import Figure
from tests.bench.places import Bench, BenchError, default_folder, say
from tests.bench.process import Run, run_command

TREES: Final = {
    "kotlin": "KotlinCoreEnvironment",
    "golang-1.19-src": "ServeMux",
    "django": "ManyToManyField",
    "sympy": "MatrixSymbol",
    "redis": "clusterSendPing",
}
"""Packages of the corpus, and a name that each defines. The first suits us, the last ones suit ctags."""

QUICK_TREES: Final = ("django", "redis")
"""Those of the small corpus."""


class TreeRuns(NamedTuple):
    """The best rounds of one tree. size: bytes of its source. rows: of our answer; lines: of grep's."""

    name: str
    size: int
    index: Run
    ctags: Run
    search: Run
    grep: Run
    rows: int
    lines: int


def measure(bench: Bench) -> list[Figure]:
    """The figures of this part."""
    figures = []
    for tree in measure_trees(bench):
        cold, cpu = tree.index.wall_seconds / tree.ctags.wall_seconds, tree.index.cpu_seconds / tree.ctags.cpu_seconds
        find = tree.search.wall_seconds / tree.grep.wall_seconds
        figures += [
            Figure("trees", f"{tree.name}: cold, wall", tree.index.wall_seconds, "s", cold, "ctags"),
            Figure("trees", f"{tree.name}: cold, processor", tree.index.cpu_seconds, "cpu-s", cpu, "ctags"),
            Figure("trees", f"{tree.name}: find", tree.search.wall_seconds * 1000, "ms", find, "grep -rnw"),
        ]
    return figures


def measure_trees(bench: Bench) -> list[TreeRuns]:
    """Times every tree. Raises BenchError."""
    read_corpus(bench)
    return [_measure(bench, name) for name in (QUICK_TREES if bench.quick else TREES)]


def _measure(bench: Bench, name: str) -> TreeRuns:
    root, index_dir = bench.code / name, bench.scratch / "trees" / name
    if not root.is_dir():
        raise BenchError(f"trees: the corpus holds no {name}")
    commands: Sequence[Command] = (
        symindex_command("index", root, index_dir, "--rebuild"),
        ctags_command(root),
        symindex_command("search", root, index_dir, TREES[name], "--max-items", "20", "--format", "markdown"),
        ["grep", "-rnw", TREES[name], root],
    )
    rounds = [[run_command(command, output=bench.scratch / "output") for command in commands] for _ in range(bench.rounds)]
    best = [min(runs, key=lambda run: run.wall_seconds) for runs in zip(*rounds, strict=True)]
    rows = _printed(bench, commands[2]).count(b"\n| ") - 1  # without the table's head
    lines = _printed(bench, commands[3]).count(b"\n")
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    say(f"trees: {name}: {', '.join(f'{run.wall_seconds:.2f} s' for run in best)}")
    return TreeRuns(name, size, *best, rows, lines)


def _printed(bench: Bench, command: Command) -> bytes:
    run_command(command, output=bench.scratch / "output")
    return (bench.scratch / "output").read_bytes()


def render_table(trees: Sequence[TreeRuns]) -> str:
    """The table of the README."""
    head = ["tree", "source", "cold index", "ctags -R", "find a definition", "answer", "grep -rnw", "answer"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    lines += [
        f"| {tree.name} | {tree.size / 1e6:.0f} MB | {tree.index.wall_seconds:.1f} s | {tree.ctags.wall_seconds:.1f} s "
        f"| {tree.search.wall_seconds * 1000:.0f} ms | {_count(tree.rows, 'row')} "
        f"| {tree.grep.wall_seconds * 1000:.0f} ms | {_count(tree.lines, 'line')} |"
        for tree in trees
    ]
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def main() -> int:
    bench = Bench(Path(default_folder()))
    for error in make_corpus(bench):
        say(error)
    print(render_table(measure_trees(bench)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchError as error:
        say(str(error))
        sys.exit(2)
