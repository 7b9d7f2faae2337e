"""The message of an empty answer: which filter or part of the query excluded everything, what each
part alone finds, and the nearest names."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import UNSET

from symindex.search.answer import explain_empty
from symindex.search.answer.filters import Filter, PartFilter
from symindex.search.answer.nearest import nearest_names
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files

FILES: Files = {
    "src/auth/service.py": '''
class AuthService:
    """Knows who somebody is."""
    def login(self, user): pass
    def logout(self): pass
def parse_cookie(): pass
def parse_date(): pass
''',
    "tests/test_auth.py": "def test_login(): pass\n",
    "lib/Shape.java": "public interface Shape { double area(); }\n",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("empty")
    with Workspace(write_files(folder / "tree", FILES), folder / "index") as made:
        made.refresh()
        yield made


@pytest.fixture(autouse=True)
def enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain_empty, "SECONDS", 60.0)


FILTERED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("login", {"kinds": ["interface"]}, ["without kinds `interface`: 2"]),
    ("login", {"kinds": ["trait"]}, ["no symbol is of kind `trait`", "without kinds `trait`: 2"]),
    ("login", {"languages": ["java"]}, ["without languages `java`: 2"]),
    ("login", {"languages": ["go"]}, ["no symbol is in `go`: the tree has python, java", "without languages `go`: 2"]),
    ("login", {"paths": ["lib/**"]}, ["without paths `lib/**`: 2"]),
    (
        "login",
        {"paths": ["src/auht/**"]},
        ["`src/auht/**` matches no file; nearest: `src/auth/`", "without paths `src/auht/**`: 2"],
    ),
    ("login", {"paths": ["a/**", "b/**", "c/**", "d/**", "e/**"]}, ["`a/**` matches no file", "`b/**` matches no file",
     "`c/**` matches no file", "2 more globs match no file", "without paths `a/**`, `b/**`, `c/**` and 2 more: 2"]),
    ("login", {"paths": ["src/**", "!*.py"]}, ["together the globs match no file", "without paths `src/**`, `!*.py`: 2"]),
    (
        "login",
        {"kinds": ["class"], "paths": ["tests/**"]},
        ["without kinds `class`: 1; without paths `tests/**`: 0; without any filter: 2"],
    ),
    ("", {"kinds": ["macro"]}, ["no symbol is of kind `macro`", "without kinds `macro`: 8"]),
    ("zzqx", {"kinds": ["class"]}, []),  # the filter hides nothing
    (
        "login AND user",
        {"kinds": ["class"]},
        ["without kinds `class`: 1", "found only without the filters: `login` 2, `user` 1"],
    ),
    ("is:test AND login", {"paths": ["src/**"]}, ["without paths `src/**`: 1", "found only without the filters: "
     "`is:test` 1", "each alone finds: `login` 1"]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "filters", "lines"), FILTERED)
def test_what_a_filter_hides(
    workspace: Workspace, query: str, filters: dict[str, Any], lines: list[str]
) -> None:
    response = workspace.search(query, **filters)
    assert (response.total, response.notices or []) == (0, lines)


QUERIES: dict[str, list[str]] = {
    # AND
    "parse_cookie AND area": ["each alone finds: `parse_cookie` 1, `area` 1"],
    "login AND zzqx": ["`zzqx`: no symbol contains it", "each alone finds: `login` 2"],
    "parse_cookei AND kind:function": [
        "`parse_cookei`: no symbol contains it; nearest: `parse_cookie`",
        "each alone finds: `kind:function` 3",
    ],
    "(login OR logout) area": ["each alone finds: `(login OR logout)` 3, `area` 1"],
    "(zzqx OR xzzq) login": ["`zzqx`: no symbol contains it", "`xzzq`: no symbol contains it", "each alone finds: `login` 2"],
    # OR
    "logni OR zzqx": ["`logni`: no symbol contains it; nearest: `login`", "`zzqx`: no symbol contains it"],
    # NOT
    "login NOT is:exported": ["each alone finds: `login` 2", "`NOT is:exported` leaves out 8"],
    "NOT name:*": ["`NOT name:*` leaves out 8"],
    "zzqx NOT xzzq": ["`zzqx`: no symbol contains it"],  # what leaves out nothing is no reason
    # fields, each with its meaning
    "name:zzqx": ["`name:zzqx`: no name resembles it"],
    "container:AuthServcie": ["`container:AuthServcie`: no container resembles it; nearest: `AuthService`"],
    "path:servce": ["`path:servce`: no path resembles it; nearest: `src/auth/service.py`"],
    "doc:zzqx": ["`doc:zzqx`: no doc contains it"],
    "signature:zzqx": ["`signature:zzqx`: no signature contains it"],
    "zzq*": ["`zzq*`: no symbol contains it"],
    "kind:enum": ["`kind:enum`: no symbol is of this kind"],
    "is:vendored": ["`is:vendored`: no symbol has this flag"],
    "lang:go": ["`lang:go`: no symbol is in this language: the tree has python, java"],
    "space:user": ["`space:user`: nothing that was searched is in this space; the option space selects spaces"],
    "id:src/auth/service.py#AuthService.logn": [
        "`id:src/auth/service.py#AuthService.logn`: no symbol has this id; nearest: `login`, `logout`"
    ],
    # phrases
    '"somebody who"': ['`"somebody who"`: its words are nowhere next to each other; without the quotes: 1'],
    # names with qualifiers
    "AuthServcie.login": [
        "`AuthServcie`: no container or path resembles it; nearest: `AuthService`", "each alone finds: `login` 2",
    ],
    "AuthService.zzqx": ["`zzqx`: no name resembles it", "each alone finds: `AuthService` 2"],
    # plain words
    "zzqx xzzq": ["`zzqx`: no symbol contains it", "`xzzq`: no symbol contains it"],
    # keywords
    "zzqx or kind:enum": [
        "operators are upper case: zzqx OR kind:enum",
        "`zzqx`: no symbol contains it",
        "`kind:enum`: no symbol is of this kind",
    ],
}  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_what_each_part_finds(workspace: Workspace, query: str) -> None:
    response = workspace.search(query)
    assert (response.total, response.notices) == (0, QUERIES[query])


def test_a_glob_for_a_file_that_was_not_read_says_why(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def go(): pass\n", "big.py": "#" * 2_000_001})
    response = workspace.search("go", paths=["big.py"])
    assert response.total == 0 and response.notices is not UNSET
    assert response.notices[0] == (
        "`big.py` matches no file: big.py is not in the index: larger than the size limit"
        " (2,000,001 bytes); max_file_bytes in symindex.toml raises the limit"
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("request_type", "row"),
    [(None, "symbol"), ("section", "section or item"), ("all", "symbol, section or item")],
)
def test_a_text_that_no_row_contains(
    request_type: str | None, row: str, make_workspace: Maker
) -> None:
    """The rows are those that the request is about."""
    options: dict[str, Any] = {} if request_type is None else {"type": request_type}
    response = make_workspace(PROSE).search("zzqx AND xzzq", **options)
    assert response.notices == [f"`{text}`: no {row} contains it" for text in ("zzqx", "xzzq")]


PROSE: Files = {
    **FILES,
    "README.md": "# Payments\n\nHow a refund is made.\n\n## Refund window\n\nDays.\n\n## Fees\n\nNone.\n",
    ".ai/tools/shop/pay.py": '__version__ = "1.0.0"\n"""Refunds an order."""\nLIMIT = 3\n',
    ".ai/directives/shop/close.md": "---\ntitle: Close the shop\n---\n# Close\n",
}

TYPED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("login", {"type": "section"}, ["without type `section`: 2 symbols"]),
    ("parse_cookie", {"scope": "tool.shop.*"}, ["without scope `tool.shop.*`: 1 symbol"]),
    ("refund", {"type": "task"}, ["no section or item is of type `task`: the tree has directive, readme, tool"]),
    ("close", {"type": "directive", "paths": ["src/**"]},
     ["without paths `src/**`: 1; without type `directive`: 0 symbols; without any filter: 0 symbols"]),
    ("zzqx AND fees", {"type": "section"}, ["`zzqx`: no section or item contains it", "each alone finds: `fees` 1"]),
    ("zzqx", {"type": "all", "kinds": ["enum"]}, ["no symbol, section or item is of kind `enum`"]),
    ("kind:class window", {"type": "section"}, ["found only without the filters: `kind:class` 1",
     "each alone finds: `window` 1"]),
    ("type:task refund", {}, ["`type:task`: no symbol, section or item is of this type: the tree has directive, readme, tool",
     "each alone finds: `refund` 4"]),
    ("title:zzqx", {"type": "item"}, ["`title:zzqx`: no item has it as its title"]),
    # no symbols match, but documents do
    ("refund window", {}, ["4 sections and items match with type: all", "`refund`: no symbol contains it",
     "`window`: no symbol contains it"]),
    ("Refund", {}, ["1 section or item matches with type: all"]),
    ("refund", {"paths": ["src/**"]}, []),
    ("refund", {"kinds": ["class"]}, []),
]  # fmt: skip


@pytest.mark.nightly
def test_rows_that_a_request_is_about(make_workspace: Maker) -> None:
    workspace = make_workspace(PROSE)
    responses = {
        (query, str(filters)): workspace.search(query, **filters) for query, filters, _ in TYPED
    }
    assert {
        key: (response.total, response.notices or []) for key, response in responses.items()
    } == {(query, str(filters)): (0, lines) for query, filters, lines in TYPED}


def test_a_tree_of_prose_alone(make_workspace: Maker) -> None:
    workspace = make_workspace({"README.md": "# Payments\n", "b.klingon": ""})
    assert workspace.search("payments").notices == [
        "the index contains no symbols, but 2 sections and items: no language for .klingon files; see `symindex languages`",
        "1 section or item matches with type: all",
    ]
    none = make_workspace({"a.xyz": "", "b.py": "one = 1\n"})
    assert none.search("one", type="section").notices == [
        "no section or item is in the index",
        "without type `section`: 1 symbol",
    ]


@pytest.mark.parametrize("code", ["", "one = 1\n"])
def test_a_query_of_nothing_but_marks_has_nothing_near(code: str, make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": code})
    assert (
        nearest_names(
            [PartFilter(part, Filter()) for part in workspace.source.indexed.snapshot.parts],
            "\u0301",
        )
        == []
    )


def test_the_nearest_names_are_never_the_query(workspace: Workspace) -> None:
    assert workspace.search("parse_cookei", fuzzy=False).suggestions == ["parse_cookie"]
    hidden = workspace.search("login", kinds=["class"])
    assert not hidden.total and "login" not in (hidden.suggestions or [])
    for query in ("AuthService.area", "login AND area", "login OR zzqx"):
        response = workspace.search(query, kinds=["enum"])
        said = [*(response.suggestions or []), *(response.notices or [])]
        assert not response.total and not any(
            f"nearest: `{name}`" in line for line in said for name in ("area", "login")
        )


def test_forbidden_fuzzy_matches_are_counted(workspace: Workspace) -> None:
    assert workspace.search("parse_cookei", fuzzy=False).notices == [
        "fuzzy matching would find 1 symbol"
    ]


def test_lines_are_few_and_short(workspace: Workspace) -> None:
    many = workspace.search(" AND ".join(f"w{n:02}q" for n in range(60))).notices or []
    assert len(many) == explain_empty.MOST_LINES and many[-1] == "not all parts were tried"
    for query in (
        "login AND " + "y" * 980,
        "((" + " AND ".join("y" * 90 for _ in range(9)) + ") OR zzqx) AND login",
    ):
        lines = workspace.search(query).notices or []
        assert lines and all(len(line) < 400 for line in lines)


def test_more_reasons_than_lines_are_counted(workspace: Workspace) -> None:
    lines = (
        workspace.search(
            "zzqx AND xzzq",
            kinds=["trait"],
            languages=["go"],
            paths=["a/**", "b/**", "c/**", "d/**"],
        ).notices
        or []
    )
    assert len(lines) == explain_empty.MOST_LINES
    assert lines[:5] == [
        "no symbol is of kind `trait`", "no symbol is in `go`: the tree has python, java",
        "`a/**` matches no file", "`b/**` matches no file", "`c/**` matches no file",
    ]  # fmt: skip
    assert lines[5] == "there are 3 more reasons"


def test_the_search_for_a_reason_has_a_time_limit(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explain_empty, "SECONDS", 0.0)
    assert workspace.search("login AND zzqx").notices == ["not all parts were tried"]


def test_what_has_hits_is_not_explained(workspace: Workspace) -> None:
    for query in ("kind:class OR zzqx", "login NOT zzqx", ""):
        response = workspace.search(query)
        assert response.total and not response.notices and not response.suggestions


def test_files_that_changed_count_as_they_are(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n", "b.go": "package b\nfunc two() {}\n"})
    assert workspace.search("lang:java").notices == [
        "`lang:java`: no symbol is in this language: the tree has go, python"
    ]
    (workspace.root / "b.go").unlink()
    workspace.refresh()
    assert workspace.search("one", languages=["go"]).notices == [
        "no symbol is in `go`: the tree has python",
        "without languages `go`: 1",
    ]
    assert workspace.search("one", paths=["b.go"]).notices == [
        "`b.go` matches no file",
        "without paths `b.go`: 1",
    ]
