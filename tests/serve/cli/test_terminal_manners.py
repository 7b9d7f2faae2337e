"""Output on a person's terminal: pager, colours, tables that never cut a path."""

import os
import pty
import re
from pathlib import Path

import pytest

from symindex.serve.cli.command_table import _PLACES as COMMANDS
from tests.support.command import SYMINDEX, run, run_program, started
from tests.support.files import write_files

LONG = "src/a_folder_with_a_long_name/another_folder_with_a_long_name/and_a_third_one_that_is_long/module_of_that_folder.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    many = "".join(f"def number_{number}(): pass\n" for number in range(60))
    root = write_files(
        tmp_path / "tree", {LONG: many, "symindex.toml": "", "notes.md": "# Notes\n"}
    )
    assert run("index", "--root", str(root)).code == 0
    return root


def on_terminal(root: Path, *words: str, **variables: str) -> str:
    """Returns what a terminal of 24 lines and 60 columns receives."""
    keep = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PAGER", "LESS", "NO_COLOR", "TERM"))
    }
    leader, follower = pty.openpty()
    environment = {**keep, "TERM": "xterm", "COLUMNS": "60", "LINES": "24", **variables}
    with started(
        [*SYMINDEX, *words],
        cwd=root,
        stdout=follower,
        stderr=-3,
        stdin=-3,
        env=environment,
        text=False,
    ):
        os.close(follower)
        seen = b""
        while True:
            try:
                chunk = os.read(leader, 65_536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
    os.close(leader)
    return seen.decode()


@pytest.fixture
def pager(tmp_path: Path) -> str:
    program = tmp_path / "my pager"
    program.write_text('#!/bin/sh\necho "PAGED LESS=$LESS LV=$LV"\ncat\n')
    program.chmod(0o755)
    return f"'{program}'"


@pytest.mark.nightly
@pytest.mark.parametrize("words", [("outline",), ("search", "number", "--format", "table")])
def test_a_long_answer_is_paged(words: tuple[str, ...], root: Path, pager: str) -> None:
    assert "PAGED LESS=FRX LV=-c" in on_terminal(root, *words, PAGER=pager)
    assert "PAGED LESS=-S" in on_terminal(
        root, *words, SYMINDEX_PAGER=pager, PAGER="cat", LESS="-S"
    )
    for variables in (
        {"PAGER": "cat"},
        {"PAGER": ""},
        {"PAGER": "no-such-program"},
        {"PAGER": "'"},
        {"SYMINDEX_PAGER": "cat"},
    ):
        seen = on_terminal(root, *words, **{"PAGER": pager, **variables})
        assert ("PAGED" not in seen and "number_59" in seen) or "results" in seen
    assert "PAGED" not in on_terminal(root, *words, "--no-pager", PAGER=pager)
    assert "PAGED" not in on_terminal(root, "outline", "--depth", "1", PAGER=pager)


@pytest.mark.nightly
def test_a_pager_that_is_missing_is_said_once(root: Path) -> None:
    keep = {name: value for name, value in os.environ.items() if name not in ("LESS", "NO_COLOR")}
    leader, follower = pty.openpty()
    environment = {**keep, "PAGER": "no-such-program", "LINES": "9", "TERM": "xterm"}
    with started(
        [*SYMINDEX, "outline"], cwd=root, stdout=follower, stdin=-3, env=environment
    ) as process:
        os.close(follower)
        assert process.stderr is not None
        said = process.stderr.read()
    os.close(leader)
    assert (
        said.startswith("symindex: the pager 'no-such-program' cannot be started (")
        and said.count("\n") == 1
    )


@pytest.mark.nightly
def test_a_pager_that_is_left_early(root: Path) -> None:
    assert "Outline" in on_terminal(root, "outline", PAGER="head -n 1")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "words", [("outline",), ("search", "number"), ("symbol", "number_1"), ("recall", "notes")]
)
def test_no_colour_is_nothing_bold_or_linked(words: tuple[str, ...], root: Path) -> None:
    assert "\x1b[" in on_terminal(root, *words, PAGER="cat")
    for variables in (
        {"NO_COLOR": "1"},
        {"TERM": "dumb"},
        {"CLICOLOR": "0"},
        {"NO_COLOR": "1", "FORCE_COLOR": "1"},
    ):
        assert "\x1b" not in on_terminal(root, *words, **{"PAGER": "cat", **variables})
    assert "\x1b" not in on_terminal(root, *words, "--color", "never", PAGER="cat")
    assert "\x1b" in run_program([*SYMINDEX, *words, "--color", "always"], cwd=root).stdout


@pytest.mark.nightly
def test_a_path_in_a_table_is_whole(root: Path) -> None:
    seen = re.sub(
        r"\x1b\][^\x1b]*\x1b\\|\x1b\[[\d;]*m",
        "",
        on_terminal(root, "search", "number_1", PAGER="cat"),
    )
    assert f"{LONG}:2" in seen


@pytest.mark.nightly
@pytest.mark.parametrize("words", [("search", "x"), ("grep", "x"), ("outline",), ("index",)])
def test_a_home_folder_is_not_read_by_default(words: tuple[str, ...], tmp_path: Path) -> None:
    home = write_files(tmp_path / "my home", {"a.py": "x = 1\n"})
    environment = {**os.environ, "HOME": str(home)}
    ran = run_program([*SYMINDEX, *words], cwd=home, env=environment)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert f"your home folder, not a project: go to a project, or use --root '{home}'" in ran.stderr
    write_files(home, {"symindex.toml": ""})
    assert "not a project" not in run_program([*SYMINDEX, *words], cwd=home, env=environment).stderr


@pytest.mark.nightly
def test_the_whole_disk_is_not_read_unasked() -> None:
    ran = run_program([*SYMINDEX, "search", "x"], cwd="/")
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert "/ is the whole disk" in ran.stderr


@pytest.mark.nightly
def test_following_is_reported(root: Path) -> None:
    with started([*SYMINDEX, "index", "--watch"], cwd=root) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(f"symindex: watching {root}; press ")
        process.terminate()


@pytest.mark.nightly
@pytest.mark.parametrize(
    "words",
    [
        ("grep", r"numb\w+_7\b"),
        ("grep", "-F", "number_7("),
        ("refs", "number_7"),
        ("recall", "number_7"),
    ],
)
def test_matches_alone_are_marked(words: tuple[str, ...], root: Path) -> None:
    write_files(
        root, {"notes.md": "# Notes\n\nAs `number_7()` or **kwargs:\n\n```\nf(**number_7)\n```\n"}
    )
    seen = re.sub(r"\x1b\]8;;[^\x1b]*\x1b\\", "", on_terminal(root, *words, PAGER="cat"))
    marked = re.findall(r"\x1b\[1;91(?:;49)?m([^\x1b]*)", seen)
    assert marked and {word.rstrip("(") for word in marked} == {"number_7"} and "\ufdd0" not in seen
    plain = run_program([*SYMINDEX, *words], cwd=root).stdout
    assert "\ufdd0" not in plain and "**number_7**" not in plain
    bare = re.sub(r"\x1b\[[\d;]*m", "", seen)
    assert ("(**number_7)" in bare and "(**number_7)" in plain) or words[0] != "recall"


@pytest.mark.nightly
def test_lists_are_tables(root: Path) -> None:
    for words in (("note", "add", "Rates are limited"), ("add", "notes.md")):
        assert run_program([*SYMINDEX, *words], cwd=root).returncode == 0
    for words, title in ((("note", "list"), "Category"), (("sources",), "Digest")):  # type: ignore[assignment]
        assert f"\x1b[1m{title}" in on_terminal(root, *words, PAGER="cat")
        assert "\x1b" not in on_terminal(root, *words, PAGER="cat", NO_COLOR="1")


@pytest.mark.slow
def test_every_help_fits_into_eighty_columns(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for command in ("", *COMMANDS):
        lines = run(*filter(None, [command]), "--help").out.splitlines()
        assert lines and max(map(len, lines)) <= 80, command


@pytest.mark.nightly
def test_languages_fit_into_a_terminal(root: Path) -> None:
    lines = on_terminal(root, "languages", PAGER="cat").splitlines()
    assert max(map(len, lines)) <= 60 and any(line.startswith("python  ") for line in lines)
    assert not any(
        line.startswith(" ") for line in run("languages").out.splitlines()
    )  # in a pipe, each row is one line


TWO = "<stdin>:2:5: def two():\n<stdin>:3:5: two()\n"
GIVEN = "one\ndef two():\n    two()\n"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("two",), 0, TWO), (("TWO", "-i", "-n", "1"), 0, "<stdin>:2:5: def two():\n"), (("two", "-"), 0, TWO),
        (("-F", "two()"), 0, TWO),
        (("number_5\\(",), 1, ""), (("number_5\\(", "."), 0, f"{LONG}:6:5: def number_5(): pass\n"),
        (("number_5\\(", "-p", "*.py"), 0, f"{LONG}:6:5: def number_5(): pass\n"), (("x", "-", "--in", "code"), 2, ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_a_text_through_a_pipe(
    words: tuple[str, ...], code: int, said: str, kind: str, root: Path, tmp_path: Path
) -> None:
    """The piped text is searched if no file is named, as with ripgrep."""
    (tmp_path / "given").write_text(GIVEN)
    line = f'"$@" < {tmp_path}/given' if kind == "file" else f'cat {tmp_path}/given | "$@"'
    ran = run_program(
        ["sh", "-c", line, "sh", *SYMINDEX, "grep", *words, "--format", "lines"], cwd=root
    )
    assert (ran.returncode, ran.stdout) == (code, said)


@pytest.mark.nightly
@pytest.mark.parametrize("given", ["</dev/null", "<&-", "< empty", "sleep 20 |", ": |"])
def test_without_a_text_in_the_pipe_the_tree_is_searched(given: str, root: Path) -> None:
    """Services, CI jobs and editors leave standard input closed, empty, or open forever."""
    (root / "empty").write_text("")
    line = f'{given} timeout 15 "$@"' if given.endswith("|") else f'"$@" {given}'
    with started(
        ["sh", "-c", line, "sh", *SYMINDEX, "grep", "number_5\\(", "--format", "lines"],
        cwd=root,
        stdout=-1,
    ) as process:
        assert (
            process.stdout is not None
            and process.stdout.readline() == f"{LONG}:6:5: def number_5(): pass\n"
        )
        process.kill()


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "query", ["number_.*", "number_[0-9]+", "^number", r"\wumber", "number_1|number_2", "(number)+"]
)
def test_a_query_that_is_written_as_a_regular_expression(query: str, root: Path) -> None:
    ran = run("search", query, "--root", str(root), "--format", "lines")
    assert f"queries are not regular expressions: use `symindex grep '{query}'` for one" in ran.err
    assert ("`symindex search 'number_*'` matches any letters" in ran.err) == (query == "number_.*")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "query",
    [
        "number_*",
        "number_1",
        "get(x)",
        "operator+",
        "a.b",
        "$x",
        "List[int]",
        "what is this?",
        "f(*args)",
    ],
)
def test_other_queries_are_not_mistaken_for_one(query: str, root: Path) -> None:
    ran = run("search", query, "--root", str(root), "--format", "lines")
    assert "not regular expressions" not in ran.err


@pytest.mark.nightly
def test_names_of_files_are_read_in_utf8_whatever_the_locale(root: Path) -> None:
    (root / "ünï.py").write_text("def oddfn(): pass\n")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}
    ran = run_program(
        [*SYMINDEX, "search", "oddfn", "--format", "lines"], cwd=root, env=environment
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "ünï.py:1: function oddfn\n", "")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("grep -c x", "each page begins with the count"), ("grep x -l", "cut -d: -f1"), ("grep -rn x", "folders are always searched"),
        ("grep x -t py", "-l LANG"), ("search x -t py", "-l LANG"), ("refs x -g *.py", "-p GLOB"), ("changed -g x", "-p GLOB"),
        ("search x --glob x", "-p GLOB"), ("outline -n 5", "--max-tokens N or --depth N"), ("map -n 5", "--max-tokens N"),
        ("changed --name-only", "--format lines"), ("refs -w x", "whole identifiers"), ("search -w x", "a whole name"),
        ("grep x -A 3", "the code around a line"),
    ],
)  # fmt: skip
def test_options_of_ripgrep_and_git_are_answered_with_ours(line: str, way: str, root: Path) -> None:
    command, *words = line.split()
    ran = run(command, "--root", str(root), *words)
    assert ran.code == 2 and ran.err.count("\n") == 1 and way in ran.err


def test_no_hint_names_an_option_that_the_command_lacks(root: Path) -> None:
    for line in ("map -t py", "changed -t x", "status -t py"):
        ran = run(*line.split(), "--root", str(root))
        assert ran.code == 2 and "chooses" not in ran.err, line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["found", "."],
            ". was searched as a word: use `symindex search found --path .` to search there",
        ),
        (
            ["two words", "src/"],
            "src/ was searched as a word: use `symindex search 'two words' --path src/` to search there",
        ),
        (["found", "nowhere/"], ""),
        (["."], ""),
        (["found", "src"], ""),
    ],
)
def test_a_path_behind_a_query_is_answered_with_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    root = write_files(tmp_path / "tree", {"src/a.py": "def found(): pass\n"})
    monkeypatch.chdir(root)
    ran = run("search", *words, "--format", "lines", "--index-dir", str(tmp_path / "index"))
    assert ("was searched as a word" in ran.err) == bool(said) and said in ran.err
