"""Pages of every paged answer: joined they are the whole answer, with every filter, and each has
its total; a token or a number past the end, and a token of another request, are explained."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

import symindex
from symindex.dialects.table import call
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.fetch import FetchFailure, FetchResponse
from symindex.workspace.workspace import Workspace, open_content, open_notes
from tests.support.files import Files, write_files
from tests.support.paging import Ask, Page, by_offset, by_token, check_pages

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


@pytest.mark.sample(25)
@pytest.mark.parametrize("name", CASES)
def test_pages_joined_are_the_whole_answer(name: str, workspace: Workspace) -> None:
    make, ways, query, filters = CASES[name]
    check_pages(make(workspace, query, **filters), *ways)
