"""The command line: its output, its exit codes, and one clear line for every mistake a user can
make."""

import json
import os
import pty
import re
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from symindex.files.forked_walk import usable_cores
from symindex.protocol.search import SearchResponse
from symindex.serve.cli.main import cli
from tests.support.command import SYMINDEX, run, run_program, run_python, run_unprivileged, started
from tests.support.files import Files, write_files
from tests.support.processes import needs_proc, processes_below, processes_named
from tests.support.waiting import until

TREE: Files = {
    "src/auth.py": "class AuthService:\n    '''Logs in.'''\n    def login(self, user): pass\n",
    "src/cart.go": "package cart\n\nfunc Total() int { return 0 }\n",
    "notes.dat": "",
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_files(tmp_path / "tree", TREE)
    monkeypatch.chdir(root)  # paths are relative to the current folder
    return root


@pytest.mark.nightly
def test_search_in_all_formats(tree: Path) -> None:
    markdown = run("search", "login", "--root", str(tree))
    assert markdown.code == 0
    assert markdown.out == (
        "# Search: `login`\nFound 1 result\n\n| Name | Kind | Location |\n|------|------|----------|\n"
        "| `login` (in `AuthService`) | method | src/auth.py:3 |\n"
    )
    assert markdown.err == ""
    as_json = run("search", "login", "--root", str(tree), "--json")
    assert json.loads(as_json.out) == {
        "request": {"query": "login", "kinds": None, "max_items": None, "start_index": 0, "pagination_id": None},
        "items": [{"name": "login", "kind": "method", "file_path": "src/auth.py", "line": 3, "container": "AuthService"}],
        "start_index": 0, "max_items": None, "total": 1, "has_more": False, "pagination_id": None,
    }  # fmt: skip
    assert run("search", "login", "--root", str(tree), "--format", "json").out == as_json.out
    table = run("search", "login", "--root", str(tree), "--format", "table").out.splitlines()
    assert [line.split() for line in table] == [
        ["name", "kind", "location"], ["login", "in", "AuthService", "method", "src/auth.py:3"], ["1", "result"],
    ]  # fmt: skip


def test_exit_codes_as_ripgreps(tree: Path) -> None:
    assert run("search", "login", "--root", str(tree)).code == 0
    assert run("search", "zzz", "--root", str(tree)).code == 1
    assert run("search", "login", "--root", str(tree / "nowhere")).code == 2


def test_options_of_a_search(tree: Path) -> None:
    def names(*options: str) -> list[str]:
        return [
            item.name
            for item in msgspec.json.decode(
                run("search", *options, "--root", str(tree), "--json").out, type=SearchResponse
            ).items
        ]

    assert names("") == ["AuthService", "Total", "login"]
    assert names() == names("")
    assert names("", "--kind", "class", "--kind", "method") == ["AuthService", "login"]
    assert names("", "--lang", "go") == ["Total"]
    assert names("", "--path", "src/**", "--path", "!*.go") == ["AuthService", "login"]
    assert names("", "-n", "1") == ["AuthService"]
    assert names("", "-n", "0") == ["AuthService", "Total", "login"]
    assert names("", "-n", "1", "--start-index", "1") == ["Total"]
    assert names("lgoin") == ["login"]
    assert names("lgoin", "--no-fuzzy") == []
    assert sorted(names("kind:class", "OR", "total")) == ["AuthService", "Total"]
    first = json.loads(run("search", "", "--root", str(tree), "--json", "-n", "2").out)
    assert names("", "-n", "2", "--pagination-id", first["pagination_id"]) == ["login"]


def test_include(tree: Path) -> None:
    done = run("search", "login", "--root", str(tree), "--json", "-i", "signature", "-i", "id")
    item = json.loads(done.out)["items"][0]
    assert (item["signature"], item["id"]) == (
        "def login(self, user)",
        "src/auth.py#AuthService.login",
    )
    assert (
        "def login(self, user)"
        in run("search", "login", "--root", str(tree), "--format", "table", "-i", "signature").out
    )


def test_hints(tree: Path) -> None:
    by_index = run("search", "", "--root", str(tree), "-n", "2").out.splitlines()[-1]
    assert by_index == "> More results available. Use `--start-index 2` for next page."
    by_token = run(
        "search", "", "--root", str(tree), "-n", "2", "--next-by", "pagination_id"
    ).out.splitlines()[-1]
    assert by_token.startswith("> More results available. Use `--pagination-id ")


def test_a_search_sees_what_changed_unless_told_not_to(tree: Path) -> None:
    run("index", "--root", str(tree))
    (tree / "new.py").write_text("def brand_new(): pass\n")
    assert run("search", "brand_new", "--root", str(tree), "--no-refresh").code == 1
    assert run("search", "brand_new", "--root", str(tree)).code == 0


def test_index(tree: Path) -> None:
    report = json.loads(run("index", "--root", str(tree), "--json").out)
    assert (report["files"], report["symbols"], report["read"]) == (2, 3, 2)
    assert report["skipped"] == [{"reason": "no language for it", "count": 1, "paths": []}]
    assert report["bytes"] > 0 and report["seconds"] > 0
    again = run("index", "--root", str(tree))
    assert again.out.startswith(f"{tree}: 3 symbols of 2 files")
    assert "(0 read, 0 gone)" in again.out
    assert json.loads(run("index", "--root", str(tree), "--json", "--rebuild").out)["read"] == 2


def test_status(tree: Path) -> None:
    text = run("status", "--root", str(tree)).out
    assert f"root       {tree}" in text
    assert "symbols    3 in 2 files" in text
    assert "1  no language for it\n            .dat 1" in text
    assert "documents  0 sections, 0 items\n" in text
    report = json.loads(run("status", "--root", str(tree), "--json").out)
    assert report["documents"] == {"sections": 0, "items": {}, "problems": 0, "problem_places": []}
    assert {row["language"]: row["symbols"] for row in report["languages"]} == {
        "python": 2,
        "go": 1,
    }
    (tree / "empty.py").write_text("# nothing\n")
    assert "symbols    3 in 2 of 3 files" in run("status", "--root", str(tree)).out
    assert "3 symbols in 2 files" in run("map", "--root", str(tree)).out
    assert "name_slices" in run("status", "--root", str(tree), "--verbose").out


def test_sections_and_items_are_counted(tree: Path) -> None:
    write_files(tree, {
        "README.md": "# One\n\n## Two\n",
        ".ai/tools/a.py": '"A tool."\n',
        ".ai/directives/b.md": "---\ntitle: [\n---\n# B\n",
    })  # fmt: skip
    assert "  4 sections, 3 items\n" in run("index", "--root", str(tree)).out
    report = json.loads(run("index", "--root", str(tree), "--json").out)
    assert (report["sections"], report["items"]) == (4, 3)
    text = run("status", "--root", str(tree)).out
    assert "documents  4 sections, 3 items (directive 1, readme 1, tool 1)\n" in text
    assert (
        "items whose metadata has a problem: 1\n            .ai/directives/b.md: front matter, line 3: "
        in text
    )
    documents = json.loads(run("status", "--root", str(tree), "--json").out)["documents"]
    assert (documents["sections"], documents["problems"]) == (4, 1)
    assert documents["items"] == {"directive": 1, "readme": 1, "tool": 1}
    nothing = run("search", "zzqx", "--type", "tool", "--root", str(tree))
    assert nothing.code == 1 and "> No section or item matches.\n" in nothing.out


@pytest.mark.slow
def test_languages() -> None:
    listed = json.loads(run("languages", "--json").out)
    rows = {row["id"]: row for row in listed if row["group"] == "language"}
    assert {"python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "csharp", "ruby", "php", "kotlin",
            "bash"} <= set(rows)  # fmt: skip
    assert {"class", "method", "constructor", "property", "constant"} <= set(
        rows["python"]["kinds"]
    )
    assert all(
        row["signatures"] and row["docs"]
        for row in rows.values()
        if row["tier"] == "full" and not row["embeds"]
    )
    formats = {row["id"]: row for row in listed if row["group"] == "format"}
    assert {name for name, row in formats.items() if row["sections"]} >= {
        "markdown",
        "restructuredtext",
        "html",
        "notebook",
        "text",
    }
    assert not formats["yaml"]["sections"] and ".ipynb" in formats["notebook"]["files"]
    text = run("languages").out
    assert text.splitlines()[0].split() == ["language", "name", "tier", "finds", "kinds"]
    assert re.search(
        r"\n\nformat +name +finds +files\nmarkdown +Markdown +sections items +\.md ", text
    )


@pytest.mark.nightly
def test_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("check")
    assert (done.code, done.err) == (0, "")
    assert "python: ok, " in done.out
    write_files(tmp_path, {
        "good/language.toml": 'name = "G"\ngrammar = "python"\nextensions = [".same"]\n',
        "good/symbols.scm": "(comment) @doc\n",
        "twin/language.toml": 'name = "T"\ngrammar = "python"\nextensions = [".same"]\n',
        "twin/symbols.scm": "(comment) @doc\n",
        "wrong/language.toml": 'name = "W"\ngrammar = "python"\n',
        "wrong/symbols.scm": "(function_definition name: (identifier) @name) @definition.klass\n",
    })  # fmt: skip
    done = run("check", str(tmp_path))
    assert done.code == 2
    assert "good: ok, 1 pattern, 0 kinds" in done.out
    assert (
        "symbols.scm:1: unknown capture @definition.klass; similar: @definition.class" in done.err
    )
    assert (
        "good and twin all claim the extension .same: all but one need a pattern for it under [content]"
        in done.err
    )


@pytest.mark.slow
def test_dump_says_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    cut = (
        write_files(
            tmp_path,
            {"A.java": "class A {\n    void f() {\n        g();\n\n    void h() {\n    }\n}\n"},
        )
        / "A.java"
    )
    done = run("dump", "--json", str(cut))
    assert [row["name"] for row in json.loads(done.out)] == ["A", "f", "h"]
    assert (
        done.err
        == f"symindex: the parse of {cut} is broken at line 5; members may appear outside of their class\n"
    )
    both = write_files(tmp_path, {"b.py": "<<<<<<< a\nx = 1\n=======\ny = 1\n>>>>>>> b\n"}) / "b.py"
    assert "b.py contains the markers of an unfinished merge" in run("dump", str(both)).err
    whole = write_files(tmp_path, {"c.py": "x = 1\n"}) / "c.py"
    assert run("dump", str(whole)).err == ""


@pytest.mark.nightly
def test_dump(tree: Path) -> None:
    done = run("dump", str(tree / "src/auth.py"))
    assert done.out == (
        "1:6 [1-3] class AuthService !exported  class AuthService\n    Logs in.\n"
        "3:8 [3-3] method AuthService.login !exported  def login(self, user)\n"
    )
    assert [
        row["name"] for row in json.loads(run("dump", "--json", str(tree / "src/auth.py")).out)
    ] == [
        "AuthService",
        "login",
    ]
    assert "(class_definition) [1:0 - 3:" in run("dump", "--tree", str(tree / "src/auth.py")).out
    assert (
        "(def) [3:4 - 3:7]" in run("dump", "--tree", "--anonymous", str(tree / "src/auth.py")).out
    )
    assert run("dump", "--lang", "python", str(tree / "notes.dat")).code == 1


WRONG = {
    "missing path": (
        "search x --root {tree}/nowhere",
        "{tree}/nowhere: no such folder; name one that exists",
    ),
    "file as root": (
        "search x --root {tree}/notes.dat",
        "{tree}/notes.dat: a file, not a folder; name the folder to search in",
    ),
    "file as index dir": (
        "search x --root {tree} --index-dir {tree}/notes.dat",
        "{tree}/notes.dat: a file, not a folder",
    ),
    "index dir below a file": (
        "index --root {tree} --index-dir {tree}/notes.dat/deep",
        "{tree}/notes.dat",
    ),
    "unknown kind": (
        "search x --root {tree} --kind klass",
        "unknown kind 'klass': expected one of array, boolean, class,",
    ),
    "unknown language": (
        "search x --root {tree} --lang klingon",
        "unknown language 'klingon': `symindex languages` lists the ",
    ),
    "two forms": (
        "search x --root {tree} --json --format table",
        "--json and --format table contradict each other",
    ),
    "number of a tree": (
        "outline --root {tree} --depth 0",
        "--depth is 0: it must be 1 or more, or left out",
    ),
    "two names of one": (
        "search x --root {tree} --limit 2 -n 3",
        "--limit is another name of --max-items: give one of the two",
    ),
    "number too large": (
        "search x --root {tree} --max-distance 99",
        "--fuzzy: --max-distance is 99: it must be an integer",
    ),
    "half an expression": (
        "grep ( --root {tree}",
        "the regular expression ( cannot be read: missing ): (",
    ),
    "negative number": (
        "search x --root {tree} -n -3",
        "--max-items is -3: it must be 1 or more, or 0 for all",
    ),
    "negative start": (
        "search x --root {tree} --start-index -1",
        "--start-index is -1: it must be 0 or more",
    ),
    "no number": (
        "search x --root {tree} -n ten",
        "Invalid value for '-n' / '--max-items': 'ten' is not a valid integer",
    ),
    "garbled token": (
        "search x --root {tree} --pagination-id zzz",
        "--pagination-id 'zzz' is not a token of symindex",
    ),
    "syntax error": (
        "search (x --root {tree}",
        "query, at the end: expected a parenthesis that closes the one at character 1",
    ),
    "unknown option": ("search --colour x", "No such option '--colour'"),
    "unknown command": (
        "find x",
        "no such command 'find'; to search for it, use `symindex search find`; see symindex --help",
    ),
    "missing file": (
        "dump {tree}/nowhere.py",
        "{tree}/nowhere.py: No such file or directory; name a source file",
    ),
    "folder to dump": ("dump {tree}", "{tree}: not a regular file; name a source file"),
    "no language": (
        "dump {tree}/notes.dat",
        "{tree}/notes.dat: no language for it; name one with --lang",
    ),
    "no such grammars": ("check {tree}/nowhere", "{tree}/nowhere: No such file or directory"),
}


@pytest.mark.sample(15)
@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_what_a_user_does_wrong_gets_one_line(name: str, tree: Path) -> None:
    arguments, complaint = WRONG[name]
    done = run(*arguments.format(tree=tree).split())
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("symindex: " + complaint.format(tree=tree))
    assert done.err.count("\n") == 1


@pytest.mark.nightly
def test_an_unreadable_root(tmp_path: Path) -> None:
    root = tmp_path / "locked"
    root.mkdir()
    root.chmod(0)
    try:
        done = run_unprivileged(["search", "x", "--root", str(root)])
    finally:
        root.chmod(0o755)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"symindex: {root}: cannot be read: Permission denied\n"


def test_a_token_of_another_query(tree: Path) -> None:
    token = json.loads(run("search", "", "--root", str(tree), "--json", "-n", "1").out)[
        "pagination_id"
    ]
    done = run("search", "login", "--root", str(tree), "-n", "1", "--pagination-id", token)
    assert done.code == 2
    assert "--pagination-id belongs to another search than 'login'" in done.err


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"not an index", b"SYMINDEX" + b"\0" * 100])
def test_a_damaged_or_foreign_index_file_is_rebuilt_and_reported(
    content: bytes, tree: Path, tmp_path: Path
) -> None:
    run("index", "--root", str(tree), "--index-dir", str(tmp_path / "index"))
    (path,) = (tmp_path / "index").glob("*/symbols.index")
    path.write_bytes(content)
    done = run("search", "login", "--root", str(tree), "--index-dir", str(tmp_path / "index"))
    assert done.code == 0
    assert "| `login` (in `AuthService`) |" in done.out
    assert "it will be rebuilt" in done.out


def test_a_damaged_index_is_reported_without_a_refresh(tree: Path, tmp_path: Path) -> None:
    place = ["--root", str(tree), "--index-dir", str(tmp_path / "index")]
    run("index", *place)
    (path,) = (tmp_path / "index").glob("*/symbols.index")
    path.write_bytes(b"not an index")
    assert (
        "not an index file; it will be rebuilt"
        in run("search", "login", "--no-refresh", *place).out
    )


def test_no_command_is_the_help() -> None:
    done = run()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: symindex") and done.err.count("\n") > 10


def test_an_empty_folder_is_not_the_current_one(tree: Path) -> None:
    assert run("search", "login", "--root", "").err.startswith("symindex: the root is empty: ")
    assert run("search", "login", "--root", str(tree), "--index-dir", "").err.startswith(
        "symindex: index_dir '' is not a path"
    )


@pytest.mark.nightly
def test_the_current_folder_is_gone(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    script = 'cd "$1" && rmdir "$1" && "$2" -m symindex search x'
    done = run_program(["sh", "-c", script, "sh", str(tmp_path / "gone"), sys.executable])
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "symindex: the current folder was deleted" in done.stderr and "Traceback" not in done.stderr
    )


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "streams", "code"),
    [
        ("search login", ">&-", 0),
        ("search login --json", ">&-", 0),
        ("search login --format table", "| true", 0),
        ("index --rebuild", "<&- >&- 2>&-", 0),
        ("search login", ">/dev/full", 2),
        ("search login --kind klass", "2>/dev/full", 2),
        ("search login --kind klass", "2>&-", 2),
    ],
)
def test_streams_that_are_closed_or_full(
    arguments: str, streams: str, code: int, tree: Path
) -> None:
    command = (
        f'set -o pipefail; "{sys.executable}" -m symindex {arguments} --root "{tree}" {streams}'
    )
    done = run_program(["bash", "-c", command])
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_root_that_is_not_unicode(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path) + b"/odd\xff"
    os.mkdir(root)
    Path(os.fsdecode(root), "a.py").write_text("def found(): pass\n")
    for arguments in (
        ["search", "found", "--json"],
        ["status", "--json"],
        ["index", "--json"],
        ["index", "--rebuild"],
    ):
        assert run(*arguments, "--root", os.fsdecode(root)).code == 0


def test_ctrl_c_while_the_program_is_loaded() -> None:
    script = """
import builtins, symindex.__main__
load = builtins.__import__
def interrupt(name, *rest):
    if name == "symindex.serve.cli.main":
        raise KeyboardInterrupt
    return load(name, *rest)
builtins.__import__ = interrupt
symindex.__main__.main()
"""
    done = run_python(script)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "symindex: interrupted\n")


@pytest.mark.nightly
@needs_proc
def test_ctrl_c_while_indexing(tmp_path: Path) -> None:
    tree = write_files(tmp_path / "tree", {"a.py": "def first(): pass\n"})
    place = ["--root", str(tree), "--index-dir", str(tmp_path / "index")]
    assert run("index", *place).code == 0
    body = "".join(f"def function_{i}(a, b): return a + b\n" for i in range(2_000))
    write_files(tree, {f"f{i}.py": body + f"# {i}\n" for i in range(300)})
    with started([*SYMINDEX, "index", *place], start_new_session=True) as process:
        # One worker may start before the command itself is loaded.
        until(
            lambda: len(processes_named(process.pid, "workers.worker")) >= min(usable_cores(), 2),
            "workers",
        )
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err == "symindex: interrupted; the index is unchanged\n"
    assert not processes_below(process.pid)
    assert run("search", "first", "--no-refresh", *place).code == 0


@pytest.mark.nightly
@pytest.mark.slow
def test_two_processes_at_once(tmp_path: Path) -> None:
    tree = write_files(
        tmp_path / "tree", {f"f{i}.py": f"def function_{i}(): pass\n" for i in range(300)}
    )
    place = ["--root", str(tree), "--index-dir", str(tmp_path / "index")]
    command = [*SYMINDEX, "index", "--json", *place]
    with started(command) as one, started(command) as other:
        reports = [json.loads(process.communicate()[0]) for process in (one, other)]
    assert (one.returncode, other.returncode) == (0, 0)
    assert [report["symbols"] for report in reports] == [300, 300]
    assert [
        row["symbols"] for row in json.loads(run("status", "--json", *place).out)["languages"]
    ] == [300]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    tree = write_files(
        tmp_path / "tree", {"a.py": "".join(f"def function_{i}(): pass\n" for i in range(20_000))}
    )
    with started([*SYMINDEX, "search", "function", "--root", tree]) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


def test_names_that_would_harm_a_terminal(tmp_path: Path) -> None:
    tree = write_files(tmp_path / "tree", {"a\x1b[31m|`\n.py": "def f(): pass\n"})
    for form in ("markdown", "table"):
        out = run("search", "f", "--root", str(tree), "--format", form).out
        assert "\x1b" not in out
        assert "\\x1b[31m" in out.replace("\n", "")


def on_a_terminal(*arguments: str) -> tuple[str, int]:
    """Returns what a person sees: standard output and standard error are one pseudo-terminal of 100
    columns."""
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "PAGER": "cat"}
    with started(
        [*SYMINDEX, *arguments], stdout=follower, stderr=follower, env=environment
    ) as process:
        os.close(follower)
        seen = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
    os.close(leader)
    return seen.decode(), process.returncode


@pytest.mark.nightly
@pytest.mark.slow
def test_on_a_terminal(tmp_path: Path) -> None:
    tree = write_files(
        tmp_path / "tree", {f"f{i}.py": f"def function_{i}(): pass\n" for i in range(150)}
    )
    seen, code = on_a_terminal("search", "function", "--root", str(tree))
    assert code == 0
    assert "indexing" in seen and "150/150" in seen.replace(" ", "")
    assert "\x1b[1m" in seen
    assert "150 results, 1 to 50 shown" in seen
    assert "more: --start-index 50" in seen


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "markdown"])
def test_a_page_on_a_terminal_is_lean(form: str, tmp_path: Path) -> None:
    """Without a limit, a page on a terminal lists few rows after the exact matches and one row for
    all overloads; in a pipe, or with a limit, it lists every row."""
    source = (
        "".join(f"function run_{n}() {{}}\n" for n in range(40))
        + "function run() {}\nfunction run() {}\n"
    )
    words = [
        "search",
        "run",
        "--root",
        str(write_files(tmp_path / "tree", {"a.js": source})),
        "--format",
        form,
    ]
    seen, code = on_a_terminal(*words)
    seen = _COLOURS.sub("", seen)
    assert code == 0 and seen.count("run_") == 2
    assert "38 weaker matches are left for the next page" in seen and "(2 times)" in seen
    assert "--start-index 4" in seen or "start_index=4" in seen
    for whole in (on_a_terminal(*words, "--max-items", "0")[0], run(*words).out):
        assert (
            _COLOURS.sub("", whole).count("run_") == 40
            and "times" not in whole
            and "left" not in whole
        )


_COLOURS = re.compile(r"\x1b\[[\d;]*m")


def test_completion() -> None:
    environment = os.environ | {"_SYMINDEX_COMPLETE": "bash_source"}
    done = run_python(
        "from symindex.serve.cli.main import main; main()", env=environment, check=True
    )
    assert "_symindex_completion" in done.stdout


@pytest.mark.parametrize("asked", ["x", "bash", "bash_x", "x_source", "bash_complete", "\x1b[2J"])
def test_an_unknown_completion_request_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, asked: str
) -> None:
    """click alone would print nothing and exit with the code for no results."""
    monkeypatch.setenv("_SYMINDEX_COMPLETE", asked)
    done = run(
        "search", "found", "--root", str(write_files(tmp_path, {"a.py": "def found(): pass\n"}))
    )
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("symindex: _SYMINDEX_COMPLETE=") and "\x1b" not in done.err


def test_an_empty_completion_variable_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An empty variable changes nothing: click alone would exit with 0, whatever was found."""
    monkeypatch.setenv("_SYMINDEX_COMPLETE", "")
    assert (
        run(
            "search", "found", "--root", str(write_files(tmp_path, {"a.py": "def other(): pass\n"}))
        ).code
        == 1
    )


@pytest.mark.parametrize("command", ["", "index", "search", "status", "languages", "check", "dump"])
def test_help(command: str) -> None:
    done = run(*command.split(), "--help")
    assert done.code == 0
    assert max(len(line) for line in done.out.splitlines()) <= 110
    assert done.out.startswith("Usage: symindex")


def test_version() -> None:
    import symindex

    assert run("--version").out == f"symindex {symindex.__version__}\n"


def test_commands_of_other_programs() -> None:
    assert "no such command 'serach'; did you mean search?" in run("serach", "x").err
    assert "to search for it, use `symindex search AuthService`" in run("AuthService").err
    assert run("help", "refs").out == run("refs", "--help").out
    assert run("help").out == run("--help").out and run("version").out == run("--version").out
    for option, way in (
        ("-w", r"\bPATTERN\b"),
        ("-C", "symindex symbol FILE:LINE"),
        ("-n", "lines are always numbered"),
    ):
        ran = run("grep", option, "foo")
        assert ran.code == 2 and way in ran.err and ran.err.count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names outside UTF-8")
def test_a_file_whose_name_is_no_unicode_is_reported(tree: Path) -> None:
    name = os.fsencode(tree) + b"/bad\xff.py"
    with open(name, "wb") as file:
        file.write(b"def zz_bad(): pass\n")
    for command in ("search zz_bad", "refs zz_bad", "grep zz_bad", "symbol zz_bad", "grep login"):
        ran = run(*command.split(), "--root", str(tree))
        assert r"bad\xff.py (its name is not valid Unicode)" in ran.out and ran.code == int(
            command != "grep login"
        ), command
    output = run("search", "zz_bad", "--root", str(tree)).out
    assert (
        r"`zz_bad` occurs in bad\xff.py, which is not in the index: its name is not valid Unicode"
        in output
    )
    assert r"bad\xff.py" not in run("grep", "login", "-p", "*.go", "--root", str(tree)).out
    assert r"bad\xff.py" in run("status", "--root", str(tree)).out


def test_the_help_lists_every_command_in_a_group_within_80_columns() -> None:
    said = run("--help").out
    assert max(map(len, said.splitlines())) <= 80 and "..." not in said.replace(
        "[ARGS]...", ""
    ).replace(", ...", "")
    context = cli.make_context("symindex", ["status"], resilient_parsing=True)
    listed = re.findall(r"(?m)^  ([a-z]+)  +[A-Z]", said)
    assert (
        sorted(listed) == cli.list_commands(context)
        and len({len(row) for row in re.findall(r"(?m)^  [a-z]+  +(?=[A-Z])", said)}) == 1
    )
    for name in listed:
        assert cli.get_command(context, name) is not None and run(name, "--help").code == 0
