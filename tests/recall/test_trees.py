"""The text of a tree: which factors lower a score, in which form each text is found, and what an
answer says where a part of it cannot be searched."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import UNSET

from symindex.errors import RequestError, StorageError, UnwritableError
from symindex.protocol.recall import TextRequest, TextSection
from symindex.recall import recall as recall_module
from symindex.recall.content.content import Content, _checked_label, digest_of
from symindex.recall.content.content_store import Source
from symindex.recall.content.priors import ASIDE, HISTORY, TEST, prior_of
from symindex.recall.content.tree_text import TreeText
from symindex.recall.notes.notes import Notes
from symindex.recall.recall import Recall, RootSymbols, go_on_to_text
from symindex.workspace.workspace import Workspace, open_workspace
from tests.support.files import write_files


def source(origin: str, **facts: Any) -> Source:
    return Source(
        label=origin, origin=origin, path="", digest="", size=0, mtime_ns=0, added_ms=0, facts=facts
    )


PRIORS = {
    "docs/guide.md": 1.0, "CHANGELOG.md": HISTORY, "changes.rst": HISTORY, "docs/Release-Notes/a.md": HISTORY,
    "release_notes.md": HISTORY, "NEWS": HISTORY, "whatsnew/3.12.md": HISTORY, "whats-new.md": HISTORY, "history/x.md": HISTORY,
    "releases/1.md": HISTORY, "exchange.md": 1.0, "newspaper.md": 1.0, "changeset.md": 1.0, "a/change.md": HISTORY,
    "CONTRIBUTING.md": ASIDE, "docs/blog/a.md": ASIDE, "docs/announcing-1.md": ASIDE, "playground/x/index.html": ASIDE,
    "template-vue/README.md": ASIDE, ".github/ISSUE.md": ASIDE, "LICENSE": ASIDE, "licence.txt": ASIDE, "docs/blogs.md": 1.0,
    "docs/exampled.md": 1.0, "docs/security.md": 1.0, "docs/ref/templates/x.md": 1.0,
}  # fmt: skip


@pytest.mark.parametrize("path", PRIORS)
def test_texts_about_something_else_count_less(path: str) -> None:
    assert prior_of(path, is_test=False) == PRIORS[path]
    assert prior_of(path, is_test=True) == TEST
    assert TEST < ASIDE < HISTORY < 1


FILES = {
    ".git/HEAD": "", "docs/guide.md": "# Guide\n\nThe walrus sings.\n", "tests/walrus.md": "# Walrus\n\nThe walrus sings.\n",
    "CHANGES.md": "# Walrus\n\nThe walrus sings.\n", "src/a.py": 'def sing():\n    """The walrus sings."""\n',
    "tests/test_a.py": 'def test_sing():\n    """The walrus sings."""\n',
}  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    write_files(tmp_path / "tree", FILES)
    with open_workspace(tmp_path / "tree", tmp_path / "index") as opened:
        yield opened


def found(workspace: Workspace, query: str = "walrus sings", **request: Any) -> TextSection:
    return workspace.recall(query, within="text", **request).sections[0]


def first_root(workspace: Workspace) -> tuple[Any, Any, str]:
    """Returns what the root knows besides symbols, its snapshot and the prefix of its paths."""
    return next(iter(workspace.source.recalled()))


def texts_of(workspace: Workspace) -> TreeText:
    texts: TreeText = first_root(workspace)[0]._text
    return texts


def test_each_text_of_a_tree_is_found_in_its_form(workspace: Workspace) -> None:
    section = found(workspace)
    hits = {hit.id: hit for hit in section.items}
    assert {*hits} == {
        "docs/guide.md:1", "CHANGES.md:1", "src/a.py#sing", "tests/test_a.py#test_sing", "tests/walrus.md:1",
    }  # fmt: skip
    doc = hits["src/a.py#sing"]
    assert (doc.result_origin, doc.type, doc.line, doc.title) == ("symbol", "function", 1, "sing")
    assert doc.metadata == {"language": "python"} and not doc.is_document
    guide = hits["docs/guide.md:1"]
    assert (guide.result_origin, guide.type, guide.source) == (
        "document",
        "doc",
        "docs/guide.md",
    )
    assert guide.is_document and guide.added.startswith("20")
    documents = {"docs/guide.md:1", "CHANGES.md:1", "tests/walrus.md:1"}
    assert {hit.id for hit in found(workspace, types=["symbol"]).items} == {*hits} - documents
    timeline = found(workspace, sort="timeline", limit=20)
    assert {hit.id for hit in timeline.items} == documents
    symbols = found(workspace, sort="timeline", types=["symbol"])
    assert not symbols.items and NO_DATE in (symbols.notices or [])


NO_DATE = 'symbols have no date: sort "timeline" shows documents and notes'


def test_a_name_alone_is_no_match_in_text(workspace: Workspace, tmp_path: Path) -> None:
    write_files(tmp_path / "tree", {"src/b.py": "def walrus(): pass\n"})
    assert "src/b.py#walrus" not in [hit.id for hit in found(workspace).items]
    assert "src/b.py#walrus" in [hit.id for hit in workspace.recall("walrus").sections[0].items]


# What one root knows


def test_a_part_that_cannot_be_searched_is_named(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise UnwritableError("the disk is full")

    monkeypatch.setattr(Content, "collection", refuse)
    monkeypatch.setattr(Notes, "collection", refuse)
    response = workspace.recall("walrus sings", within="all", include_graph=False)
    assert response.document_count and response.notices == [
        "added content not searched: the disk is full", "notes not searched: the disk is full",
    ]  # fmt: skip


COLLECTIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["Sources", "Sources", "NoteCollection", "AgentMemory"]), ({"within": "text"}, ["Sources", "Sources"]),
    ({"within": "notes"}, ["NoteCollection", "AgentMemory"]), ({"within": "names"}, []),
    ({"this_session": True}, ["Sources", "Sources", "NoteCollection"]),
    ({"this_session": True, "sort": "timeline"}, ["Sources", "Sources", "NoteCollection", "AgentMemory"]),
    ({"include_documents": False}, ["NoteCollection", "AgentMemory"]),
    ({"include_documents": False, "by_entity": True}, ["Sources", "Sources", "NoteCollection", "AgentMemory"]),
    ({"include_graph": False, "by_entity": True}, ["Sources", "Sources"]),
    ({"include_graph": False}, ["Sources", "Sources", "NoteCollection", "AgentMemory"]),
]  # fmt: skip


def test_which_collections_a_request_searches(workspace: Workspace) -> None:
    workspace.refresh()
    root, snapshot, prefix = first_root(workspace)
    for fields, expected in COLLECTIONS:
        with root.answering():
            made = root.collections(TextRequest(queries=["x"], **fields), snapshot, prefix)
        assert [type(collection).__name__ for collection in made] == expected, fields
        assert root.unsearched == []
    # An alias of a language means the language.
    with root.answering():
        (tree, *_rest) = root.collections(
            TextRequest(queries=["x"], language=["py"]), snapshot, prefix
        )
        assert tree._request.language == ["py", "python"]


def test_what_a_root_shows_by_number(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.refresh()
    root, snapshot, prefix = first_root(workspace)
    notes: Notes = root._notes
    note = notes.add("First line\nmore", category="plan", links=["a.py#b"])
    hit = root.note(note.id)
    assert (hit.id, hit.title, hit.source, hit.content) == (
        f"note:{note.id}",
        "First line",
        "plan",
        "First line\nmore",
    )
    assert (hit.type, hit.line, hit.content_type, hit.result_origin) == ("note", 1, "prose", "note")
    assert hit.metadata == {"links": ["a.py#b"]} and root.note(99) is None
    with notes._store.database.reading() as connection:
        connection.execute("UPDATE note SET text = 'other'")

    def refuse(*_: object, **__: object) -> None:
        raise StorageError("locked")

    monkeypatch.setattr(type(notes._store.database), "write", refuse)
    with pytest.raises(RequestError, match="is left out: its row"):
        root.note(note.id)
    added = root._content.add(b"# Title\n\ntext\n", "label", "-", "a.md")
    with root.answering():
        whole = root.chunk(added.first, prefix)
        assert root.chunk(added.first + 1, prefix) is None
        assert root.entity("none", snapshot, prefix) is None and root.memory("memory:none") is None
    assert (whole.id, whole.title, whole.source, whole.result_origin) == (
        "chunk:1",
        "Title",
        "label",
        "document",
    )


def test_counts_of_notes_that_cannot_be_read_are_left_out(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.refresh()
    root, _, _ = first_root(workspace)

    def refuse(*_: object) -> None:
        raise StorageError("locked")

    monkeypatch.setattr(Notes, "counts", refuse)
    assert root.note_counts() == {} and isinstance(root, Recall)


# Names and text together


def test_a_search_that_goes_on_to_text_says_if_it_could_not() -> None:
    def roots(**more: Any) -> Any:
        return SimpleNamespace(recalled=lambda: iter([]), **more)

    response: Any = SimpleNamespace(notices=None, text=UNSET)

    def fail(*_: Any, **__: Any) -> Any:
        raise RequestError("no time")

    freshness: Any = SimpleNamespace(_replace=lambda **_: None)
    original: Any = recall_module.recall
    module: Any = recall_module
    try:
        module.recall = fail
        go_on_to_text(roots(), ["query", "other"], response, freshness)
        assert (
            response.notices == ["documents and notes were not searched: no time"]
            and response.text is UNSET
        )
        asked: list[Any] = []

        def empty(_: Any, request: TextRequest, *__: Any, **more: Any) -> Any:
            asked.append((request, more))
            return SimpleNamespace(sections=[SimpleNamespace(items=[])])

        module.recall = empty
        go_on_to_text(roots(), ["query", "other"], response, freshness)
        assert response.text is UNSET
        ((request, more),) = asked
        assert request.phrasings == ["other"]
        assert (request.queries, request.limit, request.max_characters, more) == (
            ["query"],
            3,
            900,
            {"with_names": False},
        )
    finally:
        module.recall = original


def test_code_of_a_symbol_with_what_it_does_not_contain() -> None:
    def whole(**fields: Any) -> str:
        detail = (
            SimpleNamespace(
                **{"signature": "def a()", "doc": "A doc.\nmore", "code": "def a(): pass", **fields}
            )
            if fields
            else None
        )
        lookups = SimpleNamespace(symbol=lambda *_, **__: SimpleNamespace(symbol=detail))
        roots: Any = SimpleNamespace(lookups=lookups)
        freshness: Any = SimpleNamespace(_replace=lambda **_: None)
        names = RootSymbols(roots, freshness)
        return names.whole("x")

    assert whole() == ""
    assert whole(code="def a(): pass") == "A doc.\nmore\ndef a(): pass"
    assert whole(code="def b(): pass") == "def a()\nA doc.\nmore\ndef b(): pass"
    assert whole(doc="A d…", code="def a(): A d") == "def a(): A d"
    assert whole(doc="", signature="", code="c") == "c"


@pytest.mark.parametrize("label", ["", "  ", "a\n", "l" * 201])
def test_a_label_is_printable_and_short(label: str) -> None:
    with pytest.raises(RequestError, match="give a label of 1 to 200 printable characters"):
        _checked_label(label)
    assert _checked_label(" a b ") == "a b" and _checked_label("l" * 200) == "l" * 200
    assert len(digest_of(b"")) == 32
