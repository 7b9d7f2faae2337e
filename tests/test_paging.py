"""Pages of every paged answer: joined they are the whole answer, with every filter, and each has
its total; a token or a number past the end, and a token of another request, are explained."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

import symindex
from symindex.dialects.table import call
from symindex.errors import TokenError
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.fetch import FetchFailure, FetchResponse
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.workspace import Workspace, open_content, open_notes
from tests.support.command import run
from tests.support.files import Files, write_files
from tests.support.paging import Ask, Page, by_offset, by_token, check_pages
from tests.support.waiting import until

WEEK = {"since": "1w"}


def document(number: int, kind: str = "", **front: str) -> str:
    """Returns a document about walruses, with front matter."""
    facts = {**({"type": kind} if kind else {}), **front}
    head = "".join(f"{name}: {value}\n" for name, value in facts.items())
    head = f"---\n{head}---\n" if head else ""
    return f"{head}# Walrus {number}\n\nThe walrus number {number} swims near the ice.\n"


def module(number: int) -> str:
    """Returns code whose names, docs, strings and comments contain the word."""
    return (
        f"class WalrusBox{number}:\n"
        '    """Holds a walrus."""\n\n'
        "    walrus_count = 0  # of every walrus\n\n"
        "    def walrus(self):\n"
        f'        return self.walrus_count + len("walrus {number}")\n\n\n'
        "def feed(box):\n"
        "    walrus = box.walrus()\n"
        "    box.walrus_count += walrus\n"
        "    return walrus\n"
    )


TREE: Files = {
    ".git/HEAD": "ref: refs/heads/main\n",
    **{f"src/m{number}.py": module(number) for number in range(3)},
    "src/w.ts": "export class WalrusBox9 {\n  walrus(): number { return 1 } // walrus\n}\n",
    "src/o.ts": "export function walrus() { return 'walrus' }\n",
    "tests/test_walrus.py": "def test_walrus():\n    walrus = 1\n    assert walrus\n",
    **{f"docs/d{number}.md": document(number) for number in range(2)},
    **{
        f"docs/p{number}.md": document(
            number, "pattern", language="python", category="sea", id=f"pattern-{number}"
        )
        for number in range(4)
    },
    **{
        f"docs/t{number}.md": document(
            number, "task", status="todo", assignee="Ada", project="pond"
        )
        for number in range(4)
    },
    **{
        f".ai/knowledge/sea/k{number}.md": document(number, category="sea", date=f"202{number}-01-01")
        for number in range(4)
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    top = tmp_path_factory.mktemp("paging")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SYMINDEX_DATA_DIR", str(top / "data"))
        patched.delenv("SYMINDEX_SESSION", raising=False)
        root = write_files(top / "tree", TREE)
        with open_content(root) as content:
            for number in range(2):
                content.add(
                    f"# Pool {number}\n\nA walrus of pool {number}.\n\n```py\nwalrus({number})\n```\n".encode(),
                    f"pool-{number}",
                    f"pool{number}.md",
                )
            content.add(
                "".join(f"# Sea {n}\n\nThe walrus of sea {n} dives. {'Deep water. ' * 90}\n\n" for n in range(4)).encode(),
                "seas",
                "seas.md",
            )  # fmt: skip
        with open_notes(root) as notes:
            for number in range(9):
                notes.add(
                    f"The walrus is fed {number} times",
                    category=("decision", "plan")[number % 2],
                    session=("one", "two")[number // 5],
                    source="keeper" if number < 7 else "",
                )
        with symindex.open(root, top / "index") as opened:
            opened.refresh()
            yield opened


@pytest.fixture(autouse=True)
def _data(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notes and the content of this module, in every test."""
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(workspace.root.parent / "data"))


def notices_of(*answers: Any) -> str:
    return "\n".join(notice for answer in answers for notice in answer.notices or ())


def search(workspace: Workspace, query: str, /, **filters: Any) -> Ask:
    def ask(size: int | None, start: int, token: str | None) -> Page:
        response = workspace.search(
            query, max_items=size, start_index=start, pagination_id=token, **filters
        )
        rows = [msgspec.to_builtins(item) for item in response.items]
        return Page(
            rows, response.total, response.has_more, response.pagination_id, notices_of(response)
        )

    return ask


def references(workspace: Workspace, name: str, /, **filters: Any) -> Ask:
    def ask(size: int | None, start: int, token: str | None) -> Page:
        request = ReferencesRequest(name=name, max_items=size, pagination_id=token, **filters)
        response = workspace.references(request)
        rows = [(file.file_path, item) for file in response.files for item in file.items]
        return Page(
            rows, response.total, response.has_more, response.pagination_id, notices_of(response)
        )

    return ask


def grep(workspace: Workspace, pattern: str, /, **filters: Any) -> Ask:
    def ask(size: int | None, start: int, token: str | None) -> Page:
        response = workspace.grep(pattern, max_items=size, pagination_id=token, **filters)
        rows = [(file.file_path, row) for file in response.files for row in file.items]
        return Page(
            rows,
            response.total,
            response.has_more,
            response.pagination_id,
            notices_of(response),
            n_counted=sum(1 + len(row.lines) for _, row in rows),
        )

    return ask


def recall(workspace: Workspace, query: str, /, **filters: Any) -> Ask:
    def ask(size: int | None, start: int, token: str | None) -> Page:
        response = workspace.recall(query, limit=size or 50, offset=start, **filters)
        (section,) = response.sections
        rows = [
            (item.id, item.title, item.score)
            for item in section.items
            if item.result_origin != "graph"  # neighbours fill the last page
        ]
        return Page(rows, section.total, section.has_more, None, notices_of(response, section))

    return ask


def fetch(workspace: Workspace, query: str, /, **filters: Any) -> Ask:
    def ask(size: int | None, start: int, token: str | None) -> Page:
        response = workspace.fetch(query=query, limit=size, offset=start, **filters)
        assert not isinstance(response, FetchResponse | FetchFailure)
        rows = [(item.id, item.score) for item in response.items]
        return Page(rows, response.total, response.has_more, None, notices_of(response))

    return ask


def notes(workspace: Workspace, _: str, /, **filters: Any) -> Ask:
    def ask(size: int | None, start: int, token: str | None) -> Page:
        with open_notes(workspace.root) as opened:
            page, total = opened.newest_first(limit=size or 50, offset=start, **filters)
        return Page([note.id for note in page], total, start + len(page) < total)

    return ask


def dialect(name: str, tool: str, *ways: str) -> Callable[..., Ask]:
    """ways: the arguments for the size, the start and the token."""

    def make(workspace: Workspace, query: str, /, **filters: Any) -> Ask:
        def ask(size: int | None, start: int, token: str | None) -> Page:
            chosen = dict(zip(ways, (size or 50, start, token), strict=False))
            if size is None and name == "lsap":
                del chosen["max_items"]
            answer = msgspec.to_builtins(
                call(workspace, name, tool, query=query, **filters, **chosen)
            )
            rows = answer.get("results", answer.get("items"))
            has_more = answer.get("has_more", start + len(rows) < answer["total"])
            return Page(
                rows,
                answer["total"],
                has_more,
                answer.get("pagination_id"),
                "\n".join(answer.get("notices", ())),
            )

        return ask

    return make


lsap = dialect("lsap", "search", "max_items", "start_index", "pagination_id")
rye_search = dialect("rye", "rye_search", "limit", "offset")
rye_fetch = dialect("rye", "rye_fetch", "limit", "offset")
sibyl = dialect("sibyl", "search", "limit", "offset")

BOTH = (by_token, by_offset)
TOKEN, OFFSET = (by_token,), (by_offset,)

CASES: dict[str, tuple[Callable[..., Ask], tuple[Any, ...], str, dict[str, Any]]] = {
    # search
    "search a name": (search, BOTH, "walrus", {}),
    "search nothing": (search, BOTH, "", {}),
    "search words": (search, BOTH, "walrus box", {}),
    "search an operator": (search, BOTH, "walrus OR feed", {}),
    "search a container": (search, BOTH, "src/walrus", {}),
    "search a field": (search, BOTH, "walrus path:src", {}),
    "search kinds": (search, BOTH, "walrus", {"kinds": ["class", "method"]}),
    "search languages": (search, BOTH, "walrus", {"languages": ["python"]}),
    "search paths": (search, BOTH, "walrus", {"paths": ["src/**", "!src/m0.py"]}),
    "search fuzzy": (search, BOTH, "walrsu", {"fuzzy": True}),
    "search not fuzzy": (search, BOTH, "walrus", {"fuzzy": False}),
    "search by distance": (search, BOTH, "walrsu", {"fuzzy": {"enabled": True, "max_distance": 1}}),
    "search all fields": (search, BOTH, "walrus", {"include": [*symindex.protocol.search.ITEM_EXTRAS]}),
    "search fields": (search, BOTH, "", {"fields": {"name": "walrus"}}),
    "search filters": (search, BOTH, "walrus", {"filters": {"lang": "!typescript"}}),
    "search dates": (search, BOTH, "walrus", {"filters": {"date_from": "2020-01-01"}}),
    "search near": (search, BOTH, "walrus ice", {"proximity": {"max_distance": 9}, "type": "all"}),
    "search by date": (search, BOTH, "walrus", {"sort_by": "date"}),
    "search by name": (search, BOTH, "walrus", {"sort_by": "name"}),
    "search a scope": (search, BOTH, "walrus", {"scope": "symbol.src.*"}),
    "search a space": (search, BOTH, "walrus", {"space": "project"}),
    "search sections": (search, BOTH, "walrus", {"type": "section"}),
    "search items": (search, BOTH, "walrus", {"type": "item"}),
    "search everything": (search, BOTH, "walrus", {"type": "all"}),
    "search whole words": (search, BOTH, "walrus", {"whole_words": True, "type": "all"}),
    "search phrases": (search, BOTH, '"walrus number"', {"type": "section"}),
    # references
    "references of a name": (references, TOKEN, "walrus_count", {}),
    "references of a qualified name": (references, TOKEN, "WalrusBox1.walrus", {}),
    "references of an id": (references, TOKEN, "src/m1.py#WalrusBox1.walrus", {}),
    "references in languages": (references, TOKEN, "walrus_count", {"languages": ["python"]}),
    "references in paths": (references, TOKEN, "walrus_count", {"paths": ["src/**", "!src/m0.py"]}),
    "references of a role": (references, TOKEN, "walrus", {"role": "definition"}),
    "references of two roles": (references, TOKEN, "walrus", {"role": ["call", "definition"]}),
    # grep
    "grep a text": (grep, TOKEN, "walrus", {}),
    "grep each line": (grep, TOKEN, "walrus", {"each_line": True}),
    "grep an expression": (grep, TOKEN, r"walrus\w*", {"regex": True, "each_line": True}),
    "grep any case": (grep, TOKEN, "WALRUS", {"ignore_case": True}),
    "grep strings": (grep, TOKEN, "walrus", {"where": "strings"}),
    "grep comments": (grep, TOKEN, "walrus", {"where": "comments", "each_line": True}),
    "grep code": (grep, TOKEN, "walrus", {"where": "code"}),
    "grep lines of code": (grep, TOKEN, "walrus_count", {"where": "code", "each_line": True}),
    "grep languages": (grep, TOKEN, "walrus", {"languages": ["python"], "each_line": True}),
    "grep paths": (grep, TOKEN, "walrus", {"paths": ["src/**", "!src/m0.py"]}),
    # recall
    "recall": (recall, OFFSET, "walrus", {}),
    "recall words": (recall, OFFSET, "walrus near the ice", {}),
    "recall names": (recall, OFFSET, "walrus", {"within": "names"}),
    "recall text": (recall, OFFSET, "walrus", {"within": "text"}),
    "recall notes": (recall, OFFSET, "walrus", {"within": "notes"}),
    "recall a source": (recall, OFFSET, "walrus", {"source": "docs"}),
    "recall a source's name": (recall, OFFSET, "walrus", {"source_name": "d"}),
    "recall a source's id": (recall, OFFSET, "walrus", {"source_id": "seas"}),
    "recall code": (recall, OFFSET, "walrus", {"content_type": "code"}),
    "recall prose": (recall, OFFSET, "walrus", {"content_type": "prose"}),
    "recall types": (recall, OFFSET, "walrus", {"types": ["pattern", "task"]}),
    "recall symbols": (recall, OFFSET, "walrus", {"types": ["symbol"]}),
    "recall a language": (recall, OFFSET, "walrus", {"language": ["python"]}),
    "recall a category": (recall, OFFSET, "walrus", {"category": ["sea"]}),
    "recall a status": (recall, OFFSET, "walrus", {"status": ["todo"]}),
    "recall a project": (recall, OFFSET, "walrus", {"project": "pond"}),
    "recall an assignee": (recall, OFFSET, "walrus", {"assignee": "Ada"}),
    "recall what is new": (recall, OFFSET, "walrus", WEEK),
    "recall a timeline": (recall, OFFSET, "walrus", {"sort": "timeline"}),
    "recall what is recent": (recall, OFFSET, "walrus", {"boost_recent": True}),
    "recall a session first": (recall, OFFSET, "walrus", {"session": "one"}),
    "recall a session": (recall, OFFSET, "walrus", {"session": "one", "this_session": True, "within": "notes"}),
    "recall entities": (recall, OFFSET, "walrus", {"by_entity": True}),
    "recall entities without documents": (recall, OFFSET, "walrus", {"by_entity": True, "include_documents": False}),
    "recall entities without a graph": (recall, OFFSET, "walrus", {"by_entity": True, "include_graph": False}),
    "recall without documents": (recall, OFFSET, "walrus", {"include_documents": False}),
    "recall without neighbours": (recall, OFFSET, "walrus", {"include_graph": False}),
    "recall plain": (recall, OFFSET, "walrus", {"use_enhanced": False}),
    "recall whole": (recall, OFFSET, "walrus", {"include_content": True}),
    "recall a list": (recall, OFFSET, "", {"types": ["pattern", "task"]}),
    "recall a list of entities": (recall, OFFSET, "", {"types": ["pattern"], "by_entity": True}),
    # fetch
    "fetch": (fetch, OFFSET, "walrus", {"scope": "knowledge"}),
    "fetch items": (fetch, OFFSET, "walrus", {"scope": "item"}),
    "fetch a space": (fetch, OFFSET, "walrus", {"scope": "knowledge", "source": "project"}),
    "fetch local spaces": (fetch, OFFSET, "walrus", {"scope": "knowledge", "source": "local"}),
    "fetch by date": (fetch, OFFSET, "walrus", {"scope": "knowledge", "sort_by": "date"}),
    "fetch by name": (fetch, OFFSET, "walrus", {"scope": "knowledge", "sort_by": "name"}),
    "fetch fields": (fetch, OFFSET, "walrus", {"scope": "knowledge", "fields": {"category": "sea"}}),
    "fetch filters": (fetch, OFFSET, "walrus", {"scope": "knowledge", "filters": {"category": "sea"}}),
    "fetch fuzzy": (fetch, OFFSET, "walrsu", {"scope": "knowledge", "fuzzy": {"enabled": True}}),
    "fetch near": (fetch, OFFSET, "walrus ice", {"scope": "knowledge", "proximity": {"max_distance": 9}}),
    # notes
    "notes": (notes, OFFSET, "", {}),
    "notes of a category": (notes, OFFSET, "", {"categories": ["plan"]}),
    "notes of a session": (notes, OFFSET, "", {"session": "two"}),
    "notes of a source": (notes, OFFSET, "", {"source": "keep"}),
    "new notes": (notes, OFFSET, "", WEEK),
    "notes of all projects": (notes, OFFSET, "", {"all_projects": True}),
    # dialects
    "lsap": (lsap, BOTH, "walrus", {}),
    "lsap kinds": (lsap, BOTH, "walrus", {"kinds": ["class", "method"]}),
    "rye_search": (rye_search, OFFSET, "walrus", {"scope": "knowledge"}),
    "rye_search by name": (rye_search, OFFSET, "walrus", {"scope": "knowledge", "sort_by": "name"}),
    "rye_search a space": (rye_search, OFFSET, "walrus", {"scope": "knowledge", "space": "project"}),
    "rye_fetch": (rye_fetch, OFFSET, "walrus", {"scope": "knowledge"}),
    "rye_fetch filters": (rye_fetch, OFFSET, "walrus", {"scope": "knowledge", "filters": {"category": "sea"}}),
    "sibyl": (sibyl, OFFSET, "walrus", {}),
    "sibyl types": (sibyl, OFFSET, "walrus", {"types": ["pattern", "episode"]}),
    "sibyl graph": (sibyl, OFFSET, "walrus", {"include_documents": False}),
    "sibyl documents": (sibyl, OFFSET, "walrus", {"include_graph": False}),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", CASES)
def test_pages_joined_are_the_whole_answer(name: str, workspace: Workspace) -> None:
    make, ways, query, filters = CASES[name]
    check_pages(make(workspace, query, **filters), *ways)


def plain(page: Page) -> list[Any]:
    """Returns the rows of a page without fields that only some requests include."""
    names = ("name", "kind", "file_path", "line", "container")
    return [{name: row[name] for name in names} if isinstance(row, dict) else row for row in page.rows]  # fmt: skip


FILTERS: list[tuple[Callable[..., Ask], str, dict[str, Any]]] = [
    (search, "walrus box", {
        "kinds": ["class"], "languages": ["python"], "paths": ["src/**"], "fields": {"name": "box"}, "type": "section",
        "filters": {"kind": "class"}, "sort_by": "name", "scope": "method.src.*", "whole_words": True, "space": "system",
        "fuzzy": {"enabled": True, "max_distance": 1}, "proximity": {"max_distance": 0}, "include": ["id"],
    }),
    (references, "walrus", {"languages": ["python"], "paths": ["src/**"], "role": "call"}),
    (grep, "walrus", {
        "languages": ["python"], "paths": ["src/**"], "where": "code", "each_line": True, "ignore_case": True, "regex": True,
    }),
]  # fmt: skip
"""Requests for pages with tokens, with a value for each of their filters."""


@pytest.mark.sample(2)
@pytest.mark.parametrize(("make", "query", "filters"), FILTERS)
def test_a_token_of_another_request_is_refused(
    make: Callable[..., Ask], query: str, filters: dict[str, Any], workspace: Workspace
) -> None:
    """Every filter counts: a token is refused, except by a request with the same rows."""
    own = make(workspace, query)
    token = own(1, 0, None).token
    for name, value in filters.items():
        other = make(workspace, query, **{name: value})
        for ask, foreign in ((other, token), (own, other(1, 0, None).token)):
            if foreign is None:
                continue
            try:
                page = ask(1, 0, foreign)
            except TokenError as error:
                assert "pagination_id belongs to another" in str(error)
                assert "start again without it" in str(error)
            else:
                rows = plain(own(None, 0, None))
                assert rows == plain(other(None, 0, None)) and plain(page) == rows[1:2], name
    another = grep(workspace, "feed") if make is search else search(workspace, "walrus")
    for foreign, message in (
        (another(1, 0, None).token, "belongs to another sort of request"),
        ("garbled", "is not a token of symindex: give back the one of the last answer"),
        (f"{token}A", "is not a token of symindex"),
    ):
        with pytest.raises(TokenError, match=message):
            own(1, 0, foreign)


PAST: dict[str, str] = {
    "search a name": "start_index 900 is past the end: there are 13 results, 0 to 12",
    "fetch": "start_index 900 is past the end: there are 4 results, 0 to 3",
    "lsap": "start_index 900 is past the end: there are 13 results, 0 to 12",
    "rye_search": "offset 900 is past the end: there are 4 results, 0 to 3",
    "rye_fetch": "offset 900 is past the end: there are 4 results, 0 to 3",
    "recall": "offset 900 is past the end: there are",
    "recall a timeline": "offset 900 is past the end: there are",
    "recall a list": "offset 900 is past the end: there are",
    "sibyl": "offset 900 is past the end: there are",
}
"""What a page past the end says."""


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", PAST)
def test_a_page_past_the_end_says_so(name: str, workspace: Workspace) -> None:
    make, _, query, filters = CASES[name]
    ask = make(workspace, query, **filters)
    page, whole = ask(2, 900, None), ask(None, 0, None)
    assert (page.rows, page.total, page.has_more) == ([], whole.total, False)
    assert PAST[name] in page.notices
    assert "past the end" not in whole.notices + ask(2, len(whole.rows) - 1, None).notices
    assert "past the end" in ask(2, len(whole.rows), None).notices


def command(*words: str, size: str, token: str, start: str = "") -> Callable[[Workspace], Ask]:
    """Makes pages with a command. words: the command; size, start, token: its options."""

    def make(workspace: Workspace) -> Ask:
        where = [
            "--root",
            str(workspace.root),
            "--index-dir",
            str(workspace.source.indexed.folder.parent),
        ]

        def ask(most: int | None, first: int, page_token: str | None) -> Page:
            options = [size, str(most or 50)]
            options += [token, page_token] if page_token is not None else []
            options += [start, str(first)] if first else []
            answer = json.loads(run(*words, *where, *options, "--json").out)
            if "notes" in answer:
                more = first + len(answer["notes"]) < answer["total"]
                return Page(answer["notes"], answer["total"], more)
            return page_of(answer)

        return ask

    return make


def page_of(answer: dict[str, Any]) -> Page:
    """Reads an answer in JSON."""
    (answer,) = answer.get("sections", [answer])
    rows = answer.get("items", answer.get("results"))
    if rows is None:
        rows = [(file["file_path"], row) for file in answer["files"] for row in file["items"]]
    more = answer.get("has_more", bool(answer.get("limit")) and answer["total"] > answer.get("offset", 0) + len(rows))  # fmt: skip
    return Page(rows, answer["total"], more, answer.get("pagination_id"), n_counted=answer["total"])


COMMANDS = {
    "search": (BOTH, command("search", "walrus", size="-n", token="--pagination-id", start="--start-index")),
    "refs": (TOKEN, command("refs", "walrus_count", size="-n", token="--pagination-id")),
    "grep": (TOKEN, command("grep", "walrus", size="-n", token="--pagination-id")),
    "recall": (OFFSET, command("recall", "walrus", "--in", "notes", size="-n", token="", start="--offset")),
    "fetch": (OFFSET, command("fetch", "--query", "walrus", "--scope", "knowledge", size="--limit", token="", start="--offset")),
    "note list": (OFFSET, command("note", "list", size="--limit", token="", start="--offset")),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("name", COMMANDS)
def test_pages_of_commands(name: str, workspace: Workspace) -> None:
    ways, make = COMMANDS[name]
    check_pages(make(workspace), *ways, sizes=(3,))


@pytest.mark.slow
def test_pages_of_agents(workspace: Workspace) -> None:
    handlers = ToolHandlers([workspace.root], str(workspace.source.indexed.folder.parent))

    def tool(called: str, /, **arguments: Any) -> Ask:
        def ask(size: int | None, start: int, token: str | None) -> Page:
            given = {**arguments, "max_items": size or 50, **({"pagination_id": token} if token else {})}  # fmt: skip
            answer = handlers.answer(called, given, threading.Event())
            return page_of(msgspec.to_builtins(answer.data))

        return ask

    try:
        until(lambda: "Up to date" in handlers.answer("status", {}, threading.Event()).text, "an index")  # fmt: skip
        for ask in (
            tool("search", query="walrus", max_tokens=9_000),
            tool("search", query="walrus", scope=["all"], max_tokens=9_000),
            tool("references", name="walrus_count", max_tokens=9_000),
            tool("references", **{"name": "walrus_count", "in": "all", "max_tokens": 9_000}),
        ):
            check_pages(ask, by_token, sizes=(3,))
    finally:
        handlers.workspace.close()
