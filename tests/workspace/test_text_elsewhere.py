"""What an answer without symbols says about the text: the number of lines that contain it; the
files most likely to contain it are read first."""

from pathlib import Path

import pytest

import symindex
from symindex.explore.grep import hits
from symindex.explore.grep.reading import FilePass
from symindex.protocol.grep import GrepRequest
from symindex.render.hints import elsewhere_hint, tool_hint
from symindex.workspace import elsewhere
from tests.support.files import write_files

FILES = {
    **{f"a/part{number}.py": f"def part{number}(): return {number}\n" for number in range(60)},
    "z/last.py": "def last(): return askThatMachine(1)  # askThatMachine, twice on a line\n\naskThatMachine(2)\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> symindex.Workspace:
    write_files(tmp_path / "tree", FILES)
    return symindex.open(tmp_path / "tree", tmp_path / "index")


@pytest.mark.sample(2)
@pytest.mark.parametrize("query", ["askThatMachine", "skThatMachin", "twice on"])
def test_the_lines_are_counted(workspace: symindex.Workspace, query: str) -> None:
    count = workspace.search(query).elsewhere
    lines = 1 if " " in query else 2
    assert (count.text, count.lines, count.files) == (query, lines, 1)  # type: ignore[union-attr]


def test_no_notice_mentions_a_name_that_occurs_nowhere(workspace: symindex.Workspace) -> None:
    assert not workspace.search("askNoMachine").elsewhere


def test_files_that_mention_the_name_are_read_first(workspace: symindex.Workspace) -> None:
    """The time suffices for only some files of a large tree."""
    workspace.search("last")

    def first(mentioned: str) -> str:
        return next(
            iter(FilePass(workspace.source.tree(), GrepRequest(pattern="x"), 1000, 9.0, mentioned))
        )[0]

    assert first("askThatMachine") == "z/last.py"
    assert first("askNoMachine") == first("") == "a/part0.py"


def test_a_name_is_looked_for_less_long_than_a_phrase(
    workspace: symindex.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "NAME_SECONDS", 0.0)
    assert not workspace.search("askThatMachine").elsewhere
    assert workspace.search("twice on").elsewhere


@pytest.mark.nightly
def test_an_incomplete_count_says_so(
    workspace: symindex.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.search("last")
    monkeypatch.setattr(hits, "MOST_LINES", 1)
    response = workspace.search("askThatMachine")
    assert response.elsewhere and not response.elsewhere.is_whole
    assert "on at least 1 line of 1 file" in elsewhere_hint(response, tool_hint)
