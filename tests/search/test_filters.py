"""Filters in a tree that has changed since its base was built, and in several trees that are
searched as one."""

from collections.abc import Iterator

import pytest

from symindex.index.snapshot import Snapshot
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import answer
from symindex.search.answer.filters import shown_path_filter
from symindex.search.answer.plan import make_plan
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files

BEFORE: Files = {
    "src/a.py": "def run_before(): pass\n",
    "src/b.py": "def run_gone(): pass\n",
    "src/c.py": "def run_always(): pass\n",
    "src/d.js": "function run_script() {}\n",
    "lib/e.py": "class RunClass: pass\n",
    **{
        f"lib/f{n}.js": "function run_script() {}\n" for n in range(30)
    },  # enough for the change to become an overlay instead of a new base
}


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A base with the old content, and an overlay with the new content."""
    folder = tmp_path_factory.mktemp("filters")
    with Workspace(write_files(folder / "tree", BEFORE), folder / "index") as made:
        made.refresh()
        write_files(made.root, {"src/a.py": "def run_now(): pass\n"})
        (made.root / "src" / "b.py").unlink()
        made.refresh()
        assert len(made.source.indexed.snapshot.parts) > 1
        yield made


FILTERS: dict[str, dict[str, list[str]]] = {
    "paths": {"paths": ["src/*.py"]},
    "languages": {"languages": ["python"], "kinds": ["function"]},
    "languages and paths": {"languages": ["python"], "paths": ["src"]},
}


@pytest.mark.parametrize(
    "query", ["run", "", "src/run", "src/", "run NOT elsewhere", "kind:function"]
)
@pytest.mark.parametrize("more", FILTERS.values(), ids=FILTERS)
def test_no_filter_brings_back_what_has_changed(
    query: str, more: dict[str, list[str]], changed: Workspace
) -> None:
    """The new symbols of a changed file are found, and no symbols of a deleted file."""
    request = SearchRequest(query=query, fuzzy=False, **more)  # type: ignore[arg-type]
    response = changed.search(request)
    assert sorted(item.name for item in response.items) == ["run_always", "run_now"]
    assert response.total == 2


@pytest.mark.nightly
def test_a_glob_may_begin_with_the_name_of_a_folder(make_workspace: Maker) -> None:
    """A glob may begin with a folder's name for a client that sees several folders, but not for one
    that sees a single folder."""
    one = make_workspace({"src/a.py": "def run(): pass\n"})
    two = make_workspace({"src/b.py": "def run(): pass\n"})
    several = Snapshot.joined(
        [one.source.indexed.snapshot, two.source.indexed.snapshot], ["one/", "two/"]
    )

    def found(snapshot: Snapshot, *globs: str) -> list[str]:
        request = SearchRequest(query="run", paths=list(globs))
        paths = [
            item.file_path
            for item in answer(snapshot, make_plan(request, one.source.languages)).items
        ]
        # The filter for notices about files agrees.
        keeps = shown_path_filter(list(globs), snapshot)
        everything = answer(
            snapshot, make_plan(SearchRequest(query="run"), one.source.languages)
        ).items
        assert [item.file_path for item in everything if keeps(item.file_path)] == paths
        return paths

    # Both clients share an index, which caches the paths that globs match.
    for _ in range(2):
        assert found(one.source.indexed.snapshot, "one/src/**") == []
        assert found(several, "one/src/**") == ["one/src/a.py"]
        assert found(several, "src/**") == ["one/src/a.py", "two/src/b.py"]
        assert found(several, "src/**", "!two/**") == ["one/src/a.py"]
        assert found(two.source.indexed.snapshot, "src/**", "!two/**") == ["src/b.py"]


SHOWN = {
    "path:one/src/**": ["one/src/a.py", "one/src/[b]/c.py"],
    "path:src/**": ["one/src/a.py", "one/src/[b]/c.py", "two/src/a.py"],
    "path:one/src": ["one/src/a.py", "one/src/[b]/c.py"],
    "path:One/src/[b]": ["one/src/[b]/c.py"],
    "path:one/": ["one/a.py", "one/deep/src/a.py", "one/src/a.py", "one/src/[b]/c.py"],
    'path:"one/src/a"': ["one/src/a.py"],
    "path:one/*.py": ["one/a.py"],
    "path:two/src/a.py": ["two/src/a.py"],
    "path:two/[b]": [],
    "id:one/src/a.py#run": ["one/src/a.py"],
    "id:src/a.py#run": ["one/src/a.py", "two/src/a.py"],
    "id:one/*#run": ["one/a.py", "one/deep/src/a.py", "one/src/a.py", "one/src/[b]/c.py"],
    "id:one/a*#run": ["one/a.py"],
    "run NOT path:one/src/**": ["one/a.py", "one/deep/src/a.py", "two/src/a.py"],
}


def test_a_path_or_id_is_found_as_it_is_shown(make_workspace: Maker) -> None:
    """When several folders are searched, their names precede paths and ids; a query may omit
    them."""
    run = "def run(): pass\n"
    one = make_workspace({"a.py": run, "deep/src/a.py": run, "src/a.py": run, "src/[b]/c.py": run})
    two = make_workspace({"src/a.py": run})
    several = Snapshot.joined(
        [one.source.indexed.snapshot, two.source.indexed.snapshot], ["one/", "two/"]
    )
    for query, paths in SHOWN.items():
        items = answer(several, make_plan(SearchRequest(query=query), one.source.languages)).items
        assert sorted(item.file_path for item in items) == sorted(paths), query
