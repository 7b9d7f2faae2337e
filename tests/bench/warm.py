"""Warm: with an existing index, opening it, the check of unchanged files, whole `symindex search`
commands, and updates.

A command is compared with the same interpreter doing nothing, and importing numpy: the cost of
Python itself.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from tests.bench.cold import Command, symindex_command
from tests.bench.corpora import read_corpus
from tests.bench.daemon import daemon_for
from tests.bench.figures import Figure, percentile, value_target
from tests.bench.opening import Opened
from tests.bench.places import Bench, BenchError, say
from tests.bench.process import run_command
from tests.bench.synthetic_index import synthetic_tree

SEARCHES: Final = {
    "exact": "QuerySet",
    "qualified": "QuerySet.filter",
    "humps": "mtmf",
    "boolean": "kind:class (queryset OR manager) NOT path:tests",
    "empty": "",
    "nothing found": "zzqqxxjjkkvv",
}
"""Queries for the corpus; the small one also contains django."""

TIMES: Final = 11

UPDATED: Final = {
    "Python": "django/django/db/models/sql/query.py",
    "C": "redis/redis-7.0.15/src/server.c",
    "TypeScript": "rxjs/package/src/internal/Observable.ts",
}
"""A file of the corpus that is changed, by language; the first part of its path is the tree that is
updated."""

SETTLE_SECONDS: Final = 0.05
"""How long a file is left alone before the command, in seconds: a file that was just written is
read again later."""


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    read_corpus(bench)
    big = synthetic_tree(bench, "quick" if bench.quick else "million")
    opened = _open(big.root, big.index_dir)
    open_ms = percentile(opened.open, 0.5) * 1000
    figures = [
        Figure("warm", "opening the synthetic index", open_ms, "ms", target=value_target("<", 5))
    ]
    tree = synthetic_tree(bench, "quick" if bench.quick else "20k-files")
    figures.append(_check_figure("unchanged files", _open(tree.root, tree.index_dir), 300))
    index_dir = bench.scratch / "cold"
    say("warm: bringing the corpus's index up to date")
    run_command(symindex_command("index", bench.code, index_dir))
    figures.append(_check_figure("unchanged files, corpus", _open(bench.code, index_dir), None))
    return figures + _process_figures(bench, index_dir) + _update_figures(bench)


def _open(root: Path, index_dir: Path) -> Opened:
    command = [sys.executable, "-m", "tests.bench.opening", str(root), str(index_dir), str(TIMES)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise BenchError(f"warm: the process that opens ended with exit code {done.returncode}")
    opened = msgspec.json.decode(done.stdout, type=Opened)
    if opened.changed:
        raise BenchError(
            f"warm: {root}: {opened.changed:,} files had changed, though nobody touched them"
        )
    return opened


def _check_figure(name: str, opened: Opened, limit_ms: float | None) -> Figure:
    ms, bare_ms = min(opened.refresh) * 1000, min(opened.list) * 1000
    target = None if limit_ms is None else value_target("<", limit_ms)
    return Figure(
        "warm", f"{name} ({opened.files:,})", ms, "ms", ms / bare_ms, "scandir and stat", target
    )


def _followed(bench: Bench, index_dir: Path, commands: Mapping[str, Command]) -> list[Figure]:
    """Times the same commands, answered by a process that follows the tree."""
    seconds: list[float] = []
    with daemon_for(bench.code, index_dir):
        for _ in range(20 * bench.rounds):
            for name, command in commands.items():
                seconds.append(
                    run_command(
                        command, codes=(1,) if name == "nothing found" else (0,)
                    ).wall_seconds
                )
    ms = {share: percentile(seconds, share) * 1000 for share in (0.5, 0.95)}
    return [
        Figure("warm", "command, followed, p50", ms[0.5], "ms", target=value_target("<=", 30)),
        Figure("warm", "command, followed, p95", ms[0.95], "ms", target=value_target("<=", 50)),
    ]


def _process_figures(bench: Bench, index_dir: Path) -> list[Figure]:
    commands: dict[str, Command] = {
        name: [
            *symindex_command(
                "search", bench.code, index_dir, "--max-items", "20", "--format", "json"
            ),
            "--",
            query,
        ]
        for name, query in SEARCHES.items()
    }
    followed = _followed(bench, index_dir, commands)
    commands |= {
        "python": [sys.executable, "-c", "pass"],
        "numpy": [sys.executable, "-c", "import numpy"],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(2 * bench.rounds + 1):
        for name, command in commands.items():
            codes = (1,) if name == "nothing found" else (0,)
            seconds[name].append(run_command(command, codes=codes).wall_seconds)
        say(f"warm, round {number + 1} of {2 * bench.rounds + 1}: whole commands")
    ms = {name: min(rows) * 1000 for name, rows in seconds.items()}
    return [
        *followed,
        *(
            Figure(
                "warm",
                f"command, {name}",
                ms[name],
                "ms",
                ms[name] / ms["numpy"],
                "import numpy",
                value_target("<", 300),
            )
            for name in SEARCHES
        ),
        Figure(
            "warm", "import numpy", ms["numpy"], "ms", ms["numpy"] / ms["python"], "python -c pass"
        ),
    ]


def _update_figures(bench: Bench) -> list[Figure]:
    """Times whole `symindex index` commands after a change of one file, when no process follows the
    tree."""
    figures = []
    for language, path in UPDATED.items():
        tree, _, inside = path.partition("/")
        if not (bench.code / path).exists():  # not in the small corpus
            continue
        with tempfile.TemporaryDirectory(dir=bench.scratch) as folder:
            root = Path(folder) / tree
            shutil.copytree(bench.code / tree, root)
            command = symindex_command("index", root, Path(folder) / "index")
            run_command(command)
            seconds = []
            for _ in range(5 * bench.rounds):
                with open(root / inside, "a") as file:
                    file.write("\n")
                time.sleep(SETTLE_SECONDS)
                seconds.append(run_command(command).wall_seconds)
        middle = percentile(seconds, 0.5) * 1000
        figures.append(
            Figure(
                "warm",
                f"update of one file, {language}, p50",
                middle,
                "ms",
                target=value_target("<=", 150),
            )
        )
        say(f"warm: update of one file, {language}: {middle:.0f} ms")
    return figures
