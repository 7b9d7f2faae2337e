"""Many repositories at once, from several processes, and processes that are killed."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.errors import RequestError, StorageError, SymindexError
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.checkout import Checkout, RepositoryFolder
from symindex.fleet.sources.sync import held, remove_unlisted, sync, sync_all
from tests.fleet.git_server import silent
from tests.fleet.repositories import (
    LIMITS,
    at,
    bring,
    commit,
    files_of,
    hash_of,
    make_repository,
)
from tests.support.files import write_files
from tests.support.git import git


def collected(
    repositories: list[Repository], folder: Path, known: dict[str, str] | None = None
) -> dict[str, Checkout | SymindexError]:
    results: dict[str, Checkout | SymindexError] = {}
    sync_all(
        repositories,
        folder,
        LIMITS,
        lambda row, result: results.update({row.name: result}),
        4,
        known,
    )
    return results


def test_one_that_fails_stops_no_other(tmp_path: Path) -> None:
    there = [make_repository(tmp_path / f"r{n}", {"a.py": f"x = {n}\n"}) for n in range(6)]
    repositories = [Repository(path.name, "git", str(path)) for path in there]
    repositories.insert(3, Repository("gone", "git", str(tmp_path / "gone")))
    results = collected(repositories, tmp_path / "ours")
    assert isinstance(results.pop("gone"), RequestError)
    for number, path in enumerate(there):
        done = results[f"r{number}"]
        assert isinstance(done, Checkout)
        assert (done.commit, files_of(done)["a.py"]) == (hash_of(path), b"x = %d\n" % number)


def test_known_commits_are_not_fetched(tmp_path: Path) -> None:
    there = [make_repository(tmp_path / f"r{n}", {"a.py": f"x = {n}\n"}) for n in range(2)]
    repositories = [Repository(path.name, "git", str(path)) for path in there]
    results = collected(repositories, tmp_path / "ours", {"r0": hash_of(there[0])})
    assert [isinstance(done, Checkout) and done.has_files for done in results.values()].count(
        True
    ) == 1
    assert len(os.listdir(tmp_path / "ours")) == 1


def test_the_results_come_in_the_calling_thread(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x\n"})
    threads: set[int] = set()
    sync_all([at(there)], tmp_path / "ours", LIMITS, lambda *_: threads.add(threading.get_ident()))
    assert threads == {threading.get_ident()}


def test_a_caller_that_fails_ends_what_runs(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x\n"})

    def fail(_repository: Repository, _result: object) -> None:
        raise KeyboardInterrupt

    began = time.monotonic()
    with silent() as url, pytest.raises(KeyboardInterrupt):
        waiting = [at(f"{url}/{n}") for n in range(20)]
        sync_all([at(there), *waiting], tmp_path / "ours", LIMITS, fail, 4)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("n", [0, 65])
def test_how_many_at_once(tmp_path: Path, n: int) -> None:
    with pytest.raises(RequestError, match=f"{n} repositories at once: expected 1 to 64"):
        sync_all([], tmp_path, LIMITS, lambda *_: None, n)


def test_a_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    plain = write_files(tmp_path / "plain", {"a.py": "x = 1\n"})
    ours = tmp_path / "ours"
    assert sync(Repository("a", "folder", str(plain)), ours, LIMITS) == Checkout(plain)
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    done = sync(Repository("b", "folder", str(there)), ours, LIMITS)
    assert done == Checkout(there, hash_of(there), branch="main")
    assert not ours.exists()
    with pytest.raises(RequestError, match="there is no such folder: check the path in the cat"):
        sync(Repository("c", "folder", str(tmp_path / "gone")), ours, LIMITS)


def test_names_of_our_folders_are_digests(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x\n"})
    hostile = Repository("../../../x\n", "git", str(there))
    done = sync(hostile, tmp_path / "ours", LIMITS)
    (name,) = os.listdir(tmp_path / "ours")
    assert len(name) == 32 and set(name) <= set("0123456789abcdef")
    assert done.root.is_relative_to(tmp_path / "ours")
    # A new name of the same source fetches nothing.
    assert sync(Repository("other", "git", str(there)), tmp_path / "ours", LIMITS) == done


def test_two_refs_have_two_folders(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    git(there, "branch", "old")
    commit(there, {"a.py": "x = 2\n"})
    texts = [files_of(bring(at(there, ref), tmp_path))["a.py"] for ref in ("", "old", "main")]
    assert texts == [b"x = 2\n", b"x = 1\n", b"x = 2\n"]


def test_another_process_is_waited_for_and_then_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    repository = at(there)
    done = bring(repository, tmp_path)
    commit(there, {"a.py": "x = 2\n"})
    monkeypatch.setattr("symindex.fleet.sources.checkout.LOCK_SECONDS", 0.2)
    with held(repository, tmp_path / "ours", 1):
        with pytest.raises(StorageError) as caught:
            bring(repository, tmp_path)
        assert files_of(done) == {"a.py": b"x = 1\n"}  # whoever holds them reads them whole
    own = tmp_path / "ours" / repository.folder_name
    assert str(caught.value) == (
        f"{own}: another process uses this repository, and was not done within 0.2 s: run it again"
        " later"
    )
    assert files_of(bring(repository, tmp_path)) == {"a.py": b"x = 2\n"}


def test_an_unchanged_repository_waits_for_nobody(tmp_path: Path) -> None:
    repository = at(make_repository(tmp_path / "there", {"a.py": "x = 1\n"}))
    done = bring(repository, tmp_path)
    with held(repository, tmp_path / "ours", 1):
        assert bring(repository, tmp_path) == done


def test_a_folder_of_ours_behind_a_link_is_refused(tmp_path: Path) -> None:
    repository = at(make_repository(tmp_path / "there", {"a.py": "x = 1\n"}))
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / repository.folder_name).symlink_to(tmp_path / "there")
    with pytest.raises(StorageError, match="is a symbolic link there; name another source_folder"):
        bring(repository, tmp_path)


def test_repositories_that_are_listed_no_more_are_removed(tmp_path: Path) -> None:
    there = [make_repository(tmp_path / f"r{n}", {"a.py": f"x = {n}\n"}) for n in range(3)]
    kept, used, gone = [Repository(path.name, "git", str(path)) for path in there]
    for repository in (kept, used, gone):
        sync(repository, tmp_path / "ours", LIMITS)
    (tmp_path / "ours/notes").mkdir()
    with held(used, tmp_path / "ours", 1):
        assert remove_unlisted([kept], tmp_path / "ours") == 1
    left = {kept.folder_name, used.folder_name, "notes"}
    assert {*os.listdir(tmp_path / "ours")} == left
    assert remove_unlisted([kept], tmp_path / "ours") == 1
    assert remove_unlisted([kept], tmp_path / "none") == 0
    assert sync(gone, tmp_path / "ours", LIMITS).commit == hash_of(there[2])


CHILD = """
import json, sys
from pathlib import Path
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.sync import sync
done = sync(Repository("r", "git", sys.argv[1]), Path(sys.argv[2]), Limits(seconds=60))
print(json.dumps([done.commit, str(done.root)]))
"""


def child(there: Path, ours: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", CHILD, str(there), str(ours)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.slow
def test_two_processes_at_once(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {f"{n}.py": "x = 1\n" for n in range(200)})
    for number in range(2):
        commit(there, {"a.py": f"x = {number}\n"})
        running = [child(there, tmp_path / "ours") for _ in range(3)]
        answers = [json.loads(process.communicate(timeout=60)[0]) for process in running]
        assert {answer[0] for answer in answers} == {hash_of(there)}
        (root,) = {answer[1] for answer in answers}
        assert len(files_of(Checkout(Path(root)))) == 201


@pytest.mark.slow
@pytest.mark.parametrize("n_kills", [3, pytest.param(8, marks=pytest.mark.nightly)])
def test_a_process_killed_at_any_moment_loses_nothing(tmp_path: Path, n_kills: int) -> None:
    """git itself may live on for a moment: it is in a group of its own."""
    there = make_repository(tmp_path / "there", {f"{n}.py": f"x = {n}\n" for n in range(300)})
    ours = tmp_path / "ours"
    first = bring(there, tmp_path)
    dice = random.Random(7)
    own = RepositoryFolder(at(there), ours)
    for number in range(n_kills):
        before = own.read_state()
        assert before is not None
        commit(there, {"a.py": f"x = {number}\n"})
        process = child(there, ours)
        time.sleep(dice.uniform(0.15, 0.6))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        state = own.read_state()
        assert state is not None and state.commit in (before.commit, hash_of(there))
        n_files = len(files_of(own.checkout(state)))
        assert n_files == (300 if state.commit == first.commit else 301)
    done = bring(there, tmp_path)
    assert files_of(done)["a.py"] == f"x = {n_kills - 1}\n".encode() and len(files_of(done)) == 301
    assert os.listdir(ours / at(there).folder_name / "files") == [done.tree]


def cpu_of(call: Callable[[], object]) -> float:
    before = os.times()
    call()
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


@pytest.mark.slow
def test_what_has_not_changed_is_cheap(tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there", {"a.py": "x = 1\n"})
    repository = at(there)
    bring(repository, tmp_path)
    many = [repository] * 1_000
    took = cpu_of(lambda: sync_all(many, tmp_path / "ours", Limits(), lambda *_: None))
    assert took < 4
