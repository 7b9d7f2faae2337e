"""A generation as one snapshot: the order of its files, what is left out of it, and how that is
said."""

import os
from pathlib import Path

import msgspec
import pytest

from symindex.files.walk import MAX_FILE_BYTES
from symindex.fleet.stored.generation import Generation, newest_generation, publish
from tests.support.fleets import SmallFleet

SAME = {"x.py": "def same(): ...\n"}


def _fleet(folder: Path, *names: str) -> SmallFleet:
    fleet = SmallFleet(folder, dict.fromkeys(names, SAME))
    fleet.work().update()
    return fleet


def test_files_are_in_the_order_of_their_paths(tmp_path: Path) -> None:
    """A hyphen comes before a slash. So a repository may lie between the files of another's
    neighbours, in whichever index it is."""
    small = _fleet(tmp_path, "acme/a", "acme/a-b", "acme/a0", "acme/b")
    expected = ["acme/a-b/x.py", "acme/a/x.py", "acme/a0/x.py", "acme/b/x.py"]
    small.put("acme/a", {"z.py": "def same(): ...\n"})
    small.work().update()
    expected.insert(2, "acme/a/z.py")
    with small.open() as fleet:
        assert [item.file_path for item in fleet.search("same").items] == expected
        token = fleet.search("same", max_items=2).pagination_id
    small.work().merge(most_loose=0)
    small.put("acme/a", {"w.py": "def same(): ...\n"})
    small.put("acme/a0", {"y.py": "def other(): ...\n"})
    small.work().update()
    expected.insert(1, "acme/a/w.py")
    with small.open() as fleet:
        assert len(fleet.source.opened.every.parts) == 3
        assert [item.file_path for item in fleet.search("same").items] == expected
        page = fleet.search("same", max_items=2, pagination_id=token)
        assert [item.file_path for item in page.items] == expected[3:5]


def test_the_generation_is_that_of_one_index(tmp_path: Path) -> None:
    small = _fleet(tmp_path, "acme/one")
    built = newest_generation(small.store).repositories["acme/one"].built
    assert built is not None
    with small.open() as fleet:
        assert fleet.source.opened.every.generation == built.generation
    small.work().merge(most_loose=0)
    with small.open() as fleet:
        assert fleet.source.opened.every.generation == built.generation


@pytest.mark.parametrize("is_merged", [False, True])
def test_what_is_lost_is_named(tmp_path: Path, is_merged: bool) -> None:
    names = ["acme/e", "acme/c", "acme/a", "acme/d", "acme/b"]
    small = _fleet(tmp_path, *names, "zoo/kept")
    if is_merged:
        generation = small.work().merge(most_loose=0)
        small.put("zoo/kept", {"new.py": "def new(): ...\n"})
        small.work().update()
        small.store.delete([generation.shards[0].object])
    else:
        for name in names:
            built = newest_generation(small.store).repositories[name].built
            assert built is not None
            small.store.delete([built.object])
    with small.open() as fleet:
        missing = fleet.source.opened.missing
        assert [item.file_path for item in fleet.search("same").items] == ["zoo/kept/x.py"]
        assert [item.name for item in fleet.search("").items] == ["zoo/kept"]
        assert list(fleet.source.opened.served) == ["zoo/kept"]
    if is_merged:
        (line,) = missing
        assert line.startswith("not searched: acme/a, acme/b, acme/c, acme/d, acme/e (")
    else:
        assert sorted(line.partition(" (")[0] for line in missing) == [
            f"not searched: {name}" for name in sorted(names)
        ]


def test_five_repositories_are_named(tmp_path: Path) -> None:
    small = _fleet(tmp_path, *(f"acme/r{number}" for number in range(7)))
    (shard,) = small.work().merge(most_loose=0).shards
    small.store.delete([shard.object])
    with small.open() as fleet:
        (line,) = fleet.source.opened.missing
    assert line.startswith("not searched: acme/r0, acme/r1, acme/r2, acme/r3, acme/r4 and 2 more (")


def test_a_request_to_some_repositories_hears_of_no_other(tmp_path: Path) -> None:
    small = _fleet(tmp_path, *(f"acme/r{number}" for number in range(7)), "zoo/kept")
    (shard,) = small.work().merge(most_loose=0).shards
    small.put("zoo/kept", {"new.py": "def new(): ...\n"})
    small.work().update()
    small.store.delete([shard.object])
    with small.open() as fleet:
        assert not fleet.search("same", paths=["zoo/kept/**"]).notices
        assert not fleet.outline("zoo/kept").notices
        assert not fleet.search("repo:kept same").notices
        (notice, *_) = fleet.search("repo:acme/r6 same").notices or []
        assert notice.startswith("not searched: acme/r6 (")
        for paths in ["acme/r6/**"], ["zoo/kept/**", "acme/r6/x.py", "!acme/r1/**"]:
            (notice, *_) = fleet.search("same", paths=paths).notices or []
            assert notice.startswith("not searched: acme/r6 ("), paths
        for anywhere in "**/x.py", "x.py", "acme/**":
            (notice, *_) = fleet.search("same", paths=["zoo/kept/**", anywhere]).notices or []
            assert " and 2 more (" in notice, anywhere


def test_files_that_no_index_names_are_told(tmp_path: Path) -> None:
    small = _fleet(tmp_path, "acme/one")
    (small.root("acme/one") / "large.py").touch()
    os.truncate(small.root("acme/one") / "large.py", MAX_FILE_BYTES + 1)
    small.work().update()
    with small.open() as fleet:
        (notice,) = fleet.symbol("nosuch").notices or []
        assert "acme/one/large.py" in notice and "larger than the size limit" in notice
        response = fleet.search("nosuchname")
        assert "acme/one/large.py" in " ".join(response.notices or [])


def test_folders_of_repositories(tmp_path: Path) -> None:
    small = SmallFleet(tmp_path, {"acme/one": {"a/b/c.py": "", "d.py": ""}})
    small.work().update()
    with small.open() as fleet:
        for path in "", "/", "acme", "acme/", "/acme/one/", "acme/one/a", "acme/one/a/b/":
            assert fleet.source.is_folder(path), path
        for path in "acm", "acme/o", "acme/one/d.py", "acme/one/a/b/c.py", "x", "acme/two":
            assert not fleet.source.is_folder(path), path


def test_a_commit_is_shown_by_its_beginning(tmp_path: Path) -> None:
    small = _fleet(tmp_path, "acme/one")

    def change(generation: Generation) -> Generation:
        state = generation.repositories["acme/one"]
        assert state.built is not None
        built = msgspec.structs.replace(state.built, commit="0123456789abcdef")
        state = msgspec.structs.replace(state, branch="main", built=built)
        return msgspec.structs.replace(generation, repositories={state.name: state})

    publish(small.store, change)
    with small.open() as fleet:
        (item,) = fleet.search("", include=["signature", "repository", "id"]).items
    assert item.signature == "main at 0123456789: 1 symbol in 1 file"
    assert (item.id, item.repository, item.commit, item.path) == (
        "acme/one",
        "acme/one",
        "0123456789abcdef",
        "",
    )
