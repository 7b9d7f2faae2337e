"""An index that has followed random edits equals one built from scratch; a partial refresh reads
only some files."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from symindex.errors import StorageError
from symindex.index import overlay
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files
from tests.support.rows import content, ids

PIECES = [
    "def {0}(): pass\n", "class {0}:\n    def m(self): pass\n    y = 1\n", "{0} = 1\n", "def {0}(:\n", "# {0}\n", "\n",
    "class {0}:\n    '''Doc of {0}.'''\n    class Inner: pass\n", "def {0}(): pass\ndef {0}(): pass\n",
]  # fmt: skip


QUERIES = ("a", "aa", "aa.m", "", "Inner", "kind:class b", "Innr", "abc.", "lang:python NOT path:x")


class Editor:
    """Changes a tree at random, as people and their tools do.

    touched: the paths that may have changed.
    """

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root = root
        self.rng = rng
        self.touched: set[str] = set()
        folders = ("", "a/", "a/b/", "é/", "a-b/", "a.d/")
        self.paths = [
            f"{folder}{name}.py" for folder in folders for name in ("x", "y", "z", "a", "a-", "_x")
        ]
        write_files(root, {path: self.random_text() for path in self.paths})

    def random_text(self) -> str:
        rng = self.rng
        return "".join(
            rng.choice(PIECES).format(rng.choice("abcdef") * rng.randint(1, 3))
            for _ in range(rng.randint(0, 6))
        )

    def choose(self) -> Path:
        path = self.root / self.rng.choice(self.paths)
        self.touched.update(
            file.relative_to(self.root).as_posix() for file in (path, path / "inner.py")
        )
        return path

    def edit(self, step: int) -> None:
        path = self.choose()
        action = self.rng.choice(
            ["write", "write", "delete", "rename", "truncate", "touch", "folder"]
        )
        if path.is_dir():
            shutil.rmtree(path)
        elif action == "write":
            path.write_text(self.random_text())
        elif path.exists():
            if action == "rename":
                target = self.choose()
                shutil.rmtree(target, ignore_errors=True) if target.is_dir() else None
                path.replace(target)
            elif action == "truncate":
                path.write_text("")
            elif action == "touch":
                os.utime(path, ns=(step * 1000, step * 1000))
            else:
                path.unlink()
                if action == "folder":
                    path.mkdir()
                    (path / "inner.py").write_text(self.random_text())


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_incremental_equals_full(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds for any changes, and however overlays are joined, merged or read by another
    process."""
    rng = random.Random(seed)
    monkeypatch.setattr(overlay, "FEW_SYMBOLS", rng.choice([5, 40, 10**9]))
    monkeypatch.setattr(overlay, "MOST_OVERLAYS", rng.choice([1, 3]))
    root = tmp_path / "tree"
    editor = Editor(root, rng)
    workspace = Workspace(root, tmp_path / "incremental")
    for step in range(15):
        editor.touched.clear()
        for _ in range(rng.choice([1, 1, 3, 20])):
            editor.edit(step)
        workspace.refresh(paths=editor.touched if rng.random() < 0.7 else None)
        if rng.random() < 0.3:
            workspace = Workspace(root, tmp_path / "incremental")
            workspace.load()
        with Workspace(root, tmp_path / f"full{step}") as full:
            full.refresh()
            assert ids(workspace) == ids(full)
            assert (
                workspace.source.indexed.snapshot.generation
                == full.source.indexed.snapshot.generation
            )
            assert (
                content(workspace)
                == content(full)
                == msgspec.msgpack.encode(full.source.indexed.snapshot.parts[0].index.columns)
            )
            for query in QUERIES:
                for size in (None, 3):
                    one, other = (
                        searcher.search(query, max_items=size, include=["id", "score"])
                        for searcher in (workspace, full)
                    )
                    assert (one.items, one.total) == (other.items, other.total)
                    assert one.suggestions == other.suggestions


def refuse_to_walk(*_: object) -> None:
    raise AssertionError("the tree was walked")


@pytest.mark.nightly
def test_a_refresh_of_some_files_looks_at_no_other(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(
        {
            "a.py": "one = 1\n",
            "d/b.py": "two = 2\n",
            "d/c.py": "three = 3\n",
            ".gitignore": "gone/\n",
        }
    )
    monkeypatch.setattr("symindex.workspace.indexed_root.walk_tree", refuse_to_walk)
    write_files(
        workspace.root, {"a.py": "uno = 1\n", "d/b.py": "dos = 2\n", "d/new.py": "four = 4\n"}
    )
    (workspace.root / "d/c.py").unlink()
    report = workspace.refresh(paths={"a.py", "d/c.py", "d/new.py", "d/never.py"})
    assert (report.read, report.removed, report.files) == (2, 1, 4)  # .gitignore is a file, too
    assert ids(workspace) == ["a.py#uno", "d/b.py#two", "d/new.py#four"]
    assert workspace.refresh(paths=["d/b.py"]).read == 1
    assert ids(workspace) == ["a.py#uno", "d/b.py#dos", "d/new.py#four"]
    assert (workspace.refresh(paths=["d/b.py"]).read, workspace.refresh(paths=[]).read) == (0, 0)


DOUBTFUL: dict[str, Callable[[Path], object]] = {
    ".gitignore": lambda root: write_files(root, {".gitignore": "d/\n"}),
    "d/pyvenv.cfg": lambda root: write_files(root, {"d/pyvenv.cfg": ""}),
    "new/n.py": lambda root: write_files(root, {"new/n.py": "n = 1\n"}),
    "d/b.py": lambda root: (shutil.rmtree(root / "d"), (root / "d").symlink_to(root / "e")),
    "d": lambda root: (
        shutil.rmtree(root / "d"),
        (root / "d").write_text("#!/usr/bin/env python\nd = 1\n"),
    ),
    "a.py": lambda root: ((root / "a.py").unlink(), (root / "a.py").symlink_to(root / "e/b.py")),
    "e/b.py": lambda root: (
        (root / "e/b.py").unlink(),
        (root / "e/b.py").mkdir(),
        write_files(root, {"e/b.py/i.py": "i = 1\n"}),
    ),
    "large.py": lambda root: write_files(root, {"large.py": "large = 1\n"}),
    "e/c.py": lambda root: write_files(root, {"e/c.py": "c = 1\n" * 20}),
    "e/x.klingon": lambda root: write_files(root, {"e/x.klingon": "x"}),
    "loop": lambda root: (root / "loop").symlink_to(root),
    "../tree/a.py": lambda root: write_files(root, {"a.py": "other = 1\n"}),
}
"""Paths that are reported as changed but need a walk, and how to change them."""


@pytest.mark.nightly
@pytest.mark.parametrize("path", DOUBTFUL)
def test_a_partial_refresh_walks_if_its_paths_are_doubtful(path: str, tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree",
        {
            "a.py": "a = 1\n",
            "d/b.py": "b = 1\n",
            "e/b.py": "b = 2\n",
            "e/c.py": "",
            "large.py": "x = 1\n" * 30,
        },
    )
    write_files(root, {"symindex.toml": "max_file_bytes = 99\n"})
    with (
        Workspace(root, tmp_path / "index") as workspace,
        Workspace(root, tmp_path / "full") as full,
    ):
        workspace.refresh()
        DOUBTFUL[path](root)
        report = workspace.refresh(paths=[path])
        assert report.skipped == full.refresh().skipped
        assert ids(workspace) == ids(full)
        assert (
            workspace.source.indexed.snapshot.generation == full.source.indexed.snapshot.generation
        )


def test_the_next_refresh_reads_what_a_failed_one_missed(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({"a.py": "one = 1\n", "b.py": "two = 2\n"})
    write_files(workspace.root, {"a.py": "uno = 1\n"})
    with monkeypatch.context() as patched:
        patched.setattr(
            os,
            "replace",
            lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")),
        )
        with pytest.raises(StorageError):
            workspace.refresh(paths=["a.py"])
    write_files(workspace.root, {"b.py": "dos = 2\n"})
    workspace.refresh(paths=["b.py"])
    assert ids(workspace) == ["a.py#uno", "b.py#dos"]
