"""One line for each row on standard output for programs, and messages for people on standard
error."""

from pathlib import Path

import pytest

from tests.support.command import run
from tests.support.files import write_files


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "a b.py": "class Cart:\n    def add(self): pass\n    def address(self): pass\n",
        "n\new.py": "def add(): pass\n",
    }
    monkeypatch.chdir(tmp_path)  # paths are those of the current folder
    return write_files(tmp_path, files)


def test_each_row_is_a_line(root: Path) -> None:
    ran = run("search", "add", "--format", "lines", "--root", str(root))
    assert (ran.code, ran.err) == (0, "")
    assert (
        ran.out
        == "n\\new.py:1: function add\na b.py:2: method Cart.add\na b.py:3: method Cart.address\n"
    )


def test_further_notices_are_on_standard_error(root: Path) -> None:
    ran = run("search", "add", "--format", "lines", "-n", "1", "--root", str(root))
    assert (
        ran.out.count("\n") == 1 and ran.err == "symindex: 3 results; the next: --start-index 1\n"
    )
    ran = run("search", "adresss", "--no-fuzzy", "--format", "lines", "--root", str(root))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("symindex: no symbol matches; nearest names: address")
