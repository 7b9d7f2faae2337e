"""`symindex fleet`: its steps, the status and the deletion of what nobody needs, with real
folders."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import SYMINDEX, run
from tests.support.files import write_files


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a catalogue of two repositories."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SYMINDEX_FLEET", raising=False)
    folder = tmp_path / "here"
    write_files(
        folder,
        {
            "fleet.toml": 'store = "store"\n[[repository]]\nfolder = "one"\nname = "acme/one"\n'
            '[[repository]]\nfolder = "two"\nname = "acme/two"\n',
            "one/a.py": "def first(): ...\n",
            "two/b.py": "def second(): ...\n",
        },
    )
    monkeypatch.chdir(folder)
    return folder


def _json(*arguments: str) -> tuple[int, Any]:
    ran = run("fleet", *arguments, "--json")
    return ran.code, json.loads(ran.out)


def test_a_fleet_from_nothing(here: Path) -> None:
    ran = run("fleet", "update", "--workers", "1")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "sync        2 done, 0 unchanged"
    assert lines[1].startswith("index       2 done, 0 unchanged in ")
    assert lines[2:] == [f"generation  1 in {here / 'store'}"]
    assert run("search", "second", "--fleet", "store", "--format", "lines").out.startswith(
        "acme/two/b.py:1"
    )
    code, reports = _json("update")
    assert code == 0
    assert [(report["unchanged"], report["written"]) for report in reports][1] == (2, 0)
    assert (here / "store" / "generations" / "00000001").is_file()


def test_the_steps_one_by_one() -> None:
    for step, state in ("sync", "missing"), ("index", "current"), ("merge", "current"):
        code, reports = _json(step)
        assert code == 0, reports
        assert reports[-1]["step"] == step
        code, status = _json("status")
        assert code == (1 if state == "missing" else 0)
        assert status["states"][state] == 2
    assert status["loose"] == 2
    ran = run("fleet", "status")
    assert "repositories  2 current" in ran.out and "acme/one" in ran.out
    assert "acme/one" not in run("fleet", "status", "--failed").out


def test_shares_of_several_processes() -> None:
    names: list[str] = []
    for share in "1", "2", "3":
        code, reports = _json("index", "--batch", share, "--of", "3")
        assert code == 0
        names += [str(report["done"]) for report in reports if report["step"] == "index"]
    assert sorted(names) in (["0", "0", "2"], ["0", "1", "1"])
    assert _json("status")[1]["states"]["current"] == 2


@pytest.mark.parametrize(
    "options",
    [["--batch", "1"], ["--of", "2"], ["--batch", "3", "--of", "2"]],
)
def test_shares_that_are_none(options: list[str]) -> None:
    ran = run("fleet", "index", *options)
    assert ran.code == 2
    assert "--batch I and --of N belong together, with I from 1 to N" in ran.err


def test_a_repository_that_fails(here: Path) -> None:
    run("fleet", "update")
    shutil.rmtree(here / "one")
    ran = run("fleet", "update")
    assert ran.code == 1
    assert "1 failed" in ran.out and "failed      acme/one (sync): " in ran.out
    ran = run("fleet", "status", "--failed")
    assert ran.code == 1
    assert "acme/one" in ran.out and "acme/two" not in ran.out
    assert "there is no such folder" in ran.out
    assert _json("status", "--failed")[1]["repositories"][0]["failure"]["step"] == "sync"
    # What was served before still is.
    assert run("search", "first", "--fleet", "store", "--format", "lines").out


def test_an_empty_catalogue(here: Path) -> None:
    write_files(here, {"fleet.toml": 'store = "store"\n'})
    ran = run("fleet", "update")
    assert ran.code == 2 and "names no repositories, so nothing is changed" in ran.err
    assert not (here / "store" / "generations").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["status", "--store", "nowhere"], "nowhere: no such store"),
        (["status", "--store", "ftp://x"], "no store has the scheme ftp://"),
        (["gc", "--store", "nowhere"], "nowhere: no such store"),
        (["update", "--catalogue", "none.toml"], "none.toml: "),
        (["update", "--executor", "slurm"], "slurm"),
        (["update", "--workers", "-1"], "-1"),
        (["gc", "--days", "-1"], "-1"),
        (["serve", "nowhere"], "nowhere: no such store"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], says: str) -> None:
    ran = run("fleet", *arguments)
    assert ran.code == 2
    assert says in ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("store", "right"), [("s3:/x", "s3://x"), ("gs:/x", "gs://x"), ("file:/x", "file:///x")]
)
def test_a_catalogue_whose_store_is_almost_a_url(here: Path, store: str, right: str) -> None:
    write_files(here, {"fleet.toml": f'store = "{store}"\n[[repository]]\nfolder = "one"\n'})
    for command in "update", "status", "gc":
        ran = run("fleet", command)
        assert ran.code == 2 and f"{store}: expected {right}, or" in ran.err
    assert sorted(path.name for path in here.iterdir()) == ["fleet.toml", "one", "two"]


def test_the_status_of_a_fleet_by_its_address(here: Path, tmp_path: Path) -> None:
    run("fleet", "update")
    of_catalogue = _json("status")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.chdir(elsewhere)
    assert _json("status", "--fleet", "../here/store")[0] == 0
    server = subprocess.Popen(
        [*SYMINDEX, "fleet", "serve", str(here / "store"), "--http", "127.0.0.1:0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stderr is not None
        address = server.stderr.readline().split()[-1]
        code, status = _json("status", "--fleet", address)
        for report in status, of_catalogue[1]:
            for row in report["repositories"]:
                row.pop("age_seconds")
        assert (code, status) == (0, {**of_catalogue[1], "store": str(here / "store")})
        shown = run("fleet", "status", "--fleet", address).out
        assert f"store         {here / 'store'}" in shown and "acme/two" in shown
        assert "acme/two" not in run("fleet", "status", "--fleet", address, "--failed").out
        for option in "--store", "--catalogue":
            ran = run("fleet", "status", "--fleet", address, option, "x")
            assert ran.code == 2 and f"{option}: --fleet names the fleet already" in ran.err
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)
    ran = run("fleet", "status", "--fleet", address)
    assert ran.code == 2 and "cannot be reached" in ran.err


def test_a_catalogue_that_names_no_store(here: Path) -> None:
    write_files(here, {"fleet.toml": '[[repository]]\nfolder = "one"\nname = "acme/one"\n'})
    for command in "update", "status", "gc":
        ran = run("fleet", command)
        assert ran.code == 2
        assert 'names no store: add store = "…", or use --store' in ran.err
    assert run("fleet", "update", "--store", "other").code == 0
    assert (here / "other").is_dir()
    assert run("fleet", "status", "--store", "other").code == 0


def test_what_nobody_needs_is_deleted(here: Path) -> None:
    run("fleet", "update")
    write_files(here, {"one/c.py": "def third(): ...\n"})
    run("fleet", "update")
    for path in (here / "store").rglob("*"):
        then = time.time() - 10 * 86_400
        if path.is_file():
            os.utime(path, (then, then))
    counts = run("fleet", "gc", "--dry-run").out
    assert counts.splitlines()[0].startswith("to delete   2 objects, ")
    assert counts.splitlines()[1].startswith("kept        2 objects, ")
    assert counts.endswith(", 1 generation\n")
    assert _json("gc", "--days", "20")[1]["deleted"] == 0
    assert run("fleet", "gc").out == counts.replace("to delete", "deleted  ")
    code, report = _json("gc")
    assert (code, report["deleted"], report["kept"], report["generations"]) == (0, 0, 2, 1)
    assert run("search", "third", "--fleet", "store", "--format", "lines").out
