"""A project and its surroundings: which paths are in it, what is read of a file and of a folder, and
what is said of what cannot be read."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import SymindexError
from symindex.packages.found import ecosystems
from symindex.packages.found.package import Package
from symindex.packages.found.project import FolderEntry, Project, as_table
from tests.support.files import write_files


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    files = {"project/a.txt": "abc", "project/sub/b.txt": "b", "home/h.txt": "home", "other/o": ""}
    write_files(tmp_path, files)
    for name, target in (("in", "sub"), ("out", "../other"), ("gone", "none"), ("l.txt", "a.txt")):
        (tmp_path / "project" / name).symlink_to(target)
    variables = {
        "INSIDE": str(tmp_path / "project/in"),
        "RELATIVE": "project",
        "FILE": str(tmp_path / "home/h.txt"),
        "NUL": f"{tmp_path}\0",
        "EMPTY": "",
    }
    with Project(tmp_path / "project", variables, tmp_path / "home", tmp_path / "system") as opened:
        yield opened


def test_which_paths_are_in_the_project(project: Project) -> None:
    root = project.root
    texts = {
        root: True, f"{root}/a.txt": True, f"{root}/out": True, f"{root}2": False, os.path.dirname(root): False,
    }  # fmt: skip
    assert {path: project.is_inside(path) for path in texts} == texts
    assert [project.is_in_tree(f"{root}/{name}") for name in ("in", "sub", "out", "gone")] == [
        True,
        True,
        False,
        True,
    ]
    shown = {root: ".", f"{root}/a/b": "a/b", f"{root}2": f"{root}2", project.home: project.home}
    assert {path: project.relative(path) for path in shown} == shown
    assert project.place("a", "b") == f"{root}/a/b"


def test_a_variable_names_a_folder_by_a_whole_path(project: Project) -> None:
    names = ("INSIDE", "RELATIVE", "FILE", "NUL", "EMPTY", "ABSENT")
    assert [project.variable(name) for name in names] == [f"{project.root}/sub", *[""] * 5]


def test_which_files_and_folders_count(project: Project, tmp_path: Path) -> None:
    """In the project, nothing behind a link counts."""
    root, other = project.root, f"{tmp_path}/other"
    (tmp_path / "other/link").symlink_to("o")
    folders = [root, f"{root}/sub", f"{root}/sub/", other]
    no_folders = [f"{root}/in", f"{root}/out", f"{root}/a.txt", f"{root}/none", f"{other}/o"]
    assert [path for path in folders + no_folders if project.is_folder(path)] == folders
    files = [f"{root}/a.txt", f"{root}/sub/b.txt", f"{other}/o", f"{other}/link"]
    no_files = [f"{root}/l.txt", f"{root}/in/b.txt", root, f"{root}/none", other]
    assert [path for path in files + no_files if project.is_file(path)] == files
    for path in (f"{root}/\0", f"{other}/\0"):
        assert not project.is_file(path) and not project.is_folder(path)
        assert project.entries(path) == []


def test_entries_are_in_the_order_of_their_names(project: Project) -> None:
    assert project.entries(project.root) == [
        FolderEntry("a.txt", False, False), FolderEntry("gone", False, True), FolderEntry("in", False, True),
        FolderEntry("l.txt", False, True), FolderEntry("out", False, True), FolderEntry("sub", True, False),
    ]  # fmt: skip
    assert project.entries(f"{project.root}/none") == [] == project.notices
    assert project.entries(f"{project.root}/in") == []
    assert project.notices == ["in: not read: is behind a symbolic link"]


def test_what_cannot_be_read_is_reported_except_what_is_absent(
    project: Project, tmp_path: Path
) -> None:
    root = project.root
    assert (
        project.read(f"{root}/a.txt", 3) == b"abc"
        and project.read_start(f"{root}/a.txt", 2) == b"ab"
    )
    for path in (f"{root}/none", f"{root}/a.txt/x", f"{tmp_path}/home/none"):
        assert project.read(path) is None and project.read_start(path, 9) is None
    assert project.notices == []
    assert project.read(f"{root}/a.txt", 2) is None and project.text(f"{root}/a.txt", 2) == ""
    assert project.read_start(f"{root}/l.txt", 2) is None and project.read(f"{root}/sub") is None
    assert project.notices == [
        "a.txt: not read: larger than 2 bytes",
        "l.txt: not read: a symbolic link",
        "sub: not read: not a regular file",
    ]
    assert project.read_start(f"{tmp_path}/home", 2) is None
    assert project.notices[3] == f"{tmp_path}/home: not read: not a regular file"


def test_texts_lose_what_editors_add(project: Project, tmp_path: Path) -> None:
    write_files(tmp_path, {"project/x": b"\xef\xbb\xbfa\r\nb\xff\xef\xbb\xbf"})
    assert project.text(f"{project.root}/x") == "a\nb\ufffd\ufeff"
    write_files(tmp_path, {"project/x": b'\xef\xbb\xbfa = "\r\n'})
    assert project.read_toml(f"{project.root}/x") == {} == project.read_toml("/none")
    write_files(
        tmp_path, {"project/y": b'\xef\xbb\xbfa = 1\r\nb = """\r\n"""', "project/z": b"[1]"}
    )
    assert project.read_toml(f"{project.root}/y") == {"a": 1, "b": ""}
    assert project.read_json(f"{project.root}/z") is None is project.read_json("/none")
    assert project.notices == [
        "x: not valid TOML; left out",
        "z: not a JSON object; left out",
    ]
    for number, damage in enumerate((b"{", b'{"a": "\xff"}', b'{"a": ' * 5_000, b"")):
        write_files(tmp_path, {f"project/{number}": damage})
        assert project.read_json(f"{project.root}/{number}") is None
        assert project.notices[-1] == f"{number}: not a JSON object; left out"
    assert as_table({"a": 1}) == {"a": 1} and as_table([1]) == {}


def test_programs_are_those_on_the_search_path_outside_of_the_project(tmp_path: Path) -> None:
    write_files(tmp_path, {"project/bin/go": "", "one/go.exe": "", "two/go": "", "real/go": ""})
    (tmp_path / "three").mkdir()
    (tmp_path / "three/go").symlink_to("../real/go")
    (tmp_path / "four").mkdir()
    (tmp_path / "four/go").symlink_to("../project/bin/go")
    (tmp_path / "five").symlink_to("project/bin")
    (tmp_path / "project/out").symlink_to("../two")
    names = ("one", "none", "two", "three", "four", "five", "project/bin", "project/out", "a\0b")
    path = os.pathsep.join(["two", "", *(str(tmp_path / name) for name in names)])
    with Project(tmp_path / "project", {"PATH": path}, tmp_path) as project:
        # A folder of the project that leads out of it names a program that is not the project's.
        assert [os.path.relpath(program, tmp_path) for program in project.programs("go")] == [
            "one/go.exe",
            "two/go",
            "real/go",
            "two/go",
        ]


def test_the_newest_folder_is_first(tmp_path: Path) -> None:
    write_files(tmp_path, {f"v/{name}/in/x": "" for name in ("1.9", "1.10", "1.2")} | {"v/2/x": ""})
    (tmp_path / "project").mkdir()
    with Project(tmp_path / "project", {}, tmp_path) as project:
        assert [
            os.path.relpath(folder, tmp_path) for folder in project.newest(f"{tmp_path}/v", "in")
        ] == ["v/1.10/in", "v/1.9/in", "v/1.2/in"]


def test_folders_are_looked_into_three_deep_except_those_of_others(tmp_path: Path) -> None:
    names = [
        "a", "a/a", "a/a/a", "a/a/a/a", "node_modules", "a/vendor", ".hidden", "b", "b/inner", "a/testdata", "pyvenv.cfg",
    ]  # fmt: skip
    write_files(tmp_path / "project", {f"{name}/go.mod": "" for name in names})
    write_files(tmp_path / "project", {"b/pyvenv.cfg": "", "go.mod": "", "c/d": ""})
    (tmp_path / "project/link").symlink_to("a")
    with Project(tmp_path / "project", {}, tmp_path) as project:
        folders = [project.relative(folder) for folder in project.places("go.mod")]
        assert folders == [".", "a", "pyvenv.cfg", "a/a", "a/a/a"]
        assert project.names_around()[project.root] == {"go.mod"}
        assert f"{project.root}/b" not in project.names_around()


TREES = st.recursive(
    st.just(""),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


def paths_of(tree: object, above: str = "") -> Iterator[str]:
    if isinstance(tree, dict):
        for name, inner in tree.items():
            yield from paths_of(inner, f"{above}{name}/")
    else:
        yield above.rstrip("/")


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), TREES, max_size=3), st.data())
def test_all_but_some_covers_each_other_file_once(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, object], data: st.DataObject
) -> None:
    paths = [path for path in paths_of(tree) if path]
    every = sorted({path[: len(path) - cut] for path in paths for cut in range(0, len(path), 2)})
    inner = data.draw(st.lists(st.sampled_from(every), max_size=3)) if every else []
    root = write_files(tmp_path_factory.mktemp("all-but"), dict.fromkeys(paths, ""))
    with Project(root, {}, root) as project:
        covering = [*project.all_but(str(root), inner)]

    def is_below(path: str, folders: list[str]) -> bool:
        return any(path == folder or path.startswith(f"{folder}/") for folder in folders)

    for path in paths:
        assert is_below(path, covering) is not is_below(path, inner)
        assert sum(is_below(path, [folder]) for folder in covering) <= 1


def test_a_package_has_the_modules_that_a_line_can_show(project: Project) -> None:
    package = project.package(
        "npm", "a", "1", f"{project.root}/sub", source="x", modules=("b", "a\n", "c" * 300, "a", "d" * 301)
    )  # fmt: skip
    assert package is not None
    assert package.modules == ("a", "b", "c" * 300)
    assert (package.in_tree, package.missing, package.is_direct) == (True, "", False)


def test_a_root_in_the_project_that_leads_out_of_it_is_missing(project: Project) -> None:
    root, home = project.root, project.home
    places = {
        f"{root}/out": (None, False),
        f"{root}/in": (f"{root}/sub", True),
        home: (home, False),
    }
    for place, (expected, is_in_tree) in places.items():
        package = project.package("npm", "a", "1", place, source="x")
        assert package is not None and package.in_tree is is_in_tree
        assert package.root == (None if expected is None else Path(expected))
        assert package.missing == (
            "" if expected else "out leads out of the project: install it in the project itself"
        )
    package = project.package("npm", "a", "1", home, source="x", missing="a\nb")
    assert package is not None and (package.root, package.missing) == (None, "a\\nb")
    assert project.package("npm", "../a", "1", None, source=f"{root}/sub/b.txt") is None
    assert project.notices == ["sub/b.txt: '../a' is not a name of a package; left out"]


def test_notices_are_said_once_and_limits_first(project: Project) -> None:
    project.notify("one\x1b")
    project.begin("Any")
    for what in ("limit", "another", "limit"):
        project.notify_limit(what)
    project.notify("one\x1b")
    project.notify("two")
    project.begin()
    project.notify_limit("last")
    assert project.notices == ["Any: limit", "Any: another", "last", "one\\x1b", "two"]


def test_bytes_are_counted_for_one_ecosystem_at_a_time(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symindex.packages.found.project.MOST_READ_BYTES", 3)
    path = f"{project.root}/a.txt"
    for name in ("", "first", "second"):
        if name:
            project.begin(name)
        assert project.read(path) == b"abc"
        assert project.read_start(path, 2) == b"ab"  # the limit is reached, not exceeded
        assert project.read(path) is None and project.read_start(path, 1) is None
    assert project.notices == [
        f"{name}not all packages are listed: their files have more than 3 bytes"
        for name in ("", "first: ", "second: ")
    ]


@pytest.mark.parametrize(
    "error", [OSError("odd"), ValueError("odd"), RecursionError("odd"), SymindexError("odd")]
)
def test_an_ecosystem_that_fails_leaves_the_others(
    error: Exception, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Project) -> Iterator[Package]:
        package = project.package("npm", "a", "1", None, source="x")
        assert package is not None
        yield package
        raise error

    def works(_: Project) -> Iterator[Package]:
        yield from filter(None, [project.package("npm", "b", "1", None, source="x")])

    monkeypatch.setattr(ecosystems, "ECOSYSTEMS", {"One": fails, "Two": works})
    listing = ecosystems.find_in(project)
    assert [package.name for package in listing.packages] == ["a", "b"]
    assert listing.notices == ["One: packages could not be listed: odd"]
