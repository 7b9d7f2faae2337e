"""Cold: indexes the whole corpus, compared with bare parsing, ctags and ast-grep on the same files;
then without Kotlin, on which ctags spends most of its time.

Whole commands are timed, from start to exit, alternating between the tools; the output of the
others goes to a file. The best round of each counts, since other activity on the machine only makes
a run longer. Bare parsing has as many processes as symindex; ctags has one, because it supports no
more.
"""

import os
import shutil
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
    """Returns a sub-command of symindex on a tree."""
    return [
        sys.executable,
        "-m",
        "symindex",
        name,
        "--root",
        root,
        "--index-dir",
        index_dir,
        *options,
    ]


def ctags_command(root: Path, *options: str) -> Command:
    """Returns `ctags -R` of a tree, to standard output."""
    return [find_ctags(), "-R", *options, "-f", "-", root]


class Peers:
    """Where the other tools are, and where lists of files are kept."""

    def __init__(self, bench: Bench) -> None:
        self.ast_grep = ast_grep(bench)
        self.scratch = bench.scratch


def cold_commands(root: Path, index_dir: Path, peers: Peers) -> dict[str, Command]:
    """Returns the commands that index a tree, ours and the others'. Runs ours once, for the list of
    parsed files."""
    run_command(symindex_command("index", root, index_dir, "--rebuild"))
    files = _write_list(root, index_dir, peers.scratch / f"files-{root.name}.tsv")
    cores = str(count_cores())
    return {
        OURS: symindex_command("index", root, index_dir, "--rebuild"),
        BARE: [sys.executable, "-m", "tests.bench.bare", files, cores],
        CTAGS_JSON: ctags_command(root, "--output-format=json", "--fields=*"),
        "ctags": ctags_command(root),
        "ast-grep": [
            peers.ast_grep,
            "outline",
            "--items",
            "structure",
            "--json=stream",
            "--threads",
            cores,
            root,
        ],
    }


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    read_corpus(bench)
    peers = Peers(bench)
    say("cold: a first index, for the list of files")
    commands = cold_commands(bench.code, bench.scratch / "cold", peers)
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(bench.rounds):
        for name, command in commands.items():
            runs[name].append(run_command(command, output=bench.scratch / "output"))
            say(
                f"cold, round {number + 1} of {bench.rounds}: {name} {runs[name][-1].wall_seconds:.1f} s"
            )
    say("cold: weighing")
    peak = {
        name: run_command(command, output=bench.scratch / "output", weigh=True).peak_bytes / 1e6
        for name, command in commands.items()
    }
    files = commands[BARE][3]
    n_bytes = sum(
        os.path.getsize(line.partition("\t")[2]) for line in Path(files).read_text().splitlines()
    )
    return cold_figures(runs, peak, n_bytes) + _without_kotlin(bench, peers)


def _write_list(root: Path, index_dir: Path, path: Path) -> Path:
    with symindex.open(root, index_dir) as workspace:
        workspace.load()
        rows = parsed_files(workspace)
    path.write_text("".join(f"{grammar}\t{file}\n" for grammar, file in rows))
    return path


def _without_kotlin(bench: Bench, peers: Peers) -> list[Figure]:
    """Returns the figures of a tree of the same files (as hard links) without Kotlin."""
    root = bench.scratch / "without-kotlin"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(
        bench.code, root, copy_function=os.link, ignore=shutil.ignore_patterns("*.kt", "*.kts")
    )
    commands = cold_commands(root, bench.scratch / "cold", peers)
    runs = {
        name: [run_command(command, output=bench.scratch / "output")]
        for name, command in commands.items()
    }
    for _ in range(bench.rounds - 1):
        for name, command in commands.items():
            runs[name].append(run_command(command, output=bench.scratch / "output"))
    shutil.rmtree(root)
    wall = {name: min(run.wall_seconds for run in rows) for name, rows in runs.items()}
    cpu = {name: min(run.cpu_seconds for run in rows) for name, rows in runs.items()}
    say(
        f"cold, without Kotlin: {', '.join(f'{name} {seconds:.1f} s' for name, seconds in wall.items())}"
    )
    figures = []
    for name in (BARE, *PEERS):
        figures.append(
            Figure("cold", "wall, no Kotlin", wall[OURS], "s", wall[OURS] / wall[name], name)
        )
        figures.append(
            Figure(
                "cold", "processor time, no Kotlin", cpu[OURS], "cpu-s", cpu[OURS] / cpu[name], name
            )
        )
    return figures


def cold_figures(
    runs: Mapping[str, Sequence[Run]], peak_mb: Mapping[str, float], n_bytes: int
) -> list[Figure]:
    """Returns the figures of the best rounds. n_bytes: of the parsed files."""
    wall = {name: min(run.wall_seconds for run in rows) for name, rows in runs.items()}
    cpu = {name: min(run.cpu_seconds for run in rows) for name, rows in runs.items()}
    speed = n_bytes / 1e6 / wall[OURS]
    figures = [
        Figure(
            "cold", "speed", speed, "MB/s", wall[BARE] / wall[OURS], BARE, ratio_target(">=", 0.75)
        ),
        Figure("cold", "processor time", cpu[OURS], "cpu-s", cpu[OURS] / cpu[BARE], BARE),
    ]
    for name in PEERS:
        target = ratio_target("<=", 0.75) if name == CTAGS_JSON else None
        figures.append(
            Figure("cold", "wall", wall[OURS], "s", wall[OURS] / wall[name], name, target)
        )
        figures.append(
            Figure("cold", "processor time", cpu[OURS], "cpu-s", cpu[OURS] / cpu[name], name)
        )
    target = value_target("<=", 300)
    figures.append(
        Figure(
            "cold", "peak memory", peak_mb[OURS], "MB", peak_mb[OURS] / peak_mb[BARE], BARE, target
        )
    )
    return figures
