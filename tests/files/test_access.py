"""Only regular files of bounded size are opened, never outside the root, whatever happens to the
tree."""

import errno
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.editor.odd_places import read_text
from symindex.explore.listing import _read as read_listed
from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_file
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files import forked_walk
from symindex.files import walk as walk_module
from symindex.files.access import beneath
from symindex.files.access.beneath import MOST_OPEN, Beneath, read_beneath
from symindex.files.access.owners import speaks_for
from symindex.files.access.regular import (
    LargeFileError,
    NotRegularError,
    open_regular,
    read_open,
    read_regular,
    read_up_to,
)
from symindex.files.skips import SkipReason
from symindex.files.spot_check import spot_check
from symindex.files.walk import walk_tree
from symindex.protocol.search import SearchRequest
from symindex.search.answer.plan import make_plan
from symindex.search.unindexed.prefilter import Finder
from symindex.search.unindexed.scan_job import scan_files
from symindex.search.unindexed.scan_query import make_prefilter
from tests.attack import swaps
from tests.support.files import Maker, write_files

LANGUAGES = load_languages()
WANTED = LANGUAGES.wanted(1_000_000)
MOST = 1_000

IRREGULAR: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (os.mkfifo, "not a regular file"),
    "a folder": (Path.mkdir, "not a regular file"),
    "a socket": (lambda path: socket.socket(socket.AF_UNIX).bind(str(path)), "not a regular file"),
    "a link to a device": (lambda path: path.symlink_to("/dev/zero"), "a symbolic link"),
    "a link to a file": (lambda path: path.symlink_to(__file__), "a symbolic link"),
    "a link to itself": (lambda path: path.symlink_to(path), "a symbolic link"),
    "a large file": (lambda path: path.write_bytes(b"x" * (MOST + 1)), "larger than 1,000 bytes"),
    "a file with a hole": (
        lambda path: (path.touch(), os.truncate(path, 1 << 40)),
        "larger than 1,000 bytes",
    ),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(("make", "said"), IRREGULAR.values(), ids=IRREGULAR)
def test_what_is_not_read_says_why(
    make: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    make(tmp_path / "it")
    with pytest.raises(OSError) as caught:
        read_regular(tmp_path / "it", MOST)
    assert caught.value.strerror == said
    with pytest.raises(OSError) as caught:
        read_beneath(tmp_path, "it", MOST)
    assert caught.value.strerror == said


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs files with a wrong size")
def test_the_systems_size_of_a_file_is_not_trusted(tmp_path: Path) -> None:
    with pytest.raises(LargeFileError):
        read_regular("/proc/self/maps", 100)  # the system reports a size of 0 bytes
    assert len(read_regular("/proc/self/status", 100_000)) > 100
    with pytest.raises(NotRegularError):
        read_regular("/dev/zero", 100, follow=True)
    if os.geteuid() == 0 and os.path.exists("/proc/kmsg"):
        with pytest.raises(OSError):  # a regular file, but a reader would wait
            read_regular("/proc/kmsg", 1 << 30)


@pytest.mark.parametrize("said", [0, 1, MOST - 1, MOST])
def test_a_file_of_exactly_the_size_limit_is_read(said: int, tmp_path: Path) -> None:
    """A file with one byte more is refused, whatever size the system reports."""
    path = tmp_path / "it"
    path.write_bytes(b"x" * MOST)
    assert read_regular(path, MOST) == read_beneath(tmp_path, "it", MOST) == b"x" * MOST
    with path.open("r+b", buffering=0) as file:
        assert read_open(file.fileno(), MOST, said) == b"x" * MOST
        file.write(b"x")
        file.seek(0)
        with pytest.raises(LargeFileError):
            read_open(file.fileno(), MOST, said)


@pytest.mark.parametrize("follow", [False, True])
def test_a_pipe_causes_no_wait(follow: bool, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_waits_not(tmp_path / "pipe", lambda: read_regular(tmp_path / "pipe", MOST, follow=follow))


def check_waits_not(pipe: Path, read: Callable[[], object]) -> None:
    """Checks that reading something other than a file is refused at once."""
    refused: list[OSError] = []

    def look() -> None:
        try:
            read()
        except OSError as error:
            refused.append(error)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join(5)
    waits = thread.is_alive()
    if waits:
        os.close(os.open(pipe, os.O_WRONLY))  # a reader would wait for this writer
        thread.join()
    assert refused and not waits


def test_a_pipe_in_place_of_a_folder_causes_no_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_waits_not(tmp_path / "pipe", lambda: read_beneath(tmp_path, "pipe/a", MOST))


def test_the_next_part_of_a_file_is_no_longer_than_requested(tmp_path: Path) -> None:
    (tmp_path / "it").write_bytes(b"abcdef")
    with (tmp_path / "it").open("rb", buffering=0) as file:
        assert [read_up_to(file.fileno(), n_bytes) for n_bytes in (2, 0, 3, 9)] == [
            b"ab",
            b"",
            b"cde",
            b"f",
        ]


def test_a_path_that_a_user_has_typed_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link", MOST, follow=True) == b"text"
    os.close(open_regular(tmp_path / "file"))


@pytest.fixture(params=["by number", "by path"])
def by_number(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Selects each way to open a file below a root."""
    monkeypatch.setattr(beneath, "BY_NUMBER", request.param == "by number")
    return bool(request.param == "by number")


@pytest.mark.usefixtures("by_number")
@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "in/../../secret",
        "/etc/passwd",
        "in//a",
        "./a",
        "in/./a",
        "",
        "in/",
        "a\0b",
        "..",
    ],
)
def test_invalid_paths_are_refused(path: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"tree/in/a": "a", "tree/a": "a", "secret": "s"})
    with Beneath(tmp_path / "tree") as tree:
        with pytest.raises(OSError):
            tree.read(path, MOST)
        with pytest.raises(OSError):
            tree.lstat(path)
        assert tree.read("in/a", MOST) == b"a"


@pytest.mark.usefixtures("by_number")
def test_no_part_of_a_path_may_be_a_link(tmp_path: Path) -> None:
    write_files(tmp_path, {"tree/real/deep/a": "a", "out/deep/a": "secret"})
    (tmp_path / "tree" / "up").symlink_to(tmp_path / "out")
    (tmp_path / "tree" / "inside").symlink_to("real")
    with Beneath(tmp_path / "tree") as tree:
        for path in ("up/deep/a", "inside/deep/a"):
            for look in (
                lambda path: tree.read(path, MOST),
                tree.lstat,
                lambda path: tree.folder(path[:-1]),
            ):
                with pytest.raises(NotRegularError, match="is behind a symbolic link"):
                    look(path)
        assert stat.S_ISLNK(tree.lstat("up").st_mode)
        assert tree.read("real/deep/a", MOST) == b"a"
        with pytest.raises(NotADirectoryError):
            tree.read("real/deep/a/b/c", MOST)


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system lists no descriptors")
def test_few_folders_are_open_however_deep_the_tree(tmp_path: Path) -> None:
    parts = ["d"] * 300
    (tmp_path / "/".join(parts)).mkdir(parents=True)
    paths = ["/".join((*parts[:depth], f"f{depth}.py")) for depth in range(0, 301, 7)]
    write_files(tmp_path, dict.fromkeys(paths, "x = 1\n"))
    before = open_descriptors()
    with Beneath(tmp_path) as tree:
        for path in [*paths, *reversed(paths), *sorted(paths, key=hash)]:
            assert tree.read(path, MOST) == b"x = 1\n"
            assert open_descriptors() <= before + MOST_OPEN
    assert open_descriptors() == before
    assert len(walk_tree(tmp_path, WANTED).files) == len(paths)
    assert open_descriptors() == before


def test_nested_folders_end_at_the_longest_path(tmp_path: Path) -> None:
    """The test enters each folder to make the next, since the path exceeds the longest permitted
    one."""
    name = "d" * 200
    code = f"import os\nfor level in range(40): os.mkdir({name!r}); os.chdir({name!r})\nopen('deep.py', 'w').close()"
    write_files(tmp_path, {"a.py": "a = 1\n"})
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=60)
    try:
        walk = walk_tree(tmp_path, WANTED)
        assert walk.files.paths == ["a.py"]
        (skip,) = walk.skips
        assert (skip.reason, skip.detail) == (
            SkipReason.UNREADABLE,
            os.strerror(errno.ENAMETOOLONG),
        )
    finally:  # Python's own function cannot remove this tree
        subprocess.run(["rm", "-rf", str(tmp_path / name)], check=True, timeout=60)


SECRET = "def the_secret(): pass\n"


@pytest.fixture
def swapped(tmp_path: Path) -> tuple[Path, Callable[[], None]]:
    """A tree with the file `d/a.py`, and a function that replaces `d` with a link to a folder
    outside."""
    write_files(
        tmp_path,
        {
            "tree/d/a.py": "def honest(): pass\n",
            "tree/d/sub/b.py": "b = 1\n",
            "tree/z.py": "z = 1\n",
        },
    )
    write_files(
        tmp_path, {"out/a.py": SECRET, "out/sub/b.py": SECRET, "out/.gitignore": "nothing\n"}
    )

    def swap() -> None:
        (tmp_path / "tree" / "d").rename(tmp_path / "away")
        (tmp_path / "tree" / "d").symlink_to(tmp_path / "out", target_is_directory=True)

    return tmp_path / "tree", swap


def test_a_folder_that_becomes_a_link_before_it_is_entered(
    swapped: tuple[Path, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, swap = swapped
    enter = walk_module.enter_folder

    def enter_later(tree: Beneath, base: str, *more: object) -> object:
        if base == "d/":
            swap()
        return enter(tree, base, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(walk_module, "enter_folder", enter_later)
    walk = walk_tree(root, WANTED)
    assert walk.files.paths == ["z.py"]
    assert [(skip.path, skip.detail) for skip in walk.skips] == [
        ("d/", "is behind a symbolic link")
    ]


@pytest.mark.skipif(not forked_walk.can_fork(), reason="the walk runs in this process")
def test_the_same_in_other_processes(
    swapped: tuple[Path, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, swap = swapped
    enter = forked_walk.enter_folder

    def enter_later(tree: Beneath, base: str, *more: object) -> object:
        if base == "d/":
            swap()
        return enter(tree, base, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(forked_walk, "enter_folder", enter_later)
    walk = forked_walk._walk(root, WANTED, sys.maxsize, -1)
    assert walk.files.paths == ["z.py"]


def test_a_folder_that_becomes_a_link_before_its_files_are_read(
    swapped: tuple[Path, Callable[[], None]], make_workspace: Maker
) -> None:
    root, swap = swapped
    walk = walk_tree(root, WANTED)
    swap()
    with Beneath(root) as tree:
        for path in ("d/a.py", "d/sub/b.py"):
            result = read_file(tree, ReadTask(path), LANGUAGES, MOST)
            assert (result.skip, result.detail, len(result.symbols)) == (
                SkipReason.UNREADABLE,
                "is behind a symbolic link",
                0,
            )
    prefilter = make_prefilter(make_plan(SearchRequest(query="the_secret"), LANGUAGES))
    assert prefilter is not None
    scanned = scan_files(str(root), ["d/a.py", "z.py"], Finder(prefilter), MOST)
    assert (scanned.candidates, scanned.unreadable) == ([], [0])
    assert read_listed(root, FileSymbols("d/a.py", len(SECRET), 0)) is None
    assert read_text(root, "d/a.py") is None
    assert spot_check(root, ["d/a.py"], walk, WANTED) is None


def test_a_file_that_has_grown_since_the_walk_is_left_out(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "a = 1\n"})
    with Beneath(tmp_path) as tree:
        result = read_file(tree, ReadTask("a.py"), LANGUAGES, 5)
        assert (result.skip, result.detail, len(result.symbols)) == (
            SkipReason.TOO_LARGE,
            "more than 5 bytes",
            0,
        )
        result = read_file(tree, ReadTask("a.py"), LANGUAGES, 6)
        assert (result.skip, [symbol.name for symbol in result.symbols]) == ("", ["a"])


def test_a_folder_that_becomes_a_link_is_not_followed_by_answers(
    make_workspace: Maker, tmp_path: Path
) -> None:
    workspace = make_workspace({"d/a.py": "def honest(): pass\n"})
    out = write_files(tmp_path / "out", {"a.py": SECRET + "honest()\n"})
    (workspace.root / "d").rename(tmp_path / "away")
    (workspace.root / "d").symlink_to(out)
    assert "the_secret" not in str(workspace.references("honest"))
    assert "the_secret" not in str(workspace.symbol("d/a.py#honest"))
    assert "the_secret" not in str([file.text for file in workspace.source.indexed.export()])


@pytest.mark.slow
def test_folders_that_are_swapped_all_the_time() -> None:
    """This runs the race briefly; `python -m tests.attack` runs it for long."""
    figures = swaps.run(1, 1, lambda _: None)
    assert not figures.faults and figures.attacks > 20


def test_strangers_files_above_the_root_have_no_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mark").touch()
    assert speaks_for(tmp_path / "mark", tmp_path)
    assert not speaks_for(tmp_path / "none", tmp_path)
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(tmp_path / "mark", 12345, -1)
    assert not speaks_for(tmp_path / "mark", tmp_path)
    os.chown(tmp_path, 12345, -1)
    assert speaks_for(tmp_path / "mark", tmp_path)  # that user owns the folder as well


def test_a_file_that_grows_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 10)
    read = os.read

    def read_and_write(number: int, n_bytes: int) -> bytes:
        data = read(number, n_bytes)
        with open(path, "ab") as file:
            file.write(b"x" * 500)
        return data

    with monkeypatch.context() as patched:
        patched.setattr(os, "read", read_and_write)
        with pytest.raises(LargeFileError):
            for _ in range(5):
                read_regular(path, MOST)
