"""Blame, commits of lines, files in commits, and the current commit."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.errors import RequestError
from symindex.explore import git_history
from symindex.explore.history import committed_file
from symindex.explore.history import line_history as line_history_module
from symindex.protocol.freshness import CURRENT
from symindex.protocol.history import BlameResponse, LineHistoryResponse
from symindex.text.editing import common_lines
from symindex.workspace.watched_tree import WatchedTrees
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files
from tests.support.git import git
from tests.support.waiting import until

LINES = [f"line {number}\n" for number in range(1, 21)]


def text(**changed: str) -> str:
    """Returns twenty lines, some of them with other words: `l3="other"`."""
    lines = [*LINES]
    for name, words in changed.items():
        lines[int(name[1:]) - 1] = f"{words}\n"
    return "".join(lines)


def commit(root: Path, message: str, author: str = "Ada", date: str = "2021-02-03") -> str:
    git(root, "add", "-A")
    when = f"{date}T12:00:00Z"
    git(
        root, "-c", f"user.name={author}", "-c", "user.email=a@b.example", "commit", "-q",
        "-m", message, f"--date={when}",
    )  # fmt: skip
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def tree(tmp_path: Path) -> Workspace:
    """Three commits of `a.py`: all lines, then line 3, then lines 10 and 11."""
    root = tmp_path / "tree"
    for number, content in enumerate(
        (text(), text(l3="three"), text(l3="three", l10="ten", l11="eleven")), 1
    ):
        write_files(root, {"a.py": content, "sub/b.py": "def b():\n    pass\n"})
        if number == 1:
            git(root, "init", "-q", "-b", "main")
        commit(root, f"commit {number}", "Ada" if number < 3 else "Grace", f"2021-02-0{number}")
    return Workspace(root, tmp_path / "indexes")


def told(response: BlameResponse) -> list[tuple[int, int, str]]:
    return [(hunk.start_line, hunk.end_line, hunk.subject) for hunk in response.hunks]


def subjects(response: LineHistoryResponse) -> list[str]:
    return [item.subject for item in response.items]


BLAMED = [
    (1, 2, "commit 1"), (3, 3, "commit 2"), (4, 9, "commit 1"), (10, 11, "commit 3"), (12, 20, "commit 1"),
]  # fmt: skip


def test_who_last_changed_each_line(tree: Workspace) -> None:
    response = tree.blame("a.py")
    assert told(response) == BLAMED and not response.notices
    assert response.commit == git(tree.root, "rev-parse", "HEAD") and not response.is_changed
    assert (response.path, response.start_line, response.end_line, response.n_lines) == (
        "a.py",
        1,
        20,
        20,
    )
    assert [(hunk.author, hunk.date) for hunk in response.hunks[1:4]] == [
        ("Ada", "2021-02-02"), ("Ada", "2021-02-01"), ("Grace", "2021-02-03"),
    ]  # fmt: skip
    assert response.hunks[1].commit == git(tree.root, "rev-parse", "HEAD~1")
    assert told(tree.blame("a.py", lines="9-10")) == [(9, 9, "commit 1"), (10, 10, "commit 3")]
    assert told(tree.blame("a.py", lines="20")) == [(20, 20, "commit 1")]
    assert told(tree.blame("a.py", lines="20-400")) == [(20, 20, "commit 1")]


def test_blame_of_a_file_as_it_was(tree: Workspace) -> None:
    git(tree.root, "tag", "v2", "HEAD~1")
    write_files(tree.root, {"a.py": "changed\n"})
    response = tree.blame("a.py", revision="v2")
    assert told(response) == [(1, 2, "commit 1"), (3, 3, "commit 2"), (4, 20, "commit 1")]
    assert response.commit == git(tree.root, "rev-parse", "v2") and not response.is_changed


def test_lines_that_are_not_committed_have_no_commit(tree: Workspace) -> None:
    lines = text(l3="three", l10="ten", l11="eleven").splitlines(keepends=True)
    del lines[11:13]
    lines[0:1] = ["new\n", lines[0], "new\n"]
    lines[-1] = "changed"
    write_files(tree.root, {"a.py": "".join(lines)})
    response = tree.blame("a.py")
    assert told(response) == [
        (1, 1, ""), (2, 2, "commit 1"), (3, 3, ""), (4, 4, "commit 1"), (5, 5, "commit 2"), (6, 11, "commit 1"),
        (12, 13, "commit 3"), (14, 19, "commit 1"), (20, 20, ""),
    ]  # fmt: skip
    assert response.notices == ["3 lines are not committed yet"]
    assert response.is_changed and response.n_lines == 20
    hunk = response.hunks[0]
    assert (hunk.commit, hunk.author, hunk.date, hunk.subject) == ("", "", "", "")
    assert tree.blame("a.py", lines="1").notices == ["1 line is not committed yet"]
    later = tree.blame("a.py", lines="4-19")
    assert later.is_changed and not later.notices


def test_line_ends_are_no_changes(tree: Workspace) -> None:
    whole = (tree.root / "a.py").read_bytes()
    (tree.root / "a.py").write_bytes(whole.replace(b"\n", b"\r\n"))
    response = tree.blame("a.py")
    assert told(response) == BLAMED and not response.is_changed
    assert tree.head("a.py").heads[0].status == "unchanged"


def test_empty_files(tree: Workspace) -> None:
    write_files(tree.root, {"empty.py": "", "filled.py": ""})
    commit(tree.root, "empty files")
    write_files(tree.root, {"filled.py": "x\n", "a.py": ""})
    response = tree.blame("empty.py")
    assert (response.hunks, response.start_line, response.end_line, response.n_lines) == (
        [],
        1,
        0,
        0,
    )
    assert told(tree.blame("filled.py")) == [(1, 1, "")]
    assert tree.blame("a.py").is_changed and tree.blame("a.py").hunks == []
    assert tree.file_at("empty.py").text.code == ""
    assert tree.line_history("empty.py", lines="1").items == []
    assert subjects(tree.line_history("empty.py")) == ["empty files"]


def test_the_commits_of_lines(tree: Workspace) -> None:
    head = git(tree.root, "rev-parse", "HEAD")
    response = tree.line_history("a.py", lines="9-11")
    assert subjects(response) == ["commit 3", "commit 1"] and not response.has_more
    assert (response.commit, response.start_line, response.end_line) == (head, 9, 11)
    assert [(item.commit[:7], item.author, item.date) for item in response.items[:1]] == [
        (head[:7], "Grace", "2021-02-03")
    ]
    assert [item.patch for item in response.items] == ["", ""]
    assert subjects(tree.line_history("a.py", lines="1-3")) == ["commit 2", "commit 1"]
    few = tree.line_history("a.py", lines="1-3", max_items=1)
    assert subjects(few) == ["commit 2"] and few.has_more
    assert subjects(tree.line_history("a.py", lines="10", revision="HEAD~1")) == ["commit 1"]
    clipped = tree.line_history("a.py", lines="20-30")
    assert (clipped.start_line, clipped.end_line, subjects(clipped)) == (20, 20, ["commit 1"])


def test_patches_show_the_lines_alone(tree: Workspace) -> None:
    changed, first = tree.line_history("a.py", lines="10-11", patches=True).items
    assert changed.patch == "@@ -10,2 +10,2 @@\n-line 10\n-line 11\n+ten\n+eleven"
    assert first.patch == "@@ -0,0 +10,2 @@\n+line 10\n+line 11" and first.is_whole
    whole = tree.line_history("a.py", patches=True, max_items=2)
    assert whole.items[1].patch.startswith("@@ -1,6 +1,6 @@\n line 1\n line 2\n-line 3\n+three\n")
    assert whole.has_more and (whole.start_line, whole.end_line) == (0, 0)


def test_the_commits_of_lines_that_moved_and_are_not_committed(tree: Workspace) -> None:
    lines = text(l3="three", l10="ten", l11="eleven").splitlines(keepends=True)
    write_files(tree.root, {"a.py": "new\n" * 5 + "".join(lines)})
    response = tree.line_history("a.py", lines="15-16")
    assert subjects(response) == ["commit 3", "commit 1"]
    assert (response.start_line, response.end_line) == (15, 16) and not response.notices
    half = tree.line_history("a.py", lines="4-8")
    assert subjects(half) == ["commit 2", "commit 1"]
    assert half.notices == ["2 lines are not committed yet"]
    new = tree.line_history("a.py", lines="1")
    assert not new.items and new.notices == ["1 line is not committed yet"]


def test_the_commits_of_a_file(tree: Workspace) -> None:
    assert subjects(tree.line_history("a.py")) == ["commit 3", "commit 2", "commit 1"]
    assert subjects(tree.line_history("sub/b.py")) == ["commit 1"]
    (tree.root / "a.py").rename(tree.root / "moved.py")
    (tree.root / "sub" / "b.py").unlink()
    commit(tree.root, "moved")
    git(tree.root, "config", "log.follow", "true")
    assert subjects(tree.line_history("moved.py")) == ["moved"]
    # git follows lines across the renaming of their file, and so finds who wrote them
    assert subjects(tree.line_history("moved.py", lines="10"))[-1] == "commit 1"
    assert told(tree.blame("moved.py")) == BLAMED
    (tree.root / "sub").rmdir()
    assert subjects(tree.line_history("sub/b.py")) == ["moved", "commit 1"]  # it is gone
    old = tree.line_history("a.py", revision="HEAD~2", max_items=1)
    assert subjects(old) == ["commit 2"] and old.has_more


def test_a_file_in_a_commit(tree: Workspace) -> None:
    first = git(tree.root, "rev-parse", "HEAD~2")
    response = tree.file_at("a.py", revision=first[:10], lines="3-4")
    assert response.commit == first
    assert (response.text.code, response.text.code_start_line, response.text.code_end_line) == (
        "line 3\nline 4", 3, 4,
    )  # fmt: skip
    assert (response.text.n_lines, response.text.language, response.text.file_path) == (
        20,
        "python",
        "a.py",
    )
    assert tree.file_at("a.py").text.code.splitlines()[2] == "three"
    write_files(tree.root, {"page.md": "# Title\n", "x.unknown": "x\n"})
    commit(tree.root, "others")
    for name in ("page.md", "x.unknown", "sub/b.py"):
        (tree.root / name).unlink()
    tree.refresh()
    languages = {
        name: tree.file_at(name).text.language for name in ("page.md", "x.unknown", "sub/b.py")
    }
    assert languages == {"page.md": "markdown", "x.unknown": "", "sub/b.py": "python"}


def test_the_current_commit(tree: Workspace) -> None:
    head = git(tree.root, "rev-parse", "HEAD")

    def status(path: str = "") -> tuple[str, str]:
        (one,) = tree.head(path).heads
        assert one.commit == head
        return one.path, one.status

    assert status() == ("", "") and status("sub") == ("sub", "")
    assert status("a.py") == ("a.py", "unchanged")
    write_files(tree.root, {"a.py": "x\n", "new.py": "x\n"})
    (tree.root / "sub" / "b.py").unlink()
    assert status("a.py") == ("a.py", "changed") and status("new.py") == ("new.py", "added")
    assert status("sub/b.py") == ("sub/b.py", "removed")
    with pytest.raises(RequestError, match=r"no file or folder 'nope.py'; nearest: new.py"):
        tree.refresh()
        tree.head("nope.py")
    (tree.root / "a.py").unlink()
    (tree.root / "a.py").symlink_to("new.py")
    commit(tree.root, "a link")
    response = tree.head("a.py")
    assert response.heads[0].status == "" and response.notices
    assert "a.py is not compared with its commit: a.py is a symbolic link" in response.notices[0]


Ask = Callable[[Workspace], object]

FAULTS: list[tuple[str, Ask, str]] = [
    ("a file that git does not track", lambda tree: tree.blame("untracked.py"), "untracked.py: is not in the current commit, so git knows nothing about it"),
    ("the same, its lines", lambda tree: tree.line_history("untracked.py", lines="1"), "is not in the current commit"),
    ("the same, as a whole", lambda tree: tree.line_history("untracked.py"), "is not in the current commit"),
    ("the same, in a commit", lambda tree: tree.file_at("untracked.py"), "untracked.py is not there at version 'HEAD'"),
    ("no file", lambda tree: tree.blame("aa.py"), "no file or folder 'aa.py'; nearest: a.py"),
    ("no file, as a whole", lambda tree: tree.line_history("aa.py"), "no file or folder 'aa.py'; nearest: a.py"),
    ("a folder", lambda tree: tree.blame("sub"), "sub is a folder: name a file in it"),
    ("the root", lambda tree: tree.line_history(""), "that is a root: name a file in it"),
    ("a file of git", lambda tree: tree.blame(".git/config"), ".git/config: belongs to version control"),
    ("a path outside", lambda tree: tree.blame("../x"), "leads out of the root"),
    ("a link that leads outside", lambda tree: tree.file_at("away/x.py"), "leads out of the root by a link"),
    ("a link", lambda tree: tree.blame("link.py"), "link.py is a symbolic link at version 'HEAD'"),
    ("a binary file", lambda tree: tree.blame("binary"), "binary: is binary: only text has lines"),
    ("a file with other line ends", lambda tree: tree.blame("mac.py"), "mac.py: git counts 1 line in it instead of 3: they do not all end with line feeds"),
    ("a line past the end", lambda tree: tree.blame("a.py", lines="21-30"), "a.py has 20 lines: there is no line 21"),
    ("lines past the end", lambda tree: tree.line_history("a.py", lines="21-30"), "a.py has 20 lines: there is no line 21"),
    ("lines past the end of an old version", lambda tree: tree.file_at("a.py", revision="HEAD~1", lines="21"), "a.py has 20 lines: there is no line 21"),
    ("no lines", lambda tree: tree.blame("a.py", lines="x"), "lines 'x': expected a range as 120-180"),
    ("too many lines", lambda tree: tree.blame("a.py", lines="1-501"), "lines '1-501': at most 500 lines are shown at once"),
    ("too many lines of an old version", lambda tree: tree.file_at("a.py", lines="1-501"), "at most 500 lines"),
    ("no commits", lambda tree: tree.line_history("a.py", max_items=0), "max_items is 0: it must be 1 or more"),
    ("too many commits", lambda tree: tree.line_history("a.py", max_items=501), "max_items is 501: it must be 500 or less"),
    ("no such commit", lambda tree: tree.file_at("a.py", revision="nowhere"), "has no version 'nowhere'"),
    ("no such commit to blame", lambda tree: tree.blame("a.py", revision="v9"), "has no version 'v9'"),
    ("an option", lambda tree: tree.blame("a.py", revision="--output=x"), "is not a revision"),
    ("an option, for a whole file", lambda tree: tree.line_history("a.py", revision="--all"), "is not a revision"),
    ("a range", lambda tree: tree.file_at("a.py", revision="HEAD~1..HEAD"), "is a range"),
    ("an empty revision", lambda tree: tree.blame("gone.py"), "no file or folder 'gone.py'"),
]  # fmt: skip


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    ("ask", "said"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_what_cannot_be_answered_is_said_in_a_line(
    tree: Workspace, tmp_path: Path, ask: Ask, said: str
) -> None:
    write_files(tree.root, {"binary": b"a\0b\n", "mac.py": b"a\rb\rc\r"})
    (tree.root / "link.py").symlink_to("a.py")
    (tree.root / "away").symlink_to(tmp_path)
    commit(tree.root, "odd files")
    write_files(tree.root, {"untracked.py": "x = 1\n"})
    tree.refresh()
    with pytest.raises(RequestError) as caught:
        ask(tree)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_no_repository_no_git_and_no_commit(
    tmp_path: Path, tree: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Workspace(write_files(tmp_path / "plain", {"a.py": "x\n"}), tmp_path / "indexes")
    every: list[Ask] = [
        lambda tree: tree.blame("a.py"),
        lambda tree: tree.line_history("a.py"),
        lambda tree: tree.file_at("a.py"),
        lambda tree: tree.head(),
        lambda tree: tree.head("a.py"),
    ]
    for said in ("not in a git repository", "its git repository has no commit yet"):
        for ask in every:
            with pytest.raises(RequestError, match=said):
                ask(plain)
        git(plain.root, "init", "-q")
    monkeypatch.setenv("PATH", str(tmp_path))
    for ask in every:
        with pytest.raises(RequestError, match="git is not installed"):
            ask(tree)


def test_limits(tree: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committed_file, "MOST_LINES", 3)
    assert len(told(tree.blame("a.py", lines="1-3"))) == 2
    with pytest.raises(RequestError, match="at most 3 lines"):
        tree.blame("a.py", lines="1-4")
    monkeypatch.setattr(line_history_module, "MOST_COMMITS", 2)
    assert tree.line_history("a.py", max_items=2).has_more
    with pytest.raises(RequestError, match="must be 2 or less"):
        tree.line_history("a.py", max_items=3)
    monkeypatch.setattr(git_history, "LONGEST_PATCH", 40)
    item = tree.line_history("a.py", patches=True, max_items=1).items[0]
    assert len(item.patch) == 40 and not item.is_whole
    for module in (common_lines, committed_file):
        monkeypatch.setattr(module, "MOST_COMPARED", 2)
    write_files(tree.root, {"a.py": text(l3="three", l10="10", l11="11")})
    assert tree.blame("a.py", lines="10").hunks[0].commit == ""
    write_files(tree.root, {"a.py": text(l3="three", l10="10", l11="11", l12="12")})
    with pytest.raises(
        RequestError, match=r"a\.py: differs from commit [0-9a-f]{12} in more than 2 lines"
    ):
        tree.blame("a.py", lines="10")


def test_what_does_not_fit_is_said(tree: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_history, "MOST_BYTES", 500)
    response = tree.blame("a.py")
    assert response.notices and response.hunks
    assert sum(hunk.end_line - hunk.start_line + 1 for hunk in response.hunks) < 20
    (notice,) = response.notices
    assert notice.startswith("the commit of ") and notice.endswith(
        "not known: git had more than 500 bytes to say"
    )
    history = tree.line_history("a.py", patches=True)
    assert history.notices == ["there may be older commits: git had more than 500 bytes to say"]
    assert not history.has_more and not history.items[-1].is_whole
    monkeypatch.setattr(git_history, "MOST_BYTES", 10)
    assert tree.symbol("b", history=True).notices == [
        "the last commit is not known: sub/b.py: git had more than 10 bytes to say"
    ]


def test_a_shallow_clone_says_so(tree: Workspace, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{tree.root}", "shallow")
    shallow = Workspace(tmp_path / "shallow", tmp_path / "indexes")
    said = ["this copy of the repository is shallow: commits that are older are not known"]
    response = shallow.blame("a.py")
    assert told(response) == [(1, 9, "commit 2"), (10, 11, "commit 3"), (12, 20, "commit 2")]
    assert response.notices == said
    assert not shallow.blame("a.py", lines="10").notices
    assert shallow.line_history("a.py").notices == said
    assert not shallow.line_history("a.py", max_items=1).notices
    assert shallow.line_history("a.py", lines="1-2").notices == said


def test_a_folder_below_the_top_and_a_submodule(tree: Workspace, tmp_path: Path) -> None:
    below = Workspace(tree.root / "sub", tmp_path / "indexes")
    assert told(below.blame("b.py")) == [(1, 2, "commit 1")]
    assert subjects(below.line_history("b.py", lines="1-2")) == ["commit 1"]
    assert below.file_at("b.py").text.code == "def b():\n    pass"
    assert below.head("b.py").heads[0].status == "unchanged"
    other = write_files(tmp_path / "other", {"lib.py": "x = 1\n"})
    git(other, "init", "-q", "-b", "main")
    commit(other, "of the submodule")
    git(tree.root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "vend")
    commit(tree.root, "with a submodule")
    assert told(tree.blame("vend/lib.py")) == [(1, 1, "of the submodule")]
    assert tree.head("vend/lib.py").heads[0].commit == git(other, "rev-parse", "HEAD")
    assert tree.head("vend").heads[0].commit == git(other, "rev-parse", "HEAD")


def test_several_roots(tree: Workspace, tmp_path: Path) -> None:
    plain = write_files(tmp_path / "plain", {"p.py": "x = 1\n"})
    roots = FollowedWorkspace(WatchedTrees(), "utf-8", print, print)
    try:
        for root, name in ((tree.root, "one"), (plain, "two")):
            roots.folders.add(root, name, str(tmp_path / "index"))
        until(lambda: roots.search("b", freshness=CURRENT).total > 0, "indexes")
        response = roots.blame("one/a.py", lines="3")
        assert (response.path, told(response)) == ("one/a.py", [(3, 3, "commit 2")])
        assert subjects(roots.line_history("one/a.py", lines="3")) == ["commit 2", "commit 1"]
        assert roots.file_at("one/sub/b.py").text.file_path == "one/sub/b.py"
        heads = roots.head()
        assert [(head.path, head.status) for head in heads.heads] == [("one", "")]
        said = "; ".join(heads.notices or ())
        assert "two has no current commit: " in said and "not in a git repository" in said
        assert [head.path for head in roots.head("one").heads] == ["one"]
        for path, said in {
            "two/p.py": "not in a git repository",
            "a.py": "begin with one of one, two",
            "one": "one is a root: name a file in it",
        }.items():
            with pytest.raises(RequestError, match=said):
                roots.blame(path)
        with pytest.raises(RequestError, match="not in a git repository"):
            roots.head("two")
        unsaved = text(l3="three", l10="ten", l11="not saved")
        roots.documents.open("key", tree.root / "a.py", "python", unsaved)
        until(lambda: roots.head("one/a.py").heads[0].status == "changed", "the document")
        assert told(roots.blame("one/a.py", lines="10-12")) == [
            (10, 10, "commit 3"), (11, 11, ""), (12, 12, "commit 1"),
        ]  # fmt: skip
    finally:
        roots.close()


ODD_PATHS = [
    "a:b.py",
    "a [b]*?.py",
    "-L1.py",
    "Ü ü.py",
    'quo"te.py',
    "back\\slash.py",
    "#a.py",
    ":(glob)x.py",
    "new\nline.py",
]


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ODD_PATHS)
def test_odd_paths(name: str, tree: Workspace) -> None:
    write_files(tree.root, {name: "one\n"})
    commit(tree.root, "odd one")
    write_files(tree.root, {name: "one\ntwo\n"})
    commit(tree.root, "odd two")
    assert told(tree.blame(name)) == [(1, 1, "odd one"), (2, 2, "odd two")]
    assert subjects(tree.line_history(name, lines="2")) == ["odd two"]
    assert subjects(tree.line_history(name)) == ["odd two", "odd one"]
    assert tree.file_at(name, revision="HEAD~1").text.code == "one"
    assert tree.head(name).heads[0].status == "unchanged"


# What an attacker may do.


def make_commit(root: Path, raw: bytes) -> None:
    """Makes a commit of these bytes the current one, whatever git thinks of them."""
    done = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=root, input=raw, capture_output=True, check=True, timeout=30,
    )  # fmt: skip
    git(root, "reset", "-q", "--soft", done.stdout.decode().strip())


AUTHORS: dict[str, tuple[bytes, str, str]] = {
    "controls": (b"\x1b[2JEve\x07 <e@x> 1612000000 +0000", "\x1b[2JEve\x07", "2021-01-30"),
    "bidi": ("\u202eevE <e@x> 1612000000 +0000".encode(), "\u202eevE", "2021-01-30"),
    "no UTF-8": (b"\xff\xfe <e@x> 1612000000 +0000", "\ufffd\ufffd", "2021-01-30"),
    "very long": (b"E" * 10_000 + b" <e@x> 1612000000 +0000", "E" * 98 + "..", "2021-01-30"),
    "no date": (b"Eve <e@x>", "Eve", ""),
    "a date beyond all calendars": (b"Eve <e@x> 99999999999999999999 +0000", "Eve", "1970-01-01"),
    "a mailbox that looks like a hunk": (b"f" * 40 + b" 1 1 1 <e@x> 1612000000 +0000", "f" * 40 + " 1 1 1", "2021-01-30"),
}  # fmt: skip


@pytest.mark.parametrize("kind", AUTHORS)
def test_names_and_subjects_are_a_strangers_text(kind: str, tree: Workspace) -> None:
    line, author, date = AUTHORS[kind]
    write_files(tree.root, {"a.py": text(l5="by Eve")})
    git(tree.root, "add", "-A")
    tree_name, parent = git(tree.root, "write-tree"), git(tree.root, "rev-parse", "HEAD")
    subject = b"\x1b]0;x\x07\xff\xe2\x80\xae" + b"s" * 10_000
    make_commit(
        tree.root,
        f"tree {tree_name}\nparent {parent}\nauthor ".encode() + line
        + b"\ncommitter " + line + b"\n\n" + subject + b"\n",
    )  # fmt: skip
    (hunk,) = tree.blame("a.py", lines="5").hunks
    item = tree.line_history("a.py", lines="5", patches=True).items[0]
    for one in (hunk, item):
        assert (one.author, one.date) == (author, date)
        assert one.subject.startswith("\x1b]0;x\x07\ufffd\u202esss")
        assert len(one.subject) <= git_history.LONGEST_SUBJECT
        assert len(one.author) <= git_history.LONGEST_NAME
    assert item.patch == "@@ -5,1 +5,1 @@\n-line 5\n+by Eve"


def test_a_file_cannot_pretend_to_be_a_commit(tree: Workspace) -> None:
    """The text that a patch shows has the form in which git is asked to tell about a commit."""
    fake = "\0".join(["f" * 40, "Mallory", "2001-01-01", "fake", ""])
    write_files(tree.root, {"a.py": text() + "x\n" * 5_000})
    commit(tree.root, "long")
    write_files(tree.root, {"a.py": text() + "x\n" * 5_000 + f"{fake}\n"})
    commit(tree.root, "with a fake")
    for lines in (None, "5021"):
        history = tree.line_history("a.py", lines=lines, patches=True, max_items=2)
        assert subjects(history)[0] == "with a fake" and "fake" not in subjects(history)
        assert fake in history.items[0].patch and history.has_more is (lines is None)


PROGRAMS = [
    "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
    "diff.external", "diff.x.textconv", "diff.x.command", "filter.x.smudge", "filter.x.clean", "filter.x.process",
    "credential.helper", "gpg.program", "gpg.ssh.program", "gpg.x509.program", "pager.blame", "pager.log", "alias.blame", "alias.log",
    "merge.x.driver", "interactive.diffFilter", "remote.origin.uploadpack", "sequence.editor", "uploadpack.packObjectsHook",
]  # fmt: skip


def test_nothing_that_a_repository_names_is_run_or_read(tree: Workspace, tmp_path: Path) -> None:
    """Programs in the configuration and attributes, signatures, and pipes where git reads files."""
    proof = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{proof}'\ncat\n")
    program.chmod(0o755)
    tree_name, parent = git(tree.root, "write-tree"), git(tree.root, "rev-parse", "HEAD")
    who = "Ada <a@b.example> 1612000000 +0000"
    signed = f"tree {tree_name}\nparent {parent}\nauthor {who}\ncommitter {who}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
    make_commit(tree.root, signed.encode())
    for key in PROGRAMS:
        git(tree.root, "config", key, str(program))
    for key, value in {
        "log.showSignature": "true", "filter.x.required": "true", "log.mailmap": "true", "color.ui": "always",
        "color.diff": "always", "diff.colorMoved": "zebra", "diff.noprefix": "true", "format.pretty": "email",
        "log.follow": "true", "log.decorate": "full", "notes.displayRef": "*", "core.hooksPath": str(tmp_path / "hooks"),
        "diff.wsErrorHighlight": "all", "diff.renames": "copies", "blame.coloring": "highlightRecent",
        "blame.showEmail": "true", "blame.date": "relative", "blame.markUnblamableLines": "true",
        "core.quotePath": "true", "diff.x.wordRegex": "(", "log.date": "format:%s",
    }.items():  # fmt: skip
        git(tree.root, "config", key, value)
    os.mkfifo(tmp_path / "pipe")
    for key in ("blame.ignoreRevsFile", "mailmap.file", "diff.orderFile", "core.attributesFile", "core.excludesFile",
                "commit.template", "gpg.ssh.allowedSignersFile"):  # fmt: skip
        git(tree.root, "config", key, str(tmp_path / "pipe"))
    git(tree.root, "config", "mailmap.blob", "HEAD:a.py")
    write_files(
        tree.root,
        {".git/info/attributes": "* diff=x filter=x merge=x working-tree-encoding=UTF-16\n"},
    )
    for name in (".mailmap", ".gitattributes", "sub/.gitattributes"):
        os.mkfifo(tree.root / name)
    (tree.root / "a.py").write_text(text(l3="three", l10="ten", l11="eleven", l20="new"))
    tree.refresh()
    response = tree.blame("a.py")
    assert told(response) == [*BLAMED[:-1], (12, 19, "commit 1"), (20, 20, "")]
    changed, first = tree.line_history("a.py", lines="10-11", patches=True).items
    assert changed.patch == "@@ -10,2 +10,2 @@\n-line 10\n-line 11\n+ten\n+eleven"
    assert (changed.author, first.date) == ("Grace", "2021-02-01")
    whole = tree.line_history("a.py", patches=True)
    assert subjects(whole) == ["commit 3", "commit 2", "commit 1"]
    assert whole.items[1].patch.startswith("@@ -1,6 +1,6 @@\n line 1\n line 2\n-line 3\n+three\n")
    assert tree.file_at("a.py").text.code.splitlines()[2] == "three"
    assert tree.head("a.py").heads[0].status == "changed"
    assert not proof.exists()


def test_no_time_is_no_silent_cut(
    tree: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A git that says a part of a long history, and then is not done in time."""
    real = next(
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if os.access(f"{folder}/git", os.X_OK)
    )
    program = f"""#!/bin/sh
case "$*" in
  *" blame "*) {real}/git "$@" | head -n 12; exec sleep 60;;
  *no-walk*) exec {real}/git "$@";;
  *" log "*) {real}/git "$@" | head -c 500; exec sleep 60;;
esac
exec {real}/git "$@"
"""
    (write_files(tmp_path, {"bin/git": program}) / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("symindex.explore.git_objects.SECONDS", 3.0)
    response = tree.blame("a.py")
    assert len(response.hunks) == 1 and response.notices
    (notice,) = response.notices
    assert notice.endswith("not known: git was not done within 3 s")
    history = tree.line_history("a.py", lines="3")
    assert history.notices == ["there may be older commits: git was not done within 3 s"]
    assert subjects(history) == ["commit 2"]


def test_a_damaged_history(tree: Workspace) -> None:
    first = git(tree.root, "rev-parse", "HEAD~2")
    (tree.root / ".git" / "objects" / first[:2] / first[2:]).unlink()
    for lines in (None, "1"):
        with pytest.raises(
            RequestError, match=r"a\.py: git log fails here: the repository is damaged"
        ):
            tree.line_history("a.py", lines=lines)
    assert tree.file_at("a.py").text.n_lines == 20
