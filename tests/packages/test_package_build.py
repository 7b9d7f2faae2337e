"""Builds of packages: killed at any moment, two at a time, damaged, with packages that change or
fail."""

import io
import itertools
import os
import signal
import sys
import threading
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from symindex.extract.records import FileSymbols
from symindex.files.skips import SkipReason
from symindex.index.store import FILE_NAME
from symindex.packages.found.package import Package
from symindex.packages.indexes import package_build
from symindex.packages.indexes.environment import Environment
from symindex.packages.indexes.package_build import prune
from symindex.packages.indexes.package_store import PackageStore
from symindex.packages.indexes.sources import UnpackBudget, source_root
from tests.support.command import started
from tests.support.packages import build, find, make_package, make_store

BUILD = """
import sys
from pathlib import Path
from tests.support.packages import build, make_store
from symindex.packages.found.package import Package
top = Path(sys.argv[1])
print("begun", flush=True)
report = build(make_store(top), *(Package("npm", f"p{i}", "1", top / f"p{i}") for i in range(30)), wait_seconds=30.0)
print(report.built, report.known, flush=True)
"""


def make_packages(top: Path, n_packages: int = 30) -> list[Package]:
    return [
        make_package(
            top / f"p{i}",
            {f"f{j}.py": f"def p{i}_{j}(): pass\n" * 30 for j in range(5)},
            f"p{i}",
            "1",
        )
        for i in range(n_packages)
    ]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_process_killed_at_any_moment_leaves_whole_indexes(tmp_path: Path) -> None:
    packages, store = make_packages(tmp_path), make_store(tmp_path)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    seen = []
    for wait in itertools.count(1):
        with started([sys.executable, "-c", BUILD, tmp_path], env=environment) as process:
            assert process.stdout is not None and process.stdout.readline() == "begun\n"
            time.sleep(0.12 * wait)
            is_over = process.poll() is not None
            process.send_signal(signal.SIGKILL)
        package_environment = Environment.open(packages, store)
        stored = list(store.top.path.glob(f"npm/*/{FILE_NAME}"))
        assert all(store.open(f"npm/{path.parent.name}")[0] is not None for path in stored)
        assert len(package_environment.snapshot().parts) <= len(stored)
        seen.append(len(stored))
        if is_over or wait == 12:
            break
    report = build(store, *packages)
    assert report.built + report.known == 30 and report.failed == []
    assert len(find(Environment.open(packages, store), "")) == 30 * 5 * 30
    assert seen == sorted(seen) and any(0 < n_stored < 30 for n_stored in seen)


@pytest.mark.nightly
@pytest.mark.slow
def test_two_processes_build_nothing_twice(tmp_path: Path) -> None:
    make_packages(tmp_path)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", BUILD, tmp_path]
    with started(command, env=environment) as first, started(command, env=environment) as second:  # type: ignore[arg-type]
        counts = [process.communicate(timeout=60)[0].split()[1:] for process in (first, second)]
    assert sorted(counts) == [["0", "30"], ["30", "0"]]


def test_a_build_beside_another_does_nothing_unless_it_waits(tmp_path: Path) -> None:
    store, (package, *_) = make_store(tmp_path), make_packages(tmp_path, 1)
    with store.building(0) as is_ours:
        assert is_ours
        done = []
        thread = threading.Thread(target=lambda: done.append(build(make_store(tmp_path), package)))
        thread.start()
        thread.join()
        assert done[0].is_waiting
    assert build(store, package).built == 1


@pytest.mark.sample(2)
@pytest.mark.parametrize("cut", ["half", "flip", "garbage", "empty", "version"])
@pytest.mark.parametrize("name", [FILE_NAME, "symbols.names"])
def test_damage_is_seen_and_built_anew(tmp_path: Path, name: str, cut: str) -> None:
    store, (package, *_) = make_store(tmp_path), make_packages(tmp_path, 1)
    build(store, package)
    (path,) = store.top.path.glob(f"npm/*/{name}")
    data = bytearray(path.read_bytes())
    if cut == "flip":
        data[-3] ^= 1
    elif cut == "version":
        data[8] ^= 1
    path.write_bytes(
        {"half": data[: len(data) // 2], "garbage": b"x" * 1_000, "empty": b""}.get(  # type: ignore[arg-type]
            cut, bytes(data)
        )
    )
    environment = Environment.open([package], store)
    assert len(environment.snapshot().parts) <= 1
    assert build(store, package).built == 1
    assert len(find(Environment.open([package], store), "p0_1")) == 30


def test_damage_that_shows_in_reading_is_dropped(tmp_path: Path) -> None:
    store, (package, *_) = make_store(tmp_path), make_packages(tmp_path, 1)
    build(store, package)
    environment = Environment.open([package], store)
    environment.snapshot()
    assert environment.drop_damaged() == []
    (path,) = store.top.path.glob(f"npm/*/{FILE_NAME}")
    with open(path, "r+b") as file:
        file.seek(-3, io.SEEK_END)
        file.write(b"\xff\xff\xff")
    assert environment.drop_damaged() == [package]
    assert environment.missing() == [package] and environment.snapshot().parts == ()
    assert build(store, package).built == 1


def test_other_rules_build_anew(tmp_path: Path) -> None:
    (package, *_) = make_packages(tmp_path, 1)
    build(make_store(tmp_path), package)
    other = PackageStore(tmp_path / "cache" / "packages", b"s" * 16)
    assert Environment.open([package], other).missing() == [package]
    assert build(other, package).built == 1
    assert Environment.open([package], other).missing() == []


@pytest.mark.parametrize("fault", ["changed", "killed"])
def test_what_is_read_must_be_what_the_key_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Otherwise a package that changes between check and read would be stored under the key of
    other content."""
    store, (package, other) = make_store(tmp_path), make_packages(tmp_path, 2)
    problem = package_build._problem

    def look(plan: package_build._PackagePlan, results: Sequence[FileSymbols]) -> str:
        if plan.package == package and fault == "changed":
            results[0].digest = b"x" * 16
        elif plan.package == package:
            results[0].skip = SkipReason.KILLED
        return problem(plan, results)

    monkeypatch.setattr(package_build, "_problem", look)
    report = build(store, package, other)
    assert report.built == 1 and report.failed[0][0] == "npm:p0@1"
    (failed, _) = Environment.open([package, other], store).status()
    assert failed.state == "failed" and "the next build tries again" in failed.why
    monkeypatch.undo()
    assert build(store, package, other).built == 1


def test_limits_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symindex.packages.found.package_files.MOST_FILES", 3)
    store, (package, *_) = make_store(tmp_path), make_packages(tmp_path, 1)
    build(store, package)
    (status,) = Environment.open([package], store).status()
    assert status.files == 3
    assert any(reason.startswith("beyond the limits") for reason in status.left_out)


def test_unreadable_packages_are_reported(tmp_path: Path) -> None:
    gone = Package("npm", "gone", "1", tmp_path / "gone")
    missing = Package("npm", "missing", "1", None, missing="not installed: run `npm install`")
    odd = make_package(
        tmp_path / "odd", {"a.py": "def a(): pass\n"}, "../../odd\n", "1/.."
    )._replace(files=("../odd", "/etc", "", "a.py", "a.py", "\0"))
    store = make_store(tmp_path)
    report = build(store, gone, missing, odd)
    assert [label for label, _ in report.failed] == ["npm:gone@1"] and report.built == 1
    states = {
        status.package.name: (status.state, status.why)
        for status in Environment.open([gone, missing, odd], store).status()
    }
    assert states["gone"][0] == "failed" and "No such file" in states["gone"][1]
    assert states["missing"] == ("missing", "not installed: run `npm install`")
    assert states["../../odd\n"][0] == "indexed"
    assert {path.parent for path in store.top.path.glob("*/*/*.index")} == set(
        store.top.path.glob("npm/*")
    )


def test_archives_are_unpacked_once_and_anew_when_they_change(tmp_path: Path) -> None:
    archive, store = tmp_path / "a-sources.jar", make_store(tmp_path)
    package = Package("maven", "org.x:a", "1", archive)
    for name in "One", "Two":
        with zipfile.ZipFile(archive, "w") as opened:
            opened.writestr(f"org/x/{name}.java", f"class {name} {{ void run() {{}} }}\n")
        assert build(store, package).built == 1
        assert build(store, package).known == 1
        assert find(Environment.open([package], store), f"{name}.run") == [
            f"maven:org.x:a@1/org/x/{name}.java#{name}.run"
        ]
        root = source_root(package, store)
        assert root is not None and (root / f"org/x/{name}.java").is_file()
    archive.write_bytes(b"no archive")
    assert "damaged" in build(store, package).failed[0][1]


@pytest.mark.parametrize("bound", ["n_bytes", "seconds"])
def test_all_archives_of_a_build_have_a_bound_together(
    bound: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = []
    for name in "abc":
        with zipfile.ZipFile(tmp_path / f"{name}.jar", "w") as opened:
            opened.writestr(f"{name}.java", f"class {name.upper()} {{ }}\n")
        packages.append(Package("maven", f"org.x:{name}", "1", tmp_path / f"{name}.jar"))
    monkeypatch.setattr(
        UnpackBudget.__init__,
        "__defaults__",
        {"n_bytes": (20, 100.0), "seconds": (1_000, 1e-9)}[bound],
    )
    store = make_store(tmp_path)
    n_first = {"n_bytes": 2, "seconds": 1}[
        bound
    ]  # 14 bytes are within the limit of 20, which the next archive may exceed
    report = build(store, *packages)
    assert (report.built, len(report.failed)) == (n_first, 3 - n_first)
    assert all("one build unpacks up to" in why for _, why in report.failed)
    second = build(store, *packages)  # unpacked archives need no further work
    assert second.known == n_first
    assert second.built >= 1


def test_prune_drops_what_was_used_least(tmp_path: Path) -> None:
    store, packages = make_store(tmp_path), make_packages(tmp_path, 4)
    build(store, *packages)
    (name,) = store.top.path.glob("npm/p2-*")
    old = time.time() - 1_000_000
    for path in store.top.path.rglob("*"):
        if path.is_file():
            os.utime(path, (old, old))
    _ = Environment.open(packages[:2], store).names  # marks them as used again
    size = store.size_of(f"npm/{name.name}")
    assert prune(store, most_bytes=size * 100, kept_seconds=10_000_000) == []
    with store.building(0):
        assert prune(make_store(tmp_path), most_bytes=0) == []
    dropped = prune(store, most_bytes=size * 2 + size // 2, kept_seconds=10_000_000)
    assert sorted(place.partition("-")[0] for place in dropped) == ["npm/p2", "npm/p3"]
    assert Environment.open(packages, store).missing() == packages[2:]
    prune(store, kept_seconds=-1)
    assert list(store.top.path.glob(f"*/*/{FILE_NAME}")) == []
    assert build(store, *packages).built == 4


def test_the_name_of_a_folder_is_safe(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    for name, version in (
        ("..", ".."),
        ("@scope/name", "1.0+x"),
        ("a" * 500, "1"),
        ("con", "1"),
        ("\0\n", "\ud800"),
    ):
        place = store.place_of(Package("npm", name, version, None), b"\1" * 16)
        ecosystem, _, folder = place.partition("/")
        assert (
            ecosystem == "npm"
            and "/" not in folder
            and not folder.startswith(".")
            and len(folder) < 150
            and folder.isascii()
        )


@pytest.mark.nightly
def test_a_file_that_takes_too_long_is_left_out_and_counted(
    tmp_path: Path, hanging_language: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert package_build.FILE_SECONDS == 10.0
    monkeypatch.setattr(package_build, "FILE_SECONDS", 0.3)
    package = make_package(tmp_path / "p", {"a.py": "def kept(): pass\n", "x.hang": "x"})
    store = make_store(tmp_path)
    report = build(store, package)
    assert (report.built, report.symbols, report.failed) == (1, 1, [])
    environment = Environment.open([package], store)
    assert find(environment, "") == ["npm:thing@1.0/a.py#kept"]
    (status,) = environment.status()
    assert status.left_out == {SkipReason.TIME_LIMIT: 1}
