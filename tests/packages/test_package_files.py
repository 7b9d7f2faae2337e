"""The files of a package that are read, and why others are left out."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.files.access.beneath import Beneath
from symindex.files.skips import SkipReason
from symindex.files.walk import FileFilter
from symindex.packages.found.package import Package
from symindex.packages.found.package_documents import DocumentEndings
from symindex.packages.found.package_files import find_package_files
from tests.support.files import Files, write_files

TAKEN = FileFilter(frozenset({".py", ".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".md", ".json", ".txt", ".html", ".rst"}), frozenset(), 10)  # fmt: skip
ENDINGS = DocumentEndings(frozenset({".md", ".txt", ".html", ".rst"}), frozenset({".json"}))

Case = tuple[dict[str, str], tuple[str, ...], list[str], dict[str, int]]

CASES: dict[str, Case] = {
    "tests anywhere, and at the top of a package with a folder of its own": (
        dict.fromkeys(
            ["a.py", "tests/a.py", "in/Tests/a.py", "__mocks__/a.js", "in/testdata/a.py", "test/a.py", "Spec/a.py",
             "in/test/a.py", "benchmarks/a.py", "in/e2e/a.py", "testing/a.py", "tests.py"], ""
        ), (),
        ["a.py", "in/e2e/a.py", "in/test/a.py", "testing/a.py", "tests.py"],
        {"tests": 7},
    ),
    "tests at the top, where the package names its folders": (
        dict.fromkeys(["one/test/a.py", "test/a.py", "one/tests/a.py", "two/a.py"], ""), ("one", "test"),
        ["one/test/a.py", "test/a.py"], {"tests": 1},
    ),
    "a folder of tests that the package names itself": (
        dict.fromkeys(["tests/a.py", "tests/tests/b.py", "b.py"], ""), ("tests", "b.py", "c.py"),
        ["b.py", "tests/a.py"], {"tests": 1, "unreadable": 1},
    ),
    "a folder and what is in it, both named": (
        dict.fromkeys(["a/b/c.py", "a/d.py", "z.py"], ""), ("a", "a/b", "a/d.py"),
        ["a/b/c.py", "a/d.py"], {},
    ),
    "a large file, named and not": (
        {"a.py": "x" * 10, "b.py": "x" * 11, "in/c.py": "x" * 11, "d.png": ""}, ("a.py", "b.py", "in", "d.png"),
        ["a.py"], {str(SkipReason.TOO_LARGE): 2},
    ),
    "packed for browsers": (
        dict.fromkeys(["a.min.js", "b-min.js", "c.bundle.js", "d.bundle.min.js", "e.js", "min.js", "f.MIN.JS", "g.admin.js"], ""), (),
        ["e.js", "g.admin.js", "min.js"], {"packed for browsers": 5},
    ),
    "compiled, with declarations beside it": (
        dict.fromkeys(
            ["a.d.ts", "a.js", "a.mjs", "a.cjs", "b.d.mts", "b.mjs", "b.js", "c.d.cts", "c.cjs", "c.mjs", "d.js",
             "e.d.ts", "e.d.mts", "e.d.cts", "in/a.js"], ""
        ), (),
        ["a.d.ts", "b.d.mts", "b.js", "c.d.cts", "c.mjs", "d.js", "e.d.ts", "in/a.js"],
        {"compiled, with declarations beside it": 7},
    ),
    "documents": (
        dict.fromkeys(
            ["README.md", "readme.txt", "notes.txt", "LICENSE.md", "Security.md", "a.json", "page.html", "docs/a.md", "DOC/b.rst",
             "docs/deep/c.md", "other/d.md", "guide/UPGRADING.txt", "guide/x.txt", ".ai/rules/a.md", ".ai/a.json", "x/.claude/a.md",
             "docs/licence.md", "History.text.md"], ""
        ), (),
        [".ai/a.json", ".ai/rules/a.md", "DOC/b.rst", "History.text.md", "README.md", "docs/a.md", "docs/deep/c.md",
         "guide/UPGRADING.txt", "readme.txt", "x/.claude/a.md"],
        {"documents that are not its guides": 8},
    ),
    "documents of a package that names its folders": (
        dict.fromkeys(["one/a.md", "one/docs/b.md", "one/other/c.md", "one/in.py"], ""), ("one",),
        ["one/a.md", "one/docs/b.md", "one/in.py"], {"documents that are not its guides": 1},
    ),
}  # fmt: skip


def listed(root: Path, files: Files, named: tuple[str, ...]) -> tuple[list[str], dict[str, int]]:
    package = Package("npm", "name", "1", write_files(root, files), named)
    listing = find_package_files(package, TAKEN, ENDINGS)
    assert all(file.size == len(files[file.path]) for file in listing.files)
    return [file.path for file in listing.files], listing.left_out


@pytest.mark.parametrize("name", CASES)
def test_which_files_are_read(name: str, tmp_path: Path) -> None:
    files, named, expected, left_out = CASES[name]
    assert listed(tmp_path / "p", files, named) == (expected, left_out)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["a", "a/b", "a/b/c.py", "a/d.py", "e.py", "f"]), unique=True))
def test_files_are_those_of_the_named_paths_once(
    tmp_path_factory: pytest.TempPathFactory, named: list[str]
) -> None:
    files = dict.fromkeys(["a/b/c.py", "a/d.py", "e.py", "f/g.py"], "")
    paths, left_out = listed(tmp_path_factory.mktemp("named"), files, tuple(named))
    assert not left_out
    assert paths == [
        path
        for path in files
        if not named or any(path == name or path.startswith(f"{name}/") for name in named)
    ]


def test_a_package_without_its_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        find_package_files(Package("npm", "name", "1", tmp_path / "none"), TAKEN)
    os.symlink(tmp_path, tmp_path / "link")
    write_files(tmp_path / "real", {"a.py": ""})
    os.symlink("a.py", tmp_path / "real/b.py")
    listing = find_package_files(
        Package("npm", "name", "1", tmp_path / "real", ("a.py", "b.py")), TAKEN
    )
    assert [file.path for file in listing.files] == ["a.py"]


def test_a_folder_that_cannot_be_listed_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = dict.fromkeys(["a.py", "b/b.py", "c/c.py"], "")
    package = Package("npm", "name", "1", write_files(tmp_path / "p", files))
    folder = Beneath.folder

    def refuse(self: Beneath, base: str) -> object:
        if base == "b/":
            raise PermissionError(13, "Permission denied")
        return folder(self, base)

    monkeypatch.setattr(Beneath, "folder", refuse)
    listing = find_package_files(package, TAKEN)
    assert [file.path for file in listing.files] == ["a.py", "c/c.py"]
    assert listing.left_out == {"unreadable": 1}
