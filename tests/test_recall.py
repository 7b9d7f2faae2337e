"""One search over names, documents, docs, added content and notes, with the examples of its
specifications."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from symindex.dialects.table import call
from symindex.errors import RequestError
from symindex.index.snapshot import Snapshot
from symindex.protocol.freshness import CURRENT
from symindex.protocol.recall import TextRequest, TextResponse
from symindex.protocol.search import SearchRequest
from symindex.recall import neighbours
from symindex.recall.chunks import answer as answer_module
from symindex.recall.chunks import vectors
from symindex.recall.chunks.fusion import recency
from symindex.recall.chunks.read_request import read_text_request
from symindex.recall.content.source_table import Sources
from symindex.recall.content.tree_text import TreeText
from symindex.recall.database import now_ms
from symindex.recall.notes.note import Note
from symindex.render.prose import render_text_search
from symindex.workspace.workspace import Workspace, open_content, open_notes, open_workspace

FILES = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "src/oauth.py": (
        'class OAuthFlow:\n    """Implementation of OAuth with PKCE."""\n\n    def begin(self):\n'
        '        """Begin a login."""\n'
        "        return make_challenge()\n\n\ndef make_challenge():\n    return 1\n\n\ndef handle_error(error):\n"
        '    """Retry after a failure of the network."""\n'
    ),
    "docs/patterns/pkce.md": (
        "---\ntype: pattern\ncategory: authentication\nlanguages: [typescript, python]\ndate: 2020-01-01\n---\n"
        "# OAuth 2.0 PKCE Flow\n\n"
        "The recommended OAuth implementation patterns for mobile apps: PKCE. See `OAuthFlow.begin`.\n"
    ),
    "docs/rules/errors.md": "---\ntype: rule\nlanguage: python\n---\n# Errors\n\nError handling patterns: raise early.\n",
    "docs/tasks/login.md": (
        "---\ntype: task\nstatus: todo\nproject: proj_abc123\nassignee: Ada\n---\n# Authentication\n\nAdd authentication.\n"
    ),
    "docs/tasks/logout.md": "---\ntype: task\nstatus: done\nproject: proj_abc123\n---\n# Log out\n\nRemove authentication.\n",
    "docs/guide.md": "# Guide\n\n## API reference\n\nCall it.\n",
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("SYMINDEX_SESSION", raising=False)
    root = tmp_path / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with open_content(root) as content:
        content.add(
            b"# Middleware\n\nNext.js middleware configuration.\n\n```js\nconfigure()\n```\n",
            "next-docs",
            "n.md",
        )
        content.add(b"# Reference\n\nThe API reference of the service.\n", "api-docs", "a.md")
    with open_notes(root) as notes:
        notes.add("Debugging insights: the lock was held twice", category="learned", session="one")
        notes.add(
            "We decided that tokens are cached for an hour", category="decision", session="two"
        )
        notes.add(
            "Use the cached token", category="plan", session="one", links=["src/oauth.py#OAuthFlow"]
        )
    with open_workspace(root, tmp_path / "index") as opened:
        yield opened


def sibyl(workspace: Workspace, **given: Any) -> dict[str, Any]:
    response: dict[str, Any] = call(workspace, "sibyl", **given)
    return response


def names_of(response: dict[str, Any]) -> list[str]:
    return [result["name"] for result in response["results"]]


def ids(response: TextResponse, section: int = 0) -> list[str]:
    return [item.id for item in response.sections[section].items]


@pytest.mark.nightly
def test_the_examples_of_sibyl(workspace: Workspace) -> None:
    basic = sibyl(workspace, query="OAuth implementation patterns")
    assert {*basic} >= {
        "results", "total", "query", "filters", "graph_count", "document_count", "limit", "offset", "has_more", "usage_hint"
    }  # fmt: skip
    best = next(result for result in basic["results"] if result["type"] == "pattern")
    assert best["name"] == "OAuth 2.0 PKCE Flow" and "OAuth implementation" in best[
        "content"
    ].replace("**", "")
    assert best["metadata"]["category"] == "authentication" and best["metadata"]["languages"] == [
        "typescript",
        "python",
    ]
    assert all(
        0 <= result["score"] <= 1 and result["result_origin"] in ("graph", "document")
        for result in basic["results"]
    )
    assert (
        basic["graph_count"] + basic["document_count"]
        == len(basic["results"])
        <= basic["limit"]
        == 10
    )
    tasks = sibyl(
        workspace,
        query="authentication",
        types=["task"],
        project="proj_abc123",
        status="todo,doing",
    )
    assert names_of(tasks) == ["Authentication"] and tasks["total"] == 1
    assert tasks["filters"] == {"types": ["task"], "status": "todo,doing", "project": "proj_abc123"}
    docs = sibyl(
        workspace,
        query="Next.js middleware configuration",
        source_name="next-docs",
        include_graph=False,
    )
    assert (
        names_of(docs) == ["Middleware"]
        and docs["graph_count"] == 0
        and docs["document_count"] == 1
    )
    rules = sibyl(
        workspace, query="error handling patterns", types=["pattern", "rule"], language="python"
    )
    assert names_of(rules)[0] == "Errors" and {*names_of(rules)} <= {
        "Errors",
        "OAuth 2.0 PKCE Flow",
    }
    recent = sibyl(workspace, query="debugging insights", types=["episode"], since="7d")
    assert (
        names_of(recent) == ["Debugging insights: the lock was held twice"]
        and recent["results"][0]["type"] == "episode"
    )
    response = sibyl(workspace, query="API reference", types=["document"], source_name="api-docs")
    assert names_of(response) == ["Reference"]
    every = sibyl(workspace, query="API reference", types=["document"])
    assert {result["type"] for result in every["results"]} == {"document"}


@pytest.mark.nightly
def test_the_examples_of_ctx_search(workspace: Workspace) -> None:
    def asked(**given: Any) -> TextResponse:
        return workspace.recall(read_text_request(given))

    batch = asked(queries=["lock held", "cached tokens", "nowhere-to-be-found"], limit=2)
    assert [len(section.items) > 0 for section in batch.sections] == [True, True, False]
    decided = asked(
        queries=["what did we decide about caching"], source="decision", sort="timeline"
    )
    assert ids(decided) == ["note:2"]
    code = asked(queries=["middleware configure"], source="next-docs", contentType="code", limit=5)
    assert code.total in (0, 1) and all(
        item.content_type == "code" for item in code.sections[0].items
    )
    times = [
        item.added
        for item in asked(queries=["cached token"], sort="timeline", limit=10).sections[0].items
    ]
    assert times == sorted(times, reverse=True) and len(times) >= 2


def test_the_timeline_has_what_matches_well_before_what_is_newer(workspace: Workspace) -> None:
    """In this example of ctx_search, newer notes contain one of the words, and no note contains
    `last`."""
    day = 86_400_000
    kept = [
        ("Make the login faster", "user-prompt", "old", 5), ("No access to the database", "blocker", "old", 4),
        ("The skill deploy is active", "plan", "old", 3),
        *((f"A user of tool {number}: a prompt was opened, the shop is open", "learned", "new", 0) for number in range(9)),
    ]  # fmt: skip
    with open_notes(workspace.root) as notes:
        for text, category, session, days in kept:
            note = Note(
                text=text,
                category=category,
                session=session,
                time_ms=now_ms() - days * day,
                project=notes._project,
            )
            notes._store.add(note)
    queries = ["last user prompt", "active skills", "open blockers"]
    response = workspace.recall(queries, sort="timeline")
    best = [
        [item.content.replace("**", "") for item in section.items] for section in response.sections
    ]
    assert best[0][0] == "Make the login faster"
    assert best[1][0] == "The skill deploy is active" and best[2][0] == "No access to the database"
    assert not [
        notice
        for section in response.sections
        for notice in section.notices or ()
        if "searched for" in notice
    ]
    page = render_text_search(response)
    assert "`blocker`, 20" in page and "session `old`" in page


@pytest.mark.nightly
def test_an_empty_query_lists_what_the_filters_let_through(workspace: Workspace) -> None:
    assert {*names_of(sibyl(workspace, query="", types=["task"]))} == {"Authentication", "Log out"}
    assert names_of(sibyl(workspace, query=" ", types=["task"], assignee="ada")) == [
        "Authentication"
    ]
    with pytest.raises(RequestError, match="give 2 to 4 words"):
        sibyl(workspace, query="")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"queries": ["x"], "limit": 51}, "expected 1 to 50"),
        ({"queries": ["x"], "limit": 0}, "expected 1 to 50"),
        ({"queries": "x", "offset": -1}, "0 or more"),
        ({"queries": "x", "since": "yesterday"}, "expected a date"),
        ({"queries": "x", "colour": 1}, "colour"),
        ({"queries": 1}, "Expected"),
        ({}, "give a query"),
        ({"queries": []}, "give 1 to 20"),
        ([], "expected an object"),
    ],
)
def test_what_is_wrong_is_an_error(workspace: Workspace, given: Any, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        workspace.recall(read_text_request(json.dumps(given).encode()))
    with pytest.raises(RequestError, match="not JSON"):
        read_text_request(b"[" * 100_000)


@pytest.mark.nightly
def test_filters_that_hide_everything_say_so(workspace: Workspace) -> None:
    hidden = workspace.recall("authentication", within="text", types=["nothing"])
    assert not hidden.total and "hide all 2 matches (types)" in "".join(
        hidden.sections[0].notices or []
    )


@pytest.mark.nightly
def test_origins_are_fused_and_exact_names_are_first(workspace: Workspace) -> None:
    every = workspace.recall("OAuthFlow")
    assert (
        every.sections[0].items[0].id == "src/oauth.py#OAuthFlow"
        and every.sections[0].items[0].score == 1.0
    )
    mixed = workspace.recall("cached token", limit=10)
    assert (
        mixed.note_count == 2
        and mixed.symbol_count + mixed.document_count + mixed.note_count + mixed.graph_count
        == len(mixed.sections[0].items)
    )
    assert (
        ids(workspace.recall("begin a login", within="text"))[0] == "src/oauth.py#OAuthFlow.begin"
    )
    assert workspace.recall("cached token", within="notes").document_count == 0
    assert {
        item.result_origin for item in workspace.recall("OAuth", within="names").sections[0].items
    } == {"symbol"}


@pytest.mark.nightly
def test_what_holds_all_of_a_question_comes_before_what_holds_a_word_of_it(
    workspace: Workspace,
) -> None:
    (workspace.root / "src/patterns.py").write_text(
        "class OAuth:\n    pass\n\n\nclass OAuthImplementationPatterns:\n    pass\n"
    )
    workspace.refresh()
    titles = [
        hit.title for hit in workspace.recall("OAuth implementation patterns").sections[0].items
    ]
    assert (
        titles.index("OAuth 2.0 PKCE Flow") < titles.index("OAuth")
        if "OAuth" in titles
        else "OAuth 2.0 PKCE Flow" in titles
    )
    assert titles[0] in ("OAuth 2.0 PKCE Flow", "OAuthImplementationPatterns")


@pytest.mark.nightly
def test_plain_words_are_whole_words_of_names_too(workspace: Workspace) -> None:
    (workspace.root / "src/sums.py").write_text(
        "def recalculate():\n    pass\n\n\ndef calc_all():\n    pass\n"
    )
    workspace.refresh()
    assert {hit.title for hit in workspace.recall("calc").sections[0].items} >= {
        "recalculate",
        "calc_all",
    }
    plain = workspace.recall("calc", use_enhanced=False)
    assert [hit.title for hit in plain.sections[0].items] == ["calc_all"] and plain.total == 1


@pytest.mark.nightly
def test_every_id_of_an_answer_is_shown_whole(workspace: Workspace) -> None:
    (workspace.root / "docs/projects.md").write_text(
        "---\ntype: project\nid: proj_abc123\n---\n# Shop\n\nThe shop, all of it.\n"
    )
    workspace.refresh()
    response = workspace.recall(
        ["middleware configuration", "debugging insights", "OAuth", "shop", "authentication"],
        limit=10,
    )
    shown = {
        hit.id: workspace.symbol(hit.id) for section in response.sections for hit in section.items
    }
    assert {
        "chunk:1",
        "note:1",
        "docs/patterns/pkce.md:7",
        "src/oauth.py#OAuthFlow",
    } <= shown.keys()
    assert all(answer.symbol is not None or answer.text for answer in shown.values())
    assert shown["chunk:1"].symbol.code.startswith("# Middleware")  # type: ignore[union-attr]
    project = workspace.symbol("proj_abc123").symbol
    assert (
        project is not None
        and "The shop, all of it." in project.code
        and project.file_path == "docs/projects.md"
    )
    assert workspace.related("proj_abc123")[0].title == "Shop"  # type: ignore[index]
    assert workspace.related("chunk:1")[0].source == "next-docs"  # type: ignore[index]
    assert workspace.symbol("proj_none").symbol is None and workspace.related("chunk:99") is None
    assert (
        workspace.symbol("chunk:99").symbol is None and workspace.symbol("note:99").symbol is None
    )


def test_notes_of_other_sessions_may_be_left_out(workspace: Workspace) -> None:
    with open_notes(workspace.root) as notes:
        notes.add("A cached token of nobody", category="plan")

    def asked(**more: Any) -> set[str]:
        return {*ids(workspace.recall("cached token", within="notes", this_session=True, **more))}

    assert asked(session="one") == {"note:3", "note:4"} and asked(session="two") == {
        "note:2",
        "note:4",
    }
    assert asked() == {
        "note:3",
        "note:4",
    }  # the newest note has no session; the one before it belongs to session one
    assert asked(session="one", sort="timeline") == {"note:2", "note:3", "note:4"}
    hidden = workspace.recall(
        "debugging insights", within="notes", this_session=True, session="two"
    ).sections[0]
    assert not hidden.total and "1 note of another session matches" in "".join(hidden.notices or [])


@pytest.mark.nightly
def test_this_session_comes_first(workspace: Workspace) -> None:
    assert ids(workspace.recall("cached", within="notes", session="one"))[0] == "note:3"
    assert ids(workspace.recall("cached", within="notes", session="two"))[0] == "note:2"


def test_what_is_old_counts_less_where_it_is_asked_for(workspace: Workspace) -> None:
    day = 86_400_000
    assert (
        recency(0, 5) == 1.0
        and recency(10, 5) == 1.0
        and recency(day, 366 * day) == pytest.approx(0.3679, abs=1e-3)
    )
    assert recency(day, 5_000 * day) == 0.1
    plain = workspace.recall("OAuth implementation patterns PKCE", within="text")
    boosted = workspace.recall(
        "OAuth implementation patterns PKCE", within="text", boost_recent=True
    )
    assert ids(plain)[0] == "docs/patterns/pkce.md:7" != ids(boosted)[0]


@pytest.mark.nightly
def test_dates_come_from_front_matter_then_git_then_the_file(
    workspace: Workspace, tmp_path: Path
) -> None:
    root = workspace.root
    environment = {
        **os.environ,
        "GIT_COMMITTER_DATE": "2021-05-05T00:00:00Z",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    for words in (
        ["init", "-q", "."],
        ["add", "docs/guide.md"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *words], cwd=root, env=environment, check=True)
    with (root / ".git/config").open("a") as config:
        config.write(f"[log]\n\tshowSignature = true\n[gpg]\n\tprogram = touch {tmp_path}/ran;\n")
    response = workspace.recall(
        "reference patterns authentication", within="text", sort="timeline", limit=20
    )
    hits = {item.source: item.added for item in response.sections[0].items}
    assert hits["docs/patterns/pkce.md"].startswith("2020-01-01") and hits[
        "docs/guide.md"
    ].startswith("2021-05-05")
    assert hits["docs/tasks/login.md"] > "2026"
    assert not (tmp_path / "ran").exists()


@pytest.mark.nightly
def test_the_tree_is_followed(workspace: Workspace) -> None:
    assert ids(workspace.recall("zebra crossing", within="text")) == []
    (workspace.root / "docs/zoo.md").write_text("# Zoo\n\nThe zebra crossing.\n")
    (workspace.root / "docs/rules/errors.md").unlink()
    assert ids(workspace.recall("zebra crossing", within="text", freshness=CURRENT)) == [
        "docs/zoo.md:1"
    ]
    assert all(
        "rules" not in hit_id
        for hit_id in ids(workspace.recall("raise early errors", within="text"))
    )


@pytest.mark.nightly
def test_columns_are_built_once(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.recall("reference")
    monkeypatch.setattr("symindex.recall.chunk_index.kept_chunks.IN_MEMORY", -1)
    workspace.recall("reference")
    monkeypatch.setattr(
        "symindex.recall.chunk_index.kept_chunks.build_chunks", lambda _: pytest.fail("built again")
    )
    assert workspace.recall("reference").total


@pytest.mark.nightly
def test_a_question_that_no_symbol_answers_goes_on_to_text(workspace: Workspace) -> None:
    response = workspace.search(SearchRequest(query="recommended implementation for mobile apps"))
    assert response.text and response.text[0].id == "docs/patterns/pkce.md:7"
    for query in ("OAuthFlow", "OAuth PKCE", "kind:class recommended mobile"):
        assert workspace.search(query).text is UNSET


@pytest.mark.nightly
def test_what_takes_too_long_is_reported(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_module, "SECONDS", -1.0)
    response = workspace.recall(["a question", "another"])
    assert all("not answered within" in str(section.error) for section in response.sections)


def test_what_is_beside_a_hit(workspace: Workspace) -> None:
    hit, neighbours = workspace.related("src/oauth.py#OAuthFlow.begin")  # type: ignore[misc]
    assert hit.title == "OAuthFlow.begin"
    relations = {(neighbour.relation, neighbour.hit.title) for neighbour in neighbours}
    assert ("callee", "make_challenge") in relations and (
        "mentioned in",
        "OAuth 2.0 PKCE Flow",
    ) in relations
    _, callers = workspace.related("src/oauth.py#make_challenge")  # type: ignore[misc]
    assert ("caller", "OAuthFlow.begin") in {
        (neighbour.relation, neighbour.hit.title) for neighbour in callers
    }
    _, linked = workspace.related("note:3")  # type: ignore[misc]
    assert [neighbour.hit.id for neighbour in linked] == ["src/oauth.py#OAuthFlow"]
    assert workspace.related("note:99") is None
    beside = workspace.recall("recommended patterns for mobile apps", limit=10)
    assert "src/oauth.py#OAuthFlow.begin" in ids(beside) and beside.graph_count
    called = workspace.recall("begin login", within="all", limit=10)
    assert ("src/oauth.py#make_challenge", "graph") in {
        (item.id, item.result_origin) for item in called.sections[0].items
    }
    assert not workspace.recall(
        "recommended patterns for mobile apps", include_graph=False
    ).graph_count


@pytest.mark.parametrize(
    "text",
    ["a" * 20_000, "a." * 10_000, "aB" * 10_000, "a_" * 10_000, "`" * 20_000, "a " * 10_000 + "x"],
)
def test_names_are_found_in_linear_time(text: str) -> None:
    begun = time.process_time()
    for _ in neighbours._NAMED.finditer(text):
        pass
    assert time.process_time() - begun < 1


@pytest.mark.nightly
def test_synonyms_and_plain_words(workspace: Workspace) -> None:
    assert (
        ids(workspace.recall("delete authentication", within="text"))[0] == "docs/tasks/logout.md:6"
    )
    assert ids(workspace.recall("delete", within="text")) == ["docs/tasks/logout.md:6"]
    assert ids(workspace.recall("delete", within="text", use_enhanced=False)) == []


@pytest.mark.nightly
def test_vectors_are_an_extra(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "has_model", lambda: False)
    assert vectors.MISSING in (workspace.recall("raise early", vectors=True).notices or [])
    monkeypatch.setattr(vectors, "has_model", lambda: True)
    asked = []

    def nearness(question: str, texts: Any) -> Any:
        import numpy as np

        asked.append(question)
        return np.array([float("Log out" in text.title) for text in texts])

    monkeypatch.setattr(vectors, "nearness", nearness)

    monkeypatch.setattr("symindex.recall.chunks.rank.MEANT_WEIGHT", 10.0)
    assert (
        ids(workspace.recall("authentication tasks", within="text"))[0] == "docs/tasks/logout.md:6"
    )
    workspace.recall("authentication", vectors=True)
    workspace.recall("tasks of authentication", vectors=False)
    assert {*asked} == {"authentication tasks"}  # a query of one word is not compared by meaning


def test_a_document_that_no_worker_has_read_is_not_read_by_the_process_that_answers(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = workspace.root / "docs" / "guide.md"
    collection = TreeText.collection

    def change_first(
        text: TreeText, snapshot: Snapshot, request: TextRequest, prefix: str
    ) -> Sources:
        place.write_text("# Guide\n\n## API reference\n\nCall the bomb.\n")
        return collection(text, snapshot, request, prefix)

    with monkeypatch.context() as patched:
        patched.setattr(TreeText, "collection", change_first)
        response = workspace.recall("reference of the API", include_content=True)
    assert "bomb" not in repr(response.sections[0].items)
    assert "docs/guide.md (changed since it was indexed)" in repr(response.notices)
    workspace.refresh()
    response = workspace.recall("call the bomb", include_content=True)
    assert "Call the bomb" in repr(response.sections[0].items) and not response.notices


@pytest.mark.nightly
def test_a_file_of_the_tree_that_was_added_counts_once(workspace: Workspace) -> None:
    """A document and an item that were also added under a label count once: pages end, and totals
    match the rows."""
    for path, label in (("docs/guide.md", "guide"), ("docs/rules/errors.md", "rules")):
        with open_content(workspace.root) as content:
            content.add_file(workspace.root / path, label)
    for query in ("API reference", "error handling patterns"):
        shown: list[str] = []
        page = sibyl(workspace, query=query, limit=1)
        while page["has_more"]:
            shown += [row["content"] for row in page["results"]]
            assert len(shown) < 20
            page = sibyl(workspace, query=query, limit=1, offset=len(shown))
        shown += [row["content"] for row in page["results"]]
        assert len(shown) == page["total"] == page["graph_count"] + page["document_count"]
        assert len({*shown}) == len(shown)
    listed = call(workspace, "sibyl", "explore", types=["rule"])
    assert listed["total"] == len(listed["entities"]) == 1


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("query", "title", "code"),
    [
        ("deploy", "Deploy", 'def _source_zsh():\n    """Source zsh before a deploy."""\n'),
        ("authentication", "Authentication", "def _mask_authentications_input():\n    pass\n"),
        ("caching", "Caching of pages", "def _make_cached_stream_func():\n    pass\n"),
    ],
)
def test_a_title_equal_to_the_question_comes_before_similar_texts(
    workspace: Workspace, query: str, title: str, code: str
) -> None:
    (workspace.root / "src" / "other.py").write_text(code)
    (workspace.root / "docs" / "titled.md").write_text(
        f"# {title}\n\nHow it is done here, and why.\n"
    )
    workspace.refresh()
    response = workspace.recall(query, limit=5)
    assert response.sections[0].items[0].title in (title, f"titled.md > {title}"), ids(response)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "query", ["error handling patterns", "OAuth login", "cached token", "authentication"]
)
def test_a_smaller_limit_gives_the_beginning_of_a_larger_one(
    workspace: Workspace, query: str
) -> None:
    for number in range(70):
        (workspace.root / "docs" / f"n{number}.md").write_text(
            f"# Notes {number}\n\nToken error pattern login {'x ' * number}\n"
        )
    workspace.refresh()
    most = ids(workspace.recall(query, limit=50, freshness=CURRENT))
    for limit in (1, 2, 5, 14, 16, 30):
        assert ids(workspace.recall(query, limit=limit, freshness=CURRENT)) == most[:limit]


@pytest.mark.nightly
def test_notes_of_other_sessions_are_counted_whenever_they_match(workspace: Workspace) -> None:
    """Only notes that pass the other filters count; a newest note without a session hides
    nothing."""

    def notices(**more: Any) -> list[str]:
        request = TextRequest(queries=["cached token hour"], this_session=True, **more)
        section = workspace.recall(request).sections[0]
        return [] if section.notices is UNSET else section.notices

    with open_notes(workspace.root) as notes:
        notes.add("A cached token for an hour, of no session", category="plan")
    one = '1 note of another session matches: sort "timeline" shows it'
    assert one in notices(session="one")
    assert one in notices() and one in notices(
        source="decision"
    )  # the newest note with a session belongs to session one
    assert one not in notices(source="next-docs") and one not in notices(content_type="code")
    assert not any("session" in notice for notice in notices(session="one", sort="timeline"))
    assert any(
        "(source, content type)" in notice for notice in notices(source="plan", content_type="code")
    )


def test_results_of_sibyl_hold_a_symbol_whole_or_say_that_it_is_cut(workspace: Workspace) -> None:
    body = "".join(f"    total += {number}\n" for number in range(200))
    large = "".join(f"    total += {number}  # {'x' * 60}\n" for number in range(400))
    text = f'def reckon_small():\n    """{"Reckon. " * 300}"""\n    total = 0\n{body}\n\ndef reckon_large():\n    total = 0\n{large}'
    (workspace.root / "src" / "reckon.py").write_text(text)
    workspace.refresh()
    rows = {row["name"]: row for row in sibyl(workspace, query="reckon")["results"]}
    assert (
        "total += 199" in rows["reckon_small"]["content"]
        and "…" not in rows["reckon_small"]["content"]
    )
    assert (
        rows["reckon_large"]["metadata"]["truncated"]
        and len(rows["reckon_large"]["content"]) == 20_000
    )
    assert "Truncated results" in sibyl(workspace, query="reckon")["usage_hint"]
    whole = call(
        workspace, "sibyl", "explore", mode="related", entity_id=rows["reckon_large"]["id"]
    )["entity"]
    assert "total += 399" in whole["content"] and "truncated" not in whole["metadata"]
    assert "full content" not in sibyl(workspace, query="xyzzyplugh")["usage_hint"]


def test_items_have_ids_and_the_ids_that_mention_them(workspace: Workspace) -> None:
    page = "---\ntype: project\nid: proj_abc123\n---\n# Storefront\n\nThe storefront.\n"
    (workspace.root / "docs" / "store.md").write_text(page)
    (workspace.root / ".ai" / "directives").mkdir(parents=True)
    (workspace.root / ".ai" / "directives" / "deploy.md").write_text(
        "# Deploy\n\nDeploy the zeppelin.\n"
    )
    workspace.refresh()
    result_ids = [row["id"] for row in sibyl(workspace, query="deploy zeppelin")["results"]]
    assert "directive:deploy" in result_ids
    assert (
        "zeppelin"
        in call(workspace, "sibyl", "explore", mode="related", entity_id="directive:deploy")[
            "entity"
        ]["content"]
    )
    shown = workspace.symbol("directive:deploy").symbol
    assert shown is not None and "zeppelin" in shown.code
    project = call(workspace, "sibyl", "explore", mode="related", entity_id="proj_abc123")
    assert {row["name"] for row in project["related"] if row["relationship"] == "has"} == {
        "Authentication",
        "Log out",
    }
    task = next(row["id"] for row in project["related"] if row["name"] == "Log out")
    above = call(workspace, "sibyl", "explore", mode="related", entity_id=task)["related"]
    assert ("belongs_to", "proj_abc123") in {(row["relationship"], row["id"]) for row in above}


@pytest.mark.nightly
@pytest.mark.parametrize("word", ["python", "py", "Python"])
def test_a_language_is_known_by_its_other_names(workspace: Workspace, word: str) -> None:
    assert names_of(
        sibyl(workspace, query="error handling patterns", types=["rule"], language=word)
    ) == ["Errors"]
