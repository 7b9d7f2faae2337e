"""Objects are built from files as they were planned, or not at all."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.reading_rules import rules_digest
from symindex.extract.records import FileSymbols
from symindex.files.skips import SkipReason
from symindex.fleet.building import build as module
from symindex.fleet.building.build import (
    Portion,
    RepositoryChangedError,
    Result,
    build_repositories,
    make_portion,
    portions_of,
    read_portions,
)
from symindex.fleet.building.reading_plan import KnownContent, ReadingPlan, TreeToRead, make_plan
from symindex.fleet.cache import LocalCache
from symindex.fleet.stored import source_pack
from symindex.fleet.stored.source_pack import PackTable, pack_table, unpack
from symindex.fleet.stored.store import Store
from tests.support.files import write_files

FILES = {"a.py": "def a(): ...\n", "b.py": "def b(): ...\n", "c.js": "function c() {}\n"}


class World:
    """Repositories in folders, and a store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.languages: Languages = load_languages()
        self.rules = rules_digest(self.languages, ())
        self.store = Store(f"memory://{folder}")

    def plan(self, name: str, files: dict[str, str] | None = None) -> ReadingPlan:
        root = self.folder / name
        write_files(root, FILES if files is None else files)
        return make_plan(TreeToRead(name, str(root)), self.languages, self.rules, KnownContent())

    def build(self, *plans: ReadingPlan, n_workers: int = 1) -> dict[str, Result]:
        results = build_repositories(plans, self.store, self.languages, self.rules, n_workers)
        return {result.name: result for result in results}

    def files(self, result: Result) -> dict[str, bytes]:
        """Returns the files of an object's source pack."""
        assert result.built is not None, result.why
        cache = LocalCache(self.store, self.rules, self.folder / "cache")
        files = cache.files(result.built.object)
        texts = {}
        for path in files.table.paths:
            place = files.table.find(path)
            assert place is not None
            texts[path] = cache.frame(files, place[0])[place[1] : place[2]]
        return texts

    def names(self, result: Result) -> list[str]:
        assert result.built is not None, result.why
        cache = LocalCache(self.store, self.rules, self.folder / "cache")
        index = cache.repository(result.built.object)
        return sorted(index.name_at(number) for number in range(index.n_symbols))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def _results(plan: ReadingPlan, world: World) -> tuple[Portion, list[FileSymbols]]:
    (portion,) = portions_of(plan)
    ((_, results),) = read_portions([portion], world.languages, 1)
    return portion, results


def test_a_file_that_has_changed_since_it_was_planned(world: World) -> None:
    plan, other = world.plan("one"), world.plan("two")
    write_files(world.folder / "one", {"b.py": "def new(): ...\n"})
    results = world.build(plan, other)
    assert results["one"].why == "b.py: changed while it was read; the next run tries again"
    assert results["one"].built is None
    assert world.names(results["two"]) == ["a", "b", "c"]
    assert world.names(world.build(world.plan("one", {}))["one"]) == ["a", "c", "new"]


def test_a_file_that_changes_after_it_was_parsed(world: World) -> None:
    plan = world.plan("one")
    portion, results = _results(plan, world)
    write_files(world.folder / "one", {"c.js": "function d() {}\n"})
    with pytest.raises(RepositoryChangedError, match=r"c\.js: changed while it was read"):
        make_portion(portion, results, world.rules)


def test_a_file_that_vanishes_after_it_was_parsed(world: World) -> None:
    plan = world.plan("one")
    portion, results = _results(plan, world)
    (world.folder / "one" / "c.js").unlink()
    with pytest.raises(OSError):
        make_portion(portion, results, world.rules)


def test_a_worker_that_somebody_killed_spoils_the_result(world: World) -> None:
    """Another machine would read the file: what is stored must not lack it."""
    portion, results = _results(world.plan("one"), world)
    results[0] = FileSymbols(results[0].path, 0, 0, skip=SkipReason.KILLED)
    with pytest.raises(RepositoryChangedError, match=r"a\.py: .*; the next run tries again"):
        make_portion(portion, results, world.rules)


def test_a_skipped_file_is_in_no_pack(world: World) -> None:
    result = world.build(world.plan("one", FILES | {"bin.py": "\0\0"}))["one"]
    assert world.files(result) == {path: text.encode() for path, text in FILES.items()}


def test_trees_with_rules_of_their_own_are_read_by_these(world: World) -> None:
    """They are built after the others, together with those of the same rules."""
    own = {"symindex.toml": "overrides = {'*.inc' = 'python'}\n", "x.inc": "def x(): ...\n"}
    plans = [
        world.plan("own1", FILES | own),
        world.plan("plain", FILES | {"x.inc": "def x(): ...\n"}),
        world.plan("own2", FILES | own),
    ]
    results = world.build(*plans)
    assert {name: world.names(result) for name, result in results.items()} == {
        "plain": ["a", "b", "c"],
        "own1": ["a", "b", "c", "x"],
        "own2": ["a", "b", "c", "x"],
    }


def test_portions_may_be_done_in_any_order(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = world.build(world.plan("one"))["one"]

    def backwards(
        portions: Iterable[Portion], languages: Languages, n_workers: int | None
    ) -> Iterator[tuple[int, list[FileSymbols]]]:
        yield from reversed([*read_portions(portions, languages, n_workers)])

    monkeypatch.setattr(module, "PORTION_BYTES", 1)
    forwards = world.build(world.plan("one"))["one"]
    monkeypatch.setattr(module, "read_portions", backwards)
    assert world.build(world.plan("one"))["one"] == forwards
    assert world.names(forwards) == world.names(whole)
    assert world.files(forwards) == world.files(whole)


def test_one_portion_that_cannot_be_read_fails_the_repository(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PORTION_BYTES", 1)
    plan = world.plan("one")
    write_files(world.folder / "one", {"a.py": "x = 1\n", "c.js": "let x = 1\n"})
    result = world.build(plan)["one"]
    assert result.why in {
        f"{path}: changed while it was read; the next run tries again" for path in ("a.py", "c.js")
    }


def test_more_paths_than_a_pack_may_have(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit, and one byte past it: the others are built."""
    large = {"x" * 200 + ".py": "def f(): ...\n"}
    table = pack_table(PackTable([*large], [13], [0]))
    size = len(unpack(table))
    for most, is_built in (size, True), (size - 1, False):
        monkeypatch.setattr(source_pack, "MOST_FRAME_BYTES", most)
        results = world.build(world.plan("large", large), world.plan("small"))
        assert results["small"].built is not None
        assert (results["large"].built is not None) == is_built
    assert results["large"].why == (
        f"the table of its files has {size:,} bytes, more than {size - 1:,}: exclude some of them"
        " in its symindex.toml"
    )
