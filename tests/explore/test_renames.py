"""A renamed file, with or without other changes, is one change."""

from pathlib import Path

import pytest

from symindex.explore.changes.versions import LEAST, find_renames
from symindex.render.changed import render_changed
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files
from tests.support.git import git

LONG = "".join(f"def number_{number}():\n    return {number}\n\n\n" for number in range(10))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_files(
        tmp_path / "tree",
        {
            "src/one.py": LONG,
            "src/two.py": "def two():\n    pass\n",
            "e.py": "",
            "same.py": "x = 1\n",
        },
    )
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "x")
    return root


def changed(root: Path, path: str = "") -> str:
    with Workspace(root, index_dir=root.parent / "index") as workspace:
        workspace.refresh()
        return (
            render_changed(workspace.changed(path=path))
            .partition("commit")[2]
            .partition("\n\n")[2]
            .strip()
        )


@pytest.mark.nightly
def test_a_file_that_was_only_moved_has_no_changed_symbols(root: Path) -> None:
    git(root, "mv", "src/one.py", "lib.py")
    assert changed(root) == "lib.py (renamed from src/one.py)"
    assert changed(root, "lib.py").startswith(
        "lib.py (added)"
    )  # git finds the same if only that file is requested


def test_what_changed_in_a_moved_file(root: Path) -> None:
    (root / "src/one.py").rename(root / "uno.py")
    (root / "uno.py").write_text(LONG.replace("return 3", "return 33") + "def more(): pass\n")
    (root / "src/two.py").rename(root / "src/three.py")
    (root / "src/three.py").write_text("class Other:\n    nothing = 1\n")
    assert changed(root).split("\n\n") == [
        "src/three.py (added)\n- + 1 `Other` class (+1)",
        "src/two.py (removed)\n- - 1 `two` function",
        "uno.py (renamed from src/one.py)\n- ~ 13 `number_3` function\n- + 41 `more` function",
    ]


def test_which_files_are_pairs() -> None:
    def pairs(gone: dict[str, str], new: dict[str, str]) -> dict[str, str]:
        both = [[(path, data.encode()) for path, data in files.items()] for files in (gone, new)]
        return {[*new][number]: [*gone][before] for number, before in find_renames(*both).items()}

    lines = [f"line {number}\n" for number in range(10)]
    text = "".join(lines)
    assert LEAST == 0.5 and pairs(
        {"a": text}, {"b": "".join([*lines[:5], *(f"othr {number}\n" for number in range(5))])}
    ) == {"b": "a"}
    assert (
        pairs(
            {"a": text}, {"b": "".join([*lines[:4], *(f"othr {number}\n" for number in range(6))])}
        )
        == {}
    )
    assert pairs({"x/a": text, "y/b": text}, {"z/b": text, "z/a": text}) == {
        "z/b": "y/b",
        "z/a": "x/a",
    }  # names decide among equals
    assert pairs({"a": text}, {"b": text, "c": text}) == {"b": "a"}
    assert pairs({"a": "", "n": "\n\n\n"}, {"b": "", "m": "\n\n\n"}) == {}
    assert pairs({"a": text + "x\n"}, {"b": text + "y\n", "c": text + "x\n"}) == {"c": "a"}
    # A file that is more alike comes before one with the same name.
    assert pairs({"x/a": text}, {"y/a": text + "y\n", "z/b": text}) == {"z/b": "x/a"}
