"""The command `unused`."""

import json
from pathlib import Path

import pytest

from tests.support.command import run
from tests.support.files import write_files


@pytest.fixture
def place(tmp_path: Path) -> list[str]:
    files = {
        "src/a.py": "_one = 1\n_two = 2\ndef spare(): pass\n",
        "src/b.go": "package b\n\nfunc three() {}\n",
        "c.lua": "local function f() end\n",
    }
    root = write_files(tmp_path / "tree", files)
    return ["--root", str(root), "--index-dir", str(tmp_path / "indexes"), "--paths", "root"]


PAGE = """# Unused symbols

3 symbols: of 3 candidates, those that nothing names in 3 files

src/a.py
- 1 `_one` variable: not exported: nothing names it in any file
- 2 `_two` variable: not exported: nothing names it in any file

src/b.go
- 3 `three` function: private to its folder: nothing names it in its folder

> not judged, for lack of rules: Lua
"""


def test_a_page_of_unused_symbols(place: list[str]) -> None:
    assert run("unused", *place).out.rstrip("\n") == PAGE.rstrip("\n")


def test_options_and_exit_codes(place: list[str]) -> None:
    assert "`three`" in run("unused", *place, "-l", "go").out
    assert "`_one`" not in run("unused", *place, "-l", "go").out
    assert "`spare` function: exported" in run("unused", *place, "--exported").out
    assert "1 symbol:" in run("unused", *place, "-k", "function").out
    assert run("unused", *place, "c.lua").code == 1
    assert run("unused", *place, "nowhere").code == 2
    first = run("unused", *place, "-n", "2")
    assert "3 symbols (showing 2)" in first.out
    assert "> 1 more: `symindex unused" in first.out and "--start-index 2" in first.out
    assert "`three`" in run("unused", *place, "-n", "2", "--start-index", "2").out


def test_json_and_lines(place: list[str]) -> None:
    data = json.loads(run("unused", *place, "--json", "src/b.go").out)
    assert data["total"] == 1 and data["files"] == [
        {
            "file_path": "src/b.go",
            "language": "go",
            "symbols": [
                {
                    "name": "three",
                    "kind": "function",
                    "line": 3,
                    "id": "src/b.go#three",
                    "reason": "private to its folder: nothing names it in its folder",
                }
            ],
        }
    ]
    lines = run("unused", *place, "--format", "lines").out.splitlines()
    assert lines[2] == (
        "src/b.go:3: function three (private to its folder: nothing names it in its folder)"
    )
