"""The commands about text, traces and relations: exit codes, both forms of output, errors in one line."""

# ruff: noqa: E501 (sources stand in single lines)

import json
from pathlib import Path

import pytest

from tests.serve.cli.test_explore_cli import run
from tests.support.files import write_files
from tests.support.git import git

TREE: dict[str, str | bytes] = {
    "a.py": "class Base:\n    def go(self):\n        raise ValueError('cannot go there')\n\n\nclass Car(Base):\n    def go(self):\n        stop()\n",
    "b.py": "def stop():\n    pass\n",
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    root = write_files(tmp_path / "tree", TREE)
    monkeypatch.chdir(root)  # paths are those of the current folder
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "x")
    write_files(root, {"b.py": "def stop():\n    return 1\n"})
    return ["--root", str(root), "--index-dir", str(tmp_path / "index")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["grep", "-F", "cannot go"], 0, "- 3 `Base.go`: `raise ValueError('cannot go there')`"),
        (["grep", "CANNOT", "-i", "--in", "strings"], 0, "Found 1 line in strings in 1 file"),
        (["grep", r"def \w+\("], 0, "Found 3 lines in 2 files"),
        (["grep", "-F", "nothing_like_it"], 1, "No file holds this text"),
        (["grep", "nothing.like"], 1, " -F nothing.like`"),
        (["hierarchy", "Base"], 0, "- `Car` class `a.py:6`"),
        (["hierarchy", "Car.go", "-d", "callees"], 0, "- `stop` function `b.py:1`"),
        (["hierarchy", "Car"], 1, "Nothing inherits from it"),
        (["map"], 0, "`class Base`"),
        (["map", "--focus", "stop", "--max-tokens", "200"], 0, "# Map: `.`"),
        (["changed"], 0, "- ~ 1 `stop` function"),
        (["changed", "--tests", "-p", "b.py"], 0, "- ~ 1 `stop` function"),
        (["changed", "-p", "a.py"], 1, "0 symbols in 0 files"),
        (["refs", "--role", "call", "stop"], 0, "- 8 `Car.go`: `stop()`"),
        (["symbol", "Car.go", "stop"], 0, "# Symbol: `b.py#stop`"),
        (["symbol", "go", "-p", "a.py"], 0, "## Symbol: `a.py#Base.go`"),
    ],
)
def test_commands(place: list[str], words: list[str], code: int, said: str) -> None:
    ran = run(*words, *place)
    assert (ran.code, ran.err) == (code, "") and said in ran.out
    as_json = run(*words, "--json", *place)
    assert as_json.code == code and json.loads(as_json.out)


@pytest.mark.slow
def test_a_trace_from_a_file(place: list[str], tmp_path: Path) -> None:
    (tmp_path / "trace.txt").write_text('  File "/x/y/a.py", line 3, in go\n  File "/x/z.py", line 3, in other\n')
    ran = run("trace", str(tmp_path / "trace.txt"), *place)
    assert ran.code == 0 and "- 1. `a.py:3` `Base.go` method: `raise ValueError('cannot go there')`" in ran.out
    (tmp_path / "none.txt").write_text('  File "/x/z.py", line 3, in other\n')
    assert run("trace", str(tmp_path / "none.txt"), *place).code == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["grep", "a(b"], "cannot be read"),
        (["grep", ""], "is empty"),
        (["hierarchy", "go"], ""),
        (["map", "nowhere"], "no file or folder"),
        (["changed", "nowhere"], "has no version"),
        (["refs", "--role", "walks", "stop"], "role"),
        (["grep", "x", "--pagination-id", "nonsense"], "is not a token"),
    ],
)
def test_errors_are_one_line(place: list[str], words: list[str], said: str) -> None:
    ran = run(*words, *place)
    if not said:
        assert ran.code == 1 and "ask for one by its id" in ran.out
        return
    assert (ran.code, ran.out) == (2, "") and said in ran.err and ran.err.count("\n") == 1
