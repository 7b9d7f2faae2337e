"""Fetches and searches after edits that leave an overlay answer as those of a new index do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.errors import RequestError
from symindex.protocol.fetch import FetchFailure
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files

TOOL = '"""{}"""\n__version__ = "{}"\n'
FOLDER = ".ai/tools/x/"

BEFORE = {
    f"{FOLDER}bash.py": TOOL.format("Run a shell.", "1.0.0"),
    f"{FOLDER}grep.py": TOOL.format("Find text.", "1.0.0"),
    ".ai/directives/x/ship.md": "---\ntitle: Ship\ncolour: red\n---\n# Ship\n\nShips it.\n",
    **{f"src/f{number}.py": "x = 1\n" for number in range(20)},
}


def change(root: Path) -> None:
    write_files(root, {f"{FOLDER}bash.py": TOOL.format("Run a command.", "2.0.0")})


def rename(root: Path) -> None:
    (root / FOLDER / "bash.py").rename(root / FOLDER / "shell.py")


def remove(root: Path) -> None:
    (root / FOLDER / "bash.py").unlink()


def add_namesake(root: Path) -> None:
    write_files(root, {".ai/directives/x/bash.md": "---\ntitle: Bash\n---\n# Bash\n"})


def change_fields(root: Path) -> None:
    write_files(root, {".ai/directives/x/ship.md": "---\ntitle: Ship\nshape: round\n---\n# Ship\n"})


def add_and_change_back(root: Path) -> None:
    change(root)
    write_files(root, {f"{FOLDER}bash.py": BEFORE[f"{FOLDER}bash.py"], "src/f0.py": "y = 1\n"})


FETCHES: list[dict[str, Any]] = [
    {"item_id": "x/bash"},
    {"item_id": "tool:x/bash"},
    {"item_id": "x/bash", "item_type": "tool"},
    {"item_id": "x/bash", "item_type": "directive"},
    {"item_id": "x/bash", "source": "project"},
    {"item_id": "x/bash", "source": "user"},
    {"item_id": f"{FOLDER}bash.py"},
    {"item_id": "x/bsah"},
    {"item_id": "bash"},
    {"item_id": "x/shell"},
    {"item_id": "x/ship"},
]

SEARCHES: list[dict[str, Any]] = [
    {"query": "", "type": "item"},
    {"query": "bash", "type": "tool"},
    {"query": "run", "type": "item"},
    {"query": "", "type": "item", "filters": {"colour": "red"}},
    {"query": "", "type": "item", "filters": {"shape": "round"}},
    {"query": "", "type": "item", "fields": {"version": "1.0.0"}},
    {"query": "type:tool", "type": "item"},
]


def answers(workspace: Workspace) -> Iterator[tuple[dict[str, Any], object]]:
    for given in FETCHES:
        yield given, workspace.fetch(**given)
    for given in SEARCHES:
        try:
            response = workspace.search(**given, include=["id", "metadata"])
            yield given, (response.total, [msgspec.json.encode(item) for item in response.items])
        except RequestError as error:
            yield given, str(error)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "edit", [change, remove, change_fields, rename, add_and_change_back, add_namesake]
)
def test_an_edited_item_is_one_item(edit: Any, tmp_path: Path) -> None:
    """Of an item that was changed, renamed or removed, nothing of before is found or suggested."""
    root = write_files(tmp_path / "tree", BEFORE)
    with Workspace(root, tmp_path / "index") as followed:
        followed.refresh()
        edit(root)
        followed.refresh()
        assert len(followed.source.indexed.snapshot.parts) > 1, "the edit has left no overlay"
        with Workspace(root, tmp_path / "new index") as new:
            new.refresh()
            for (given, answer), (_, expected) in zip(answers(followed), answers(new), strict=True):
                assert answer == expected, given


def test_an_item_that_was_its_whole_file_is_not_the_one_that_took_its_place(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"Makefile": "build:\n\techo build"})
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.refresh()
        write_files(root, {"Makefile": "deploy:\n\techo deploy"})
        answer = workspace.fetch(item_id="Makefile/build")
        assert isinstance(answer, FetchFailure)
        assert "task Makefile/build is not in Makefile any more" in answer.error


def test_an_empty_answer_after_an_edit_has_the_reason_of_a_new_index(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", BEFORE)
    with Workspace(root, tmp_path / "index") as followed, Workspace(root, tmp_path / "new") as new:
        followed.refresh()
        for name in ("bash", "grep"):
            (root / FOLDER / f"{name}.py").unlink()
        followed.refresh()
        assert len(followed.source.indexed.snapshot.parts) > 1
        notices = [workspace.search("bash", type="tool").notices for workspace in (followed, new)]
        assert notices[0] and notices[0] == notices[1]
