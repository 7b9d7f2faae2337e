"""Repositories inside a tree: rules end at their roots, tracked files are read, and a linked
worktree does not duplicate the tree."""

import subprocess
from pathlib import Path

import pytest

from symindex.files.skips import SkipReason
from symindex.files.spot_check import is_selected
from symindex.files.walk import FileFilter, Walk, walk_tree
from tests.support.files import write_files

WANTED = FileFilter(frozenset({".py"}), frozenset(), 1_000_000)


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def walked(root: Path) -> Walk:
    return walk_tree(root.resolve(), WANTED)


def sources(walk: Walk) -> list[str]:
    return [path for path in walk.files.paths if path.endswith(".py")]


@pytest.mark.parametrize("folder", ["node_modules", "bower_components", "site-packages", "venv"])
def test_tracked_files_of_installed_dependencies_are_read(tmp_path: Path, folder: str) -> None:
    mark = {f"{folder}/pyvenv.cfg": ""} if folder == "venv" else {}
    write_files(
        tmp_path,
        {
            f"{folder}/p/i.py": "",
            f"{folder}/p/{folder}/n.py": "",
            f"{folder}/new.py": "",
            "a.py": "",
            **mark,
        },
    )
    git(tmp_path, "init", "-q")
    walk = walked(tmp_path)
    assert sources(walk) == ["a.py"] and (mark or not is_selected(f"{folder}/p/i.py", walk, WANTED))
    git(tmp_path, "add", "-f", f"{folder}/p", *mark)
    walk = walked(tmp_path)
    assert sources(walk) == sorted(["a.py", f"{folder}/p/i.py", f"{folder}/p/{folder}/n.py"])
    assert is_selected(f"{folder}/p/i.py", walk, WANTED) and not is_selected(
        f"{folder}/new.py", walk, WANTED
    )
    write_files(tmp_path, {".ignore": f"{folder}/\n"})
    assert sources(walked(tmp_path)) == ["a.py"]


SEARCHERS = {
    "a file": ({".ignore": "a.py\n"}, ["b.py", "d/c.py"]),
    "that git tracks": ({".rgignore": "d/\n"}, ["a.py", "b.py"]),
    "deeper": ({"d/.ignore": "c.py\n"}, ["a.py", "b.py"]),
    "takes in what git ignores": (
        {".gitignore": "b.py\n", ".ignore": "!b.py\n"},
        ["a.py", "b.py", "d/c.py"],
    ),
    "ripgrep's own before": (
        {".ignore": "a.py\nb.py\n", ".rgignore": "!a.py\n"},
        ["a.py", "d/c.py"],
    ),
    "before a nearer one of git": (
        {".ignore": "c.py\n", "d/.gitignore": "!c.py\n"},
        ["a.py", "b.py"],
    ),
    "a nearer one of the same kind": (
        {".ignore": "c.py\n", "d/.ignore": "!c.py\n"},
        ["a.py", "b.py", "d/c.py"],
    ),
    "ripgrep's before a nearer one": (
        {".rgignore": "c.py\n", "d/.ignore": "!c.py\n"},
        ["a.py", "b.py"],
    ),
}


@pytest.mark.parametrize("kind", SEARCHERS)
@pytest.mark.parametrize("is_repository", [True, False])
def test_rules_for_searchers(tmp_path: Path, kind: str, is_repository: bool) -> None:
    """As in ripgrep and fd, these rules precede git's and also apply in trees without a
    repository."""
    rules, files = SEARCHERS[kind]
    root = write_files(tmp_path, {"a.py": "", "b.py": "", "d/c.py": "", **rules})
    if is_repository:
        git(root, "init", "-q")
        git(root, "add", "a.py", "d/c.py")
    walk = walked(root)
    assert sources(walk) == files
    assert {path for path in ("a.py", "b.py", "d/c.py") if is_selected(path, walk, WANTED)} == {
        *files
    }


def test_rules_for_searchers_above_the_root(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "in/tree/a.py": "",
            "in/tree/b.py": "",
            "in/tree/d/c.py": "",
            "in/tree/.gitignore": "!a.py\n",
        },
    )
    write_files(tmp_path, {".ignore": "a.py\n/in/tree/b.py\n/d/\n"})
    git(tmp_path / "in/tree", "init", "-q")
    assert sources(walked(tmp_path / "in/tree")) == ["d/c.py"]


def test_rules_for_searchers_go_on_in_a_nested_repository(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"nest/a.py": "", "nest/b.py": "", ".ignore": "a.py\n", ".gitignore": "b.py\n"}
    )
    git(tmp_path / "nest", "init", "-q")
    git(tmp_path, "init", "-q")
    walk = walked(tmp_path)
    assert sources(walk) == ["nest/b.py"] and (walk.hidden, walk.ignored) == (1, 0)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_what_is_tracked_is_read(tmp_path: Path, version: str) -> None:
    write_files(
        tmp_path,
        {
            ".gitignore": "/*\n!/kept\n",
            "pkg/m.py": "",
            "pkg/in/n.py": "",
            "pkg/new.py": "",
            "other/o.py": "",
        },
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-f", "pkg/m.py", "pkg/in/n.py")
    git(tmp_path, "update-index", "--index-version", version)
    assert sources(walked(tmp_path)) == ["pkg/in/n.py", "pkg/m.py"]
    write_files(tmp_path / "pkg", {".gitignore": "*.py\n"})
    assert sources(walked(tmp_path / "pkg")) == [
        "in/n.py",
        "m.py",
    ]  # by their paths in the outer repository


def test_a_damaged_index_tracks_nothing(tmp_path: Path) -> None:
    write_files(tmp_path, {".gitignore": "a.py\n", "a.py": "", "b.py": ""})
    git(tmp_path, "init", "-q")
    for data in (
        b"",
        b"DIRC",
        b"DIRC\0\0\0\2\xff\xff\xff\xff",
        b"DIRC\0\0\0\4\xff\xff\xff\xff" + b"\xff" * 99,
    ):
        (tmp_path / ".git/index").write_bytes(data)
        assert sources(walked(tmp_path)) == ["b.py"]


def test_rules_end_at_a_submodule_and_at_a_nested_repository(tmp_path: Path) -> None:
    lib = write_files(tmp_path / "lib", {"build/b.py": "", "own/o.py": "", ".gitignore": "own/\n"})
    git(lib, "init", "-q")
    git(lib, "add", ".")
    git(lib, "commit", "-qm", "x")
    root = write_files(
        tmp_path / "root",
        {".gitignore": "build/\n", "build/r.py": "", "nest/build/n.py": "", "plain/build/p.py": ""},
    )
    git(root, "init", "-q")
    git(root / "nest", "init", "-q")
    git(root, "submodule", "--quiet", "add", str(lib), "sub")
    assert sources(walked(root)) == ["nest/build/n.py", "sub/build/b.py"]


def test_a_linked_worktree_is_not_the_tree_twice(tmp_path: Path) -> None:
    root = write_files(tmp_path / "root", {"a.py": ""})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "x")
    git(root, "worktree", "add", "-q", ".claude/worktrees/feat")
    git(root, "worktree", "add", "-q", str(tmp_path / "beside"))
    walk = walked(root)
    assert sources(walk) == ["a.py"]
    assert [(skip.path, skip.reason) for skip in walk.skips] == [
        (".claude/worktrees/feat/", SkipReason.WORKTREE)
    ]
    assert (
        sources(walked(root / ".claude/worktrees/feat"))
        == sources(walked(tmp_path / "beside"))
        == ["a.py"]
    )


@pytest.mark.parametrize(
    "note", ["gitdir: /nowhere/at/all", "gitdir: /gone/.git/worktrees/x", "nonsense", ""]
)
def test_a_git_file_that_points_nowhere_is_read(tmp_path: Path, note: str) -> None:
    write_files(tmp_path, {"a.py": "", "sub/b.py": "", "sub/.git": note, ".git": note})
    assert "a.py" in sources(walked(tmp_path))
    assert sources(walked(tmp_path / "sub")) == ["b.py"]


def test_the_users_and_its_own_rules_count_in_a_nested_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = tmp_path / "config"
    write_files(users, {"git/ignore": "/top.py\nusers/\n"})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(users))
    names = ("top.py", "in/top.py", "users/u.py", "own.py", "kept.py", "roots.py")
    lib = write_files(tmp_path / "lib", dict.fromkeys(("kept.py", "mine.py"), ""))
    git(lib, "init", "-q")
    git(lib, "add", ".")
    git(lib, "commit", "-qm", "x")
    root = write_files(
        tmp_path / "root", {f"nest/{name}": "" for name in names} | {".gitignore": "roots.py\n"}
    )
    git(root, "init", "-q")
    git(root / "nest", "init", "-q")
    git(root, "submodule", "--quiet", "add", str(lib), "sub")
    write_files(
        root,
        {
            "nest/.git/info/exclude": "own.py\n",
            ".git/modules/sub/info/exclude": "new.py\n",
            "sub/new.py": "",
        },
    )
    assert sources(walked(root)) == [
        "nest/in/top.py",
        "nest/kept.py",
        "nest/roots.py",
        "sub/kept.py",
        "sub/mine.py",
    ]
    listed = subprocess.run(
        ["git", "ls-files", "-oc", "--exclude-standard"],
        cwd=root / "nest",
        capture_output=True,
        text=True,
    )
    assert sorted(listed.stdout.split()) == ["in/top.py", "kept.py", "roots.py"]


@pytest.mark.parametrize("note", ["gitdir: /nowhere/at/all", "nonsense", ""])
def test_rules_go_on_where_git_sees_no_repository(tmp_path: Path, note: str) -> None:
    write_files(
        tmp_path,
        {
            ".gitignore": "b.py\n",
            "sub/b.py": "",
            "sub/c.py": "",
            "sub/.git": note,
            "folder/b.py": "",
        },
    )
    (tmp_path / "folder/.git").mkdir()
    git(tmp_path, "init", "-q")
    assert sources(walked(tmp_path)) == ["sub/c.py"]


def test_a_worktree_of_another_repository_is_left_out_and_named(tmp_path: Path) -> None:
    other = write_files(tmp_path / "other", {"o.py": ""})
    git(other, "init", "-q")
    git(other, "add", ".")
    git(other, "commit", "-qm", "x")
    root = write_files(
        tmp_path / "root",
        {"a.py": "", "gone/g.py": "", "gone/.git": "gitdir: /not/there/.git/worktrees/gone\n"},
    )
    git(other, "worktree", "add", "-q", str(root / "wt"))
    left = [(skip.path, skip.reason) for skip in walked(root).skips]
    assert left == [("gone/", SkipReason.WORKTREE), ("wt/", SkipReason.WORKTREE)]
    assert sources(walked(root / "wt")) == ["o.py"]
    assert sources(walked(root / "gone")) == ["g.py"]


@pytest.mark.parametrize("branch", ["main", "nothing"])
def test_one_worktree_of_a_bare_repository_is_read(tmp_path: Path, branch: str) -> None:
    source = write_files(tmp_path / "source", {"a.py": ""})
    git(source, "init", "-q", "-b", "main")
    git(source, "add", ".")
    git(source, "commit", "-qm", "x")
    root = tmp_path / "root"
    git(tmp_path, "clone", "-q", "--bare", str(source), str(root / ".bare"))
    write_files(root, {".git": "gitdir: ./.bare\n"})
    git(root, "worktree", "add", "-q", "-b", "feat", "feat")
    git(root, "worktree", "add", "-q", "main")
    (root / ".bare/HEAD").write_text(f"ref: refs/heads/{branch}\n")
    walk = walked(root)
    read, left = ("main", "feat") if branch == "main" else ("feat", "main")
    assert sources(walk) == [f"{read}/a.py"]
    skipped = [(skip.path, skip.reason) for skip in walk.skips]
    assert skipped == [(".bare/", SkipReason.REPOSITORY), (f"{left}/", SkipReason.WORKTREE)]


def test_submodules_of_one_name_are_both_read(tmp_path: Path) -> None:
    lib = write_files(tmp_path / "lib", {"l.py": ""})
    git(lib, "init", "-q")
    git(lib, "add", ".")
    git(lib, "commit", "-qm", "x")
    root = tmp_path / "root"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "submodule", "--quiet", "add", "--name", "same", str(lib), "worktrees/a")
    write_files(root / "b", {"l.py": "", ".git": "gitdir: ../.git/modules/same\n"})
    assert sources(walked(root)) == ["b/l.py", "worktrees/a/l.py"]
