"""Several folders as one view: each is a tree of its own in the order of hits, even while a scan
replaces its index."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.editor.merged_view import Folder, make_view, with_files
from symindex.errors import StorageError
from symindex.extract.records import FileSymbols
from symindex.index.build import build_index
from symindex.index.snapshot import Snapshot
from symindex.protocol.freshness import IMMEDIATE
from symindex.workspace.build_process import Building
from symindex.workspace.watched_tree import WatchedTrees
from tests.support.files import write_files


def files(*paths: str) -> list[FileSymbols]:
    return [FileSymbols(path, 0, 0) for path in paths]


def test_files_of_a_scan_are_a_tree_of_their_own_at_the_place_of_their_folder() -> None:
    layers: list[Any] = [SimpleNamespace(snapshot=Snapshot.of(build_index(files("z.py")))), None]
    layers.append(SimpleNamespace(snapshot=Snapshot.of(build_index(files("a.py")))))
    folders = tuple(
        Folder(Path(f"/{name}"), Path(f"/{name}"), name, SimpleNamespace(layers=folder_layers))  # type: ignore[arg-type]
        for name, folder_layers in zip(("one", "two", "three"), layers, strict=True)
    )
    view = with_files(make_view(folders, {}, {}, layers), {"two": files("m.py", "n.py")})
    ordered = sorted(
        (order, part.prefix + path, view.folders[part.prefix].name)
        for part in view.snapshot.parts
        for order, path in zip(part.file_order.tolist(), part.index.paths.all, strict=True)
    )
    assert [(path, name) for _, path, name in ordered] == [
        ("one/z.py", "one"),
        ("two/m.py", "two"),
        ("two/n.py", "two"),
        ("three/a.py", "three"),
    ]
    assert len({order for order, _, _ in ordered}) == 4


@pytest.mark.nightly
def test_hundreds_of_folders_have_an_order() -> None:
    """The order is that of the folders, also inside a snapshot that is joined with others again."""
    trees = [Snapshot.of(build_index(files("b.py", "a.py"))) for _ in range(300)]
    folders = Snapshot.joined(trees, [f"{number}/" for number in range(300)])
    parts = Snapshot.joined([folders, *trees[:2]], ["", "x/", "y/"]).parts
    orders = [order for part in parts for order in part.file_order.tolist()]
    assert orders == sorted({*orders})
    assert [part.tree for part in parts] == [*range(302)]


def test_a_scan_honours_globs_that_begin_with_the_name_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scan agrees with an index: files of folders without an index also follow their folder's
    name."""

    def fail(*_: object) -> list[str]:
        raise StorageError("no room on the disk")

    monkeypatch.setattr(Building, "run", fail)
    workspace = FollowedWorkspace(WatchedTrees(), "utf-8", print, print)

    def found(*globs: str) -> list[str]:
        return [
            item.file_path
            for item in workspace.search("run", paths=list(globs), freshness=IMMEDIATE).items
        ]

    try:
        for name in ("one", "two"):
            root = write_files(tmp_path / name, {"src/a.py": "def run(): pass\n"})
            workspace.folders.add(root, name, str(tmp_path / "index"))
        assert found("one/src/**") == ["one/src/a.py"]
        assert found("src/**") == ["one/src/a.py", "two/src/a.py"]
        assert found("src/**", "!two/**") == ["one/src/a.py"]
    finally:
        workspace.close()
