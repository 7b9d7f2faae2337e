"""The command `deps`, on a project with a virtual environment and `node_modules`."""

import json
import sys
from pathlib import Path

import pytest

from symindex.workspace.workspace import open_dependencies
from tests.support.command import run, run_python
from tests.support.files import write_files
from tests.support.waiting import until

SITE = f".venv/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"

PROJECT = {
    "pyproject.toml": '[project]\nname = "mine"\nversion = "1"\ndependencies = ["thing"]\n',
    "mine.py": "def mine(): pass\n",
    ".venv/pyvenv.cfg": "home = /nowhere\n",
    f"{SITE}/thing/__init__.py": "class Client:\n    def get(self): pass\n",
    f"{SITE}/thing-2.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: thing\nVersion: 2.0\n",
    f"{SITE}/thing-2.0.dist-info/RECORD": "thing/__init__.py,,\nthing-2.0.dist-info/METADATA,,\nthing-2.0.dist-info/RECORD,,\n",
    "package.json": '{"name": "mine", "dependencies": {"other": "1"}}',
    "node_modules/other/package.json": '{"name": "other", "version": "1.2.3"}',
    "node_modules/other/index.js": "export function other() {}\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options that select the project."""
    for name in "VIRTUAL_ENV", "CONDA_PREFIX":
        monkeypatch.delenv(name, raising=False)
    return [
        "--root",
        str(write_files(tmp_path / "project", PROJECT)),
        "--index-dir",
        str(tmp_path / "index"),
    ]


def states(project: list[str], *options: str) -> dict[str, str]:
    ran = run("deps", *project, "--json", *options)
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)["packages"]
    return {
        f"{row['ecosystem']}:{row['name']}@{row['version']}": row["state"]
        for row in rows
        if row["ecosystem"] in ("pypi", "npm")
    }


def test_deps(project: list[str]) -> None:
    assert states(project) == {"pypi:thing@2.0": "waiting", "npm:other@1.2.3": "waiting"}
    assert states(project, "--build", "--ecosystem", "npm") == {"npm:other@1.2.3": "indexed"}
    assert states(project) == {"pypi:thing@2.0": "waiting", "npm:other@1.2.3": "indexed"}
    ran = run("deps", *project, "--build", "--ecosystem", "npm", "--ecosystem", "pypi")
    assert (
        ran.code == 0
        and "1 now" in ran.out
        and "1 before" in ran.out
        and "npm:other@1.2.3" in ran.out
    )
    assert states(project) == {"pypi:thing@2.0": "indexed", "npm:other@1.2.3": "indexed"}
    assert "0 indexes" in run("deps", *project, "--prune").out


@pytest.mark.nightly
@pytest.mark.slow
def test_a_build_in_the_background_is_one_for_all(project: list[str]) -> None:
    dependencies = open_dependencies(project[1], project[3])
    with dependencies.store.building(0):
        assert not dependencies.start_build()
    assert dependencies.start_build()
    until(lambda: not dependencies.environment().missing(), "the packages to be indexed")
    assert set(states(project).values()) == {"indexed"}


def test_what_deps_refuses(project: list[str]) -> None:
    ran = run("deps", *project, "--ecosystem", "nuget")
    assert (
        ran.code == 2 and "nuget" in ran.err and "npm" in ran.err and len(ran.err.splitlines()) == 1
    )


@pytest.mark.nightly
def test_a_search_of_the_project_loads_nothing_of_packages(project: list[str]) -> None:
    script = "import sys\nfrom symindex.workspace.workspace import Workspace\n"
    script += "with Workspace(*sys.argv[1:]) as w:\n    w.search('mine')\n"
    script += "print([name for name in sys.modules if 'symindex' in name and ('packages' in name or 'dependencies' in name)])"
    assert run_python(script, project[1], project[3]).stdout.strip() == "[]"
