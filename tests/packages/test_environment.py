"""All packages of a project together: which of them contain a name, and one snapshot, with and
without a base."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.index.columns.integer_columns import pack
from symindex.index.store import FILE_NAME
from symindex.packages.found.package import Package
from symindex.packages.indexes import environment as environment_module
from symindex.packages.indexes import environment_base
from symindex.packages.indexes.environment import Environment, join_names
from symindex.packages.indexes.name_table import hash_of
from symindex.packages.indexes.package_store import BASES, PackageNames, PackageStore
from symindex.text.folding import fold, squash
from tests.support.packages import build, find, make_package, make_store

NAMES = st.text(st.sampled_from("aAbB_-é\u0301ßx1"), min_size=1, max_size=4)


def folded(name: str) -> str:
    return squash(fold(name)) or fold(name)


@pytest.mark.nightly
@given(st.lists(st.lists(NAMES, max_size=6), max_size=8), st.lists(NAMES, max_size=10))
def test_the_table_knows_who_has_a_name(name_lists: list[list[str]], asked: list[str]) -> None:
    """The table finds the packages that a comparison of all names finds."""
    tables = []
    for number, names in enumerate(name_lists):
        hashes = pack(
            np.unique(np.array([hash_of(name) for name in names], dtype=np.uint64)), "<u8"
        )
        about = PackageNames(
            ecosystem="npm",
            name=f"p{number}",
            version="1",
            files=1,
            symbols=1,
            source_bytes=1,
            left_out={},
            hashes=hashes,
        )
        tables.append((f"p{number}", about))
    table = join_names(tables)
    environment = Environment.__new__(Environment)
    environment.__dict__["names"] = table
    environment.by_place = {
        f"p{number}": Package("npm", f"p{number}", "1", None) for number in range(len(name_lists))
    }
    for name in [*asked, *(name for names in name_lists for name in names)]:
        wanted = [
            f"p{number}"
            for number, names in enumerate(name_lists)
            if folded(name) in map(folded, names)
        ]
        assert [package.name for package in environment.packages_with(name)] == wanted


def test_the_module_of_a_qualified_name(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    modules = {
        "a": ("httpx",),
        "b": ("google.cloud",),
        "c": ("google.cloud.storage",),
        "d": ("@scope/name",),
        "e": ("golang.org/x/net",),
    }
    packages = [
        make_package(tmp_path / name, {"x.py": f"def {name}(): pass\n"}, name)._replace(
            modules=own_modules
        )
        for name, own_modules in modules.items()
    ]
    build(store, *packages)
    environment = Environment.open(packages, store)
    for asked, expected in {
        "httpx.Client.get": ("a", "Client.get"), "httpx": ("a", ""), "httpxx.get": None, "google.cloud.storage.B": ("c", "B"),
        "google.cloud.run": ("b", "run"), "google": None, "@scope/name/sub": ("d", "sub"), "@scope/name": ("d", ""),
        "golang.org/x/net/html.Parse": ("e", "html.Parse"), "httpx::Client": ("a", "Client"), "": None, ".": None,
    }.items():  # fmt: skip
        pairs = [(package.name, rest) for package, _, rest in environment.packages_of(asked)]
        assert pairs == ([expected] if expected else []), asked


@pytest.fixture
def few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment_base, "MOST_PARTS", 2)
    monkeypatch.setattr(environment_module, "MOST_PARTS", 2)


def many(top: Path, numbers: range) -> list[Package]:
    return [
        make_package(
            top / f"p{n}",
            {"a.py": f"class A{n}:\n    def run(self): pass\n", "b/run.py": "def run(): pass\n"},
            f"p{n}",
            "1",
        )
        for n in numbers
    ]


@pytest.mark.usefixtures("few_parts")
def test_a_base_answers_as_the_packages_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The base may belong to another set, with further packages and some that are not installed
    here."""
    store, packages = make_store(tmp_path), many(tmp_path, range(9))
    build(store, *packages[:6])
    assert len(list(store.top.path.glob(f"{BASES}/*/{FILE_NAME}"))) == 1
    build(store, *packages[2:8])  # two more packages: the same base is used
    assert len(list(store.top.path.glob(f"{BASES}/*/{FILE_NAME}"))) == 1
    for some, n_parts in (
        (packages[:6], 1),
        (packages[:3], 1),
        (packages[2:8], 3),
        (packages[:8], 3),
    ):
        environment = Environment.open(some, store)
        assert len(environment.snapshot().parts) == n_parts
        with monkeypatch.context() as patched:
            patched.setattr(environment_module, "MOST_PARTS", 100)
            alone = Environment.open(some, store)
            assert len(alone.snapshot().parts) == len(some)
            for query in "run", "A", "", "A3.run", "run NOT kind:class":
                assert find(environment, query) == find(alone, query), query
        assert environment.snapshot(some[1:2]).n_files == 2
        assert environment.package_at("npm:p2@1/b/run.py") == (packages[2], "b/run.py")
    build(store, *packages)  # the base lacks three of them
    assert len(list(store.top.path.glob(f"{BASES}/*/{FILE_NAME}"))) == 2
    assert len(Environment.open(packages, store).snapshot().parts) == 1


@pytest.mark.usefixtures("few_parts")
def test_a_damaged_base_is_done_without_and_made_anew(tmp_path: Path) -> None:
    store, packages = make_store(tmp_path), many(tmp_path, range(5))
    build(store, *packages)
    (base,) = store.top.path.glob(f"{BASES}/*/{FILE_NAME}")
    base.write_bytes(base.read_bytes()[:-9] + b"x" * 9)
    assert len(Environment.open(packages, store).snapshot().parts) == 5
    assert len(find(Environment.open(packages, store), "run")) == 10
    build(store, *packages)
    assert len(Environment.open(packages, store).snapshot().parts) == 1


def test_packages_of_one_label_and_other_content_stay_apart(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    two = [
        make_package(tmp_path / name, {"a.py": f"def {name}(): pass\n"})
        for name in ("first", "second")
    ]
    build(store, *two)
    environment = Environment.open(two, store)
    prefixes = {environment.prefix_of(package) for package in two}
    assert prefixes == {"npm:thing@1.0/", "npm:thing@1.0~2/"}
    for package in two:
        (item,) = find(environment, package.root.name if package.root is not None else "")
        assert item == f"{environment.prefix_of(package)}a.py#{item.rpartition('#')[2]}"


def test_nothing_at_all(tmp_path: Path) -> None:
    environment = Environment.open([], make_store(tmp_path))
    assert (
        environment.snapshot().parts == ()
        and environment.packages_with("x") == []
        and environment.status() == []
    )
    assert build(make_store(tmp_path)).built == 0


@pytest.fixture(scope="module")
def equals(tmp_path_factory: pytest.TempPathFactory) -> tuple[PackageStore, list[Package]]:
    """Indexed packages that define one name: of two names, of two versions, and one that is
    installed twice, with another content each time."""
    top = tmp_path_factory.mktemp("equals")
    store = make_store(top)
    packages = [
        make_package(top / folder, {"same.py": f"def same(): {body}\n"}, name, version)
        for folder, name, version, body in [
            ("b", "thing", "1.0", "pass"),
            ("a", "thing", "1.0", "return 1"),
            ("c", "thing", "2.0", "pass"),
            ("d", "another", "1.0", "pass"),
        ]
    ]
    build(store, *packages)
    return store, packages


@pytest.mark.sample(14)
@pytest.mark.parametrize("number", range(24))
def test_equal_packages_have_one_order(
    number: int, equals: tuple[PackageStore, list[Package]]
) -> None:
    """The order in which packages are found decides nothing."""
    store, packages = equals
    given = [*itertools.permutations(packages)][number]
    environment = Environment.open(given, store)
    another, first, again, newer = [packages[place] for place in (3, 1, 0, 2)]
    assert environment.packages == [another, first, again, newer]
    assert environment.packages_with("same") == environment.packages
    assert [row[0] for row in environment.packages_of("thing.same")] == [first, again, newer]
    ids = find(environment, "same")
    assert len(ids) == 4 and ids == find(Environment.open(packages, store), "same") == sorted(ids)
