"""The wheel alone, in an empty environment: it installs, carries its grammars, and searches."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from tests.conftest import write_files

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


def test_what_the_wheel_holds(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "symindex/py.typed" in names
    for language in load_languages().by_id:
        assert f"symindex/grammars/{language}/symbols.scm" in names
        assert f"symindex/grammars/{language}/language.toml" in names
    assert not [name for name in names if name.startswith(("tests", "fixtures", "grammars", "symindex/serve/editors"))]
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_a_search_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    binaries = environment / ("Scripts" if sys.platform == "win32" else "bin")
    done = subprocess.run(
        [str(binaries / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tree = write_files(tmp_path / "tree", {"a.py": "class Found: pass\n", "b.go": "package b\n\nfunc FoundToo() {}\n"})
    found = subprocess.run(
        [str(binaries / "symindex"), "search", "found", "--root", str(tree)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "| `Found` | class | a.py:1 |" in found.stdout
    assert "| `FoundToo` | function | b.go:3 |" in found.stdout
