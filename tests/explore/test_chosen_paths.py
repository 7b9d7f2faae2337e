"""A path means the same files in every tool: files, folders, globs, several of them, exceptions, in
any notation."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.overview import MapResponse
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files
from tests.support.git import git

FILES = ["a/one.py", "a/deep/two.py", "b/three.py", "b/[id].py", "top.py"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A tree in which each file defines `shared` and has changed since the last commit."""
    folder = tmp_path_factory.mktemp("paths")
    root = write_files(folder / "tree", dict.fromkeys(FILES, "def shared():\n    pass\n"))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "first")
    write_files(
        root, {path: f"def shared():\n    return {number}\n" for number, path in enumerate(FILES)}
    )
    with Workspace(root, folder / "index") as workspace:
        workspace.refresh()
        yield workspace


def outlined(tree: Workspace, paths: list[str]) -> set[str]:
    names, left = set(), tree.outline(paths[0] if len(paths) == 1 else paths)
    rows = list(left.items)
    while rows:
        item = rows.pop()
        names |= {item.name} if item.kind == "file" else set()
        rows += item.items
    return names or ({left.path} if left.files == 1 else set())


def mapped(tree: Workspace, paths: list[str]) -> set[str]:
    response: MapResponse = tree.map(paths)
    return {file.file_path for file in response.files}


def changed(tree: Workspace, paths: list[str]) -> set[str]:
    return {file.file_path for file in tree.changed(path=paths).files}


def named(tree: Workspace, paths: list[str]) -> set[str]:
    response = tree.symbol("shared", path=paths)
    return {other.file_path for other in response.others} | (
        {response.symbol.file_path} if response.symbol else set()
    )


def referred(tree: Workspace, paths: list[str]) -> set[str]:
    return {
        file.file_path
        for file in tree.references(
            ReferencesRequest(name="shared", paths=tree.source.shown_paths(paths))
        ).files
    }


def searched(tree: Workspace, paths: list[str]) -> set[str]:
    return {
        item.file_path for item in tree.search("shared", paths=tree.source.shown_paths(paths)).items
    }


def grepped(tree: Workspace, paths: list[str]) -> set[str]:
    return {
        file.file_path for file in tree.grep("shared", paths=tree.source.shown_paths(paths)).files
    }


DOORS = [outlined, mapped, changed, named, referred, searched, grepped]
A = {"a/one.py", "a/deep/two.py"}
B = {"b/three.py", "b/[id].py"}


@pytest.mark.sample(46)
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("paths", "files"), [
    (["a"], A),
    (["a/"], A),
    (["./a"], A),
    (["./a/"], A),
    (["a/**"], A),
    (["./a/**"], A),
    (["{root}/a"], A),
    (["{root}/a/**"], A),
    (["a/*.py"], {"a/one.py"}),
    (["a/one.py"], {"a/one.py"}),
    (["{root}/a/one.py"], {"a/one.py"}),
    (["*.py"], {*FILES}),
    (["a/**", "b/**"], A | B),
    (["a", "b/three.py"], A | {"b/three.py"}),
    (["{{a,b}}/**"], A | B),
    (["a/{{one,deep/two}}.py"], A),
    (["!a"], B | {"top.py"}),
    (["!a/**", "!./top.py"], B),
    (["!{root}/a"], B | {"top.py"}),
    (["a", "!a/deep"], {"a/one.py"}),
    (["a", "nothing"], A),
])  # fmt: skip
def test_paths_mean_the_same_files_at_every_front_end(
    tree: Workspace,
    door: Callable[[Workspace, list[str]], set[str]],
    paths: list[str],
    files: set[str],
) -> None:
    assert door(tree, [path.format(root=tree.root) for path in paths]) == files


@pytest.mark.parametrize("door", [outlined, mapped, changed, named])
def test_a_path_that_is_there_means_itself_whatever_signs_it_holds(
    tree: Workspace, door: Callable[[Workspace, list[str]], set[str]]
) -> None:
    assert door(tree, ["b/[id].py"]) == {"b/[id].py"}
    assert door(tree, ["top.py", "b/[id].py"]) == {"top.py", "b/[id].py"}


def test_what_no_file_matches_is_reported(tree: Workspace) -> None:
    assert tree.outline(["a", "nothing/**"]).notices == ["no file matches nothing/**"]
    assert tree.map(["a", "nothing"]).notices == ["no file matches nothing"]
    assert tree.changed(path=["a", "nothing"]).notices == ["no file matches nothing"]
    for ask in (lambda: tree.outline(["nothing", "nor/*"]), lambda: tree.map("nothing/**")):
        with pytest.raises(RequestError, match="nothing"):
            ask()
    with pytest.raises(RequestError, match=r"no file, now or in HEAD, is or matches nothing/\*\*"):
        tree.changed(path="nothing/**")


def test_what_leads_out_of_the_root_is_refused(tree: Workspace, tmp_path: Path) -> None:
    for paths in (["../x"], ["a", "!../x"], [str(tmp_path)]):
        for ask in (tree.outline, tree.map):
            with pytest.raises(RequestError, match="root"):
                ask(paths)
    with pytest.raises(RequestError, match="outside of the root"):
        tree.source.shown_paths([f"!{tmp_path}"])


def test_too_many_braces_are_refused_at_once(tree: Workspace) -> None:
    for glob in ("{a,b}" * 40, "{" + "," * 5_000 + "}", "{" * 5_000):
        with pytest.raises(RequestError):
            tree.search("shared", paths=[glob + "/["])


def test_a_focus_that_nothing_has_is_reported(tree: Workspace) -> None:
    assert tree.map(focus=["shared", "a", "b/*.py"]).notices is UNSET
    response = tree.map(focus=["nowhere", "a"])
    assert response.notices == ["focus: nothing is named nowhere, neither a symbol nor a file"]
    assert response.files == tree.map(focus=["a"]).files
    assert tree.map(focus=["nowhere"]).files == tree.map().files
