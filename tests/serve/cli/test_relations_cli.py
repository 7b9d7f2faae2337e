"""The commands for text, traces and relations: exit codes, both forms of output, errors on one
line."""

import json
from pathlib import Path

import pytest

from tests.serve.cli.test_explore_cli import run  # type: ignore[attr-defined]
from tests.support.files import write_files
from tests.support.git import git

TREE: dict[str, str | bytes] = {
    "a.py": "class Base:\n    def go(self):\n        raise ValueError('cannot go there')\n\n\nclass Car(Base):\n    def go(self):\n        stop()\n\n\nfrom b import stop\n",
    "b.py": "def stop():\n    pass\n",
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    root = write_files(tmp_path / "tree", TREE)
    monkeypatch.chdir(root)  # paths are relative to the current folder
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "x")
    write_files(root, {"b.py": "def stop():\n    return 1\n"})
    return ["--root", str(root), "--index-dir", str(tmp_path / "index")]


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["grep", "-F", "cannot go"], 0, "- 3 `Base.go`: `raise ValueError('cannot go there')`"),
        (["grep", "CANNOT", "-i", "--in", "strings"], 0, "Found 1 line in strings in 1 file"),
        (["grep", r"def \w+\("], 0, "Found 3 lines in 2 files"),
        (["grep", "-F", "nothing_like_it"], 1, "No file contains this text"),
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


LINES = [
    (["outline"], "a.py:1: class Base\na.py:2: method Base.go\na.py:6: class Car\na.py:7: method Car.go\nb.py:1: function stop\n"),
    (["outline", "a.py", "--depth", "1"], "a.py:1: class Base\na.py:6: class Car\n"),
    (["outline", "b.py", "a.py", "-k", "function"], "b.py:1: function stop\n"),
    (["outline", "b.py", "a.py", "--depth", "1"], "a.py:1: file\nb.py:1: file\n"),
    (["refs", "stop", "Base"], "a.py:8:9: stop()\na.py:11:15: from b import stop\nb.py:1:5: def stop():\na.py:1:7: class Base:\na.py:6:11: class Car(Base):\n"),
    (["grep", "o"], None),
    (["grep", "raise|return"], "a.py:3:9: raise ValueError('cannot go there')\nb.py:2:5: return 1\n"),
    (["hierarchy", "Base"], "a.py:6: class Car\n"),
    (["hierarchy", "Car.go", "-d", "callees"], "b.py:1: function stop\n"),
    (["changed"], "b.py:1: changed function stop\n"),
]  # fmt: skip


@pytest.mark.sample(8)
@pytest.mark.parametrize(("words", "lines"), LINES)
def test_rows_as_lines_for_other_programs(
    place: list[str], words: list[str], lines: str | None
) -> None:
    ran = run(*words, "--format", "lines", *place)
    assert (ran.code, ran.err) == (0, "") and ran.out == (lines or ran.out)
    assert all(row.count(":") >= 2 and row.split(":")[1].isdigit() for row in ran.out.splitlines())
    assert run(*words, "--format", "lines", "--json", *place).code == 2
    assert run(*words, "--format", "json", *place).out == run(*words, "--json", *place).out


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--", "b.py"], 0, "`stop`"), (["--", "a.py"], 1, "0 symbols"), (["b.py"], 0, "`stop`"), (["HEAD", "a.py", "b.py"], 0, "`stop`"),
        (["HEAD", "--", "."], 0, "`stop`"), (["-p", "a.py", "-p", "b.py"], 0, "`stop`"), (["both"], 0, "compared with commit"),
        (["HEAD~1..HEAD"], 2, "is a range; what is there now is compared with one commit: give HEAD~1"), (["main...x"], 2, "give main"),
        (["nowhere"], 2, "has no version"), (["--", "nowhere"], 2, ""),
    ],
)  # fmt: skip
def test_what_has_changed_in_some_paths(
    place: list[str], words: list[str], code: int, said: str
) -> None:
    """Paths follow a commit or `--`, as with git diff; a word that is both a commit and a path
    means the commit."""
    git(Path(place[1]), "branch", "both")
    write_files(Path(place[1]), {"both/c.py": "def new(): pass\n"})
    ran = run("changed", *place, *words)
    assert ran.code == code and said in ran.out + ran.err


@pytest.mark.slow
def test_a_trace_from_a_file(place: list[str], tmp_path: Path) -> None:
    (tmp_path / "trace.txt").write_text(
        '  File "/x/y/a.py", line 3, in go\n  File "/x/z.py", line 3, in other\n'
    )
    ran = run("trace", str(tmp_path / "trace.txt"), *place)
    assert (
        ran.code == 0
        and "- 1. `a.py:3` `Base.go` method: `raise ValueError('cannot go there')`" in ran.out
    )
    (tmp_path / "none.txt").write_text('  File "/x/z.py", line 3, in other\n')
    assert run("trace", str(tmp_path / "none.txt"), *place).code == 1


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["grep", "a(b"], "cannot be read"),
        (["grep", ""], "is empty"),
        (["map", "nowhere"], "no file or folder"),
        (["changed", "nowhere"], "has no version"),
        (["refs", "--role", "walks", "stop"], "role"),
        (["grep", "x", "--pagination-id", "nonsense"], "is not a token"),
    ],
)
def test_errors_are_one_line(place: list[str], words: list[str], said: str) -> None:
    ran = run(*words, *place)
    assert (ran.code, ran.out) == (2, "") and said in ran.err and ran.err.count("\n") == 1


@pytest.mark.slow
def test_callers_are_those_of_the_hierarchy(place: list[str]) -> None:
    root = Path(place[1])
    write_files(root, {
        "flask.py": "class App:\n    def dispatch(self):\n        pass\n\n    def full(self):\n        self.dispatch()\n",
        "views.py": "class View:\n    def dispatch(self):\n        pass\n\n    def view(self):\n        self.dispatch()\n\n    def reads(cls):\n        return cls.dispatch\n",
    })  # fmt: skip
    beside = json.loads(run("related", "flask.py#App.dispatch", "--json", *place).out)["related"]
    kin = json.loads(
        run("hierarchy", "flask.py#App.dispatch", "-d", "callers", "--json", *place).out
    )
    callers = [row["hit"]["id"] for row in beside if row["relation"] == "caller"]
    assert callers == [item["id"] for item in kin["items"]] == ["flask.py#App.full"]
    assert "# Several symbols: `dispatch`" in run("hierarchy", "dispatch", *place).out


@pytest.mark.slow
def test_a_named_file_that_is_not_searched_is_reported(place: list[str]) -> None:
    write_files(Path(place[1]), {".gitignore": "ign/\n", "ign/i.py": "def stop(): pass\n"})
    ran = run("grep", "stop", "ign/i.py", *place)
    assert ran.code == 1 and "No searched file contains a match" in ran.out
    assert (
        "> not looked into: ign/i.py: ign/ is not in the index: ignored by git's rules" in ran.out
    )
    assert "not looked into: ign" in run("grep", "stop", "ign", "b.py", *place).out
    assert "looked into" not in run("grep", "nothing_like", "b.py", *place).out


@pytest.mark.slow
def test_a_query_that_is_a_path_is_said_to_be_one(place: list[str]) -> None:
    write_files(Path(place[1]), {"src/flask/app.py": "def one(): pass\n"})
    assert (
        "> this is a file: `symindex outline src/flask/app.py`"
        in run("search", "flask/app.py", "--format", "markdown", *place).out
    )
    hint = "> this is a line of a file: `symindex symbol src/flask/app.py:1`"
    assert hint in run("search", "src/flask/app.py:1", "--format", "markdown", *place).out
    assert "that is a" not in run("search", "Car.go", "--format", "markdown", *place).out


@pytest.mark.slow
def test_exit_codes_where_something_is_missing(place: list[str]) -> None:
    assert run("symbol", "stop", "no_such_thing", *place).code == 1
    assert run("search", "Car", "-k", "function,class", *place).code == 0
    past = run("search", "stop", "--start-index", "999", "--format", "markdown", *place)
    assert past.code == 1 and "start_index 999 is past the end" in past.out


@pytest.mark.parametrize(
    "words", [["map"], ["outline"], ["outline", "."], ["outline", "empty"], ["map", "empty"]]
)
def test_an_empty_folder_is_nothing_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    root = write_files(
        tmp_path / "tree",
        {"symindex.toml": ""} if len(words) == 1 or words[1] == "." else {"a.py": "x = 1\n"},
    )
    (root / "empty").mkdir()
    monkeypatch.chdir(root)
    ran = run(*words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1) and "source files" in ran.err


@pytest.mark.nightly
def test_zero_is_all(place: list[str]) -> None:
    assert "and " not in run("hierarchy", "Base", "-n", "0", *place).out
    assert "- ~ 1 `stop` function" in run("changed", "-n", "0", *place).out
    assert (
        run("hierarchy", "Base", "-n", "-1", *place).err
        == "symindex: --max-items is -1: it must be 1 or more, or 0 for all\n"
    )
