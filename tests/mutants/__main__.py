"""Mutants by lot: small changes that cosmic-ray's operators make, and whether tests notice them.

python -m tests.mutants record [TESTS...]   which tests reach which lines
python -m tests.mutants run --seed 1        tries mutants, and writes the page
python -m tests.mutants table --seed 1      writes the page, tests/MUTANTS.md
"""

import argparse
import math
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tests.mutants.draw import Mutant, draw
from tests.mutants.project import OURS, Project
from tests.mutants.reach import Record
from tests.mutants.record import record_tests
from tests.mutants.results import Results, page, read_equivalents, score
from tests.mutants.run import try_all
from tests.mutants.trial import LIMIT_SECONDS, Result

EQUIVALENTS: Final = Path(__file__).parent / "equivalent.toml"
PAGE: Final = OURS.root / "tests" / "MUTANTS.md"


def main(arguments: Sequence[str] | None = None, project: Project = OURS) -> int:
    """The command."""
    options = _parser(project).parse_args(arguments)
    record = Record(options.folder, project)
    if options.command == "record":
        n_tests, seconds, end = record_tests(record, options.tests, options.processes)
        print(f"{end.strip()}\n{n_tests} tests recorded in {seconds:.0f} s")
        return 0
    mutants = draw(project, options.seed, options.count, options.package)
    kind = "-unchanged" if getattr(options, "unchanged", False) else ""
    results = Results(options.folder / f"results-{options.seed}{kind}.jsonl")
    if options.command == "run":
        _run(mutants, record, results, options)
    results_by_key = results.read()
    tried = [results_by_key[mutant.key] for mutant in mutants if mutant.key in results_by_key]
    text = page(
        _title(options, project), tried, read_equivalents(options.equivalents), len(mutants)
    )
    if options.page:
        options.page.write_text(text, "utf-8")
    else:
        print(text)
    share = score(tried)
    print(f"{len(tried)} of {len(mutants)} mutants tried, score {share or 0:.2f}")
    return 0


def _parser(project: Project) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument(
        "--folder",
        type=Path,
        default=project.root / ".cache" / "mutants",
        help="where the record and the results are; default: .cache/mutants",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="runs tests, and records what they reach")
    recording.add_argument("tests", nargs="*", help="files or folders; default: the push lane")
    recording.add_argument("-n", "--processes", type=int, default=0, help="of pytest; default: one")
    running = commands.add_parser("run", help="tries mutants that have not been tried")
    table = commands.add_parser("table", help="writes the page of what has been tried")
    for command in (running, table):
        command.add_argument("--seed", type=int, required=True)
        command.add_argument("--count", type=int, default=300, help="default: 300")
        command.add_argument("--package", default="", help="only this package or room")
        command.add_argument("--equivalents", type=Path, default=EQUIVALENTS)
        command.add_argument(
            "--page", type=Path, help="the file to write, such as tests/MUTANTS.md; default: print"
        )
    running.add_argument("-j", "--jobs", type=int, default=2, help="mutants at a time; default: 2")
    running.add_argument(
        "--limit", type=float, default=LIMIT_SECONDS, help="seconds for a mutant; default: 120"
    )
    running.add_argument(
        "--seconds", type=float, default=math.inf, help="begin no mutant after so many"
    )
    running.add_argument(
        "--again", action="store_true", help="also those that were not noticed before"
    )
    running.add_argument(
        "--unchanged",
        action="store_true",
        help="runs the same tests without the mutants: none fails",
    )
    return parser


def _run(
    mutants: Sequence[Mutant], record: Record, results: Results, options: argparse.Namespace
) -> None:
    results_by_key = results.read()
    left = [
        mutant
        for mutant in mutants
        if mutant.key not in results_by_key
        or (options.again and results_by_key[mutant.key].outcome != "noticed")
    ]

    def tell(result: Result) -> None:
        mutant = result.mutant
        print(
            f"{result.outcome}: {mutant.file}:{mutant.line} {mutant.operator}"
            f" ({result.seconds:.0f} s, {result.n_tests} tests{', ' if result.how else ''}{result.how})"
            f" {result.test}",
            flush=True,
        )

    if left:
        try_all(
            left,
            record,
            results,
            jobs=options.jobs,
            limit=options.limit,
            seconds=options.seconds,
            changes=not options.unchanged,
            tell=tell,
        )


def _title(options: argparse.Namespace, project: Project) -> str:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    within = f" of `{options.package}`" if options.package else ""
    return (
        f"# Mutants by lot\n\n{options.count} mutants{within}, seed {options.seed}, commit {commit},"
        f" {datetime.now(UTC):%Y-%m-%d}."
    )


if __name__ == "__main__":
    sys.exit(main())
