"""Memories of coding agents in the home folder: only if the user allows it, at documented places,
through no link."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symindex.errors import RequestError
from symindex.protocol.recall import TextRequest
from symindex.recall.notes.agent_memory import MOST_BYTES, AgentMemory
from symindex.render.prose import render_text_search
from symindex.workspace.workspace import open_workspace
from tests.support.files import write_files


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    project = re.sub("[^0-9A-Za-z]", "-", str(tmp_path / "tree"))
    write_files(
        home,
        {
            ".claude/CLAUDE.md": "# Habits\n\nThe albatross glides.\n",
            f".claude/projects/{project}/memory/MEMORY.md": "The albatross nests here.\n",
            ".claude/projects/-another/memory/MEMORY.md": "The albatross is elsewhere.\n",
            ".codex/AGENTS.md": "The albatross dives.\n",
            ".codex/memories/sea.md": "The albatross sleeps.\n",
            ".gemini/GEMINI.md": "The albatross calls.\n",
            "config/config.toml": "agent_memory = true\n",
            "tree/symindex.toml": "",
        },
    )
    write_files(tmp_path / "tree", {"a.py": "A = 1\n"})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SYMINDEX_CONFIG", str(home / "config/config.toml"))
    return home


def sources(home: Path, **given: str) -> set[str]:
    """Returns the files whose text is found."""
    with open_workspace(home.parent / "tree", home.parent / "index") as workspace:
        hits = workspace.recall("albatross", limit=20, **given).sections[0].items  # type: ignore[arg-type]
        assert all(workspace.symbol(hit.id).symbol is not None for hit in hits)
    return {
        hit.source.rpartition("/")[2] if "projects" in hit.source else hit.source for hit in hits
    }


def test_the_files_of_all_projects_and_of_this_one_are_in_the_timeline(home: Path) -> None:
    every = {
        "~/.claude/CLAUDE.md",
        "MEMORY.md",
        "~/.codex/AGENTS.md",
        "~/.codex/memories/sea.md",
        "~/.gemini/GEMINI.md",
    }
    assert sources(home, sort="timeline") == every and sources(home) == every
    assert sources(home, source="codex") == {"~/.codex/AGENTS.md", "~/.codex/memories/sea.md"}
    assert sources(home, since="2100-01-01") == set()
    with open_workspace(home.parent / "tree", home.parent / "index") as workspace:
        page = render_text_search(workspace.recall("albatross glides", sort="timeline"))
    assert re.search(
        r"`~/.claude/CLAUDE.md`:1, 20\d\d-\d\d-\d\d \d\d:\d\d `memory:~/.claude/CLAUDE.md:1`", page
    )


def test_no_tree_and_no_link_leads_there(home: Path) -> None:
    (home / "config/config.toml").write_text("")
    assert sources(home, sort="timeline") == set()
    (home.parent / "tree/symindex.toml").write_text("agent_memory = true\n")
    with pytest.raises(RequestError, match="unknown key 'agent_memory'"):
        sources(home, sort="timeline")
    (home.parent / "tree/symindex.toml").unlink()
    (home / "config/config.toml").write_text("agent_memory = true\n")
    outside = write_files(
        home.parent / "outside", {"CLAUDE.md": "An albatross.\n", "AGENTS.md": "albatross secret\n"}
    )
    (home / ".claude/CLAUDE.md").unlink()
    (home / ".claude/CLAUDE.md").symlink_to(outside / "CLAUDE.md")
    (home / ".codex").rename(home / ".codex-old")
    (home / ".codex").symlink_to(outside)
    (home / ".gemini/GEMINI.md").write_text("albatross " * MOST_BYTES)
    assert sources(home, sort="timeline") == {"MEMORY.md"}
    with open_workspace(home.parent / "tree", home.parent / "index") as workspace:
        notices = " ".join(workspace.recall("albatross").notices or [])
    assert "CLAUDE.md is not searched" in notices and "GEMINI.md is not searched" in notices


def memory(home: Path, **request: Any) -> AgentMemory:
    return AgentMemory(home.parent / "tree", TextRequest(queries=["albatross"], **request), home)


def listed(home: Path, **request: Any) -> list[tuple[str, int]]:
    collection = memory(home, **request)
    pieces = [collection.shown(number) for number in collection.listed()]
    (index,) = collection.indexes()
    assert collection.selected(index).sum() == len(pieces)
    return [(piece.label.rpartition("/")[2], piece.line) for piece in pieces]


def test_pieces_are_listed_newest_first_and_filtered(home: Path) -> None:
    write_files(home, {".codex/memories/two.md": "# One\n\ntext\n\n# Two\n\n```py\ncode()\n```\n"})
    # A file that vanishes, and one that is too large, leave the others.
    write_files(home, {".codex/memories/large.md": "x" * (MOST_BYTES + 1)})
    (home / ".claude/CLAUDE.md").unlink()
    (home / ".codex/memories/sea.txt").write_text("another kind")
    (home / ".codex/memories/sea.md").write_text("# Sea\n\nThe albatross sleeps.\n")
    for age, path in enumerate(
        (".codex/memories/sea.md", ".gemini/GEMINI.md", ".codex/memories/two.md")
    ):
        os.utime(home / path, (1_000_000 - 100 * age, 1_000_000 - 100 * age))
    every = listed(home)
    assert every[:2] == [("AGENTS.md", 1), ("MEMORY.md", 1)] or every[:2] == [("MEMORY.md", 1), ("AGENTS.md", 1)]  # fmt: skip
    assert every[2:] == [("sea.md", 1), ("GEMINI.md", 1), ("two.md", 1), ("two.md", 5)]
    assert memory(home).notices == [f"~/.codex/memories/large.md is not searched: larger than {MOST_BYTES:,} bytes"]  # fmt: skip
    assert listed(home, source="MEMORIES/") == [("sea.md", 1), ("two.md", 1), ("two.md", 5)]
    assert listed(home, source="codex", source_name="two") == every[-2:]
    assert listed(home, content_type="code") == [("two.md", 5)]
    assert listed(home, content_type="prose") == every[:-1]
    os.utime(home / ".codex/memories/two.md", (86_400 * 2, 86_400 * 2))
    assert listed(home, since="1970-01-03") == every
    assert listed(home, since="1970-01-04") == every[:-2]
    for types in (["memory"], ["Note"], ["EPISODE"], ["other", "note"]):
        assert listed(home, types=types) == every
    assert listed(home, types=["other"]) == []
    for name in ("language", "category", "status"):
        assert listed(home, **{name: ["x"]}) == []
    for name in ("project", "assignee", "source_id"):
        assert listed(home, **{name: "x"}) == []


def test_pieces_of_one_file_are_in_the_order_of_the_file(home: Path) -> None:
    write_files(home, {".codex/memories/two.md": "# One\n\na\n\n# Two\n\nb\n"})
    for path in home.rglob("*.md"):
        os.utime(path, (1_000_000, 1_000_000))
    os.utime(home / ".codex/memories/two.md", (1_000_001, 1_000_001))
    collection = memory(home)
    (index,) = collection.indexes()
    order = collection.order(index, np.arange(len(index)))
    shown = [collection.shown(number + 1) for number in np.argsort(order).tolist()]
    assert [(piece.label[2:9], piece.line) for piece in shown][:2] == [
        (".codex/", 1),
        (".codex/", 5),
    ]
    # Equally old ones are in the order of their places.
    places = [piece.label for piece in shown[2:]]
    assert places[0] == "~/.claude/CLAUDE.md" and places[-1] == "~/.gemini/GEMINI.md"
    piece = shown[1]
    assert (piece.id, piece.title, piece.text, piece.type) == (
        "memory:~/.codex/memories/two.md:5", "Two", "# Two\n\nb\n", "memory",
    )  # fmt: skip
    assert collection.find(piece.id) == piece and collection.find(piece.id + "0") is None
    assert (
        collection.types() == {"memory"} and not collection.is_empty and collection.origin == "note"
    )
    assert not collection.hidden(index).any() and not collection.documents(index).any()
    assert collection.live(index).all() and collection.groups(index).tolist() == index.ids.tolist()


def test_nothing_is_read_where_nothing_is(home: Path) -> None:
    for name in (".claude", ".codex", ".gemini"):
        shutil.rmtree(home / name)
    collection = memory(home)
    assert collection.is_empty and collection.indexes() == [] and collection.types() == set()
    assert collection.listed() == [] and collection.notices == []
