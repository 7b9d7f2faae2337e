"""The options of a request: what each finds, the error for each wrong value, and paging."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.errors import RequestError, TokenError
from symindex.protocol.search import SearchRequest
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files

TREE: Files = {
    "src/auth/service.py": "class AuthService:\n    '''Checks users.'''\n    def login(self): pass\n    class Inner: pass\n",
    "src/auth/tokens.py": "def make_token(): pass\ndef _hidden(): pass\n",
    "src/auth.py": "def login_page(): pass\n",
    "src/auth-extra/other.py": "def login_extra(): pass\n",
    "src/cart.go": "package cart\n\nfunc Total() int { return 0 }\nfunc total_of() int { return 0 }\n",
    "tests/test_auth.py": "def test_login(): pass\n",
    "src/near.py": (
        "def one():\n    '''The thread of the orchestrator.'''\n"
        "def two():\n    '''A thread that waits until each of the workers has told the orchestrator.'''\n"
        "def thread_pool_orchestrator(): pass\n"
        "class Thread:\n    def orchestrator(self): pass\n"
        "def apart(thread):\n    '''The orchestrator.'''\n"
    ),
}

DATES = {
    "src/auth/service.py": 1_600_000_000,
    "src/auth/tokens.py": 1_500_000_000,
    "src/cart.go": 1_400_000_000,
}
"""2020-09-13, 2017-07-14, 2014-05-13; all other files are of 2001."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("options")
    root = write_files(folder / "tree", TREE)
    for path in TREE:
        seconds = DATES.get(path, 1_000_000_000)
        os.utime(root / path, ns=(seconds * 10**9 + 1, seconds * 10**9 + 1))
    with Workspace(root, folder / "index") as made:
        made.refresh()
        made.refresh()  # files written just before the first refresh get their dates now
        yield made


def names(workspace: Workspace, query: str = "", **options: Any) -> list[str]:
    return [item.name for item in workspace.search(query, **options).items]


FOUND: list[tuple[str, dict[str, Any], list[str]]] = [
    # fields
    ("login", {"fields": {"kind": "method"}}, ["login"]),
    ("login", {"fields": {"category": "auth"}}, ["login", "login_extra", "login_page", "test_login"]),
    ("login", {"fields": {"category": "auth", "name": "page OR extra"}}, ["login_extra", "login_page"]),
    ("", {"fields": {"title": "AuthService", "kind": "class,method"}}, ["AuthService", "Inner", "login"]),
    ("", {"fields": {"Description": '"checks users"'}}, ["AuthService"]),
    ("", {"fields": {"path": "src/*.go"}}, ["Total", "total_of"]),
    ("", {"fields": {"language": "go", "name": "-total_of"}}, ["Total"]),
    ("login", {"fields": {}}, ["login", "login_extra", "login_page", "test_login"]),
    # filters
    ("", {"filters": {"kind": ["class", "method"]}}, ["AuthService", "Inner", "Thread", "login", "orchestrator"]),
    ("login", {"filters": {"kind": "!method", "is": "!test"}}, ["login_extra", "login_page"]),
    ("login", {"filters": {"flags": ["TEST"]}}, ["test_login"]),
    ("", {"filters": {"name": ["Total", "login"]}}, ["Total", "login"]),
    ("", {"filters": {"name": "total"}}, []),
    ("", {"filters": {"title": "AuthService.login"}}, ["login"]),
    ("", {"filters": {"container": "AuthService"}}, ["Inner", "login"]),
    ("", {"filters": {"category": ["src/auth", "!AuthService"], "name": "!_hidden"}}, ["AuthService", "make_token"]),
    ("", {"filters": {"path": "src/auth.py"}}, ["login_page"]),
    ("", {"filters": {"path": ["src/auth", "!**/tokens.py"]}}, ["AuthService", "Inner", "login"]),
    ("", {"filters": {"language": "Go"}}, ["Total", "total_of"]),
    ("", {"filters": {"id": "src/auth.py#login_page"}}, ["login_page"]),
    ("Total", {"filters": {"space": "project"}}, ["Total", "total_of"]),
    ("Total", {"filters": {"source": "user"}}, []),
    ("", {"filters": {"date_from": "2017-07-15"}}, ["AuthService", "Inner", "login"]),
    ("", {"filters": {"date_from": "2014-05-13", "date_to": "2017-07-14"}}, ["Total", "_hidden", "make_token", "total_of"]),
    ("", {"filters": {"date_from": "2014-05-13T16:53:20Z", "date_to": "2014-05-13T18:53:21+02:00"}}, ["Total", "total_of"]),
    ("", {"filters": {"date_from": "2014-05-13T16:53:21+00:00", "date_to": "2014-05-13"}}, []),
    ("login", {"filters": {"kind": []}}, ["login", "login_extra", "login_page", "test_login"]),
    # scope: a namespace ends at the end of a segment
    ("", {"scope": "class"}, ["AuthService", "Inner", "Thread"]),
    ("", {"scope": "class.src.auth.*"}, ["AuthService", "Inner"]),
    ("login", {"scope": "symbol.src.auth.*"}, ["login", "login_page"]),
    ("login", {"scope": "symbol.src.auth*"}, ["login", "login_page"]),
    ("login", {"scope": "rye.search.symbol.src.auth-extra.*"}, ["login_extra"]),
    ("", {"scope": "Symbol.src.auth.service.AuthService.*"}, ["Inner", "login"]),
    ("", {"scope": "class.src.auth.service.AuthService"}, ["AuthService", "Inner"]),
    ("", {"scope": ["method.src", "symbol.src.auth.tokens"]}, ["_hidden", "login", "make_token", "orchestrator"]),
    ("", {"scope": "symbol.src.aut.*"}, []),
    # space
    ("Total", {"space": "project"}, ["Total", "total_of"]),
    ("Total", {"space": "all"}, ["Total", "total_of"]),
    ("Total", {"space": "system"}, []),
    # fuzzy: the length of a word limits its edits
    ("AuthServise", {"fuzzy": {"enabled": True, "max_distance": 1}}, ["AuthService"]),
    ("AuhtServise", {"fuzzy": {"enabled": True, "max_distance": 1}}, []),
    ("AuhtServise", {"fuzzy": {"enabled": True, "max_distance": 2}}, ["AuthService"]),
    ("AuthServise", {"fuzzy": {"enabled": False, "max_distance": 2}}, []),
    ("AuthServise", {"fuzzy": {"enabled": True, "max_distance": 0}}, []),
    ("AuthServise", {"fuzzy": {"enabled": False}}, []),
    ("AuthServise", {"fuzzy": False}, []),
    ("AuthServise", {"fuzzy": {}}, ["AuthService"]),
    ("Tola", {"fuzzy": {"enabled": True, "max_distance": 3}}, ["Total", "total_of"]),
    ("Toxl", {"fuzzy": {"enabled": True, "max_distance": 1}}, []),
    ("Toxl", {"fuzzy": {"enabled": True, "max_distance": 9}}, ["Total", "thread_pool_orchestrator", "total_of"]),
    ("z", {"fuzzy": {"enabled": True, "max_distance": 9}}, []),
    ("zzzzzz", {"fuzzy": {"enabled": True, "max_distance": 20}}, []),
    ("toknes AND kind:function", {"fuzzy": False}, []),
    ("kind:function AND tokne", {"fuzzy": {"max_distance": 1}}, ["_hidden", "make_token"]),
    ("kind:function", {"fields": {"name": "tokne"}, "fuzzy": True}, ["make_token"]),
    # proximity: the largest number of words between two
    ("thread orchestrator", {"proximity": {"enabled": True, "max_distance": 0}}, ["orchestrator"]),
    ("thread orchestrator", {"proximity": {"max_distance": 1}}, ["orchestrator", "thread_pool_orchestrator"]),
    ("thread orchestrator", {"proximity": {"max_distance": 2}}, ["one", "orchestrator", "thread_pool_orchestrator"]),
    ("orchestrator thread", {"proximity": {"max_distance": 9}}, ["one", "orchestrator", "thread_pool_orchestrator"]),
    ("orchestrator thread", {"proximity": {"max_distance": 10}}, ["one", "orchestrator", "thread_pool_orchestrator", "two"]),
    ("thread AND orchestrator NOT kind:method", {"proximity": {"max_distance": 2}}, ["one", "thread_pool_orchestrator"]),
    ("doc:thread doc:orch*", {"proximity": {"max_distance": 2}}, ["one"]),
    ('"a thread" workers', {"proximity": {"max_distance": 6}}, ["two"]),
    ('"a thread" workers', {"proximity": {"max_distance": 5}}, []),
    ("(thread AND orchestrator) OR login_page", {"proximity": {"max_distance": 0}}, ["login_page", "orchestrator"]),
    ("thraed orchestrator", {"proximity": {"max_distance": 2}}, ["one", "orchestrator", "thread_pool_orchestrator"]),
    ("Total", {"proximity": {"enabled": False}}, ["Total", "total_of"]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "options", "expected_names"), FOUND)
def test_what_an_option_finds(
    query: str, options: dict[str, Any], expected_names: list[str], workspace: Workspace
) -> None:
    assert sorted(names(workspace, query, **options)) == expected_names


def test_sort_by(workspace: Workspace) -> None:
    by_name = names(workspace, sort_by="name")
    assert by_name == sorted(by_name, key=lambda name: name.replace("_", "").lower())
    assert by_name[:3] == ["apart", "AuthService", "_hidden"]
    by_date = [item.file_path for item in workspace.search(sort_by="date", query="").items]
    assert list(dict.fromkeys(by_date))[:3] == list(DATES)
    assert names(workspace, "login", sort_by="score") == names(workspace, "login")
    assert sorted(names(workspace, "login", sort_by="date")) == sorted(names(workspace, "login"))


def test_other_names_of_two_fields(workspace: Workspace) -> None:
    page = workspace.search("login", limit=2, offset=1)
    assert page == workspace.search("login", max_items=2, start_index=1)
    assert (
        page.request.max_items,
        page.request.start_index,
        page.start_index,
        len(page.items),
    ) == (2, 1, 1, 2)
    assert (
        workspace.search(SearchRequest(query="login", limit=None, max_items=None)).total
        == page.total
    )


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"limit": 2, "max_items": 2}, "limit is another name of max_items: give one of the two"),
    ({"offset": 2, "start_index": 1}, "offset is another name of start_index: give one of the two"),
    ({"limit": 0}, "limit is 0: it must be 1 or more"),
    ({"limit": "2"}, "limit is '2': it must be 1 or more"),
    ({"offset": -1}, "offset is -1: it must be 0 or more"),
    ({"fields": "name:a"}, """fields is 'name:a': expected an object, for example {"name": "login"}"""),
    ({"fields": {"nme": "a"}}, "fields: symbols have no field 'nme': expected one of author, body, branch, category, container,"),
    ({"fields": {"name": 3}}, 'fields: name is 3: expected a string, for example "login"'),
    ({"fields": {"name": " "}}, 'fields: name is empty: expected a string, for example "login", or leave it out'),
    ({"fields": {"name": "(a"}}, "fields: name: query, at the end: expected a parenthesis that closes the one at character 1"),
    ({"fields": {"kind": "klass"}}, "unknown kind 'klass'"),
    ({"fields": {"name": "a" * 1_001}}, "fields: name has 1,001 characters: at most 1,000 are read"),
    ({"fields": {"name": "\ud800"}}, "fields: name '\\ud800' is not valid Unicode: give it as UTF-8"),
    ({"filters": ["kind"]}, "filters is ['kind']: expected an object"),
    ({"filters": {"owner": "!me"}}, "filters: symbols have no field 'owner': expected one of author, branch, category, container,"),
    ({"filters": {"version": ">=1..?"}}, "filters: version '>=1..?': '1..?' is not a version: expected one as in >=1.2.0"),
    ({"filters": {"name": ">=1.2.0"}}, "filters: name '>=1.2.0': only versions are compared, and name has none"),
    ({"filters": {"kind": 5}}, 'filters: kind is 5: expected a string, for example "value", "!value" or a list of these'),
    ({"filters": {"kind": ["a"] * 101}}, "filters: kind has 101 values: at most 100 are allowed"),
    ({"filters": {"kind": "klass"}}, "unknown kind 'klass': expected one of array"),
    ({"filters": {"is": "tested"}}, "unknown flag 'tested': expected one of broken, conflicted, declaration,"),
    ({"filters": {"language": "klingon"}}, "klingon"),
    ({"filters": {"date_from": "yesterday"}}, "filters: date_from is 'yesterday': expected a date, for example \"2024-05-31\""),
    ({"filters": {"date_from": "2024-02-01", "date_to": "2024-01-01"}}, "filters: date_from '2024-02-01' is after date_to '2024"),
    ({"filters": {"date_to": "9999-12-31"}}, "filters: date_to is '9999-12-31': expected a date"),
    ({"fuzzy": "yes"}, "fuzzy is 'yes': expected true or false, or {\"enabled\": true, \"max_distance\": 0 to 20}"),
    ({"fuzzy": {"max_distance": 21}}, "fuzzy: max_distance is 21: it must be an integer from 0 to 20"),
    ({"fuzzy": {"max_distance": -1}}, "fuzzy: max_distance is -1: it must be an integer from 0 to 20"),
    ({"fuzzy": {"max_distance": True}}, "fuzzy: max_distance is True: it must be an integer from 0 to 20"),
    ({"fuzzy": {"enabled": "no"}}, "fuzzy: enabled is 'no': expected true or false"),
    ({"fuzzy": {"distance": 1}}, "unknown part of fuzzy 'distance': expected one of enabled, max_distance"),
    ({"proximity": True}, 'proximity is True: expected {"enabled": true, "max_distance": 0 to 1,000}'),
    ({"proximity": {"max_distance": 1.5}}, "proximity: max_distance is 1.5: it must be an integer from 0 to 1,000"),
    ({"proximity": {"enabled": True}}, "proximity needs two words at least that must both match, as in: thread orchestrator;"),
    ({"query": "a OR b", "proximity": {"max_distance": 2}}, "proximity needs two words at least that must both match"),
    ({"query": "a AND kind:class", "proximity": {"max_distance": 2}}, "proximity needs two words at least that must both match"),
    ({"query": "", "proximity": {"max_distance": 2}}, "proximity needs two words at least that must both match"),
    ({"query": "name:a doc:b", "proximity": {"max_distance": 2}}, "proximity: words of doc and name are never in one field:"),
    (
        {"query": " ".join(f"z{letter}" for letter in "abcdefghijklmnopqrstuvwxy"), "proximity": {"max_distance": 2}},
        "proximity: 25 words: at most 20 are looked for near each other",
    ),
    ({"sort_by": "size"}, "unknown sort_by 'size': expected one of date, name, score"),
    ({"sort_by": 3}, "unknown sort_by '3': expected one of date, name, score"),
    ({"space": "home"}, "unknown space 'home': expected one of all, project, system, user"),
    ({"scope": 3}, 'scope is 3: expected a string, for example "class.src.auth.*", or a list of strings'),
    ({"scope": "klass.src"}, "unknown type 'klass': expected one of adr, agent, all, array, boolean, changelog, class, "),
    ({"scope": "symbol.*.auth"}, "scope 'symbol.*.auth': a * may only be at the end, as in symbol.src.auth.*"),
    ({"scope": [""]}, "scope is empty"),
    ({"scope": ["class"] * 101}, "scope has 101 strings: at most 100 are allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "complaint"), WRONG)
def test_a_wrong_option_is_reported(
    fields: dict[str, Any], complaint: str, workspace: Workspace
) -> None:
    with pytest.raises(RequestError) as caught:
        workspace.search(**{"query": "login", **fields})
    assert complaint in str(caught.value)
    assert len(str(caught.value)) < 600


def test_rows_that_an_option_hides_are_reported(workspace: Workspace) -> None:
    (said,) = workspace.search("Total", filters={"kind": "class"}, scope="class").notices or []
    assert said == "without filters: 0; without scope `class`: 0; without any filter: 2"
    said, *_ = (
        workspace.search(
            "thread orchestrator", proximity={"max_distance": 0}, scope="class"
        ).notices
        or []
    )
    assert said == "without proximity: 1; without scope `class`: 1; without any filter: 6"


OTHER: list[dict[str, Any]] = [
    {"fields": {"name": "t"}},
    {"filters": {"kind": "function"}},
    {"fuzzy": {"max_distance": 1}},
    {"scope": "symbol.src"},
    {"sort_by": "name"},
    {"space": "project"},
]


@pytest.mark.parametrize("options", OTHER)
def test_a_token_belongs_to_the_options(options: dict[str, Any], workspace: Workspace) -> None:
    first = workspace.search("o", max_items=1, **options)
    assert first.pagination_id is not None and len(first.pagination_id) < 200
    second = workspace.search("o", max_items=1, pagination_id=first.pagination_id, **options)
    assert second.start_index == 1
    with pytest.raises(TokenError, match="belongs to another search"):
        workspace.search("o", max_items=1, pagination_id=first.pagination_id)


def test_a_token_does_not_depend_on_the_spelling_of_an_option(workspace: Workspace) -> None:
    first = workspace.search("e", limit=1, fuzzy={"enabled": False}, scope="class")
    second = workspace.search(
        "e", max_items=1, fuzzy=False, scope=["class.*"], pagination_id=first.pagination_id
    )
    assert second.start_index == 1


@pytest.mark.nightly
@pytest.mark.parametrize("sort_by", ["name", "date"])
def test_pages_of_another_order(sort_by: str, make_workspace: Maker) -> None:
    """Pages list everything exactly once across several parts, and continue at the same place even
    if the rows of the last page are gone."""
    made = make_workspace(
        {f"m{n}.py": f"def item_{n}(): pass\ndef Item{9 - n}(): pass\n" for n in range(10)}
    )
    write_files(made.root, {"m3.py": "def item_3(): pass\ndef between_3(): pass\n"})
    made.refresh()
    for n in range(10):
        os.utime(made.root / f"m{n}.py", ns=(10**18 + n * 10**9 + 1,) * 2)
    made.refresh()
    assert len(made.source.indexed.snapshot.parts) > 1
    whole = [item.name for item in made.search("", sort_by=sort_by).items]
    assert len(whole) == 20
    seen: list[str] = []
    page = made.search("", sort_by=sort_by, max_items=3)
    while True:
        seen += [item.name for item in page.items]
        if page.pagination_id is None:
            break
        page = made.search("", sort_by=sort_by, max_items=3, pagination_id=page.pagination_id)
    assert seen == whole
    first = made.search("", sort_by=sort_by, max_items=7)
    for path in {item.file_path for item in first.items}:
        (made.root / path).write_text("# gone\n")
    made.refresh()
    left = [item.name for item in made.search("", sort_by=sort_by).items]
    rest = made.search("", sort_by=sort_by, max_items=7, pagination_id=first.pagination_id)
    behind = [name for name in whole[7:] if name in left]
    assert [item.name for item in rest.items] == behind[:7]


def test_dates_that_change_without_the_content_are_a_change(make_workspace: Maker) -> None:
    made = make_workspace({f"m{n}.py": f"def item_{n}(): pass\n" for n in range(4)})

    def touch(*order: int) -> None:
        for age, n in enumerate(order):
            os.utime(made.root / f"m{n}.py", ns=(10**18 - age * 10**9 + 1,) * 2)
        made.refresh()

    touch(0, 1, 2, 3)
    first = made.search("item", sort_by="date", max_items=2)
    assert [item.name for item in first.items] == ["item_0", "item_1"]
    touch(2, 0, 1, 3)
    second = made.search("item", sort_by="date", max_items=2, pagination_id=first.pagination_id)
    assert [item.name for item in second.items] == ["item_3"]
    assert "the index has changed since the last page" in (second.notices or [""])[0]


def test_a_file_without_a_date_comes_last_and_is_reported(tmp_path: Path) -> None:
    """The file was written in the moment before it was read."""
    root = write_files(
        tmp_path / "tree", {"old.py": "def item_old(): pass\n", "new.py": "def item_new(): pass\n"}
    )
    os.utime(root / "old.py", ns=(10**18 + 1,) * 2)
    with Workspace(root, tmp_path / "index") as made:
        made.refresh()
        made.refresh()
        for part in made.source.indexed.snapshot.parts:  # as `extract/records.settled_mtime` does
            dates = bytearray(part.index.columns.file_mtime)
            offset = 8 * part.index.paths.all.index("new.py")
            dates[offset : offset + 8] = (-(2**63)).to_bytes(8, "little", signed=True)
            msgspec.structs.force_setattr(part.index.columns, "file_mtime", memoryview(dates))
        by_date = made.search("item", sort_by="date")
        assert [item.name for item in by_date.items] == ["item_old", "item_new"]
        said = "1 file has no known date yet (being edited or just written):"
        assert (by_date.notices or [""])[0].startswith(said)
        after = made.search("item", filters={"date_from": "2000-01-01"})
        assert [item.name for item in after.items] == ["item_old"]
        assert (after.notices or [""])[0].startswith(said)


def test_the_next_page_corrects_what_the_first_has_corrected(make_workspace: Maker) -> None:
    made = make_workspace(
        {"a.py": "".join(f"def make_{name}(): 'a token'\n" for name in "abcdefghijklmn")}
    )
    first = made.search("tokne make", max_items=5)
    second = made.search("tokne make", max_items=5, pagination_id=first.pagination_id)
    assert first.total == second.total == 14
