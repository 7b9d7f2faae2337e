"""The indexes of packages on the disk: their folders, their order of use, the records of places, and
what is reported of each package."""

import errno
import os
import subprocess
import time
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import pytest

from symindex.errors import ArchiveError, RequestError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.walk import FoundFile
from symindex.packages.found.package import Package
from symindex.packages.indexes import environment as environment_module
from symindex.packages.indexes import locations as locations_module
from symindex.packages.indexes import package_build
from symindex.packages.indexes.content_key import (
    SETTLED_NS,
    content_key,
    location_of,
    read_digests,
    stamp_of_files,
)
from symindex.packages.indexes.deps_report import report_packages
from symindex.packages.indexes.environment import Environment, last_uses
from symindex.packages.indexes.environment_base import assemble
from symindex.packages.indexes.locations import Locations, marks_of
from symindex.packages.indexes.name_table import POINTER, kept_packages_with
from symindex.packages.indexes.package_build import build_packages, prune
from symindex.packages.indexes.package_store import BASES, ENVIRONMENTS, PackageStore
from symindex.packages.indexes.sources import UnpackBudget, remove_unknown, source_root
from tests.packages.test_archives import make
from tests.support.files import write_files
from tests.support.packages import build, find, make_package, make_store

KEY = bytes(range(16))


@pytest.mark.parametrize(
    ("ecosystem", "name", "version", "folder"),
    [
        ("npm", "@scope/name", "1.0+x", "npm/_scope_name-1.0+x"),
        ("pypi", "a.b-c_d", "1!2", "pypi/a.b-c_d-1_2"),
        (".x/y", "..", "..", "x_y/-.."),
        ("npm", "a" * 80, "1", "npm/" + "a" * 80),
        ("npm", "a" * 77, "12", "npm/" + "a" * 77 + "-12"),
        ("npm", "\0ä", "", "npm/__-"),
    ],
)
def test_the_folder_of_an_index_is_named_after_its_package(
    ecosystem: str, name: str, version: str, folder: str, tmp_path: Path
) -> None:
    place = make_store(tmp_path).place_of(Package(ecosystem, name, version, None), KEY)
    assert place == f"{folder}-000102030405060708090a0b0c0d0e0f"


def stored_index(top: Path, place: str, n_bytes: int, age: float) -> None:
    write_files(top, {f"{place}/symbols.index": "x" * n_bytes, f"{place}/symbols.names": "y"})
    for path in (*(top / place).iterdir(), top / place):
        os.utime(path, (time.time() - age, time.time() - age))


def test_indexes_are_in_the_order_of_their_last_use(tmp_path: Path) -> None:
    store, now = make_store(tmp_path), time.time()
    names = [f"{letter}-{KEY.hex()}" for letter in "abcd"]
    for number, name in enumerate(names):
        stored_index(store.top.path, f"npm/{name}", 10 * number, 50.0 + 100 * number)
    os.utime(store.top.path / f"npm/{names[3]}", (now, now))  # the folder was touched
    for other in (f"{ENVIRONMENTS}/{names[0]}", f"{BASES}/{names[0]}", "npm/short-0123", "npm/x"):
        stored_index(store.top.path, other, 10, 0)
    indexes = store.stored({f"npm/{names[2]}": now + 50, f"npm/{names[0]}": now - 500})
    assert [(index.place[4], index.n_bytes) for index in indexes] == [
        ("c", 21),
        ("d", 31),
        ("a", 1),
        ("b", 11),
    ]
    assert [round(now - index.used) for index in indexes] == [-50, 0, 50, 150]
    assert store.size_of(f"npm/{names[1]}") == 11 and store.size_of("npm/none") == 0
    for number, name in enumerate(names):  # equally old ones are ordered by name
        stored_index(store.top.path, f"npm/{name}", number, 7)
        os.utime(store.top.path / f"npm/{name}/symbols.index", (5, 5))
    for path in store.top.path.rglob("*"):
        os.utime(path, (1_000, 1_000))
    assert [index.place[4] for index in store.stored({})] == [*"abcd"]


def test_sets_are_in_the_order_of_their_last_use(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    for name, used in (("b", 10), ("a", 10), ("c", 30), ("d", 20)):
        write_files(store.top.path, {f"{BASES}/{name}/symbols.names": ""})
        os.utime(store.top.path / f"{BASES}/{name}/symbols.names", (used, used))
    write_files(store.top.path, {f"{BASES}/none/x": "", f"{BASES}/file": ""})
    assert store.sets(BASES) == [
        (f"{BASES}/{name}", float(used)) for name, used in (("c", 30), ("d", 20), ("a", 10), ("b", 10))
    ]  # fmt: skip
    assert store.sets(ENVIRONMENTS) == []


@pytest.mark.parametrize(("age", "is_noted"), [(86_300, False), (86_500, True)])
def test_a_use_is_noted_once_a_day(age: float, is_noted: bool, tmp_path: Path) -> None:
    store = make_store(tmp_path)
    place, index = f"{ENVIRONMENTS}/x", f"npm/a-{KEY.hex()}"
    for entry in (place, index):
        stored_index(store.top.path, entry, 1, age)
    store.note_use(place, [index, "npm/none"])
    for path in (f"{place}/symbols.names", index):
        noted = time.time() - os.stat(store.top.path / path).st_mtime < 100
        assert noted is is_noted, path
    store.note_use(f"{ENVIRONMENTS}/none", [index])  # there is no such set


def test_what_is_wrong_with_a_stored_index(tmp_path: Path) -> None:
    store, package = make_store(tmp_path), make_package(tmp_path / "p", {"a.py": "def a(): pass\n"})
    build(store, package)
    (index,) = store.stored({})
    assert store.has(index.place) and store.open(index.place)[1] == ""
    names = store.names(index.place)
    assert names is not None
    assert (names.ecosystem, names.name, names.version) == ("npm", "thing", "1.0")
    assert (names.files, names.symbols, names.source_bytes, names.left_out) == (1, 1, 14, {})
    assert store.open("npm/none") == (None, "") and store.names("npm/none") is None
    other = PackageStore(store.top.path, b"s" * 16)
    assert other.open(index.place) == (None, "") and other.names(index.place) is None
    opened, _ = store.open(index.place)
    assert opened is not None and not store.drop_if_damaged(index.place, opened)
    path = store.top.path / index.place / "symbols.index"
    path.write_bytes(path.read_bytes()[:-9])
    damaged, problem = store.open(index.place)
    assert damaged is None and "symbols.index" in problem
    store.remove(index.place)
    assert not (store.top.path / index.place).exists() and not store.has(index.place)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, {"file": ""})
    store = PackageStore(tmp_path / "file" / "packages", b"r" * 16)
    with (
        pytest.raises(StorageError, match=r"file/packages: cannot be written: .*; name another"),
        store.building(0),
    ):
        pass
    locations = Locations(PrivateFolder(tmp_path / "file" / "packages", None))
    with pytest.raises(StorageError, match=r"locations\.kept: cannot be written: .*; make room"):
        locations.save()


@pytest.mark.parametrize(("owner", "name"), [(PrivateFolder, "make"), (os, "unlink")])
def test_an_index_that_cannot_be_stored_is_reported(
    owner: object, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, unused = make_store(tmp_path), mock.Mock()
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(owner, name, mock.Mock(side_effect=full))
    with pytest.raises(StorageError) as caught:
        store.save("npm/a", unused, unused)
    monkeypatch.undo()
    place = store.top.path / "npm/a"
    assert str(caught.value) == f"{place}: cannot be written: No space left on device; make room"


# Records of places


def test_a_record_counts_as_long_as_the_marks_are_the_same(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    package, other = (make_package(tmp_path / name, {"a.py": ""}, name) for name in "pq")
    locations = Locations(store.top)
    assert locations.find(package) is None is locations.key_of(package)
    locations.note(package, marks_of(package), b"files", KEY)
    locations.note(other, marks_of(other), b"", b"", "broken")
    locations.save()
    locations = Locations(store.top)
    record = locations.find(package)
    assert record is not None and (record.files, record.key, record.failed) == (b"files", KEY, "")
    assert abs(record.seen - time.time()) < 10
    assert locations.key_of(package) == KEY and not locations.has_failed(package)
    assert locations.key_of(other) is None and locations.has_failed(other)
    assert locations.knows(location_of(package).hex()) and not locations.knows("00")
    for folder in "pq":
        os.utime(tmp_path / folder, (1, 1))
    assert locations.key_of(package) is None and not locations.has_failed(other)
    locations.note(package, marks_of(package), b"files", KEY[:15])  # of another version
    assert locations.key_of(package) is None
    locations.note(package, marks_of(package), b"files", KEY, "failed since then")
    assert locations.key_of(package) is None


def test_the_newest_records_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make_store(tmp_path)
    packages = [make_package(tmp_path / name, {"a.py": ""}, name) for name in "abcd"]
    locations = Locations(store.top)
    for age, package in zip((3, 1, 2, 0), packages, strict=True):
        monkeypatch.setattr(locations_module.time, "time", lambda age=age: 1_000.9 - age)
        locations.note(package, b"", b"", KEY)
    monkeypatch.setattr(locations_module, "MOST_RECORDS", 4)
    locations.save()
    assert all(Locations(store.top).find(package) for package in packages)
    monkeypatch.setattr(locations_module, "MOST_RECORDS", 2)
    locations.save()
    kept = [package.name for package in packages if Locations(store.top).find(package)]
    assert kept == ["b", "d"]


MARKED = ["package.json", "RECORD", "METADATA", "PKG-INFO", "Cargo.toml", "composer.json", "go.mod"]


@pytest.mark.parametrize("name", ["", *MARKED])
def test_what_an_installer_rewrites_is_marked(name: str, tmp_path: Path) -> None:
    package = make_package(tmp_path / "p", {**dict.fromkeys(MARKED, ""), "a/b.py": ""})
    marks = marks_of(package)
    os.utime(tmp_path / "p/a/b.py", (5, 5))
    os.utime(tmp_path / "p/a", (5, 5))
    assert marks_of(package) == marks
    os.utime(tmp_path / "p" / name, (5, 5))
    assert marks_of(package) != marks


def test_the_marks_of_a_package_that_names_its_files(tmp_path: Path) -> None:
    """The first files that it names, and the metadata of its distribution."""
    about = [f"{name}.dist-info/{file}" for name in "xyz" for file in MARKED]
    files = [f"m{number:02}.py" for number in range(25)]
    folders = [f"{name}.dist-info" for name in "xyz"]
    write_files(tmp_path / "p", dict.fromkeys([*files, *about], ""))
    package = Package("pypi", "p", "1", tmp_path / "p", (*files, *folders))
    marked = []
    for path in [*files, *about]:
        marks = marks_of(package)
        os.utime(tmp_path / "p" / path, (5, 5))
        if marks_of(package) != marks:
            marked.append(path)
    metadata = [f"{name}.dist-info/{file}" for name in "xy" for file in MARKED[1:4]]
    assert marked == files[:24] + metadata
    write_files(tmp_path / "p", {"m00.py": "longer"})
    os.utime(tmp_path / "p/m00.py", (5, 5))
    assert marks_of(package) != marks


def test_a_stamp_of_files_is_reliable_once_they_are_settled() -> None:
    began = 10 * SETTLED_NS
    file = FoundFile("a.py", 5, began - SETTLED_NS, 7)
    stamp = stamp_of_files([file], began)
    assert stamp and stamp_of_files([file._replace(mtime_ns=file.mtime_ns + 1)], began) == b""
    assert stamp_of_files([], began) and stamp_of_files([], began) != stamp
    changes = {"path": "b.py", "size": 6, "mtime_ns": 8, "stamp": 9}
    stamps = {stamp_of_files([file._replace(**{name: value})], began) for name, value in changes.items()}  # type: ignore[arg-type]  # fmt: skip
    assert len(stamps | {stamp}) == 5


def test_the_key_of_a_package_depends_on_each_of_its_parts(tmp_path: Path) -> None:
    package = make_package(tmp_path / "p", {"a.py": "12345", "b.py": "1234"})
    base = [("a.py", KEY), ("b.py", KEY)]
    keys = {
        content_key(package, base),
        content_key(package._replace(ecosystem="pypi"), base),
        content_key(package._replace(name="thin", version="g1.0"), base),
        content_key(package._replace(version="1.1"), base),
        content_key(package, base[:1]),
        content_key(package, [("a.py", KEY), ("b.p", b"y" + KEY)]),
        content_key(package, [("a.py", b""), ("b.py", KEY)]),
    }
    assert len(keys) == 7 and {len(key) for key in keys} == {16}
    assert content_key(package._replace(root=None, files=("x",)), base) in keys
    places = {
        location_of(package), location_of(package._replace(root=tmp_path)), location_of(package._replace(files=("a",))),
        location_of(package._replace(files=("a", "b"))), location_of(package._replace(files=("ab",))),
        location_of(package._replace(version="2")), location_of(package._replace(root=None)),
    }  # fmt: skip
    assert len(places) == 7
    files = [FoundFile(name, 5, 0, 0) for name in ("a.py", "none.py", "b.py")]
    digests = read_digests(package, files, 4)
    assert [bool(digest) for digest in digests] == [False, False, True]
    assert [bool(digest) for digest in read_digests(package, files, 5)] == [True, False, True]


# Builds and reports


def statuses(environment: Environment) -> dict[str, tuple[str, str]]:
    return {status.package.name: (status.state, status.why) for status in environment.status()}


def test_each_package_has_a_state_and_a_reason(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    good = make_package(tmp_path / "good", {"a.py": "def a(): pass\n"}, "good")
    copy = make_package(tmp_path / "copy/good", {"a.py": "def a(): pass\n"}, "good")
    gone = Package("npm", "gone", "1", tmp_path / "gone")
    absent = Package("npm", "absent", "1", None, missing="run it")
    bare = Package("npm", "bare", "1", None)
    packages = [good, copy, gone, absent, bare]
    before = Environment.open(packages, store)
    assert statuses(before) == {
        "absent": ("missing", "run it"),
        "bare": ("missing", "not installed"),
        "gone": ("waiting", "not indexed yet"),
        "good": ("waiting", "not indexed yet"),
    }
    assert before.missing() == [gone, copy, good]
    calls: list[tuple[int, int]] = []
    from symindex.extract.languages.registry import load_languages

    report = build_packages(
        packages, store, load_languages(check=False), lambda *done: calls.append(done), n_workers=1
    )
    assert (report.built, report.known, report.symbols, report.is_waiting) == (1, 1, 1, False)
    assert report.failed == [("npm:gone@1", "No such file or directory")]
    assert 0 < report.seconds < 60 and report.seconds == round(report.seconds, 3)
    assert calls[-1] == (3, 3)
    after = Environment.open(packages, store)
    assert after.missing() == []
    assert statuses(after)["gone"] == ("failed", "No such file or directory")
    assert statuses(after)["good"] == ("indexed", "")
    assert after.is_indexed(good) and not after.is_indexed(gone) and not after.is_indexed(bare)
    assert after.prefix_of(good) == "npm:good@1.0/" and after.prefix_of(bare) == ""
    assert after.package_at("npm:good@1.0/x/y.py") == (copy, "x/y.py")
    assert after.package_at("npm:good@1.00/x") is None
    deps = report_packages("root", after, ["a notice"])
    rows = [(row.name, row.state, row.files, row.symbols) for row in deps.packages]
    assert rows == [
        ("absent", "missing", 0, 0), ("bare", "missing", 0, 0), ("gone", "failed", 0, 0), ("good", "indexed", 1, 1),
        ("good", "indexed", 1, 1),
    ]  # fmt: skip
    # What two packages share counts once.
    assert (deps.files, deps.symbols) == (1, 1)
    (index,) = store.stored({})
    assert deps.bytes == index.n_bytes == deps.packages[-1].bytes
    assert deps.states == {"failed": 1, "indexed": 2, "missing": 2} and [*deps.states] == sorted(
        deps.states
    )
    assert deps.notices == ["a notice"] and deps.place == str(store.top.path)
    assert [row.name for row in report_packages("root", after, (), ["npm"]).packages] == [
        name for name, *_ in rows
    ]
    with pytest.raises(RequestError, match="ecosystem"):
        report_packages("root", after, (), ["pypi"])


def test_a_report_may_be_of_some_ecosystems(tmp_path: Path) -> None:
    packages = [Package(ecosystem, "a", "1", None) for ecosystem in ("npm", "pypi", "go")]
    environment = Environment.open(packages, make_store(tmp_path))
    deps = report_packages("root", environment, (), ["pypi", "go"])
    assert [row.ecosystem for row in deps.packages] == ["go", "pypi"]
    assert deps.states == {"missing": 2}


def test_a_build_stores_what_it_left_out(tmp_path: Path) -> None:
    """Of two equal files, the one with the shorter path is read. Data is not read."""
    store = make_store(tmp_path)
    package = make_package(
        tmp_path / "p",
        {"lib/a.py": "def a(): pass\n", "b.py": "def a(): pass\n", "c.json": '{"key": 1}', "d.py": "def a(): pass\n"},
    )  # fmt: skip
    report = build(store, package)
    assert (report.built, report.symbols) == (1, 1)
    environment = Environment.open([package], store)
    (status,) = environment.status()
    assert find(environment, "") == ["npm:thing@1.0/b.py#a"]
    assert dict(status.left_out) == {"the same as another file of the package": 2}
    assert (status.files, status.n_bytes > 0) == (1, True)


def test_a_file_that_differs_from_the_key_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path)
    package = make_package(tmp_path / "p", {"a.py": "def a(): pass\n", "b.py": "def b(): pass\n"})
    monkeypatch.setattr(package_build, "read_digests", lambda *_: [b"x" * 16, b"y" * 16])
    report = build(store, package)
    assert report.failed == [("npm:thing@1.0", "a.py: changed while it was read; the next build tries again")]  # fmt: skip
    assert store.stored({}) == []


def test_only_what_is_unused_or_beyond_the_sets_is_pruned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path)
    for kind in (ENVIRONMENTS, BASES):
        for number in range(4):
            write_files(store.top.path, {f"{kind}/{number}/symbols.names": ""})
            used = time.time() - 100 * number
            os.utime(store.top.path / f"{kind}/{number}/symbols.names", (used, used))
    assert prune(store, kept_seconds=250) == []
    assert [place for place, _ in store.sets(BASES)] == [f"{BASES}/{n}" for n in range(3)]
    monkeypatch.setattr(package_build, "MOST_SETS", 2)
    with store.building(0):
        assert prune(make_store(tmp_path)) == [] and len(store.sets(BASES)) == 3
    prune(store)
    for kind in (ENVIRONMENTS, BASES):
        assert [place for place, _ in store.sets(kind)] == [f"{kind}/{n}" for n in range(2)]


def test_the_last_use_of_an_index_is_that_of_its_latest_environment(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    packages = [
        make_package(tmp_path / name, {"a.py": f"def {name}(): pass\n"}, name) for name in "ab"
    ]
    build(store, *packages)
    for used, some in ((100, packages), (300, packages[:1]), (200, packages[1:])):
        environment = Environment.open(some, store)
        place = environment._place_of_set(ENVIRONMENTS, [*environment.names.places])
        os.utime(store.top.path / f"{place}/symbols.names", (used, used))
    uses = last_uses(store)
    assert {place[4]: used for place, used in uses.items()} == {"a": 300.0, "b": 200.0}
    write_files(store.top.path, {f"{ENVIRONMENTS}/damaged/symbols.names": "x"})
    assert last_uses(store) == uses


def test_the_pointer_names_the_packages_with_a_name_the_nearest_first(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    packages = [
        make_package(tmp_path / place, {"a.py": "def same(): pass\n" + extra}, name)
        for place, name, extra in (("deep/er/a", "a", ""), ("b", "b", "def Other_Name(): pass\n"), ("c", "@types/c", ""))
    ]  # fmt: skip
    packages.append(packages[0]._replace(name="d", is_direct=True))
    build(store, *packages)
    environment = Environment.open(packages, store)
    folder = PrivateFolder(tmp_path / "index", None)
    folder.make()
    environment.keep_pointer(folder)
    labels = ["npm:@types/c@1.0", "npm:d@1.0", "npm:b@1.0", "npm:a@1.0"]
    assert [package.label for package in environment.packages_with("same")] == labels
    assert kept_packages_with(folder, store.top, "SAME") == labels
    assert kept_packages_with(folder, store.top, "otherName") == ["npm:b@1.0"]
    assert kept_packages_with(folder, store.top, "none") == []
    written = os.stat(folder.path / POINTER).st_mtime_ns
    os.utime(folder.path / POINTER, ns=(written - 10**9, written - 10**9))
    environment.keep_pointer(folder)  # it is not written again
    assert os.stat(folder.path / POINTER).st_mtime_ns == written - 10**9
    pointer = msgspec.msgpack.decode((folder.path / POINTER).read_bytes())
    for table in ("../x/y", "environments/../x", "/x", "environments"):
        (folder.path / POINTER).write_bytes(msgspec.msgpack.encode([table, *pointer[1:]]))
        assert kept_packages_with(folder, store.top, "same") == []
    (folder.path / POINTER).write_bytes(msgspec.msgpack.encode([pointer[0], pointer[1], labels[:2], [0, 1]]))  # fmt: skip
    assert kept_packages_with(folder, store.top, "same") == []
    (folder.path / POINTER).write_bytes(b"\xc1")
    assert kept_packages_with(folder, store.top, "same") == []
    (folder.path / POINTER).unlink()
    Environment.open([], store).keep_pointer(folder)  # no index, no pointer
    assert not (folder.path / POINTER).exists()


def test_a_base_is_wanted_for_many_packages_or_if_most_of_it_is_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment_module, "MOST_PARTS", 2)
    store = make_store(tmp_path)
    packages = [
        make_package(tmp_path / f"p{n}", {"a.py": f"def f{n}(): pass\n"}, f"p{n}") for n in range(7)
    ]
    build(store, *packages[:2])
    assert store.sets(BASES) == [] and not Environment.open(packages[:2], store).wants_base
    monkeypatch.setattr(package_build.Environment, "wants_base", False)
    build(store, *packages)
    monkeypatch.undo()
    monkeypatch.setattr(environment_module, "MOST_PARTS", 2)
    assert [Environment.open(packages[:n], store).wants_base for n in (2, 3)] == [False, True]
    Environment.open(packages[:5], store).save_base()
    wanted = {n: Environment.open(packages[:n], store).wants_base for n in range(1, 8)}
    # Two more than are in the base are parts of their own; three are too many.
    assert wanted == {1: True, 2: True, 3: False, 4: False, 5: False, 6: False, 7: False}
    assert Environment.open(packages[5:], store).wants_base is False
    generation = Environment.open(packages, store).snapshot().generation
    assert 0 <= generation < 2**64


def test_a_number_of_a_snapshot_fits_into_64_bits_and_depends_on_each_part(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    packages = [
        make_package(tmp_path / f"p{n}", {"a.py": f"def f{n}(): pass\n"}, f"p{n}") for n in range(4)
    ]
    build(store, *packages)
    places = [index.place for index in store.stored({})]
    opened = {place: store.open(place)[0] for place in places}
    numbers = set()
    for chosen in (places, places[:3], places[1:], places[::-1], places[:1] * 1):
        snapshot = assemble(None, {place: place[:6] for place in chosen}, opened.get)
        assert 0 <= snapshot.generation < 2**64
        numbers.add(snapshot.generation)
    assert len(numbers) == 5
    assert assemble(None, {"x": "x"}, opened.get).parts == ()


def test_what_a_build_may_unpack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = make(tmp_path / "a.zip", [("a.py", b"12345")])
    budget = UnpackBudget(n_bytes=6, seconds=1.0)
    budget.unpack(archive, tmp_path / "private/1")
    assert budget.n_bytes == 1 and 0 < budget.seconds < 1
    budget.unpack(archive, tmp_path / "private/2")
    assert budget.n_bytes == -4
    with pytest.raises(ArchiveError, match="build again"):
        budget.unpack(archive, tmp_path / "private/3")
    budget = UnpackBudget(n_bytes=100, seconds=2.0)
    times = iter([10.0, 10.5])
    monkeypatch.setattr("symindex.packages.indexes.sources.time.monotonic", lambda: next(times))
    with pytest.raises(ArchiveError, match="not unpacked"):  # an archive that fails costs time, too
        monkeypatch.setattr("symindex.packages.indexes.sources.unpack", _refuse)
        budget.unpack(archive, tmp_path / "private/4")
    assert (budget.n_bytes, budget.seconds) == (100, 1.5)
    budget.seconds = 0.0
    with pytest.raises(ArchiveError, match=r"6,000,000,000 bytes, in 900 seconds"):
        budget.unpack(archive, tmp_path / "private/5")


def _refuse(*_: object) -> None:
    raise ArchiveError("not unpacked")


def test_archives_of_unknown_places_are_deleted(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    archive = make(tmp_path / "a.jar", [("A.java", b"class A {}")])
    package = Package("maven", "x:a", "1", archive)
    place = location_of(package).hex()
    assert source_root(package, store) == store.top.path / f"unpacked/{place}"
    assert source_root(package._replace(root=tmp_path), store) == tmp_path
    assert source_root(package._replace(root=None), store) is None
    write_files(store.top.path, {f"unpacked/{place}/a": "", "unpacked/00/a": ""})
    locations = Locations(store.top)
    remove_unknown(make_store(tmp_path / "none"), locations)
    locations.note(package, b"", b"", b"")
    remove_unknown(store, locations)
    assert os.listdir(store.top.path / "unpacked") == [place]


@pytest.mark.parametrize("most", [0, 1, 2])
def test_most_packages_are_cut_in_their_order(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment_module, "MOST_PACKAGES", most)
    packages = [Package("npm", name, "1", None) for name in "cab"]
    environment = Environment.open(packages, make_store(tmp_path))
    assert [package.name for package in environment.packages] == ["a", "b", "c"][:most]


def test_a_build_in_the_background_is_started_unless_another_is_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[list[str], dict[str, Any]]] = []

    class Process:
        def __init__(self, command: list[str], **options: Any) -> None:
            started.append((command, options))

        def poll(self) -> int:
            return 0

    monkeypatch.setattr(subprocess, "Popen", Process)
    monkeypatch.setattr(package_build, "_BUILDING", [])
    store = make_store(tmp_path)
    assert package_build.start_package_build(tmp_path / "tree", store)
    ((command, options),) = started
    assert command[-7:] == [
        "deps", "--build", "--background", "--root", str(tmp_path / "tree"), "--index-dir", str(tmp_path / "cache"),
    ]  # fmt: skip
    # It outlives the process that starts it, and has no terminal.
    nowhere = subprocess.DEVNULL
    streams = {"stdin": nowhere, "stdout": nowhere, "stderr": nowhere}
    assert options == {**streams, "start_new_session": True}
    assert package_build.start_package_build(tmp_path / "tree", store)
    assert len(package_build._BUILDING) == 1  # the first one has ended
    with store.building(0):
        assert not package_build.start_package_build(tmp_path / "tree", make_store(tmp_path))
    assert len(started) == 2

    def refuse(*_: object, **__: object) -> None:
        raise OSError(12, "no memory")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert not package_build.start_package_build(tmp_path / "tree", store)
    write_files(tmp_path, {"file": ""})
    nowhere_store = PackageStore(tmp_path / "file" / "packages", b"r" * 16)
    assert not package_build.start_package_build(tmp_path / "tree", nowhere_store)


def test_a_build_in_the_background_has_a_low_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(os, "nice", given.append)
    package_build.lower_priority()
    assert given == [10]

    def refuse(_: int) -> None:
        raise OSError(1, "not permitted")

    monkeypatch.setattr(os, "nice", refuse)
    package_build.lower_priority()
