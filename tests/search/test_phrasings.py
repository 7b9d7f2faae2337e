"""Several phrasings of a question: each is searched as if alone, and the hits are fused by rank."""

import itertools
import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError, TokenError
from symindex.protocol.search import SearchItem, SearchRequest, SearchResponse
from symindex.render.hints import command_hint, vocabulary_hint
from symindex.search.answer import fused_phrasings
from symindex.workspace.workspace import Workspace
from tests.support.command import run
from tests.support.files import Maker, write_files

TREE = {
    "session.py": (
        '"""Sessions of visitors."""\n\n\nclass SessionStore:\n    """Keeps who is logged in."""\n\n'
        "    def save_session(self): ...\n\n    def load_session(self): ...\n\n\n"
        "def expire_session(session): ...\n"
    ),
    "auth.py": (
        'def login(user):\n    """Starts a session for a user."""\n\n\n'
        "def logout(user): ...\n\n\nclass LoginForm:\n    def check_password(self): ...\n"
    ),
    "cart.py": "class Cart:\n    def add_item(self, item): ...\n\n    def save(self): ...\n",
    "data.json": '{"session": {"save": 1, "login": 2}}\n',
    "notes.md": "# Login\n\nHow a session is saved.\n\n# Cart\n\nItems.\n",
    ".agents/tools/login.py": '"""Log a user in."""\n\n__tool_type__ = "python"\n',
}
TEXTS = ("login", "save session", "SessionStore", "user logged in", "cart item", "sess", "savee")
K = 1
"""The constant of the fusion, as `tests/bench/README.md` gives its reason."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = write_files(tmp_path_factory.mktemp("phrasings") / "tree", TREE)
    with Workspace(root, root.parent / "indexes") as made:
        made.refresh()
        yield made


def search(tree: Workspace, query: str, *phrasings: str, **fields: Any) -> SearchResponse:
    request = SearchRequest(query=query, phrasings=[*phrasings], include=["id", "score"], **fields)
    return tree.search(request)


def ids(response: SearchResponse) -> list[str]:
    return [str(item.id) for item in response.items]


def expected(tree: Workspace, texts: list[str], **fields: Any) -> dict[str, float]:
    """Returns the fused score of each hit, by the answers to the phrasings alone."""
    values: dict[str, float] = {}
    for text in texts:
        for rank, item in enumerate(search(tree, text, **fields).items):
            value = (K + 1) / (K + 1 + rank) * math.sqrt(item.score or 0) / len(texts)
            values[str(item.id)] = values.get(str(item.id), 0.0) + value
    return values


@pytest.mark.nightly
@given(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=5, unique=True))
def test_the_fused_order_is_that_of_the_lists_alone(tree: Workspace, texts: list[str]) -> None:
    response = search(tree, texts[0], *texts[1:])
    values = expected(tree, texts)
    assert response.total == len(values) and {*ids(response)} == values.keys()
    along = [values[one] for one in ids(response)]
    assert all(before >= after - 1e-4 for before, after in itertools.pairwise(along)), along
    assert [item.score for item in response.items] == pytest.approx(
        [value * 15 / 16 + 1 / 16 for value in along], abs=2e-3
    )


def test_a_row_has_the_numbers_of_its_phrasings(tree: Workspace) -> None:
    texts = ["login", "save session", "sess"]
    alone = [{*ids(search(tree, text))} for text in texts]
    for item in search(tree, texts[0], *texts[1:]).items:
        assert item.phrasings == [
            number for number, item_ids in enumerate(alone, start=1) if item.id in item_ids
        ]
    (first, *_) = search(tree, "", "login", "sess").items  # an empty query has no number
    assert first.name == "login" and first.phrasings == [1]
    assert not any(item.phrasings for item in search(tree, "login").items)


def test_the_strongest_match_counts(tree: Workspace) -> None:
    """A row that one phrasing has only in part, or as a guess, is unmarked if another has it."""

    def marks(*texts: str) -> dict[str, str]:
        items = search(tree, texts[0], *texts[1:]).items
        return {item.name: item.match or "" for item in items}

    assert marks("savee sesion")["save_session"] == "typo"
    assert marks("savee sesion", "save session")["save_session"] == ""
    assert marks("session login password", "cart logout")["check_password"] == "some words"
    assert marks("session login password", "check password")["check_password"] == ""


NOTICES: list[tuple[list[str], list[str]]] = [
    (["login", ""], ["phrasing 2 is empty"]),
    (["login", " login ", "login"], ["phrasing 2 repeats phrasing 1", "phrasing 3 repeats phrasing 1"]),
    (
        ["login", "a AND (", "sess"],
        ["phrasing 2 is not searched: query, at the end: expected a word, a phrase, NOT or an opening parenthesis after ("],
    ),
    (["login", "type:tool"], ["phrasing 2 is not searched: it is about symbols, sections and items, and the first about symbols"]),
    (["login", "zzzqqq"], ["phrasing 2 matches nothing"]),
    (
        ["session password qq", "cart logout zz"],
        [
            "no symbol contains all the words of any phrasing; these contain some of them",
        ],
    ),
    (["save session", "session password qq"], []),
    (["login", "savee sesion"], ['phrasing 2: no symbol contains "sesion": "session" was searched for']),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "notices"), NOTICES)
def test_notices(tree: Workspace, texts: list[str], notices: list[str]) -> None:
    response = search(tree, texts[0], *texts[1:])
    assert [*(response.notices or [])] == notices
    assert response.total


def test_one_phrasing_that_is_left_is_the_query(tree: Workspace) -> None:
    plain = search(tree, "login")
    for texts in (["login", "login"], ["", "login"], ["login", "("]):
        response = search(tree, texts[0], *texts[1:])
        assert response.items == plain.items and response.total == plain.total
    assert search(tree, "", "", " ").items == search(tree, "").items


def test_phrasings_that_cannot_be_searched(tree: Workspace) -> None:
    with pytest.raises(RequestError, match="expected a word"):
        search(tree, "(", "kind:")
    assert search(tree, "login", *map(str, range(7))).total
    with pytest.raises(RequestError, match="9 phrasings, with the query: at most 8 are allowed"):
        search(tree, "login", *map(str, range(8)))
    assert "phrasing 8 matches nothing" in (search(tree, " ", *map(str, range(8))).notices or [])
    with pytest.raises(RequestError, match="9 phrasings"):
        search(tree, " ", *map(str, range(9)))
    with pytest.raises(RequestError, match=r"phrasing .* is not valid Unicode"):
        search(tree, "login", "\ud800")
    with pytest.raises(RequestError, match="expected a list"):
        tree.search("login", phrasings="sess")  # type: ignore[arg-type]
    long = [f"{number} login ".ljust(1_000, "x") for number in range(7)]
    assert search(tree, "login", *long).total
    too_long = search(tree, "login", long[0] + "x")
    assert (too_long.notices or [""])[0].startswith(
        "phrasing 2 is not searched: the query has 1,001"
    )
    near = {"proximity": {"enabled": True, "max_distance": 3}}
    one_word = search(tree, "save session", "login", **near)
    assert (one_word.notices or [""])[0].startswith(
        "phrasing 2 is not searched: proximity needs two"
    )
    assert one_word.items == search(tree, "save session", **near).items


FIELDS: list[dict[str, Any]] = [
    {}, {"kinds": ["method"]}, {"paths": ["session.py"]}, {"type": "all"}, {"type": "tool"}, {"fuzzy": False},
    {"sort_by": "name"}, {"sort_by": "date"}, {"filters": {"kind": "!class"}}, {"fields": {"path": "session"}},
]  # fmt: skip


@pytest.mark.sample(5)
@pytest.mark.parametrize("fields", FIELDS, ids=str)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_pages_joined_are_the_whole(tree: Workspace, fields: dict[str, Any], size: int) -> None:
    texts = ("login", "save session", "user logged in")
    whole = search(tree, *texts, **fields)
    assert {*ids(whole)} == expected(tree, [*texts], **fields).keys()
    by_token, by_index = [], []
    page = search(tree, *texts, max_items=size, **fields)
    while True:
        by_token += ids(page)
        assert page.total == whole.total
        if page.pagination_id is None:
            break
        token = page.pagination_id
        page = search(tree, *texts, max_items=size, pagination_id=token, **fields)
    for start in range(0, whole.total, size):
        by_index += ids(search(tree, *texts, max_items=size, start_index=start, **fields))
    assert by_token == by_index == ids(whole)


def test_a_token_belongs_to_its_phrasings(tree: Workspace) -> None:
    token = search(tree, "login", "sess", max_items=1).pagination_id
    for texts in (["login"], ["login", "session"], ["login", "sess", "cart"], ["sess", "login"]):
        with pytest.raises(TokenError, match="belongs to another search"):
            search(tree, *texts, max_items=1, pagination_id=token)


def test_a_page_continues_after_a_change(make_workspace: Maker) -> None:
    workspace = make_workspace(TREE)
    workspace.refresh()
    first = search(workspace, "login", "session", max_items=2)
    rest = ids(search(workspace, "login", "session"))[2:]
    write_files(workspace.root, {"more.py": "def nothing_of_it(): ...\n"})
    workspace.refresh()
    second = search(workspace, "login", "session", max_items=2, pagination_id=first.pagination_id)
    assert ids(second) == rest[:2]
    assert second.notices and "the index has changed since the last page" in second.notices[0]


def test_hits_that_are_not_compared_follow_by_their_points(
    tree: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fused_phrasings, "COMPARED", 1)
    response = search(tree, "save session", "login")
    best = [ids(search(tree, text))[0] for text in ("save session", "login")]
    assert {*ids(response)[:2]} == {*best} and response.total > 4
    scores = [item.score or 0 for item in response.items]
    assert min(scores[:2]) > 1 / 16 >= max(scores[2:]) and scores == sorted(scores, reverse=True)


def test_rows_of_several_parts(make_workspace: Maker) -> None:
    """Changed files are in an index of their own; the answer is that of one index."""
    workspace = make_workspace(TREE)
    workspace.refresh()
    write_files(workspace.root, {"cart.py": TREE["cart.py"] + "\n\ndef session_of(cart): ...\n"})
    workspace.refresh()
    texts = ["session", "cart", "save"]
    response = search(workspace, texts[0], *texts[1:])
    workspace.refresh(rebuild=True)
    whole = search(workspace, texts[0], *texts[1:])
    assert (response.items, response.total) == (whole.items, whole.total)
    assert any(item.name == "session_of" and item.phrasings == [1] for item in response.items)


def test_without_an_index(make_workspace: Maker) -> None:
    workspace = make_workspace(TREE)
    where = ["--root", str(workspace.root), "--index-dir", str(workspace.root.parent / "indexes")]
    printed = run("search", "login", "--or", "save session", "--json", *where)
    workspace.refresh()
    response = workspace.search(SearchRequest(query="login", phrasings=["save session"]))
    places = [(item.name, item.file_path, item.line) for item in response.items]
    shown = json.loads(printed.out)["items"]
    assert [(row["name"], row["file_path"], row["line"]) for row in shown] == places


def test_a_question_goes_on_to_text(tree: Workspace) -> None:
    response = tree.search("items qq", phrasings=["how is it saved zz"])
    assert response.text and [hit.title for hit in response.text] == ["Login", "Cart"]


def test_the_command_and_the_page(tree: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.root)
    where = ["--root", str(tree.root), "--index-dir", str(tree.root.parent / "indexes")]
    printed = run("search", "login", "--or", "sess", "--or", "(", "-n", "2", *where)
    assert printed.code == 0
    assert printed.out.startswith("# Search: `login` and 2 other phrasings\nFound ")
    assert "| `login` | function, by 1 | auth.py:1 |" in printed.out
    assert "phrasing 3 is not searched" in printed.out
    alone = run("search", "", "--or", "login", "-n", "1", *where).out
    assert alone.startswith("# Search: `login`\n") and ", by " not in alone


def test_an_empty_answer_explains_the_first_phrasing(tree: Workspace) -> None:
    response = search(tree, "zzqq", "qqzz", kinds=["enum"])
    assert response.total == 0 and response.notices
    assert any("no symbol is of kind `enum`" in notice for notice in response.notices)


def test_most_words_that_a_hint_offers() -> None:
    def hint(n: int) -> str:
        items = [
            SearchItem(
                name=f"{'jkqvwxyzh'[number - 1] * 3}",
                kind="function",
                file_path="a",
                line=1,
                container=None,
            )
            for number in [*range(1, n + 1), *range(1, n + 1)]
        ]
        response = SearchResponse(
            request=SearchRequest(query="a b"), items=items, start_index=0, max_items=None,
            total=2 * n, has_more=False, pagination_id=None, notices=["no symbol contains both words"],
        )  # fmt: skip
        return vocabulary_hint(response, command_hint)

    words = "The nearest have the words jjj, kkk, qqq, vvv, www, xxx, yyy, zzz. "
    assert words in hint(8) and words in hint(9)


def test_words_that_a_hint_offers_are_in_names_and_not_in_the_question() -> None:
    items = [
        SearchItem(name=name, kind="function", file_path="a", line=1, container=None, doc="Notes.")
        for name in ("deleteKey", "removeExpire", "rm_it", "DELETES", "expires")
    ]
    response = SearchResponse(
        request=SearchRequest(query="keys removed"), items=items, start_index=0, max_items=None,
        total=5, has_more=False, pagination_id=None, notices=["no symbol contains both words"],
    )  # fmt: skip
    offered = vocabulary_hint(response, command_hint)
    assert offered.startswith("> The nearest have the words delete, expire. Add")


def test_a_shell_is_offered_words(tree: Workspace) -> None:
    where = ["--root", str(tree.root), "--index-dir", str(tree.root.parent / "indexes")]
    lacking = run("search", "session", "password", "qq", *where).out
    assert (
        "Add the words of the code: `symindex search --or 'OTHER WORDS' 'session password qq'`"
        in lacking
    )
    for words in (["login"], ["save", "session"], ["session", "password", "qq", "--or", "login"]):
        assert "Add the words of the code" not in run("search", *words, *where).out
