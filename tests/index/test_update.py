"""Overlays on the disk: what an update writes, merges in parallel with updates, damage, and killed
processes."""

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import pytest

from symindex.files.access.private_folder import PrivateFolder
from symindex.index import overlay
from symindex.index import update as update_module
from symindex.index.store import FILE_NAME
from symindex.workers.process import Process
from symindex.workspace.workspace import Workspace
from tests.support.command import started
from tests.support.files import Maker, write_files
from tests.support.rows import ids_in_order

FILES = {f"d{i % 4}/f{i}.py": f"class C{i}:\n    def m{i}(self): pass\n" for i in range(40)}


def stored(workspace: Workspace) -> list[str]:
    """Returns the names of the index's files, without the part that differs between bases."""
    names = (path.name for path in workspace.source.indexed.folder.iterdir())
    return sorted(
        name[:8] + name[16:] if name.count(".") > 1 else name
        for name in names
        if name.startswith("symbols.")
    )


def names(workspace: Workspace) -> list[str]:
    return sorted(item.name for item in workspace.search("").items)


def check_equals_fresh(workspace: Workspace, tmp_path: Path) -> None:
    with Workspace(workspace.root, tmp_path / f"fresh{time.monotonic_ns()}") as fresh:
        fresh.refresh()
        assert ids_in_order(workspace.source.indexed.snapshot) == ids_in_order(
            fresh.source.indexed.snapshot
        )
        assert workspace.search("m").items == fresh.search("m").items
        assert (
            workspace.source.indexed.snapshot.generation == fresh.source.indexed.snapshot.generation
        )


def test_an_update_leaves_the_base_as_it_is(make_workspace: Maker, tmp_path: Path) -> None:
    workspace = make_workspace(dict(FILES))
    before = (workspace.source.indexed.folder / FILE_NAME).stat()
    write_files(
        workspace.root, {"d1/f1.py": "def changed(): pass\n", "new.py": "def new(): pass\n"}
    )
    (workspace.root / "d2/f2.py").unlink()
    workspace.refresh()
    assert (workspace.source.indexed.folder / FILE_NAME).stat() == before
    assert stored(workspace) == ["symbols..000001-000001", "symbols.checked", FILE_NAME]
    check_equals_fresh(workspace, tmp_path)
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
        other.load()
        assert names(other) == names(workspace)


@pytest.mark.nightly
@pytest.mark.slow
def test_many_overlays_are_joined_and_large_ones_merged(
    make_workspace: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlay, "MOST_OVERLAYS", 2)
    workspace = make_workspace(dict(FILES))
    for step in range(3):
        write_files(workspace.root, {f"d0/f{4 * step}.py": f"def changed{step}(): pass\n"})
        workspace.refresh()
    assert stored(workspace) == ["symbols..000001-000003", "symbols.checked", FILE_NAME]
    check_equals_fresh(workspace, tmp_path)
    monkeypatch.setattr(overlay, "FEW_SYMBOLS", 3)
    write_files(
        workspace.root, {f"d3/f{i}.py": f"def changed{i}(): pass\n" for i in (3, 7, 11, 15, 19)}
    )
    workspace.refresh()
    assert stored(workspace) == ["symbols.checked", FILE_NAME]
    check_equals_fresh(workspace, tmp_path)


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """Functions to run, as another process would, while the next writer waits for its turn."""
    waiting: list[Callable[[], object]] = []
    writing = update_module.writing

    @contextmanager
    def write_later(folder: PrivateFolder, seconds: float) -> Iterator[None]:
        if waiting:
            waiting.pop()()
        with writing(folder, seconds):
            yield

    monkeypatch.setattr(update_module, "writing", write_later)
    return waiting


@pytest.mark.nightly
@pytest.mark.slow
def test_updates_stored_by_others_during_the_wait_are_kept(
    make_workspace: Maker, tmp_path: Path, beside: list[Callable[[], object]]
) -> None:
    workspace = make_workspace(dict(FILES))
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
        other.refresh()
        write_files(
            workspace.root, {"d1/f1.py": "def theirs(): pass\n", "d2/f2.py": "def ours(): pass\n"}
        )
        beside.append(lambda: other.refresh(paths=["d1/f1.py"]))
        workspace.refresh(paths=["d2/f2.py"])
    assert beside == []
    check_equals_fresh(workspace, tmp_path)
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as third:
        third.load()
        assert names(third) == names(workspace)
    assert stored(workspace) == [
        "symbols..000001-000001",
        "symbols..000002-000002",
        "symbols.checked",
        FILE_NAME,
    ]


@pytest.mark.nightly
def test_files_read_by_others_during_the_wait_are_not_read_again(
    make_workspace: Maker, tmp_path: Path, beside: list[Callable[[], object]]
) -> None:
    workspace = make_workspace(dict(FILES))
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
        write_files(workspace.root, {"d1/f1.py": "def changed(): pass\n"})
        beside.append(other.refresh)
        assert workspace.refresh().read == 0
    check_equals_fresh(workspace, tmp_path)
    assert stored(workspace) == ["symbols..000001-000001", "symbols.checked", FILE_NAME]


@pytest.mark.nightly
@pytest.mark.slow
def test_new_files_are_sorted_by_path_whichever_overlay_contains_them(
    make_workspace: Maker,
) -> None:
    workspace = make_workspace(dict(FILES))
    for new in (
        ("d1/b.py", "d1/f2b.py", "z.py"),
        ("d1/a.py", "d1/f2a.py", "d1/f2.py"),
        ("d1/c.py", "d1/f2c.py", "a.py", "d1/b.py"),
    ):
        write_files(
            workspace.root,
            {path: f"def same(): pass\ndef same_{len(new)}(): pass\n" for path in new},
        )
        workspace.refresh()
    assert len(workspace.source.indexed.snapshot.parts) == 4
    assert [
        path
        for path, _ in groupby(
            symbol_id.partition("#")[0]
            for symbol_id in ids_in_order(workspace.source.indexed.snapshot)
        )
    ] == sorted(
        path.relative_to(workspace.root).as_posix() for path in workspace.root.rglob("*.py")
    )
    paths = [item.file_path for item in workspace.search("same", max_items=9).items]
    # Uses of the name at the root count for the nearest definitions, those at the root.
    assert paths == [
        "a.py",
        "z.py",
        "d1/a.py",
        "d1/b.py",
        "d1/c.py",
        "d1/f2.py",
        "d1/f2a.py",
        "d1/f2b.py",
        "d1/f2c.py",
    ]


def test_a_new_file_that_is_renamed_between_two_others(make_workspace: Maker) -> None:
    """The number of files and their places agree with the overlays, but the files differ."""
    base = [*(f"a{number:02}.py" for number in range(60)), "z.py"]
    workspace = make_workspace({name: "def in_base(): pass\n" * 20 for name in base})
    workspace.refresh()
    for name in ("m1.py", "m2.py"):
        (workspace.root / name).write_text(f"def in_{name[:2]}(): pass\n")
    workspace.refresh()
    (workspace.root / "m1.py").rename(workspace.root / "m3.py")
    workspace.refresh()
    assert sorted(
        file.path for file, _ in workspace.source.indexed.snapshot.files_and_counts()
    ) == [
        *base[:-1],
        "m2.py",
        "m3.py",
        "z.py",
    ]
    assert [item.file_path for item in workspace.search("in_m1").items] == ["m3.py"]


@pytest.mark.slow
@pytest.mark.parametrize("sort", ["merge", "join"])
def test_updates_during_a_merge_are_kept(
    sort: str, make_workspace: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(dict(FILES))
    for step in range(3):
        write_files(workspace.root, {f"d0/f{4 * step}.py": f"def changed{step}(): pass\n"})
        workspace.refresh()
    upkeep = workspace.source.indexed._updater
    before = upkeep.layers
    assert before is not None
    write_files(
        workspace.root, {"d0/f0.py": "def again(): pass\n", "d1/late.py": "def late(): pass\n"}
    )
    (workspace.root / "d0/f4.py").unlink()
    workspace.refresh()
    for limit in ("FEW_SYMBOLS", "SHARE") if sort == "merge" else ("MOST_OVERLAYS",):
        monkeypatch.setattr(overlay, limit, 0)
    upkeep._merge(before)
    late = "000001-000001" if sort == "merge" else "000004-000004"
    assert f"symbols..{late}" in stored(workspace)
    check_equals_fresh(workspace, tmp_path)
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
        other.load()
        assert names(other) == names(workspace)
    upkeep._merge(before)  # too late: another process has already merged them
    check_equals_fresh(workspace, tmp_path)


@pytest.mark.nightly
def test_a_merge_goes_on_in_the_background(
    make_workspace: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(dict(FILES))
    monkeypatch.setattr(overlay, "FEW_SYMBOLS", 0)
    workspace.follow()
    for step in range(4):
        write_files(workspace.root, {f"d0/f{4 * step}.py": f"def changed{step}(): pass\n"})
        workspace.refresh()
    write_files(workspace.root, {f"d1/f{4 * i + 1}.py": "def many(): pass\n" for i in range(8)})
    workspace.refresh()
    merger = workspace.source.indexed._updater._merger
    assert merger is not None
    merger.join(60)
    assert not merger.is_alive()
    check_equals_fresh(workspace, tmp_path)


@pytest.mark.slow
def test_a_damaged_overlay_costs_its_files(make_workspace: Maker, tmp_path: Path) -> None:
    workspace = make_workspace(dict(FILES))
    write_files(workspace.root, {"d1/f1.py": "def changed(): pass\n"})
    workspace.refresh()
    (path,) = workspace.source.indexed.folder.glob("symbols.*-*")
    data = bytearray(path.read_bytes())
    data[-20] ^= 255
    path.write_bytes(bytes(data))
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
        report = other.refresh()
        assert report.read == 1
        assert report.notices == [f"{path}: damaged (wrong checksum); it will be rebuilt"]
        check_equals_fresh(other, tmp_path)
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
        assert other.refresh().notices == []


@pytest.mark.nightly
@pytest.mark.slow
def test_a_worker_is_kept_while_a_tree_is_followed(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(dict(FILES))
    workspace.source.indexed._updater.keep_worker()
    started: list[int] = []
    start = Process.__init__
    monkeypatch.setattr(
        Process, "__init__", lambda self, *job: (started.append(1), start(self, *job))[1]
    )
    for step in range(3):
        write_files(workspace.root, {"d1/f1.py": f"def changed{step}(): pass\n"})
        workspace.refresh()
        assert f"changed{step}" in names(workspace)
    assert len(started) == 1
    spare = workspace.source.indexed._updater._spare
    assert spare is not None and spare._process is not None
    os.kill(spare._process._process.pid, signal.SIGKILL)
    spare._process.wait()
    write_files(workspace.root, {"d1/f1.py": "def after(): pass\n"})
    workspace.refresh()
    assert "after" in names(workspace) and len(started) == 2


UPDATES = """
import itertools, sys
from pathlib import Path
from symindex.index import overlay
from symindex.workspace.workspace import Workspace

overlay.FEW_SYMBOLS, overlay.MOST_OVERLAYS = int(sys.argv[3]), 2
workspace = Workspace(sys.argv[1], sys.argv[2])
print("begun", flush=True)
for step in itertools.count():
    workspace.refresh(rebuild=step % 5 == 4)
    Path(sys.argv[1], "d1", "live.py").write_text(f"def step{step}(): pass\\n")
"""


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_process_killed_at_any_moment_loses_nothing(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    root = write_files(tmp_path / "tree", dict(FILES))
    limit = str(rng.choice([0, 20, 5000]))
    for _ in range(2):
        with started(
            [sys.executable, "-c", UPDATES, root, tmp_path / "index", limit], start_new_session=True
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(rng.random() * 0.8)  # at any moment: the test waits for no event
            os.killpg(process.pid, signal.SIGKILL)
        with Workspace(root, tmp_path / "index") as workspace:
            workspace.load()
            assert workspace.source.indexed._notices == []
            workspace.refresh()
            check_equals_fresh(workspace, tmp_path)
