"""An answer about some folders has no notices about others."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.workspace.limited import limit_of, limited_to
from symindex.workspace.watched_tree import WatchedTree, WatchedTrees
from tests.support.files import write_files
from tests.support.waiting import until

LATE = "the most recent changes may be missing"


@pytest.fixture
def late_shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FollowedWorkspace]:
    """Two folders; one never settles in time, as on a busy machine."""
    workspace = FollowedWorkspace(WatchedTrees(lambda *_: lambda: None))
    for name in "shop", "bank":
        root = write_files(
            tmp_path / name, {"a.py": "class Store: pass\n", f"src/{name}.py": "x = 1\n"}
        )
        workspace.folders.add(root, "", str(tmp_path / "indexes"))
    until(lambda: not workspace.search("Store").notices, "both indexes")

    def settle(tree: WatchedTree, _: float) -> None:
        tree._is_late = tree.root.name == "shop"

    monkeypatch.setattr(WatchedTree, "settle", settle)
    for folder in workspace.folders.all:
        folder.tree.settle(0)
    yield workspace
    workspace.close()


def notices(response: Any) -> list[str]:
    return [notice for notice in response.notices or () if notice.endswith(LATE)]


def test_an_answer_tells_only_of_the_folders_that_it_is_about(
    late_shop: FollowedWorkspace,
) -> None:
    for response in (
        late_shop.search("Store", paths=["bank/**"]),
        late_shop.search("Store", paths=["bank/src/*.py", "!shop/**"]),
        late_shop.search("repo:bank Store"),
        late_shop.search("Store | repo:bank"),
        late_shop.search("repo:bank Store", paths=["a.py"]),
        late_shop.grep("Store", paths=["/bank/a.py"]),
        late_shop.outline("bank"),
        late_shop.outline("bank/a.py"),
        late_shop.symbol("Store", path="bank/a.py"),
    ):
        assert not notices(response), response.request
    for response in (
        late_shop.search("Store"),
        late_shop.search("Store", paths=["shop/**"]),
        late_shop.search("repo:SHOP Store"),
        late_shop.search("repo:shop OR repo:bank"),
        late_shop.search("Store NOT repo:bank"),
        late_shop.search("Store", paths=["bank/**", "a.py"]),
        late_shop.search("Store", paths=["src/**"]),
        late_shop.search("Store", paths=["!bank/**"]),
        late_shop.outline(["bank/a.py", "shop/a.py"]),
        late_shop.symbol("Store"),
    ):
        assert len(notices(response)) == 1, response.request


def test_a_folder_with_a_folder_of_that_name_is_not_left_out(
    late_shop: FollowedWorkspace,
) -> None:
    shop = late_shop.folders.all[0].root
    write_files(shop, {"bank/a.py": "class Store: pass\n"})
    assert notices(late_shop.search("Store", paths=["bank/**"]))


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([], ""),
        (["a/b/**"], "a/b"),
        (["/a/b/", "!c/**"], "a/b"),
        (["/a/b/x", "c/y", "!d/**"], "a/b c"),
        (["a/b/x", "*.py"], ""),
        (["c"], ""),
        (["a/*/x"], ""),
        (["c/d/x"], "c c/d"),
        (["cc/x"], ""),
    ],
)
def test_what_paths_begin_with(paths: list[str], names: str) -> None:
    assert limited_to(paths, {"a/b", "c", "c/d", "d"}) == {*names.split()}


def test_the_paths_of_a_request() -> None:
    assert limit_of(None).paths == limit_of(SimpleNamespace(path="")).paths == []
    assert limit_of(SimpleNamespace(path=["a/", "b"])).paths == ["a/**", "b/**"]
    assert limit_of(SimpleNamespace(path="a", paths=["*.py"])).paths == ["*.py"]
