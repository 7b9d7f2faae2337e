"""Calls of rye's tools from Python: whose project a call is about, and what stands only in the other mode."""

from typing import Any

import pytest

from symindex.dialects.table import call
from symindex.errors import RequestError
from symindex.workspace import Workspace
from tests.support.files import Maker


@pytest.fixture
def workspace(make_workspace: Maker) -> Workspace:
    return make_workspace({".ai/tools/deploy.py": '"""Deploys the shop"""\n', "src/a.py": "def deploy_shop(): pass\n"})


def found(workspace: Workspace, query: str = "shop", scope: str = "tool", **more: Any) -> list[str]:
    return [row.id for row in call(workspace, "rye", "rye_search", query=query, scope=scope, **more).results]


def test_the_project_is_the_root_or_a_folder_in_it(workspace: Workspace) -> None:
    for path in ({}, {"project_path": ""}, {"project_path": str(workspace.root)}, {"project_path": f"{workspace.root}/src"}):
        assert found(workspace, **path) == ["deploy"]
    for elsewhere in (str(workspace.root.parent), f"{workspace.root}-other", f"{workspace.root}/../other", "\0", "\ud800"):
        with pytest.raises(RequestError, match=r"not in a folder that is served; these are: .*tree0"):
            found(workspace, project_path=elsewhere)


def test_a_word_stands_whole(workspace: Workspace) -> None:
    assert found(workspace, "deploy", "function") == ["src/a.py#deploy_shop"]
    assert found(workspace, "depl", "function") == found(workspace, "depl") == found(workspace, "shopp") == []
    assert found(workspace, "depl*") == found(workspace, "deploying shops") == ["deploy"]
    assert found(workspace, "shopp", fuzzy={"enabled": True, "max_distance": 1}) == ["deploy"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"item_id": "deploy", "limit": 3}, "limit: belongs to a query, not to item_id"),
        ({"query": "shop", "scope": "tool", "version": "1"}, "version: belongs to item_id, not to a query"),
        ({"query": "shop", "scope": "tool", "fuzzy": {"max_distance": 21}}, "a whole number from 0 to 20"),
        ({"item_id": "deploy", "source": "local"}, "unknown source 'local'"),
    ],
)
def test_what_cannot_be_meant(given: dict[str, Any], told: str, workspace: Workspace) -> None:
    answer = call(workspace, "rye", "rye_fetch", **given)
    assert answer["status"] == "error" and told in answer["error"] and answer["item_id"] == given.get("item_id")
