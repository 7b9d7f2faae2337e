"""Without the parts of the system that only POSIX has, as on Windows, every module loads and every
front end answers."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.command import run_program
from tests.support.files import Files, write_files
from tests.support.hanging_language import own_environment
from tests.support.lsp_client import start_server
from tests.support.mcp_client import McpClient
from tests.support.without_posix import make_interpreter

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="removes something that this system lacks"),
]

TREE: Files = {
    ".gitignore": "out/\n",
    "out/left.py": "class Left: pass\n",
    "src/shop/cart.py": "class Cart:\n    def total(self):\n        return price(self)\n",
    "src/shop/price.go": "package shop\n\n// What it costs.\nfunc Price(c Cart) int { return 0 }\n",
    **{f"src/many/f{number}.py": f"def function_{number}(): pass\n" for number in range(100)},
}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_interpreter(tmp_path_factory.mktemp("interpreter"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("tree"), TREE)


def test_every_module_loads(python: Path) -> None:
    script = """
import importlib, pkgutil, symindex
for module in pkgutil.walk_packages(symindex.__path__, "symindex."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
    done = run_program([python, "-c", script])
    assert (done.returncode, done.stderr) == (0, "")


def test_the_processes_that_are_started_have_no_more(python: Path) -> None:
    script = "import subprocess; from symindex.workers.isolation import python_command; "
    script += "subprocess.run(python_command('tests.support.without_posix'), check=True)"
    done = run_program([python, "-c", script])
    assert (done.stdout, done.stderr) == ("False 0 False True\n", "")


def test_commands(python: Path, tree: Path, tmp_path: Path) -> None:
    def run(*words: str, code: int = 0) -> str:
        done = run_program(
            [python, "-m", "symindex", *words, "--root", tree, "--index-dir", tmp_path / "index"]
        )
        assert (done.returncode, done.stderr) == (code, ""), done.stderr
        return done.stdout

    assert json.loads(run("index", "--json"))["files"] == 103  # with .gitignore
    assert "src/shop/cart.py:1" in run("search", "Cart")
    assert run("search", "Left", code=1).startswith("# Search")
    assert "What it costs." in run("symbol", "Price")
    assert "src/shop/price.go" in run("refs", "Cart")
    assert "cart.py" in run("outline", "src/shop")
    assert json.loads(run("status", "--json"))["symbols"] == 103
    assert run("export").count("\n") > 103
    assert f"{tmp_path / 'tags'}: 103 symbols of 102 files" in run(
        "export", "--output", str(tmp_path / "tags")
    )
    write_files(tree, {"src/new.py": "class Appeared: pass\n"})
    assert "src/new.py:1" in run("search", "Appeared")
    (tree / "src/new.py").unlink()
    assert run("search", "Appeared", code=1)


def test_a_file_that_takes_too_long_is_given_up(python: Path, tmp_path: Path) -> None:
    """Only the clock ends its worker, since there is no signal."""
    tree = write_files(
        tmp_path / "tree",
        {"x.hang": "x", "a.py": "found = 1\n", "symindex.toml": "file_seconds = 0.5\n"},
    )
    command = [
        python,
        "-m",
        "symindex",
        "index",
        "--json",
        "--root",
        tree,
        "--index-dir",
        tmp_path / "index",
    ]
    done = run_program(command, env=own_environment(tmp_path / "home"))  # type: ignore[arg-type]
    report = json.loads(done.stdout)
    assert ["x.hang (0.5 s)"] in [row["paths"] for row in report["skipped"]]
    assert report["symbols"] == 1


def test_a_socket_is_refused_in_one_line(python: Path, tmp_path: Path) -> None:
    done = run_program([python, "-m", "symindex", "lsp", "--socket", tmp_path / "socket"])
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_an_editor(python: Path, tree: Path) -> None:
    client = start_server(python=python)
    client.initialize(tree)
    assert client.names("Cart")[0] == "Cart"  # before an index exists
    client.wait_indexed()
    assert client.names("Price")[0] == "Price"
    uri = client.open(tree / "src/shop/cart.py", "class Unsaved: pass\n", "python")
    assert [node["name"] for node in client.outline(uri)] == ["Unsaved"]
    client.until_names("Unsaved", ["Unsaved"])
    write_files(tree, {"src/seen.py": "class SeenByWatching: pass\n"})
    client.until_names("SeenByWatching", ["SeenByWatching"])
    assert client.leave() == 0
    assert client.log() == ""


def test_an_agent(python: Path, tree: Path, tmp_path: Path) -> None:
    with McpClient([tree], tmp_path / "indexes", python=python) as client:
        assert "src/shop/cart.py:1" in client.text("search", query="Cart")
        client.until("status", "Up to date")
        assert "What it costs." in client.text("symbol", symbol="Price")
        assert "src/shop/price.go" in client.text("references", name="Cart")
        assert client.odd == []
    assert client.process.returncode == 0
