"""Items of the system space on a fresh project whose packages are not indexed yet: they are found,
or the answer names what is missing."""

from pathlib import Path
from typing import Any

import pytest

from symindex.packages.dependencies import Dependencies
from symindex.protocol.fetch import FetchFailure, FetchResponse
from symindex.protocol.freshness import CURRENT_OR_SCAN, SOON
from symindex.workspace.spaces import spaces
from symindex.workspace.workspace import Workspace
from tests.support.items_world import live_in, make_world


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    world = make_world(tmp_path)
    live_in(world, monkeypatch)
    return Workspace(world.project, world.index)


@pytest.mark.parametrize("freshness", [SOON, CURRENT_OR_SCAN])
def test_the_first_request_sees_the_system_space(fresh: Workspace, freshness: Any) -> None:
    with fresh:
        response = fresh.search("contents", scope="tool", freshness=freshness)
        assert [item.name for item in response.items] == ["read"] and not response.notices
        answer = fresh.fetch(item_id="rye/file-system/read", freshness=freshness)
        assert isinstance(answer, FetchResponse) and answer.source == "system"


def test_skipped_waits_are_reported(fresh: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dependencies, "start_build", lambda self: True)
    monkeypatch.setattr(spaces, "FIRST_SECONDS", 0.2)
    with fresh:
        lacking = "1 of 2 packages are being indexed in the background: they were not searched; ask again to search them"
        response = fresh.search("contents", scope="tool", freshness=SOON)
        assert response.total == 0 and response.notices == [lacking]
        answer = fresh.fetch(item_id="rye/file-system/read", freshness=SOON)
        assert (
            isinstance(answer, FetchFailure)
            and answer.error == f"Item not found: rye/file-system/read; {lacking}"
        )
        assert not fresh.search(
            "contents", scope="class", freshness=SOON
        ).notices  # a search for symbols concerns only the project
