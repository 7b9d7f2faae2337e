"""The rows, scores and reasons of searches in a small tree, as `scores.txt` has them.

Every number that weighs a name, a word, a kind or a flag decides some of them. After an intended
change, `--update` rewrites the file; read the difference.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex.workspace.workspace import Workspace
from tests.search.score_tree import TREE
from tests.support.files import write_files

PAGE = Path(__file__).with_name("scores.txt")
SECTIONS = PAGE.read_text("utf-8").split("## ")[1:]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("scores")
    with Workspace(write_files(folder / "tree", TREE), folder / "index") as made:
        made.refresh()
        yield made


def rows(workspace: Workspace, query: str, options: dict[str, Any]) -> str:
    """Returns the rows of a search: score, name, file, and why it is a guess."""
    items = workspace.search(query, include=["score"], **options).items
    return "".join(
        f"{item.score:.4f} {f'{item.container}.' if item.container else ''}{item.name}"
        f" {item.file_path}{f' ({item.match})' if item.match else ''}\n"
        for item in items
    )


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.partition("\n")[0])
def test_scores(section: str, workspace: Workspace, pytestconfig: pytest.Config) -> None:
    head, _, expected = section.partition("\n")
    query, options = ast.literal_eval(head)
    found = rows(workspace, query, options)
    if pytestconfig.getoption("update"):
        page = PAGE.read_text("utf-8")
        PAGE.write_text(page.replace(f"## {section}", f"## {head}\n{found}\n"), "utf-8")
        return
    assert found == expected.removesuffix("\n")
