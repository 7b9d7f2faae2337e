"""Copies of items: the accepted paths, and nothing written elsewhere or incompletely, whatever
kills or refuses the copy."""

import errno
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from symindex.errors import RequestError, StorageError, SymindexError
from symindex.fetch import copying
from symindex.fetch.copying import copy_item
from symindex.fetch.safe_path import split_path
from symindex.files.access import new_file
from tests.fetch.kill_copies import run_rounds, unfinished
from tests.support.command import run_program, unprivileged

BAD_PATHS = {
    "": "is empty", "/etc/passwd": "is absolute", "../x": "contains '..' as a part", "a/../../x": "contains '..'", "a/..": "contains '..'",
    "./a": "contains '.' as a part", "a//b": "contains an empty part", "a/": "contains an empty part", "a\0b": "contains NUL",
    "a\\..\\b": "contains a backslash", "C:/x": "begins with a drive", "c:x": "begins with a drive", "%2e%2e/x": "percent-encoded",
    "a%2Fb": "percent-encoded", "a/x:stream": "contains :", "a?b": r"contains \?", "CON": "a device on Windows",
    "a/nul.txt": "a device",
    "com1": "a device", "lpt\u00b9.md": "a device", "a/b.": "begins or ends with a blank or a dot", "a /b": "begins or ends",
    ".git/hooks/post-checkout": "where git keeps", "a/.GIT/config": "where git keeps", "git~1/x": "where git keeps",
    ".\uff47\uff49\uff54/hooks/x": "where git keeps", "a/\uff0egit/x": "where git keeps", "\u2024git/x": "where git keeps",
    "\uff27\uff29\uff34~\uff11/x": "where git keeps",
    ".g\u200cit/x": "invisible characters", "a\nb": "invisible characters", "a\u202eb": "invisible",
    "\udcff": "is not Unicode", "x" * 201: "a part of 201 bytes", "a/" * 40 + "b": "has 41 parts",
    "a" * 2_000: "has 2,000 characters",
}  # fmt: skip


@pytest.mark.parametrize(("path", "words"), BAD_PATHS.items())
def test_paths_that_are_refused(path: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=words) as caught:
        copy_item(b"x", tmp_path, path)
    assert "\n" not in str(caught.value) and "expected a relative path such as" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "path",
    [
        "a",
        "a/b/c.md",
        ".ai/tools/deploy.py",
        "Übung/日本.md",
        "con-text/a",
        "100%/a",
        "..a/b..c",
        ".github/x",
    ],
)
def test_paths_that_are_accepted(path: str, tmp_path: Path) -> None:
    assert split_path(path) == path.split("/")
    assert copy_item(b"x", tmp_path, path) == tmp_path / path
    assert (tmp_path / path).read_bytes() == b"x"


def test_a_file_that_is_there_stays_unless_told_otherwise(tmp_path: Path) -> None:
    path = copy_item(b"one", tmp_path, "a/b.py")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~current_mask()
    path.chmod(0o755)
    with pytest.raises(
        RequestError, match=rf"{path}: already exists; `symindex fetch --force` replaces it"
    ):
        copy_item(b"two", tmp_path, "a/b.py")
    assert path.read_bytes() == b"one"
    copy_item(b"two", tmp_path, "a/b.py", force=True)
    assert path.read_bytes() == b"two" and stat.S_IMODE(path.stat().st_mode) == 0o755
    assert os.listdir(path.parent) == ["b.py"]


def current_mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    "kind",
    ["link", "dangling", "folder", "pipe", "link on the way", "file on the way", "link to here"],
)
def test_nothing_is_written_through_a_link(kind: str, force: bool, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "a").mkdir(parents=True)
    outside.mkdir()
    (outside / "precious").write_text("mine")
    target = root / "a" / "b.py"
    match kind:
        case "link":
            target.symlink_to(outside / "precious")
        case "dangling":
            target.symlink_to(outside / "new")
        case "folder":
            target.mkdir()
        case "pipe":
            os.mkfifo(target)
        case "link on the way":
            (root / "a").rmdir()
            (root / "a").symlink_to(outside)
        case "link to here":
            (root / "a").rmdir()
            (root / "a").symlink_to(".")
        case _:
            (root / "a").rmdir()
            (root / "a").write_text("x")
    with pytest.raises(StorageError, match=r"elsewhere") as caught:
        copy_item(b"x", root, "a/b.py", force)
    assert str(root / "a") in str(caught.value) and "\n" not in str(caught.value)
    assert os.listdir(outside) == ["precious"] and (outside / "precious").read_text() == "mine"


def test_the_users_own_way_to_the_root_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert copy_item(b"x", tmp_path / "link", "a.py") == tmp_path / "real" / "a.py"
    with pytest.raises(StorageError, match="no such folder; make it first"):
        copy_item(b"x", tmp_path / "nowhere", "a.py")


def test_a_folder_that_becomes_a_link_while_it_is_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new folder is replaced before it is opened."""
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    make = os.mkdir

    def make_and_swap(name: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        make(name, mode, dir_fd=dir_fd)
        (root / "a").rmdir()
        (root / "a").symlink_to(outside)

    monkeypatch.setattr(new_file.os, "mkdir", make_and_swap)
    with pytest.raises(
        StorageError, match="a: a symbolic link, which is neither followed nor replaced"
    ):
        copy_item(b"x", root, "a/b.py")
    assert os.listdir(outside) == []


@pytest.mark.parametrize(
    ("step", "number", "words"),
    [
        ("write", errno.ENOSPC, "No space left on device; make room on that disk"),
        ("fsync", errno.EDQUOT, "quota"),
        ("open", errno.EROFS, "Read-only file system; that disk can only be read"),
        ("mkdir", errno.EACCES, "Permission denied; get permission to write there"),
        ("link", errno.EIO, "see what is there"),
    ],
)
def test_a_disk_that_refuses(
    step: str, number: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(os, step)

    def refuse(*arguments: object, **named: object) -> object:
        if step == "open" and not int(arguments[1]) & os.O_CREAT:  # type: ignore[call-overload]
            return real(*arguments, **named)
        if step == "write" and len(arguments[1]) > 1:  # type: ignore[arg-type]
            return real(arguments[0], arguments[1][:1])  # type: ignore[index]
        raise OSError(number, os.strerror(number), "somewhere")

    with monkeypatch.context() as patched:
        patched.setattr(new_file.os, step, refuse)
        with pytest.raises(StorageError) as caught:
            copy_item(b"xy", tmp_path, "a/b/c.py")
    message = str(caught.value)
    assert words in message and message.startswith(str(tmp_path / "a")) and "\n" not in message
    assert list(tmp_path.iterdir()) == []  # no folders are made either
    assert copy_item(b"xy", tmp_path, "a/b/c.py").read_bytes() == b"xy"


def test_a_file_system_without_second_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(new_file.os, "link", refuse)
    path = copy_item(b"one", tmp_path, "a.py")
    (tmp_path / "link.py").symlink_to("nowhere")
    for name in ("a.py", "link.py"):
        with pytest.raises(SymindexError):
            copy_item(b"two", tmp_path, name)
        with pytest.raises(FileExistsError):
            new_file.move_exclusively(str(tmp_path / "link.py"), str(path), None)
    assert path.read_bytes() == b"one" and sorted(os.listdir(tmp_path)) == ["a.py", "link.py"]


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    script = "import sys; from pathlib import Path; from symindex.fetch.copying import copy_item\n"
    script += f"try: copy_item(b'x', Path({str(tmp_path)!r}), 'a/b.py')\nexcept Exception as error: print(type(error).__name__, error)"
    done = run_program([*unprivileged(), sys.executable, "-c", script])
    tmp_path.chmod(0o755)
    assert done.stdout.startswith(
        f"StorageError {tmp_path / 'a'}: cannot be written: Permission denied; get permission"
    )


@pytest.mark.skipif(
    shutil.which("mount") is None or os.geteuid() != 0, reason="must mount a small disk"
)
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)],
        capture_output=True,
        timeout=30,
    )
    if done.returncode:
        pytest.skip("may not mount")
    try:
        with pytest.raises(StorageError, match="No space left on device; make room"):
            copy_item(b"x" * 1_000_000, tmp_path, "a/b.py")
        assert list(tmp_path.iterdir()) == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True, timeout=30)


def test_many_copy_the_same_item_at_once(tmp_path: Path) -> None:
    """One copy wins, and no process deletes a file that another is about to finish."""
    won: list[int] = []
    start = threading.Barrier(8)

    def copy(number: int) -> None:
        start.wait()
        try:
            copy_item(bytes([number]) * 100_000, tmp_path, "a/b.py")
        except RequestError:
            return
        won.append(number)

    threads = [threading.Thread(target=copy, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1 and (tmp_path / "a" / "b.py").read_bytes() == bytes(won) * 100_000
    assert os.listdir(tmp_path / "a") == ["b.py"]


def test_only_what_was_left_is_deleted(tmp_path: Path) -> None:
    left, kept = (
        tmp_path / ".symindex-0123456789abcdef.unfinished",
        tmp_path / ".symindex-x.unfinished",
    )
    left.write_bytes(b"half")
    kept.write_bytes(b"mine")
    (tmp_path / ".symindex-1123456789abcdef.unfinished").mkdir()
    (tmp_path / ".symindex-2123456789abcdef.unfinished").symlink_to(kept)
    copy_item(b"x", tmp_path, "a.py")
    assert not left.exists() and kept.exists() and len(os.listdir(tmp_path)) == 4
    assert unfinished(tmp_path)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_killed_process_leaves_nothing_or_everything(tmp_path: Path) -> None:
    faults, left = run_rounds(tmp_path, 20, 1)
    assert faults == [] and sum(left.values()) >= 20


def test_an_error_without_a_number_has_the_general_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no reason")

    monkeypatch.setattr(copying, "write_new", refuse)
    with pytest.raises(StorageError, match="see what is there, or copy it elsewhere"):
        copy_item(b"x", tmp_path, "a.py")
