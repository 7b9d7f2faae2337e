"""The wheel alone, in an empty environment: it installs, contains its grammars, and searches. Its
types are known."""

import json
import os
import shutil
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path
from typing import Final

import pytest

from symindex.extract.languages.registry import load_languages
from tests.support.command import run_program
from tests.support.files import write_files

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    done = run_program(command, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


def test_what_the_wheel_holds(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "symindex/py.typed" in names
    for language in load_languages().by_id:
        assert f"symindex/grammars/{language}/symbols.scm" in names
        assert f"symindex/grammars/{language}/language.toml" in names
    assert not [
        name
        for name in names
        if name.startswith(("tests", "fixtures", "grammars", "symindex/serve/editors"))
    ]
    assert any(name.endswith("licenses/LICENSE") for name in names)


@pytest.mark.timeout(300)
def test_all_types_of_the_wheel_are_known(wheel: Path, tmp_path: Path) -> None:
    """Pyright judges an installed package, not an editable one. So the wheel is unpacked into an
    environment of its own, which borrows the dependencies of this one. Types that dependencies do
    not know are theirs."""
    pytest.importorskip("pyright", reason="pyright is not installed: install the group dev")
    environment = tmp_path / "environment"
    venv.create(environment, symlinks=os.name != "nt")
    scheme = {"base": str(environment), "platbase": str(environment)}
    packages = Path(sysconfig.get_path("purelib", "venv", scheme))
    zipfile.ZipFile(wheel).extractall(packages)
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    # It asks the first Python on the path where packages are.
    search_path = os.pathsep.join(
        [sysconfig.get_path("scripts", "venv", scheme), os.environ["PATH"]]
    )
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "pyright", "--outputjson", "--ignoreexternal"]
    done = run_program(
        [*command, "--verifytypes", "symindex"],
        env=variables | {"PATH": search_path},
        cwd=tmp_path,
        timeout=200,
    )
    types = json.loads(done.stdout)["typeCompleteness"]
    assert Path(types["packageRootDirectory"]) == packages / "symindex"
    faults = [
        f"{symbol['name']}: {fault['message']}"
        for symbol in types["symbols"]
        if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]
        for fault in symbol["diagnostics"]
    ]
    assert faults == [] and types["completenessScore"] == 1 and done.returncode == 0
    assert len(types["symbols"]) > 5_000


INSTALLERS: Final = {
    "pipx": ["pipx", "install", "-q"],
    "uv": ["uv", "tool", "install", "-q", "--python", sys.executable],
}
"""The README's commands that install symindex for every folder. Each runs in an empty environment
of its own."""


@pytest.mark.parametrize("installer", INSTALLERS)
def test_a_search_from_the_wheel_alone(installer: str, wheel: Path, tmp_path: Path) -> None:
    folders = {
        "PIPX_HOME": "pipx",
        "PIPX_BIN_DIR": "bin",
        "PIPX_MAN_DIR": "man",
        "UV_TOOL_DIR": "uv",
        "UV_TOOL_BIN_DIR": "bin",
    }
    environment = os.environ | {name: str(tmp_path / folder) for name, folder in folders.items()}
    environment |= {"PIPX_DEFAULT_PYTHON": sys.executable}
    program, *arguments = INSTALLERS[installer]
    command = [
        shutil.which(program, path=sysconfig.get_path("scripts")) or program,
        *arguments,
        f"{wheel}[mcp]",
    ]
    done = run_program(command, env=environment, cwd=tmp_path, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    tree = write_files(
        tmp_path / "tree",
        {"a.py": "class Found: pass\n", "b.go": "package b\n\nfunc FoundToo() {}\n"},
    )
    search = [str(tmp_path / "bin" / "symindex"), "search", "found", "--root", str(tree)]
    process = run_program(search, cwd=tree, check=True)
    assert "| `Found` | class | a.py:1 |" in process.stdout
    assert "| `FoundToo` | function | b.go:3 |" in process.stdout
