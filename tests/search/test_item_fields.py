"""What the fields of items find and how they count: titles alone, and the weights of a type."""

from pathlib import Path
from typing import Any

import pytest

from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files


def directive(title: str, description: str, category: str, body: str) -> str:
    fields = {"title": title, "description": description, "category": category}
    front = "".join(f"{name}: {value}\n" for name, value in fields.items() if value)
    return f"---\n{front}---\n{body}\n"


FILES = {
    ".ai/directives/a1.md": directive(
        "Some other text", "Of nothing", "misc", "Here the zebra stands."
    ),
    ".ai/directives/b2.md": directive(
        "Some other text", "Of nothing", "zebra", "Here nothing stands."
    ),
    ".ai/directives/c3.md": directive(
        "Some other text", "Of a zebra", "misc", "Here nothing stands."
    ),
    ".ai/directives/d4.md": directive("On a zebra", "Of nothing", "misc", "Here nothing stands."),
    ".ai/directives/zebra-run.md": directive("", "Of nothing", "misc", "Here nothing stands."),
    ".ai/directives/e5.md": "# A zebra as heading\n\nHere nothing stands.\n",
    "src/zebra.py": "class Zebra:\n    def stripes(self): pass\n",
}


@pytest.fixture
def workspace(make_workspace: Maker) -> Workspace:
    return make_workspace(dict(FILES))


def ids(workspace: Workspace, query: str, **options: Any) -> list[str]:
    items = workspace.search(query, include=["metadata"], **{"scope": "directive", **options}).items
    return [str((item.metadata or {})["id"]) for item in items]


@pytest.mark.nightly
def test_a_title_is_the_title_alone(workspace: Workspace) -> None:
    """A title comes from the metadata or from a heading; without either an item has no title,
    whatever its name."""
    assert sorted(ids(workspace, "", fields={"title": "zebra"})) == ["d4", "e5"]
    assert sorted(ids(workspace, "title:zebra")) == ["d4", "e5"]
    assert ids(workspace, "", fields={"title": "zebra AND run"}) == []
    assert ids(workspace, "", fields={"title": "zebra NOT heading"}) == ["d4"]
    assert ids(workspace, "", fields={"name": "zebra"}) == ["zebra-run"]
    of_symbols = workspace.search("", fields={"title": "Zebra"}).items
    assert sorted(item.name for item in of_symbols) == ["Zebra", "stripes"]


def test_a_word_counts_by_its_field(workspace: Workspace) -> None:
    items = workspace.search("zebra type:directive", include=["metadata", "score"]).items
    scores = {str((item.metadata or {})["id"]): item.score or 0.0 for item in items}
    assert scores["d4"] > scores["c3"] > scores["b2"] > scores["a1"] > 0
    assert scores["zebra-run"] >= scores["d4"]


@pytest.mark.nightly
def test_a_type_has_weights_of_its_own(workspace: Workspace, tmp_path: Path) -> None:
    assert ids(workspace, "zebra type:directive")[-1] == "a1"
    row = '[[item_types]]\ntype = "directive"\nfolders = [".ai/directives"]\nextensions = [".md"]\n'
    write_files(
        workspace.root,
        {"symindex.toml": row + "weights = { content = 50, name = 1, category = 0 }\n"},
    )
    with Workspace(workspace.root, tmp_path / "index0") as again:
        again.refresh()
        assert ids(again, "zebra type:directive")[0] == "a1"
        assert (
            ids(again, "zebra type:directive")[-1] == "b2"
        )  # a field of weight 0 is found, but ranks last


def test_a_forced_word_may_be_misspelt_in_any_field(workspace: Workspace) -> None:
    """This also applies to a single word, but never with so many edits that nothing of the word
    remains."""
    every = ["a1", "b2", "c3", "d4", "e5", "zebra-run"]
    assert sorted(ids(workspace, "zevra", fuzzy={"enabled": True, "max_distance": 1})) == every
    assert ids(workspace, "zvra", fuzzy={"enabled": True, "max_distance": 1}) == []
    assert sorted(ids(workspace, "zvbla", fuzzy={"enabled": True, "max_distance": 2})) == every
    assert ids(workspace, "zvbla", fuzzy=False) == []
    assert ids(workspace, "q", fuzzy={"enabled": True, "max_distance": 9}) == []
    assert ids(workspace, "xxxxxxxxxx", fuzzy={"enabled": True, "max_distance": 10}) == []


def test_whole_words_alone(workspace: Workspace) -> None:
    """Every word must match as a whole: no parts of words, no tiers of names, no folders."""
    assert len(ids(workspace, "zebras", whole_words=True)) == 6  # by the stem
    assert ids(workspace, "zeb", whole_words=True) == [] != ids(workspace, "zeb")
    assert ids(workspace, "directive", whole_words=True) == []
    assert "c3" in ids(workspace, "zebra stands", whole_words=True)
    assert ids(workspace, "zebra heading", whole_words=True) == ["e5"]
    assert len(ids(workspace, "zeb*", whole_words=True)) == 6
    assert ids(workspace, "zevra heading", whole_words=True) == []
    assert ids(workspace, "zevra heading", whole_words=True, fuzzy={"max_distance": 1}) == ["e5"]
    near = {"proximity": {"max_distance": 2}, "fuzzy": {"max_distance": 1}}
    assert ids(workspace, "zevra heading", whole_words=True, **near) == ["e5"]
    assert ids(workspace, "zebra heading", whole_words=True, proximity={"max_distance": 0}) == []
