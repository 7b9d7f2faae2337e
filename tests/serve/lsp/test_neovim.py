"""Neovim without a screen, with the configuration of its page: what its user sees."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.editors.run import HERE, Editor, find_neovim, shared_servers
from tests.editors.trees import large_tree
from tests.support.pages import editor_block
from tests.support.processes import needs_proc

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

Run = Callable[..., Any]


def command_of(
    program: str, folder: Path, scenario: str, more: str = "", **variables: Any
) -> list[str]:
    """Returns Neovim's command line for a scenario, whose result is written to `folder`.

    more: configuration to load after the first piece on the page.
    """
    variables = {
        "SCENARIO": scenario,
        "RESULT": folder / "result.json",
        "SECOND": folder / "tree2",
        **variables,
    }
    before = [
        "vim.g.loaded_python3_provider = 0"
    ]  # otherwise Neovim looks for a Python for half a second when it opens a Python file
    before += [
        f"vim.env.SYMINDEX_{name} = {json.dumps(str(value))}" for name, value in variables.items()
    ]
    script = [*before, editor_block("Neovim", "lua"), more, (HERE / "neovim.lua").read_text()]
    (folder / "init.lua").write_text("\n".join(script))
    return [program, "-n", "-i", "NONE", "--headless", "-u", str(folder / "init.lua")]


@pytest.fixture(scope="module")
def neovim(pytestconfig: pytest.Config) -> Editor:
    return Editor(find_neovim(pytestconfig.cache.mkdir("editors")), command_of)


@pytest.fixture
def run(neovim: Editor, tmp_path: Path) -> Run:
    """Runs a scenario in a tree."""
    return partial(neovim.run, tmp_path)


def test_progress_and_the_lists_that_the_user_sees(run: Run) -> None:
    seen = run("find")
    assert (seen["progress"][0], seen["progress"][-1]) == ("begin", "end")
    assert (
        seen["begin"]["title"] == "Indexing tree"
        and seen["begin"]["percentage"] == 0
        and seen["begin"]["cancellable"]
    )
    assert seen["finish"]["message"] == "done"
    assert seen["workspace"] == ["src/auth.py:3:7 [Class] AuthService"]
    assert seen["qualified"] == ["src/auth.py:4:9 [Method] AuthService.login"]
    assert seen["other_language"] == ["src/http.go:3:6 [Function] ParseHeader"]
    assert seen["letters"] == ["src/auth.py:3:7 [Class] AuthService"]
    assert seen["empty"] == 9  # all symbols, since the tree is small
    assert seen["outline"] == [
        "src/auth.py:3:7 [Class] AuthService",
        "src/auth.py:4:9 [Method] login",
        "src/auth.py:8:9 [Method] logout",
        "src/auth.py:10:1 [Constant] LIMIT",
    ]
    assert seen["nothing"] == []
    assert (seen["before"], seen["messages"]) == ("", "No symbols found")


def test_what_is_unsaved_is_found_where_it_stands(run: Run) -> None:
    seen = run("unsaved")
    assert seen["added"] == ["src/auth.py:2:7 [Class] UnsavedThing"]
    assert seen["moved"] == seen["moved_again"] == ["src/auth.py:6:7 [Class] AuthService"]
    assert seen["renamed"] == ["src/auth.py:2:7 [Class] RenamedThing"]
    assert seen["outline"] == [
        "src/auth.py:2:7 [Class] RenamedThing",
        "src/auth.py:3:1 [Variable] s",
        "src/auth.py:3:13 [Variable] MiddleOfLine",
        "src/auth.py:6:7 [Class] AuthService",
        "src/auth.py:7:9 [Method] login",
        "src/auth.py:11:9 [Method] logout",
        "src/auth.py:13:1 [Constant] LIMIT",
    ]
    assert seen["back"] == ["src/auth.py:3:7 [Class] AuthService"]
    assert seen["saved"] == seen["closed"] == ["src/auth.py:1:7 [Class] SavedThing"]


def test_what_happens_outside_is_noticed(run: Run) -> None:
    """Neovim does not report files that other programs change: the server watches them itself."""
    seen = run("disk")
    assert seen["list"] == ["src/other.py:3:7 [Class] ChangedOutside"]
    assert seen["folder_list"] == ["moved/deep/one.py:1:7 [Class] InFolder"]
    assert seen["messages"] == ""


def test_a_second_folder_comes_and_goes(run: Run) -> None:
    seen = run("folders")
    assert seen["list"] == ["tree2/second.go:3:6 [Struct] OnlyInSecond"]
    assert seen["both"] == ["src/auth.py:3:7 [Class] AuthService"]
    assert seen["names"] == ["tree", "tree2"]
    assert "symindex" not in seen["messages"]  # Neovim itself reports that the folder was removed


def test_questions_while_the_tree_is_read(run: Run) -> None:
    """Queries are answered before the index exists; older queries and a cancelled one end without a
    message."""
    seen = run("early", large_tree())
    wanted = ["package7/wanted.py:1:7 [Class] TheOneThatIsSought"]
    assert seen["early"] == seen["after_burst"] == seen["after_cancel"] == wanted
    assert not seen["ended_before_first"]
    assert seen["complete"] == ["package11/module119.py:3185:5 [Function] function_199_in_119"]
    assert seen["pending"] == 0
    assert seen["messages"] == ""


def test_the_user_ends_the_indexing(run: Run) -> None:
    seen = run("cancelled", large_tree())
    assert seen["finish"] == "cancelled"
    assert seen["found"] == ["package7/wanted.py:1:7 [Class] TheOneThatIsSought"]
    assert seen["again"] == ["package11/module119.py:3185:5 [Function] function_199_in_119"]
    assert seen["messages"] == ""


def test_servers_that_run_already(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared_servers(tmp_path / "run", monkeypatch) as server:
        tcp = editor_block("Neovim", "lua", 2).replace("7659", str(server.port))
        seen = run("shared", more=tcp, AT_SOCKET=editor_block("Neovim", "lua", 1))
    assert seen["tcp"] == ["src/auth.py:3:7 [Class] AuthService"]
    assert seen["socket"] == ["src/http.go:3:6 [Function] ParseHeader"]
    assert seen["messages"] == ""


def test_the_server_is_stopped_and_the_editor_stays(run: Run) -> None:
    assert run("stop")["messages"] == ""


@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="reads the remaining processes from /proc"
)
@needs_proc
def test_an_editor_that_is_killed_leaves_nothing_behind(neovim: Editor, tmp_path: Path) -> None:
    neovim.check_that_nothing_is_left_when_it_is_killed(tmp_path)
