"""Several branches of a repository: what is equal in them is shown once, unless a branch is
named."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from symindex.errors import TokenError
from symindex.fleet.branches import branched
from symindex.fleet.fleet import Fleet
from symindex.fleet.stored.generation import Built, Generation, RepositoryState, publish
from tests.support.fleets import SmallFleet

SAME = "def same(): ...\n"


@pytest.fixture(params=["loose", "merged"])
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fleet]:
    """Two branches of one repository, and a copy that is a repository of its own."""
    small = SmallFleet(
        tmp_path,
        {
            "acme/web@dev": {"a.py": SAME, "b.py": "def changed():\n    return 2\n", "new.py": ""},
            "acme/web@main": {"a.py": SAME, "b.py": "def changed():\n    return 1\n"},
            "acme/copy": {"a.py": SAME},
        },
    )
    small.work().update()

    def as_branches(generation: Generation) -> Generation:
        states = dict(generation.repositories)
        for name in ("acme/web@dev", "acme/web@main"):
            branch = name.rpartition("@")[2]
            states[name] = msgspec.structs.replace(
                states[name], location="https://example.org/acme/web", branch=branch
            )
        return msgspec.structs.replace(generation, repositories=states)

    publish(small.store, as_branches)
    if request.param == "merged":
        small.work().merge(most_loose=0)
    with small.open() as opened:
        yield opened


def _paths(fleet: Fleet, query: str, **fields: list[str]) -> list[str]:
    response = fleet.search(query, paths=fields.get("paths", []))
    assert response.total == len(response.items)
    return sorted(item.file_path for item in response.items)


def test_equal_files_are_shown_once(fleet: Fleet) -> None:
    assert _paths(fleet, "same") == ["acme/copy/a.py", "acme/web@dev/a.py"]
    assert _paths(fleet, "changed") == ["acme/web@dev/b.py", "acme/web@main/b.py"]


def test_a_named_branch_has_all_of_its_files(fleet: Fleet) -> None:
    assert _paths(fleet, "same AND branch:main") == ["acme/web@main/a.py"]
    assert _paths(fleet, 'same | repo:"acme/web@main"') == ["acme/web@main/a.py"]
    assert _paths(fleet, "same", paths=["acme/web@main/**"]) == ["acme/web@main/a.py"]


def test_a_path_is_found_in_every_branch(fleet: Fleet) -> None:
    for name in ("acme/web@dev", "acme/web@main"):
        detail = fleet.symbol(f"{name}/a.py#same").symbol
        assert detail is not None
        assert detail.code.strip() == SAME.strip()


def test_references_are_found_once(fleet: Fleet) -> None:
    files = [file.file_path for file in fleet.references("same").files]
    assert files == ["acme/copy/a.py", "acme/web@dev/a.py"]


def test_an_empty_query_lists_the_repositories(fleet: Fleet) -> None:
    response = fleet.search("", include=["signature", "repository"])
    assert [(item.name, item.kind, item.signature) for item in response.items] == [
        ("acme/copy", "package", "1 symbol in 1 file"),
        ("acme/web@dev", "package", "dev: 2 symbols in 3 files"),
        ("acme/web@main", "package", "main: 2 symbols in 2 files"),
    ]
    assert (response.total, response.has_more) == (3, False)
    page = fleet.search("", max_items=1, start_index=1)
    assert [item.name for item in page.items] == ["acme/web@dev"]
    assert page.has_more
    assert not fleet.search("", max_items=1, start_index=2).has_more


def test_pages_of_the_list(fleet: Fleet) -> None:
    names = ["acme/copy", "acme/web@dev", "acme/web@main"]
    for start, most in (0, 2), (1, 2), (2, 2), (3, 2), (0, None), (1, None):
        page = fleet.search("", start_index=start, max_items=most)
        end = len(names) if most is None else start + most
        assert [item.name for item in page.items] == names[start:end]
        assert (page.total, page.has_more) == (3, end < 3)
        assert (page.start_index, page.max_items, page.pagination_id) == (start, most, None)
    with pytest.raises(TokenError, match="has no tokens: use start_index"):
        fleet.search("", pagination_id=fleet.search("e", max_items=1).pagination_id or "")


def test_a_filter_alone_lists_symbols(fleet: Fleet) -> None:
    assert {item.kind for item in fleet.search("", kinds=["function"]).items} == {"function"}


def test_every_request_that_names_a_branch_sees_all_of_its_files(fleet: Fleet) -> None:
    """A file that is equal in another branch is hidden from a request about all repositories
    alone."""
    main, dev = "acme/web@main", "acme/web@dev"
    for name in (main, dev):
        assert fleet.outline(f"{name}/a.py").symbols == 1
        assert fleet.outline(name).symbols == 2
        assert [file.file_path for file in fleet.grep("same", paths=[f"{name}/**"]).files] == [
            f"{name}/a.py"
        ]
        files = fleet.references("same", paths=[f"{name}/**"]).files
        assert [file.file_path for file in files] == [f"{name}/a.py"]
        assert fleet.map(name).files
    assert fleet.outline("").symbols == 4


def test_a_repository_without_its_branch_means_all_its_branches(fleet: Fleet) -> None:
    everything = ["acme/web@dev/b.py", "acme/web@main/b.py"]
    assert _paths(fleet, "changed AND repo:acme/web") == everything
    assert _paths(fleet, "changed AND repo:WEB") == everything
    assert _paths(fleet, "changed AND NOT repo:web") == []
    assert _paths(fleet, "same AND NOT repo:web") == ["acme/copy/a.py"]


def _state(name: str, location: str, is_built: bool = True) -> RepositoryState:
    built = Built(object=name) if is_built else None
    return RepositoryState(name=name, location=location, built=built)


def test_one_location_makes_branches() -> None:
    states = [
        _state("web@main", "x"),
        _state("web@dev", "x"),
        _state("api", "y"),
        _state("web@new", "x", is_built=False),
        _state("unknown1", ""),
        _state("unknown2", ""),
    ]
    assert branched(states) == [["web@dev", "web@main"]]


def _branches(folder: Path, files: dict[str, dict[str, str]]) -> SmallFleet:
    """Returns a fleet whose repositories are all branches of one."""
    small = SmallFleet(folder, files)
    small.work().update()
    _publish_branches(small)
    return small


def _publish_branches(small: SmallFleet) -> None:
    def as_branches(generation: Generation) -> Generation:
        states = {
            name: msgspec.structs.replace(state, location="https://example.org/acme/web")
            for name, state in generation.repositories.items()
        }
        return msgspec.structs.replace(generation, repositories=states)

    publish(small.store, as_branches)


def test_a_branch_that_changed_after_the_merge(tmp_path: Path) -> None:
    """Its old files in the shard neither count nor hide others."""
    small = _branches(tmp_path, {f"acme/web@{b}": {"a.py": SAME, "b.py": SAME} for b in "xyz"})
    small.work().merge(most_loose=0)
    small.put("acme/web@x", {"a.py": "def other(): ...\n"})
    small.work().update()
    _publish_branches(small)
    with small.open() as fleet:
        assert len(fleet.source.opened.every.parts) == 2
        assert _paths(fleet, "same") == ["acme/web@x/b.py", "acme/web@y/a.py"]
        assert _paths(fleet, "other") == ["acme/web@x/a.py"]
        assert _paths(fleet, "same AND repo:acme/web@z") == ["acme/web@z/a.py", "acme/web@z/b.py"]
        facets = fleet.search("same", include=["facets"]).facets
        assert isinstance(facets, dict)
        assert dict(facets["repository"].values) == {"acme/web@x": 1, "acme/web@y": 1}
