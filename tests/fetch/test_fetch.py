"""Every example on rye_fetch's page, word for word, and bad requests: an error with place and
remedy, and nothing written."""

import errno
import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from symindex.configuration import CONFIG_VARIABLE
from symindex.dialects.rye_page import RyeResponse, as_rye
from symindex.errors import RequestError
from symindex.fetch import http_reader
from symindex.fetch.signature import sign
from symindex.fetch.trust import TrustStore
from symindex.protocol.fetch import FetchFailure, FetchResponse
from symindex.protocol.search import SearchResponse
from symindex.render.fetch import render_fetch
from symindex.workspace.workspace import Workspace
from tests.fetch.test_registry import Server, document
from tests.support.files import write_files
from tests.support.items_world import LABEL, PACKAGE, PROJECT, USER, World, live_in, make_world


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, Workspace]]:
    """A world that no test changes."""
    with pytest.MonkeyPatch.context() as patched:
        world = make_world(tmp_path_factory.mktemp("world"))
        live_in(world, patched)
        with world.open() as opened:
            yield world, opened


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world that the test may change."""
    made = make_world(tmp_path)
    live_in(made, monkeypatch)
    return made


@pytest.fixture(autouse=True)
def _in_the_world(shared: tuple[World, Workspace], monkeypatch: pytest.MonkeyPatch) -> None:
    live_in(shared[0], monkeypatch)


def fetched(workspace: Workspace, **given: Any) -> FetchResponse:
    answer = workspace.fetch(**given)
    assert isinstance(answer, FetchResponse), answer
    return answer


def failure(workspace: Workspace, **given: Any) -> str:
    """Returns the error of a fetch, after checking that its envelope has exactly the page's
    fields."""
    answer = workspace.fetch(**given)
    assert isinstance(answer, FetchFailure), answer
    said = json.loads(msgspec.json.encode(answer))
    assert set(said) == {"status", "error", "item_type", "item_id"}
    assert (said["status"], said["item_id"]) == ("error", given["item_id"])
    assert "\n" not in said["error"]
    return str(said["error"])


def listed(workspace: Workspace, **given: Any) -> RyeResponse:
    answer = workspace.fetch(**given)
    assert isinstance(answer, SearchResponse)
    return as_rye(answer)


# ---- by id

EXAMPLES: list[tuple[dict[str, Any], str, str, str, dict[str, str]]] = [
    (
        {"item_id": "rye/core/create_directive", "source": "project"},
        "directive", "project", ".ai/directives/rye/core/create_directive.md",
        {"name": "create_directive", "extension": ".md", "version": "1.0.0", "title": "Create Directive", "category": "core"},
    ),
    (
        {"item_type": "tool", "item_id": "rye/file-system/read", "source": "system"},
        "tool", "system", "ryeos_core/.ai/tools/rye/file-system/read.py",
        {"name": "read", "extension": ".py", "version": "1.2.0", "description": "Read file contents"},
    ),
    (
        {"item_type": "knowledge", "item_id": "rye/core/tool-metadata-reference", "source": "system"},
        "knowledge", "system", "ryeos_core/.ai/knowledge/rye/core/tool-metadata-reference.md",
        {"name": "tool-metadata-reference", "extension": ".md"},
    ),
    ({"item_id": "rye/bash"}, "tool", "project", ".ai/tools/rye/bash.py", {"version": "2.0.0"}),
    ({"item_id": "tool:rye/bash"}, "tool", "project", ".ai/tools/rye/bash.py", {"version": "2.0.0"}),
    ({"item_id": "rye/bash", "source": "user"}, "tool", "user", ".ai/tools/rye/bash.py", {"version": "1.5.0"}),
    ({"item_id": "mine/review"}, "directive", "user", ".ai/directives/mine/review.md", {"title": "Review"}),
    ({"item_id": "rye/core/create_tool"}, "directive", "system", "ryeos_core/.ai/directives/rye/core/create_tool.md", {}),
    ({"item_id": "rye/bash", "source": "system", "version": "1.2.0"}, "tool", "system", "ryeos_core/.ai/tools/rye/bash.py", {}),
    ({"item_id": "my-project/report"}, "tool", "project", ".ai/tools/my-project/report.yaml", {"extension": ".yaml"}),
    ({"item_id": ".ai/knowledge/twice.yaml"}, "knowledge", "project", ".ai/knowledge/twice.yaml", {"extension": ".yaml"}),
    ({"item_id": "both", "item_type": "knowledge"}, "knowledge", "project", ".ai/knowledge/both.md", {"title": "Both"}),
]  # fmt: skip
"""Requests; for each the type, the source, the path below its root, and metadata."""


@pytest.mark.sample(9)
@pytest.mark.parametrize(("given", "item_type", "source", "path", "metadata"), EXAMPLES)
def test_by_id(
    given: dict[str, Any], item_type: str, source: str, path: str, metadata: dict[str, str],
    shared: tuple[World, Workspace],
) -> None:  # fmt: skip
    world, workspace = shared
    answer = fetched(workspace, **given)
    root, files = {
        "project": (world.project, PROJECT), "user": (world.home, USER), "system": (world.site, PACKAGE),
    }[source]  # fmt: skip
    content = files[path]
    assert isinstance(content, str)
    assert (answer.status, answer.item_type, answer.source, answer.content) == (
        "success",
        item_type,
        source,
        content,
    )
    assert answer.path == answer.metadata["path"] == str(root / path)
    assert metadata.items() <= answer.metadata.items()
    assert answer.digest == hashlib.sha256(content.encode()).hexdigest()
    assert (answer.integrity.indexed, answer.integrity.signature) == ("same", "missing")
    assert answer.package == (LABEL if source == "system" else UNSET)
    assert (
        answer.copied_to is UNSET and answer.destination_path is UNSET and answer.notices is UNSET
    )


def test_a_fetched_item_says_what_it_hides(shared: tuple[World, Workspace]) -> None:
    _, workspace = shared
    answers = {
        source: fetched(workspace, item_id="rye/bash", source=source)
        for source in ("project", "user", "system")
    }
    assert answers["project"].shadows == [{"space": "user"}, {"space": f"system:{LABEL}"}]
    assert [answers[source].shadowed_by for source in ("user", "system")] == ["project", "project"]


def test_a_part_of_a_file(shared: tuple[World, Workspace]) -> None:
    _, workspace = shared
    assert fetched(workspace, item_id="package/build").content == '"build": "vite build"'
    assert fetched(workspace, item_id="package.json").item_type == "manifest"
    message = failure(workspace, item_id="package/build", destination="user")
    assert (
        message
        == "task package/build is a part of package.json: only items that are files can be copied"
    )


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"item_id": "my-project/missing-tool", "item_type": "tool"}, "Item not found: my-project/missing-tool"),
    ({"item_id": "rye/bash", "item_type": "knowledge"}, "Item not found: rye/bash as a knowledge; there is: tool in project,"),
    ({"item_id": "mine/review", "source": "project"}, "Item not found: mine/review; there is: directive in user"),
    ({"item_id": "both"}, "(.ai/directives/both.md), knowledge both (.ai/knowledge/both.md); name the item_type"),
    ({"item_id": "twice"}, "name one by its path"),
    ({"item_id": "../../etc/passwd"}, "'..' as a part: expected a relative path such as"),
    ({"item_id": "rye/../bash"}, "'..' as a part: expected a relative path such as"),
    ({"item_id": "/etc/passwd"}, "is absolute: expected"),
    ({"item_id": "rye%2f..%2fbash"}, "percent-encoded"),
    ({"item_id": "rye/ba\0sh"}, "contains NUL"),
    ({"item_id": "rye\\bash"}, "a backslash"),
    ({"item_id": ""}, "is empty"),
    ({"item_id": "x" * 5_000}, "more than 1,000"),
    ({"item_id": "rye/bash", "source": "system", "version": "9.9"}, "has no version '9.9' here: 1.2.0 is installed"),
    ({"item_id": "rye/bash", "item_type": "gadget"}, "unknown type 'gadget': expected one of"),
    ({"item_id": "rye/bash", "version": "v9"}, "git does not read this repository"),
    ({"item_id": "rye/bash", "source": "registry"}, "no registry is configured: name one as [[registries]] in config.toml"),
    ({"item_id": "rye/bash", "verify": "require"}, "is not signed; look at it and sign it: symindex sign"),
    ({"item_id": "package", "destination": "user"}, "have no place of their own in another space; these have: agent, command"),
]  # fmt: skip
"""Requests that fail, and a part of the error."""


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_errors(given: dict[str, Any], message: str, shared: tuple[World, Workspace]) -> None:
    assert message in failure(shared[1], **given)


MALFORMED: list[tuple[dict[str, Any], str]] = [
    ({"item_id": "a", "query": "b", "scope": "tool"}, "both are given; an id gets one item"),
    ({}, "neither is given"),
    (
        {"item_id": "a", "source": "local"},
        "unknown source 'local': expected one of project, registry, system, user",
    ),
    (
        {"query": "a", "scope": "tool", "source": "here"},
        "unknown source 'here': expected one of all, local, project",
    ),
    (
        {"item_id": "a", "destination": "system"},
        "unknown destination 'system': expected one of project, user",
    ),
    ({"item_id": "a", "verify": "yes"}, "unknown verify 'yes'"),
    ({"item_id": "a", "scope": "tool"}, "scope belongs to a fetch by query: leave it out"),
    (
        {"query": "a", "scope": "tool", "destination": "user"},
        "destination belongs to a fetch by item_id",
    ),
    ({"query": "a"}, "needs a scope"),
    ({"item_id": 5}, "item_id"),
    ({"query": "a", "scope": "tol"}, "unknown type 'tol': expected one of"),
    ({"query": "(a", "scope": "tool"}, "expected"),
]


@pytest.mark.parametrize(("given", "message"), MALFORMED)
def test_calls_that_cannot_be_meant_are_refused(
    given: dict[str, Any], message: str, shared: tuple[World, Workspace]
) -> None:
    with pytest.raises(RequestError) as caught:
        shared[1].fetch(**given)
    assert message in str(caught.value)


def test_a_field_that_does_not_exist_is_refused(shared: tuple[World, Workspace]) -> None:
    with pytest.raises(TypeError, match="'item'"):
        shared[1].fetch(item="a")  # type: ignore[call-arg]


# ---- by query

QUERIES: list[tuple[dict[str, Any], list[str]]] = [
    ({"query": "create", "scope": "directive"}, ["rye/core/create_directive", "rye/core/create_tool"]),
    ({"query": "read write", "scope": "tool.rye.file-system.*"}, ["rye/file-system/read", "rye/file-system/write"]),
    (
        {"query": "thread", "scope": "tool", "fields": {"category": "agent"}},
        [
            "rye/agent/directive_thread", "rye/agent/threads/far", "rye/agent/threads/thread_directive",
            "rye/agent/threads/thread_orchestrator",
        ],
    ),
    ({"query": "deploy", "scope": "directive", "source": "project"}, ["deploy"]),
    ({"query": "deploy", "scope": "directive", "source": "all"}, ["deploy", "deploy"]),
    ({"query": "deploy", "scope": "directive", "source": "local"}, ["deploy", "deploy"]),
    ({"query": "deploy", "scope": "directive", "source": "user"}, ["deploy"]),
    (
        {"query": "*", "scope": "knowledge", "limit": 5, "offset": 10, "sort_by": "name"},
        [f"notes/note-{number}" for number in range(10, 15)],
    ),
    ({"query": "file NOT temporary", "scope": "tool"}, ["rye/file-system/read", "rye/file-system/write"]),
    ({"query": '"thread directive"', "scope": "tool"}, ["rye/agent/threads/thread_directive"]),
    (
        {"query": "direcive", "scope": "directive", "fuzzy": {"enabled": True, "max_distance": 2}},
        ["both", "rye/core/create_directive", "rye/core/directive"],
    ),
    (
        {"query": "thread orchestrator", "scope": "tool", "proximity": {"enabled": True, "max_distance": 5}},
        ["rye/agent/threads/thread_orchestrator"],
    ),
    ({"query": "*", "scope": "rye.fetch.tool.rye.core.*"}, ["rye/core/registry"]),
    ({"query": "*", "scope": ["tool.rye.core.*", "directive.mine.*"]}, ["mine/review", "rye/core/registry"]),
    ({"query": "*", "scope": "tool", "filters": {"category": "tmp"}}, ["tmp/directory", "tmp/temporary"]),
]  # fmt: skip


@pytest.mark.parametrize(("given", "ids"), QUERIES)
def test_by_query(given: dict[str, Any], ids: list[str], shared: tuple[World, Workspace]) -> None:
    response = listed(shared[1], **given)
    assert sorted(item.id for item in response.results) == ids
    assert (response.limit, response.offset) == (given.get("limit", 10), given.get("offset", 0))
    source = given.get("source", "all")
    assert response.space == ("all" if source == "local" else source)
    assert (response.query, response.scope, response.search_type) == (
        given["query"],
        given["scope"],
        "keyword",
    )


# ---- copies

COPIES = [
    ("system", "project", "directive", "rye/core/create_tool", ".ai/directives/rye/core/create_tool.md", "the item of the system"),
    ("system", "user", "tool", "rye/file-system/read", ".ai/tools/rye/file-system/read.py", "it hides the item of the system"),
    ("user", "project", "directive", "mine/review", ".ai/directives/mine/review.md", "hides the item of the user"),
    ("project", "user", "tool", "rye/core/registry", ".ai/tools/rye/core/registry.py", "other projects find it"),
]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("source", "destination", "item_type", "item_id", "path", "notice"), COPIES
)
def test_copies(
    source: str,
    destination: str,
    item_type: str,
    item_id: str,
    path: str,
    notice: str,
    world: World,
) -> None:
    root = world.project if destination == "project" else world.home
    with world.open() as workspace:
        answer = fetched(
            workspace, item_type=item_type, item_id=item_id, source=source, destination=destination
        )
        assert (answer.source, answer.copied_to, answer.destination_path) == (
            source,
            destination,
            str(root / path),
        )
        assert answer.path != answer.destination_path
        assert (
            (root / path).read_bytes() == Path(answer.path).read_bytes() == answer.content.encode()
        )
        assert answer.notices is not UNSET
        assert notice in answer.notices[0]
        (root / path).write_text("mine now\n")
        again = {
            "item_type": item_type,
            "item_id": item_id,
            "source": source,
            "destination": destination,
        }
        assert (
            failure(workspace, **again)
            == f"{root / path}: already exists; `symindex fetch --force` replaces it"
        )
        assert (root / path).read_text() == "mine now\n"
        fetched(workspace, **again, force=True)
        assert (root / path).read_bytes() == answer.content.encode()
    with world.open() as workspace:  # the copy has the same id
        assert fetched(workspace, item_id=item_id, source=destination).path == str(root / path)


def test_a_copy_onto_itself_changes_nothing(shared: tuple[World, Workspace]) -> None:
    answer = fetched(shared[1], item_id="rye/bash", destination="project")
    assert (answer.copied_to, answer.notices) == (
        UNSET,
        ["not copied: it is in the project space already"],
    )


def test_a_copy_that_cannot_be_written_leaves_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = write_files(world.index.parent / "outside", {"x": ""})
    with world.open() as workspace:
        asked = {"item_id": "rye/file-system/read", "destination": "project"}
        (world.project / ".ai/tools/rye/file-system").symlink_to(outside, target_is_directory=True)
        assert "symbolic link" in failure(workspace, **asked) and os.listdir(outside) == ["x"]
        (world.project / ".ai/tools/rye/file-system").unlink()

        def full(*_: Any) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            patched.setattr(os, "fsync", full)
            message = failure(workspace, **asked)
        assert "No space left on device; make room on that disk, or copy it elsewhere" in message
        assert str(world.project) in message
        folder = world.project / ".ai/tools/rye/file-system"
        assert not folder.exists() or os.listdir(folder) == []
        assert fetched(workspace, **asked).copied_to == "project"


# ---- files that differ from what was indexed


def test_changed_and_deleted_files(world: World) -> None:
    with world.open() as workspace:
        path = world.project / ".ai/tools/rye/core/registry.py"
        path.write_text('"""Another registry"""\n__version__ = "7"\n')
        answer = fetched(workspace, item_id="rye/core/registry")
        assert (answer.integrity.indexed, answer.metadata["version"]) == ("changed", "7")
        assert answer.metadata["description"] == "Another registry"
        assert (
            answer.notices is not UNSET and "update the index: symindex index" in answer.notices[0]
        )
        (world.project / "package.json").write_text('{"scripts": {"a": "x", "build": "other"}}')
        assert fetched(workspace, item_id="package/build").content == '"build": "other"'
        (world.project / "package.json").write_text('{"scripts": {"a": "x"}}')
        assert "task package/build is not in package.json any more" in failure(
            workspace, item_id="package/build"
        )
        path.unlink()
        message = failure(workspace, item_id="rye/core/registry")
        assert (
            message.startswith(".ai/tools/rye/core/registry.py: cannot be read: ")
            and "symindex index" in message
        )
        path.symlink_to("/etc/hostname")
        assert ".ai/tools/rye/core/registry.py: cannot be read: " in failure(
            workspace, item_id="rye/core/registry"
        )
        path.unlink()
        path.write_bytes(b"x" * 2_000_001)
        assert "has more than 2,000,000 bytes" in failure(workspace, item_id="rye/core/registry")


def test_a_revision_of_an_item(world: World) -> None:
    (world.project / ".git/HEAD").unlink()
    (world.project / ".git").rmdir()

    def git(*words: str) -> None:
        named = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        subprocess.run(
            ["git", *named, *words], cwd=world.project, check=True, capture_output=True, timeout=30
        )

    git("init", "-q")
    git("add", ".ai", "package.json")
    git("commit", "-qm", "first")
    git("tag", "v1")
    bash = ".ai/tools/rye/bash.py"
    write_files(
        world.project,
        {
            bash: '"""Newer"""\n__version__ = "3.0.0"\n',
            "package.json": '{"scripts": {"test": "x"}}',
        },
    )
    with world.open() as workspace:
        assert fetched(workspace, item_id="rye/bash").metadata["version"] == "3.0.0"
        old = fetched(workspace, item_id="rye/bash", version="v1")
        assert (old.content, old.metadata["version"]) == (PROJECT[bash], "2.0.0")
        assert old.integrity.indexed == "unknown"
        assert "package/test is not in package.json at version 'v1'" in failure(
            workspace, item_id="package/test", version="v1"
        )
        message = failure(workspace, item_id="rye/bash", version="v2")
        assert "has no version 'v2'; it has the tags v1" in message


@pytest.mark.nightly
def test_signatures(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cryptography")
    key = TrustStore().make_key()
    path = world.project / ".ai/tools/rye/bash.py"
    path.write_bytes(sign(path.read_bytes(), key, ".py"))
    (path.parent / "copy.py").write_bytes(path.read_bytes())
    with world.open() as workspace:
        good = fetched(workspace, item_id="rye/bash", verify="require")
        assert (good.integrity.signature, good.integrity.key_name) == ("valid", "own")
        line = "- the signature binds the bytes of the file alone: its id, its type, and a version that its content does not name"
        assert good.integrity.binds == "content" and f"\n{line} are not signed\n" in render_fetch(
            good
        )
        copy = fetched(workspace, item_id="rye/copy", verify="require")
        assert (copy.integrity.signature, copy.integrity.binds) == ("valid", "content")
        assert (
            fetched(workspace, item_id="rye/bash", verify="off").integrity.signature == "unchecked"
        )
        path.write_bytes(path.read_bytes() + b"# more\n")
        assert "integrity: .ai/tools/rye/bash.py: has changed since it was signed" in failure(
            workspace, item_id="rye/bash"
        )
        warned = fetched(workspace, item_id="rye/bash", verify="warn")
        assert warned.integrity.signature == "changed"
        assert warned.notices is not UNSET and any(
            "has changed since it was signed" in notice for notice in warned.notices
        )
        assert "has changed since it was signed" in failure(
            workspace, item_id="rye/bash", verify="require"
        )
        assert "has changed" in failure(
            workspace, item_id="rye/bash", verify="require", destination="user", force=True
        )
        assert (world.home / ".ai/tools/rye/bash.py").read_text() == USER[".ai/tools/rye/bash.py"]
        (world.home / "config.toml").write_text('verify = "require"\n')
        monkeypatch.setenv(CONFIG_VARIABLE, str(world.home / "config.toml"))
        assert "is not signed" in failure(workspace, item_id="rye/core/registry")


# ---- registries


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def configure(world: World, monkeypatch: pytest.MonkeyPatch, *registries: dict[str, Any]) -> None:
    lines = [
        line
        for registry in registries
        for line in (
            "[[registries]]",
            *(f"{name} = {json.dumps(value)}" for name, value in registry.items()),
        )
    ]
    (world.home / "config.toml").write_text("\n".join(lines))
    monkeypatch.setenv(CONFIG_VARIABLE, str(world.home / "config.toml"))


def test_a_registry(world: World, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(world, monkeypatch, {"name": "team", "source": server.url, "allow_private": True})
    asked = {"item_type": "tool", "item_id": "deploy/release", "source": "registry"}
    with world.open() as workspace:
        newest = fetched(workspace, **asked)
        assert (newest.content, newest.source, newest.package) == ("# 1.10.0\n", "registry", "team")
        assert (newest.metadata["version"], newest.metadata["title"]) == ("1.10.0", "Release")
        assert newest.path == newest.metadata["path"] == f"{server.url}tools/release%201.10.0.py"
        copied = fetched(workspace, **asked, version="1.9.0", destination="project")
        assert copied.destination_path == str(world.project / ".ai/tools/deploy/release.py")
        assert Path(copied.destination_path).read_text() == "# 1.9.0\n"
        assert "has no version '7' of tool deploy/release" in failure(
            workspace, **asked, version="7"
        )
        assert fetched(workspace, item_id="deploy/release", source="registry").item_type == "tool"
        assert "has no item 'deploy/none'" in failure(
            workspace, item_id="deploy/none", source="registry"
        )
        assert "Item not found" in failure(workspace, item_id="deploy/release-of-nobody")
        response = listed(workspace, query="release", scope="tool", source="registry")
        assert [(item.id, item.source, item.description) for item in response.results] == [
            ("deploy/release", "registry", "Cuts a release.")
        ]
        assert response.space == "registry"
        for source, held in (
            ({}, True),
            ({"source": "all"}, True),
            ({"source": "local"}, False),
            ({"source": "system"}, False),
        ):
            every = listed(workspace, query='"cuts a release" OR bash', scope="tool", **source)
            assert ("registry" in [item.source for item in every.results]) == held
            assert every.notices is UNSET and "system" in [item.source for item in every.results]


def test_an_id_of_several_types_in_a_registry(
    world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(world, monkeypatch, {"name": "team", "source": server.url, "allow_private": True})
    index = json.loads(document())
    index["items"].append({**index["items"][0], "type": "knowledge"})
    server.answers["/r/index.json"] = json.dumps(index).encode()
    with world.open() as workspace:
        message = failure(workspace, item_id=index["items"][0]["id"], source="registry")
        assert "as knowledge and as" in message and "name its type" in message


def test_a_registry_that_is_not_to_be_trusted(
    world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {
        "item_type": "tool",
        "item_id": "deploy/release",
        "source": "registry",
        "destination": "project",
    }
    target = world.project / ".ai/tools/deploy/release.py"
    with world.open() as workspace:
        configure(world, monkeypatch, {"name": "team", "source": server.url, "allow_private": True})
        server.answers["/r/tools/release%201.10.0.py"] = b"# evil!!\n"
        assert "is not what the index says" in failure(workspace, **asked)

        def elsewhere(handler: Any) -> None:
            handler.send_response(302)
            handler.send_header("Location", "http://169.254.169.254/latest/meta-data")
            handler.end_headers()

        server.answers["/r/tools/release%201.10.0.py"] = elsewhere
        assert "169.254.169.254" in failure(workspace, **asked)
        monkeypatch.setattr(http_reader, "SECONDS", 0.3)
        server.answers["/r/tools/release%201.10.0.py"] = lambda _: server.ended.wait(5) and None  # type: ignore[assignment]
        assert "0.3" in failure(workspace, **asked)
        configure(
            world, monkeypatch, {"name": "team", "source": server.url.replace("http:", "https:")}
        )
        assert "127.0.0.1" in failure(workspace, **asked)
        configure(
            world,
            monkeypatch,
            {"name": "team", "source": server.url, "allow_private": True, "sha256": "0" * 64},
        )
        assert "instead of the pinned" in failure(workspace, **asked)
    assert not target.exists()
