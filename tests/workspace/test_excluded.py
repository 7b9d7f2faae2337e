"""Files that the user names and no index contains: the answer says which file contains the name,
why it is excluded, and what includes it."""

import os
import re
import shutil
import sys
import time
from pathlib import Path

import pytest

import symindex
from symindex.errors import RequestError
from symindex.files.left_out import why_left_out
from symindex.files.skips import SkipReason
from symindex.files.walk import FileFilter
from symindex.protocol.search import SearchResponse
from symindex.search.unindexed import excluded
from symindex.workspace.workspace import Workspace
from tests.files.test_repositories import git
from tests.support.command import run_program
from tests.support.files import write_files
from tests.support.waiting import until

FILES = {
    ".gitignore": "gen/\n.ai/\n.claude/*\n!.claude/rules/\n/node_modules/\nlog.py\n",
    "a.py": "def ok():\n    pass\n",
    "gen/deep/g.py": "def generated_thing():\n    pass\n",
    "gen/node_modules/n.py": "def of_a_package():\n    pass\n",
    "node_modules/lib/index.js": "export function inPackage() { used_by_a_package(); }\n",
    "inner/node_modules/u.py": "def in_untracked():\n    pass\n",
    "quiet/q.py": "def for_no_searcher():\n    pass\n",
    ".ignore": "quiet/\n",
    "log.py": "x = call(mentioned_only)\n",
    "large.py": "def too_large():\n    pass\n" + "# x\n" * 3_000,
    "app.min.js": "var a=1;" + "function drawIcon(a){var b=a;return b;}" * 200,
    "zero.py": "def in_binary():\n    pass\n\0\0",
    ".ai/knowledge/k.md": "---\nname: k\n---\nmellow\n",
    ".claude/skills/s/SKILL.md": "---\nname: s\n---\nmellow\n",
    ".claude/worktrees/w/w.py": "def in_worktree():\n    pass\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> symindex.Workspace:
    root = write_files(tmp_path / "tree", {**FILES, "symindex.toml": "max_file_bytes = 10000\n"})
    git(root, "init", "-q")
    git(root, "add", "a.py")
    git(root, "commit", "-qm", "x")
    git(root, "worktree", "add", "-q", "feat")
    write_files(root, {"feat/f.py": "class OnlyThere:\n    pass\n"})
    return symindex.open(root, tmp_path / "index")


def told(response: SearchResponse) -> list[str]:
    return [notice for notice in response.notices or [] if "occurs in " in notice]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "path", "why"),
    [
        ("generated_thing", "gen/deep/g.py", "ignored by git's rules"),
        ("too_large", "large.py", "larger than the size limit"),
        ("drawIcon", "app.min.js", 'minified = ["app.min.js"] in symindex.toml'),
        ("drawicon", "app.min.js", "minified"),
        ("in_binary", "zero.py", "binary"),
        ("OnlyThere", "feat/f.py", "another working tree"),
        ("in_worktree", ".claude/worktrees/w/w.py", "ignored"),
        ("of_a_package", "gen/node_modules/n.py", "packages are searched by space: system"),
        ("inPackage", "node_modules/lib/index.js", "packages are searched by space: system"),
        ("in_untracked", "inner/node_modules/u.py", "installed dependencies"),
        (
            "for_no_searcher",
            "quiet/q.py",
            "ignored by rules for searchers (.ignore, .rgignore); a .rgignore with !PATH",
        ),
    ],
)
def test_an_exact_name_in_a_file_that_is_left_out(
    workspace: symindex.Workspace, name: str, path: str, why: str
) -> None:
    for response in (
        workspace.search(name),
        workspace.search(f"Some.{name}"),
        workspace.search(name, paths=[path]),
    ):
        (notice,) = told(response)
        assert f"occurs in {path}, which is not in the index" in notice and why in notice
    assert not told(workspace.search(name, paths=["other/**"]))
    assert any(path in notice for notice in workspace.symbol(name).notices or [])


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "name", ["ok", "used_by_a_package", "mentioned_only", "stands_nowhere", "two words", "gen*"]
)
def test_no_notice_mentions_other_names(workspace: symindex.Workspace, name: str) -> None:
    assert not told(workspace.search(name))


def test_the_check_is_bounded(
    workspace: symindex.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.search("ok")
    write_files(
        workspace.source.folder_paths[0] / "gen",
        {f"m{number}.py": "def f(): pass\n" * 9_000 for number in range(400)},
    )
    began = time.monotonic()
    assert not told(workspace.search("stands_nowhere"))
    assert time.monotonic() - began < 20 * excluded.SECONDS
    monkeypatch.setattr(excluded, "SECONDS", -1.0)
    assert not told(workspace.search("generated_thing"))


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("gen/deep/g.py", "gen/ is not in the index: ignored by git's rules"),
        ("node_modules/lib/index.js", "packages are searched by space: system"),
        ("log.py", "log.py is not in the index: ignored by git's rules"),
        ("large.py", "larger than the size limit"),
        ("app.min.js", "minified"),
        ("zero.py", "binary"),
        ("feat/f.py", "feat/ is not in the index: another working tree"),
        (".ai/knowledge/k.md", ".ai/ is not in the index: ignored"),
    ],
)
def test_every_front_end_says_why_a_path_is_left_out(
    workspace: symindex.Workspace, path: str, why: str
) -> None:
    for ask in (workspace.symbol, workspace.references):
        with pytest.raises(RequestError, match=re.escape(why)):
            ask(path)
    try:
        said = "; ".join(workspace.outline(path).notices or [])
    except RequestError as error:
        said = str(error)
    assert why in said
    assert why in workspace.fetch(item_id=path).error  # type: ignore[union-attr]


def test_folders_of_items_that_git_ignores_are_named(workspace: symindex.Workspace) -> None:
    line = ".ai/, .claude/skills/: ignored by git's rules (rules, skills and other items there are not read)"
    assert line in workspace.fetch(item_id="k").error  # type: ignore[union-attr]
    assert line in (workspace.recall("mellow").notices or [])
    (skipped,) = [
        group for group in workspace.status().skipped if group.reason == SkipReason.IGNORED
    ]
    assert [path.partition(" ")[0] for path in skipped.paths] == [".ai/", ".claude/skills/"]
    assert skipped.count > 2


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("a.py", None),
        ("nothing.py", None),
        (".git/HEAD", None),
        ("gen", "gen/"),
        ("a.txt", "a.txt"),
        ("a.py/x", None),
    ],
)
def test_accepted_or_missing_paths_have_no_reason(
    tmp_path: Path, path: str, left: str | None
) -> None:
    write_files(
        tmp_path, {".gitignore": "gen/\n", "a.py": "", "a.txt": "", "gen/x.py": "", ".git/HEAD": ""}
    )
    skip = why_left_out(
        tmp_path.resolve(), path, FileFilter(frozenset({".py"}), frozenset(), 1_000)
    )
    assert (skip.path if skip else None) == left


@pytest.mark.nightly
def test_unreadable_files_are_reported_in_one_way(tmp_path: Path) -> None:
    """This covers a folder and a file, with and without hits, at all front ends."""
    root = write_files(
        tmp_path,
        {
            "no/a.py": "def f(): pass\n",
            "yes/b.py": "def f(): pass\n",
            "yes/u.py": "def f(): pass\n",
        },
    )
    code = """if True:
        import symindex, sys
        with symindex.open(sys.argv[1], sys.argv[2]) as tree:
            print(*tree.search("f").notices)
            print(*tree.search("f", paths=["yes/b.py"]).notices or [])
            for ask in (tree.outline, tree.map, tree.source.check_readable):
                for path in ("no", "no/a.py", "yes/u.py"):
                    try:
                        print(ask(path))
                    except symindex.SymindexError as error:
                        print(error)
    """
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    if drop and shutil.which("setpriv") is None:
        pytest.skip("root can read everything")
    (root / "no").chmod(0)
    (root / "yes/u.py").chmod(0)
    try:
        ran = run_program([*drop, sys.executable, "-c", code, str(root), str(tmp_path / "index")])
    finally:
        (root / "no").chmod(0o700)
    first, narrowed, *errors = ran.stdout.splitlines()
    assert (
        first
        == "2 files were not read and may contain more: no/ (unreadable), yes/u.py (unreadable)"
        and narrowed == ""
    )
    why = "is not in the index: unreadable (Permission denied)"
    one = [f"no/ {why}", f"no/a.py: no/ {why}", f"yes/u.py {why}"]
    assert errors == one * 3


def test_text_is_searched_in_the_files_of_the_present_settings(
    tmp_path: Path, fast_watch: None
) -> None:
    root = write_files(tmp_path / "tree", {"a.txt": "needle\n", "log/b.txt": "needle\n"})

    def paths() -> list[str]:
        return [file.file_path for file in tree.grep("needle").files]

    with Workspace(root, tmp_path / "index") as tree:
        tree.refresh()
        tree.follow()
        assert paths() == ["a.txt", "log/b.txt"]
        write_files(root, {"symindex.toml": 'exclude = ["log/**"]\n'})
        until(lambda: paths() == ["a.txt"], "the new settings")
