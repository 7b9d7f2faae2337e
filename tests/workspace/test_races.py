"""Files, disks and clocks that change meanwhile: nothing is lost, nothing hangs, and a line reports
what happened."""

import errno
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from symindex.errors import RequestError, StorageError
from symindex.extract import read as read_module
from symindex.extract import records
from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_file
from symindex.extract.records import UNSETTLED, FileSymbols, ReadTask, settled_mtime
from symindex.files.access.beneath import Beneath
from symindex.files.walk import Walk
from symindex.index import overlay
from symindex.workspace import indexed_root
from symindex.workspace.workspace import Workspace
from tests.support.command import run_program
from tests.support.files import Maker, write_files

pytestmark = pytest.mark.nightly

SECOND = 1_000_000_000
LANGUAGES = load_languages()


def names(workspace: Workspace) -> list[str]:
    return sorted(item.name for item in workspace.search("").items)


@pytest.mark.parametrize(
    ("age_ns", "mtime_ns", "is_settled"),
    [
        (5_000_000, 1_700_000_000 * SECOND + 7, False),
        (-5_000_000, 1_700_000_000 * SECOND + 7, False),
        (50_000_000, 1_700_000_000 * SECOND + 7, True),
        (
            1_500_000_000,
            1_700_000_000 * SECOND,
            False,
        ),  # without fractions, on a file system that does not store them
        (2_500_000_000, 1_700_000_000 * SECOND, True),
        (
            -3600 * SECOND,
            1_700_000_000 * SECOND + 7,
            True,
        ),  # in the future: a new write gets another time
        (10**18, -5, True),
    ],
)
def test_which_mtimes_tell_that_a_file_is_unchanged(
    age_ns: int, mtime_ns: int, is_settled: bool
) -> None:
    expected_mtime = mtime_ns if is_settled else UNSETTLED
    assert settled_mtime(mtime_ns, mtime_ns, mtime_ns + age_ns) == expected_mtime
    assert settled_mtime(5, mtime_ns, mtime_ns + age_ns) == (
        5 if is_settled else UNSETTLED
    )  # the mtime was set back


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads files in this process, where a test can set their age."""

    def read(
        root: Path, tasks: list[tuple[ReadTask, int]], *, max_file_bytes: int, **_: object
    ) -> list[FileSymbols]:
        with Beneath(root) as tree:
            return [read_file(tree, task, LANGUAGES, max_file_bytes) for task, _ in tasks]

    monkeypatch.setattr("symindex.workers.parsing.read_files", read)


@pytest.mark.parametrize("by_paths", [False, True])
def test_a_change_of_neither_size_nor_mtime_right_after_reading_is_seen(
    by_paths: bool, read_here: None, make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "SETTLED_NS", 3600 * SECOND)
    now = time.time_ns() | 1
    workspace = make_workspace({"a.py": "one = 1\n", "b.py": "b = 1\n"})
    paths = ["a.py"] if by_paths else None
    for name in ("two", "six", "ten"):
        write_files(workspace.root, {"a.py": f"{name} = 1\n"})
        os.utime(workspace.root / "a.py", ns=(now, now))
        workspace.refresh(paths=paths)
        assert names(workspace) == ["b", name]
    generation = workspace.source.indexed.snapshot.generation
    monkeypatch.setattr(records, "SETTLED_NS", 0)
    assert workspace.refresh().read == 2  # checked once more
    assert workspace.refresh().read == 0
    assert workspace.source.indexed.snapshot.generation == generation


@pytest.mark.slow
def test_a_writer_that_races_with_the_reader(make_workspace: Maker) -> None:
    """All sizes are equal, and the system sets the mtimes; after the last write, the next refresh
    is right."""
    workspace = make_workspace({"a.py": "f_000 = 1\n", "b.py": "b = 1\n"})
    workspace.source.indexed._updater.keep_worker()
    chance = random.Random(1)
    path = workspace.root / "a.py"
    count = 0

    def write_some() -> None:
        nonlocal count
        for _ in range(chance.randint(1, 20)):
            count += 1
            with open(
                path, "r+b"
            ) as file:  # in place: for a moment the file mixes the old and the new content
                file.write(b"f_")
                file.write(b"%03d = 1\n" % (count % 1000))
            time.sleep(chance.random() * 0.002)

    for _ in range(25):
        writer = threading.Thread(target=write_some)
        writer.start()
        workspace.refresh()
        writer.join()
        workspace.refresh()
        assert names(workspace) == ["b", f"f_{count % 1000:03}"]


@pytest.mark.slow
def test_a_clock_that_goes_backwards(
    make_workspace: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({f"f{i}.py": f"old{i} = 1\n" for i in range(6)})
    monkeypatch.setattr(overlay, "MOST_OVERLAYS", 1)
    for step, then in enumerate(
        [2**33, 10**9, 5 * 10**8, 1, 0]
    ):  # seconds since 1970; the first is in the year 2242
        monkeypatch.setattr(time, "time", lambda then=then: float(then))
        monkeypatch.setattr(time, "time_ns", lambda then=then: then * SECOND)
        write_files(workspace.root, {f"f{step}.py": f"new{step} = 1\n"})
        os.utime(workspace.root / f"f{step}.py", ns=(then * SECOND + 1, then * SECOND + 1))
        for path in [workspace.source.indexed.folder, *workspace.source.indexed.folder.iterdir()]:
            os.utime(path, ns=(then * SECOND, then * SECOND))
        assert workspace.refresh().read == 1
        with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
            assert other.refresh().read == 0
            assert other.status().age_seconds >= 0
            assert names(other) == names(workspace)
        assert names(workspace) == sorted(f"{'new' if i <= step else 'old'}{i}" for i in range(6))


def test_a_file_that_becomes_something_else_before_it_is_read(tmp_path: Path) -> None:
    """The file changes between the walk and the reading: a pipe causes no wait, and no link leads
    out of the tree."""
    outside = write_files(tmp_path / "outside", {"secret.py": "secret = 1\n"})
    root = write_files(tmp_path / "tree", {"folder.py/a.py": "a = 1\n"})
    os.mkfifo(root / "pipe.py")
    (root / "link.py").symlink_to(outside / "secret.py")
    (root / "loop.py").symlink_to(root / "loop.py")
    began = time.monotonic()
    for path in ("folder.py", "pipe.py", "link.py", "loop.py", "gone.py", "folder.py/a.py/b.py"):
        result = read_file(Beneath(root), ReadTask(path), LANGUAGES, 1000)
        assert (result.skip, len(result.symbols)) == ("unreadable", 0), path
        assert result.detail
    assert time.monotonic() - began < 5


def test_links_in_a_circle(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "a = 1\n", "d/b.py": "b = 1\n"})
    (workspace.root / "d" / "up").symlink_to(workspace.root)
    (workspace.root / "self").symlink_to("self")
    (workspace.root / "x.py").symlink_to("y.py")
    (workspace.root / "y.py").symlink_to("x.py")
    report = workspace.refresh()
    (links,) = [row.paths for row in report.skipped if row.reason.startswith("symbolic link")]
    assert links == ["d/up", "self", "x.py", "y.py"]
    assert names(workspace) == ["a", "b"]


def full_disk(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if call == "write":
        original = open

        def open_full(path: object, mode: str = "r", *more: object, **others: object) -> object:
            if (
                "w" in mode
                and isinstance(path, int)
                and os.readlink(f"/proc/self/fd/{path}").endswith(".new")
            ):
                refuse()
            return original(path, mode, *more, **others)  # type: ignore[call-overload]

        monkeypatch.setattr("builtins.open", open_full)
    else:
        monkeypatch.setattr(f"symindex.files.access.private_folder.os.{call}", refuse)


@pytest.mark.slow
@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize("what", ["base", "overlay", "joined", "merged"])
def test_a_disk_that_fills(
    what: str, call: str, make_workspace: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({f"f{i}.py": f"old{i} = 1\n" for i in range(10)})
    if what == "joined":
        monkeypatch.setattr(overlay, "MOST_OVERLAYS", 0)
    elif what == "merged":
        monkeypatch.setattr(overlay, "FEW_SYMBOLS", 0)
        monkeypatch.setattr(overlay, "SHARE", 0.0)
    before = names(workspace)
    write_files(workspace.root, {"f1.py": "new1 = 1\n"})
    with monkeypatch.context() as patched:
        full_disk(patched, call)
        with pytest.raises(StorageError) as caught:
            workspace.refresh(rebuild=what == "base")
        assert "cannot be written: No space left on device; make room" in str(caught.value)
        assert "\n" not in str(caught.value)
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
        other.load()
        assert names(other) in (before, sorted({*before, "new1"} - {"old1"}))
        assert other.source.indexed._notices == []
    assert not list(workspace.source.indexed.folder.glob("*.new"))
    workspace.refresh()
    assert names(workspace) == sorted({*before, "new1"} - {"old1"})
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
        assert other.refresh().read == 0
        assert names(other) == names(workspace)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 512 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(place)]
    if sys.platform != "linux" or os.geteuid() != 0 or run_program(mount, text=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=False)


@pytest.mark.slow
def test_a_disk_that_is_really_full(small_disk: Path, tmp_path: Path) -> None:
    """Answers are made without a stored index, and say so; commands that store an index report that
    they cannot."""
    root = write_files(
        tmp_path / "tree", {f"f{i}.py": f"def found{i}(): pass\n" for i in range(20)}
    )

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return run_program(
            [sys.executable, "-m", "symindex", *words, "--root", root, "--index-dir", small_disk]
        )

    def search() -> "subprocess.CompletedProcess[str]":
        return run("search", "found1")

    assert "f1.py:1" in search().stdout
    filler = small_disk / "filler"
    with pytest.raises(OSError, match="No space"), open(filler, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    write_files(root, {f"new{i}.py": f"def found1(): pass  # {i}\n" for i in range(60)})
    for is_stored in (True, False):
        for words in (
            ("search", "found1"),
            ("symbol", "found19"),
            ("outline", "new7.py"),
            ("grep", "found1"),
            ("search", "found1", "--json"),
            ("recall", "found1"),
        ):
            began = time.monotonic()
            done = run(*words)
            assert time.monotonic() < began + 15, (
                words
            )  # a full disk causes no wait, unlike another process
            assert done.returncode == 0 and not done.stderr, (words, done.stderr)
            assert "found1" in done.stdout, words
            notice = "this answer was made without a stored index"
            assert notice in done.stdout and ": make room" in done.stdout.replace(";", ":"), words
        assert "Found 71 results" in search().stdout  # including found10 to found19
        done = run("index")
        assert (
            done.returncode == 2
            and done.stderr.count("\n") == 1
            and done.stderr.startswith("symindex: ")
        )
        assert "No space left on device; make room" in done.stderr
        if is_stored:
            assert "f1.py:1" in run("search", "found1", "--no-refresh").stdout
            shutil.rmtree(next(path for path in small_disk.iterdir() if path.is_dir()))
            with pytest.raises(OSError, match="No space"), open(filler, "ab", buffering=0) as file:
                while True:
                    file.write(b"x" * 4096)
    filler.unlink()
    assert "Found 71 results" in search().stdout  # including found10 to found19


@pytest.mark.slow
def test_a_tree_of_many_tiny_files(tmp_path: Path) -> None:
    """For 200,000 files: `python -m tests.bench tiny`."""
    root = tmp_path / "tree"
    for folder in range(40):
        (root / f"d{folder}").mkdir(parents=True)
        for number in range(100):
            (root / f"d{folder}/f{number}.py").write_bytes(b"x = 1\n")
    with Workspace(root, tmp_path / "index") as workspace:
        report = workspace.refresh()
        assert (report.files, report.symbols, report.read) == (4000, 4000, 4000)
        assert workspace.refresh().read == 0
        assert workspace.search("x", max_items=1).total == 4000


GREW: dict[str, Callable[[Path], object]] = {
    "appended": lambda path: path.write_text(path.read_text() + "more = 1\n"),
    "truncated": lambda path: path.write_text(""),
    "another file": lambda path: (path.unlink(), path.write_text("other = 1\n")),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", GREW)
def test_a_file_that_changes_between_the_walk_and_the_reading(
    how: str, make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    write_files(workspace.root, {"a.py": "a2 = 1\n"})
    walk = workspace.source.indexed._updater._read

    def read(*arguments: object) -> list[FileSymbols]:
        GREW[how](workspace.root / "a.py")
        return walk(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(workspace.source.indexed._updater, "_read", read)
        workspace.refresh()
    workspace.refresh()
    with Workspace(
        workspace.root, workspace.source.indexed.folder.parent.with_name("fresh")
    ) as fresh:
        assert names(workspace) == names(fresh)


@pytest.mark.slow
def test_what_another_process_finds_while_this_one_walks_is_kept(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({"a.py": "a = 1\n", "b.py": "b = 1\n", "later.py": "later = 1\n"})
    walk_tree = indexed_root.walk_tree

    def walk(*arguments: object) -> Walk:
        tree_walk = walk_tree(*arguments)  # type: ignore[arg-type]
        with monkeypatch.context() as patched:
            patched.setattr(indexed_root, "walk_tree", walk_tree)
            write_files(workspace.root, {"new.py": "new = 1\n"})
            (workspace.root / "b.py").unlink()
            with Workspace(workspace.root, workspace.source.indexed.folder.parent) as other:
                other.refresh()
        return tree_walk

    write_files(workspace.root, {".gitignore": "later.py\n"})
    with monkeypatch.context() as patched:
        patched.setattr(indexed_root, "walk_tree", walk)
        report = workspace.refresh()
    assert names(workspace) == ["a", "new"]
    assert (report.files, report.skipped[0].count) == (
        3,
        1,
    )  # a, new and .gitignore, but not b, which vanished before it was read
    assert workspace.refresh().read == 0
    with Workspace(
        workspace.root, workspace.source.indexed.folder.parent.with_name("fresh")
    ) as fresh:
        assert (
            fresh.source.indexed.snapshot.generation == workspace.source.indexed.snapshot.generation
        )


def test_a_file_that_was_just_emptied_is_about_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "saved.py"
    monkeypatch.setattr(read_module, "EMPTIED_NS", 2_000_000_000)
    path.write_text("")
    writing = threading.Timer(0.3, path.write_text, ["def kept(): pass\n"])
    writing.start()
    try:
        assert read_file(Beneath(tmp_path), ReadTask("saved.py"), LANGUAGES, 1000).size == len(
            "def kept(): pass\n"
        )
    finally:
        writing.join()
    path.write_text("")
    os.utime(path, ns=(1, 1))
    began = time.monotonic()
    assert read_file(Beneath(tmp_path), ReadTask("saved.py"), LANGUAGES, 1000).size == 0
    assert time.monotonic() - began < 1  # a file emptied long ago is empty, without a wait


@pytest.mark.slow
@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("nothing", "no such folder"),
        ("a link", "has become a link"),
        ("a file", "a file, not a folder"),
    ],
)
@pytest.mark.parametrize("rebuild", [False, True])
def test_a_root_that_goes_while_it_is_read(
    then: str, said: str, rebuild: bool, make_workspace: Maker, tmp_path: Path
) -> None:
    """The missing root is not mistaken for an empty one or for a full disk."""
    workspace = make_workspace(
        {f"f{number}.py": f"def name_{number}(): pass\n" for number in range(50)}
    )
    workspace.refresh()
    write_files(
        workspace.root, {f"f{number}.py": f"def other_{number}(): pass\n" for number in range(50)}
    )

    def go(*_: int) -> None:
        if workspace.root.is_symlink() or not workspace.root.is_dir():
            return
        workspace.root.rename(tmp_path / "away")
        if then == "a link":
            workspace.root.symlink_to(tmp_path / "away")
        elif then == "a file":
            workspace.root.write_text("def only(): pass\n")

    with pytest.raises(RequestError, match=said):
        workspace.refresh(go, rebuild)
