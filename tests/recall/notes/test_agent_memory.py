"""Memories of coding agents in the home folder: only if the user allows it, at documented places,
through no link."""

import re
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.recall.notes.agent_memory import MOST_BYTES
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
        found = workspace.recall("albatross", limit=20, **given).sections[0].items  # type: ignore[arg-type]
        assert all(workspace.symbol(hit.id).symbol is not None for hit in found)
    return {
        hit.source.rpartition("/")[2] if "projects" in hit.source else hit.source for hit in found
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
