"""A source tree in several languages for the tests of this folder."""

from collections.abc import Iterator

import pytest

from symindex.workspace.workspace import Workspace
from tests.support.files import write_files
from tests.support.mixed_tree import TREE


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("reading")
    with Workspace(write_files(folder / "tree", TREE), folder / "index") as workspace:
        workspace.refresh()
        yield workspace
