"""`symindex web` as a command: what it refuses, and how it starts and ends."""

import os
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.serve.web import run
from tests.support.browser import served
from tests.support.files import write_files


def web(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "symindex", "web", *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/nowhere/at/all"], "ROOT /nowhere/at/all: no such folder"),
        (["--http", "x"], "--http 'x': expected HOST:PORT or PORT"),
        (
            ["--http", "0.0.0.0:0"],
            "--http 0.0.0.0: other machines can reach this address: set a token in"
            " SYMINDEX_WEB_TOKEN; clients send it as text in the form of the page",
        ),
    ],
)
def test_what_is_refused_is_said_in_a_line(words: list[str], said: str) -> None:
    done = web(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_a_token_may_not_be_short_and_the_host_needs_a_name() -> None:
    short = web("--http", "0.0.0.0:0", SYMINDEX_WEB_TOKEN="short")
    assert "at least 16 are needed" in short.stderr
    nameless = web("--http", "0.0.0.0:0", SYMINDEX_WEB_TOKEN="long-enough-for-a-token")
    assert "use --allowed-host to name the host that browsers use" in nameless.stderr


def test_an_address_in_use_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = web("--http", str(other.getsockname()[1]), str(tmp_path))
    assert done.returncode == 2 and "cannot listen there" in done.stderr


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "find_spec", lambda name: None if name == "jinja2" else object())
    with pytest.raises(RequestError, match=r"run `pip install 'symindex\[web\]'`"):
        run.check_installed()


@pytest.mark.slow
def test_it_serves_until_it_is_ended(tmp_path: Path) -> None:
    root = write_files(tmp_path / "app", {"a.py": "def found(): pass\n"})
    with (
        served(root, home=tmp_path / "home") as address,
        urllib.request.urlopen(f"{address}/search?q=found", timeout=20) as answer,
    ):
        assert answer.status == 200 and b"<h1>" in answer.read()
