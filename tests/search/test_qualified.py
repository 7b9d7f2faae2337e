"""Qualified names: how containers and paths decide, in large and deep trees."""

from collections.abc import Iterator

import pytest

from symindex.search.language import qualifiers
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files


@pytest.mark.nightly
def test_the_nearer_the_better_but_never_another_tier(make_workspace: Maker) -> None:
    """Each part skipped between two others costs a little, but an exact part always ranks before
    weaker matches."""
    run = "def run(): pass\n"
    workspace = make_workspace(
        {
            f"top/{'d/' * 60}m.py": run,
            "top/a/b/m.py": run,
            "top/c/m.py": run,
            "top/m.py": run,
            "top_level/m.py": run,
        }
    )
    paths = [item.file_path for item in workspace.search("top/run").items]
    assert paths == [
        "top/m.py",
        "top/c/m.py",
        "top/a/b/m.py",
        f"top/{'d/' * 60}m.py",
        "top_level/m.py",
    ]


ODD = ["Marble", "KeepInside", "Up_on_it"]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Enough folders and classes for those that cannot match to be excluded by their letters."""
    folder = tmp_path_factory.mktemp("qualified")
    classes = {f"f{n}/m.py": f"Box{n}" for n in range(400)} | {
        f"plum_jam/m{n}.py": name for n, name in enumerate(ODD)
    }
    files: Files = {
        path: f"class {name}:\n    def run(self): pass\n" for path, name in classes.items()
    }
    with Workspace(write_files(folder / "tree", files), folder / "index") as made:
        made.refresh()
        yield made


LARGE = {
    "Box77.run": ["Box77.run"],
    "f77/run": ["Box77.run"],
    "m/Box77.run": ["Box77.run"],
    "f77/Box77.run": ["Box77.run"],
    "f78/Box77.run": [],
    "mar_ble.run": ["Marble.run"],
    "rble.run": ["Marble.run"],
    "p_on_i.run": ["Up_on_it.run"],
    "KI.run": ["KeepInside.run"],
    "plum_jam/marble.run": ["Marble.run"],
    "plumjam/Marble": ["Marble"],
    "um_ja/marble": ["Marble"],
    "plu_mjam/marble": ["Marble"],
}


@pytest.mark.sample(11)
@pytest.mark.parametrize("query", LARGE)
def test_no_match_is_missed_among_many_containers_and_paths(query: str, large: Workspace) -> None:
    items = large.search(query, fuzzy=False).items
    assert [
        f"{item.container}.{item.name}" if item.container else item.name for item in items
    ] == LARGE[query]


BELOW = {
    "auth/": ["User", "ask", "log_in"],
    "auth\\": ["User", "ask", "log_in"],
    "auth.": ["ask"],
    "auth::": ["ask"],
    "auth/user/": ["User", "log_in"],
    "auth\\user\\": ["User", "log_in"],
    "auth/user.": ["log_in"],
}


def test_a_slash_at_the_end_lists_what_is_defined_below(make_workspace: Maker) -> None:
    """After a slash of either kind, the content of a folder, file or container is listed; after
    other separators, the content of a container."""
    user = "class User:\n    def log_in(self): pass\n"
    workspace = make_workspace(
        {"auth/user.py": user, "main.py": "class Auth:\n    def ask(self): pass\n"}
    )
    assert {
        query: [item.name for item in workspace.search(query).items] for query in BELOW
    } == BELOW


def test_a_query_after_another_with_the_same_qualifiers(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results cached between queries never change an answer."""
    methods = "    def login{}(self): pass\n    def name(self): pass\n"
    files: Files = {
        f"net{i % 5}/auth{i}.py": f"class Auth{i % 7}:\n" + methods.format(i) for i in range(60)
    }
    workspace = make_workspace(files)
    typed = [
        "Auth1.l",
        "Auth1.lo",
        "Auth1.login",
        "Auth1.",
        "net1/auth",
        "net1/auth1",
        "Auth.n",
        "net.auth.n",
        "Auth1.na",
    ]
    monkeypatch.setattr(qualifiers, "_MANY", 4)

    def answers(*, forgets: bool) -> list[object]:
        responses = []
        for query in typed:
            if forgets:
                workspace.source.indexed.snapshot.parts[0].index.kept.clear()
            responses.append(
                [
                    (item.name, item.file_path, item.container)
                    for item in workspace.search(query).items
                ]
            )
        return responses  # type: ignore[return-value]

    fresh = answers(forgets=True)
    assert all(fresh)
    assert answers(forgets=False) == fresh
    monkeypatch.setattr(qualifiers, "_MOST_CACHED", 1)
    assert answers(forgets=False) == fresh
