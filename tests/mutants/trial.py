"""Tries one mutant: changes a copy, runs the tests that reach the line, and says what happened."""

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import psutil

from tests.mutants.draw import Mutant, mutated
from tests.mutants.project import Project
from tests.mutants.reach import Reaching, Record, Test
from tests.mutants.record import prepared_copy

LIMIT_SECONDS: Final = 120.0
"""How long the tests of a mutant may take together."""

HANG_FACTOR: Final = 10.0
SHORTEST_HANG: Final = 20.0
"""A test hangs if it takes so many times as long as when it was recorded, and so many seconds."""

Outcome = Literal["noticed", "survived", "not reached", "not decided"]


class Result(msgspec.Struct):
    """What became of a mutant.

    how: a failure, a hang, a collection that fails, a crash, or an import that fails. test: which
    test noticed it, or was running last. n_tests: how many tests ended. seconds: how long it took.
    """

    mutant: Mutant
    outcome: Outcome
    how: str = ""
    test: str = ""
    n_tests: int = 0
    seconds: float = 0.0


class Bench:
    """A copy in which mutants are tried, one after the other. changes: false tries the tests of a
    mutant without it, so none must fail."""

    def __init__(
        self, project: Project, folder: Path, limit: float, cache: Path, changes: bool
    ) -> None:
        self._changes = changes
        self._project, self._folder, self._limit, self._cache = project, folder, limit, cache
        self._copy = prepared_copy(project, folder)
        self._n_changes = 0
        self._failing: set[str] = set()
        code, _state, output = self._run([], limit)
        if code != 5:  # no tests
            raise ValueError(f"without a mutant, pytest ended with {code}: {output}")

    def try_mutant(self, mutant: Mutant, record: Record) -> Result:
        """Changes the copy, runs the tests, and changes it back."""
        start = time.monotonic()
        parts = record.reaching(mutant.file, mutant.line)
        if not parts:
            return Result(mutant, "not reached")
        while True:
            result = self._tried(mutant, parts, start)
            tests = {test.id: test for part in parts for test in part.tests}
            if result.outcome != "noticed" or not self._is_doubtful(result, tests):
                return result
            if not self._fails_always(tests[result.test]):
                return result
            # It fails without a mutant, too: the others decide.
            self._failing.add(result.test)
            start = time.monotonic()

    def _is_doubtful(self, result: Result, tests: dict[str, Test]) -> bool:
        test = tests.get(result.test)
        return self._changes and test is not None and (not test.passed or result.how == "hang")

    def _fails_always(self, test: Test) -> bool:
        file = test.id.partition("::")[0]
        code, _state, _output = self._run([Reaching(file, [test], False, 0)], self._limit)
        return code != 0

    def _tried(self, mutant: Mutant, parts: Sequence[Reaching], start: float) -> Result:
        path = self._copy.root / mutant.file
        text = path.read_text("utf-8")
        if self._changes:
            self._write(path, mutated(self._project, mutant))
        try:
            code, state, output = self._run(parts, self._limit)
        finally:
            self._write(path, text)
        seconds = round(time.monotonic() - start, 1)
        running, n_tests = state.get("running", ""), state.get("n_run", 0)
        if code is None:
            since = time.time() - state.get("since", time.time())
            limits = {test.id: _limit_of(test) for part in parts for test in part.tests}
            hangs = since > limits.get(running, SHORTEST_HANG)
            outcome: Outcome = "noticed" if hangs else "not decided"
            return Result(mutant, outcome, "hang" if hangs else "", running, n_tests, seconds)
        if code in (0, 5):
            return Result(
                mutant, "survived" if n_tests else "not reached", "", "", n_tests, seconds
            )
        if failed := state.get("failed"):
            return Result(mutant, "noticed", state["how"], failed, n_tests, seconds)
        if code < 0:
            return Result(mutant, "noticed", "crash", running, n_tests, seconds)
        if code in (1, 2, 3, 4):
            how = "import" if not running else "crash"
            return Result(mutant, "noticed", how, running, n_tests, seconds)
        raise ValueError(f"{mutant}: pytest ended with {code}: {output}")

    def _write(self, path: Path, text: str) -> None:
        """Writes a module so that Python compiles it anew: it compares sizes, and times in whole
        seconds."""
        path.write_text(text, "utf-8")
        self._n_changes += 1
        past = 1_000_000_000 + self._n_changes
        os.utime(path, (past, past))

    def _run(
        self, parts: Iterable[Reaching], limit: float
    ) -> tuple[int | None, dict[str, Any], str]:
        """Runs tests until one fails. Returns the exit code (`None`: the limit was reached), what
        is known of the tests, and the end of the output."""
        state, order = self._folder / "state.json", self._folder / "order.json"
        state.unlink(missing_ok=True)
        files = [
            (
                part.file,
                {test.id: _limit_of(test) for test in part.tests if test.id not in self._failing},
            )
            for part in parts
        ]
        order.write_text(json.dumps({"files": files, "state": str(state)}))
        token = hashlib.sha256(f"{self._folder}{self._n_changes}".encode()).hexdigest()
        command = [str(self._copy.python), "-m", "pytest", "-q", "-x", "-o", "addopts="]
        command += ["-o", f"cache_dir={self._cache}", "-p", "mutants_chosen", "--tb=short"]
        command += [f"--basetemp={self._folder / 'temporary'}", self._project.tests]
        with (self._folder / "output").open("w+b") as output:
            process = subprocess.Popen(
                command,
                cwd=self._copy.root,
                env={
                    **self._copy.environment(),
                    "MUTANTS_CHOSEN": str(order),
                    "MUTANTS_TOKEN": token,
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code: int | None = process.wait(limit)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _end_all(process, token)
            output.seek(max(0, output.tell() - 1500))
            end = output.read().decode(errors="replace")
        with contextlib.suppress(OSError):
            return code, json.loads(state.read_text()), end
        return code, {}, end


def _limit_of(test: Test) -> float:
    return max(SHORTEST_HANG, HANG_FACTOR * test.seconds)


def _end_all(process: "subprocess.Popen[bytes]", token: str) -> None:
    """Ends a process and all that has inherited its environment."""
    process.kill()
    process.wait()
    for other in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if other.environ().get("MUTANTS_TOKEN") == token:
                other.send_signal(signal.SIGKILL)
