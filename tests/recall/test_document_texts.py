"""The texts of sections and items whose files change, vanish, are links, or are too many; a notice
reports every gap."""

import os
from pathlib import Path

import pytest
from msgspec import UNSET

from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.protocol.search import SearchResponse
from symindex.recall.document_texts import KeptTexts
from symindex.search.answer import contents
from symindex.workspace.watched_tree import WatchedTrees
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files

PHRASE = '"walrus pamphlet"'
TEXT = "# Title\n\nFirst.\n\nA walrus\npamphlet.\n"


def ask(workspace: Workspace, query: str = PHRASE, kind: str = "section") -> SearchResponse:
    return workspace.search(query, type=kind, space="project", include=["snippet"])


def paths(response: SearchResponse) -> list[str]:
    return sorted(item.file_path for item in response.items)


def notices(response: SearchResponse) -> list[str]:
    return response.notices or []


def test_a_file_that_has_changed_counts_as_it_is_now(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {"a.md": TEXT, "b.md": TEXT, "c.md": TEXT.replace("A walrus", "A walrus, a")}
    )
    root = workspace.root
    (root / "a.md").write_text("# Other\n\n# Title\n\nA long walrus, no pamphlet.\n")
    (root / "c.md").write_text("\n\n# Title\n\nThe walrus pamphlet is new.\n")
    response = ask(workspace)
    assert paths(response) == ["b.md", "c.md"]
    assert {item.file_path: item.changed for item in response.items} == {
        "b.md": UNSET,
        "c.md": True,
    }
    assert "changed since they were indexed, and read as they are now: a.md, c.md" in notices(
        response
    )
    assert [item.snippet for item in response.items if item.file_path == "c.md"] == [
        "The walrus pamphlet is new."
    ]
    workspace.refresh()
    response = ask(workspace)
    assert (paths(response), notices(response)) == (["b.md", "c.md"], [])


@pytest.mark.skipif(os.name == "nt", reason="links need special rights on this system")
def test_a_file_that_cannot_be_read_is_reported(make_workspace: Maker, tmp_path: Path) -> None:
    workspace = make_workspace({"a.md": TEXT, "b.md": TEXT, "c.md": TEXT, "d.md": TEXT})
    write_files(tmp_path / "outside", {"secret.md": TEXT})
    for name in ("a.md", "b.md", "c.md"):
        (workspace.root / name).unlink()
    (workspace.root / "b.md").symlink_to(tmp_path / "outside" / "secret.md")
    os.mkfifo(workspace.root / "c.md")
    response = ask(workspace)
    assert paths(response) == ["d.md"]
    unread_files = (
        "a.md (No such file or directory), b.md (a symbolic link), c.md (not a regular file)"
    )
    assert notices(response) == [
        f"cannot be read, so only their words in the index count: {unread_files}"
    ]
    response = ask(
        workspace, "walrus pamphlet"
    )  # words need no file, and the snippet is then the first line
    assert paths(response) == ["a.md", "b.md", "c.md", "d.md"]
    assert {item.snippet for item in response.items} == {"First.", "First.\nA walrus\npamphlet."}


def test_unread_texts_are_reported(make_workspace: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MOST_FILES", 3)
    workspace = make_workspace(
        {**{f"{number}.md": TEXT for number in range(5)}, "tool.md": "# Unlike\n\nwalrus\n"}
    )
    response = ask(workspace)
    assert paths(response) == ["0.md", "1.md", "2.md"]
    [notice] = notices(response)
    assert notice.startswith(
        "the text of 2 more files that may contain it was not searched (at most 3 files and 20 MB are read)"
    )
    page = workspace.search(PHRASE, type="section", space="project", max_items=2)
    after = workspace.search(
        PHRASE, type="section", space="project", max_items=2, pagination_id=page.pagination_id
    )
    assert (page.total, paths(page) + paths(after)) == (3, ["0.md", "1.md", "2.md"])
    # The rest of the query limits what is read.
    for narrowed in (
        ask(workspace, f"{PHRASE} path:4.md"),
        workspace.search(PHRASE, type="section", space="project", paths=["4.md"]),
        workspace.search(PHRASE, scope="section.4", space="project"),
        workspace.search(
            "Title",
            type="section",
            space="project",
            filters={"path": "4.md"},
            fields={"doc": PHRASE},
        ),
        workspace.search(
            "walrus pamphlet",
            type="section",
            space="project",
            paths=["4.md"],
            proximity={"enabled": True},
        ),
    ):
        assert (paths(narrowed), notices(narrowed)) == (["4.md"], [])
    [notice] = notices(ask(workspace, "content:pamphlet"))
    assert notice.startswith("no snippet is cut from 2 more files")
    monkeypatch.setattr(contents, "MOST_BYTES", 2 * len(TEXT))
    assert paths(ask(workspace)) == ["0.md", "1.md"]


def test_an_empty_answer_is_explained_by_the_texts(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.md": TEXT, "b.md": "# Else\n\nzebra\n"})
    response = ask(workspace, f"{PHRASE} zebra")
    assert not response.total
    assert not any(PHRASE in notice and "nowhere" in notice for notice in notices(response))


def test_texts_are_kept_within_a_limit(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({f"{number}.md": TEXT for number in range(4)})
    reads: list[str] = []
    monkeypatch.setattr(
        "symindex.recall.document_texts.texts_of", lambda path, *rest: reads.append(path) or []
    )
    monkeypatch.setattr("symindex.recall.document_texts.MOST_KEPT", 3_500)
    ask(workspace)
    ask(workspace)
    assert (
        reads == ["0.md", "1.md", "2.md", "3.md"] * 2
    )  # the cache drops the oldest first, so nothing remained in it
    monkeypatch.setattr("symindex.recall.document_texts.MOST_KEPT", 10_000)
    workspace._searcher.kept.texts = KeptTexts()
    ask(workspace)
    ask(workspace)
    assert reads == ["0.md", "1.md", "2.md", "3.md"] * 3


@pytest.mark.nightly
def test_the_texts_of_several_roots(tmp_path: Path) -> None:
    followed = FollowedWorkspace(WatchedTrees())
    try:
        for name in ("one", "two"):
            root = write_files(tmp_path / name, {"a.md": TEXT, f"{name}.md": "# Else\n"})
            followed.folders.add(root, name, str(tmp_path / "index"))
        response = followed.search(PHRASE, type="section", space="project", include=["snippet"])
        assert paths(response) == ["one/a.md", "two/a.md"]
        assert {item.snippet for item in response.items} == {"First.\nA walrus\npamphlet."}
    finally:
        followed.close()
