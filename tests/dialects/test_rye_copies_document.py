"""Tests what rye_fetch's document says about changes and checks: copies between spaces, and the
integrity of signed items."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.dialect_client import Answer, DialectServer, refused
from tests.support.dialect_world import SITE, World, make_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("rye"))


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[DialectServer]:
    with world.serve("rye") as server:
        yield server


def copy(
    server: DialectServer, world: World, item: str, kind: str, source: str, destination: str
) -> Answer:
    given = {"item_type": kind, "item_id": item, "source": source, "destination": destination}
    return server.call("rye_fetch", world.call(**given))


def root_of(world: World, space: str) -> Path:
    return {"project": world.root, "user": world.home, "system": world.root / SITE / "ryeos_core"}[
        space
    ]


@pytest.mark.nightly
def test_the_first_question_in_a_fresh_project_sees_the_system_space(world: World) -> None:
    with world.serve("rye") as fresh:
        assert fresh.call("rye_fetch", world.call(item_id="rye/bash")).data["source"] == "system"


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("item", "kind", "folder", "file", "source", "destination"),
    [
        ("rye/bash", "tool", "tools", "bash.py", "system", "project"),
        ("rye/file-system/write", "tool", "tools", "write.py", "system", "user"),
        ("my/mine", "tool", "tools", "mine.py", "user", "project"),
        ("files/reader", "tool", "tools", "reader.py", "project", "user"),
        ("rye/core/create_tool", "directive", "directives", "create_tool.md", "system", "project"),
        (
            "rye/core/tool-metadata-reference",
            "knowledge",
            "knowledge",
            "tool-metadata-reference.md",
            "system",
            "project",
        ),
    ],
    ids=[
        "system to project",
        "system to user",
        "user to project",
        "project to user",
        "example: a directive",
        "knowledge",
    ],
)
def test_a_copy(
    server: DialectServer,
    world: World,
    item: str,
    kind: str,
    folder: str,
    file: str,
    source: str,
    destination: str,
) -> None:
    data = copy(server, world, item, kind, source, destination).data
    original, made = Path(data["path"]), Path(data["destination_path"])
    assert (data["status"], data["source"], data["copied_to"]) == ("success", source, destination)
    assert original.is_relative_to(root_of(world, source))
    assert made.is_relative_to(root_of(world, destination) / ".ai" / folder)
    assert made.name == file
    assert made.read_text() == original.read_text() == data["content"]


def test_a_copy_comes_first_from_then_on(server: DialectServer, world: World) -> None:
    copy(server, world, "rye/core/registry", "tool", "system", "project")
    rows = server.call("rye_fetch", world.call(query="registry", scope="tool.rye.core.*")).results
    assert [row["source"] for row in rows] == ["project", "system"]
    assert (
        server.call("rye_fetch", world.call(item_id="rye/core/registry")).data["source"]
        == "project"
    )


def test_a_copy_never_overwrites_silently(server: DialectServer, world: World) -> None:
    made = Path(
        copy(server, world, "rye/file-system/read", "tool", "system", "project").data[
            "destination_path"
        ]
    )
    made.write_text('"""My own"""\n')
    refused("read.py")(copy(server, world, "rye/file-system/read", "tool", "system", "project"))
    assert made.read_text() == '"""My own"""\n'


def test_a_copy_to_the_same_space_copies_nothing(server: DialectServer, world: World) -> None:
    answer = copy(server, world, "files/shuffle", "tool", "project", "project")
    assert answer.is_error or not answer.data.get("copied_to")


@pytest.mark.parametrize("destination", ["system", "registry", "moon"])
def test_nothing_is_copied_elsewhere(server: DialectServer, world: World, destination: str) -> None:
    refused("project", "user")(copy(server, world, "files/shuffle", "tool", "project", destination))


def test_a_missing_item_is_not_copied(server: DialectServer, world: World) -> None:
    refused("Item not found: my/missing")(
        copy(server, world, "my/missing", "tool", "system", "project")
    )


def test_a_query_copies_nothing(server: DialectServer, world: World) -> None:
    answer = server.call(
        "rye_fetch", world.call(query="orchestrator", scope="tool", destination="project")
    )
    assert "Traceback" not in answer.text and "copied_to" not in answer.text
    assert not list((world.root / ".ai").rglob("thread_orchestrator.py"))


@pytest.mark.parametrize(
    "item", [".ai/tools/files/directory.py", ".ai/directives/deploy/service.md"]
)
def test_a_signed_item_loads(server: DialectServer, world: World, item: str) -> None:
    file = world.root / item
    world.sign(file)
    name = item.split("/", 2)[2].rsplit(".", 1)[0]
    data = server.call("rye_fetch", world.call(item_id=name)).data
    assert data["status"] == "success"
    assert data["content"] == file.read_text()


@pytest.mark.parametrize("item", ["wild/websearch.py", "wild/searches.py"])
def test_a_signed_item_that_was_changed_fails_to_load(
    server: DialectServer, world: World, item: str
) -> None:
    file = world.root / ".ai" / "tools" / item
    world.sign(file)
    file.write_text(file.read_text() + "\nCHANGED = 1\n")
    answer = server.call("rye_fetch", world.call(item_id=item.removesuffix(".py")))
    assert "CHANGED" not in answer.text
    said = answer.refusal.lower()
    assert "integrity" in said and "sign" in said


def test_a_changed_item_is_not_copied(server: DialectServer, world: World) -> None:
    file = world.root / ".ai/tools/wild/filesystem.py"
    world.sign(file)
    file.write_text(file.read_text() + "\nCHANGED = 1\n")
    assert copy(server, world, "wild/filesystem", "tool", "project", "user").refusal
    assert not (world.home / ".ai/tools/wild/filesystem.py").exists()
