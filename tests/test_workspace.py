"""The workspace follows the disk, accounts for every file, and has the same content however it was
built."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import symindex
from symindex.errors import RequestError
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.skips import SkipReason
from symindex.index.store import FILE_NAME
from symindex.protocol.freshness import CURRENT_OR_SCAN
from symindex.workers import parsing
from symindex.workspace.workspace import Workspace, open_workspace
from tests.support.command import run_unprivileged
from tests.support.files import Maker, write_files
from tests.support.rows import ids
from tests.support.waiting import until


def found(workspace: Workspace, query: str, **more: object) -> list[str]:
    return [f"{item.file_path}:{item.name}" for item in workspace.search(query, **more).items]  # type: ignore[arg-type]


@pytest.mark.nightly
@pytest.mark.slow
def test_follows_edits(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n", "b.py": "def two(): pass\n"})
    root = workspace.root
    assert ids(workspace) == ["a.py#one", "b.py#two"]

    (root / "a.py").write_text("def uno(): pass\n")
    report = workspace.refresh()
    assert (report.read, report.removed, ids(workspace)) == (1, 0, ["a.py#uno", "b.py#two"])

    (root / "b.py").rename(root / "c.py")
    workspace.refresh()
    assert ids(workspace) == ["a.py#uno", "c.py#two"]

    (root / "c.py").unlink()
    workspace.refresh()
    assert ids(workspace) == ["a.py#uno"]
    assert found(workspace, "two", fuzzy=False) == []

    (root / "a.py").unlink()
    (root / "a.py").mkdir()
    write_files(root, {"a.py/inner.py": "def three(): pass\n"})
    workspace.refresh()
    assert ids(workspace) == ["a.py/inner.py#three"]


def test_a_changed_ignore_file_counts_at_once(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    (workspace.root / ".gitignore").write_text("b.py\n")
    workspace.refresh()
    assert ids(workspace) == ["a.py#x"]


def test_touched_files_are_not_parsed_again(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    generation = workspace.source.indexed.snapshot.generation
    os.utime(workspace.root / "a.py", ns=(1, 1))
    report = workspace.refresh()
    assert report.read == 1  # it was read, since its mtime differs
    assert workspace.source.indexed.snapshot.generation == generation
    assert workspace.refresh().read == 0


def test_nothing_changed_writes_nothing(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "x = 1\n"})
    before = (workspace.source.indexed.folder / FILE_NAME).stat()
    workspace.refresh()
    assert (workspace.source.indexed.folder / FILE_NAME).stat() == before


def test_a_damaged_index_is_rebuilt_and_reported(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n"})
    path = workspace.source.indexed.folder / FILE_NAME
    path.write_bytes(path.read_bytes()[:-3])
    report = workspace.refresh()
    assert len(report.notices) == 1
    assert report.notices[0].startswith(f"{path}: ") and report.notices[0].endswith(
        "; it will be rebuilt"
    )
    assert ids(workspace) == ["a.py#one"]


def test_every_file_is_indexed_or_accounted_for(tmp_path: Path, make_workspace: Maker) -> None:
    outside = write_files(tmp_path / "outside", {"o.py": "secret = 1\n"})
    workspace = make_workspace({
        "good.py": "x = 1\n",
        "script": "#!/usr/bin/env python3\ndef from_shebang(): pass\n",
        "notes.txt": "hello\n",
        "LICENSE": "words\n",
        "binary.py": b"\0\1\2",
        "large.py": "x = 1\n" * 400_000,
        "min.py": "x=1;" * 5_000,
        "odd.py": b"# \xe9\ny = 1\n",
        "ignored.py": "z = 1\n",
        "build/z.py": "z = 1\n",
        ".gitignore": "ignored.py\nbuild/\n",
        "node_modules/dep/d.py": "d = 1\n",
        "env/pyvenv.cfg": "home = /usr\n",
        "env/lib/e.py": "e = 1\n",
        ".git/config.py": "g = 1\n",
    })  # fmt: skip
    (workspace.root / "link.py").symlink_to(outside / "o.py")
    (workspace.root / "linked").symlink_to(outside)
    os.mkfifo(workspace.root / "pipe.py")
    os.makedirs(os.fsencode(workspace.root) + b"/bad\xff.d")
    workspace.refresh()
    assert ids(workspace) == ["good.py#x", "odd.py#y", "script#from_shebang"]
    report = workspace.status()
    assert {row.reason: row.paths or row.count for row in report.skipped} == {
        "binary": ["binary.py"],
        "minified": ["min.py"],
        "larger than the size limit": ["large.py (2,400,000 bytes)"],
        "ignored by git's rules": 2,
        "installed dependencies or a cache": ["env/", "node_modules/"],
        "symbolic link (its target, if inside, is indexed at its own path)": ["link.py", "linked"],
        "not a regular file": ["pipe.py"],
        "no language for it": 2,
        "its name is not valid Unicode": [r"bad\xff.d"],
    }
    assert report.unsupported == {"(no extension)": 2}
    assert report.odd_encoding == ["odd.py (cp1252)"]
    assert [(row.language, row.files, row.symbols) for row in report.languages] == [
        ("python", 3, 3),
        ("text", 1, 0),
    ]
    badly_named = r"bad\xff.d (its name is not valid Unicode)"
    others = "large.py (larger than the size limit), min.py (minified)"
    unread = f"3 files were not read and may contain {{}}: {badly_named}, {others}".format
    assert (
        workspace.search("nowhere").notices == workspace.symbol("nowhere").notices == [unread("it")]
    )
    assert workspace.references("nowhere").notices == [unread("some")]
    takes = 'minified = ["min.py"] in symindex.toml includes it'
    assert workspace.outline("min.py").notices == [f"no symbols were read: minified; {takes}"]
    assert workspace.outline("binary.py").notices == ["no symbols were read: binary"]
    with pytest.raises(
        RequestError,
        match=r"large\.py is not in the index: larger than the size limit \(2,400,000 bytes\)",
    ):
        workspace.outline("large.py")


CODE_LEFT_OUT = {
    "larger than the size limit", "minified", "unreadable", "gave no answer within the time limit",
    "crashed the process that parsed it", "needed more memory than a parsing process may use",
    "not read yet: the process that parsed it was killed", "its name is not valid Unicode",
}  # fmt: skip
"""Reasons why a file that may contain a match is not in the index."""


def test_every_answer_that_finds_nothing_names_what_was_not_read(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This covers every reason except those of files that contain no code and of excluded files."""
    read = parsing.read_files

    def read_some(root: Path, tasks: list[tuple[ReadTask, int]], **more: Any) -> list[FileSymbols]:
        reasons = {f"lost{number}.py": reason for number, reason in enumerate(SkipReason)}
        return [
            FileSymbols(
                result.path, result.size, result.mtime_ns, result.stamp, skip=reasons[result.path]
            )
            if result.path in reasons
            else result
            for result in read(root, tasks, **{**more, "take": None})
        ]

    monkeypatch.setattr(parsing, "read_files", read_some)
    workspace = make_workspace(
        {
            "a.py": "a = 1\n",
            **{f"lost{number}.py": "lost = 1\n" for number in range(len(SkipReason))},
        }
    )
    assert {skip.reason for skip in workspace.source.indexed.unread()} == CODE_LEFT_OUT
    for answer in (
        workspace.search("lost"),
        workspace.symbol("lost"),
        workspace.references("lost"),
    ):
        assert f"{len(CODE_LEFT_OUT)} files were not read and may contain" in "".join(
            answer.notices or []
        )


@pytest.mark.nightly
def test_an_unreadable_folder_and_file_are_named(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree", {"a.py": "x = 1\n", "locked/b.py": "y = 1\n", "secret.py": "z = 1\n"}
    )
    os.chmod(root / "locked", 0)
    os.chmod(root / "secret.py", 0)
    arguments = ["index", "--json", "--root", str(root), "--index-dir", str(tmp_path / "index")]
    try:
        report = json.loads(run_unprivileged(arguments).stdout)
    finally:
        os.chmod(root / "locked", 0o755)
        os.chmod(root / "secret.py", 0o644)
    assert {row["reason"]: row["paths"] for row in report["skipped"]} == {
        "unreadable": ["locked/ (Permission denied)", "secret.py (Permission denied)"]
    }
    assert report["symbols"] == 1
    # They are read as soon as permissions allow it, though neither size nor mtime has changed.
    assert json.loads(run_unprivileged(arguments).stdout)["symbols"] == 3


def test_places_are_bytes(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "é = 1; ünï = 2\n"})
    (part,) = workspace.source.indexed.snapshot.parts
    index = part.index
    starts = [index.places(row)[2] for row in index.row_at.tolist()]
    assert index.name_columns_of(index.row_at).tolist() == starts == [0, 8]  # type: ignore[arg-type]
    assert [item.line for item in workspace.search("ünï").items] == [1]


def test_flags_from_paths(make_workspace: Maker) -> None:
    workspace = make_workspace({
        "tests/a.py": "def same(): pass\n", "vendor/a.py": "def same(): pass\n", "m/zzz.py": "def same(): pass\n",
        "x_pb2.py": "def same(): pass\n", "head.py": "# Code generated by hand. DO NOT EDIT.\ndef same(): pass\n",
        "test_a.py": "def same(): pass\n", "local.py": "def f():\n    def same(): pass\n",
        ".tool/zz.py": "def same(): pass\n",
    })  # fmt: skip
    assert found(workspace, "same") == [
        "m/zzz.py:same", "test_a.py:same", "tests/a.py:same", "head.py:same", "x_pb2.py:same", ".tool/zz.py:same",
        "vendor/a.py:same", "local.py:same",
    ]  # fmt: skip


def test_the_root_is_found_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(
        tmp_path,
        {
            "repo/.git/HEAD": "",
            "repo/src/deep/a.py": "",
            "plain/b.py": "",
            "toml/symindex.toml": "",
            "toml/c/d.py": "",
        },
    )
    for start, root in [("repo/src/deep", "repo"), ("plain", "plain"), ("toml/c", "toml")]:
        monkeypatch.chdir(tmp_path / start)
        with open_workspace() as workspace:
            assert workspace.root == tmp_path / root


def test_the_index_is_in_the_cache_or_the_chosen_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = write_files(tmp_path / "tree", {"a.py": "x = 1\n"})
    assert Workspace(root).source.indexed.folder.parent == tmp_path / "cache" / "symindex"
    assert Workspace(root, tmp_path / "told").source.indexed.folder.parent == tmp_path / "told"
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", str(tmp_path / "set"))
    assert Workspace(root).source.indexed.folder.parent == tmp_path / "set"
    assert Workspace(root, tmp_path / "told").source.indexed.folder.parent == tmp_path / "told"
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", "set")
    with pytest.raises(
        RequestError, match="SYMINDEX_INDEX_DIR is 'set': it must be an absolute path"
    ):
        Workspace(root)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "colour = 1",
            "unknown key 'colour': expected one of index_dir, include, exclude, languages, minified, max_file_bytes",
        ),
        (
            "max_file_bytes = 'x'",
            "max_file_bytes is 'x': it must be an integer from 1 to 100,000,000",
        ),
        (
            "max_file_bytes = 0",
            "max_file_bytes is 0: it must be an integer from 1 to 100,000,000",
        ),
        (
            "max_file_bytes = 99999999999999999999",
            "max_file_bytes is 99999999999999999999: it must be an integer from 1",
        ),
        (
            "file_seconds = -1",
            "file_seconds is -1: it must be a number greater than 0 and at most 100",
        ),
        (
            "file_seconds = nan",
            "file_seconds is nan: it must be a number greater than 0 and at most 100",
        ),
        (
            "file_seconds = inf",
            "file_seconds is inf: it must be a number greater than 0 and at most 100",
        ),
        ("= = =", "the keys are"),
    ],
)
def test_wrong_settings(text: str, complaint: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"symindex.toml": text + "\n"})
    with pytest.raises(RequestError) as caught:
        Workspace(tmp_path)
    assert complaint in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "symindex.toml"))


def test_the_python_front_end(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "class AuthService:\n    def login(self): pass\n"})
    with symindex.open(tmp_path, index_dir=tmp_path / "index") as workspace:
        response = workspace.search("AuthService", kinds=["class"], max_items=10)
        assert [
            (item.name, item.kind, item.file_path, item.line, item.container)
            for item in response.items
        ] == [("AuthService", "class", "a.py", 1, None)]
        request = symindex.SearchRequest(query="login", include=["id"])
        assert workspace.search(request).items[0].id == "a.py#AuthService.login"
        assert workspace.status().symbols == 2


def test_the_first_search_refreshes_and_load_does_not(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "one = 1\n"})
    with symindex.open(root, tmp_path / "index") as workspace:
        assert found(workspace, "one") == ["a.py:one"]
    write_files(root, {"b.py": "one = 1\n"})
    with symindex.open(root, tmp_path / "index") as workspace:
        workspace.load()
        assert found(workspace, "one") == ["a.py:one"]
    with symindex.open(root, tmp_path / "index") as workspace:
        assert found(workspace, "one") == ["a.py:one", "b.py:one"]


def test_a_worktree_and_a_submodule_are_repositories(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree",
        {".git": "gitdir: x\n", ".gitignore": "b.py\n", "a.py": "one = 1\n", "b.py": "one = 1\n"},
    )
    with Workspace(root, tmp_path / "index") as workspace:
        assert found(workspace, "one") == ["a.py:one"]
        assert workspace.status().unsupported == {"(no extension)": 1}  # .gitignore


def test_an_empty_tree_says_so(make_workspace: Maker) -> None:
    assert make_workspace({}).search("x").notices == [
        "the index is empty: no source files were found"
    ]
    response = make_workspace({"a.klingon": "x", "b.klingon": "y"}).search("x")
    assert response.notices == [
        "the index is empty: no language for .klingon files; see `symindex languages`"
    ]
    response = make_workspace(
        {"package.json": "{}", "node_modules/a/index.js": "function x() {}\n"}
    ).search("x")
    assert response.notices == [
        "the index contains no symbols, but 1 section or item: "
        "1 skipped, such as node_modules/ (installed dependencies or a cache); see `symindex status`"
    ]


def test_another_version_of_symindex_reads_all_files_again(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n"})
    assert workspace.refresh().read == 0
    monkeypatch.setattr("symindex.extract.reading_rules.__version__", "9.9.9")
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as newer:
        report = newer.refresh()
        assert (report.read, report.notices) == (1, [])


def test_filters_that_hide_everything_say_so(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def run(): pass\n"})
    response = workspace.search("run", kinds=["class"])
    assert response.notices == ["no symbol is of kind `class`", "without kinds `class`: 1"]


def test_the_first_answer_before_there_is_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symindex.search.unindexed.before_index.LARGE_BYTES", 100)
    files = {f"d/f{i}.py": f"def other{i}(): pass\n" for i in range(30)}
    root = write_files(
        tmp_path / "tree", {**files, "a.py": "class Basket:\n    def basket(self): pass\n"}
    )
    with Workspace(root, tmp_path / "index") as workspace:
        early = workspace.search("Basket", freshness=CURRENT_OR_SCAN)
        assert early.notices
        assert [(item.name, item.file_path, item.line) for item in early.items] == [
            ("Basket", "a.py", 1),
            ("basket", "a.py", 2),
        ]
        assert early.notices[-1].startswith(
            "the index is still being built: the one of 31 files that contains `Basket` was searched"
        )
        until((workspace.source.indexed.folder / FILE_NAME).exists, "an index")
        late = workspace.search("Basket", freshness=CURRENT_OR_SCAN)
        assert not late.notices and late.items == early.items


@pytest.mark.nightly
def test_an_answer_waits_for_the_index_if_a_part_has_no_hits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty answer is final, or the request waits for the index."""
    monkeypatch.setattr("symindex.search.unindexed.before_index.LARGE_BYTES", 10)
    root = write_files(tmp_path / "tree", {"a.py": "class Basket:\n    def basket(self): pass\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        assert workspace.search("nowhere", freshness=CURRENT_OR_SCAN).total == 0
        assert (workspace.source.indexed.folder / FILE_NAME).exists()


def test_each_front_end_reports_a_broken_or_conflicted_file(make_workspace: Maker) -> None:
    broken = "class A {\n    void f() {\n        g();\n\n    void h() {\n    }\n}\n"
    conflicted = "class B:\n<<<<<<< HEAD\n    def f(self):\n=======\n    def g(self):\n>>>>>>> x\n        return 1\n"
    workspace = make_workspace(
        {"A.java": broken, "b.py": conflicted, "fine.py": "def fine(): pass\n"}
    )
    assert sorted(found(workspace, "is:broken")) == ["A.java:A", "A.java:f", "A.java:h"]
    assert sorted(found(workspace, "is:conflicted")) == ["b.py:B", "b.py:f", "b.py:g"]
    status = workspace.status()
    assert (status.broken, status.conflicted) == (["A.java:5"], ["b.py"])
    notice = "the parse of A.java is broken at line 5; members may appear outside of their class"
    assert workspace.search("h").notices == [notice]
    assert not workspace.search("fine").notices
    assert notice.replace("A.java", "this file") in workspace.outline("A.java").notices  # type: ignore[operator]
    assert (
        "b.py contains the markers of an unfinished merge; the definitions of both sides are listed"  # type: ignore[operator]
        in workspace.outline(".").notices
    )
    shown = workspace.symbol("A.h")
    assert shown.symbol.flags == ["broken"] and shown.notices == [  # type: ignore[union-attr]
        notice.replace("A.java", "this file")
    ]
    assert workspace.symbol("B.g").symbol.signature == "def g(self)"  # type: ignore[union-attr]
