"""Packages share an index if their content is equal, whatever they claim and wherever they are."""

import os
from pathlib import Path

import pytest

from symindex.packages.indexes import package_build
from symindex.packages.indexes.environment import Environment
from tests.support.files import write_files
from tests.support.packages import build, find, make_package, make_store

FILES = {
    "package.json": "{}",
    "index.py": "class Client:\n    def get(self): pass\n",
    "lib/more.py": "def more(): pass\n",
}


def test_a_tree_cannot_change_what_others_see_of_a_package(tmp_path: Path) -> None:
    """A package with the same name and version but other content, indexed first, serves only
    projects with that content."""
    store = make_store(tmp_path)
    forged = make_package(
        tmp_path / "evil/node_modules/thing",
        FILES | {"index.py": "class Client:\n    def steal(self): pass\n"},
    )
    honest = make_package(tmp_path / "good/node_modules/thing", FILES)
    assert build(store, forged).built == 1
    assert Environment.open([honest], store).missing() == [honest]
    assert build(store, honest).built == 1
    assert find(Environment.open([honest], store), "Client.") == [
        "npm:thing@1.0/index.py#Client.get"
    ]
    assert find(Environment.open([forged], store), "Client.") == [
        "npm:thing@1.0/index.py#Client.steal"
    ]


def test_equal_packages_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make_store(tmp_path)
    first, second = (make_package(tmp_path / f"{name}/thing", FILES) for name in "ab")
    assert build(store, first, second).built == 1
    monkeypatch.setattr(package_build, "build_index", None)  # nothing is parsed from here on
    third = make_package(tmp_path / "c/thing", FILES)
    report = build(store, first, second, third)
    assert (report.built, report.known, report.failed) == (0, 3, [])
    assert find(Environment.open([third], store), "more") == ["npm:thing@1.0/lib/more.py#more"]
    files_of_index = [path for path in store.top.path.rglob("symbols.index") if "npm" in path.parts]
    assert len(files_of_index) == 1
    times = Environment.open([first], store).snapshot().parts[0].index
    assert (
        times.file(0).mtime_ns == times.file(0).stamp == 0
    )  # the shared index does not reveal the times of one place


def test_a_second_look_reads_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The attributes of installed files decide; if they differ, their content does, which is equal
    here."""
    store, package = make_store(tmp_path), make_package(tmp_path / "thing", FILES)
    for path in tmp_path.joinpath("thing").rglob("*.*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))  # as an archive sets them: not a recent time
    build(store, package)
    monkeypatch.setattr(package_build, "read_digests", None)
    assert build(store, package).known == 1
    monkeypatch.undo()
    os.utime(tmp_path / "thing" / "package.json", (1_100_000_000, 1_100_000_000))
    assert Environment.open([package], store).missing() == [package]
    assert build(store, package).known == 1
    assert Environment.open([package], store).missing() == []


def test_a_build_sees_what_was_edited_in_place(tmp_path: Path) -> None:
    """The edit is deep in a package and restores the times, so no installer's metadata shows it."""
    store, package = make_store(tmp_path), make_package(tmp_path / "thing", FILES)
    build(store, package)
    path = tmp_path / "thing/lib/more.py"
    status = path.stat()
    path.write_text("def less(): pass\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Environment.open([package], store).missing() == []
    assert build(store, package).built == 1
    assert find(Environment.open([package], store), "less") == ["npm:thing@1.0/lib/more.py#less"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"package.json": '{"version": 1}', "index.py": "class Client2: pass\n"}, "index.py"),
        ({"lib/more.py": "def other(): pass\n", "package.json": "{ }"}, "lib/more.py"),
        ({"new.py": "def new(): pass\n"}, "new.py"),
    ],
)
def test_a_package_that_was_installed_anew_is_indexed_anew(
    tmp_path: Path, changed: dict[str, str], path: str
) -> None:
    store, package = make_store(tmp_path), make_package(tmp_path / "thing", FILES)
    build(store, package)
    write_files(tmp_path / "thing", changed)
    assert Environment.open([package], store).missing() == [package]
    assert build(store, package).built == 1
    assert any(
        f"@1.0/{path}#" in symbol_id for symbol_id in find(Environment.open([package], store), "")
    )


def test_what_is_not_for_callers_is_left_out_and_counted(tmp_path: Path) -> None:
    package = make_package(
        tmp_path / "thing",
        {
            ".gitignore": "*", "a.py": "def a(): pass\n", "copy/a.py": "def a(): pass\n", "tests/test_a.py": "def test(): pass\n",
            "test/b.py": "def b(): pass\n", "lib/test/c.py": "def c(): pass\n", "node_modules/d/d.py": "def d(): pass\n",
            "e.min.js": "function e() {}\n", "f.js": "function f() {}\n", "f.d.ts": "export function f(): void\n",
            "big.py": "x = 1\n" * 400_000, "long.js": f"function g() {{ {'g();' * 2_000} }}\n",
        },
    )  # fmt: skip
    (tmp_path / "thing" / "link.py").symlink_to(tmp_path / "outside.py")
    store = make_store(tmp_path)
    build(store, package)
    (status,) = Environment.open([package], store).status()
    symbol_ids = sorted(find(Environment.open([package], store), ""))
    assert symbol_ids == [
        f"npm:thing@1.0/{suffix}" for suffix in ("a.py#a", "f.d.ts#f", "lib/test/c.py#c")
    ]
    counts = {reason.partition(" ")[0]: count for reason, count in status.left_out.items()}
    assert counts == {
        "tests": 2,
        "installed": 1,
        "packed": 1,
        "compiled,": 1,
        "larger": 1,
        "the": 1,
        "minified": 1,
        "symbolic": 1,
    }
