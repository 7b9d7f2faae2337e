"""A server that starts with an old index: the first request finds what has changed since, or its
answer names the gap."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import symindex
from symindex.errors import StorageError
from symindex.protocol.freshness import SOON
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.build_process import Building
from symindex.workspace.watched_tree import MANY_FILES
from tests.support.command import unprivileged
from tests.support.files import write_files
from tests.support.lsp_client import Editors, start_server
from tests.support.processes import processes_named


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree that has changed since it was indexed."""
    root = write_files(tmp_path / "tree", {"a.py": "def old_1(): pass\n"})
    with symindex.open(root, tmp_path / "indexes") as workspace:
        workspace.refresh()
    return write_files(
        root,
        {"b.py": "def new_1(): old_1()\n", "big.py": "def only_here(): pass\n" + "#" * 3_000_000},
    )


@pytest.fixture
def handlers(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ToolHandlers]:
    """Handlers that wait long enough for a busy machine."""
    monkeypatch.setattr("symindex.serve.mcp.reading_handlers.SOON", SOON._replace(changes=60.0))
    made = ToolHandlers([tree], str(tmp_path / "indexes"))
    yield made
    made.workspace.close()


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search", {"query": "new_1"}, "| `new_1` | function | b.py:1 |"),
        ("search", {"query": "old"}, "| `old_1` | function | a.py:1 |"),
        (
            "search",
            {"query": "only_here"},
            "> 1 file was not read and may contain it: big.py (larger than the size limit)",
        ),
        ("symbol", {"symbol": "new_1"}, "# Symbol: `b.py#new_1`"),
        ("outline", {"path": "b.py"}, "function `new_1`"),
        ("references", {"name": "old_1"}, "b.py"),
    ],
    ids=["new", "old", "left-out", "symbol", "outline", "references"],
)
def test_the_first_question_finds_what_is_new(
    tool: str, arguments: dict[str, Any], said: str, handlers: ToolHandlers
) -> None:
    text = handlers.answer(tool, arguments, threading.Event()).text
    assert said in text and "may be incomplete" not in text


@pytest.mark.nightly
@pytest.mark.slow
def test_an_editor_that_finds_nothing_waits_for_what_is_new(
    editors: Editors, tree: Path, tmp_path: Path
) -> None:
    client = editors.start(tree, options={"indexDir": str(tmp_path / "indexes")})
    assert client.names("new_1") == ["new_1"]


BEHIND = "changes since the index was made are still being read; this answer may be incomplete"


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "new_1"}),
        ("search", {"query": "old_1"}),
        ("symbol", {"symbol": "new_1"}),
        ("outline", {}),
    ],
)
def test_what_takes_longer_is_reported(
    tool: str,
    arguments: dict[str, Any],
    tree: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    goes_on = threading.Event()

    def wait(*_: object) -> list[str]:
        goes_on.wait(60)
        return []

    monkeypatch.setattr(Building, "run", wait)
    monkeypatch.setattr("symindex.serve.mcp.reading_handlers.SOON", SOON._replace(changes=0.1))
    handlers = ToolHandlers([tree], str(tmp_path / "indexes"))
    try:
        assert BEHIND in handlers.answer(tool, arguments, threading.Event()).text
    finally:
        goes_on.set()
        handlers.workspace.close()


@pytest.mark.parametrize(
    ("tool", "arguments"), [("search", {"query": "old_1"}), ("symbol", {"symbol": "old_1"})]
)
def test_a_failed_update_is_reported(
    tool: str,
    arguments: dict[str, Any],
    tree: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> list[str]:
        raise StorageError("the disk is full")

    monkeypatch.setattr(Building, "run", fail)
    handlers = ToolHandlers([tree], str(tmp_path / "indexes"))
    try:
        text = handlers.answer(tool, arguments, threading.Event()).text
    finally:
        handlers.workspace.close()
    assert "old_1" in text
    assert (
        "the index could not be brought up to date (indexing: failed); later changes may be missing"
        in text
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_what_cannot_be_read_is_no_reason_to_index_again_and_again(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree",
        {f"f{number}.py": f"def hidden_{number}(): pass\n" for number in range(MANY_FILES + 1)},
    )
    for path in root.iterdir():
        path.chmod(0)
    write_files(root, {"a.py": "def seen(): pass\n"})
    client = start_server(prefix=unprivileged())
    try:
        client.initialize(root, options={"indexDir": str(tmp_path / "indexes")})
        client.until_names("seen", ["seen"])
        client.wait_indexed()
        for _ in range(100):  # another run would begin at once
            assert not processes_named(client.process.pid, "symindex.workspace.build_process")  # type: ignore[union-attr]
            time.sleep(0.02)
    finally:
        client.hang_up()


@pytest.mark.slow
def test_what_was_written_just_before_a_question_is_in_its_answer(
    tree: Path, handlers: ToolHandlers
) -> None:
    never = threading.Event()
    handlers.answer("search", {"query": "new_1"}, never)
    deadline = time.monotonic() + 60
    while (
        not all(folder.tree.state == "ready" for folder in handlers.workspace.folders.all)
        and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    for number in range(5):
        write_files(tree, {f"made_{number}/fresh.py": f"def fresh_{number}x(): pass\n"})
        assert (
            f"fresh_{number}x"
            in handlers.answer("search", {"query": f"fresh_{number}x"}, never).text.split(
                "Found 1"
            )[1]
        )
        write_files(tree, {"b.py": f"def edited_{number}y(): pass\n"})
        assert "b.py:1" in handlers.answer("search", {"query": f"edited_{number}y"}, never).text
        (tree / f"made_{number}/fresh.py").unlink()
        assert "Found 0" in handlers.answer("search", {"query": f"fresh_{number}x"}, never).text
