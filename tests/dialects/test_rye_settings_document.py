"""Tests what rye's documents leave to settings: a registry as a source of rye_fetch, and the field
weights of an item type."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.dialect_client import (
    Arguments,
    Check,
    DialectServer,
    case,
    every,
    exactly,
    has,
    lacks,
    refused,
    told,
)
from tests.support.dialect_world import PROJECT, World, make_world
from tests.support.files import write_files

RELEASES = {version: f'"""Cuts a release, {version}"""\n' for version in ("1.9.0", "1.10.0")}
RELEASE = {"item_id": "deploy/release", "source": "registry"}
WEIGHTS = """[[item_types]]
type = "knowledge"
folders = [".ai/knowledge"]
extensions = [".md"]
weights = {content = 9.0, title = 1.0}
"""


def registry() -> dict[str, str]:
    """Returns the files of a registry that has one tool in two versions."""
    items = []
    for version, text in RELEASES.items():
        digest = hashlib.sha256(text.encode()).hexdigest()
        named = {
            "type": "tool",
            "id": "deploy/release",
            "version": version,
            "sha256": digest,
            "size": len(text.encode()),
        }
        items.append(
            {
                **named,
                "title": "Release",
                "description": "Cuts a release.",
                "path": f"tools/release-{version}.py",
            }
        )
    index = {
        "index.json": json.dumps({"symindex_registry": 1, "made_by": "conformance", "items": items})
    }
    return {**index, **{f"tools/release-{version}.py": text for version, text in RELEASES.items()}}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    top = tmp_path_factory.mktemp("rye")
    write_files(top / "registry", registry())
    source = json.dumps(str(top / "registry"))
    write_files(top, {"config.toml": f'[[registries]]\nname = "team"\nsource = {source}\n'})
    return make_world(
        top, {**PROJECT, "symindex.toml": WEIGHTS}, SYMINDEX_CONFIG=str(top / "config.toml")
    )


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[DialectServer]:
    with world.serve("rye") as server:
        yield server


def content(text: str) -> Check:
    def check(answer: Any) -> None:
        assert answer.data["content"] == text

    return check


FIND = {"query": "release", "scope": "tool"}
CASES = [
    case(
        "registry: the type is detected",
        RELEASE,
        told(status="success", source="registry"),
        content(RELEASES["1.10.0"]),
    ),
    case(
        "registry: with the type",
        {**RELEASE, "item_type": "tool"},
        told(status="success"),
        content(RELEASES["1.10.0"]),
    ),
    case(
        "registry: a version",
        {**RELEASE, "version": "1.9.0"},
        told(status="success"),
        content(RELEASES["1.9.0"]),
    ),
    case(
        "registry: a version that is not there", {**RELEASE, "version": "7"}, refused("7", "1.9.0")
    ),
    case(
        "registry: another type does not have it",
        {**RELEASE, "item_type": "directive"},
        refused("deploy/release"),
    ),
    case(
        "registry: an id that is not there",
        {**RELEASE, "item_id": "deploy/none"},
        refused("deploy/none"),
    ),
    case(
        "registry: the cascade does not ask it",
        {"item_id": "deploy/release"},
        refused("Item not found: deploy/release"),
    ),
    case(
        "query: source registry",
        {**FIND, "source": "registry"},
        exactly("deploy/release"),
        every("source", "registry"),
    ),
    case("query: source all includes it", {**FIND, "source": "all"}, has("deploy/release")),
    case("query: the default includes it", FIND, has("deploy/release")),
    case("query: source local does not", {**FIND, "source": "local"}, lacks("deploy/release")),
    case("query: source system does not", {**FIND, "source": "system"}, lacks("deploy/release")),
]


@pytest.mark.sample(8)
@pytest.mark.parametrize(("arguments", "check"), CASES)
def test_rye_fetch(server: DialectServer, world: World, arguments: Arguments, check: Check) -> None:
    check(server.call("rye_fetch", world.call(**arguments)))


def test_a_version_of_a_registry_is_copied(server: DialectServer, world: World) -> None:
    data = server.call(
        "rye_fetch", world.call(**RELEASE, item_type="tool", version="1.9.0", destination="user")
    ).data
    assert data["copied_to"] == "user" and Path(data["destination_path"]).name == "release.py"
    assert Path(data["destination_path"]).is_relative_to(world.home / ".ai" / "tools")
    assert Path(data["destination_path"]).read_text() == RELEASES["1.9.0"]


def test_weights_of_an_item_type_rank_its_items(server: DialectServer, world: World) -> None:
    rows = server.call(
        "rye_search", world.call(query="quokka", scope="knowledge.weights.*")
    ).results
    scores = {row["id"]: row["score"] for row in rows}
    assert scores["weights/in-content"] > scores["weights/in-title"]
