"""Pages: every slice of the list, by token and by index, across restarts and across edits."""

import random
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError, TokenError
from symindex.protocol import SearchItem, SearchRequest, SearchResponse
from symindex.search.page import read_token
from symindex.workspace import Workspace
from tests.conftest import Maker


def key(item: SearchItem) -> str:
    return f"{item.file_path}#{item.container}.{item.name}:{item.line}"


def many(n: int) -> dict[str, str | bytes]:
    """n functions and methods that match `item`, in files of a few each."""
    files: dict[str, str | bytes] = {}
    for number in range(0, n, 10):
        lines = [f"class Box{number}:\n"]
        lines += [f"    def {'un' * (i % 3)}item_{i % 7}(self): pass\n" for i in range(number, min(number + 10, n))]
        files[f"pkg{number % 30}/m{number}.py"] = "".join(lines)
    return files


def pages_by_token(workspace: Workspace, query: str, size: int) -> list[SearchResponse]:
    pages = [workspace.search(query, max_items=size)]
    while pages[-1].pagination_id is not None:
        pages.append(workspace.search(query, max_items=size, pagination_id=pages[-1].pagination_id))
    return pages


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

    by_index = [workspace.search("item", max_items=7, start_index=start).items for start in range(0, 1000, 7)]
    assert [item for page in by_index for item in page] == whole.items


def test_the_token_survives_a_restart(make_workspace: Maker) -> None:
    workspace = make_workspace(many(60))
    whole = workspace.search("item").items
    arguments = [sys.executable, "-m", "symindex", "search", "item", "--json", "-n", "25",
                 "--root", str(workspace.root), "--index-dir", str(workspace.folder.parent)]  # fmt: skip
    items: list[SearchItem] = []
    token: list[str] = []
    while True:
        done = subprocess.run([*arguments, *token], capture_output=True, check=True)
        page = msgspec.json.decode(done.stdout, type=SearchResponse)
        items += page.items
        if page.pagination_id is None:
            break
        token = ["--pagination-id", page.pagination_id]
    assert items == whole


class Editor:
    """Edits the tree between pages as a busy afternoon would."""

    def __init__(self, workspace: Workspace, seed: int) -> None:
        self.workspace = workspace
        self.rng = random.Random(seed)

    def edit(self) -> None:
        for _ in range(self.rng.randint(1, 4)):
            files = sorted(self.workspace.root.rglob("*.py"))
            path = self.rng.choice(files)
            lines = path.read_text().splitlines(keepends=True)
            action = self.rng.choice(["insert line", "add symbol", "remove symbol", "delete file", "new file"])
            if action == "insert line":
                lines.insert(0, "# a line\n" * self.rng.randint(1, 30))
            elif action == "add symbol":
                lines.insert(self.rng.randint(1, len(lines)), f"    def added_item_{self.rng.randint(0, 99)}(self): pass\n")
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
    return {item.id for item in workspace.search("item", include=["id"]).items if isinstance(item.id, str)}


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
        page = workspace.search("item", max_items=9, include=["id"], pagination_id=page.pagination_id)
    assert [symbol for symbol in shown if shown.count(symbol) > 1 and symbol in always] == []
    assert always - set(shown) == set()


def test_a_changed_index_is_said(make_workspace: Maker) -> None:
    workspace = make_workspace(many(30))
    first = workspace.search("item", max_items=10)
    (workspace.root / "pkg0" / "m0.py").write_text("# gone\n")
    workspace.refresh()
    second = workspace.search("item", max_items=10, pagination_id=first.pagination_id)
    assert second.notices == ["the index has changed since the last page; this page continues after the last item that was shown"]


def test_past_the_end(make_workspace: Maker) -> None:
    workspace = make_workspace(many(10))
    page = workspace.search("item", max_items=5, start_index=500)
    assert (page.items, page.total, page.has_more, page.pagination_id) == ([], 10, False, None)
    assert page.notices == ["start_index 500 is past the end: there are 10 results, 0 to 9"]
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


@pytest.mark.parametrize("change", OTHER_REQUESTS.values(), ids=OTHER_REQUESTS)
def test_a_token_of_another_request(change: dict[str, object], make_workspace: Maker) -> None:
    workspace = make_workspace(many(30))
    token = workspace.search("item", max_items=5).pagination_id
    request = SearchRequest(**({"query": "item", "max_items": 5, "pagination_id": token} | change))  # type: ignore[arg-type]
    with pytest.raises(TokenError, match="pagination_id belongs to another search than"):
        workspace.search(request)


def test_a_token_with_another_start(make_workspace: Maker) -> None:
    workspace = make_workspace(many(30))
    token = workspace.search("item", max_items=5).pagination_id
    assert workspace.search("item", max_items=5, start_index=5, pagination_id=token).start_index == 5
    with pytest.raises(TokenError, match=r"start_index 7 and pagination_id \(which starts at 5\) contradict each other"):
        workspace.search("item", max_items=5, start_index=7, pagination_id=token)


@pytest.mark.parametrize("token", ["", "x", "not a token", "AAAA", "💥", "a" * 5000, "../../etc/passwd", "\x00"])
def test_garbled_tokens(token: str, make_workspace: Maker) -> None:
    workspace = make_workspace(many(3))
    with pytest.raises(RequestError) as caught:
        workspace.search("item", pagination_id=token)
    assert "is not a token of symindex: give back the one of the last answer unchanged" in str(caught.value)
    assert len(str(caught.value)) < 200


@given(st.data())
def test_a_token_with_any_one_character_changed(data: st.DataObject) -> None:
    token = TOKEN[0]
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("ABCabc012-_=!"))
    if token[at] == other:
        return
    # The last character may carry bits that no byte uses; changed there, it is the same token.
    try:
        assert read_token(token[:at] + other + token[at + 1 :]) == read_token(token)
        assert at == len(token) - 1
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
