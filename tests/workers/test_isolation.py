"""Nothing in a tree runs: our processes import only what is installed, wherever they start."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from symindex.workers import isolation
from tests.support.command import run_program, started
from tests.support.files import write_files

pytestmark = pytest.mark.nightly

LEFT_TO_PYTHON = frozenset(sys.builtin_module_names)
ANSWER = {"search": "`found`", "symbol": "def found", "index": "1 symbol "}
COMMANDS = [
    ["search", "found"],
    ["refs", "found"],
    ["symbol", "found"],
    ["index"],
    ["dump", "mine.py"],
    ["export"],
]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A tree with a module for every name in Python's library, in our package and in our
    dependencies; each of them leaves a mark when it runs."""
    names = {name for name in sys.stdlib_module_names if name not in LEFT_TO_PYTHON}
    names |= {
        "symindex",
        "numpy",
        "msgspec",
        "click",
        "rich",
        "tree_sitter",
        "sitecustomize",
        "usercustomize",
        "orjson",
        "colorama",
    }
    mark = "import os\nopen(os.path.join({!r}, {!r}), 'w').close()\nraise SystemExit(77)\n"
    (tmp_path / "marks").mkdir()
    files: dict[str, str | bytes] = {
        f"{name}.py": mark.format(str(tmp_path / "marks"), name) for name in names
    }
    return write_files(
        tmp_path / "tree",
        {**files, "mine.py": "def found(): pass\n", "symindex.toml": 'include = ["mine.py"]\n'},
    )


def marks_after(command: list[str], hostile: Path, **environment: str) -> tuple[set[str], str]:
    """Returns the modules of the tree that have run, and the output."""
    done = run_program(
        command,
        cwd=hostile,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        stdin=subprocess.DEVNULL,
    )
    return {mark.name for mark in (hostile.parent / "marks").iterdir()}, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_no_command_runs_what_a_tree_holds(
    arguments: list[str], hostile: Path, tmp_path: Path
) -> None:
    command = [str(Path(sys.executable).parent / "symindex"), *arguments]
    marks, printed = marks_after(command, hostile, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert not marks
    assert ANSWER.get(arguments[0], "found") in printed


@pytest.mark.slow
@pytest.mark.parametrize("server", ["lsp", "mcp"])
def test_no_server_runs_what_a_tree_holds(server: str, hostile: Path, tmp_path: Path) -> None:
    if server == "lsp":
        params = f'{{"processId":null,"rootUri":"{hostile.as_uri()}","capabilities":{{}}}}'
        messages = [
            f'{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}',
            '{"jsonrpc":"2.0","method":"initialized","params":{}}',
        ]
        asked = '{"jsonrpc":"2.0","id":2,"method":"workspace/symbol","params":{"query":"found"}}'
        text = "".join(
            f"Content-Length: {len(message)}\r\n\r\n{message}" for message in [*messages, asked]
        )
    else:
        text = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"found"},"_meta":{}}}\n'
    command: list[str | Path] = [Path(sys.executable).parent / "symindex", server]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    with started(
        command, cwd=hostile, env=environment, stdin=subprocess.PIPE, text=False
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(text.encode())
        process.stdin.flush()
        seen = b""
        while (
            b"mine.py" not in seen
            and b'"id":2' not in seen
            and (part := os.read(process.stdout.fileno(), 1 << 16))
        ):
            seen += part
        process.kill()
    assert not list((tmp_path / "marks").iterdir())


@pytest.mark.slow
def test_python_m_runs_no_more_of_a_tree_than_python_itself(hostile: Path) -> None:
    """`python -m` searches the current folder before any of our code runs, so we cannot prevent
    what it loads by itself."""
    write_files(hostile, {"nothing.py": ""})
    while True:
        (hostile.parent / "marks").mkdir(exist_ok=True)
        marks, _ = marks_after([sys.executable, "-m", "nothing"], hostile)
        for name in marks:
            (hostile / f"{name}.py").unlink()
        shutil.rmtree(hostile.parent / "marks")
        if not marks:
            break
    (hostile.parent / "marks").mkdir()
    (hostile / "symindex.py").unlink()
    marks, printed = marks_after([sys.executable, "-m", "symindex", "search", "found"], hostile)
    assert not marks
    assert "`found`" in printed


@pytest.mark.parametrize("path", [":", ".", "sub:"])
def test_relative_parts_of_pythonpath_are_left_out(path: str, tmp_path: Path) -> None:
    (tmp_path / "marks").mkdir()
    tree = write_files(tmp_path / "tree", {"sub/a.py": ""})
    probe = (
        "import symindex.__main__, sys; print([f for f in sys.path if f.startswith(sys.argv[1])])"
    )
    _, printed = marks_after([sys.executable, "-P", "-c", probe, str(tree)], tree, PYTHONPATH=path)
    assert printed == "[]\n"


def test_a_worker_finds_libraries_that_only_this_process_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """This resembles an installation named by PYTHONPATH: its folder is passed on, after Python's
    own library."""
    write_files(tmp_path, {"msgspec/__init__.py": "", "json.py": "raise SystemExit(77)\n"})
    monkeypatch.setattr(sys, "path", [str(tmp_path), "", *sys.path])
    command = isolation.python_command("symindex.extract.languages.registry")
    assert str(tmp_path) in command and "" not in command
    probe = command[command.index("-c") + 1].replace(
        '__import__(module, fromlist=["main"]).main()', "import json; print(sys.path[-1])"
    )
    done = run_program(
        [probe if part == command[command.index("-c") + 1] else part for part in command]
    )
    assert done.stdout.strip() == str(tmp_path)
    assert done.returncode == 0


def test_no_languages_come_from_a_folder_relative_to_the_current_one(hostile: Path) -> None:
    _, printed = marks_after(
        [str(Path(sys.executable).parent / "symindex"), "search", "found"],
        hostile,
        SYMINDEX_GRAMMARS="grammars",
    )
    assert "SYMINDEX_GRAMMARS contains 'grammars': paths must be absolute" in printed
