"""The rows, scores and reasons of searches in a small tree, as `scores.txt` has them; and how likely
each of many namesakes is meant, as `likelihoods.txt` has it.

Every number that weighs a name, a word, a kind or a flag decides some of them. After an intended
change, `--update` rewrites the files; read the difference.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symindex.search.names.likelihood import (
    CountedValues,
    PartCandidates,
    likelihoods,
    likelihoods_of_one_name,
)
from symindex.workspace.workspace import Workspace
from tests.search.score_tree import NAMESAKES, TREE
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
    text = rows(workspace, query, options)
    if pytestconfig.getoption("update"):
        page = PAGE.read_text("utf-8")
        PAGE.write_text(page.replace(f"## {section}", f"## {head}\n{text}\n"), "utf-8")
        return
    assert text == expected.removesuffix("\n")


LIKELIHOODS = PAGE.with_name("likelihoods.txt")


def test_likelihoods(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    with Workspace(write_files(tmp_path / "tree", NAMESAKES), tmp_path / "index") as workspace:
        workspace.refresh()
        parts = workspace.source.indexed.snapshot.parts
        index = parts[0].index
        text = ""
        for name in ("load_config", "loadItem", "ConfigApi", ""):
            numbers = np.array(index.names_written(name), dtype=np.int64)
            named = index.rows_of_names(numbers) if name else np.arange(index.n_symbols)
            of_rows = likelihoods_of_one_name if name else likelihoods
            candidates = [PartCandidates(0, np.arange(len(named)), named)]
            values = of_rows(CountedValues.of({}, parts), parts, candidates, len(named))
            text += f"## {name or 'every symbol'}\n\n"
            for value, row in sorted(
                zip(values.tolist(), named.tolist(), strict=True), reverse=True
            ):
                path = index.paths[index.file_at(row)]
                text += f"{value:.5f} {path} {index.qualified_name(row)}\n"
            text += "\n"
        for query in ("config", "load", "item", "Store", "loaditem", "ad_config"):
            text += f"## the order for {query}\n\n{rows(workspace, query, {})}\n"
    if pytestconfig.getoption("update"):
        LIKELIHOODS.write_text(text, "utf-8")
    assert text == LIKELIHOODS.read_text("utf-8")
