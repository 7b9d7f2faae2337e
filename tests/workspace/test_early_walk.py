"""The check for changed files that begins early: it equals any other walk, and is used only if the
guess was right; the cached registry of languages."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from symindex.extract.items import types
from symindex.extract.languages import language_cache, registry
from symindex.extract.languages.registry import Languages, load_languages
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.filter_cache import NAME, cached_filter, store_filter
from symindex.files.forked_walk import TASKS, ForkedWalk
from symindex.files.ignore.selection import EVERYTHING, Selection
from symindex.files.walk import FileFilter, Walk, walk_tree
from symindex.workers.process import Process
from symindex.workspace.early_walk import EarlyStart, start_early
from symindex.workspace.workspace import Workspace
from tests.support.command import run_python, run_symindex
from tests.support.files import write_files

LANGUAGES = load_languages()
WANTED = LANGUAGES.wanted(1000)

STARTED: list[EarlyStart] = []
"""What a test has started, and the cleanup ends."""


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("symindex.files.forked_walk.usable_cores", lambda: 2)
    yield
    while STARTED:
        STARTED.pop().close()


def parts(walk: Walk) -> tuple[object, ...]:
    return list(walk.files), walk.skips, walk.unsupported, walk.ignored, walk.deselected


def check_same(root: Path, wanted: FileFilter = WANTED) -> None:
    process = ForkedWalk(root, wanted)
    try:
        walk = process.result()
    finally:
        process.close()
    assert walk is not None
    assert parts(walk) == parts(walk_tree(root, wanted))


@pytest.mark.slow
def test_as_a_walk_in_this_process(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    check_same(tmp_path / "empty")
    check_same(write_files(tmp_path / "one", {"a.py": "x = 1\n"}))
    files: dict[str, str | bytes] = {f"d{i % 90}/e{i % 7}/f{i}.py": "x" * i for i in range(1200)}
    files |= {
        "d1/.gitignore": "*7.py\n",
        ".gitignore": "d2/\n",
        "d3/pyvenv.cfg": "",
        "d4/node_modules/a.js": "",
        "d5/a.klingon": "",
    }
    files |= {
        "d6/é.PY": "",
        "d6/Makefile": "",
        "d6/script": "",
        "d7/.git/a.py": "",
        "d8/" + "deep/" * 30 + "a.py": "",
    }
    root = write_files(tmp_path / "many", files)
    (root / "d9" / "link.py").symlink_to(root / "d1")
    os.mkfifo(root / "d9" / "pipe.py")
    os.makedirs(os.fsencode(root) + b"/d9/bad\xff.d")
    assert len(os.listdir(root)) > TASKS
    check_same(root)
    check_same(
        root, LANGUAGES.choose(["Java"]).wanted(1000, Selection(("d1/**", "d6"), ("e1", "*.js")))
    )


def begin(root: Path, index_dir: Path, *more: str) -> EarlyStart:
    return start("search", "--root", str(root), f"--index-dir={index_dir}", *more)


def start(*arguments: str) -> EarlyStart:
    STARTED.append(start_early([*arguments]))
    return STARTED[-1]


@pytest.mark.nightly
def test_used_only_if_the_guess_was_right(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "one = 1\n"})
    index_dir = tmp_path / "index"
    assert not begin(root, index_dir).is_walking  # no index exists yet
    with Workspace(root, index_dir) as workspace:
        workspace.refresh()
    for arguments in (
        ["status"],
        ["search", "--no-refresh"],
        ["search", "--root", "/no/such/folder"],
        [],
    ):
        assert not start(*arguments).is_walking
    wanted = LANGUAGES.wanted(workspace.source.indexed.settings.max_file_bytes)
    for other in (
        (tmp_path, wanted),
        (root, wanted._replace(names=frozenset())),
        (root, wanted._replace(max_file_bytes=1)),
    ):
        early = begin(root, index_dir)
        assert early.is_walking
        assert early.take_walk(*other) is None and not early.is_walking
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stdin", None)
        assert not begin(root, index_dir).is_walking
    early = begin(root, index_dir, "--", "--root", "/elsewhere")
    walk = early.take_walk(root, wanted)
    assert early.take_walk(root, wanted) is None
    assert walk is not None and [file.path for file in walk.files] == ["a.py"]
    write_files(root, {"symindex.toml": "max_file_bytes = 4\n"})
    early = begin(root, index_dir)
    assert early.take_walk(root, wanted._replace(max_file_bytes=4)) is not None
    write_files(root, {"symindex.toml": "max_file_bytes = 4\nexclude = ['a.py']\n"})
    walk = begin(root, index_dir).take_walk(
        root, wanted._replace(max_file_bytes=4, selection=Selection((), ("a.py",)))
    )
    assert walk is not None and (len(walk.files), walk.deselected) == (0, 1)
    # other languages than last time; an invalid setting
    for text in ("languages = ['java']\n", "limit = 0\n"):
        write_files(root, {"symindex.toml": text})
        assert not begin(root, index_dir).is_walking


def test_a_walker_that_is_killed_is_done_without(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "one = 1\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.refresh()
    write_files(root, {"b.py": "two = 2\n"})
    early = begin(root, tmp_path / "index")
    assert early._walk is not None
    os.killpg(early._walk.pid, 9)
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.source.indexed.early = early
        assert workspace.refresh().files == 2


def search(root: Path, index_dir: Path, query: str) -> subprocess.CompletedProcess[str]:
    return run_symindex("search", query, "--root", root, "--index-dir", index_dir)


@pytest.mark.nightly
@pytest.mark.slow
def test_the_command_sees_what_has_changed(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree", {f"f{i}.py": f"def found{i}(): pass\n" for i in range(20)}
    )
    assert "f3.py:1" in search(root, tmp_path / "index", "found3").stdout
    write_files(root, {"f3.py": "# 1\n# 2\ndef found3(): pass\n", "new.py": "def found3(): pass\n"})
    done = search(root, tmp_path / "index", "found3")
    assert (
        "f3.py:3" in done.stdout
        and "new.py:1" in done.stdout
        and "Found 2 results" in done.stdout
        and not done.stderr
    )
    (root / "f3.py").unlink()
    assert "Found 1 result\n" in search(root, tmp_path / "index", "found3").stdout
    assert (
        search(root, tmp_path / "index", "(").returncode == 2
    )  # an error is reported once, and nothing keeps running


@pytest.mark.nightly
@pytest.mark.slow
def test_the_command_sees_what_the_settings_leave_out(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree", {"a.py": "def found(): pass\n", "b/b.py": "def found(): pass\n"}
    )
    assert "Found 2 results" in search(root, tmp_path / "index", "found").stdout
    for text, said in [
        ("exclude = ['b']\n", "Found 1 result\n"),
        ("exclude = ['b']\n", "Found 1 result\n"),
        ("languages = ['go']\n", "the index is empty: 2 left out by the settings"),
        ("languages = ['python', 'go']\n", "Found 2 results"),
    ]:
        write_files(root, {"symindex.toml": text})
        assert said in search(root, tmp_path / "index", "found").stdout
    write_files(root, {"symindex.toml": "limit = 0\nlanguages = ['nonsense']\n"})
    done = search(root, tmp_path / "index", "found")
    assert (
        done.returncode == 2
        and done.stderr.count("symindex.toml: ") == 2
        and done.stderr.count("\n") == 1
    )


@pytest.mark.nightly
def test_a_command_does_not_wait_for_a_walk_that_it_does_not_take(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "one = 1\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.refresh()
    slow = f"""
        import time
        from symindex.files import forked_walk
        forked_walk.rules_above = lambda *_: time.sleep(60)
        import sys
        sys.argv = ["symindex", "search", "--root", {str(root)!r}, "--index-dir", {str(tmp_path / "index")!r}, "--nonsense"]
        from symindex.__main__ import main
        main()
    """
    began = time.monotonic()
    code = "\n".join(line.strip() for line in slow.splitlines())
    done = run_python(code)
    assert done.returncode == 2 and "--nonsense" in done.stderr and time.monotonic() - began < 30


def walked(root: Path, index_dir: Path) -> EarlyStart:
    """Returns an early start whose walk has finished."""
    early = begin(root, index_dir)
    assert early._walk is not None
    select.select([early._walk._pipe], [], [])
    return early


def has_newer(early: EarlyStart) -> bool:
    """Whether the walk found files newer than the index."""
    walk = early._walk
    assert walk is not None and walk.has_newer == walk.has_newer
    return walk.has_newer


def start_process(early: EarlyStart) -> Process:
    early.start_worker()
    assert early._worker is not None and early._worker._process is not None
    return early._worker._process


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = write_files(tmp_path / "tree", {"a.py": "def one(): pass\n"})
    os.utime(root / "a.py", (1_700_000_000, 1_700_000_000))
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.refresh()
    return root


def test_a_worker_is_started_for_what_is_newer_alone(tree: Path, tmp_path: Path) -> None:
    early = walked(tree, tmp_path / "index")
    assert not has_newer(early)
    early.start_worker()
    assert early.take_worker() is None
    early.end_walk()
    write_files(tree, {"b.py": "def two(): pass\n"})
    # a tree may contain such a time permanently
    os.utime(tree / "b.py", (32_000_000_000, 32_000_000_000))
    early = walked(tree, tmp_path / "index")
    assert not has_newer(early)
    early.end_walk()
    os.utime(tree / "b.py")
    early = walked(tree, tmp_path / "index")
    assert has_newer(early)
    started = start_process(early)
    assert start_process(early) is started
    with Workspace(tree, tmp_path / "index") as workspace:
        workspace.source.indexed.early = early
        assert workspace.refresh().read == 1 and workspace.search("two").total == 1
        assert started.job.setup and started.is_alive  # the worker was used, and is kept
        assert early.take_worker() is None
    assert not started.is_alive


@pytest.mark.parametrize("how", ["ended", "of another limit"])
def test_a_worker_that_is_of_no_use_is_done_without(
    how: str, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tree, {"b.py": "def two(): pass\n"})
    early = walked(tree, tmp_path / "index")
    started = start_process(early)
    if how == "ended":
        started.kill()
    else:
        monkeypatch.setattr("symindex.workers.parsing.worker_memory", lambda: 987_654_321)
    with Workspace(tree, tmp_path / "index") as workspace:
        workspace.source.indexed.early = early
        assert workspace.refresh().read == 1 and workspace.search("two").total == 1
        assert not started.is_alive


def test_an_unused_worker_is_ended(tree: Path, tmp_path: Path) -> None:
    write_files(tree, {"b.py": "def two(): pass\n"})
    early = walked(tree, tmp_path / "index")
    started = start_process(early)
    early.close()
    assert not started.is_alive and early.take_worker() is None and not early.is_walking


@pytest.mark.nightly
def test_kept_languages_are_those_of_the_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = 'name = "Thing"\ngrammar = "python"\nextensions = [".thing"]\n'
    write_files(
        tmp_path / "grammars" / "thing", {"language.toml": rules, "symbols.scm": "(comment) @doc\n"}
    )
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path / "grammars"))
    folder = tmp_path / "index"
    folder.mkdir()
    read = []

    def fresh() -> Languages:
        read.append(1)
        registry._load.cache_clear()
        return load_languages()

    monkeypatch.setattr(language_cache, "load_languages", fresh)

    def load() -> Languages:
        language_cache._LOADED.clear()
        return language_cache.load_kept_languages(PrivateFolder(folder))

    assert language_cache.ITEM_TYPES == types._TABLE
    first = load()
    language_cache.keep_languages(first, PrivateFolder(folder))
    again = load()
    assert again.packed_item_types == types.pack_item_types(types.shipped_item_types())
    assert len(read) == 1 and again.digest == first.digest and again.extensions == first.extensions
    assert [(language.id, language.rules, language.query) for language in again.by_id.values()] == [
        (language.id, language.rules, language.query) for language in first.by_id.values()
    ]
    write_files(tmp_path / "grammars" / "thing", {"symbols.scm": "(comment) @doc\n(string) @doc\n"})
    assert load().digest != first.digest and len(read) == 2
    scm = tmp_path / "grammars" / "thing" / "symbols.scm"
    language_cache.keep_languages(load(), PrivateFolder(folder))
    assert load().by_id and len(read) == 3
    status = scm.stat()
    scm.write_text("(string) @doc\n(comment) @doc\n")  # as long as before
    os.utime(scm, ns=(status.st_atime_ns, status.st_mtime_ns))
    if os.name != "nt":  # only the stamp differs
        assert scm.stat().st_size == status.st_size
        load()
        assert len(read) == 4
    del read[2:]
    write_files(tmp_path / "grammars" / "thing", {"symbols.scm": "(comment) @doc\n"})
    data = (folder / language_cache.NAME).read_bytes()
    for damaged in (b"", data[:40], data[:-1], data[:-1] + b"\0"):
        (folder / language_cache.NAME).write_bytes(damaged)
        assert load().digest == first.digest
    assert len(read) == 6
    language_cache._LOADED.clear()


@pytest.mark.parametrize("words", [(), ("Java", ".py")])
def test_a_cached_filter_equals_the_original(words: tuple[str, ...], tmp_path: Path) -> None:
    selection = Selection(("src",), ("*_pb2.py",))
    assert cached_filter(PrivateFolder(tmp_path), words, 5, selection) is None
    store_filter(PrivateFolder(tmp_path), words, WANTED, b"rules")
    wanted = LANGUAGES.choose(words).wanted(5, selection)
    for damaged in (None, ".py", b"\xff", "\n" * 9):
        if damaged is not None:
            write_files(tmp_path, {NAME: damaged})
        store_filter(PrivateFolder(tmp_path), words, wanted, b"rules")
        for rules in (None, b"rules"):
            assert cached_filter(PrivateFolder(tmp_path), words, 5, selection, rules) == wanted
        assert cached_filter(PrivateFolder(tmp_path), words, 5, selection, b"others") is None
    assert cached_filter(PrivateFolder(tmp_path), words, 6, EVERYTHING) == wanted._replace(
        max_file_bytes=6, selection=EVERYTHING
    )
    assert cached_filter(PrivateFolder(tmp_path), ("C",), 5, selection) is None


@pytest.mark.nightly
def test_an_index_inside_its_tree_is_no_part_of_it(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree",
        {
            "a.py": "one = 1\n",
        },
    )
    for _ in range(3):
        with Workspace(root, root / ".index") as workspace:
            report = workspace.refresh()
            assert (report.files, report.symbols) == (1, 1)
    assert report.read == 0
