"""The spaces besides a project: every front end finds the same rows in them; faults in them are
reported and do not stop the search."""

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.packages.indexes.name_table import POINTER
from symindex.protocol.freshness import SOON
from symindex.workspace.workspace import open_dependencies, open_workspace
from tests.support.command import run_symindex
from tests.support.libraries import SITE, make, node_project, python_project

TREE = python_project(
    {
        "web-1.0": {
            "web/__init__.py": "def fetch_page(url):\n    return url\n\nclass Client:\n    def close(self):\n        return 1\n"
        },
        "tool-2.0": {
            "tool/__init__.py": "def close():\n    return 2\n",
            "tool/README.md": "# How to close\n\nCall close.\n",
        },
    }
)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "project", TREE)


def _notices(root: Path, index_dir: Path, name: str) -> str:
    with open_workspace(root, index_dir) as workspace:
        return " ".join(workspace.search(name).notices or [])


@pytest.mark.nightly
def test_the_front_ends_find_the_same(root: Path, tmp_path: Path) -> None:
    with open_workspace(root, tmp_path / "indexes") as workspace:
        paths_by_space = {
            space: [item.file_path for item in workspace.search("close", space=space).items]
            for space in ("system", "all")
        }
    assert paths_by_space["system"] == [
        "pypi:tool@2.0/tool/__init__.py",
        "pypi:web@1.0/web/__init__.py",
    ]
    for space, paths in paths_by_space.items():
        shown = run_symindex(
            "search",
            "close",
            "--space",
            space,
            "--json",
            "--root",
            str(root),
            "--index-dir",
            str(tmp_path / "indexes"),
        )
        assert [item["file_path"] for item in json.loads(shown.stdout)["items"]] == paths


@pytest.mark.nightly
def test_a_search_says_which_packages_have_the_name(root: Path, tmp_path: Path) -> None:
    indexes = tmp_path / "indexes"
    # nothing has been indexed yet
    assert "packages had it" not in _notices(root, indexes, "fetch_page")
    open_dependencies(root, indexes).build()
    assert "pypi:web@1.0" in _notices(root, indexes, "fetch_page")
    assert "pypi:web@1.0" in _notices(root, indexes, "fetchPage")
    assert "packages had it" not in _notices(root, indexes, "fetch_pages")
    assert "packages had it" not in _notices(root, indexes, "main")
    with open_workspace(root, indexes) as workspace:
        for narrowed in (
            {"kinds": ["class"]},
            {"paths": ["src/**"]},
            {"space": "project"},
            {"start_index": 1},
        ):
            assert "packages had it" not in str(workspace.search("fetch_page", **narrowed).notices)


def test_packages_indexed_before_the_project_are_reported(root: Path, tmp_path: Path) -> None:
    open_dependencies(root, tmp_path / "indexes").build()
    assert "pypi:web@1.0" in _notices(root, tmp_path / "indexes", "fetch_page")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "data",
    [b"", b"\x94", b"\x94\xa3../\xc4\x00\x90\x90", os.urandom(500), b"\xdd\xff\xff\xff\xff" * 9],
)
def test_a_damaged_pointer_says_nothing(root: Path, tmp_path: Path, data: bytes) -> None:
    indexes = tmp_path / "indexes"
    with open_workspace(root, indexes) as workspace:
        workspace.symbol("web.fetch_page")
        (workspace.source.indexed.folder / POINTER).write_bytes(data)
        assert "packages had it" not in str(workspace.search("fetch_page").notices)
        workspace.symbol("nothing_of_this_name")


def test_a_damaged_index_of_a_package_is_built_anew(root: Path, tmp_path: Path) -> None:
    indexes = tmp_path / "indexes"
    for _ in range(2):
        with open_workspace(root, indexes) as workspace:
            response = workspace.symbol("web.fetch_page")
        assert response.symbol is not None and response.symbol.line == 1
        [stored] = (indexes / "packages/pypi").glob("web-*/symbols.index")
        data = bytearray(stored.read_bytes())
        data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
        stored.write_bytes(data)


@pytest.mark.nightly
def test_a_package_that_has_changed_is_read_anew(root: Path, tmp_path: Path) -> None:
    with open_workspace(root, tmp_path / "indexes") as workspace:
        assert workspace.symbol("tool.close").symbol is not None
    make(
        root,
        python_project({"tool-3.0": {"tool/__init__.py": "\n\ndef close(now):\n    return 3\n"}}),
    )
    for path in (root / SITE / "tool-2.0.dist-info").iterdir():
        path.unlink()
    (root / SITE / "tool-2.0.dist-info").rmdir()
    with open_workspace(root, tmp_path / "indexes") as workspace:
        response = workspace.symbol("tool.close")
    assert (
        response.symbol is not None
        and response.symbol.file_path == "pypi:tool@3.0/tool/__init__.py"
    )
    assert response.symbol.signature == "def close(now)"


def test_an_answer_that_can_be_repeated_waits_for_no_other_process(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexes = tmp_path / "indexes"
    monkeypatch.setattr("symindex.workspace.spaces.spaces.SOON_SECONDS", 0.1)
    dependencies = open_dependencies(root, indexes)
    with dependencies.store.building(1.0), open_workspace(root, indexes) as workspace:
        workspace.refresh()
        response = workspace.symbol("web.fetch_page", freshness=SOON)
    assert response.symbol is None and "another process is indexing" in str(response.notices)


@pytest.mark.nightly
def test_a_broken_environment_is_reported(tmp_path: Path) -> None:
    root = make(
        tmp_path / "project",
        {"app.py": "x = 1\n", ".venv/pyvenv.cfg": "", "requirements.txt": "web\n"},
    )
    shown = run_symindex(
        "deps", "--build", "--root", str(root), "--index-dir", str(tmp_path / "indexes")
    )
    assert "it has no site-packages" in shown.stdout + shown.stderr
    with open_workspace(root, tmp_path / "indexes") as workspace:
        assert workspace.search("x", space="system").total == 0
        assert workspace.symbol("web.get").symbol is None


def test_links_of_pnpm_are_one_package_each(tmp_path: Path) -> None:
    store = ".pnpm/kit@1.0.0/node_modules/kit"
    root = make(
        tmp_path / "project",
        node_project(
            {store: {"index.d.ts": "export declare function made(): void;\n"}}, named="kit"
        ),
    )
    (root / "node_modules/kit").symlink_to(f"{store}")
    (root / "node_modules/away").symlink_to(tmp_path)
    with open_workspace(root, tmp_path / "indexes") as workspace:
        assert [item.file_path for item in workspace.search("made", space="system").items] == [
            "npm:kit@1.0.0/index.d.ts"
        ]
        assert workspace.symbol("kit.made").symbol is not None


POM = """<project><groupId>a</groupId><artifactId>b</artifactId><version>1</version><dependencies>
<dependency><groupId>org.x</groupId><artifactId>bad</artifactId><version>1</version></dependency>
<dependency><groupId>org.x</groupId><artifactId>good</artifactId><version>1</version></dependency></dependencies></project>"""


def _out(archive: zipfile.ZipFile) -> None:
    archive.writestr("../../evil.java", "class Evil {}\n")


def _bomb(archive: zipfile.ZipFile) -> None:
    for number in range(200):
        archive.writestr(f"evil/{number}.java", b"/" * 1_000_000)


@pytest.mark.parametrize(
    ("damage", "why"),
    [(_out, "its member ../../evil.java leads out of it"), (_bomb, "more than 200 times its size")],
)
def test_a_bad_jar_is_said_and_the_others_are_read(
    damage: Callable[[zipfile.ZipFile], None],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = make(tmp_path / "project", {"pom.xml": POM, "A.java": "class A {}\n"})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in "bad", "good":
        jar = tmp_path / f"home/.m2/repository/org/x/{name}/1/{name}-1-sources.jar"
        jar.parent.mkdir(parents=True)
        with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(
                f"x/{name.title()}.java",
                f"package x; public class {name.title()} {{ void run() {{}} }}\n",
            )
            if name == "bad":
                damage(archive)
    options = (
        "--ecosystem",
        "maven",
        "--root",
        str(root),
        "--index-dir",
        str(tmp_path / "indexes"),
    )  # excludes the JDK's packages
    shown = run_symindex("deps", "--build", *options)
    assert "maven:org.x:bad@1" in shown.stdout and why in shown.stdout
    assert not [path for path in tmp_path.rglob("*") if "evil" in path.name or "Bad" in path.name]
    with open_workspace(root, tmp_path / "indexes") as workspace:
        response = workspace.symbol("x.Good.run")
    assert (
        response.symbol is not None
        and response.symbol.file_path == "maven:org.x:good@1/x/Good.java"
    )


@pytest.mark.nightly
def test_a_package_of_very_many_files_is_read_to_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symindex.packages.found.package_files.MOST_FILES", 500)
    files = {f"big/m{number:04}.py": f"def of_{number}(): pass\n" for number in range(800)}
    root = make(tmp_path / "project", python_project({"big-1.0": files}))
    dependencies = open_dependencies(root, tmp_path / "indexes")
    dependencies.build()
    (row,) = [row for row in dependencies.report().packages if row.name == "big"]
    assert row.files == 500
    assert any(reason.startswith("beyond the limits") for reason in row.left_out)
    with open_workspace(root, tmp_path / "indexes") as workspace:
        assert workspace.symbol("big.m0100.of_100").symbol is not None
