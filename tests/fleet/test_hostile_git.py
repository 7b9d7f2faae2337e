"""Repositories of strangers: nothing of them runs, nothing leads out, and each limit is one
sentence."""

import os
import shutil
from pathlib import Path

import pytest

from symindex.errors import RequestError, StorageError
from symindex.fleet.catalogue.repository import Limits
from symindex.fleet.sources.sync import sync
from tests.fleet.repositories import (
    at,
    bring,
    commit,
    commit_tree,
    files_of,
    make_repository,
    write_object,
)
from tests.support.git import git

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"


@pytest.fixture
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that a program of the repository would make."""
    return tmp_path / "ran"


def test_nothing_of_a_repository_runs(
    tmp_path: Path, marked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch {marked}\n")
    program.chmod(0o700)
    there = make_repository(tmp_path / "there")
    commit(
        there,
        {
            ".gitattributes": "* filter=evil diff=evil merge=evil\n*.bin filter=lfs\n",
            ".gitmodules": f'[submodule "x"]\npath = x\nurl = ext::{program}\nupdate = !{program}\n',
            "a.py": "x = 1\n",
            "b.bin": LFS,
        },
    )
    for key in ("core.fsmonitor", "core.sshCommand", "uploadpack.packObjectsHook"):
        git(there, "config", key, str(program))
    home = tmp_path / "home"
    templates = tmp_path / "templates/hooks"
    templates.mkdir(parents=True)
    home.mkdir()
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        shutil.copy(program, templates / hook)
        shutil.copy(program, there / ".git/hooks")
    (home / ".gitconfig").write_text(
        f"[init]\ntemplateDir = {templates.parent}\n[core]\nhooksPath = {templates}\n"
        f'[filter "evil"]\nsmudge = {program}\nrequired = true\n'
        f"[credential]\nhelper = {program}\n[uploadpack]\npackObjectsHook = {program}\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(templates.parent))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    done = bring(there, tmp_path)
    assert not marked.exists()
    assert files_of(done)["b.bin"] == LFS.encode()
    assert sorted(files_of(done)) == [".gitattributes", ".gitmodules", "a.py", "b.bin"]
    assert not (done.root.parents[1] / "git-40/hooks").exists()


def test_links_and_submodules_are_left_out_and_counted(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    (there / "link.py").symlink_to("/etc/passwd")
    (there / "up").symlink_to("..")
    commit(there, {})
    git(there, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    git(there, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "y")
    done = bring(there, tmp_path)
    assert files_of(done) == {"a.py": b"x = 1\n"}
    assert done.notices == ("left out: 1 submodules", "left out: 2 symbolic links")
    assert bring(there, tmp_path).notices == done.notices


ELSEWHERE = "left out: 1 names that lead elsewhere or are too long"

ODD_NAMES: dict[str, tuple[bytes, str]] = {
    "a line break": (b"a\nb.py", ELSEWHERE),
    "an escape": (b"a\x1b[31m.py", ELSEWHERE),
    "a backslash": (b"..\\a.py", ELSEWHERE),
    "too long for a file": (b"x" * 256, ELSEWHERE),
    "as long as a file may be": (b"x" * 255, ""),
    "not UTF-8": (b"\xff.py", "left out: 1 names that are not UTF-8"),
    "a word of queries": (b"repo:x", ""),
    "a device": (b"aux.c", ""),
}


@pytest.mark.parametrize(("name", "notice"), ODD_NAMES.values(), ids=ODD_NAMES)
def test_odd_names(tmp_path: Path, name: bytes, notice: str) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    blob = write_object(there, "blob", b"y\n")
    commit_tree(
        there, sorted([("100644", name, blob), ("100644", b"ok.py", blob)], key=lambda row: row[1])
    )
    done = bring(there, tmp_path)
    assert done.notices == ((notice,) if notice else ())
    assert sorted(files_of(done)) == sorted(["ok.py"] + ([] if notice else [name.decode()]))


@pytest.mark.parametrize("name", [b"..", b".", b".git", b".GIT", b"git~1", b"", b"a/../../x"])
def test_names_that_lead_out_refuse_the_repository(tmp_path: Path, name: bytes) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    blob = write_object(there, "blob", b"y\n")
    tree = write_object(there, "tree", b"100644 x\0" + bytes.fromhex(blob))
    commit_tree(there, [("40000", name, tree)])
    with pytest.raises(StorageError, match=r"what the server sends is damaged, .* or forged"):
        bring(there, tmp_path)
    assert not (tmp_path / "x").exists()


def test_a_path_of_4096_letters(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    blob = write_object(there, "blob", b"y\n")
    tree = write_object(there, "tree", b"100644 x\0" + bytes.fromhex(blob))
    for _ in range(40):
        tree = write_object(there, "tree", b"40000 " + b"d" * 100 + b"\0" + bytes.fromhex(tree))
    commit_tree(there, [("40000", b"deep", tree), ("100644", b"ok.py", blob)])
    done = bring(there, tmp_path)
    assert (sorted(files_of(done)), done.notices) == (["ok.py"], (ELSEWHERE,))


def test_a_bomb_of_trees_ends_at_the_limit_of_files(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    blob = write_object(there, "blob", b"y\n")
    tree = write_object(
        there, "tree", b"".join(b"100644 %d\0" % n + bytes.fromhex(blob) for n in range(10))
    )
    for _ in range(8):
        below = bytes.fromhex(tree)
        tree = write_object(there, "tree", b"".join(b"40000 %d\0" % n + below for n in range(10)))
    commit_tree(there, [("40000", b"bomb", tree)])
    with pytest.raises(RequestError) as caught:
        bring(there, tmp_path, Limits(max_files=1_000, seconds=60))
    assert str(caught.value) == (
        f"{there}: has more than 1,000 files: raise `max_files`, or leave it out"
    )


@pytest.mark.parametrize(("n", "is_in"), [(3, True), (4, False)])
def test_the_number_of_files(tmp_path: Path, n: int, is_in: bool) -> None:
    there = make_repository(tmp_path / "there", {f"{k}.py": "x\n" for k in range(n)})
    limits = Limits(max_files=3, seconds=60)
    if is_in:
        assert len(files_of(bring(there, tmp_path, limits))) == 3
    else:
        with pytest.raises(RequestError, match="has more than 3 files"):
            bring(there, tmp_path, limits)


@pytest.mark.parametrize(("n", "is_in"), [(100_000, True), (100_001, False)])
def test_the_bytes_of_files(tmp_path: Path, n: int, is_in: bool) -> None:
    there = make_repository(tmp_path / "there", {"a.py": b"x" * n})  # a few bytes when packed
    limits = Limits(max_repository_bytes=100_000, seconds=60)
    if is_in:
        assert len(files_of(bring(there, tmp_path, limits))["a.py"]) == n
    else:
        with pytest.raises(RequestError, match=r"its files have 100,001 bytes, more than 100,000"):
            bring(there, tmp_path, limits)


def test_the_bytes_of_a_fetch(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": os.urandom(2_000_000)})
    with pytest.raises(RequestError) as caught:
        bring(there, tmp_path, Limits(max_repository_bytes=1_000_000, seconds=60))
    assert str(caught.value) == (
        f"{there}: git fetches more than 1,000,000 bytes: raise `max_repository_bytes`, or leave it"
        " out"
    )
    (own,) = (tmp_path / "ours").iterdir()
    assert not (own / "git-40").exists()


def test_a_repository_that_lacks_objects(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    blob = git(there, "rev-parse", "HEAD:a.py")
    (there / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    with pytest.raises(StorageError, match=r"damaged, incomplete or forged: check the repository"):
        bring(there, tmp_path)


def test_a_damaged_copy_of_ours_is_made_again(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    own = bring(there, tmp_path).root.parents[1]
    for pack in (own / "git-40/objects/pack").iterdir():
        pack.chmod(0o600)
        pack.write_bytes(b"")
    (own / "git-40/HEAD").write_text("garbage")
    commit(there, {"a.py": "x = 2\n"})
    assert files_of(bring(there, tmp_path)) == {"a.py": b"x = 2\n"}


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    own = bring(there, tmp_path).root.parents[1]
    (own / "git-40/shallow.lock").touch()
    (own / "git-40/refs/symindex/newest.lock").touch()
    (own / "git-40/objects/pack/tmp_pack_x").touch()
    (own / "git.00.new").mkdir()
    (own / "files/0.new").mkdir()
    (own / "files/0.new.index").touch()
    commit(there, {"a.py": "x = 2\n"})
    done = bring(there, tmp_path)
    assert files_of(done) == {"a.py": b"x = 2\n"}
    assert sorted(os.listdir(own)) == ["files", "git-40", "lock", "state.json"]
    assert os.listdir(own / "files") == [done.tree]
    assert not [*own.rglob("*.lock"), *own.rglob("tmp_*")]


@pytest.mark.parametrize("text", ["", "{", '{"form": 1}', '{"form": 9}', "\xff", "[]"])
def test_a_damaged_record_counts_as_none(tmp_path: Path, text: str) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    done = bring(there, tmp_path)
    (done.root.parents[1] / "state.json").write_text(text)
    assert bring(there, tmp_path) == done


def test_a_repository_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="there is no such folder any more: check the path"):
        bring(tmp_path / "gone", tmp_path)
    (tmp_path / "plain").mkdir()
    with pytest.raises(RequestError, match="there is no such repository any more"):
        bring(tmp_path / "plain", tmp_path)


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RequestError, match="git is not installed, or not on your search path"):
        bring(there, tmp_path)


def test_the_time_is_up(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    with pytest.raises(StorageError) as caught:
        sync(at(there), tmp_path / "ours", Limits(seconds=0.001))
    expected = f"{there}: not done within 0.001 s: try again, or raise `seconds`"
    assert str(caught.value) == expected
