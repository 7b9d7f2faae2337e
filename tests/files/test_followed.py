"""A file is reopened at the path that the user named, through no link, and only if it is still the
same file."""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.files.access.beneath import BY_NUMBER
from symindex.files.access.followed import (
    FileIdentity,
    FollowedFile,
    is_moved,
    resolved,
    why_another,
)

ME = os.geteuid() if hasattr(os, "geteuid") else 0
STRANGER = ME + 1
BEFORE = FileIdentity(mtime_ns=1, size=2, file=3, folder=4, owner=ME)


def read(path: Path) -> bytes:
    with FollowedFile(str(path)) as file:
        return file.read(1_000)


def replace(place: Path, by: Callable[[Path], object]) -> None:
    place.rename(f"{place}.old")
    by(place)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_a_link_anywhere_on_the_path_is_refused(tmp_path: Path, depth: int) -> None:
    top = tmp_path.resolve()
    secret, place = top / "secret", top / "a" / "b" / "c" / "notes.md"
    for folder in (secret / "b" / "c", secret / "c", secret, place.parent):
        folder.mkdir(parents=True, exist_ok=True)
    for file in secret.rglob("*"):
        if file.is_dir():
            (file / "notes.md").write_text("secret")
    (secret / "notes.md").write_text("secret")
    place.write_text("mine")
    assert read(place) == b"mine"
    turned = [place, *place.parents][depth]
    target = {0: secret / "notes.md", 1: secret, 2: secret, 3: secret}[depth]
    replace(turned, lambda path: path.symlink_to(target))
    with pytest.raises(OSError) as caught:
        read(place)
    assert caught.value.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)
    assert "symbolic link" in str(caught.value.strerror)


def test_the_links_of_a_path_are_resolved_once(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x.md").write_text("x")
    (tmp_path / "link").symlink_to("real")
    kept = resolved(tmp_path / "link" / "x.md")
    assert kept == (tmp_path / "real" / "x.md").resolve() and read(kept) == b"x"
    for wrong in (tmp_path / "none", tmp_path / "a\0b"):
        with pytest.raises(OSError):
            resolved(wrong)
    with pytest.raises(OSError, match="not an absolute path"):
        FollowedFile("x.md")


@pytest.mark.skipif(
    sys.platform == "win32" or sys.platform == "darwin", reason="needs file names of any bytes"
)
def test_a_path_that_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    place = tmp_path / os.fsdecode(b"\xff.md")
    place.write_text("x")
    with pytest.raises(OSError, match="not a path that can be followed"):
        resolved(place)


@pytest.mark.skipif(
    not BY_NUMBER or ME == 0 or not hasattr(os, "O_PATH"),
    reason="needs O_PATH, and a user other than root",
)
def test_a_folder_that_can_be_entered_but_not_listed_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.md").write_text("x")
    (tmp_path / "in").chmod(0o311)
    assert read(tmp_path.resolve() / "in" / "x.md") == b"x"


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (BEFORE, BEFORE._replace(file=9, mtime_ns=9, size=9), ""),
        (BEFORE, BEFORE._replace(owner=STRANGER), "another user"),
        (BEFORE._replace(owner=STRANGER), BEFORE._replace(owner=STRANGER), ""),
        (BEFORE._replace(owner=STRANGER), BEFORE, ""),
        (BEFORE, BEFORE._replace(n_names=2), ""),
        (BEFORE, BEFORE._replace(n_names=2, file=9), "hard link"),
        (None, BEFORE, ""),
        (None, BEFORE._replace(n_names=2), "hard link"),
        (None, BEFORE._replace(owner=STRANGER), "another user"),
    ],
)
def test_what_is_another_file(before: FileIdentity | None, now: FileIdentity, said: str) -> None:
    assert said in why_another(before, now) and bool(why_another(before, now)) == bool(said)


def test_a_folder_that_was_replaced_is_seen(tmp_path: Path) -> None:
    place = tmp_path.resolve() / "in" / "x.md"
    place.parent.mkdir()
    place.write_text("x")
    with FollowedFile(str(place)) as file:
        before = file.identity
    place.write_text("changed")
    with FollowedFile(str(place)) as file:
        assert not is_moved(before, file.identity)
    replace(place.parent, Path.mkdir)
    place.write_text("x")
    with FollowedFile(str(place)) as file:
        assert is_moved(before, file.identity) and not is_moved(None, file.identity)
