"""Many repositories in one snapshot: the fields `repo` and `branch`, facets, and what a row says of
its repository."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.extract.languages.registry import load_languages
from symindex.index.repositories import Repositories, Repository
from symindex.index.snapshot import Snapshot
from symindex.packages.indexes.environment_base import MergedBase, assemble, merge
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.search.answer.answer import answer
from symindex.search.answer.explain_empty import explain_empty
from symindex.search.answer.plan import make_plan
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, write_files

TREES: dict[str, Files] = {
    "pallets/click": {
        "src/core.py": "def parse(): pass\nclass Parser:\n    def parse(self): pass\n",
        "setup.py": "def parse(): pass\n",
        "README.md": "# Parse options\n",
    },
    "pallets/quart": {"src/app.go": "package app\n\nfunc parse() {}\n"},
    "gitlab.example/Group/Sub/Tool": {
        "a.py": "def parse(): pass\n",
        "b c/d.py": "def parse(): pass",
    },
    "forks/click": {"src/core.py": "def parse(): pass\n"},
}

TABLE = Repositories(
    [
        Repository("pallets/click", "main", "1" * 40),
        Repository("pallets/quart", "release/8.x", "2" * 40),
        Repository("gitlab.example/Group/Sub/Tool", "trunk", "3" * 40),
        Repository("forks/click"),
        Repository("without/files", "main"),
        Repository("without/more", "bare"),
    ]
)

LANGUAGES = load_languages(check=False)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """Three repositories merged, and one beside them."""
    folder = tmp_path_factory.mktemp("fleet")
    indexes = {}
    for number, (name, files) in enumerate(TREES.items()):
        root = write_files(folder / f"tree{number}", files)
        with Workspace(root, folder / f"index{number}") as workspace:
            workspace.refresh()
            indexes[name] = workspace.source.indexed.snapshot.parts[0].index
    beside = f"forks-click-{'0' * 16}"
    merged = {f"{name}-{number:016x}": name for number, name in enumerate([*TREES][:3])}
    base = merge([(indexes[name], f"{name}/") for name in merged.values()], b"")
    prefixes = {**{place: f"{name}/" for place, name in merged.items()}, beside: "forks/click/"}
    snapshot = assemble(
        MergedBase(base, frozenset(merged), len(merged)), prefixes, lambda _: indexes["forks/click"]
    )
    assert [part.prefix for part in snapshot.parts] == ["", "forks/click/"]
    yield snapshot.with_repositories(TABLE)


def ask(snapshot: Snapshot, query: str, **fields: Any) -> SearchResponse:
    return answer(snapshot, make_plan(SearchRequest(query=query, **fields), LANGUAGES))


def found_in(snapshot: Snapshot, query: str, **fields: Any) -> set[str]:
    """Returns the names of the repositories with hits."""
    items = ask(snapshot, query, **fields).items
    return {name for name in TREES for item in items if item.file_path.startswith(f"{name}/")}


def why_empty(snapshot: Snapshot, query: str) -> list[str]:
    assert not ask(snapshot, query).total
    return explain_empty(make_plan(SearchRequest(query=query), LANGUAGES), snapshot, None, ())


CLICK, QUART, TOOL, FORK = TREES
ALL = {*TREES}


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        ("repo:click", {CLICK, FORK}),
        ("repo:pallets/click", {CLICK}),
        ("repo:/pallets/click", {CLICK}),
        ("repo:/click", set()),
        ('repo:"Pallets/Click"', {CLICK}),
        ("repo:pallets/*", {CLICK, QUART}),
        ("repo:pallets", set()),
        ("repo:c*", {CLICK, FORK}),
        ("repo:tool", {TOOL}),
        ("repo:group/*/tool", {TOOL}),
        ("repo:gitlab.example/**", {TOOL}),
        ("repo:gitlab.example/*", set()),
        ("repo:(quart OR tool)", {QUART, TOOL}),
        ("repo:quart,tool", {QUART, TOOL}),
        ("NOT repo:click", {QUART, TOOL}),
        ("-repo:pallets/*", {TOOL, FORK}),
        ("branch:main", {CLICK}),
        ("branch:8.x", {QUART}),
        ("branch:*", ALL - {FORK}),
        ("repo:click branch:main", {CLICK}),
    ],
)
def test_a_glob_matches_a_whole_name_or_its_last_components(
    terms: str, names: set[str], fleet: Snapshot
) -> None:
    assert found_in(fleet, f"parse {terms}") == names
    assert found_in(fleet, f"parse | {terms}") == names
    if "NOT" not in terms and "-" not in terms:
        assert found_in(fleet, terms) == names
    # Sections and items belong to the same repositories.
    assert found_in(fleet, f"{terms} kind:section") == names & {CLICK}


def test_a_glob_that_cannot_be_read_is_refused(fleet: Snapshot) -> None:
    with pytest.raises(RequestError, match=r"repo 'a//b' cannot be read as a glob"):
        ask(fleet, "parse repo:a//b")


def test_options_with_fields_of_repositories(fleet: Snapshot) -> None:
    assert found_in(fleet, "parse", fields={"repo": "quart OR tool"}) == {QUART, TOOL}
    assert found_in(fleet, "parse", filters={"repo": "!pallets/click"}) == ALL - {CLICK}


def test_why_nothing_was_found(fleet: Snapshot) -> None:
    assert why_empty(fleet, "parse repo:clik")[0] == (
        "`repo:clik`: no repository has this name; nearest: `forks/click`, `pallets/click`"
    )
    assert "nearest: `pallets/click`" in why_empty(fleet, "parse repo:palets/clik")[0]
    assert why_empty(fleet, "parse | repo:quort") == [
        "`| repo:quort` leaves out all that was found: 8",
        "`repo:quort`: no repository has this name; nearest: `pallets/quart`",
    ]
    assert "`branch:mian`: no repository is read from this branch; nearest: `main`" in why_empty(
        fleet, "parse branch:mian"
    )
    # A repository or a branch of the table without hits exists all the same.
    assert why_empty(fleet, "parse branch:bare")[0] == "`branch:bare`: no symbol is on this branch"
    assert (
        why_empty(fleet, "parse repo:files")[0] == "`repo:files`: no symbol is in this repository"
    )


def test_without_a_table_the_trees_are_the_repositories(fleet: Snapshot) -> None:
    trees = [Snapshot.of(part.index) for part in fleet.parts]
    joined = Snapshot.joined(trees, ["web/", "core/"])
    assert {item.file_path for item in ask(joined, "parse | repo:core").items} == {
        "core/src/core.py"
    }
    assert not ask(joined, "parse | branch:main").total
    assert why_empty(joined, "parse repo:cone")[0].endswith(
        "no repository has this name; nearest: `core`"
    )
    alone = Snapshot.joined(trees[:1], [""])
    assert why_empty(alone, "parse repo:click")[0] == (
        "`repo:click`: the index knows no repositories; the field `path` selects folders"
    )
    assert ask(alone, "parse NOT repo:click").total == ask(alone, "parse").total


def test_facets_count_by_repository(fleet: Snapshot) -> None:
    response = ask(fleet, "parse", include=["facets"])
    assert response.facets is not UNSET
    repositories, folders = response.facets["repository"], response.facets["folder"]
    assert (repositories.field, dict(repositories.values)) == (
        "repo",
        {CLICK: 4, TOOL: 2, QUART: 1, FORK: 1},
    )
    assert dict(folders.values) == {
        "pallets/click/src/**": 3,
        "pallets/quart/src/**": 1,
        "gitlab.example/Group/Sub/Tool/b?c/**": 1,
        "forks/click/src/**": 1,
    }
    for facet in response.facets.values():
        for value, count in facet.values:
            assert ask(fleet, f"parse | {facet.field}:{value}").total == count, value


def test_a_value_of_a_facet_matches_one_repository_alone(fleet: Snapshot) -> None:
    index = fleet.parts[1].index
    names = ["click", "a/click", "b c/click", "x,y", "a*", "A/Click.js", "-/(x)"]
    joined = Snapshot(
        Snapshot.joined([Snapshot.of(index)] * len(names), [f"{name}/" for name in names]).parts, 0
    ).with_repositories(Repositories(map(Repository, names)))
    response = ask(joined, "parse", include=["facets"])
    assert response.facets is not UNSET
    values = response.facets["repository"].values
    assert {count for _, count in values} == {1} and len(values) == len(names)
    assert ("/click", 1) in values and ("a/click", 1) in values
    for value, _ in values:
        assert ask(joined, f"parse | repo:{value}").total == 1, value


def test_a_row_says_its_repository_if_asked(fleet: Snapshot) -> None:
    (item,) = ask(fleet, "parse lang:go", include=["repository"]).items
    assert (item.repository, item.commit, item.path) == (QUART, "2" * 40, "src/app.go")
    assert item.file_path == "pallets/quart/src/app.go"
    (plain,) = ask(fleet, "parse lang:go").items
    assert (plain.repository, plain.commit, plain.path) == (UNSET, UNSET, UNSET)
    (fork,) = ask(fleet, "parse | repo:/forks/click", include=["repository", "id"]).items
    assert (fork.repository, fork.commit) == (FORK, "")
    tree = Snapshot.of(fleet.parts[1].index)
    assert ask(tree, "parse", include=["repository"]).items[0].repository is UNSET


def test_the_table() -> None:
    assert [repository.name for repository in TABLE] == sorted(
        TREES | {"without/files": {}, "without/more": {}}
    )
    assert len(TABLE) == 6
    assert TABLE.of("pallets/click/src/core.py") == Repository("pallets/click", "main", "1" * 40)
    assert TABLE.of("pallets/clicker/a.py") is None
    assert TABLE.of("pallets/click") is None
    for names in (["a", "a"], ["a", "a/b"], ["a/b", "a", "a-b"]):
        with pytest.raises(RequestError, match="repositor"):
            Repositories(map(Repository, names))
    for name in ("", "/", "/a", "a/", "a//b", "a/../b", ".", "a\0b", "a/" * 1_000):
        with pytest.raises(RequestError, match="a name looks like owner/project") as refused:
            Repositories([Repository(name)])
        assert len(str(refused.value)) < 250
    assert len(Repositories(map(Repository, ["a", "a-b", "ab", "a.b/c"]))) == 4
