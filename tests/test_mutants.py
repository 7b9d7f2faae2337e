"""Mutants by lot, on a tiny project: each ends as it should."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.plugins import operator_names

from tests.mutants import trial
from tests.mutants.__main__ import EQUIVALENTS, main
from tests.mutants.draw import Mutant, draw, is_inert, mutated, operators
from tests.mutants.lines import Lines
from tests.mutants.project import OURS, Project
from tests.mutants.reach import Record
from tests.mutants.record import record_tests
from tests.mutants.results import Equivalent, Results, page, read_equivalents, score
from tests.mutants.trial import Bench, Result
from tests.support.files import write_files

CODE = '''"""A tiny package."""

from typing import Final

MOST: Final = 3


def at_most(number: int) -> int | None:
    """Noticed: the limit, and what is below."""
    return MOST if number > MOST else number


def waits(number: int) -> int:
    while number > 0:
        number -= 1
    return number


def unnoticed(number: int) -> str:
    return "many" if number > 100 else "few"


def never(number: int) -> int:
    return number + 1


def in_child() -> int:
    return 5
'''

TESTS = {
    "conftest.py": """
import pytest

@pytest.fixture(scope="module")
def few():
    from tiny.code import unnoticed
    return unnoticed(2)
""",
    "test_code.py": """
import os, subprocess, sys, pytest
from tiny import code

@pytest.mark.parametrize("given, limited", [(1, 1), (9, 3)])
def test_at_most(given, limited):
    assert code.at_most(given) == limited

def test_waits():
    assert code.waits(3) == 0

def test_in_a_process_that_is_killed():
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", "from tiny.code import in_child; print(in_child(), flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )
    assert child.stdout.readline() == b"5\\n"
    child.kill()
    child.communicate()
""",
    "test_few.py": """
def test_something_else():
    pass

def test_few(few):
    assert few == "few"
""",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("project")
    write_files(root / "tiny", {"__init__.py": "", "code.py": CODE})
    write_files(root / "tests", TESTS)
    return Project(root, "tiny", "tests", ("tiny", "tests"))


@pytest.fixture(scope="module")
def record(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    """What the tests of the tiny project reach; pytest starts with few plugins."""
    made = Record(tmp_path_factory.mktemp("record"), project)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patched.setenv("PYTEST_PLUGINS", "pytest_timeout")
        assert record_tests(made, [])[0] == 6
        yield made


@pytest.fixture(scope="module")
def bench(record: Record, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(record.project, tmp_path_factory.mktemp("bench"), 60.0, record.folder, True)


def _mutant(project: Project, line: int, after: str) -> Mutant:
    (mutant,) = (
        mutant for mutant in draw(project, 1, 1000) if mutant.line == line and mutant.after == after
    )
    return mutant


@pytest.mark.slow
@pytest.mark.parametrize(
    "line, after, outcome, how, test",
    [
        (5, "MOST: Final = 4", "noticed", "failure", "test_code.py::test_at_most[9-3]"),
        (15, "number -= 0", "noticed", "hang", "test_code.py::test_waits"),
        (20, 'return "many" if number > 101 else "few"', "survived", "", ""),
        (20, 'return "many" if not number > 100 else "few"', "noticed", "failure", "test_few.py::test_few"),
        (24, "return number + 2", "not reached", "", ""),
        (28, "return 6", "noticed", "failure", "test_code.py::test_in_a_process_that_is_killed"),
    ],
)  # fmt: skip
def test_each_mutant_ends_as_it_should(
    bench: Bench,
    record: Record,
    monkeypatch: pytest.MonkeyPatch,
    line: int,
    after: str,
    outcome: str,
    how: str,
    test: str,
) -> None:
    monkeypatch.setattr(trial, "SHORTEST_HANG", 1.0)
    result = bench.try_mutant(_mutant(record.project, line, after), record)
    assert (result.outcome, result.how) == (outcome, how)
    assert result.test == (f"tests/{test}" if test else "")


@pytest.mark.parametrize("running, outcome", [(30.0, "noticed"), (10.0, "not decided")])
def test_a_hang_is_noticed_and_slow_tests_decide_nothing(
    bench: Bench, record: Record, monkeypatch: pytest.MonkeyPatch, running: float, outcome: str
) -> None:
    """The limit is reached; it counts how long the test that was running had run."""
    monkeypatch.setattr("tests.mutants.trial.time.time", lambda: running)
    state = {"running": "tests/test_code.py::test_waits", "since": 0.0, "n_run": 1}
    answers = iter([(None, state, ""), (0, {}, "")])  # with the mutant, and without
    monkeypatch.setattr(Bench, "_run", lambda *_: next(answers))
    result = bench.try_mutant(_mutant(record.project, 15, "number -= 0"), record)
    assert (result.outcome, result.test) == (outcome, state["running"])


def test_a_test_that_fails_without_the_mutant_notices_nothing(
    bench: Bench, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant = _mutant(record.project, 20, 'return "many" if number > 101 else "few"')
    failed = {"failed": "tests/test_few.py::test_few", "how": "hang", "running": "", "n_run": 1}
    answers = iter([(1, failed, ""), (1, failed, ""), (0, {"n_run": 3}, "")])
    monkeypatch.setattr(Bench, "_run", lambda *_: next(answers))
    assert bench.try_mutant(mutant, record).outcome == "survived"


def test_a_change_of_the_code_makes_a_record_coarser(
    project: Project, record: Record, tmp_path: Path
) -> None:
    """Then all tests count that reach any of the module's lines."""
    write_files(tmp_path / "tiny", {"code.py": CODE.replace("+ 1", "+ 2")})
    changed = Record(record.folder, project._replace(root=tmp_path))
    assert record.reaching("tiny/code.py", 24) == []
    assert {part.file for part in changed.reaching("tiny/code.py", 24)} == {
        "tests/test_code.py",
        "tests/test_few.py",
    }


def test_the_same_seed_draws_the_same_and_each_room_equally(
    project: Project, tmp_path: Path
) -> None:
    files = {f"{name}/{name}.py": CODE for name in ("a", "b")} | {"b/c/d.py": CODE, "top.py": CODE}
    write_files(tmp_path / "tiny", files)
    several = project._replace(root=tmp_path, divided=("b",))
    drawn = draw(several, 7, 40)
    assert draw(several, 7, 60)[:40] == drawn
    assert draw(several, 8, 40) != drawn
    assert [mutant.room for mutant in drawn[:8]] == ["a", "b", "b/c", "tiny"] * 2
    only = draw(several, 7, 20, "b")
    assert only[::2] == [mutant for mutant in drawn if mutant.room == "b"]
    assert len({mutant.key for mutant in drawn}) == 40


def test_what_cannot_change_behaviour_is_not_drawn(project: Project, tmp_path: Path) -> None:
    code = """from typing import TYPE_CHECKING, TypeAlias, final, overload
if TYPE_CHECKING:
    x = 1 + 1
Both: TypeAlias = int | str
y: "int | None" = 5
@final
class A:
    @overload
    def f(self, a: int | str = 0) -> int | None:
        return a == "b"
"""
    write_files(tmp_path / "tiny", {"a.py": code})
    drawn = draw(project._replace(root=tmp_path), 1, 1000)
    assert {(mutant.line, mutant.operator) for mutant in drawn if mutant.line < 10} == {
        (5, "NumberReplacer"),
        (9, "NumberReplacer"),
    }
    assert not any(" is " in mutant.after for mutant in drawn)  # Python warns of it


def test_the_operators_are_those_of_the_tool(project: Project) -> None:
    names = {name.partition("/")[2] for name in operator_names()}
    drawn = draw(project, 1, 1000)
    assert {mutant.operator for mutant in drawn} <= names
    assert all(mutated(project, mutant) != CODE for mutant in drawn)


def test_no_operator_acts_on_what_is_passed_over() -> None:
    for node in ast_nodes(get_ast((OURS.root / "symindex/workers/process.py").read_text())):
        if is_inert(node):
            for operator in operators().values():
                assert not [*operator.mutation_positions(node)]


def test_our_rooms_are_packages_and_folders_of_the_largest() -> None:
    rooms = {OURS.room(file) for file in OURS.modules()}
    assert {"render", "search/names", "serve/cli", "serve", "symindex"} <= rooms
    assert not any(room.count("/") > 1 for room in rooms)


def test_a_line_belongs_to_a_statement_and_runs_once_or_often() -> None:
    lines = Lines(
        "A = 1\nB = [\n    A,\n]\n\n@cache\ndef f(x=2):\n    return (\n        x\n    )\n\n"
        "def g():\n    if B:\n        return f()\n"
    )
    assert lines.statement(3) == {2, 3, 4}
    assert lines.statement(9) == {8, 9, 10}
    assert lines.statement(13) == {13}
    assert [line for line in range(1, 15) if not lines.runs_once(line)] == [13, 14]
    assert lines.defined(1) == ({"A", "B"}, set())
    assert lines.defined(8) == ({"f"}, set())
    assert lines.using({"A", "B"}) == {13}
    classes = Lines(
        "class A:\n    x: int = 0\n\nclass B:\n    a = field(A)\n\nclass C:\n    def f(self):\n        return A\n"
    )
    assert classes.defined(2) == ({"A", "B"}, set())


def test_a_test_names_a_module_or_what_it_imports_from_there() -> None:
    tests = Lines(
        "from tiny import code, other\nfrom tiny.code import A, B as C\n\n"
        "def test_a():\n    assert A\n\n@parametrize([code])\ndef test_module(module):\n    pass\n\n"
        "def test_b():\n    assert C\n\ndef test_other(x):\n    assert other.A, x.code\n"
    )
    assert tests.naming("tiny.code", set()) == {"test_module"}
    assert tests.naming("tiny.code", {"A"}) == {"test_module", "test_a"}
    assert tests.naming("tiny.code", {"B", "D"}) == {"test_module", "test_b"}
    assert tests.naming("tiny.third", {"A"}) == set()


def _result(outcome: trial.Outcome, room: str = "a", line: int = 1) -> Result:
    mutant = Mutant(room, "t/a.py", line, "AddNot", line, f"if {line}:", "if not:", "0")
    return Result(mutant, outcome)


def test_the_page_has_the_score_of_each_room_and_what_was_not_noticed() -> None:
    results = [
        _result("noticed"),
        _result("survived", line=2),
        _result("not reached", line=3),
        _result("not decided", line=4),
        _result("survived", line=5),
        _result("noticed", "b"),
    ]
    equivalents = [Equivalent("t/a.py", "if 5:", "AddNot", "nobody asks")]
    text = page("# Mutants", results, equivalents, 7)
    assert "| `a` | 4 | 1 | 1 | 1 | 1 | 0.33 |" in text
    assert "| all | 5 | 2 | 1 | 1 | 1 | 0.50 |" in text
    assert "- `t/a.py:2` AddNot:\n  `if 2:` → `if not:`" in text
    assert "`if 5:` → `if not:`\n  nobody asks" in text
    assert "1 of 7 mutants have not been tried" in text
    assert score([]) is None


def test_a_run_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.jsonl")
    results.add(_result("survived"))
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write('\n{"mutant":')  # killed
    results.add(_result("noticed"))
    results.add(_result("survived", line=2))
    assert [result.outcome for result in results.read().values()] == ["noticed", "survived"]


def test_nothing_is_tried_twice(
    record: Record, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def try_all(mutants: list[Mutant], _record: Record, results: Results, **_: object) -> None:
        tried.append(len(mutants))
        for number, mutant in enumerate(mutants):
            results.add(Result(mutant, "survived" if number % 2 else "noticed"))

    monkeypatch.setattr("tests.mutants.__main__.try_all", try_all)
    for options in ([], [], ["--again"]):
        command = ["--folder", str(record.folder), "run", "--seed", "1", "--count", "4", *options]
        assert main(command, record.project) == 0
    assert tried == [4, 2]
    assert "4 of 4 mutants tried, score 0.75" in capsys.readouterr().out


def test_each_equivalent_quotes_code_that_is_there() -> None:
    for entry in read_equivalents(EQUIVALENTS):
        assert entry.line in " ".join((OURS.root / entry.file).read_text().split()), entry


def test_no_mutant_sends_a_signal_to_all_processes() -> None:
    code = (
        "from tests.mutants.inside.mutants_guard import start; start(); import os; os.kill(-1, 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=OURS.root, capture_output=True, text=True, check=False
    )
    assert "PermissionError: a signal to -1" in done.stderr
