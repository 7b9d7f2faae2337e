"""Repositories of git on this machine: fetched once, updated, followed, with their own bytes."""

import os
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.fleet.sources.local_reference import read_reference
from symindex.fleet.sources.sync import sync
from tests.fleet.repositories import (
    AUTHOR,
    LIMITS,
    at,
    bring,
    commit,
    files_of,
    hash_of,
    make_repository,
)
from tests.support.git import git

FILES = {"a.py": "x = 1\n", "sub/b.go": "package b\n"}


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "there", FILES)


def test_the_newest_commit_is_fetched(there: Path, tmp_path: Path) -> None:
    done = bring(there, tmp_path)
    assert files_of(done) == {"a.py": b"x = 1\n", "sub/b.go": b"package b\n"}
    assert (done.commit, done.branch, done.notices) == (hash_of(there), "main", ())
    assert done.tree == hash_of(there, "HEAD^{tree}")
    assert done.committed == int(git(there, "log", "-1", "--format=%ct"))
    assert done.has_files


def test_only_one_commit_comes_and_no_tag(there: Path, tmp_path: Path) -> None:
    commit(there, {"a.py": "x = 2\n"})
    git(there, "tag", "v1")
    own = bring(there, tmp_path).root.parents[1] / "git-40"
    listing = git(own, "--git-dir=.", "log", "--format=%H", "refs/symindex/newest")
    assert listing.split() == [hash_of(there)]
    assert git(own, "--git-dir=.", "tag") == ""


def test_what_has_not_changed_starts_no_git(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bring(there, tmp_path)
    for packs in (False, True):
        if packs:
            git(there, "pack-refs", "--all")
        with monkeypatch.context() as context:
            context.setenv("PATH", "/nowhere")
            assert bring(there, tmp_path) == first


def test_a_change_is_fetched_and_the_old_files_go(there: Path, tmp_path: Path) -> None:
    first = bring(there, tmp_path)
    commit(there, {"a.py": "x = 2\n"})
    second = bring(there, tmp_path)
    assert files_of(second)["a.py"] == b"x = 2\n"
    assert second.commit == hash_of(there)
    assert not first.root.exists()
    assert sorted(os.listdir(second.root.parents[1])) == ["files", "git-40", "lock", "state.json"]


def test_a_commit_of_the_same_files_keeps_their_folder(there: Path, tmp_path: Path) -> None:
    first = bring(there, tmp_path)
    commit(there, {}, "nothing")
    second = bring(there, tmp_path)
    assert (second.root, second.tree) == (first.root, first.tree)
    assert second.commit != first.commit


def test_a_rewritten_branch_is_followed(there: Path, tmp_path: Path) -> None:
    bring(there, tmp_path)
    git(there, *AUTHOR, "commit", "-q", "--amend", "--allow-empty", "-m", "other")
    git(there, "reflog", "expire", "--expire=now", "--all")
    git(there, "gc", "-q", "--prune=now")
    assert bring(there, tmp_path).commit == hash_of(there)


def test_a_renamed_default_branch_is_followed(there: Path, tmp_path: Path) -> None:
    assert bring(there, tmp_path).branch == "main"
    git(there, "branch", "-m", "trunk")
    assert bring(there, tmp_path).branch == "trunk"
    commit(there, {"a.py": "x = 3\n"})
    assert files_of(bring(there, tmp_path))["a.py"] == b"x = 3\n"


@pytest.mark.parametrize("words", [("tag", "v1"), (*AUTHOR, "tag", "-a", "-m", "v1", "v1")])
def test_tags_plain_and_annotated(there: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    git(there, *words)
    tagged = hash_of(there)
    commit(there, {"a.py": "x = 9\n"})
    for _ in range(2):
        done = bring(at(there, "v1"), tmp_path)
        assert (done.commit, done.branch) == (tagged, "v1")
        assert files_of(done)["a.py"] == b"x = 1\n"


def test_a_branch_counts_before_a_tag_of_its_name(there: Path, tmp_path: Path) -> None:
    git(there, "tag", "x")
    git(there, "checkout", "-q", "-b", "other")
    commit(there, {"a.py": "x = 5\n"})
    git(there, "branch", "x")
    assert bring(at(there, "x"), tmp_path).commit == hash_of(there, "refs/heads/x")
    assert bring(at(there, "refs/tags/x"), tmp_path).commit == hash_of(there, "refs/tags/x")


def test_a_branch_that_is_not_there_names_those_that_are(there: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        bring(at(there, "gone"), tmp_path)
    expected = f"{there}: there is no branch or tag 'gone': give another ref; it has main"
    assert str(caught.value) == expected


def test_a_deleted_branch_is_said_and_the_old_files_stay(there: Path, tmp_path: Path) -> None:
    git(there, "branch", "side")
    done = bring(at(there, "side"), tmp_path)
    git(there, "branch", "-D", "side")
    with pytest.raises(RequestError, match="no branch or tag 'side'"):
        bring(at(there, "side"), tmp_path)
    assert files_of(done)["a.py"] == b"x = 1\n"


def test_a_tag_of_a_blob_is_no_commit(there: Path, tmp_path: Path) -> None:
    git(there, "tag", "blob", "HEAD:a.py")
    with pytest.raises(Exception, match="leads to no commit: give the branch or the tag"):
        bring(at(there, "blob"), tmp_path)


def test_a_repository_without_a_commit_is_empty(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there")
    done = bring(there, tmp_path)
    assert (done.commit, files_of(done)) == ("", {})
    assert done.notices == (f"{there}: has no commit yet",)
    commit(there, FILES)
    assert files_of(bring(there, tmp_path)).keys() == FILES.keys()


def test_a_default_branch_that_is_not_there(there: Path, tmp_path: Path) -> None:
    git(there, "symbolic-ref", "HEAD", "refs/heads/gone")
    with pytest.raises(RequestError, match="its default branch is not there: give a ref; it has m"):
        bring(there, tmp_path)


def test_a_known_commit_fetches_nothing(there: Path, tmp_path: Path) -> None:
    done = sync(at(there), tmp_path / "ours", LIMITS, known_commit=hash_of(there))
    assert (done.commit, done.branch, done.has_files) == (hash_of(there), "main", False)
    assert not (tmp_path / "ours").exists()
    (there / ".git/HEAD").write_text("ref: refs/heads/main\n\n#")  # git is asked
    git(there, "symbolic-ref", "HEAD", "refs/heads/main")
    commit(there, {"a.py": "x = 2\n"})
    known = hash_of(there)
    assert sync(at(there), tmp_path / "ours", LIMITS, known_commit="0" * 40).commit == known


def test_a_repository_of_the_newer_hash(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    git(there, "init", "-q", "-b", "main", "--object-format=sha256")
    commit(there, FILES)
    done = bring(there, tmp_path)
    assert len(done.commit) == 64 and files_of(done).keys() == FILES.keys()
    assert bring(there, tmp_path) == done


def test_a_bare_repository_and_a_worktree(there: Path, tmp_path: Path) -> None:
    git(there, "clone", "-q", "--bare", str(there), str(tmp_path / "bare.git"))
    assert bring(tmp_path / "bare.git", tmp_path).commit == hash_of(there)
    git(there, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    commit(tmp_path / "side", {"a.py": "x = 7\n"})
    done = bring(tmp_path / "side", tmp_path)
    assert (done.commit, done.branch) == (hash_of(tmp_path / "side"), "side")


def test_the_reference_that_is_read_is_the_one_of_git(there: Path) -> None:
    git(there, *AUTHOR, "tag", "-a", "-m", "x", "v1")
    commit(there, {"a.py": "x = 2\n"})
    git(there, "branch", "loose")
    for _ in range(2):
        for ref in ("", "main", "v1", "loose"):
            reference = read_reference(there, ref)
            assert reference is not None
            assert reference.target == hash_of(there, ref or "HEAD"), ref
        git(there, "pack-refs", "--all")
    git(there, "checkout", "-q", "--detach")
    assert read_reference(there, "") == (hash_of(there), "")
    assert read_reference(there, "gone") is None
    assert read_reference(there / "sub", "") is None


def test_after_many_fetches_it_begins_anew(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symindex.fleet.sources.git_fetch.MOST_PACKS", 2)
    counts = []
    for number in range(5):
        commit(there, {"a.py": f"x = {number}\n"})
        done = bring(there, tmp_path)
        counts.append(len([*(done.root.parents[1] / "git-40/objects/pack").glob("*.pack")]))
    assert counts == [1, 2, 1, 2, 1]


def test_the_bytes_do_not_depend_on_attributes(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".gitattributes": "* text=auto eol=crlf ident filter=evil working-tree-encoding=UTF-16\n",
        "crlf.py": b"a\r\nb\n",
        "id.c": b"/* $Id$ */\n",
        "sub/.gitattributes": "*.x -crlf text\n",
        "sub/y.x": b"\r\n\r\n",
        "not-utf8.txt": b"\xff\xfe\x00",
    }
    there = tmp_path / "there"
    make_repository(there)
    (there / ".git/info/attributes").write_text("* -text -ident -filter -working-tree-encoding\n")
    commit(there, files)
    expected = {
        name: text.encode() if isinstance(text, str) else text for name, text in files.items()
    }
    assert files_of(bring(there, tmp_path)) == expected
