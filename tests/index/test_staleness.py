"""Every check notices files that have changed with the same size and mtime, and files that only
seem to have changed are not parsed."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.extract import read as read_module
from symindex.extract import records
from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_file
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.access.beneath import Beneath
from symindex.files.forked_walk import can_fork
from symindex.files.skips import Skip, SkipReason
from symindex.files.spot_check import SpotCheck
from symindex.files.walk import Walk, walk_tree
from symindex.index import changes
from symindex.index.build import build_index
from symindex.index.changes import Changes, _compare_alike, compare
from symindex.index.report import skipped
from symindex.index.snapshot import Snapshot
from symindex.workspace.early_walk import start_early
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files
from tests.support.waiting import until
from tests.support.watching import TREE, is_swept, make_tree, watching

LANGUAGES = load_languages()
LONG_AGO = 1_700_000_000_123_456_789


@pytest.fixture(autouse=True)
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Records the paths that are parsed, by reading files in this process; treats no file as just
    written."""
    parsed: list[str] = []
    read_bytes = read_module.read_bytes

    def note(result: FileSymbols, *rest: object, **more: object) -> FileSymbols:
        parsed.append(result.path)
        return read_bytes(result, *rest, **more)  # type: ignore[arg-type]

    def read(
        root: Path, tasks: list[tuple[ReadTask, int]], *, max_file_bytes: int, **_: object
    ) -> list[FileSymbols]:
        with Beneath(root) as tree:
            return [read_file(tree, task, LANGUAGES, max_file_bytes) for task, _ in tasks]

    monkeypatch.setattr(read_module, "read_bytes", note)
    monkeypatch.setattr("symindex.workers.parsing.read_files", read)
    monkeypatch.setattr(records, "SETTLED_NS", 0)
    monkeypatch.setattr(records, "COARSE_NS", 0)
    return parsed


def wait_for_the_clock(path: Path) -> None:
    """Waits until the file system's clock has moved on."""
    before, probe = path.stat().st_ctime_ns, path.with_name("probe.txt")
    until = time.monotonic() + 10
    while time.monotonic() < until:
        probe.write_text("")
        if probe.stat().st_ctime_ns != before:
            break
    probe.unlink()


def edit_in_place(path: Path) -> None:
    path.write_text("two = 1\n")


def replace(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_text("two = 1\n")
    os.utime(other, ns=(LONG_AGO, LONG_AGO))
    os.replace(other, path)


def by_refresh(workspace: Workspace) -> None:
    workspace.refresh()


def by_paths(workspace: Workspace) -> None:
    workspace.refresh(paths=["d/a.py"])


def by_the_walk_ahead(workspace: Workspace) -> None:
    workspace.source.indexed.early = start_early(
        [
            "search",
            "--root",
            str(workspace.root),
            f"--index-dir={workspace.source.indexed.folder.parent}",
            "x",
        ]
    )
    assert workspace.source.indexed.early.is_walking or not can_fork()
    workspace.refresh()


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("look", [by_refresh, by_paths, by_the_walk_ahead])
@pytest.mark.parametrize("change", [edit_in_place, replace])
@pytest.mark.parametrize("has_overlay", [False, True])
def test_content_that_changes_under_the_same_size_and_mtime_is_seen(
    has_overlay: bool,
    change: Callable[[Path], None],
    look: Callable[[Workspace], None],
    make_workspace: Maker,
) -> None:
    workspace = make_workspace(
        {"d/a.py": "one = 1\n", **{f"b{i}.py": f"b{i} = 1\n" for i in range(8)}}
    )
    path = workspace.root / "d/a.py"
    os.utime(path, ns=(LONG_AGO, LONG_AGO))
    workspace.refresh(rebuild=True)
    if has_overlay:
        write_files(workspace.root, {"b1.py": "other = 2\n"})
        workspace.refresh()
    before = path.stat()
    wait_for_the_clock(path)
    change(path)
    os.utime(path, ns=(LONG_AGO, LONG_AGO))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    look(workspace)
    names = {item.name for item in workspace.search("").items}
    assert "two" in names and "one" not in names


def test_a_sweep_of_a_watcher_sees_it(
    tmp_path: Path, fast_watch: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    root = make_tree(tmp_path, TREE)
    path = root / "b.py"
    os.utime(path, ns=(LONG_AGO, LONG_AGO))
    with watching(root) as (watcher, listener):
        assert is_swept(watcher)
        wait_for_the_clock(path)
        path.write_text("c = 2\n")
        os.utime(path, ns=(LONG_AGO, LONG_AGO))
        until(lambda: listener.copy["b.py"] == "c = 2\n")


@pytest.mark.parametrize(
    "touch",
    [lambda path: path.chmod(0o600), lambda path: os.link(path, path.with_name("link.xyz"))],
)
@pytest.mark.parametrize("look", [by_refresh, by_paths])
def test_what_changes_no_content_is_read_and_not_parsed(
    look: Callable[[Workspace], None],
    touch: Callable[[Path], None],
    make_workspace: Maker,
    parsed: list[str],
) -> None:
    workspace = make_workspace({"d/a.py": "one = 1\n", "b.py": "b = 1\n"})
    path = workspace.root / "d/a.py"
    generation = workspace.source.indexed.snapshot.generation
    wait_for_the_clock(path)
    touch(path)
    parsed.clear()
    look(workspace)
    assert parsed == []
    assert workspace.source.indexed.snapshot.generation == generation
    place = (
        workspace.source.indexed.layers.snapshot.find("d/a.py")
        if workspace.source.indexed.layers is not None
        else None
    )
    assert (
        place is not None and len(workspace.source.indexed.snapshot.parts) == 2
    )  # the new attributes of the file are stored
    assert workspace.refresh().read == 0


@pytest.mark.sample(2)
@pytest.mark.parametrize("where", ["one index", "overlay", "long look"])
@pytest.mark.parametrize("what", ["sizes", "mtimes", "stamps"])
def test_each_of_size_mtime_and_stamp_tells_that_a_file_has_changed(
    what: str, where: str, make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the three changes alone, since some file systems have coarse times or invent inode
    numbers."""
    if where == "long look":
        monkeypatch.setattr(changes, "_compare_alike", lambda *_: None)
    workspace = make_workspace(
        {"d/a.py": "one = 1\n", **{f"b{i}.py": f"b{i} = 1\n" for i in range(8)}}
    )
    if where != "one index":
        write_files(workspace.root, {"b1.py": "other = 2\n"})
        workspace.refresh()
    terms = (workspace.source.indexed.settings.file_seconds, workspace.source.languages.chosen)
    walk = walk_tree(workspace.root, workspace.source.indexed.wanted)
    paths = walk.files.paths
    assert compare(walk, workspace.source.indexed.layers, *terms) == Changes([], len(paths), [], {})
    getattr(walk.files, what)[paths.index("d/a.py")] += 1
    every = compare(walk, workspace.source.indexed.layers, *terms)
    some = compare(SpotCheck(list(walk.files), []), workspace.source.indexed.layers, *terms)
    assert every is not None and some is not None
    for difference in (every, some):
        assert (
            [file.path for file in difference.read] == ["d/a.py"] == list(difference.known_digest)
        )
        assert (difference.kept, difference.removed) == (len(paths) - 1, [])


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(6))
def test_the_quick_check_sees_what_the_full_one_sees(
    seed: int, make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds with any overlays, and for files that were added, changed or removed in them or
    since."""
    workspace = make_workspace(
        {f"{folder}/f{i}.py": f"x{i} = 1\n" for folder in "abc" for i in range(4)}
    )
    draw = random.Random(seed)
    quick: list[Changes | None] = []
    for step in range(25):
        path = f"{draw.choice('abcd')}/f{draw.randrange(6)}.py"
        if draw.random() < 0.7:
            write_files(workspace.root, {path: f"y{step} = {'2' * draw.randrange(5)}\n"})
        else:
            (workspace.root / path).unlink(missing_ok=True)
        terms = (
            walk_tree(workspace.root, workspace.source.indexed.wanted),
            workspace.source.indexed.layers,
            workspace.source.indexed.settings.file_seconds,
            frozenset[str](),
        )
        difference = compare(*terms)
        with monkeypatch.context() as patch:
            patch.setattr(
                changes, "_compare_alike", lambda *given: quick.append(_compare_alike(*given))
            )
            assert compare(*terms) == difference
        if draw.random() < 0.5:
            workspace.refresh()
    assert 5 < sum(difference is not None for difference in quick) < 25


def test_a_file_that_looks_as_it_did_before_it_changed_is_read_again(make_workspace: Maker) -> None:
    """The base's attributes of the file are no longer valid."""
    workspace = make_workspace({f"b{i}.py": f"b{i} = 1\n" for i in range(9)})
    terms = (workspace.source.indexed.settings.file_seconds, workspace.source.languages.chosen)
    before = walk_tree(workspace.root, workspace.source.indexed.wanted)
    write_files(workspace.root, {"b1.py": "other = 2\n"})
    workspace.refresh()
    difference = compare(before, workspace.source.indexed.layers, *terms)
    assert difference is not None and [file.path for file in difference.read] == ["b1.py"]


def test_files_that_are_listed_are_counted_once() -> None:
    walk = Walk()
    walk.skips = [Skip("a", SkipReason.IGNORED), Skip("b", SkipReason.HIDDEN)]
    walk.ignored, walk.deselected = 3, 2
    rows = skipped(walk, Snapshot.of(build_index([])))
    assert {row.reason: (row.count, row.paths) for row in rows} == {
        SkipReason.IGNORED: (3, ["a"]),
        SkipReason.HIDDEN: (1, ["b"]),
        SkipReason.DESELECTED: (2, []),
    }
