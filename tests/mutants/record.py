"""Runs tests in a copy and records which lines they reach, in their own process and in those that
they start."""

import contextlib
import json
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from coverage.numbits import numbits_union

from tests.mutants.lines import digest_of
from tests.mutants.project import Project
from tests.mutants.reach import Record, Recorded, Test
from tests.mutate import Copy

INSIDE: Final = Path(__file__).parent / "inside"


def prepared_copy(project: Project, folder: Path) -> Copy:
    """A copy whose interpreter finds the modules of `inside`, and guards all processes."""
    copy = Copy(folder, project.root, project.copied)
    for module in INSIDE.glob("mutants_*.py"):
        shutil.copy2(module, copy.packages)
    start = "import os; {}__import__('{}').start()\n"
    (copy.packages / "mutants.pth").write_text(
        start.format("", "mutants_guard")
        + start.format("'MUTANTS_RECORD' in os.environ and ", "mutants_measuring")
    )
    return copy


def record_tests(
    record: Record, paths: Sequence[str], processes: int = 0
) -> tuple[int, float, str]:
    """Records the tests of some files or folders; without any, all of the push lane. Returns the
    number of recorded tests, the seconds of the run, and the end of its output."""
    project = record.project
    with tempfile.TemporaryDirectory() as folder:
        copy = prepared_copy(project, Path(folder, "copy"))
        measured = Path(folder, "measured")
        measured.mkdir()
        environment = {
            **copy.environment(),
            "MUTANTS_RECORD": str(measured),
            "MUTANTS_SOURCE": str(copy.root / project.package),
        }
        options = ["-q", "-o", "addopts=", "-o", f"cache_dir={record.folder / 'pytest'}"]
        options += ["-p", "mutants_recorded"]
        if processes:
            options += ["-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"]
        command = [str(copy.python), "-m", "pytest", *options, f"--basetemp={folder}/temporary"]
        start = time.monotonic()
        done = subprocess.run(
            [*command, *(paths or [project.tests])],
            cwd=copy.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.monotonic() - start
        if done.returncode not in (0, 1):
            raise ValueError(
                f"pytest ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        n_tests = 0
        for recorded in _condensed(project, copy.root, measured):
            record.write(recorded)
            n_tests += len(recorded.tests)
        return n_tests, seconds, done.stdout[-1000:]


def _condensed(project: Project, root: Path, measured: Path) -> Iterator[Recorded]:
    """What was measured, by test file."""
    tests: dict[str, list[Test]] = defaultdict(list)
    for path in sorted(measured.glob("tests-*.json")):
        values: dict[str, list[Any]] = json.loads(path.read_text())
        for test, (seconds, passed) in values.items():
            tests[test.partition("::")[0]].append(Test(test, round(seconds, 3), passed))
    numbers = {test.id: number for group in tests.values() for number, test in enumerate(group)}
    reached: dict[str, dict[str, dict[int, bytes]]] = {file: defaultdict(dict) for file in tests}
    for path in sorted(measured.glob("lines*")):
        for module, context, bits in _bits(path):
            file = context.partition("::")[0]
            if file in reached:
                by_test = reached[file][Path(module).relative_to(root).as_posix()]
                number = numbers.get(context, -1)
                by_test[number] = numbits_union(by_test.get(number, b""), bits)
    for file, group in tests.items():
        digests = {module: digest_of(project.text(module)) for module in reached[file]}
        yield Recorded(file, group, digests, dict(reached[file]))


def _bits(path: Path) -> list[tuple[str, str, bytes]]:
    """The lines of each module that each context reaches, from a database of coverage.py, whose
    tables are documented. Its own reader goes line by line and takes many times as long. A process
    that was killed while it saved has left nothing to read."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute(
            "select file.path, context.context, line_bits.numbits from line_bits"
            " join file on file.id = line_bits.file_id"
            " join context on context.id = line_bits.context_id"
        ).fetchall()
    return []
