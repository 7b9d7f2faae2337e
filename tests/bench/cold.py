"""Cold: the whole corpus to an index, against bare parsing, ctags and ast-grep on the same files.

Whole commands are timed, from start to exit, in turns, and what the others print goes to a file. The best round of each counts,
since whatever else happens on the machine only ever makes a run longer. Bare parsing has as many processes as symindex; ctags has
one, because it knows no more.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import symindex
from tests.bench.adapter import parsed_files
from tests.bench.corpora import read_corpus
from tests.bench.figures import Figure, ratio_target, value_target
from tests.bench.machine import count_cores
from tests.bench.peers import ast_grep, find_ctags
from tests.bench.places import Bench, say
from tests.bench.process import Run, run_command

Command = Sequence[str | Path]

OURS: Final = "symindex"
BARE: Final = "bare parsing"
CTAGS_JSON: Final = "ctags JSON"
PEERS: Final = (CTAGS_JSON, "ctags", "ast-grep")


def symindex_command(name: str, root: Path, index_dir: Path, *options: str) -> Command:
    """A sub-command of symindex on a tree."""
    return [sys.executable, "-m", "symindex", name, "--root", root, "--index-dir", index_dir, *options]


def ctags_command(root: Path, *options: str) -> Command:
    """`ctags -R` of a tree, to standard output."""
    return [find_ctags(), "-R", *options, "-f", "-", root]


def measure(bench: Bench) -> list[Figure]:
    """The figures of this part."""
    read_corpus(bench)
    index_dir = bench.scratch / "cold"
    say("cold: a first index, for the list of files")
    run_command(symindex_command("index", bench.code, index_dir, "--rebuild"))
    files = _write_list(bench, index_dir)
    commands: dict[str, Command] = {
        OURS: symindex_command("index", bench.code, index_dir, "--rebuild"),
        BARE: [sys.executable, "-m", "tests.bench.bare", files, str(count_cores())],
        CTAGS_JSON: ctags_command(bench.code, "--output-format=json", "--fields=*"),
        "ctags": ctags_command(bench.code),
        "ast-grep": [
            ast_grep(bench),
            "outline",
            "--items",
            "structure",
            "--json=stream",
            "--threads",
            str(count_cores()),
            bench.code,
        ],
    }
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(bench.rounds):
        for name, command in commands.items():
            runs[name].append(run_command(command, output=bench.scratch / "output"))
            say(f"cold, round {number + 1} of {bench.rounds}: {name} {runs[name][-1].wall_seconds:.1f} s")
    say("cold: weighing")
    peak = {
        name: run_command(command, output=bench.scratch / "output", weigh=True).peak_bytes / 1e6
        for name, command in commands.items()
    }
    n_bytes = sum(os.path.getsize(line.partition("\t")[2]) for line in files.read_text().splitlines())
    return cold_figures(runs, peak, n_bytes)


def _write_list(bench: Bench, index_dir: Path) -> Path:
    with symindex.open(bench.code, index_dir) as workspace:
        workspace.load()
        rows = parsed_files(workspace)
    path = bench.scratch / "files.tsv"
    path.write_text("".join(f"{grammar}\t{file}\n" for grammar, file in rows))
    return path


def cold_figures(runs: Mapping[str, Sequence[Run]], peak_mb: Mapping[str, float], n_bytes: int) -> list[Figure]:
    """The figures of the best rounds. n_bytes: of the files that were parsed."""
    wall = {name: min(run.wall_seconds for run in rows) for name, rows in runs.items()}
    cpu = {name: min(run.cpu_seconds for run in rows) for name, rows in runs.items()}
    speed = n_bytes / 1e6 / wall[OURS]
    figures = [
        Figure("cold", "speed", speed, "MB/s", wall[BARE] / wall[OURS], BARE, ratio_target(">=", 0.75)),
        Figure("cold", "processor time", cpu[OURS], "cpu-s", cpu[OURS] / cpu[BARE], BARE),
    ]
    for name in PEERS:
        target = ratio_target("<=", 0.75) if name == CTAGS_JSON else None
        figures.append(Figure("cold", "wall", wall[OURS], "s", wall[OURS] / wall[name], name, target))
        figures.append(Figure("cold", "processor time", cpu[OURS], "cpu-s", cpu[OURS] / cpu[name], name))
    target = value_target("<", 400)
    figures.append(Figure("cold", "peak memory", peak_mb[OURS], "MB", peak_mb[OURS] / peak_mb[BARE], BARE, target))
    return figures
