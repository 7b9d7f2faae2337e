"""Pages: every slice of the list, by token and by index, across restarts and edits."""

import random
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError, TokenError
from symindex.index.snapshot import Snapshot
from symindex.protocol.search import SearchItem, SearchRequest, SearchResponse
from symindex.search.answer.answer import answer
from symindex.search.answer.cursor import seal, unseal
from symindex.search.answer.page import TOKEN_VERSION, _PageToken
from symindex.search.answer.plan import make_plan
from symindex.workspace.workspace import Workspace
from tests.support.command import run_program
from tests.support.files import Files, Maker, write_files


def key(item: SearchItem) -> str:
    return f"{item.file_path}#{item.container}.{item.name}:{item.line}"


def many(n: int) -> dict[str, str | bytes]:
    """Returns files with n functions and methods that match `item`, a few per file."""
    files: dict[str, str | bytes] = {}
    for number in range(0, n, 10):
        lines = [f"class Box{number}:\n"]
        lines += [
            f"    def {'un' * (i % 3)}item_{i % 7}(self): pass\n"
            for i in range(number, min(number + 10, n))
        ]
        files[f"pkg{number % 30}/m{number}.py"] = "".join(lines)
    return files


def pages_by_token(workspace: Workspace, query: str, size: int) -> list[SearchResponse]:
    pages = [workspace.search(query, max_items=size)]
    while pages[-1].pagination_id is not None:
        pages.append(workspace.search(query, max_items=size, pagination_id=pages[-1].pagination_id))
    return pages


@pytest.mark.nightly
@pytest.mark.slow
def test_a_thousand_in_pages_of_seven(make_workspace: Maker) -> None:
    workspace = make_workspace(many(1000))
    whole = workspace.search("item")
    assert (whole.total, whole.has_more, whole.pagination_id) == (1000, False, None)
    assert len({key(item) for item in whole.items}) == 1000

    by_token = pages_by_token(workspace, "item", 7)
    assert [item for page in by_token for item in page.items] == whole.items
    assert all(page.total == 1000 and page.has_more for page in by_token[:-1])
    assert (by_token[-1].has_more, by_token[-1].pagination_id) == (False, None)
    assert max(len(page.pagination_id or "") for page in by_token) < 200

    by_index = [
        workspace.search("item", max_items=7, start_index=start).items
        for start in range(0, 1000, 7)
    ]
    assert [item for page in by_index for item in page] == whole.items


@pytest.mark.nightly
@pytest.mark.slow
def test_the_token_survives_a_restart(make_workspace: Maker) -> None:
    workspace = make_workspace(many(60))
    whole = workspace.search("item").items
    arguments = [sys.executable, "-m", "symindex", "search", "item", "--json", "-n", "25",
                 "--root", str(workspace.root), "--index-dir", str(workspace.source.indexed.folder.parent)]  # fmt: skip
    items: list[SearchItem] = []
    token: list[str] = []
    while True:
        done = run_program([*arguments, *token], text=False, check=True)
        page = msgspec.json.decode(done.stdout, type=SearchResponse)
        items += page.items
        if page.pagination_id is None:
            break
        token = ["--pagination-id", page.pagination_id]
    assert items == whole


class Editor:
    """Edits the tree between pages, as users do."""

    def __init__(self, workspace: Workspace, seed: int) -> None:
        self.workspace = workspace
        workspace.source.indexed._updater.keep_worker()  # otherwise each refresh starts one
        self.rng = random.Random(seed)

    def edit(self) -> None:
        for _ in range(self.rng.randint(1, 4)):
            files = sorted(self.workspace.root.rglob("*.py"))
            path = self.rng.choice(files)
            lines = path.read_text().splitlines(keepends=True)
            action = self.rng.choice(
                ["insert line", "add symbol", "remove symbol", "delete file", "new file"]
            )
            if action == "insert line":
                lines.insert(0, "# a line\n" * self.rng.randint(1, 30))
            elif action == "add symbol":
                lines.insert(
                    self.rng.randint(1, len(lines)),
                    f"    def added_item_{self.rng.randint(0, 99)}(self): pass\n",
                )
            elif action == "remove symbol" and len(lines) > 2:
                del lines[self.rng.randrange(1, len(lines))]
            elif action == "delete file" and len(files) > 3:
                path.unlink()
                continue
            elif action == "new file":
                path = path.with_name(f"new{self.rng.randint(0, 999)}.py")
                lines = ["class New:\n", "    def item_new(self): pass\n"]
            path.write_text("".join(lines))
        self.workspace.refresh()


def identities(workspace: Workspace) -> set[str]:
    return {
        item.id
        for item in workspace.search("item", include=["id"]).items
        if isinstance(item.id, str)
    }


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_edits_between_pages_lose_and_double_nothing(seed: int, make_workspace: Maker) -> None:
    workspace = make_workspace(many(120))
    editor = Editor(workspace, seed)
    always = identities(workspace)
    shown: list[str] = []
    page = workspace.search("item", max_items=9, include=["id"])
    while True:
        shown += [item.id for item in page.items if isinstance(item.id, str)]
        if page.pagination_id is None:
            break
        editor.edit()
        always &= identities(workspace)
        page = workspace.search(
            "item", max_items=9, include=["id"], pagination_id=page.pagination_id
        )
    assert [symbol for symbol in shown if shown.count(symbol) > 1 and symbol in always] == []
    assert always - set(shown) == set()


@pytest.mark.nightly
def test_a_changed_index_is_reported(make_workspace: Maker) -> None:
    workspace = make_workspace(many(30))
    first = workspace.search("item", max_items=10)
    (workspace.root / "pkg0" / "m0.py").write_text("# gone\n")
    workspace.refresh()
    second = workspace.search("item", max_items=10, pagination_id=first.pagination_id)
    assert second.notices == [
        "the index has changed since the last page; this page continues after the last item that was shown"
    ]


GONE: dict[str, tuple[str, Files, Files, list[str]]] = {
    "lines": (
        "item",
        {"b.py": "".join(f"def item_{n:02}(): pass\n" for n in range(12))},
        {"b.py": "# gone\n" * 8 + "".join(f"def item_{n:02}(): pass\n" for n in range(8, 12))},
        ["item_08", "item_09", "item_10", "item_11"],
    ),
    "as many on the line": (
        "item",
        {"b.js": " ".join(f"function item_{letter}() {{}}" for letter in "abcdefghijkl")},
        {"b.js": " ".join(f"function item_{letter}() {{}}" for letter in "stuvwxyzijkl")},
        ["item_i", "item_j", "item_k", "item_l"],
    ),
    "none on the line": (
        "item",
        {
            "b.js": " ".join(f"function item_{n}() {{}}" for n in range(8)),
            "c.js": "function item_c() {}\nfunction item_d() {}\n",
        },
        {"b.js": "// gone\n"},
        ["item_c", "item_d"],
    ),
    "paths": (
        "item",
        {f"{letter}.py": "def item(): pass\n" for letter in "abcdefghijk"},
        {f"{letter}.py": "# gone\n" for letter in "abcdefgh"},
        ["item", "item", "item"],
    ),
    "long paths": (
        "item",
        {
            f"{'deep/' * 9}{letter}/{'er/' * 99}a.py": "def item(): pass\n"
            for letter in "abcdefghijk"
        },
        {f"{'deep/' * 9}{letter}/{'er/' * 99}a.py": "# gone\n" for letter in "abcdefgh"},
        ["item", "item", "item"],
    ),
    "lengths": (
        "kind:function",
        {
            "b.py": "".join(f"def f{n}(): pass\n" for n in range(8)),
            "a.py": "def longer(): pass\ndef longest(): pass\n",
        },
        {"b.py": "# gone\n"},
        ["longer", "longest"],
    ),
    "qualities": (
        "item",
        {"b.py": "class item: pass\n" * 8, "a.py": "def item(): pass\ndef item(): pass\n"},
        {"b.py": "# gone\n"},
        ["item", "item"],
    ),
    "points": (
        "item",
        {f"b{n}.py": "item = 1\n" for n in range(8)}
        | {"a.py": "class Item: pass\nclass Items: pass\n"},
        {f"b{n}.py": "# gone\n" for n in range(8)},
        ["Item", "Items"],
    ),
}
"""For each part of the order: the query, files whose first page lists eight hits, the files after
these are gone, and the remaining hits."""


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(("query", "files", "changed", "behind"), GONE.values(), ids=GONE)
def test_a_page_continues_in_place_when_all_shown_rows_are_gone(
    query: str, files: Files, changed: Files, behind: list[str], make_workspace: Maker
) -> None:
    """The next page lists what follows the last item shown, whichever part of the order decides."""
    workspace = make_workspace(files)
    first = workspace.search(query, max_items=8, fuzzy=False)
    assert first.total == 8 + len(behind)
    write_files(workspace.root, changed)
    workspace.refresh()
    second = workspace.search(query, max_items=8, fuzzy=False, pagination_id=first.pagination_id)
    assert [item.name for item in second.items] == behind
    assert second.notices == [
        "the index has changed since the last page; this page continues after the last item that was shown"
    ]


def test_a_page_continues_in_its_tree_when_all_shown_rows_are_gone(
    make_workspace: Maker,
) -> None:
    """The rows of earlier trees are not listed again, though their paths come later."""
    before = make_workspace({f"z{n}.py": "def item(): pass\n" for n in range(3)})
    last = make_workspace({f"a{n}.py": "def item(): pass\n" for n in range(9)})

    def search(token: str | None = None) -> SearchResponse:
        snapshot = Snapshot.joined(
            [before.source.indexed.snapshot, last.source.indexed.snapshot], ["before/", "last/"]
        )
        return answer(
            snapshot,
            make_plan(
                SearchRequest(query="item", max_items=9, pagination_id=token),
                before.source.languages,
            ),
        )

    first = search()
    assert [item.file_path for item in first.items] == [
        *(f"before/z{n}.py" for n in range(3)),
        *(f"last/a{n}.py" for n in range(6)),
    ]
    for number in range(6):
        (last.root / f"a{number}.py").unlink()
    last.refresh()
    second = search(first.pagination_id)
    assert [item.file_path for item in second.items] == [f"last/a{n}.py" for n in range(6, 9)]


def test_a_page_continues_after_the_last_item_even_if_an_earlier_one_moved_down(
    make_workspace: Maker,
) -> None:
    """The page continues after the last item shown that still exists, not after the lowest-ranked
    one."""
    functions = [f"def item_{n}(): pass\n" for n in range(8)]
    workspace = make_workspace({"a.py": "".join(functions)})
    first = workspace.search("item", max_items=4)
    write_files(workspace.root, {"a.py": "".join(["item_0 = 1\n", *functions[1:]])})
    workspace.refresh()
    second = workspace.search("item", max_items=4, pagination_id=first.pagination_id)
    assert [item.name for item in second.items] == ["item_4", "item_5", "item_6", "item_7"]


def test_all_pages_ask_the_weak_tiers_or_none_does(make_workspace: Maker) -> None:
    """Later pages use the tiers of the first page, even if a fresh search would find enough, or too
    little."""
    misspelt = "".join(f"def lgoin_{n}(): pass\n" for n in range(4))
    for exact, later, behind in (
        (
            "def do_login(): pass\n",
            "def do_login(): pass\ndef login(): pass\n",
            ["lgoin_2", "lgoin_3"],
        ),
        (
            "".join(f"def my_login_{n:02}(): pass\n" for n in range(12)),
            "def my_login_00(): pass\ndef my_login_11(): pass\n",
            ["my_login_11"],
        ),
    ):
        workspace = make_workspace({"a.py": exact, "b.py": misspelt})
        first = workspace.search("login", max_items=3)
        write_files(workspace.root, {"a.py": later})
        workspace.refresh()
        second = workspace.search("login", max_items=3, pagination_id=first.pagination_id)
        assert [item.name for item in second.items] == behind


def test_past_the_end(make_workspace: Maker) -> None:
    workspace = make_workspace(many(10))
    page = workspace.search("item", max_items=5, start_index=500)
    assert (page.items, page.total, page.has_more, page.pagination_id) == ([], 10, False, None)
    assert page.notices == ["start_index 500 is past the end: there are 10 results, 0 to 9"]
    page = workspace.search("Box0", start_index=1)
    assert page.notices == ["start_index 1 is past the end: there is 1 result"]
    assert workspace.search("item", start_index=9).total == 10


def test_numbers_beyond_all_bounds(make_workspace: Maker) -> None:
    workspace = make_workspace(many(10))
    assert len(workspace.search("item", max_items=10**18).items) == 10
    assert workspace.search("item", start_index=10**18).items == []


OTHER_REQUESTS = {
    "query": {"query": "unitem"},
    "kinds": {"kinds": ["method"]},
    "page size": {"max_items": 6},
    "languages": {"languages": ["python"]},
    "paths": {"paths": ["pkg0"]},
    "fuzzy": {"fuzzy": False},
}


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("change", OTHER_REQUESTS.values(), ids=OTHER_REQUESTS)
def test_a_token_of_another_request(change: dict[str, object], make_workspace: Maker) -> None:
    workspace = make_workspace(many(30))
    token = workspace.search("item", max_items=5).pagination_id
    request = SearchRequest(**({"query": "item", "max_items": 5, "pagination_id": token} | change))  # type: ignore[arg-type]
    with pytest.raises(TokenError, match="pagination_id belongs to another search than"):
        workspace.search(request)


SPELLINGS = [
    ({"languages": ["py"]}, {"languages": ["python"]}),
    ({"languages": ["Python", "go"]}, {"languages": [".go", "py", "python"]}),
    ({"kinds": ["Function", "method"]}, {"kinds": ["method", "function", "method"]}),
    ({"query": "item lang:py"}, {"query": " item AND lang:python"}),
    ({"paths": ["pkg*/", "!x"]}, {"paths": ["!x", "pkg*/"]}),
]


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), SPELLINGS)
def test_a_token_is_of_what_is_meant_however_it_is_spelt(
    one: Any, other: Any, make_workspace: Maker
) -> None:
    workspace = make_workspace(many(30))
    whole = workspace.search(SearchRequest(**{"query": "item"} | one)).items
    pages = [
        workspace.search(SearchRequest(**{"query": "item", "max_items": 5} | fields))
        for fields in (one, other)
    ]
    assert pages[0].pagination_id == pages[1].pagination_id
    for page, fields in zip(pages, (other, one), strict=True):
        request = SearchRequest(
            **{"query": "item", "max_items": 5, "pagination_id": page.pagination_id} | fields
        )
        assert workspace.search(request).items == whole[5:10]


def test_a_token_with_another_start(make_workspace: Maker) -> None:
    workspace = make_workspace(many(30))
    token = workspace.search("item", max_items=5).pagination_id
    assert (
        workspace.search("item", max_items=5, start_index=5, pagination_id=token).start_index == 5
    )
    with pytest.raises(
        TokenError,
        match=r"start_index 7 and pagination_id \(which starts at 5\) contradict each other",
    ):
        workspace.search("item", max_items=5, start_index=7, pagination_id=token)


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "token", ["", "x", "not a token", "AAAA", "💥", "a" * 5000, "../../etc/passwd", "\x00"]
)
def test_garbled_tokens(token: str, make_workspace: Maker) -> None:
    workspace = make_workspace(many(3))
    with pytest.raises(RequestError) as caught:
        workspace.search("item", pagination_id=token)
    assert "is not a token of symindex: give back the one of the last answer unchanged" in str(
        caught.value
    )
    assert len(str(caught.value)) < 200


@pytest.mark.sample(2)
@pytest.mark.parametrize("more", ["    ", "!!!!", "\n\n\n\n", "===="])
def test_a_token_with_added_characters(more: str, make_workspace: Maker) -> None:
    """A token with added characters is an error."""
    workspace = make_workspace(many(30))
    token = workspace.search("item", max_items=5).pagination_id or ""
    for garbled in (token[:8] + more + token[8:], more + token, token + more):
        with pytest.raises(TokenError, match="is not a token of symindex"):
            workspace.search("item", max_items=5, pagination_id=garbled)


@pytest.mark.parametrize("version", [0, TOKEN_VERSION - 1, TOKEN_VERSION + 1])
def test_a_token_of_another_version(version: int, make_workspace: Maker) -> None:
    """The same fields may have another meaning in an older or newer version."""
    workspace = make_workspace(many(30))
    token = unseal(
        workspace.search("item", max_items=5).pagination_id or "", _PageToken, TOKEN_VERSION
    )
    with pytest.raises(
        TokenError,
        match=f"pagination_id is of token version {version}, not {TOKEN_VERSION}: start again",
    ):
        workspace.search(
            "item", max_items=5, pagination_id=seal(msgspec.structs.replace(token, version=version))
        )


@pytest.mark.parametrize("folder", ["", "folder/" * 40, "größe/" * 40])
def test_a_token_stays_short_however_long_the_path(folder: str, make_workspace: Maker) -> None:
    workspace = make_workspace(
        {f"{folder}{letter}.py": "def item(): pass\n" for letter in "abcdefghij"}
    )
    pages = pages_by_token(workspace, "item", 8)
    assert [len(page.items) for page in pages] == [8, 2]
    assert len(pages[0].pagination_id or "") < 200


@given(st.data())
def test_a_token_with_any_one_character_changed(data: st.DataObject) -> None:
    token = TOKEN[0]
    position = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("ABCabc012-_=!"))
    if token[position] == other:
        return
    # The last character may contain unused bits; a change there leaves the token the same.
    try:
        assert unseal(
            token[:position] + other + token[position + 1 :], _PageToken, TOKEN_VERSION
        ) == unseal(token, _PageToken, TOKEN_VERSION)
        assert position == len(token) - 1
    except TokenError:
        pass


TOKEN = [""]


@pytest.fixture(scope="module", autouse=True)
def _one_token(tmp_path_factory: pytest.TempPathFactory) -> None:
    root: Path = tmp_path_factory.mktemp("token")
    (root / "a.py").write_text("item_a = 1\nitem_b = 2\n")
    with Workspace(root, root / "index") as workspace:
        workspace.refresh()
        TOKEN[0] = workspace.search("item", max_items=1).pagination_id or ""
