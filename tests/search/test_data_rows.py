"""A data key ranks after all code that a query finds, but is found."""

import json

import pytest

from symindex.workspace.workspace import Workspace
from tests.support.files import write_files

DATA = {
    "package.json": json.dumps({"timeout": 1, "nested": {"timeout": 2}}),
    "many.json": json.dumps({f"total{n}": {"timeout": n} for n in range(400)}, indent=1),
    "a.yaml": "timeout: 1\n",
    "b.toml": "[timeout]\ntimeout = 1\n",
}
CODE = {
    "a.py": "def timeout_of(x): pass\nclass MyTimeout: pass\n",
    "gen/b.py": "# @generated\ndef set_timeout(): pass\n",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("data")
    return Workspace(write_files(folder / "tree", {**DATA, **CODE}), folder / "index")


@pytest.mark.parametrize(
    "query", ["timeout", "Timeout", "", "time", "kind:key OR timeout", "timeout of", "tmout"]
)
def test_no_key_comes_before_code(workspace: Workspace, query: str) -> None:
    kinds = [item.kind for item in workspace.search(query).items]
    data = [kind in ("key", "object") for kind in kinds]
    assert data == sorted(data)
    assert len(kinds) >= 2


@pytest.mark.sample(2)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 100])
def test_pages_are_those_of_the_whole_order(workspace: Workspace, size: int) -> None:
    whole = workspace.search("timeout").items
    items, token = [], None  # type: ignore[var-annotated]
    while len(items) < len(whole):
        page = workspace.search("timeout", max_items=size, pagination_id=token)
        items += page.items
        token = page.pagination_id
        assert page.total == len(whole)
    assert items == whole
    assert [item.kind for item in whole[:3]] == ["function", "class", "function"]


def test_scores_fall(workspace: Workspace) -> None:
    scores = [item.score for item in workspace.search("timeout", include=["score"]).items]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    assert all(0 < score <= 1 for score in scores if score is not None)  # type: ignore[operator]


def test_data_alone_is_found(workspace: Workspace) -> None:
    assert workspace.search("total399").items[0].kind == "key"
    assert workspace.search("timeout", kinds=["object"]).total == 1
