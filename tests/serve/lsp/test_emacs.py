"""Emacs in batch mode, with Eglot and the configuration of its page: what its user sees."""

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.editors.run import HERE, Editor, find_emacs, shared_servers
from tests.editors.trees import large_tree
from tests.support.files import Files, write_files
from tests.support.pages import editor_block
from tests.support.processes import needs_proc

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

Run = Callable[..., Any]


def command_of(
    program: str, folder: Path, scenario: str, more: str = "", **variables: Any
) -> list[str]:
    """Returns Emacs's command line for a scenario, whose result is written to `folder`.

    more: configuration to load after the first piece on the page.
    """
    variables = {
        "scenario": scenario,
        "result": folder / "result.json",
        "second": folder / "tree2",
        **variables,
    }
    before = [
        f"(defconst symindex-{name.replace('_', '-')} {json.dumps(str(value))})"
        for name, value in variables.items()
    ]
    script = [
        "(package-initialize)",
        *before,
        editor_block("Emacs", "elisp"),
        more,
        (HERE / "emacs.el").read_text(),
    ]
    (folder / "init.el").write_text(";;; -*- lexical-binding: t -*-\n" + "\n".join(script))
    return [program, "--batch", "-l", str(folder / "init.el")]


def write_repository(root: Path, files: Files) -> Path:
    """Writes a tree that Emacs recognises as a project."""
    write_files(root, files)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@pytest.fixture(scope="module")
def emacs(pytestconfig: pytest.Config) -> Editor:
    return Editor(find_emacs(pytestconfig.cache.mkdir("editors")), command_of, write_repository)


@pytest.fixture
def run(emacs: Editor, tmp_path: Path) -> Run:
    """Runs a scenario in a tree."""
    return partial(emacs.run, tmp_path)


def trouble(seen: dict[str, Any]) -> list[str]:
    """Returns the problems that Emacs reported to its user."""
    words = ("error", "fail", "warning", "-32")
    return [
        line for line in seen["said"].splitlines() if any(word in line.lower() for word in words)
    ]


def test_the_lists_that_the_user_sees(run: Run) -> None:
    seen = run("find")
    assert "[eglot] Connected! Server `symindex' now managing" in seen["said"]
    assert seen["workspace"] == seen["letters"] == ["src/auth.py", "3: class AuthService:"]
    assert seen["qualified"] == ["src/auth.py", "4:     def login(self, name: str) -> bool:"]
    assert seen["other_language"] == [
        "src/http.go",
        "3: func ParseHeader(line string) int { return 0 }",
    ]
    assert seen["empty"] == 9  # all symbols, since the tree is small
    assert seen["outline"] == [
        "Class(AuthService:3)",
        "Method(AuthService(login:4 logout:8))",
        "Constant(LIMIT:10)",
    ]
    assert seen["nothing"] == ["No apropos found for: zqzqzq"]
    assert trouble(seen) == []


def test_what_is_unsaved_is_found_where_it_stands(run: Run) -> None:
    seen = run("unsaved")
    assert seen["added"] == ["src/auth.py", "2: class UnsavedThing: pass"]
    assert seen["moved"] == ["src/auth.py", "6: class AuthService:"]
    assert seen["column"] == 10  # in UTF-16
    assert seen["outline"] == [
        "Variable(s:3 MiddleOfLine:3)",
        "Class(UnsavedThing:2 AuthService:6)",
        "Method(AuthService(login:7 logout:11))",
        "Constant(LIMIT:13)",
    ]
    assert seen["renamed"] == ["src/auth.py", "2: class RenamedThing: pass"]
    assert seen["gone"] == ["No apropos found for: UnsavedThing"]
    assert seen["thrown_away"] == ["No apropos found for: RenamedThing"]
    assert seen["back"] == ["src/auth.py", "3: class AuthService:"]
    assert seen["saved"] == seen["closed"] == ["src/auth.py", "1: class SavedThing: pass"]
    assert trouble(seen) == []


def test_what_happens_outside_is_noticed(run: Run) -> None:
    seen = run("disk")
    assert seen["list"] == ["src/moved.py", "3: class ChangedOutside: pass"]
    assert seen["folder_list"] == ["moved/deep/one.py", "1: class InFolder: pass"]
    assert trouble(seen) == []


def test_two_projects_at_a_time(run: Run) -> None:
    """Eglot starts a server for each project: neither shows the other's symbols, and one keeps
    running when the other ends."""
    seen = run("folders")
    assert seen["second"] == ["second.go", "3: type OnlyInSecond struct{ Name string }"]
    assert seen["not_first"] == ["No apropos found for: AuthService"]
    assert seen["first"] == ["src/auth.py", "3: class AuthService:"]
    assert seen["not_second"] == ["No apropos found for: OnlyInSecond"]
    assert trouble(seen) == []


def test_questions_while_the_tree_is_read(run: Run) -> None:
    """Queries are answered before the index exists; newer queries end older ones without a message
    to the user."""
    seen = run("early", large_tree())
    assert (
        seen["early"]
        == seen["after_burst"]
        == seen["after_quit"]
        == ["package7/wanted.py", "1: class TheOneThatIsSought: pass"]
    )
    assert seen["part"]
    assert len(seen["answers"]) == 5
    assert seen["complete"] == [
        "package11/module119.py",
        "3185: def function_199_in_119(first, second=None):",
    ]
    assert trouble(seen) == []


def test_servers_that_run_already(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared_servers(tmp_path / "run", monkeypatch) as server:
        tcp = editor_block("Emacs", "elisp", 3).replace("7659", str(server.port))
        seen = run("shared", more=tcp, at_socket=editor_block("Emacs", "elisp", 2))
    assert seen["tcp"] == ["src/auth.py", "3: class AuthService:"]
    assert seen["socket"] == ["src/http.go", "3: func ParseHeader(line string) int { return 0 }"]
    assert trouble(seen) == []


def test_the_server_is_stopped_and_the_editor_stays(run: Run) -> None:
    assert trouble(run("stop")) == []


@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="reads the remaining processes from /proc"
)
@needs_proc
def test_an_editor_that_is_killed_leaves_nothing_behind(emacs: Editor, tmp_path: Path) -> None:
    emacs.check_that_nothing_is_left_when_it_is_killed(tmp_path)
