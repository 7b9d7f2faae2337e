"""Symbols that changed since a commit; nothing that a repository configures runs."""

import os
import shlex
import shutil
import sys
import tracemalloc
from pathlib import Path

import pytest
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.explore import git_objects
from symindex.explore.changes import last_commit
from symindex.files.ignore.git_command import find_git, run_git
from symindex.protocol.changes import ChangedResponse
from symindex.render.changed import render_changed
from symindex.render.symbol import render_symbol
from symindex.workspace.workspace import Workspace
from tests.support.command import SYMINDEX, run_program
from tests.support.files import Maker, write_files
from tests.support.git import git

FIRST: dict[str, str | bytes] = {
    "a.py": "class Cart:\n    def total(self):\n        return 1\n\n    def add(self, x):\n        pass\n\n\ndef old():\n    pass\n",
    "gone.py": "def lost():\n    pass\n",
    "same.go": "package a\n\nfunc Same() {}\n",
    "notes.txt": "text\n",
    "tests/test_a.py": "from a import Cart\n\n\ndef test_total():\n    assert Cart().total()\n",
}


def commit(root: Path, message: str) -> str:
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def tree(tmp_path: Path) -> Workspace:
    root = write_files(tmp_path / "tree", FIRST)
    git(root, "init", "-q", "-b", "main")
    commit(root, "first")
    return Workspace(root, tmp_path / "indexes")


def told(response: ChangedResponse) -> dict[str, list[str]]:
    return {
        f"{file.file_path} {file.status}": [
            f"{symbol.status} {symbol.line} {symbol.name}" for symbol in file.symbols
        ]
        for file in response.files
    }


def edit(root: Path) -> None:
    write_files(root, {
        "a.py": "class Cart:\n    def total(self):\n        return 2\n\n    def add(self,  x):\n        pass\n\n    def new(self):\n        pass\n",
        "fresh.py": "class Fresh:\n    def one(self):\n        pass\n",
        "notes.txt": "other\n",
        "same.go": "package a\n\n\nfunc Same() {}\n",
    })  # fmt: skip
    (root / "gone.py").unlink()


CHANGED = {
    "a.py changed": ["changed 2 Cart.total", "added 8 Cart.new", "removed 9 old"],
    "fresh.py added": ["added 1 Fresh", "added 2 Fresh.one"],
    "gone.py removed": ["removed 1 lost"],
    "same.go changed": [],
}


def test_in_the_working_tree(tree: Workspace) -> None:
    assert tree.changed().files == []
    edit(tree.root)
    tree.refresh()
    response = tree.changed(tests=True)
    assert told(response) == CHANGED and response.total == 6
    assert response.commit == git(tree.root, "rev-parse", "HEAD")
    tests = {
        symbol.name: [test.id for test in symbol.tests]
        for file in response.files
        for symbol in file.symbols
        if symbol.tests
    }
    assert tests == {"Cart.total": ["tests/test_a.py#test_total"]}
    text = render_changed(response)
    assert "- ~ 2 `Cart.total` method; tests: `tests/test_a.py#test_total`" in text
    assert "- + 1 `Fresh` class (+1)" in text and "same.go\n- (outside of all symbols)" in text


def test_since_a_commit_a_tag_and_where_a_branch_was_left(tree: Workspace) -> None:
    git(tree.root, "tag", "v1")
    git(tree.root, "checkout", "-q", "-b", "topic")
    edit(tree.root)
    commit(tree.root, "second")
    git(tree.root, "checkout", "-q", "main")
    write_files(tree.root, {"only_main.py": "def only_main(): pass\n"})
    commit(tree.root, "on main")
    git(tree.root, "checkout", "-q", "topic")
    tree.refresh()
    for since in ("v1", "main", "HEAD~1", git(tree.root, "rev-parse", "v1")[:10]):
        response = tree.changed(since)
        assert told(response) == CHANGED, since
        parted = [
            notice
            for notice in response.notices or ()
            if "is not an ancestor of the current commit" in notice
        ]
        assert len(parted) == (since == "main"), since
    base = git(tree.root, "rev-parse", "v1")[:12]
    assert (
        f"`main` is not an ancestor of the current commit: compared with {base}, where their histories diverge"
        in render_changed(tree.changed("main"))
    )
    assert tree.changed("HEAD").files == []
    assert set(told(tree.changed("v1", path="a.py"))) == {"a.py changed"}
    few = tree.changed("v1", max_items=2)
    assert (sum(len(file.symbols) for file in few.files), few.total) == (2, 6)
    assert "> 4 more: " in render_changed(few)


def test_since_a_date(tree: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    before = git(tree.root, "rev-parse", "HEAD")
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "2040-05-06T10:00:00+0000")
    edit(tree.root)
    commit(tree.root, "later")
    tree.refresh()
    response = tree.changed("2040-05-06")
    assert (told(response), response.commit) == (CHANGED, before)
    assert tree.changed("2041-01-01").files == []
    with pytest.raises(RequestError, match="has no commit before 1999-01-01"):
        tree.changed("1999-01-01")
    git(tree.root, "tag", "1999-01-01")  # a tag may have this form
    assert tree.changed("1999-01-01").files == []


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("since", "said"),
    [
        ("nowhere", "has no version 'nowhere'"),
        ("0123456789012345678901234567890123456789", "has no version"),
        ("--output=/tmp/x", "is not a revision"),
        ("a b", "is not a revision"),
        ("\ud800", "is not a revision"),
        ("main..HEAD", "is a range"),
        ("", "is not a revision"),
        ("x" * 300, "is not a revision"),
    ],
)
def test_commits_that_are_not_there(tree: Workspace, since: str, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        tree.changed(since)


def test_no_repository_and_no_git(
    tmp_path: Path, tree: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Workspace(write_files(tmp_path / "plain", FIRST), tmp_path / "indexes")
    with pytest.raises(RequestError, match="not in a git repository"):
        plain.changed()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RequestError, match="git is not installed"):
        tree.changed()


def test_a_shallow_clone(tree: Workspace, tmp_path: Path) -> None:
    edit(tree.root)
    commit(tree.root, "second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{tree.root}", "shallow")
    shallow = Workspace(tmp_path / "shallow", tmp_path / "indexes")
    assert shallow.changed().files == []
    with pytest.raises(RequestError, match="has no version 'HEAD~1'"):
        shallow.changed("HEAD~1")


def test_a_folder_below_the_top(tree: Workspace, tmp_path: Path) -> None:
    write_files(tree.root, {"sub/b.py": "def b(): pass\n"})
    commit(tree.root, "sub")
    write_files(tree.root, {"sub/b.py": "def b(): return 1\n"})
    below = Workspace(tree.root / "sub", tmp_path / "indexes")
    assert told(below.changed()) == {"b.py changed": ["changed 1 b"]}


@pytest.mark.nightly
def test_nothing_that_a_repository_configures_is_run(tree: Workspace, tmp_path: Path) -> None:
    mark = tmp_path / "was run"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    program.chmod(0o755)
    for key in ("filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv", "diff.x.command", "diff.external",
                "core.fsmonitor", "core.sshCommand", "core.pager", "gpg.program", "merge.x.driver"):  # fmt: skip
        git(tree.root, "config", key, str(program))
    git(tree.root, "config", "log.showSignature", "true")
    write_files(tree.root, {".gitattributes": "* filter=x diff=x merge=x\n"})
    edit(tree.root)
    tree.refresh()
    assert "a.py changed" in told(tree.changed())
    tree.symbol("Cart.add", history=True)
    assert not mark.exists()


def test_a_repository_that_does_not_answer(
    tree: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_objects, "SECONDS", 0.5)
    write_files(tree.root.parent, {"bin/git": "#!/bin/sh\nsleep 60\n"})
    (tree.root.parent / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tree.root.parent / "bin") + os.pathsep + os.environ["PATH"])
    with pytest.raises(RequestError, match=r"git did not answer within 0.5 s"):
        tree.changed()


def test_a_damaged_repository(tree: Workspace) -> None:
    edit(tree.root)
    tree.refresh()
    for file in (tree.root / ".git" / "objects").rglob("*"):
        if file.is_file():
            file.chmod(0o644)
            file.write_bytes(b"")
    with pytest.raises(RequestError, match="git"):
        tree.changed()


def test_the_commit_that_last_touched_a_symbol(tree: Workspace) -> None:
    edit(tree.root)
    commit(tree.root, "changes total")
    write_files(
        tree.root, {"a.py": (tree.root / "a.py").read_text() + "\n\ndef later():\n    pass\n"}
    )
    commit(tree.root, "adds `later`")
    tree.refresh()
    for name, subject in (
        ("Cart.total", "changes total"),
        ("Cart.add", "first"),
        ("later", "adds `later`"),
    ):
        response = tree.symbol(name, history=True)
        assert response.symbol is not None and response.symbol.last_commit is not UNSET
        last_commit = response.symbol.last_commit
        assert (last_commit.subject, last_commit.is_exact) == (subject, True)
        assert (
            f"Last touched by commit {last_commit.commit[:12]} of {last_commit.date}: `"
            in render_symbol(response)
        )
    write_files(tree.root, {"a.py": "def later():\n    return 'not committed'\n"})
    tree.refresh()
    response = tree.symbol("later", history=True)
    assert response.symbol is not None and response.symbol.last_commit is UNSET
    assert response.notices == ["no commit contains it as it is now"]


def test_the_date_of_a_commit_is_its_authors(
    tree: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-02-03T12:00:00Z")
    write_files(tree.root, {"a.py": "def rebased():\n    pass\n"})
    commit(tree.root, "rebased")
    tree.refresh()
    response = tree.symbol("rebased", history=True)
    assert response.symbol is not None and response.symbol.last_commit is not UNSET
    assert response.symbol.last_commit.date == "2001-02-03"


def test_no_commit_is_examined_forever(tree: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(last_commit.MOST_COMMITS + 1):
        write_files(tree.root, {"a.py": str(FIRST["a.py"]) + f"\n\nlast = {number}\n"})
        commit(tree.root, f"number {number}")
    tree.refresh()
    for seconds, number in ((2.0, 1), (0.0, last_commit.MOST_COMMITS)):
        monkeypatch.setattr(last_commit, "SECONDS", seconds)
        response = tree.symbol("Cart.add", history=True)
        assert response.symbol is not None and response.symbol.last_commit is not UNSET
        assert (response.symbol.last_commit.subject, response.symbol.last_commit.is_exact) == (
            f"number {number}",
            False,
        )
        assert "Not touched since commit" in render_symbol(response)


def test_no_history_without_git(make_workspace: Maker) -> None:
    response = make_workspace({"a.py": "def f():\n    pass\n"}).symbol("f", history=True)
    assert response.symbol is not None and response.notices is not UNSET
    assert (
        response.notices[0].startswith("the last commit is not known: ")
        and "not in a git repository" in response.notices[0]
    )


def test_one_file_that_cannot_be_compared_spoils_nothing(tree: Workspace) -> None:
    edit(tree.root)
    tree.refresh()
    write_files(tree.root, {"same.go": "package a\n" + "// x\n" * 1_000_000})
    response = tree.changed()
    assert told(response) == {**CHANGED, "same.go changed": []}
    assert response.notices is not UNSET and response.notices[0].startswith(
        "same.go: has more than"
    )


def test_an_old_version_that_is_too_large(tree: Workspace) -> None:
    write_files(tree.root, {"same.go": "package a\n" + "// x\n" * 1_000_000})
    commit(tree.root, "large")
    write_files(tree.root, {"same.go": "package a\n\nfunc Same() {}\n"})
    response = tree.changed()
    assert told(response) == {"same.go changed": []}
    assert response.notices is not UNSET and "same.go: had more than" in response.notices[0]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of address space")
def test_little_address_space(tree: Workspace) -> None:
    edit(tree.root)
    command = shlex.join([*SYMINDEX, "changed", "--root", str(tree.root)])
    done = run_program(["sh", "-c", f"ulimit -v 300000; {command}"])
    assert done.returncode == 0 and "`Cart.total`" in done.stdout, done.stderr
    done = run_program(["sh", "-c", f"ulimit -v 110000; {command}"])
    assert (
        done.returncode in (0, 2)
        and "Traceback" not in done.stderr
        and "internal error at" not in done.stderr
    )


def test_git_with_more_output_than_is_read(tree: Workspace, tmp_path: Path) -> None:
    """Memory grows with git's actual output, not with the limit on it."""
    program = find_git(tmp_path)
    assert program is not None
    tracemalloc.start()
    answer = run_git(program, ["--version"], 500_000_000, 5.0)
    assert answer is not None and answer.said.startswith(b"git version")
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    answer = run_git(program, ["--version"], 3, 5.0)
    assert answer is not None and answer.said == b"git"


def test_a_submodule_is_compared_with_its_own_commit(tree: Workspace, tmp_path: Path) -> None:
    root = tree.root
    other = write_files(tmp_path / "other", {"lib.py": "def lib_fn(): pass\n"})
    git(other, "init", "-q", "-b", "main")
    commit(other, "first")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "vend")
    commit(root, "with a submodule")
    tree.refresh()
    assert told(tree.changed()) == {}
    write_files(root, {"vend/lib.py": "def lib_fn(): pass\ndef more(): pass\n"})
    tree.refresh()
    assert told(tree.changed()) == {"vend/lib.py changed": ["added 2 more"]}
    commit(root / "vend", "second")
    notices = tree.changed().notices
    assert notices and "vend: the submodule is at commit" in notices[0]
    shutil.rmtree(root / ".git/modules/vend/objects")  # its commit is unknown
    response = tree.changed()
    assert (
        told(response) == {}
        and response.notices
        and "vend: a submodule that is not compared" in response.notices[0]
    )
    shutil.rmtree(root / "vend")
    tree.refresh()
    response = tree.changed()
    assert told(response) == {} and response.notices == [
        "vend: the submodule was removed; its content is not compared"
    ]


DOCUMENT = """---
name: skill
---
# Title

Intro.

```python
class Foo:
    def bar(self):
        return 1
```

## Use

```js
function go() {}
```
"""


@pytest.mark.parametrize(
    ("settings", "symbols"),
    [
        ("", ["changed 4 Title", "changed 14 Title.Use"]),
        ("code_fences = true\n", ["changed 10 Foo.bar", "added 17 gone", "removed 17 go"]),
    ],
)
def test_the_indexed_parts_of_documents_are_listed(
    tmp_path: Path, settings: str, symbols: list[str]
) -> None:
    """Sections are listed; code in fences is listed only if the settings ask for its symbols."""
    root = write_files(tmp_path / "tree", {
        "a.md": DOCUMENT, "symindex.toml": settings, "b.rst": "Title\n=====\n\n.. code-block:: python\n\n   def foo(): pass\n",
        "page.html": "<script>\nfunction go() { return 1 }\n</script>\n", "c.txt": "plain\n", "moved.md": DOCUMENT * 9,
    })  # fmt: skip
    git(root, "init", "-q", "-b", "main")
    commit(root, "first")
    workspace = Workspace(root, tmp_path / "indexes")
    edited = DOCUMENT.replace("return 1", "return 2").replace("go()", "gone()")
    write_files(
        root,
        {
            "a.md": edited,
            "page.html": "<script>\nfunction gone() { return 1 }\n</script>\n",
            "c.txt": "other\n",
        },
    )
    (root / "b.rst").write_text((root / "b.rst").read_text().replace("foo", "other"))
    (root / "moved.md").rename(root / "there.md")
    changes = told(workspace.changed())
    assert sorted(changes.pop("a.md changed")) == sorted(symbols)
    assert changes == {
        "b.rst changed": ["changed 1 Title"], "page.html changed": ["removed 2 go", "added 2 gone"], "there.md renamed": [],
    }  # fmt: skip


OVERLOADS = """class A {
  int get(int a) { return a; }
  int get(String b) { return 1; }
  int put() { return 1; }
  int put() { return 1; }
}
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("line", "put_in", "said"),
    [
        ("class A {", "class A {\n  int get(long n) { return 0; }", ["added 2 A.get"]),
        ("  int get(int a) { return a; }\n", "", ["removed 2 A.get"]),
        ("return a;", "return a + 1;", ["changed 2 A.get"]),
        ("get(String b)", "get(String c)", ["changed 3 A.get"]),
        ("  int get(int a) { return a; }", "  int get(long n) { return n; }\n  int get(int a) { return -a; }", ["added 2 A.get", "changed 3 A.get"]),
        ("  int put() { return 1; }\n", "", ["removed 4 A.put", "removed 5 A.put"]),
    ],
)  # fmt: skip
def test_namesakes_are_matched_by_their_content(
    tmp_path: Path, line: str, put_in: str, said: list[str]
) -> None:
    root = write_files(tmp_path / "tree", {"A.java": OVERLOADS})
    git(root, "init", "-q", "-b", "main")
    commit(root, "first")
    write_files(root, {"A.java": OVERLOADS.replace(line, put_in)})
    assert told(Workspace(root, tmp_path / "indexes").changed()) == {"A.java changed": said}


CONDITIONAL = """class A {
    int Before() { return 1; }

#if DEBUG // not here
    [Obsolete("x")]
#endif
    [Slow]
    public int Get(int a) { return a; }

    bool IsNew()
        => true;
}
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("line", "put_in", "said"),
    [
        (
            "        => true;\n",
            "#if NEW\n        => true;\n#else\n        => false;\n#endif\n",
            ["changed 10 A.IsNew"],
        ),
        ('[Obsolete("x")]', '[Obsolete("y")]', ["changed 8 A.Get"]),
        ("return a;", "return -a;", ["changed 8 A.Get"]),
    ],
)
def test_where_a_conditional_before_a_symbol_belongs_changes_nothing(
    tmp_path: Path, line: str, put_in: str, said: list[str]
) -> None:
    root = write_files(tmp_path / "tree", {"A.cs": CONDITIONAL})
    git(root, "init", "-q", "-b", "main")
    commit(root, "first")
    write_files(root, {"A.cs": CONDITIONAL.replace(line, put_in)})
    assert [
        change
        for change in told(Workspace(root, tmp_path / "indexes").changed())["A.cs changed"]
        if not change.endswith(" A")
    ] == said
