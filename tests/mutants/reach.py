"""The record: which tests reach which lines, and how long each test takes.

A file of the record belongs to one test file, so the tests of a folder can be recorded again alone.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
from coverage.numbits import numbits_to_nums

from tests.mutants.lines import Code
from tests.mutants.project import Project


class Test(msgspec.Struct):
    """A test. passed: whether it passed while it was recorded, under coverage."""

    id: str
    seconds: float
    passed: bool


class Recorded(msgspec.Struct):
    """What the tests of a file reach.

    digests: of the recorded text of each reached module. reached: for each of these, the lines of
    each test by its number in `tests`; -1: what the file's processes and wider fixtures reach.
    Lines are coverage.py's sets of bits.
    """

    file: str
    tests: list[Test]
    digests: dict[str, str]
    reached: dict[str, dict[int, bytes]]


class Reaching(NamedTuple):
    """Some tests of a file, to be run together. is_wide: whether only the file as a whole reaches
    the line. n_lines: the fewest lines that one of them reaches in the changed module."""

    file: str
    tests: list[Test]
    is_wide: bool
    n_lines: int


class Record:
    """The record of a project in a folder."""

    def __init__(self, folder: Path, project: Project) -> None:
        self.folder, self.project = folder, project
        self._code = Code(project)
        self._files: list[Recorded] | None = None

    def write(self, recorded: Recorded) -> None:
        """Replaces what was recorded of a test file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{re.sub('[^a-zA-Z0-9_]', '-', recorded.file)}.msgpack"
        path.write_bytes(msgspec.msgpack.encode(recorded))
        self._files = None

    def files(self) -> list[Recorded]:
        if self._files is None:
            self._files = [
                msgspec.msgpack.decode(path.read_bytes(), type=Recorded)
                for path in sorted(self.folder.glob("*.msgpack"))
            ]
        return self._files

    def reaching(self, module: str, line: int) -> list[Reaching]:
        """The tests that reach a line, file by file, the most specific file first.

        Lines that run once for all tests of a process do so in whatever test comes first. So the
        tests count that reach a function with a name of such a line, and those that mention it, or
        the module, themselves. If a module has changed since its tests were recorded, all count
        that reach any of its lines.
        """
        lines = self._code.lines(module)
        wanted: dict[str, set[int]] = {module: lines.statement(line)}
        naming: list[Reaching] = []
        if lines.runs_once(line):
            wanted = self._code.dependent(module, line)
            naming = [*self._naming(module, lines.defined(line)[0])]
        named = {test.id for part in naming for test in part.tests}
        parts = naming + [
            part._replace(tests=rest)
            for file, numbers in wanted.items()
            for part in self._at(file, numbers)
            if (rest := [test for test in part.tests if test.id not in named])
        ]
        if not parts and lines.runs_once(line):
            parts = [*self._at(module, None)]
        stem = Path(module).relative_to(self.project.package)

        def order(part: Reaching) -> tuple[bool, int, int, float]:
            return (
                part.is_wide,
                _distance(stem, Path(part.file).relative_to(self.project.tests)),
                part.n_lines,
                sum(test.seconds for test in part.tests),
            )

        return sorted(parts, key=order)

    def _naming(self, module: str, names: set[str]) -> Iterator[Reaching]:
        """The tests that mention a module, or some names in it."""
        dotted = module.removesuffix(".py").replace("/", ".")
        for recorded in self.files():
            if module not in recorded.reached or not (self.project.root / recorded.file).exists():
                continue
            functions = self._code.lines(recorded.file).naming(dotted, names)
            tests = [
                test
                for test in recorded.tests
                if test.id.rpartition("::")[2].partition("[")[0] in functions
            ]
            if tests:
                yield Reaching(recorded.file, tests, False, 0)

    def _at(self, module: str, lines: set[int] | None) -> Iterator[Reaching]:
        """The tests that reach one of some lines, or any if None."""
        current = self._code.digest(module)
        for recorded in self.files():
            if module not in recorded.reached:
                continue
            wanted = lines if recorded.digests[module] == current else None
            ids = {
                number: reached
                for number, bits in recorded.reached[module].items()
                if (reached := set(numbits_to_nums(bits)))
                and (wanted is None or not reached.isdisjoint(wanted))
            }
            own = sorted(number for number in ids if number >= 0)
            if own:
                tests = [recorded.tests[number] for number in own]
                yield Reaching(recorded.file, tests, False, min(len(ids[number]) for number in own))
            rest = [test for number, test in enumerate(recorded.tests) if number not in ids]
            if -1 in ids and rest:
                yield Reaching(recorded.file, rest, True, len(ids[-1]))


def _distance(module: Path, test: Path) -> int:
    """How far the folder and name of a test file are from those of a module."""
    if module.stem.strip("_") in test.stem:
        return 0
    shared = 0
    for ours, theirs in zip(module.parent.parts, test.parent.parts, strict=False):
        if ours != theirs:
            break
        shared += 1
    return 1 + len(module.parent.parts) - shared
